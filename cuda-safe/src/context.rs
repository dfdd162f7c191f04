//! Contexts: a process's hold on a device, and what keeps everything made from it alive.

use std::{
    ffi::c_uint,
    fmt, ptr,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

use cuda_sys::{self as sys, CUcontext, CUdevice, CUresult};

use crate::{
    attribute::DeviceAttribute,
    callback,
    capture::relaxed,
    device::Device,
    driver::{self, LazySymbol, check},
    error::{Error, ErrorKind, Result, is_fault},
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
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    raw: CUcontext,
    device: Device,
    origin: Origin,
    limits: Limits,
    fault: OnceLock<(CUresult, &'static str)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Primary,
    Created,
    Borrowed,
}

/// What a launch is checked against; read once per context.
pub(crate) struct Limits {
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) threads_per_block: u32,
    pub(crate) memory_pools: bool,
}

// SAFETY: a context handle may be used from any thread; the driver locks.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

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

/// How a created context waits for the device and maps memory (`CUctx_flags`).
///
/// ```
/// # use cuda_safe::{Context, ContextFlags, Device};
/// # fn main() -> cuda_safe::Result<()> {
/// let flags = ContextFlags::BLOCKING_SYNC | ContextFlags::LMEM_RESIZE_TO_MAX;
/// let context = Context::create(Device::get(0)?, flags)?;
/// assert_ne!(context.flags()?.0 & ContextFlags::BLOCKING_SYNC.0, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ContextFlags(pub c_uint);

impl ContextFlags {
    /// The driver chooses between spinning and yielding (`CU_CTX_SCHED_AUTO`).
    pub const AUTO: Self = Self(0);
    /// Wait by spinning: lowest latency, a busy core (`CU_CTX_SCHED_SPIN`).
    pub const SPIN: Self = Self(1);
    /// Wait by yielding the processor (`CU_CTX_SCHED_YIELD`).
    pub const YIELD: Self = Self(2);
    /// Wait by blocking the thread (`CU_CTX_SCHED_BLOCKING_SYNC`).
    pub const BLOCKING_SYNC: Self = Self(4);
    /// Keep local memory at its largest size after a launch (`CU_CTX_LMEM_RESIZE_TO_MAX`).
    pub const LMEM_RESIZE_TO_MAX: Self = Self(16);
}

impl std::ops::BitOr for ContextFlags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A limit of a context (`CUlimit`). A newtype: a newer driver's limits can be named by number.
///
/// ```
/// # use cuda_safe::{Context, ContextFlags, Device, Limit};
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
/// context.set_limit(Limit::STACK_SIZE, 4096)?;
/// assert!(context.limit(Limit::STACK_SIZE)? >= 4096);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit(pub c_uint);

impl Limit {
    /// Bytes of stack for each thread.
    pub const STACK_SIZE: Self = Self(0);
    /// Bytes of the device's printf buffer.
    pub const PRINTF_FIFO_SIZE: Self = Self(1);
    /// Bytes of the heap behind `malloc` in kernels.
    pub const MALLOC_HEAP_SIZE: Self = Self(2);
    /// Bytes that L2 fetches at once, a hint.
    pub const MAX_L2_FETCH_GRANULARITY: Self = Self(5);
    /// Bytes of L2 set aside for persisting accesses.
    pub const PERSISTING_L2_CACHE_SIZE: Self = Self(6);
}

/// Whether a context or kernel prefers shared memory or L1 cache (`CUfunc_cache`).
///
/// ```
/// # use cuda_safe::{CacheConfig, Context};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// context.set_cache_config(CacheConfig::L1)?;
/// // A hint: where the two are of fixed sizes there is no preference.
/// assert!([CacheConfig::L1, CacheConfig::NONE].contains(&context.cache_config()?));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheConfig(pub c_uint);

impl CacheConfig {
    /// No preference.
    pub const NONE: Self = Self(0);
    /// More shared memory.
    pub const SHARED: Self = Self(1);
    /// More L1 cache.
    pub const L1: Self = Self(2);
    /// As much of one as of the other.
    pub const EQUAL: Self = Self(3);
}

/// Primary contexts that somebody holds, so that there is one object for each device.
static PRIMARY: Mutex<Vec<(CUdevice, Weak<Inner>)>> = Mutex::new(Vec::new());

type CtxCreate = unsafe extern "C" fn(*mut CUcontext, c_uint, CUdevice) -> CUresult;
// The bare name means another signature in every generation of headers.
// SAFETY: at CUDA 11.0 the driver documents this signature for cuCtxCreate.
static CTX_CREATE: LazySymbol<CtxCreate> = unsafe { LazySymbol::new(c"cuCtxCreate", 11, 0) };

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
        registry.retain(|(_, context)| context.strong_count() > 0);
        let found = registry.iter().find(|(raw, _)| *raw == device.as_raw());
        if let Some(context) = found.and_then(|(_, context)| context.upgrade()) {
            return Ok(Self(context));
        }
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        check("cuDevicePrimaryCtxRetain", unsafe {
            sys::cuDevicePrimaryCtxRetain(&mut raw, device.as_raw())
        })?;
        let context = Self::wrap(raw, device, Origin::Primary)?;
        registry.push((device.as_raw(), Arc::downgrade(&context.0)));
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

    /// The flags that the context was made with.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuCtxGetFlags")]
    pub fn flags(&self) -> Result<ContextFlags> {
        let _current = self.enter()?;
        let mut flags = 0;
        // SAFETY: `flags` is valid for the write.
        let code = unsafe { sys::cuCtxGetFlags(&mut flags) };
        self.check("cuCtxGetFlags", code)?;
        Ok(ContextFlags(flags))
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
        let create = CTX_CREATE.get()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        check("cuCtxCreate", unsafe {
            create(&mut raw, flags.0, device.as_raw())
        })?;
        let mut popped = ptr::null_mut();
        // SAFETY: pops the context that the call above pushed; `popped` is valid for the write.
        let code = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        let context = Self::wrap(raw, device, Origin::Created)?;
        context.check("cuCtxPopCurrent_v2", code)?;
        Ok(context)
    }

    /// The context behind a raw handle, which the caller goes on owning.
    ///
    /// # Safety
    /// `raw` is a live context and stays so until the last clone of the returned context, and
    /// the last thing made from it, is gone.
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
    /// let same = unsafe { Context::from_raw(raw)? };
    /// assert_eq!(same, context);
    /// assert_eq!(same.device(), context.device());
    /// # Ok(())
    /// # }
    /// ```
    pub unsafe fn from_raw(raw: CUcontext) -> Result<Self> {
        driver::init()?;
        let mut device: CUdevice = 0;
        // SAFETY: `raw` is a live context by this function's contract.
        check("cuCtxPushCurrent_v2", unsafe {
            sys::cuCtxPushCurrent_v2(raw)
        })?;
        // SAFETY: `device` is valid for the write.
        let code = unsafe { sys::cuCtxGetDevice(&mut device) };
        let mut popped = ptr::null_mut();
        // SAFETY: pops what was pushed above.
        check("cuCtxPopCurrent_v2", unsafe {
            sys::cuCtxPopCurrent_v2(&mut popped)
        })?;
        check("cuCtxGetDevice", code)?;
        Self::wrap(raw, Device::from_raw(device)?, Origin::Borrowed)
    }

    fn wrap(raw: CUcontext, device: Device, origin: Origin) -> Result<Self> {
        let limits = Limits::of(device);
        // The handle is owned from here on, so that a failure below gives it back.
        let fallback = Limits {
            block: [0; 3],
            grid: [0; 3],
            threads_per_block: 0,
            memory_pools: false,
        };
        let (limits, error) = match limits {
            Ok(limits) => (limits, None),
            Err(error) => (fallback, Some(error)),
        };
        let context = Self(Arc::new(Inner {
            raw,
            device,
            origin,
            limits,
            fault: OnceLock::new(),
        }));
        error.map_or(Ok(context), Err)
    }

    /// The driver's handle, valid as long as this context is held.
    #[must_use]
    pub fn as_raw(&self) -> CUcontext {
        self.0.raw
    }

    /// The device that the context is on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Makes this context the calling thread's current one, for raw driver calls of one's own.
    /// Nothing in this crate needs it.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// context.set_current()?;
    /// let mut current = std::ptr::null_mut();
    /// // SAFETY: `current` is valid for the write.
    /// let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
    /// assert_eq!((code, current), (sys::CUresult::CUDA_SUCCESS, context.as_raw()));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxSetCurrent")]
    pub fn set_current(&self) -> Result<()> {
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuCtxSetCurrent(self.0.raw) };
        self.check("cuCtxSetCurrent", code)
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

    /// The value of a limit.
    ///
    /// # Errors
    /// The device does not have this limit.
    #[doc(alias = "cuCtxGetLimit")]
    pub fn limit(&self, limit: Limit) -> Result<usize> {
        let _current = self.enter()?;
        let mut value = 0;
        // SAFETY: `value` is valid for the write; an unknown limit is refused.
        let code = unsafe { sys::cuCtxGetLimit(&mut value, sys::CUlimit(limit.0)) };
        self.check("cuCtxGetLimit", code)?;
        Ok(value)
    }

    /// Asks for a new value of a limit; the driver may round it.
    ///
    /// # Errors
    /// The device does not have this limit, or the value is out of its range.
    #[doc(alias = "cuCtxSetLimit")]
    pub fn set_limit(&self, limit: Limit, value: usize) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: plain values; an unknown limit is refused.
        let code = unsafe { sys::cuCtxSetLimit(sys::CUlimit(limit.0), value) };
        self.check("cuCtxSetLimit", code)
    }

    /// The context's preference between shared memory and L1 cache.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuCtxGetCacheConfig")]
    pub fn cache_config(&self) -> Result<CacheConfig> {
        let _current = self.enter()?;
        let mut config = sys::CUfunc_cache(0);
        // SAFETY: `config` is valid for the write.
        let code = unsafe { sys::cuCtxGetCacheConfig(&mut config) };
        self.check("cuCtxGetCacheConfig", code)?;
        Ok(CacheConfig(config.0))
    }

    /// Sets the context's preference between shared memory and L1 cache, a hint.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuCtxSetCacheConfig")]
    pub fn set_cache_config(&self, config: CacheConfig) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: a plain value; an unknown one is refused.
        let code = unsafe { sys::cuCtxSetCacheConfig(sys::CUfunc_cache(config.0)) };
        self.check("cuCtxSetCacheConfig", code)
    }

    /// The least and the greatest stream priority. Lower numbers are more urgent, so the greatest
    /// priority is the smaller number; both are 0 where priorities are not supported.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream, StreamOptions};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (least, greatest) = context.stream_priority_range()?;
    /// assert!(greatest <= least);
    /// let urgent = Stream::with_options(&context, StreamOptions::default().priority(greatest))?;
    /// assert_eq!(urgent.priority()?, greatest);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxGetStreamPriorityRange")]
    pub fn stream_priority_range(&self) -> Result<(i32, i32)> {
        let _current = self.enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        self.check("cuCtxGetStreamPriorityRange", code)?;
        Ok((least, greatest))
    }

    /// Gives the context back now and says whether that worked. Where others still hold it,
    /// nothing happens until the last of them lets go.
    ///
    /// # Errors
    /// The driver refuses; the handle is not used again.
    ///
    /// ```
    /// # use cuda_safe::Context;
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let other = context.clone();
    /// context.close()?; // one hold less
    /// assert!(other.memory_info()?.total > 0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxDestroy")]
    #[doc(alias = "cuDevicePrimaryCtxRelease")]
    pub fn close(self) -> Result<()> {
        match Arc::try_unwrap(self.0) {
            Ok(mut inner) => inner.release(),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Makes the context current for as long as the guard lives.
    #[inline]
    pub(crate) fn enter(&self) -> Result<Current> {
        callback::refuse_within()?;
        let mut current = ptr::null_mut();
        // SAFETY: `current` is valid for the write.
        let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
        if current == self.0.raw && code == CUresult::CUDA_SUCCESS {
            return Ok(Current { pushed: false });
        }
        self.enter_slow(current, code)
    }

    #[cold]
    fn enter_slow(&self, current: CUcontext, code: CUresult) -> Result<Current> {
        if code == CUresult::CUDA_SUCCESS && current.is_null() {
            self.set_current()?;
            return Ok(Current { pushed: false });
        }
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuCtxPushCurrent_v2(self.0.raw) };
        self.check("cuCtxPushCurrent_v2", code)?;
        Ok(Current { pushed: true })
    }

    /// Turns a code into a `Result`, remembering the first fault.
    #[inline]
    pub(crate) fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        if code == CUresult::CUDA_SUCCESS {
            Ok(())
        } else {
            Err(self.error(call, code))
        }
    }

    #[cold]
    pub(crate) fn error(&self, call: &'static str, code: CUresult) -> Error {
        if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return self.out_of_memory(call, 0);
        }
        if !is_fault(code) {
            return Error::driver(call, code);
        }
        if let Some((first, reported_by)) = self.0.fault.get() {
            return Error::driver(call, code).with_kind(ErrorKind::Poisoned).with_detail(format!(
                "an echo of the {} that {reported_by} reported: this context stays unusable; drop \
                 everything made from it and start afresh",
                first.name().unwrap_or("fault")
            ));
        }
        let _ = self.0.fault.set((code, call));
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

    /// Whether an earlier fault has made the context unusable.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.0.fault.get().is_some()
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

impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.0.raw == other.0.raw
    }
}

impl Eq for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Context({:p}, device {})",
            self.0.raw,
            self.0.device.ordinal()
        )
    }
}

impl Inner {
    fn release(&mut self) -> Result<()> {
        let raw = std::mem::replace(&mut self.raw, ptr::null_mut());
        match self.origin {
            _ if raw.is_null() => Ok(()),
            Origin::Borrowed => Ok(()),
            // SAFETY: one retain is given back once; everything made from it is gone, as it held
            // this object.
            Origin::Primary => check("cuDevicePrimaryCtxRelease_v2", unsafe {
                sys::cuDevicePrimaryCtxRelease_v2(self.device.as_raw())
            }),
            Origin::Created => {
                // Streams that are gone may have left work behind. The driver waits for it too, which it does
                // not document.
                wait_for(raw)?;
                // SAFETY: created here, destroyed once; everything made from it is gone.
                check("cuCtxDestroy_v2", unsafe { sys::cuCtxDestroy_v2(raw) })
            }
        }
    }
}

/// Waits for a context that is about to be destroyed. After a fault nothing runs.
fn wait_for(raw: CUcontext) -> Result<()> {
    let wait = || {
        callback::refuse_within()?;
        // SAFETY: the handle is live.
        check("cuCtxPushCurrent_v2", unsafe {
            sys::cuCtxPushCurrent_v2(raw)
        })?;
        let _current = Current { pushed: true };
        // SAFETY: works on the current context.
        check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    };
    settle([&wait, &|| relaxed(wait)]).or_leak()
}

impl Drop for Inner {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = self.release();
    }
}

impl Limits {
    fn of(device: Device) -> Result<Self> {
        let read =
            |attribute| Ok::<_, Error>(u32::try_from(device.attribute(attribute)?).unwrap_or(0));
        Ok(Self {
            block: [
                read(DeviceAttribute::MAX_BLOCK_DIM_X)?,
                read(DeviceAttribute::MAX_BLOCK_DIM_Y)?,
                read(DeviceAttribute::MAX_BLOCK_DIM_Z)?,
            ],
            grid: [
                read(DeviceAttribute::MAX_GRID_DIM_X)?,
                read(DeviceAttribute::MAX_GRID_DIM_Y)?,
                read(DeviceAttribute::MAX_GRID_DIM_Z)?,
            ],
            threads_per_block: read(DeviceAttribute::MAX_THREADS_PER_BLOCK)?,
            memory_pools: read(DeviceAttribute::MEMORY_POOLS_SUPPORTED)? != 0,
        })
    }
}

/// The context is current until this is dropped.
#[must_use]
pub(crate) struct Current {
    pushed: bool,
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: pops what `enter_slow` pushed; `popped` is valid for the write.
            let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        }
    }
}
