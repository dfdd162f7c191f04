//! Short rows: a block copies many of them to shared memory and back in vectors of 16 bytes, and one
//! thread computes each.
//!
//! Otherwise, each row would be divided among a number of threads that is a power of two. The threads
//! of a warp would read and write parts of the same sectors many times, and some would have no vector.

use std::fmt::Write as _;

use super::{
    super::{
        operands::Operands,
        plan::LeafSource,
        render::{Form, LeafForm},
        space::Access,
    },
    threads::Threads,
};
use crate::kernel::Hardware;

/// The size in bytes of the vectors that blocks copy.
const COPIED: usize = 16;
/// The 32-bit registers per thread for a row, which a thread loads as a whole.
const MAX_REGISTERS: usize = 56;
/// The longest rows if there are few of them. Longer ones occupy more threads in other ways.
const MAX_OF_FEW: usize = 16;
/// The numbers of threads of a block, with the shared memory for their rows.
const BLOCKS: [(usize, usize); 3] = [(256, 24 << 10), (128, 48 << 10), (64, 48 << 10)];

/// Returns the threads for rows of `length` vectors of this many elements, if copies by blocks are
/// faster.
pub(super) fn threads(
    hardware: &Hardware,
    operands: &Operands<'_>,
    rows: usize,
    (length, vector): (usize, usize),
) -> Option<Threads> {
    let multiprocessors = hardware.multiprocessors as usize;
    let are_few = rows < multiprocessors * BLOCKS[0].0;
    if length.is_power_of_two() || are_few && length > MAX_OF_FEW {
        return None;
    }
    let (mut read, mut registers) = (0, 0);
    for (i, leaf) in operands.leaves().iter().enumerate() {
        match (leaf.origin.source(), operands.space.access(i)) {
            _ if leaf.through.is_some() => return None,
            (LeafSource::Memory, Access::Linear) => {
                let size = operands.bytes_in_memory(i)?;
                if !size.is_power_of_two() || size > COPIED || !operands.is_aligned(i, COPIED) {
                    return None;
                }
                read += size * vector;
                registers += (size * vector).div_ceil(4);
            }
            // Their values are offsets among all elements, not among those of a block.
            (LeafSource::Place | LeafSource::Random, Access::Linear) => return None,
            _ => {}
        }
    }
    let written = operands.dense_result_bytes()? * vector;
    if read == 0 || registers * length > MAX_REGISTERS {
        return None;
    }
    let bytes = length * read.max(written);
    // At least one block for each multiprocessor.
    let enough = |threads: usize| rows >= multiprocessors * threads;
    let fits = |&(threads, room): &(usize, usize)| threads * bytes <= room && enough(threads);
    let (block, _) = BLOCKS.into_iter().find(fits)?;
    Some(Threads {
        group: 1,
        columns: 0,
        vectors: length as u32,
        staged: block as u32,
    })
}

/// Returns the leaves that blocks copy.
fn staged(form: &Form) -> impl Iterator<Item = (usize, &LeafForm)> {
    let leaves = form.leaves.iter().enumerate();
    leaves.filter(|(_, leaf)| leaf.source == LeafSource::Memory && leaf.access == Access::Linear)
}

/// Returns the header that `kernels/rows.cu` includes as `staged.cuh`: the arrays in shared memory.
pub(super) fn arrays(form: &Form, threads: Threads) -> String {
    let elements = threads.staged as usize * threads.vectors as usize * usize::from(form.vector);
    let (mut read, mut written) = (0, 0);
    let mut text = form.include_types();
    let mut places = String::new();
    for (i, leaf) in staged(form) {
        let stored = leaf.data.stored();
        let _ = writeln!(places, "#define STAGED_x{i} (({stored} *)(room + {read}))");
        read += elements * leaf.data.size();
    }
    for (i, (data, _)) in form.outputs.iter().enumerate() {
        let stored = data.stored();
        let _ = writeln!(
            places,
            "#define STAGED_y{i} (({stored} *)(room + {written}))"
        );
        written += elements * data.size();
    }
    let _ = writeln!(
        text,
        "// The results replace the operands.\n__shared__ alignas(16) char room[{}];\n{places}\
         #define LINEAR(slot, name) STAGED_##name",
        read.max(written)
    );
    text
}

