//! The messages that ranks exchange at a rendezvous.

use std::fmt;

use cuda_safe::Event;

use crate::{
    element::Reduction,
    error::{Error, Result},
};

/// A rank's message at a rendezvous.
#[derive(Clone, Debug)]
pub(super) enum Offer {
    /// The beginning of a call.
    Call(Call),
    /// The rank cannot make the call, for this reason. Nothing was enqueued. The event is
    /// [`Call::before`].
    Refused(String, Option<Event>),
    /// The middle or the end of a call. The event is reached when the rank's enqueued work is done.
    Done(Event),
    /// A part of the call failed. The rank's enqueued work has ended.
    Failed(String),
}

/// A rank's part in a call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) signature: Signature,
    /// Address that the others read: this rank's array or its outbox.
    pub(super) address: u64,
    /// Reached when the others may read there.
    pub(super) ready: Option<Event>,
    /// Reached when this rank has finished the reads of its previous call.
    pub(super) before: Option<Event>,
    /// Target rank, address and number of elements.
    pub(super) sends: Vec<(usize, u64, usize)>,
    /// Source rank and number of elements.
    pub(super) receives: Vec<(usize, usize)>,
    /// Values in host memory.
    pub(super) bytes: Vec<u8>,
}

/// The properties of a call that must be equal on all ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) element: &'static str,
    pub(super) element_bytes: usize,
    /// `None` if ranks may differ.
    pub(super) len: Option<usize>,
    pub(super) reduction: Option<Reduction>,
    pub(super) root: Option<usize>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of ", self.name)?;
        if let Some(len) = self.len {
            write!(f, "{len} ")?;
        }
        f.write_str(self.element)?;
        if let Some(reduction) = self.reduction {
            write!(f, " ({reduction})")?;
        }
        match self.root {
            Some(root) => write!(f, " from rank {root}"),
            None => Ok(()),
        }
    }
}

/// Returns the calls of all ranks if they match. The result is the same on every rank.
pub(super) fn agreed(offers: &[Offer]) -> Result<Vec<&Call>> {
    let mut calls = Vec::with_capacity(offers.len());
    for (rank, offer) in offers.iter().enumerate() {
        match offer {
            Offer::Call(call) => calls.push(call),
            Offer::Refused(why, _) | Offer::Failed(why) => {
                return Err(Error::Value(format!("rank {rank} can't take part: {why}")));
            }
            // No code path sends this to the first rendezvous of a call.
            Offer::Done(_) => {
                return Err(Error::Lost(format!("rank {rank} makes a different call")));
            }
        }
    }
    let first = &calls[0].signature;
    if let Some(rank) = calls.iter().position(|call| call.signature != *first) {
        return Err(Error::Value(format!(
            "rank {rank} calls {}, but rank 0 calls {first}: all ranks must make the same calls",
            calls[rank].signature
        )));
    }
    for (from, sender) in calls.iter().enumerate() {
        for (to, receiver) in calls.iter().enumerate() {
            let sent: Vec<usize> = sender.sent_to(to).map(|(_, len)| len).collect();
            let lengths = receiver.receives.iter().filter(|(rank, _)| *rank == from);
            let received: Vec<usize> = lengths.map(|&(_, len)| len).collect();
            if sent != received {
                return Err(Error::Value(format!(
                    "rank {from} sends {} to rank {to}, which receives {} from it",
                    listed(&sent),
                    listed(&received)
                )));
            }
        }
    }
    Ok(calls)
}

fn listed(lengths: &[usize]) -> String {
    match lengths {
        [] => "nothing".into(),
        lengths => format!("{lengths:?} elements"),
    }
}

