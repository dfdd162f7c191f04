//! The choice of a block's tile, threads and vectors.

use super::super::{
    plan::LeafSource,
    render::Form,
    space::Space,
    transposed::{Sides, Transposed},
};

/// The number of elements along each side of a tile. 25847 x 1024 `f32` took 83 µs with such tiles and 256
/// threads, and 83 to 95 with other sides and threads (H200).
const SIDE: u16 = 32;
/// The same if a thread reads and writes at least four elements of at most two bytes at once. 8192 x 8192
/// `f16` took 99 µs with such tiles, and 109 to 123 with small ones (H200).
const LARGE_SIDE: u16 = 64;
/// The number of large tiles per multiprocessor that fill the device.
const LARGE_TILES: u64 = 4;
/// The length up to which a tile has the whole axis, unless small tiles divide it. 16384 x 33 `f32`, 104
/// times, took 180 µs with small tiles, and 168 with tiles of 64 x 33 (H200).
const SHORT_AXIS: usize = 64;
/// The minimum number of elements of a tile.
const LEAST_TILE: usize = 256;
/// The bytes that a thread reads or writes at once.
const VECTOR_BYTES: usize = 16;
/// The shared memory in bytes that every device offers to a block.
const SHARED_BYTES: usize = 48 << 10;

/// The tile of a block, and its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Block {
    pub(super) sides: Sides,
    pub(super) threads: u16,
    pub(super) vectors: Vectors,
}

/// The consecutive elements that a thread reads or writes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Vectors {
    /// Of transposed operands, in memory.
    pub(super) read: u8,
    /// Of other operands and results.
    pub(super) vector: u8,
}

impl Vectors {
    /// Returns the widest vectors of which all operands consist. `is_aligned` returns whether the address of
    /// an operand's first element is a multiple of this many bytes.
    pub(super) fn widest(
        form: &Form,
        space: &Space,
        transposed: Transposed,
        is_aligned: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let leaves = form.leaves.len();
        let last = space.rank() - 1;
        let across = usize::from(transposed.across);
        let size = |operand: usize| match operand.checked_sub(leaves) {
            None => form.leaves[operand].data.size(),
            Some(output) => form.outputs[output].0.size(),
        };
        let source = |operand: usize| match operand < leaves {
            true => form.leaves[operand].source,
            false => LeafSource::Memory,
        };
        let is_transposed = |operand: usize| operand < leaves && transposed.has(operand);
        let operands = || 0..leaves + form.outputs.len();
        // Whether an operand consists of whole vectors of this many elements along an axis.
        let whole = |operand: usize, axis: usize, width: usize| {
            let bytes = width * size(operand);
            let strides = space.strides[operand][..=last].iter().enumerate();
            let mut others = strides.filter(|&(own, _)| own != axis);
            space.strides[operand][axis] == 1
                && others.all(|(_, &stride)| stride % width as isize == 0)
                && bytes.is_power_of_two()
                && bytes <= VECTOR_BYTES
                && is_aligned(operand, bytes)
        };
        let widest = |fits: &dyn Fn(usize) -> bool| {
            let widths = [16, 8, 4, 2].into_iter();
            widths.into_iter().find(|&width| fits(width)).unwrap_or(1) as u8
        };
        let read = widest(&|width| {
            let mut read = operands().filter(|&i| is_transposed(i));
            space.lengths[across].is_multiple_of(width) && read.all(|i| whole(i, across, width))
        });
        let vector = widest(&|width| {
            let fits = |i: usize| match (space.strides[i][last], source(i)) {
                _ if is_transposed(i) => width * size(i) <= VECTOR_BYTES,
                (_, LeafSource::Random) => false,
                (0, _) => true,
                (_, LeafSource::Memory) => whole(i, last, width),
                (stride, _) => stride == 1,
            };
            space.lengths[last].is_multiple_of(width) && operands().all(fits)
        });
        Self { read, vector }
    }
}

