//! Concatenation, stacking and reversal of arrays.

use std::sync::Arc;

use crate::{
    array::{Array, Layout, Memory, NewAxis, Order, Shape, SliceItem},
    element::Element,
    error::{Error, Result},
    expression::{Target, assign},
};

impl<T: Element> Array<T> {
    /// Returns the array with the elements in reverse order along an axis, without copying them.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the array has no such axis.
    pub fn flip(&self, axis: usize) -> Result<Self> {
        if axis >= self.rank() {
            return Err(no_axis(axis, self.shape()));
        }
        let mut items = vec![SliceItem::from(..); self.rank()];
        items[axis] = items[axis].with_step(-1);
        self.slice(items)
    }
}

/// Concatenates arrays along an axis into a new array on the first array's stream.
///
/// ```
/// use cuda_compute::{Array, concatenate};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[1, 2, 3])?;
/// let y = Array::from_slice(&stream, &[4])?;
/// assert_eq!(concatenate(&[&x, &y, &x], 0)?.to_vec()?, [1, 2, 3, 4, 1, 2, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if there are no arrays, if their shapes lack the axis or differ in any other
/// axis, or if memory runs out.
pub fn concatenate<T: Element>(arrays: &[&Array<T>], axis: usize) -> Result<Array<T>> {
    let Some(first) = arrays.first() else {
        return Err(Error::Shape("there are no arrays to concatenate".into()));
    };
    let mut shape = first.shape();
    if axis >= shape.rank() {
        return Err(no_axis(axis, shape));
    }
    let mut length = 0usize;
    for array in arrays {
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
    let (kernels, stream) = (first.memory.kernels(), first.stream());
    let memory = Memory::new(kernels, stream, shape.elements(), T::DATA_TYPE)?;
    let result = Array::of(Arc::new(memory), Layout::dense(shape, Order::C));
    let mut items = vec![SliceItem::from(..); shape.rank()];
    let mut start = 0;
    for array in arrays {
        let end = start + array.shape()[axis];
        items[axis] = SliceItem::from(start as isize..end as isize);
        start = end;
        let target = Target {
            memory: &result.memory,
            layout: result.layout.sliced(&items)?,
            data: T::DATA_TYPE,
        };
        assign(&target, &array.expr().node)?;
    }
    Ok(result)
}

/// Stacks arrays of one shape along a new axis.
///
/// # Errors
/// Returns an error if the shapes differ, if `axis` exceeds their number of axes, or in the cases
/// that [`concatenate`] lists.
pub fn stack<T: Element>(arrays: &[&Array<T>], axis: usize) -> Result<Array<T>> {
    let mut raised = Vec::with_capacity(arrays.len());
    for array in arrays {
        if axis > array.rank() {
            return Err(no_axis(axis, array.shape()));
        }
        let mut items = vec![SliceItem::from(..); array.rank()];
        items.insert(axis, SliceItem::from(NewAxis));
        raised.push(array.slice(items)?);
    }
    concatenate(&raised.iter().collect::<Vec<_>>(), axis)
}

pub(super) fn no_axis(axis: usize, shape: Shape) -> Error {
    Error::Shape(format!("an array of shape {shape} has no axis {axis}"))
}
