//! Kernels that reduce expressions along axes.

pub(crate) mod table;

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{DeviceBuffer, LaunchConfig, Stream};

use super::{
    hashed::Hashed,
    node::{Kind, Node},
    operands::{Operands, Target, grid, launch},
    plan::{Computed, Plan, Stored},
    reduction::{self, Folded, Reduction, add_to, header},
    render::Form,
};
use crate::{
    array::{Layout, MAX_RANK, Memory, Shape},
    error::{Error, Result},
    kernel::{Kernels, Source, Specialisation},
};

const THREADS: u32 = 256;
/// The minimum number of blocks per multiprocessor, which keeps enough loads in flight.
const BLOCKS: u32 = 4;
const TEXT: &str = include_str!("../../kernels/fold.cu");
/// Groups of axes, in the order in which a kernel traverses them.
const OUTER: u8 = 0;
const FOLDED: u8 = 1;
const INNER: u8 = 2;
/// The maximum number of results that blocks share, which is the number of counters.
const SHARED_RESULTS: u64 = 1 << 14;
/// The size in bytes of the buffer for partial results that is kept for each stream. Most
/// reductions then allocate nothing for them.
const KEPT_PARTIALS: usize = 256 << 10;

/// A kernel for the folds of one form of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FoldKernel {
    form: Hashed<Form>,
    folds: Arc<[Folded]>,
    walk: Walk,
    unroll: u8,
}

/// The way in which a kernel traverses its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Walk {
    /// Adjacent elements are folded, by `group` threads per row.
    Rows { group: u32 },
    /// Adjacent elements belong to different results. A block processes `width` vectors of columns.
    Columns { width: u32 },
}

impl Walk {
    /// Returns the number of blocks for this many rows or tiles of columns, if blocks share none.
    fn blocks(self, results: u64) -> u64 {
        match self {
            Self::Rows { group } => results.div_ceil(u64::from(THREADS / group)),
            Self::Columns { .. } => results,
        }
    }
}

impl Specialisation for FoldKernel {
    fn source(&self) -> Source {
        let (group, columns) = match self.walk {
            Walk::Rows { group } => (group, 0),
            Walk::Columns { width } => (0, width),
        };
        let source = self
            .form
            .add_headers(Source::new("fold.cu", TEXT, "fold"))
            .header("folds.cuh", include_str!("../../kernels/folds.cuh"))
            .header("shuffle.cuh", include_str!("../../kernels/shuffle.cuh"))
            .header("fold.cuh", header(&self.folds))
            .define("THREADS", THREADS)
            .define("UNROLL", self.unroll)
            .define("BLOCKS", BLOCKS)
            .define("GROUP", group)
            .define("COLUMNS", columns)
            .define("ROOM", accumulator_room(&self.folds));
        add_to(source, self.folds.iter())
    }
}

/// The struct `Sizes` of `kernels/fold.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Sizes {
    outer: u64,
    length: u64,
    inner: u64,
    count: u64,
    splits: u64,
    partials: u64,
    counters: u64,
}

/// Returns the shape of a reduction's result.
pub(crate) fn result_shape(input: Shape, reduction: &Reduction) -> Shape {
    let lengths: Vec<usize> = (0..input.rank())
        .filter_map(|axis| match reduction.axes >> axis & 1 {
            0 => Some(input[axis]),
            _ => reduction.keep.then_some(1),
        })
        .collect();
    Shape::of(&lengths)
}

