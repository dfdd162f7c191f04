//! Functions that create arrays.

use std::{ops::Range, sync::Arc};

use cuda_safe::{
    DeviceBuffer, DeviceMemory, Stream,
    bytemuck::{self, Pod},
};

use crate::{
    array::{Array, IntoShape, Layout, Memory, Order},
    element::{Element, Float, Integer, Number},
    error::{Error, Result},
    expression::{CastFrom, Expr, Target, assign},
    kernel::Kernels,
};

impl<T: Element> Array<T> {
    /// Copies a slice of host memory to a new array with one axis.
    ///
    /// Waits until `host` has been read. Transfers of large slices, and of the array's elements
    /// back to the host, reach the link's speed if the stream has a
    /// [`Staging`](cuda_safe::memory::Staging).
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out or the copy fails.
    pub fn from_slice(stream: &Stream, host: &[T]) -> Result<Self> {
        Self::from_shape(stream, host.len(), host)
    }

    /// Copies host memory to a new array of a given shape.
    ///
    /// The elements of `host` are in C order. Waits until `host` has been read.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid or its number of elements differs from
    /// `host.len()`. Returns [`Error::Cuda`] if device memory runs out or the copy fails.
    pub fn from_shape(stream: &Stream, shape: impl IntoShape, host: &[T]) -> Result<Self> {
        let shape = shape.into_shape()?;
        if shape.elements() != host.len() {
            return Err(Error::Shape(format!(
                "shape {shape} has {1} elements, but the slice has {0}",
                host.len(),
                shape.elements()
            )));
        }
        let kernels = Kernels::of(stream)?;
        // Only `bool` needs a conversion. Other types are stored unchanged.
        let converted;
        let stored = match T::as_stored(host) {
            Some(stored) => stored,
            None => {
                converted = host
                    .iter()
                    .map(|element| element.to_stored())
                    .collect::<Vec<_>>();
                &converted
            }
        };
        let buffer = DeviceBuffer::from_slice(stream, bytemuck::cast_slice(stored))?;
        let layout = Layout::dense(shape, Order::C);
        Ok(Self::of(Arc::new(Memory::of(&kernels, buffer)), layout))
    }

    /// Turns a buffer into an array, without a copy.
    ///
    /// The elements of the buffer are in C order. The array belongs to the buffer's stream.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid or its number of elements differs from the
    /// buffer's length.
    pub fn from_buffer(buffer: DeviceBuffer<T::Stored>, shape: impl IntoShape) -> Result<Self> {
        let shape = shape.into_shape()?;
        if shape.elements() != buffer.len() {
            return Err(Error::Shape(format!(
                "shape {shape} has {1} elements, but the buffer has {0}",
                buffer.len(),
                shape.elements()
            )));
        }
        let kernels = Kernels::of(buffer.stream())?;
        let bytes = buffer.size_bytes();
        // SAFETY: the memory and its size in bytes are the same, and the buffer owns it through its
        // storage.
        let buffer = unsafe { DeviceMemory::from_storage(buffer.into_storage(), bytes) };
        let memory = Arc::new(Memory::of(&kernels, buffer));
        Ok(Self::of(memory, Layout::dense(shape, Order::C)))
    }

    /// Creates an array in which every element has the same value.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid: see [`Shape::new`](crate::Shape::new).
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn full(stream: &Stream, shape: impl IntoShape, value: T) -> Result<Self> {
        Expr::scalar(value).broadcast_to(shape)?.eval_on(stream)
    }

    /// Creates an array in which every element has the same value, with the shape, stream and
    /// memory order of another array.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?.reshape([2, 3])?.t();
    /// let y = Array::full_like(&x, 0.5f64)?;
    /// assert_eq!((y.shape(), y.strides()), (x.shape(), x.strides()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn full_like<U: Element>(other: &Array<U>, value: T) -> Result<Self> {
        let layout = other.layout.compact();
        let (kernels, elements) = (other.memory.kernels(), layout.shape.elements());
        let memory = Memory::new(kernels, other.stream(), elements, T::DATA_TYPE)?;
        let memory = Arc::new(memory);
        let target = Target {
            memory: &memory,
            layout,
            data: T::DATA_TYPE,
        };
        assign(&target, &Expr::scalar(value).node)?;
        Ok(Self::of(memory, layout))
    }
}

impl<T: Element + Pod> Array<T> {
    /// Creates an array of zeros: numbers, or structs of zero numbers.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid or its size in bytes overflows `usize`.
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn zeros(stream: &Stream, shape: impl IntoShape) -> Result<Self> {
        let shape = shape.into_shape()?;
        let kernels = Kernels::of(stream)?;
        let bytes = shape.elements().checked_mul(T::DATA_TYPE.size());
        let bytes = bytes.ok_or_else(|| {
            Error::Shape(format!(
                "the size in bytes of an array of shape {shape} overflows"
            ))
        })?;
        // Zero bytes are the number zero in all types.
        let buffer = DeviceBuffer::zeroed(stream, bytes)?;
        Ok(Self::of(
            Arc::new(Memory::of(&kernels, buffer)),
            Layout::dense(shape, Order::C),
        ))
    }

    /// Creates an array of zeros with the shape, stream and memory order of another array.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn zeros_like<U: Element>(other: &Array<U>) -> Result<Self> {
        Self::full_like(other, T::zeroed())
    }
}

