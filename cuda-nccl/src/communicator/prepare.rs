//! Converts users' arguments to a call, with all checks that this rank can make on its own.

use std::ffi::c_int;

use cuda_safe::{
    DeviceMemory, Owner, PlainData, Stream,
    memory::{Storage, StorageMut},
    sys::CUdeviceptr,
};

use super::{
    Communicator,
    call::{Call, Kind, bytes, numbers},
    pending::Pending,
};
use crate::{
    collectives::expect_context,
    element::{Reducible, Reduction},
    error::{Error, Result},
};

impl Communicator {
    /// Returns an error unless the stream and the memory belong to this rank's context.
    #[inline]
    pub(super) fn expect_own(&self, stream: &Stream, owners: &[Owner<'_>]) -> Result<()> {
        expect_context(self.0.rank, &self.0.context, stream, owners.iter().copied())
    }

    /// Returns a rank's number in NCCL's form.
    #[inline]
    pub(super) fn peer(&self, rank: usize) -> Result<c_int> {
        if rank < self.0.size {
            return Ok(rank as c_int);
        }
        Err(Error::Value(format!(
            "{}: there is no rank {rank}: the group has ranks 0 to {}",
            self.0.who(),
            self.0.size - 1
        )))
    }

    /// Returns an error unless `all` is `part` times the number of ranks.
    #[inline]
    pub(super) fn parts(&self, part: usize, all: usize) -> Result<()> {
        if part.checked_mul(self.0.size) == Some(all) {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{}: the buffer for all ranks has {all} elements, but must have {} times {part}",
            self.0.who(),
            self.0.size
        )))
    }

    pub(super) fn prepare_all_reduce<'a, T: Reducible>(
        &'a self,
        stream: &'a Stream,
        data: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<Pending<'a>> {
        let (ptr, len) = (data.as_device_ptr(), data.len());
        self.pending(
            stream,
            [data.owner(); 2],
            numbers::<T>(Kind::AllReduce, [ptr; 2], len, reduction, 0),
        )
    }

    pub(super) fn prepare_all_reduce_into<'a, T: Reducible>(
        &'a self,
        stream: &'a Stream,
        from: &'a DeviceMemory<impl Storage, T>,
        to: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<Pending<'a>> {
        if from.len() != to.len() {
            return Err(Error::Value(format!(
                "all_reduce_into: `from` has {} elements and `to` {}: both must have the same length",
                from.len(),
                to.len()
            )));
        }
        let places = [from.as_device_ptr(), to.as_device_ptr()];
        let call = numbers::<T>(Kind::AllReduce, places, from.len(), reduction, 0);
        self.pending(stream, [from.owner(), to.owner()], call)
    }

    pub(super) fn prepare_reduce<'a, T: Reducible>(
        &'a self,
        stream: &'a Stream,
        data: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
        root: usize,
    ) -> Result<Pending<'a>> {
        let (ptr, len, root) = (data.as_device_ptr(), data.len(), self.peer(root)?);
        self.pending(
            stream,
            [data.owner(); 2],
            numbers::<T>(Kind::Reduce, [ptr; 2], len, reduction, root),
        )
    }

    pub(super) fn prepare_broadcast<'a, T: PlainData>(
        &'a self,
        stream: &'a Stream,
        data: &'a mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<Pending<'a>> {
        let (ptr, len, root) = (data.as_device_ptr(), data.len(), self.peer(root)?);
        self.pending(
            stream,
            [data.owner(); 2],
            bytes::<T>(Kind::Broadcast, [ptr; 2], len, root),
        )
    }

    pub(super) fn prepare_all_gather<'a, T: PlainData>(
        &'a self,
        stream: &'a Stream,
        part: &'a DeviceMemory<impl Storage, T>,
        all: &'a mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<Pending<'a>> {
        self.parts(part.len(), all.len())?;
        let places = [part.as_device_ptr(), all.as_device_ptr()];
        let call = bytes::<T>(Kind::AllGather, places, part.len(), 0);
        self.pending(stream, [part.owner(), all.owner()], call)
    }

    pub(super) fn prepare_all_gather_in_place<'a, T: PlainData>(
        &'a self,
        stream: &'a Stream,
        all: &'a mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<Pending<'a>> {
        let (len, own) = self.own_part(all.as_device_ptr(), all.len(), size_of::<T>())?;
        let call = bytes::<T>(Kind::AllGather, [own, all.as_device_ptr()], len, 0);
        self.pending(stream, [all.owner(); 2], call)
    }

    pub(super) fn prepare_reduce_scatter<'a, T: Reducible>(
        &'a self,
        stream: &'a Stream,
        all: &'a DeviceMemory<impl Storage, T>,
        part: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<Pending<'a>> {
        self.parts(part.len(), all.len())?;
        let places = [all.as_device_ptr(), part.as_device_ptr()];
        let call = numbers::<T>(Kind::ReduceScatter, places, part.len(), reduction, 0);
        self.pending(stream, [all.owner(), part.owner()], call)
    }

    pub(super) fn prepare_reduce_scatter_in_place<'a, T: Reducible>(
        &'a self,
        stream: &'a Stream,
        all: &'a mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<Pending<'a>> {
        let (len, own) = self.own_part(all.as_device_ptr(), all.len(), size_of::<T>())?;
        let places = [all.as_device_ptr(), own];
        let call = numbers::<T>(Kind::ReduceScatter, places, len, reduction, 0);
        self.pending(stream, [all.owner(); 2], call)
    }

    /// Prepares an all-to-all, a gather or a scatter. `len` is the length of a part. An unused
    /// place is 0.
    pub(super) fn prepare_parts<'a, T: PlainData>(
        &'a self,
        stream: &'a Stream,
        kind: Kind,
        places: [CUdeviceptr; 2],
        len: usize,
        root: usize,
        owners: [Owner<'a>; 2],
    ) -> Result<Pending<'a>> {
        let root = self.peer(root)?;
        self.pending(stream, owners, bytes::<T>(kind, places, len, root))
    }

    /// The last argument only provides the type, so that callers need not name the type of the
    /// memory.
    pub(super) fn prepare_send<'a, T: PlainData>(
        &'a self,
        stream: &'a Stream,
        ptr: CUdeviceptr,
        len: usize,
        owner: Owner<'a>,
        to: usize,
        _element: Option<T>,
    ) -> Result<Pending<'a>> {
        let to = self.peer(to)?;
        self.pending(
            stream,
            [owner; 2],
            bytes::<T>(Kind::Send, [ptr, 0], len, to),
        )
    }

    /// See [`prepare_send`](Self::prepare_send).
    pub(super) fn prepare_receive<'a, T: PlainData>(
        &'a self,
        stream: &'a Stream,
        ptr: CUdeviceptr,
        len: usize,
        owner: Owner<'a>,
        from: usize,
        _element: Option<T>,
    ) -> Result<Pending<'a>> {
        let from = self.peer(from)?;
        self.pending(
            stream,
            [owner; 2],
            bytes::<T>(Kind::Receive, [0, ptr], len, from),
        )
    }

    /// Returns the length of a part of `all`, and the address of this rank's part.
    fn own_part(&self, all: CUdeviceptr, len: usize, size: usize) -> Result<(usize, CUdeviceptr)> {
        let part = len / self.0.size;
        self.parts(part, len)?;
        Ok((part, all + (self.0.rank * part * size) as CUdeviceptr))
    }

    #[inline]
    fn pending<'a>(
        &'a self,
        stream: &'a Stream,
        owners: [Owner<'a>; 2],
        call: Call,
    ) -> Result<Pending<'a>> {
        self.expect_own(stream, &owners)?;
        Ok(Pending {
            communicator: self,
            stream,
            owners,
            call,
        })
    }
}
