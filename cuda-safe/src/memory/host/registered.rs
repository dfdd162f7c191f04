//! Host memory that the program allocated and that is page-locked in place.

use std::{
    fmt,
    mem::{self, ManuallyDrop},
    ops::{Deref, DerefMut},
    ptr::{self, NonNull},
    slice,
};

use cuda_sys::CUdeviceptr;

use super::{
    pinned::PinnedFlags,
    registration::{RegisterFlags, Registration},
};
use crate::{
    capture::{self, Nothing, release},
    context::Context,
    driver::callback,
    error::{Error, Result, fault::discarding_errors},
    handle::Sendable,
    memory::plain::PlainData,
};

mod sealed {
    use std::ptr::NonNull;

    /// The raw parts of a vector or boxed slice, which its allocator needs.
    #[derive(Debug)]
    pub struct Parts<T> {
        pub(crate) ptr: NonNull<T>,
        pub(crate) len: usize,
        pub(crate) capacity: usize,
    }

    pub trait Sealed {}
}
use sealed::{Parts, Sealed};

/// A host allocation that a [`RegisteredBuffer`] can hold: `Vec<T>` or `Box<[T]>`.
pub trait HostBlock: Sealed + Sized {
    /// The element type.
    type Element: PlainData;

    /// Decomposes the value into its raw parts, without freeing its memory.
    #[doc(hidden)]
    fn into_parts(self) -> Parts<Self::Element>;

    /// Creates the value from its raw parts.
    ///
    /// # Safety
    /// The caller must ensure that the parts came from `into_parts` and are used only once.
    #[doc(hidden)]
    unsafe fn from_parts(parts: Parts<Self::Element>) -> Self;
}

impl<T> Sealed for Vec<T> {}
impl<T> Sealed for Box<[T]> {}

impl<T: PlainData> HostBlock for Vec<T> {
    type Element = T;

    fn into_parts(self) -> Parts<T> {
        let mut this = ManuallyDrop::new(self);
        Parts {
            ptr: NonNull::new(this.as_mut_ptr()).unwrap_or(NonNull::dangling()),
            len: this.len(),
            capacity: this.capacity(),
        }
    }

    unsafe fn from_parts(parts: Parts<T>) -> Self {
        // SAFETY: the parts are those of a vector.
        unsafe { Self::from_raw_parts(parts.ptr.as_ptr(), parts.len, parts.capacity) }
    }
}

impl<T: PlainData> HostBlock for Box<[T]> {
    type Element = T;

    fn into_parts(self) -> Parts<T> {
        HostBlock::into_parts(self.into_vec()) // keeps the memory: a boxed slice has no spare capacity
    }

    unsafe fn from_parts(parts: Parts<T>) -> Self {
        // SAFETY: the parts are those of a vector.
        unsafe { <Vec<T> as HostBlock>::from_parts(parts) }.into_boxed_slice()
    }
}

/// A vector or boxed slice that is page-locked in place, without copying its elements.
///
/// Use it for memory that other code has filled. Registering takes longer than copying the same
/// bytes, so it pays off for memory that is copied often, or that is too large to duplicate. For
/// memory that you allocate yourself, use a [`PinnedBuffer`](crate::PinnedBuffer).
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, memory::RegisteredBuffer, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut numbers = RegisteredBuffer::new(&context, vec![1.0f32, 2.0, 3.0])?;
/// numbers[2] = 4.0; // dereferences to a slice
/// let on_device = DeviceBuffer::from_slice(&stream, &numbers)?;
/// let numbers: Vec<f32> = numbers.into_host()?;
/// assert_eq!(on_device.to_vec(&stream)?, numbers);
/// # Ok(())
/// # }
/// ```
///
/// See [`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
#[doc(alias = "cuMemHostRegister")]
pub struct RegisteredBuffer<H: HostBlock> {
    parts: Parts<H::Element>,
    registration: Registration,
    flags: RegisterFlags,
    /// Whether this object still owns the parts.
    whole: bool,
}

// SAFETY: the elements are plain data and exclusively owned.
unsafe impl<H: HostBlock> Send for RegisteredBuffer<H> {}
// SAFETY: as above, and shared access only reads.
unsafe impl<H: HostBlock> Sync for RegisteredBuffer<H> {}

/// Host memory that could not be registered or mapped, and the reason. The `?` operator keeps only
/// the reason, and drops the memory.
///
/// ```
/// # use cuda_safe::{Context, memory::{RegisterFlags, RegisteredBuffer}};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let unknown = RegisterFlags(1 << 20);
/// let failed = RegisteredBuffer::with_flags(&context, vec![1u8, 2], unknown).unwrap_err();
/// assert_eq!(failed.host, [1, 2]); // not lost
/// # Ok(())
/// # }
/// ```
pub struct RegisterError<H> {
    /// The reason.
    pub error: Error,
    /// The unchanged memory.
    pub host: H,
}

impl<H: HostBlock> RegisteredBuffer<H> {
    /// Page-locks `host`, which is a `Vec<T>` or a `Box<[T]>`.
    ///
    /// See [`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Registration::new`], together with `host`.
    #[doc(alias = "cuMemHostRegister")]
    pub fn new(context: &Context, host: H) -> Result<Self, RegisterError<H>> {
        Self::with_flags(context, host, RegisterFlags::default())
    }

