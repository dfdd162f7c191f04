//! Streams and events, which order and time work.
//!
//! A [`Stream`] is a queue of work that the device executes in order. An [`Event`] is a point in
//! that order. You can wait for it, and measure the time between two events. Streams run in
//! parallel, and [`Stream::wait_event`] orders them.
//!
//! - Queues: [`Stream`], [`StreamOptions`], [`SyncPolicy`]
//! - Events: [`Event`], [`EventOptions`]
//! - Waiting: [`Settled`], [`Finished`]
//! - The owner of memory: [`Owner`]
//! - The L2 cache: [`AccessPolicyWindow`], [`AccessProperty`]
//! - Visibility of writes: [`MemSyncDomain`], [`MemSyncDomainMap`]

pub(crate) mod access_policy;
mod attached;
pub(crate) mod attributes;
mod captures;
pub(crate) mod context_events;
pub(crate) mod event;
mod events;
pub(crate) mod finished;
mod green;
mod keeper;
pub(crate) mod last;
pub(crate) mod order;
pub(crate) mod owner;
pub(crate) mod settle;

use std::{
    any::Any,
    ffi::{c_uint, c_void},
    ptr,
    sync::{Arc, OnceLock, RwLock},
    thread::{self, ThreadId},
};

use cuda_sys::{self as sys, CUresult, CUstream};

pub use crate::context::settle::Settled;
use crate::{
    capture::{self, Queue},
    context::{Context, GreenContext},
    driver::callback,
    error::{Error, Result, fault::discarding_errors},
    handle::{Adopt, Handle, Kind, handle},
    raw::flags::options,
};
pub use access_policy::{AccessPolicyWindow, AccessProperty};
use attached::Attached;
pub use attributes::{MemSyncDomain, MemSyncDomainMap, SyncPolicy};
pub(crate) use captures::Uncaptured;
pub use event::{Event, EventOptions};
pub use finished::Finished;
use keeper::Keeper;
use last::{Last, Number};
pub use owner::Owner;

/// A queue of work on a device.
///
/// Work in one stream runs in the order in which it was enqueued. Different streams run
/// independently. Cloning returns another reference to the same stream. Dropping the last reference
/// destroys the stream without waiting: the driver first finishes the work that was enqueued.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let buffer = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
/// assert_eq!(buffer.to_vec(&stream)?, [1.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
pub struct Stream(Handle<StreamKind>);

/// The staging of a stream. Its type is defined in the memory layer.
pub(crate) type Staged = Arc<dyn Any + Send + Sync>;

struct StreamKind {
    /// The thread of a per-thread default stream. The handle means a different stream on every
    /// thread.
    thread: Option<ThreadId>,
    /// The last kernel that was launched on the stream.
    last: Last,
    /// The green context, if the stream does not run on the whole device. Held until the stream has
    /// been dropped.
    green: Option<GreenContext>,
    /// The staging for copies of pageable memory, if one is set.
    staging: RwLock<Option<Staged>>,
    /// Whether the legacy default stream waits for this stream, once that is known.
    blocking: OnceLock<bool>,
    /// Objects of other libraries.
    attached: Attached,
    /// The owner of a borrowed stream. Dropped with the last reference to it.
    _keeper: Option<Keeper>,
}

impl Kind for StreamKind {
    type Raw = CUstream;
    type Parent = Context;
    const NAME: &'static str = "Stream";

