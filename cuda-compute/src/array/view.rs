//! Views: slices, transposes and other shapes that share memory.

use cuda_safe::bytemuck::Pod;

use super::{Array, IntoIndices, IntoShape, NewAxis, Shape, SliceItem};
use crate::{
    element::Element,
    error::{Error, Result},
};

/// Returns the slice that removes axes of length 1.
pub(crate) fn squeezed(shape: Shape, axes: impl IntoIndices) -> Result<Vec<SliceItem>> {
    let axes = shape.axes(axes)?;
    let mut items = vec![SliceItem::from(..); shape.rank()];
    for axis in axes {
        if shape[axis] != 1 {
            return Err(Error::Shape(format!(
                "squeeze_axis: axis {axis} of shape {shape} has length {}, but only axes of length 1 can be removed",
                shape[axis]
            )));
        }
        items[axis] = 0.into();
    }
    Ok(items)
}

/// Returns the slice that inserts axes of length 1 at these places of the result.
pub(crate) fn expanded(shape: Shape, axes: impl IntoIndices) -> Result<Vec<SliceItem>> {
    let named = axes.into_indices();
    let rank = shape.rank() + named.len();
    let mut items = vec![SliceItem::from(..); rank];
    for &axis in &named {
        let place = shape.place_of(axis, rank, "a new axis")?;
        if items[place] == SliceItem::NewAxis {
            return Err(Error::Shape(format!(
                "expand_dims: axes {named:?} name axis {place} twice. Fix: name each axis at most once"
            )));
        }
        items[place] = NewAxis.into();
    }
    Ok(items)
}

impl<T: Element> Array<T> {
    /// Returns the elements that [`s!`](crate::s) selects, without copying them.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if more axes are named than the array has, if there are several
    /// [`Ellipsis`](crate::Ellipsis), if an index is out of range, if a step is 0, or if the result
    /// has more than [`MAX_RANK`](crate::MAX_RANK) axes. Ranges that reach beyond the axis are
    /// clipped.
    pub fn slice(&self, items: impl AsRef<[SliceItem]>) -> Result<Self> {
        Ok(Self::of(
            self.memory.clone(),
            self.layout.sliced(items.as_ref())?,
        ))
    }

    /// Returns the array with its axes in another order, without copying. Axis `i` of the result is
    /// axis `axes[i]` of this array. Negative axes count from the end.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if `axes` does not name each axis exactly once.
    pub fn permute(&self, axes: impl IntoIndices) -> Result<Self> {
        Ok(Self::of(self.memory.clone(), self.layout.permuted(axes)?))
    }

    /// Returns the array with its axes in reverse order, without copying. For a matrix, this is the
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

    /// Returns the array without these axes, which must have length 1.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..3)?.expand_dims([0, -1])?;
    /// assert_eq!(x.shape(), [1, 3, 1]);
    /// assert_eq!(x.squeeze_axis(-1)?.shape(), [1, 3]);
    /// assert_eq!(x.squeeze().shape(), [3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if an axis does not exist, is named twice, or has a length other
    /// than 1.
    pub fn squeeze_axis(&self, axes: impl IntoIndices) -> Result<Self> {
        self.slice(squeezed(self.shape(), axes)?)
    }

    /// Inserts axes of length 1, at these places of the result, as NumPy's `expand_dims` does.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..3)?;
    /// let table = (x.expand_dims(-1)? * x.expand_dims(0)?).eval()?;
    /// assert_eq!(table.to_string(), "[[0 0 0]\n [0 1 2]\n [0 2 4]]");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if an axis is out of range for the result or is named twice, or if
    /// the result has more than [`MAX_RANK`](crate::MAX_RANK) axes.
    pub fn expand_dims(&self, axes: impl IntoIndices) -> Result<Self> {
        self.slice(expanded(self.shape(), axes)?)
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
