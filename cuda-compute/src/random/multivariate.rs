//! Multivariate normal distributions.

use super::{Random, RandomFloat};
use crate::{
    array::{Array, IntoShape, Shape},
    error::{Error, Result},
    expression::Expr,
};

impl<T: RandomFloat> Array<T> {
    /// Draws vectors of normal numbers with this mean and the covariance `factor · factorᵀ`.
    ///
    /// `mean` has the shape `[n]`, and `factor` the shape `[n, k]`. For NumPy's `multivariate_normal(mean, covariance)`, pass the Cholesky factor
    /// of the covariance, which can be computed on the host or by CuPy. The result has an axis of
    /// length `n` after those of `shape`, and is on the stream of `factor`.
    ///
    /// The numbers are those of [`normal`](Self::normal) with `k` as the last axis, `z`. The result is
    /// `mean + z.inner(factor)`, and its last bits depend on the device. The call does not wait for the
    /// stream. Until the result is computed, it needs memory for `z`.
    ///
    /// [`inner`](Self::inner) needs no library. If `n` and `k` are large, `matmul` is faster:
    /// `z.matmul(&factor.t())?`.
    ///
    /// ```
    /// use cuda_compute::{Array, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mean = Array::from_slice(&stream, &[1.0f64, -1.0])?;
    /// // The covariance is [[4, 2], [2, 2]].
    /// let factor = Array::from_nested(&stream, [[2.0, 0.0], [1.0, 1.0]])?;
    /// let x = Array::multivariate_normal(&mut Random::new(1), 10_000, &mean, &factor)?;
    /// assert_eq!(x.shape(), [10_000, 2]);
    /// let covariance = x.t().cov(1)?.to_vec()?;
    /// assert!((covariance[1] - 2.0).abs() < 0.1, "{covariance:?}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the shapes of `mean` and `factor` do not match, if the result would have more
    /// axes than an array can have, if they belong to different contexts, or if memory runs out.
    pub fn multivariate_normal(
        random: &mut Random,
        shape: impl IntoShape,
        mean: &Self,
        factor: &Self,
    ) -> Result<Self> {
        let shape = shape.into_shape()?;
        let (&[n], &[rows, k]) = (mean.shape().as_slice(), factor.shape().as_slice()) else {
            return Err(unfit(mean.shape(), factor.shape()));
        };
        if n != rows {
            return Err(unfit(mean.shape(), factor.shape()));
        }
        let drawn = Shape::new(&[shape.as_slice(), &[k]].concat())?;
        let normal = Expr::normal(random, drawn)?.eval_on(factor.stream())?;
        (normal.inner(factor)? + mean).eval_on(factor.stream())
    }
}

#[cold]
fn unfit(mean: Shape, factor: Shape) -> Error {
    Error::Shape(format!(
        "multivariate_normal: the mean has shape {mean} and the factor {factor}. Fix: pass a mean of shape [n] and a factor \
         of shape [n, k]"
    ))
}
