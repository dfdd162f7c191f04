//! One bit per byte, which is set when the byte is written. Only maintained with
//! `CUDA_EMULATOR_CHECK=uninit` or `unwritten`.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::configuration;

/// The written bits of one allocation.
pub struct Shadow {
    words: Box<[AtomicU64]>,
}

impl Shadow {
    /// Creates cleared bits for `size` bytes. Returns `None` if the check is off.
    pub fn new(size: u64) -> Option<Shadow> {
        configuration::get()
            .check_uninit
            .then(|| Shadow::with_size(size))
    }

    /// Creates cleared bits for `size` bytes.
    pub fn with_size(size: u64) -> Shadow {
        Shadow {
            words: (0..size.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Returns the index of the word that holds `offset`, the mask of the range's bits in it, and
    /// their number.
    fn part(offset: u64, size: u64) -> (usize, u64, u64) {
        let bit = offset % 64;
        let count = (64 - bit).min(size);
        let mask = if count == 64 {
            u64::MAX
        } else {
            ((1 << count) - 1) << bit
        };
        ((offset / 64) as usize, mask, count)
    }

    /// Marks bytes as written.
    pub fn mark(&self, mut offset: u64, mut size: u64) {
        while size > 0 {
            let (index, mask, count) = Self::part(offset, size);
            let Some(word) = self.words.get(index) else {
                return;
            };
            word.fetch_or(mask, Ordering::Relaxed);
            offset += count;
            size -= count;
        }
    }

    /// Marks all bytes as not written.
    pub fn clear(&self) {
        for word in &self.words {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Returns whether all the bytes have been written.
    pub fn is_marked(&self, mut offset: u64, mut size: u64) -> bool {
        while size > 0 {
            let (index, mask, count) = Self::part(offset, size);
            match self.words.get(index) {
                Some(word) if word.load(Ordering::Relaxed) & mask == mask => {}
                Some(_) => return false,
                None => return true,
            }
            offset += count;
            size -= count;
        }
        true
    }

    /// Returns the first of `size` bytes that has not been written, and the number of such bytes.
    /// Returns `None` if all have been written.
    pub fn gaps(&self, size: u64) -> Option<(u64, u64)> {
        let (mut first, mut count) = (None, 0);
        let starts = (0..size).step_by(64);
        for (start, word) in starts.zip(&self.words) {
            let (_, all, _) = Self::part(start, size - start);
            let clear = all & !word.load(Ordering::Relaxed);
            if clear != 0 {
                first.get_or_insert(start + u64::from(clear.trailing_zeros()));
                count += u64::from(clear.count_ones());
            }
        }
        first.map(|first| (first, count))
    }

    /// Copies the bits of `size` bytes from another allocation.
    pub fn copy(&self, to: u64, source: &Shadow, from: u64, size: u64) {
        if source.is_marked(from, size) {
            return self.mark(to, size);
        }
        for index in 0..size {
            if source.is_marked(from + index, 1) {
                self.mark(to + index, 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_span_words() {
        let shadow = Shadow::with_size(300);
        shadow.mark(60, 100);
        assert!(shadow.is_marked(60, 100));
        assert!(!shadow.is_marked(59, 2));
        assert!(!shadow.is_marked(159, 2));
        assert_eq!(shadow.gaps(300), Some((0, 200)));
        shadow.mark(0, 60);
        assert_eq!(shadow.gaps(300), Some((160, 140)));
        assert_eq!(shadow.gaps(160), None);
        let copy = Shadow::with_size(300);
        copy.copy(10, &shadow, 150, 20);
        assert!(!copy.is_marked(9, 1) && copy.is_marked(10, 10) && !copy.is_marked(20, 1));
    }
}