    /// Page-locks `host` with flags, like [`new`](Self::new).
    ///
    /// See [`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Registration::new`], and an error for [`RegisterFlags::IO_MEMORY`].
    /// The error contains `host`.
    #[doc(alias = "cuMemHostRegister")]
    pub fn with_flags(
        context: &Context,
        host: H,
        flags: RegisterFlags,
    ) -> Result<Self, RegisterError<H>> {
        if let Err(error) = flags.expect_memory("RegisteredBuffer::with_flags") {
            return Err(RegisterError { error, host });
        }
        let parts = host.into_parts();
        let (start, bytes) = (
            parts.ptr.as_ptr().cast(),
            parts.len * size_of::<H::Element>(),
        );
        // SAFETY: this object owns the memory, which is plain memory, and frees it only after the
        // registration has ended, if at all.
        match unsafe { Registration::new(context, start, bytes, flags) } {
            Ok(registration) => Ok(Self {
                parts,
                registration,
                flags,
                whole: true,
            }),
            Err(error) => {
                // SAFETY: the parts were taken apart above.
                let host = unsafe { H::from_parts(parts) };
                Err(RegisterError { error, host })
            }
        }
    }

    /// Returns the address by which kernels access this memory, or 0 if the memory is empty.
    ///
    /// To share memory between the host and kernels, see [`MappedBuffer`](crate::MappedBuffer).
    ///
    /// See [`cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory is not mapped.
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_ptr(&self) -> Result<CUdeviceptr> {
        self.registration.device_ptr()
    }

    /// Returns the flags that the memory was registered with.
    pub(in crate::memory) fn registered_with(&self) -> RegisterFlags {
        self.flags
    }

    /// Returns the memory's flags as reported by the driver: see [`Registration::flags`].
    ///
    /// See [`cuMemHostGetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuMemHostGetFlags")]
    pub fn flags(&self) -> Result<PinnedFlags> {
        self.registration.flags()
    }

    /// Returns the context that locked the memory.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.registration.context()
    }

    /// Unregisters the memory and returns it.
    ///
    /// See [`cuMemHostUnregister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if unregistering fails, such as that of an earlier fault. The
    /// memory is then leaked, because the driver would consider other memory at that address
    /// page-locked.
    ///
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) during the capture
    /// of a stream and inside a host function. The memory is then dropped, and is freed as soon as
    /// possible.
    #[doc(alias = "cuMemHostUnregister")]
    pub fn into_host(mut self) -> Result<H> {
        const CALL: &str = "RegisteredBuffer::into_host";
        callback::reject_in_callback(CALL)?;
        let _allowed = capture::reject_during_capture(CALL, "do so after the capture")?;
        self.whole = false;
        self.registration.end()?;
        // SAFETY: these are the original parts, put together once because `whole` is now false.
        Ok(unsafe { H::from_parts(self.take_parts()) })
    }

    /// Unregisters and frees the memory now, and reports errors. Dropping does the same, but
    /// discards the error.
    ///
    /// Inside a host function this is deferred to the next release of an object outside of host
    /// functions.
    ///
    /// See [`cuMemHostUnregister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error, such as that of an earlier fault. The memory is then leaked.
    #[doc(alias = "cuMemHostUnregister")]
    pub fn close(mut self) -> Result<()> {
        self.free()
    }

    fn free(&mut self) -> Result<()> {
        if !mem::take(&mut self.whole) {
            return Ok(()); // unregistered, or leaked
        }
        // A vector and a boxed slice have the same parts, so both can be freed as a vector.
        let Parts { ptr, len, capacity } = self.take_parts();
        let ptr = Sendable(ptr.as_ptr());
        let mut registration = self.registration.take();
        release(&Nothing, move || {
            // After an error the block is leaked, because it may still be registered.
            registration.end()?;
            // SAFETY: the parts are those of a vector, and are put together once.
            drop(unsafe { Vec::from_raw_parts(ptr.get(), len, capacity) });
            Ok(())
        })
    }

    fn take_parts(&self) -> Parts<H::Element> {
        let Parts { ptr, len, capacity } = self.parts;
        Parts { ptr, len, capacity }
    }

    pub(crate) fn as_raw_slice(&self) -> *mut [H::Element] {
        ptr::slice_from_raw_parts_mut(self.parts.ptr.as_ptr(), self.parts.len)
    }
}

impl<H: HostBlock> Drop for RegisteredBuffer<H> {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.free());
    }
}

impl<H: HostBlock> Deref for RegisteredBuffer<H> {
    type Target = [H::Element];
    fn deref(&self) -> &Self::Target {
        // SAFETY: the elements are those of the original vector or slice.
        unsafe { slice::from_raw_parts(self.parts.ptr.as_ptr(), self.parts.len) }
    }
}

impl<H: HostBlock> DerefMut for RegisteredBuffer<H> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        // SAFETY: as in `deref`, and the buffer is exclusively borrowed.
        unsafe { slice::from_raw_parts_mut(self.parts.ptr.as_ptr(), self.parts.len) }
    }
}

impl<H: HostBlock> fmt::Debug for RegisteredBuffer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { ptr, len, .. } = self.parts;
        write!(f, "RegisteredBuffer({ptr:p}, {len} elements)")
    }
}

impl<H> From<RegisterError<H>> for Error {
    fn from(failed: RegisterError<H>) -> Self {
        failed.error
    }
}

impl<H> fmt::Debug for RegisterError<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<H> fmt::Display for RegisterError<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<H> std::error::Error for RegisterError<H> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source() // `Display` already shows the error itself
    }
}
