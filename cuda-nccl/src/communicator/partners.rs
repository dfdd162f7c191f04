//! Comparison of the sends and receives of two ranks, over NCCL.
//!
//! Partners in one process compare in [`board`](super::board) instead.

use cuda_safe::{DeviceBuffer, Stream};

use super::{
    Communicator,
    agree::digest,
    call::{Call, Kind},
    inner::Inner,
    numbers::type_name,
    prepare::bytes,
    together::{Streams, enqueue},
};
use crate::error::{Error, Result};

/// A rank's sends to another rank in one call or group: the number of sends, a digest of all types
/// and lengths in order, and the type and length of the first.
type Side = [u64; 4];

/// A rank's message to its partner: its sends to the partner, and its receives from the partner.
type Record = [Side; 2];

/// The record of a rank that makes no call.
const NONE: Record = [[u64::MAX; 4]; 2];

/// A rank and its partner.
type Pair<'a> = (&'a Inner, usize);

/// Returns an error on both ranks unless each receives what the other sends, in the same order.
/// Ignores collectives.
pub(super) fn agree<'a>(calls: impl IntoIterator<Item = (&'a Inner, &'a Call)>) -> Result<()> {
    let records: Vec<(Pair<'a>, Record)> = pairs(calls)
        .iter()
        .map(|(pair, sides)| (*pair, [side(&sides[0]), side(&sides[1])]))
        .collect();
    let theirs = swap_records(&records)?;
    for (((inner, partner), mine), theirs) in records.iter().zip(theirs) {
        compare([inner.rank, *partner], *mine, theirs)?;
    }
    Ok(())
}

/// Reports to the partners of these calls that this rank cannot make them.
#[cold]
pub(super) fn report_no_call<'a>(
    calls: impl IntoIterator<Item = (&'a Inner, &'a Call)>,
) -> Result<()> {
    let pairs = pairs(calls);
    let records: Vec<_> = pairs.iter().map(|(pair, _)| (*pair, NONE)).collect();
    swap_records(&records).map(drop)
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
            let _ = swap_records(&[(pair, NONE)]);
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

fn side(calls: &[&Call]) -> Side {
    let first = calls
        .first()
        .map_or([0; 2], |call| [call.element, call.len as u64]);
    let all = calls
        .iter()
        .flat_map(|call| [call.element, call.len as u64]);
    [calls.len() as u64, digest(all), first[0], first[1]]
}

/// Sends each partner its record, and returns the partners' records. Waits for them.
fn swap_records(records: &[(Pair<'_>, Record)]) -> Result<Vec<Record>> {
    let mut places = Vec::with_capacity(records.len());
    for ((inner, _), record) in records {
        let stream = Stream::new(&inner.context)?;
        let mine = DeviceBuffer::from_slice(&stream, record.as_flattened())?;
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
        let words = theirs.to_vec(stream)?;
        let (sides, _) = words.as_chunks::<4>();
        all.push([sides[0], sides[1]]);
    }
    Ok(all)
}

/// Returns an error unless each of the two receives what the other sends.
fn compare([mine, partner]: [usize; 2], [sends, receives]: Record, theirs: Record) -> Result<()> {
    if theirs == NONE {
        return Err(Error::Value(format!(
            "rank {partner} has an error, and neither sends to rank {mine} nor receives from it. Nothing was enqueued"
        )));
    }
    // The lower sender comes first, so that both ranks report the same error.
    let mut ways = [
        ([mine, partner], [sends, theirs[1]]),
        ([partner, mine], [theirs[0], receives]),
    ];
    ways.sort_by_key(|(ranks, _)| ranks[0]);
    let Some(([from, to], [sent, received])) = ways.into_iter().find(|(_, [a, b])| a != b) else {
        return Ok(());
    };
    let [sent, received] = [sent, received].map(|[count, digest, element, len]| {
        let more = match count {
            0 => return (String::from("nothing"), digest),
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        (format!("{len} {}{more}", type_name(element)), digest)
    });
    let pieces = match sent.0 == received.0 {
        true => ", with differences after the first",
        false => "",
    };
    Err(Error::Value(format!(
        "rank {from} sends {} to rank {to}, which receives {} from it{pieces}. Nothing was enqueued. (Sends and receives \
         between two ranks at the same time must be in one Group, or in one call of exchange.)",
        sent.0, received.0
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(kind: Kind, len: usize) -> Call {
        bytes::<f32>(kind, [0; 2], len, 1)
    }

    fn differ(mine: Record, theirs: Record) -> String {
        // Both ranks report the same error.
        let text = compare([0, 1], mine, theirs).unwrap_err().to_string();
        assert_eq!(compare([1, 0], theirs, mine).unwrap_err().to_string(), text);
        text
    }

    #[test]
    fn sends_must_match_receives() {
        let [five, six] = [5, 6].map(|len| side(&[&call(Kind::Send, len)]));
        let none = side(&[]);
        assert!(compare([0, 1], [five, six], [six, five]).is_ok());
        assert!(compare([0, 1], [five, none], [none, five]).is_ok());
        let text = differ([five, none], [none, six]);
        assert!(
            text.starts_with("rank 0 sends 5 f32 to rank 1, which receives 6 f32 from it. Nothing"),
            "{text}"
        );
        // Both send first. NCCL would wait forever.
        let text = differ([five, none], [five, none]);
        assert!(
            text.starts_with("rank 0 sends 5 f32 to rank 1, which receives nothing from it. "),
            "{text}"
        );
        let bytes = side(&[&bytes::<u8>(Kind::Receive, [0; 2], 5, 0)]);
        let text = differ([five, none], [none, bytes]);
        assert!(text.contains("which receives 5 u8 from it"), "{text}");
        let two = |second| side(&[&call(Kind::Send, 5), &call(Kind::Send, second)]);
        let text = differ([two(1), none], [none, two(2)]);
        assert!(
            text.contains("5 f32 and 1 more from it, with differences after the first"),
            "{text}"
        );
    }

    #[test]
    fn partner_without_a_call_is_reported() {
        let five = side(&[&call(Kind::Send, 5)]);
        let error = compare([2, 7], [five, side(&[])], NONE).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("rank 7 has an error,"), "{text}");
    }
}
