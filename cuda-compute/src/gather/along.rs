//! Access by an array of indices along an axis: `take_along_axis` and `put_along_axis`.

use cuda_safe::Stream;

use super::{
    beyond,
    pick::{NOWHERE, from_start},
};
use crate::{
    array::{Array, IntoIndex, Layout, Order, Shape},
    element::{Element, Integer},
    error::{Error, Result},
    expression::{Expr, IntoExpr},
};

/// The places of indices along an axis.
struct Along<I> {
    places: Expr<u64>,
    /// The indices, broadcast to the shape of the places.
    indices: Expr<I>,
    /// The length of the axis.
    length: usize,
}

impl<I: Integer> Along<I> {
    /// Returns the places of `indices` along an axis of this shape. Every other axis of the two is
    /// broadcast.
    fn new(method: &str, shape: Shape, axis: impl IntoIndex, indices: Expr<I>) -> Result<Self> {
        let axis = shape.axis(axis)?;
        let own = indices.shape()?;
        let mut common = shape;
        common.as_mut_slice()[axis] = 1;
        let fits = own.rank() == shape.rank() && {
            let mut others = own;
            others.as_mut_slice()[axis] = 1;
            match common.broadcast(&others) {
                Some(both) => {
                    common = both;
                    true
                }
                None => false,
            }
        };
        if !fits {
            return Err(Error::Shape(format!(
                "{method}: indices of shape {own} don't fit shape {shape} along axis {axis}: they must have as many axes, and \
                 each length except that of axis {axis} must be equal or 1"
            )));
        }
        common.as_mut_slice()[axis] = own[axis];
        let common = Shape::new(common.as_slice())?;
        let length = shape[axis];
        // A place is that of its index, plus its place within all rows with index 0.
        let dense = Layout::dense(shape, Order::C);
        let mut within = dense.with_lengths(|other| common[other]);
        within.set_strides(|other| match other == axis || shape[other] == 1 {
            true => 0,
            false => dense.strides()[other],
        });
        let index = from_start(&indices, length);
        let place = Expr::<u64>::places(within) + &index * dense.strides()[axis] as u64;
        Ok(Self {
            places: index.less(length as u64).select(place, NOWHERE),
            indices: indices.broadcast_to(common)?,
            length,
        })
    }

    /// Returns the error for the number of a place that is out of bounds.
    fn wrong(&self) -> impl Fn(&Stream, u64) -> Error {
        |stream, number| beyond(stream, &self.indices, number, self.length)
    }
}

impl<T: Element> Expr<T> {
    /// Returns the elements at these indices along an axis, like NumPy's `take_along_axis`. Element
    /// `[i, j]` of the result is element `[indices[i, j], j]` for axis 0 of a matrix.
    ///
    /// `indices` has the rank of this expression and any length along the axis. The other axes
    /// are broadcast. Negative indices count from the end. The result is a new array. The elements of
    /// this expression are computed into memory first, unless it is an array that is contiguous in C
    /// order. The kernel checks the indices, so the call waits for it and for all work enqueued on
    /// the stream before.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[10, 30, 20], [60, 40, 50]])?;
    /// let largest = x.argmax_axis(1).expand_dims(1)?;
    /// assert_eq!(x.take_along_axis(&largest, 1)?.to_string(), "[[30]\n [60]]");
    /// let order = Array::from_nested(&stream, [[0i64, -1, 1], [1, 2, 0]])?;
    /// assert_eq!(x.take_along_axis(&order, 1)?.to_string(), "[[10 20 30]\n [40 50 60]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there is no such axis;
    /// - the indices have another rank, or can't be broadcast;
    /// - an index is out of bounds;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn take_along_axis<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Array<T>> {
        let along = Along::new("take_along_axis", self.shape()?, axis, indices.into_expr())?;
        self.stored()?.pick_checked(&along.places, along.wrong())
    }
}

impl<T: Element> Array<T> {
    /// Returns the elements at these indices along an axis. See [`Expr::take_along_axis`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if the indices don't fit, if an index is out of
    /// bounds, or if memory runs out. See [`Expr::take_along_axis`].
    pub fn take_along_axis<I: Integer>(
        &self,
        indices: impl IntoExpr<I>,
        axis: impl IntoIndex,
    ) -> Result<Self> {
        self.expr().take_along_axis(indices, axis)
    }

    /// Sets the elements at these indices along an axis, like NumPy's `put_along_axis`.
    ///
    /// The indices are those of [`take_along_axis`](Expr::take_along_axis). `values` can be broadcast
    /// to the shape of its result. [`put`](Self::put) describes repeated indices, copies and waiting.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_nested(&stream, [[10, 30, 20], [60, 40, 50]])?;
    /// let largest = x.argmax_axis(1).expand_dims(1)?;
    /// x.put_along_axis(&largest, 0, 1)?;
    /// assert_eq!(x.to_vec()?, [10, 0, 20, 0, 40, 50]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there is no such axis;
    /// - the indices have another rank, or can't be broadcast;
    /// - an index is out of bounds (the elements of the other indices are set anyway);
    /// - the values can't be broadcast;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn put_along_axis<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
        axis: impl IntoIndex,
    ) -> Result<()> {
        let along = Along::new("put_along_axis", self.shape(), axis, indices.into_expr())?;
        let values = values.into_expr().broadcast_to(along.places.shape()?)?;
        self.scatter(&along.places, &values, along.wrong(), |job| {
            job.store(T::DATA_TYPE)
        })
    }
}
