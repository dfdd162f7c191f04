//! Arrays with repeated or rotated elements: `roll`, `repeat` and `tile`.

use super::join::{concatenate, no_axis};
use crate::{
    array::{Array, IntoShape, MAX_RANK, NewAxis, Shape, SliceItem},
    element::Element,
    error::Result,
};

impl<T: Element> Array<T> {
    /// Rotates the elements along an axis by `shift` places, towards higher indices if `shift` is
    /// positive.
    ///
    /// Elements that are shifted beyond one end reappear at the other. The result is a new array,
    /// unless every element stays in its place.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..5)?;
    /// assert_eq!(x.roll(1, 0)?.to_vec()?, [4, 0, 1, 2, 3]);
    /// assert_eq!(x.roll(-7, 0)?.to_vec()?, [2, 3, 4, 0, 1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if memory runs out.
    pub fn roll(&self, shift: isize, axis: usize) -> Result<Self> {
        if axis >= self.rank() {
            return Err(no_axis(axis, self.shape()));
        }
        let length = self.shape()[axis];
        // The rotated axis starts with the elements from its end.
        let first = match length {
            0 => 0,
            _ => shift.rem_euclid(length as isize) as usize,
        };
        if first == 0 {
            return Ok(self.clone());
        }
        let part = |places: SliceItem| {
            let mut items = vec![SliceItem::from(..); self.rank()];
            items[axis] = places;
            self.slice(items)
        };
        let border = length - first;
        let (end, start) = (part((border..).into())?, part((..border).into())?);
        concatenate(&[&end, &start], axis)
    }

    /// Repeats each element `count` times in succession along an axis, in a new array.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3])?;
    /// assert_eq!(x.repeat(2, 0)?.to_vec()?, [1, 1, 2, 2, 3, 3]);
    /// assert_eq!(x.tile(2)?.to_vec()?, [1, 2, 3, 1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if the number of elements overflows, or if memory
    /// runs out.
    pub fn repeat(&self, count: usize, axis: usize) -> Result<Self> {
        self.again(count, axis, 1)
    }

    /// Repeats the array along each axis, as NumPy's `tile` does.
    ///
    /// If there are fewer `counts` than axes, they apply to the last axes. If there are more, the
    /// array first gets leading axes of length 1. The result is a new array, unless all counts are
    /// 1.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2])?;
    /// let y = x.tile([2, 3])?;
    /// assert_eq!(y.to_string(), "[[1 2 1 2 1 2]\n [1 2 1 2 1 2]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there are more than [`MAX_RANK`] counts, if the number of elements
    /// overflows, or if memory runs out.
    pub fn tile(&self, counts: impl IntoShape) -> Result<Self> {
        let counts = counts.into_shape()?;
        let rank = self.rank().max(counts.rank());
        let mut lengths = vec![1; rank - self.rank()];
        lengths.extend_from_slice(self.shape().as_slice());
        let mut result = self.reshape(&lengths[..])?;
        let skipped = rank - counts.rank();
        // Start with the innermost axis, so that later copies are of long rows.
        for (axis, &count) in counts.as_slice().iter().enumerate().rev() {
            if count != 1 {
                result = result.again(count, axis + skipped, 0)?;
            }
        }
        Ok(result)
    }

    /// Repeats the array along an axis `count` times: inserts a broadcast axis before (`after` is
    /// 0) or after it (`after` is 1), and merges the two.
    fn again(&self, count: usize, axis: usize, after: usize) -> Result<Self> {
        if axis >= self.rank() {
            return Err(no_axis(axis, self.shape()));
        }
        let lengths = self.shape();
        let lengths = lengths.as_slice();
        let mut result = lengths.to_vec();
        result[axis] = result[axis].saturating_mul(count);
        let result = Shape::new(&result)?;
        let (whole, axis) = if self.rank() < MAX_RANK {
            (self.clone(), axis)
        } else {
            // The array already has the maximum number of axes, so merge the others first.
            let outer: usize = lengths[..axis].iter().product();
            let inner: usize = lengths[axis + 1..].iter().product();
            (self.reshape([outer, lengths[axis], inner])?, 1)
        };
        let mut items = vec![SliceItem::from(..); whole.rank()];
        items.insert(axis + after, NewAxis.into());
        let raised = whole.slice(items)?;
        let mut wide = raised.shape().as_slice().to_vec();
        wide[axis + after] = count;
        raised.broadcast_to(&wide[..])?.reshape(result)
    }
}
