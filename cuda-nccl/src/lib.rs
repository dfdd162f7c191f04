//! Collective operations on several GPUs, on one host or many.
//!
//! A *rank* is one device together with the thread or process that drives it. The trait
//! [`Collectives`] has the *collectives*, the operations that a group of ranks performs together:
//! reductions, broadcasts, gathers and exchanges. Three types implement it:
//!
//! | type | ranks | transport |
//! |---|---|---|
//! | [`Communicator`] | devices of one process, of several processes, or of several hosts | NCCL |
//! | [`PeerRank`] | devices of one process | copies between the devices, without NCCL |
//! | [`SingleRank`] | one device | none |
//!
//! ```no_run
//! use cuda_nccl::{Communicator, CommunicatorOptions, Reduction, UniqueId};
//! use cuda_safe::{Context, DeviceBuffer, Stream};
//!
//! fn rank(id: UniqueId, rank: usize) -> cuda_nccl::Result<Vec<f32>> {
//!     let context = Context::primary(rank as u32)?;
//!     let stream = Stream::new(&context)?;
//!     let group = Communicator::new(&context, id, rank, 2, CommunicatorOptions::default())?;
//!     let mut data = DeviceBuffer::from_slice(&stream, &[1.0 + rank as f32; 4])?;
//!     group.all_reduce(&stream, &mut data, Reduction::Sum)?; // enqueued
//!     group.wait(&stream)?; // with a time limit: a lost rank is an error
//!     Ok(data.to_vec(&stream)?)
//! }
//!
//! fn main() -> cuda_nccl::Result<()> {
//!     let id = UniqueId::new()?; // an error if NCCL is not installed
//!     std::thread::scope(|scope| {
//!         let other = scope.spawn(|| rank(id, 1));
//!         assert_eq!(rank(id, 0)?, [3.0; 4]);
//!         assert_eq!(other.join().unwrap()?, [3.0; 4]);
//!         Ok(())
//!     })
//! }
//! ```
//!
//! # Design
//!
//! - **NCCL is opened at the first call.** Nothing is linked, so a program builds and starts on
//!   machines without NCCL. Calls then return [`Error::Missing`], and the program can use
//!   [`PeerGroup`] instead. [`Library::get`] lists the places that are searched.
//! - **Every wait has a time limit.** NCCL's kernels wait forever for a rank that has ended.
//!   [`Collectives::wait`] returns [`Error::Lost`] instead, and aborts the communicator.
//! - **Calls are enqueued** on the stream you pass, and are ordered with the streams that own the
//!   buffers, as in [`cuda_safe`]. You may drop a buffer right after the call.
//! - **Ranks compare their calls** before each collective, since NCCL hangs or corrupts memory if
//!   they differ. [`CommunicatorOptions::unverified`] turns the comparison off. It is the only
//!   `unsafe` function outside of [`sys`].
//! - **After a fault** of a kernel, the process cannot use CUDA any more. After a lost rank it can:
//!   only the group is unusable, and the remaining ranks may start a new one.
//!
//! # Next steps
//!
//! - Under `mpirun`, `srun` or `torchrun`, [`start`] creates the communicator of the process in one
//!   call. [`guide::starting`] contains the command lines and explains how processes find each
//!   other.
//! - [`guide::communicators`] explains the requirements across ranks, the errors, the limits and
//!   the performance.
//! - [`guide::spreading`] shows how to spread an algorithm over devices, and lists ready-made ones.
//! - [`sys`] has NCCL's raw interface.
//!
//! # Features
//!
//! - `compute` (default): the module `spread`, with the kernels of `cuda-compute`.
//! - `bindgen` (default): generates the raw bindings of CUDA from the installed headers. Without it,
//!   builds need no libclang and take half the time: see [`cuda_safe`].
//! - `dynamic-loading`: opens the driver and NVRTC at the first call: see [`cuda_safe`].
//!
//! NCCL is always opened at its first call.

mod collectives;
mod communicator;
mod element;
mod emulated;
mod error;
pub mod guide;
mod launcher;
mod library;
mod notice;
mod pause;
mod peers;
mod record;
mod result;
mod single_rank;
#[cfg(feature = "compute")]
pub mod spread;
mod stream_ends;
pub mod sys;
#[cfg(test)]
mod test_threads;

/// Waits until no other test blocks a stream or loads code. A GPU loads code only while it is idle,
/// so a blocked stream and a load at the same time wait for each other.
#[cfg(test)]
fn wait_for_device() -> std::sync::MutexGuard<'static, ()> {
    static DEVICE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    DEVICE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

pub use collectives::Collectives;
pub use communicator::{
    Communicator, CommunicatorOptions, Group, NcclAllocated, NcclBuffer, Registered,
    RegisteredMemory, UniqueId,
};
pub use element::{DataType, Reducible, Reduction};
pub use error::{Error, Result};
pub use launcher::{Launch, Launcher, start};
pub use library::{Library, Version};
pub use peers::{PeerGroup, PeerOptions, PeerRank};
pub use result::NcclResult;
pub use single_rank::SingleRank;
