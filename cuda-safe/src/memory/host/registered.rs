//! Host memory that the program allocated, page-locked where it is.

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
    error::{Error, Result, fault::unheard},
    handle::Sendable,
    memory::plain::PlainData,
};

mod sealed {
    use std::ptr::NonNull;

    /// Where elements are, and what the allocator has to know.
    #[derive(Debug)]
    pub struct Parts<T> {
        pub(crate) ptr: NonNull<T>,
        pub(crate) len: usize,
        pub(crate) capacity: usize,
    }

    pub trait Sealed {}
}
use sealed::{Parts, Sealed};

/// What a [`RegisteredBuffer`] takes, and gives back: `Vec<T>` or `Box<[T]>`.
pub trait HostBlock: Sealed + Sized {
    /// What it holds.
    type Element: PlainData;

    #[doc(hidden)]
    fn take_apart(self) -> Parts<Self::Element>;

    /// # Safety
    /// The parts came from `take_apart`, and are put together once.
    #[doc(hidden)]
    unsafe fn put_together(parts: Parts<Self::Element>) -> Self;
}

impl<T> Sealed for Vec<T> {}
impl<T> Sealed for Box<[T]> {}

impl<T: PlainData> HostBlock for Vec<T> {
    type Element = T;

    fn take_apart(self) -> Parts<T> {
        let mut this = ManuallyDrop::new(self);
        Parts {
            ptr: NonNull::new(this.as_mut_ptr()).unwrap_or(NonNull::dangling()),
            len: this.len(),
            capacity: this.capacity(),
        }
    }

    unsafe fn put_together(parts: Parts<T>) -> Self {
        // SAFETY: what a vector consisted of.
        unsafe { Self::from_raw_parts(parts.ptr.as_ptr(), parts.len, parts.capacity) }
    }
}

impl<T: PlainData> HostBlock for Box<[T]> {
    type Element = T;

    fn take_apart(self) -> Parts<T> {
        self.into_vec().take_apart() // the same memory: a boxed slice has no room to spare
    }

    unsafe fn put_together(parts: Parts<T>) -> Self {
        // SAFETY: what a vector consisted of.
        unsafe { Vec::put_together(parts) }.into_boxed_slice()
    }
}

/// A vector or boxed slice in page-locked memory: it goes in, and comes out. Its elements stay where they are; nothing is
/// copied.
///
/// It is for memory that somebody else has filled. Registering takes time, more than a copy of the same bytes: it
/// pays for memory that is copied often, or that is too large to be there twice. What the program allocates for this
/// purpose is better a [`PinnedBuffer`](crate::PinnedBuffer).
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, memory::RegisteredBuffer, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut numbers = RegisteredBuffer::new(&context, vec![1.0f32, 2.0, 3.0])?;
/// numbers[2] = 4.0; // a slice for the host
/// let on_device = DeviceBuffer::from_slice(&stream, &numbers)?;
/// let numbers: Vec<f32> = numbers.into_host()?;
/// assert_eq!(on_device.to_vec(&stream)?, numbers);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuMemHostRegister")]
pub struct RegisteredBuffer<H: HostBlock> {
    parts: Parts<H::Element>,
    registration: Registration,
    flags: RegisterFlags,
    /// The parts are still this object's.
    whole: bool,
}

// SAFETY: plain data, exclusively owned.
unsafe impl<H: HostBlock> Send for RegisteredBuffer<H> {}
// SAFETY: as above; shared access only reads.
unsafe impl<H: HostBlock> Sync for RegisteredBuffer<H> {}

/// Memory that could not be registered or mapped, with the reason. A `?` keeps the reason, and drops the memory.
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
    /// What went wrong.
    pub error: Error,
    /// The memory, as it was.
    pub host: H,
}

impl<H: HostBlock> RegisteredBuffer<H> {
    /// Page-locks `host`, which is a `Vec<T>` or a `Box<[T]>`.
    ///
    /// # Errors
    /// As [`Registration::new`]. The error carries `host`.
    #[doc(alias = "cuMemHostRegister")]
    pub fn new(context: &Context, host: H) -> Result<Self, RegisterError<H>> {
        Self::with_flags(context, host, RegisterFlags::default())
    }

