//! The largest and the smallest elements.

use super::{
    by_key::take_along,
    few::first_of,
    key::{Items, Keys},
    run::{Job, Target},
    statistic::{SEARCHED, order_statistics},
};
use crate::{
    array::{Array, IntoIndex, Layout, Order, SliceItem},
    element::Ordered,
    error::{Error, Result},
    expression::Expr,
    gather::concatenate,
};

/// A search is used if at most one in this many elements is selected.
const SELECTIVE: usize = 8;

impl<T: Ordered> Expr<T> {
    fn extremes(
        &self,
        (largest, sorted): (bool, bool),
        k: usize,
        axis: Option<usize>,
    ) -> Result<(Array<T>, Array<usize>)> {
        let shape = self.shape()?;
        let length = axis.map_or(shape.elements(), |axis| shape[axis]);
        if k > length {
            return Err(Error::Shape(format!(
                "{} with k = {k} needs as many elements, but there are only {length} in an array of shape {shape}. \
                 Fix: pass k up to {length}",
                if largest { "top_k" } else { "bottom_k" },
            )));
        }
        let alone = length == shape.elements();
        let most_searched = if sorted { length / SELECTIVE } else { length };
        let (values, places) = if let Some(found) = first_of(self, largest, k, axis)? {
            found
        } else if alone
            && length >= SEARCHED
            && (1..=most_searched).contains(&k)
            && let Some((values, places)) = self.searched((largest, sorted), k)?
        {
            let ones = |other: usize| if axis == Some(other) { values.len() } else { 1 };
            let lengths: Vec<usize> = match axis {
                Some(_) => (0..shape.rank()).map(ones).collect(),
                None => vec![values.len()],
            };
            (values.reshape(&lengths[..])?, places.reshape(&lengths[..])?)
        } else {
            let job = Job {
                keys: Keys::of::<T>(largest),
                items: Items::Places,
                nodes: &[&self.node],
                axis,
                target: Target::New,
            };
            let sorted = job.keep(Some(k))?;
            (sorted.keys(), sorted.items())
        };
        // Nothing is cut if no more than `k` were found.
        let first = SliceItem::along(axis.unwrap_or(0), ..k);
        Ok((values.slice(&first)?, places.slice(&first)?))
    }

    /// Finds the k-th element, and sorts those up to it if requested. Returns all elements that are equal
    /// to the k-th one if they are sorted. Returns `None` if it is NaN, which can't be compared.
    fn searched(
        &self,
        (largest, sorted): (bool, bool),
        k: usize,
    ) -> Result<Option<(Array<T>, Array<usize>)>> {
        let shape = self.shape()?;
        let last = order_statistics(self, largest, [k - 1, k - 1])?.slice([SliceItem::from(0)])?;
        let mask = match largest {
            true => self.greater_equal(&last),
            false => self.less_equal(&last),
        };
        let places = Expr::<usize>::places(Layout::dense(shape, Order::C)).compress(&mask)?;
        if places.len() < k {
            return Ok(None);
        }
        let values = take_along(self, &places, None)?;
        let found = match (sorted, largest) {
            (true, true) => values.sort_by_key_descending(&places)?,
            (true, false) => values.sort_by_key(&places)?,
            (false, _) if places.len() == k => (values, places),
            (false, _) => {
                // Some of those that are equal to the k-th one are left out.
                let equal = values.equal(&last).eval()?;
                let before = (!&equal).nonzero()?;
                let kept = equal
                    .nonzero()?
                    .slice([SliceItem::from(..k - before.len())])?;
                let kept = concatenate(&[before, kept], 0)?;
                (values.take_now(&kept, 0)?, places.take_now(&kept, 0)?)
            }
        };
        Ok(Some(found))
    }
}

/// Defines the methods of expressions, and those of arrays that call them.
macro_rules! extremes {
    ($($(#[$doc:meta])* $name:ident $(($axis:ident))? $largest:literal, $sorted:literal;)*) => {
        impl<T: Ordered> Expr<T> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// Returns an error if `k` exceeds the number of elements, if there is no such axis, if
            /// memory runs out, or in the cases that [`eval`](Self::eval) lists.
            pub fn $name(&self, k: usize, $($axis: impl IntoIndex)?) -> Result<(Array<T>, Array<usize>)> {
                let axis: Option<usize> = [$(self.shape()?.axis($axis)?)?].first().copied();
                self.extremes(($largest, $sorted), k, axis)
            }
        )*}

        impl<T: Ordered> Array<T> {$(
            #[doc = concat!("Returns extreme elements and their places. See [`Expr::", stringify!($name), "`].")]
            ///
            /// # Errors
            #[doc = concat!("Returns an error in the cases that [`Expr::", stringify!($name), "`] lists.")]
            pub fn $name(&self, k: usize, $($axis: impl IntoIndex)?) -> Result<(Self, Array<usize>)> {
                self.expr().$name(k, $($axis)?)
            }
        )*}
    };
}

