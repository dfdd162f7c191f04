//! Streams that raw calls are capturing, and what that forbids.
//!
//! Nothing in this crate begins a capture. While raw calls capture a stream, calls that wait are forbidden: on that
//! stream, and, unless the mode is relaxed, in the whole thread or process. Such a call fails and invalidates the
//! capture.

use cuda_sys::{self as sys, CUresult, CUstreamCaptureMode, CUstreamCaptureStatus};

use crate::{
    error::{Error, Result},
    stream::Stream,
};

impl Stream {
    /// An error for a call that would invalidate a capture, or that the capture would record instead of executing.
    pub(crate) fn expect_uncaptured(&self, call: &'static str) -> Result<()> {
        let _current = self.enter()?;
        let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: the handle is live, `status` is valid for the write.
        match unsafe { sys::cuStreamIsCapturing(self.as_raw(), &mut status) } {
            CUresult::CUDA_SUCCESS
                if status == CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE =>
            {
                Ok(())
            }
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT => {
                Err(captured(call))
            }
            code => self.check("cuStreamIsCapturing", code),
        }
    }
}

#[cold]
fn captured(call: &'static str) -> Error {
    Error::invalid(
        call,
        "the stream is being captured, and this call waits for it, or joins it with another: end the capture \
         (cuStreamEndCapture) first, or capture raw calls only",
    )
}

/// Calls `call` with this thread's capture mode relaxed: for work that belongs to no capture, but that the driver
/// forbids while one is under way.
pub(crate) fn relaxed<R>(call: impl FnOnce() -> R) -> R {
    let mut mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: `mode` is valid for the exchange.
    let changed = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    let result = call();
    if changed == CUresult::CUDA_SUCCESS {
        // SAFETY: as above; `mode` is what it was before.
        let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    }
    result
}

/// Calls `release`, and once more if a capture under way forbids it, so that nothing is leaked because of the
/// capture.
pub(crate) fn released(release: impl Fn() -> CUresult) -> CUresult {
    match release() {
        CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => relaxed(release),
        code => code,
    }
}