    unsafe fn release(&self, raw: CUstream, context: &Context) -> Result<()> {
        let _current = context.enter("cuStreamDestroy_v2")?;
        // SAFETY: the caller guarantees that the handle is live, owned and unused. The driver
        // returns at once, and frees the stream's resources when its work is done.
        context.check("cuStreamDestroy_v2", unsafe {
            sys::cuStreamDestroy_v2(raw)
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.thread == other.thread
    }
}

impl Adopt for StreamKind {
    fn adopt(raw: CUstream) -> Self {
        Self {
            thread: (raw == PER_THREAD).then(|| thread::current().id()),
            last: Last::default(),
            green: None,
            staging: RwLock::default(),
            blocking: OnceLock::new(),
            attached: Attached::default(),
            _keeper: None,
        }
    }
}

handle!(Stream, CUstream, released by "cuStreamDestroy", made in Context);

/// `CU_STREAM_LEGACY`
const LEGACY: CUstream = ptr::without_provenance_mut(1);
/// `CU_STREAM_PER_THREAD`
const PER_THREAD: CUstream = ptr::without_provenance_mut(2);

options! {
    /// Options for creating a stream. [`Stream::new`] uses `StreamOptions::default()`.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream, StreamOptions};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = StreamOptions::default().blocking(true);
    /// let blocking = Stream::with_options(&context, options)?;
    /// assert!(blocking.is_blocking()?);
    /// assert!(!stream.is_blocking()?); // made with `Stream::new`
    /// # Ok(())
    /// # }
    /// ```
    pub struct StreamOptions {
        /// Whether the stream synchronizes with the legacy default stream, in both directions
        /// (`CU_STREAM_DEFAULT`). Off by default (`CU_STREAM_NON_BLOCKING`).
        blocking: bool;
        /// The priority. A lower number is more urgent. See [`Context::stream_priority_range`]. The
        /// driver clamps values outside of that range.
        priority: i32;
    }
}

impl Stream {
    /// Creates a stream that runs independently of the legacy default stream.
    ///
    /// See [`cuStreamCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, or if the context is unusable after a
    /// fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// assert_eq!(stream.context(), &context);
    /// assert!(!stream.is_blocking()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_options(context, StreamOptions::default())
    }

    /// Creates a stream with a priority, or one that synchronizes with the legacy default stream.
    ///
    /// See [`cuStreamCreateWithPriority`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, or if the context is unusable after a
    /// fault.
    #[doc(alias = "cuStreamCreateWithPriority")]
    pub fn with_options(context: &Context, options: StreamOptions) -> Result<Self> {
        let _current = context.enter("cuStreamCreateWithPriority")?;
        let flags: c_uint = if options.blocking { 0 } else { 1 };
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuStreamCreateWithPriority(&mut raw, flags, options.priority) };
        context.check("cuStreamCreateWithPriority", code)?;
        // SAFETY: the stream was just created in this context, and has no other owner.
        let stream = unsafe { Self::from_raw(raw, context) };
        stream.0.kind().blocking.get_or_init(|| options.blocking);
        Ok(stream)
    }

    /// Creates a stream object for a stream of a green context.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live stream of the green context, and that no other
    /// code destroys it.
    pub(crate) unsafe fn of_green(green: &GreenContext, raw: CUstream) -> Self {
        let kind = StreamKind {
            green: Some(green.clone()),
            blocking: OnceLock::from(false), // a green context has only non-blocking streams
            ..StreamKind::adopt(raw)
        };
        // SAFETY: guaranteed by this function's contract.
        Self(unsafe { Handle::new(raw, true, green.context().clone(), kind) })
    }

    /// Returns the object of this type that is attached to the stream. If there is none, attaches the
    /// object that `create` returns.
    ///
    /// Libraries store expensive objects here, such as compiled kernels, so that they exist as long as
    /// the program has a stream for them. All clones of a stream have the same objects. The stream drops its
    /// references with its last clone, after it has destroyed the driver's stream. If that happens in a
    /// host function, it drops them later.
    ///
    /// The object must not own a clone of the stream, because both would then exist forever.
    ///
    /// # Errors
    /// Returns the error of `create`.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use cuda_safe::{Context, Error, Module, Stream};
    ///
    /// /// The kernels of a library.
    /// struct Kernels(Module);
    ///
    /// fn kernels(stream: &Stream) -> Result<Arc<Kernels>, Error> {
    ///     stream.attached(|| {
    ///         let module = Module::compile(stream.context(), "__global__ void nothing() {}")?;
    ///         Ok(Arc::new(Kernels(module)))
    ///     })
    /// }
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (first, second) = (kernels(&stream)?, kernels(&stream)?);
    /// assert!(Arc::ptr_eq(&first, &second)); // compiled once
    /// # Ok(())
    /// # }
    /// ```
    pub fn attached<T: Any + Send + Sync, E>(
        &self,
        create: impl FnOnce() -> Result<Arc<T>, E>,
    ) -> Result<Arc<T>, E> {
        self.0.kind().attached.get(create)
    }

