//! Scans along an axis, and values that are computed from their results in the same kernel.

pub(crate) mod operation;
mod table;
mod threads;
pub(crate) mod tiles;

use std::{mem, sync::Arc};

use cuda_safe::Stream;
use operation::{Associative, Scan, accumulator_bytes};
use rustc_hash::FxHashMap;
use threads::{Columns, Lines, Vector, Way};
use tiles::Tiles;

use super::{
    divide,
    hashed::Hashed,
    node::{Kind, Node},
    operands::Target,
    plan::{Leaf, Origin, Plan, Stored},
    render::Form,
    state::{Evaluation, results, targets},
    walk::{self, Fused, Walk},
};
use crate::{
    array::{Layout, Memory, Shape},
    element::DataType,
    error::{Error, Result},
    kernel::{Kernels, Source, Specialisation},
};

/// A kernel that scans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kernel {
    form: Hashed<Form>,
    data: DataType,
    operation: Associative,
    exclusive: bool,
    segmented: bool,
    way: Way,
}

impl Specialisation for Kernel {
    fn source(&self) -> Source {
        let (file, text, entry) = match self.way {
            Way::Lines(Lines::Blocks { .. }) => (
                "scan_line.cu",
                include_str!("../../kernels/scan_line.cu"),
                "scan_line",
            ),
            Way::Lines(Lines::Lanes { .. }) => (
                "scan_rows.cu",
                include_str!("../../kernels/scan_rows.cu"),
                "scan_rows",
            ),
            Way::Columns(_) => (
                "scan_columns.cu",
                include_str!("../../kernels/scan_columns.cu"),
                "scan_columns",
            ),
        };
        let source = walk::source(Source::new(file, text, entry), &self.form)
            .header(
                "combination.cuh",
                self.operation.header(self.data, self.segmented),
            )
            .header("prefix.cuh", include_str!("../../kernels/prefix.cuh"))
            .header("tile.cuh", include_str!("../../kernels/tile.cuh"))
            .header(
                "store_results.cuh",
                include_str!("../../kernels/store_results.cuh"),
            )
            .define("EXCLUSIVE", u8::from(self.exclusive))
            .define("FIRST", self.operation.identity(self.data.class()));
        let source = self.operation.add_to(source);
        match self.way {
            Way::Lines(Lines::Blocks {
                threads,
                unroll,
                chained,
            }) => source
                .define("THREADS", threads)
                .define("UNROLL", unroll)
                .define("CHAINED", u8::from(chained)),
            Way::Lines(Lines::Lanes { lanes, unroll }) => source
                .define("THREADS", table::ROWS.threads)
                .define("UNROLL", unroll)
                .define("LANES", lanes),
            Way::Columns(columns) => source
                .define("THREADS", columns.threads)
                .define("ROWS", columns.rows)
                .define("LANES", columns.lanes)
                .define("CHAINED", u8::from(columns.chained)),
        }
    }
}

/// Computes a scan. All that its inputs need must be in memory.
pub(super) fn run(evaluation: &mut Evaluation<'_>, node: &Arc<Node>) -> Result<Stored> {
    let job = Job::new(evaluation, node)?;
    let mut results = job.run(&[node])?;
    results
        .pop()
        .ok_or_else(|| Error::Shape("internal error: a scan has no result".into()))
}

