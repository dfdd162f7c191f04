//! Kernels for expressions of whole rows, or columns, with reductions of those. They read each row
//! once.

#[cfg(test)]
mod copied_tests;
mod threads;

use std::{fmt::Write as _, slice, sync::Arc};

use bytemuck::{Pod, Zeroable};
use cuda_safe::LaunchConfig;
use rustc_hash::{FxHashMap, FxHashSet};

use threads::{MAX_COLUMN, MAX_ROW_BYTES, Threads};

use super::{
    fold::groups::{Group, Groups},
    hashed::Hashed,
    launch::Launch,
    node::{Kind, Node},
    operands::{Operands, Target, grid, magic},
    operation::rounded,
    plan::{Computed, LeafSource, Plan, Stored, Value},
    reduction::{self, Fold, Folded, Reduction, add_to, header},
    render::{Form, Use},
    space::Space,
    staged,
    state::Evaluation,
};
use crate::{
    array::Memory,
    error::Result,
    kernel::{Source, Specialisation},
};

const TEXT: &str = include_str!("../kernels/rows.cu");
/// The maximum size in bytes of a thread's accumulators. The warps of a block store them in shared
/// memory.
const MAX_ACCUMULATOR_BYTES: usize = 1024;
/// The same for columns, whose threads all store them.
const MAX_COLUMN_ACCUMULATOR_BYTES: usize = 40;
/// The minimum number of adjacent columns, which threads read together.
const MIN_COLUMNS: usize = 16;
/// The minimum width of the vectors of short rows, if there are few elements.
const SHORT_ROW_ELEMENTS: usize = 2;
/// The bytes of a thread's values from which a variance does not use the mean that another stage computes. The
/// kernel of 64 x 4194304 `f32` then took 601 µs instead of 544 (H200).
const MANY_BYTES: usize = 128;
/// The bytes of late operands that a thread loads together.
const LATE_BYTES: usize = 32;
/// Rows of at least this many vectors keep their width, because they already occupy many threads.
const LONG_ROW: usize = 512;

/// A kernel for one form of expressions with reductions of rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rows {
    form: Hashed<Form>,
    stages: Arc<[Stage]>,
    threads: Threads,
    /// The number of blocks of a multiprocessor for which the registers suffice.
    blocks: u32,
    /// The first and the last axis of a row.
    folded: (u8, u8),
}

/// A reduction: its fold, and the leaf that represents its result. Stages are in the order of
/// computation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stage {
    folded: Folded,
    /// `None` if nothing uses the result.
    leaf: Option<u16>,
}

/// The struct `Sizes` of `kernels/rows.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sizes {
    rows: u64,
    length: u64,
    count: u64,
    inner: u64,
    tiles: u64,
    by_tiles: u64,
}

impl Rows {
    /// Returns the number of results of each reduction for a vector: one for each column.
    fn results(&self) -> u8 {
        match self.threads.columns {
            0 => 1,
            _ => self.form.vector,
        }
    }

    /// Returns the number of vectors whose late operands a thread loads together.
    fn late(&self) -> usize {
        let late = self.form.leaves.iter().filter(|leaf| leaf.late);
        let bytes: usize = late
            .map(|leaf| match leaf.is_single() {
                true => leaf.data.size(),
                false => leaf.data.size() * usize::from(self.form.vector),
            })
            .sum();
        (LATE_BYTES / bytes.max(1)).clamp(1, self.threads.vectors as usize)
    }

