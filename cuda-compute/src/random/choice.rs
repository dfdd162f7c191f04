//! Random choices of elements.

use super::{Random, permutation::first_permuted};
use crate::{
    array::{Array, IntoIndex, IntoShape},
    element::Element,
    error::{Error, Result},
    expression::{Expr, IntoExpr},
};

/// Returns an error if there are fewer elements than are chosen. Without elements, nothing can be chosen
/// with replacement either.
fn check(call: &str, chosen: usize, available: usize, replaced: bool) -> Result<()> {
    if chosen <= available || (replaced && available > 0) {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "{call}: {chosen} of {available} elements can't be chosen{}",
        if replaced {
            ""
        } else {
            " without replacement. Fix: choose fewer, or choose with replacement"
        }
    )))
}

impl<T: Element> Expr<T> {
    /// Returns randomly chosen elements along an axis, with replacement: each choice is one of all
    /// elements with equal probability. In the result, the axes of `shape` replace the axis. This is
    /// `choice(x, size, axis)` of NumPy's generators.
    ///
    /// All values with the same index on the axis stay together. The indices are
    /// [`uniform_integers`](Expr::uniform_integers), of which you can draw as many as you need without
    /// an array to choose from. The call does not wait for the stream.
    ///
    /// ```
    /// use cuda_compute::{Array, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut random = Random::new(3);
    /// let x = Array::from_nested(&stream, [[1, 10], [2, 20], [3, 30]])?;
    /// let rows = x.choice(&mut random, 100, 0)?;
    /// assert_eq!(rows.shape(), [100, 2]);
    /// assert!(rows.to_vec()?.chunks(2).all(|row| row[1] == 10 * row[0]));
    /// let two = x.choice_without_replacement(&mut random, 2, 0)?.to_vec()?;
    /// assert_ne!(two[0], two[2]);
    /// let weights = Array::from_slice(&stream, &[0.0, 0.0, 0.5])?;
    /// let heavy = x.choice_weighted(&mut random, 4, &weights, 0)?.to_vec()?;
    /// assert_eq!(heavy, [3, 30, 3, 30, 3, 30, 3, 30]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if it has no elements and `shape` has some, if the
    /// result would have more axes than an array can have, if the expression reads no array and so has
    /// no stream, or if memory runs out.
    pub fn choice(
        &self,
        random: &mut Random,
        shape: impl IntoShape,
        axis: impl IntoIndex,
    ) -> Result<Array<T>> {
        let (shape, own) = (shape.into_shape()?, self.shape()?);
        let axis = own.axis(axis)?;
        check("choice", shape.elements(), own[axis], true)?;
        let indices = Expr::uniform_integers(random, shape, 0..own[axis].max(1))?;
        self.take_now(indices, axis)
    }

