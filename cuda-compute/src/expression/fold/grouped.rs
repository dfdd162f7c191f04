//! The kernel of reductions with several results: of rows, or of columns.

use std::{mem::offset_of, sync::Arc};

use bytemuck::{Pod, Zeroable};
use cuda_safe::{DeviceBuffer, LaunchConfig};

use super::{
    super::{
        hashed::Hashed,
        launch::{KEPT_PARTIALS, Launch, Scratch},
        operands::{Operands, grid, magic},
        reduction::{Folded, accumulator_room},
        render::Form,
        state::Evaluation,
    },
    groups::{Group, Groups},
    schedule::{Registers, THREADS, Vectors, Walk, lanes, schedule},
    source::source,
};
use crate::{
    error::Result,
    kernel::{Source, Specialisation},
};

/// The minimum number of blocks per multiprocessor, which keeps enough loads in flight.
const BLOCKS: u32 = 4;
const TEXT: &str = include_str!("../../kernels/fold.cu");
pub(super) const LAST_BLOCK: &str = include_str!("../../kernels/last_block.cuh");

/// A kernel for the folds of one form of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FoldKernel {
    form: Hashed<Form>,
    folds: Arc<[Folded]>,
    walk: Walk,
    unroll: u8,
    /// The first and the last folded axis.
    folded: (u8, u8),
}

impl Specialisation for FoldKernel {
    fn source(&self) -> Source {
        let (group, columns) = match self.walk {
            Walk::Rows { group } => (group, 0),
            Walk::Columns { width } => (0, width),
            Walk::Alone => (0, THREADS),
        };
        let lanes = match columns {
            0 => lanes(&self.form, &self.folds),
            _ => self.form.vector.into(),
        };
        source(&self.form, ("fold.cu", TEXT, "fold"), &self.folds)
            .header("last_block.cuh", LAST_BLOCK)
            .define("THREADS", THREADS)
            .define("UNROLL", self.unroll)
            .define("BLOCKS", BLOCKS)
            .define("LANES", lanes)
            .define("GROUP", group)
            .define("COLUMNS", columns)
            .define("ALONE", u8::from(self.walk == Walk::Alone))
            .define("FOLDED_FROM", self.folded.0)
            .define("FOLDED_TO", self.folded.1)
            .define("ROOM", accumulator_room(&self.folds))
    }
}

/// The struct `Sizes` of `kernels/fold.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sizes {
    outer: u64,
    length: u64,
    inner: u64,
    count: u64,
    splits: u64,
    share: u64,
    tiles: u64,
    by_splits: u64,
    by_tiles: u64,
    by_inner: u64,
    partials: u64,
    counters: u64,
}

