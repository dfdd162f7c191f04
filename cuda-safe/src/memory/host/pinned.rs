//! Page-locked host memory.

use std::{
    ffi::c_void,
    fmt,
    ops::{Deref, DerefMut},
    ptr::{self, NonNull},
    slice,
};

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

pub use crate::raw::memory::PinnedFlags;
use crate::{
    capture::{self, Nothing, release, released},
    context::Context,
    error::{Error, ErrorKind, Result, fault::discarding_errors},
    handle::Sendable,
    memory::{alignment::expect_aligned, plain::PlainData, size::byte_size},
};

/// A buffer of `len` elements in page-locked (pinned) host memory. Asynchronous copies require
/// page-locked memory, and other copies are faster with it.
///
/// It dereferences to a slice. The host caches the memory unless it was allocated with
/// [`PinnedFlags::WRITE_COMBINED`].
///
/// ```
/// use cuda_safe::{Context, PinnedBuffer};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let mut buffer = PinnedBuffer::<f32>::zeroed(&context, 3)?;
/// buffer[1] = 2.0;
/// assert_eq!(*buffer, [0.0, 2.0, 0.0]);
/// # Ok(())
/// # }
/// ```
pub struct PinnedBuffer<T: PlainData> {
    /// Dangling but aligned if the buffer is empty.
    ptr: NonNull<T>,
    len: usize,
    context: Context,
    owned: bool,
}

// SAFETY: the elements are plain data and exclusively owned.
unsafe impl<T: PlainData> Send for PinnedBuffer<T> {}
// SAFETY: as above, and shared access only reads.
unsafe impl<T: PlainData> Sync for PinnedBuffer<T> {}

impl<T: PlainData> PinnedBuffer<T> {
    /// Allocates `len` elements and sets all bytes to zero.
    ///
    /// See [`cuMemHostAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), or another driver error,
    /// if the host cannot lock that much memory. Also returns the other errors of
    /// [`with_flags`](Self::with_flags).
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let buffer = PinnedBuffer::<u32>::zeroed(&context, 3)?;
    /// assert_eq!(*buffer, [0; 3]);
    /// assert_eq!(buffer.context(), &context);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostAlloc")]
    pub fn zeroed(context: &Context, len: usize) -> Result<Self> {
        Self::with_flags(context, len, PinnedFlags::default())
    }

