//! Streams and events of green contexts.

use std::{
    ffi::{c_int, c_uint},
    ptr,
};

use cuda_sys::{CUevent, CUresult};

use super::{Stream, event::Event};
use crate::{
    capture::{self, REMEDY},
    context::{GreenContext, RawGreen},
    driver::{callback, newer},
    error::Result,
};

impl GreenContext {
    /// A stream whose kernels run on these multiprocessors. It is independent of the legacy default stream.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.5. No memory for the
    /// stream is left, or the context is unusable after a fault.
    #[doc(alias = "cuGreenCtxStreamCreate")]
    pub fn stream(&self) -> Result<Stream> {
        self.stream_with_priority(0)
    }

    /// As [`stream`](Self::stream), with a priority: a lower number is more urgent, see
    /// [`Context::stream_priority_range`](crate::Context::stream_priority_range).
    ///
    /// # Errors
    /// As [`stream`](Self::stream).
    #[doc(alias = "cuGreenCtxStreamCreate")]
    pub fn stream_with_priority(&self, priority: i32) -> Result<Stream> {
        /// `CU_STREAM_NON_BLOCKING`: nothing else is allowed.
        const NON_BLOCKING: c_uint = 1;
        let create = newer::cuGreenCtxStreamCreate()?;
        let _current = self.context().enter("cuGreenCtxStreamCreate")?;
        let mut raw = ptr::null_mut();
        // SAFETY: the handle is live, `raw` is valid for the write.
        let code = unsafe { create(&mut raw, self.as_raw(), NON_BLOCKING, c_int::from(priority)) };
        self.context().check("cuGreenCtxStreamCreate", code)?;
        // SAFETY: just made in this green context, and owned by nobody else.
        Ok(unsafe { Stream::of_green(self, raw) })
    }

    /// Records `event` behind everything that the streams of this green context have been given so far.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an event of another context, and if this
    /// crate captures a stream of the primary context, on whatever thread. Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if
    /// raw calls capture a stream of this green context. That invalidates their capture.
    #[doc(alias = "cuGreenCtxRecordEvent")]
    pub fn record(&self, event: &Event) -> Result<()> {
        callback::refuse_within("cuGreenCtxRecordEvent")?;
        self.context().expect_same(
            event.context(),
            "GreenContext::record",
            "the green context and the event",
        )?;
        let record = newer::cuGreenCtxRecordEvent()?;
        self.with_event("cuGreenCtxRecordEvent", record, event)
    }

    /// Has everything that streams of this green context are given from now on wait for what `event` was recorded
    /// behind. The host does not wait.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if this crate captures a stream of the
    /// primary context, on whatever thread. Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if raw calls capture a stream of
    /// this green context. That invalidates their capture.
    #[doc(alias = "cuGreenCtxWaitEvent")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        callback::refuse_within("cuGreenCtxWaitEvent")?;
        let wait = newer::cuGreenCtxWaitEvent()?;
        self.with_event("cuGreenCtxWaitEvent", wait, event)
    }

    fn with_event(
        &self,
        name: &'static str,
        call: unsafe extern "C" fn(RawGreen, CUevent) -> CUresult,
        event: &Event,
    ) -> Result<()> {
        let _allowed = capture::refuse_here(name, REMEDY)?;
        let _uncaptured = self.context().uncaptured(name)?;
        // SAFETY: both handles are live; the driver keeps what it needs of the event.
        let code = unsafe { call(self.as_raw(), event.as_raw()) };
        self.context().check(name, code)
    }
}
