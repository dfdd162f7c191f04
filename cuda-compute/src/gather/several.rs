//! Access by several arrays of indices at once, and the conversion between them and indices in C
//! order.

use cuda_safe::Stream;

use super::pick::{NOWHERE, from_start};
use crate::{
    array::{Array, IntoShape, Layout, Order, Shape, SliceItem},
    element::{Element, Integer},
    error::{Error, Result},
    expression::{Expr, IntoExpr},
};

/// Arrays of indices along the first axes of a shape.
struct Several<I> {
    indices: Vec<Expr<I>>,
    /// The shape that all indices are broadcast to.
    common: Shape,
    shape: Shape,
}

impl<I: Integer> Several<I> {
    fn new<E: IntoExpr<I> + Clone>(method: &str, indices: &[E], shape: Shape) -> Result<Self> {
        let indices: Vec<Expr<I>> = indices.iter().cloned().map(E::into_expr).collect();
        if indices.is_empty() || indices.len() > shape.rank() {
            return Err(Error::Shape(format!(
                "{method}: there are {} arrays of indices for shape {shape}. Fix: pass one for each of its first axes, from 1 \
                 to {} arrays",
                indices.len(),
                shape.rank()
            )));
        }
        let mut common = Shape::of(&[]);
        for index in &indices {
            let own = index.shape()?;
            common = common.broadcast(&own).ok_or_else(|| {
                Error::Shape(format!(
                    "{method}: indices of shapes {common} and {own} can't be broadcast: from the last axis on, lengths must be \
                     equal, or one of them must be 1"
                ))
            })?;
        }
        Ok(Self {
            indices,
            common,
            shape,
        })
    }

    /// Returns the lengths of the axes that are not indexed.
    fn rest(&self) -> &[usize] {
        &self.shape.as_slice()[self.indices.len()..]
    }

    /// Returns the places of the elements in C order. An element has the axes of the indices, then
    /// those that are not indexed.
    fn places(&self) -> Result<Expr<u64>> {
        let dense = Layout::dense(self.shape, Order::C);
        let rest = Shape::of(self.rest());
        let mut place = Expr::<u64>::places(Layout::dense(rest, Order::C));
        let mut inside = Expr::scalar(true);
        for (axis, index) in self.indices.iter().enumerate() {
            let lengths = [index.shape()?.as_slice(), &vec![1; rest.rank()]].concat();
            let index = from_start(&index.reshape(lengths)?, self.shape[axis]);
            inside &= index.less(self.shape[axis] as u64);
            place += index * dense.strides()[axis] as u64;
        }
        let shape = Shape::new(&[self.common.as_slice(), self.rest()].concat())?;
        inside.select(place, NOWHERE).broadcast_to(shape)
    }

    /// Returns the error for the number of a place that is out of bounds.
    fn wrong(&self) -> impl Fn(&Stream, u64) -> Error {
        |stream, number| {
            let rest: usize = self.rest().iter().product();
            let number = (number / rest as u64) as isize;
            for (axis, index) in self.indices.iter().enumerate() {
                let value = || {
                    let all = index.broadcast_to(self.common)?.eval_on(stream)?;
                    let one = [SliceItem::from(number..number + 1)];
                    all.flatten()?.slice(one)?.item()
                };
                let length = self.shape[axis];
                match value() {
                    Ok(value) if (-(length as i128)..length as i128).contains(&value.to_i128()) => {
                    }
                    Ok(value) => {
                        return Error::Shape(format!(
                            "element {number} of the indices along axis {axis} is {value:?}, but the axis has only {length} \
                             elements"
                        ));
                    }
                    Err(error) => return error,
                }
            }
            Error::Shape("internal error: no index is out of bounds".into())
        }
    }
}

impl<T: Element> Expr<T> {
    /// Returns the elements at several arrays of indices at once: `x[i, j]` in NumPy, or
    /// `gather_nd` in TensorFlow.
    ///
    /// The arrays index the first axes and are broadcast to a common shape. The result has the axes
    /// of this shape, then the axes that are not indexed. Negative indices count from the end. The
    /// elements of this expression are computed into memory first, unless it is an array that is
    /// contiguous in C order. The kernel checks the indices, so the call waits for it and for all
    /// work enqueued on the stream before.
    ///
    /// ```
    /// # use cuda_compute::{Array, s};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?.reshape([2, 3])?;
    /// let (rows, columns) = (Array::from_slice(&stream, &[0, 1, 1])?, Array::from_slice(&stream, &[2, 0, -1])?);
    /// assert_eq!(x.take_nd(&[&rows, &columns])?.to_vec()?, [2, 3, 5]);
    /// assert_eq!(x.take_nd(&[&rows])?.slice(s![-1])?.to_vec()?, [3, 4, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there are no indices, or more arrays of indices than axes;
    /// - the indices can't be broadcast to a common shape;
    /// - an index is out of bounds;
    /// - the result would have more axes than an array can have;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn take_nd<I: Integer, E: IntoExpr<I> + Clone>(&self, indices: &[E]) -> Result<Array<T>> {
        let several = Several::new("take_nd", indices, self.shape()?)?;
        self.stored()?
            .pick_checked(&several.places()?, several.wrong())
    }
}

