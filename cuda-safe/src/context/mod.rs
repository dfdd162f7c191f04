//! Contexts, the state of a process on a device. Everything created in a context keeps it alive.
//!
//! [`Context::primary`] is the usual choice. The module [`green`](crate::green) has contexts that
//! use only some of the multiprocessors.
//!
//! - A context: [`Context`], [`ContextFlags`], [`PushedContext`]
//! - Settings of a context: [`Limit`], [`CacheConfig`]
//! - Memory of a device: [`MemoryInfo`]

mod affinity;
mod captures;
mod current;
mod enter;
mod flags;
pub(crate) mod gpu_direct;
pub(crate) mod green;
mod limits;
mod others;
pub(crate) mod release;
pub(crate) mod resource;
mod settings;
pub(crate) mod settle;
mod wait;

use std::{
    fmt, ptr,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_sys::{self as sys, CUcontext, CUdevice, CUresult};

pub(crate) use current::Current;
pub use enter::PushedContext;
pub use flags::ContextFlags;
pub(crate) use green::GreenContext;
pub(crate) use green::RawGreen;
pub(crate) use limits::Limits;
use others::Presence;
pub use settings::{CacheConfig, Limit};
pub(crate) use settle::Settled;
pub(crate) use wait::settle_in;

use settle::settle;

use crate::{
    capture::{self, Nothing, relaxed, release},
    device::Device,
    driver::{self, callback, check, newer},
    error::{
        DROP, Error, ErrorKind, FAULTED, FIND, Result,
        fault::{Detail, Fault},
        is_fault,
        report::report,
    },
    handle::{Handle, Kind, Sendable, Weak, handle},
};

/// A context on a device.
///
/// Cloning creates another reference to the same context. The context is released when the last
/// clone and everything created in it have been dropped.
///
/// **Threads.** You can call methods of a context, and of everything created in it, on any thread.
/// Each method makes the context current for the duration of the call if necessary. If a thread has
/// no current context, the context also stays current on it afterwards.
///
/// **Resets.** `cuDevicePrimaryCtxReset`, which `cudaDeviceReset` also calls, destroys the device's
/// primary context for the whole process. All handles created in that context become invalid. With
/// a current driver, using or dropping a stream then ends the process with a segmentation fault.
/// This crate never calls the function. If a library in your process may call it, use a separate
/// context from [`create`](Self::create).
///
/// ```
/// use cuda_safe::Context;
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let memory = context.memory_info()?;
/// assert!(memory.free <= memory.total);
/// assert_eq!(Context::primary(0)?, context); // there is one primary context per device
/// # Ok(())
/// # }
/// ```
pub struct Context(Handle<ContextKind>);

struct ContextKind {
    is_primary: bool,
    limits: Limits,
    /// The first fault seen, to which later errors refer.
    fault: Fault,
    presence: Arc<Presence>,
}

impl Kind for ContextKind {
    type Raw = CUcontext;
    type Parent = Device;
    const NAME: &'static str = "Context";

    unsafe fn release(&self, raw: CUcontext, device: &Device) -> Result<()> {
        let (raw, device, is_primary) = (Sendable(raw), *device, self.is_primary);
        let presence = self.presence.clone();
        // No stream of the context is capturing, because a capture holds its stream, which holds
        // the context.
        release(&Nothing, move || {
            let _until_released = presence;
            let raw = raw.get();
            if is_primary {
                // SAFETY: by this function's contract, one retain is released once.
                return driver::call("cuDevicePrimaryCtxRelease_v2", || unsafe {
                    sys::cuDevicePrimaryCtxRelease_v2(device.as_raw())
                });
            }
            // Dropped streams may have left work. The driver waits for it, too, but does not
            // document that.
            wait_for(raw)?;
            // SAFETY: by this function's contract, the context is destroyed once.
            driver::call("cuCtxDestroy_v2", || unsafe { sys::cuCtxDestroy_v2(raw) })
        })
    }

    fn show(&self, raw: CUcontext, device: &Device, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({raw:p}, device {})", device.ordinal())
    }
}

handle!(Context, CUcontext, released by "cuCtxDestroy" or "cuDevicePrimaryCtxRelease");

/// Free and total device memory, in bytes.
///
/// ```
/// # use cuda_safe::Context;
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let memory = context.memory_info()?;
/// assert!(memory.free <= memory.total);
/// println!("{:.1} % free", 100.0 * memory.free as f64 / memory.total as f64);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Unused bytes, taking all processes into account.
    pub free: usize,
    /// Total bytes on the device.
    pub total: usize,
}

/// The primary contexts in use, to create only one object per device.
static PRIMARY: Mutex<Vec<(CUdevice, Weak<ContextKind>)>> = Mutex::new(Vec::new());

