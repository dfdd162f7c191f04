//! Contexts: the state that a process has on a device. Everything that is created in a context keeps it alive.
//!
//! [`Context::primary`] is the usual choice. A context on some of the multiprocessors is in the module
//! [`green`](crate::green).
//!
//! - A context: [`Context`], [`ContextFlags`], [`PushedContext`]
//! - Its settings: [`Limit`], [`CacheConfig`]
//! - Its memory: [`MemoryInfo`]

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
        DROP, Error, ErrorKind, FAULTED, FIND, Result, fault::Fault, is_fault, report::report,
    },
    handle::{Handle, Kind, Sendable, Weak, handle},
};

/// A context on a device. Cloning gives another reference to the same context, which is released when the last clone,
/// and everything created from it, has been dropped.
///
/// Methods of a context, and of everything created from it, may be called on any thread: each makes the context
/// current for the duration of the call where it isn't. A thread without any current context keeps this one as its
/// current context.
///
/// `cuDevicePrimaryCtxReset` (`cudaDeviceReset` calls it too) destroys the device's primary context for the whole
/// process. If a library calls it, every handle created in that context becomes invalid: with a current driver, using
/// a stream afterwards ends the process with a segmentation fault, and so does dropping it. Nothing in this crate
/// calls it. If a library in your process may, use a context of your own, from [`create`](Self::create).
///
/// ```
/// use cuda_safe::Context;
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let memory = context.memory_info()?;
/// assert!(memory.free <= memory.total);
/// assert_eq!(Context::primary(0)?, context); // one object per device
/// # Ok(())
/// # }
/// ```
pub struct Context(Handle<ContextKind>);

struct ContextKind {
    is_primary: bool,
    limits: Limits,
    /// The first fault seen; later errors refer to it.
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
        // No stream of it is being captured: a capture holds its stream, which holds the context.
        release(&Nothing, move || {
            let _until_released = presence;
            let raw = raw.get();
            if is_primary {
                // SAFETY: one retain is released once, by this function's contract.
                return driver::call("cuDevicePrimaryCtxRelease_v2", || unsafe {
                    sys::cuDevicePrimaryCtxRelease_v2(device.as_raw())
                });
            }
            // Streams that are gone may have left work behind. The driver waits for it too, but does not document that.
            wait_for(raw)?;
            // SAFETY: destroyed once, by this function's contract.
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
    /// Bytes that nobody uses, other processes included.
    pub free: usize,
    /// Bytes on the device in total.
    pub total: usize,
}

/// Primary contexts in use, so that there is one object for each device.
static PRIMARY: Mutex<Vec<(CUdevice, Weak<ContextKind>)>> = Mutex::new(Vec::new());

impl Context {
    /// The primary context of the device with this ordinal, counted from 0: the one that the CUDA runtime and other
    /// libraries in this process use too. The usual choice.
    ///
    /// # Errors
    /// [`ErrorKind::NoDevice`] where there is no such device or no driver. [`ErrorKind::OutOfMemory`] or another
    /// driver error where the context can't be created: a device in exclusive mode that another process uses, for
    /// instance.
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary(ordinal: u32) -> Result<Self> {
        Self::primary_of(Device::get(ordinal)?)
    }

    /// The primary context of a device.
    ///
    /// # Errors
    /// As [`primary`](Self::primary).
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary_of(device: Device) -> Result<Self> {
        // Before the lock: a log listener runs inside the call that is made under it.
        callback::refuse_within("cuDevicePrimaryCtxRetain")?;
        let mut registry = PRIMARY.lock().unwrap_or_else(PoisonError::into_inner);
        registry.retain(|(_, context)| !context.is_gone());
        let found = registry.iter().find(|(raw, _)| *raw == device.as_raw());
        if let Some(context) = found.and_then(|(_, context)| context.upgrade()) {
            return Ok(Self(context));
        }
        // Before the retain: no context may be dropped under the lock, since that releases other objects, too.
        let limits = Limits::of(device)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        driver::call("cuDevicePrimaryCtxRetain", || unsafe {
            sys::cuDevicePrimaryCtxRetain(&mut raw, device.as_raw())
        })?;
        // SAFETY: the retain is this call's own.
        let context = unsafe { Self::with_limits(raw, true, device, true, limits) };
        registry.push((device.as_raw(), context.0.downgrade()));
        Ok(context)
    }

    /// Sets the flags of the device's primary context. If the context is in use already, they take effect at once.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the driver does not know a flag, or flags contradict each other.
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
        // SAFETY: plain values; unknown flags are refused.
        driver::call("cuDevicePrimaryCtxSetFlags_v2", || unsafe {
            sys::cuDevicePrimaryCtxSetFlags_v2(device.as_raw(), flags.0)
        })
    }

    /// Creates a context on a device, apart from the primary one.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for flags that the driver does not accept. [`ErrorKind::OutOfMemory`], or another
    /// driver error, where the context can't be created.
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
        callback::refuse_within("cuCtxCreate")?;
        driver::init()?;
        let create = newer::cuCtxCreate()?;
        // SAFETY: the place is valid for the write.
        Self::created(device, |raw| unsafe {
            create(raw, flags.0, device.as_raw())
        })
    }

