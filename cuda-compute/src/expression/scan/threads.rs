//! The threads of a scan's kernel.

use std::iter::successors;

use super::table::{LINES, LONGEST_ROW, ROOM, ROWS};
use crate::{element::DataType, kernel::Hardware};

/// The values that are scanned together by a thread: a vector of elements of this type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    pub(super) data: DataType,
    pub(super) elements: usize,
    /// Bytes of an accumulator.
    pub(super) accumulator: usize,
    /// Whether its elements take many instructions.
    pub(super) long: bool,
}

impl Vector {
    const fn bytes(self) -> u64 {
        (self.elements * self.data.size()) as u64
    }
}

/// The assignment of elements to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    Lines(Lines),
    Columns(Columns),
}

/// The threads of a kernel for lines of adjacent elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lines {
    /// One block for each tile of a line. If there are several, the blocks wait for each other.
    Blocks {
        threads: u32,
        unroll: u32,
        chained: bool,
    },
    /// A group of lanes for each line.
    Lanes { lanes: u32, unroll: u32 },
}

/// The threads of the kernel for columns. Each goes down a column of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Columns {
    /// Threads per block.
    pub(super) threads: u32,
    /// Threads next to each other. The columns of these threads are a strip.
    pub(super) lanes: u32,
    /// Elements per thread down its columns.
    pub(super) rows: u32,
    /// Whether a strip is cut into tiles of several blocks, which wait for each other.
    pub(super) chained: bool,
}

/// The most vectors per thread if there are enough rows. Of rows of 121 `f32`, 2^14 took 7.0 µs with 32
/// lanes of 4, and 6.9 with 16 lanes of 8. With `silu` of the sums, it was 7.8 and 8.4 (H200).
const VECTORS: u64 = 4;
/// The most elements per thread in rows that are too long for 32 lanes, if there are enough rows. Rows of
/// 2570 `f32` took 1.15 times as long with 6 elements per thread as with 16. Of rows of 807 `f32`, 2^14
/// took 31 µs with 128 threads, 34 with 256, and 50 with 512 (H200).
const ELEMENTS: u64 = 16;
/// The number of threads per multiprocessor up to which a row gets more threads. 256 rows of 482 `f64`
/// took 4.0 µs with 128 threads per row, and 5.0 with 32 lanes. 1024 rows of 121 `f32` took 4.1 and 3.5
/// (H200).
const FEW_THREADS: u64 = 256;
/// The most threads for a line of one tile.
const MOST_THREADS: u64 = 512;

impl Lines {
    /// Returns the threads for this number of lines, each of this many vectors, and the number of tiles
    /// of a line.
    pub(super) fn new(
        lines: u64,
        vectors: u64,
        vector: Vector,
        hardware: &Hardware,
    ) -> (Self, u64) {
        let policy = LINES.policy(hardware.capability, vector.data.size());
        let variant = policy.row(vectors).variant;
        let most = u64::from(variant.unroll(vector.elements, vector.accumulator));
        let tiles = vectors.div_ceil(u64::from(variant.threads) * most);
        if lines == 1 || tiles > 1 {
            let most = (variant.threads, most);
            return Self::in_tiles((lines, vectors), most, vector.long, hardware);
        }
        let most_of_lanes = ROWS.unroll(vector.elements, vector.accumulator);
        let mut threads = match vectors <= LONGEST_ROW {
            true => vectors.div_ceil(VECTORS.min(most_of_lanes.into())).min(32),
            false => (vectors * vector.elements as u64)
                .div_ceil(ELEMENTS)
                .max(64),
        };
        threads = threads
            .next_power_of_two()
            .min(MOST_THREADS.max(variant.threads.into()));
        // A block's threads must have all vectors in registers.
        while threads > 32 && vectors.div_ceil(threads) > most {
            threads *= 2;
        }
        let few = u64::from(hardware.multiprocessors) * FEW_THREADS;
        while threads < vectors.min(MOST_THREADS) && 2 * lines * threads <= few {
            threads *= 2;
        }
        let unroll = vectors.div_ceil(threads);
        let way = match threads <= 32 {
            true => Self::Lanes {
                lanes: threads as u32,
                unroll: unroll.min(most_of_lanes.into()) as u32,
            },
            false => Self::Blocks {
                threads: threads as u32,
                unroll: unroll as u32,
                chained: false,
            },
        };
        (way, 1)
    }

    /// Returns the blocks of lines that are divided into tiles. A thread has at most `most` vectors.
    ///
    /// Threads have few vectors if there is a multiprocessor for each tile. With one vector instead of
    /// four, 65536 `f32` took 5.7 µs instead of 6.5, and `cos` of `sin` of them 6.4 instead of 9.6. In one
    /// tile, 4096 took 3.6 with two vectors, and 3.7 with four. In two tiles they took 5.4 (H200).
    fn in_tiles(
        (lines, vectors): (u64, u64),
        (threads, most): (u32, u64),
        long: bool,
        hardware: &Hardware,
    ) -> (Self, u64) {
        let alone = vectors.div_ceil(MOST_THREADS);
        let (threads, unroll) = match alone <= most && (alone <= 2 || !long) {
            // A single block waits for no other one.
            true => {
                let threads = (vectors / 2).next_power_of_two().clamp(128, MOST_THREADS);
                (threads, vectors.div_ceil(threads))
            }
            false => {
                let threads = u64::from(threads);
                let tiles = |unroll: u64| lines * vectors.div_ceil(threads * unroll);
                let fits = |&unroll: &u64| tiles(unroll) <= hardware.multiprocessors.into();
                let fewer = successors(Some(1), |unroll| Some(unroll * 2));
                let fewer = fewer.take_while(|&unroll| unroll < most).find(fits);
                (threads, fewer.unwrap_or(most))
            }
        };
        let tiles = vectors.div_ceil(threads * unroll);
        let way = Self::Blocks {
            threads: threads as u32,
            unroll: unroll as u32,
            chained: tiles > 1,
        };
        (way, tiles)
    }
}