impl Context {
    /// Returns the primary context of the device with this ordinal, counted from 0.
    ///
    /// This is the usual choice. The CUDA runtime and other libraries in the process use the same
    /// context.
    ///
    /// See [`cuDevicePrimaryCtxRetain`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDevice`] if there is no such device or no driver. Returns
    /// [`ErrorKind::OutOfMemory`] or another driver error if the context cannot be created, for
    /// example because another process uses the device in exclusive mode.
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary(ordinal: u32) -> Result<Self> {
        Self::primary_of(Device::get(ordinal)?)
    }

    /// Returns the primary context of a device.
    ///
    /// See [`cuDevicePrimaryCtxRetain`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDevice`] if there is no driver. Returns [`ErrorKind::OutOfMemory`] or
    /// another driver error if the context cannot be created: see [`primary`](Self::primary).
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary_of(device: Device) -> Result<Self> {
        // Checked before locking, because a log listener runs inside the driver call made under the
        // lock.
        callback::reject_in_callback("cuDevicePrimaryCtxRetain")?;
        let mut registry = PRIMARY.lock().unwrap_or_else(PoisonError::into_inner);
        registry.retain(|(_, context)| !context.is_released());
        let found = registry.iter().find(|(raw, _)| *raw == device.as_raw());
        if let Some(context) = found.and_then(|(_, context)| context.upgrade()) {
            return Ok(Self(context));
        }
        // Read before the retain, because no context may be dropped under the lock: that releases
        // other objects, too.
        let limits = Limits::of(device)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        driver::call("cuDevicePrimaryCtxRetain", || unsafe {
            sys::cuDevicePrimaryCtxRetain(&mut raw, device.as_raw())
        })?;
        // SAFETY: this call owns the retain.
        let context = unsafe { Self::with_limits(raw, true, device, true, limits) };
        registry.push((device.as_raw(), context.0.downgrade()));
        Ok(context)
    }

    /// Sets the flags of the device's primary context. They take effect immediately, even if the
    /// context is in use.
    ///
    /// See [`cuDevicePrimaryCtxSetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know a flag, or if flags
    /// contradict each other.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// Context::set_primary_flags(device, ContextFlags::BLOCKING_SYNC)?;
    /// let context = Context::primary_of(device)?;
    /// assert_ne!(context.flags()?.0 & ContextFlags::BLOCKING_SYNC.0, 0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDevicePrimaryCtxSetFlags")]
    pub fn set_primary_flags(device: Device, flags: ContextFlags) -> Result<()> {
        // SAFETY: the arguments are plain values, and the driver rejects unknown flags.
        driver::call("cuDevicePrimaryCtxSetFlags_v2", || unsafe {
            sys::cuDevicePrimaryCtxSetFlags_v2(device.as_raw(), flags.0)
        })
    }

    /// Creates a context on a device that is separate from the primary one.
    ///
    /// See [`cuCtxCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not accept the flags. Returns
    /// [`ErrorKind::OutOfMemory`], or another driver error, if the context cannot be created.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// let context = Context::create(device, ContextFlags::AUTO)?;
    /// assert_ne!(context, Context::primary_of(device)?);
    /// context.close()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxCreate")]
    pub fn create(device: Device, flags: ContextFlags) -> Result<Self> {
        callback::reject_in_callback("cuCtxCreate")?;
        driver::init()?;
        let create = newer::cuCtxCreate()?;
        // SAFETY: the place is valid for the write.
        Self::created(device, |raw| unsafe {
            create(raw, flags.0, device.as_raw())
        })
    }

    /// Wraps the context that `create` creates and makes current.
    fn created(device: Device, create: impl FnOnce(*mut CUcontext) -> CUresult) -> Result<Self> {
        let mut raw = ptr::null_mut();
        check("cuCtxCreate", create(&mut raw))?;
        let mut popped = ptr::null_mut();
        // SAFETY: pops the context that the call above pushed, and `popped` is valid for the write.
        let code = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        // SAFETY: the context was just created and has no other owner.
        let context = unsafe { Self::wrap(raw, true, device, false) }?;
        context.check("cuCtxPopCurrent_v2", code)?;
        Ok(context)
    }