extremes! {
    /// Returns the `k` largest of all elements, from the largest down, and their places in C order, as
    /// PyTorch's `topk` does. Of equal elements, those with lower places come first. NaN counts as
    /// less than all numbers.
    ///
    /// Up to 128 of at least 1024 elements are found by one kernel that reads each element once. This
    /// needs little memory and does not wait for the stream.
    ///
    /// If `k` is greater, but at most an eighth of 65,536 or more elements, the k-th element is found by
    /// counting the digits of all elements, and only the elements up to it are sorted. This needs 8
    /// bytes for each element until it has finished, and the call waits for the stream, as
    /// [`compress`](Self::compress) does. Otherwise, the elements are sorted with their places.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3.0f32, 9.0, f32::NAN, 4.0, 9.0])?;
    /// let (values, places) = x.top_k(3)?;
    /// assert_eq!((values.to_vec()?, places.to_vec()?), (vec![9.0, 9.0, 4.0], vec![1, 4, 3]));
    /// assert_eq!(x.bottom_k(1)?.0.to_vec()?, [3.0]);
    /// # Ok(())
    /// # }
    /// ```
    top_k true, true;
    /// Returns the `k` smallest of all elements, from the smallest up, and their places in C order.
    /// NaN counts as greater than all numbers. See [`top_k`](Self::top_k).
    bottom_k false, true;
    /// Returns the `k` largest elements along an axis, from the largest down, and their indices along
    /// it. In the results, the length of the axis is `k`. See [`top_k`](Self::top_k).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[3, 1, 2], [0, 5, 4]])?;
    /// let (values, places) = x.top_k_axis(2, 1)?;
    /// assert_eq!((values.to_vec()?, places.to_vec()?), (vec![3, 2, 5, 4], vec![0, 2, 1, 2]));
    /// # Ok(())
    /// # }
    /// ```
    top_k_axis(axis) true, true;
    /// Returns the `k` smallest elements along an axis, from the smallest up, and their indices along
    /// it. See [`top_k_axis`](Self::top_k_axis) and [`bottom_k`](Self::bottom_k).
    bottom_k_axis(axis) false, true;
    /// Returns the `k` largest of all elements in any order, and their places in C order, as PyTorch's
    /// `topk` does with `sorted=False`. They are the elements of [`top_k`](Self::top_k).
    ///
    /// From 65,536 elements on, if `k` is greater than 128, the k-th element is found by counting the
    /// digits of all elements, and those up to it are selected without a sort. The call then waits for
    /// the stream, as [`compress`](Self::compress) does. In other cases it does the work of `top_k`,
    /// whose kernels find the elements in sorted order.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[3.0f32, 9.0, 1.0, 4.0])?;
    /// let (values, places) = x.top_k_unsorted(2)?;
    /// assert_eq!(values.sum().item()?, 13.0);
    /// assert_eq!(x.take(&places, 0)?.to_vec()?, values.to_vec()?);
    /// # Ok(())
    /// # }
    /// ```
    top_k_unsorted true, false;
    /// Returns the `k` smallest of all elements in any order, and their places in C order. See
    /// [`top_k_unsorted`](Self::top_k_unsorted) and [`bottom_k`](Self::bottom_k).
    bottom_k_unsorted false, false;
    /// Returns the `k` largest elements along an axis in any order, and their indices along it. See
    /// [`top_k_unsorted`](Self::top_k_unsorted) and [`top_k_axis`](Self::top_k_axis). Several lines
    /// are searched as `top_k_axis` does.
    top_k_unsorted_axis(axis) true, false;
    /// Returns the `k` smallest elements along an axis in any order, and their indices along it. See
    /// [`top_k_unsorted_axis`](Self::top_k_unsorted_axis).
    bottom_k_unsorted_axis(axis) false, false;
}
