//! Views: slices, transposes and other shapes that share memory.

use cuda_safe::bytemuck::Pod;

use super::{Array, IntoShape, Order, Shape, SliceItem};
use crate::{
    element::Element,
    error::{Error, Result},
    expression::eval_dense,
};

impl<T: Element> Array<T> {
    /// Returns the elements that [`s!`](crate::s) selects, without copying them.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if more axes are named than the array has, if there are several
    /// [`Ellipsis`](crate::Ellipsis), if an index or a bound is out of range, if a step is 0, or if
    /// the result has more than [`MAX_RANK`](crate::MAX_RANK) axes.
    pub fn slice(&self, items: impl AsRef<[SliceItem]>) -> Result<Self> {
        Ok(Self::of(
            self.memory.clone(),
            self.layout.sliced(items.as_ref())?,
        ))
    }

    /// Returns the same elements in another shape.
    ///
    /// The elements are taken in C order, whatever their order in memory. They are copied only if
    /// no strides describe the result.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid or has another number of elements. Returns
    /// [`Error::Cuda`] if a copy is needed and device memory runs out.
    pub fn reshape(&self, shape: impl IntoShape) -> Result<Self> {
        let shape = shape.into_shape()?;
        if shape.elements() != self.len() {
            return Err(Error::Shape(format!(
                "an array of shape {} has {} elements, but shape {shape} has {}",
                self.shape(),
                self.len(),
                shape.elements()
            )));
        }
        if let Some(layout) = self.layout.reshaped(shape) {
            return Ok(Self::of(self.memory.clone(), layout));
        }
        let copy = self.contiguous(Order::C)?;
        let layout = copy.layout.reshaped(shape);
        layout.map_or_else(
            || {
                Err(Error::Shape(format!(
                    "dense elements have no layout of shape {shape}"
                )))
            },
            |layout| Ok(Self::of(copy.memory.clone(), layout)),
        )
    }

    /// Returns all elements along one axis, in C order.
    ///
    /// This is [`reshape`](Self::reshape) to the number of elements.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if a copy is needed and device memory runs out.
    pub fn flatten(&self) -> Result<Self> {
        self.reshape(self.len())
    }

    /// Returns the array with its axes in another order, without copying. `axes` lists the axes'
    /// numbers.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if `axes` does not name each axis exactly once.
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        Ok(Self::of(self.memory.clone(), self.layout.permuted(axes)?))
    }

    /// Returns the array with its axes in reverse order, without copying. Of a matrix, this is the
    /// transpose.
    #[must_use]
    pub fn t(&self) -> Self {
        Self::of(self.memory.clone(), self.layout.reversed_axes())
    }

    /// Returns the array without its axes of length 1.
    #[must_use]
    pub fn squeeze(&self) -> Self {
        let layout = self
            .layout
            .without_axes(|axis| self.layout.shape[axis] == 1);
        Self::of(self.memory.clone(), layout)
    }

    /// Broadcasts the array to a shape as NumPy's `broadcast_to` does, without copying.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if this array's shape can't be broadcast to `shape`.
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<Self> {
        Ok(Self::of(
            self.memory.clone(),
            self.layout.broadcast_to(shape.into_shape()?)?,
        ))
    }

    /// Returns the elements contiguous in memory, in the given order. Returns the array itself if
    /// it already is.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if a copy is needed and device memory runs out.
    pub fn contiguous(&self, order: Order) -> Result<Self> {
        if self.layout.is_dense(order) {
            return Ok(self.clone());
        }
        eval_dense(&self.expr(), order)
    }

    /// Copies the array to new, dense memory, in this array's order of axes.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn copy(&self) -> Result<Self> {
        self.expr().eval()
    }

    /// Reinterprets the bytes as elements of another type, without copying, as NumPy's `view` does.
    ///
    /// If the sizes of the types differ, the length of the last axis changes.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::from_slice(&stream, &[1.0f32, -2.0])?;
    /// assert_eq!(x.reinterpret::<u32>()?.to_vec()?, [0x3f80_0000, 0xc000_0000]);
    /// assert_eq!(x.reinterpret::<u16>()?.to_vec()?, [0, 0x3f80, 0, 0xc000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the memory is not aligned for the new type. If the sizes of the
    /// types differ, also returns [`Error::Shape`] if the array has no axes, if its last axis is
    /// not contiguous, or if its rows don't divide into whole elements of the new type.
    pub fn reinterpret<R: Element + Pod>(&self) -> Result<Array<R>> {
        let (from, to) = (T::DATA_TYPE, R::DATA_TYPE);
        let layout = self.layout.resized(from.size(), to.size());
        let layout = layout.ok_or_else(|| {
            Error::Shape(format!(
                "the rows of an array of {}, of shape {} and strides {:?}, don't divide into whole elements of {}",
                from.name(),
                self.shape(),
                self.strides(),
                to.name()
            ))
        })?;
        Shape::new(layout.shape.as_slice())?;
        self.memory.check_alignment(to)?;
        Ok(Array::of(self.memory.clone(), layout))
    }
}
