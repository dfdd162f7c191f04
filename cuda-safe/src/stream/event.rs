//! Events, which mark points in the order of a stream, for waiting and for timing.

use std::{
    ptr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use cuda_sys::{self as sys, CUevent, CUresult};

use crate::{
    capture,
    context::Context,
    driver::newer,
    error::Result,
    handle::{Adopt, Handle, Kind, handle},
    raw::flags::options,
    stream::Stream,
};

/// A point in a stream's order, reached when all work enqueued before it has finished. Cloning
/// returns another reference to the same event.
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

#[derive(Default)]
struct EventKind {
    /// Whether the last recording was on a stream that this crate captured.
    captured: Mutex<bool>,
}

impl Kind for EventKind {
    type Raw = CUevent;
    type Parent = Context;
    const NAME: &'static str = "Event";

    unsafe fn release(&self, raw: CUevent, context: &Context) -> Result<()> {
        let _current = context.enter("cuEventDestroy_v2")?;
        // SAFETY: the caller guarantees that the handle is live, owned and unused. The driver keeps
        // the parts that enqueued work needs.
        context.check("cuEventDestroy_v2", unsafe { sys::cuEventDestroy_v2(raw) })
    }
}

impl Adopt for EventKind {
    fn adopt(_: CUevent) -> Self {
        Self::default()
    }
}

handle!(Event, CUevent, released by "cuEventDestroy", made in Context);

options! {
    /// Options for creating an event. [`Event::new`] uses `EventOptions::default()`.
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
        /// Whether the event records no time (`CU_EVENT_DISABLE_TIMING`). Such an event is cheaper
        /// to record and to wait for.
        disable_timing: bool;
        /// Whether a host thread that waits for the event sleeps instead of spinning
        /// (`CU_EVENT_BLOCKING_SYNC`).
        blocking_sync: bool;
        /// Whether other processes may open the event, with [`Event::ipc_handle`]
        /// (`CU_EVENT_INTERPROCESS`). Such an event records no time, regardless of
        /// [`disable_timing`](Self::disable_timing).
        interprocess: bool;
    }
}