/// Computes reductions of one shape along the same axes in one kernel. The results are in the order
/// of the nodes.
pub(super) fn run(
    kernels: &Kernels,
    stream: &Stream,
    nodes: &[&Arc<Node>],
    computed: &Computed,
) -> Result<Vec<Stored>> {
    let parts: Vec<(&Reduction, &Arc<Node>)> = nodes
        .iter()
        .filter_map(|node| match &node.kind {
            Kind::Reduce(reduction, input) => Some((reduction, input)),
            _ => None,
        })
        .collect();
    let (shape, axes) = (parts[0].1.shape()?, parts[0].0.axes);
    let inputs: Vec<&Arc<Node>> = parts.iter().map(|(_, input)| *input).collect();
    let mut plan = Plan::new(&inputs, shape, computed)?;
    let folded = |axis: usize| axes >> axis & 1 == 1;
    let count = reduction::elements(shape, axes);
    if let Some((reduction, _)) = parts
        .iter()
        .find(|(r, _)| count == 0 && !r.fold.has_identity())
    {
        return Err(Error::Shape(format!(
            "`{}` of no elements has no result (shape {shape})",
            reduction.fold.name()
        )));
    }
    let folds = folds(&mut plan, &parts, shape)?;

    // The axes from the largest to the smallest stride.
    let dense = plan.result_layout(shape).axes();
    let in_rows = dense
        .iter()
        .rfind(|&&axis| shape[axis] != 1)
        .is_none_or(|&axis| folded(axis));
    // Columns are the axes that are not reduced and have smaller strides than all reduced axes.
    let last_folded = dense
        .iter()
        .rposition(|&axis| folded(axis) && shape[axis] != 1);
    let mut groups = [OUTER; MAX_RANK];
    for (place, &axis) in dense.iter().enumerate() {
        if folded(axis) {
            groups[axis] = FOLDED;
        } else if !in_rows && last_folded.is_none_or(|last| place > last) {
            groups[axis] = INNER;
        }
    }
    let kept: Vec<usize> = dense
        .iter()
        .copied()
        .filter(|&axis| !folded(axis))
        .collect();
    let mut order = dense;
    order.sort_by_key(|&axis| groups[axis]);

    // The results are dense along the axes that are not reduced, in the order in which these are
    // read. The stride along the reduced axes is 0.
    let whole = Layout::dense_along(shape, &kept);
    let results: Vec<Layout> = parts
        .iter()
        .map(|(reduction, _)| match reduction.keep {
            true => whole.with_lengths(|axis| if folded(axis) { 1 } else { shape[axis] }),
            false => whole.without_axes(folded),
        })
        .collect();
    let mut memories = Vec::with_capacity(nodes.len());
    for (node, layout) in nodes.iter().zip(&results) {
        let memory = Memory::new(kernels, stream, layout.shape.elements(), node.data)?;
        memories.push(Arc::new(memory));
    }
    let done = || {
        memories
            .iter()
            .cloned()
            .zip(results.iter().copied())
            .collect()
    };
    if results[0].shape.elements() == 0 {
        return Ok(done());
    }
    let targets = memories.iter().zip(nodes).map(|(memory, node)| Target {
        memory,
        layout: whole,
        data: node.data,
    });
    let targets: Vec<Target<'_>> = targets.collect();
    // If there are no elements, the targets still need one element per result, because the kernel
    // counts results.
    let places = whole.with_lengths(|axis| match folded(axis) && count == 0 {
        true => 1,
        false => shape[axis],
    });
    let mut operands = Operands::new(plan, places.shape, &targets, &order, |axis| groups[axis]);
    let elements = |group: u8| -> u64 {
        let axes = (0..shape.rank()).filter(|&axis| groups[axis] == group);
        axes.map(|axis| shape[axis] as u64).product()
    };
    let (outer, length, inner) = (elements(OUTER), elements(FOLDED), elements(INNER));
    let mut vector = operands.vector_width();
    // Rows and columns must be whole numbers of vectors. The only exception is a single row.
    let along = if in_rows { length } else { inner };
    let ends_anywhere = in_rows && outer == 1;
    while !ends_anywhere && !along.is_multiple_of(vector as u64) {
        vector /= 2;
    }
    let form = operands.form(vector);
    let mut words = operands.words(&form)?;
    if count == 0 {
        words[0] = 0; // the kernel reads nothing
    }
    let vector = vector as u64;
    let (length, inner) = match in_rows {
        true => (length / vector, 1),
        false => (length, inner / vector),
    };
    let Schedule {
        walk,
        unroll,
        results: shared,
        splits,
        accumulators,
    } = schedule(
        kernels,
        in_rows,
        (outer, length, inner),
        Registers::of(&form, &folds),
    );
    let bytes = accumulator_room(&folds);
    let kernel = kernels.get(&FoldKernel {
        form: Hashed::new(form),
        folds: folds.into(),
        walk,
        unroll,
    })?;
    let (mut kept, mut own, mut counters) = (None, None, None);
    if splits > 1 {
        let room = shared * splits * accumulators * if in_rows { 1 } else { vector };
        let room = room as usize * bytes;
        if room <= KEPT_PARTIALS {
            kept = Some(
                kernels
                    .partials(KEPT_PARTIALS / size_of::<u64>())
                    .of(stream)?,
            );
        } else {
            own = Some(DeviceBuffer::<u8>::uninit(stream, room)?);
        }
        counters = Some(kernels.counters(SHARED_RESULTS as usize).of(stream)?);
    }
    let partials = kept.as_ref().map(|buffer| buffer.as_device_ptr());
    let partials = partials.or(own.as_ref().map(|buffer| buffer.as_device_ptr()));
    let mut sizes = Sizes {
        outer,
        length,
        inner,
        count: count as u64,
        splits,
        partials: partials.unwrap_or(0),
        counters: counters.as_ref().map_or(0, |buffer| buffer.as_device_ptr()),
    };
    let config = LaunchConfig::new(grid(walk.blocks(shared) * splits)?, THREADS);
    let mut pointers: [*mut c_void; 2] = [words.as_mut_ptr().cast(), (&raw mut sizes).cast()];
    let used = operands.memories().map(|memory| &**memory);
    // SAFETY: the kernel was generated for these words and sizes, which are its parameters. It
    // reads elements of the leaves within their layouts and writes one element per result. It also
    // uses the buffer for partial results and the counters of this stream, which are zero before
    // and after.
    unsafe { launch(&kernel, stream, config, &mut pointers, used)? };
    Ok(done())
}

