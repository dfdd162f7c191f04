//! The elementwise kernel of expressions with transposed operands.

mod block;

use self::block::Block;
use super::{
    hashed::Hashed,
    operands::{grid, magic},
    plan::LeafSource,
    render::{Form, Use},
    space::Space,
    transposed::{Transposed, Vectors},
};
use crate::{
    error::Result,
    kernel::{Hardware, Source, Specialisation},
};

const TEXT: &str = include_str!("../kernels/tile.cu");
/// The number of elements up to which no tiles are used. 64 x 64 `f32` took 3.4 µs without and 3.7 with a
/// tile, 64 x 1024 took 4.0 and 3.7 (H200).
const FEW_ELEMENTS: usize = 1 << 13;
/// The minimum length of both axes of a tile, with fewer elements than the next constant.
const LEAST_AXIS: usize = 16;
/// The number of elements from which axes may be shorter. 5 x 50705 `f32` took 4.1 µs without tiles and
/// 4.5 with them, 64 x 5 x 10000 took 12.1 and 10.2 (H200).
const MANY_ELEMENTS: usize = 1 << 20;
/// A kernel for one form of expression with transposed leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tile {
    form: Hashed<Form>,
    transposed: Transposed,
    block: Block,
}

impl Specialisation for Tile {
    fn source(&self) -> Source {
        let source = self
            .form
            .add_headers(Source::new("tile.cu", TEXT, "tile"), Use::Stored);
        self.transposed
            .add_to(source, &self.form, self.block.sides)
            .define("THREADS", self.block.threads)
            .define("READ", self.block.vectors.read)
            .define("EARLY", u8::from(self.loads_early()))
    }
}

/// The division of a space into tiles, one for each block.
#[derive(Debug)]
pub(super) struct Tiling {
    pub(super) transposed: Transposed,
    block: Block,
    pub(super) blocks: u32,
    /// The struct `Sizes` of `kernels/tile.cu`: the length of each axis, and the constants for
    /// dividing by its number of tiles.
    pub(super) sizes: Vec<u64>,
}

/// Returns the tiles of a space, or `None` if transposing operands through shared memory would not
/// make the kernel faster. `is_aligned` returns whether the address of an operand's first element is a
/// multiple of this many bytes.
pub(super) fn tiling(
    form: &Form,
    space: &Space,
    is_aligned: impl Fn(usize, usize) -> bool,
    hardware: &Hardware,
) -> Result<Option<Tiling>> {
    let elements = space.elements();
    if elements <= FEW_ELEMENTS
        || space.inner_stride(form.leaves.len()) != 1
        || form.leaves.iter().any(|leaf| leaf.through.is_some())
    {
        return Ok(None);
    }
    let size = |leaf: usize| {
        let leaf = &form.leaves[leaf];
        (leaf.source == LeafSource::Memory).then(|| leaf.data.size())
    };
    let find = |least: usize| Transposed::find(space, form.leaves.len(), least, size);
    let short = || (elements >= MANY_ELEMENTS).then(|| find(2)).flatten();
    let Some(transposed) = find(LEAST_AXIS).or_else(short) else {
        return Ok(None);
    };
    let sizes = || {
        (0..form.leaves.len())
            .filter(|&leaf| transposed.has(leaf))
            .filter_map(size)
    };
    let (smallest, largest) = (sizes().min().unwrap_or(1), sizes().max().unwrap_or(1));
    let [inner, across] = [space.inner(), space.lengths[usize::from(transposed.across)]];
    let vectors = Vectors::widest(form, space, transposed, is_aligned);
    // A warp that reads across a short axis needs the same sectors again soon, unless elements are small.
    let gains = (inner >= LEAST_AXIS || largest <= 2 && vectors.vector >= 4)
        && (across >= LEAST_AXIS || across * smallest >= 8);
    let block = Block::choose(
        transposed,
        largest,
        [inner, across],
        (elements, hardware.elements_of_a_thread(elements as u64)),
        vectors,
        hardware.multiprocessors,
    );
    let Some(block) = block.filter(|_| gains) else {
        return Ok(None);
    };
    let tiles = transposed.tiles(space, block.sides);
    let lengths = space.lengths.iter().map(|&length| length as u64);
    Ok(Some(Tiling {
        transposed,
        block,
        blocks: grid(tiles.iter().product())?,
        sizes: lengths
            .chain(tiles.iter().map(|&tiles| magic(tiles)))
            .collect(),
    }))
}

impl Tile {
    pub(super) fn new(form: Form, tiling: &Tiling) -> Self {
        let form = Form {
            vector: tiling.block.vectors.vector,
            ..Transposed::form(form)
        };
        Self {
            form: Hashed::new(form),
            transposed: tiling.transposed,
            block: tiling.block,
        }
    }

    pub(super) fn form(&self) -> &Form {
        &self.form
    }

    /// Returns whether all operands of a thread's elements are loaded at once, because registers
    /// suffice.
    fn loads_early(&self) -> bool {
        let elements = self.block.elements_of_a_thread();
        elements * self.transposed.other_words(&self.form) <= 32
    }

