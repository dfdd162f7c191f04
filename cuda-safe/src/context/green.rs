//! Green contexts: parts of a device's multiprocessors with their own streams.

use std::{
    ffi::{c_uint, c_void},
    ptr,
};

use cuda_sys::CUcontext;

use super::{
    Context, PushedContext, current,
    resource::{self, Multiprocessors},
    wait_for,
};
use crate::{
    capture::{self, REMEDY, release, released},
    driver::{callback, newer},
    error::{Error, Result},
    handle::{Adopt, Handle, Kind, Sendable, handle},
};

/// A part of a device's multiprocessors. Kernels launched on its [streams](Self::stream) run only
/// there, and leave the other multiprocessors free.
///
/// It is not a separate context, but a way to use the primary one:
/// - Memory, modules and events belong to the primary context, and work with the green context's
///   streams like with any other stream.
/// - [`Stream::context`](crate::Stream::context) of its streams returns the primary context.
/// - A fault on one of its streams makes the primary context unusable.
/// - It keeps the primary context alive, and its streams keep the green context alive.
///
/// Even if two green contexts have different multiprocessors, their kernels can delay each other,
/// because they share memory, caches, and the queues that deliver work to the device.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, green::GreenContext};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let all = context.multiprocessors()?;
/// let green = match all.split(2, all.min_group_size()) {
///     Ok(parts) => GreenContext::new(&context, &parts.groups[..1])?,
///     Err(_) => GreenContext::new(&context, &[all])?, // too few multiprocessors to divide
/// };
/// let stream = green.stream()?;
/// assert_eq!(stream.context(), &context);
/// let buffer = DeviceBuffer::from_slice(&stream, &[1, 2, 3])?;
/// assert_eq!(buffer.to_vec(&stream)?, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
pub struct GreenContext(Handle<GreenKind>);

struct GreenKind;

/// `CUgreenCtx`, which headers of CUDA 12.0 lack.
pub(crate) type RawGreen = *mut c_void;

impl Kind for GreenKind {
    type Raw = RawGreen;
    type Parent = Context;
    const NAME: &'static str = "GreenContext";

    unsafe fn release(&self, raw: RawGreen, primary: &Context) -> Result<()> {
        let (raw, own) = (Sendable(raw), primary.clone());
        release(primary, move || {
            let (raw, primary) = (raw.get(), own);
            let destroy = newer::cuGreenCtxDestroy()?;
            // Dropped streams may have left work. Waiting for the primary context also waits for
            // its green contexts.
            // SAFETY: by this function's contract, the handle is live.
            let own = unsafe { context_of(raw, &primary) };
            wait_for(own.unwrap_or_else(|_| primary.as_raw()))?;
            let _current = primary.enter("cuGreenCtxDestroy")?;
            // SAFETY: by this function's contract, the green context is destroyed once.
            let code = released(|| unsafe { destroy(raw) });
            primary.check("cuGreenCtxDestroy", code)
        })
    }
}

impl Adopt for GreenKind {
    fn adopt(_: RawGreen) -> Self {
        Self
    }
}

handle!(GreenContext, RawGreen, released by "cuGreenCtxDestroy", made in Context);

/// Returns the green context as a context handle, for calls that accept only those.
///
/// # Safety
/// The caller must ensure that `raw` is a live green context of the primary context.
unsafe fn context_of(raw: RawGreen, primary: &Context) -> Result<CUcontext> {
    callback::reject_in_callback("cuCtxFromGreenCtx")?;
    let get = newer::cuCtxFromGreenCtx()?;
    let mut context = ptr::null_mut();
    // SAFETY: by this function's contract, the handle is live. `context` is valid for the write.
    let code = unsafe { get(&mut context, raw) };
    primary.check("cuCtxFromGreenCtx", code)?;
    Ok(context)
}