/// Returns the size of the accumulators of several folds, in bytes.
fn accumulator_bytes(folds: &[Folded]) -> usize {
    let bytes = folds.iter().map(|f| f.fold.accumulator_bytes(f.data));
    bytes.sum()
}

/// Returns the size of the accumulators in memory, in bytes. Each one is aligned to 16 bytes.
fn accumulator_room(folds: &[Folded]) -> usize {
    let bytes = folds
        .iter()
        .map(|f| f.fold.accumulator_bytes(f.data).next_multiple_of(16));
    bytes.sum()
}

/// Returns the fold of each node. If a fold needs the places of values, they become another root of
/// the plan.
fn folds(plan: &mut Plan, parts: &[(&Reduction, &Arc<Node>)], shape: Shape) -> Result<Vec<Folded>> {
    let mut place = None;
    let mut folds = Vec::with_capacity(parts.len());
    for (value, (reduction, input)) in parts.iter().enumerate() {
        if reduction.fold.takes_place() && place.is_none() {
            let axes: Vec<usize> = (0..shape.rank())
                .filter(|axis| reduction.axes >> axis & 1 == 1)
                .collect();
            plan.add_places(Layout::dense_along(shape, &axes), shape)?;
            place = Some((plan.roots.len() - 1) as u8);
        }
        folds.push(Folded {
            fold: reduction.fold.clone(),
            data: input.data,
            value: value as u8,
            place: place.unwrap_or(0),
        });
    }
    Ok(folds)
}

/// The assignment of blocks to the space.
struct Schedule {
    walk: Walk,
    /// Vectors that a thread loads at once.
    unroll: u8,
    /// The number of rows, or tiles of columns.
    results: u64,
    /// The number of blocks that share each row or tile.
    splits: u64,
    /// Vectors of accumulators that a block stores for each row or tile.
    accumulators: u64,
}

/// Registers that a thread needs.
#[derive(Clone, Copy, Debug)]
struct Registers {
    /// Registers for a vector: for its loaded or its computed values, whichever need more.
    vector: usize,
    /// Registers for the accumulators.
    accumulators: usize,
}

impl Registers {
    fn of(form: &Form, folds: &[Folded]) -> Self {
        let vector = usize::from(form.vector);
        let loaded = form.leaves.iter().filter(|leaf| leaf.is_read());
        let loaded: usize = loaded
            .map(|leaf| (leaf.data.size() * vector).div_ceil(4))
            .sum();
        // Counts a value that several folds use once.
        let value = |fold: &Folded| form.roots[usize::from(fold.value)];
        let first = |i: usize| {
            folds[..i]
                .iter()
                .all(|other| value(other) != value(&folds[i]))
        };
        let computed: usize = (0..folds.len())
            .filter(|&i| first(i))
            .map(|i| folds[i].data.size().div_ceil(4))
            .sum();
        Self {
            vector: loaded.max(vector * computed).max(1),
            accumulators: vector * accumulator_bytes(folds) / 4,
        }
    }

