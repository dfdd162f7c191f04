//! Events that order all streams of a context.

use cuda_sys::{CUcontext, CUevent, CUresult};

use crate::{
    capture,
    context::Context,
    driver::{callback, newer},
    error::Result,
    stream::event::Event,
};

impl Context {
    /// Records `event` after all work enqueued so far on the streams of this context and of its
    /// green contexts.
    ///
    /// See [`cuCtxRecordEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the event
    /// belongs to another context. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older than CUDA
    /// 12.5. Also returns an error while one of the streams is being captured. If raw calls capture
    /// it, their capture becomes invalid.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Event, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let (a, b) = (Stream::new(&context)?, Stream::new(&context)?);
    /// let buffers = [DeviceBuffer::<u32>::zeroed(&a, 64)?, DeviceBuffer::zeroed(&b, 64)?];
    /// let all = Event::without_timing(&context)?;
    /// context.record(&all)?;
    /// all.synchronize()?;
    /// assert!(a.query()? && b.query()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxRecordEvent")]
    pub fn record(&self, event: &Event) -> Result<()> {
        callback::reject_in_callback("cuCtxRecordEvent")?;
        self.expect_same(
            event.context(),
            "Context::record",
            "the context and the event",
        )?;
        let record = newer::cuCtxRecordEvent()?;
        self.with_event("cuCtxRecordEvent", record, event)
    }

    /// Makes all work enqueued later on the streams of this context wait for `event`. The host does
    /// not wait.
    ///
    /// See [`cuCtxWaitEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.5. Also returns an error while one of the streams is being captured. If raw
    /// calls capture it, their capture becomes invalid.
    #[doc(alias = "cuCtxWaitEvent")]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        callback::reject_in_callback("cuCtxWaitEvent")?;
        let wait = newer::cuCtxWaitEvent()?;
        self.with_event("cuCtxWaitEvent", wait, event)
    }

    fn with_event(
        &self,
        name: &'static str,
        call: unsafe extern "C" fn(CUcontext, CUevent) -> CUresult,
        event: &Event,
    ) -> Result<()> {
        let _allowed =
            capture::reject_during_capture(name, "make this call before or after the capture")?;
        let _uncaptured = self.uncaptured(name)?;
        // SAFETY: both handles are live. The driver keeps the parts of the event that it needs.
        let code = unsafe { call(self.as_raw(), event.as_raw()) };
        self.check(name, code)
    }
}
