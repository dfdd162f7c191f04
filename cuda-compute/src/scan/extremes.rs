//! Running maxima and minima with their indices.

use crate::{
    array::{Array, IntoIndex},
    element::Ordered,
    error::Result,
    expression::Expr,
};

impl<T: Ordered> Expr<T> {
    /// Computes running maxima along an axis, as [`cummax`](Self::cummax) does, and the index of each
    /// along the axis, like PyTorch's `cummax`.
    ///
    /// The index is that of the last of several equal elements up to here. Before the first number,
    /// maxima are NaN with the index 0. Two scans compute the results, and the second one reads the
    /// maxima and this expression again. This does not wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[2, 7, 1, 8, 8, 3])?;
    /// let (maxima, indices) = x.cummax_with_indices(0)?;
    /// assert_eq!(maxima.to_vec()?, [2, 7, 7, 8, 8, 8]);
    /// assert_eq!(indices.to_vec()?, [0, 1, 1, 3, 4, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if the expression reads no array, or if memory
    /// runs out.
    pub fn cummax_with_indices(&self, axis: impl IntoIndex) -> Result<(Array<T>, Array<usize>)> {
        let axis = self.shape()?.axis(axis)?;
        // Computed twice, an expression could have other bits.
        let x = self.stored()?;
        let maxima = x.cummax(axis)?;
        let indices = x.expr().last_indices_of(&maxima, axis)?;
        Ok((maxima, indices))
    }

    /// Computes running minima along an axis, and the index of each: see
    /// [`cummax_with_indices`](Self::cummax_with_indices).
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if the expression reads no array, or if memory
    /// runs out.
    pub fn cummin_with_indices(&self, axis: impl IntoIndex) -> Result<(Array<T>, Array<usize>)> {
        let axis = self.shape()?.axis(axis)?;
        let x = self.stored()?;
        let minima = x.cummin(axis)?;
        let indices = x.expr().last_indices_of(&minima, axis)?;
        Ok((minima, indices))
    }

    /// Returns the index of the last element up to each one that equals its running extreme.
    fn last_indices_of(&self, extremes: &Array<T>, axis: usize) -> Result<Array<usize>> {
        let index = Expr::index(self.shape()?, axis)?;
        self.equal(extremes).select(index, 0).cummax(axis)?.eval()
    }
}

impl<T: Ordered> Array<T> {
    /// Computes running maxima along an axis, and the index of each. See
    /// [`Expr::cummax_with_indices`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if memory runs out.
    pub fn cummax_with_indices(&self, axis: impl IntoIndex) -> Result<(Self, Array<usize>)> {
        self.expr().cummax_with_indices(axis)
    }

    /// Computes running minima along an axis, and the index of each. See
    /// [`Expr::cummax_with_indices`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if memory runs out.
    pub fn cummin_with_indices(&self, axis: impl IntoIndex) -> Result<(Self, Array<usize>)> {
        self.expr().cummin_with_indices(axis)
    }
}