    /// A context that `create` makes, and makes current.
    fn created(device: Device, create: impl FnOnce(*mut CUcontext) -> CUresult) -> Result<Self> {
        let mut raw = ptr::null_mut();
        check("cuCtxCreate", create(&mut raw))?;
        let mut popped = ptr::null_mut();
        // SAFETY: pops the context that the call above pushed; `popped` is valid for the write.
        let code = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        // SAFETY: just made, and owned by nobody else.
        let context = unsafe { Self::wrap(raw, true, device, false) }?;
        context.check("cuCtxPopCurrent_v2", code)?;
        Ok(context)
    }

    /// Takes ownership of a raw context: one from `cuCtxCreate`, or one retain of a primary context
    /// (`cuDevicePrimaryCtxRetain`). It is released when the last clone is dropped. To use a context that somebody
    /// else owns, see [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Safety
    /// `raw` is a live context, and nobody else destroys it or releases that retain.
    ///
    /// # Errors
    /// The driver does not know the handle: it still belongs to the caller then. The device's limits can't be read:
    /// the context has been released then.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
    /// let raw = context.into_raw().expect("not shared"); // no longer owned by this crate
    /// // SAFETY: the raw context is live, and nobody destroys it.
    /// let context = unsafe { Context::borrow_raw(raw)? };
    /// assert_eq!(context.as_raw(), raw);
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn from_raw(raw: CUcontext) -> Result<Self> {
        // SAFETY: as this function's contract says.
        let device = unsafe { Self::device_of(raw)? };
        let is_primary = Self::is_primary(device, raw)?;
        // SAFETY: as above.
        unsafe { Self::wrap(raw, true, device, is_primary) }
    }

    /// Uses a context that somebody else owns, such as another library. The returned object never releases it.
    ///
    /// # Safety
    /// `raw` is a live context. It stays alive until the last clone of the returned context, and everything created
    /// from it, has been dropped.
    ///
    /// # Errors
    /// The driver does not know the handle, or the device's limits can't be read.
    ///
    /// ```
    /// # use cuda_safe::Context;
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let raw = context.as_raw(); // perhaps from another library
    /// // SAFETY: `context` is held for longer than `same`.
    /// let same = unsafe { Context::borrow_raw(raw)? };
    /// assert_eq!(same, context);
    /// assert_eq!(same.device(), context.device());
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn borrow_raw(raw: CUcontext) -> Result<Self> {
        // SAFETY: as this function's contract says.
        let device = unsafe { Self::device_of(raw)? };
        // SAFETY: as above. How it is released is not of interest.
        unsafe { Self::wrap(raw, false, device, false) }
    }

    /// The device of a raw context.
    ///
    /// # Safety
    /// `raw` is a live context.
    unsafe fn device_of(raw: CUcontext) -> Result<Device> {
        driver::init()?;
        let mut device: CUdevice = 0;
        {
            // SAFETY: `raw` is a live context by this function's contract.
            let _current = unsafe { current::push(raw)? };
            // SAFETY: `device` is valid for the write.
            driver::call("cuCtxGetDevice", || unsafe {
                sys::cuCtxGetDevice(&mut device)
            })?;
        }
        Device::from_raw(device)
    }

    /// Whether a context of the device is its primary one.
    fn is_primary(device: Device, raw: CUcontext) -> Result<bool> {
        let (mut flags, mut active) = (0, 0);
        // SAFETY: both are valid for the write.
        driver::call("cuDevicePrimaryCtxGetState", || unsafe {
            sys::cuDevicePrimaryCtxGetState(device.as_raw(), &mut flags, &mut active)
        })?;
        // Retaining the primary context would create one where there is none.
        Ok(active != 0 && Self::primary_of(device)?.as_raw() == raw)
    }

