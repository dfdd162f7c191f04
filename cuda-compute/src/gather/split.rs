//! Division of arrays into parts, without copying elements.

use crate::{
    array::{Array, IntoIndex, IntoIndices, SliceItem},
    element::Element,
    error::{Error, Result},
};

impl<T: Element> Array<T> {
    /// Divides the array into parts of equal length along an axis, like NumPy's `split`. The parts
    /// share the array's memory.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?;
    /// assert_eq!(x.split(3, 0)?[1].to_vec()?, [2, 3]);
    /// assert_eq!(x.array_split(4, 0)?[1].to_vec()?, [2, 3]); // of lengths 2, 2, 1, 1
    /// assert_eq!(x.split_at([1, -2], 0)?[1].to_vec()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there is no such axis, or if its length is not a multiple of
    /// `parts`. [`array_split`](Self::array_split) allows parts of different lengths.
    pub fn split(&self, parts: usize, axis: impl IntoIndex) -> Result<Vec<Self>> {
        let axis = self.shape().axis(axis)?;
        let length = self.shape()[axis];
        if parts != 0 && !length.is_multiple_of(parts) {
            return Err(Error::Shape(format!(
                "split: axis {axis} has length {length}, which does not divide into {parts} parts of equal length. Fix: call \
                 array_split"
            )));
        }
        self.array_split(parts, axis)
    }

    /// Divides the array into parts along an axis, like NumPy's `array_split`. If the length is not
    /// a multiple of `parts`, the first parts have one element more. The parts share the array's
    /// memory.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there is no such axis, or if `parts` is 0.
    pub fn array_split(&self, parts: usize, axis: impl IntoIndex) -> Result<Vec<Self>> {
        let axis = self.shape().axis(axis)?;
        if parts == 0 {
            return Err(Error::Shape(
                "an array can't be split into 0 parts. Fix: pass at least 1".into(),
            ));
        }
        let length = self.shape()[axis];
        let (each, longer) = (length / parts, length % parts);
        let start = |part: usize| part * each + part.min(longer);
        (0..parts)
            .map(|part| self.slice(SliceItem::along(axis, start(part)..start(part + 1))))
            .collect()
    }

    /// Divides the array at these indices along an axis, like NumPy's `split` with a list of
    /// indices. There is one part more than indices, and the parts share the array's memory.
    ///
    /// The parts are the slices `..a`, `a..b`, `b..` for the indices `a` and `b`, as
    /// [`s!`](crate::s) selects them: negative indices count from the end, and a part is empty if
    /// its indices are beyond the end or not in ascending order.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there is no such axis.
    pub fn split_at(&self, indices: impl IntoIndices, axis: impl IntoIndex) -> Result<Vec<Self>> {
        let axis = self.shape().axis(axis)?;
        let indices = indices.into_indices();
        let mut items = Vec::with_capacity(indices.len() + 1);
        let mut start = 0;
        for index in indices {
            items.push(SliceItem::from(start..index));
            start = index;
        }
        items.push(SliceItem::from(start..));
        items
            .into_iter()
            .map(|item| self.slice(SliceItem::along(axis, item)))
            .collect()
    }
}
