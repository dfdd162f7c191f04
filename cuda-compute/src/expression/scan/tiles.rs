//! Tiles of a line, whose blocks exchange their aggregates.

use std::sync::Arc;

use cuda_safe::{DeviceBuffer, Stream};

use crate::{array::Memory, error::Result, kernel::Kernels};

/// The parameters of kernels whose blocks process tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block {
    pub(crate) threads: u32,
    /// Registers per thread that hold values.
    pub(crate) registers: u32,
}

impl Block {
    /// Returns the number of vectors per thread if each value has this many bytes.
    pub(crate) fn unroll(self, vector: usize, bytes: usize) -> u32 {
        let registers = vector * bytes.div_ceil(4);
        (self.registers / registers as u32).clamp(1, 10)
    }
}

/// The number of tiles per line, and the size of the memory in which they publish their aggregates.
/// See `kernels/prefix.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    /// Tiles per line.
    pub(crate) count: u64,
    /// Values that a tile publishes.
    values: u64,
    /// Words per value.
    words: u64,
}

/// Words before the published values: counters of the blocks that have started and of those that
/// have finished.
const COUNTERS: u64 = 2;

/// The maximum number of tiles for which memory is kept for each stream, so that small scans
/// allocate and clear nothing. Longer scans use separate memory. With kept memory, a block must
/// wait for its stores before it counts as finished, which delays the blocks that follow it on its
/// multiprocessor: 2^27 sums of f32 took 346 µs with kept memory, and 313 µs with separate memory.
const KEPT_TILES: u64 = 256;

/// Words of that memory, for values of 16 bytes.
const KEPT: u64 = COUNTERS + (KEPT_TILES + KEPT_TILES.div_ceil(32) + KEPT_TILES.div_ceil(1024)) * 4;

/// Zeroed memory for a launch. Hold it until the kernel is enqueued.
#[derive(Debug)]
pub(crate) enum TileMemory {
    /// No block waits for another.
    Unused,
    /// The stream's memory, which the kernel leaves zeroed.
    Kept(Arc<DeviceBuffer<u64>>, u64),
    /// Memory for this launch only.
    Owned(Memory),
}

impl TileMemory {
    pub(crate) fn address(&self) -> u64 {
        match self {
            Self::Unused => 0,
            Self::Kept(buffer, _) => buffer.as_device_ptr(),
            Self::Owned(memory) => memory.address(),
        }
    }

    /// Returns the number of words that the kernel must zero again.
    pub(crate) const fn kept(&self) -> u64 {
        match self {
            Self::Kept(_, words) => *words,
            Self::Unused | Self::Owned(_) => 0,
        }
    }

    /// Returns the memory that the launch must be ordered with, if any. The stream's own memory
    /// needs no ordering.
    pub(crate) const fn memory(&self) -> Option<&Memory> {
        match self {
            Self::Owned(memory) => Some(memory),
            Self::Unused | Self::Kept(..) => None,
        }
    }
}

impl Tiles {
    /// Creates tiles that publish this many values of this many bytes.
    pub(crate) const fn new(count: u64, values: u64, bytes: usize) -> Self {
        Self {
            count,
            values,
            words: bytes.div_ceil(4) as u64,
        }
    }

    /// Returns whether blocks wait for one another.
    pub(crate) const fn chained(&self) -> bool {
        self.count > 1
    }

    /// Returns enough words per line for every kernel: one value for each tile, each group of 32
    /// tiles, and each set of 32 groups.
    pub(crate) const fn words_of_line(&self) -> u64 {
        let values = self.count + self.count.div_ceil(32) + self.count.div_ceil(1024);
        values * self.values * self.words
    }

    /// Returns the memory for a launch over this many lines. The kernel must leave kept memory
    /// zeroed.
    pub(crate) fn lines(
        &self,
        kernels: &Kernels,
        stream: &Stream,
        lines: u64,
    ) -> Result<TileMemory> {
        let words = COUNTERS + lines * self.words_of_line();
        if self.chained() && self.count * lines <= KEPT_TILES && words <= KEPT {
            return Ok(TileMemory::Kept(
                kernels.tiles(KEPT as usize).of(stream)?,
                words,
            ));
        }
        self.own(kernels, stream, lines)
    }