impl<T: Element> Array<T> {
    /// Returns the elements at several arrays of indices at once. See [`Expr::take_nd`].
    ///
    /// # Errors
    /// Returns an error if the indices don't fit this array, if an index is out of bounds, or if
    /// memory runs out. See [`Expr::take_nd`].
    pub fn take_nd<I: Integer, E: IntoExpr<I> + Clone>(&self, indices: &[E]) -> Result<Self> {
        self.expr().take_nd(indices)
    }

    /// Sets the elements at several arrays of indices at once: `x[i, j] = values` in NumPy, or
    /// `scatter_nd` in TensorFlow.
    ///
    /// The indices are those of [`take_nd`](Expr::take_nd). `values` can be broadcast to the shape of
    /// its result. [`put`](Self::put) describes repeated indices, copies and waiting.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::<i32>::zeros(&stream, [2, 3])?;
    /// let (rows, columns) = (Array::from_slice(&stream, &[0, 1])?, Array::from_slice(&stream, &[2, -3])?);
    /// x.put_nd(&[&rows, &columns], Array::from_slice(&stream, &[7, 8])?)?;
    /// assert_eq!(x.to_string(), "[[0 0 7]\n [8 0 0]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - there are no indices, or more arrays of indices than axes;
    /// - the indices can't be broadcast to a common shape;
    /// - an index is out of bounds (the elements of the other indices are set anyway);
    /// - the values can't be broadcast;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn put_nd<I: Integer, E: IntoExpr<I> + Clone>(
        &mut self,
        indices: &[E],
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        let several = Several::new("put_nd", indices, self.shape())?;
        let places = several.places()?;
        let values = values.into_expr().broadcast_to(places.shape()?)?;
        self.scatter(&places, &values, several.wrong(), |job| {
            job.store(T::DATA_TYPE)
        })
    }
}

/// Returns the indices in C order of elements that are given by an index along each axis, like
/// NumPy's `ravel_multi_index`.
///
/// There is one array of indices for each axis of `shape`. They are broadcast to a common shape.
/// Negative indices count from the end. The result is an expression, so no index is checked here:
/// elements out of bounds get the index `usize::MAX`, which functions such as [`Array::take`] reject.
///
/// ```
/// use cuda_compute::{Array, ravel_index};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let (rows, columns) = (Array::from_slice(&stream, &[0, 1])?, Array::from_slice(&stream, &[2, -3])?);
/// let places = ravel_index(&[&rows, &columns], [2, 3])?.eval()?;
/// assert_eq!(places.to_vec()?, [2, 3]);
/// let parts = places.unravel_index([2, 3])?;
/// assert_eq!(parts[1].eval()?.to_vec()?, [2, 0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns [`Error::Shape`] if there are not as many arrays of indices as axes, or if they can't be
/// broadcast to a common shape.
pub fn ravel_index<I: Integer, E: IntoExpr<I> + Clone>(
    indices: &[E],
    shape: impl IntoShape,
) -> Result<Expr<usize>> {
    let shape = shape.into_shape()?;
    if indices.len() != shape.rank() {
        return Err(Error::Shape(format!(
            "ravel_index: there are {} arrays of indices for shape {shape}. Fix: pass one for each axis",
            indices.len()
        )));
    }
    let several = Several::new("ravel_index", indices, shape)?;
    Ok(several.places()?.converted())
}

impl<I: Integer> Expr<I> {
    /// Returns the index along each axis of a shape from indices in C order, like NumPy's
    /// `unravel_index`. [`ravel_index`] is the inverse.
    ///
    /// The results are expressions, so no index is checked here. If an index is negative or out of
    /// bounds, the result for the first axis is out of bounds, too, unless another axis of the shape has
    /// length 0.
    ///
    /// ```
    /// # use cuda_compute::{Array, eval};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_nested(&stream, [[3, 9, 2], [8, 1, 7]])?;
    /// let parts = x.greater(6).nonzero()?.unravel_index(x.shape())?;
    /// let (rows, columns) = eval((&parts[0], &parts[1]))?;
    /// assert_eq!((rows.to_vec()?, columns.to_vec()?), (vec![0, 1, 1], vec![1, 0, 2]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid.
    pub fn unravel_index(&self, shape: impl IntoShape) -> Result<Vec<Expr<usize>>> {
        let shape = shape.into_shape()?;
        let dense = Layout::dense(shape, Order::C);
        let places: Expr<usize> = self.converted();
        let parts = (0..shape.rank()).map(|axis| {
            let rows = &places / dense.strides()[axis] as usize;
            match axis {
                0 => rows,
                _ => rows % shape[axis],
            }
        });
        Ok(parts.collect())
    }
}

impl<I: Integer> Array<I> {
    /// Returns the index along each axis of a shape from indices in C order: see
    /// [`Expr::unravel_index`].
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid.
    pub fn unravel_index(&self, shape: impl IntoShape) -> Result<Vec<Expr<usize>>> {
        self.expr().unravel_index(shape)
    }
}
