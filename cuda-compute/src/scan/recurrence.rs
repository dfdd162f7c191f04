//! Linear recurrences by scans.

use num_complex::Complex;

use crate::{
    array::{Array, IntoIndex},
    error::Result,
    expression::{Expr, IntoExpr},
    function::{Combination, CudaFn},
};

macro_rules! recurrences {
    ($($real:ty, $name:literal;)*) => {$(
        impl Expr<$real> {
            /// Returns the values of the linear recurrence `x[i] = a[i] * x[i - 1] + b[i]` along an
            /// axis. The elements of this expression are `b`, the `coefficients` are `a`, and
            /// `initial` is the value before the first one.
            ///
            /// With one coefficient for all elements, this is a first-order recursive filter:
            /// SciPy's `lfilter([1], [1, -a], b)`. The coefficients and the initial values can be
            /// broadcast to this shape. The length of the initial values along the axis must be 1.
            ///
            /// A [`scan`](Self::scan) combines pairs of `a` and `b`, because two steps of a recurrence
            /// are one step with the coefficient `a[i] * a[i - 1]`. So it runs in parallel, and
            /// rounding differs from that of a loop. The scan also multiplies coefficients of
            /// consecutive elements: if they are infinite, or such a product overflows, results can
            /// be NaN where a loop has none.
            ///
            /// The kernel of the scan stores only the values, not the pairs.
            ///
            /// ```
            /// # use cuda_compute::Array;
            /// # use cuda_safe::{Context, Stream};
            /// # fn main() -> cuda_compute::Result<()> {
            /// # let stream = Stream::new(&Context::primary(0)?)?;
            /// let deposits = Array::from_slice(&stream, &[10.0f32, 0.0, 20.0, 0.0])?;
            /// let account = deposits.linear_recurrence(0.5, 100.0, 0)?; // half of it is lost each year
            /// assert_eq!(account.eval()?.to_vec()?, [60.0, 30.0, 35.0, 17.5]);
            /// # Ok(())
            /// # }
            /// ```
            ///
            /// # Errors
            /// Returns an error if there is no such axis, if the coefficients or initial values can't
            /// be broadcast, or if shapes in this expression don't match.
            pub fn linear_recurrence(
                &self,
                coefficients: impl IntoExpr<$real>,
                initial: impl IntoExpr<$real>,
                axis: impl IntoIndex,
            ) -> Result<Self> {
                let shape = self.shape()?;
                let axis = shape.axis(axis)?;
                let a = coefficients.into_expr().broadcast_to(shape)?;
                let mut one = shape;
                one.as_mut_slice()[axis] = shape[axis].min(1);
                let initial = initial.into_expr().broadcast_to(one)?;
                let first = Expr::index(shape, axis)?.equal(0);
                let b = first.select(&a * initial + self, self);
                // SAFETY: it only computes.
                let after = unsafe {
                    CudaFn::<fn(Complex<$real>, Complex<$real>) -> Complex<$real>>::new(
                        "after",
                        concat!(
                            "__device__ complex<", $name, "> after(complex<", $name, "> a, complex<", $name, "> b) {\n    \
                             return {b.re * a.re, b.re * a.im + b.im};\n}"
                        ),
                    )
                };
                let steps = Combination::new(&after, Complex::new(1.0, 0.0));
                let pairs = Expr::<Complex<$real>>::complex(a, b);
                Ok(pairs.scan(steps, axis)?.imag())
            }

            /// Returns exponential moving averages along an axis: `y[0] = x[0]` and
            /// `y[i] = alpha * x[i] + (1 - alpha) * y[i - 1]`.
            ///
            /// This is pandas' `ewm(alpha=alpha, adjust=False).mean()`, by
            /// [`linear_recurrence`](Self::linear_recurrence). All averages from a NaN on are NaN.
            ///
            /// ```
            /// # use cuda_compute::Array;
            /// # use cuda_safe::{Context, Stream};
            /// # fn main() -> cuda_compute::Result<()> {
            /// # let stream = Stream::new(&Context::primary(0)?)?;
            /// let x = Array::from_slice(&stream, &[8.0f32, 0.0, 4.0])?;
            /// assert_eq!(x.ewm_mean(0.5, 0)?.eval()?.to_vec()?, [8.0, 4.0, 4.0]);
            /// # Ok(())
            /// # }
            /// ```
            ///
            /// # Errors
            /// Returns an error if there is no such axis, or if shapes in this expression don't match.
            pub fn ewm_mean(&self, alpha: $real, axis: impl IntoIndex) -> Result<Self> {
                let shape = self.shape()?;
                let axis = shape.axis(axis)?;
                let first = Expr::index(shape, axis)?.equal(0);
                let new = first.select(self, self * alpha);
                new.linear_recurrence(1.0 - alpha, 0.0, axis)
            }
        }

        impl Array<$real> {
            /// Returns the values of a linear recurrence along an axis: see
            /// [`Expr::linear_recurrence`].
            ///
            /// # Errors
            /// Returns an error if there is no such axis, if the coefficients or initial values can't
            /// be broadcast.
            pub fn linear_recurrence(
                &self,
                coefficients: impl IntoExpr<$real>,
                initial: impl IntoExpr<$real>,
                axis: impl IntoIndex,
            ) -> Result<Expr<$real>> {
                self.expr().linear_recurrence(coefficients, initial, axis)
            }

            /// Returns exponential moving averages along an axis: see [`Expr::ewm_mean`].
            ///
            /// # Errors
            /// Returns an error if there is no such axis.
            pub fn ewm_mean(&self, alpha: $real, axis: impl IntoIndex) -> Result<Expr<$real>> {
                self.expr().ewm_mean(alpha, axis)
            }
        }
    )*};
}

recurrences! {
    f32, "float";
    f64, "double";
}
