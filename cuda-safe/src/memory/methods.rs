//! The methods that buffers, views and globals share, written once.

/// Inherent methods for reading. The type has `ptr`, `len` and `span()`; `$life` is how long a
/// part of it may be borrowed.
macro_rules! device_read_methods {
    ($T:ident, $life:lifetime) => {
        /// Elements.
        #[must_use]
        pub fn len(&self) -> usize {
            self.len
        }

        /// Whether there are no elements.
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.len == 0
        }

        /// The size in bytes.
        #[must_use]
        pub fn size_bytes(&self) -> usize {
            self.len * size_of::<$T>()
        }

        /// The device address of the first element; 0 when there are none.
        #[must_use]
        pub fn as_device_ptr(&self) -> cuda_sys::CUdeviceptr {
            self.ptr
        }

        /// All of it, borrowed for reading.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
        /// let view = buffer.view(); // can be copied, and borrows the buffer
        /// assert_eq!(view.as_device_ptr(), buffer.as_device_ptr());
        /// assert_eq!((view.len(), view.size_bytes()), (2, 8));
        /// # Ok(())
        /// # }
        /// ```
        #[must_use]
        pub fn view(&self) -> $crate::DeviceView<$life, $T> {
            let owner = self.owner();
            // SAFETY: this object's own memory, borrowed for no longer than it.
            unsafe { $crate::DeviceView::from_raw(self.ptr, self.len, owner) }
        }

        /// A range of elements.
        ///
        /// # Errors
        /// The range goes beyond the end.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4])?;
        /// assert_eq!(buffer.slice(1..3)?.to_vec(&stream)?, [2, 3]);
        /// assert!(buffer.slice(3..5).is_err());
        /// # Ok(())
        /// # }
        /// ```
        pub fn slice(
            &self,
            range: impl std::ops::RangeBounds<usize>,
        ) -> $crate::Result<$crate::DeviceView<$life, $T>> {
            let range = $crate::memory::size::range_within(range, self.len, "slice")?;
            let ptr = self.ptr + (range.start * size_of::<$T>()) as cuda_sys::CUdeviceptr;
            let owner = self.owner();
            // SAFETY: within this object's own memory, borrowed for no longer than it.
            Ok(unsafe { $crate::DeviceView::from_raw(ptr, range.len(), owner) })
        }

        /// The elements before `index`, and those from it on.
        ///
        /// # Errors
        /// `index` is beyond the end.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
        /// let (head, tail) = buffer.split_at(1)?;
        /// assert_eq!((head.to_vec(&stream)?, tail.to_vec(&stream)?), (vec![1], vec![2, 3]));
        /// # Ok(())
        /// # }
        /// ```
        #[allow(clippy::type_complexity, reason = "a pair of views")]
        pub fn split_at(
            &self,
            index: usize,
        ) -> $crate::Result<($crate::DeviceView<$life, $T>, $crate::DeviceView<$life, $T>)> {
            Ok((self.slice(..index)?, self.slice(index..)?))
        }

        /// Copies all elements into `host`, and waits for that.
        ///
        /// # Errors
        /// The lengths differ, or work enqueued before failed.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
        /// let mut host = [0; 2];
        /// buffer.copy_to_slice(&stream, &mut host)?;
        /// assert_eq!(host, [1, 2]);
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemcpyDtoH")]
        #[doc(alias = "cuMemcpyDtoHAsync")]
        pub fn copy_to_slice(
            &self,
            stream: &$crate::Stream,
            host: &mut [$T],
        ) -> $crate::Result<()> {
            $crate::memory::size::expect_equal(self.len, host.len(), "copy_to_slice")?;
            $crate::memory::copy::device_to_host(self.span(), stream, host)
        }

        /// A copy of all elements on the host; waits for it.
        ///
        /// # Errors
        /// Work enqueued before failed.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
        /// assert_eq!(buffer.to_vec(&stream)?, [1, 2]);
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemcpyDtoH")]
        #[doc(alias = "cuMemcpyDtoHAsync")]
        pub fn to_vec(&self, stream: &$crate::Stream) -> $crate::Result<Vec<$T>> {
            $crate::memory::copy::device_to_vec(self.span(), stream, self.len)
        }
    };
}

