//! What ranks compare before they act together: records of calls, their encoding, the comparison and
//! its error.
//!
//! A record is a list of [`Fact`]s. Each rank encodes its record in words and reads the words of
//! the others, which arrive through memory, over NCCL or by another collective. A rank that cannot
//! make its call sends the reason instead.

use std::{cmp::Reverse, fmt, iter};

/// A property that must be the same on all ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fact {
    Number(&'static str, u64),
    /// A name. Only the last 16 bytes of a longer name are compared.
    Name(&'static str, &'static str),
}

impl Fact {
    fn label(self) -> &'static str {
        match self {
            Self::Number(label, _) | Self::Name(label, _) => label,
        }
    }

    /// Returns the words, and how many of them are used.
    fn words(self) -> ([u64; 2], usize) {
        match self {
            Self::Number(_, number) => ([number, 0], 1),
            Self::Name(_, name) => {
                let mut words = [0; 2];
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
                let last = &name.as_bytes()[name.len().saturating_sub(bytes.len())..];
                bytes[..last.len()].copy_from_slice(last);
                (words, 2)
            }
        }
    }
}

/// A call of a rank, or several at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// The name of the method, or of what rank and partner do together.
    pub(crate) call: &'static str,
    /// The element type without its path.
    pub(crate) element: &'static str,
    pub(crate) element_size: usize,
    /// Distinguishes types of the same name and size. 0 if ranks may be of different programs.
    pub(crate) identity: u64,
    /// 0 if ranks may differ.
    pub(crate) len: usize,
    /// Empty if the call has no reduction.
    pub(crate) reduction: &'static str,
    /// 0 if the call has no root.
    pub(crate) root: usize,
    /// The number of calls. The other fields describe the first one.
    pub(crate) count: usize,
    /// The hash of all calls, or 0 for a single call.
    pub(crate) hash: u64,
}

/// The words of a [`Record`].
pub(crate) type Words = [u64; Record::WORDS];

impl Record {
    const FACTS: usize = 9;
    pub(crate) const WORDS: usize = 12;

    /// Creates the record of a call without reduction and root.
    pub(crate) fn new<T>(call: &'static str, len: usize) -> Self {
        Self {
            call,
            element: type_name::<T>(),
            element_size: size_of::<T>(),
            identity: 0,
            len,
            reduction: "",
            root: 0,
            count: 1,
            hash: 0,
        }
    }

    /// Combines several calls to one record.
    pub(crate) fn of_all(calls: impl Iterator<Item = Self> + Clone) -> Self {
        let first = calls.clone().next();
        let first = first.unwrap_or_else(|| Self::new::<()>("nothing", 0));
        match calls.clone().count() {
            1 => first,
            count => Self {
                count,
                hash: digest(calls.flat_map(|call| call.words())),
                ..first
            },
        }
    }

    pub(crate) fn facts(&self) -> [Fact; Self::FACTS] {
        [
            Fact::Name(CALL, self.call),
            Fact::Name("the element type", self.element),
            Fact::Number("the element size", self.element_size as u64),
            Fact::Number("the identity of the element type", self.identity),
            Fact::Number("the length", self.len as u64),
            Fact::Name("the reduction", self.reduction),
            Fact::Number("the root", self.root as u64),
            Fact::Number("the number of calls", self.count as u64),
            Fact::Number("the hash of all calls", self.hash),
        ]
    }

    pub(crate) fn words(&self) -> Words {
        let mut words = [0; Self::WORDS];
        encode(&self.facts(), &mut words);
        words
    }
}

/// Compares what one rank sends to another with what the other receives from it. `note` adds
/// details to the message, and may be empty.
pub(crate) fn compare_transfers(
    [from, to]: [usize; 2],
    sent: &[u64],
    received: &[u64],
    note: fmt::Arguments<'_>,
) -> Result<(), String> {
    let comma = if note.as_str() == Some("") { "" } else { ", " };
    compare(
        &Record::of_all(iter::empty()).facts(),
        [(from, sent), (to, received)].into_iter(),
        format_args!("sent by rank {from}, received by rank {to}{comma}{note}"),
        "receive the number, types and lengths that the other rank sends, in the same order; put sends and receives \
         between two ranks at the same time into one Group, or into one call of exchange",
    )
}

/// Returns the name of a type without its path.
pub(crate) fn type_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rfind(':').map_or(name, |end| &name[end + 1..])
}

/// The label of the first fact about a call.
pub(crate) const CALL: &str = "the call";

/// The first word of a rank that cannot make its call. The reason follows.
const FAILED: u64 = u64::MAX;

/// Writes facts to the first words. There must be room for all.
pub(crate) fn encode(facts: &[Fact], mut words: &mut [u64]) {
    for fact in facts {
        let (value, width) = fact.words();
        let (place, rest) = words.split_at_mut(width);
        place.copy_from_slice(&value[..width]);
        words = rest;
    }
}