    /// Returns the header that `kernels/rows.cu` includes as `stages.cuh`.
    fn header(&self) -> String {
        let mut text = String::from("// Written for one expression.\n");
        for (i, stage) in self.stages.iter().enumerate() {
            let _ = writeln!(
                text,
                "namespace stage_{i} {{\n{}}}",
                header(slice::from_ref(&stage.folded))
            );
        }
        text.push_str(
            "__device__ __forceinline__ void run_stages(const Words &w, Mine mine, u64 count, Inputs<VECTOR> (&in)[N], Kept<VECTOR> (&kept)[N]) {\n",
        );
        for (i, stage) in self.stages.iter().enumerate() {
            if let Some((ddof, root)) = stage.in_two_passes(&self.form, i) {
                self.variance(i, stage, (ddof, root), &mut text);
                continue;
            }
            let kept = self
                .form
                .kept
                .iter()
                .position(|&kept| usize::from(kept) == i);
            let kept = kept.map_or_else(String::new, |place| {
                format!("\n                for (int lane = 0; lane < VECTOR; ++lane) kept[i].y{place}[lane] = out.y0[lane];")
            });
            let _ = writeln!(
                text,
                "    {{\n        stage_{i}::accumulator total[GIVEN];\n#pragma unroll\n        \
                 for (int lane = 0; lane < GIVEN; ++lane) total[lane].clear();\n#pragma unroll\n        \
                 for (int i = 0; i < N; ++i)\n            if (mine.has(i)) {{\n                Outputs_{i}<VECTOR> out;\n                \
                 compute_{i}<VECTOR>(w, in[i], out);\n                take(total, out);{kept}\n            }}\n        fold_rows(total);\n#pragma unroll\n        \
                 for (int lane = 0; lane < GIVEN; ++lane) {{"
            );
            if let Some(leaf) = stage.leaf {
                let data = self.form.leaves[usize::from(leaf)].data;
                let _ = writeln!(
                    text,
                    "            stage_{i}::Results<1> results;\n            total[lane].finish(results, 0, count);\n            \
                     const {} given = {};\n#pragma unroll\n            \
                     for (int i = 0; i < N; ++i) in[i].x{leaf}[lane] = given;",
                    data.computed(),
                    rounded("results.y0[0]".into(), data)
                );
            }
            text.push_str("        }\n");
            text.push_str("    }\n");
        }
        text.push_str("}\n");
        text
    }

    /// Returns the leaf that has the mean of a stage's values, if an earlier stage computes it. The mean of
    /// halves is rounded too much. With many values that are loaded as floats, the compiler would spill
    /// registers, because it keeps their distances from the mean.
    fn mean_before(&self, stage: usize) -> Option<u16> {
        let value = self.form.stages[stage];
        if let Value::Load { data, .. } = self.form.values[usize::from(value)]
            && self.threads.vectors as usize * usize::from(self.form.vector) * data.size()
                >= MANY_BYTES
        {
            return None;
        }
        let means = self.stages[..stage].iter().zip(&self.form.stages);
        let mut means = means.filter(|(mean, of)| mean.folded.fold == Fold::Mean && **of == value);
        let (mean, _) = means.next()?;
        mean.leaf.filter(|_| !mean.folded.data.is_half())
    }

    /// Writes a stage that computes variances: see `kernels/row_variance.cuh`.
    fn variance(&self, i: usize, stage: &Stage, (ddof, root): (u32, bool), text: &mut String) {
        let Some(leaf) = stage.leaf else {
            return;
        };
        let value = stage.folded.data.computed();
        let pass = |name: &str, arguments: &str| {
            format!(
                "        fold_{name}<{value}> {name}[GIVEN];\n#pragma unroll\n        \
                 for (int row = 0; row < GIVEN; ++row) {name}[row].clear();\n#pragma unroll\n        \
                 for (int i = 0; i < N; ++i)\n            if (mine.has(i)) {{\n                Outputs_{i}<VECTOR> out;\n                \
                 compute_{i}<VECTOR>(w, in[i], out);\n                \
                 for_rows(out.y0, [&](int row, const {value} (&own)[VECTOR / GIVEN]) {{ {name}[row].take(own, {arguments}); }});\n            \
                 }}\n        fold_rows({name});\n#pragma unroll\n        for (int row = 0; row < GIVEN; ++row) {{\n"
            )
        };
        let data = self.form.leaves[usize::from(leaf)].data;
        let mean = match self.mean_before(i) {
            Some(mean) => format!(
                "#pragma unroll\n        for (int row = 0; row < GIVEN; ++row) mean[row] = in[0].x{mean}[row];\n"
            ),
            None => format!(
                "        {value} first[GIVEN];\n        const {value} scale = scale_for<{value}>(count);\n        {{\n            \
                 Outputs_{i}<VECTOR> out;\n            compute_{i}<VECTOR>(w, in[0], out);\n            \
                 take_first(out.y0, first);\n        }}\n{}            \
                 mean[row] = first[row] + distances[row].value / (scale * ({value})count);\n        }}\n",
                pass("distances", "first[row], scale")
            ),
        };
        let _ = writeln!(
            text,
            "    {{\n        {value} mean[GIVEN];\n{mean}{}            \
             const {} given = {};\n#pragma unroll\n            for (int i = 0; i < N; ++i) in[i].x{leaf}[row] = given;\n        }}\n    }}",
            pass("squares", "mean[row]"),
            data.computed(),
            rounded(
                format!("(squares[row].result<{ddof}, {root}>(count))"),
                data
            ),
        );
    }
}

