//! What all ranks do together.

use cuda_safe::{
    DeviceMemory, DeviceView, DeviceViewMut, PlainData, Stream,
    memory::{Storage, StorageMut},
};

use super::{
    Communicator,
    agree::{agree, digest, expect_uncaptured, gather_words},
    call::{Call, Kind, Pending},
    current::enter,
    group::Group,
    prepare::bytes,
};
use crate::{
    element::{Reducible, Reduction},
    error::{Error, Result},
    sys,
};

/// Collectives: **every rank makes the same calls in the same order**, with the same lengths, element types, reductions and
/// roots. They enqueue on a stream of this rank's context and return; memory of other streams is ordered with it. The first
/// call of a kind may wait for the other ranks on the host.
///
/// # Errors
/// All of them: [`Error::Value`] for streams or memory of another context, lengths that don't fit, and ranks that there are not,
/// and, unless they are [unverified](super::CommunicatorOptions::unverified), where the ranks make different calls; nothing is enqueued then.
/// [`Error::Lost`] where the communicator has ended. What NCCL says.
impl Communicator {
    /// Each rank has the reduction of all ranks' `data` in its place.
    ///
    /// # Errors
    /// As all collectives.
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

    /// As [`all_reduce`](Self::all_reduce), of `from`, which stays, into `to`, which is as long.
    ///
    /// # Errors
    /// As all collectives.
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

