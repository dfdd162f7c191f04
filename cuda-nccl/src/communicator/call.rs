//! One call with checked arguments, to be made alone or in a group.

use std::ffi::{c_int, c_void};

use cuda_safe::{Owner, Stream, sys::CUdeviceptr};

use super::{Communicator, agree::expect_uncaptured, numbers, partners};
use crate::{element::Reduction, error::Result, sys};

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

    /// Returns the name of the method for the number that ranks compare.
    pub(super) fn method(number: u64) -> &'static str {
        usize::try_from(number)
            .ok()
            .and_then(|number| Self::ALL.get(number))
            .map_or("an unknown call", |(_, _, method)| method)
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
    /// Number of the element type, and number of elements, from the user's point of view.
    pub(super) element: u64,
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

    /// Returns the number of bytes transferred.
    pub(super) fn bytes(&self) -> usize {
        self.count * super::numbers::size(self.carrier)
    }

    /// Returns the words that ranks compare.
    #[inline]
    pub(super) fn words(&self) -> [u64; 5] {
        [
            self.kind as u64,
            self.element,
            self.len as u64,
            // User-defined operations have meaningless numbers.
            u64::from(self.op.0.min(sys::ncclRedOp_t::ncclNumOps.0)),
            self.root as u64,
        ]
    }

    /// The [words](Self::words) of a rank that makes no call.
    pub(super) const NOTHING: [u64; 5] = [u64::MAX; 5];

    /// Describes `words` in a message.
    pub(super) fn describe(words: &[u64]) -> String {
        let &[kind, element, len, op, root, ..] = words else {
            return "nothing".into();
        };
        if words[..5] == Self::NOTHING {
            return "no call, because it has an error".into();
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

    #[test]
    fn table_is_in_the_order_of_kinds() {
        for (number, (kind, name, method)) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(
                (kind as usize, kind.name(), Kind::method(number as u64)),
                (number, name, method)
            );
        }
        assert_eq!(Kind::method(99), "an unknown call");
    }

    #[test]
    fn descriptions_name_method_type_and_root() {
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
        assert!(Call::describe(&words).starts_with("no call, because"));
    }
    #[test]
    fn bytes_are_those_of_the_transfer_type() {
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
    fn descriptions_name_operations_and_roots_if_present() {
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
            "no call, because it has an error"
        );
    }
}
