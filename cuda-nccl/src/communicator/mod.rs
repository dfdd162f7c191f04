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
mod pending;
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

/// One rank of a group of devices that NCCL connects. Create it with [`new`](Self::new) in each
/// thread or process, or with [`for_devices`](Self::for_devices) for several devices of a process.
///
/// Clones refer to the same rank. Several threads may share a rank, and their calls then run one at
/// a time. The order of calls must be the same on all ranks, so it is best to use one thread per
/// rank.
///
/// **Time limit.** No call waits longer than [`timeout`](CommunicatorOptions::timeout) for other
/// ranks. After that time it returns [`Error::Lost`](crate::Error::Lost), and the communicator is
/// aborted: its kernels end, later calls fail at once, and results of unfinished calls are
/// undefined. [`wait`](Self::wait) waits for calls with this limit. [`Stream::synchronize`] has no
/// limit and hangs if a rank is lost, and so does dropping memory that must wait for its stream.
///
/// **Drop.** Dropping the last clone waits for this rank's calls, with the time limit, and frees
/// the rank's resources. [`finalize`](Self::finalize) does the same and returns errors.
/// [`abort`](Self::abort) does not wait.
///
/// **Graphs.** Calls on a capturing stream return an error, unless the options are
/// [unverified](CommunicatorOptions::unverified). In that case they become part of the graph.
#[derive(Clone)]
pub struct Communicator(Arc<Inner>);

impl Communicator {
    /// Returns the number of this rank, counted from 0.
    #[doc(alias = "ncclCommUserRank")]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.rank
    }

    /// Returns the number of ranks.
    #[doc(alias = "ncclCommCount")]
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// Returns the context of this rank's device.
    #[doc(alias = "ncclCommCuDevice")]
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the time limit for waits for other ranks.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.0.options.timeout
    }

    /// Waits for this rank's calls on the stream, with the time limit.
    ///
    /// The wait ends with the last call. Work that you enqueue after it may continue, and does not
    /// count towards the time limit. Work before a call delays the call, so it counts. Raw calls
    /// ([`as_raw`](Self::as_raw)) are not waited for. While a graph with captured calls exists,
    /// this waits for all work on the stream, with the time limit, because the communicator does
    /// not see the graph's launches.
    ///
    /// # Errors
    /// Returns [`Error::Lost`](crate::Error::Lost) if another rank has ended or does not arrive in
    /// time. The communicator is then aborted, and its kernels end. Returns
    /// [`Error::Cuda`](crate::Error::Cuda) if work in the context has failed.
    pub fn wait(&self, stream: &Stream) -> Result<()> {
        self.expect_own(stream, &[])?;
        self.0.wait(stream)
    }

    /// Ends the communicator together with the other ranks, after all its calls. Clones cannot be
    /// used any more.
    ///
    /// See
    /// [`ncclCommFinalize`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclcommfinalize).
    ///
    /// # Errors
    /// Returns the errors of [`wait`](Self::wait), and [`Error::Nccl`](crate::Error::Nccl) if an
    /// NCCL call fails. The communicator ends even then: if an orderly end fails, it is aborted.
    #[doc(alias = "ncclCommFinalize")]
    #[doc(alias = "ncclCommDestroy")]
    pub fn finalize(self) -> Result<()> {
        self.0.finalize()
    }

    /// Ends the communicator at once, from any thread. Its kernels end, calls that wait return, and
    /// later calls fail. The communicators of the other ranks in this process end as well. Ranks in
    /// other processes find out through their time limit.
    ///
    /// See
    /// [`ncclCommAbort`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclcommabort).
    #[doc(alias = "ncclCommAbort")]
    pub fn abort(&self) {
        self.0.abort();
    }

    /// Returns NCCL's handle for raw calls, or null if the communicator has ended. This object
    /// keeps ownership.
    ///
    /// Make raw calls of one communicator one at a time. They must not overlap with calls of this
    /// object in other threads, and must not destroy the handle. Neither [`wait`](Self::wait) nor
    /// dropping this object waits for them.
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

    fn report_error(&self, why: &str) {
        Self::report_error(self, why);
    }

    fn wait(&self, stream: &Stream) -> Result<()> {
        Self::wait(self, stream)
    }
}
