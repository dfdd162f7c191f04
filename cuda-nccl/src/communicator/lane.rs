//! A lock-free record of the calls of one rank, for the other ranks of its process to read.
//!
//! A rank records a call before it checks whether another rank has recorded the call of the same
//! number. So of two ranks, at least the later one sees both calls. Records are stored in chunks. A
//! chunk lives until all ranks have read past it, so a rank may be any number of calls ahead.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use crate::record::{Record, Words};

const LEN: usize = 64;

/// A sequence of calls.
pub(super) struct Chunk {
    /// The number of the first call.
    first: u64,
    entries: [Entry; LEN],
    next: OnceLock<Arc<Chunk>>,
}

#[derive(Default)]
struct Entry {
    words: [AtomicU64; Record::WORDS],
    /// Set once the words are written. They do not change after that.
    written: AtomicBool,
}

impl Chunk {
    pub(super) fn new(first: u64) -> Arc<Self> {
        Arc::new(Self {
            first,
            entries: std::array::from_fn(|_| Entry::default()),
            next: OnceLock::new(),
        })
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.entries.get(place)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // Drops the chunks in a loop: a rank that was far behind may be the last owner of many, and
        // recursion would overflow the stack.
        let mut next = self.next.take();
        while let Some(mut chunk) = next.and_then(Arc::into_inner) {
            next = chunk.next.take();
        }
    }
}

/// Records the next call, with this number. If a new chunk was started, returns it: readers that
/// join later begin there.
#[inline]
pub(super) fn write(chunk: &mut Arc<Chunk>, number: u64, words: &Words) -> Option<Arc<Chunk>> {
    let mut begun = None;
    if number.wrapping_sub(chunk.first) >= LEN as u64 {
        begun = Some(begin(chunk, number));
    }
    if let Some(entry) = chunk.entry(number) {
        for (place, word) in entry.words.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        // Sequentially consistent with the load in `read`, so that at least one of two ranks sees
        // the other's call.
        entry.written.store(true, Ordering::SeqCst);
    }
    begun
}

#[cold]
fn begin(chunk: &mut Arc<Chunk>, number: u64) -> Arc<Chunk> {
    let next = Chunk::new(number);
    let _ = chunk.next.set(next.clone()); // only the writer sets it, and only once
    *chunk = next.clone();
    next
}

/// Returns the call with this number, if the rank that writes the chunks has recorded it. Numbers
/// must increase from call to call. Earlier chunks are released.
#[inline]
pub(super) fn read(chunk: &mut Arc<Chunk>, number: u64) -> Option<Words> {
    while number.checked_sub(chunk.first)? >= LEN as u64 {
        let next = chunk.next.get()?.clone();
        *chunk = next;
    }
    let entry = chunk.entry(number)?;
    if !entry.written.load(Ordering::SeqCst) {
        return None;
    }
    Some(
        entry
            .words
            .each_ref()
            .map(|word| word.load(Ordering::Relaxed)),
    )
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn words(number: u64) -> Words {
        std::array::from_fn(|place| number << place)
    }

    #[test]
    fn late_reader_reads_all_and_releases_chunks() {
        let mut writer = Chunk::new(0);
        let mut reader = writer.clone();
        let first = Arc::downgrade(&reader);
        assert_eq!(read(&mut reader, 0), None);
        let begun = (0..100_000).filter(|&n| write(&mut writer, n, &words(n)).is_some());
        assert_eq!(begun.count(), 100_000_usize.div_ceil(LEN) - 1);
        for number in 0..100_000 {
            assert_eq!(read(&mut reader, number), Some(words(number)));
        }
        assert_eq!(read(&mut reader, 100_000), None);
        assert!(first.upgrade().is_none());
        // A reader that joins late sees the calls from the current chunk on.
        let mut late = writer.clone();
        assert_eq!(read(&mut late, 3), None);
        assert_eq!(read(&mut late, 99_999), Some(words(99_999)));
    }

    #[test]
    fn long_chain_is_dropped_without_recursion() {
        let mut writer = Chunk::new(0);
        let reader = writer.clone();
        for number in (0..2_500_000).step_by(LEN) {
            write(&mut writer, number, &words(number));
        }
        drop(writer);
        drop(reader);
    }

    /// If two ranks write and then read, at least one sees the other's call.
    #[test]
    fn one_of_two_ranks_sees_the_others_call() {
        const CALLS: u64 = 200_000;
        let mut chunks = [Chunk::new(0), Chunk::new(0)];
        let cursors = [chunks[1].clone(), chunks[0].clone()];
        let seen: Vec<Vec<bool>> = thread::scope(|scope| {
            let ranks = chunks.iter_mut().zip(cursors);
            let threads: Vec<_> = ranks
                .map(|(own, mut other)| {
                    scope.spawn(move || {
                        let each = (0..CALLS).map(|number| {
                            write(own, number, &words(number));
                            let read = read(&mut other, number);
                            assert!(read.is_none_or(|read| read == words(number)));
                            read.is_some()
                        });
                        each.collect()
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(
            seen[0]
                .iter()
                .zip(&seen[1])
                .all(|(one, other)| *one || *other)
        );
    }
}
