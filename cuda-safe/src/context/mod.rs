//! Contexts: a process's hold on a device, and what keeps everything made from it alive.

mod current;
mod limits;
mod settings;

use std::{
    fmt, ptr,
    sync::{Mutex, OnceLock, PoisonError},
};

use cuda_sys::{self as sys, CUcontext, CUdevice, CUresult};

pub(crate) use current::Current;
pub use current::PushedContext;
pub(crate) use limits::Limits;
pub use settings::{CacheConfig, ContextFlags, Limit};

use crate::{
    callback,
    capture::relaxed,
    device::Device,
    driver::{self, check},
    error::{Error, ErrorKind, Result, is_fault},
    handle::{Handle, Kind, Weak, handle},
    newer,
    settle::settle,
};

/// A context on a device. Cloning gives another hold on the same context, which ends when the
/// last clone and the last thing made from it are dropped.
///
/// Methods here and on everything made from a context may be called on any thread: each makes
/// the context current where it isn't, for the time of the call. A thread with no current context
/// at all gets this one, and keeps it.
///
/// `cuDevicePrimaryCtxReset`, which is also `cudaDeviceReset`, ends the device's primary context for
/// everybody in the process. A library that calls it takes away every handle made from the context:
/// on a current driver using a stream after it ends the process by a segmentation fault, and so does
/// dropping it. Nothing here calls it. Where a library may, use a [created](Self::create) context.
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
    /// The first fault seen, and the call that reported it; later calls only echo it.
    fault: OnceLock<(CUresult, &'static str)>,
}

impl Kind for ContextKind {
    type Raw = CUcontext;
    type Parent = Device;
    const NAME: &'static str = "Context";

    unsafe fn release(&self, raw: CUcontext, device: &Device) -> Result<()> {
        callback::refuse_within()?;
        if self.is_primary {
            // SAFETY: one retain is given back once, by this function's contract.
            return check("cuDevicePrimaryCtxRelease_v2", unsafe {
                sys::cuDevicePrimaryCtxRelease_v2(device.as_raw())
            });
        }
        // Streams that are gone may have left work behind. The driver waits for it too, which it does not document.
        wait_for(raw)?;
        // SAFETY: destroyed once, by this function's contract.
        check("cuCtxDestroy_v2", unsafe { sys::cuCtxDestroy_v2(raw) })
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
    /// Bytes not in use by anyone, other processes included.
    pub free: usize,
    /// Bytes that the device has.
    pub total: usize,
}

/// Primary contexts that somebody holds, so that there is one object for each device.
static PRIMARY: Mutex<Vec<(CUdevice, Weak<ContextKind>)>> = Mutex::new(Vec::new());

impl Context {
    /// The primary context of the device with this ordinal: the one that the CUDA runtime and
    /// other libraries in this process use too. The usual choice.
    ///
    /// # Errors
    /// No such device, or the context can't be made.
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary(ordinal: u32) -> Result<Self> {
        Self::primary_of(Device::get(ordinal)?)
    }

    /// The primary context of a device.
    ///
    /// # Errors
    /// The context can't be made.
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn primary_of(device: Device) -> Result<Self> {
        let mut registry = PRIMARY.lock().unwrap_or_else(PoisonError::into_inner);
        registry.retain(|(_, context)| !context.is_gone());
        let found = registry.iter().find(|(raw, _)| *raw == device.as_raw());
        if let Some(context) = found.and_then(|(_, context)| context.upgrade()) {
            return Ok(Self(context));
        }
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        check("cuDevicePrimaryCtxRetain", unsafe {
            sys::cuDevicePrimaryCtxRetain(&mut raw, device.as_raw())
        })?;
        // SAFETY: a retain of this call's.
        let context = unsafe { Self::wrap(raw, true, device, true) }?;
        registry.push((device.as_raw(), context.0.downgrade()));
        Ok(context)
    }

    /// Sets the flags that the device's primary context is made with. It takes effect at once
    /// where the context is in use already.
    ///
    /// # Errors
    /// The driver refuses the flags.
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
        check("cuDevicePrimaryCtxSetFlags_v2", unsafe {
            sys::cuDevicePrimaryCtxSetFlags_v2(device.as_raw(), flags.0)
        })
    }

