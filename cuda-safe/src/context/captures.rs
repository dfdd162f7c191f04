//! Captures of streams of a context.

use super::{Context, current::Current};
use crate::{
    capture::{self, Entered, Length, Needs, Place, Queue, REMEDY, captured, captures_exist},
    error::Result,
};

/// A guard: while it lives, this crate captures no stream of the context, and the context is
/// current.
#[must_use]
pub(crate) struct UncapturedContext {
    _entered: Entered,
    _current: Current,
}

impl Context {
    /// Prevents captures from beginning on all streams of this context. Does not check whether one
    /// is active.
    fn block_captures(&self) -> Entered {
        capture::enter(Place::new(self.as_raw(), Queue::All), Length::Long)
    }

    /// Prevents captures from beginning on all streams of this context.
    ///
    /// # Errors
    /// Returns an error if one of the streams is capturing.
    pub(crate) fn uncaptured(&self, call: &'static str) -> Result<UncapturedContext> {
        let current = self.enter(call)?;
        let entered = self.block_captures();
        if self.is_captured() {
            return Err(captured(call, REMEDY));
        }
        Ok(UncapturedContext {
            _entered: entered,
            _current: current,
        })
    }

    /// Returns whether this crate is capturing one of the context's streams.
    pub(crate) fn is_captured(&self) -> bool {
        captures_exist() && capture::capturers(self.as_raw()) != capture::Capturers::default()
    }

    /// Returns the number of captures of this crate that have begun or ended in this context.
    pub(crate) fn capture_changes(&self) -> u64 {
        capture::changes(self.as_raw())
    }

    /// Waits until a capture of another thread has ended, which may be the reason why a wait
    /// failed. Returns whether the failed wait should be repeated: if there was such a capture, or
    /// if this thread captures no stream of the context and a capture has begun or ended since
    /// `before`.
    pub(crate) fn wait_for_captures(&self, before: u64) -> bool {
        let capturers = capture::capturers(self.as_raw());
        if capturers.others {
            capture::wait_for_change(self.as_raw());
        }
        capturers.others || !capturers.this_thread && self.capture_changes() != before
    }
}

/// The requirements of a release that waits for all work of a context.
impl Needs for Context {
    fn is_captured(&self) -> bool {
        self.is_captured()
    }

    fn places(&self) -> (Place, Vec<Place>) {
        (Place::new(self.as_raw(), Queue::All), Vec::new())
    }

    fn kept(&self) -> Box<dyn Needs + Send> {
        Box::new(self.clone())
    }

    fn is_done(&self) -> bool {
        false
    }

    fn is_context(&self) -> bool {
        true
    }
}
