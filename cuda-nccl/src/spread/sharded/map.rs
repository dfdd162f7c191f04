//! Computations that each rank makes on its own rows.

use cuda_compute::{Array, Element, Expr};

use super::{Sharded, compare::expect_own_rows};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
};

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// Evaluates an expression on each rank's part: element by element, or along axes other than
    /// the first. The ranks do not communicate. To combine the parts of two arrays, use
    /// [`zip`](Self::zip).
    ///
    /// **Operations along the first axis within the expression are not detected.** The expression
    /// sees only this rank's rows, so its result depends on the number of ranks if it contains:
    /// - a sum or mean along the first axis or of all elements;
    /// - another array that is broadcast over the part's rows;
    /// - random numbers, which are the same on each rank.
    ///
    /// Compute such values first, with the methods that all ranks call together:
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
    /// use cuda_safe::Stream;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let centred = PeerGroup::of_all_devices()?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     let x = Sharded::from_fn(rank, &stream, [5, 2], |i| i as f32)?;
    ///     let sums = x.sum_first_axis()?; // not `x.map(|x| x - x.mean_axis(0))`: the mean of a part
    ///     x.map(|x| x - &sums / 5.0)?.to_vec()
    /// })?;
    /// assert_eq!(centred[0], [-4.0, -4.0, -2.0, -2.0, 0.0, 0.0, 2.0, 2.0, 4.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the expression, and [`Error::Value`] if the result does not have the
    /// number of rows of the part.
    pub fn map<U: Element>(
        &self,
        expression: impl FnOnce(&Array<T>) -> Expr<U>,
    ) -> Result<Sharded<'a, C, U>> {
        self.computed(expression(&self.part).eval_on(&self.stream)?)
    }

    /// Computes arrays from each rank's part, with functions such as scans along other axes or
    /// convolutions of each image. See [`map`](Self::map).
    ///
    /// # Errors
    /// Returns the error of the function, and [`Error::Value`] if the result does not have the
    /// number of rows of the part.
    pub fn map_arrays<U: Element>(
        &self,
        function: impl FnOnce(&Array<T>) -> cuda_compute::Result<Array<U>>,
    ) -> Result<Sharded<'a, C, U>> {
        self.computed(function(&self.part)?)
    }

    /// Evaluates an expression on the parts of two arrays with the same rows. See
    /// [`map`](Self::map).
    ///
    /// Operands are broadcast from the last axis on: an array with one number for each row of a
    /// matrix has the shape `[rows, 1]`.
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
    /// use cuda_safe::Stream;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let sums = PeerGroup::of_all_devices()?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     let x = Sharded::from_fn(rank, &stream, 5, |i| i as u32)?;
    ///     let y = Sharded::from_fn(rank, &stream, 5, |i| 10 * i as u32)?;
    ///     x.zip(&y, |x, y| x + y)?.to_vec()
    /// })?;
    /// assert_eq!(sums[0], [0, 11, 22, 33, 44]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`map`](Self::map), and [`Error::Value`] if the arrays have different
    /// numbers of rows, or if this rank has different rows of the two.
    pub fn zip<U: Element, V: Element>(
        &self,
        other: &Sharded<'_, C, U>,
        expression: impl FnOnce(&Array<T>, &Array<U>) -> Expr<V>,
    ) -> Result<Sharded<'a, C, V>> {
        let rows = [(self.own_rows(), self.rows), (other.own_rows(), other.rows)];
        if rows[0] != rows[1] {
            let [mine, theirs] = rows.map(|(own, all)| format!("rows {own:?} of {all}"));
            return Err(Error::Value(format!(
                "zip of {mine} and {theirs}: both must have the same rows. Fix: for values that all rows need, use map with an array that every rank has"
            )));
        }
        self.computed(expression(&self.part, &other.part).eval_on(&self.stream)?)
    }

    /// Creates an array from a result for this rank's part.
    fn computed<U: Element>(&self, result: Array<U>) -> Result<Sharded<'a, C, U>> {
        let remedy = "return a result with the rows of the part. For operations along the first axis, use the methods of Sharded";
        expect_own_rows(self.ranks, self.rows, result.shape(), remedy)?;
        Sharded::of_part(self.ranks, self.rows, result)
    }
}