/// Inherent methods for writing, beside those for reading.
macro_rules! device_write_methods {
    ($T:ident) => {
        /// All of it, borrowed for writing.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
        /// buffer.view_mut().fill(&stream, 7)?;
        /// assert_eq!(buffer.to_vec(&stream)?, [7, 7]);
        /// # Ok(())
        /// # }
        /// ```
        #[must_use]
        pub fn view_mut(&mut self) -> $crate::DeviceViewMut<'_, $T> {
            let owner = self.owner();
            // SAFETY: this object's own memory, borrowed exclusively for no longer than it.
            unsafe { $crate::DeviceViewMut::from_raw(self.ptr, self.len, owner) }
        }

        /// A range of elements, for writing.
        ///
        /// # Errors
        /// The range goes beyond the end.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
        /// buffer.slice_mut(1..3)?.copy_from_slice(&stream, &[5, 6])?;
        /// assert_eq!(buffer.to_vec(&stream)?, [0, 5, 6, 0]);
        /// # Ok(())
        /// # }
        /// ```
        pub fn slice_mut(
            &mut self,
            range: impl std::ops::RangeBounds<usize>,
        ) -> $crate::Result<$crate::DeviceViewMut<'_, $T>> {
            let range = $crate::memory::size::range_within(range, self.len, "slice_mut")?;
            let ptr = self.ptr + (range.start * size_of::<$T>()) as cuda_sys::CUdeviceptr;
            let owner = self.owner();
            // SAFETY: within this object's own memory, borrowed exclusively for no longer than it.
            Ok(unsafe { $crate::DeviceViewMut::from_raw(ptr, range.len(), owner) })
        }

        /// The elements before `index`, and those from it on, for writing.
        ///
        /// # Errors
        /// `index` is beyond the end.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
        /// let (mut head, mut tail) = buffer.split_at_mut(1)?;
        /// head.fill(&stream, 1)?;
        /// tail.copy_from(&stream, &DeviceBuffer::from_slice(&stream, &[2, 3])?)?;
        /// assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
        /// # Ok(())
        /// # }
        /// ```
        #[allow(clippy::type_complexity, reason = "a pair of views")]
        pub fn split_at_mut(
            &mut self,
            index: usize,
        ) -> $crate::Result<($crate::DeviceViewMut<'_, $T>, $crate::DeviceViewMut<'_, $T>)> {
            let index = $crate::memory::size::range_within(..index, self.len, "split_at_mut")?.end;
            let middle = self.ptr + (index * size_of::<$T>()) as cuda_sys::CUdeviceptr;
            let owner = self.owner();
            // SAFETY: two parts of this object's own memory that do not overlap.
            Ok(unsafe {
                (
                    $crate::DeviceViewMut::from_raw(self.ptr, index, owner),
                    $crate::DeviceViewMut::from_raw(middle, self.len - index, owner),
                )
            })
        }

        /// Copies all of `host` here, and waits until `host` has been read.
        ///
        /// # Errors
        /// The lengths differ, or work enqueued before failed.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
        /// buffer.copy_from_slice(&stream, &[1, 2])?;
        /// assert_eq!(buffer.to_vec(&stream)?, [1, 2]);
        /// assert!(buffer.copy_from_slice(&stream, &[1, 2, 3]).is_err()); // lengths differ
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemcpyHtoD")]
        #[doc(alias = "cuMemcpyHtoDAsync")]
        pub fn copy_from_slice(
            &mut self,
            stream: &$crate::Stream,
            host: &[$T],
        ) -> $crate::Result<()> {
            $crate::memory::size::expect_equal(host.len(), self.len, "copy_from_slice")?;
            $crate::memory::copy::host_to_device(self.span(), stream, host)
        }

        /// Enqueues a copy of all of `source`, which may be of another stream or device.
        ///
        /// # Errors
        /// The lengths differ, or the driver refuses.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let source = DeviceBuffer::from_slice(&stream, &[1u32, 2])?;
        /// let mut copy = DeviceBuffer::uninit(&stream, 2)?;
        /// copy.copy_from(&stream, &source)?;
        /// assert_eq!(copy.to_vec(&stream)?, [1, 2]);
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemcpyDtoD")]
        #[doc(alias = "cuMemcpyDtoDAsync")]
        pub fn copy_from(
            &mut self,
            stream: &$crate::Stream,
            source: &(impl $crate::DeviceSlice<$T> + ?Sized),
        ) -> $crate::Result<()> {
            let source = source.view();
            $crate::memory::size::expect_equal(source.len(), self.len, "copy_from")?;
            $crate::memory::copy::device_to_device(self.span(), stream, source.span())
        }

        /// Enqueues setting every element to `value`.
        ///
        /// One driver call for elements of 1, 2 or 4 bytes and for values of equal bytes; one
        /// call for each 4 bytes of the element otherwise.
        ///
        /// # Errors
        /// The driver refuses.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::uninit(&stream, 3)?;
        /// buffer.fill(&stream, 0.1f64)?;
        /// assert_eq!(buffer.to_vec(&stream)?, [0.1; 3]);
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemsetD32Async")]
        pub fn fill(&mut self, stream: &$crate::Stream, value: $T) -> $crate::Result<()> {
            $crate::memory::copy::fill(self.span(), stream, bytemuck::bytes_of(&value))
        }

        /// Enqueues setting every byte to `value`.
        ///
        /// # Errors
        /// The driver refuses.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 2)?;
        /// buffer.memset_u8(&stream, 0xab)?;
        /// assert_eq!(buffer.to_vec(&stream)?, [0xabab_abab; 2]);
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemsetD8Async")]
        pub fn memset_u8(&mut self, stream: &$crate::Stream, value: u8) -> $crate::Result<()> {
            $crate::memory::copy::fill(self.span(), stream, &[value])
        }

        /// Enqueues setting every 16 bits to `value`.
        ///
        /// # Errors
        /// The size is no multiple of 2 bytes.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 2)?;
        /// buffer.memset_u16(&stream, 0x1234)?;
        /// assert_eq!(buffer.to_vec(&stream)?, [0x1234_1234; 2]);
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemsetD16Async")]
        pub fn memset_u16(&mut self, stream: &$crate::Stream, value: u16) -> $crate::Result<()> {
            $crate::memory::copy::fill(self.span(), stream, &value.to_ne_bytes())
        }

        /// Enqueues setting every 32 bits to `value`.
        ///
        /// # Errors
        /// The size is no multiple of 4 bytes.
        ///
        /// ```
        /// # use cuda_safe::{Context, DeviceBuffer, Stream};
        /// # fn main() -> cuda_safe::Result<()> {
        /// # let context = Context::primary(0)?;
        /// # let stream = Stream::new(&context)?;
        /// let mut buffer = DeviceBuffer::<u64>::uninit(&stream, 2)?;
        /// buffer.memset_u32(&stream, 1)?;
        /// assert_eq!(buffer.to_vec(&stream)?, [0x1_0000_0001; 2]);
        /// buffer.memset_u8(&stream, 0xff)?;
        /// assert_eq!(buffer.to_vec(&stream)?, [u64::MAX; 2]);
        /// # Ok(())
        /// # }
        /// ```
        #[doc(alias = "cuMemsetD32Async")]
        pub fn memset_u32(&mut self, stream: &$crate::Stream, value: u32) -> $crate::Result<()> {
            $crate::memory::copy::fill(self.span(), stream, &value.to_ne_bytes())
        }
    };
}

pub(crate) use {device_read_methods, device_write_methods};
