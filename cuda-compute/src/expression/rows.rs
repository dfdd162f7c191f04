//! Kernels for expressions of whole rows with reductions of those rows. They read each row once.

use std::{ffi::c_void, fmt::Write as _, slice, sync::Arc};

use cuda_safe::{LaunchConfig, Stream};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    elementwise::with_headers,
    hashed::Hashed,
    node::{Kind, Node},
    operands::{Operands, Target, grid, launch},
    operation::rounded,
    plan::{Computed, Plan, Stored},
    reduction::{self, Folded, Reduction, add_to, header},
    render::{Form, Source as LeafSource},
};
use crate::{
    array::{Layout, Memory, Shape},
    error::Result,
    kernel::{Kernels, Source, Specialisation},
};

const TEXT: &str = include_str!("../kernels/rows.cu");
/// The 32-bit registers per thread for a row: the preferred limit and the hard limit.
const TARGET_REGISTERS: usize = 32;
const MAX_REGISTERS: usize = 64;
const GROUPS: [usize; 7] = [16, 32, 64, 128, 256, 512, 1024];
/// The size in bytes of the longest row that fits.
const MAX_ROW_BYTES: usize = 1024 * MAX_REGISTERS * size_of::<u32>();
/// The maximum size in bytes of a thread's accumulators. The warps of a block store them in shared
/// memory.
const MAX_ACCUMULATOR_BYTES: usize = 1024;

/// A kernel for one form of expressions with reductions of rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rows {
    form: Hashed<Form>,
    stages: Arc<[Stage]>,
    group: u32,
    vectors: u32,
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
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Sizes {
    rows: u64,
    length: u64,
    count: u64,
}

impl Rows {
    fn threads(&self) -> u32 {
        self.group.max(256)
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
            "__device__ __forceinline__ void run_stages(const Words &w, unsigned mine, u64 count, Inputs<VECTOR> (&in)[N]) {\n",
        );
        for (i, stage) in self.stages.iter().enumerate() {
            let _ = writeln!(
                text,
                "    {{\n        stage_{i}::accumulator total;\n        total.clear();\n#pragma unroll\n        \
                 for (int i = 0; i < N; ++i)\n            if (i < mine) {{\n                Outputs_{i}<VECTOR> out;\n                \
                 compute_{i}<VECTOR>(w, in[i], out);\n                \
                 total.take_all(values_across<Outputs_{i}<VECTOR>, VECTOR>{{out}});\n            }}\n        \
                 fold_row(total);\n        stage_{i}::Results<1> results;\n        total.finish(results, 0, count);"
            );
            if let Some(leaf) = stage.leaf {
                let data = self.form.leaves[usize::from(leaf)].data;
                let _ = writeln!(
                    text,
                    "        const {} given = {};\n#pragma unroll\n        for (int i = 0; i < N; ++i) in[i].x{leaf} = given;",
                    data.computed(),
                    rounded("results.y0[0]".into(), data)
                );
            }
            text.push_str("    }\n");
        }
        text.push_str("}\n");
        text
    }
}

impl Specialisation for Rows {
    fn source(&self) -> Source {
        let source = with_headers(Source::new("rows.cu", TEXT, "rows"), &self.form)
            .header("folds.cuh", include_str!("../kernels/folds.cuh"))
            .header("shuffle.cuh", include_str!("../kernels/shuffle.cuh"))
            .header("stages.cuh", self.header())
            .define("THREADS", self.threads())
            .define("GROUP", self.group)
            .define("N", self.vectors);
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
    kernels: &Kernels,
    stream: &Stream,
    roots: &[&Arc<Node>],
) -> Result<Option<Vec<Stored>>> {
    if !roots
        .iter()
        .all(|root| root.reduces && !matches!(root.kind, Kind::Reduce(..)))
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
    let mut plan = Plan::with_given(&wanted, shape, &Computed::default(), &given)?;
    let stage_roots: Vec<u16> = plan.roots.drain(..reductions.len()).collect();
    let Some((layout, densest)) = in_rows(&plan, shape, axes) else {
        return Ok(None);
    };
    let count = reduction::elements(shape, axes);
    let read = plan
        .leaves
        .iter()
        .filter(|leaf| leaf.memory().is_some() && leaf.strides[densest] != 0);
    if count.saturating_mul(read.map(|leaf| leaf.data.size()).sum()) > MAX_ROW_BYTES {
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

    let folded = |axis: usize| axes >> axis & 1 == 1;
    let mut order = layout.axes();
    order.sort_by_key(|&axis| folded(axis));
    let mut operands = Operands::new(plan, shape, &targets, &order, |axis| u8::from(folded(axis)));
    let mut vector = operands.vector_width();
    while !count.is_multiple_of(vector) {
        vector /= 2;
    }
    let form = Form {
        stages: stage_roots,
        ..operands.form(vector)
    };
    let length = count / vector;
    let Some((group, vectors)) = threads_of_row(&form, length) else {
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
    let mut words = operands.words(&form)?;
    let kernel = Rows {
        form: Hashed::new(form),
        stages: stages.collect(),
        group,
        vectors,
    };
    let rows = shape.elements() / count;
    let blocks = grid((rows as u64).div_ceil(u64::from(kernel.threads() / group)))?;
    let mut sizes = Sizes {
        rows: rows as u64,
        length: length as u64,
        count: count as u64,
    };
    let function = kernels.get(&kernel)?;
    let mut pointers: [*mut c_void; 2] = [words.as_mut_ptr().cast(), (&raw mut sizes).cast()];
    let config = LaunchConfig::new(blocks, kernel.threads());
    let used = operands.memories().map(|memory| &**memory);
    // SAFETY: the kernel was generated for these words and sizes, which are its parameters. It
    // reads and writes elements of the operands within their layouts, which are within their
    // memory.
    unsafe { launch(&function, stream, config, &mut pointers, used)? };
    Ok(Some(
        memories
            .into_iter()
            .map(|memory| (memory, layout))
            .collect(),
    ))
}

/// Returns the layout of the results and its axis with the smallest stride, if that axis is
/// reduced.
fn in_rows(plan: &Plan, shape: Shape, axes: u8) -> Option<(Layout, usize)> {
    let mut leaves = plan.leaves.iter();
    if leaves.any(|leaf| leaf.origin.source() == LeafSource::Random) {
        return None;
    }
    let layout = super::evaluate::result_layout(plan, shape);
    let densest = *layout.axes().iter().rfind(|&&axis| shape[axis] != 1)?;
    (axes >> densest & 1 == 1).then_some((layout, densest))
}

/// Returns the number of threads per row and of vectors per thread, if the row fits in registers.
fn threads_of_row(form: &Form, length: usize) -> Option<(u32, u32)> {
    let bytes: usize = form
        .leaves
        .iter()
        .filter(|leaf| leaf.is_read())
        .map(|leaf| leaf.data.size())
        .sum();
    let registers = (bytes * usize::from(form.vector)).div_ceil(4).max(1);
    let of = |group: usize| length.div_ceil(group);
    let fits = |most: usize| move |group: &usize| of(*group) * registers <= most;
    let group = GROUPS
        .into_iter()
        .find(fits(TARGET_REGISTERS))
        .or_else(|| GROUPS.into_iter().find(fits(MAX_REGISTERS)))?;
    Some((group as u32, of(group) as u32))
}
