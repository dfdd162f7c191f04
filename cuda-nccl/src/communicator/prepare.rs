//! From what users pass to the arguments of a call, with all that this rank can check by itself.

use std::ffi::c_int;

use cuda_safe::{
    DeviceMemory, Owner, PlainData, Stream,
    memory::{Storage, StorageMut},
    sys::CUdeviceptr,
};

use super::{
    Communicator,
    call::{Call, Kind, Pending},
    numbers::{carrier, type_number},
};
use crate::{
    collectives::expect_context,
    element::{Reducible, Reduction},
    error::{Error, Result},
    sys,
};

const NO_OP: sys::ncclRedOp_t = sys::ncclRedOp_t::ncclSum;

impl Communicator {
    /// An error unless stream and memory are of this rank's context.
    #[inline]
    pub(super) fn here(&self, stream: &Stream, owners: &[Owner<'_>]) -> Result<()> {
        expect_context(self.0.rank, &self.0.context, stream, owners.iter().copied())
    }

    /// The number of a rank, as NCCL takes it.
    #[inline]
    pub(super) fn peer(&self, rank: usize) -> Result<c_int> {
        if rank < self.0.size {
            return Ok(rank as c_int);
        }
        Err(Error::Value(format!(
            "there is no rank {rank}: {} are {} ranks, which count from 0",
            self.0.who(),
            self.0.size
        )))
    }

    /// An error unless `all` has as many elements as one `part` for each rank.
    #[inline]
    pub(super) fn parts(&self, part: usize, all: usize) -> Result<()> {
        if part.checked_mul(self.0.size) == Some(all) {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{}: {part} elements for each of {} ranks are not {all}",
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
                "all_reduce_into: {} elements don't fit into {}",
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

    /// All-to-all, gather and scatter: `len` is that of a part; a place that is not used is 0.
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

    /// The type is that of the last argument, so that callers needn't name what they borrow.
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

    /// As [`prepare_send`](Self::prepare_send).
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

    /// The length of a part of `all`, and where this rank's is.
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
        self.here(stream, &owners)?;
        Ok(Pending {
            communicator: self,
            stream,
            owners,
            call,
        })
    }
}

/// A call that combines numbers.
#[inline]
fn numbers<T: Reducible>(
    kind: Kind,
    [from, to]: [CUdeviceptr; 2],
    len: usize,
    reduction: Reduction,
    root: c_int,
) -> Call {
    Call {
        kind,
        from,
        to,
        count: len,
        carrier: T::TYPE.raw(),
        op: reduction.raw(),
        root,
        element: u64::from(T::TYPE.raw().0),
        len,
    }
}

/// A call that carries data.
#[inline]
pub(super) fn bytes<T: PlainData>(
    kind: Kind,
    [from, to]: [CUdeviceptr; 2],
    len: usize,
    root: c_int,
) -> Call {
    let (carrier, each) = carrier::<T>();
    Call {
        kind,
        from,
        to,
        count: len * each,
        carrier,
        op: NO_OP,
        root,
        element: type_number::<T>(),
        len,
    }
}
