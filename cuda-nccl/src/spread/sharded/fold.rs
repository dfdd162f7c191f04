//! Reductions over the rows of all ranks.

use cuda_compute::{Array, Element, Expr, Number, Order, Ordered};
use cuda_safe::{DeviceBuffer, PlainData};

use super::{Sharded, compare::expect_same, elements};
use crate::{
    collectives::Collectives,
    element::{Reducible, Reduction},
    error::{Error, Result},
    spread::agree::Fact,
};

/// A copy of the elements, in C order, that nobody else has.
pub(super) fn copied<T: Element<Stored = T> + PlainData>(
    array: &Array<T>,
) -> Result<DeviceBuffer<T>> {
    let array = array.contiguous(Order::C)?;
    let mut buffer = DeviceBuffer::uninit(array.stream(), array.len())?;
    // SAFETY: side by side now.
    buffer.copy_from(array.stream(), &unsafe { elements(&array) })?;
    Ok(buffer)
}

impl<C: Collectives, T: Element> Sharded<'_, C, T> {
    /// An expression of each rank's part, and then the reduction of all ranks' results, element by element, which has the
    /// same bits on all ranks: `x.reduce(Reduction::Max, |x| x.abs().max_axis(0))`.
    ///
    /// Ranks compare the type and shape of their results, and not the expressions: `x.sin()` on one rank and `x.cos()` on
    /// another is not noticed.
    ///
    /// # Errors
    /// The expression's. On all ranks: one of them has an error, another reduction or a result of another type or shape. As
    /// [`Collectives::all_reduce`].
    pub fn reduce<R: Reducible + Element<Stored = R>>(
        &self,
        reduction: Reduction,
        expression: impl FnOnce(&Array<T>) -> Expr<R>,
    ) -> Result<Array<R>> {
        self.combined(reduction, expression(&self.part).eval_on(&self.stream))
    }

    /// Some ranks may have no rows, and an error instead of a result: so they compare these first.
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

    /// The same finding on all ranks: some of them have nothing to find a least or a greatest among.
    fn expect_rows_of_all(&self) -> Result<()> {
        let ranks = self.ranks.size();
        if self.rows >= ranks {
            return Ok(());
        }
        Err(Error::Value(format!(
            "{} rows over {ranks} ranks: some have none, and no least or greatest element",
            self.rows
        )))
    }
}

impl<C: Collectives, T: Number + Reducible + Element<Stored = T>> Sharded<'_, C, T> {
    /// The sum of all elements, as [`Array::sum`] and then the sum of the ranks' sums: with a
    /// [`PeerRank`](crate::PeerRank) one addition for each, in their order; NCCL has an order of its own.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn sum(&self) -> Result<T> {
        Ok(self.reduce(Reduction::Sum, |x| x.sum())?.item()?)
    }

    /// The sums along the first axis: an array of the other axes, which all ranks have.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn sum_first_axis(&self) -> Result<Array<T>> {
        self.reduce(Reduction::Sum, |x| x.sum_axis(0))
    }
}

impl<C: Collectives, T: Ordered + Reducible + Element<Stored = T>> Sharded<'_, C, T> {
    /// The smallest element. NaN is passed over.
    ///
    /// # Errors
    /// Some ranks have no rows. As [`reduce`](Self::reduce).
    pub fn min(&self) -> Result<T> {
        self.expect_rows_of_all()?;
        Ok(self.reduce(Reduction::Min, |x| x.min())?.item()?)
    }

    /// The largest element. NaN is passed over.
    ///
    /// # Errors
    /// As [`min`](Self::min).
    pub fn max(&self) -> Result<T> {
        self.expect_rows_of_all()?;
        Ok(self.reduce(Reduction::Max, |x| x.max())?.item()?)
    }

    /// The smallest elements along the first axis, on all ranks.
    ///
    /// # Errors
    /// As [`min`](Self::min).
    pub fn min_first_axis(&self) -> Result<Array<T>> {
        self.expect_rows_of_all()?;
        self.reduce(Reduction::Min, |x| x.min_axis(0))
    }

    /// The largest elements along the first axis, on all ranks.
    ///
    /// # Errors
    /// As [`min`](Self::min).
    pub fn max_first_axis(&self) -> Result<Array<T>> {
        self.expect_rows_of_all()?;
        self.reduce(Reduction::Max, |x| x.max_axis(0))
    }
}

macro_rules! histograms {
    ($($type:ty),*) => {$(
        impl<C: Collectives> Sharded<'_, C, $type> {
            /// How often each of the numbers 0 to `bins - 1` occurs in the whole array, on all ranks.
            ///
            /// # Errors
            /// As [`Array::histogram`], and as [`Collectives::all_reduce`].
            pub fn histogram(&self, bins: usize) -> Result<Array<u64>> {
                self.combined(Reduction::Sum, self.part.histogram(bins))
            }
        }
    )*};
}

histograms!(u8, u16, u32);