impl<T: Number> Array<T> {
    /// Creates an array of ones.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid. Returns [`Error::Cuda`] if device memory
    /// runs out or a driver call fails.
    pub fn ones(stream: &Stream, shape: impl IntoShape) -> Result<Self> {
        Self::full(stream, shape, T::ONE)
    }

    /// Creates an array of ones with the shape, stream and memory order of another array.
    ///
    /// # Errors
    /// Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn ones_like<U: Element>(other: &Array<U>) -> Result<Self> {
        Self::full_like(other, T::ONE)
    }
}

impl<T: Integer + CastFrom<usize>> Array<T> {
    /// Creates an array of the integers of a range, in ascending order. An empty range makes an
    /// empty array.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the range has more than `isize::MAX` integers. Returns
    /// [`Error::Cuda`] if device memory runs out or a driver call fails.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// assert_eq!(Array::range(&stream, -2i8..3)?.to_vec()?, [-2, -1, 0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn range(stream: &Stream, range: Range<T>) -> Result<Self> {
        let (start, end) = (range.start.to_i128(), range.end.to_i128());
        let length = usize::try_from((end - start).max(0)).unwrap_or(usize::MAX);
        let places = Expr::index(length, 0)?.cast::<T>();
        (places + range.start).eval_on(stream)
    }
}

impl<T: Float + CastFrom<usize>> Array<T> {
    /// Creates an array of `count` equally spaced numbers: element `i` is `start + i * step`.
    ///
    /// `i` is first rounded to the type. This is visible if the type can't represent every integer
    /// up to `count`: beyond 2048 in `f16`, 256 in `bf16` and 2²⁴ in `f32`. Then the product and
    /// the sum are rounded. In `f32` and `f64`, both may be rounded once together.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if `count` exceeds `isize::MAX`. Returns [`Error::Cuda`] if device
    /// memory runs out or a driver call fails.
    pub fn steps(stream: &Stream, start: T, step: T, count: usize) -> Result<Self> {
        let places = Expr::index(count, 0)?.cast::<T>();
        (places * step + start).eval_on(stream)
    }
}

impl<T: Float + CastFrom<f64>> Array<T>
where
    f64: CastFrom<T>,
{
    /// Creates an array of `count` equally spaced numbers from `start` to `end`, both included.
    ///
    /// The numbers are computed as `f64` and rounded once. If `count` is 1, the number is `start`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// assert_eq!(Array::linspace(&stream, 0.0f32, 1.0, 5)?.to_vec()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if `count` exceeds `isize::MAX`. Returns [`Error::Cuda`] if device
    /// memory runs out or a driver call fails.
    pub fn linspace(stream: &Stream, start: T, end: T, count: usize) -> Result<Self> {
        let place = Expr::index(count, 0)?;
        let last = count.saturating_sub(1).max(1);
        let wide = |value| Expr::scalar(value).cast::<f64>();
        let step = (wide(end) - wide(start)) / last as f64;
        let inner = (place.cast::<f64>() * step + wide(start)).cast::<T>();
        // `start + last * step` may differ from `end` by rounding.
        place.equal(last).select(end, inner).eval_on(stream)
    }

    /// Creates an array of `count` powers of a base, whose exponents are equally spaced from `start`
    /// to `end`, both included, like NumPy's `logspace`. NumPy's default base is 10.
    ///
    /// The numbers are computed as `f64` and converted. If `count` is 1, the exponent is `start`.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// assert_eq!(Array::logspace(&stream, -1.0f32, 2.0, 4, 10.0)?.to_vec()?, [0.1, 1.0, 10.0, 100.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if `count` exceeds `isize::MAX`. Returns [`Error::Cuda`] if device
    /// memory runs out or a driver call fails.
    pub fn logspace(stream: &Stream, start: T, end: T, count: usize, base: f64) -> Result<Self> {
        let wide = |value| Expr::scalar(value).cast::<f64>();
        let step = (wide(end) - wide(start)) / count.saturating_sub(1).max(1) as f64;
        let place = Expr::index(count, 0)?.cast::<f64>();
        let power = Expr::scalar(base).pow(place * step + wide(start));
        power.cast::<T>().eval_on(stream)
    }

    /// Creates an array of `count` numbers from `start` to `end`, both included, each of which is
    /// the one before times the same factor, like NumPy's `geomspace`.
    ///
    /// The numbers are computed as `f64` and converted. If `count` is 1, the number is `start`. If the
    /// signs of `start` and `end` differ, the numbers between them are NaN.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// assert_eq!(Array::geomspace(&stream, -2.0f32, -16.0, 4)?.to_vec()?, [-2.0, -4.0, -8.0, -16.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Value`] if `start` or `end` is 0. Returns [`Error::Shape`] if `count` exceeds
    /// `isize::MAX`. Returns [`Error::Cuda`] if device memory runs out or a driver call fails.
    pub fn geomspace(stream: &Stream, start: T, end: T, count: usize) -> Result<Self> {
        if start == T::ZERO || end == T::ZERO {
            return Err(Error::Value(format!(
                "geomspace: start is {start:?} and end is {end:?}, but neither may be 0"
            )));
        }
        let place = Expr::index(count, 0)?;
        let last = count.saturating_sub(1).max(1);
        let wide = |value| Expr::scalar(value).cast::<f64>();
        let part = place.cast::<f64>() / last as f64;
        let inner = wide(start) * (wide(end) / wide(start)).pow(part);
        // The power may differ from the ratio by rounding.
        let inner = place.equal(last).select(end, inner.cast::<T>());
        inner.eval_on(stream)
    }
}
