//! Reductions over the rows of all ranks.

use cuda_compute::{Array, Element, Expr, Number, Order, Ordered};
use cuda_safe::{DeviceBuffer, PlainData};

use super::{Sharded, compare::expect_same, elements};
use crate::{
    collectives::Collectives,
    element::{Reducible, Reduction},
    error::{Error, Result},
    record::Fact,
};

/// Returns a copy of the elements in C order.
pub(super) fn copied<T: Element<Stored = T> + PlainData>(
    array: &Array<T>,
) -> Result<DeviceBuffer<T>> {
    let array = array.contiguous(Order::C)?;
    let mut buffer = DeviceBuffer::uninit(array.stream(), array.len())?;
    // SAFETY: the array is contiguous.
    buffer.copy_from(array.stream(), &unsafe { elements(&array) })?;
    Ok(buffer)
}

impl<C: Collectives, T: Element> Sharded<'_, C, T> {
    /// Evaluates an expression on each rank's part, then reduces the results of all ranks element
    /// by element. The result has the same bits on all ranks. Example: `x.reduce(Reduction::Max,
    /// |x| x.abs().max_axis(0))`.
    ///
    /// Ranks compare the type and shape of their results, but not the expressions: `x.sin()` on one
    /// rank and `x.cos()` on another is not detected.
    ///
    /// # Errors
    /// Returns the error of the expression, and the errors of [`Collectives::all_reduce`]. All
    /// ranks return [`Error::Value`] if one of them has an error, or if the reduction, or the type
    /// or shape of the result, differs between ranks.
    pub fn reduce<R: Reducible + Element<Stored = R>>(
        &self,
        reduction: Reduction,
        expression: impl FnOnce(&Array<T>) -> Expr<R>,
    ) -> Result<Array<R>> {
        self.combined(reduction, expression(&self.part).eval_on(&self.stream))
    }

    /// Reduces the ranks' results. A result may be an error, for instance on a rank without rows.
    /// The ranks therefore check first that all results are valid and have the same shape.
    fn combined<R: Reducible + Element<Stored = R>>(
        &self,
        reduction: Reduction,
        result: cuda_compute::Result<Array<R>>,
    ) -> Result<Array<R>> {
        let result = result
            .map_err(Error::from)
            .and_then(|result| Ok((result.shape(), copied(&result)?)));
        let shape = result.as_ref().map(|(shape, _)| *shape);
        let fact = Fact::Name("the reduction", reduction.name());
        expect_same::<R>(
            self.ranks,
            &self.stream,
            shape.map_err(Clone::clone),
            &[fact],
        )?;
        let (shape, mut all) = result?;
        self.ranks.all_reduce(&self.stream, &mut all, reduction)?;
        Ok(Array::from_buffer(all, shape)?)
    }

    /// Returns an error on all ranks if some rank has no rows, and therefore no minimum or maximum.
    fn expect_rows_of_all(&self) -> Result<()> {
        let ranks = self.ranks.size();
        if self.rows >= ranks {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{} rows divided among {ranks} ranks: some ranks have no rows, so they have no minimum or maximum",
            self.rows
        )))
    }
}

impl<C: Collectives, T: Number + Reducible + Element<Stored = T>> Sharded<'_, C, T> {
    /// Returns the sum of all elements: the sum of the ranks' [`Array::sum`]s.
    ///
    /// A [`PeerRank`](crate::PeerRank) adds them one by one in the order of ranks. NCCL chooses its
    /// own order.
    ///
    /// # Errors
    /// Returns the errors of [`reduce`](Self::reduce).
    pub fn sum(&self) -> Result<T> {
        Ok(self.reduce(Reduction::Sum, |x| x.sum())?.item()?)
    }

    /// Returns the sums along the first axis, on all ranks: an array of the other axes.
    ///
    /// # Errors
    /// Returns the errors of [`reduce`](Self::reduce).
    pub fn sum_first_axis(&self) -> Result<Array<T>> {
        self.reduce(Reduction::Sum, |x| x.sum_axis(0))
    }
}

impl<C: Collectives, T: Ordered + Reducible + Element<Stored = T>> Sharded<'_, C, T> {
    /// Returns the smallest element. NaN is ignored.
    ///
    /// # Errors
    /// Returns [`Error::Value`] if some ranks have no rows, and the errors of
    /// [`reduce`](Self::reduce).
    pub fn min(&self) -> Result<T> {
        self.expect_rows_of_all()?;
        Ok(self.reduce(Reduction::Min, |x| x.min())?.item()?)
    }

    /// Returns the largest element. NaN is ignored.
    ///
    /// # Errors
    /// Returns the errors of [`min`](Self::min).
    pub fn max(&self) -> Result<T> {
        self.expect_rows_of_all()?;
        Ok(self.reduce(Reduction::Max, |x| x.max())?.item()?)
    }

    /// Returns the smallest elements along the first axis, on all ranks.
    ///
    /// # Errors
    /// Returns the errors of [`min`](Self::min).
    pub fn min_first_axis(&self) -> Result<Array<T>> {
        self.expect_rows_of_all()?;
        self.reduce(Reduction::Min, |x| x.min_axis(0))
    }

    /// Returns the largest elements along the first axis, on all ranks.
    ///
    /// # Errors
    /// Returns the errors of [`min`](Self::min).
    pub fn max_first_axis(&self) -> Result<Array<T>> {
        self.expect_rows_of_all()?;
        self.reduce(Reduction::Max, |x| x.max_axis(0))
    }
}

macro_rules! histograms {
    ($($type:ty),*) => {$(
        impl<C: Collectives> Sharded<'_, C, $type> {
            /// Returns the number of occurrences of each of the numbers 0 to `bins - 1` in the
            /// whole array, on all ranks.
            ///
            /// # Errors
            /// Returns the errors of [`Array::histogram`] and of [`Collectives::all_reduce`].
            pub fn histogram(&self, bins: usize) -> Result<Array<u64>> {
                self.combined(Reduction::Sum, self.part.histogram(bins))
            }
        }
    )*};
}

histograms!(u8, u16, u32);
