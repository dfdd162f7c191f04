//! One call of a collective: its arguments, checked, before it is made alone or in a group.

use std::ffi::{c_int, c_void};

use cuda_safe::{Owner, Stream, sys::CUdeviceptr};

use super::{Communicator, agree::expect_uncaptured, numbers, partners};
use crate::{element::Reduction, error::Result, sys};

/// What is called.
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
    /// Sends and receives of all ranks at once. It is only compared; the calls are theirs.
    Exchange,
    /// As above: what [`Communicator::split`] begins with.
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

    /// NCCL's function.
    #[inline]
    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The method of the number that ranks compare.
    pub(super) fn method(number: u64) -> &'static str {
        usize::try_from(number)
            .ok()
            .and_then(|number| Self::ALL.get(number))
            .map_or("something else", |(_, _, method)| method)
    }

    /// Whether all ranks call it.
    pub(super) fn is_collective(self) -> bool {
        !matches!(self, Self::Send | Self::Receive)
    }
}

/// The arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) kind: Kind,
    pub(super) from: CUdeviceptr,
    pub(super) to: CUdeviceptr,
    /// Elements as NCCL counts them.
    pub(super) count: usize,
    pub(super) carrier: sys::ncclDataType_t,
    pub(super) op: sys::ncclRedOp_t,
    /// The root, or whom it is sent to or received from.
    pub(super) root: c_int,
    /// The element, and how many of them, as the user sees it.
    pub(super) element: u64,
    pub(super) len: usize,
}

impl Call {
    /// Makes the call. `None` where the library lacks it.
    ///
    /// # Safety
    /// The communicator and the stream are live, the memory is as large as the call says, and lives and is left alone until the
    /// work is over.
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
        // SAFETY, for all: as this function's contract says.
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

    /// How much is carried.
    pub(super) fn bytes(&self) -> usize {
        self.count * super::numbers::size(self.carrier)
    }

    /// What ranks compare.
    #[inline]
    pub(super) fn words(&self) -> [u64; 5] {
        [
            self.kind as u64,
            self.element,
            self.len as u64,
            // Operations of one's own have numbers that say nothing.
            u64::from(self.op.0.min(sys::ncclRedOp_t::ncclNumOps.0)),
            self.root as u64,
        ]
    }

    /// The [words](Self::words) of a rank that makes no call.
    pub(super) const NOTHING: [u64; 5] = [u64::MAX; 5];

    /// `words` for a person to read.
    pub(super) fn describe(words: &[u64]) -> String {
        let &[kind, element, len, op, root, ..] = words else {
            return "nothing".into();
        };
        if words[..5] == Self::NOTHING {
            return "nothing, since it has an error of its own".into();
        }
        let method = Kind::method(kind);
        if method == "split" {
            return method.into();
        }
        let mut text = format!("{method} of {len} {}", numbers::type_name(element));
        if matches!(method, "all_reduce" | "reduce" | "reduce_scatter") {
            text += &match Reduction::ALL.get(op as usize) {
                Some(reduction) => format!(" ({reduction})"),
                None => " (sum with factors)".to_owned(),
            };
        }
        if matches!(method, "reduce" | "broadcast" | "gather" | "scatter") {
            text += &format!(", root {root}");
        }
        text
    }
}

/// A call that is ready to be made, with what it uses.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    pub(super) communicator: &'a Communicator,
    pub(super) stream: &'a Stream,
    pub(super) owners: [Owner<'a>; 2],
    pub(super) call: Call,
}

impl Pending<'_> {
    /// Makes the call alone.
    #[inline]
    pub(super) fn run(self) -> Result<()> {
        let inner = &*self.communicator.0;
        if self.call.kind.is_collective() {
            self.communicator.compare(&self.call, self.stream)?;
        } else if inner.options.verify {
            let partner = self.call.root as usize;
            expect_uncaptured(self.stream)
                .map_err(|error| self.communicator.told_partner(partner, error))?;
            partners::agree([(inner, &self.call)])?;
        }
        if self.call.count == 0 {
            return Ok(());
        }
        self.stream.ordered_with(self.owners, || {
            // SAFETY: the memory was borrowed with these lengths; its owners' streams wait for what is enqueued, and memory is
            // freed in their order.
            unsafe { inner.enqueue(&self.call, self.stream) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lie_at_their_kind() {
        for (number, (kind, name, method)) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(
                (kind as usize, kind.name(), Kind::method(number as u64)),
                (number, name, method)
            );
        }
        assert_eq!(Kind::method(99), "something else");
    }

    #[test]
    fn calls_are_described() {
        assert_eq!(
            Call::describe(&[0, 7, 5, 0, 0]),
            "all_reduce of 5 f32 (sum)"
        );
        assert_eq!(
            Call::describe(&[2, 0x10c, 5, 0, 1]),
            "broadcast of 5 elements of 12 bytes, root 1"
        );
        assert_eq!(Call::describe(&[]), "nothing");
        let words = [&Call::NOTHING[..], &[0, 9, 3]].concat();
        assert!(Call::describe(&words).starts_with("nothing, since"));
    }
    #[test]
    fn bytes_are_counted_by_what_carries() {
        assert_eq!(
            crate::communicator::prepare::bytes::<u8>(Kind::Send, [0; 2], 3, 0).bytes(),
            3
        );
        assert_eq!(
            crate::communicator::prepare::bytes::<f32>(Kind::Send, [0; 2], 3, 0).bytes(),
            12
        );
        assert_eq!(
            crate::communicator::prepare::bytes::<f64>(Kind::Send, [0; 2], 3, 0).bytes(),
            24
        );
        assert_eq!(
            crate::communicator::prepare::bytes::<[u16; 3]>(Kind::Send, [0; 2], 3, 0).bytes(),
            18
        );
    }

    #[test]
    fn descriptions_name_operations_and_roots_where_there_are_any() {
        let methods = (0..12).map(|kind| Call::describe(&[kind, 7, 5, 2, 3]));
        assert_eq!(
            methods.collect::<Vec<_>>(),
            [
                "all_reduce of 5 f32 (max)",
                "reduce of 5 f32 (max), root 3",
                "broadcast of 5 f32, root 3",
                "all_gather of 5 f32",
                "reduce_scatter of 5 f32 (max)",
                "all_to_all of 5 f32",
                "gather of 5 f32, root 3",
                "scatter of 5 f32, root 3",
                "send of 5 f32",
                "receive of 5 f32",
                "exchange of 5 f32",
                "split",
            ]
        );
        assert_eq!(
            Call::describe(&[0, 7, 5, 5, 0]),
            "all_reduce of 5 f32 (sum with factors)"
        );
        assert_eq!(
            Call::describe(&Call::NOTHING),
            "nothing, since it has an error of its own"
        );
    }
}
