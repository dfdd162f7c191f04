//! Streams that are being captured, by `Stream::capture` or by raw calls, and the calls that
//! captures forbid.
//!
//! A capture forbids calls that wait: on its streams, on their whole context, and, unless its mode
//! is relaxed, on the whole thread or process. Such a call fails and invalidates the capture, so
//! the methods of this crate check first. The rules, as recorded on an H200 (driver 580):
//!
//! - Waiting for a captured stream, or for a context that has one, fails and invalidates the
//!   capture in every mode. So does waiting for the legacy default stream while a blocking stream
//!   of its context is captured.
//! - Only the mode of a capture forbids all other waits, allocations and frees. A thread in the
//!   relaxed mode ([`relaxed`]) may call them at any time.
//! - `cuStreamIsCapturing` never invalidates a capture.
//!
//! This layer knows streams and contexts only by their addresses. `gate.rs` prevents captures
//! between a check and the driver call. `mode.rs` holds the capture mode of this thread. `later.rs`
//! postpones releases that a capture forbids. `context/captures.rs` has the checks of contexts, and
//! `stream/captures.rs` those of streams.

mod gate;
mod later;
mod mode;

use std::{cell::Cell, marker::PhantomData};

pub(crate) use gate::{
    Beginning, Capturers, Entered, Length, Place, Queue, Start, begin, capturers, captures_exist,
    changes, enter, wait_for_change,
};
pub(crate) use later::{Needs, Nothing, drop_after_release, postpone, release, release_later};
pub use mode::CaptureMode;
pub(crate) use mode::{or_relaxed, relaxed, released};

use crate::{
    driver::callback,
    error::{Error, Result},
};
use gate::Counted;
use mode::is_relaxed;

thread_local! {
    /// The number of running captures of this thread that forbid it to wait and to allocate.
    static STRICT: Cell<usize> = const { Cell::new(0) };
}

/// Returns an error if the driver forbids a call on this thread because any stream is being
/// captured: by this thread, or by any thread with [`CaptureMode::GLOBAL`]. The driver would
/// invalidate the capture. While the result lives, no other thread begins a global capture.
#[inline]
pub(crate) fn reject_during_capture(call: &'static str, remedy: &str) -> Result<Entered> {
    callback::reject_in_callback(call)?;
    let entered = enter(Place::NONE, Length::Long);
    expect_allowed(call, remedy)?;
    Ok(entered)
}

/// Returns the same error as [`reject_during_capture`], for a caller that has already entered a
/// place.
pub(crate) fn expect_allowed(call: &'static str, remedy: &str) -> Result<()> {
    if captures_exist() && !is_relaxed() && (STRICT.get() > 0 || gate::global_captures_exist()) {
        return Err(captured(call, remedy));
    }
    Ok(())
}

/// A capture of this crate that is running, on the thread that began it.
pub(crate) struct UnderWay {
    strict: bool,
    /// `None` once it has ended.
    counted: Option<Counted>,
    here: PhantomData<*const ()>,
}

impl UnderWay {
    /// Counts a capture that is about to begin.
    pub(crate) fn begin(beginning: &Beginning, mode: CaptureMode) -> Self {
        let strict = mode != CaptureMode::RELAXED;
        STRICT.set(STRICT.get() + usize::from(strict));
        Self {
            strict,
            counted: Some(beginning.count()),
            here: PhantomData,
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        STRICT.set(STRICT.get() - usize::from(self.strict));
        self.counted = None;
        later::capture_ended();
    }
}

/// The remedy for most calls that a capture forbids.
pub(crate) const REMEDY: &str = "make this call before or after the capture";

#[cold]
pub(crate) fn captured(call: &'static str, remedy: &str) -> Error {
    Error::invalid(
        call,
        format!(
            "a stream is being captured, and this call cannot be part of a capture. Fix: {remedy}"
        ),
    )
}
