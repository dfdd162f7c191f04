//! Comparison of properties that all ranks must agree on and that lengths alone do not show.

use cuda_safe::Stream;

use crate::{
    collectives::Collectives,
    error::{Error, Result},
};

/// The number of words that a rank sends. It is the same for all ranks and calls. Calls need fewer
/// words for their facts. The rest is for the text of an error, which may begin with a long path.
const WORDS: usize = 32;
/// Replaces the first word if the rank has an error. The text of the error follows.
const FAILED: &str = "failure";

/// A property that ranks compare.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact {
    Number(&'static str, u64),
    /// A name of up to 16 characters. Only the last 16 characters of longer names are compared.
    Name(&'static str, &'static str),
}

impl Fact {
    fn label(self) -> &'static str {
        match self {
            Self::Number(label, _) | Self::Name(label, _) => label,
        }
    }

    fn words(self) -> [u64; 2] {
        match self {
            Self::Number(_, number) => [number, 0],
            Self::Name(_, name) => packed(name),
        }
    }

    fn shown(self, words: &[u64]) -> String {
        match self {
            Self::Number(..) => words[0].to_string(),
            Self::Name(..) => unpacked(words),
        }
    }
}

fn packed(name: &str) -> [u64; 2] {
    let mut words = [0; 2];
    let last = &name.as_bytes()[name.len().saturating_sub(size_of_val(&words))..];
    bytemuck::bytes_of_mut(&mut words)[..last.len()].copy_from_slice(last);
    words
}

fn unpacked(words: &[u64]) -> String {
    let bytes: &[u8] = bytemuck::cast_slice(words);
    let letters = bytes.iter().take_while(|&&byte| byte != 0);
    letters.map(|&byte| char::from(byte)).collect()
}

/// Encodes an error in words. Long texts are truncated.
fn failure(error: &Error) -> [u64; WORDS] {
    const ROOM: usize = (WORDS - 1) * size_of::<u64>();
    const MORE: &str = "…";
    let mut text = error.to_string();
    if text.len() > ROOM {
        let fits = |end: &usize| text.is_char_boundary(*end);
        let end = (0..=ROOM - MORE.len()).rev().find(fits);
        text.truncate(end.unwrap_or(0));
        text.push_str(MORE);
    }
    let mut words = [0; WORDS];
    words[0] = packed(FAILED)[0];
    bytemuck::bytes_of_mut(&mut words)[size_of::<u64>()..][..text.len()]
        .copy_from_slice(text.as_bytes());
    words
}

/// Returns the text of a rank's error, or `None` if the words are not an error.
fn reason(words: &[u64]) -> Option<String> {
    let (first, text) = words.split_first()?;
    (*first == packed(FAILED)[0]).then(|| {
        let text = String::from_utf8_lossy(bytemuck::cast_slice(text));
        text.trim_end_matches('\0').to_owned()
    })
}

/// Returns the name of a type without its path.
pub(super) fn type_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}

/// Compares the facts of all ranks, and returns each rank's additional words.
///
/// If a fact differs from rank 0's, all ranks return an error. If a rank passes an error, that rank
/// returns it, and the others return an error with its text.
pub(super) fn agree<const N: usize>(
    ranks: &impl Collectives,
    stream: &Stream,
    mine: Result<(Vec<Fact>, [u64; N])>,
) -> Result<Vec<[u64; N]>> {
    let mut words = [0; WORDS];
    match &mine {
        Ok((facts, more)) => {
            debug_assert!(2 * facts.len() + N <= WORDS, "no room for {facts:?}");
            for (place, fact) in words.chunks_exact_mut(2).zip(facts) {
                place.copy_from_slice(&fact.words());
            }
            words[WORDS - N..].copy_from_slice(more);
        }
        Err(error) => words = failure(error),
    }
    let all = ranks.gather_on_host(stream, &words);
    let (facts, _) = mine?;
    let all = all?;
    let ranks: Vec<&[u64]> = all.chunks_exact(WORDS).collect();
    for (rank, words) in ranks.iter().enumerate() {
        if let Some(why) = reason(words) {
            return Err(Error::Value(format!("rank {rank} can't take part: {why}")));
        }
    }
    for (rank, words) in ranks.iter().enumerate() {
        let pairs = words.chunks_exact(2).zip(ranks[0].chunks_exact(2));
        for (fact, (own, first)) in facts.iter().zip(pairs) {
            if own != first {
                return Err(Error::Value(format!(
                    "{} is {} on rank {rank} and {} on rank 0: it must be the same on all ranks",
                    fact.label(),
                    fact.shown(own),
                    fact.shown(first)
                )));
            }
        }
    }
    let more = ranks.iter().map(|words| {
        let mut more = [0; N];
        more.copy_from_slice(&words[WORDS - N..]);
        more
    });
    Ok(more.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_texts_are_encoded_in_words() {
        let decoded = |text: &str| reason(&failure(&Error::Value(text.into()))).unwrap();
        for text in ["", "no memory", &"x".repeat((WORDS - 1) * 8)] {
            assert_eq!(decoded(text), text);
        }
        // Two-byte characters, at both positions where the text may be truncated.
        for start in ["", "x"] {
            let long = start.to_owned() + &"ß".repeat(300);
            let short = decoded(&long);
            let (kept, more) = short.split_at(short.len() - "…".len());
            assert!(long.starts_with(kept) && more == "…", "{short}");
            assert!(short.len() > (WORDS - 1) * 8 - 2, "{short}");
        }
        assert_eq!(reason(&[0; WORDS]), None);
    }
}
