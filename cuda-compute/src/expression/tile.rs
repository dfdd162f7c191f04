//! The elementwise kernel of expressions with transposed operands.

use super::{
    hashed::Hashed,
    leaf::LeafForm,
    operands::{grid, magic},
    plan::LeafSource,
    render::{Form, Use},
    space::Space,
    transposed::Transposed,
};
use crate::{
    error::Result,
    kernel::{Hardware, Source, Specialisation},
};

const TEXT: &str = include_str!("../kernels/tile.cu");
/// Side lengths of tiles, in order of preference.
const EDGES: [usize; 2] = [64, 32];
/// Rows of a tile that a block reads at once.
const ROWS: u8 = 8;
/// Rows of a small tile that a block reads at once, if there are few tiles or large elements. 512 x 512
/// `f32` took 4.2 µs with such tiles, 4.5 with 8 rows at once, and 5.2 with tiles of 64 x 64 (H200).
const SMALL_ROWS: u8 = 16;
/// The size of a transposed element in bytes from which all tiles are small. 2000 x 2048 `f64` took 28.7 µs
/// with small tiles, and 32.8 with large ones (H200).
const LARGE_ELEMENT: usize = 8;
/// The number of elements up to which no tiles are used. 64 x 64 `f32` took 3.4 µs without and 3.7 with a
/// tile, 64 x 1024 took 4.0 and 3.7 (H200).
const FEW_ELEMENTS: usize = 1 << 13;
/// The shared memory in bytes that every device offers to a block.
const SHARED_BYTES: usize = 48 << 10;

/// A kernel for one form of expression with transposed leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tile {
    form: Hashed<Form>,
    transposed: Transposed,
    /// The number of elements along each side of a tile.
    edge: u8,
    /// Rows of a tile that the threads of a block read at once.
    rows: u8,
}

impl Specialisation for Tile {
    fn source(&self) -> Source {
        let source = self
            .form
            .add_headers(Source::new("tile.cu", TEXT, "tile"), Use::Stored);
        self.transposed
            .add_to(source, &self.form)
            .define("EDGE", self.edge)
            .define("ROWS", self.rows)
            .define("EARLY", u8::from(self.loads_early()))
    }
}

/// The division of a space into tiles, one for each block.
#[derive(Debug)]
pub(super) struct Tiling {
    pub(super) transposed: Transposed,
    edge: usize,
    rows: u8,
    pub(super) blocks: u32,
    /// The struct `Sizes` of `kernels/tile.cu`: the length of each axis, and the constants for
    /// dividing by its number of tiles.
    pub(super) sizes: Vec<u64>,
}

/// Returns the tiles of a space, or `None` if transposing operands through shared memory would not
/// make the kernel faster.
pub(super) fn tiling(form: &Form, space: &Space, hardware: &Hardware) -> Result<Option<Tiling>> {
    if space.elements() <= FEW_ELEMENTS
        || space.inner_stride(form.leaves.len()) != 1
        || form.leaves.iter().any(|leaf| leaf.through.is_some())
    {
        return Ok(None);
    }
    let size = |leaf: usize| {
        let leaf = &form.leaves[leaf];
        (leaf.source == LeafSource::Memory).then(|| leaf.data.size())
    };
    let Some(transposed) = Transposed::find(space, form.leaves.len(), size) else {
        return Ok(None);
    };
    let fits = |edge: &usize| edge * (edge + 1) * usize::from(transposed.bytes) <= SHARED_BYTES;
    // Smaller tiles are for short axes, which fill less of larger ones.
    let elements = |edge: usize| -> u64 {
        let tiles: u64 = transposed.tiles(space, edge).iter().product();
        tiles * (edge * edge) as u64
    };
    let edge = EDGES.into_iter().filter(fits).reduce(|edge, smaller| {
        let wins = elements(smaller) * 5 <= elements(edge) * 4;
        if wins { smaller } else { edge }
    });
    let Some(mut edge) = edge else {
        return Ok(None);
    };
    let mut rows = ROWS;
    let blocks: u64 = transposed.tiles(space, edge).iter().product();
    let leaves_idle = blocks <= u64::from(hardware.multiprocessors);
    let is_large =
        |(i, leaf): (usize, &LeafForm)| transposed.has(i) && leaf.data.size() >= LARGE_ELEMENT;
    if leaves_idle || form.leaves.iter().enumerate().any(is_large) {
        (edge, rows) = (EDGES[1], SMALL_ROWS);
    }
    let tiles = transposed.tiles(space, edge);
    let lengths = space.lengths.iter().map(|&length| length as u64);
    Ok(Some(Tiling {
        transposed,
        edge,
        rows,
        blocks: grid(tiles.iter().product())?,
        sizes: lengths
            .chain(tiles.iter().map(|&tiles| magic(tiles)))
            .collect(),
    }))
}

