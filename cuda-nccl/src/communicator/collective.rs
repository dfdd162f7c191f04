//! Collectives, sends and receives.

use cuda_safe::{
    DeviceMemory, DeviceView, DeviceViewMut, PlainData, Stream,
    memory::{Storage, StorageMut},
};

use super::{
    Communicator,
    agree::{agree, expect_uncaptured, gather_words},
    call::{Call, Kind, bytes},
    current::enter,
    group::Group,
    pending::Pending,
};
use crate::{
    element::{Reducible, Reduction},
    error::{Error, Result},
    record::{Record, compare_transfers},
    sys,
};

/// Collectives. **All ranks must make the same calls in the same order**, with the same lengths,
/// element types, reductions and roots.
///
/// A collective enqueues its work on a stream of this rank's context and returns. If other streams
/// own its memory, it is ordered with the work of those streams. The first call of a kind may wait
/// for the other ranks on the host. The calls are described in NVIDIA's manual under [Collective
/// Communication
/// Functions](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html) and [Point
/// To Point Communication
/// Functions](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/p2p.html).
///
/// # Errors of collectives
/// All collectives return:
/// - [`Error::Value`] if the stream or the memory belongs to another context, lengths do not fit,
///   or a rank does not exist;
/// - [`Error::Value`] if the ranks make different calls, unless the communicator is
///   [unverified](super::CommunicatorOptions::unverified); nothing is enqueued then;
/// - [`Error::Lost`] if the communicator has ended, or another rank is lost while the ranks compare
///   their calls;
/// - [`Error::Nccl`] if an NCCL call fails, and [`Error::Unsupported`] if the installed NCCL lacks
///   the call;
/// - [`Error::Cuda`] if a driver call fails or work in the context has faulted.
impl Communicator {
    /// Replaces `data` on each rank with the reduction of all ranks' `data`.
    ///
    /// See
    /// [`ncclAllReduce`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html#ncclallreduce).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclAllReduce")]
    #[inline]
    pub fn all_reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.make(self.prepare_all_reduce(stream, data, reduction))
    }

    /// Writes the reduction of all ranks' `from` to `to` on each rank. The two must have the same
    /// length. `from` is not changed.
    ///
    /// See
    /// [`ncclAllReduce`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html#ncclallreduce).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives), and [`Error::Value`] if the
    /// lengths differ.
    #[doc(alias = "ncclAllReduce")]
    pub fn all_reduce_into<T: Reducible>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.make(self.prepare_all_reduce_into(stream, from, to, reduction))
    }

    /// Replaces `data` on each rank with the sum of all ranks' `data`, each multiplied by its
    /// rank's `factor` first. An example is a weighted mean.
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclRedOpCreatePreMulSum")]
    #[doc(alias = "ncclRedOpDestroy")]
    pub fn all_reduce_scaled<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        mut factor: T,
    ) -> Result<()> {
        let inner = &*self.0;
        let prepared = self
            .prepare_all_reduce(stream, data, Reduction::Sum)
            .and_then(|mut pending| {
                // SAFETY: the factor has the type of the call's elements.
                pending.call.op = unsafe { self.scaled_sum(&mut factor, pending.call.carrier)? };
                Ok(pending)
            });
        let pending = prepared.map_err(|error| self.report(error))?;
        let op = pending.call.op;
        let enqueued = pending.run();
        let mut work = inner.lock();
        if let (Ok(comm), Some(destroy)) = (
            inner.usable(&mut work),
            inner.library.functions().ncclRedOpDestroy,
        ) {
            // SAFETY: created above and no longer used, because the call that used it has returned.
            let _ = unsafe { destroy(op, comm) };
        }
        enqueued
    }

    /// Creates the operation that multiplies by `factor` before it sums. NCCL reads the factor
    /// immediately.
    ///
    /// # Safety
    /// The caller must ensure that the factor has the type `of`.
    unsafe fn scaled_sum<T: Reducible>(
        &self,
        factor: &mut T,
        of: sys::ncclDataType_t,
    ) -> Result<sys::ncclRedOp_t> {
        let inner = &*self.0;
        let functions = inner.library.functions();
        let create = functions.ncclRedOpCreatePreMulSum;
        let create = inner.library.need("ncclRedOpCreatePreMulSum", create)?;
        inner
            .library
            .need("ncclRedOpDestroy", functions.ncclRedOpDestroy)?;
        let _current = enter(&inner.context)?;
        let mut work = inner.lock();
        let comm = inner.usable(&mut work)?;
        let mut op = sys::ncclRedOp_t::ncclSum;
        let now = sys::ncclScalarResidence_t::ncclScalarHostImmediate;
        // SAFETY: the factor has the type `of` and is read before the call returns. `op` is valid
        // for the write.
        let result = unsafe { create(&mut op, (&raw mut *factor).cast(), of, now, comm) };
        if result != sys::ncclResult_t::ncclSuccess {
            inner.after("ncclRedOpCreatePreMulSum", result, &mut work)?;
        }
        Ok(op)
    }

    /// Replaces `data` on rank `root` with the reduction of all ranks' `data`. The `data` of the
    /// other ranks is not changed.
    ///
    /// See
    /// [`ncclReduce`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html#ncclreduce).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclReduce")]
    pub fn reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
        root: usize,
    ) -> Result<()> {
        self.make(self.prepare_reduce(stream, data, reduction, root))
    }

    /// Copies the `data` of rank `root` to all ranks.
    ///
    /// See
    /// [`ncclBroadcast`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html#ncclbroadcast).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclBroadcast")]
    pub fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        self.make(self.prepare_broadcast(stream, data, root))
    }

    /// Copies the `part` of each rank to all ranks, into `all` in the order of ranks. The length of
    /// `all` must be the number of ranks times that of `part`.
    ///
    /// See
    /// [`ncclAllGather`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html#ncclallgather).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclAllGather")]
    pub fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.make(self.prepare_all_gather(stream, part, all))
    }

    /// Performs [`all_gather`](Self::all_gather) with this rank's part already in its place in
    /// `all`.
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives), and [`Error::Value`] if the
    /// length of `all` is not a multiple of the number of ranks.
    #[doc(alias = "ncclAllGather")]
    pub fn all_gather_in_place<T: PlainData>(
        &self,
        stream: &Stream,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.make(self.prepare_all_gather_in_place(stream, all))
    }

    /// Reduces all ranks' `all`, and writes this rank's part of the result to `part`. Rank 0
    /// receives the first part.
    ///
    /// See
    /// [`ncclReduceScatter`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/colls.html#ncclreducescatter).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclReduceScatter")]
    pub fn reduce_scatter<T: Reducible>(
        &self,
        stream: &Stream,
        all: &DeviceMemory<impl Storage, T>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.make(self.prepare_reduce_scatter(stream, all, part, reduction))
    }

    /// Performs [`reduce_scatter`](Self::reduce_scatter) with the result in this rank's place in
    /// `all`. The rest of `all` is undefined afterwards.
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives), and [`Error::Value`] if the
    /// length of `all` is not a multiple of the number of ranks.
    #[doc(alias = "ncclReduceScatter")]
    pub fn reduce_scatter_in_place<T: Reducible>(
        &self,
        stream: &Stream,
        all: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.make(self.prepare_reduce_scatter_in_place(stream, all, reduction))
    }

    /// Sends a different part to each rank: part j of rank i's `from` becomes part i of rank j's
    /// `to`.
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives), and [`Error::Value`] if the
    /// lengths differ or are not a multiple of the number of ranks.
    #[doc(alias = "ncclAlltoAll")]
    pub fn all_to_all<T: PlainData>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        let part = from.len() / self.0.size;
        let places = [from.as_device_ptr(), to.as_device_ptr()];
        let owners = [from.owner(), to.owner()];
        let call = self
            .parts(part, from.len())
            .and_then(|()| self.parts(part, to.len()))
            .and_then(|()| self.prepare_parts::<T>(stream, Kind::AllToAll, places, part, 0, owners))
            .map_err(|error| self.report(error))?;
        if self.0.library.functions().ncclAlltoAll.is_some() {
            return call.run();
        }
        self.compare(&call.call, stream)?;
        let mut group = Group::compared();
        for rank in 0..self.0.size {
            let at = offset::<T>(rank * part);
            group.push(self.prepare_send(
                stream,
                places[0] + at,
                part,
                owners[0],
                rank,
                None::<T>,
            )?);
            group.push(self.prepare_receive(
                stream,
                places[1] + at,
                part,
                owners[1],
                rank,
                None::<T>,
            )?);
        }
        group.run()
    }

    /// Copies the `part` of each rank to `all` on rank `root`, in the order of ranks. Only the root
    /// passes `all`.
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives), and [`Error::Value`] if the
    /// root passes no `all` or another rank passes one.
    #[doc(alias = "ncclGather")]
    pub fn gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: Option<DeviceViewMut<'_, T>>,
        root: usize,
    ) -> Result<()> {
        let len = part.len();
        let (to, owner) = match &all {
            Some(all) => (all.as_device_ptr(), all.owner()),
            None => (0, part.owner()),
        };
        let from = part.as_device_ptr();
        let owners = [part.owner(), owner];
        let call = self
            .only_root("gather", all.as_ref().map(|all| all.len()), len, root)
            .and_then(|()| {
                self.prepare_parts::<T>(stream, Kind::Gather, [from, to], len, root, owners)
            })
            .map_err(|error| self.report(error))?;
        if self.0.library.functions().ncclGather.is_some() {
            return call.run();
        }
        self.compare(&call.call, stream)?;
        let mut group = Group::compared();
        group.push(self.prepare_send(stream, from, len, owners[0], root, None::<T>)?);
        if all.is_some() {
            for rank in 0..self.0.size {
                let at = to + offset::<T>(rank * len);
                group.push(self.prepare_receive(stream, at, len, owner, rank, None::<T>)?);
            }
        }
        group.run()
    }

    /// Divides `all` of rank `root` into equal parts, and copies one to each rank's `part`. Rank 0
    /// receives the first part. Only the root passes `all`.
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives), and [`Error::Value`] if the
    /// root passes no `all` or another rank passes one.
    #[doc(alias = "ncclScatter")]
    pub fn scatter<T: PlainData>(
        &self,
        stream: &Stream,
        all: Option<DeviceView<'_, T>>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        let len = part.len();
        let (from, owner) = match &all {
            Some(all) => (all.as_device_ptr(), all.owner()),
            None => (0, part.owner()),
        };
        let to = part.as_device_ptr();
        let owners = [owner, part.owner()];
        let call = self
            .only_root("scatter", all.as_ref().map(|all| all.len()), len, root)
            .and_then(|()| {
                self.prepare_parts::<T>(stream, Kind::Scatter, [from, to], len, root, owners)
            })
            .map_err(|error| self.report(error))?;
        if self.0.library.functions().ncclScatter.is_some() {
            return call.run();
        }
        self.compare(&call.call, stream)?;
        let mut group = Group::compared();
        if all.is_some() {
            for rank in 0..self.0.size {
                let at = from + offset::<T>(rank * len);
                group.push(self.prepare_send(stream, at, len, owner, rank, None::<T>)?);
            }
        }
        group.push(self.prepare_receive(stream, to, len, owners[1], root, None::<T>)?);
        group.run()
    }

    /// Sends `data` to one rank, which must [receive](Self::receive) the same number of elements
    /// from this rank. Only these two ranks make the call.
    ///
    /// The device waits for the other rank. Two ranks that send to each other must do so in a
    /// [`Group`] or with [`exchange`](Self::exchange).
    ///
    /// See
    /// [`ncclSend`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/p2p.html#ncclsend).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclSend")]
    pub fn send<T: PlainData>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
        to: usize,
    ) -> Result<()> {
        let (ptr, len) = (data.as_device_ptr(), data.len());
        self.prepare_send(stream, ptr, len, data.owner(), to, None::<T>)
            .map_err(|error| self.report_to_partner(to, error))?
            .run()
    }

    /// Receives the data that one rank [sends](Self::send) to this rank, and writes it to `data`.
    /// The lengths must be equal.
    ///
    /// See
    /// [`ncclRecv`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/p2p.html#ncclrecv).
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclRecv")]
    pub fn receive<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        from: usize,
    ) -> Result<()> {
        let (ptr, len) = (data.as_device_ptr(), data.len());
        self.prepare_receive(stream, ptr, len, data.owner(), from, None::<T>)
            .map_err(|error| self.report_to_partner(from, error))?
            .run()
    }

    /// Sends to some ranks and receives from some, all at once. All ranks make this call.
    ///
    /// For each pair of ranks, the receiver must list the same transfers as the sender, in the same
    /// order and with the same lengths. The lists may be empty, and may differ between ranks.
    ///
    /// # Errors
    /// Returns the [errors of all collectives](#errors-of-collectives).
    #[doc(alias = "ncclSend")]
    #[doc(alias = "ncclRecv")]
    pub fn exchange<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()> {
        let mut group = Group::compared();
        let prepared = sends
            .iter()
            .map(|(to, view)| {
                let (ptr, len) = (view.as_device_ptr(), view.len());
                self.prepare_send(stream, ptr, len, view.owner(), *to, None::<T>)
            })
            .chain(receives.iter().map(|(from, view)| {
                let (ptr, len) = (view.as_device_ptr(), view.len());
                self.prepare_receive(stream, ptr, len, view.owner(), *from, None::<T>)
            }));
        for call in prepared {
            group.push(call.map_err(|error| self.report(error))?);
        }
        if self.0.options.verify {
            self.compare(&bytes::<T>(Kind::Exchange, [0; 2], 0, 0), stream)?;
            self.compare_exchange(&group)?;
        }
        group.run()
    }

    /// Reports to the other ranks that this rank cannot make the next collective, and why. They
    /// return an error instead of waiting. The reason is cut off after 96 bytes. Ranks whose calls
    /// are [not compared](super::CommunicatorOptions::unverified) receive no report.
    pub fn report_error(&self, why: &str) {
        let _ = self.report(Error::Value(why.to_owned()));
    }

    /// Makes the prepared call, or reports its error.
    #[inline]
    fn make(&self, prepared: Result<Pending<'_>>) -> Result<()> {
        match prepared {
            Ok(call) => call.run(),
            Err(error) => Err(self.report(error)),
        }
    }

    /// Compares the call with those of the other ranks, if the options require it.
    pub(super) fn compare(&self, call: &Call, stream: &Stream) -> Result<()> {
        if !self.0.options.verify {
            return Ok(());
        }
        expect_uncaptured(stream).map_err(|error| self.report(error))?;
        agree(&[(&*self.0, Ok(&[call]))])
    }

    /// Reports an error of this rank to the other ranks, if they compare calls, and returns it. The
    /// others then return an error instead of waiting for this rank.
    #[cold]
    pub(super) fn report(&self, error: Error) -> Error {
        if self.0.options.verify {
            let _ = agree(&[(&*self.0, Err(&error))]);
        }
        error
    }

    /// Returns an error on all ranks unless each rank receives what the others send to it.
    fn compare_exchange(&self, group: &Group<'_>) -> Result<()> {
        let size = self.0.size;
        // For each rank, the sends to it and the receives from it.
        let mut words = Vec::with_capacity(2 * Record::WORDS * size);
        for rank in 0..size {
            for kind in [Kind::Send, Kind::Receive] {
                let calls = group.calls.iter().map(|pending| pending.call);
                let calls = calls.filter(|call| call.kind == kind && call.root as usize == rank);
                words.extend(Record::of_all(calls.map(|call| call.record())).words());
            }
        }
        let all = gather_words(&[(&*self.0, &words)])?.swap_remove(0);
        let (lists, _) = all.as_chunks::<{ Record::WORDS }>();
        for from in 0..size {
            for to in 0..size {
                let sent = &lists[(from * size + to) * 2];
                let received = &lists[(to * size + from) * 2 + 1];
                compare_transfers([from, to], sent, received, format_args!(""))
                    .map_err(Error::Value)?;
            }
        }
        Ok(())
    }

    /// Returns an error unless only the root passes a buffer for all parts, and that buffer has the
    /// right length.
    fn only_root(&self, call: &str, all: Option<usize>, part: usize, root: usize) -> Result<()> {
        let has = all.is_some();
        if has == (self.0.rank == root) {
            return all.map_or(Ok(()), |all| self.parts(part, all));
        }
        Err(Error::Value(format!(
            "{call}: {} passes {} for all parts, but only the root, rank {root}, must pass one",
            self.0.who(),
            if has { "a buffer" } else { "no buffer" }
        )))
    }
}

fn offset<T>(elements: usize) -> u64 {
    (elements * size_of::<T>()) as u64
}