impl GreenContext {
    /// Creates a green context with the multiprocessors of all `parts`. If there are several, they
    /// must come from the same [split](Multiprocessors::split).
    ///
    /// See [`cuGreenCtxCreate`, `cuDevResourceGenerateDesc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `primary` is
    /// not its device's primary context, if `parts` is empty, or if a part belongs to another
    /// device. Returns `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION` if the parts cannot be used
    /// together. Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is
    /// older than CUDA 12.4.
    #[doc(alias = "cuGreenCtxCreate")]
    #[doc(alias = "cuDevResourceGenerateDesc")]
    pub fn new(primary: &Context, parts: &[Multiprocessors]) -> Result<Self> {
        /// `CU_GREEN_CTX_DEFAULT_STREAM`, which is required up to CUDA 13.0.
        const DEFAULT_STREAM: c_uint = 1;
        const CALL: &str = "GreenContext::new";
        let device = primary.device();
        if !Context::is_primary(device, primary.as_raw())? {
            return Err(Error::invalid(
                CALL,
                format!(
                    "{primary:?} is not a primary context. Fix: create green contexts from Context::primary"
                ),
            ));
        }
        if parts.is_empty() {
            return Err(Error::invalid(CALL, "`parts` is empty"));
        }
        if let Some(other) = parts.iter().find(|part| part.device() != device) {
            return Err(Error::invalid(
                CALL,
                format!(
                    "a part has multiprocessors of device {}, but the context is on device {}",
                    other.device().ordinal(),
                    device.ordinal()
                ),
            ));
        }
        let create = newer::cuGreenCtxCreate()?;
        // Look up the calls that destroy it first. If they were missing later, the green context
        // would be leaked.
        newer::cuGreenCtxDestroy()?;
        newer::cuCtxFromGreenCtx()?;
        let _current = primary.enter("cuGreenCtxCreate")?;
        let descriptor = resource::describe(parts)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, and descriptors live as long as the process.
        let code = unsafe { create(&mut raw, descriptor, device.as_raw(), DEFAULT_STREAM) };
        primary.check("cuGreenCtxCreate", code)?;
        // SAFETY: the green context was just created and has no other owner.
        Ok(unsafe { Self::from_raw(raw, primary) })
    }

    /// Returns the primary context of which this is a part.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Returns the multiprocessors, which can be divided further.
    ///
    /// See [`cuGreenCtxGetDevResource`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, green::GreenContext};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let all = context.multiprocessors()?;
    /// let green = GreenContext::new(&context, &[all])?;
    /// assert_eq!(green.multiprocessors()?.count(), all.count());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGreenCtxGetDevResource")]
    pub fn multiprocessors(&self) -> Result<Multiprocessors> {
        let get = newer::cuGreenCtxGetDevResource()?;
        let _current = self.context().enter("cuGreenCtxGetDevResource")?;
        Multiprocessors::read(self.context().device(), |raw| {
            // SAFETY: the handle is live, and `raw` is valid for the write.
            let code = unsafe { get(self.as_raw(), raw, resource::MULTIPROCESSORS) };
            self.context().check("cuGreenCtxGetDevResource", code)
        })
    }

    /// Returns a number that identifies the green context within this process.
    ///
    /// See [`cuGreenCtxGetId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.9.
    #[doc(alias = "cuGreenCtxGetId")]
    pub fn id(&self) -> Result<u64> {
        let get = newer::cuGreenCtxGetId()?;
        let _current = self.context().enter("cuGreenCtxGetId")?;
        let mut id = 0;
        // SAFETY: the handle is live, and `id` is valid for the write.
        let code = unsafe { get(self.as_raw(), &mut id) };
        self.context().check("cuGreenCtxGetId", code)?;
        Ok(id)
    }

    /// Waits until all work enqueued on this green context's streams has finished.
    ///
    /// See [`cuCtxSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Fault`](crate::ErrorKind::Fault) or
    /// [`ErrorKind::Poisoned`](crate::ErrorKind::Poisoned) if a kernel has faulted. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if this crate is capturing
    /// a stream of the primary context: see [`Context::synchronize`].
    #[doc(alias = "cuCtxSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        const CALL: &str = "GreenContext::synchronize";
        let _allowed = capture::reject_during_capture(CALL, REMEDY)?;
        let _uncaptured = self.context().uncaptured(CALL)?;
        let _current = self.enter("cuCtxSynchronize")?;
        // SAFETY: the call uses the current context.
        let code = unsafe { cuda_sys::cuCtxSynchronize() };
        self.context().check("cuCtxSynchronize", code)
    }

    /// Makes the green context the calling thread's current one, for raw calls, until the returned
    /// guard is dropped.
    ///
    /// Streams that raw calls then create belong to this green context. Methods of this crate are
    /// not affected, because they make the context of their object current.
    ///
    /// See [`cuCtxFromGreenCtx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the primary context has been destroyed. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) inside a stream's host
    /// function.
    ///
    /// ```
    /// # use cuda_safe::{Context, green::GreenContext, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let green = GreenContext::new(&context, &[context.multiprocessors()?])?;
    /// let _current = green.push_current()?;
    /// let mut current = std::ptr::null_mut();
    /// // SAFETY: `current` is valid for the write.
    /// context.check("cuCtxGetCurrent", unsafe { sys::cuCtxGetCurrent(&mut current) })?;
    /// assert_ne!(current, context.as_raw());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxFromGreenCtx")]
    pub fn push_current(&self) -> Result<PushedContext<'_>> {
        Ok(PushedContext::new(self.enter("cuCtxPushCurrent")?))
    }

    fn enter(&self, call: &'static str) -> Result<current::Current> {
        callback::reject_in_callback(call)?;
        // SAFETY: the handle is live.
        let raw = unsafe { context_of(self.as_raw(), self.context())? };
        // SAFETY: the context lives as long as the green context.
        unsafe { current::push(raw) }
    }
}
