//! Kernels that reduce expressions along axes.

use std::{ffi::c_void, sync::Arc};

use cuda_safe::{DeviceBuffer, LaunchConfig, Stream};

use super::{
    elementwise::{Start, Target, grid, leaf_forms, vector_width, with_headers, words},
    hashed::Hashed,
    node::{Kind, Node},
    plan::{Computed, Leaf, Plan, Stored},
    reduction::{Folded, Reduction, header},
    render::Form,
    space::Space,
};
use crate::{
    array::{Layout, MAX_RANK, Memory, Shape},
    error::{Error, Result},
    kernel::{Kernels, Source, Specialisation},
    order::ordered,
};

const THREADS: u32 = 256;
const TEXT: &str = include_str!("../kernels/fold.cu");
/// Results that blocks may share: as many as there are counters for.
pub(crate) const SHARED_RESULTS: u64 = 1 << 14;

/// A kernel for some folds of one form of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FoldKernel {
    form: Hashed<Form>,
    folds: Arc<[Folded]>,
    walk: Walk,
    unroll: u8,
}

/// How a kernel goes through its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Walk {
    /// Neighbours are folded, by so many threads a row.
    Rows { group: u32 },
    /// Neighbours are kept; a block has so many vectors of columns.
    Columns { width: u32 },
}