    /// Allocates a page-locked copy of `host`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), or another driver error,
    /// if the host cannot lock that much memory. Also returns the other errors of
    /// [`with_flags`](Self::with_flags).
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let buffer = PinnedBuffer::from_slice(&context, &[1u32, 2])?;
    /// assert_eq!(buffer.iter().sum::<u32>(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_slice(context: &Context, host: &[T]) -> Result<Self> {
        let mut buffer = Self::zeroed(context, host.len())?;
        buffer.copy_from_slice(host);
        Ok(buffer)
    }

    /// Allocates `len` elements with flags, and sets all bytes to zero.
    ///
    /// See [`cuMemHostAlloc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know a flag. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if this thread is
    /// capturing a stream, or if the memory is not aligned for `T`. The latter happens only for
    /// types with an alignment above 256 bytes. Returns
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), or another driver error, if the
    /// host cannot lock that much memory.
    #[doc(alias = "cuMemHostAlloc")]
    pub fn with_flags(context: &Context, len: usize, flags: PinnedFlags) -> Result<Self> {
        let bytes = byte_size::<T>(len, "PinnedBuffer::with_flags")?;
        let mut buffer = Self {
            ptr: NonNull::dangling(),
            len,
            context: context.clone(),
            owned: false,
        };
        if bytes == 0 {
            return Ok(buffer);
        }
        let _allowed = capture::reject_during_capture(
            "PinnedBuffer::with_flags",
            "allocate before the capture",
        )?;
        let _current = context.enter("cuMemHostAlloc")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuMemHostAlloc(&mut raw, bytes, flags.0) };
        if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Err(not_locked(context.error("cuMemHostAlloc", code), bytes));
        }
        context
            .check("cuMemHostAlloc", code)
            .map_err(|error| match (code, flags.unnamed()) {
                (CUresult::CUDA_ERROR_INVALID_VALUE, unknown) if unknown.0 != 0 => {
                    error.with_detail(format!("the driver does not know {unknown:?}"))
                }
                _ => error,
            })?;
        let Some(ptr) = NonNull::new(raw.cast::<T>()) else {
            return Err(context.error("cuMemHostAlloc", CUresult::CUDA_ERROR_UNKNOWN));
        };
        buffer.ptr = ptr;
        buffer.owned = true;
        expect_aligned::<T>(ptr.addr().get() as CUdeviceptr, "PinnedBuffer::with_flags")?;
        // SAFETY: `bytes` bytes were allocated above.
        unsafe { ptr.as_ptr().cast::<u8>().write_bytes(0, bytes) };
        Ok(buffer)
    }

    /// Takes ownership of memory for `len` elements that a raw call page-locked.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `ptr` came from `cuMemHostAlloc`, `cuMemAllocHost` or [`into_raw`](Self::into_raw) in this
    ///   context;
    /// - it is aligned for `T` and has `len` initialized elements (drivers align allocations to at
    ///   least 256 bytes, and not necessarily to whole pages);
    /// - nothing else uses or frees the memory.
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let raw = PinnedBuffer::from_slice(&context, &[1u32, 2])?.into_raw();
    /// // SAFETY: `raw` has two elements, and nothing else frees it.
    /// let buffer = unsafe { PinnedBuffer::from_raw(raw, 2, &context) };
    /// assert_eq!(*buffer, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn from_raw(ptr: NonNull<T>, len: usize, context: &Context) -> Self {
        Self {
            ptr,
            len,
            context: context.clone(),
            owned: len * size_of::<T>() > 0,
        }
    }

    /// Gives up ownership of the memory and returns its address.
    ///
    /// You must free it with `cuMemFreeHost`, and keep the context alive until then. If the buffer
    /// is empty, the pointer is dangling and must not be freed.
    #[must_use]
    pub fn into_raw(mut self) -> NonNull<T> {
        self.owned = false;
        self.ptr
    }

    /// Returns the context that locked the memory.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the address by which kernels access this memory, or 0 if the memory is empty.
    ///
    /// This requires [`PinnedFlags::DEVICE_MAP`] or a device with unified addressing.
    ///
    /// See [`cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory is not mapped.
    ///
    /// ```
    /// # use cuda_safe::{Context, LaunchConfig, Module, PinnedBuffer, memory::PinnedFlags, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let source = r#"extern "C" __global__ void set(unsigned long long x) { *(int *)x = 7; }"#;
    /// let set = Module::compile(&context, source)?.function("set")?;
    /// let x = PinnedBuffer::<i32>::with_flags(&context, 1, PinnedFlags::DEVICE_MAP)?;
    /// // SAFETY: the kernel writes one int, which is read only after the wait for the stream.
    /// unsafe { set.launch(&stream, LaunchConfig::new(1, 1), (x.device_ptr()?,))? };
    /// stream.synchronize()?;
    /// assert_eq!(x[0], 7);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_ptr(&self) -> Result<CUdeviceptr> {
        if !self.owned {
            return Ok(0);
        }
        device_address(&self.context, self.ptr.as_ptr().cast())
    }

    /// Returns the memory's flags as reported by the driver, or no flags if the memory is empty.
    ///
    /// With unified addressing, all page-locked memory is reported as mapped.
    ///
    /// See [`cuMemHostGetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer, memory::PinnedFlags};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let buffer = PinnedBuffer::<u32>::with_flags(&context, 4, PinnedFlags::WRITE_COMBINED)?;
    /// assert!(buffer.flags()?.contains(PinnedFlags::WRITE_COMBINED));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostGetFlags")]
    pub fn flags(&self) -> Result<PinnedFlags> {
        if !self.owned {
            return Ok(PinnedFlags::default());
        }
        host_flags(&self.context, self.ptr.as_ptr().cast())
    }

    /// Returns a raw slice of all elements. It creates no reference, because a copy may be running.
    pub(crate) fn as_raw_slice(&self) -> *mut [T] {
        ptr::slice_from_raw_parts_mut(self.ptr.as_ptr(), self.len)
    }

    /// Frees the memory now, and reports errors. Dropping does the same, but discards the error.
    ///
    /// See [`cuMemFreeHost`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error for the call that frees the memory, such as that of an earlier
    /// fault. The memory is then leaked.
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// assert!(PinnedBuffer::<u8>::zeroed(&context, 16)?.close().is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemFreeHost")]
    pub fn close(mut self) -> Result<()> {
        self.free()
    }

    fn free(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.owned) {
            return Ok(());
        }
        let (ptr, context) = (Sendable(self.ptr.as_ptr()), self.context.clone());
        release(&Nothing, move || {
            let _current = context.enter("cuMemFreeHost")?;
            // SAFETY: the memory is owned and freed once. A running copy would own the buffer, and
            // launches promised that kernels using the address have finished.
            let code = released(|| unsafe { sys::cuMemFreeHost(ptr.get().cast()) });
            context.check("cuMemFreeHost", code)
        })
    }
}

/// Returns the device address of page-locked memory.
pub(in crate::memory) fn device_address(
    context: &Context,
    host: *mut c_void,
) -> Result<CUdeviceptr> {
    let _current = context.enter("cuMemHostGetDevicePointer_v2")?;
    let mut raw = 0;
    // SAFETY: `raw` is valid for the write. The driver looks up the host address.
    let code = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut raw, host, 0) };
    context.check("cuMemHostGetDevicePointer_v2", code)?;
    Ok(raw)
}

/// Returns the flags of page-locked memory.
pub(in crate::memory) fn host_flags(context: &Context, host: *mut c_void) -> Result<PinnedFlags> {
    let _current = context.enter("cuMemHostGetFlags")?;
    let mut flags = 0;
    // SAFETY: `flags` is valid for the write. The driver looks up the host address.
    let code = unsafe { sys::cuMemHostGetFlags(&mut flags, host) };
    context.check("cuMemHostGetFlags", code)?;
    Ok(PinnedFlags(flags))
}

impl<T: PlainData> Deref for PinnedBuffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the pointer has `len` initialized elements, or is dangling and has no bytes.
        unsafe { slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}

impl<T: PlainData> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and the buffer is exclusively borrowed.
        unsafe { slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

impl<T: PlainData> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer({:p}, {} elements)", self.ptr, self.len)
    }
}

impl<T: PlainData> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.free());
    }
}

/// Corrects the error of the driver, which reports a lack of host memory like one of device memory.
#[cold]
pub(in crate::memory) fn not_locked(error: Error, bytes: usize) -> Error {
    let kind = ErrorKind::OutOfMemory {
        requested: bytes,
        free: 0,
        total: 0,
    };
    error.with_kind(kind).with_detail(
        "the host cannot page-lock that many bytes. Fix: check `ulimit -l` and the host's free memory",
    )
}
