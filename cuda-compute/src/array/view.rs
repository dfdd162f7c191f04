//! Arrays that share another's memory: slices, transpositions, other shapes.

use cuda_safe::bytemuck::Pod;

use super::{Array, IntoShape, Order, Shape, SliceItem};
use crate::{
    element::Element,
    error::{Error, Result},
    expression::eval_dense,
};

impl<T: Element> Array<T> {
    /// The elements that [`s!`](crate::s) names, without copying them.
    ///
    /// # Errors
    /// More axes are named than there are. A place or a bound is beyond its axis. A step is 0.
    pub fn slice(&self, items: impl AsRef<[SliceItem]>) -> Result<Self> {
        Ok(Self::of(
            self.memory.clone(),
            self.layout.sliced(items.as_ref())?,
        ))
    }

    /// The same elements in another shape, in C order, whatever order they lie in. They are copied only if no strides
    /// lead to them.
    ///
    /// # Errors
    /// The shape has another number of elements. Memory ran out.
    pub fn reshape(&self, shape: impl IntoShape) -> Result<Self> {
        let shape = shape.into_shape()?;
        if shape.elements() != self.len() {
            return Err(Error::Shape(format!(
                "an array of shape {} has {} elements, one of shape {shape} has {}",
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
                    "no layout of shape {shape} for dense elements"
                )))
            },
            |layout| Ok(Self::of(copy.memory.clone(), layout)),
        )
    }

    /// All elements along one axis, in C order: [`reshape`](Self::reshape) to their number.
    ///
    /// # Errors
    /// As [`reshape`](Self::reshape).
    pub fn flatten(&self) -> Result<Self> {
        self.reshape(self.len())
    }

    /// The axes in another order, by their numbers, without copying.
    ///
    /// # Errors
    /// `axes` doesn't name each axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        Ok(Self::of(self.memory.clone(), self.layout.permuted(axes)?))
    }

    /// The axes in reverse order, without copying: the transposed matrix.
    #[must_use]
    pub fn t(&self) -> Self {
        Self::of(self.memory.clone(), self.layout.reversed_axes())
    }

    /// Without the axes of length 1.
    #[must_use]
    pub fn squeeze(&self) -> Self {
        let layout = self
            .layout
            .without_axes(|axis| self.layout.shape[axis] == 1);
        Self::of(self.memory.clone(), layout)
    }

    /// Stretched to a shape as NumPy's `broadcast_to` does, without copying.
    ///
    /// # Errors
    /// This array's shape doesn't stretch to that one.
    pub fn broadcast_to(&self, shape: impl IntoShape) -> Result<Self> {
        Ok(Self::of(
            self.memory.clone(),
            self.layout.broadcast_to(shape.into_shape()?)?,
        ))
    }

    /// The same elements side by side in an order; itself if they are already.
    ///
    /// # Errors
    /// Memory ran out.
    pub fn contiguous(&self, order: Order) -> Result<Self> {
        if self.layout.is_dense(order) {
            return Ok(self.clone());
        }
        eval_dense(&self.expr(), order)
    }

    /// A copy in memory of its own, dense, in this array's order of axes.
    ///
    /// # Errors
    /// Memory ran out.
    pub fn copy(&self) -> Result<Self> {
        self.expr().eval()
    }

    /// The same bytes as elements of another type, without copying, as NumPy's `view` does. Where the sizes differ, the
    /// last axis gets longer or shorter.
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
    /// The sizes differ, and there is no axis, or the last one's elements don't lie side by side, or rows of them are not
    /// whole elements of the other type.
    pub fn reinterpret<R: Element + Pod>(&self) -> Result<Array<R>> {
        let (from, to) = (T::DATA_TYPE, R::DATA_TYPE);
        let layout = self.layout.resized(from.size(), to.size());
        let layout = layout.ok_or_else(|| {
            Error::Shape(format!(
                "the bytes of an array of {}, of shape {} and strides {:?}, are no rows of whole {}",
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
