//! The capture mode of this thread.

use std::cell::Cell;

pub use crate::raw::capture::CaptureMode;
use cuda_sys::{self as sys, CUresult, CUstreamCaptureMode};

thread_local! {
    /// Whether this thread is in the relaxed mode.
    static RELAXED: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is in the relaxed mode.
pub(super) fn is_relaxed() -> bool {
    RELAXED.get()
}

/// Calls `call` while this thread's capture mode is relaxed. For work that belongs to no capture,
/// but that the driver forbids during one.
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

/// Calls `release`, which a capture's mode may forbid although it uses no captured stream. A
/// capture therefore causes no leak, and is not invalidated.
pub(crate) fn released(release: impl FnOnce() -> CUresult) -> CUresult {
    relaxed(release)
}

/// Does the same as [`released`], for frequent calls. It costs nothing extra if no capture forbids
/// the call. Otherwise the call invalidates a capture made by raw calls.
pub(crate) fn or_relaxed(release: impl Fn() -> CUresult) -> CUresult {
    match release() {
        CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => relaxed(release),
        code => code,
    }
}
