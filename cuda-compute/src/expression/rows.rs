//! Kernels for expressions of whole rows with reductions of those rows. They read each row once.

use std::{fmt::Write as _, slice, sync::Arc};

use bytemuck::{Pod, Zeroable};
use cuda_safe::LaunchConfig;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    hashed::Hashed,
    launch::Launch,
    node::{Kind, Node},
    operands::{Operands, Target, grid},
    operation::rounded,
    plan::LeafSource,
    plan::{Computed, Plan, Stored},
    reduction::{self, Folded, Reduction, add_to, header},
    render::Form,
    state::Evaluation,
};
use crate::{
    array::{Layout, Memory, Shape},
    error::Result,
    kernel::{Hardware, Source, Specialisation},
};

const TEXT: &str = include_str!("../kernels/rows.cu");
/// The 32-bit registers per thread for a row: the preferred limit and the hard limit.
const TARGET_REGISTERS: usize = 32;
const MAX_REGISTERS: usize = 64;
/// The size in bytes of rows that one thread computes.
const ALONE_BYTES: usize = 64;
/// The numbers of threads for a longer row.
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
        let source = self
            .form
            .add_headers(Source::new("rows.cu", TEXT, "rows"))
            .header("stages.cuh", self.header())
            .define("THREADS", self.threads())
            .define("GROUP", self.group)
            .define("N", self.vectors)
            .define("FOLDED_FROM", self.folded.0)
            .define("FOLDED_TO", self.folded.1);
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
    let rows = shape.elements() / count;
    let Some((group, vectors)) = threads_of_row(kernels.hardware(), &form, rows, length) else {
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
    let words = operands.words(&form)?;
    let kernel = Rows {
        form: Hashed::new(form),
        stages: stages.collect(),
        group,
        vectors,
        folded: operands.space.axes_of(1),
    };
    let blocks = grid((rows as u64).div_ceil(u64::from(kernel.threads() / group)))?;
    let sizes = Sizes {
        rows: rows as u64,
        length: length as u64,
        count: count as u64,
    };
    let launch = Launch {
        kernel: kernels.get(&kernel)?,
        config: LaunchConfig::new(blocks, kernel.threads()),
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

/// Returns the layout of the results and its axis with the smallest stride, if that axis is
/// reduced.
fn in_rows(plan: &Plan, shape: Shape, axes: u8) -> Option<(Layout, usize)> {
    let mut leaves = plan.leaves.iter();
    if leaves.any(|leaf| leaf.origin.source() == LeafSource::Random) {
        return None;
    }
    let layout = plan.result_layout(shape);
    let densest = *layout.axes().iter().rfind(|&&axis| shape[axis] != 1)?;
    (axes >> densest & 1 == 1).then_some((layout, densest))
}

/// Returns the number of threads per row and of vectors per thread, if the row fits in registers.
fn threads_of_row(
    hardware: &Hardware,
    form: &Form,
    rows: usize,
    length: usize,
) -> Option<(u32, u32)> {
    let bytes: usize = form
        .leaves
        .iter()
        .filter(|leaf| leaf.is_read())
        .map(|leaf| leaf.data.size())
        .sum();
    let registers = (bytes * usize::from(form.vector)).div_ceil(4).max(1);
    let of = |group: usize| length.div_ceil(group);
    let fits = |most: usize| move |group: &usize| of(*group) * registers <= most;
    let mut group = GROUPS
        .into_iter()
        .find(fits(TARGET_REGISTERS))
        .or_else(|| GROUPS.into_iter().find(fits(MAX_REGISTERS)))?;
    if length * registers * size_of::<u32>() <= ALONE_BYTES {
        group = 1; // the threads of a warp read consecutive memory anyway
    } else if length < group {
        group = length.next_power_of_two();
    }
    // Few rows need more threads each to keep the device busy, of at least two vectors each.
    let enough = hardware.multiprocessors as usize * 512;
    while group >= GROUPS[0] && group < 512 && of(group) > 2 && rows * group < enough {
        group *= 2;
    }
    Some((group as u32, of(group) as u32))
}

#[cfg(test)]
mod tests {
    use cuda_safe::{ComputeCapability, Context, Stream};

    use super::{
        super::{
            Expr,
            render::LeafForm,
            space::{Access, Inner, Still},
        },
        *,
    };
    use crate::{
        array::Array,
        element::{DataType, Element},
        kernel::Kernels,
        random::Random,
    };

    fn hardware() -> Hardware {
        Hardware {
            capability: ComputeCapability { major: 9, minor: 0 },
            multiprocessors: 132,
            shared_per_block: 0,
        }
    }

    /// The threads and vectors of each of many rows.
    fn of_many(form: &Form, length: usize) -> Option<(u32, u32)> {
        threads_of_row(&hardware(), form, 1 << 20, length)
    }

    /// A form that reads these leaves in vectors.
    fn form(leaves: &[(DataType, Access, LeafSource)], vector: u8) -> Form {
        let leaves = leaves.iter().map(|&(data, access, source)| LeafForm {
            data,
            access,
            source,
            apart: false,
            through: None,
        });
        Form {
            values: Vec::new(),
            roots: Vec::new(),
            stages: Vec::new(),
            leaves: leaves.collect(),
            outputs: Vec::new(),
            rank: 2,
            narrow: true,
            vector,
        }
    }

    #[test]
    fn a_row_gets_the_fewest_threads_that_hold_it() {
        let memory = |data| (data, Access::Linear, LeafSource::Memory);
        let single = form(&[memory(DataType::F32)], 1);
        for (length, wanted) in [
            // One thread, then as many as elements, or a power of two.
            (1, Some((1, 1))),
            (16, Some((1, 16))),
            (17, Some((16, 2))),
            (512, Some((16, 32))),
            (513, Some((32, 17))),
            (1 << 15, Some((1024, 32))),
            // Rows need more registers if even the largest group is too small.
            ((1 << 15) + 1, Some((1024, 33))),
            (1 << 16, Some((1024, 64))),
            ((1 << 16) + 1, None),
        ] {
            assert_eq!(of_many(&single, length), wanted, "{length}");
        }
        let few = |rows, length| threads_of_row(&hardware(), &single, rows, length);
        for (rows, length, wanted) in [
            (128, 4096, (512, 8)),
            (1, 100, (64, 2)),
            (4224, 64, (16, 4)),
            (4223, 64, (32, 2)),
            (1, 1, (1, 1)),
        ] {
            assert_eq!(few(rows, length), Some(wanted), "{rows} x {length}");
        }
        let four = form(&[memory(DataType::F32)], 4);
        assert_eq!(of_many(&four, 5), Some((8, 1)));
        assert_eq!(of_many(&four, 128), Some((16, 8)));
        assert_eq!(of_many(&four, 129), Some((32, 5)));
        // Three registers for two vectors of two elements.
        let both = form(&[memory(DataType::F16), memory(DataType::F32)], 2);
        assert_eq!(of_many(&both, 160), Some((16, 10)));
        assert_eq!(of_many(&both, 176), Some((32, 6)));
        // Leaves that are not loaded in vectors need no registers. A vector needs at least one.
        let none = form(
            &[
                (DataType::F64, Access::Uniform, LeafSource::Memory),
                (
                    DataType::F64,
                    Access::Strided(Inner::Same, Still::NONE),
                    LeafSource::Memory,
                ),
                (DataType::U64, Access::Linear, LeafSource::Place),
            ],
            1,
        );
        assert_eq!(of_many(&none, 512), Some((16, 32)));
    }

    #[test]
    fn a_block_has_threads_for_several_short_rows() {
        let threads = |group| {
            let rows = Rows {
                form: Hashed::new(form(&[], 1)),
                stages: Arc::new([]),
                group,
                vectors: 1,
                folded: (0, 0),
            };
            rows.threads()
        };
        assert_eq!([16, 256, 512, 1024].map(threads), [256, 256, 512, 1024]);
    }

    fn stream() -> Stream {
        Stream::new(&Context::primary(0).unwrap()).unwrap()
    }

    /// Whether all are computed in one kernel of whole rows.
    fn is_one_kernel(stream: &Stream, roots: &[&Arc<Node>]) -> bool {
        let kernels = Kernels::of(stream.context()).unwrap();
        let mut evaluation = Evaluation::new(&kernels, stream);
        run(&mut evaluation, roots).unwrap().is_some()
    }

    fn zeros<T: Element + Pod>(stream: &Stream, shape: &[usize]) -> Array<T> {
        Array::zeros(stream, shape).unwrap()
    }

    #[test]
    fn the_densest_axis_has_to_be_folded() {
        let stream = stream();
        let densest = |lengths: &[usize], axes: u8| {
            let x = zeros::<f32>(&stream, lengths).expr();
            let shape = Shape::of(lengths);
            let plan = Plan::new(&[&x.node], shape, &Computed::default())
                .unwrap()
                .unwrap();
            in_rows(&plan, shape, axes).map(|(_, densest)| densest)
        };
        assert_eq!(densest(&[3, 4], 0b10), Some(1));
        assert_eq!(densest(&[3, 4], 0b11), Some(1));
        assert_eq!(densest(&[3, 4], 0b01), None);
        // Axes of length 1 are ignored.
        assert_eq!(densest(&[3, 1], 0b01), Some(0));
        assert_eq!(densest(&[3, 1], 0b10), None);
        assert_eq!(densest(&[1, 1], 0b11), None);
        let shape = Shape::of(&[3, 4]);
        let random = Expr::<f32>::uniform(&mut Random::new(1), [3, 4]).unwrap();
        let plan = Plan::new(&[&random.node], shape, &Computed::default())
            .unwrap()
            .unwrap();
        assert!(in_rows(&plan, shape, 0b10).is_none());
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
            (rows[0].form.vector, rows[0].group, rows[0].vectors)
        };
        assert_eq!(chosen(64), (4, 16, 1));
        assert_eq!(chosen(66), (2, 32, 2));
        assert_eq!(chosen(67), (1, 64, 2));
    }
}