    /// # Safety
    /// As for [`Handle::new`].
    unsafe fn wrap(raw: CUcontext, owned: bool, device: Device, is_primary: bool) -> Result<Self> {
        let limits = Limits::of(device);
        // If it is owned, it is released also when the limits can't be read.
        let (limits, error) = match limits {
            Ok(limits) => (limits, None),
            Err(error) => (Limits::default(), Some(error)),
        };
        // SAFETY: as this function's contract says.
        let context = unsafe { Self::with_limits(raw, owned, device, is_primary, limits) };
        error.map_or(Ok(context), Err)
    }

    /// # Safety
    /// As for [`Handle::new`].
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
        // SAFETY: as this function's contract says.
        Self(unsafe { Handle::new(raw, owned, device, kind) })
    }

    /// The device that the context is on.
    #[must_use]
    pub fn device(&self) -> Device {
        *self.0.parent()
    }

    /// Waits until everything that was enqueued in this context has finished.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Fault`] or [`ErrorKind::Poisoned`] if a kernel has faulted, and
    /// [`ErrorKind::InvalidArgument`] if this crate captures a stream of the context, on whatever thread: the wait would
    /// invalidate the capture. Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if raw calls capture one.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// context.synchronize()?;
    /// assert!(stream.query()?); // nothing is left to do
    /// assert!(!context.is_poisoned());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        const CALL: &str = "Context::synchronize";
        let _allowed = capture::refuse_here(CALL, "make it before the capture, or after it")?;
        let _uncaptured = self.uncaptured(CALL)?;
        // SAFETY: works on the current context.
        let code = unsafe { sys::cuCtxSynchronize() };
        self.check("cuCtxSynchronize", code)
    }

    /// Returns the free and the total device memory, in bytes.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
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

    /// Turns the code of a raw call into a `Result`, as all methods of this crate do. The error names the call, the
    /// reason and the remedy. A fault is remembered, so that later errors in this context can say that they are a
    /// consequence of it ([`ErrorKind::Poisoned`]). One that a drop found, which reports nothing, is the first error after it.
    ///
    /// # Errors
    /// Any code but `CUDA_SUCCESS`.
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

    /// Whether an earlier fault has made the context unusable.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.0.kind().fault.is_known()
    }

    #[cold]
    pub(crate) fn error(&self, call: &'static str, code: CUresult) -> Error {
        self.error_after(call, code, || None)
    }

    /// As [`error`](Self::error), where it is known which kernel was launched last.
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
            match (report(self.as_raw()), last()) {
                // The emulator's, which says all that there is to say.
                (Some(report), _) => {
                    #[cfg(feature = "nvrtc")]
                    let report = crate::error::sources::explain(&report);
                    format!("{FAULTED}: {DROP}\n{report}")
                }
                (None, Some(last)) => format!(
                    "{FAULTED} (the last one that was launched on this stream is `{last}`): {DROP}. {FIND}"
                ),
                (None, None) => error.detail().to_owned(),
            }
        })
    }

    /// As [`check`](Self::check), for a call that allocates so many bytes of device memory.
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

    /// Makes an error that names the free and the total memory, or zeros if the driver does not tell them.
    ///
    /// Only calls that make plain errors are allowed in here: an error of [`check`](Self::check) may be another
    /// out-of-memory error, which would ask for the memory again, without end.
    #[cold]
    fn out_of_memory(&self, call: &'static str, requested: usize) -> Error {
        let read = || {
            callback::refuse_within("cuMemGetInfo")?;
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

    /// An error unless two things that are used together belong to the same context.
    pub(crate) fn expect_same(&self, other: &Self, call: &'static str, what: &str) -> Result<()> {
        if self == other {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "{what} are from different contexts ({self:?} and {other:?}): create both in one context"
            ),
        ))
    }
}

/// The free and the total memory of the current context's device, and the driver's code.
fn read_memory_info() -> (MemoryInfo, CUresult) {
    let mut info = MemoryInfo { free: 0, total: 0 };
    // SAFETY: both are valid for the write.
    let code = unsafe { sys::cuMemGetInfo_v2(&mut info.free, &mut info.total) };
    (info, code)
}

/// Waits for a context that is about to be destroyed. After a fault its destruction ends what still runs (recorded on an
/// H100, driver 580).
fn wait_for(raw: CUcontext) -> Result<()> {
    let wait = || {
        // SAFETY: the handle is live.
        let _current = unsafe { current::push(raw)? };
        // SAFETY: works on the current context.
        driver::call("cuCtxSynchronize", || unsafe { sys::cuCtxSynchronize() })
    };
    settle([&wait, &|| relaxed(wait)]).or_leak()
}
