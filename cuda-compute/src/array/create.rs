//! New arrays.

use std::{ops::Range, sync::Arc};

use cuda_safe::{
    DeviceBuffer, DeviceMemory, Stream,
    bytemuck::{self, Pod},
};

use super::{Array, IntoShape, Layout, Memory, Order};
use crate::{
    element::{Element, Float, Integer, Number},
    error::{Error, Result},
    expression::{CastFrom, Expr, Target, assign},
    kernel::Kernels,
};

impl<T: Element> Array<T> {
    /// A copy of host memory, with one axis. Waits until `host` has been read. Large slices travel at the link's speed if
    /// the stream has a [`Staging`](cuda_safe::memory::Staging), and so do the arrays' elements on their way back.
    ///
    /// # Errors
    /// Memory ran out.
    pub fn from_slice(stream: &Stream, host: &[T]) -> Result<Self> {
        Self::from_shape(stream, host.len(), host)
    }

    /// A copy of host memory, whose elements are in C order. Waits until `host` has been read.
    ///
    /// # Errors
    /// The shape has another number of elements. Memory ran out.
    pub fn from_shape(stream: &Stream, shape: impl IntoShape, host: &[T]) -> Result<Self> {
        let shape = shape.into_shape()?;
        if shape.elements() != host.len() {
            return Err(Error::Shape(format!(
                "{} elements don't make an array of shape {shape}, which has {}",
                host.len(),
                shape.elements()
            )));
        }
        let kernels = Kernels::of(stream.context())?;
        // Only `bool` is converted; the others lie in memory as they are.
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

    /// Takes over a buffer, whose elements are in C order. Nothing is copied. The buffer's stream becomes the array's.
    ///
    /// # Errors
    /// The shape has another number of elements.
    pub fn from_buffer(buffer: DeviceBuffer<T::Stored>, shape: impl IntoShape) -> Result<Self> {
        let shape = shape.into_shape()?;
        if shape.elements() != buffer.len() {
            return Err(Error::Shape(format!(
                "a buffer of {} elements is no array of shape {shape}, which has {}",
                buffer.len(),
                shape.elements()
            )));
        }
        let kernels = Kernels::of(buffer.stream().context())?;
        let bytes = buffer.size_bytes();
        // SAFETY: the same memory, of as many bytes; a buffer owns itself through its storage.
        let buffer = unsafe { DeviceMemory::from_storage(buffer.into_storage(), bytes) };
        let memory = Arc::new(Memory::of(&kernels, buffer));
        Ok(Self::of(memory, Layout::dense(shape, Order::C)))
    }

    /// The same element everywhere.
    ///
    /// # Errors
    /// Memory ran out. The shape is none.
    pub fn full(stream: &Stream, shape: impl IntoShape, value: T) -> Result<Self> {
        Expr::scalar(value).broadcast_to(shape)?.eval_on(stream)
    }

    /// The same element everywhere, in the shape, on the stream and in the order of axes of another array.
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
    /// Memory ran out.
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
    /// Zeros: numbers, or structs of them.
    ///
    /// # Errors
    /// As [`full`](Self::full).
    pub fn zeros(stream: &Stream, shape: impl IntoShape) -> Result<Self> {
        let shape = shape.into_shape()?;
        let kernels = Kernels::of(stream.context())?;
        let bytes = shape.elements().checked_mul(T::DATA_TYPE.size());
        let bytes = bytes
            .ok_or_else(|| Error::Shape(format!("an array of shape {shape} has too many bytes")))?;
        // Zero bytes are zero in all numbers.
        let buffer = DeviceBuffer::zeroed(stream, bytes)?;
        Ok(Self::of(
            Arc::new(Memory::of(&kernels, buffer)),
            Layout::dense(shape, Order::C),
        ))
    }

    /// Zeros like another array: see [`full_like`](Self::full_like).
    ///
    /// # Errors
    /// Memory ran out.
    pub fn zeros_like<U: Element>(other: &Array<U>) -> Result<Self> {
        Self::full_like(other, T::zeroed())
    }
}

impl<T: Number> Array<T> {
    /// Ones.
    ///
    /// # Errors
    /// As [`full`](Self::full).
    pub fn ones(stream: &Stream, shape: impl IntoShape) -> Result<Self> {
        Self::full(stream, shape, T::ONE)
    }

    /// Ones like another array: see [`full_like`](Self::full_like).
    ///
    /// # Errors
    /// Memory ran out.
    pub fn ones_like<U: Element>(other: &Array<U>) -> Result<Self> {
        Self::full_like(other, T::ONE)
    }
}

impl<T: Integer + Into<i128> + CastFrom<u64>> Array<T> {
    /// The integers of a range, in order. A range that ends before it begins is empty.
    ///
    /// # Errors
    /// Memory ran out.
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
        let (start, end): (i128, i128) = (range.start.into(), range.end.into());
        let length = usize::try_from((end - start).max(0)).unwrap_or(usize::MAX);
        let places = Expr::index(length, 0)?.cast::<T>();
        (places + range.start).eval_on(stream)
    }
}

impl<T: Float + CastFrom<u64>> Array<T> {
    /// `count` numbers from `start` on, each `step` more than the last: `start + i * step`, where `i` is rounded to the type
    /// first, which shows where the type doesn't have every integer up to `count`: beyond 2048 in `f16`, 256 in `bf16`, 2²⁴
    /// in `f32`. Then the product and the sum are rounded, both or, in `f32` and `f64`, perhaps once together.
    ///
    /// # Errors
    /// Memory ran out.
    pub fn steps(stream: &Stream, start: T, step: T, count: usize) -> Result<Self> {
        let places = Expr::index(count, 0)?.cast::<T>();
        (places * step + start).eval_on(stream)
    }
}

impl<T: Float + CastFrom<f64>> Array<T>
where
    f64: CastFrom<T>,
{
    /// `count` numbers from `start` to `end`, both included, at equal distances. Computed as `f64` and rounded once. One
    /// number is `start`.
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
    /// Memory ran out.
    pub fn linspace(stream: &Stream, start: T, end: T, count: usize) -> Result<Self> {
        let place = Expr::index(count, 0)?;
        let last = count.saturating_sub(1).max(1) as u64;
        let wide = |value| Expr::scalar(value).cast::<f64>();
        let step = (wide(end) - wide(start)) / last as f64;
        let inner = (place.cast::<f64>() * step + wide(start)).cast::<T>();
        // By way of the step, the last number may be beside the end.
        place.equal(last).select(end, inner).eval_on(stream)
    }
}
