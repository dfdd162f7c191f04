//! Flags and choices of captures.

use super::flags::choices;

choices! {
    /// Which calls a capture forbids beside those on its own streams (`CUstreamCaptureMode`): calls that may wait
    /// for captured work, such as the driver's plain allocations and everything that waits for a whole context.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Result, Stream, graph::CaptureMode};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = DeviceBuffer::<u8>::zeroed(&stream, 4)?;
    /// // SAFETY: `x` lives, and nobody else uses it.
    /// let graph = unsafe {
    ///     stream.capture_with_mode(CaptureMode::RELAXED, |_| -> Result<()> { x.fill(&stream, 7) })?
    /// };
    /// assert_eq!(graph.nodes()?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub struct CaptureMode(u32) {
        /// In every thread of the process.
        GLOBAL = 0, "CU_STREAM_CAPTURE_MODE_GLOBAL";
        /// In the thread that captures.
        THREAD_LOCAL = 1, "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL";
        /// None.
        RELAXED = 2, "CU_STREAM_CAPTURE_MODE_RELAXED";
    }
}
