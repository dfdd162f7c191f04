//! Slices, transposes and other shapes of expressions.

use super::{
    Expr,
    moved::{moved, shape_of_view},
    node::{Kind, Node},
    view::View,
};
use crate::{
    array::{IntoIndices, SliceItem, expanded, squeezed},
    element::Element,
    error::Result,
};

impl<T: Element> Expr<T> {
    fn viewed(&self, view: View) -> Result<Self> {
        let to = shape_of_view(&self.node, &view)?;
        match moved(&self.node, &view)? {
            // A single value keeps its shape.
            Some(node) if node.shape != Ok(to) => Self::of(node).broadcast_to(to),
            Some(node) => Ok(Self::of(node)),
            None => {
                let kind = Kind::View(view, self.node.clone());
                Ok(Self::of(Node::new(kind, T::DATA_TYPE, Ok(to))))
            }
        }
    }

    /// Returns the values that [`s!`](crate::s) selects.
    ///
    /// Only the selected values are computed, in the kernel of the expression that this becomes part
    /// of. The same holds for the other methods that return the values in another shape or order,
    /// such as [`reshape`](Self::reshape) and [`t`](Self::t). [`eval`](Self::eval) computes all values
    /// into memory first in these cases:
    ///
    /// - The expression contains a reduction along axes, a scan, or random numbers.
    /// - It has more than about 1000 operations.
    /// - Strides can't express a `reshape` for one of its arrays, such as a transposed array.
    ///
    /// ```
    /// # use cuda_compute::{Array, s};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?.reshape([2, 3])?;
    /// let steps = (x.expr() * 10).slice(s![.., 1..])? - (x.expr() * 10).slice(s![.., ..-1])?;
    /// assert_eq!(steps.eval()?.to_vec()?, [10; 4]); // one kernel
    /// assert_eq!((&x + 1).reshape([3, -1])?.t().eval()?.to_vec()?, [1, 3, 5, 2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the selection does not fit the shape (see
    /// [`Array::slice`](crate::Array::slice)), or if shapes of operands can't be broadcast.
    pub fn slice(&self, items: impl AsRef<[SliceItem]>) -> Result<Self> {
        self.viewed(View::Slice(items.as_ref().to_vec()))
    }

    /// Returns the same values in another shape, in C order. A length of −1 is inferred from the
    /// number of values. [`slice`](Self::slice) describes how it is computed.
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the shape is invalid or has a different
    /// number of elements, if a length can't be inferred, or if shapes of operands can't be
    /// broadcast.
    pub fn reshape(&self, shape: impl IntoIndices) -> Result<Self> {
        let shape = self.shape()?.inferred(shape)?;
        self.viewed(View::Reshape(shape))
    }

    /// Returns the values with one axis, in C order: a [`reshape`](Self::reshape).
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if shapes of operands can't be broadcast.
    pub fn flatten(&self) -> Result<Self> {
        self.reshape(-1)
    }

    /// Returns the values with the axes in another order. Axis `i` of the result is axis `axes[i]`
    /// of this expression. [`slice`](Self::slice) describes how it is computed.
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if `axes` does not name each axis exactly once,
    /// or if shapes of operands can't be broadcast.
    pub fn permute(&self, axes: impl IntoIndices) -> Result<Self> {
        self.viewed(View::Permute(axes.into_indices()))
    }

    /// Returns the values with the axes in reverse order. For a matrix, this is the transpose. If
    /// shapes of operands can't be broadcast, [`eval`](Self::eval) returns the error.
    #[must_use]
    pub fn t(&self) -> Self {
        let rank = self.shape().map_or(0, |shape| shape.rank());
        let axes = (0..rank as isize).rev().collect::<Vec<_>>();
        self.permute(axes).unwrap_or_else(|_| self.clone())
    }

    /// Returns the values without these axes, which must have length 1.
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if an axis does not exist, is named twice, or
    /// has a length other than 1, or if shapes of operands can't be broadcast.
    pub fn squeeze_axis(&self, axes: impl IntoIndices) -> Result<Self> {
        self.slice(squeezed(self.shape()?, axes)?)
    }

    /// Inserts axes of length 1, at these places of the result, as NumPy's `expand_dims` does.
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if an axis is out of range for the result or is
    /// named twice, if the result has more than [`MAX_RANK`](crate::MAX_RANK) axes, or if shapes of
    /// operands can't be broadcast.
    pub fn expand_dims(&self, axes: impl IntoIndices) -> Result<Self> {
        self.slice(expanded(self.shape()?, axes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::plan::MAX_VALUES, *};
    use crate::{random::Random, s};

    #[test]
    fn views_move_to_the_leaves_unless_values_must_be_stored() {
        let x = Expr::<usize>::index([4, 6], 0).unwrap() * 3 + Expr::index([4, 6], 1).unwrap();
        let total = &x - x.sum();
        for moved in [
            x.slice(s![1.., ..;2]).unwrap(),
            x.t(),
            x.reshape([4, 2, -1]).unwrap(),
            total.t(),
        ] {
            assert!(!moved.node.views);
        }
        let uniform = Expr::<f32>::uniform(&mut Random::new(1), [4, 6]).unwrap();
        assert!(uniform.t().node.views);
        // The indices along axis 0 are equal in a row, and a row of this shape contains several rows.
        assert!(x.reshape([3, 8]).unwrap().node.views);
        assert!(x.sum_axis(0).slice(s![1..]).unwrap().node.views);
        let mut long = x.clone();
        for _ in 0..MAX_VALUES {
            long += 1;
        }
        assert!(long.t().node.views);
    }
}
