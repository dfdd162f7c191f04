//! Comparison of the calls of all ranks, over NCCL.

use std::sync::atomic::Ordering;

use cuda_safe::{DeviceBuffer, Stream};

use super::{
    call::{Call, Kind, bytes},
    inner::Inner,
    together::{Streams, enqueue},
};
use crate::{
    error::{Error, Result},
    record::{Fact, Record, SAME_CALL, compare, encode, encode_failure},
};

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

/// The calls of a rank that its communicator's ranks make together, or why it cannot make them.
pub(super) type Mine<'a> = Result<&'a [&'a Call], &'a Error>;

/// The number of words that a rank sends.
const WORDS: usize = Record::WORDS + 1;

/// Returns an error on every rank unless all ranks of each communicator make the same calls.
pub(super) fn agree(parts: &[(&Inner, Mine<'_>)]) -> Result<()> {
    let mut records = Vec::with_capacity(parts.len());
    for (inner, mine) in parts {
        let (mut facts, mut words) = (Vec::new(), [0; WORDS]);
        match mine {
            Ok(calls) => {
                let number = inner.compared.load(Ordering::Relaxed);
                facts.extend(Record::of_all(calls.iter().map(|call| call.record())).facts());
                facts.push(Fact::Number("the number of earlier collectives", number));
                encode(&facts, &mut words);
            }
            Err(error) => encode_failure(error, &mut words),
        }
        records.push((*inner, facts, words));
    }
    let ready = records.iter().map(|(inner, _, words)| (*inner, &words[..]));
    let all = gather_words(&ready.collect::<Vec<_>>())?;
    // Not earlier, because a rank that failed on its own has not met the others, and may try again.
    for (inner, _) in parts {
        inner.compared.fetch_add(1, Ordering::Relaxed);
    }
    for ((inner, facts, _), all) in records.iter().zip(&all) {
        let number = inner.compared.load(Ordering::Relaxed);
        let ranks = all.chunks_exact(WORDS).enumerate();
        let note = format_args!("collective number {number}");
        compare(facts, ranks, note, SAME_CALL).map_err(Error::Value)?;
    }
    Ok(())
}
