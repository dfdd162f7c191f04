//! The kernel of reductions with several results: of rows, or of columns.

use std::{mem::offset_of, sync::Arc};

use bytemuck::{Pod, Zeroable};
use cuda_safe::{DeviceBuffer, LaunchConfig};

use super::{
    super::{
        hashed::Hashed,
        launch::{KEPT_PARTIALS, Launch, Scratch},
        leaf::LeafForm,
        operands::{Operands, grid, magic},
        reduction::{Folded, accumulator_room},
        render::Form,
        staged::{self, COPIED, Copied, SHARED_BYTES, are_many},
        state::Evaluation,
    },
    groups::{Group, Groups},
    schedule::{Registers, Schedule, THREADS, Vectors, Walk, lanes, schedule},
    source::source,
};
use crate::{
    error::Result,
    kernel::{Hardware, Source, Specialisation},
};

/// The minimum number of blocks per multiprocessor, which keeps enough loads in flight.
const BLOCKS: u32 = 4;
/// The most elements of a row for which a block has enough threads if each has 16.
const SHORT_ROW: u64 = 16 * THREADS as u64;
/// The minimum number of vectors of a row that blocks copy to shared memory. Shorter ones are as fast
/// without copies.
const MIN_COPIED: usize = 9;
const TEXT: &str = include_str!("../../kernels/fold.cu");
pub(super) const LAST_BLOCK: &str = include_str!("../../kernels/last_block.cuh");

