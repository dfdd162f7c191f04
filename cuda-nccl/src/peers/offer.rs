//! The messages that ranks exchange at a rendezvous.

use std::{fmt, panic::Location};

use cuda_safe::Event;

use crate::{
    error::{Error, Result},
    record::{Record, SAME_CALL, compare, compare_transfers, failure},
};

/// A rank's message at a rendezvous.
#[derive(Clone, Debug)]
pub(super) enum Offer {
    /// The beginning of a call.
    Call(Call),
    /// The rank cannot make the call, for this reason. Nothing was enqueued. The event is
    /// [`Call::before`].
    Rejected(String, Option<Event>),
    /// The middle or the end of a call. The event is reached when the rank's enqueued work is done.
    Done(Event),
    /// A part of the call failed. The rank's enqueued work has ended.
    Failed(String),
}

/// A rank's part in a call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) record: Record,
    /// The line of the caller.
    pub(super) line: &'static Location<'static>,
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

/// The line of the calls, or each rank's line if they differ.
struct Lines<'a>(&'a [&'a Call]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.0[0].line;
        if self.0.iter().all(|call| call.line == line) {
            return write!(f, "at {line}");
        }
        for (rank, call) in self.0.iter().enumerate() {
            let comma = if rank == 0 { "" } else { ", " };
            write!(f, "{comma}rank {rank} at {}", call.line)?;
        }
        Ok(())
    }
}

/// Returns an error unless the calls of all ranks match. The result is the same on every rank.
/// `number` is that of the collective.
pub(super) fn agree(offers: &[Offer], number: usize) -> Result<()> {
    let mut words = Vec::with_capacity(offers.len());
    for (rank, offer) in offers.iter().enumerate() {
        match offer {
            Offer::Call(call) => words.push(call.record.words()),
            Offer::Rejected(why, _) | Offer::Failed(why) => {
                return Err(Error::Value(failure(rank, why)));
            }
            // No code path sends this to the first rendezvous of a call.
            Offer::Done(_) => {
                return Err(Error::Lost(format!("rank {rank} makes a different call")));
            }
        }
    }
    let calls = calls(offers);
    let lines = Lines(&calls);
    let note = format_args!("collective number {number}, {lines}");
    let ranks = words.iter().map(|words| &words[..]).enumerate();
    compare(&calls[0].record.facts(), ranks, note, SAME_CALL).map_err(Error::Value)?;
    let is_plain = |call: &&Call| call.sends.is_empty() && call.receives.is_empty();
    if calls.iter().all(is_plain) {
        return Ok(());
    }
    for (from, sender) in calls.iter().enumerate() {
        for (to, receiver) in calls.iter().enumerate() {
            let transfer = |len| Record {
                call: "transfer",
                len,
                ..sender.record
            };
            let sent = sender.sent_to(to).map(|(_, len)| transfer(len));
            let received = receiver.receives.iter().filter(|(rank, _)| *rank == from);
            let received = received.map(|&(_, len)| transfer(len));
            let (sent, received) = (
                Record::of_all(sent).words(),
                Record::of_all(received).words(),
            );
            compare_transfers([from, to], &sent, &received, note).map_err(Error::Value)?;
        }
    }
    Ok(())
}

/// Returns the calls of all ranks, which [agree](agree).
pub(super) fn calls(offers: &[Offer]) -> Vec<&Call> {
    let calls = offers.iter().filter_map(|offer| match offer {
        Offer::Call(call) => Some(call),
        _ => None,
    });
    calls.collect()
}

impl Call {
    /// Returns address and length of the data sent to a rank, in order.
    pub(super) fn sent_to(&self, rank: usize) -> impl Iterator<Item = (u64, usize)> + Clone + '_ {
        let to = self.sends.iter().filter(move |(to, ..)| *to == rank);
        to.map(|&(_, address, len)| (address, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(len: usize, sends: &[(usize, usize)], receives: &[(usize, usize)]) -> Offer {
        Offer::Call(Call {
            record: Record::new::<f32>("exchange", len),
            line: Location::caller(),
            address: 0,
            ready: None,
            before: None,
            sends: sends.iter().map(|&(to, len)| (to, 0, len)).collect(),
            receives: receives.to_vec(),
            bytes: Vec::new(),
        })
    }

    fn rejected(offers: &[Offer]) -> String {
        agree(offers, 3).unwrap_err().to_string()
    }

    #[test]
    fn differing_and_failed_ranks_are_named() {
        let same = || call(4, &[], &[]);
        assert!(agree(&[same(), same(), same()], 1).is_ok());
        let mut offers = [same(), same(), call(5, &[], &[])];
        let line = Location::caller();
        let Offer::Call(first) = &mut offers[0] else {
            unreachable!("a call")
        };
        let other = std::mem::replace(&mut first.line, line);
        let expected = "the length is 5 on rank 2 and 4 on ranks 0, 1 (exchange, collective number 3, rank 0 at ";
        assert_eq!(
            rejected(&offers),
            format!("{expected}{line}, rank 1 at {other}, rank 2 at {other}). Fix: {SAME_CALL}")
        );
        offers[0] = same();
        let expected =
            "the length is 5 on rank 2 and 4 on ranks 0, 1 (exchange, collective number 3, at ";
        assert_eq!(
            rejected(&offers),
            format!("{expected}{other}). Fix: {SAME_CALL}")
        );
        for failed in [
            Offer::Rejected("no memory".into(), None),
            Offer::Failed("no memory".into()),
        ] {
            assert_eq!(
                rejected(&[same(), failed]),
                "rank 1 can't take part: no memory"
            );
        }
    }

    #[test]
    fn sends_must_match_receives() {
        let pair = |receives| [call(4, &[(1, 3), (1, 4)], &[]), call(4, &[], receives)];
        assert!(agree(&pair(&[(0, 3), (0, 4)]), 1).is_ok());
        let text = rejected(&pair(&[(0, 4), (0, 3)]));
        let expected = "the length is 4 on rank 1 and 3 on rank 0 (transfer, sent by rank 0, received by rank 1, collective number 3, at ";
        assert!(text.starts_with(expected), "{text}");
        let text = rejected(&[call(4, &[], &[(1, 2)]), call(4, &[], &[])]);
        let expected = "the call is nothing on rank 1 and transfer on rank 0 (sent by rank 1, received by rank 0, collective number 3, at ";
        assert!(text.starts_with(expected), "{text}");
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