/// Writes the functions that copy all operands.
pub(super) fn copies(form: &Form, text: &mut String) {
    let slots = form.slots();
    text.push_str(
        "__device__ __forceinline__ void stage_in(const Words &w, u64 first, unsigned count) {\n",
    );
    for (i, _) in staged(form) {
        let slot = slots.leaves[i];
        let _ = writeln!(
            text,
            "    copy_in(STAGED_x{i}, w.at[{slot}], first, count);"
        );
    }
    text.push_str(
        "}\n__device__ __forceinline__ void stage_out(const Words &w, u64 first, unsigned count) {\n",
    );
    for (i, slot) in slots.outputs.iter().enumerate() {
        let _ = writeln!(
            text,
            "    copy_out(w.at[{slot}], STAGED_y{i}, first, count);"
        );
    }
    text.push_str("}\n");
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};
    use half::f16;

    use super::super::Rows;
    use crate::{Array, Expr, element::Element, eval, kernel::Kernels, s};

    /// Kernels for which few rows are many, and a stream.
    fn kernels() -> (Kernels, Stream) {
        let context = Context::primary(0).unwrap();
        let kernels = Kernels::of_multiprocessors(&context, 1);
        (kernels, Stream::new(&context).unwrap())
    }

    /// An array of these kernels, with small integers that differ.
    fn numbers<T: Element>(
        kernels: &Kernels,
        stream: &Stream,
        shape: &[usize],
        of: fn(u32) -> T,
    ) -> Array<T> {
        let mut array = kernels.zeros::<T>(stream, shape);
        let count: usize = shape.iter().product();
        let values: Vec<T> = (0..count as u32).map(|i| of(i * 37 % 101)).collect();
        let values = Array::from_slice(stream, &values).unwrap();
        array.assign(&values.reshape(shape).unwrap()).unwrap();
        array
    }

    /// The threads of the blocks of the only kernel for rows, or 0 if its rows are not staged.
    fn staged(kernels: &Kernels) -> u32 {
        let compiled: Vec<Rows> = kernels.compiled_for();
        assert_eq!(compiled.len(), 1);
        compiled[0].threads.staged
    }

    #[test]
    fn rows_of_all_lengths_have_the_values_of_other_kernels() {
        for length in (3..=33).chain([36, 55, 56, 60, 63]) {
            let rows = 700; // the last block has fewer
            let (kernels, stream) = kernels();
            let x = numbers(&kernels, &stream, &[rows, length], |i| i as f32);
            let centred = (&x - x.mean_axis(1).keep_axes()).eval().unwrap();
            // Vectors have up to four elements.
            let is_staged = !matches!(length, 4 | 8 | 16 | 32 | 60..);
            assert_eq!(staged(&kernels) > 0, is_staged, "{length}");
            let values = x.to_vec().unwrap();
            let wanted = values.chunks(length).flat_map(|row| {
                let mean = row.iter().sum::<f32>() / length as f32;
                row.iter().map(move |x| x - mean)
            });
            for (i, (got, wanted)) in centred
                .to_vec()
                .unwrap()
                .into_iter()
                .zip(wanted)
                .enumerate()
            {
                assert!(
                    (got - wanted).abs() < 1e-4,
                    "{length}, {i}: {got}, not {wanted}"
                );
            }
        }
    }

    #[test]
    fn operands_of_all_kinds_are_read() {
        let (rows, length) = (515, 7);
        let (kernels, stream) = kernels();
        let x = numbers(&kernels, &stream, &[rows, length], |i| {
            f16::from_f32(i as f32)
        });
        let y = numbers(&kernels, &stream, &[rows, length], |i| i as u8);
        let weights = numbers(&kernels, &stream, &[1, length], |i| i as f32);
        let offsets = numbers(&kernels, &stream, &[rows, 1], |i| i as f64);
        let column = Expr::index([rows, length], 1).unwrap().cast::<f64>();
        let wide = x.cast::<f64>();
        let largest = wide.max_axis(1).keep_axes();
        let one = &wide - &largest + y.cast::<f64>() * &weights.cast::<f64>();
        let other = (&wide + &offsets + column - &largest).cast::<f32>();
        // The index of a row's elements is the same for all rows.
        let (one, other) = eval((one, other)).unwrap();
        assert_eq!(staged(&kernels), 256);
        let (x, y) = (x.to_vec().unwrap(), y.to_vec().unwrap());
        let (weights, offsets) = (weights.to_vec().unwrap(), offsets.to_vec().unwrap());
        let (one, other) = (one.to_vec().unwrap(), other.to_vec().unwrap());
        for row in 0..rows {
            let own = row * length..(row + 1) * length;
            let most = x[own.clone()]
                .iter()
                .map(|x| x.to_f64())
                .fold(f64::MIN, f64::max);
            for (column, at) in own.enumerate() {
                let x = x[at].to_f64();
                let wanted = x - most + f64::from(y[at]) * f64::from(weights[column]);
                assert_eq!(one[at], wanted, "{row}, {column}");
                let wanted = x + offsets[row] + column as f64 - most;
                assert_eq!(other[at], wanted as f32, "{row}, {column}");
            }
        }
    }

    #[test]
    fn other_rows_are_not_copied() {
        let run = |rows: std::ops::Range<isize>, columns: std::ops::Range<isize>| {
            let (kernels, stream) = kernels();
            let x = numbers(&kernels, &stream, &[601, 7], |i| i as f32);
            let x = x.slice(s![rows, columns]).unwrap();
            let values = (&x - x.max_axis(1).keep_axes()).eval().unwrap();
            (values.to_vec().unwrap(), staged(&kernels))
        };
        let (all, block) = run(0..601, 0..7);
        assert_eq!(block, 256);
        // Memory that does not start at a multiple of 16 bytes, and few rows.
        for (rows, from) in [(1..601, 7), (0..63, 0)] {
            let (some, block) = run(rows.clone(), 0..7);
            let wanted = &all[from..from + 7 * rows.len()];
            assert!(block == 0 && some == wanted, "{rows:?}: {block}");
        }
        // Elements with distances.
        assert_eq!(run(0..601, 0..5).1, 0);
    }
}
