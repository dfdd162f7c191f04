//! The interface through which streams reach captures.
//!
//! Graphs build on streams, and captures are a part of graphs. So that streams do not depend on
//! graphs, the first capture of the process installs a [`Captures`] here.

use std::sync::{Arc, OnceLock};

use super::stream::Stream;
use crate::abi::status::Result;

/// The captures of the process, as streams see them.
pub trait Captures: Sync {
    /// Checks that work may be enqueued on a stream.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the stream's capture is invalid. Returns
    /// `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` if `stream` is the legacy default stream and a stream
    /// that waits for it is being captured.
    fn check(&self, stream: &Arc<Stream>) -> Result;

    /// Removes a destroyed stream from its capture.
    fn forget(&self, stream: &Arc<Stream>);
}

static CAPTURES: OnceLock<&'static dyn Captures> = OnceLock::new();

/// Installs the captures. Must be called before the first capture begins.
pub fn install(captures: &'static dyn Captures) {
    CAPTURES.get_or_init(|| captures);
}

/// Calls [`Captures::check`]. Succeeds if no captures are installed.
pub(super) fn check(stream: &Arc<Stream>) -> Result {
    match CAPTURES.get() {
        Some(captures) => captures.check(stream),
        None => Ok(()),
    }
}

/// Calls [`Captures::forget`].
pub(super) fn forget(stream: &Arc<Stream>) {
    if let Some(captures) = CAPTURES.get() {
        captures.forget(stream);
    }
}