impl Stage {
    /// Returns the number to subtract from a variance's divisor, and whether its root is wanted, if
    /// the values take so few instructions that they can be computed several times.
    fn in_two_passes(&self, form: &Form, stage: usize) -> Option<(u32, bool)> {
        let variance = match self.folded.fold {
            Fold::Variance(ddof) => (ddof, false),
            Fold::Deviation(ddof) => (ddof, true),
            _ => return None,
        };
        form.takes_few_instructions(form.stages[stage])
            .then_some(variance)
    }
}

impl Specialisation for Rows {
    fn source(&self) -> Source {
        let source = self
            .form
            .add_headers(Source::new("rows.cu", TEXT, "rows"), Use::Stored)
            .header(
                "row_variance.cuh",
                include_str!("../kernels/row_variance.cuh"),
            )
            .header("stages.cuh", self.header())
            .define("THREADS", self.threads.of_block())
            .define("GROUP", self.threads.group)
            .define("COLUMNS", self.threads.columns)
            .define("STAGED", u8::from(self.threads.staged > 0))
            .define("GIVEN", self.results())
            .define("N", self.threads.vectors)
            .define("LATE", self.late())
            .define("BLOCKS", self.blocks)
            .define("APART", u8::from(self.form.is_long_in_f64()))
            .define("FOLDED_FROM", self.folded.0)
            .define("FOLDED_TO", self.folded.1);
        let source = match self.threads.staged {
            0 => source,
            rows => {
                let elements = rows * self.threads.vectors * u32::from(self.form.vector);
                staged::add_headers(source, &self.form, elements as usize, true)
            }
        };
        add_to(source, self.stages.iter().map(|stage| &stage.folded))
    }
}

/// Returns the reductions in the roots. Each comes after the reductions that it depends on.
fn reductions_of<'a>(
    roots: &[&'a Arc<Node>],
) -> Vec<(&'a Arc<Node>, &'a Reduction, &'a Arc<Node>)> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut waiting: Vec<(&Arc<Node>, bool)> =
        roots.iter().rev().map(|root| (*root, false)).collect();
    while let Some((node, visited)) = waiting.pop() {
        if visited {
            if let Kind::Reduce(reduction, input) = &node.kind {
                found.push((node, reduction, input));
            }
        } else if node.reduces && seen.insert(Arc::as_ptr(node)) {
            waiting.push((node, true));
            waiting.extend(node.inputs().iter().rev().map(|input| (input, false)));
        }
    }
    found
}