/// Fills the words with the reason why this rank cannot make its call. Long texts are truncated.
pub(crate) fn encode_failure(why: &impl fmt::Display, words: &mut [u64]) {
    const MORE: &str = "…";
    words.fill(0);
    words[0] = FAILED;
    let room: &mut [u8] = bytemuck::cast_slice_mut(&mut words[1..]);
    let mut text = why.to_string();
    if text.len() > room.len() {
        let fits = |end: &usize| text.is_char_boundary(*end);
        let end = (0..=room.len().saturating_sub(MORE.len())).rev().find(fits);
        text.truncate(end.unwrap_or(0));
        text.push_str(MORE);
    }
    room[..text.len()].copy_from_slice(text.as_bytes());
}

fn text(words: &[u64]) -> String {
    let text = String::from_utf8_lossy(bytemuck::cast_slice(words));
    text.trim_end_matches('\0').to_owned()
}

/// Combines words to one number that is the same in every process (FNV-1a).
pub(crate) fn digest(words: impl Iterator<Item = u64>) -> u64 {
    let bytes = words.flat_map(u64::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The remedy for calls that differ.
pub(crate) const SAME_CALL: &str = "make the same call with the same arguments on all ranks";

/// Compares the words of ranks, which encode facts with the labels of `facts` or a failure.
///
/// Returns a message that names the first fact that differs and the ranks, or the rank that has
/// failed. It is the same on all ranks. `note` adds details, and may be empty.
pub(crate) fn compare<'w>(
    facts: &[Fact],
    ranks: impl Iterator<Item = (usize, &'w [u64])> + Clone,
    note: fmt::Arguments<'_>,
    remedy: &str,
) -> Result<(), String> {
    let mut start = 0;
    ranks
        .clone()
        .try_for_each(|(rank, words)| expect_call(rank, words))?;
    for fact in facts {
        let part = start..start + fact.words().1;
        let mut values = ranks.clone().map(|(_, words)| &words[part.clone()]);
        let first = values.next();
        if values.any(|value| Some(value) != first) {
            let values = ranks
                .clone()
                .map(|(rank, words)| (rank, &words[part.clone()]));
            let values = show(*fact, values);
            let mut notes = vec![note.to_string()];
            if let (Fact::Name(CALL, _), Some((_, words))) = (facts[0], ranks.clone().next())
                && start > 0
            {
                notes.insert(0, text(&words[..2]));
            }
            notes.retain(|note| !note.is_empty());
            let notes = match &notes[..] {
                [] => String::new(),
                notes => format!(" ({})", notes.join(", ")),
            };
            return Err(format!(
                "{} is {values}{notes}. Fix: {remedy}",
                fact.label()
            ));
        }
        start = part.end;
    }
    Ok(())
}

/// Returns a message if a rank's words are a failure.
pub(crate) fn expect_call(rank: usize, words: &[u64]) -> Result<(), String> {
    match words {
        [FAILED, why @ ..] => Err(failure(rank, &text(why))),
        _ => Ok(()),
    }
}

/// Returns the message of the other ranks about one that cannot make its call.
#[cold]
pub(crate) fn failure(rank: usize, why: &str) -> String {
    format!("rank {rank} can't take part: {why}")
}

/// Lists values with their ranks in a message.
#[cold]
fn show<'w>(fact: Fact, values: impl Iterator<Item = (usize, &'w [u64])>) -> String {
    let mut groups: Vec<(&[u64], Vec<usize>)> = Vec::new();
    for (rank, value) in values {
        match groups.iter_mut().find(|(other, _)| *other == value) {
            Some((_, ranks)) => ranks.push(rank),
            None => groups.push((value, vec![rank])),
        }
    }
    // The smaller group first, because it is likely to be wrong. Of two groups of the same size,
    // the later one.
    groups.sort_by_key(|(_, ranks)| (ranks.len(), Reverse(ranks[0])));
    let values = groups.iter().map(|(value, ranks)| match fact {
        Fact::Number(..) => format!("{} on {}", value[0], list(ranks)),
        Fact::Name(..) => format!("{} on {}", text(value), list(ranks)),
    });
    values.collect::<Vec<_>>().join(" and ")
}

/// The maximum number of ranks that a message lists.
pub(crate) const LISTED: usize = 8;