impl Event {
    /// Creates an event that records the time.
    ///
    /// See [`cuEventCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, or if the context is unusable after a
    /// fault.
    #[doc(alias = "cuEventCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_options(context, EventOptions::default())
    }

    /// Creates an event without timing, for ordering only.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, or if the context is unusable after a
    /// fault.
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

    /// Creates an event with options.
    ///
    /// See [`cuEventCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, or if the context is unusable after a
    /// fault.
    #[doc(alias = "cuEventCreate")]
    pub fn with_options(context: &Context, options: EventOptions) -> Result<Self> {
        let _current = context.enter("cuEventCreate")?;
        let untimed = options.disable_timing || options.interprocess;
        let flags = u32::from(options.blocking_sync)
            | u32::from(untimed) << 1
            | u32::from(options.interprocess) << 2;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuEventCreate(&mut raw, flags) };
        context.check("cuEventCreate", code)?;
        // SAFETY: the event was just created in this context, and has no other owner.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), EventKind::default())
        }))
    }

    /// Returns the context of the event.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Records the event on `stream`. It is reached when all work enqueued there so far has
    /// finished. This replaces an earlier recording.
    ///
    /// See [`cuEventRecord`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream
    /// belongs to another context, or is the per-thread default stream of another thread. Returns
    /// an error if the context is unusable after a fault.
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
        let same = self.context().expect_same(
            stream.context(),
            "Event::record",
            "the event and the stream",
        );
        let devices = [self.context(), stream.context()].map(|one| one.device().ordinal());
        same.map_err(|error| match devices {
            [own, other] if own != other => error.with_detail(format!(
                "the event belongs to device {own}, and the stream to device {other}. Fix: record the event on a stream of \
                 its own device, and let streams of other devices wait for it (Stream::wait_event)"
            )),
            _ => error,
        })?;
        let _current = stream.enter("cuEventRecord")?;
        let mut captured = self.captured();
        *captured = capture::captures_exist() && stream.is_capturing()?;
        // SAFETY: both handles are live and of one context.
        let code = unsafe { sys::cuEventRecord(self.as_raw(), stream.as_raw()) };
        if capture::captures_exist() && !*captured {
            // Another thread may have begun a capture before the recording.
            *captured = stream.is_capturing().unwrap_or(true);
        }
        self.context().check("cuEventRecord", code)
    }

    /// Returns whether the last recording was on a stream that this crate captured, so that a
    /// stream that waits for the event joins the capture. The lock prevents a recording between
    /// this check and the wait.
    pub(crate) fn captured(&self) -> MutexGuard<'_, bool> {
        let captured = self.0.kind().captured.lock();
        captured.unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the event has been reached, or was never recorded. Does not wait.
    ///
    /// See [`cuEventQuery`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if earlier work faulted, in this stream or elsewhere in the context, if a
    /// capture forbids the call, or if the event was recorded on a stream that is being captured.
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
        let _allowed = capture::reject_during_capture(
            "Event::query",
            "make this call before or after the capture",
        )?;
        let _current = self.context().enter("cuEventQuery")?;
        // SAFETY: the handle is live.
        match unsafe { sys::cuEventQuery(self.as_raw()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.checked("cuEventQuery", code).map(|()| true),
        }
    }

    /// Waits until the event is reached. Returns at once if it was never recorded.
    ///
    /// See [`cuEventSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if earlier work faulted, in this stream or elsewhere in the context, or if
    /// a running stream capture forbids the wait.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let event = Event::new(&context)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// event.record(&stream)?;
    /// event.synchronize()?; // the zeros have been written
    /// assert!(event.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuEventSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        let _allowed = capture::reject_during_capture(
            "Event::synchronize",
            "make this call before or after the capture",
        )?;
        let _current = self.context().enter("cuEventSynchronize")?;
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuEventSynchronize(self.as_raw()) };
        self.checked("cuEventSynchronize", code)
    }

    fn checked(&self, call: &'static str, code: CUresult) -> Result<()> {
        let checked = self.context().check(call, code);
        match code {
            // The second code is returned if the capture has ended.
            CUresult::CUDA_ERROR_CAPTURED_EVENT | CUresult::CUDA_ERROR_INVALID_VALUE => checked.map_err(|error| {
                error.with_detail(
                    "the event was recorded in a capture, and means nothing outside of it. Fix: record it again, or use \
                     another event (in a graph, Graph::add_event_record)",
                )
            }),
            _ => checked,
        }
    }

    /// Returns the milliseconds from `start` to this event, measured by the device's clock with a
    /// resolution of about half a microsecond.
    ///
    /// See [`cuEventElapsedTime`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_READY` if one of the events has not been reached yet. Call
    /// [`synchronize`](Self::synchronize) first. Returns `CUDA_ERROR_INVALID_HANDLE` or
    /// `CUDA_ERROR_INVALID_VALUE` if one of them was never recorded, was recorded in a capture, or
    /// was created without timing, or if the events belong to different devices. Events [for other
    /// processes](crate::EventOptions) have no timing.
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
        let _current = self.context().enter("cuEventElapsedTime")?;
        let mut milliseconds = 0.0;
        // SAFETY: both handles are live, and `milliseconds` is valid for the write.
        let code = unsafe { elapsed_time(&mut milliseconds, start.as_raw(), self.as_raw()) };
        self.context()
            .check("cuEventElapsedTime", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_NOT_READY => error.with_detail(
                    "an event has not been reached yet. Fix: synchronize with the later one first",
                ),
                CUresult::CUDA_ERROR_INVALID_HANDLE | CUresult::CUDA_ERROR_INVALID_VALUE => {
                    let devices = [start, self].map(|one| one.context().device().ordinal());
                    error.with_detail(match devices {
                        [one, other] if one != other => format!(
                            "the events belong to different devices, {one} and {other}, whose clocks can't be compared"
                        ),
                        _ => "an event was never recorded, or was created without timing. Events for other processes \
                              (EventOptions::interprocess) have no timing"
                            .to_owned(),
                    })
                }
                _ => error,
            })?;
        Ok(milliseconds)
    }

    /// Returns the time from `start` to this event, or zero if `start` was reached later.
    ///
    /// # Errors
    /// Returns the errors of [`elapsed_ms_since`](Self::elapsed_ms_since).
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
