//! Owned device memory.

use std::{fmt, marker::PhantomData};

use bytemuck::Pod;
use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use super::{
    copy::Span,
    methods::{device_read_methods, device_write_methods},
    owner::Owner,
    size::byte_size,
};
use crate::{capture::released, error::Result, stream::Stream};

/// `len` elements in device memory, owned.
///
/// A buffer belongs to the stream it was allocated on, and its memory is given back in that
/// stream's order: after everything enqueued there before the drop. Methods that are given
/// another stream order the two around their work. Kernels on another stream are the caller's to
/// order, with [`Stream::join`].
///
/// Elements are plain data: any bits are a valid value ([`bytemuck::Pod`]).
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let mut a = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut b = DeviceBuffer::<f32>::zeroed(&stream, 2)?;
/// b.copy_from(&stream, &a.slice(2..)?)?;
/// a.slice_mut(..2)?.fill(&stream, 9.0)?;
/// assert_eq!((a.len(), a.size_bytes(), a.is_empty()), (4, 16, false));
/// assert_eq!(a.to_vec(&stream)?, [9.0, 9.0, 3.0, 4.0]);
/// assert_eq!(b.to_vec(&stream)?, [3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub struct DeviceBuffer<T: Pod> {
    ptr: CUdeviceptr,
    len: usize,
    stream: Stream,
    owned: bool,
    element: PhantomData<T>,
}

// SAFETY: `T` is plain data and the memory can be used from any thread.
unsafe impl<T: Pod> Send for DeviceBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Sync for DeviceBuffer<T> {}

impl<T: Pod> DeviceBuffer<T> {
    /// Memory for `len` elements with unspecified contents: whatever bits were there before.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), with bytes asked for and free.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u64>::uninit(&stream, 3)?;
    /// buffer.copy_from_slice(&stream, &[1, 2, 3])?; // write it before it is read
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemAllocAsync")]
    #[doc(alias = "cuMemAlloc")]
    pub fn uninit(stream: &Stream, len: usize) -> Result<Self> {
        let bytes = byte_size::<T>(len, "DeviceBuffer::uninit")?;
        let mut buffer = Self {
            ptr: 0,
            len,
            stream: stream.clone(),
            owned: false,
            element: PhantomData,
        };
        if bytes == 0 {
            return Ok(buffer);
        }
        let context = stream.context();
        let _current = stream.enter()?;
        let (call, code) = if context.limits().memory_pools {
            // SAFETY: `ptr` is valid for the write, the stream is live.
            let code = unsafe { sys::cuMemAllocAsync(&mut buffer.ptr, bytes, stream.as_raw()) };
            ("cuMemAllocAsync", code)
        } else {
            // SAFETY: `ptr` is valid for the write.
            ("cuMemAlloc_v2", unsafe {
                sys::cuMemAlloc_v2(&mut buffer.ptr, bytes)
            })
        };
        if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Err(context.out_of_memory(call, bytes));
        }
        context.check(call, code)?;
        buffer.owned = true;
        Ok(buffer)
    }

    /// `len` elements of zero bytes.
    ///
    /// # Errors
    /// As [`uninit`](Self::uninit).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<i16>::zeroed(&stream, 3)?;
    /// assert_eq!(buffer.to_vec(&stream)?, [0; 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemsetD8Async")]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self> {
        let mut buffer = Self::uninit(stream, len)?;
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }

    /// A copy of `host` on the device; waits until `host` has been read.
    ///
    /// # Errors
    /// As [`uninit`](Self::uninit), or work enqueued before failed.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::from_slice(&stream, &[[1.0f32, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(buffer.len(), 2);
    /// assert_eq!(buffer.to_vec(&stream)?[1], [3.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn from_slice(stream: &Stream, host: &[T]) -> Result<Self> {
        let mut buffer = Self::uninit(stream, host.len())?;
        buffer.copy_from_slice(stream, host)?;
        Ok(buffer)
    }

    /// Takes over memory that raw calls allocated.
    ///
    /// # Safety
    /// `ptr` came from `cuMemAllocAsync`, `cuMemAlloc` or [`into_raw`](Self::into_raw) in the
    /// stream's context, is aligned for `T`, has room for `len` elements, and nobody else frees
    /// it. What was enqueued on it elsewhere is ordered before the stream.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let raw = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?.into_raw();
    /// // SAFETY: the three elements just handed over, which nobody else frees.
    /// let buffer = unsafe { DeviceBuffer::<u32>::from_raw(&stream, raw, 3) };
    /// assert_eq!(buffer.as_device_ptr(), raw);
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn from_raw(stream: &Stream, ptr: CUdeviceptr, len: usize) -> Self {
        Self {
            ptr,
            len,
            stream: stream.clone(),
            owned: ptr != 0,
            element: PhantomData,
        }
    }

    /// Hands the memory to the caller, who frees it from now on (with `cuMemFreeAsync`, or
    /// `cuMemFree` once the stream is idle), and keeps the context alive until then: the buffer's
    /// own hold on its stream and context goes with this call. 0 when there are no elements.
    #[must_use]
    pub fn into_raw(mut self) -> CUdeviceptr {
        self.owned = false;
        self.ptr
    }

    /// The stream in whose order the memory is given back.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
    /// assert_eq!(buffer.stream(), &stream);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Gives the memory back now and says whether that worked.
    ///
    /// # Errors
    /// The driver refuses; the memory is leaked.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
    /// assert!(buffer.close().is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemFreeAsync")]
    #[doc(alias = "cuMemFree")]
    pub fn close(mut self) -> Result<()> {
        self.free()
    }

    fn free(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.owned) {
            return Ok(());
        }
        let context = self.stream.context();
        let (call, code) = if context.limits().memory_pools
            && let Ok(_current) = self.stream.enter()
        {
            // SAFETY: owned, and freed once, after everything enqueued on its stream.
            let code = released(|| unsafe { sys::cuMemFreeAsync(self.ptr, self.stream.as_raw()) });
            ("cuMemFreeAsync", code)
        } else {
            // No ordered free, or a per-thread stream seen from another thread: wait for all.
            context.settle().or_leak()?;
            let _current = context.enter()?;
            // SAFETY: owned, and freed once; nothing runs that could use it.
            let code = released(|| unsafe { sys::cuMemFree_v2(self.ptr) });
            ("cuMemFree_v2", code)
        };
        context.check(call, code)
    }

    pub(crate) fn span(&self) -> Span<'_> {
        Span {
            ptr: self.ptr,
            bytes: self.len * size_of::<T>(),
            owner: self.owner(),
        }
    }

    fn owner(&self) -> Owner<'_> {
        Owner::Stream(&self.stream)
    }

    device_read_methods!(T, '_);
    device_write_methods!(T);
}

impl<T: Pod> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBuffer({:#x}, {} elements)", self.ptr, self.len)
    }
}

impl<T: Pod> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        // An error here can't be acted upon (the context has usually faulted); `close` reports it.
        let _ = self.free();
    }
}
