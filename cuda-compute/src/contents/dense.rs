//! Methods that change an array's layout and copy the elements if necessary.

use crate::{
    array::{Array, IntoIndices, Order},
    element::Element,
    error::{Error, Result},
    expression::eval_dense,
};

impl<T: Element> Array<T> {
    /// Returns the same elements in another shape.
    ///
    /// The elements are taken in C order, whatever their order in memory. They are copied only if
    /// the result cannot be expressed as strides over this array's memory. A length of −1 is
    /// inferred from the number of elements. `()` is the shape without axes.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..12)?;
    /// assert_eq!(x.reshape([2, -1])?.shape(), [2, 6]);
    /// let rows: usize = 3;
    /// assert_eq!(x.reshape((rows, -1, 2))?.shape(), [3, 2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid or has a different number of elements, or if
    /// a length can't be inferred. Returns [`Error::Cuda`] if a copy is needed and device memory runs
    /// out.
    pub fn reshape(&self, shape: impl IntoIndices) -> Result<Self> {
        let shape = self.shape().inferred(shape)?;
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

    /// Returns the elements as an array with one axis, in C order.
    ///
    /// This is [`reshape`](Self::reshape) to the number of elements.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if a copy is needed and device memory runs out.
    pub fn flatten(&self) -> Result<Self> {
        self.reshape(self.len())
    }

    /// Returns an array whose elements are contiguous in memory, in the given order. If this array
    /// already is, the result shares its memory.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if a copy is needed and device memory runs out.
    pub fn contiguous(&self, order: Order) -> Result<Self> {
        if self.layout.is_dense(order) {
            return Ok(self.clone());
        }
        eval_dense(&self.expr(), order)
    }

    /// Returns an array with one axis and at least `least` elements in contiguous memory. `what` names
    /// it in the error.
    pub(crate) fn vector(&self, what: &str, least: usize) -> Result<Self> {
        if self.rank() != 1 || self.len() < least {
            let elements = match least {
                0 => "",
                _ => " with at least one element",
            };
            return Err(Error::Shape(format!(
                "{what}: shape {} does not have one axis{elements}. Fix: pass an array that does",
                self.shape()
            )));
        }
        self.contiguous(Order::C)
    }

    /// Copies the array to new, contiguous memory. The axes keep their order in memory.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn copy(&self) -> Result<Self> {
        self.expr().eval()
    }
}
