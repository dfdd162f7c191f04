//! Page-locking of memory that is somebody else's.

use std::{ffi::c_void, fmt, mem, process, ptr};

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use super::pinned::{PinnedFlags, device_address, host_flags, not_locked};
pub use crate::raw::memory::RegisterFlags;
use crate::{
    capture::{self, Nothing, release, released},
    context::Context,
    device::attribute::DeviceAttribute,
    driver::callback,
    error::{Error, ErrorKind, Result, ends_context, fault::unheard},
    memory::plain::PlainData,
};

impl RegisterFlags {
    /// An error unless the flags are true of memory that the program has, which is no device's.
    pub(in crate::memory) fn expect_memory(self, call: &'static str) -> Result<()> {
        if !self.contains(Self::IO_MEMORY) {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            "IO_MEMORY is for the registers and memory of other devices, and this is memory of the program: leave it out, \
             or see Registration",
        ))
    }

    /// As [`expect_memory`](Self::expect_memory), of memory that the device may write to.
    pub(in crate::memory) fn expect_plain(self, call: &'static str) -> Result<()> {
        self.expect_memory(call)?;
        if !self.contains(Self::READ_ONLY) {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            "READ_ONLY is for memory that the device does not write to, and here it may: leave it out, or see \
             page_locked_read and mapped_read",
        ))
    }
}

/// Any host memory, page-locked for as long as this lives: for memory that is neither a vector nor a slice, such as a
/// mapped file, or what another library allocated. For those two see [`RegisteredBuffer`](crate::memory::RegisteredBuffer) and [`Context::page_locked`].
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, memory::{RegisterFlags, Registration}, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let numbers: Vec<u32> = (0..1000).collect(); // or memory from elsewhere
/// let (start, bytes) = (numbers.as_ptr().cast_mut().cast(), size_of_val(&*numbers));
/// // SAFETY: the vector lives for longer, and nothing on the device uses it by its address.
/// let registered = unsafe { Registration::new(&context, start, bytes, RegisterFlags::default())? };
/// let on_device = DeviceBuffer::from_slice(&stream, &numbers)?; // at the full speed of the link
/// registered.close()?;
/// assert_eq!(on_device.to_vec(&stream)?, numbers);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuMemHostRegister")]
pub struct Registration {
    /// Null after the end.
    pub(in crate::memory) start: *mut c_void,
    pub(in crate::memory) context: Context,
}

// SAFETY: an address, which this type never reads or writes behind.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Registration {
    /// Page-locks `bytes` bytes at `start`. No bytes are not registered, which is no error.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the memory stays mapped in the process until the registration has ended, and until the work is over that reaches the
    ///   memory by its device address;
    /// - the flags describe its pages correctly.
    ///
    /// Dropping or closing this object ends the registration at once, except in a host function or a log listener. There it
    /// ends later, when the program next releases an object of this crate outside of such functions: keep the memory mapped
    /// for the rest of the process if you drop this object there.
    ///
    /// # Errors
    /// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` where a part of it is page-locked already.
    /// [`ErrorKind::Unsupported`] where the device can't do what the flags ask for. `CUDA_ERROR_INVALID_VALUE` for flags
    /// that the driver does not know, and for pages that can't be locked as the flags say.
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
        let _allowed = capture::refuse_here("Registration::new", "register before the capture")?;
        let _current = context.enter("cuMemHostRegister_v2")?;
        // SAFETY: the caller vouches for the memory.
        let code = unsafe { sys::cuMemHostRegister_v2(start, bytes, flags.0) };
        if code != CUresult::CUDA_SUCCESS {
            return Err(refusal(context, code, bytes, flags));
        }
        registration.start = start;
        Ok(registration)
    }

    /// Whether there is anything to unregister.
    pub(in crate::memory) fn is_active(&self) -> bool {
        !self.start.is_null()
    }

    /// The address by which kernels reach the first byte; 0 if there are no bytes.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the memory is not mapped.
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_ptr(&self) -> Result<CUdeviceptr> {
        if !self.is_active() {
            return Ok(0);
        }
        device_address(&self.context, self.start)
    }

    /// How the memory is page-locked, as the driver tells it: with unified addressing, all of it is mapped.
    /// None of the flags if there are no bytes.
    ///
    /// # Errors
    /// The context is unusable after a fault.
    #[doc(alias = "cuMemHostGetFlags")]
    pub fn flags(&self) -> Result<PinnedFlags> {
        if !self.is_active() {
            return Ok(PinnedFlags::default());
        }
        host_flags(&self.context, self.start)
    }

    /// The context that locked the memory.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Unregisters the memory now and reports whether that worked. Dropping does the same, and discards the error.
    ///
    /// # Errors
    /// Returns the driver's code. The memory stays page-locked then, and must not be unmapped or freed. Another allocation
    /// at the same address would be taken for it. Returns [`ErrorKind::InvalidArgument`] in a host function, where the
    /// registration ends later: see [`new`](Self::new).
    #[doc(alias = "cuMemHostUnregister")]
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    /// Does nothing to a registration that has ended. In a host function it returns an error and changes nothing.
    pub(in crate::memory) fn end(&mut self) -> Result<()> {
        if !self.is_active() {
            return Ok(());
        }
        callback::refuse_within("cuMemHostUnregister")?;
        let start = mem::replace(&mut self.start, ptr::null_mut());
        let _current = self.context.enter("cuMemHostUnregister")?;
        // SAFETY: registered by this object, and unregistered once; work on it is over, by the contract of `new`.
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

    /// The end of memory that is borrowed, and can't be leaked. See [`Context::page_locked`].
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
        "cuda-safe: the driver can't tell whether a copy to or from borrowed memory is over, since it doesn't unregister \
         that memory ({why}). Going on would let it use memory that is the program's again, so the process ends here."
    );
    process::abort()
}

