//! What each rank computes of its own rows.

use cuda_compute::{Array, Element, Expr};

use super::{Sharded, compare::expect_own_rows};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
};

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// Computes an expression of each rank's part: element by element, or along other axes than the first. The ranks don't
    /// meet. For the parts of two arrays there is [`zip`](Self::zip).
    ///
    /// **What goes along the first axis within the expression is not noticed.** It sees this rank's rows alone, so that the
    /// result is another one for each number of ranks: a sum or mean along that axis, or of all elements; another array,
    /// stretched over the part's rows; random numbers, of which each rank has the same. What all rows need is computed
    /// before, by the methods that all ranks call together:
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
    /// use cuda_safe::Stream;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let centred = PeerGroup::of_all_devices()?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     let x = Sharded::from_fn(rank, &stream, [5, 2], |i| i as f32)?;
    ///     let sums = x.sum_first_axis()?; // not `x.map(|x| x - x.mean_axis(0))`: a mean of a part
    ///     x.map(|x| x - &sums / 5.0)?.to_vec()
    /// })?;
    /// assert_eq!(centred[0], [-4.0, -4.0, -2.0, -2.0, 0.0, 0.0, 2.0, 2.0, 4.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The expression's, or the result has not as many rows as the part.
    pub fn map<U: Element>(
        &self,
        expression: impl FnOnce(&Array<T>) -> Expr<U>,
    ) -> Result<Sharded<'a, C, U>> {
        self.computed(expression(&self.part).eval_on(&self.stream)?)
    }

    /// As [`map`](Self::map), for what gives arrays: scans along other axes, convolutions of each image.
    ///
    /// # Errors
    /// The function's, or the result has not as many rows as the part.
    pub fn map_arrays<U: Element>(
        &self,
        function: impl FnOnce(&Array<T>) -> cuda_compute::Result<Array<U>>,
    ) -> Result<Sharded<'a, C, U>> {
        self.computed(function(&self.part)?)
    }

    /// As [`map`](Self::map), of the same rows of two arrays. Operands stretch from the last axis on, as everywhere: an
    /// array with one number for each row of a matrix has the shape `[rows, 1]`.
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
    /// The arrays have not as many rows, or this rank has others of them. As [`map`](Self::map).
    pub fn zip<U: Element, V: Element>(
        &self,
        other: &Sharded<'_, C, U>,
        expression: impl FnOnce(&Array<T>, &Array<U>) -> Expr<V>,
    ) -> Result<Sharded<'a, C, V>> {
        let rows = [(self.own_rows(), self.rows), (other.own_rows(), other.rows)];
        if rows[0] != rows[1] {
            let [mine, theirs] = rows.map(|(own, all)| format!("rows {own:?} of {all}"));
            return Err(Error::Value(format!(
                "zip of {mine} and {theirs}: both have the same. What all rows need is an array that each rank has, for map"
            )));
        }
        self.computed(expression(&self.part, &other.part).eval_on(&self.stream)?)
    }

    /// From what was computed of the part.
    fn computed<U: Element>(&self, result: Array<U>) -> Result<Sharded<'a, C, U>> {
        let remedy = "what is computed of a part keeps its rows, and what goes along the first axis is a method of Sharded";
        expect_own_rows(self.ranks, self.rows, result.shape(), remedy)?;
        Sharded::of_part(self.ranks, self.rows, result)
    }
}