/// The bytes of a strip's rows that the kernel for columns reads together. Of 8192 x 8192 `f32`, strips
/// of 128 bytes took 149 µs, of 64 bytes 168, and of 32 bytes 189 (H200).
const STRIP_BYTES: u64 = 128;
/// The least bytes of a strip's rows, the size of a sector.
const SECTOR_BYTES: u64 = 32;

/// The length of columns up to which each of a few elements has a thread. Prefixes of `sin` down 1024
/// columns of 8 `f32` took 3.6 µs so, and 6.3 with 16 elements per thread (H200).
const SHORT_COLUMN: u64 = 64;

impl Columns {
    /// Returns whether columns of this length are so short, and elements so few, that each thread should
    /// have few of them.
    fn are_few(length: u64, elements: u64, hardware: &Hardware) -> bool {
        length <= SHORT_COLUMN && hardware.elements_of_a_thread(elements) == 1
    }

    /// Returns the maximum number of elements in a vector.
    pub(super) fn most_in_vector(length: u64, elements: u64, hardware: &Hardware) -> usize {
        match Self::are_few(length, elements, hardware) {
            true => 1,
            false => usize::MAX,
        }
    }

    /// Returns the threads for `outer` times `width` columns of vectors, each of this length.
    pub(super) fn new(
        outer: u64,
        length: u64,
        width: u64,
        vector: Vector,
        hardware: &Hardware,
    ) -> Self {
        let widest = width.next_power_of_two().min(32);
        let fit = (STRIP_BYTES / vector.bytes()).max(1);
        let most = (1 << fit.ilog2()).min(widest);
        // The most lanes, and fewer of them, down to a sector.
        let choices = || {
            let halves = successors(Some(most), |lanes| Some(lanes / 2));
            let is_wide = |lanes: u64| lanes > 0 && lanes * vector.bytes() >= SECTOR_BYTES;
            halves.take_while(move |&lanes| lanes == most || is_wide(lanes))
        };
        // With enough strips, no block waits for another. 16384 x 2048 `f32` took 97 µs with strips of
        // 32 bytes, and 126 with strips of 128 bytes that are cut into tiles (H200).
        let wanted = 3 * u64::from(hardware.multiprocessors);
        let enough = choices().find(|&lanes| 2 * outer * width.div_ceil(lanes) >= wanted);
        // Otherwise few lanes should be beyond the last column. 100000 x 33 `f32` took 23 µs with 8 lanes
        // and 32 with 32 (H200).
        let full = || choices().find(|&lanes| width.next_multiple_of(lanes) <= width + width / 4);
        let mut lanes = enough.or_else(full).unwrap_or(most);
        let is_enough = enough.is_some();
        // Of 4096 x 4096 `f64`, 4 rows took 82 µs and 8 took 91. Tiles of few rows have more to exchange:
        // 2^21 x 32 `f64` took 483 µs with 8 rows and 718 with 4 (H200).
        let mut rows: u32 = match length <= 64 || (is_enough && vector.data.size() == 8) {
            true => 4,
            false => 8,
        };
        // Long strips have fewer tiles with more threads: 65536 x 512 `f32` took 135 µs with 512 threads
        // and 177 with 256 (H200).
        let long =
            !is_enough && length >= 1 << 14 && vector.bytes() == 16 && vector.data.size() == 4;
        let mut threads: u64 = if long { 512 } else { 256 };
        let elements = outer * length * width * vector.elements as u64;
        let are_few = Self::are_few(length, elements, hardware);
        if are_few {
            rows = 1;
        }
        // No thread should be below the last row.
        while lanes < widest && threads / lanes * u64::from(rows) > length {
            lanes *= 2;
        }
        if are_few {
            rows = length.div_ceil(threads / lanes).next_power_of_two().min(8) as u32;
        }
        // Two values for each column of each warp.
        let bytes = 2 * lanes * (vector.elements * vector.accumulator) as u64;
        while threads > 32 && threads / 32 * bytes > ROOM {
            threads /= 2;
        }
        Self {
            threads: threads as u32,
            lanes: lanes as u32,
            rows,
            chained: !is_enough && threads / lanes * u64::from(rows) < length,
        }
    }

    /// Returns the number of tiles of a strip of this length.
    pub(super) const fn tiles(self, length: u64) -> u64 {
        length.div_ceil((self.threads / self.lanes * self.rows) as u64)
    }
}
