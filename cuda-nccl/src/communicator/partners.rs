//! Comparison of the sends and receives of two ranks, over NCCL.
//!
//! Partners in one process compare in [`board`](super::board) instead.

use cuda_safe::{DeviceBuffer, Stream};

use super::{
    Communicator,
    call::{Call, Kind, bytes},
    inner::Inner,
    together::{Streams, enqueue},
};
use crate::{
    error::{Error, Result},
    record::{Record, compare_transfers, encode_failure, expect_call},
};

const WORDS: usize = 2 * Record::WORDS;

/// A rank's message to its partner: its sends to the partner, and its receives from the partner.
type Words = [u64; WORDS];

/// A rank and its partner.
type Pair<'a> = (&'a Inner, usize);

/// Returns an error on both ranks unless each receives what the other sends, in the same order.
/// Ignores collectives.
pub(super) fn agree<'a>(calls: impl IntoIterator<Item = (&'a Inner, &'a Call)>) -> Result<()> {
    let records: Vec<(Pair<'a>, Words)> = pairs(calls)
        .iter()
        .map(|(pair, sides)| (*pair, encoded(sides)))
        .collect();
    let theirs = swap_records(&records)?;
    for (((inner, partner), mine), theirs) in records.iter().zip(theirs) {
        compare([inner.rank, *partner], mine, &theirs).map_err(Error::Value)?;
    }
    Ok(())
}

/// Reports to the partners of these calls that this rank cannot make them.
#[cold]
pub(super) fn report_no_call<'a>(
    calls: impl IntoIterator<Item = (&'a Inner, &'a Call)>,
    error: &Error,
) -> Result<()> {
    let pairs = pairs(calls);
    let records = pairs.iter().map(|(pair, _)| (*pair, failed(error)));
    swap_records(&records.collect::<Vec<_>>()).map(drop)
}

fn failed(error: &Error) -> Words {
    let mut words = [0; WORDS];
    encode_failure(error, &mut words);
    words
}

fn encoded(sides: &[Vec<&Call>; 2]) -> Words {
    let mut words = [0; WORDS];
    let places = words.chunks_exact_mut(Record::WORDS);
    for (place, calls) in places.zip(sides) {
        let calls = calls.iter().map(|call| call.record());
        place.copy_from_slice(&Record::of_all(calls).words());
    }
    words
}

