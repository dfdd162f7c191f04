//! Concatenation, stacking and reversal of arrays.

use std::{borrow::Borrow, sync::Arc};

use crate::{
    array::{Array, IntoIndex, IntoIndices, Layout, Memory, Order, Shape, SliceItem},
    element::Element,
    error::{Error, Result},
    expression::{Expr, Target, assign},
};

impl<T: Element> Array<T> {
    /// Returns the array with the elements in reverse order along one or several axes, without
    /// copying them.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if an axis does not exist or is named twice.
    pub fn flip(&self, axes: impl IntoIndices) -> Result<Self> {
        let mut items = vec![SliceItem::from(..); self.rank()];
        for axis in self.shape().axes(axes)? {
            items[axis] = items[axis].with_step(-1);
        }
        self.slice(items)
    }
}

/// Concatenates arrays along an axis into a new array on the first array's stream.
///
/// `arrays` is a slice of arrays or of references to arrays.
///
/// ```
/// use cuda_compute::{Array, concatenate};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[1, 2, 3])?;
/// let y = Array::from_slice(&stream, &[4])?;
/// assert_eq!(concatenate(&[&x, &y, &x], 0)?.to_vec()?, [1, 2, 3, 4, 1, 2, 3]);
/// let parts: Vec<Array<i32>> = vec![x, y];
/// assert_eq!(concatenate(&parts, -1)?.to_vec()?, [1, 2, 3, 4]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if there are no arrays, if their shapes lack the axis or differ in any other
/// axis, or if memory runs out.
pub fn concatenate<T: Element, A: Borrow<Array<T>>>(
    arrays: &[A],
    axis: impl IntoIndex,
) -> Result<Array<T>> {
    let arrays: Vec<&Array<T>> = arrays.iter().map(Borrow::borrow).collect();
    let Some(&first) = arrays.first() else {
        return Err(Error::Shape("there are no arrays to concatenate".into()));
    };
    let mut shape = first.shape();
    let axis = shape.axis(axis)?;
    let mut length = 0usize;
    for array in &arrays {
        let mut own = array.shape();
        let fits = own.rank() == shape.rank() && {
            length = length.saturating_add(own[axis]);
            own.as_mut_slice()[axis] = shape[axis];
            own == shape
        };
        if !fits {
            return Err(Error::Shape(format!(
                "arrays of shapes {} and {} can't be concatenated along axis {axis}: the lengths of the other axes must be equal",
                first.shape(),
                array.shape()
            )));
        }
    }
    shape.as_mut_slice()[axis] = length;
    let shape = Shape::new(shape.as_slice())?;
    let mut start = 0;
    let parts = arrays.into_iter().map(|array| {
        let end = start + array.shape()[axis];
        let items = SliceItem::along(axis, start..end);
        start = end;
        (items, array.expr())
    });
    assemble(first, shape, parts.collect())
}

/// Computes expressions into parts of a new array of this shape, on the stream of `like`. The parts
/// must cover the new array.
pub(crate) fn assemble<T: Element>(
    like: &Array<T>,
    shape: Shape,
    parts: Vec<(Vec<SliceItem>, Expr<T>)>,
) -> Result<Array<T>> {
    let (kernels, stream) = (like.memory.kernels(), like.stream());
    let memory = Memory::new(kernels, stream, shape.elements(), T::DATA_TYPE)?;
    let result = Array::of(Arc::new(memory), Layout::dense(shape, Order::C));
    for (items, values) in parts {
        let target = Target {
            memory: &result.memory,
            layout: result.layout.sliced(&items)?,
            data: T::DATA_TYPE,
        };
        assign(&target, &values.node)?;
    }
    Ok(result)
}

/// Stacks arrays of one shape along a new axis, which is this axis of the result.
///
/// `arrays` is a slice of arrays or of references to arrays.
///
/// # Errors
/// Returns an error if the shapes differ, if `axis` is out of range for the result, or in the cases
/// that [`concatenate`] lists.
pub fn stack<T: Element, A: Borrow<Array<T>>>(
    arrays: &[A],
    axis: impl IntoIndex,
) -> Result<Array<T>> {
    let axis = axis.into_index();
    let raised = arrays.iter().map(|array| array.borrow().expand_dims(axis));
    concatenate(&raised.collect::<Result<Vec<_>>>()?, axis)
}