    /// Returns the number of vectors that a thread can load at once, if `room` registers are
    /// available and there are `most` vectors: a power of 2.
    fn unroll(self, room: usize, most: u64) -> u8 {
        let fit = room.saturating_sub(self.accumulators) / self.vector;
        1 << (fit as u64).min(most).clamp(1, 8).ilog2()
    }
}

/// Chooses the schedule. `tuning/NOTES.md` has the measurements behind the figures.
fn schedule(
    kernels: &Kernels,
    in_rows: bool,
    (outer, length, inner): (u64, u64, u64),
    registers: Registers,
) -> Schedule {
    let threads = u64::from(THREADS);
    let multiprocessors = u64::from(kernels.hardware().multiprocessors.max(1));
    // Uses enough blocks to fill the device, each with eight vectors per thread.
    let splits = |enough: u64, blocks: u64, results: u64, pieces: u64| match blocks < enough
        && results <= SHARED_RESULTS
    {
        true => (enough / results.max(1)).clamp(1, pieces.max(1)),
        false => 1,
    };
    if in_rows {
        let enough = multiprocessors * 4;
        // A thread gets four or eight vectors. A whole block works on a long row, or on any row if
        // there are few.
        let few = if length <= 32 { 4 } else { 8 };
        let group = (length / few).next_power_of_two().clamp(1, 32);
        let long = length > 1024 || length >= threads && outer * group < enough * threads / 2;
        let group = if long { threads } else { group };
        let walk = Walk::Rows {
            group: group as u32,
        };
        return Schedule {
            walk,
            unroll: registers.unroll(48, length / group),
            results: outer,
            splits: match long {
                true => splits(
                    enough,
                    walk.blocks(outer),
                    outer,
                    length.div_ceil(threads * 8),
                ),
                false => 1,
            },
            accumulators: 1,
        };
    }
    let width = inner.next_power_of_two().clamp(1, 32);
    let results = outer * inner.div_ceil(width);
    let rows = threads / width;
    Schedule {
        walk: Walk::Columns {
            width: width as u32,
        },
        unroll: registers.unroll(44, length / rows),
        results,
        splits: splits(
            multiprocessors * 2,
            results,
            results,
            length.div_ceil(rows * 8),
        ),
        accumulators: width,
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::Context;

    use super::{
        super::{
            plan::LeafSource,
            reduction::{Fold, Nan},
            render::LeafForm,
            space::{Access, Inner},
        },
        *,
    };
    use crate::element::DataType;

    /// Registers that leave room for eight vectors.
    const FEW: Registers = Registers {
        vector: 1,
        accumulators: 1,
    };

    type Planned = (Walk, u8, u64, u64, u64);

    /// The schedule on a device with 132 multiprocessors: 528 blocks fill it in rows, 264 in columns.
    fn planned(in_rows: bool, space: (u64, u64, u64), registers: Registers) -> Planned {
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 132);
        let plan = schedule(&kernels, in_rows, space, registers);
        (
            plan.walk,
            plan.unroll,
            plan.results,
            plan.splits,
            plan.accumulators,
        )
    }

    #[test]
    fn rows_get_as_many_threads_as_their_length_needs() {
        let many = 1 << 20;
        for (outer, length, group, unroll, splits) in [
            (many, 1, 1, 1, 1),
            (many, 16, 4, 4, 1),
            // Each thread gets four vectors in rows of up to 32 vectors, and eight in longer rows.
            (many, 32, 8, 4, 1),
            (many, 33, 4, 8, 1),
            (many, 40, 8, 4, 1),
            // At most one warp per row of up to 1024 vectors.
            (many, 1024, 32, 8, 1),
            (many, 1025, 256, 4, 1),
            // A block for each row if there are few of them, unless they are too short for it.
            (2111, 256, 256, 1, 1),
            (2112, 256, 32, 8, 1),
            (1, 255, 32, 4, 1),
            (1, 256, 256, 1, 1),
        ] {
            let wanted = (Walk::Rows { group }, unroll, outer, splits, 1);
            let plan = planned(true, (outer, length, 1), FEW);
            assert_eq!(plan, wanted, "{outer} x {length}");
        }
    }

    #[test]
    fn blocks_share_long_rows_if_there_are_few() {
        for (outer, length, splits) in [
            // Eight vectors for each thread of a block.
            (1, 2048, 1),
            (1, 2049, 2),
            (1, 4097, 3),
            // As many blocks as fill the device.
            (1, 1 << 21, 528),
            (2, 1 << 21, 264),
            (100, 1 << 21, 5),
            (264, 1 << 21, 2),
            (265, 1 << 21, 1),
            (528, 1 << 21, 1),
        ] {
            let wanted = (Walk::Rows { group: 256 }, 8, outer, splits, 1);
            let plan = planned(true, (outer, length, 1), FEW);
            assert_eq!(plan, wanted, "{outer} x {length}");
        }
    }

    #[test]
    fn columns_are_cut_into_tiles_that_blocks_share() {
        for (space, width, unroll, results, splits) in [
            ((1, 1000, 1), 1, 2, 1, 1),
            ((1, 2049, 1), 1, 8, 1, 2),
            ((5, 1000, 3), 4, 8, 5, 2),
            ((1, 512, 3), 4, 8, 1, 1),
            ((1, 513, 3), 4, 8, 1, 2),
            // At most 32 vectors next to each other.
            ((2, 8, 32), 32, 1, 2, 1),
            ((2, 8, 33), 32, 1, 4, 1),
            ((2, 31, 64), 32, 2, 4, 1),
            ((1, 64_000, 32), 32, 8, 1, 264),
            ((1, 64_000, 33), 32, 8, 2, 132),
            ((100, 64_000, 32), 32, 8, 100, 2),
            ((264, 64_000, 32), 32, 8, 264, 1),
        ] {
            let wanted = (
                Walk::Columns { width },
                unroll,
                results,
                splits,
                u64::from(width),
            );
            assert_eq!(planned(false, space, FEW), wanted, "{space:?}");
        }
    }

    #[test]
    fn vectors_in_flight_fit_into_registers() {
        let registers = |vector, accumulators| Registers {
            vector,
            accumulators,
        };
        for (vector, accumulators, most, unroll) in [
            (1, 0, 100, 8),
            (1, 0, 7, 4),
            (1, 0, 3, 2),
            (1, 0, 0, 1),
            (12, 0, 100, 4),
            (10, 8, 100, 4),
            (10, 9, 100, 2),
            (48, 0, 100, 1),
            (10, 50, 100, 1),
        ] {
            let fits = registers(vector, accumulators).unroll(48, most);
            assert_eq!(fits, unroll, "{vector}, {accumulators}, {most}");
        }
        // 48 registers for rows, 44 for columns.
        let rows = planned(true, (1 << 20, 1024, 1), registers(12, 0));
        let columns = planned(false, (1, 1024, 32), registers(12, 0));
        assert_eq!((rows.1, columns.1), (4, 2));
    }

    #[test]
    fn registers_are_those_of_what_is_loaded_or_computed() {
        let leaf = |data, access, source| LeafForm {
            data,
            access,
            source,
        };
        let form = |roots: &[u16]| Form {
            values: Vec::new(),
            roots: roots.to_vec(),
            stages: Vec::new(),
            leaves: vec![
                leaf(DataType::F32, Access::Linear, LeafSource::Memory),
                leaf(DataType::U8, Access::Linear, LeafSource::Memory),
                leaf(DataType::F16, Access::Linear, LeafSource::Memory),
                // These leaves load no vectors from memory.
                leaf(DataType::F64, Access::Uniform, LeafSource::Memory),
                leaf(
                    DataType::F64,
                    Access::Strided(Inner::Same),
                    LeafSource::Memory,
                ),
                leaf(DataType::U64, Access::Linear, LeafSource::Place),
            ],
            outputs: Vec::new(),
            rank: 1,
            narrow: true,
            vector: 4,
        };
        let folded = |fold, data, value| Folded {
            fold,
            data,
            value,
            place: 0,
        };
        let of = |roots: &[u16], folds: &[Folded]| {
            let registers = Registers::of(&form(roots), folds);
            (registers.vector, registers.accumulators)
        };
        let sum = folded(Fold::Sum, DataType::F32, 0);
        let mean = folded(Fold::Mean, DataType::F32, 1);
        let variance = folded(Fold::Variance(0), DataType::F64, 1);
        assert_eq!(of(&[0], std::slice::from_ref(&sum)), (4 + 1 + 2, 4));
        assert_eq!(of(&[0, 1], &[sum.clone(), variance]), (4 * (1 + 2), 36));
        // A value counts once, however many folds take it.
        assert_eq!(of(&[0, 1], &[sum.clone(), mean.clone()]), (4 * 2, 8));
        assert_eq!(of(&[0, 0], &[sum, mean]), (4 + 1 + 2, 8));
    }

    #[test]
    fn accumulators_are_aligned_in_memory() {
        let folds = [
            (Fold::Sum, DataType::F32),
            (Fold::Variance(1), DataType::F64),
            (Fold::MinimumPlace(Nan::Ignored), DataType::F32),
            (Fold::Any, DataType::Bool),
        ];
        let folds = folds.map(|(fold, data)| Folded {
            fold,
            data,
            value: 0,
            place: 0,
        });
        assert_eq!(accumulator_bytes(&folds), 4 + 32 + 16 + 4);
        assert_eq!(accumulator_room(&folds), 16 + 32 + 16 + 16);
    }

    #[test]
    fn a_block_takes_several_short_rows() {
        let rows = |group| Walk::Rows { group };
        assert_eq!(rows(32).blocks(8), 1);
        assert_eq!(rows(32).blocks(9), 2);
        assert_eq!(rows(1).blocks(257), 2);
        assert_eq!(rows(256).blocks(5), 5);
        assert_eq!(Walk::Columns { width: 32 }.blocks(7), 7);
    }

    #[test]
    fn partials_of_many_blocks_have_room() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let kernels = Kernels::of_multiprocessors(&context, 132);
        // 129 blocks share 32 vectors of four columns, which is more than a stream keeps.
        let (rows, columns) = (129 * 64, 128);
        let splits = planned(false, (1, rows as u64, 32), FEW).3;
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
            let kernels = Kernels::of_multiprocessors(&context, 132);
            let x = kernels.zeros::<f32>(&stream, lengths);
            let x = x.permute(order).unwrap();
            assert!(x.sum_axis(axis).eval().unwrap().to_vec().unwrap()[0] == 0.0);
            let mut found: Vec<FoldKernel> = kernels.compiled_for();
            let kernel = found.remove(0);
            (kernel.walk, kernel.form.vector, kernel.unroll)
        };
        let rows = |group| Walk::Rows { group };
        let columns = |width| Walk::Columns { width };
        assert_eq!(chosen(&[4, 64], &[0, 1], 1), (rows(4), 4, 4));
        assert_eq!(chosen(&[4, 64], &[1, 0], 0), (rows(4), 4, 4));
        assert_eq!(chosen(&[4, 64], &[0, 1], 0), (columns(16), 4, 1));
        // Vectors end with each row, unless there is only one row, and with the columns.
        assert_eq!(chosen(&[4, 62], &[0, 1], 1), (rows(8), 2, 2));
        assert_eq!(chosen(&[1, 63], &[0, 1], 1), (rows(4), 4, 2));
        assert_eq!(chosen(&[4, 63], &[0, 1], 0), (columns(32), 1, 1));
        // Axes of one element are ignored.
        assert_eq!(chosen(&[64, 1], &[0, 1], 0), (rows(4), 4, 4));
        assert_eq!(chosen(&[10, 1], &[0, 1], 1), (columns(8), 2, 1));
    }

    #[test]
    fn blocks_share_as_many_results_as_there_are_counters_for() {
        // A device with blocks for more vectors.
        let kernels = Kernels::of_multiprocessors(&Context::primary(0).unwrap(), 10_000);
        let splits = |rows| schedule(&kernels, true, (rows, 1 << 21, 1), FEW).splits;
        assert_eq!(splits(SHARED_RESULTS), 2);
        assert_eq!(splits(SHARED_RESULTS + 1), 1);
    }
}
