//! Reductions of segments.

use super::checked;
use crate::{
    array::{Array, Layout, Order, Shape},
    element::{DataType, Element},
    error::Result,
    expression::{
        Expr, IntoExpr,
        fused::{self, Prepared},
        hashed::Hashed,
        render::Form,
        scan::operation::Associative,
    },
    function::Combination,
    kernel::{Source, Specialisation},
    sets::{find_runs, run_starts},
    sort::SortKey,
};

/// The most threads per block.
const THREADS: u32 = 256;
/// Values that each thread loads at once.
const UNROLL: u32 = 4;

/// A kernel that reduces segments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SegmentReduce {
    form: Hashed<Form>,
    data: DataType,
    kind: Associative,
    /// Threads per segment.
    lanes: u32,
    /// Threads per block.
    threads: u32,
}

impl Specialisation for SegmentReduce {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/segment_reduce.cu");
        let source = Source::new("segment_reduce.cu", text, "segment_reduce");
        let source = fused::source(source, &self.form)
            .header("combination.cuh", self.kind.header(self.data, false))
            .header("prefix.cuh", include_str!("../kernels/prefix.cuh"))
            .define("THREADS", self.threads)
            .define("UNROLL", UNROLL)
            .define("LANES", self.lanes)
            .define("FIRST", self.kind.identity(self.data.class()))
            .define("STORED", self.data.stored());
        self.kind.add_to(source)
    }
}

/// Returns the number of threads for each segment, and that of a block. A thread has [`UNROLL`] values
/// in segments of the average length. A segment has at most a warp, or else a block.
fn threads(elements: usize, segments: usize) -> (u32, u32) {
    let average = elements.div_ceil(segments.max(1)).div_ceil(UNROLL as usize);
    let lanes = average.min(THREADS as usize).next_power_of_two() as u32;
    (lanes, if lanes > 32 { lanes } else { THREADS })
}

impl<T: Element> Expr<T> {
    /// Combines the elements of each segment. The segment `i` has the elements from `offsets[i]` up to
    /// `offsets[i + 1]` in C order, so `offsets` has one element more than there are segments. Offsets
    /// must ascend, which the call does not check. Otherwise, the results are unspecified. This is CUB's
    /// segmented reduction by offsets. As for [`reduce`](Self::reduce), the combination must be
    /// commutative.
    ///
    /// An empty segment yields the identity: see [`scan_exclusive`](Self::scan_exclusive). Offsets
    /// beyond the last element are the end of the last segment. The order of combination depends only
    /// on the offsets and the number of elements, so the same data gives the same bits every time.
    /// Halves are combined in `f32`.
    ///
    /// One kernel reads each element once, with up to 256 threads for each segment, depending on the
    /// average length. A much longer segment has a block, of 64 to 256 threads. The call does not wait for
    /// the stream. Lengths become offsets by a running sum:
    /// `concatenate(&[&zero, &lengths.cumsum(0)?], 0)?`, where `zero` has one element.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0])?;
    /// let offsets = Array::from_slice(&stream, &[0usize, 3, 3, 4])?;
    /// let sums = x.segment_reduce(Combination::sum(), &offsets)?;
    /// assert_eq!(sums.to_vec()?, [6.0, 0.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `offsets` has no or several axes, if it is empty, or in the cases that
    /// [`eval`](Self::eval) lists.
    pub fn segment_reduce(
        &self,
        combination: impl Into<Combination<T>>,
        offsets: &Array<usize>,
    ) -> Result<Array<T>> {
        let (offsets, segments) = checked(offsets, "segment_reduce")?;
        let stream = self.stream().unwrap_or(offsets.stream());
        let mut prepared = Prepared::on(offsets.memory.kernels(), stream, &[&self.node])?;
        let (elements, rank) = (prepared.shape.elements(), prepared.shape.rank());
        let result = prepared.memory(segments, T::DATA_TYPE)?;
        if segments > 0 {
            let order: Vec<usize> = (0..rank).collect();
            let fused = prepared.fuse_single(&order)?;
            let (lanes, threads) = threads(elements, segments);
            let kernel = prepared.kernels.get(&SegmentReduce {
                form: fused.form.clone(),
                data: T::DATA_TYPE,
                kind: combination.into().kind,
                lanes,
                threads,
            })?;
            let launch = (
                (segments as u64).div_ceil((threads / lanes).into()),
                threads,
            );
            let mut parameters = [
                elements as u64,
                segments as u64,
                offsets.as_device_ptr(),
                result.address(),
            ];
            let others = [&*offsets.memory, &*result];
            // SAFETY: `segment_reduce` has these parameters, reads values below `elements` and one
            // offset more than there are segments, and writes a result for each segment.
            unsafe {
                fused.launch(&kernel, &prepared.stream, launch, &mut parameters, &others)?;
            }
        }
        let layout = Layout::dense(Shape::of(&[segments]), Order::C);
        Ok(Array::of(result, layout))
    }
}