impl Specialisation for FoldKernel {
    fn source(&self) -> Source {
        let (group, columns) = match self.walk {
            Walk::Rows { group } => (group, 0),
            Walk::Columns { width } => (0, width),
        };
        with_headers(Source::new("fold.cu", TEXT, "fold"), &self.form)
            .header("folds.cuh", include_str!("../kernels/folds.cuh"))
            .header("shuffle.cuh", include_str!("../kernels/shuffle.cuh"))
            .header("fold.cuh", header(&self.folds))
            .define("THREADS", THREADS)
            .define("UNROLL", self.unroll)
            .define("GROUP", group)
            .define("COLUMNS", columns)
            .define("ROOM", accumulator_bytes(&self.folds))
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

/// The shape of a reduction's result.
pub(crate) fn result_shape(input: Shape, reduction: &Reduction) -> Shape {
    let lengths: Vec<usize> = (0..input.rank())
        .filter_map(|axis| match reduction.axes >> axis & 1 {
            0 => Some(input[axis]),
            _ => reduction.keep.then_some(1),
        })
        .collect();
    Shape::of(&lengths)
}

/// Computes reductions of one shape along the same axes, in one kernel. The results are in the order of the nodes.
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
    let count: usize = (0..shape.rank())
        .filter(|&axis| folded(axis))
        .map(|axis| shape[axis])
        .product();
    if let Some((reduction, _)) = parts
        .iter()
        .find(|(r, _)| count == 0 && !r.fold.has_identity())
    {
        return Err(Error::Shape(format!(
            "`{}` of an array of shape {shape} has no values to choose from",
            reduction.fold.name()
        )));
    }
    let folds = folds(&mut plan, &parts, shape)?;

    // Axes from the sparsest to the densest.
    let mut dense = super::evaluate::result_layout(&plan, shape).axes_by_density();
    let dense = &mut dense[..shape.rank()];
    dense.reverse();
    let long = |axis: &&usize| shape[**axis] != 1;
    let in_rows = dense
        .iter()
        .rev()
        .find(long)
        .is_none_or(|&axis| folded(axis));
    // Kept axes that are denser than all folded ones.
    let last_folded = dense
        .iter()
        .rposition(|&axis| folded(axis) && shape[axis] != 1);
    let is_column = |place: usize| !in_rows && last_folded.is_none_or(|last| place > last);
    let group_of = |place: usize, axis: usize| match (folded(axis), is_column(place)) {
        (true, _) => 1,
        (false, false) => 0,
        (false, true) => 2,
    };
    let mut groups = [0; MAX_RANK];
    for (place, &axis) in dense.iter().enumerate() {
        groups[axis] = group_of(place, axis);
    }
    let kept: Vec<usize> = dense
        .iter()
        .rev()
        .copied()
        .filter(|&axis| !folded(axis))
        .collect();
    let mut order = dense.to_vec();
    order.sort_by_key(|&axis| groups[axis]);

    // Where the results go: dense along the kept axes, in the order in which they are read.
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
        memories.push(Arc::new(Memory::new(
            kernels,
            stream,
            layout.shape.elements(),
            node.data,
        )?));
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
    let targets: Vec<Target<'_>> = memories
        .iter()
        .zip(nodes)
        .map(|(memory, node)| Target {
            memory,
            layout: whole,
            data: node.data,
        })
        .collect();

    let mut strides: Vec<[isize; MAX_RANK]> = plan.leaves.iter().map(|leaf| leaf.strides).collect();
    let mut of_results = whole.strides_padded();
    (0..shape.rank())
        .filter(|&axis| folded(axis))
        .for_each(|axis| of_results[axis] = 0);
    strides.extend(targets.iter().map(|_| of_results));
    let space = Space::new(shape.as_slice(), &order, &strides, |axis| groups[axis]);
    let starts: Vec<Start> = plan
        .leaves
        .iter()
        .map(Start::of_leaf)
        .chain(targets.iter().map(Start::of_target))
        .collect();
    let elements = |group: u8| -> u64 {
        let axes = (0..shape.rank()).filter(|&axis| groups[axis] == group);
        axes.map(|axis| shape[axis] as u64).product()
    };
    let (outer, length, inner) = (elements(0), elements(1), elements(2));
    let mut vector = vector_width(&space, &starts);
    // Rows end with a vector, but for a single one; columns always.
    let along = if in_rows { length } else { inner };
    let ends_anywhere = in_rows && outer == 1;
    while !ends_anywhere && !along.is_multiple_of(u64::from(vector)) {
        vector /= 2;
    }
    let leaves = plan.leaves.len();
    let form = Form {
        leaves: leaf_forms(&plan.leaves, &space),
        outputs: (leaves..starts.len())
            .zip(nodes)
            .map(|(i, node)| (node.data, super::elementwise::stored(space.access(i))))
            .collect(),
        rank: space.rank().max(1) as u8,
        narrow: space.is_narrow(),
        vector,
        values: plan.values,
        roots: plan.roots,
        stages: Vec::new(),
    };
    let mut words = words(&form, &space, &starts, &plan.scalars)?;
    let vector = u64::from(vector);
    let (length, inner) = match in_rows {
        true => (length / vector, 1),
        false => (length, inner / vector),
    };
    let (walk, unroll, blocks, splits, shared) = choose(kernels, in_rows, outer, length, inner);
    let bytes = accumulator_bytes(&folds);
    let kernel = kernels.get(&FoldKernel {
        form: Hashed::new(form),
        folds: folds.into(),
        walk,
        unroll,
    })?;
    let room = shared.results * splits * shared.accumulators * if in_rows { 1 } else { vector };
    let partials = match splits {
        1 => None,
        _ => Some(DeviceBuffer::<u8>::uninit(stream, room as usize * bytes)?),
    };
    let counters = match splits {
        1 => None,
        _ => Some(kernels.counters().of(stream)?),
    };
    let mut sizes = Sizes {
        outer,
        length,
        inner,
        count: count as u64,
        splits,
        partials: partials.as_ref().map_or(0, |buffer| buffer.as_device_ptr()),
        counters: counters.as_ref().map_or(0, |buffer| buffer.as_device_ptr()),
    };
    let blocks = grid(blocks, shape)?;
    let mut pointers: [*mut c_void; 2] = [words.as_mut_ptr().cast(), (&raw mut sizes).cast()];
    let owners = plan.leaves.iter().filter_map(Leaf::memory).chain(&memories);
    ordered(stream, owners.map(|memory| Some(memory.owner())), || {
        // SAFETY: the kernel was written for these words and sizes, which are its parameters; it reads elements of arrays
        // within their layouts, writes one result for each of those kept, and uses the room for partials and the
        // counters of this stream, which are zero before and after.
        unsafe { kernel.launch_raw(stream, LaunchConfig::new(blocks, THREADS), &mut pointers)? };
        Ok(())
    })?;
    Ok(done())
}

/// Room for the accumulators of several folds, each as aligned as any can be.
fn accumulator_bytes(folds: &[Folded]) -> usize {
    let bytes = folds
        .iter()
        .map(|f| f.fold.accumulator_bytes(f.data).next_multiple_of(16));
    bytes.sum()
}

/// What each node folds; the places of values become wanted values as well.
fn folds(plan: &mut Plan, parts: &[(&Reduction, &Arc<Node>)], shape: Shape) -> Result<Vec<Folded>> {
    let mut place = None;
    let mut folds = Vec::with_capacity(parts.len());
    for (value, (reduction, input)) in parts.iter().enumerate() {
        if reduction.fold.takes_place() && place.is_none() {
            let axes: Vec<usize> = (0..shape.rank())
                .rev()
                .filter(|axis| reduction.axes >> axis & 1 == 1)
                .collect();
            plan.want_places(Layout::dense_along(shape, &axes), &axes, shape)?;
            place = Some((plan.roots.len() - 1) as u8);
        }
        folds.push(Folded {
            fold: reduction.fold,
            data: input.data,
            value: value as u8,
            place: place.unwrap_or(0),
        });
    }
    Ok(folds)
}

/// What blocks share where several work on a result.
struct SharedWork {
    /// Rows, or tiles of columns.
    results: u64,
    /// Vectors of accumulators that a block leaves for each.
    accumulators: u64,
}

/// How to go through the space: the walk, vectors in flight, blocks, blocks of a result, and what they share.
fn choose(
    kernels: &Kernels,
    in_rows: bool,
    outer: u64,
    length: u64,
    inner: u64,
) -> (Walk, u8, u64, u64, SharedWork) {
    let threads = u64::from(THREADS);
    let enough = u64::from(kernels.hardware().multiprocessors.max(1)) * 4;
    if in_rows {
        // Four vectors a thread, up to a block for a row.
        let group = (length / 4).next_power_of_two().clamp(1, 32);
        let group = if length > 32 * 16 || outer * group < threads && length > 64 {
            threads
        } else {
            group
        };
        let blocks = outer.div_ceil(threads / group);
        let pieces = length.div_ceil(threads * 8);
        let splits = match group == threads && blocks < enough && outer <= SHARED_RESULTS {
            true => (enough / outer.max(1)).clamp(1, pieces.max(1)),
            false => 1,
        };
        let unroll = if length / group >= 8 { 4 } else { 2 };
        let shared = SharedWork {
            results: outer,
            accumulators: 1,
        };
        return (
            Walk::Rows {
                group: group as u32,
            },
            unroll,
            blocks * splits,
            splits,
            shared,
        );
    }
    let width = inner.next_power_of_two().clamp(1, 32);
    let tiles = inner.div_ceil(width);
    let results = outer * tiles;
    let pieces = length.div_ceil(threads / width * 8);
    let splits = match results < enough && results <= SHARED_RESULTS {
        true => (enough / results.max(1)).clamp(1, pieces.max(1)),
        false => 1,
    };
    let unroll = if length * width / threads >= 4 { 4 } else { 1 };
    let shared = SharedWork {
        results,
        accumulators: width,
    };
    (
        Walk::Columns {
            width: width as u32,
        },
        unroll,
        results * splits,
        splits,
        shared,
    )
}
