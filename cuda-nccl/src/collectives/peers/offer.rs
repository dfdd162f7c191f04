//! What ranks tell each other when they meet.

use std::fmt;

use cuda_safe::Event;

use crate::{
    element::Reduction,
    error::{Error, Result},
};

/// What a rank brings to a meeting.
#[derive(Clone, Debug)]
pub(super) enum Offer {
    /// At the beginning of a call.
    Call(Call),
    /// The call can't be made, and why. Nothing was enqueued. The event is as a call's.
    Refused(String, Option<Event>),
    /// In the middle and at the end of a call: reached when what the rank has enqueued is done.
    Done(Event),
    /// A part of the call failed. What the rank had enqueued is over.
    Failed(String),
}

/// A rank's part in a call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) what: What,
    /// Of what the others read: this rank's array, or its outbox.
    pub(super) address: u64,
    /// Reached when the others may read it.
    pub(super) ready: Option<Event>,
    /// Reached when this rank has read what it read of others in the call before.
    pub(super) before: Option<Event>,
    /// To whom, from where, how many elements.
    pub(super) sends: Vec<(usize, u64, usize)>,
    /// From whom, how many elements.
    pub(super) receives: Vec<(usize, usize)>,
    /// Values of the host.
    pub(super) bytes: Vec<u8>,
}

/// What has to be the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct What {
    pub(super) name: &'static str,
    pub(super) element: &'static str,
    pub(super) element_bytes: usize,
    /// `None` where ranks may differ.
    pub(super) len: Option<usize>,
    pub(super) reduction: Option<Reduction>,
    pub(super) root: Option<usize>,
}

impl fmt::Display for What {
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

/// The calls of all ranks, if they fit: the same finding on every rank.
pub(super) fn agreed(offers: &[Offer]) -> Result<Vec<&Call>> {
    let mut calls = Vec::with_capacity(offers.len());
    for (rank, offer) in offers.iter().enumerate() {
        match offer {
            Offer::Call(call) => calls.push(call),
            Offer::Refused(why, _) | Offer::Failed(why) => {
                return Err(Error::Value(format!("rank {rank} can't take part: {why}")));
            }
            // Not brought to this meeting by any path through the code.
            Offer::Done(_) => {
                return Err(Error::Lost(format!("rank {rank} is in another call")));
            }
        }
    }
    let first = &calls[0].what;
    if let Some(rank) = calls.iter().position(|call| call.what != *first) {
        return Err(Error::Value(format!(
            "rank {rank} calls {}, where rank 0 calls {first}: all ranks make the same calls",
            calls[rank].what
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
    /// Address and length of what goes to a rank, in order.
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
            what: What {
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

    fn refused(offers: &[Offer]) -> String {
        agreed(offers).unwrap_err().to_string()
    }

    #[test]
    fn who_differs_is_named() {
        let same = || call(4, &[], &[]);
        assert_eq!(agreed(&[same(), same(), same()]).unwrap().len(), 3);
        assert_eq!(
            refused(&[same(), same(), call(5, &[], &[])]),
            "rank 2 calls all_reduce of 5 f32 (sum), where rank 0 calls all_reduce of 4 f32 (sum): all ranks make the \
             same calls"
        );
        let text = refused(&[same(), Offer::Refused("no memory".into(), None)]);
        assert_eq!(text, "rank 1 can't take part: no memory");
    }

    #[test]
    fn what_is_sent_is_received() {
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
            refused(&pair),
            "rank 0 sends [3, 4] elements to rank 1, which receives [4, 3] elements from it"
        );
        let pair = [call(4, &[], &[(1, 2)]), call(4, &[], &[])];
        assert!(refused(&pair).starts_with("rank 1 sends nothing to rank 0"));
    }
    #[test]
    fn each_difference_between_calls_is_found() {
        let with = |change: &dyn Fn(&mut What)| {
            let mut offer = call(4, &[], &[]);
            if let Offer::Call(call) = &mut offer {
                change(&mut call.what);
            }
            refused(&[call(4, &[], &[]), offer])
        };
        let start = |text: &str| {
            format!("rank 1 calls {text}, where rank 0 calls all_reduce of 4 f32 (sum): ")
        };
        for (text, change) in [
            (
                "broadcast of 4 f32 (sum)",
                &(|what: &mut What| what.name = "broadcast") as &dyn Fn(&mut What),
            ),
            ("all_reduce of 4 u8 (sum)", &|what| what.element = "u8"),
            ("all_reduce of 4 f32 (sum)", &|what| what.element_bytes = 1),
            ("all_reduce of f32 (sum)", &|what| what.len = None),
            ("all_reduce of 4 f32", &|what| what.reduction = None),
            ("all_reduce of 4 f32 (sum) from rank 2", &|what| {
                what.root = Some(2);
            }),
        ] {
            let refused = with(change);
            assert!(refused.starts_with(&start(text)), "{refused}");
        }
    }

    #[test]
    fn offers_of_other_meetings_are_no_calls() {
        let failed = Offer::Failed("a fault".into());
        assert_eq!(
            refused(&[call(4, &[], &[]), failed]),
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