impl Call {
    /// Returns address and length of the data sent to a rank, in order.
    pub(super) fn sent_to(&self, rank: usize) -> impl Iterator<Item = (u64, usize)> + '_ {
        let to = self.sends.iter().filter(move |(to, ..)| *to == rank);
        to.map(|&(_, address, len)| (address, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(len: usize, sends: &[(usize, usize)], receives: &[(usize, usize)]) -> Offer {
        Offer::Call(Call {
            signature: Signature {
                name: "all_reduce",
                element: "f32",
                element_bytes: 4,
                len: Some(len),
                reduction: Some(Reduction::Sum),
                root: None,
            },
            address: 0,
            ready: None,
            before: None,
            sends: sends.iter().map(|&(to, len)| (to, 0, len)).collect(),
            receives: receives.to_vec(),
            bytes: Vec::new(),
        })
    }

    fn rejected(offers: &[Offer]) -> String {
        agreed(offers).unwrap_err().to_string()
    }

    #[test]
    fn differing_rank_is_named() {
        let same = || call(4, &[], &[]);
        assert_eq!(agreed(&[same(), same(), same()]).unwrap().len(), 3);
        assert_eq!(
            rejected(&[same(), same(), call(5, &[], &[])]),
            "rank 2 calls all_reduce of 5 f32 (sum), but rank 0 calls all_reduce of 4 f32 (sum): all ranks must make the \
             same calls"
        );
        let text = rejected(&[same(), Offer::Refused("no memory".into(), None)]);
        assert_eq!(text, "rank 1 can't take part: no memory");
    }

    #[test]
    fn sends_must_match_receives() {
        let pair = [
            call(4, &[(1, 3), (1, 4)], &[]),
            call(4, &[], &[(0, 3), (0, 4)]),
        ];
        assert!(agreed(&pair).is_ok());
        let pair = [
            call(4, &[(1, 3), (1, 4)], &[]),
            call(4, &[], &[(0, 4), (0, 3)]),
        ];
        assert_eq!(
            rejected(&pair),
            "rank 0 sends [3, 4] elements to rank 1, which receives [4, 3] elements from it"
        );
        let pair = [call(4, &[], &[(1, 2)]), call(4, &[], &[])];
        assert!(rejected(&pair).starts_with("rank 1 sends nothing to rank 0"));
    }
    #[test]
    fn each_difference_between_calls_is_found() {
        let with = |change: &dyn Fn(&mut Signature)| {
            let mut offer = call(4, &[], &[]);
            if let Offer::Call(call) = &mut offer {
                change(&mut call.signature);
            }
            rejected(&[call(4, &[], &[]), offer])
        };
        let start = |text: &str| {
            format!("rank 1 calls {text}, but rank 0 calls all_reduce of 4 f32 (sum): ")
        };
        for (text, change) in [
            (
                "broadcast of 4 f32 (sum)",
                &(|signature: &mut Signature| signature.name = "broadcast")
                    as &dyn Fn(&mut Signature),
            ),
            ("all_reduce of 4 u8 (sum)", &|signature| {
                signature.element = "u8"
            }),
            ("all_reduce of 4 f32 (sum)", &|signature| {
                signature.element_bytes = 1
            }),
            ("all_reduce of f32 (sum)", &|signature| signature.len = None),
            ("all_reduce of 4 f32", &|signature| {
                signature.reduction = None
            }),
            ("all_reduce of 4 f32 (sum) from rank 2", &|signature| {
                signature.root = Some(2);
            }),
        ] {
            let error = with(change);
            assert!(error.starts_with(&start(text)), "{error}");
        }
    }

    #[test]
    fn offers_of_other_meetings_are_no_calls() {
        let failed = Offer::Failed("a fault".into());
        assert_eq!(
            rejected(&[call(4, &[], &[]), failed]),
            "rank 1 can't take part: a fault"
        );
    }

    #[test]
    fn what_goes_to_a_rank_is_listed_in_order() {
        let Offer::Call(call) = call(4, &[(1, 3), (0, 5), (1, 4)], &[]) else {
            panic!("no call");
        };
        let lengths = |rank| call.sent_to(rank).map(|(_, len)| len).collect::<Vec<_>>();
        assert_eq!(
            (lengths(0), lengths(1), lengths(2)),
            (vec![5], vec![3, 4], vec![])
        );
    }
}
