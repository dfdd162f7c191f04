//! Order statistics: the elements at given places of the sorted order, found without sorting.

use std::sync::Arc;

use super::{SortKey, kernel::keyed, key::Keys};
use crate::{
    array::{Array, Layout, Memory, Order, Shape},
    error::Result,
    expression::{
        Expr,
        fused::{self, Prepared, Walk},
        hashed::Hashed,
        render::Form,
    },
    kernel::{Source, Specialisation},
};

/// The fewest elements among which an element is searched, instead of sorting all. Not measured.
pub(super) const SEARCHED: usize = 1 << 16;
/// The bits of a digit.
const DIGIT_BITS: u64 = 11;
/// The number of digits.
const BINS: u64 = 1 << DIGIT_BITS;
/// Bytes of the memory that launches share: two words, and a code, a place and the counts for each of
/// the two places.
const SEARCH_BYTES: usize = 8 * (2 + 2 * (2 + BINS as usize));
/// Threads per block.
///
/// Two places among 2^27 values of f32 took 553 µs with normal distribution and 555 µs for equal
/// values (H100, device time). 1024 threads: 559 µs. Other numbers of vectors: 549 and 562 µs.
const THREADS: u32 = 512;
/// Vectors that each thread loads at once.
const UNROLL: u32 = 2;
/// Blocks per multiprocessor.
const BLOCKS: u32 = 4;

/// A kernel that finds a digit of the elements at two places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Statistic {
    form: Hashed<Form>,
    keys: Keys,
}

impl Specialisation for Statistic {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/order_statistic.cu");
        let source = Source::new("order_statistic.cu", text, "order_statistic");
        keyed(source, self.keys, Some(&self.form))
            .define("THREADS", THREADS)
            .define("UNROLL", UNROLL)
            .define("ITEMS", 1)
            .define("BINS", BINS)
    }
}

/// Returns the elements at two places of the sorted order of all elements, followed by NaN if there is
/// one, and by the first of the two elements otherwise. −0 becomes 0. Both places must be less than
/// the number of elements. The call does not wait.
pub(super) fn order_statistics<K: SortKey>(
    values: &Expr<K>,
    descending: bool,
    places: [usize; 2],
) -> Result<Array<K>> {
    let mut prepared = Prepared::new(&[&values.node])?;
    let elements = prepared.shape.elements();
    debug_assert!(places.iter().all(|&place| place < elements));
    let result = prepared.memory(3, K::DATA_TYPE)?;
    let (kernels, stream) = (prepared.kernels.clone(), prepared.stream.clone());
    let search = Memory::zeroed(&kernels, &stream, SEARCH_BYTES)?;
    // The order of the elements doesn't matter.
    let walk = Walk {
        order: &prepared.result_layout().axes(),
        run: None,
        widest: fused::widest(K::DATA_TYPE),
    };
    let fused = prepared.fuse(&walk, None)?;
    let kernel = kernels.get(&Statistic {
        form: fused.form.clone(),
        keys: Keys::of::<K>(descending),
    })?;
    let vectors = elements.div_ceil(fused.vector()) as u64;
    let most = u64::from(kernels.hardware().multiprocessors.max(1) * BLOCKS);
    // Each block counts in 32 bits.
    let blocks = vectors
        .div_ceil(u64::from(THREADS * UNROLL))
        .min(most.max(elements as u64 >> 31));
    let mut high = 8 * K::DATA_TYPE.size() as u64;
    while high > 0 {
        let low = high.saturating_sub(DIGIT_BITS);
        let mut parameters = [
            elements as u64,
            low,
            high,
            places[0] as u64,
            places[1] as u64,
            search.address(),
            result.address(),
        ];
        // SAFETY: `order_statistic` has these parameters. It reads `elements` values, writes three
        // results, and uses the memory of the search, which is zero at the first launch.
        unsafe {
            fused.clone().launch(
                &kernel,
                &stream,
                (blocks, THREADS),
                &mut parameters,
                &[&search, &result],
            )?;
        }
        high = low;
    }
    Ok(Array::of(
        Arc::clone(&result),
        Layout::dense(Shape::of(&[3]), Order::C),
    ))
}
