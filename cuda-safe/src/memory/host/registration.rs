//! Page-locking of existing host memory.

use std::{ffi::c_void, fmt, mem, process, ptr};

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use super::pinned::{PinnedFlags, device_address, host_flags, not_locked};
pub use crate::raw::memory::RegisterFlags;
use crate::{
    capture::{self, Nothing, release, released},
    context::Context,
    device::attribute::DeviceAttribute,
    driver::callback,
    error::{Error, ErrorKind, Result, ends_context, fault::discarding_errors},
    memory::plain::PlainData,
};

impl RegisterFlags {
    /// Returns an error if the flags describe device memory, because the memory belongs to the
    /// program.
    pub(in crate::memory) fn expect_memory(self, call: &'static str) -> Result<()> {
        if !self.contains(Self::IO_MEMORY) {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            "IO_MEMORY is for the registers and memory of other devices, but this is memory of the program. Fix: \
             leave it out, or see Registration",
        ))
    }

    /// Checks the flags like [`expect_memory`](Self::expect_memory), for memory that the device may
    /// also write to.
    pub(in crate::memory) fn expect_plain(self, call: &'static str) -> Result<()> {
        self.expect_memory(call)?;
        if !self.contains(Self::READ_ONLY) {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            "READ_ONLY is for memory that the device does not write to, but here it may write. Fix: leave it out, or \
             see page_locked_read and mapped_read",
        ))
    }
}

/// A registration, which page-locks host memory of any kind while the registration is alive.
///
/// Use it for memory that is neither a vector nor a slice, such as a mapped file or an allocation
/// of another library. For vectors and slices, see
/// [`RegisteredBuffer`](crate::memory::RegisteredBuffer) and [`Context::page_locked`].
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, memory::{RegisterFlags, Registration}, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let numbers: Vec<u32> = (0..1000).collect(); // or other memory
/// let (start, bytes) = (numbers.as_ptr().cast_mut().cast(), size_of_val(&*numbers));
/// // SAFETY: the vector outlives the registration, and the device does not use its address.
/// let registered = unsafe { Registration::new(&context, start, bytes, RegisterFlags::default())? };
/// let on_device = DeviceBuffer::from_slice(&stream, &numbers)?; // at the full speed of the link
/// registered.close()?;
/// assert_eq!(on_device.to_vec(&stream)?, numbers);
/// # Ok(())
/// # }
/// ```
///
/// See [`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
#[doc(alias = "cuMemHostRegister")]
pub struct Registration {
    /// Null after the registration has ended.
    pub(in crate::memory) start: *mut c_void,
    pub(in crate::memory) context: Context,
}