    /// Returns separate memory for a launch over this many lines.
    pub(crate) fn own(&self, kernels: &Kernels, stream: &Stream, lines: u64) -> Result<TileMemory> {
        if !self.chained() {
            return Ok(TileMemory::Unused);
        }
        let words = COUNTERS + lines * self.words_of_line();
        let bytes = words as usize * size_of::<u64>();
        Memory::zeroed(kernels, stream, bytes).map(TileMemory::Owned)
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::*;

    #[test]
    fn a_thread_has_as_many_vectors_as_fit_into_its_registers() {
        let block = Block {
            threads: 256,
            registers: 16,
        };
        for (vector, bytes, unroll) in [
            (4, 4, 4),
            (1, 8, 8),
            (4, 16, 1),
            (8, 16, 1),
            (2, 5, 4),
            // At most ten.
            (1, 4, 10),
            (1, 1, 10),
        ] {
            assert_eq!(block.unroll(vector, bytes), unroll, "{vector} of {bytes}");
        }
    }

    #[test]
    fn a_line_has_words_for_tiles_groups_and_sets() {
        let words = |count, values, bytes| Tiles::new(count, values, bytes).words_of_line();
        assert_eq!(words(1, 1, 4), 1 + 1 + 1);
        assert_eq!(words(33, 1, 4), 33 + 2 + 1);
        assert_eq!(words(1025, 1, 4), 1025 + 33 + 2);
        assert_eq!(words(2, 3, 4), 3 * 4);
        assert_eq!(words(2, 1, 9), 3 * 4);
        assert!(!Tiles::new(1, 1, 4).chained() && Tiles::new(2, 1, 4).chained());
    }

    #[test]
    fn small_launches_use_the_memory_of_the_stream() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::new(&context).unwrap();
        // Returns the number of kept words, or the bytes of separate memory.
        let memory_of = |tiles: Tiles, lines| match tiles.lines(&kernels, &stream, lines).unwrap() {
            TileMemory::Unused => (0, 0),
            kept @ TileMemory::Kept(..) => {
                let buffer = kernels.tiles(KEPT as usize).of(&stream).unwrap();
                assert!(kept.kept() <= buffer.len() as u64 && kept.memory().is_none());
                assert_eq!(kept.address(), buffer.as_device_ptr());
                (kept.kept(), 0)
            }
            owned @ TileMemory::Owned(_) => {
                let memory = owned.memory().unwrap();
                assert_eq!((owned.kept(), owned.address()), (0, memory.address()));
                let fits = |bytes: &usize| memory.bytes(0..*bytes).is_err();
                (0, (0..).step_by(8).find(fits).unwrap() - 8)
            }
        };
        assert_eq!(memory_of(Tiles::new(1, 1, 4), 5), (0, 0));
        assert_eq!(memory_of(Tiles::new(2, 1, 4), 1), (2 + 4, 0));
        assert_eq!(memory_of(Tiles::new(2, 1, 4), 3), (2 + 3 * 4, 0));
        assert_eq!(memory_of(Tiles::new(256, 1, 4), 1), (2 + 256 + 8 + 1, 0));
        assert_eq!(
            memory_of(Tiles::new(128, 1, 4), 2),
            (2 + 2 * (128 + 4 + 1), 0)
        );
        assert_eq!(memory_of(Tiles::new(256, 1, 16), 1), (KEPT, 0));
        // Too many tiles, or too large values.
        assert_eq!(
            memory_of(Tiles::new(257, 1, 4), 1),
            (0, (2 + 257 + 9 + 1) * 8)
        );
        let three = (0, (2 + 3 * (128 + 4 + 1)) * 8);
        assert_eq!(memory_of(Tiles::new(128, 1, 4), 3), three);
        assert_eq!(memory_of(Tiles::new(256, 1, 17), 1), (0, (2 + 265 * 5) * 8));
        let own = Tiles::new(1, 1, 4).own(&kernels, &stream, 5).unwrap();
        assert!(matches!(own, TileMemory::Unused) && own.address() == 0);
    }
}
