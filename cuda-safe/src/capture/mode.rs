//! The mode of a capture, and this thread's own.

use std::cell::Cell;

use cuda_sys::{self as sys, CUresult, CUstreamCaptureMode};

use crate::raw::flags::choices;

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

thread_local! {
    /// Whether this thread is in the relaxed mode.
    static RELAXED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in the relaxed mode.
pub(super) fn is_relaxed() -> bool {
    RELAXED.get()
}

/// Calls `call` with this thread's capture mode relaxed: for work that belongs to no capture, but that the driver
/// forbids while one is under way.
pub(crate) fn relaxed<R>(call: impl FnOnce() -> R) -> R {
    /// Restores the mode, after a panic too.
    struct Restore {
        mode: Option<CUstreamCaptureMode>,
        relaxed: bool,
    }
    impl Drop for Restore {
        fn drop(&mut self) {
            RELAXED.set(self.relaxed);
            if let Some(mode) = &mut self.mode {
                // SAFETY: `mode` is valid for the exchange.
                let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(mode) };
            }
        }
    }
    let mut mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: `mode` is valid for the exchange.
    let changed = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    let _restore = Restore {
        mode: (changed == CUresult::CUDA_SUCCESS).then_some(mode),
        relaxed: RELAXED.replace(true),
    };
    call()
}

/// Calls `release`, which a capture's mode may forbid but which touches no captured stream. So nothing is leaked because
/// of a capture, and no capture is invalidated.
pub(crate) fn released(release: impl FnOnce() -> CUresult) -> CUresult {
    relaxed(release)
}

/// As [`released`], for a call that is made often: it costs nothing extra where no capture forbids it. Otherwise the call
/// invalidates a capture of raw calls.
pub(crate) fn or_relaxed(release: impl Fn() -> CUresult) -> CUresult {
    match release() {
        CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => relaxed(release),
        code => code,
    }
}
