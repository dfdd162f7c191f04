//! The kernel of reductions with transposed operands.

use std::{mem::offset_of, sync::Arc};

use bytemuck::{Pod, Zeroable};
use cuda_safe::LaunchConfig;

use super::{
    super::{
        hashed::Hashed,
        launch::Launch,
        operands::{Operands, grid, magic},
        reduction::{Folded, accumulator_bytes, accumulator_room},
        render::Form,
        state::Evaluation,
        transposed::{Sides, Transposed, Vectors},
    },
    grouped::{LAST_BLOCK, Places, launch_with_partials},
    groups::{Group, Groups},
    source::source,
};
use crate::{
    error::Result,
    kernel::{Hardware, Source, Specialisation, ZEROED_WORDS},
};

const TEXT: &str = include_str!("../../kernels/fold_tile.cu");
/// The number of elements along each side of a tile.
const EDGE: usize = 32;
const SIDES: Sides = Sides {
    width: EDGE as u16,
    height: EDGE as u16,
};
/// The minimum length of both axes of a tile.
const LEAST_AXIS: usize = 16;
/// Threads per block.
const THREADS: u32 = 256;
/// Elements of a tile per thread.
const STEPS: usize = EDGE * EDGE / THREADS as usize;
/// The shared memory in bytes that a block uses for tiles and accumulators. Every device offers 1 KiB
/// more.
const SHARED_BYTES: usize = 47 << 10;
/// The minimum number of elements per multiprocessor. Operands of fewer elements fit in the cache, so
/// that the order of reads matters less.
const MIN_ELEMENTS: u64 = 1 << 13;
/// Registers of a thread for operands and accumulators, by the number of blocks that run on a
/// multiprocessor at the same time.
const REGISTERS: [(u8, usize); 2] = [(4, 36), (2, 100)];
/// The maximum number of partial results that the last block combines, per thread.
const MAX_PARTIALS: u64 = 512;

/// A kernel for the folds of one form of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TiledFold {
    form: Hashed<Form>,
    folds: Arc<[Folded]>,
    transposed: Transposed,
    /// A bit for each folded axis.
    folded: u8,
    /// The number of consecutive elements of transposed operands that a thread reads at once.
    read: u8,
    residence: Residence,
}

/// The resources of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Residence {
    /// The tiles that a block loads before it folds any.
    unroll: u8,
    /// Whether a thread loads all operands of these tiles at once.
    early: bool,
    /// The number of blocks that run on a multiprocessor at the same time.
    blocks: u8,
}

impl Residence {
    /// For operands that don't fit in registers.
    const SMALLEST: Self = Self {
        unroll: 1,
        early: false,
        blocks: 1,
    };

    /// Returns the largest number of tiles, of at most `most`, for which registers and shared memory
    /// suffice. The latter must suffice for one tile.
    fn of(form: &Form, transposed: Transposed, folds: &[Folded], most: u64) -> Self {
        // Each element has its own code.
        let (unroll, temporary) = if form.is_simple() { (4, 0) } else { (2, 20) };
        let fixed = 2 * STEPS * accumulator_bytes(folds).div_ceil(4) + temporary;
        let words = STEPS * transposed.other_words(form);
        let fits = |unroll: u8, registers: usize| {
            let tiles = usize::from(unroll);
            u64::from(unroll) <= most
                && tiles * words + fixed <= registers
                && shared_bytes(transposed, folds, tiles) <= SHARED_BYTES
        };
        let choices = [4, 2, 1].into_iter().filter(|&own| own <= unroll);
        let choices = choices.flat_map(|unroll| REGISTERS.map(|choice| (unroll, choice)));
        let found = choices
            .into_iter()
            .find_map(|(unroll, (blocks, registers))| {
                let found = Self {
                    unroll,
                    early: true,
                    blocks,
                };
                fits(unroll, registers).then_some(found)
            });
        found.unwrap_or(Self::SMALLEST)
    }
}

/// Returns the shared memory in bytes for this many tiles of each transposed operand, and for an
/// accumulator of each thread.
fn shared_bytes(transposed: Transposed, folds: &[Folded], tiles: usize) -> usize {
    // Rows have a distance of up to four elements.
    let elements = tiles * EDGE * (EDGE + 4);
    elements * usize::from(transposed.bytes) + THREADS as usize * accumulator_room(folds)
}

impl Specialisation for TiledFold {
    fn source(&self) -> Source {
        let source = source(&self.form, ("fold_tile.cu", TEXT, "fold_tile"), &self.folds)
            .header("last_block.cuh", LAST_BLOCK)
            .define("UNROLL", self.residence.unroll)
            .define("EARLY", u8::from(self.residence.early))
            .define("BLOCKS", self.residence.blocks)
            .define("FOLDED", self.folded)
            .define("READ", self.read)
            .define("ROOM", accumulator_room(&self.folds));
        self.transposed.add_to(source, &self.form, SIDES)
    }
}

/// The first words of the struct `Sizes` of `kernels/fold_tile.cu`. The lengths of the axes follow.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sizes {
    count: u64,
    folded: u64,
    splits: u64,
    share: u64,
    by_splits: u64,
    partials: u64,
    counters: u64,
}

