//! Several arrays in one.

use std::{borrow::Borrow, sync::Arc};

use super::{Array, Layout, Memory, NewAxis, Order, Shape, SliceItem};
use crate::{
    element::Element,
    error::{Error, Result},
};

impl<T: Element> Array<T> {
    /// The arrays one after the other along an axis, in a new array of the first one's stream. It is in C order, or in
    /// Fortran's if all of them are.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2, 3, 4])?.reshape([2, 2])?;
    /// let y = Array::concatenate(&[&x, &x.t()], 1)?;
    /// assert_eq!(y.to_vec()?, [1, 2, 1, 3, 3, 4, 2, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There are no arrays. They don't have the axis, or differ along another. Memory ran out.
    pub fn concatenate(parts: &[impl Borrow<Self>], axis: usize) -> Result<Self> {
        let parts: Vec<&Self> = parts.iter().map(Borrow::borrow).collect();
        let Some(first) = parts.first() else {
            return Err(Error::Shape("no arrays make no array".into()));
        };
        let mut shape = first.shape();
        let others = |shape: Shape| {
            let mut lengths = shape.as_slice().to_vec();
            (axis < lengths.len()).then(|| lengths[axis] = 0);
            lengths
        };
        let fits = |part: &&Self| others(part.shape()) == others(shape);
        if axis >= shape.rank() || !parts.iter().all(fits) {
            let shapes: Vec<_> = parts.iter().map(|part| part.shape()).collect();
            return Err(Error::Shape(format!(
                "arrays of shapes {shapes:?} can't follow one another along axis {axis}"
            )));
        }
        let length = parts.iter().try_fold(0usize, |length, part| {
            length.checked_add(part.shape()[axis])
        });
        shape.as_mut_slice()[axis] = length.unwrap_or(usize::MAX);
        let shape = Shape::new(shape.as_slice())?;
        let all = |order| parts.iter().all(|part| part.is_contiguous(order));
        let order = match all(Order::F) && !all(Order::C) {
            true => Order::F,
            false => Order::C,
        };
        let kernels = first.memory.kernels();
        let memory = Memory::new(kernels, first.stream(), shape.elements(), T::DATA_TYPE)?;
        let mut result = Self::of(Arc::new(memory), Layout::dense(shape, order));
        let mut items = vec![SliceItem::from(..); axis + 1];
        let mut start = 0;
        for part in parts {
            let end = start + part.shape()[axis];
            items[axis] = SliceItem::from(start..end);
            result.slice_mut(&items)?.assign(part)?;
            start = end;
        }
        Ok(result)
    }

    /// The arrays, of one shape, beside one another along a new axis.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1, 2])?;
    /// let y = Array::from_slice(&stream, &[10, 20])?;
    /// assert_eq!(Array::stack(&[&x, &y], 1)?.to_vec()?, [1, 10, 2, 20]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// There are no arrays, or their shapes differ. `axis` is beyond their last one by more than 1. Memory ran out.
    pub fn stack(parts: &[impl Borrow<Self>], axis: usize) -> Result<Self> {
        let mut items = vec![SliceItem::from(..); axis];
        items.push(SliceItem::from(NewAxis));
        let layers = parts.iter().map(|part| part.borrow().slice(&items));
        Self::concatenate(&layers.collect::<Result<Vec<_>>>()?, axis)
    }
}
