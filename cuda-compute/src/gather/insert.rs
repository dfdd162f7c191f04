//! Insertion and removal of elements along an axis.

use super::join::assemble;
use crate::{
    array::{Array, IntoIndex, IntoIndices, Shape, SliceItem},
    element::Element,
    error::{Error, Result},
    expression::{Expr, IntoExpr},
};

/// Returns indices from 0 to `end`. Negative ones count from `length`.
fn within(method: &str, indices: Vec<isize>, length: usize, end: usize) -> Result<Vec<usize>> {
    let places = indices.into_iter().map(|index| {
        let place = match index {
            0.. => Some(index as usize),
            _ => length.checked_sub(index.unsigned_abs()),
        };
        place.filter(|&place| place < end).ok_or_else(|| {
            Error::Shape(format!(
                "{method}: index {index} is out of bounds for an axis of length {length}"
            ))
        })
    });
    places.collect()
}

/// Parts of an array that are copied to consecutive places along an axis of a new one.
struct Parts<T> {
    axis: usize,
    end: usize,
    parts: Vec<(Vec<SliceItem>, Expr<T>)>,
}

impl<T: Element> Parts<T> {
    fn push(&mut self, values: Expr<T>, length: usize) {
        if length > 0 {
            let items = SliceItem::along(self.axis, self.end..self.end + length);
            self.parts.push((items, values));
            self.end += length;
        }
    }
}

impl<T: Element> Array<T> {
    fn parts(&self, axis: usize) -> Parts<T> {
        Parts {
            axis,
            end: 0,
            parts: Vec::new(),
        }
    }

    /// Inserts values before these indices along an axis, in a new array, like NumPy's `insert`.
    ///
    /// Indices refer to this array, and its length inserts at the end. Negative ones count from the
    /// end.
    ///
    /// - **One index**: all `values` are inserted there. Their length along the axis is arbitrary if
    ///   they have as many axes as this array, and 1 otherwise.
    /// - **Several indices**: one row of the values along the axis is inserted at each, or the same
    ///   row if their length along the axis is 1. Rows at equal indices keep their order.
    ///
    /// The values are broadcast along the other axes. Each part of this array and each row of values
    /// is copied by its own kernel, so this is for a few indices. It does not wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3])?;
    /// let new = Array::from_slice(&stream, &[10, 20])?;
    /// assert_eq!(x.insert(1, &new, 0)?.to_vec()?, [1, 10, 20, 2, 3]);
    /// assert_eq!(x.insert([3, 0], &new, 0)?.to_vec()?, [20, 1, 2, 3, 10]);
    /// assert_eq!(x.insert([0, -1], 0, 0)?.to_vec()?, [0, 1, 2, 0, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there is no such axis;
    /// - an index is out of bounds;
    /// - the values can't be broadcast to the shape of the inserted elements;
    /// - memory runs out.
    pub fn insert(
        &self,
        indices: impl IntoIndices,
        values: impl IntoExpr<T>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        let (shape, values) = (self.shape(), values.into_expr());
        let axis = shape.axis(axis)?;
        let length = shape[axis];
        let indices = within("insert", indices.into_indices(), length, length + 1)?;
        let own = values.shape()?;
        let count = match indices.len() {
            1 if own.rank() == shape.rank() => own[axis],
            count => count,
        };
        let mut lengths = shape.as_slice().to_vec();
        lengths[axis] = count;
        let new = Shape::new(&lengths)?;
        if own.broadcast(&new) != Some(new) {
            return Err(Error::Shape(format!(
                "insert: values of shape {own} can't be broadcast to shape {new}, which is the array's {shape} with {count} \
                 elements along axis {axis}"
            )));
        }
        let values = values.broadcast_to(new)?;
        lengths[axis] = length.saturating_add(count);
        let result = Shape::new(&lengths)?;
        let mut rows: Vec<(usize, std::ops::Range<usize>)> = match indices[..] {
            [one] => vec![(one, 0..count)],
            _ => (indices.into_iter().enumerate())
                .map(|(row, index)| (index, row..row + 1))
                .collect(),
        };
        rows.sort_by_key(|row| row.0);
        let (mut parts, mut start) = (self.parts(axis), 0);
        for (index, rows) in rows {
            let before = self.slice(SliceItem::along(axis, start..index))?;
            parts.push(before.expr(), index - start);
            let items = SliceItem::along(axis, rows.clone());
            parts.push(values.slice(items)?, rows.len());
            start = index;
        }
        let after = self.slice(SliceItem::along(axis, start..))?;
        parts.push(after.expr(), length - start);
        assemble(self, result, parts.parts)
    }

    /// Returns a new array without the elements at these indices along an axis, like NumPy's
    /// `delete`.
    ///
    /// Negative indices count from the end, and an index may be repeated. Each part that remains is
    /// copied by its own kernel, so this is for a few indices: see [`compress`](Self::compress) for
    /// others. It does not wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?;
    /// assert_eq!(x.delete([0, -2], 0)?.to_vec()?, [1, 2, 3, 5]);
    /// assert_eq!(x.reshape([2, 3])?.delete(1, 1)?.to_string(), "[[0 2]\n [3 5]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if an index is out of bounds, or if memory runs
    /// out.
    pub fn delete(&self, indices: impl IntoIndices, axis: impl IntoIndex) -> Result<Self> {
        let shape = self.shape();
        let axis = shape.axis(axis)?;
        let length = shape[axis];
        let mut indices = within("delete", indices.into_indices(), length, length)?;
        indices.sort_unstable();
        indices.dedup();
        let mut lengths = shape.as_slice().to_vec();
        lengths[axis] -= indices.len();
        let (mut parts, mut start) = (self.parts(axis), 0);
        for end in indices.into_iter().chain([length]) {
            let kept = self.slice(SliceItem::along(axis, start..end))?;
            parts.push(kept.expr(), end - start);
            start = end + 1;
        }
        assemble(self, Shape::of(&lengths), parts.parts)
    }
}
