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
    /// Creates a stream whose kernels run on these multiprocessors. It is independent of the legacy
    /// default stream.
    ///
    /// See [`cuGreenCtxStreamCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.5. Returns an error if the driver is out of memory, or if the context is
    /// unusable after a fault.
    #[doc(alias = "cuGreenCtxStreamCreate")]
    pub fn stream(&self) -> Result<Stream> {
        self.stream_with_priority(0)
    }

    /// Creates a stream with a priority. A lower number is more urgent. See
    /// [`Context::stream_priority_range`](crate::Context::stream_priority_range) and
    /// [`stream`](Self::stream).
    ///
    /// See [`cuGreenCtxStreamCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`stream`](Self::stream).
    #[doc(alias = "cuGreenCtxStreamCreate")]
    pub fn stream_with_priority(&self, priority: i32) -> Result<Stream> {
        /// `CU_STREAM_NON_BLOCKING`, the only allowed value.
        const NON_BLOCKING: c_uint = 1;
        let create = newer::cuGreenCtxStreamCreate()?;
        let _current = self.context().enter("cuGreenCtxStreamCreate")?;
        let mut raw = ptr::null_mut();
        // SAFETY: the handle is live, `raw` is valid for the write.
        let code = unsafe { create(&mut raw, self.as_raw(), NON_BLOCKING, c_int::from(priority)) };
        self.context().check("cuGreenCtxStreamCreate", code)?;
        // SAFETY: the stream was just created in this green context, and has no other owner.
        Ok(unsafe { Stream::of_green(self, raw) })
    }

    /// Records `event` after all work enqueued so far on the streams of this green context.
    ///
    /// See [`cuGreenCtxRecordEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the event
    /// belongs to another context, or if this crate captures a stream of the primary context, on
    /// any thread. Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if raw calls capture a stream of
    /// this green context. That invalidates their capture.
    #[doc(alias = "cuGreenCtxRecordEvent")]
    pub fn record(&self, event: &Event) -> Result<()> {
        callback::reject_in_callback("cuGreenCtxRecordEvent")?;
        self.context().expect_same(
            event.context(),
            "GreenContext::record",
            "the green context and the event",
        )?;
        let record = newer::cuGreenCtxRecordEvent()?;
        self.with_event("cuGreenCtxRecordEvent", record, event)
    }

    /// Makes all work enqueued later on the streams of this green context wait for `event`. The
    /// host does not wait.
    ///
    /// See [`cuGreenCtxWaitEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GREEN__CONTEXTS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if this crate
    /// captures a stream of the primary context, on any thread. Returns
    /// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if raw calls capture a stream of this green context.
    /// That invalidates their capture.
    #[doc(alias = "cuGreenCtxWaitEvent")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        callback::reject_in_callback("cuGreenCtxWaitEvent")?;
        let wait = newer::cuGreenCtxWaitEvent()?;
        self.with_event("cuGreenCtxWaitEvent", wait, event)
    }

    fn with_event(
        &self,
        name: &'static str,
        call: unsafe extern "C" fn(RawGreen, CUevent) -> CUresult,
        event: &Event,
    ) -> Result<()> {
        let _allowed = capture::reject_during_capture(name, REMEDY)?;
        let _uncaptured = self.context().uncaptured(name)?;
        // SAFETY: both handles are live. The driver keeps the parts of the event that it needs.
        let code = unsafe { call(self.as_raw(), event.as_raw()) };
        self.context().check(name, code)
    }
}
