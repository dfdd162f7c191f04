//! Sorts of segments, and their largest and smallest elements.

use super::checked;
use crate::{
    array::{Array, Layout, Order, Shape},
    error::Result,
    expression::{CastFrom, Expr},
    gather::concatenate,
    s,
    sets::{Answer, search},
    sort::{SortKey, SortValues, delegated},
};

/// The extreme elements of all segments, with their places and the offsets of their segments.
type Extremes<K> = (Array<K>, Array<usize>, Array<usize>);

/// Returns for each place from 0 to `length - 1` how many offsets are up to it: the number of its
/// segment plus 1, or 0 before the first segment.
fn numbers(offsets: &Array<usize>, length: usize) -> Result<Array<usize>> {
    search(offsets, &Expr::places(one_axis(length)), Answer::Right)
}

fn one_axis(length: usize) -> Layout {
    Layout::dense(Shape::of(&[length]), Order::C)
}

/// Moves values that are sorted by keys to their segments, and keeps their order there. `places` are
/// the places of the keys among all elements in C order.
fn by_segment<V: SortValues>(
    values: V,
    places: &Array<usize>,
    offsets: &Array<usize>,
) -> Result<V::Sorted> {
    fn by_number<N: SortKey + CastFrom<usize>, V: SortValues>(
        values: V,
        places: &Array<usize>,
        numbers: &Array<usize>,
    ) -> Result<V::Sorted> {
        let numbers = numbers.cast::<N>().take_now(places, 0)?;
        Ok(numbers.sort_by_key(values)?.1)
    }
    let numbers = &numbers(offsets, places.len())?;
    // The sort makes a pass for each byte of a number.
    match offsets.len() {
        ..=0xff => by_number::<u8, V>(values, places, numbers),
        0x100..=0xffff => by_number::<u16, V>(values, places, numbers),
        0x1_0000..=0xffff_ffff => by_number::<u32, V>(values, places, numbers),
        _ => by_number::<usize, V>(values, places, numbers),
    }
}

impl<K: SortKey> Expr<K> {
    fn segment_values(
        &self,
        descending: bool,
        offsets: &Array<usize>,
        call: &str,
    ) -> Result<Array<K>> {
        let (offsets, _) = checked(offsets, call)?;
        let (keys, places) = self.sorted_with_places(descending)?;
        by_segment(&keys, &places, &offsets)
    }

    fn segment_places(
        &self,
        descending: bool,
        offsets: &Array<usize>,
        call: &str,
    ) -> Result<Array<usize>> {
        let (offsets, _) = checked(offsets, call)?;
        let (_, places) = self.sorted_with_places(descending)?;
        by_segment(&places, &places, &offsets)
    }

    fn segment_extremes(
        &self,
        largest: bool,
        k: usize,
        offsets: &Array<usize>,
        call: &str,
    ) -> Result<Extremes<K>> {
        let (offsets, _) = checked(offsets, call)?;
        let bounds = offsets.minimum(self.shape()?.elements());
        let (starts, ends) = (bounds.slice(s![..-1])?, bounds.slice(s![1..])?);
        let counts = (ends.maximum(&starts) - &starts).minimum(k);
        let counts = counts.cumsum(0)?.eval()?;
        let zero = Array::zeros(counts.stream(), [1])?;
        let found = concatenate(&[zero, counts], 0)?;
        // After the wait, which would also be for the sort.
        let (keys, places) = self.sorted_with_places(largest)?;
        let (values, places) = by_segment((&keys, &places), &places, &offsets)?;
        // Each result comes from its segment, as far from the start as it is in the result.
        let total = found.at(-1)?;
        let numbers = numbers(&found, total)?;
        let shifts = starts - found.slice(s![..-1])?;
        let at = Expr::<usize>::places(one_axis(total));
        let from = (at + shifts.take_now(&numbers - 1, 0)?).eval()?;
        let values = values.take_now(&from, 0)?;
        Ok((values, places.take_now(&from, 0)?, found))
    }

