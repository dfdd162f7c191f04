//! One call with checked arguments, to be made alone or in a group.

use std::ffi::{c_int, c_void};

use cuda_safe::{Owner, Stream, sys::CUdeviceptr};

use super::{Communicator, agree::expect_uncaptured, partners};
use crate::{element::Reduction, error::Result, record::Record, sys};

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
    /// The beginning of [`Communicator::split`]. Used only to compare calls.
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

/// A prepared call and the objects it uses.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    pub(super) communicator: &'a Communicator,
    pub(super) stream: &'a Stream,
    pub(super) owners: [Owner<'a>; 2],
    pub(super) call: Call,
}

impl Pending<'_> {
    /// Makes the call, outside of a group.
    #[inline]
    pub(super) fn run(self) -> Result<()> {
        let inner = &*self.communicator.0;
        if self.call.kind.is_collective() {
            self.communicator.compare(&self.call, self.stream)?;
        } else if inner.options.verify {
            let partner = self.call.root as usize;
            expect_uncaptured(self.stream)
                .map_err(|error| self.communicator.report_to_partner(partner, error))?;
            partners::agree([(inner, &self.call)])?;
        }
        if self.call.count == 0 {
            return Ok(());
        }
        self.stream.ordered_with(self.owners, || {
            // SAFETY: the memory was borrowed with these lengths. The streams of its owners wait
            // for the enqueued work, and memory is freed in the order of those streams.
            unsafe { inner.enqueue(&self.call, self.stream) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{communicator::prepare::bytes, sys::ncclRedOp_t};

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