#[cold]
fn refusal(context: &Context, code: CUresult, bytes: usize, flags: RegisterFlags) -> Error {
    const CALL: &str = "cuMemHostRegister_v2";
    let error = context.error(CALL, code);
    let lacks = |attribute| matches!(context.device().attribute(attribute), Ok(0));
    let read_only = flags.contains(RegisterFlags::READ_ONLY);
    match code {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => not_locked(error, bytes),
        CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED => error.with_detail(
            "a part of the memory is page-locked already: register every piece of memory once, or use PinnedBuffer's as it is",
        ),
        _ if lacks(DeviceAttribute::HOST_REGISTER_SUPPORTED) => error
            .with_kind(ErrorKind::Unsupported)
            .with_detail("this device takes no registered memory: use a PinnedBuffer"),
        _ if read_only && lacks(DeviceAttribute::READ_ONLY_HOST_REGISTER_SUPPORTED) => error
            .with_kind(ErrorKind::Unsupported)
            .with_detail("this device can't register memory as read-only: leave out READ_ONLY"),
        CUresult::CUDA_ERROR_INVALID_VALUE if flags.unnamed().0 != 0 => {
            error.with_detail(format!("the driver doesn't know {:?}", flags.unnamed()))
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
        // The memory is still mapped when a release that is put off is made: see the contract of `new`. An error here can't
        // be acted upon; `close` reports it.
        let _ = unheard(|| release(&Nothing, move || registration.end()));
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registration({:p}, {:?})", self.start, self.context)
    }
}

impl Context {
    /// Page-locks borrowed memory while `body` runs, and passes it on: copies within are as fast as those of a
    /// [`PinnedBuffer`](crate::PinnedBuffer). The memory is unregistered at the end, even if `body` fails or panics.
    ///
    /// For memory that kernels are to reach, see [`Stream::mapped`](crate::Stream::mapped). A `body` with errors of another
    /// type returns them as for [`Stream::scope`](crate::Stream::scope).
    ///
    /// # Errors
    /// As [`Registration::new`], and for [`RegisterFlags::IO_MEMORY`] and [`RegisterFlags::READ_ONLY`]; `body` is not called
    /// then. `body`'s error, or that of unregistering.
    ///
    /// # Aborts
    /// If the memory can't be unregistered, and the context still works, the process ends with a message: the driver
    /// would take for page-locked whatever lies at that address later.
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
        // SAFETY: `host` is borrowed for longer than the call, which outlasts the registration; the flags say nothing of it
        // that isn't so.
        unsafe { while_registered(self, raw.cast_const(), flags, |_| body(host)) }
    }

    /// As [`page_locked`](Self::page_locked), for memory that is only read. The device may still write to it, by its
    /// address, unless it is registered with [`RegisterFlags::READ_ONLY`]; memory whose pages are read-only needs that.
    ///
    /// # Errors
    /// As [`page_locked`](Self::page_locked), but [`RegisterFlags::READ_ONLY`] is taken.
    ///
    /// # Aborts
    /// As [`page_locked`](Self::page_locked).
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
        // SAFETY: `host` is borrowed for longer than the call, which outlasts the registration; it is memory, and only read.
        unsafe { while_registered(self, host, flags, |_| body(host)) }
    }
}

/// Registers `host` while `body` runs.
///
/// # Safety
/// `host` stays allocated for the whole call. What the flags say of it is true.
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
            let _ = unheard(|| self.0.end_borrowed()); // nothing, if it has ended
        }
    }
    let (start, bytes) = (host.cast_mut().cast(), host.len() * size_of::<T>());
    // SAFETY: as this function's contract says; work that reaches the memory by its address is over before the end.
    let registration = unsafe { Registration::new(context, start, bytes, flags)? };
    let mut end = End(registration);
    let result = body(&end.0);
    let ended = end.0.end_borrowed();
    result.and_then(|value| ended.map(|()| value))
}