/// Computes values of the shape of a scan from its results, in its kernel. Returns `None` if that is
/// not possible. The values are the `roots`. All that they need apart from the scan must be in memory.
pub(super) fn run_with(
    evaluation: &mut Evaluation<'_>,
    node: &Arc<Node>,
    roots: &[&Arc<Node>],
) -> Result<Option<Vec<Stored>>> {
    let shape = node.shape()?;
    let given = FxHashMap::from_iter([(Arc::as_ptr(node), 0)]);
    let after = Plan::with_given(roots, shape, &evaluation.computed, &given)?;
    let is_possible = |leaf: &Leaf| {
        leaf.through.is_none()
            && matches!(
                leaf.origin,
                Origin::Memory(_) | Origin::Given(_) | Origin::Place
            )
    };
    let Some(after) = after.filter(|after| after.leaves.iter().all(is_possible)) else {
        return Ok(None);
    };
    let mut job = Job::new(evaluation, node)?;
    // The elementwise kernel reads transposed operands in tiles.
    let inner = job.layout.axes().last().copied();
    let is_transposed = |leaf: &Leaf| {
        let strides = &leaf.strides[..shape.rank()];
        leaf.memory().is_some()
            && inner.is_some_and(|inner| strides[inner] != 1)
            && (0..shape.rank()).any(|axis| strides[axis] == 1 && shape[axis] > 1)
    };
    if after.leaves.iter().any(is_transposed) {
        return Ok(None);
    }
    let axes: Vec<usize> = (0..shape.rank()).collect();
    if !job.plan.add_after(after, &axes, shape) {
        return Ok(None);
    }
    job.run(roots).map(Some)
}

/// A scan that is about to be enqueued.
struct Job<'a> {
    kernels: &'a Kernels,
    stream: &'a Stream,
    scan: Scan,
    segmented: bool,
    data: DataType,
    shape: Shape,
    plan: Plan,
    /// The layout of the results.
    layout: Layout,
}

impl<'a> Job<'a> {
    fn new(evaluation: &mut Evaluation<'a>, node: &Arc<Node>) -> Result<Self> {
        let Kind::Scan(scan, inputs) = &node.kind else {
            return Err(Error::Shape("internal error: a scan was expected".into()));
        };
        evaluation.record = None; // launches of scans are not recorded
        let shape = node.shape()?;
        let inputs: Vec<&Arc<Node>> = inputs.iter().collect();
        let plan = divide::plan(evaluation, &inputs, shape)?;
        Ok(Self {
            kernels: evaluation.kernels,
            stream: evaluation.stream,
            scan: scan.clone(),
            segmented: inputs.len() > 1,
            data: node.data,
            shape,
            layout: plan.result_layout(shape),
            plan,
        })
    }

    /// Enqueues the kernel, which stores the values of these nodes.
    fn run(self, nodes: &[&Arc<Node>]) -> Result<Vec<Stored>> {
        let stored = results(self.kernels, self.stream, nodes, self.layout)?;
        if self.shape.elements() == 0 {
            return Ok(stored);
        }
        let targets = targets(&stored, nodes);
        let order = self.layout.axes();
        // The position of an axis of length 1 doesn't matter, so treat it as the outermost.
        let place = order
            .iter()
            .position(|&axis| axis == self.scan.axis)
            .unwrap_or(0);
        let inner = order[place + 1..].iter();
        match inner.map(|&axis| self.shape[axis]).product() {
            1 => self.along_lines(&order, &targets)?,
            inner => self.down_columns(&order, inner, &targets)?,
        }
        Ok(stored)
    }

    fn kernel(&self, fused: &Fused, way: Way) -> Kernel {
        Kernel {
            form: fused.form.clone(),
            data: self.data,
            operation: self.scan.operation.clone(),
            exclusive: self.scan.exclusive,
            segmented: self.segmented,
            way,
        }
    }

    /// Returns the size of an accumulator in bytes.
    fn bytes(&self) -> usize {
        accumulator_bytes(self.data, self.segmented)
    }

    fn vector(&self, fused: &Fused) -> Vector {
        Vector {
            data: self.data,
            elements: fused.vector(),
            accumulator: self.bytes(),
            long: !fused.form.is_simple(),
        }
    }