impl Block {
    /// Returns the tile with which the kernel takes the least time for axes of these lengths, the innermost
    /// one and the one across, or `None` if operands don't fit into shared memory or a tile has few
    /// elements. `largest` is the size of the transposed operands' largest element, and `elements` the number
    /// of elements of the space.
    pub(super) fn choose(
        transposed: Transposed,
        largest: usize,
        [inner, across]: [usize; 2],
        elements: usize,
        vectors: Vectors,
        multiprocessors: u32,
    ) -> Option<Self> {
        let small = largest <= 2;
        let is_whole =
            |length: usize| length <= SHORT_AXIS && !length.is_multiple_of(usize::from(SIDE));
        // The side beside a short one.
        let beside = |short: usize, long: usize| {
            let side = (640 / short).next_power_of_two().clamp(64, 256);
            side.min(long.next_power_of_two()) as u16
        };
        let square = |side: u16| (side, side);
        let (width, height) = match (is_whole(inner), is_whole(across)) {
            (true, true) => (inner as u16, across as u16),
            (true, false) => (inner as u16, beside(inner, across)),
            (false, true) => (beside(across, inner), across as u16),
            (false, false) => {
                let wide = small && vectors.read >= 4 && vectors.vector >= 4;
                let tiles = elements as u64 / u64::from(LARGE_SIDE).pow(2);
                let many = tiles >= LARGE_TILES * u64::from(multiprocessors);
                square(if wide && many { LARGE_SIDE } else { SIDE })
            }
        };
        let in_vectors = vectors.read > 1 || vectors.vector > 1;
        let threads = match (width, height) {
            (LARGE_SIDE, LARGE_SIDE) => 256,
            (SIDE, SIDE) if !small || !in_vectors => 256,
            _ => 128,
        };
        // Rows have a distance of up to 7 elements.
        let room = |height: u16| usize::from(width) * usize::from(height + 7);
        let fits = room(height) * usize::from(transposed.bytes) <= SHARED_BYTES;
        let enough = usize::from(width) * usize::from(height) >= LEAST_TILE;
        (fits && enough).then_some(Self {
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
    use super::{
        super::super::{leaf::LeafForm, transposed::tests::space},
        *,
    };
    use crate::element::DataType;

    fn transposed(bytes: u8) -> Transposed {
        let space = space(&[64, 64], &[&[1, 64]]);
        Transposed::find(&space, 1, 16, |_| Some(bytes.into())).unwrap()
    }

    /// The sides and threads of a block for axes of these lengths, across and innermost, on a device of 132
    /// multiprocessors.
    fn chosen(lengths: [usize; 2], bytes: u8, vectors: [u8; 2]) -> Option<[u16; 3]> {
        let [across, inner] = lengths;
        let block = Block::choose(
            transposed(bytes),
            bytes.into(),
            [inner, across],
            inner * across,
            Vectors {
                read: vectors[0],
                vector: vectors[1],
            },
            132,
        )?;
        Some([block.sides.height, block.sides.width, block.threads])
    }

    #[test]
    fn many_small_elements_in_vectors_have_large_tiles() {
        let large = [2048, 2048];
        assert_eq!(chosen(large, 2, [8, 4]), Some([64, 64, 256]));
        assert_eq!(chosen([1024, 2048], 2, [8, 4]), Some([32, 32, 128]));
        assert_eq!(chosen(large, 2, [2, 8]), Some([32, 32, 128]));
        assert_eq!(chosen(large, 2, [1, 1]), Some([32, 32, 256]));
        assert_eq!(chosen(large, 4, [4, 4]), Some([32, 32, 256]));
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

    /// The widest vectors of operands with these types and strides. The last one is the result.
    fn widest(lengths: &[usize], operands: &[(DataType, &[isize])], aligned: usize) -> [u8; 2] {
        let strides: Vec<&[isize]> = operands.iter().map(|operand| operand.1).collect();
        let space = space(lengths, &strides);
        let (result, leaves) = operands.split_last().unwrap();
        let leaves = leaves.iter().enumerate();
        let leaves =
            leaves.map(|(i, &(data, _))| LeafForm::of(LeafSource::Memory, data, space.access(i)));
        let form = Form {
            leaves: leaves.collect(),
            outputs: vec![(result.0, space.access(operands.len() - 1))],
            rank: lengths.len() as u8,
            ..Form::default()
        };
        let size = |leaf: usize| Some(form.leaves[leaf].data.size());
        let found = Transposed::find(&space, form.leaves.len(), 16, size).unwrap();
        let vectors = Vectors::widest(&form, &space, found, |_, bytes| bytes <= aligned);
        [vectors.read, vectors.vector]
    }

    #[test]
    fn vectors_are_whole_in_all_operands() {
        use DataType::{F16, F32, F64, U8};
        let square = |data| widest(&[64, 64], &[(data, &[1, 64]), (data, &[64, 1])], 16);
        assert_eq!(
            [U8, F16, F32, F64].map(square),
            [[16; 2], [8; 2], [4; 2], [2; 2]]
        );
        // The lengths of both axes, and the strides of other ones, are multiples of the vectors.
        let of = |[rows, columns]: [isize; 2]| {
            let lengths = [rows as usize, columns as usize];
            widest(&lengths, &[(F16, &[1, rows]), (F16, &[columns, 1])], 16)
        };
        assert_eq!(of([66, 68]), [2, 4]);
        assert_eq!(of([67, 64]), [1, 8]);
        let batch = [(F16, &[4100, 1, 64][..]), (F16, &[4096, 64, 1])];
        assert_eq!(widest(&[3, 64, 64], &batch, 16), [4, 8]);
        // The alignment of addresses.
        let misaligned = widest(&[64, 64], &[(F16, &[1, 64]), (F16, &[64, 1])], 4);
        assert_eq!(misaligned, [2, 2]);
        // Other operands: larger elements, one for each row, and every second one.
        let with = |data, other: &[isize]| {
            let operands = [(F16, &[1, 64][..]), (data, other), (F16, &[64, 1])];
            widest(&[64, 64], &operands, 16)
        };
        assert_eq!(with(F32, &[64, 1]), [8, 4]);
        assert_eq!(with(F32, &[1, 0]), [8, 8]);
        assert_eq!(with(F32, &[128, 2]), [8, 1]);
    }
}
