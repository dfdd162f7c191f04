//! Green contexts: parts of a device's multiprocessors, with streams that run on them alone.

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

/// A part of a device's multiprocessors. Kernels that are launched on its [streams](Self::stream) run there, and leave
/// the other multiprocessors to others.
///
/// It is not a context of its own, but a way to use the primary one: memory, modules and events are the primary
/// context's, and are used with its streams as with any other. So [`Stream::context`](crate::Stream::context) of its streams is the primary
/// context, a fault on one of them makes the primary context unusable, and the green context keeps the primary one
/// alive. A stream of it keeps the green context alive.
///
/// That two green contexts have different multiprocessors does not mean that their kernels never wait for each other:
/// they share memory, caches, and the queues by which work reaches the device.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, green::GreenContext};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let all = context.multiprocessors()?;
/// let green = match all.split(2, all.smallest()) {
///     Ok(parts) => GreenContext::new(&context, &parts.groups[..1])?,
///     Err(_) => GreenContext::new(&context, &[all])?, // too few to divide
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
            // Streams that are gone may have left work behind. To wait for the primary context is to wait for its parts, too.
            // SAFETY: live, by this function's contract.
            let own = unsafe { context_of(raw, &primary) };
            wait_for(own.unwrap_or_else(|_| primary.as_raw()))?;
            let _current = primary.enter("cuGreenCtxDestroy")?;
            // SAFETY: destroyed once, by this function's contract.
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

/// The green context as what calls take that know contexts only.
///
/// # Safety
/// `raw` is a live green context of the primary context.
unsafe fn context_of(raw: RawGreen, primary: &Context) -> Result<CUcontext> {
    callback::refuse_within("cuCtxFromGreenCtx")?;
    let get = newer::cuCtxFromGreenCtx()?;
    let mut context = ptr::null_mut();
    // SAFETY: live by this function's contract; `context` is valid for the write.
    let code = unsafe { get(&mut context, raw) };
    primary.check("cuCtxFromGreenCtx", code)?;
    Ok(context)
}

impl GreenContext {
    /// A green context with the multiprocessors of all `parts`, which come from one division.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `primary` is not its device's primary
    /// context, and for multiprocessors of another device. `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION` for parts that
    /// can't be used together. [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than
    /// CUDA 12.4.
    #[doc(alias = "cuGreenCtxCreate")]
    #[doc(alias = "cuDevResourceGenerateDesc")]
    pub fn new(primary: &Context, parts: &[Multiprocessors]) -> Result<Self> {
        /// `CU_GREEN_CTX_DEFAULT_STREAM`: up to CUDA 13.0 it has to be set.
        const DEFAULT_STREAM: c_uint = 1;
        const CALL: &str = "GreenContext::new";
        let device = primary.device();
        if !Context::is_primary(device, primary.as_raw())? {
            return Err(Error::invalid(
                CALL,
                format!(
                    "{primary:?} is no primary context: green contexts are parts of those (Context::primary)"
                ),
            ));
        }
        if parts.is_empty() {
            return Err(Error::invalid(CALL, "no multiprocessors were given"));
        }
        if let Some(other) = parts.iter().find(|part| part.device() != device) {
            return Err(Error::invalid(
                CALL,
                format!(
                    "multiprocessors of device {}, for a context on device {}",
                    other.device().ordinal(),
                    device.ordinal()
                ),
            ));
        }
        let create = newer::cuGreenCtxCreate()?;
        // What its end takes is found first: what can't be looked up then would leave the green context behind.
        newer::cuGreenCtxDestroy()?;
        newer::cuCtxFromGreenCtx()?;
        let _current = primary.enter("cuGreenCtxCreate")?;
        let descriptor = resource::describe(parts)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; descriptors live as long as the process.
        let code = unsafe { create(&mut raw, descriptor, device.as_raw(), DEFAULT_STREAM) };
        primary.check("cuGreenCtxCreate", code)?;
        // SAFETY: just made, and owned by nobody else.
        Ok(unsafe { Self::from_raw(primary, raw) })
    }

    /// The primary context that this is a part of.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// The multiprocessors, which can be divided further.
    ///
    /// # Errors
    /// The context is unusable after a fault.
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
            // SAFETY: the handle is live, `raw` is valid for the write.
            let code = unsafe { get(self.as_raw(), raw, resource::MULTIPROCESSORS) };
            self.context().check("cuGreenCtxGetDevResource", code)
        })
    }

    /// A number that no other green context of this process has.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.9.
    #[doc(alias = "cuGreenCtxGetId")]
    pub fn id(&self) -> Result<u64> {
        let get = newer::cuGreenCtxGetId()?;
        let _current = self.context().enter("cuGreenCtxGetId")?;
        let mut id = 0;
        // SAFETY: the handle is live, `id` is valid for the write.
        let code = unsafe { get(self.as_raw(), &mut id) };
        self.context().check("cuGreenCtxGetId", code)?;
        Ok(id)
    }

    /// Waits until everything that the streams of this green context were given has finished.
    ///
    /// # Errors
    /// As [`Context::synchronize`].
    #[doc(alias = "cuCtxSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        const CALL: &str = "GreenContext::synchronize";
        let _allowed = capture::refuse_here(CALL, REMEDY)?;
        let _uncaptured = self.context().uncaptured(CALL)?;
        let _current = self.enter("cuCtxSynchronize")?;
        // SAFETY: works on the current context.
        let code = unsafe { cuda_sys::cuCtxSynchronize() };
        self.context().check("cuCtxSynchronize", code)
    }

    /// Makes the green context the calling thread's current one, for raw calls, until the returned guard is dropped:
    /// streams that such calls create are streams of this green context. Methods of this crate make the context of
    /// their object current, whatever is so when they are called.
    ///
    /// # Errors
    /// As [`Context::push_current`].
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
        callback::refuse_within(call)?;
        // SAFETY: the handle is live.
        let raw = unsafe { context_of(self.as_raw(), self.context())? };
        // SAFETY: as live as the green context.
        unsafe { current::push(raw) }
    }
}