/// A kernel for the folds of one form of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FoldKernel {
    pub(super) form: Hashed<Form>,
    pub(super) folds: Arc<[Folded]>,
    pub(super) walk: Walk,
    unroll: u8,
    /// The first and the last folded axis.
    folded: (u8, u8),
    /// The vectors of a row that a block copies to shared memory together with others, or 0.
    staged: u32,
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
        let source = source(&self.form, ("fold.cu", TEXT, "fold"), &self.folds);
        let source = match self.staged {
            0 => source,
            row => {
                let elements = THREADS * row * u32::from(self.form.vector);
                staged::add_headers(source, &self.form, elements as usize, false).define("N", row)
            }
        };
        source
            .define("STAGED", u8::from(self.staged > 0))
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
    // Merging the variances of threads takes many instructions: see `lanes`. Means and variances of rows of
    // 16 `f32` took 94 for each element, with eight threads for a row (H200).
    let is_short = groups.in_rows() && length <= SHORT_ROW;
    let each = match is_short && folds.iter().any(Folded::is_variance) {
        true => each.max(16),
        false => each,
    };
    while !along.is_multiple_of(vector as u64) {
        vector /= 2;
    }
    let row = (length as usize / vector, vector);
    let is_staged = groups.in_rows() && is_staged(kernels.hardware(), &operands, outer, row);
    while !is_staged && vector as u64 > each {
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
    let reads = form.leaves.iter().filter(|leaf| leaf.is_read()).count() as u64;
    let schedule = match is_staged {
        true => Schedule::of_whole_rows(outer, space.1, registers),
        false => schedule(
            kernels,
            groups.in_rows(),
            space,
            registers,
            Vectors {
                each: each / vector,
                bytes: vector * element_bytes(&form),
                simple: form.is_simple(),
                work: form.work(),
                reads,
                singles: form.leaves.iter().any(LeafForm::is_read_apart),
                combinations: combines(&operands, groups.in_rows()),
            },
        ),
    };
    let vectors = if groups.in_rows() { 1 } else { vector };
    let room = schedule.partials() * vectors * accumulator_room(&folds) as u64;
    let unroll = schedule.unroll.min(form.unroll(u64::MAX));
    let kernel = FoldKernel {
        form: Hashed::new(form),
        folds: folds.into(),
        walk: schedule.walk,
        unroll,
        folded: operands.space.axes_of(Group::Folded as u8),
        staged: if is_staged { space.1 as u32 } else { 0 },
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

/// Returns whether blocks copy rows of `length` vectors of this many elements to shared memory, where one
/// thread folds each. Threads read vectors of 16 bytes themselves.
fn is_staged(
    hardware: &Hardware,
    operands: &Operands<'_>,
    outer: u64,
    (length, vector): (usize, usize),
) -> bool {
    let fits = |copied: &Copied| {
        copied.widest < COPIED
            && !copied.others
            && copied.bytes * length * THREADS as usize <= SHARED_BYTES
    };
    length >= MIN_COPIED
        && are_many(hardware, outer as usize)
        && Copied::of(operands, vector).as_ref().is_some_and(fits)
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

/// Returns whether no operand differs both along folded axes, and along outer ones or those of columns.
fn combines(operands: &Operands<'_>, in_rows: bool) -> bool {
    let space = &operands.space;
    let kept = if in_rows { Group::Outer } else { Group::Inner };
    let moves = |leaf: usize, group: Group| {
        let axes = space.groups.iter().zip(&space.strides[leaf]);
        let mut moving = axes.filter(|&(_, &stride)| stride != 0);
        moving.any(|(&own, _)| own == group as u8)
    };
    (0..operands.leaves().len()).all(|leaf| !(moves(leaf, kept) && moves(leaf, Group::Folded)))
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
        array::{Array, Layout, Memory, Shape},
        element::DataType,
        kernel::Kernels,
        s,
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
                reads: 1,
                singles: false,
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

    /// Accumulators of both elements of a vector need 28 KiB of shared memory here.
    #[test]
    fn large_accumulators_of_columns_are_combined_one_element_at_a_time() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::of_multiprocessors(&context, 1);
        let (rows, columns) = (101, 192);
        let host: Vec<f64> = (0..rows * columns).map(|i| (i * 37 % 101) as f64).collect();
        let mut x = kernels.zeros::<f64>(&stream, &[rows, columns]);
        let values = Array::from_slice(&stream, &host).unwrap();
        x.assign(values.reshape([rows, columns]).unwrap()).unwrap();
        let (mean, variance, largest) = (x.mean_axis(0), x.var_axis(0, 0), x.argmax_axis(0));
        let (mean, variance, largest) = crate::eval((mean, variance, largest)).unwrap();
        let found: Vec<FoldKernel> = kernels.compiled_for();
        assert_eq!(found.len(), 1);
        let bytes = 32 * 8 * accumulator_room(&found[0].folds) * usize::from(found[0].form.vector);
        assert_eq!(found[0].walk, Walk::Columns { width: 32 });
        assert!(bytes > 16384, "{bytes}");
        let (mean, variance) = (mean.to_vec().unwrap(), variance.to_vec().unwrap());
        let largest = largest.to_vec().unwrap();
        for column in 0..columns {
            let own: Vec<f64> = host[column..].iter().step_by(columns).copied().collect();
            // The rows of a column are all numbers from 0 to 100, in some order.
            let place = own.iter().position(|&value| value == 100.0).unwrap();
            assert_eq!((mean[column], largest[column]), (50.0, place));
            assert!((variance[column] - 850.0).abs() < 1e-9, "{column}");
        }
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
        assert_eq!(chosen(&[256, 64], &[0, 1], 0), (columns(16), 4, 8));
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

    /// Sums, variances and maxima of 700 rows, whose last block has fewer.
    #[test]
    fn short_rows_are_copied_if_their_vectors_are_narrow() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let rows = 700;
        for length in (2..=20).chain([31, 33, 47, 49, 62]) {
            let kernels = Kernels::of_multiprocessors(&context, 1);
            let host: Vec<f32> = (0..rows * length).map(|i| (i * 37 % 101) as f32).collect();
            let mut x = kernels.zeros::<f32>(&stream, &[rows, length]);
            let values = Array::from_slice(&stream, &host).unwrap();
            x.assign(values.reshape([rows, length]).unwrap()).unwrap();
            let twice = &x * 2.0;
            let results = (twice.sum_axis(1), x.var_axis(1, 1), x.max_axis(1));
            let (sums, variances, largest) = crate::eval(results).unwrap();
            let found: Vec<FoldKernel> = kernels.compiled_for();
            let wanted = match length {
                length if length % 4 == 0 || length * 4 * 256 > SHARED_BYTES => 0,
                length if length % 2 == 0 => length / 2,
                length => length,
            };
            let wanted = if wanted < MIN_COPIED { 0 } else { wanted };
            assert_eq!(found[0].staged as usize, wanted, "{length}");
            let [sums, variances, largest] =
                [sums, variances, largest].map(|results| results.to_vec().unwrap());
            for (i, row) in host.chunks(length).enumerate() {
                let sum: f32 = row.iter().sum();
                let mean = sum / length as f32;
                let squares: f32 = row.iter().map(|x| (x - mean).powi(2)).sum();
                let variance = squares / (length - 1) as f32;
                assert_eq!(sums[i], 2.0 * sum, "{length}, {i}");
                let near = (variances[i] - variance).abs() <= variance * 1e-5;
                assert!(near, "{length}, {i}: {}, not {variance}", variances[i]);
                assert_eq!(largest[i], row.iter().copied().fold(0.0, f32::max));
            }
        }
    }

    #[test]
    fn rows_with_other_operands_are_not_copied() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let staged = |expression: fn(&Array<f32>, &Array<f32>) -> crate::Expr<f32>| {
            let kernels = Kernels::of_multiprocessors(&context, 1);
            let x = kernels.zeros::<f32>(&stream, &[301, 15]);
            let weights = kernels.zeros::<f32>(&stream, &[1, 15]);
            let zeros = expression(&x, &weights).eval().unwrap();
            assert!(zeros.to_vec().unwrap().iter().all(|&x| x == 0.0));
            let found: Vec<FoldKernel> = kernels.compiled_for();
            found.first().map_or(0, |kernel| kernel.staged)
        };
        assert_eq!(staged(|x, _| x.sum_axis(1)), 15);
        // A number, and values of the results.
        assert_eq!(staged(|x, _| (x * 3.0).sum_axis(1) * 2.0), 15);
        assert_eq!(staged(|x, weights| (x * weights).sum_axis(1)), 0);
        // Places, few rows, and memory that does not start at a multiple of 16 bytes.
        assert_eq!(staged(|x, _| x.argmax_axis(1).cast()), 0);
        assert_eq!(staged(|x, _| x.slice(s![..255]).unwrap().sum_axis(1)), 0);
        assert_eq!(staged(|x, _| x.slice(s![1..]).unwrap().sum_axis(1)), 0);
    }
}
