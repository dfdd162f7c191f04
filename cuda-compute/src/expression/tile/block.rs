//! The choice of a block's tile, threads and vectors.

use super::super::transposed::{Sides, Transposed, Vectors};

/// The number of elements along each side of a tile. 25847 x 1024 `f32` took 83 µs with such tiles and 256
/// threads, and 82 to 98 with other sides and threads (H200).
const SIDE: u16 = 32;
/// The same if a thread reads and writes at least four elements of at most four bytes at once. 8192 x 8192
/// `f16` took 99 µs with such tiles, and 109 to 123 with small ones. 16384 x 8192 `f32` took 263 µs with such
/// tiles and 512 threads, and 287 with small ones (H200).
const LARGE_SIDE: u16 = 64;
/// The number of large tiles per multiprocessor that fill the device.
const LARGE_TILES: u64 = 4;
/// The length up to which a tile has the whole axis, unless small tiles divide it. 16384 x 33 `f32`, 104
/// times, took 180 µs with small tiles, and 168 with tiles of 64 x 33 (H200).
const SHORT_AXIS: usize = 64;
/// The number of elements per multiprocessor from which axes that are longer than small tiles are short.
/// 424 x 50 `f32` took 4.3 µs with tiles of 32 x 50, and 3.7 with small ones (H200).
const MANY_ELEMENTS: usize = 1 << 13;
/// The minimum number of elements of a tile.
const LEAST_TILE: u64 = 256;
/// The shared memory in bytes that every device offers to a block.
const SHARED_BYTES: usize = 48 << 10;

/// The tile of a block, and its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Block {
    pub(super) sides: Sides,
    pub(super) threads: u16,
    pub(super) vectors: Vectors,
}

impl Block {
    /// Returns the tile with which the kernel takes the least time for axes of these lengths, the innermost
    /// one and the one across, or `None` if operands don't fit into shared memory or a tile has few
    /// elements. `largest` is the size of the transposed operands' largest element. The space has this many
    /// elements, `each` for each of the threads that keep the device busy.
    pub(super) fn choose(
        transposed: Transposed,
        largest: usize,
        [inner, across]: [usize; 2],
        (elements, each): (usize, u64),
        vectors: Vectors,
        multiprocessors: u32,
    ) -> Option<Self> {
        let small = largest <= 2;
        // Few elements are divided among more blocks if a longer axis is cut.
        let many = elements >= MANY_ELEMENTS * multiprocessors as usize;
        let longest = if many { SHORT_AXIS } else { SIDE.into() };
        let is_whole =
            |length: usize| length <= longest && !length.is_multiple_of(usize::from(SIDE));
        let vectors = vectors.of_at_most(each);
        // The side beside a short one.
        let beside = |short: usize, long: usize| {
            let are_few = elements / (64 * short) < multiprocessors as usize;
            let least = if are_few { 32 } else { 64 };
            let side = (640 / short).next_power_of_two().clamp(least, 256);
            side.min(long.next_power_of_two()) as u16
        };
        // Rows have a distance of up to 7 elements.
        let fits = |width: u16, height: u16| {
            let room = usize::from(width) * usize::from(height + 7);
            room * usize::from(transposed.bytes) <= SHARED_BYTES
        };
        let square = |side: u16| (side, side);
        let (width, height) = match (is_whole(inner), is_whole(across)) {
            (true, true) => (inner as u16, across as u16),
            (true, false) => (inner as u16, beside(inner, across)),
            (false, true) => (beside(across, inner), across as u16),
            (false, false) => {
                let wide = largest <= 4 && vectors.read >= 4 && vectors.vector >= 4;
                let tiles = elements as u64 / u64::from(LARGE_SIDE).pow(2);
                let many = tiles >= LARGE_TILES * u64::from(multiprocessors);
                let large = wide && many && fits(LARGE_SIDE, LARGE_SIDE);
                square(if large { LARGE_SIDE } else { SIDE })
            }
        };
        let in_vectors = vectors.read > 1 || vectors.vector > 1;
        let threads: u64 = match (width, height) {
            (LARGE_SIDE, LARGE_SIDE) if small => 256,
            (LARGE_SIDE, LARGE_SIDE) => 512,
            (SIDE, SIDE) if !small || !in_vectors => 256,
            _ => 128,
        };
        // Few elements need more threads. 507 x 512 `bf16` took 4.0 µs with 512 threads, and 4.3 with 128 (H200).
        let tile = u64::from(width) * u64::from(height);
        let threads = (tile / each).next_power_of_two().clamp(threads, 512) as u16;
        let enough = tile >= LEAST_TILE;
        (fits(width, height) && enough).then_some(Self {
            sides: Sides { width, height },
            threads,
            vectors,
        })
    }