/// Lists ranks in a message.
pub(crate) fn list(ranks: &[usize]) -> String {
    let shown: Vec<String> = ranks.iter().take(LISTED).map(usize::to_string).collect();
    let plural = if ranks.len() == 1 { "" } else { "s" };
    let more = [" and more", ""][usize::from(ranks.len() <= LISTED)];
    format!("rank{plural} {}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            reduction: "sum",
            ..Record::new::<f32>("all_reduce", 4)
        }
    }

    fn differ(ranks: &[Record]) -> String {
        let words: Vec<Words> = ranks.iter().map(Record::words).collect();
        let words = words.iter().map(|words| &words[..]).enumerate();
        let note = format_args!("number 3");
        let texts = ranks
            .iter()
            .map(|mine| compare(&mine.facts(), words.clone(), note, "stop"));
        let mut texts: Vec<String> = texts.map(Result::unwrap_err).collect();
        texts.dedup();
        assert_eq!(texts.len(), 1, "all ranks report the same error");
        texts.remove(0)
    }

    #[test]
    fn each_difference_between_calls_is_named() {
        type Change = fn(&mut Record);
        let changes: [(&str, &str, &str, Change); 9] = [
            ("call", "reduce", "all_reduce", |one| one.call = "reduce"),
            ("element type", "u32", "f32", |one| one.element = "u32"),
            ("element size", "12", "4", |one| one.element_size = 12),
            ("identity of the element type", "7", "0", |one| {
                one.identity = 7
            }),
            ("length", "5", "4", |one| one.len = 5),
            ("reduction", "max", "sum", |one| one.reduction = "max"),
            ("root", "2", "0", |one| one.root = 2),
            ("number of calls", "2", "1", |one| one.count = 2),
            ("hash of all calls", "8", "0", |one| one.hash = 8),
        ];
        for (label, other, first, change) in changes {
            let mut one = record();
            change(&mut one);
            let notes = if label == "call" {
                "(number 3)"
            } else {
                "(all_reduce, number 3)"
            };
            assert_eq!(
                differ(&[record(), one]),
                format!(
                    "the {label} is {other} on rank 1 and {first} on rank 0 {notes}. Fix: stop"
                )
            );
        }
    }

    #[test]
    fn smaller_group_of_ranks_is_named_first() {
        let start = |lengths: &[usize]| {
            let ranks = lengths.iter().map(|len| Record {
                len: *len,
                ..record()
            });
            let text = differ(&ranks.collect::<Vec<_>>());
            text.split(" (").next().unwrap().to_owned()
        };
        assert_eq!(
            start(&[5, 4, 4]),
            "the length is 5 on rank 0 and 4 on ranks 1, 2"
        );
        assert_eq!(
            start(&[6, 4, 4, 5]),
            "the length is 5 on rank 3 and 6 on rank 0 and 4 on ranks 1, 2"
        );
    }

    #[test]
    fn lists_of_ranks_end_after_eight() {
        let ranks = |count| list(&(1..=count).collect::<Vec<_>>());
        assert_eq!(ranks(1), "rank 1");
        assert_eq!(ranks(8), "ranks 1, 2, 3, 4, 5, 6, 7, 8");
        assert_eq!(ranks(9), "ranks 1, 2, 3, 4, 5, 6, 7, 8 and more");
    }

    #[test]
    fn last_bytes_of_long_names_are_compared() {
        let words = |name| Fact::Name("", name).words().0;
        assert_eq!(words("0123456789abcdefX"), words("123456789abcdefX"));
        assert_ne!(words("123456789abcdefX"), words("123456789abcdefY"));
        assert_eq!(text(&words("0123456789abcdef")), "0123456789abcdef");
        assert_eq!(type_name::<half::bf16>(), "bf16");
        assert_eq!(type_name::<[f32; 3]>(), "[f32; 3]");
    }

    #[test]
    fn failures_carry_their_reason() {
        const WORDS: usize = 32;
        const ROOM: usize = (WORDS - 1) * size_of::<u64>();
        let decoded = |why: &str| {
            let mut words = [1; WORDS];
            encode_failure(&why, &mut words);
            let text =
                compare(&[], [(1, &words[..])].into_iter(), format_args!(""), "").unwrap_err();
            text.strip_prefix("rank 1 can't take part: ")
                .unwrap()
                .to_owned()
        };
        for text in ["", "no memory", &"x".repeat(ROOM)] {
            assert_eq!(decoded(text), text);
        }
        // Two-byte characters, at both positions where the text may be truncated.
        for start in ["", "x"] {
            let long = start.to_owned() + &"ß".repeat(300);
            let short = decoded(&long);
            let (kept, more) = short.split_at(short.len() - "…".len());
            assert!(long.starts_with(kept) && more == "…", "{short}");
            assert!(short.len() > ROOM - 2, "{short}");
        }
    }

    #[test]
    fn transfers_must_match() {
        let words = |lengths: &[usize]| {
            Record::of_all(
                lengths
                    .iter()
                    .map(|len| Record::new::<u8>("transfer", *len)),
            )
            .words()
        };
        let differ = |sent: &[usize], received: &[usize]| {
            let text = compare_transfers([2, 7], &words(sent), &words(received), format_args!(""))
                .unwrap_err();
            let notes = "sent by rank 2, received by rank 7). Fix: receive the number";
            text.split_once(notes).unwrap().0.to_owned()
        };
        for same in [&[][..], &[5], &[5, 6]] {
            assert_eq!(
                compare_transfers([2, 7], &words(same), &words(same), format_args!("")),
                Ok(())
            );
        }
        assert_eq!(
            differ(&[5], &[6]),
            "the length is 6 on rank 7 and 5 on rank 2 (transfer, "
        );
        assert_eq!(
            differ(&[], &[6]),
            "the call is transfer on rank 7 and nothing on rank 2 ("
        );
        assert_eq!(
            differ(&[5], &[5, 6]),
            "the number of calls is 2 on rank 7 and 1 on rank 2 (transfer, "
        );
        assert!(differ(&[5, 6], &[5, 7]).starts_with("the hash of all calls is "));
    }
}