impl<T: Element> Array<T> {
    /// Combines the elements of each segment. See [`Expr::segment_reduce`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::segment_reduce`] lists.
    pub fn segment_reduce(
        &self,
        combination: impl Into<Combination<T>>,
        offsets: &Array<usize>,
    ) -> Result<Self> {
        self.expr().segment_reduce(combination, offsets)
    }
}

impl<K: SortKey> Expr<K> {
    /// Combines the values of each run of equal keys, as Thrust's `reduce_by_key` does. Returns the
    /// key and the combined value of each run, in C order.
    ///
    /// The keys are the elements of this expression, and all NaNs are equal. `values` is broadcast to
    /// their shape. To combine all values of a key, sort first: see
    /// [`sort_by_key`](Self::sort_by_key).
    ///
    /// The call finds the runs, for whose number it waits, as [`compress`](Self::compress) does, and
    /// combines each as [`segment_reduce`](Self::segment_reduce) does. Until it returns, it needs 8
    /// bytes for each key.
    ///
    /// ```
    /// use cuda_compute::{Array, Combination};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let city = Array::from_slice(&stream, &[2u8, 1, 2, 1])?;
    /// let sales = Array::from_slice(&stream, &[10.0f32, 5.0, 30.0, 7.0])?;
    /// let (city, sales) = city.sort_by_key(&sales)?;
    /// let (cities, sums) = city.reduce_by_key(&sales, Combination::sum())?;
    /// assert_eq!((cities.to_vec()?, sums.to_vec()?), (vec![1, 2], vec![12.0, 40.0]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `values` can't be broadcast to the shape of the keys, or in the cases that
    /// [`compress`](Self::compress) lists.
    pub fn reduce_by_key<V: Element>(
        &self,
        values: impl IntoExpr<V>,
        combination: impl Into<Combination<V>>,
    ) -> Result<(Array<K>, Array<V>)> {
        let values = values.into_expr().broadcast_to(self.shape()?)?.flatten()?;
        let keys = self.flatten()?;
        if keys.shape()?.elements() == 0 {
            let keys = keys.eval()?;
            let values = values.eval_on(keys.stream())?;
            return Ok((keys, values));
        }
        let runs = find_runs(&keys)?;
        let keys = keys.take_now(&run_starts(&runs)?, 0)?;
        Ok((keys, values.segment_reduce(combination, &runs)?))
    }
}

impl<K: SortKey> Array<K> {
    /// Combines the values of each run of equal keys. See [`Expr::reduce_by_key`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::reduce_by_key`] lists.
    pub fn reduce_by_key<V: Element>(
        &self,
        values: impl IntoExpr<V>,
        combination: impl Into<Combination<V>>,
    ) -> Result<(Self, Array<V>)> {
        self.expr().reduce_by_key(values, combination)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_segments_have_more_threads() {
        for (elements, segments, lanes, block) in [
            (0, 5, 1, 256),
            (100, 100, 1, 256),
            (400, 100, 1, 256),
            (401, 100, 2, 256),
            (1 << 10, 8, 32, 256),
            (1 << 10, 7, 64, 64),
            (1 << 30, 1, 256, 256),
        ] {
            assert_eq!(
                threads(elements, segments),
                (lanes, block),
                "{elements}, {segments}"
            );
        }
    }
}
