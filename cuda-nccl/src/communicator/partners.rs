//! Whether two ranks mean the same by what they send and receive: they tell each other, over NCCL.
//!
//! Partners of this process compare on their board.

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

/// What one rank sends to another in one call or group: how many times, one number for all types and lengths in their order,
/// and the type and length of the first.
type Side = [u64; 4];

/// What a rank says to its partner: what it sends to it, and what it receives from it.
type Record = [Side; 2];

/// Of a rank that makes no call.
const NONE: Record = [[u64::MAX; 4]; 2];

/// A rank, and another that it sends to or receives from.
type Pair<'a> = (&'a Inner, usize);

/// An error on both ranks unless each receives what the other sends, in the same order. Collectives are not looked at.
pub(super) fn agree<'a>(calls: impl IntoIterator<Item = (&'a Inner, &'a Call)>) -> Result<()> {
    let records: Vec<(Pair<'a>, Record)> = pairs(calls)
        .iter()
        .map(|(pair, sides)| (*pair, [side(&sides[0]), side(&sides[1])]))
        .collect();
    let theirs = tell(&records)?;
    for (((inner, partner), mine), theirs) in records.iter().zip(theirs) {
        compare([inner.rank, *partner], *mine, theirs)?;
    }
    Ok(())
}

/// Tells the partners of these calls that this rank can't make them.
#[cold]
pub(super) fn refuse<'a>(calls: impl IntoIterator<Item = (&'a Inner, &'a Call)>) -> Result<()> {
    let pairs = pairs(calls);
    let records: Vec<_> = pairs.iter().map(|(pair, _)| (*pair, NONE)).collect();
    tell(&records).map(drop)
}

/// The calls by partner, as far as partners compare them: what is sent, and what is received.
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
    /// The error of a send or a receive that this rank can't make. The partner is told, if it is about to compare.
    #[cold]
    pub(super) fn told_partner(&self, partner: usize, error: Error) -> Error {
        let pair = (&*self.0, partner);
        if partner < self.0.size && are_compared(pair) {
            let _ = tell(&[(pair, NONE)]);
        }
        error
    }
}

/// Whether the two tell each other over NCCL.
fn are_compared((inner, partner): Pair<'_>) -> bool {
    inner.options.verify && !inner.seat.has(partner)
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

/// Tells each partner its record, and returns theirs. Waits for them.
fn tell(records: &[(Pair<'_>, Record)]) -> Result<Vec<Record>> {
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
    // SAFETY: both are as long as is said, and belong to the stream, which is waited for below.
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

/// An error unless what each of the two sends is what the other receives.
fn compare([mine, partner]: [usize; 2], [sends, receives]: Record, theirs: Record) -> Result<()> {
    if theirs == NONE {
        return Err(Error::Value(format!(
            "rank {partner} has an error of its own, and neither sends to rank {mine} nor receives from it. Nothing was enqueued"
        )));
    }
    // The lower rank's first, so that both say the same.
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
        true => ", where those behind the first differ",
        false => "",
    };
    Err(Error::Value(format!(
        "rank {from} sends {} to rank {to}, which receives {} from it{pieces}. Nothing was enqueued. (What two ranks \
         send to each other at once stands in one Group, or in one call of exchange.)",
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
        // Both ranks say the same.
        let text = compare([0, 1], mine, theirs).unwrap_err().to_string();
        assert_eq!(compare([1, 0], theirs, mine).unwrap_err().to_string(), text);
        text
    }

    #[test]
    fn each_receives_what_the_other_sends() {
        let [five, six] = [5, 6].map(|len| side(&[&call(Kind::Send, len)]));
        let none = side(&[]);
        assert!(compare([0, 1], [five, six], [six, five]).is_ok());
        assert!(compare([0, 1], [five, none], [none, five]).is_ok());
        let text = differ([five, none], [none, six]);
        assert!(
            text.starts_with("rank 0 sends 5 f32 to rank 1, which receives 6 f32 from it. Nothing"),
            "{text}"
        );
        // Both send first: NCCL would wait for ever.
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
            text.contains("5 f32 and 1 more from it, where those behind the first differ"),
            "{text}"
        );
    }

    #[test]
    fn a_partner_without_a_call_is_told() {
        let five = side(&[&call(Kind::Send, 5)]);
        let error = compare([2, 7], [five, side(&[])], NONE).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("rank 7 has an error of its own"), "{text}");
    }
}