    /// Each rank has the sum of all ranks' `data` in its place, each multiplied by its rank's `factor` before: a mean with
    /// weights, for instance.
    ///
    /// # Errors
    /// As all collectives.
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
                // SAFETY: the factor is of the type that the call carries.
                pending.call.op = unsafe { self.scaled_sum(&mut factor, pending.call.carrier)? };
                Ok(pending)
            });
        let pending = prepared.map_err(|error| self.told(error))?;
        let op = pending.call.op;
        let enqueued = pending.run();
        let mut work = inner.lock();
        if let (Ok(comm), Some(destroy)) = (
            inner.usable(&mut work),
            inner.library.functions().ncclRedOpDestroy,
        ) {
            // SAFETY: made above, and not used any more: the call that was given it has returned.
            let _ = unsafe { destroy(op, comm) };
        }
        enqueued
    }

    /// Makes the operation that multiplies by `factor` before it sums. NCCL reads the factor at once.
    ///
    /// # Safety
    /// The factor is of the type `of`.
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
        // SAFETY: a factor of the type `of`, which is read before the call returns; `op` is valid for the write.
        let result = unsafe { create(&mut op, (&raw mut *factor).cast(), of, now, comm) };
        if result != sys::ncclResult_t::ncclSuccess {
            inner.after("ncclRedOpCreatePreMulSum", result, &mut work)?;
        }
        Ok(op)
    }

    /// Rank `root` has the reduction of all ranks' `data` in its place. That of the others stays as it is.
    ///
    /// # Errors
    /// As all collectives.
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

    /// All ranks have the `data` of rank `root`.
    ///
    /// # Errors
    /// As all collectives.
    #[doc(alias = "ncclBroadcast")]
    pub fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()> {
        self.make(self.prepare_broadcast(stream, data, root))
    }

    /// All ranks have the `part` of each rank, one behind the other in the order of ranks. `all` is as long as all parts.
    ///
    /// # Errors
    /// As all collectives.
    #[doc(alias = "ncclAllGather")]
    pub fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.make(self.prepare_all_gather(stream, part, all))
    }

    /// As [`all_gather`](Self::all_gather), where this rank's part is in its place in `all` already.
    ///
    /// # Errors
    /// As all collectives; a length that ranks can't share.
    #[doc(alias = "ncclAllGather")]
    pub fn all_gather_in_place<T: PlainData>(
        &self,
        stream: &Stream,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()> {
        self.make(self.prepare_all_gather_in_place(stream, all))
    }

    /// Each rank has its part of the reduction of all ranks' `all`: rank 0 the first.
    ///
    /// # Errors
    /// As all collectives.
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

    /// As [`reduce_scatter`](Self::reduce_scatter), into this rank's place in `all`. The rest of it is left undefined.
    ///
    /// # Errors
    /// As all collectives; a length that ranks can't share.
    #[doc(alias = "ncclReduceScatter")]
    pub fn reduce_scatter_in_place<T: Reducible>(
        &self,
        stream: &Stream,
        all: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()> {
        self.make(self.prepare_reduce_scatter_in_place(stream, all, reduction))
    }

    /// Part j of rank i's `from` becomes part i of rank j's `to`.
    ///
    /// # Errors
    /// As all collectives; lengths that ranks can't share.
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
            .map_err(|error| self.told(error))?;
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

    /// Rank `root` has the `part` of each rank in `all`, in the order of ranks. The other ranks have no `all`.
    ///
    /// # Errors
    /// As all collectives; a root without `all`, and another rank with it.
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
            .map_err(|error| self.told(error))?;
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

    /// Each rank has its part of rank `root`'s `all`: rank 0 the first. The other ranks have no `all`.
    ///
    /// # Errors
    /// As all collectives; a root without `all`, and another rank with it.
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
            .map_err(|error| self.told(error))?;
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

    /// Sends `data` to one rank, which [receives](Self::receive) as much from this one. Only these two ranks call. The device
    /// waits for the other: two ranks that send to each other do it in a [`Group`], or by [`exchange`](Self::exchange).
    ///
    /// # Errors
    /// As all collectives.
    #[doc(alias = "ncclSend")]
    pub fn send<T: PlainData>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
        to: usize,
    ) -> Result<()> {
        let (ptr, len) = (data.as_device_ptr(), data.len());
        self.prepare_send(stream, ptr, len, data.owner(), to, None::<T>)
            .map_err(|error| self.told_partner(to, error))?
            .run()
    }

    /// Receives what one rank [sends](Self::send) to this one, as much as `data` has room for.
    ///
    /// # Errors
    /// As all collectives.
    #[doc(alias = "ncclRecv")]
    pub fn receive<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        from: usize,
    ) -> Result<()> {
        let (ptr, len) = (data.as_device_ptr(), data.len());
        self.prepare_receive(stream, ptr, len, data.owner(), from, None::<T>)
            .map_err(|error| self.told_partner(from, error))?
            .run()
    }

    /// Sends to some ranks and receives from some, all at once: what one rank sends to another, that one receives from it, in
    /// the same order and of the same lengths. All ranks call; the lists may be empty, and may differ.
    ///
    /// # Errors
    /// As all collectives.
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
            group.push(call.map_err(|error| self.told(error))?);
        }
        if self.0.options.verify {
            self.compare(&bytes::<T>(Kind::Exchange, [0; 2], 0, 0), stream)?;
            let sends: Vec<_> = sends
                .iter()
                .map(|(rank, view)| (*rank, view.len()))
                .collect();
            let receives: Vec<_> = receives
                .iter()
                .map(|(rank, view)| (*rank, view.len()))
                .collect();
            self.compare_exchange(&sends, &receives)?;
        }
        group.run()
    }

    /// Tells the other ranks that this one can't make the collective that they are about to make: they have an error instead of
    /// waiting for it. The reason stays here. Ranks whose calls are
    /// [not compared](super::CommunicatorOptions::unverified) are told nothing.
    pub fn refuse(&self, why: &str) {
        let _ = self.told(Error::Value(why.to_owned()));
    }

    /// Makes the call, if it can be made.
    #[inline]
    fn make(&self, prepared: Result<Pending<'_>>) -> Result<()> {
        match prepared {
            Ok(call) => call.run(),
            Err(error) => Err(self.told(error)),
        }
    }

    /// Compares the call with those of the other ranks, where the options say so.
    pub(super) fn compare(&self, call: &Call, stream: &Stream) -> Result<()> {
        if !self.0.options.verify {
            return Ok(());
        }
        expect_uncaptured(stream).map_err(|error| self.told(error))?;
        agree(&[(&*self.0, &[call])])
    }

    /// The error of a call that this rank can't make. The others are told, where they are about to compare theirs: they have
    /// an error too, instead of waiting for this rank.
    #[cold]
    pub(super) fn told(&self, error: Error) -> Error {
        if self.0.options.verify {
            let _ = agree(&[(&*self.0, &[])]);
        }
        error
    }

    /// An error on all ranks unless each receives what the others send.
    fn compare_exchange(
        &self,
        sends: &[(usize, usize)],
        receives: &[(usize, usize)],
    ) -> Result<()> {
        let size = self.0.size;
        // For each rank: how much, and which lengths in which order; sent to it and received from it.
        let mut words = Vec::with_capacity(4 * size);
        for rank in 0..size {
            for list in [sends, receives] {
                let lengths = || {
                    list.iter()
                        .filter(|(other, _)| *other == rank)
                        .map(|(_, len)| *len as u64)
                };
                words.push(lengths().sum());
                words.push(digest(lengths()));
            }
        }
        let all = gather_words(&[(&*self.0, &words)])?.swap_remove(0);
        for from in 0..size {
            for to in 0..size {
                let sent = &all[(from * size + to) * 4..][..2];
                let received = &all[(to * size + from) * 4..][2..4];
                if sent != received {
                    return Err(Error::Value(format!(
                        "exchange: rank {from} sends {} elements to rank {to}, which receives {} from it{}. Nothing was enqueued",
                        sent[0],
                        received[0],
                        if sent[0] == received[0] {
                            ", in other pieces"
                        } else {
                            ""
                        }
                    )));
                }
            }
        }
        Ok(())
    }

    /// An error unless the root alone has memory for all parts, of so many elements.
    fn only_root(&self, call: &str, all: Option<usize>, part: usize, root: usize) -> Result<()> {
        let has = all.is_some();
        if has == (self.0.rank == root) {
            return all.map_or(Ok(()), |all| self.parts(part, all));
        }
        Err(Error::Value(format!(
            "{call}: {} {} memory for all parts, and rank {root} is the root: only that one has it",
            self.0.who(),
            if has { "has" } else { "has no" }
        )))
    }
}

fn offset<T>(elements: usize) -> u64 {
    (elements * size_of::<T>()) as u64
}