/// Returns the transposed operands, if the kernel of tiles is faster with them than other kernels.
pub(super) fn transposed(
    operands: &Operands<'_>,
    folds: &[Folded],
    groups: &Groups,
    hardware: &Hardware,
) -> Option<Transposed> {
    if groups.elements(Group::Folded) == 0 || operands.has_indices() {
        return None;
    }
    let size = |leaf| operands.bytes_in_memory(leaf);
    let found = Transposed::find(&operands.space, operands.leaves().len(), LEAST_AXIS, size)?;
    let space = &operands.space;
    let lengths = space.lengths.iter();
    let elements: u64 = lengths.map(|&length| length as u64).product();
    let enough = MIN_ELEMENTS * u64::from(hardware.multiprocessors.max(1));
    let tiles: u64 = found.tiles(space, SIDES).iter().product();
    // The kernel for columns is fast if the axis that does not fill tiles is folded: 2^21 x 17 `f32` took
    // 72 µs with it and 172 with tiles. Along the other axis, it took 329 and tiles 89 (H200).
    let axes = [usize::from(found.across), space.rank() - 1];
    let folds_waste = axes.into_iter().any(|axis| {
        let length = space.lengths[axis];
        space.groups[axis] == Group::Folded as u8
            && length.next_multiple_of(EDGE) * 10 > length * 12
    });
    let least = if folds_waste { 60 } else { 50 };
    let fills_tiles = elements * 100 >= tiles * (EDGE * EDGE) as u64 * least;
    let fits = shared_bytes(found, folds, 1) <= SHARED_BYTES;
    (elements >= enough && fills_tiles && fits).then_some(found)
}

/// Enqueues the reduction.
pub(super) fn run(
    evaluation: &mut Evaluation<'_>,
    mut operands: Operands<'_>,
    folds: Vec<Folded>,
    groups: &Groups,
    transposed: Transposed,
) -> Result<()> {
    let kernels = evaluation.kernels;
    let form = Transposed::form(operands.form(1));
    let words = operands.words(&form)?;
    let space = &operands.space;
    let is_folded = |axis: usize| space.groups[axis] == Group::Folded as u8;
    let mask = (0..space.rank()).filter(|&axis| is_folded(axis));
    let mask = mask.fold(0, |mask, axis| mask | 1 << axis);
    let tiles = transposed.tiles(space, SIDES);
    let product = |folded: bool| -> u64 {
        let axes = tiles.iter().enumerate();
        let axes = axes.filter(|&(axis, _)| is_folded(axis) == folded);
        axes.map(|(_, &tiles)| tiles).product()
    };
    let (kept, folded) = (product(false), product(true));
    let residence = Residence::of(&form, transposed, &folds, folded);
    let is_aligned = |operand, bytes| operands.is_aligned(operand, bytes);
    let vectors = Vectors::widest(&form, space, transposed, is_aligned);
    let read = vectors.read.min(STEPS as u8);
    // The results of a block.
    let last = space.rank() - 1;
    let edge = |axis: usize| if is_folded(axis) { 1 } else { EDGE as u64 };
    let results = edge(last) * edge(transposed.across.into());
    let most = MAX_PARTIALS * u64::from(THREADS) / results;
    let splits = splits(kept, folded, most, residence, kernels.hardware());
    let room = kept * splits * results * accumulator_room(&folds) as u64;
    let sizes = Sizes {
        count: groups.elements(Group::Folded),
        folded,
        splits,
        share: folded.div_ceil(splits),
        by_splits: magic(splits),
        partials: 0,
        counters: 0,
    };
    let mut sizes = bytemuck::cast_slice(&[sizes]).to_vec();
    sizes.extend(space.lengths.iter().map(|&length| length as u64));
    sizes.extend(tiles.iter().map(|&tiles| magic(tiles)));
    let kernel = TiledFold {
        form: Hashed::new(form),
        folds: folds.into(),
        transposed,
        folded: mask,
        read,
        residence,
    };
    let launch = Launch {
        kernel: kernels.get(&kernel)?,
        config: LaunchConfig::new(grid(kept * splits)?, THREADS),
        words,
        sizes,
        scratch: [None; 2],
    };
    let place = |offset: usize| offset / size_of::<u64>();
    let places = Places {
        partials: place(offset_of!(Sizes, partials)),
        counters: place(offset_of!(Sizes, counters)),
    };
    let room = if splits > 1 { room } else { 0 };
    // SAFETY: the kernel was generated for these words and sizes, which are its parameters. It
    // reads elements of the leaves within their layouts and writes one element per result. It also
    // uses the buffer for partial results and the counters of this stream, which are zero before
    // and after.
    unsafe { launch_with_partials(evaluation, launch, places, room, &kernel.form, &operands) }
}

/// Returns the number of blocks that share the `folded` tiles of each of `kept` tiles of results:
/// enough to fill the device, with a few tiles each, and at most `most`.
fn splits(kept: u64, folded: u64, most: u64, residence: Residence, hardware: &Hardware) -> u64 {
    let enough = u64::from(hardware.multiprocessors.max(1)) * u64::from(residence.blocks);
    if kept >= enough || kept > ZEROED_WORDS as u64 {
        return 1;
    }
    let pieces = folded.div_ceil(residence.unroll.into());
    let splits = (enough / kept).min(pieces).clamp(1, most);
    // No block is without tiles.
    folded.div_ceil(folded.div_ceil(splits))
}

#[cfg(test)]
mod tests;
