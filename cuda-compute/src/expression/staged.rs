//! Rows in shared memory: a block copies many short ones there, and possibly back, in vectors of 16
//! bytes, and one thread computes each.
//!
//! Otherwise, each row would be divided among a number of threads that is a power of two. The threads
//! of a warp would read and write parts of the same sectors many times, and some would have no vector.

use std::fmt::Write as _;

use super::{leaf::LeafForm, operands::Operands, plan::LeafSource, render::Form, space::Access};
use crate::kernel::{Hardware, Source};

/// The size in bytes of the vectors that blocks copy.
pub(super) const COPIED: usize = 16;
/// The numbers of threads of a block, with the shared memory for their rows.
const BLOCKS: [(usize, usize); 3] = [(256, 24 << 10), (128, 48 << 10), (64, 48 << 10)];
/// The shared memory that every device has for a block.
pub(super) const SHARED_BYTES: usize = 48 << 10;

/// The operands that blocks copy: those whose elements have the order of the kernel's space.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copied {
    /// The bytes of one vector of each operand.
    pub(super) bytes: usize,
    /// The bytes of the largest of these vectors.
    pub(super) widest: usize,
    /// The 32-bit registers of a thread for one vector of each operand.
    pub(super) registers: usize,
    /// Whether other operands differ within the space.
    pub(super) others: bool,
}

impl Copied {
    /// Returns `None` without such operands, or if an operand prevents copies.
    pub(super) fn of(operands: &Operands<'_>, vector: usize) -> Option<Self> {
        let mut copied = Self::default();
        for (i, leaf) in operands.leaves().iter().enumerate() {
            match (leaf.origin.source(), operands.space.access(i)) {
                _ if leaf.through.is_some() => return None,
                (LeafSource::Memory, Access::Linear) => {
                    let size = operands.bytes_in_memory(i)?;
                    if !size.is_power_of_two() || size > COPIED || !operands.is_aligned(i, COPIED) {
                        return None;
                    }
                    copied.bytes += size * vector;
                    copied.widest = copied.widest.max(size * vector);
                    copied.registers += (size * vector).div_ceil(4);
                }
                // Their values are offsets among all elements, not among those of a block.
                (LeafSource::Place | LeafSource::Random, Access::Linear) => return None,
                (_, Access::Strided(..)) if !operands.is_after(i) => copied.others = true,
                _ => {}
            }
        }
        (copied.bytes > 0).then_some(copied)
    }
}

/// Returns whether there are enough rows for a block of the largest size on each multiprocessor.
pub(super) fn are_many(hardware: &Hardware, rows: usize) -> bool {
    rows >= hardware.multiprocessors as usize * BLOCKS[0].0
}

/// Returns the number of threads of a block for rows of this many bytes. Returns `None` if not even a
/// small block has room for its rows, or if some multiprocessor would get no block.
pub(super) fn block(hardware: &Hardware, rows: usize, bytes: usize) -> Option<u32> {
    let enough = |threads: usize| rows >= hardware.multiprocessors as usize * threads;
    let fits = |&(threads, room): &(usize, usize)| threads * bytes <= room && enough(threads);
    BLOCKS
        .into_iter()
        .find(fits)
        .map(|(threads, _)| threads as u32)
}

/// Adds the headers of copies to a kernel, whose blocks copy this many elements of each operand. With
/// `and_back`, they also copy the results, whose elements must have the order of the kernel's space.
pub(super) fn add_headers(source: Source, form: &Form, elements: usize, and_back: bool) -> Source {
    source
        .header("staged.cuh", arrays(form, elements, and_back))
        .header(
            "row_staging.cuh",
            include_str!("../kernels/row_staging.cuh"),
        )
        .header("staged_copies.cuh", copies(form, and_back))
}

/// Returns the leaves that blocks copy.
fn staged(form: &Form) -> impl Iterator<Item = (usize, &LeafForm)> {
    let leaves = form.leaves.iter().enumerate();
    leaves.filter(|(_, leaf)| leaf.source == LeafSource::Memory && leaf.access == Access::Linear)
}

/// Returns the arrays in shared memory.
fn arrays(form: &Form, elements: usize, and_back: bool) -> String {
    let (mut read, mut written) = (0, 0);
    let mut text = form.include_types();
    let mut places = String::new();
    for (i, leaf) in staged(form) {
        let stored = leaf.data.stored();
        let _ = writeln!(places, "#define STAGED_x{i} (({stored} *)(room + {read}))");
        read += elements * leaf.data.size();
    }
    let results = form.outputs.iter().enumerate().filter(|_| and_back);
    for (i, (data, _)) in results {
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

/// Returns the functions that copy all operands.
fn copies(form: &Form, and_back: bool) -> String {
    let slots = form.slots();
    let mut text = String::from(
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
    for (i, slot) in slots.outputs.iter().enumerate().filter(|_| and_back) {
        let _ = writeln!(
            text,
            "    copy_out(w.at[{slot}], STAGED_y{i}, first, count);"
        );
    }
    text.push_str("}\n");
    text
}