/// Enqueues the reduction. `count` is the number of elements per result.
pub(super) fn run(
    evaluation: &mut Evaluation<'_>,
    mut operands: Operands<'_>,
    folds: Vec<Folded>,
    groups: &Groups,
) -> Result<()> {
    let kernels = evaluation.kernels;
    let outer = groups.elements(Group::Outer);
    let (length, inner) = (
        groups.elements(Group::Folded),
        groups.elements(Group::Inner),
    );
    let mut vector = operands.vector_width();
    // Rows and columns are whole numbers of vectors.
    let along = if groups.in_rows() { length } else { inner };
    let each = kernels
        .hardware()
        .elements_of_a_thread(outer * length * inner);
    while !along.is_multiple_of(vector as u64) || vector as u64 > each {
        vector /= 2;
    }
    let form = operands.form(vector);
    let words = operands.words(&form)?;
    let (count, vector) = (length, vector as u64);
    let space = match groups.in_rows() {
        true => (outer, length / vector, 1),
        false => (outer, length, inner / vector),
    };
    let registers = match groups.in_rows() {
        true => Registers::of_one_result(&form, &folds),
        false => Registers::of(&form, &folds),
    };
    let schedule = schedule(
        kernels,
        groups.in_rows(),
        space,
        registers,
        Vectors {
            each: each / vector,
            bytes: vector * element_bytes(&form),
            simple: form.is_simple(),
            work: form.work(),
            combinations: combines(&operands),
        },
    );
    let vectors = if groups.in_rows() { 1 } else { vector };
    let room = schedule.partials() * vectors * accumulator_room(&folds) as u64;
    let kernel = FoldKernel {
        form: Hashed::new(form),
        folds: folds.into(),
        walk: schedule.walk,
        unroll: schedule.unroll,
        folded: operands.space.axes_of(Group::Folded as u8),
    };
    let (outer, length, inner) = space;
    let tiles = match schedule.walk {
        Walk::Rows { .. } | Walk::Alone => 1,
        Walk::Columns { width } => inner.div_ceil(u64::from(width)),
    };
    let sizes = Sizes {
        outer,
        length,
        inner,
        count,
        splits: schedule.splits,
        share: length.div_ceil(schedule.splits),
        tiles,
        by_splits: magic(schedule.splits),
        by_tiles: magic(tiles),
        by_inner: magic(inner),
        partials: 0,
        counters: 0,
    };
    let place = |offset: usize| offset / size_of::<u64>();
    let places = Places {
        partials: place(offset_of!(Sizes, partials)),
        counters: place(offset_of!(Sizes, counters)),
    };
    let launch = Launch {
        kernel: kernels.get(&kernel)?,
        config: LaunchConfig::new(grid(schedule.blocks())?, THREADS),
        words,
        sizes: bytemuck::cast_slice(&[sizes]).to_vec(),
        scratch: [None; 2],
    };
    let room = if schedule.splits > 1 { room } else { 0 };
    // SAFETY: the kernel was generated for these words and sizes, which are its parameters. It
    // reads elements of the leaves within their layouts and writes one element per result. It also
    // uses the buffer for partial results and the counters of this stream, which are zero before
    // and after.
    unsafe { launch_with_partials(evaluation, launch, places, room, &kernel.form, &operands) }
}

/// The places of addresses among the words of a kernel's sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The partial results of blocks that share results.
    pub(super) partials: usize,
    /// The numbers of finished blocks, which are zero before and after.
    pub(super) counters: usize,
}

/// Enqueues a launch whose blocks use `room` bytes for partial results. If this is 0, they share no
/// results.
///
/// # Safety
/// As for [`Evaluation::launch`], apart from the memory at the two places.
pub(super) unsafe fn launch_with_partials(
    evaluation: &mut Evaluation<'_>,
    mut launch: Launch,
    places: Places,
    room: u64,
    form: &Form,
    operands: &Operands<'_>,
) -> Result<()> {
    let mut own = None;
    if room > 0 {
        launch.scratch[0] = Some((places.counters, Scratch::Zeroed));
        if room as usize <= KEPT_PARTIALS {
            launch.scratch[1] = Some((places.partials, Scratch::Partials));
        } else {
            let buffer = DeviceBuffer::<u8>::uninit(evaluation.stream, room as usize)?;
            launch.sizes[places.partials] = buffer.as_device_ptr();
            own = Some(buffer);
            evaluation.record = None; // the next evaluation has another buffer
        }
    }
    // SAFETY: the caller's promise.
    let launched = unsafe { evaluation.launch(launch, form, operands) };
    drop(own); // freed in the stream's order
    launched
}

/// Returns whether no operand differs both along outer and along folded axes.
fn combines(operands: &Operands<'_>) -> bool {
    let space = &operands.space;
    let moves = |leaf: usize, group: Group| {
        let axes = space.groups.iter().zip(&space.strides[leaf]);
        let mut moving = axes.filter(|&(_, &stride)| stride != 0);
        moving.any(|(&own, _)| own == group as u8)
    };
    (0..operands.leaves().len())
        .all(|leaf| !(moves(leaf, Group::Outer) && moves(leaf, Group::Folded)))
}