/// Computes the roots in one kernel. Returns `None` unless all have one shape and need only
/// reductions of its rows, and these rows are short enough for registers.
pub(super) fn run(
    evaluation: &mut Evaluation<'_>,
    roots: &[&Arc<Node>],
) -> Result<Option<Vec<Stored>>> {
    let (kernels, stream) = (evaluation.kernels, evaluation.stream);
    if !roots
        .iter()
        .all(|root| root.reduces && !root.views && !matches!(root.kind, Kind::Reduce(..)))
    {
        return Ok(None);
    }
    let reductions = reductions_of(roots);
    let (shape, axes) = (reductions[0].2.shape()?, reductions[0].1.axes);
    let mut bytes = 0;
    for (_, reduction, input) in &reductions {
        bytes += reduction.fold.accumulator_bytes(input.data);
        let fits = reduction.axes == axes && reduction.keep && input.shape()? == shape;
        if !fits || reduction.fold.takes_place() || bytes > MAX_ACCUMULATOR_BYTES {
            return Ok(None);
        }
    }
    for root in roots {
        if root.shape()? != shape {
            return Ok(None);
        }
    }
    // Skips planning for rows that are too long even with one byte per element.
    if shape.elements() == 0 || reduction::elements(shape, axes) > MAX_ROW_BYTES {
        return Ok(None);
    }

    // The inputs of the reductions come first, then the stored values. Each reduction's result is a
    // leaf for the others.
    let given: FxHashMap<*const Node, u16> = reductions
        .iter()
        .enumerate()
        .map(|(i, (node, ..))| (Arc::as_ptr(node), i as u16))
        .collect();
    let wanted: Vec<&Arc<Node>> = reductions
        .iter()
        .map(|(_, _, input)| *input)
        .chain(roots.iter().copied())
        .collect();
    let Some(mut plan) = Plan::with_given(&wanted, shape, &Computed::default(), &given)? else {
        return Ok(None);
    };
    let stage_roots: Vec<u16> = plan.roots.drain(..reductions.len()).collect();
    if plan
        .leaves
        .iter()
        .any(|leaf| leaf.origin.source() == LeafSource::Random)
    {
        return Ok(None);
    }
    let layout = plan.result_layout(shape);
    let groups = Groups::new(&layout, axes);
    let count = reduction::elements(shape, axes);
    let densest = layout
        .axes()
        .iter()
        .copied()
        .rfind(|&axis| shape[axis] != 1 && groups.of(axis) == Group::Folded);
    let read = plan.leaves.iter().filter(|leaf| {
        leaf.memory().is_some() && densest.is_some_and(|axis| leaf.strides[axis] != 0)
    });
    if count.saturating_mul(read.map(|leaf| leaf.data.size()).sum()) > MAX_ROW_BYTES {
        return Ok(None);
    }
    let inner = groups.elements(Group::Inner) as usize;
    let columns_fit =
        inner >= MIN_COLUMNS && count <= MAX_COLUMN && bytes <= MAX_COLUMN_ACCUMULATOR_BYTES;
    if !groups.in_rows() && !columns_fit {
        return Ok(None);
    }
    let mut memories = Vec::with_capacity(roots.len());
    for root in roots {
        let memory = Memory::new(kernels, stream, shape.elements(), root.data)?;
        memories.push(Arc::new(memory));
    }
    let targets = memories.iter().zip(roots).map(|(memory, root)| Target {
        memory,
        layout,
        data: root.data,
    });
    let targets: Vec<Target<'_>> = targets.collect();

    let group = |axis| groups.of(axis) as u8;
    let mut operands = Operands::new(plan, shape, &targets, &groups.order, group);
    let mut vector = operands.vector_width();
    // Rows and columns are whole numbers of vectors. Few elements are divided among many threads.
    let each = kernels
        .hardware()
        .elements_of_a_thread(shape.elements() as u64) as usize;
    let (along, most, enough) = match groups.in_rows() {
        true => {
            let most = each.next_power_of_two().max(SHORT_ROW_ELEMENTS);
            (count, most, LONG_ROW)
        }
        false => (inner, each, usize::MAX),
    };
    while !along.is_multiple_of(vector) {
        vector /= 2;
    }
    let rows = shape.elements() / count;
    let staged = match groups.in_rows() {
        true => {
            let row = (count / vector, vector);
            Threads::of_copies(kernels.hardware(), &operands, rows, row)
        }
        false => None,
    };
    while staged.is_none() && vector > most && along / vector < enough {
        vector /= 2;
    }
    let mut form = Form {
        stages: stage_roots,
        ..operands.form(vector)
    };
    load_late(&mut form, &operands.space);
    let staged = staged.filter(|threads| threads.hold(&form));
    let (length, inner, threads) = match groups.in_rows() {
        true => {
            let length = count / vector;
            let of_rows = || Threads::of_rows(kernels.hardware(), &form, rows, length);
            (length, 1, staged.or_else(of_rows))
        }
        false => {
            let threads = Threads::of_columns(kernels.hardware(), &form, rows / vector, count);
            (count, inner / vector, threads)
        }
    };
    let Some(threads) = threads else {
        return Ok(None);
    };
    let stages = reductions
        .iter()
        .enumerate()
        .map(|(i, (_, reduction, input))| Stage {
            folded: Folded {
                fold: reduction.fold.clone(),
                data: input.data,
                value: 0,
                place: 0,
            },
            leaf: operands
                .leaves()
                .iter()
                .position(|leaf| leaf.is_given(i as u16))
                .map(|leaf| leaf as u16),
        });
    threads.keep(&mut form);
    let words = operands.words(&form)?;
    let (rows, inner) = (rows as u64, inner as u64);
    let (tiles, blocks) = match threads.columns {
        0 => (
            1,
            rows.div_ceil((threads.of_block() / threads.group).into()),
        ),
        columns => {
            let tiles = inner.div_ceil(columns.into());
            (tiles, groups.elements(Group::Outer) * tiles)
        }
    };
    let kernel = Rows {
        blocks: threads.blocks(kernels.hardware(), &form, blocks),
        form: Hashed::new(form),
        stages: stages.collect(),
        threads,
        folded: operands.space.axes_of(Group::Folded as u8),
    };
    let sizes = Sizes {
        rows,
        length: length as u64,
        count: count as u64,
        inner,
        tiles,
        by_tiles: magic(tiles),
    };
    let launch = Launch {
        kernel: kernels.get(&kernel)?,
        config: LaunchConfig::new(grid(blocks)?, threads.of_block()),
        words,
        sizes: bytemuck::cast_slice(&[sizes]).to_vec(),
        scratch: [None; 2],
    };
    // SAFETY: the kernel was generated for these words and sizes, which are its parameters. It
    // reads and writes elements of the operands within their layouts.
    unsafe { evaluation.launch(launch, &kernel.form, &operands)? };
    Ok(Some(
        memories
            .into_iter()
            .map(|memory| (memory, layout))
            .collect(),
    ))
}