// SAFETY: this type never accesses the memory at the address.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Registration {
    /// Page-locks `bytes` bytes at `start`. Does nothing if `bytes` is 0.
    ///
    /// See [`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the memory stays mapped in the process until the registration has ended and all work that
    ///   uses its device address has finished;
    /// - the flags describe its pages correctly.
    ///
    /// Dropping or closing this object ends the registration immediately, except inside a host
    /// function or a log listener. There, the registration ends later, when the program next
    /// releases an object of this crate outside of such functions. If you drop it there, keep the
    /// memory mapped for the rest of the process.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` if a part of the memory is already
    /// page-locked. Returns [`ErrorKind::Unsupported`] if the device does not support the flags.
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know a flag, or if the pages
    /// cannot be locked with these flags. Returns [`ErrorKind::OutOfMemory`] if the host cannot
    /// lock that much memory. Returns [`ErrorKind::InvalidArgument`] if this thread is capturing a
    /// stream.
    #[doc(alias = "cuMemHostRegister")]
    pub unsafe fn new(
        context: &Context,
        start: *mut c_void,
        bytes: usize,
        flags: RegisterFlags,
    ) -> Result<Self> {
        let mut registration = Self {
            start: ptr::null_mut(),
            context: context.clone(),
        };
        if bytes == 0 {
            return Ok(registration);
        }
        let _allowed =
            capture::reject_during_capture("Registration::new", "register before the capture")?;
        let _current = context.enter("cuMemHostRegister_v2")?;
        // SAFETY: the caller guarantees the memory.
        let code = unsafe { sys::cuMemHostRegister_v2(start, bytes, flags.0) };
        if code != CUresult::CUDA_SUCCESS {
            return Err(registration_error(context, code, bytes, flags));
        }
        registration.start = start;
        Ok(registration)
    }

    /// Returns whether there is anything to unregister.
    pub(in crate::memory) fn is_active(&self) -> bool {
        !self.start.is_null()
    }

    /// Returns the address by which kernels access the first byte, or 0 if the memory is empty.
    ///
    /// See [`cuMemHostGetDevicePointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory is not mapped.
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_ptr(&self) -> Result<CUdeviceptr> {
        if !self.is_active() {
            return Ok(0);
        }
        device_address(&self.context, self.start)
    }

    /// Returns the memory's flags as reported by the driver, or no flags if the memory is empty.
    ///
    /// With unified addressing, all page-locked memory is reported as mapped.
    ///
    /// See [`cuMemHostGetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuMemHostGetFlags")]
    pub fn flags(&self) -> Result<PinnedFlags> {
        if !self.is_active() {
            return Ok(PinnedFlags::default());
        }
        host_flags(&self.context, self.start)
    }

    /// Returns the context that locked the memory.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Unregisters the memory now, and reports errors. Dropping does the same, but discards the
    /// error.
    ///
    /// See [`cuMemHostUnregister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error. The memory then stays page-locked and must not be unmapped or
    /// freed, because the driver would consider another allocation at the same address registered.
    /// Returns [`ErrorKind::InvalidArgument`] inside a host function, where the registration ends
    /// later: see [`new`](Self::new).
    #[doc(alias = "cuMemHostUnregister")]
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    /// Does nothing if the registration has ended. Inside a host function, returns an error and
    /// changes nothing.
    pub(in crate::memory) fn end(&mut self) -> Result<()> {
        if !self.is_active() {
            return Ok(());
        }
        callback::reject_in_callback("cuMemHostUnregister")?;
        let start = mem::replace(&mut self.start, ptr::null_mut());
        let _current = self.context.enter("cuMemHostUnregister")?;
        // SAFETY: this object registered the memory and unregisters it once. The contract of `new`
        // says that work on it is over.
        let code = released(|| unsafe { sys::cuMemHostUnregister(start) });
        self.context.check("cuMemHostUnregister", code)
    }

    /// Moves the registration out, so that dropping `self` does nothing.
    pub(in crate::memory) fn take(&mut self) -> Self {
        Self {
            start: mem::replace(&mut self.start, ptr::null_mut()),
            context: self.context.clone(),
        }
    }

    /// Ends the registration of borrowed memory, which cannot be leaked. See
    /// [`Context::page_locked`].
    fn end_borrowed(&mut self) -> Result<()> {
        let start = self.start;
        let first = match self.end() {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let faulted = |error: &Error| error.driver_code().is_some_and(ends_context);
        let mut over = faulted(&first);
        if !over {
            self.start = start;
            match self.end() {
                Ok(()) => return Err(first),
                Err(error) => over = faulted(&error),
            }
        }
        // After a fault of another context, work of this one may still use the memory.
        match over && self.context.is_alone() {
            true => Err(first),
            false => abort(&first),
        }
    }
}

#[cold]
fn abort(why: &dyn fmt::Display) -> ! {
    eprintln!(
        "cuda-safe: the driver cannot tell whether a copy to or from borrowed memory has finished, because it did \
         not unregister the memory ({why}). The device could still write to memory that belongs to the program \
         again, so the process ends here."
    );
    process::abort()
}

#[cold]
fn registration_error(
    context: &Context,
    code: CUresult,
    bytes: usize,
    flags: RegisterFlags,
) -> Error {
    const CALL: &str = "cuMemHostRegister_v2";
    let error = context.error(CALL, code);
    let lacks = |attribute| matches!(context.device().attribute(attribute), Ok(0));
    let read_only = flags.contains(RegisterFlags::READ_ONLY);
    match code {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => not_locked(error, bytes),
        CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED => error.with_detail(
            "a part of the memory is page-locked already. Fix: register all memory only once, and do not register \
             PinnedBuffers",
        ),
        _ if lacks(DeviceAttribute::HOST_REGISTER_SUPPORTED) => error
            .with_kind(ErrorKind::Unsupported)
            .with_detail("this device does not support registered memory. Fix: use a PinnedBuffer"),
        _ if read_only && lacks(DeviceAttribute::READ_ONLY_HOST_REGISTER_SUPPORTED) => error
            .with_kind(ErrorKind::Unsupported)
            .with_detail("this device cannot register memory as read-only. Fix: leave out READ_ONLY"),
        CUresult::CUDA_ERROR_INVALID_VALUE if flags.unnamed().0 != 0 => {
            error.with_detail(format!("the driver does not know {:?}", flags.unnamed()))
        }
        _ => error,
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if !self.is_active() {
            return;
        }
        let mut registration = self.take();
        // The contract of `new` keeps the memory mapped until a deferred release. A drop cannot
        // report an error, but `close` can.
        let _ = discarding_errors(|| release(&Nothing, move || registration.end()));
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registration({:p}, {:?})", self.start, self.context)
    }
}