impl Tile {
    pub(super) fn new(form: Form, tiling: &Tiling) -> Self {
        Self {
            form: Hashed::new(Transposed::form(form)),
            transposed: tiling.transposed,
            edge: tiling.edge as u8,
            rows: tiling.rows,
        }
    }

    pub(super) fn form(&self) -> &Form {
        &self.form
    }

    /// Returns whether all operands of a thread's elements are loaded at once, because registers
    /// suffice.
    fn loads_early(&self) -> bool {
        let elements = usize::from(self.edge / self.rows);
        elements * self.transposed.other_words(&self.form) <= 32
    }

    /// Returns the number of threads per block.
    pub(super) fn threads(&self) -> u32 {
        u32::from(self.edge) * u32::from(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::{super::transposed::tests::space, *};
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
        let tiling = tiling(&form, space, kernels.hardware()).unwrap()?;
        Some((Tile::new(form, &tiling), tiling))
    }

    #[test]
    fn a_block_computes_one_tile() {
        let blocks = |lengths: &[usize], leaf: &[isize], result: &[isize]| {
            let (tile, tiling) = tiled(lengths, &[F32], &[leaf, result])?;
            assert_eq!((tile.threads(), tile.edge), (512, 64));
            let lengths: Vec<u64> = lengths.iter().map(|&length| length as u64).collect();
            assert_eq!(tiling.sizes[..lengths.len()], lengths);
            Some((tiling.transposed.across, tiling.blocks))
        };
        assert_eq!(blocks(&[128, 128], &[1, 128], &[128, 1]), Some((0, 4)));
        // Only the two axes of a tile are cut.
        let (lengths, result) = ([3, 64, 128], [8192, 128, 1]);
        assert_eq!(blocks(&lengths, &[8192, 1, 64], &result), Some((1, 6)));
        let (lengths, result) = ([128, 3, 64], [192, 64, 1]);
        assert_eq!(blocks(&lengths, &[1, 8192, 128], &result), Some((0, 6)));
        // The result is not contiguous.
        assert_eq!(blocks(&[64, 64], &[1, 64], &[128, 2]), None);
    }

    #[test]
    fn short_axes_have_smaller_tiles() {
        let edge = |lengths: [usize; 2]| {
            let [rows, columns] = lengths.map(|length| length as isize);
            let (tile, _) = tiled(&lengths, &[F32], &[&[1, rows], &[columns, 1]]).unwrap();
            tile.edge
        };
        assert_eq!([[20, 1000], [1000, 32], [160, 160]].map(edge), [32; 3]);
        assert_eq!([[60, 1000], [1000, 64], [128, 100]].map(edge), [64; 3]);
    }

    #[test]
    fn few_tiles_and_large_elements_have_small_tiles() {
        let choice = |multiprocessors, length: usize, data| {
            let edge = length as isize;
            let space = space(&[length, length], &[&[1, edge], &[edge, 1]]);
            let leaf = LeafForm::of(LeafSource::Memory, data, space.access(0));
            let form = Form {
                leaves: vec![leaf],
                outputs: vec![(data, space.access(1))],
                rank: 2,
                narrow: true,
                vector: 1,
                ..Form::default()
            };
            let (tile, tiling) = tiling_on(multiprocessors, form, &space)?;
            Some((tile.edge, tile.rows, tiling.blocks))
        };
        assert_eq!(choice(63, 512, F32), Some((64, 8, 64)));
        assert_eq!(choice(64, 512, F32), Some((32, 16, 256)));
        assert_eq!(choice(63, 512, DataType::F64), Some((32, 16, 256)));
        // Fewer elements need no tiles.
        assert_eq!(choice(64, 96, F32), Some((32, 16, 9)));
        assert_eq!(choice(64, 90, F32), None);
    }

    #[test]
    fn tiles_fit_into_shared_memory() {
        let edge = |data: &[DataType]| {
            let leaves = vec![&[1, 128][..]; data.len()];
            let strides = [leaves, vec![&[128, 1][..]]].concat();
            let (tile, tiling) = tiled(&[128, 128], data, &strides)?;
            Some((tile.edge, tiling.blocks))
        };
        let large = DataType::Complex64;
        assert_eq!(edge(&[F32; 2]), Some((64, 4)));
        assert_eq!(edge(&[F32; 3]), Some((32, 16)));
        assert_eq!(edge(&[large; 2]), Some((32, 16)));
        assert_eq!(edge(&[large; 3]), None);
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
