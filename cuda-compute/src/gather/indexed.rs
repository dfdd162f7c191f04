//! Scatters of rows: values for whole rows along an axis, at indices.

use super::{beyond, combine::Combining, pick::from_start, scatter::Scattered};
use crate::{
    array::{Array, IntoIndex, Layout, Order, Shape},
    element::{Element, Integer, Number, Ordered},
    error::{Error, Result},
    expression::{Expr, IntoExpr},
};

impl<T: Element> Array<T> {
    /// Writes `values` to the places that `indices` select along an axis, and passes them to the
    /// kernel that `enqueue` enqueues.
    fn scatter_rows<I: Integer>(
        &mut self,
        method: &str,
        axis: impl IntoIndex,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
        enqueue: impl FnOnce(Scattered<'_>) -> Result<()>,
    ) -> Result<()> {
        let (shape, indices) = (self.shape(), indices.into_expr());
        let axis = shape.axis(axis)?;
        let count = match indices.shape()?.as_slice() {
            &[count] => count,
            _ => {
                return Err(Error::Shape(format!(
                    "{method}: the indices have shape {}, but they must have one axis. Fix: flatten them",
                    indices.shape()?
                )));
            }
        };
        let length = shape[axis];
        let mut lengths = shape.as_slice().to_vec();
        lengths[axis] = count;
        let of_values = Shape::new(&lengths)?;
        let values = values.into_expr();
        let own = values.shape()?;
        if own.broadcast(&of_values) != Some(of_values) {
            return Err(Error::Shape(format!(
                "{method}: values of shape {own} can't be broadcast to shape {of_values}, which is the array's {shape} with \
                 the {count} indices along axis {axis}"
            )));
        }
        // A value's place is that of its index, plus its place within all rows with index 0.
        let dense = Layout::dense(shape, Order::C);
        let step = dense.strides()[axis] as u64;
        let mut within = dense.with_lengths(|other| lengths[other]);
        within.set_strides(|other| {
            if other == axis {
                0
            } else {
                dense.strides()[other]
            }
        });
        let mut column = vec![1; shape.rank()];
        column[axis] = count;
        let index = from_start(&indices.reshape(column)?, length);
        let place = Expr::<u64>::places(within) + &index * step;
        let place = index.less(length as u64).select(place, u64::MAX);
        let inner: usize = lengths[axis + 1..].iter().product();
        let wrong = |stream: &_, number: u64| {
            beyond(
                stream,
                &indices,
                number / inner as u64 % count as u64,
                length,
            )
        };
        self.scatter(&place, &values.broadcast_to(of_values)?, wrong, enqueue)
    }

    /// Replaces the rows at these indices along an axis, as PyTorch's `index_copy_` does.
    ///
    /// `values` has the shape of the array, except that its length along the axis is the number of
    /// indices, or can be broadcast to that shape. If several rows have the same index, each element
    /// is that of any of them, as [`put`](Self::put) describes. It also describes indices and waiting,
    /// and sets single elements.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::<i32>::zeros(&stream, [3, 2])?;
    /// let indices = Array::from_slice(&stream, &[-1, 0])?;
    /// x.index_copy(0, &indices, Array::from_nested(&stream, [[1, 2], [3, 4]])?)?;
    /// assert_eq!(x.to_vec()?, [3, 4, 0, 0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there is no such axis;
    /// - the indices don't have exactly one axis;
    /// - an index is out of bounds (the rows of the other indices are written anyway);
    /// - the values can't be broadcast to the shape described above;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn index_copy<I: Integer>(
        &mut self,
        axis: impl IntoIndex,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.scatter_rows("index_copy", axis, indices, values, |job| {
            job.store(T::DATA_TYPE)
        })
    }
}

impl<T: Number> Array<T> {
    /// Adds rows to the rows at these indices along an axis, as PyTorch's `index_add_` does.
    ///
    /// If an index occurs several times, all its rows are added. The shape of `values` is that of
    /// [`index_copy`](Self::index_copy). Accuracy, waiting and memory are those of
    /// [`put_add`](Self::put_add).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::<f32>::ones(&stream, [3, 2])?;
    /// let rows = Array::from_nested(&stream, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
    /// x.index_add(0, Array::from_slice(&stream, &[0, 2, 0])?, &rows)?;
    /// assert_eq!(x.to_vec()?, [7.0, 9.0, 1.0, 1.0, 4.0, 5.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error in the cases that [`index_copy`](Self::index_copy) lists.
    pub fn index_add<I: Integer>(
        &mut self,
        axis: impl IntoIndex,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.scatter_rows("index_add", axis, indices, values, |job| {
            Combining::Sum.enqueue(T::DATA_TYPE, job)
        })
    }
}

impl<T: Ordered> Array<T> {
    /// Replaces the elements of the rows at these indices along an axis by the minimum of themselves
    /// and the values, as PyTorch's `index_reduce_` with `"amin"` does.
    ///
    /// The shape of `values` is that of [`index_copy`](Self::index_copy). NaN is treated as in
    /// [`put_min`](Self::put_min).
    ///
    /// # Errors
    /// Returns an error in the cases that [`index_copy`](Self::index_copy) lists.
    pub fn index_min<I: Integer>(
        &mut self,
        axis: impl IntoIndex,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.scatter_rows("index_min", axis, indices, values, |job| {
            Combining::Smallest.enqueue(T::DATA_TYPE, job)
        })
    }

    /// Replaces the elements of the rows at these indices along an axis by the maximum of themselves
    /// and the values, as PyTorch's `index_reduce_` with `"amax"` does.
    ///
    /// The shape of `values` is that of [`index_copy`](Self::index_copy). NaN is treated as in
    /// [`put_max`](Self::put_max).
    ///
    /// # Errors
    /// Returns an error in the cases that [`index_copy`](Self::index_copy) lists.
    pub fn index_max<I: Integer>(
        &mut self,
        axis: impl IntoIndex,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.scatter_rows("index_max", axis, indices, values, |job| {
            Combining::Largest.enqueue(T::DATA_TYPE, job)
        })
    }
}
