//! What captures need to know about streams, and streams about captures.
//!
//! Graphs are above streams, and captures are a part of graphs. So the first capture of the process installs a
//! [`Captures`] here, through which streams reach it.

use std::sync::{Arc, OnceLock};

use super::stream::Stream;
use crate::abi::status::Result;

/// The captures of the process, as streams see them.
pub trait Captures: Sync {
    /// Checks that work may be put on a stream.
    ///
    /// # Errors
    /// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` in an invalid capture, `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the legacy
    /// default stream while a stream that waits for it is being captured.
    fn check(&self, stream: &Arc<Stream>) -> Result;

    /// Removes a destroyed stream from its capture.
    fn forget(&self, stream: &Arc<Stream>);
}

static CAPTURES: OnceLock<&'static dyn Captures> = OnceLock::new();

/// Installs the captures. Call this before the first capture begins.
pub fn install(captures: &'static dyn Captures) {
    CAPTURES.get_or_init(|| captures);
}

/// As [`Captures::check`]. Before the first capture, everything is allowed.
pub(super) fn check(stream: &Arc<Stream>) -> Result {
    match CAPTURES.get() {
        Some(captures) => captures.check(stream),
        None => Ok(()),
    }
}

/// As [`Captures::forget`].
pub(super) fn forget(stream: &Arc<Stream>) {
    if let Some(captures) = CAPTURES.get() {
        captures.forget(stream);
    }
}