    /// A context of its own on a device, apart from the primary one.
    ///
    /// # Errors
    /// The context can't be made.
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
        driver::init()?;
        let create = newer::cuCtxCreate()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        check("cuCtxCreate", unsafe {
            create(&mut raw, flags.0, device.as_raw())
        })?;
        let mut popped = ptr::null_mut();
        // SAFETY: pops the context that the call above pushed; `popped` is valid for the write.
        let code = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        // SAFETY: just made, and owned by nobody else.
        let context = unsafe { Self::wrap(raw, true, device, false) }?;
        context.check("cuCtxPopCurrent_v2", code)?;
        Ok(context)
    }

    /// Takes ownership of a raw context: one that `cuCtxCreate` made, or one hold on a primary context
    /// (`cuDevicePrimaryCtxRetain`). It is given back when the last hold goes. To use a context that somebody else
    /// owns, see [`borrow_raw`](Self::borrow_raw).
    ///
    /// # Safety
    /// `raw` is a live context, and nobody else destroys it or gives that hold back.
    ///
    /// # Errors
    /// The driver does not know the handle; it still belongs to the caller.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
    /// let raw = context.into_raw().expect("the only hold"); // no longer this crate's
    /// // SAFETY: the raw context belongs to nobody else.
    /// let context = unsafe { Context::borrow_raw(raw)? };
    /// assert_eq!(context.as_raw(), raw);
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn from_raw(raw: CUcontext) -> Result<Self> {
        // SAFETY: as this function's contract says.
        let (device, is_primary) = unsafe { Self::device_of(raw)? };
        // SAFETY: as above.
        unsafe { Self::wrap(raw, true, device, is_primary) }
    }

    /// A context that somebody else goes on owning, such as another library. It is never given back by this object.
    ///
    /// # Safety
    /// `raw` is a live context and stays so until the last clone of the returned context, and the last thing made
    /// from it, is gone.
    ///
    /// # Errors
    /// The driver does not know the handle.
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
        let (device, is_primary) = unsafe { Self::device_of(raw)? };
        // SAFETY: as above.
        unsafe { Self::wrap(raw, false, device, is_primary) }
    }

    /// The device of a raw context, and whether it is the device's primary one.
    ///
    /// # Safety
    /// `raw` is a live context.
    unsafe fn device_of(raw: CUcontext) -> Result<(Device, bool)> {
        driver::init()?;
        let mut device: CUdevice = 0;
        {
            // SAFETY: `raw` is a live context by this function's contract.
            let _current = unsafe { current::push(raw)? };
            // SAFETY: `device` is valid for the write.
            check("cuCtxGetDevice", unsafe {
                sys::cuCtxGetDevice(&mut device)
            })?;
        }
        let device = Device::from_raw(device)?;
        let (mut flags, mut active) = (0, 0);
        // SAFETY: both are valid for the write.
        check("cuDevicePrimaryCtxGetState", unsafe {
            sys::cuDevicePrimaryCtxGetState(device.as_raw(), &mut flags, &mut active)
        })?;
        // Asking for the primary context would make one where there is none.
        let is_primary = active != 0 && Self::primary_of(device)?.as_raw() == raw;
        Ok((device, is_primary))
    }

    /// # Safety
    /// As for [`Handle::new`].
    unsafe fn wrap(raw: CUcontext, owned: bool, device: Device, is_primary: bool) -> Result<Self> {
        let limits = Limits::of(device);
        // Where it is owned it is given back also if the limits can't be read.
        let (limits, error) = match limits {
            Ok(limits) => (limits, None),
            Err(error) => (Limits::default(), Some(error)),
        };
        let kind = ContextKind {
            is_primary,
            limits,
            fault: OnceLock::new(),
        };
        // SAFETY: as this function's contract says.
        let context = Self(unsafe { Handle::new(raw, owned, device, kind) });
        error.map_or(Ok(context), Err)
    }

    /// The device that the context is on.
    #[must_use]
    pub fn device(&self) -> Device {
        *self.0.parent()
    }

    /// Waits until everything that was enqueued in this context has finished.
    ///
    /// # Errors
    /// A kernel or copy that was enqueued earlier failed.
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
        let _current = self.enter()?;
        // SAFETY: works on the current context.
        let code = unsafe { sys::cuCtxSynchronize() };
        self.check("cuCtxSynchronize", code)
    }

    /// Free and total device memory, in bytes.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuMemGetInfo")]
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        let _current = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
        self.check("cuMemGetInfo_v2", code)?;
        Ok(MemoryInfo { free, total })
    }

    #[inline]
    pub(crate) fn limits(&self) -> &Limits {
        &self.0.kind().limits
    }

    /// Turns what a raw call returned into a `Result`, as all methods of this crate do: the error names the call, the
    /// reason and the remedy, and a fault is remembered, so that later errors of this context say that they are
    /// only its consequence ([`ErrorKind::Poisoned`]).
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
        self.0.kind().fault.get().is_some()
    }

    #[cold]
    pub(crate) fn error(&self, call: &'static str, code: CUresult) -> Error {
        if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return self.out_of_memory(call, 0);
        }
        if !is_fault(code) {
            return Error::driver(call, code);
        }
        if let Some((first, reported_by)) = self.0.kind().fault.get() {
            return Error::driver(call, code).with_kind(ErrorKind::Poisoned).with_detail(format!(
                "an echo of the {} that {reported_by} reported: this context stays unusable; drop \
                 everything made from it and start afresh",
                first.name().unwrap_or("fault")
            ));
        }
        let _ = self.0.kind().fault.set((code, call));
        Error::driver(call, code)
    }

    #[cold]
    pub(crate) fn out_of_memory(&self, call: &'static str, requested: usize) -> Error {
        let info = self
            .memory_info()
            .unwrap_or(MemoryInfo { free: 0, total: 0 });
        Error::driver(call, CUresult::CUDA_ERROR_OUT_OF_MEMORY).with_kind(ErrorKind::OutOfMemory {
            requested,
            free: info.free,
            total: info.total,
        })
    }

    /// Two things that must be used together come from the same context.
    pub(crate) fn expect_same(&self, other: &Self, call: &'static str, what: &str) -> Result<()> {
        if self == other {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "{what} are from different contexts ({self:?} and {other:?}): make both from one context"
            ),
        ))
    }
}

/// Waits for a context that is about to be destroyed. After a fault nothing runs.
fn wait_for(raw: CUcontext) -> Result<()> {
    let wait = || {
        callback::refuse_within()?;
        // SAFETY: the handle is live.
        let _current = unsafe { current::push(raw)? };
        // SAFETY: works on the current context.
        check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    };
    settle([&wait, &|| relaxed(wait)]).or_leak()
}
