//! Conversion from and to arrays of the crate `ndarray` on the host.

use ndarray::{ArrayBase, ArrayD, ArrayRef, Data, Dimension, IxDyn, ShapeBuilder};

use crate::array::{Array, Layout, Order, Shape};
use crate::{
    element::Element,
    error::{Error, Result},
};

mod sealed {
    pub trait Sealed {}
}

/// An array or a view of the crate `ndarray` with elements of type `T`.
///
/// The arrays must be of the version that [`interop::ndarray`](super::ndarray) re-exports. If your
/// crate depends on another version, either change it, or use the re-exported crate:
///
/// ```
/// use cuda_compute::{Array, interop::ndarray};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let host = ndarray::Array1::from_vec(vec![1.0f32, 2.0]);
/// let x = Array::from_ndarray(&stream, &host)?;
/// // Copies an array of any version of `ndarray`.
/// let y = Array::from_shape(&stream, host.shape(), &host.iter().copied().collect::<Vec<_>>())?;
/// assert_eq!((x + y).eval()?.to_vec()?, [2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of `{T}` of ndarray 0.17",
    label = "expected an array or a view of ndarray 0.17",
    note = "if your crate depends on another version of ndarray, write `ndarray = \"0.17\"` in its Cargo.toml, or use \
            `cuda_compute::interop::ndarray`",
    note = "copy an array of any version with `Array::from_shape(&stream, x.shape(), &x.iter().copied().collect::<Vec<_>>())`"
)]
pub trait HostArray<T>: sealed::Sealed {
    /// The type of the array's dimension.
    #[doc(hidden)]
    type Dim: Dimension;
    #[doc(hidden)]
    fn array(&self) -> &ArrayRef<T, Self::Dim>;
}

impl<T, D: Dimension> sealed::Sealed for ArrayRef<T, D> {}
impl<T, D: Dimension> HostArray<T> for ArrayRef<T, D> {
    type Dim = D;

    fn array(&self) -> &ArrayRef<T, D> {
        self
    }
}

impl<S: Data, D: Dimension> sealed::Sealed for ArrayBase<S, D> {}
impl<S: Data, D: Dimension> HostArray<S::Elem> for ArrayBase<S, D> {
    type Dim = D;

    fn array(&self) -> &ArrayRef<S::Elem, D> {
        self
    }
}

impl<T: Element> Array<T> {
    /// Copies an array or a view of `ndarray`. It waits until `host` has been read.
    ///
    /// If the elements of `host` are contiguous, in any order and direction of the axes, they are
    /// read in place, and the new array has the same layout. Otherwise they are gathered into C
    /// order first. The version of `ndarray` must be that of [`HostArray`].
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let host = ndarray::array![[1.0f32, 2.0], [3.0, 4.0]];
    /// let x = Array::from_ndarray(&stream, &host)?;
    /// let y = (&x + &x.t()).eval()?.to_ndarray()?;
    /// assert_eq!(y, (&host + &host.t()).into_dyn());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there are more than [`MAX_RANK`](crate::MAX_RANK) axes, or if memory
    /// runs out.
    pub fn from_ndarray(stream: &cuda_safe::Stream, host: &impl HostArray<T>) -> Result<Self> {
        let host = host.array();
        let shape = Shape::new(host.shape())?;
        let stored = host.as_slice_memory_order();
        let Some(stored) = stored.filter(|_| shape.elements() > 0) else {
            let elements: Vec<T> = host.iter().copied().collect();
            return Self::from_shape(stream, shape, &elements);
        };
        let mut layout = Layout::dense(shape, Order::C);
        layout.set_strides(|axis| host.strides()[axis]);
        let backwards = |axis: &usize| shape[*axis] > 1 && host.strides()[*axis] < 0;
        layout.offset = (0..shape.rank())
            .filter(backwards)
            .map(|axis| (shape[axis] - 1) * host.strides()[axis].unsigned_abs())
            .sum();
        let flat = Self::from_slice(stream, stored)?;
        Ok(Self::of(flat.memory, layout))
    }

    /// Copies the elements to an array of `ndarray` and waits for the copy. The result is in
    /// Fortran order if this array is, and in C order otherwise.
    ///
    /// # Errors
    /// Returns an error under the conditions of [`to_vec`](Self::to_vec).
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        let shape = IxDyn(self.shape().as_slice());
        let fortran = self.is_contiguous(Order::F) && !self.is_contiguous(Order::C);
        let array = match fortran {
            true => ArrayD::from_shape_vec(shape.f(), self.t().to_vec()?),
            false => ArrayD::from_shape_vec(shape, self.to_vec()?),
        };
        array.map_err(|why| Error::Shape(why.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::*;
    use crate::s;

    #[test]
    fn elements_that_lie_apart_come_in_c_order() {
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let x = Array::range(&stream, 0..24)
            .unwrap()
            .reshape([4, 6])
            .unwrap();
        let strides = |x: &Array<i32>| x.to_ndarray().unwrap().strides().to_vec();
        assert_eq!(strides(&x), [6, 1]);
        assert_eq!(strides(&x.t()), [1, 6]);
        let part = x.slice(s![.., ..;2]).unwrap();
        assert_eq!(strides(&part), [3, 1]);
        assert_eq!(part.to_ndarray().unwrap()[[1, 2]], 10);
    }
}
