//! Partial sorts around one element.

use super::statistic::{SEARCHED, order_statistics};
use crate::{
    array::{Array, IntoIndex, Layout, Order, SliceItem},
    element::Ordered,
    error::{Error, Result},
    expression::Expr,
    gather::concatenate,
};

/// Returns a place along an axis of this length. Negative places count from the end.
fn place(kth: impl IntoIndex, length: usize) -> Result<usize> {
    let kth = kth.into_index();
    let place = if kth < 0 {
        kth.saturating_add_unsigned(length)
    } else {
        kth
    };
    usize::try_from(place).ok().filter(|&place| place < length).ok_or_else(|| {
        Error::Shape(format!(
            "partition at {kth} is out of range for {length} elements. Fix: pass a place from -{length} to {}",
            length as isize - 1
        ))
    })
}

impl<T: Ordered> Expr<T> {
    /// Returns the masks of all elements less than, equal to, and greater than the one at a place of the
    /// sorted order. NaN is greater than all numbers. Returns `None` if there are few elements.
    fn parts(&self, kth: usize) -> Result<Option<[Expr<bool>; 3]>> {
        if self.shape()?.elements() < SEARCHED {
            return Ok(None);
        }
        let found = order_statistics(self, false, [kth, kth])?.slice([SliceItem::from(0..1)])?;
        let (less, equal) = (self.less(&found), self.equal(&found));
        let others = !(&less | &equal);
        // NaN is not equal to itself, so all elements would be greater.
        let is_nan = found.not_equal(&found).eval()?.to_vec()?;
        Ok((is_nan == [false]).then_some([less, equal, others]))
    }

    /// Returns all elements in an order in which the one at `kth` is in its sorted place, no element
    /// before it is greater, and no element after it is less. The result has one axis. This is NumPy's
    /// `partition(x, kth, axis=None)`. Negative places count from the end. NaN comes last.
    ///
    /// From 65,536 elements on, the element is found as [`median`](Self::median) describes, and the
    /// call waits for the stream. The elements less than it, those equal to it, and the others each
    /// keep their order. This needs memory for all elements three times, beside the result. Fewer
    /// elements are sorted, and all are if the one at `kth` is NaN.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[7, 1, 5, 2, 6])?;
    /// let parted = x.partition(2)?.to_vec()?;
    /// assert!(parted[2] == 5 && parted[..2].iter().max() == Some(&2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such place, if memory runs out, or in the cases that
    /// [`eval`](Self::eval) lists.
    pub fn partition(&self, kth: impl IntoIndex) -> Result<Array<T>> {
        let kth = place(kth, self.shape()?.elements())?;
        let Some(masks) = self.parts(kth)? else {
            return self.sort();
        };
        let parts = masks.map(|mask| self.compress(mask));
        concatenate(&parts.into_iter().collect::<Result<Vec<_>>>()?, 0)
    }

    /// Returns the places of all elements, counted in C order, in the order of
    /// [`partition`](Self::partition). This is NumPy's `argpartition(x, kth, axis=None)`.
    ///
    /// # Errors
    /// Returns an error in the cases that [`partition`](Self::partition) lists.
    pub fn argpartition(&self, kth: impl IntoIndex) -> Result<Array<usize>> {
        let shape = self.shape()?;
        let kth = place(kth, shape.elements())?;
        let Some(masks) = self.parts(kth)? else {
            return self.argsort();
        };
        let places = Expr::<usize>::places(Layout::dense(shape, Order::C));
        let parts = masks.map(|mask| places.compress(mask));
        concatenate(&parts.into_iter().collect::<Result<Vec<_>>>()?, 0)
    }

    /// Partitions along an axis, as NumPy's `partition` does: see [`partition`](Self::partition). If there
    /// are several lines, each is sorted.
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or in the cases that [`partition`](Self::partition)
    /// lists.
    pub fn partition_axis(&self, kth: impl IntoIndex, axis: impl IntoIndex) -> Result<Array<T>> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let kth = place(kth, shape[axis])?;
        if shape[axis] == shape.elements() {
            return self.partition(kth)?.reshape(shape.as_slice());
        }
        self.sort_axis(axis)
    }

    /// Returns the indices along an axis in the order of
    /// [`partition_axis`](Self::partition_axis), as NumPy's `argpartition` does.
    ///
    /// # Errors
    /// Returns an error in the cases that [`partition_axis`](Self::partition_axis) lists.
    pub fn argpartition_axis(
        &self,
        kth: impl IntoIndex,
        axis: impl IntoIndex,
    ) -> Result<Array<usize>> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let kth = place(kth, shape[axis])?;
        if shape[axis] == shape.elements() {
            return self.argpartition(kth)?.reshape(shape.as_slice());
        }
        self.argsort_axis(axis)
    }
}

impl<T: Ordered> Array<T> {
    /// Partitions all elements around one. See [`Expr::partition`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::partition`] lists.
    pub fn partition(&self, kth: impl IntoIndex) -> Result<Self> {
        self.expr().partition(kth)
    }

    /// Returns the places of all elements, partitioned around one. See [`Expr::argpartition`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::argpartition`] lists.
    pub fn argpartition(&self, kth: impl IntoIndex) -> Result<Array<usize>> {
        self.expr().argpartition(kth)
    }

    /// Partitions along an axis. See [`Expr::partition_axis`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::partition_axis`] lists.
    pub fn partition_axis(&self, kth: impl IntoIndex, axis: impl IntoIndex) -> Result<Self> {
        self.expr().partition_axis(kth, axis)
    }

    /// Returns the indices of a partition along an axis. See [`Expr::argpartition_axis`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`Expr::argpartition_axis`] lists.
    pub fn argpartition_axis(
        &self,
        kth: impl IntoIndex,
        axis: impl IntoIndex,
    ) -> Result<Array<usize>> {
        self.expr().argpartition_axis(kth, axis)
    }
}
