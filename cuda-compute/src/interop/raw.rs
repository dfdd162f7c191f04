//! Arrays of memory that another library frees in the order of a stream.

use std::sync::Arc;

use cuda_safe::Stream;

use super::place::Place;
use crate::{
    array::{Array, Foreign, IntoShape, Memory},
    element::Element,
    error::{Error, Result},
    kernel::Kernels,
};

impl<T: Element> Array<T> {
    /// Creates an array of read-only memory of another library, at a device address. Nothing is
    /// copied.
    ///
    /// `strides` are in elements. Without them, the elements are contiguous in C order. Writing to
    /// the array copies it first.
    ///
    /// `owner` keeps the memory alive. Dropping the last array or expression that uses the memory
    /// drops `owner` at once, and waits for nothing. This suits libraries that free or reuse memory
    /// in the order of the stream, such as cudarc and candle. For others, use
    /// [`from_cuda_array_interface`](Self::from_cuda_array_interface), which waits.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let address = buffer.as_device_ptr(); // could be memory of another library
    /// // SAFETY: six elements, which the buffer frees in the order of the stream.
    /// let columns = unsafe { Array::<f32>::from_raw(&stream, address, [3, 2], Some(&[1, 3]), buffer)? };
    /// assert_eq!((columns.sum_axis(0)).eval()?.to_vec()?, [6.0, 15.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `address` is that of the first element, in device memory of the stream's context, and the
    ///   shape and strides describe elements within one allocation;
    /// - every bit pattern in the memory is one of `T`;
    /// - work enqueued earlier that writes the memory is ordered before `stream`;
    /// - the memory stays valid until `owner` is dropped, and after that until the work that was
    ///   enqueued on `stream` before has finished. The same applies to its contents, because writes
    ///   change the array.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the shape is invalid. Returns [`Error::Foreign`] if there is not
    /// one stride for each axis, if the memory is not aligned, or if the strides lead beyond all
    /// addresses. Returns [`Error::Cuda`] if the context's kernels can't be prepared. After an error,
    /// `owner` has been dropped.
    pub unsafe fn from_raw(
        stream: &Stream,
        address: u64,
        shape: impl IntoShape,
        strides: Option<&[isize]>,
        owner: impl Send + Sync + 'static,
    ) -> Result<Self> {
        let shape = shape.into_shape()?;
        let lengths: Vec<i64> = shape
            .as_slice()
            .iter()
            .map(|&length| length as i64)
            .collect();
        if let Some(strides) = strides
            && strides.len() != lengths.len()
        {
            return Err(Error::Foreign(format!(
                "shape {shape} needs {} strides, but there are {}: {strides:?}",
                lengths.len(),
                strides.len()
            )));
        }
        let strides: Option<Vec<i64>> =
            strides.map(|strides| strides.iter().map(|&stride| stride as i64).collect());
        let place = Place::of(T::DATA_TYPE, &lengths, strides.as_deref(), address)?;
        let kernels = Kernels::of(stream)?;
        // SAFETY: guaranteed by the caller. The memory is reused in the order of the stream itself.
        let memory = unsafe {
            let (address, bytes) = (place.address, place.bytes);
            Foreign::memory(address, bytes, stream, true, Some(stream), Box::new(owner))
        };
        let memory = Arc::new(Memory::foreign(&kernels, memory));
        Ok(Self::of(memory, place.layout))
    }
}
