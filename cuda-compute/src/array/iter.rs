//! Iteration over parts of an array along an axis.

use std::iter::FusedIterator;

use super::{Array, IntoIndex, SliceItem};
use crate::{
    element::Element,
    error::{Error, Result},
};

/// An iterator over views of an array, which [`Array::axis_iter`] and [`Array::axis_chunks_iter`]
/// return.
#[derive(Clone, Debug)]
pub struct AxisIter<T: Element> {
    array: Array<T>,
    axis: usize,
    /// The length of each part along the axis. `None` removes the axis.
    length: Option<usize>,
    /// The indices of the remaining parts.
    left: std::ops::Range<usize>,
}

impl<T: Element> Array<T> {
    /// Returns an iterator over the subarrays along an axis, in order. Each item is a view without
    /// that axis, and nothing is copied.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?.reshape([2, 3])?;
    /// let columns = x.axis_iter(1)?.map(|column| column.to_vec());
    /// assert_eq!(columns.collect::<cuda_compute::Result<Vec<_>>>()?, [[0, 3], [1, 4], [2, 5]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the array has no such axis.
    pub fn axis_iter(&self, axis: impl IntoIndex) -> Result<AxisIter<T>> {
        let axis = self.shape().axis(axis)?;
        let length = self.shape()[axis];
        Ok(AxisIter {
            array: self.clone(),
            axis,
            length: None,
            left: 0..length,
        })
    }

    /// Returns an iterator over chunks of `length` indices along an axis, in order. The last chunk
    /// may be shorter. The items are views.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..5)?;
    /// let parts = x.axis_chunks_iter(0, 2)?.map(|part| part.to_vec());
    /// assert_eq!(parts.collect::<cuda_compute::Result<Vec<_>>>()?, [vec![0, 1], vec![2, 3], vec![4]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the array has no such axis, or if `length` is 0.
    pub fn axis_chunks_iter(&self, axis: impl IntoIndex, length: usize) -> Result<AxisIter<T>> {
        let axis = self.shape().axis(axis)?;
        let whole = self.shape()[axis];
        if length == 0 {
            return Err(Error::Shape(
                "axis_chunks_iter: the chunk length must not be 0".into(),
            ));
        }
        Ok(AxisIter {
            array: self.clone(),
            axis,
            length: Some(length),
            left: 0..whole.div_ceil(length),
        })
    }
}

impl<T: Element> AxisIter<T> {
    fn part(&self, number: usize) -> Array<T> {
        let item: SliceItem = match self.length {
            None => (number as isize).into(),
            Some(length) => {
                let start = number * length;
                let end = start
                    .saturating_add(length)
                    .min(self.array.shape()[self.axis]);
                (start as isize..end as isize).into()
            }
        };
        let part = self.array.slice(SliceItem::along(self.axis, item));
        part.expect("within the axis")
    }
}

impl<T: Element> Iterator for AxisIter<T> {
    type Item = Array<T>;

    fn next(&mut self) -> Option<Array<T>> {
        self.left.next().map(|number| self.part(number))
    }

    fn nth(&mut self, n: usize) -> Option<Array<T>> {
        self.left.nth(n).map(|number| self.part(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<T: Element> DoubleEndedIterator for AxisIter<T> {
    fn next_back(&mut self) -> Option<Array<T>> {
        self.left.next_back().map(|number| self.part(number))
    }
}

impl<T: Element> ExactSizeIterator for AxisIter<T> {}
impl<T: Element> FusedIterator for AxisIter<T> {}
