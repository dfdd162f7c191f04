//! Gamma and beta distributions.

use super::{Random, RandomFloat, distributions::constant};
use crate::{
    array::{IntoShape, Shape},
    error::{Error, Result},
    expression::{Expr, IntoExpr, function::Function},
};

// Functions of `kernels/random.cuh`.
static GAMMA: Function = Function::random("gamma", "gamma_number");
static LOG_GAMMA: Function = Function::random("log_gamma", "log_gamma_number");

/// The smallest parameter of a beta distribution, with which logarithms of numbers are finite.
const LEAST: f64 = 1e-300;

/// Returns a shape parameter for each element. A number must be finite and at least `least`.
fn parameter(value: impl IntoExpr<f64>, name: &str, least: f64, shape: Shape) -> Result<Expr<f64>> {
    let value = value.into_expr();
    if let Some(number) = constant(&value)
        && !(least..=f64::MAX).contains(&number)
    {
        return Err(Error::Value(format!(
            "{name} = {number} is not a finite number from {least:e} on. Fix: pass one"
        )));
    }
    value.broadcast_to(shape)
}

impl<T: RandomFloat> Expr<T> {
    /// Draws gamma numbers with the shape parameter `k` and the scale 1, NumPy's `standard_gamma(k)`.
    /// Their mean and variance are `k`.
    ///
    /// To get another scale, multiply by it. `k` is a number, or an expression with a value for each
    /// element, in which a negative number or NaN yields NaN. The algorithm is that of Marsaglia and
    /// Tsang ("A simple method for generating gamma variables", 2000), in `f64`. For `k` below 1, a
    /// number of shape `k + 1` is multiplied by the `k`-th root of a uniform number. It may underflow
    /// to 0 if `k` is small.
    ///
    /// ```
    /// use cuda_compute::{Array, Expr, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut random = Random::new(1);
    /// let x = Expr::<f32>::gamma(&mut random, 10_000, 2.5)? * 4.0; // scale 4
    /// let mean = x.mean().eval_on(&stream)?.item()?;
    /// assert!((mean - 10.0).abs() < 0.5, "{mean}");
    /// // The square of the distance from 0 in 3 dimensions: chi-square with 3 degrees of freedom.
    /// let chi_square = Expr::<f32>::gamma(&mut random, 100, 1.5)? * 2.0;
    /// # assert_eq!(chi_square.eval_on(&stream)?.len(), 100);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `k` is a number that is negative, NaN or infinite, if it is an expression
    /// that can't be broadcast to the shape, or if the shape is invalid.
    #[doc(alias = "standard_gamma", alias = "chisquare")]
    pub fn gamma(
        random: &mut Random,
        shape: impl IntoShape,
        k: impl IntoExpr<f64>,
    ) -> Result<Self> {
        let shape = shape.into_shape()?;
        let k = parameter(k, "k", 0.0, shape)?;
        Ok(random
            .per_block::<f64, 1>(&GAMMA, shape, [k.node])
            .converted())
    }

    /// Draws beta numbers with the parameters `a` and `b`, NumPy's `beta(a, b)`. Their mean is
    /// `a / (a + b)`.
    ///
    /// `a` and `b` are numbers from 1e-300, or expressions with a value for each element, in which
    /// negative numbers, NaN, infinity, and two smaller numbers yield NaN. A beta number is `x / (x + y)` for two [gamma](Self::gamma) numbers, whose
    /// logarithms are drawn, so that they can't underflow.
    ///
    /// ```
    /// use cuda_compute::{Array, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::<f64>::beta(&stream, &mut Random::new(1), 10_000, 1.0, 3.0)?;
    /// let mean = x.mean().eval()?.item()?;
    /// assert!((mean - 0.25).abs() < 0.01, "{mean}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if `a` or `b` is a number that is below 1e-300 or not finite, if it is an expression
    /// that can't be broadcast to the shape, or if the shape is invalid.
    pub fn beta(
        random: &mut Random,
        shape: impl IntoShape,
        a: impl IntoExpr<f64>,
        b: impl IntoExpr<f64>,
    ) -> Result<Self> {
        let shape = shape.into_shape()?;
        let a = parameter(a, "a", LEAST, shape)?;
        let b = parameter(b, "b", LEAST, shape)?;
        let mut draw = |k: Expr<f64>| random.per_block::<f64, 1>(&LOG_GAMMA, shape, [k.node]);
        let (x, y) = (draw(a), draw(b));
        let most = x.maximum(&y);
        let [x, y] = [x, y].map(|part| (part - &most).exp());
        Ok((&x / (&x + y)).converted())
    }
}
