//! The first elements of the sorted order, if few are wanted: one kernel that reads each element once.

use std::sync::Arc;

use super::{SortKey, kernel::keyed, key::Keys, run::order_along};
use crate::{
    array::{Array, Layout, Order, Shape},
    element::DataType,
    error::Result,
    expression::{Expr, fused::Prepared, hashed::Hashed, render::Form},
    kernel::{Source, Specialisation},
};

/// The most elements that the kernel finds.
const MOST: usize = 128;
/// The shortest line that is not sorted instead.
const SHORTEST: usize = 1024;
/// The elements that a thread reads at once.
const ITEMS: usize = 8;
/// Lines are divided into segments if there are fewer lines per multiprocessor than this.
///
/// 100 of 2^27 values of f32 took 339 µs with 4 segments per multiprocessor, and 371 µs with 8 (H100,
/// device time). 512 threads with 4 elements each took 419 µs.
const SEGMENTS: usize = 4;
/// The shortest segment.
const SHORTEST_SEGMENT: usize = 8192;

/// A kernel that finds the first elements of each segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Few {
    form: Hashed<Form>,
    keys: Keys,
    variant: Variant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Variant {
    threads: u32,
    /// The most elements that are found.
    most: usize,
}

impl Variant {
    /// Returns the variant for this number of elements.
    ///
    /// Ten of each of 2^14 rows of 2^13 f32 took 316 µs with 128 threads, and 421 µs with 256.
    const fn of(k: usize) -> Self {
        match k {
            ..=32 => Self {
                threads: 128,
                most: 32,
            },
            _ => Self {
                threads: 256,
                most: MOST,
            },
        }
    }
}

impl Specialisation for Few {
    fn source(&self) -> Source {
        let source = Source::new("top_k.cu", include_str!("../kernels/top_k.cu"), "top_k");
        keyed(source, self.keys, Some(&self.form))
            .define("THREADS", self.variant.threads)
            .define("ITEMS", ITEMS)
            .define("MOST", self.variant.most)
    }
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
    let wanted = (SEGMENTS * multiprocessors).div_ceil(lines);
    let of_segment = length.div_ceil(wanted.min(length / SHORTEST_SEGMENT).max(1));
    let segments = length.div_ceil(of_segment);
    // There are far fewer segments than elements in one, so the last one is nearly as long as the others.
    debug_assert!(length - (segments - 1) * of_segment >= k);
    // The axis has the first elements of each segment.
    let candidates = match axis {
        Some(axis) => {
            let mut lengths = shape.as_slice().to_vec();
            lengths[axis] = segments * k;
            Layout::dense_along(Shape::of(&lengths), &order)
        }
        None => Layout::dense(Shape::of(&[segments * k]), Order::C),
    };
    let count = candidates.shape.elements();
    let first = prepared.memory(count, K::DATA_TYPE)?;
    let places = prepared.memory(count, DataType::U64)?;
    let fused = prepared.fuse_single(&order)?;
    let variant = Variant::of(k);
    let kernel = prepared.kernels.get(&Few {
        form: fused.form.clone(),
        keys: Keys::of::<K>(descending),
        variant,
    })?;
    let mut parameters = [
        length as u64,
        segments as u64,
        of_segment as u64,
        k as u64,
        first.address(),
        places.address(),
    ];
    let blocks = (lines * segments) as u64;
    // SAFETY: `top_k` has these parameters. It reads `lines` lines of `length` values, and writes `k`
    // values and places for each segment. `k` is at most `MOST` of the variant, and each segment has as
    // many values.
    unsafe {
        fused.launch(
            &kernel,
            &prepared.stream,
            (blocks, variant.threads),
            &mut parameters,
            &[&first, &places],
        )?;
    }
    let first = Array::<K>::of(Arc::clone(&first), candidates);
    let places = Array::<usize>::of(Arc::clone(&places), candidates);
    if segments == 1 {
        return Ok(Some((first, places)));
    }
    // Equal elements are in the order of their places, which a stable sort keeps.
    let axis = axis.unwrap_or(0);
    let sorted = match descending {
        false => first.sort_by_key_axis(&places, axis)?,
        true => first.sort_by_key_descending_axis(&places, axis)?,
    };
    Ok(Some(sorted))
}