    /// Returns `count` randomly chosen elements along an axis, none of them twice, in random order. In
    /// the result, the length of the axis is `count`. This is NumPy's `choice` with `replace=False`.
    ///
    /// The indices are the first ones of a [`permutation`](Expr::permutation), so the call takes time and
    /// memory for `count` elements only. It does not wait for the stream.
    ///
    /// # Errors
    /// Returns an error if `count` exceeds the length of the axis, or in the cases that
    /// [`choice`](Self::choice) lists.
    pub fn choice_without_replacement(
        &self,
        random: &mut Random,
        count: usize,
        axis: impl IntoIndex,
    ) -> Result<Array<T>> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        check("choice_without_replacement", count, shape[axis], false)?;
        self.take_now(first_permuted(random, count, shape[axis])?, axis)
    }

    /// Returns randomly chosen elements along an axis, with replacement and with probabilities in
    /// proportion to `weights`. This is NumPy's `choice` with `p`, which need not have the sum 1 here.
    ///
    /// `weights` has one axis, with a weight for each element of the chosen axis. Weights must be
    /// non-negative and finite, and at least one must be positive. The call does not check this.
    /// Otherwise, the choice is unspecified. The call computes running sums of the weights, which needs 8 bytes for
    /// each, and searches them for [uniform](Expr::uniform) numbers. Probabilities are accurate to
    /// the rounding of these sums in `f64`. The call does not wait for the stream.
    ///
    /// # Errors
    /// Returns an error if the number of weights is not the length of the axis, or in the cases that
    /// [`choice`](Self::choice) lists.
    pub fn choice_weighted(
        &self,
        random: &mut Random,
        shape: impl IntoShape,
        weights: impl IntoExpr<f64>,
        axis: impl IntoIndex,
    ) -> Result<Array<T>> {
        let (shape, own) = (shape.into_shape()?, self.shape()?);
        let axis = own.axis(axis)?;
        check("choice_weighted", shape.elements(), own[axis], true)?;
        let weights = self.weights("choice_weighted", weights, axis)?;
        if own[axis] == 0 {
            return self.choice(random, shape, axis);
        }
        let sums = weights.cumsum(0)?.eval()?;
        let total = sums.slice([(own[axis] - 1).into()])?;
        // A uniform number is below 1, and so is its product with the sum below the sum.
        let points = Expr::<f64>::uniform(random, shape)? * total;
        self.take_now(sums.searchsorted_right(points)?, axis)
    }

    /// Returns `count` randomly chosen elements along an axis, none of them twice: one after the other
    /// is chosen, with probabilities in proportion to the weights of those that are left. This is
    /// NumPy's `choice` with `p` and `replace=False`.
    ///
    /// For `weights`, see [`choice_weighted`](Self::choice_weighted). Elements of weight 0 come after all
    /// others. The chosen elements are those with the smallest quotients of an exponential number and
    /// their weight, in this order (Efraimidis and Spirakis, "Weighted random sampling with a
    /// reservoir", 2006). [`bottom_k`](Self::bottom_k) finds them, which describes the memory and whether
    /// the call waits.
    ///
    /// # Errors
    /// Returns an error if `count` exceeds the length of the axis, if the number of weights is not its
    /// length, or in the cases that [`choice`](Self::choice) and [`bottom_k`](Self::bottom_k) list.
    pub fn choice_weighted_without_replacement(
        &self,
        random: &mut Random,
        count: usize,
        weights: impl IntoExpr<f64>,
        axis: impl IntoIndex,
    ) -> Result<Array<T>> {
        let call = "choice_weighted_without_replacement";
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        check(call, count, shape[axis], false)?;
        let weights = self.weights(call, weights, axis)?;
        let times = Expr::<f64>::exponential(random, shape[axis])? / weights.abs();
        let (_, places) = times.bottom_k(count)?;
        self.take_now(&places, axis)
    }

    /// Returns the weights, which read an array if this expression does.
    fn weights(&self, call: &str, weights: impl IntoExpr<f64>, axis: usize) -> Result<Expr<f64>> {
        let (weights, shape) = (weights.into_expr(), self.shape()?);
        let lengths = weights.shape()?;
        if *lengths.as_slice() != [shape[axis]] {
            return Err(Error::Shape(format!(
                "{call}: the weights have shape {lengths}, but axis {axis} of shape {shape} has {0} elements. Fix: pass \
                 weights of shape [{0}]",
                shape[axis]
            )));
        }
        match (weights.stream(), self.stream()) {
            (None, Some(stream)) => Ok(weights.eval_on(stream)?.expr()),
            _ => Ok(weights),
        }
    }
}

impl<T: Element> Array<T> {
    /// Returns randomly chosen elements along an axis, with replacement. See [`Expr::choice`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::choice`] lists.
    pub fn choice(
        &self,
        random: &mut Random,
        shape: impl IntoShape,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().choice(random, shape, axis)
    }

    /// Returns randomly chosen elements along an axis, none of them twice. See
    /// [`Expr::choice_without_replacement`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::choice_without_replacement`] lists.
    pub fn choice_without_replacement(
        &self,
        random: &mut Random,
        count: usize,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().choice_without_replacement(random, count, axis)
    }

    /// Returns randomly chosen elements along an axis, with weights. See [`Expr::choice_weighted`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::choice_weighted`] lists.
    pub fn choice_weighted(
        &self,
        random: &mut Random,
        shape: impl IntoShape,
        weights: impl IntoExpr<f64>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().choice_weighted(random, shape, weights, axis)
    }

    /// Returns randomly chosen elements along an axis, with weights and none of them twice. See
    /// [`Expr::choice_weighted_without_replacement`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::choice_weighted_without_replacement`] lists.
    pub fn choice_weighted_without_replacement(
        &self,
        random: &mut Random,
        count: usize,
        weights: impl IntoExpr<f64>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr()
            .choice_weighted_without_replacement(random, count, weights, axis)
    }
}
