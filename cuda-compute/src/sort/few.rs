//! The first elements of the sorted order, if few are wanted: a kernel that reads each element once.

use std::sync::Arc;

use super::{SortKey, kernel::keyed, key::Keys, run::order_along};
use crate::{
    array::{Array, Layout, Memory, Order, Shape},
    element::DataType,
    error::Result,
    expression::{
        Expr,
        fused::{Fused, Prepared, Walk},
        hashed::Hashed,
        render::Form,
    },
    kernel::{Source, Specialisation},
};

/// The most elements that the kernels find.
const MOST: usize = 128;
/// The shortest line that is not sorted instead.
const SHORTEST: usize = 1024;
/// Lines are divided into segments if there are fewer lines per multiprocessor than this.
///
/// 100 of 2^24 and 2^27 values of f32 took 50 and 204 µs with 3 segments per multiprocessor, and 58 and
/// 244 µs with 4 (H100, device time).
const SEGMENTS: usize = 3;
/// The shortest segment.
const SHORTEST_SEGMENT: usize = 4096;
/// The most elements that a warp finds.
const WARP: usize = 32;
/// A warp reads a line if there are at least this many lines per multiprocessor.
///
/// 10 of each of 2^14 rows of 2^13 f32 took 192 µs, and 337 µs with a block for each. With 2^11 rows,
/// 191 and 249 µs (H100, device time).
const WARPS: usize = 8;
/// Threads per block, if a warp reads a line.
const WARP_THREADS: u32 = 128;

/// A kernel that finds the first elements of each line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Few {
    form: Hashed<Form>,
    keys: Keys,
    variant: Variant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Variant {
    /// A warp reads a line.
    Warp,
    /// Blocks read a line.
    Block {
        threads: u32,
        /// The most elements that are found.
        most: usize,
        /// Whether several blocks share a line.
        segmented: bool,
    },
}

impl Variant {
    const fn threads(self) -> u32 {
        match self {
            Self::Warp => WARP_THREADS,
            Self::Block { threads, .. } => threads,
        }
    }
}

/// Returns the elements that a thread reads at once, in vectors of at most 16 bytes.
///
/// With 8 instead of 16, 100 of 2^27 f32 took 282 µs instead of 204. Wide keys need twice the memory.
const fn own(data: DataType) -> usize {
    if data.size() > 4 { 8 } else { 16 }
}

impl Specialisation for Few {
    fn source(&self) -> Source {
        let (file, text, name) = match self.variant {
            Variant::Warp => (
                "top_k_warp.cu",
                include_str!("../kernels/top_k_warp.cu"),
                "top_k_warp",
            ),
            Variant::Block { .. } => ("top_k.cu", include_str!("../kernels/top_k.cu"), "top_k"),
        };
        let source = keyed(Source::new(file, text, name), self.keys, Some(&self.form))
            .header("entry.cuh", include_str!("../kernels/entry.cuh"))
            .define("THREADS", self.variant.threads())
            .define("ITEMS", own(self.keys.data) / usize::from(self.form.vector));
        match self.variant {
            Variant::Warp => source,
            Variant::Block {
                most, segmented, ..
            } => source
                .define("MOST", most)
                .define("SEGMENTED", u8::from(segmented)),
        }
    }
}

/// Returns how many chunks further the next chunk of a segment is: about 0.6 of them, without a common
/// divisor. This spreads the first chunks over the segment.
fn step_through(chunks: usize) -> u64 {
    let gcd = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = (chunks * 618 / 1000..=chunks).find(|&step| gcd(step, chunks) == 1);
    step.map_or(0, |step| (step % chunks) as u64)
}

/// Returns the first `k` elements of the sorted order along an axis, or of all elements in C order, and
/// their places. Returns `None` if a sort is better, or the only way. The call does not wait.
pub(super) fn first_of<K: SortKey>(
    values: &Expr<K>,
    descending: bool,
    k: usize,
    axis: Option<usize>,
) -> Result<Option<(Array<K>, Array<usize>)>> {
    let shape = values.shape()?;
    let length = axis.map_or(shape.elements(), |axis| shape[axis]);
    // The kernel counts places in 32 bits.
    let fits = (SHORTEST..u32::MAX as usize).contains(&length) && shape.elements() > 0;
    if !fits || !(1..=MOST).contains(&k) {
        return Ok(None);
    }
    let mut prepared = Prepared::new(&[&values.node])?;
    let order = match axis {
        Some(axis) => order_along(&prepared.result_layout(), axis),
        None => (0..shape.rank()).collect(),
    };
    let lines = shape.elements() / length;
    let multiprocessors = prepared.kernels.hardware().multiprocessors as usize;
    let result = match axis {
        Some(axis) => {
            let mut lengths = shape.as_slice().to_vec();
            lengths[axis] = k;
            Layout::dense_along(Shape::of(&lengths), &order)
        }
        None => Layout::dense(Shape::of(&[k]), Order::C),
    };
    let first = prepared.memory(lines * k, K::DATA_TYPE)?;
    let places = prepared.memory(lines * k, DataType::U64)?;
    let walk = Walk {
        order: &order,
        // No vector has elements of two lines.
        run: (lines > 1).then_some(length),
        widest: K::DATA_TYPE.lanes(16),
    };
    let fused = prepared.fuse(&walk, None)?;
    let kept = (&*first, &*places);
    if k <= WARP && lines > 1 && lines >= WARPS * multiprocessors {
        by_warps(
            &prepared,
            fused,
            Keys::of::<K>(descending),
            [lines, length, k],
            kept,
        )?;
    } else {
        let wanted = (SEGMENTS * multiprocessors).div_ceil(lines);
        let wanted = wanted.min(length / SHORTEST_SEGMENT).max(1);
        by_blocks(
            &prepared,
            fused,
            Keys::of::<K>(descending),
            [lines, length, k],
            wanted,
            kept,
        )?;
    }
    Ok(Some((
        Array::<K>::of(Arc::clone(&first), result),
        Array::<usize>::of(Arc::clone(&places), result),
    )))
}