    /// Sorts the elements of each segment in ascending order. Returns all elements, with one axis. For
    /// the segments, see [`segment_reduce`](Self::segment_reduce). Elements before the first and after
    /// the last offset are sorted like segments too.
    ///
    /// The call sorts all elements, and then sorts them stably by the numbers of their segments, for
    /// which it searches the offsets. So lengths of segments may differ by any factor. See
    /// [`sort`](Self::sort) for the order of NaN and of equal elements. The call does not wait for the
    /// stream. Beside the result, it needs up to 40 bytes and the size of an element for each element
    /// until it has finished. If all segments have one length, [`reshape`](Self::reshape) and
    /// [`sort_axis`](Self::sort_axis) sort once and need less memory.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 2, 9, 8])?;
    /// let offsets = Array::from_slice(&stream, &[0usize, 3, 5])?;
    /// assert_eq!(x.segment_sort(&offsets)?.to_vec()?, [1, 2, 3, 8, 9]);
    /// assert_eq!(x.segment_argsort(&offsets)?.to_vec()?, [1, 2, 0, 4, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `offsets` has no or several axes, if it is empty, or in the cases that
    /// [`sort`](Self::sort) lists.
    pub fn segment_sort(&self, offsets: &Array<usize>) -> Result<Array<K>> {
        self.segment_values(false, offsets, "segment_sort")
    }

    /// Sorts the elements of each segment in descending order. NaN comes last, and equal elements keep
    /// their order. See [`segment_sort`](Self::segment_sort).
    ///
    /// # Errors
    /// Returns an error in the cases that [`segment_sort`](Self::segment_sort) lists.
    pub fn segment_sort_descending(&self, offsets: &Array<usize>) -> Result<Array<K>> {
        self.segment_values(true, offsets, "segment_sort_descending")
    }

    /// Returns the places of the elements, counted in C order among all, in ascending order within
    /// each segment. See [`segment_sort`](Self::segment_sort).
    ///
    /// # Errors
    /// Returns an error in the cases that [`segment_sort`](Self::segment_sort) lists.
    pub fn segment_argsort(&self, offsets: &Array<usize>) -> Result<Array<usize>> {
        self.segment_places(false, offsets, "segment_argsort")
    }

    /// Returns the places of the elements, counted in C order among all, in descending order within
    /// each segment. NaN comes last, and equal elements keep their order. See
    /// [`segment_sort`](Self::segment_sort).
    ///
    /// # Errors
    /// Returns an error in the cases that [`segment_sort`](Self::segment_sort) lists.
    pub fn segment_argsort_descending(&self, offsets: &Array<usize>) -> Result<Array<usize>> {
        self.segment_places(true, offsets, "segment_argsort_descending")
    }

    /// Returns the `k` largest elements of each segment, from the largest down, their places among all
    /// elements in C order, and the offsets of the segments of the result. A segment with fewer
    /// elements has all of them in the result. For the order, see [`top_k`](Self::top_k).
    ///
    /// The call sorts as [`segment_sort`](Self::segment_sort) does. It waits for the number of results,
    /// and so for all work enqueued on the stream of `offsets` before.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3, 1, 2, 9])?;
    /// let offsets = Array::from_slice(&stream, &[0usize, 3, 4])?;
    /// let (values, places, offsets) = x.segment_top_k(2, &offsets)?;
    /// assert_eq!((values.to_vec()?, places.to_vec()?), (vec![3, 2, 9], vec![0, 2, 3]));
    /// assert_eq!(offsets.to_vec()?, [0, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`segment_sort`](Self::segment_sort) lists, or if work
    /// enqueued before has failed.
    pub fn segment_top_k(&self, k: usize, offsets: &Array<usize>) -> Result<Extremes<K>> {
        self.segment_extremes(true, k, offsets, "segment_top_k")
    }

    /// Returns the `k` smallest elements of each segment, from the smallest up, their places, and the
    /// offsets of the result. NaN counts as greater than all numbers. See
    /// [`segment_top_k`](Self::segment_top_k).
    ///
    /// # Errors
    /// Returns an error in the cases that [`segment_top_k`](Self::segment_top_k) lists.
    pub fn segment_bottom_k(&self, k: usize, offsets: &Array<usize>) -> Result<Extremes<K>> {
        self.segment_extremes(false, k, offsets, "segment_bottom_k")
    }
}

delegated! {
    segment_sort(offsets: &Array<usize>) -> Self: "Sorts the elements of each segment in ascending order.";
    segment_sort_descending(offsets: &Array<usize>) -> Self: "Sorts the elements of each segment in descending order.";
    segment_argsort(offsets: &Array<usize>) -> Array<usize>: "Returns the places that sort each segment in ascending order.";
    segment_argsort_descending(offsets: &Array<usize>) -> Array<usize>:
        "Returns the places that sort each segment in descending order.";
    segment_top_k(k: usize, offsets: &Array<usize>) -> Extremes<K>: "Returns the `k` largest elements of each segment.";
    segment_bottom_k(k: usize, offsets: &Array<usize>) -> Extremes<K>: "Returns the `k` smallest elements of each segment.";
}
