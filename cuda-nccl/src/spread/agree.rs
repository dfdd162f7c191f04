//! Comparison of properties that all ranks must agree on and that lengths alone do not show.

use cuda_safe::Stream;

use crate::{
    collectives::Collectives,
    error::{Error, Result},
    record::{Fact, SAME_CALL, compare, encode, encode_failure},
};

/// The number of words that a rank sends. It is the same for all ranks and calls. Calls need fewer
/// words for their facts. The rest is for the text of an error, which may begin with a long path.
const WORDS: usize = 32;

/// Compares the facts of all ranks, and returns each rank's additional words.
///
/// If a fact differs, all ranks return an error. If a rank passes an error, that rank returns it,
/// and the others return an error with its text.
pub(super) fn agree<const N: usize>(
    ranks: &impl Collectives,
    stream: &Stream,
    mine: Result<(Vec<Fact>, [u64; N])>,
) -> Result<Vec<[u64; N]>> {
    let mut words = [0; WORDS];
    match &mine {
        Ok((facts, more)) => {
            let (place, rest) = words.split_at_mut(WORDS - N);
            encode(facts, place);
            rest.copy_from_slice(more);
        }
        Err(error) => encode_failure(error, &mut words),
    }
    let all = ranks.gather_on_host(stream, &words);
    let (facts, _) = mine?;
    let all = all?;
    let ranks = all.chunks_exact(WORDS);
    let numbered = ranks.clone().enumerate();
    compare(&facts, numbered, format_args!(""), SAME_CALL).map_err(Error::Value)?;
    let more = ranks.map(|words| {
        let mut more = [0; N];
        more.copy_from_slice(&words[WORDS - N..]);
        more
    });
    Ok(more.collect())
}
