//! Comparison of the calls of all ranks, over NCCL.

use std::sync::atomic::Ordering;

use cuda_safe::{DeviceBuffer, Stream};

use super::{
    call::{Call, Kind},
    inner::Inner,
    prepare::bytes,
    together::{Streams, enqueue},
};
use crate::error::{Error, Result};

/// For each communicator, sends words to all ranks and returns the words of all ranks. Waits for
/// them.
pub(super) fn gather_words(parts: &[(&Inner, &[u64])]) -> Result<Vec<Vec<u64>>> {
    let mut places = Vec::with_capacity(parts.len());
    for (inner, words) in parts {
        let stream = Stream::new(&inner.context)?;
        let mine = DeviceBuffer::from_slice(&stream, words)?;
        let all = DeviceBuffer::<u64>::zeroed(&stream, words.len() * inner.size)?;
        places.push((stream, mine, all));
    }
    let calls: Vec<_> = parts
        .iter()
        .zip(&places)
        .map(|((inner, words), (stream, mine, all))| {
            let places = [mine.as_device_ptr(), all.as_device_ptr()];
            let call = bytes::<u64>(Kind::AllGather, places, words.len(), 0);
            (*inner, call, stream)
        })
        .collect();
    // SAFETY: both buffers have the given lengths and belong to the stream, which is waited for
    // below.
    unsafe { enqueue(&calls, Streams::Own)? };
    let mut all = Vec::with_capacity(parts.len());
    for ((inner, _), (stream, _, words)) in parts.iter().zip(&places) {
        inner.wait_until(|| stream.query())?;
        all.push(words.to_vec(stream)?);
    }
    Ok(all)
}

/// Returns an error if the stream is capturing. Nothing runs during a capture, so the ranks
/// could not compare their calls, and nothing would keep the memory alive as long as the graph.
pub(super) fn expect_uncaptured(stream: &Stream) -> Result<()> {
    if !stream.is_capturing()? {
        return Ok(());
    }
    Err(Error::Value(
        "the stream is capturing: calls can be captured only with CommunicatorOptions::unverified, whose contract then \
         includes the graph"
            .into(),
    ))
}

/// Returns an error on every rank unless all ranks of each communicator make the same calls.
pub(super) fn agree(parts: &[(&Inner, &[&Call])]) -> Result<()> {
    let mut records = Vec::with_capacity(parts.len());
    for (inner, calls) in parts {
        // The words of the first call, for the message, and a digest of all calls.
        let first = calls.first();
        let mut record = first.map_or(Call::NOTHING, |call| call.words()).to_vec();
        record.push(calls.len() as u64);
        record.push(digest(calls.iter().flat_map(|call| call.words())));
        record.push(inner.compared.load(Ordering::Relaxed));
        records.push(record);
    }
    let ready: Vec<(&Inner, &[u64])> = parts
        .iter()
        .zip(&records)
        .map(|((inner, _), record)| (*inner, record.as_slice()))
        .collect();
    let all = gather_words(&ready)?;
    // Not earlier, because a rank that failed on its own has not met the others, and may try again.
    for (inner, _) in parts {
        inner.compared.fetch_add(1, Ordering::Relaxed);
    }
    for (words, record) in all.iter().zip(&records) {
        compare(words, record.len())?;
    }
    Ok(())
}

/// Combines words to one number that is the same in every process (FNV-1a).
pub(super) fn digest(words: impl Iterator<Item = u64>) -> u64 {
    let bytes = words.flat_map(u64::to_le_bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns an error that names the differing ranks, unless all records are equal.
fn compare(words: &[u64], len: usize) -> Result<()> {
    let mut kinds: Vec<(&[u64], Vec<usize>)> = Vec::new();
    for (rank, record) in words.chunks_exact(len).enumerate() {
        match kinds.iter_mut().find(|(other, _)| *other == record) {
            Some((_, ranks)) => ranks.push(rank),
            None => kinds.push((record, vec![rank])),
        }
    }
    if kinds.len() <= 1 {
        return Ok(());
    }
    // The smaller group first, because it is likely to be wrong. Of two groups of the same size,
    // the later one.
    kinds.sort_by_key(|(_, ranks)| (ranks.len(), std::cmp::Reverse(ranks[0])));
    let calls: Vec<String> = kinds
        .iter()
        .map(|(record, ranks)| {
            let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
            let count = record.get(5).copied().unwrap_or(1);
            let more = match count {
                0 | 1 => String::new(),
                count => format!(" and {} more calls in a group", count.saturating_sub(1)),
            };
            let number = record.get(7).copied().unwrap_or(0);
            format!(
                "rank {} makes {}{more} (its collective number {})",
                ranks.join(", "),
                Call::describe(record),
                number + 1
            )
        })
        .collect();
    Err(Error::Value(format!(
        "the ranks don't make the same call: {}. Nothing was enqueued",
        calls.join("; ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_rank_is_named_first() {
        let same = [0, 7, 4, 0, 0, 1, 9, 2];
        let other = [0, 7, 5, 0, 0, 1, 8, 2];
        assert!(compare(&[same, same, same].concat(), 8).is_ok());
        let error = compare(&[same, other, same].concat(), 8)
            .unwrap_err()
            .to_string();
        let expected = "the ranks don't make the same call: rank 1 makes all_reduce of 5 f32 (sum) (its collective number 3); \
                        rank 0, 2 makes all_reduce of 4 f32 (sum) (its collective number 3). Nothing was enqueued";
        assert_eq!(error, expected);
        let two = compare(&[same, other].concat(), 8).unwrap_err().to_string();
        assert!(two.contains("call: rank 1 makes"), "{two}");
    }
}
