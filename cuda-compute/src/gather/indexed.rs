//! Scatters of rows: values for whole rows along an axis, at indices.

use super::{beyond, combine::Combining, pick::from_start, scatter::Scattered};
use crate::{
    array::{Array, IntoIndex, Layout, Order, Shape},
    element::{Element, Integer, Number, Ordered},
    error::{Error, Result},
    expression::{Expr, IntoExpr},
};

/// Rows of values and the places of their elements.
struct Rows<T: Element, I: Integer> {
    indices: Expr<I>,
    /// The length of the axis.
    length: usize,
    /// The number of elements with consecutive places.
    inner: usize,
    places: Expr<u64>,
    values: Expr<T>,
}

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
        let rows = self.rows(method, axis, indices.into_expr(), values.into_expr())?;
        let wrong = |stream: &_, number: u64| {
            let count = rows.indices.shape().map_or(1, |shape| shape.elements());
            let row = number / rows.inner as u64 % count as u64;
            beyond(stream, &rows.indices, row, rows.length)
        };
        self.scatter(&rows.places, &rows.values, wrong, enqueue)
    }

    /// Returns the places of the elements of `values` along an axis. Those out of bounds are `u64::MAX`.
    fn rows<I: Integer>(
        &self,
        method: &str,
        axis: impl IntoIndex,
        indices: Expr<I>,
        values: Expr<T>,
    ) -> Result<Rows<T, I>> {
        let shape = self.shape();
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
        Ok(Rows {
            indices,
            length,
            inner: lengths[axis + 1..].iter().product(),
            places: index.less(length as u64).select(place, u64::MAX),
            values: values.broadcast_to(of_values)?,
        })
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

impl<T: Number> Array<T> {
    /// Adds rows to the rows at these indices along an axis, in any order and without waiting.
    ///
    /// Errors of rounding, types and indices out of bounds are those of
    /// [`put_add_unordered`](Self::put_add_unordered). The shape of `values` is that of
    /// [`index_copy`](Self::index_copy).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::<f32>::zeros(&stream, [3, 2])?;
    /// let rows = Array::from_nested(&stream, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
    /// x.index_add_unordered(0, Array::from_slice(&stream, &[0, 2, 0])?, &rows)?;
    /// assert_eq!(x.to_vec()?, [6.0, 8.0, 0.0, 0.0, 3.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if the indices don't have exactly one axis, if the
    /// values can't be broadcast to their shape, or if memory runs out.
    pub fn index_add_unordered<I: Integer>(
        &mut self,
        axis: impl IntoIndex,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        let rows = self.rows(
            "index_add_unordered",
            axis,
            indices.into_expr(),
            values.into_expr(),
        )?;
        self.add_unordered(&rows.places, &rows.values, rows.inner)
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