/// Groups the calls that partners compare by partner: the sends and the receives.
fn pairs<'a>(
    calls: impl IntoIterator<Item = (&'a Inner, &'a Call)>,
) -> Vec<(Pair<'a>, [Vec<&'a Call>; 2])> {
    let mut pairs: Vec<(Pair<'a>, [Vec<&Call>; 2])> = Vec::new();
    for (inner, call) in calls {
        let pair = (inner, call.root as usize);
        if call.kind.is_collective() || !are_compared(pair) {
            continue;
        }
        let place = pairs.iter().position(|(other, _)| same(*other, pair));
        let place = place.unwrap_or_else(|| {
            pairs.push((pair, Default::default()));
            pairs.len() - 1
        });
        pairs[place].1[usize::from(call.kind == Kind::Receive)].push(call);
    }
    pairs
}

impl Communicator {
    /// Reports an error of this rank to the partner of a send or receive, if the two compare calls,
    /// and returns it.
    #[cold]
    pub(super) fn report_to_partner(&self, partner: usize, error: Error) -> Error {
        let pair = (&*self.0, partner);
        if partner < self.0.size && are_compared(pair) {
            let _ = swap_records(&[(pair, failed(&error))]);
        }
        error
    }
}

/// Returns whether the two ranks compare their calls over NCCL.
fn are_compared((inner, partner): Pair<'_>) -> bool {
    inner.options.verify && !inner.membership.contains(partner)
}

fn same(one: Pair<'_>, other: Pair<'_>) -> bool {
    std::ptr::eq(one.0, other.0) && one.1 == other.1
}

/// Sends each partner its record, and returns the partners' records. Waits for them.
fn swap_records(records: &[(Pair<'_>, Words)]) -> Result<Vec<Words>> {
    let mut places = Vec::with_capacity(records.len());
    for ((inner, _), record) in records {
        let stream = Stream::new(&inner.context)?;
        let mine = DeviceBuffer::from_slice(&stream, record)?;
        let theirs = DeviceBuffer::<u64>::zeroed(&stream, mine.len())?;
        places.push((stream, mine, theirs));
    }
    let calls: Vec<_> = records
        .iter()
        .zip(&places)
        .flat_map(|(((inner, partner), _), (stream, mine, theirs))| {
            let root = *partner as i32;
            let [from, to] = [mine, theirs].map(|memory| (memory.as_device_ptr(), memory.len()));
            let send = bytes::<u64>(Kind::Send, [from.0, 0], from.1, root);
            let receive = bytes::<u64>(Kind::Receive, [0, to.0], to.1, root);
            [(*inner, send, stream), (*inner, receive, stream)]
        })
        .collect();
    // SAFETY: both buffers have the given lengths and belong to the stream, which is waited for
    // below.
    unsafe { enqueue(&calls, Streams::Own)? };
    let mut all = Vec::with_capacity(records.len());
    for (((inner, _), _), (stream, _, theirs)) in records.iter().zip(&places) {
        inner.wait_until(|| stream.query())?;
        let mut words = [0; WORDS];
        theirs.copy_to_slice(stream, &mut words)?;
        all.push(words);
    }
    Ok(all)
}

/// Returns a message unless each of the two receives what the other sends.
fn compare([mine, partner]: [usize; 2], own: &Words, theirs: &Words) -> Result<(), String> {
    expect_call(partner, theirs)?;
    let [(sends, receives), (their_sends, their_receives)] =
        [own, theirs].map(|words| words.split_at(Record::WORDS));
    // The lower sender comes first, so that both ranks report the same error.
    let mut ways = [
        ([mine, partner], sends, their_receives),
        ([partner, mine], their_sends, receives),
    ];
    ways.sort_by_key(|(ranks, ..)| ranks[0]);
    ways.into_iter().try_for_each(|(ranks, sent, received)| {
        compare_transfers(ranks, sent, received, format_args!(""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sends: &[usize], receives: &[usize]) -> Words {
        let calls = |kind, lens: &[usize]| -> Vec<Call> {
            let calls = lens.iter().map(|len| bytes::<f32>(kind, [0; 2], *len, 1));
            calls.collect()
        };
        let sides = [calls(Kind::Send, sends), calls(Kind::Receive, receives)];
        encoded(&sides.each_ref().map(|calls| calls.iter().collect()))
    }

    fn differ(mine: Words, theirs: Words) -> String {
        // Both ranks report the same error.
        let text = compare([0, 1], &mine, &theirs).unwrap_err();
        assert_eq!(compare([1, 0], &theirs, &mine).unwrap_err(), text);
        text.split(". Fix: ").next().unwrap().to_owned()
    }

    #[test]
    fn sends_must_match_receives() {
        assert_eq!(
            compare([0, 1], &words(&[5], &[6]), &words(&[6], &[5])),
            Ok(())
        );
        assert_eq!(
            compare([0, 1], &words(&[5], &[]), &words(&[], &[5])),
            Ok(())
        );
        assert_eq!(
            differ(words(&[5], &[]), words(&[], &[6])),
            "the length is 6 on rank 1 and 5 on rank 0 (transfer, sent by rank 0, received by rank 1)"
        );
        // Both send first. NCCL would wait forever.
        assert_eq!(
            differ(words(&[5], &[]), words(&[5], &[])),
            "the call is nothing on rank 1 and transfer on rank 0 (sent by rank 0, received by rank 1)"
        );
        assert_eq!(
            differ(words(&[5], &[7]), words(&[8], &[5])),
            "the length is 8 on rank 1 and 7 on rank 0 (transfer, sent by rank 1, received by rank 0)"
        );
    }

    #[test]
    fn partner_without_a_call_is_reported() {
        let error = Error::Value("a reason".into());
        let text = compare([2, 7], &words(&[5], &[]), &failed(&error)).unwrap_err();
        assert_eq!(text, "rank 7 can't take part: a reason");
    }
}