    pub(crate) fn staged(&self) -> &RwLock<Option<Staged>> {
        &self.0.kind().staging
    }

    /// Returns the green context in which the stream was created with [`GreenContext::stream`].
    #[must_use]
    pub fn green_context(&self) -> Option<&GreenContext> {
        self.0.kind().green.as_ref()
    }

    /// Returns the legacy default stream (`CU_STREAM_LEGACY`), which waits for all blocking streams
    /// and makes them wait. Use it to order work with libraries that use the legacy default stream.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::legacy_default(&context);
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u8, 2])?;
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn legacy_default(context: &Context) -> Self {
        // SAFETY: this handle is always valid, in every context.
        unsafe { Self::borrow_raw(LEGACY, context) }
    }

    /// Returns the default stream of the calling thread (`CU_STREAM_PER_THREAD`). On another thread
    /// the driver's handle means a different stream, so using this object there is an error.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::per_thread_default(&context);
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u8, 2])?;
    /// assert_eq!(buffer.to_vec(&stream)?, [1, 2]);
    /// let elsewhere = std::thread::spawn(move || stream.synchronize());
    /// assert!(elsewhere.join().unwrap().is_err());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn per_thread_default(context: &Context) -> Self {
        // SAFETY: this handle is always valid, in every context.
        unsafe { Self::borrow_raw(PER_THREAD, context) }
    }

    /// Wraps a raw handle like [`borrow_raw`](Self::borrow_raw), and owns `keeper`, which keeps the
    /// stream alive. It is dropped with the last clone of the returned object and everything created
    /// from it, but not in a host function, after which it is dropped later.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live handle that was created in `context`, and that it
    /// stays alive until `keeper` is dropped.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let owner = Stream::new(&context)?; // could be a reference-counted stream of another library
    /// let raw = owner.as_raw();
    /// // SAFETY: a live stream, which `owner` keeps alive.
    /// let stream = unsafe { Stream::borrow_raw_with(raw, &context, owner) };
    /// let buffer = DeviceBuffer::from_slice(&stream, &[1u8, 2])?;
    /// drop(stream);
    /// assert_eq!(buffer.to_vec(buffer.stream())?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub unsafe fn borrow_raw_with(
        raw: CUstream,
        context: &Context,
        keeper: impl Any + Send + Sync,
    ) -> Self {
        let kind = StreamKind {
            _keeper: Some(Keeper::new(keeper, context.clone())),
            ..StreamKind::adopt(raw)
        };
        // SAFETY: guaranteed by this function's contract.
        Self(unsafe { Handle::new(raw, false, context.clone(), kind) })
    }

    /// Returns the context of the stream.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Waits until all work enqueued so far has finished.
    ///
    /// An error does not always mean that the work has finished. To be sure, use
    /// [`settle`](Self::settle).
    ///
    /// See [`cuStreamSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if earlier work faulted, in this stream or elsewhere in the context. Also
    /// returns an error if this stream is being captured, or if a capture of another stream in a
    /// mode other than relaxed forbids the wait.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// stream.synchronize()?;
    /// assert!(stream.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.enter_to_wait("Stream::synchronize")?;
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuStreamSynchronize(self.as_raw()) };
        self.check("cuStreamSynchronize", code)
    }

    /// Returns whether all work enqueued so far has finished. Does not wait.
    ///
    /// See [`cuStreamQuery`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if earlier work faulted, in this stream or elsewhere in the context, or if
    /// the stream is being captured.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// stream.synchronize()?;
    /// assert!(stream.query()?); // nothing was enqueued since
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamQuery")]
    pub fn query(&self) -> Result<bool> {
        let _current = self.enter_to_query("Stream::query", capture::REMEDY)?;
        // SAFETY: the handle is live.
        match unsafe { sys::cuStreamQuery(self.as_raw()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.check("cuStreamQuery", code).map(|()| true),
        }
    }

    /// Enqueues a call of `function` on a driver thread, after all work enqueued so far. Work
    /// enqueued later waits for it.
    ///
    /// The driver forbids CUDA calls in the function. Methods of this crate return an error there,
    /// with the name of the method. If the function drops the last reference to an object, the
    /// object is released later, when the program releases another object of this crate: see [host
    /// functions](crate::guide::memory_and_streams#host-functions). A panic in the function is
    /// caught. If the context faults before the function is called, the driver never calls it, and
    /// it is leaked.
    ///
    /// See [`cuLaunchHostFunc`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, if the stream is being captured, or if the
    /// context is unusable after a fault. The function is then dropped without being called.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// stream.launch_host_function(move || sender.send("done").unwrap())?;
    /// stream.synchronize()?;
    /// assert_eq!(receiver.recv(), Ok("done"));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn launch_host_function<F>(&self, function: F) -> Result<()>
    where
        F: FnOnce() + Send + 'static,
    {
        unsafe extern "C" fn call<F: FnOnce()>(data: *mut c_void) {
            // SAFETY: `data` came from `Box::into_raw` below, and the driver calls this function
            // once.
            let function = unsafe { Box::from_raw(data.cast::<F>()) };
            callback::run(function);
        }
        // A graph would call the function in every launch, but it can be called only once.
        let _uncaptured =
            self.uncaptured("Stream::launch_host_function", "use Capture::host_function")?;
        let data = Box::into_raw(Box::new(function));
        // SAFETY: `call::<F>` takes exactly this box, on any thread (`F: Send + 'static`).
        let code = unsafe { sys::cuLaunchHostFunc(self.as_raw(), Some(call::<F>), data.cast()) };
        if code != CUresult::CUDA_SUCCESS {
            // SAFETY: the driver did not take the box.
            drop(unsafe { Box::from_raw(data) });
        }
        self.context().check("cuLaunchHostFunc", code)
    }

    /// Returns the stream's priority. A lower number is more urgent.
    ///
    /// See [`cuStreamGetPriority`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed.
    #[doc(alias = "cuStreamGetPriority")]
    pub fn priority(&self) -> Result<i32> {
        let _current = self.enter("cuStreamGetPriority")?;
        let mut priority = 0;
        // SAFETY: `priority` is valid for the write.
        let code = unsafe { sys::cuStreamGetPriority(self.as_raw(), &mut priority) };
        self.context().check("cuStreamGetPriority", code)?;
        Ok(priority)
    }

    /// Returns whether the stream synchronizes with the legacy default stream.
    ///
    /// See [`cuStreamGetFlags`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault, or has been destroyed. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) while this thread captures
    /// a stream, because the call would invalidate the capture.
    #[doc(alias = "cuStreamGetFlags")]
    pub fn is_blocking(&self) -> Result<bool> {
        let _allowed = capture::reject_during_capture("cuStreamGetFlags", capture::REMEDY)?;
        self.read_blocking()
    }

    /// Returns whether the legacy default stream waits for this one, or `true` if that cannot be
    /// determined. The result is stored, because the driver forbids the call during a capture
    /// (recorded on an H100, driver 580).
    pub(crate) fn blocks_legacy_default(&self) -> bool {
        let read =
            || capture::relaxed(|| discarding_errors(|| self.read_blocking()).unwrap_or(true));
        *self.0.kind().blocking.get_or_init(read)
    }

    fn read_blocking(&self) -> Result<bool> {
        let _current = self.enter("cuStreamGetFlags")?;
        let mut flags = 0;
        // SAFETY: `flags` is valid for the write.
        let code = unsafe { sys::cuStreamGetFlags(self.as_raw(), &mut flags) };
        self.context().check("cuStreamGetFlags", code)?;
        Ok(flags & 1 == 0)
    }

    /// Records a launch like [`launched`](Self::launched), for launches of other work than kernels.
    #[inline]
    pub(crate) fn note_launch(&self, number: &Number) {
        self.0.kind().last.set(number);
    }

    /// Checks a driver code like [`Context::check`]. The error of a fault names the kernel that was
    /// launched last on this stream.
    #[inline]
    pub(crate) fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        if code == CUresult::CUDA_SUCCESS {
            Ok(())
        } else {
            Err(self
                .context()
                .error_after(call, code, || self.0.kind().last.name()))
        }
    }

    /// Returns whether the handle was created, and therefore means the same stream in every context
    /// and thread. The handles of the default streams do not.
    #[inline]
    fn is_created(&self) -> bool {
        self.as_raw().addr() > 2
    }

    /// Returns whether [`call`](Self::call) begins with the call itself.
    #[inline]
    pub(crate) fn may_call_at_once(&self) -> bool {
        !callback::is_running() && self.is_created()
    }

    /// Makes a driver call that takes this stream.
    ///
    /// A created stream knows its context, so the usual launch need not check the current context.
    /// If the call fails, the current context may be missing, destroyed or faulted. The call is
    /// then made again in the stream's own context.
    #[inline]
    pub(crate) fn call(
        &self,
        name: &'static str,
        mut call: impl FnMut() -> CUresult,
    ) -> Result<CUresult> {
        callback::reject_in_callback(name)?;
        if self.is_created() {
            let code = call();
            if code == CUresult::CUDA_SUCCESS || self.context().is_current() {
                return Ok(code);
            }
        }
        let _current = self.enter(name)?;
        Ok(call())
    }

    /// Makes the stream's context current, and checks that this thread may use the stream.
    #[inline]
    pub(crate) fn enter(&self, call: &'static str) -> Result<crate::context::Current> {
        if let Some(owner) = self.0.kind().thread {
            self.expect_thread(owner)?;
        }
        self.context().enter(call)
    }

    /// Returns whether this is the per-thread default stream of another thread, which the calling
    /// thread cannot use.
    pub(crate) fn is_of_other_thread(&self) -> bool {
        let owner = self.0.kind().thread;
        owner.is_some_and(|owner| owner != thread::current().id())
    }

    /// Returns whether memory can be freed in this stream's order, now or later. In a host
    /// function, the release is postponed to any thread, which cannot use a per-thread default
    /// stream.
    pub(crate) fn can_free_here(&self) -> bool {
        let owner = self.0.kind().thread;
        owner.is_none_or(|owner| owner == thread::current().id() && !callback::is_running())
    }

    /// Returns whether this is the per-thread default stream of a thread, which other threads
    /// cannot use.
    pub(crate) fn is_per_thread(&self) -> bool {
        self.0.kind().thread.is_some()
    }

    /// Returns the kind of queue, which determines how captures affect the stream.
    pub(crate) fn queue(&self) -> Queue {
        match self.as_raw() {
            raw if self.is_created() => Queue::Stream(raw.addr()),
            PER_THREAD => Queue::PerThread,
            _ => Queue::Legacy,
        }
    }

    #[cold]
    fn expect_thread(&self, owner: ThreadId) -> Result<()> {
        if thread::current().id() == owner {
            return Ok(());
        }
        Err(Error::invalid(
            "Stream::per_thread_default",
            "this per-thread default stream was created on another thread, and its handle means a different stream here. Fix: \
             call Stream::per_thread_default on this thread, or use Stream::new",
        ))
    }
}
