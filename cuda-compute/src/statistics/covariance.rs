//! Covariances and correlation coefficients.

use crate::{
    array::{Array, NewAxis, Shape},
    element::{Float, Number},
    error::{Error, Result},
    expression::Expr,
    s,
};

/// Returns the covariances of the rows of a matrix, in the wide type.
fn covariances<T: Float>(method: &str, x: &Expr<T>, ddof: u32) -> Result<Array<T::Wide>> {
    let shape = x.shape()?;
    let rows = match *shape.as_slice() {
        [count] => [1, count],
        [rows, count] => [rows, count],
        _ => {
            return Err(Error::Shape(format!(
                "{method}: shape {shape} has {} axes. Fix: pass a matrix with a variable in each row, or one variable",
                shape.rank()
            )));
        }
    };
    let x: Expr<T::Wide> = x.converted().reshape(rows)?;
    let apart = (&x - x.mean_axis(1).keep_axes()).eval()?;
    let divisor = Expr::<T::Wide>::number(rows[1].saturating_sub(ddof as usize) as f64);
    (apart.inner(&apart)? / divisor).eval()
}

/// Returns a matrix in the type of `T`. For one variable, it has no axes.
fn result<T: Float>(of: Shape, matrix: &Expr<T::Wide>) -> Result<Array<T>> {
    let matrix = match of.rank() {
        1 => matrix.reshape(())?,
        _ => matrix.clone(),
    };
    matrix.converted::<T>().stored()
}

impl<T: Float> Expr<T> {
    /// Returns the matrix of covariances between variables, like NumPy's `cov`.
    ///
    /// Each row is a variable and each column an observation. Sums of products are divided by the
    /// number of observations minus `ddof`. NumPy's default for `ddof` is 1. If `ddof` is at least the
    /// number of observations, the divisor is 0. An expression with one axis is one variable, and its result has
    /// no axes.
    ///
    /// The rows minus their means are computed into memory. Each covariance is then a reduction that
    /// reads two rows. For many variables, a matrix product of these differences is faster. Halves
    /// are computed as `f32`. This does not wait.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[0.0f64, 1.0, 2.0], [4.0, 2.0, 0.0]])?;
    /// assert_eq!(x.cov(1)?.to_vec()?, [1.0, -2.0, -2.0, 4.0]);
    /// assert!((x.corrcoef()? + 1.0).slice(cuda_compute::s![0, 1])?.eval()?.item()?.abs() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there are neither one nor two axes, if the expression reads no array, or
    /// if memory runs out.
    pub fn cov(&self, ddof: u32) -> Result<Array<T>> {
        result(self.shape()?, &covariances("cov", self, ddof)?.expr())
    }

    /// Returns the matrix of correlation coefficients between variables, like NumPy's `corrcoef`:
    /// the covariances of [`cov`](Self::cov), divided by the standard deviations of both variables
    /// and clamped to the range from −1 to 1. Coefficients of a constant variable are NaN.
    ///
    /// # Errors
    /// Returns an error if there are neither one nor two axes, if the expression reads no array, or
    /// if memory runs out.
    pub fn corrcoef(&self) -> Result<Array<T>> {
        let covariances = covariances("corrcoef", self, 0)?;
        let deviations = covariances.diagonal(0)?.sqrt();
        let rows = deviations.slice(s![.., NewAxis])?;
        let one = T::Wide::ONE;
        let matrix = (covariances / rows / deviations).clamp(-Expr::scalar(one), one);
        result(self.shape()?, &matrix)
    }
}

impl<T: Float> Array<T> {
    /// Returns the matrix of covariances between variables: see [`Expr::cov`].
    ///
    /// # Errors
    /// Returns an error if there are neither one nor two axes, or if memory runs out.
    pub fn cov(&self, ddof: u32) -> Result<Self> {
        self.expr().cov(ddof)
    }

    /// Returns the matrix of correlation coefficients between variables: see [`Expr::corrcoef`].
    ///
    /// # Errors
    /// Returns an error if there are neither one nor two axes, or if memory runs out.
    pub fn corrcoef(&self) -> Result<Self> {
        self.expr().corrcoef()
    }
}
