//! Order between streams and events.

use cuda_sys::{self as sys, CUresult};

use super::{Stream, event::Event};
use crate::{
    capture::{Start, captures_exist},
    driver::callback,
    error::Result,
};

impl Stream {
    /// Makes everything enqueued here from now on wait for the work that `event` was recorded after. The host does
    /// not wait.
    ///
    /// # Errors
    /// `CUDA_ERROR_STREAM_CAPTURE_ISOLATION` where only one of the two streams is being captured. The context is
    /// unusable after a fault.
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
        callback::refuse_within("cuStreamWaitEvent")?;
        {
            // The event is not recorded anew until the stream waits for it.
            let captured = event.captured();
            if !(captures_exist() && *captured) {
                return self.wait_uncaptured(event);
            }
        }
        // The stream joins the capture that the event was recorded in.
        let beginning = self.begin_capture("Stream::wait_event", Start::Join)?;
        self.wait_uncaptured(event)?;
        beginning.joined(event.context().as_raw());
        Ok(())
    }

    /// As [`wait_event`](Self::wait_event), for an event that was recorded in no capture, or for a stream that is part of
    /// the event's capture.
    pub(crate) fn wait_uncaptured(&self, event: &Event) -> Result<()> {
        let _current = self.enter("cuStreamWaitEvent")?;
        // SAFETY: both handles are live; the driver keeps what it needs of the event.
        let code = unsafe { sys::cuStreamWaitEvent(self.as_raw(), event.as_raw(), 0) };
        let checked = self.context().check("cuStreamWaitEvent", code);
        match code {
            CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION => checked.map_err(|error| {
                error.with_detail(
                    "one of the two streams is being captured and the other is not: the other joins the capture by \
                     waiting for the captured one (wait_stream), and can be waited for then",
                )
            }),
            _ => checked,
        }
    }

    /// Makes everything enqueued here from now on wait for everything enqueued on `other` so far. The host does not
    /// wait.
    ///
    /// # Errors
    /// No memory for an event is left; otherwise as [`wait_event`](Self::wait_event).
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

    /// Records `event` here: it is reached when everything enqueued before it has finished.
    ///
    /// # Errors
    /// As [`Event::record`].
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

    /// Creates an event without timing, and records it here.
    ///
    /// # Errors
    /// As [`Event::new`] and [`Event::record`].
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
