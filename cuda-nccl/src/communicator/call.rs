//! One call: its arguments, how it is made, and its record.

use std::ffi::{c_int, c_void};

use cuda_safe::{PlainData, Stream, sys::CUdeviceptr};

use super::numbers::carrier;
use crate::{
    element::{Reducible, Reduction},
    record::Record,
    sys,
};

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    AllReduce,
    Reduce,
    Broadcast,
    AllGather,
    ReduceScatter,
    AllToAll,
    Gather,
    Scatter,
    Send,
    Receive,
    /// Sends and receives of all ranks at once. Used only to compare calls: the sends and receives
    /// are separate calls.
    Exchange,
    /// The beginning of [`Communicator::split`](super::Communicator::split). Used only to compare calls.
    Split,
}

impl Kind {
    const ALL: [(Self, &'static str, &'static str); 12] = [
        (Self::AllReduce, "ncclAllReduce", "all_reduce"),
        (Self::Reduce, "ncclReduce", "reduce"),
        (Self::Broadcast, "ncclBroadcast", "broadcast"),
        (Self::AllGather, "ncclAllGather", "all_gather"),
        (Self::ReduceScatter, "ncclReduceScatter", "reduce_scatter"),
        (Self::AllToAll, "ncclAlltoAll", "all_to_all"),
        (Self::Gather, "ncclGather", "gather"),
        (Self::Scatter, "ncclScatter", "scatter"),
        (Self::Send, "ncclSend", "send"),
        (Self::Receive, "ncclRecv", "receive"),
        (Self::Exchange, "ncclGroupEnd", "exchange"),
        (Self::Split, "ncclAllGather", "split"),
    ];

    /// Returns the name of NCCL's function.
    #[inline]
    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Returns the name of the method.
    pub(super) fn method(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Returns whether all ranks make this call.
    pub(super) fn is_collective(self) -> bool {
        !matches!(self, Self::Send | Self::Receive)
    }
}

const NO_OP: sys::ncclRedOp_t = sys::ncclRedOp_t::ncclSum;

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) kind: Kind,
    pub(super) from: CUdeviceptr,
    pub(super) to: CUdeviceptr,
    /// Number of elements of type `carrier`.
    pub(super) count: usize,
    pub(super) carrier: sys::ncclDataType_t,
    pub(super) op: sys::ncclRedOp_t,
    /// The root, or the partner of a send or receive.
    pub(super) root: c_int,
    /// Creates the record for the name of the call and its length.
    pub(super) record: fn(&'static str, usize) -> Record,
    /// The number of elements, from the user's point of view.
    pub(super) len: usize,
}

impl Call {
    /// Makes the call. Returns `None` if the library lacks the function.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the communicator and the stream are live;
    /// - the memory has at least the size in the call, stays alive, and is not used by other work
    ///   until the call's work is over.
    #[inline]
    pub(super) unsafe fn make(
        &self,
        functions: &sys::Functions,
        comm: sys::ncclComm_t,
        stream: &Stream,
    ) -> Option<sys::ncclResult_t> {
        let stream = stream.as_raw();
        let (from, to) = (self.from as *const c_void, self.to as *mut c_void);
        let (count, of, op, root) = (self.count, self.carrier, self.op, self.root);
        // SAFETY, for all: guaranteed by this function's caller.
        Some(match self.kind {
            // SAFETY: as above.
            Kind::AllReduce => unsafe {
                functions.ncclAllReduce?(from, to, count, of, op, comm, stream)
            },
            // SAFETY: as above.
            Kind::Reduce => unsafe {
                functions.ncclReduce?(from, to, count, of, op, root, comm, stream)
            },
            // SAFETY: as above.
            Kind::Broadcast => unsafe {
                functions.ncclBroadcast?(from, to, count, of, root, comm, stream)
            },
            // SAFETY: as above.
            Kind::AllGather => unsafe {
                functions.ncclAllGather?(from, to, count, of, comm, stream)
            },
            // SAFETY: as above.
            Kind::ReduceScatter => unsafe {
                functions.ncclReduceScatter?(from, to, count, of, op, comm, stream)
            },
            // SAFETY: as above.
            Kind::AllToAll => unsafe { functions.ncclAlltoAll?(from, to, count, of, comm, stream) },
            // SAFETY: as above.
            Kind::Gather => unsafe {
                functions.ncclGather?(from, to, count, of, root, comm, stream)
            },
            // SAFETY: as above.
            Kind::Scatter => unsafe {
                functions.ncclScatter?(from, to, count, of, root, comm, stream)
            },
            // SAFETY: as above.
            Kind::Send => unsafe { functions.ncclSend?(from, count, of, root, comm, stream) },
            // SAFETY: as above.
            Kind::Receive => unsafe { functions.ncclRecv?(to, count, of, root, comm, stream) },
            Kind::Exchange | Kind::Split => sys::ncclResult_t::ncclSuccess,
        })
    }

    /// Returns the record that ranks compare. A send and its receive have the same.
    pub(super) fn record(&self) -> Record {
        let (call, len) = (self.kind.method(), self.len);
        let record = (self.record)(call, len);
        match self.kind {
            Kind::Send | Kind::Receive => Record {
                call: "transfer",
                ..record
            },
            Kind::AllReduce | Kind::Reduce | Kind::ReduceScatter => {
                // User-defined operations have meaningless numbers.
                let reduction = Reduction::ALL.get(self.op.0 as usize);
                let reduction = reduction.map_or("sum with factors", |reduction| reduction.name());
                Record {
                    reduction,
                    root: self.root as usize,
                    ..record
                }
            }
            _ => Record {
                root: self.root as usize,
                ..record
            },
        }
    }
}

/// Creates a call that combines numbers.
#[inline]
pub(super) fn numbers<T: Reducible>(
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
        record: Record::new::<T>,
        len,
    }
}

/// Creates a call that transfers data.
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
        record: Record::new::<T>,
        len,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::ncclRedOp_t;

    #[test]
    fn table_is_in_the_order_of_kinds() {
        for (number, (kind, name, method)) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(
                (kind as usize, kind.name(), kind.method()),
                (number, name, method)
            );
        }
    }

    #[test]
    fn records_have_the_reduction_of_calls_that_reduce() {
        let reductions = [
            (ncclRedOp_t::ncclMax, "max"),
            (ncclRedOp_t(77), "sum with factors"),
        ];
        for ((op, reduction), (kind, _, method)) in reductions
            .into_iter()
            .flat_map(|one| Kind::ALL.map(|kind| (one, kind)))
        {
            let record = Call {
                op,
                ..bytes::<f32>(kind, [0; 2], 5, 3)
            }
            .record();
            assert_eq!((record.element, record.len), ("f32", 5));
            let is_pair = !kind.is_collective();
            let expected = if is_pair {
                ("transfer", 0)
            } else {
                (method, 3)
            };
            assert_eq!((record.call, record.root), expected);
            let reduces = ["all_reduce", "reduce", "reduce_scatter"].contains(&method);
            assert_eq!(record.reduction, if reduces { reduction } else { "" });
        }
    }
}
