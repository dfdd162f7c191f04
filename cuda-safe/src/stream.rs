//! Streams: queues of work that the device does in order.

use std::{
    ffi::{c_uint, c_void},
    ptr,
    thread::{self, ThreadId},
};

use cuda_sys::{self as sys, CUresult, CUstream};

use crate::{
    callback,
    context::Context,
    error::{Error, Result},
    event::Event,
    flags::options,
    handle::{Adopt, Handle, Kind, handle},
};

/// A queue of work on a device: what is enqueued runs in order, beside other streams.
///
/// Cloning gives another hold on the same queue. It is destroyed when the last hold goes; the
/// driver finishes what was enqueued first, and dropping does not wait for that.
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

struct StreamKind {
    /// The per-thread default stream is another stream on every thread.
    thread: Option<ThreadId>,
}

impl Kind for StreamKind {
    type Raw = CUstream;
    type Parent = Context;
    const NAME: &'static str = "Stream";

    unsafe fn release(&self, raw: CUstream, context: &Context) -> Result<()> {
        let _current = context.enter()?;
        // SAFETY: released once, by this function's contract. The driver returns at once, and gives the stream's
        // resources back when its work is done.
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
        }
    }
}

handle!(Stream, CUstream, released by "cuStreamDestroy", made in Context);

/// `CU_STREAM_LEGACY`
const LEGACY: CUstream = ptr::without_provenance_mut(1);
/// `CU_STREAM_PER_THREAD`
const PER_THREAD: CUstream = ptr::without_provenance_mut(2);

options! {
    /// How a stream is made. `StreamOptions::default()` is what [`Stream::new`] takes.
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
        /// Whether the stream waits for the legacy default stream and makes it wait (`CU_STREAM_DEFAULT`). Off by
        /// default (`CU_STREAM_NON_BLOCKING`).
        blocking: bool;
        /// Lower is more urgent; see [`Context::stream_priority_range`]. The driver clamps values out of that range.
        priority: i32;
    }
}

impl Stream {
    /// A new stream that runs independently of the legacy default stream.
    ///
    /// # Errors
    /// The driver refuses.
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