    /// Returns the number of elements for each thread.
    pub(super) fn elements_of_a_thread(self) -> usize {
        let elements = usize::from(self.sides.width) * usize::from(self.sides.height);
        elements.div_ceil(usize::from(self.threads))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::super::transposed::tests::space, *};

    fn transposed(bytes: u8) -> Transposed {
        let space = space(&[64, 64], &[&[1, 64]]);
        Transposed::find(&space, 1, 16, |_| Some(bytes.into())).unwrap()
    }

    /// The sides and threads of a block for axes of these lengths, across and innermost, of a space of this
    /// many elements, on a device of 132 multiprocessors.
    fn chosen_of(
        elements: usize,
        lengths: [usize; 2],
        bytes: u8,
        vectors: [u8; 2],
    ) -> Option<[u16; 3]> {
        let [across, inner] = lengths;
        let each = (elements as u64 / (132 * 1024)).max(1);
        let block = Block::choose(
            transposed(bytes),
            bytes.into(),
            [inner, across],
            (elements, each),
            Vectors {
                read: vectors[0],
                vector: vectors[1],
            },
            132,
        )?;
        Some([block.sides.height, block.sides.width, block.threads])
    }

    fn chosen(lengths: [usize; 2], bytes: u8, vectors: [u8; 2]) -> Option<[u16; 3]> {
        chosen_of(1 << 24, lengths, bytes, vectors)
    }

    #[test]
    fn many_small_elements_in_vectors_have_large_tiles() {
        let large = [2048, 2048];
        assert_eq!(chosen(large, 2, [8, 4]), Some([64, 64, 256]));
        let half = chosen_of(1 << 21, large, 2, [8, 4]);
        assert_eq!(half, Some([32, 32, 128]));
        assert_eq!(chosen(large, 2, [2, 8]), Some([32, 32, 128]));
        assert_eq!(chosen(large, 2, [1, 1]), Some([32, 32, 256]));
        assert_eq!(chosen(large, 4, [4, 4]), Some([64, 64, 512]));
        assert_eq!(chosen(large, 4, [4, 1]), Some([32, 32, 256]));
        assert_eq!(chosen(large, 8, [4, 4]), Some([32, 32, 256]));
    }

    #[test]
    fn tiles_have_whole_short_axes() {
        let sides = |lengths| chosen(lengths, 4, [1, 1]).map(|[height, width, _]| [height, width]);
        assert_eq!(sides([33, 1000]), Some([33, 64]));
        assert_eq!(sides([1000, 33]), Some([64, 33]));
        assert_eq!(sides([64, 1000]), Some([32, 32]));
        assert_eq!(sides([65, 1000]), Some([32, 32]));
        assert_eq!(sides([9, 1000]), Some([9, 128]));
        assert_eq!(sides([1000, 3]), Some([256, 3]));
        assert_eq!(sides([3, 100]), Some([3, 128]));
        assert_eq!(sides([20, 20]), Some([20, 20]));
        // Too few elements, and more than shared memory has.
        assert_eq!(sides([15, 17]), None);
        assert_eq!(chosen([1000, 33], 32, [1, 1]), None);
    }

    #[test]
    fn few_elements_have_small_tiles_and_many_threads() {
        let few =
            |lengths: [usize; 2], bytes| chosen_of(lengths[0] * lengths[1], lengths, bytes, [8, 8]);
        assert_eq!(few([512, 512], 2), Some([32, 32, 512]));
        assert_eq!(few([1000, 1000], 2), Some([32, 32, 256]));
        assert_eq!(few([4096, 21], 4), Some([32, 21, 512]));
        assert_eq!(few([50, 424], 4), Some([32, 32, 512]));
    }
}
