//! Methods that order streams with events.

use cuda_sys::{self as sys, CUresult};

use super::{Stream, event::Event};
use crate::{
    capture::{Start, captures_exist},
    driver::callback,
    error::Result,
};

impl Stream {
    /// Makes all work enqueued later on this stream wait for `event`. The host does not wait.
    ///
    /// See [`cuStreamWaitEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_STREAM_CAPTURE_ISOLATION` if only one of the two streams is being
    /// captured. Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let other = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    /// let ready = stream.record_event()?;
    /// other.wait_event(&ready)?; // later work of `other` sees the zeros
    /// other.synchronize()?;
    /// assert!(ready.query()?);
    /// # drop(buffer);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        callback::reject_in_callback("cuStreamWaitEvent")?;
        {
            // The lock prevents another recording until the stream waits for the event.
            let captured = event.captured();
            if !(captures_exist() && *captured) {
                return self.wait_uncaptured(event);
            }
        }
        // The stream joins the capture in which the event was recorded.
        let beginning = self.begin_capture("Stream::wait_event", Start::Join)?;
        self.wait_uncaptured(event)?;
        beginning.joined(event.context().as_raw());
        Ok(())
    }

    /// Waits like [`wait_event`](Self::wait_event), for an event that was not recorded in a
    /// capture, or for a stream that is part of the event's capture.
    pub(crate) fn wait_uncaptured(&self, event: &Event) -> Result<()> {
        let _current = self.enter("cuStreamWaitEvent")?;
        // SAFETY: both handles are live. The driver keeps the parts of the event that it needs.
        let code = unsafe { sys::cuStreamWaitEvent(self.as_raw(), event.as_raw(), 0) };
        let checked = self.context().check("cuStreamWaitEvent", code);
        match code {
            CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION => checked.map_err(|error| {
                error.with_detail(
                    "one of the two streams is being captured and the other is not. Fix: let the other stream join the \
                     capture first by waiting for the captured one (wait_stream)",
                )
            }),
            _ => checked,
        }
    }

    /// Makes all work enqueued later on this stream wait for all work enqueued on `other` so far.
    /// The host does not wait.
    ///
    /// See [`cuStreamWaitEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory. Also returns the errors of
    /// [`wait_event`](Self::wait_event).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let other = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::uninit(&stream, 4)?;
    /// buffer.fill(&stream, 7)?;
    /// other.wait_stream(&stream)?; // later kernels on `other` see the sevens
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

    /// Records `event` on this stream. It is reached when all work enqueued before it has finished.
    ///
    /// See [`cuEventRecord`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Event::record`].
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

    /// Creates an event without timing and records it on this stream.
    ///
    /// # Errors
    /// Returns the errors of [`Event::new`] and [`Event::record`].
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
}