/// Returns the size of the largest elements that a thread reads.
fn element_bytes(form: &Form) -> u64 {
    let read = form.leaves.iter().filter(|leaf| leaf.is_read());
    read.map(|leaf| leaf.data.size() as u64).max().unwrap_or(4)
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::{super::super::reduction::Fold, *};
    use crate::{
        array::{Layout, Memory, Shape},
        element::DataType,
        kernel::Kernels,
    };

    #[test]
    fn partials_of_many_blocks_have_room() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::of_multiprocessors(&context, 132);
        // 129 blocks share 32 vectors of four columns, which is more than a stream keeps.
        let (rows, columns) = (129 * 128, 128);
        let splits = {
            let space = (1, rows as u64, 32);
            let registers = Registers {
                vector: 1,
                accumulators: 1,
            };
            let vectors = Vectors {
                each: 8,
                bytes: 16,
                simple: true,
                work: 10,
                combinations: false,
            };
            schedule(&kernels, false, space, registers, vectors).splits
        };
        assert_eq!(splits, 129);
        assert!(splits as usize * columns * accumulator_room_of_a_sum() > KEPT_PARTIALS);
        let host: Vec<f32> = (0..rows * columns).map(|i| (i % 7) as f32).collect();
        let buffer = DeviceBuffer::from_slice(&stream, cuda_safe::bytemuck::cast_slice(&host));
        let memory = Memory::of(&kernels, buffer.unwrap());
        let layout = Layout::dense(Shape::of(&[rows, columns]), crate::array::Order::C);
        let x = crate::array::Array::<f32>::of(Arc::new(memory), layout);
        let sums = x.sum_axis(0).eval().unwrap().to_vec().unwrap();
        for (column, sum) in sums.into_iter().enumerate() {
            let own = host[column..].iter().step_by(columns);
            assert_eq!(sum, own.sum::<f32>(), "{column}");
        }
    }

    fn accumulator_room_of_a_sum() -> usize {
        accumulator_room(&[Folded {
            fold: Fold::Sum,
            data: DataType::F32,
            value: 0,
            place: 0,
        }])
    }

    #[test]
    fn the_densest_axis_decides_between_rows_and_columns() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let chosen = |lengths: &[usize], order: &[usize], axis: usize| {
            let kernels = Kernels::of_multiprocessors(&context, 1);
            let x = kernels.zeros::<f32>(&stream, lengths);
            let x = x.permute(order).unwrap();
            assert!(x.sum_axis(axis).eval().unwrap().to_vec().unwrap()[0] == 0.0);
            let mut found: Vec<FoldKernel> = kernels.compiled_for();
            let kernel = found.remove(0);
            (kernel.walk, kernel.form.vector, kernel.unroll)
        };
        let rows = |group| Walk::Rows { group };
        let columns = |width| Walk::Columns { width };
        assert_eq!(chosen(&[256, 64], &[0, 1], 1), (rows(4), 4, 4));
        assert_eq!(chosen(&[256, 64], &[1, 0], 0), (rows(4), 4, 4));
        assert_eq!(chosen(&[256, 64], &[0, 1], 0), (columns(8), 4, 8));
        // Vectors end with each row, and with the columns.
        assert_eq!(chosen(&[256, 62], &[0, 1], 1), (rows(8), 2, 2));
        assert_eq!(chosen(&[256, 63], &[0, 1], 0), (columns(32), 1, 8));
        // Axes of one element are ignored.
        assert_eq!(chosen(&[256, 64, 1], &[0, 1, 2], 1), (rows(4), 4, 4));
        assert_eq!(chosen(&[16384, 1], &[0, 1], 1), (Walk::Alone, 4, 1));
        assert_eq!(chosen(&[4, 64], &[0, 1], 0), (Walk::Alone, 1, 4));
        // Threads of small reductions get few elements.
        assert_eq!(chosen(&[4, 64], &[0, 1], 1), (rows(32), 1, 2));
        assert_eq!(chosen(&[9, 64], &[0, 1], 0), (columns(32), 1, 1));
    }
}
