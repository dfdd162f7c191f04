//! Communicators: groups of devices that NCCL connects.

mod agree;
mod allocation;
mod board;
mod call;
mod captured;
mod children;
mod collective;
mod current;
mod end;
mod group;
mod inner;
mod lane;
mod marks;
mod numbers;
mod options;
mod partners;
mod prepare;
mod registered;
mod shared;
mod start;
mod together;
mod unique_id;
mod watch;

use std::{fmt, sync::Arc, time::Duration};

use cuda_safe::{
    Context, DeviceMemory, DeviceView, DeviceViewMut, PlainData, Stream,
    memory::{Storage, StorageMut},
};

pub use allocation::{NcclAllocated, NcclBuffer};
pub use group::Group;
pub use options::CommunicatorOptions;
pub use registered::{Registered, RegisteredMemory};
pub use unique_id::UniqueId;

use crate::{
    collectives::Collectives,
    element::{Reducible, Reduction},
    error::Result,
    sys,
};
use inner::Inner;

/// One rank of a group of devices that NCCL connects. It is made by [`new`](Self::new) in each thread or process, or by
/// [`for_devices`](Self::for_devices) for all devices of a process.
///
/// Clones are the same rank. What may be used by several threads is used by one at a time; the order of their calls must be the
/// same on all ranks, so one thread for a rank is best.
///
/// **Time limit.** No call waits longer for other ranks than [`timeout`](CommunicatorOptions::timeout): what takes longer ends
/// in [`Error::Lost`](crate::Error::Lost), and the communicator is aborted: its kernels end, and later calls fail at once.
/// Results of what was under way are undefined then. Calls are waited for by [`wait`](Self::wait); a
/// [`Stream::synchronize`] has no limit, and hangs with the other ranks, as does dropping memory that must wait for
/// its stream.
///
/// **End.** Dropping the last clone waits for this rank's calls, with the time limit, and frees what is this rank's.
/// [`finalize`](Self::finalize) does the same and tells of errors. [`abort`](Self::abort) doesn't wait.
///
/// **Graphs.** Calls on a stream that is being captured are refused, unless the options are
/// [unverified](CommunicatorOptions::unverified): then they become a part of the graph.
#[derive(Clone)]
pub struct Communicator(Arc<Inner>);

impl Communicator {
    /// Which rank this is, from 0.
    #[doc(alias = "ncclCommUserRank")]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.rank
    }

    /// The number of ranks.
    #[doc(alias = "ncclCommCount")]
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The context of this rank's device.
    #[doc(alias = "ncclCommCuDevice")]
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// The time limit for waits of this rank for others.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.0.options.timeout
    }

    /// Waits for this rank's calls on the stream, with the time limit.
    ///
    /// The wait ends with the last call. Work that you enqueue behind it may go on, and takes none of the time limit. Work in
    /// front of a call delays the call, so it counts. Raw calls ([`as_raw`](Self::as_raw)) are not waited for. As long as a
    /// graph with captured calls exists, this waits for everything on the stream, with the time limit, since the communicator does
    /// not see the graph's launches.
    ///
    /// # Errors
    /// Returns [`Error::Lost`](crate::Error::Lost) if another rank has ended or doesn't come in time. The communicator is aborted
    /// then, and its kernels end. Returns [`Error::Cuda`](crate::Error::Cuda) if work in the context has failed.
    pub fn wait(&self, stream: &Stream) -> Result<()> {
        self.here(stream, &[])?;
        self.0.wait(stream)
    }

    /// Ends the communicator together with the other ranks, after all of its calls. Clones can't be used any more.
    ///
    /// # Errors
    /// As [`wait`](Self::wait), and what NCCL says. The communicator has ended in any case: it is aborted where it can't end
    /// in order.
    #[doc(alias = "ncclCommFinalize")]
    #[doc(alias = "ncclCommDestroy")]
    pub fn finalize(self) -> Result<()> {
        self.0.finalize()
    }

    /// Ends the communicator at once, from whatever thread: its kernels end, calls that wait return, and everything fails from now
    /// on. The communicators of the other ranks of this process end as well. Ranks of other processes notice by their time limit.
    #[doc(alias = "ncclCommAbort")]
    pub fn abort(&self) {
        self.0.abort();
    }

    /// NCCL's handle, for raw calls; null when the communicator has ended. It stays this object's.
    ///
    /// Raw calls of one communicator are made one after the other. They must not overlap with calls of this object in other
    /// threads, and not destroy it. Neither [`wait`](Self::wait) nor the end of this object waits for them.
    #[must_use]
    pub fn as_raw(&self) -> sys::ncclComm_t {
        self.0.lock().comm
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Collectives for Communicator {
    fn rank(&self) -> usize {
        self.0.rank
    }

    fn size(&self) -> usize {
        self.0.size
    }

    fn context(&self) -> &Context {
        &self.0.context
    }

    fn all_reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        Self::all_reduce(self, stream, data, reduction)
    }

    fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        Self::broadcast(self, stream, data, root)
    }

    fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        Self::all_gather(self, stream, part, all)
    }

    fn reduce_scatter<T: Reducible>(
        &self,
        stream: &Stream,
        all: &DeviceMemory<impl Storage, T>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        Self::reduce_scatter(self, stream, all, part, reduction)
    }

    fn all_to_all<T: PlainData>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        Self::all_to_all(self, stream, from, to)
    }

    fn exchange<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()> {
        Self::exchange(self, stream, sends, receives)
    }

    fn refuse(&self, why: &str) {
        Self::refuse(self, why);
    }

    fn wait(&self, stream: &Stream) -> Result<()> {
        Self::wait(self, stream)
    }
}