/// Enqueues the kernel whose warps read a line each.
fn by_warps(
    prepared: &Prepared,
    fused: Fused,
    keys: Keys,
    [lines, length, k]: [usize; 3],
    (first, places): (&Memory, &Memory),
) -> Result<()> {
    let kernel = prepared.kernels.get(&Few {
        form: fused.form.clone(),
        keys,
        variant: Variant::Warp,
    })?;
    let mut parameters = [
        lines as u64,
        length as u64,
        k as u64,
        first.address(),
        places.address(),
    ];
    let blocks = (lines as u64).div_ceil(u64::from(WARP_THREADS / 32));
    // SAFETY: `top_k_warp` has these parameters. It reads `lines` lines of `length` values, which vectors
    // divide, and writes `k` values and places for each. `k` is at most 32 and at most `length`.
    unsafe {
        fused.launch(
            &kernel,
            &prepared.stream,
            (blocks, WARP_THREADS),
            &mut parameters,
            &[first, places],
        )
    }
}

/// Enqueues the kernel whose blocks read lines, or about this number of segments of each line.
fn by_blocks(
    prepared: &Prepared,
    fused: Fused,
    keys: Keys,
    [lines, length, k]: [usize; 3],
    segments: usize,
    (first, places): (&Memory, &Memory),
) -> Result<()> {
    let (kernels, stream) = (&prepared.kernels, &prepared.stream);
    let own = own(keys.data);
    // Segments begin with a vector.
    let of_segment = length.div_ceil(segments).next_multiple_of(own);
    let segments = length.div_ceil(of_segment);
    let (threads, most) = if k <= 32 { (128, 32) } else { (256, MOST) };
    let variant = Variant::Block {
        threads,
        most,
        segmented: segments > 1,
    };
    let of_lines = if segments > 1 {
        let words_of_entry = if keys.data.size() > 4 { 2 } else { 1 };
        let list = lines * segments * k * words_of_entry;
        vec![
            Memory::zeroed(kernels, stream, 8 * lines * (2 + most))?,
            Memory::new(kernels, stream, list, DataType::U64)?,
        ]
    } else {
        Vec::new()
    };
    let address = |place: usize| of_lines.get(place).map_or(0, Memory::address);
    let step = |elements: usize| {
        let vectors = elements / fused.vector() * fused.vector();
        step_through(vectors.div_ceil(threads as usize * own).max(1))
    };
    let last = length - (segments - 1) * of_segment;
    let mut parameters = [
        length as u64,
        segments as u64,
        of_segment as u64,
        step(of_segment),
        step(last),
        k as u64,
        address(0),
        address(1),
        first.address(),
        places.address(),
    ];
    let kernel = kernels.get(&Few {
        form: fused.form.clone(),
        keys,
        variant,
    })?;
    let mut memories = vec![first, places];
    memories.extend(&of_lines);
    // SAFETY: `top_k` has these parameters. It reads `lines` lines of `length` values, and writes `k`
    // values and places for each. `k` is at most `MOST` of the variant, and no more than `length`. What
    // the blocks of a line share is zero, and its list has `k` entries for each segment.
    unsafe {
        fused.launch(
            &kernel,
            stream,
            ((lines * segments) as u64, threads),
            &mut parameters,
            &memories,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_visit_all_chunks_and_not_in_order() {
        for chunks in 1..500 {
            let step = step_through(chunks) as usize;
            let mut visited = vec![false; chunks];
            (0..chunks).for_each(|round| visited[round * step % chunks] = true);
            assert!(visited.iter().all(|&visited| visited), "{chunks} chunks");
            assert!(
                chunks < 12 || (chunks / 2..chunks - 1).contains(&step),
                "{step} of {chunks}"
            );
        }
    }
}
