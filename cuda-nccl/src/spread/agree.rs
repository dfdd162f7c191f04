//! What has to be the same on all ranks, and can't be seen from the lengths that travel.

use cuda_safe::Stream;

use crate::{
    collectives::Collectives,
    error::{Error, Result},
};

/// As many words as a rank ever tells: all tell as many, whatever they call.
pub(super) const WORDS: usize = 16;
/// In the place of the first word: the rank has an error of its own.
const FAILED: &str = "failure";

/// One thing that ranks compare.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact {
    Number(&'static str, u64),
    /// Of up to 8 letters; what is longer is compared by the last of them.
    Name(&'static str, &'static str),
}

impl Fact {
    fn label(self) -> &'static str {
        match self {
            Self::Number(label, _) | Self::Name(label, _) => label,
        }
    }

    fn word(self) -> u64 {
        match self {
            Self::Number(_, number) => number,
            Self::Name(_, name) => packed(name),
        }
    }

    fn told(self, word: u64) -> String {
        match self {
            Self::Number(..) => word.to_string(),
            Self::Name(..) => unpacked(word),
        }
    }
}

fn packed(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let last = &name.as_bytes()[name.len().saturating_sub(8)..];
    bytes[..last.len()].copy_from_slice(last);
    u64::from_ne_bytes(bytes)
}

fn unpacked(word: u64) -> String {
    let bytes = word.to_ne_bytes();
    let letters = bytes.iter().take_while(|&&byte| byte != 0);
    letters.map(|&byte| char::from(byte)).collect()
}

/// The name of a type, without where it is.
pub(super) fn type_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}

/// Compares the facts of all ranks, and returns what they add, one slice of words for each. Where a fact differs from rank
/// 0's, or a rank brings an error, it is an error on all ranks.
pub(super) fn agree<const N: usize>(
    ranks: &impl Collectives,
    stream: &Stream,
    mine: Result<(Vec<Fact>, [u64; N])>,
) -> Result<Vec<[u64; N]>> {
    let mut words = [0; WORDS];
    match &mine {
        Ok((facts, more)) => {
            for (word, fact) in words.iter_mut().zip(facts) {
                *word = fact.word();
            }
            words[WORDS - N..].copy_from_slice(more);
        }
        Err(_) => words[0] = packed(FAILED),
    }
    let all = ranks.gather_on_host(stream, &words);
    let (facts, _) = mine?;
    let all = all?;
    let ranks: Vec<&[u64]> = all.chunks_exact(WORDS).collect();
    if let Some(rank) = ranks.iter().position(|words| words[0] == packed(FAILED)) {
        return Err(Error::Value(format!(
            "rank {rank} can't take part: it has an error of its own"
        )));
    }
    for (rank, words) in ranks.iter().enumerate() {
        for (fact, (word, first)) in facts.iter().zip(words.iter().zip(ranks[0])) {
            if word != first {
                return Err(Error::Value(format!(
                    "{} of rank {rank}: {}; of rank 0: {}. It has to be the same on all ranks",
                    fact.label(),
                    fact.told(*word),
                    fact.told(*first)
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
