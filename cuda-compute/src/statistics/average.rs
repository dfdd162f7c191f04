//! Weighted averages, and the range of values.

use super::nan::sum;
use crate::{
    array::{Array, IntoIndex, IntoIndices},
    element::{Float, Ordered},
    error::Result,
    expression::{Expr, IntoExpr},
};

impl<T: Float> Expr<T> {
    /// Returns the weighted average of all elements, like NumPy's `average`: the sum of products
    /// with the weights, divided by the sum of weights.
    ///
    /// The weights can be broadcast to this shape. If they sum to 0, the result is infinite or NaN,
    /// where NumPy fails. One pass computes both sums. Halves are computed as `f32`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[1.0, 2.0], [3.0, 4.0]])?;
    /// let weights = Array::from_slice(&stream, &[1.0, 3.0])?;
    /// assert_eq!(x.average(&weights)?.eval()?.item()?, 2.75);
    /// assert_eq!(x.average_axis(0, &weights)?.eval()?.to_vec()?, [2.5, 3.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the weights can't be broadcast to this shape.
    #[track_caller]
    pub fn average(&self, weights: impl IntoExpr<T>) -> Result<Self> {
        let weights = weights.into_expr().broadcast_to(self.shape()?)?;
        Ok(self.weighted(&weights, None))
    }

    /// Returns the weighted averages along an axis, which is removed: see
    /// [`average`](Self::average). Weights with one axis belong to the elements along this axis.
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if there is no such axis, or if the weights can't be broadcast to
    /// this shape.
    #[track_caller]
    pub fn average_axis(&self, axis: impl IntoIndex, weights: impl IntoExpr<T>) -> Result<Self> {
        let (shape, weights) = (self.shape()?, weights.into_expr());
        let axis = shape.axis(axis)?;
        let weights = match weights.shape()?.as_slice() {
            &[count] => along(&weights, count, axis, shape.rank())?,
            _ => weights,
        };
        let weights = weights.broadcast_to(shape)?;
        Ok(self.weighted(&weights, Some(&[axis as isize])))
    }

    #[track_caller]
    fn weighted(&self, weights: &Self, axes: Option<&[isize]>) -> Self {
        let (x, weights): (Expr<T::Wide>, Expr<T::Wide>) = (self.converted(), weights.converted());
        let total = sum(&weights, axes);
        (sum(&(x * weights), axes) / total).converted()
    }
}

/// Places `count` values with one axis along an axis of an array of this rank.
pub(super) fn along<T: Float>(
    values: &Expr<T>,
    count: usize,
    axis: usize,
    rank: usize,
) -> Result<Expr<T>> {
    let mut lengths = vec![1; rank];
    lengths[axis] = count;
    values.reshape(lengths)
}

impl<T: Ordered> Expr<T> {
    /// Returns the range of values, like NumPy's `ptp`: the largest element minus the smallest. It is
    /// NaN if an element is NaN. Integers wrap around.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[4, -1], [3, 8]])?;
    /// assert_eq!(x.ptp().eval()?.item()?, 9);
    /// assert_eq!(x.ptp_axis(1).eval()?.to_vec()?, [5, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`eval`](Self::eval) returns [`Error::Shape`](crate::Error::Shape) if there are no elements.
    #[must_use]
    #[track_caller]
    pub fn ptp(&self) -> Self {
        self.max_or_nan() - self.min_or_nan()
    }

    /// Returns the range of values along one or several axes, which are removed: see
    /// [`ptp`](Self::ptp).
    #[must_use]
    #[track_caller]
    pub fn ptp_axis(&self, axes: impl IntoIndices) -> Self {
        let axes = axes.into_indices();
        self.max_or_nan_axis(&axes) - self.min_or_nan_axis(&axes)
    }
}

impl<T: Float> Array<T> {
    /// Returns the weighted average of all elements: see [`Expr::average`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if the weights can't be broadcast to this shape.
    #[track_caller]
    pub fn average(&self, weights: impl IntoExpr<T>) -> Result<Expr<T>> {
        self.expr().average(weights)
    }

    /// Returns the weighted averages along an axis, which is removed: see [`Expr::average_axis`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`](crate::Error::Shape) if there is no such axis, or if the weights can't be broadcast to
    /// this shape.
    #[track_caller]
    pub fn average_axis(&self, axis: impl IntoIndex, weights: impl IntoExpr<T>) -> Result<Expr<T>> {
        self.expr().average_axis(axis, weights)
    }
}

impl<T: Ordered> Array<T> {
    /// Returns the range of values: see [`Expr::ptp`].
    #[must_use]
    #[track_caller]
    pub fn ptp(&self) -> Expr<T> {
        self.expr().ptp()
    }

    /// Returns the range of values along one or several axes, which are removed: see [`Expr::ptp`].
    #[must_use]
    #[track_caller]
    pub fn ptp_axis(&self, axes: impl IntoIndices) -> Expr<T> {
        self.expr().ptp_axis(axes)
    }
}