    /// Puts the scan into the kernel of its operands, with vectors of at most `most` elements.
    fn fuse(
        &mut self,
        order: &[usize],
        run: Option<usize>,
        most: usize,
        targets: &[Target<'_>],
    ) -> Result<Fused> {
        let widest = match self.segmented {
            true => (32 / self.bytes()).max(1),
            false => walk::widest(self.data),
        };
        let widest = widest.min(most);
        let walk = Walk { order, run, widest };
        walk::fuse(mem::take(&mut self.plan), self.shape, &walk, targets)
    }

    fn along_lines(mut self, order: &[usize], targets: &[Target<'_>]) -> Result<()> {
        let length = self.shape[self.scan.axis];
        let lines = (self.shape.elements() / length) as u64;
        let fused = self.fuse(order, (lines > 1).then_some(length), usize::MAX, targets)?;
        let (kernels, stream) = (self.kernels, self.stream);
        let vectors = length.div_ceil(fused.vector()) as u64;
        let vector = self.vector(&fused);
        let (way, count) = Lines::new(lines, vectors, vector, kernels.hardware());
        let kernel = kernels.get(&self.kernel(&fused, Way::Lines(way)))?;
        let threads = match way {
            Lines::Blocks { threads, .. } => threads,
            Lines::Lanes { lanes, .. } => {
                let threads = table::ROWS.threads;
                let blocks = lines.div_ceil(u64::from(threads / lanes));
                let mut parameters = [lines, vectors];
                // SAFETY: `scan_rows` has these parameters, and accesses only `lines` rows of `vectors`
                // vectors.
                return unsafe {
                    fused.launch(&kernel, stream, (blocks, threads), &mut parameters, &[])
                };
            }
        };
        let tiles = Tiles::new(count, 1, self.bytes());
        let tile_memory = tiles.lines(kernels, stream, lines)?;
        let mut parameters = [
            length as u64,
            count,
            tile_memory.address(),
            tiles.words_of_line(),
            tile_memory.kept(),
        ];
        let others: Vec<&Memory> = tile_memory.memory().into_iter().collect();
        // SAFETY: `scan_line` has these parameters, accesses only the elements of `lines` lines of
        // `length`, and uses the memory of their tiles, which is zero. If that memory is kept, the
        // kernel leaves it zeroed, and kernels of one stream run one after the other.
        unsafe {
            fused.launch(
                &kernel,
                stream,
                (lines * count, threads),
                &mut parameters,
                &others,
            )
        }
    }

    /// Scans down columns, with `inner` contiguous elements at each index of the axis.
    fn down_columns(mut self, order: &[usize], inner: usize, targets: &[Target<'_>]) -> Result<()> {
        let shape = self.shape;
        let length = shape[self.scan.axis];
        let outer = (shape.elements() / length / inner) as u64;
        let (kernels, stream) = (self.kernels, self.stream);
        let hardware = kernels.hardware();
        let most = Columns::most_in_vector(length as u64, shape.elements() as u64, hardware);
        let fused = self.fuse(order, Some(inner), most, targets)?;
        let width = (inner / fused.vector()) as u64;
        let columns = Columns::new(outer, length as u64, width, self.vector(&fused), hardware);
        let lanes = u64::from(columns.lanes);
        let strips_of_row = width.div_ceil(lanes);
        let strips = outer * strips_of_row;
        let count = columns.tiles(length as u64);
        let values = strips * lanes * fused.vector() as u64;
        let tiles = Tiles::new(
            if columns.chained { count } else { 1 },
            values,
            self.bytes(),
        );
        let tile_memory = tiles.own(kernels, stream, 1)?;
        let way = Way::Columns(columns);
        let kernel = kernels.get(&self.kernel(&fused, way))?;
        let mut parameters = [
            length as u64,
            width,
            strips_of_row,
            strips,
            count,
            tile_memory.address(),
        ];
        let others: Vec<&Memory> = tile_memory.memory().into_iter().collect();
        let blocks = strips * tiles.count;
        // SAFETY: `scan_columns` has these parameters, accesses only the elements of `strips`
        // strips of `length` rows, and uses the memory of their tiles, which is zero.
        unsafe {
            fused.launch(
                &kernel,
                stream,
                (blocks, columns.threads),
                &mut parameters,
                &others,
            )
        }
    }
}

#[cfg(test)]
mod tests;
