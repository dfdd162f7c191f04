//! Draws that are evaluated at once: methods of arrays beside those of expressions.

use std::ops::Range;

use cuda_safe::Stream;

use super::{Random, RandomBits, RandomFloat, RandomInteger};
use crate::{
    array::{Array, IntoShape},
    error::Result,
    expression::{Expr, IntoExpr},
};

// Each method is written out, because the compiler's messages show its definition.

impl<T: RandomFloat> Array<T> {
    /// Draws numbers in [0, 1). Evaluates [`Expr::uniform`], which describes the numbers.
    ///
    /// ```
    /// use cuda_compute::{Array, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::<f32>::uniform(&stream, &mut Random::new(7), [2, 3])?;
    /// assert!(x.to_vec()?.iter().all(|x| (0.0..1.0).contains(x)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the shape is invalid, or if memory runs out.
    pub fn uniform(stream: &Stream, random: &mut Random, shape: impl IntoShape) -> Result<Self> {
        Expr::<T>::uniform(random, shape)?.eval_on(stream)
    }

    /// Draws normal numbers with mean 0 and standard deviation 1. Evaluates [`Expr::normal`], which
    /// describes the numbers.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid, or if memory runs out.
    pub fn normal(stream: &Stream, random: &mut Random, shape: impl IntoShape) -> Result<Self> {
        Expr::<T>::normal(random, shape)?.eval_on(stream)
    }

    /// Draws numbers whose logarithms are normal with this mean and standard deviation. Evaluates
    /// [`Expr::log_normal`].
    ///
    /// # Errors
    /// Returns an error if the shape is invalid, or if memory runs out.
    pub fn log_normal(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        mean: T,
        deviation: T,
    ) -> Result<Self> {
        Expr::<T>::log_normal(random, shape, mean, deviation)?.eval_on(stream)
    }

    /// Draws exponential numbers with mean 1. Evaluates [`Expr::exponential`], which describes the
    /// numbers.
    ///
    /// # Errors
    /// Returns an error if the shape is invalid, or if memory runs out.
    pub fn exponential(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
    ) -> Result<Self> {
        Expr::<T>::exponential(random, shape)?.eval_on(stream)
    }
}

impl<T: RandomBits> Array<T> {
    /// Draws random bits: uniformly distributed integers. Evaluates [`Expr::bits`].
    ///
    /// # Errors
    /// Returns an error if the shape is invalid, or if memory runs out.
    pub fn bits(stream: &Stream, random: &mut Random, shape: impl IntoShape) -> Result<Self> {
        Expr::<T>::bits(random, shape)?.eval_on(stream)
    }
}

impl<T: RandomInteger> Array<T> {
    /// Draws integers from a range. Evaluates [`Expr::uniform_integers`], which describes their
    /// probabilities.
    ///
    /// # Errors
    /// Returns an error if the range is empty or the shape is invalid, or if memory runs out.
    pub fn uniform_integers(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        range: Range<T>,
    ) -> Result<Self> {
        Expr::<T>::uniform_integers(random, shape, range)?.eval_on(stream)
    }
}

impl Array<u32> {
    /// Draws numbers of events from a Poisson distribution. Evaluates [`Expr::poisson`], which
    /// describes the mean and the algorithm.
    ///
    /// # Errors
    /// Returns an error if the mean is a number outside 0 to 2³¹ or an expression that can't be
    /// broadcast to the shape, if the shape is invalid, or if memory runs out.
    pub fn poisson(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        mean: impl IntoExpr<f64>,
    ) -> Result<Self> {
        Expr::<u32>::poisson(random, shape, mean)?.eval_on(stream)
    }

    /// Draws numbers of successes in independent trials. Evaluates [`Expr::binomial`], which describes
    /// the parameters and the algorithms.
    ///
    /// # Errors
    /// Returns an error if the probability is a number outside 0 to 1, if a parameter is an expression
    /// that can't be broadcast to the shape, if the shape is invalid, or if memory runs out.
    pub fn binomial(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        trials: impl IntoExpr<u32>,
        probability: impl IntoExpr<f64>,
    ) -> Result<Self> {
        Expr::<u32>::binomial(random, shape, trials, probability)?.eval_on(stream)
    }
}

impl<T: RandomFloat> Array<T> {
    /// Draws gamma numbers of scale 1. Evaluates [`Expr::gamma`], which describes the parameter and the
    /// algorithm.
    ///
    /// # Errors
    /// Returns an error if the parameter is a number that [`Expr::gamma`] rejects or an expression
    /// that can't be broadcast to the shape, if the shape is invalid, or if memory runs out.
    pub fn gamma(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        k: impl IntoExpr<f64>,
    ) -> Result<Self> {
        Expr::<T>::gamma(random, shape, k)?.eval_on(stream)
    }

    /// Draws beta numbers, which are between 0 and 1. Evaluates [`Expr::beta`], which describes the
    /// parameters.
    ///
    /// # Errors
    /// Returns an error if a parameter is a number that [`Expr::beta`] rejects or an expression that
    /// can't be broadcast to the shape, if the shape is invalid, or if memory runs out.
    pub fn beta(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        a: impl IntoExpr<f64>,
        b: impl IntoExpr<f64>,
    ) -> Result<Self> {
        Expr::<T>::beta(random, shape, a, b)?.eval_on(stream)
    }
}

impl Array<bool> {
    /// Draws booleans that are true with this probability. Evaluates [`Expr::bernoulli`], which
    /// describes its rounding.
    ///
    /// # Errors
    /// Returns an error if the probability is outside 0 to 1, if the shape is invalid, or if memory
    /// runs out.
    pub fn bernoulli(
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        probability: f64,
    ) -> Result<Self> {
        Expr::<bool>::bernoulli(random, shape, probability)?.eval_on(stream)
    }
}
