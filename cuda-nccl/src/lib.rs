//! Several GPUs of one host, and many hosts.
//!
//! A *rank* is one device, and the thread or the process that drives it. What the ranks of a group do together is the trait
//! [`Collectives`]: sums, broadcasts, exchanges. Two carry it: [`Communicator`] by NCCL, between processes and hosts too, and
//! [`PeerRank`] by copies between the devices of one process, where NCCL is not needed. A device by itself is a group too,
//! [`Alone`].
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
//!     let id = UniqueId::new()?; // "NCCL is not installed: …" where it isn't
//!     std::thread::scope(|scope| {
//!         let other = scope.spawn(|| rank(id, 1));
//!         assert_eq!(rank(id, 0)?, [3.0; 4]);
//!         assert_eq!(other.join().unwrap()?, [3.0; 4]);
//!         Ok(())
//!     })
//! }
//! ```
//!
//! Under `mpirun`, `srun` or `torchrun`, [`start`] makes the communicator of the process in one call. The [`guide`] says
//! [how processes find each other](guide::starting), [what must be the same on all ranks, what may fail, and which limits
//! there are](guide::communicators), and [how work is spread](guide::spreading).
//!
//! NCCL is opened at the first call ([`Library::get`] says where it is looked for); nothing is linked. Its raw interface is
//! [`sys`].

mod collectives;
mod communicator;
mod element;
mod error;
pub mod guide;
mod launcher;
mod library;
mod result;
#[cfg(feature = "compute")]
pub mod spread;
mod stream_ends;
pub mod sys;

pub use collectives::{Alone, Collectives, PeerGroup, PeerOptions, PeerRank};
pub use communicator::{
    Communicator, CommunicatorOptions, Group, NcclAllocated, NcclBuffer, Registered,
    RegisteredMemory, UniqueId,
};
pub use element::{DataType, Reducible, Reduction};
pub use error::{Error, Result};
pub use launcher::{Launch, Launcher, start};
pub use library::{Library, Version};
pub use result::NcclResult;