    /// As [`new`](Self::new), with flags.
    ///
    /// # Errors
    /// As [`Registration::new`], and for [`RegisterFlags::IO_MEMORY`]. The error carries `host`.
    #[doc(alias = "cuMemHostRegister")]
    pub fn with_flags(
        context: &Context,
        host: H,
        flags: RegisterFlags,
    ) -> Result<Self, RegisterError<H>> {
        if let Err(error) = flags.expect_memory("RegisteredBuffer::with_flags") {
            return Err(RegisterError { error, host });
        }
        let parts = host.take_apart();
        let (start, bytes) = (
            parts.ptr.as_ptr().cast(),
            parts.len * size_of::<H::Element>(),
        );
        // SAFETY: the memory is this object's, and is freed after the registration has ended, or never. It is plain memory.
        match unsafe { Registration::new(context, start, bytes, flags) } {
            Ok(registration) => Ok(Self {
                parts,
                registration,
                flags,
                whole: true,
            }),
            Err(error) => {
                // SAFETY: taken apart above.
                let host = unsafe { H::put_together(parts) };
                Err(RegisterError { error, host })
            }
        }
    }

    /// The address by which kernels reach this memory; 0 if there are no bytes. For memory that both sides use, see
    /// [`MappedBuffer`](crate::MappedBuffer).
    ///
    /// # Errors
    /// As [`Registration::device_ptr`].
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_ptr(&self) -> Result<CUdeviceptr> {
        self.registration.device_ptr()
    }

    /// What it was registered with.
    pub(in crate::memory) fn registered_with(&self) -> RegisterFlags {
        self.flags
    }

    /// How the memory is page-locked; see [`Registration::flags`].
    ///
    /// # Errors
    /// The context is unusable after a fault.
    #[doc(alias = "cuMemHostGetFlags")]
    pub fn flags(&self) -> Result<PinnedFlags> {
        self.registration.flags()
    }

    /// The context that locked the memory.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.registration.context()
    }

    /// Unregisters the memory, and returns it.
    ///
    /// # Errors
    /// Returns the driver's code, such as that of a fault. The memory is leaked then: the driver would take other memory at
    /// that address for page-locked. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) while a stream is being captured, and in a host
    /// function. The memory is dropped then, and freed when that is possible again.
    #[doc(alias = "cuMemHostUnregister")]
    pub fn into_host(mut self) -> Result<H> {
        const CALL: &str = "RegisteredBuffer::into_host";
        callback::refuse_within(CALL)?;
        let _allowed = capture::refuse_here(CALL, "do so after the capture")?;
        self.whole = false;
        self.registration.end()?;
        // SAFETY: the parts that came in, put together once: `whole` says so.
        Ok(unsafe { H::put_together(self.take_parts()) })
    }

    /// Unregisters the memory, frees it, and reports whether that worked. Dropping does the same, and discards the error.
    /// In a host function this is done later, by the next release of an object outside of host functions.
    ///
    /// # Errors
    /// Returns the driver's code, such as that of a fault. The memory is leaked then.
    #[doc(alias = "cuMemHostUnregister")]
    pub fn close(mut self) -> Result<()> {
        self.free()
    }

    fn free(&mut self) -> Result<()> {
        if !mem::take(&mut self.whole) {
            return Ok(()); // unregistered, or leaked
        }
        // How the block came in doesn't matter any more: a vector and a boxed slice have the same parts.
        let Parts { ptr, len, capacity } = self.take_parts();
        let ptr = Sendable(ptr.as_ptr());
        let mut registration = self.registration.take();
        release(&Nothing, move || {
            // After an error the block is leaked: it may still be registered.
            registration.end()?;
            // SAFETY: the parts of a vector, put together once.
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
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.free());
    }
}

impl<H: HostBlock> Deref for RegisteredBuffer<H> {
    type Target = [H::Element];
    fn deref(&self) -> &Self::Target {
        // SAFETY: the elements that came in.
        unsafe { slice::from_raw_parts(self.parts.ptr.as_ptr(), self.parts.len) }
    }
}

impl<H: HostBlock> DerefMut for RegisteredBuffer<H> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        // SAFETY: as in `deref`, and exclusively borrowed.
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
        self.error.source() // `Display` has told the error itself
    }
}