    /// Takes ownership of a raw context, which is released when the last clone is dropped.
    ///
    /// It can be a context from `cuCtxCreate`, or one retain of a primary context
    /// (`cuDevicePrimaryCtxRetain`). To use a context that other code owns, see
    /// [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live context, and that nothing else destroys it or
    /// releases that retain.
    ///
    /// # Errors
    /// Returns an error if the driver does not know the handle, which then still belongs to the
    /// caller. Returns an error if the device's limits cannot be read. The context has then been
    /// released.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
    /// let raw = context.into_raw().expect("not shared"); // no longer owned by this crate
    /// // SAFETY: the raw context is live, and nothing destroys it.
    /// let context = unsafe { Context::borrow_raw(raw)? };
    /// assert_eq!(context.as_raw(), raw);
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn from_raw(raw: CUcontext) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract.
        let device = unsafe { Self::device_of(raw)? };
        let is_primary = Self::is_primary(device, raw)?;
        // SAFETY: as above.
        unsafe { Self::wrap(raw, true, device, is_primary) }
    }

    /// Borrows a context that other code owns, such as another library. The returned object never
    /// releases it.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live context, and that it stays alive until the last
    /// clone of the returned context and everything created in it have been dropped.
    ///
    /// # Errors
    /// Returns an error if the driver does not know the handle, or if the device's limits cannot be
    /// read.
    ///
    /// ```
    /// # use cuda_safe::Context;
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let raw = context.as_raw(); // could come from another library
    /// // SAFETY: `context` outlives `same`.
    /// let same = unsafe { Context::borrow_raw(raw)? };
    /// assert_eq!(same, context);
    /// assert_eq!(same.device(), context.device());
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn borrow_raw(raw: CUcontext) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract.
        let device = unsafe { Self::device_of(raw)? };
        // SAFETY: as above. The last argument only affects the release, and a borrowed context is
        // not released.
        unsafe { Self::wrap(raw, false, device, false) }
    }

    /// Returns the device of a raw context.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live context.
    unsafe fn device_of(raw: CUcontext) -> Result<Device> {
        driver::init()?;
        let mut device: CUdevice = 0;
        {
            // SAFETY: by this function's contract, `raw` is a live context.
            let _current = unsafe { current::push(raw)? };
            // SAFETY: `device` is valid for the write.
            driver::call("cuCtxGetDevice", || unsafe {
                sys::cuCtxGetDevice(&mut device)
            })?;
        }
        Device::from_raw(device)
    }

    /// Returns whether a context of the device is its primary one.
    fn is_primary(device: Device, raw: CUcontext) -> Result<bool> {
        let (mut flags, mut active) = (0, 0);
        // SAFETY: both are valid for the write.
        driver::call("cuDevicePrimaryCtxGetState", || unsafe {
            sys::cuDevicePrimaryCtxGetState(device.as_raw(), &mut flags, &mut active)
        })?;
        // Retaining an inactive primary context would create it.
        Ok(active != 0 && Self::primary_of(device)?.as_raw() == raw)
    }

    /// Wraps a raw context.
    ///
    /// # Safety
    /// The contract of [`Handle::new`] applies.
    unsafe fn wrap(raw: CUcontext, owned: bool, device: Device, is_primary: bool) -> Result<Self> {
        let limits = Limits::of(device);
        // An owned context is released even if the limits cannot be read.
        let (limits, error) = match limits {
            Ok(limits) => (limits, None),
            Err(error) => (Limits::default(), Some(error)),
        };
        // SAFETY: guaranteed by this function's contract.
        let context = unsafe { Self::with_limits(raw, owned, device, is_primary, limits) };
        error.map_or(Ok(context), Err)
    }

    /// Wraps a raw context whose device limits are known.
    ///
    /// # Safety
    /// The contract of [`Handle::new`] applies.
    unsafe fn with_limits(
        raw: CUcontext,
        owned: bool,
        device: Device,
        is_primary: bool,
        limits: Limits,
    ) -> Self {
        let kind = ContextKind {
            is_primary,
            limits,
            fault: Fault::default(),
            presence: Arc::new(Presence::new(raw)),
        };
        // SAFETY: guaranteed by this function's contract.
        Self(unsafe { Handle::new(raw, owned, device, kind) })
    }

    /// Returns the device of the context.
    #[must_use]
    pub fn device(&self) -> Device {
        *self.0.parent()
    }

    /// Waits until all work enqueued in this context has finished.
    ///
    /// See [`cuCtxSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Fault`] or [`ErrorKind::Poisoned`] if a kernel has faulted. Returns
    /// [`ErrorKind::InvalidArgument`] if this crate is capturing a stream of the context on any
    /// thread, because the wait would invalidate the capture. Returns
    /// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if raw calls are capturing one.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// context.synchronize()?;
    /// assert!(stream.query()?); // all work is done
    /// assert!(!context.is_poisoned());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        const CALL: &str = "Context::synchronize";
        let _allowed =
            capture::reject_during_capture(CALL, "make this call before or after the capture")?;
        let _uncaptured = self.uncaptured(CALL)?;
        // SAFETY: the call uses the current context.
        let code = unsafe { sys::cuCtxSynchronize() };
        self.check("cuCtxSynchronize", code)
    }

    /// Returns the free and the total device memory, in bytes.
    ///
    /// See [`cuMemGetInfo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or if it has been destroyed.
    #[doc(alias = "cuMemGetInfo")]
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        let _current = self.enter("cuMemGetInfo_v2")?;
        let (info, code) = read_memory_info();
        self.check("cuMemGetInfo_v2", code)?;
        Ok(info)
    }

    #[inline]
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.kind().limits
    }

    /// Converts the code of a raw call into a `Result`, with the call, the reason and the remedy in
    /// the error.
    ///
    /// A fault is remembered, so that later errors in this context can refer to it
    /// ([`ErrorKind::Poisoned`]). If a drop encounters a fault, which it cannot report, the next
    /// call reports it.
    ///
    /// # Errors
    /// Returns an error for any code except `CUDA_SUCCESS`.
    ///
    /// ```
    /// use cuda_safe::{Context, sys};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::primary(0)?;
    /// let _current = context.push_current()?;
    /// let (mut free, mut total) = (0, 0);
    /// // SAFETY: both are valid for the write.
    /// context.check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
    /// assert!(free <= total);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        if code == CUresult::CUDA_SUCCESS {
            Ok(())
        } else {
            Err(self.error(call, code))
        }
    }

    /// Returns whether an earlier fault has made the context unusable.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.0.kind().fault.is_known()
    }

    #[cold]
    pub(crate) fn error(&self, call: &'static str, code: CUresult) -> Error {
        self.error_after(call, code, || None)
    }

    /// Creates an error like [`error`](Self::error). `last` returns the name of the kernel launched
    /// last, if known.
    #[cold]
    pub(crate) fn error_after(
        &self,
        call: &'static str,
        code: CUresult,
        last: impl FnOnce() -> Option<String>,
    ) -> Error {
        if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return self.out_of_memory(call, 0);
        }
        if !is_fault(code) {
            return Error::driver(call, code);
        }
        self.0.kind().fault.error(call, code, |error| {
            let report = report(self.as_raw());
            let has_report = report.is_some();
            let text = match (report, last()) {
                // The emulator's report is complete.
                (Some(report), _) => {
                    #[cfg(feature = "nvrtc")]
                    let report = crate::error::sources::explain(&report);
                    format!("{FAULTED}. {DROP}\n{report}")
                }
                (None, Some(last)) => format!(
                    "{FAULTED} (the last one that was launched on this stream is `{last}`). {DROP}. {FIND}"
                ),
                (None, None) => error.detail().to_owned(),
            };
            Detail { text, has_report }
        })
    }

    /// Checks a driver code like [`check`](Self::check), for a call that allocates `bytes` bytes of
    /// device memory.
    pub(crate) fn check_allocation(
        &self,
        call: &'static str,
        code: CUresult,
        bytes: usize,
    ) -> Result<()> {
        match code {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(self.out_of_memory(call, bytes)),
            code => self.check(call, code),
        }
    }

    /// Creates an error with the free and the total memory, or zeros if the driver does not report
    /// them.
    ///
    /// Use only calls that create plain errors here. An error from [`check`](Self::check) could be
    /// another out-of-memory error, which would query the memory again, without end.
    #[cold]
    fn out_of_memory(&self, call: &'static str, requested: usize) -> Error {
        let read = || {
            callback::reject_in_callback("cuMemGetInfo")?;
            // SAFETY: the handle is live.
            let _current = unsafe { current::push(self.as_raw())? };
            let (info, code) = read_memory_info();
            check("cuMemGetInfo_v2", code).map(|()| info)
        };
        let info = read().unwrap_or(MemoryInfo { free: 0, total: 0 });
        Error::driver(call, CUresult::CUDA_ERROR_OUT_OF_MEMORY).with_kind(ErrorKind::OutOfMemory {
            requested,
            free: info.free,
            total: info.total,
        })
    }

    /// Returns an error unless two things that are used together belong to the same context.
    pub(crate) fn expect_same(&self, other: &Self, call: &'static str, what: &str) -> Result<()> {
        if self == other {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "{what} are from different contexts ({self:?} and {other:?}). Fix: create both in one context"
            ),
        ))
    }
}

/// Returns the free and the total memory of the current context's device, and the driver's code.
fn read_memory_info() -> (MemoryInfo, CUresult) {
    let mut info = MemoryInfo { free: 0, total: 0 };
    // SAFETY: both are valid for the write.
    let code = unsafe { sys::cuMemGetInfo_v2(&mut info.free, &mut info.total) };
    (info, code)
}

/// Waits for a context that is about to be destroyed. After a fault, its destruction ends the work
/// that still runs (recorded on an H100, driver 580).
fn wait_for(raw: CUcontext) -> Result<()> {
    let wait = || {
        // SAFETY: the handle is live.
        let _current = unsafe { current::push(raw)? };
        // SAFETY: works on the current context.
        driver::call("cuCtxSynchronize", || unsafe { sys::cuCtxSynchronize() })
    };
    settle([&wait, &|| relaxed(wait)]).or_leak()
}