impl Context {
    /// Page-locks borrowed memory while `body` runs, and passes it on to `body`.
    ///
    /// Copies inside `body` are as fast as those of a [`PinnedBuffer`](crate::PinnedBuffer). The
    /// memory is unregistered at the end, even if `body` fails or panics.
    ///
    /// To let kernels use the memory, see [`Stream::mapped`](crate::Stream::mapped). If `body` has
    /// another error type, see [`Stream::scope`](crate::Stream::scope) for how to return its
    /// errors.
    ///
    /// See [`cuMemHostRegister`, `cuMemHostUnregister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Registration::new`]. Returns [`ErrorKind::InvalidArgument`] if the
    /// flags contain [`RegisterFlags::IO_MEMORY`] or [`RegisterFlags::READ_ONLY`]. In these cases
    /// `body` is not called. Also returns the error of `body`, or an error if unregistering fails.
    ///
    /// # Aborts
    /// Ends the process with a message if the memory cannot be unregistered although the context
    /// still works. Otherwise the driver would consider later memory at that address page-locked.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::RegisterFlags, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut numbers = vec![1u32, 2, 3];
    /// context.page_locked(&mut numbers, RegisterFlags::default(), |numbers| {
    ///     let mut on_device = DeviceBuffer::from_slice(&stream, numbers)?;
    ///     on_device.slice_mut(..2)?.fill(&stream, 7)?;
    ///     on_device.copy_to_slice(&stream, numbers)
    /// })?;
    /// assert_eq!(numbers, [7, 7, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostUnregister")]
    pub fn page_locked<T: PlainData, R>(
        &self,
        host: &mut [T],
        flags: RegisterFlags,
        body: impl FnOnce(&mut [T]) -> Result<R>,
    ) -> Result<R> {
        flags.expect_plain("Context::page_locked")?;
        let raw = ptr::from_mut(host);
        // SAFETY: `host` is borrowed for longer than the call, which outlasts the registration. The
        // flags are checked above.
        unsafe { while_registered(self, raw.cast_const(), flags, |_| body(host)) }
    }

    /// Page-locks borrowed memory like [`page_locked`](Self::page_locked), but `body` only reads
    /// it.
    ///
    /// The device can still write to the memory by its address unless you add
    /// [`RegisterFlags::READ_ONLY`], which read-only pages require.
    ///
    /// See [`cuMemHostRegister`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`page_locked`](Self::page_locked), but accepts
    /// [`RegisterFlags::READ_ONLY`].
    ///
    /// # Aborts
    /// Ends the process in the same cases as [`page_locked`](Self::page_locked).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::RegisterFlags, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let numbers: Vec<u32> = (0..1000).collect();
    /// let on_device = context.page_locked_read(&numbers, RegisterFlags::default(), |numbers| {
    ///     DeviceBuffer::from_slice(&stream, numbers)
    /// })?;
    /// assert_eq!(on_device.to_vec(&stream)?, numbers);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemHostRegister")]
    pub fn page_locked_read<T: PlainData, R>(
        &self,
        host: &[T],
        flags: RegisterFlags,
        body: impl FnOnce(&[T]) -> Result<R>,
    ) -> Result<R> {
        flags.expect_memory("Context::page_locked_read")?;
        // SAFETY: `host` is borrowed for longer than the call, which outlasts the registration. It
        // is plain memory and is only read.
        unsafe { while_registered(self, host, flags, |_| body(host)) }
    }
}

/// Registers `host` while `body` runs.
///
/// # Safety
/// The caller must ensure that `host` stays allocated for the whole call, and that the flags
/// describe it correctly.
pub(in crate::memory) unsafe fn while_registered<T: PlainData, R>(
    context: &Context,
    host: *const [T],
    flags: RegisterFlags,
    body: impl FnOnce(&Registration) -> Result<R>,
) -> Result<R> {
    /// Ends the registration also when `body` panics.
    struct End(Registration);
    impl Drop for End {
        fn drop(&mut self) {
            let _ = discarding_errors(|| self.0.end_borrowed()); // does nothing if it has ended
        }
    }
    let (start, bytes) = (host.cast_mut().cast(), host.len() * size_of::<T>());
    // SAFETY: guaranteed by this function's contract. Work that uses the memory's address is over
    // before the registration ends.
    let registration = unsafe { Registration::new(context, start, bytes, flags)? };
    let mut end = End(registration);
    let result = body(&end.0);
    let ended = end.0.end_borrowed();
    result.and_then(|value| ended.map(|()| value))
}
