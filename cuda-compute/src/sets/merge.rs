//! Merges of two sorted arrays.

use std::sync::Arc;

use cuda_safe::LaunchConfig;

use crate::{
    array::{Array, Layout, Memory, Order, Shape},
    error::Result,
    expression::fused,
    kernel::{Source, Specialisation},
    sort::{Keys, SortKey, keyed},
};

const THREADS: u32 = 256;
/// Results per thread.
const ITEMS: u32 = 8;

/// A kernel that merges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Merge {
    keys: Keys,
}

impl Specialisation for Merge {
    fn source(&self) -> Source {
        let source = Source::new("merge.cu", include_str!("../kernels/merge.cu"), "merge");
        keyed(source, self.keys, None)
            .define("THREADS", THREADS)
            .define("ITEMS", ITEMS)
    }
}

impl<K: SortKey> Array<K> {
    /// Merges this sorted array with another one into a new sorted array on this array's stream. Equal
    /// elements keep their order, those of this array first, as with Thrust's `merge`.
    ///
    /// Both arrays have one axis and are in the order of [`sort`](crate::Expr::sort), with NaN last,
    /// which the call does not check. If they are not, the result has unspecified elements of both. The
    /// call does not wait for the stream, and needs no memory beside the result.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 4, 4, 9])?;
    /// let y = Array::from_slice(&stream, &[2, 4, 10])?;
    /// assert_eq!(x.merge(&y)?.to_vec()?, [1, 2, 4, 4, 4, 9, 10]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if an array has no or several axes, if the arrays belong to different
    /// contexts, or if memory runs out.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let (one, other) = (self.vector("merge", 0)?, other.vector("merge", 0)?);
        let shape = Shape::new(&[one.len().saturating_add(other.len())])?;
        let (kernels, stream) = (one.memory.kernels(), one.stream());
        let result = Memory::new(kernels, stream, shape.elements(), K::DATA_TYPE)?;
        if shape.elements() > 0 {
            let keys = Keys::of::<K>(false);
            let kernel = kernels.get(&Merge { keys })?;
            let blocks = (shape.elements() as u64).div_ceil(u64::from(THREADS * ITEMS));
            let config = LaunchConfig::new(fused::grid(blocks)?, THREADS);
            let mut parameters = [
                one.as_device_ptr(),
                one.len() as u64,
                other.as_device_ptr(),
                other.len() as u64,
                result.address(),
            ];
            let memories = [&*one.memory, &*other.memory, &result];
            // SAFETY: `merge` has these parameters. It reads within both arrays and writes as many
            // elements as they have together, whatever their order.
            unsafe { fused::enqueue(&kernel, stream, config, &mut parameters, &memories)? };
        }
        Ok(Self::of(Arc::new(result), Layout::dense(shape, Order::C)))
    }
}
