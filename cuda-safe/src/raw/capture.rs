//! Flags and choices of captures.

use super::flags::choices;

choices! {
    /// The threads on which a capture forbids calls that may wait for captured work
    /// (`CUstreamCaptureMode`).
    ///
    /// Such calls include the driver's plain allocations and waits for a whole context. Calls on
    /// captured streams are always restricted.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Result, Stream, graph::CaptureMode};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = DeviceBuffer::<u8>::zeroed(&stream, 4)?;
    /// // SAFETY: `x` is alive, and nothing else uses it.
    /// let graph = unsafe {
    ///     stream.capture_with_mode(CaptureMode::RELAXED, |_| -> Result<()> { x.fill(&stream, 7) })?
    /// };
    /// assert_eq!(graph.nodes()?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub struct CaptureMode(u32) {
        /// Forbids the calls on every thread of the process.
        GLOBAL = 0, "CU_STREAM_CAPTURE_MODE_GLOBAL";
        /// Forbids the calls on the thread that captures.
        THREAD_LOCAL = 1, "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL";
        /// Forbids no calls.
        RELAXED = 2, "CU_STREAM_CAPTURE_MODE_RELAXED";
    }
}