/// Marks the leaves that are the same for all rows, such as weights, and that no reduction needs. They
/// are in the cache, and take no registers while the reductions are computed.
fn load_late(form: &mut Form, space: &Space) {
    let loaded = form.loaded(&form.needed(&form.stages));
    let one_row = space
        .groups
        .iter()
        .all(|&group| group == Group::Folded as u8);
    if one_row || form.leaves.iter().any(|leaf| leaf.through.is_some()) {
        return;
    }
    for (i, leaf) in form.leaves.iter_mut().enumerate() {
        let mut axes = space.groups.iter().zip(&space.strides[i]);
        let in_cache = axes.all(|(&group, &stride)| group == Group::Folded as u8 || stride == 0);
        leaf.late = leaf.source == LeafSource::Memory && in_cache && !loaded[i];
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::{super::Expr, *};
    use crate::{array::Array, element::Element, kernel::Kernels, random::Random};

    fn stream() -> Stream {
        Stream::new(&Context::primary(0).unwrap()).unwrap()
    }

    /// Whether all are computed in one kernel of whole rows.
    fn is_one_kernel(stream: &Stream, roots: &[&Arc<Node>]) -> bool {
        let kernels = Kernels::of(stream).unwrap();
        let mut evaluation = Evaluation::new(&kernels, stream);
        run(&mut evaluation, roots).unwrap().is_some()
    }

    fn zeros<T: Element + Pod>(stream: &Stream, shape: &[usize]) -> Array<T> {
        Array::zeros(stream, shape).unwrap()
    }

    #[test]
    fn adjacent_elements_belong_to_a_row_or_to_neighbouring_columns() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        // The columns of a block.
        let columns = |lengths: &[usize], axis: usize| {
            let kernels = Kernels::of_multiprocessors(&context, 1);
            let x = kernels.zeros::<f32>(&stream, lengths);
            (&x - x.max_axis(axis).keep_axes()).eval().unwrap();
            let found: Vec<Rows> = kernels.compiled_for();
            found.first().map(|rows| rows.threads.columns)
        };
        assert_eq!(columns(&[3, 20], 1), Some(0));
        assert_eq!(columns(&[2, 20], 0), Some(256));
        assert_eq!(columns(&[2, 40, 1000], 1), Some(32));
        // Axes of length 1 are ignored.
        assert_eq!(columns(&[20, 1], 0), Some(0));
        // Too few neighbours to read together, and a column that is too long.
        assert_eq!(columns(&[3, 15], 0), None);
        assert_eq!(columns(&[1025, 16], 0), None);
    }

    #[test]
    fn weights_take_no_registers() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let late = |weights: [usize; 2], before: bool| {
            let kernels = Kernels::of_multiprocessors(&context, 1);
            let x = kernels.zeros::<f32>(&stream, &[40, 512]);
            let scale = kernels.zeros::<f32>(&stream, &weights);
            let values = if before { &x * &scale } else { x.expr() };
            let centred = &values - values.mean_axis(1).keep_axes();
            (centred * &scale).eval().unwrap();
            let rows: Vec<Rows> = kernels.compiled_for();
            let late: Vec<bool> = rows[0].form.leaves.iter().map(|leaf| leaf.late).collect();
            (late.contains(&true), rows[0].threads.vectors)
        };
        assert_eq!(late([1, 512], false), (true, 4));
        // Values that the mean needs, or that differ between rows.
        assert_eq!(late([1, 512], true), (false, 2));
        assert_eq!(late([40, 512], false), (false, 2));
    }

    #[test]
    fn weights_of_several_vectors_are_loaded_together() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let late = |length: usize, weights: [usize; 2]| {
            let kernels = Kernels::of_multiprocessors(&context, 1);
            let x = kernels.zeros::<f32>(&stream, &[40, length]);
            let weights = kernels.zeros::<f32>(&stream, &weights);
            (x.max_axis(1).keep_axes() - &x + &weights).eval().unwrap();
            let rows: Vec<Rows> = kernels.compiled_for();
            (rows[0].form.vector, rows[0].threads.vectors, rows[0].late())
        };
        // 32 bytes, but no more vectors than the thread has.
        assert_eq!(late(2048, [1, 2048]), (4, 4, 2));
        assert_eq!(late(2047, [1, 2047]), (1, 16, 8));
        assert_eq!(late(2048, [1, 1]), (4, 4, 4));
        assert_eq!(late(130, [1, 130]), (2, 5, 4));
    }

    #[test]
    fn random_numbers_are_left_to_other_kernels() {
        let stream = stream();
        let x = Expr::<f32>::uniform(&mut Random::new(1), [3, 4]).unwrap();
        let node = (&x - x.sum_axis(1).keep_axes()).node;
        assert!(!is_one_kernel(&stream, &[&node]));
    }

    #[test]
    fn rows_with_their_own_reductions_are_one_kernel() {
        let stream = stream();
        let x = zeros::<f32>(&stream, &[4, 4]);
        let largest = || x.max_axis(1).keep_axes();
        let one = |roots: &[&Expr<f32>]| {
            let nodes: Vec<&Arc<Node>> = roots.iter().map(|root| &root.node).collect();
            is_one_kernel(&stream, &nodes)
        };
        let centred = &x - largest();
        assert!(one(&[&centred]));
        assert!(one(&[&centred, &(&x * x.sum_axis(1).keep_axes())]));
        // There is no reduction, or nothing but a reduction.
        assert!(!one(&[&(&x + 1.0)]));
        assert!(!one(&[&centred, &(&x + 1.0)]));
        assert!(!one(&[&largest()]));
        // Reductions along other axes, of other rows, without their axes.
        assert!(!one(&[&(&centred + x.max_axis(0).keep_axes())]));
        assert!(!one(&[&(&x - x.max_axis(1))]));
        assert!(!one(&[&(&centred + x.max_axis(1))]));
        let row = zeros::<f32>(&stream, &[1, 4]);
        assert!(!one(&[&(&centred + row.max_axis(1).keep_axes())]));
        // Results of other shapes.
        let layers = zeros::<f32>(&stream, &[2, 4, 4]);
        assert!(!one(&[&(&centred + &layers)]));
        assert!(!one(&[&centred, &(&centred + &layers)]));
        // The kernel of whole rows doesn't know the places of values.
        let place = x.argmax_axis(1).keep_axes().cast::<f32>();
        assert!(!one(&[&(&x - place)]));
        // No elements.
        let empty = zeros::<f32>(&stream, &[0, 4]);
        assert!(!one(&[&(&empty - empty.sum_axis(1).keep_axes())]));
    }

    #[test]
    fn a_kernel_takes_rows_that_fit_into_registers() {
        let stream = stream();
        let bytes = |length: usize| {
            let x = zeros::<u8>(&stream, &[1, length]);
            let node = (&x - x.max_axis(1).keep_axes()).node;
            is_one_kernel(&stream, &[&node])
        };
        assert!(bytes(MAX_ROW_BYTES) && !bytes(MAX_ROW_BYTES + 1));
        // A value that is the same for a whole row takes no registers.
        let x = zeros::<f32>(&stream, &[1, MAX_ROW_BYTES / 4]);
        let scale = zeros::<f32>(&stream, &[1, 1]);
        let node = (&x * &scale - x.max_axis(1).keep_axes()).node;
        assert!(is_one_kernel(&stream, &[&node]));
        let other = zeros::<f32>(&stream, &[1, MAX_ROW_BYTES / 4]);
        let node = (&x * &other - x.max_axis(1).keep_axes()).node;
        assert!(!is_one_kernel(&stream, &[&node]));
    }

    #[test]
    fn too_many_accumulators_are_left_to_other_kernels() {
        let stream = stream();
        let x = zeros::<f64>(&stream, &[2, 8]);
        let with = |count: usize| {
            // 32 bytes of accumulators each.
            let spread = |i: usize| (&x * i as f64).var_axis(1, 0).keep_axes();
            let sum = (0..count).fold(x.expr(), |sum, i| sum + spread(i));
            is_one_kernel(&stream, &[&sum.node])
        };
        assert!(with(MAX_ACCUMULATOR_BYTES / 32) && !with(MAX_ACCUMULATOR_BYTES / 32 + 1));
    }

    #[test]
    fn reductions_come_behind_those_that_they_depend_on() {
        let stream = stream();
        let x = zeros::<f32>(&stream, &[2, 8]);
        let inner = x.max_axis(1).keep_axes();
        let outer = (&x - &inner).exp().sum_axis(1).keep_axes();
        let root = &x / &outer + &inner;
        let found = reductions_of(&[&root.node, &root.node]);
        let found: Vec<_> = found.iter().map(|(node, ..)| Arc::as_ptr(node)).collect();
        assert_eq!(found, [&inner, &outer].map(|e| Arc::as_ptr(&e.node)));
        assert!(reductions_of(&[&x.expr().node]).is_empty());
    }

    #[test]
    fn rows_are_read_in_vectors_that_end_with_them() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let chosen = |length: usize| {
            let kernels = Kernels::new(&context).unwrap();
            let x = kernels.zeros::<f32>(&stream, &[3, length]);
            (&x - x.max_axis(1).keep_axes()).eval().unwrap();
            let rows: Vec<Rows> = kernels.compiled_for();
            let threads = rows[0].threads;
            (rows[0].form.vector, threads.group, threads.vectors)
        };
        assert_eq!(chosen(64), (2, 16, 2)); // few elements
        assert_eq!(chosen(1 << 11), (4, 256, 2));
        assert_eq!(chosen(66), (2, 32, 2));
        assert_eq!(chosen(67), (1, 64, 2));
    }
}