    /// A new stream with a priority or tied to the legacy default stream.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuStreamCreateWithPriority")]
    pub fn with_options(context: &Context, options: StreamOptions) -> Result<Self> {
        let _current = context.enter()?;
        let flags: c_uint = if options.blocking { 0 } else { 1 };
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuStreamCreateWithPriority(&mut raw, flags, options.priority) };
        context.check("cuStreamCreateWithPriority", code)?;
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw) })
    }

    /// The legacy default stream (`CU_STREAM_LEGACY`), which waits for all blocking streams and
    /// makes them wait. For working with libraries that use it.
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
        // SAFETY: a handle that is always there, in every context.
        unsafe { Self::borrow_raw(context, LEGACY) }
    }

    /// The calling thread's own default stream (`CU_STREAM_PER_THREAD`). On another thread the
    /// driver's handle means another stream, so using this object there is an error.
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
        // SAFETY: a handle that is always there, in every context.
        unsafe { Self::borrow_raw(context, PER_THREAD) }
    }

    /// The context that the stream belongs to.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Waits until everything enqueued so far has finished. Not every error means that it has:
    /// [`settle`](Self::settle) tells.
    ///
    /// # Errors
    /// Something enqueued earlier failed. Raw calls are capturing the stream, or, in another mode
    /// than the relaxed one, any stream.
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
        self.context().check("cuStreamSynchronize", code)
    }

    /// Whether everything enqueued so far has finished. Does not wait.
    ///
    /// # Errors
    /// Something enqueued earlier failed.
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
        let _current = self.enter_to_wait("Stream::query")?;
        // SAFETY: the handle is live.
        match unsafe { sys::cuStreamQuery(self.as_raw()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.context().check("cuStreamQuery", code).map(|()| true),
        }
    }

    /// Makes what is enqueued from now on wait for the work that `event` was recorded after. The
    /// host does not wait.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let other = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    /// let ready = stream.record_event()?;
    /// other.wait_event(&ready)?; // what `other` does from now on finds the zeros
    /// other.synchronize()?;
    /// assert!(ready.query()?);
    /// # drop(buffer);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: both handles are live; the driver keeps what it needs of the event.
        let code = unsafe { sys::cuStreamWaitEvent(self.as_raw(), event.as_raw(), 0) };
        self.context().check("cuStreamWaitEvent", code)
    }

    /// Makes what is enqueued here from now on wait for everything enqueued on `other` so far.
    /// The host does not wait.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let other = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 4)?;
    /// buffer.fill(&stream, 7)?;
    /// other.wait_stream(&stream)?; // kernels on `other` now find the sevens
    /// other.synchronize()?;
    /// assert!(stream.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn wait_stream(&self, other: &Self) -> Result<()> {
        if self == other {
            return Ok(());
        }
        self.wait_event(&other.record_event()?)
    }

    /// Enqueues the recording of `event`: it is reached when everything enqueued before it has
    /// finished.
    ///
    /// # Errors
    /// The event is of another context.
    ///
    /// ```
    /// # use cuda_safe::{Context, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mark = Event::new(&context)?;
    /// stream.record(&mark)?;
    /// stream.synchronize()?;
    /// assert!(mark.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuEventRecord")]
    pub fn record(&self, event: &Event) -> Result<()> {
        event.record(self)
    }

    /// A new event without timing, recorded here.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mark = stream.record_event()?;
    /// mark.synchronize()?;
    /// assert!(mark.query()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn record_event(&self) -> Result<Event> {
        let event = Event::without_timing(self.context())?;
        event.record(self)?;
        Ok(event)
    }

    /// Calls `function` on a thread of the driver's when everything enqueued before it has
    /// finished; what is enqueued after it waits for it.
    ///
    /// The function can make no CUDA calls: the driver forbids it, and methods of this crate are
    /// refused in it. An object of this crate whose last hold is dropped in it is leaked for the
    /// same reason. A panic in it is caught and goes no further. If the context faults before its
    /// turn, the driver never calls it and it is leaked.
    ///
    /// # Errors
    /// The driver refuses; the function is dropped uncalled.
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
            // SAFETY: `data` came from `Box::into_raw` below, and the driver calls once.
            let function = unsafe { Box::from_raw(data.cast::<F>()) };
            callback::run(function);
        }
        let _current = self.enter()?;
        let data = Box::into_raw(Box::new(function));
        // SAFETY: `call::<F>` takes back exactly this box, on any thread (`F: Send + 'static`).
        let code = unsafe { sys::cuLaunchHostFunc(self.as_raw(), Some(call::<F>), data.cast()) };
        if code != CUresult::CUDA_SUCCESS {
            // SAFETY: the driver did not take the box.
            drop(unsafe { Box::from_raw(data) });
        }
        self.context().check("cuLaunchHostFunc", code)
    }

    /// The stream's priority; lower is more urgent.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuStreamGetPriority")]
    pub fn priority(&self) -> Result<i32> {
        let _current = self.enter()?;
        let mut priority = 0;
        // SAFETY: `priority` is valid for the write.
        let code = unsafe { sys::cuStreamGetPriority(self.as_raw(), &mut priority) };
        self.context().check("cuStreamGetPriority", code)?;
        Ok(priority)
    }

    /// Whether the stream waits for the legacy default stream.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuStreamGetFlags")]
    pub fn is_blocking(&self) -> Result<bool> {
        let _current = self.enter()?;
        let mut flags = 0;
        // SAFETY: `flags` is valid for the write.
        let code = unsafe { sys::cuStreamGetFlags(self.as_raw(), &mut flags) };
        self.context().check("cuStreamGetFlags", code)?;
        Ok(flags & 1 == 0)
    }

    /// Whether the handle is one that was created, which means the same stream in every context and
    /// thread; the default streams' do not.
    #[inline]
    pub(crate) fn is_created(&self) -> bool {
        self.as_raw().addr() > 2
    }

    /// Makes the stream's context current, and checks that this thread may use the stream.
    #[inline]
    pub(crate) fn enter(&self) -> Result<crate::context::Current> {
        if let Some(owner) = self.0.kind().thread {
            self.expect_thread(owner)?;
        }
        self.context().enter()
    }

    /// As [`enter`](Self::enter), for a call that waits for the stream, or asks how far it is: refused where that is
    /// not possible, before anything is enqueued that would have to be waited for.
    pub(crate) fn enter_to_wait(&self, call: &'static str) -> Result<crate::context::Current> {
        let current = self.enter()?;
        self.expect_uncaptured(call)?;
        Ok(current)
    }

    #[cold]
    fn expect_thread(&self, owner: ThreadId) -> Result<()> {
        if thread::current().id() == owner {
            return Ok(());
        }
        Err(Error::invalid(
            "Stream::per_thread_default",
            "this per-thread default stream was made on another thread, where the handle means \
             another stream: call Stream::per_thread_default on this thread, or use Stream::new",
        ))
    }
}
