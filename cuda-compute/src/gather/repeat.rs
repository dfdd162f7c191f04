//! Arrays with repeated or rotated elements: `roll`, `repeat` and `tile`.

use super::join::assemble;
use crate::{
    array::{Array, IntoIndices, IntoShape, MAX_RANK, NewAxis, Shape, SliceItem},
    element::Element,
    error::{Error, Result},
};

/// Returns one number for each of the axes, from one number for all or from as many as axes.
fn for_each_axis(method: &str, what: &str, numbers: Vec<isize>, axes: usize) -> Result<Vec<isize>> {
    match numbers[..] {
        [one] => Ok(vec![one; axes]),
        _ if numbers.len() == axes => Ok(numbers),
        _ => Err(Error::Shape(format!(
            "{method}: there are {} {what} for {axes} axes. Fix: pass one for all axes, or one for each",
            numbers.len()
        ))),
    }
}

impl<T: Element> Array<T> {
    /// Rotates the elements along one or several axes, towards higher indices if the shift is
    /// positive.
    ///
    /// There is one shift for all axes, or one for each axis. Elements that are shifted beyond one
    /// end reappear at the other. The result is a new array, unless every element stays in its
    /// place.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..5)?;
    /// assert_eq!(x.roll(1, 0)?.to_vec()?, [4, 0, 1, 2, 3]);
    /// assert_eq!(x.roll(-7, 0)?.to_vec()?, [2, 3, 4, 0, 1]);
    /// let image = Array::range(&stream, 0..6)?.reshape([2, 3])?;
    /// assert_eq!(image.roll([1, -1], [0, 1])?.to_string(), "[[4 5 3]\n [1 2 0]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if an axis does not exist or is named twice, if there are neither one shift
    /// nor as many as axes, or if memory runs out.
    pub fn roll(&self, shifts: impl IntoIndices, axes: impl IntoIndices) -> Result<Self> {
        let shape = self.shape();
        let axes = shape.axes(axes)?;
        let shifts = for_each_axis("roll", "shifts", shifts.into_indices(), axes.len())?;
        // Each part's indices in the result and in this array. Rotating an axis halves all parts.
        let whole = vec![SliceItem::from(..); self.rank()];
        let mut parts = vec![(whole.clone(), whole)];
        for (axis, shift) in axes.into_iter().zip(shifts) {
            let length = shape[axis];
            let first = match length {
                0 => 0,
                _ => shift.rem_euclid(length as isize) as usize,
            };
            if first == 0 {
                continue;
            }
            // The rotated axis starts with the elements from its end.
            let halves = [
                (0..first, length - first..length),
                (first..length, 0..length - first),
            ];
            parts = parts
                .iter()
                .flat_map(|part| {
                    halves.clone().map(|(to, from)| {
                        let mut part = part.clone();
                        (part.0[axis], part.1[axis]) = (to.into(), from.into());
                        part
                    })
                })
                .collect();
        }
        if parts.len() == 1 {
            return Ok(self.clone());
        }
        let parts = parts.into_iter();
        let parts = parts.map(|(to, from)| Ok((to, self.slice(from)?.expr())));
        assemble(self, shape, parts.collect::<Result<_>>()?)
    }

    /// Repeats each element in succession along one or several axes, in a new array.
    ///
    /// There is one count for all axes, or one for each axis.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3])?;
    /// assert_eq!(x.repeat(2, 0)?.to_vec()?, [1, 1, 2, 2, 3, 3]);
    /// assert_eq!(x.tile(2)?.to_vec()?, [1, 2, 3, 1, 2, 3]);
    /// let image = Array::from_slice(&stream, &[1, 2])?.reshape([1, 2])?;
    /// assert_eq!(image.repeat(2, [0, 1])?.to_string(), "[[1 1 2 2]\n [1 1 2 2]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if an axis does not exist or is named twice, if there are neither one count
    /// nor as many as axes, if a count is negative, if the number of elements overflows, or if
    /// memory runs out.
    pub fn repeat(&self, counts: impl IntoIndices, axes: impl IntoIndices) -> Result<Self> {
        let axes = self.shape().axes(axes)?;
        let counts = for_each_axis("repeat", "counts", counts.into_indices(), axes.len())?;
        let mut steps: Vec<(usize, isize)> = axes.into_iter().zip(counts).collect();
        // Start with the innermost axis, so that later copies are of long rows.
        steps.sort_unstable_by(|one, other| other.cmp(one));
        let mut result = self.clone();
        for (axis, count) in steps {
            let count = usize::try_from(count).map_err(|_| {
                Error::Shape(format!(
                    "repeat: the count {count} of axis {axis} is negative"
                ))
            })?;
            result = result.again(count, axis, 1)?;
        }
        Ok(result)
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