    /// Returns the number of threads per block.
    pub(super) fn threads(&self) -> u32 {
        self.block.threads.into()
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::{
        super::{leaf::LeafForm, transposed::tests::space},
        *,
    };
    use crate::{element::DataType, kernel::Kernels};

    const F32: DataType = DataType::F32;

    /// The kernel of leaves with these strides, with its tiling. The last strides are the result's.
    fn tiled(lengths: &[usize], data: &[DataType], strides: &[&[isize]]) -> Option<(Tile, Tiling)> {
        let space = space(lengths, strides);
        let leaves = data.iter().enumerate();
        let leaves =
            leaves.map(|(i, &data)| LeafForm::of(LeafSource::Memory, data, space.access(i)));
        let form = Form {
            leaves: leaves.collect(),
            outputs: vec![(F32, space.access(data.len()))],
            rank: lengths.len() as u8,
            narrow: true,
            vector: 1,
            ..Form::default()
        };
        tiling_on(1, form, &space)
    }

    fn tiling_on(multiprocessors: u32, form: Form, space: &Space) -> Option<(Tile, Tiling)> {
        let context = Context::primary(0).unwrap();
        let kernels = Kernels::of_multiprocessors(&context, multiprocessors);
        let tiling = tiling(&form, space, |_, _| true, kernels.hardware()).unwrap()?;
        Some((Tile::new(form, &tiling), tiling))
    }

    #[test]
    fn a_block_computes_one_tile() {
        let blocks = |lengths: &[usize], leaf: &[isize], result: &[isize]| {
            let (tile, tiling) = tiled(lengths, &[F32], &[leaf, result])?;
            let lengths: Vec<u64> = lengths.iter().map(|&length| length as u64).collect();
            assert_eq!(tiling.sizes[..lengths.len()], lengths);
            Some((tiling.transposed.across, tiling.blocks, tile.threads()))
        };
        assert_eq!(blocks(&[128, 128], &[1, 128], &[128, 1]), Some((0, 4, 512)));
        // Only the two axes of a tile are cut.
        let (lengths, result) = ([3, 64, 128], [8192, 128, 1]);
        assert_eq!(blocks(&lengths, &[8192, 1, 64], &result), Some((1, 6, 512)));
        let (lengths, result) = ([128, 3, 64], [192, 64, 1]);
        assert_eq!(
            blocks(&lengths, &[1, 8192, 128], &result),
            Some((0, 6, 512))
        );
        // The result is not contiguous.
        assert_eq!(blocks(&[64, 64], &[1, 64], &[128, 2]), None);
        // Few elements need no tiles.
        assert_eq!(blocks(&[96, 96], &[1, 96], &[96, 1]), Some((0, 9, 256)));
        assert_eq!(blocks(&[90, 90], &[1, 90], &[90, 1]), None);
    }

    #[test]
    fn short_axes_need_many_elements() {
        let sides = |data: DataType, lengths: [usize; 2]| {
            let [rows, columns] = lengths.map(|length| length as isize);
            let (tile, _) = tiled(&lengths, &[data], &[&[1, rows], &[columns, 1]])?;
            let sides = tile.block.sides;
            Some([sides.height, sides.width])
        };
        assert_eq!(sides(F32, [5, 200_000]), None);
        assert_eq!(sides(F32, [5, 300_000]), Some([5, 128]));
        assert_eq!(sides(F32, [2, 600_000]), Some([2, 256]));
        // Few bytes across, and few elements along the results.
        assert_eq!(sides(DataType::U8, [7, 300_000]), None);
        assert_eq!(sides(DataType::U8, [8, 300_000]), Some([8, 128]));
        assert_eq!(sides(F32, [300_000, 15]), None);
        assert_eq!(sides(F32, [300_000, 16]), Some([64, 16]));
        assert_eq!(sides(DataType::F16, [300_000, 12]), Some([64, 12]));
        assert_eq!(sides(DataType::F16, [300_000, 11]), None);
    }

    #[test]
    fn tiles_fit_into_shared_memory() {
        let blocks = |data: &[DataType]| {
            let leaves = vec![&[1, 128][..]; data.len()];
            let strides = [leaves, vec![&[128, 1][..]]].concat();
            Some(tiled(&[128, 128], data, &strides)?.1.blocks)
        };
        let large = DataType::Complex64;
        assert_eq!(blocks(&[F32; 3]), Some(16));
        assert_eq!(blocks(&[large; 2]), Some(16));
        assert_eq!(blocks(&[large; 3]), None);
    }

    #[test]
    fn operands_that_need_few_registers_are_loaded_early() {
        let early = |others: usize| {
            let data = vec![F32; others + 1];
            let direct = vec![&[128, 1][..]; others + 1];
            let strides = [vec![&[1, 128][..]], direct].concat();
            tiled(&[128, 128], &data, &strides).unwrap().0.loads_early()
        };
        assert!(early(4) && !early(5));
    }
}
