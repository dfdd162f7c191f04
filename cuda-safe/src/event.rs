//! Events: marks in a stream, to wait for and to measure time between.

use std::{ptr, time::Duration};

use cuda_sys::{self as sys, CUevent, CUresult};

use crate::{
    context::Context,
    error::Result,
    flags::options,
    handle::{Adopt, Handle, Kind, handle},
    newer,
    stream::Stream,
};

/// A mark in a stream, reached when the work before it is done. Cloning gives another hold on the same event.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, Event, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let (start, end) = (Event::new(&context)?, Event::new(&context)?);
/// start.record(&stream)?;
/// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 20)?;
/// end.record(&stream)?;
/// end.synchronize()?;
/// println!("{} ms", end.elapsed_ms_since(&start)?);
/// # Ok(())
/// # }
/// ```
pub struct Event(Handle<EventKind>);

struct EventKind;

impl Kind for EventKind {
    type Raw = CUevent;
    type Parent = Context;
    const NAME: &'static str = "Event";

    unsafe fn release(&self, raw: CUevent, context: &Context) -> Result<()> {
        let _current = context.enter()?;
        // SAFETY: released once, by this function's contract; the driver keeps what enqueued work needs of it.
        context.check("cuEventDestroy_v2", unsafe { sys::cuEventDestroy_v2(raw) })
    }
}

impl Adopt for EventKind {
    fn adopt(_: CUevent) -> Self {
        Self
    }
}

handle!(Event, CUevent, released by "cuEventDestroy", made in Context);

options! {
    /// How an event is made. `EventOptions::default()` is what [`Event::new`] takes.
    ///
    /// ```
    /// # use cuda_safe::{Context, Event, EventOptions, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = EventOptions::default().blocking_sync(true).disable_timing(true);
    /// let event = Event::with_options(&context, options)?;
    /// event.record(&stream)?;
    /// event.synchronize()?;
    /// assert!(event.query()?);
    /// # Ok(())
    /// # }
    /// ```
    pub struct EventOptions {
        /// Takes no time: cheaper to record and to wait for (`CU_EVENT_DISABLE_TIMING`).
        disable_timing: bool;
        /// A host thread that waits for the event sleeps instead of spinning (`CU_EVENT_BLOCKING_SYNC`).
        blocking_sync: bool;
    }
}

impl Event {
    /// A new event that takes the time.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuEventCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_options(context, EventOptions::default())
    }

    /// A new event for ordering only.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// ```
    /// # use cuda_safe::{Context, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (start, end) = (Event::without_timing(&context)?, Event::without_timing(&context)?);
    /// start.record(&stream)?;
    /// end.record(&stream)?;
    /// end.synchronize()?;
    /// assert!(end.elapsed_ms_since(&start).is_err()); // for ordering only
    /// # Ok(())
    /// # }
    /// ```
    pub fn without_timing(context: &Context) -> Result<Self> {
        Self::with_options(context, EventOptions::default().disable_timing(true))
    }

    /// A new event.
    ///
    /// # Errors
    /// The driver refuses.
    #[doc(alias = "cuEventCreate")]
    pub fn with_options(context: &Context, options: EventOptions) -> Result<Self> {
        let _current = context.enter()?;
        let flags = u32::from(options.blocking_sync) | u32::from(options.disable_timing) << 1;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuEventCreate(&mut raw, flags) };
        context.check("cuEventCreate", code)?;
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), EventKind)
        }))
    }

    /// The context that the event belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Enqueues the mark on `stream`, in place of where it was recorded before.
    ///
    /// # Errors
    /// The stream is of another context.
    ///
    /// ```
    /// # use cuda_safe::{Context, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let event = Event::new(&context)?;
    /// event.record(&stream)?;
    /// event.record(&stream)?; // in place of the first
    /// event.synchronize()?;
    /// assert!(event.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuEventRecord")]
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.context().expect_same(
            stream.context(),
            "Event::record",
            "the event and the stream",
        )?;
        let _current = stream.enter()?;
        // SAFETY: both handles are live and of one context.
        let code = unsafe { sys::cuEventRecord(self.as_raw(), stream.as_raw()) };
        self.context().check("cuEventRecord", code)
    }

    /// Whether the mark has been reached; also true when it was never recorded. Does not wait.
    ///
    /// # Errors
    /// The work before the mark failed.
    ///
    /// ```
    /// # use cuda_safe::{Context, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let event = Event::new(&context)?;
    /// assert!(event.query()?); // never recorded
    /// event.record(&stream)?;
    /// event.synchronize()?;
    /// assert!(event.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuEventQuery")]
    pub fn query(&self) -> Result<bool> {
        let _current = self.context().enter()?;
        // SAFETY: the handle is live.
        match unsafe { sys::cuEventQuery(self.as_raw()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.context().check("cuEventQuery", code).map(|()| true),
        }
    }

    /// Waits until the mark is reached.
    ///
    /// # Errors
    /// The work before the mark failed.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let event = Event::new(&context)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// event.record(&stream)?;
    /// event.synchronize()?; // the zeros are there
    /// assert!(event.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuEventSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.context().enter()?;
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuEventSynchronize(self.as_raw()) };
        self.context().check("cuEventSynchronize", code)
    }

    /// Milliseconds from `start` to this event, as the device's clock counts them, to about half
    /// a microsecond.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_READY` when either has not been reached yet (call
    /// [`synchronize`](Self::synchronize) first); `CUDA_ERROR_INVALID_HANDLE` when either was
    /// never recorded or was made without timing.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (start, end) = (Event::new(&context)?, Event::new(&context)?);
    /// start.record(&stream)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// end.record(&stream)?;
    /// end.synchronize()?;
    /// assert!(end.elapsed_ms_since(&start)? >= 0.0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuEventElapsedTime")]
    pub fn elapsed_ms_since(&self, start: &Self) -> Result<f32> {
        let elapsed_time = newer::cuEventElapsedTime()?;
        let _current = self.context().enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: both handles are live; `milliseconds` is valid for the write.
        let code = unsafe { elapsed_time(&mut milliseconds, start.as_raw(), self.as_raw()) };
        self.context()
            .check("cuEventElapsedTime", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_NOT_READY => error.with_detail(
                    "an event has not been reached yet: synchronize with the later one first",
                ),
                CUresult::CUDA_ERROR_INVALID_HANDLE => {
                    error.with_detail("an event was never recorded, or was made without timing")
                }
                _ => error,
            })?;
        Ok(milliseconds)
    }

    /// The time from `start` to this event; zero where `start` was reached later.
    ///
    /// # Errors
    /// As [`elapsed_ms_since`](Self::elapsed_ms_since).
    ///
    /// ```
    /// # use cuda_safe::{Context, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (start, end) = (Event::new(&context)?, Event::new(&context)?);
    /// start.record(&stream)?;
    /// end.record(&stream)?;
    /// end.synchronize()?;
    /// let seconds = end.duration_since(&start)?.as_secs_f64();
    /// assert!(seconds < 60.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn duration_since(&self, start: &Self) -> Result<Duration> {
        let milliseconds = self.elapsed_ms_since(start)?;
        Ok(Duration::from_secs_f64(
            f64::from(milliseconds.max(0.0)) / 1e3,
        ))
    }
}
