//! Contexts whose streams are being captured.

use super::{Context, current::Current};
use crate::{
    capture::{self, Entered, Length, Needs, Place, Queue, REMEDY, captured, captures_exist},
    error::Result,
};

/// A context none of whose streams is captured by this crate, and no capture begins, while this lives. The context is
/// current.
#[must_use]
pub(crate) struct UncapturedContext {
    _entered: Entered,
    _current: Current,
}

impl Context {
    /// Keeps captures from beginning on all streams of this context. Does not look whether one is captured now.
    fn hold_captures_off(&self) -> Entered {
        capture::enter(Place::new(self.as_raw(), Queue::All), Length::Long)
    }

    /// Keeps captures from beginning on all streams of this context.
    ///
    /// # Errors
    /// Returns an error if one of them is being captured.
    pub(crate) fn uncaptured(&self, call: &'static str) -> Result<UncapturedContext> {
        let current = self.enter(call)?;
        let entered = self.hold_captures_off();
        if self.is_captured() {
            return Err(captured(call, REMEDY));
        }
        Ok(UncapturedContext {
            _entered: entered,
            _current: current,
        })
    }

    /// Whether this crate captures one of its streams.
    pub(crate) fn is_captured(&self) -> bool {
        captures_exist() && capture::capturers(self.as_raw()) != capture::Capturers::default()
    }

    /// How often captures of this crate have begun or ended in this context.
    pub(crate) fn capture_changes(&self) -> u64 {
        capture::changes(self.as_raw())
    }

    /// After a wait that failed: waits until a capture of another thread, which may be the reason, has ended. Returns
    /// whether to try again, also where one has ended since `before`. If this thread captures a stream of the context too,
    /// waiting would be in vain.
    pub(crate) fn wait_for_captures(&self, before: u64) -> bool {
        let capturers = capture::capturers(self.as_raw());
        if capturers.others {
            capture::wait_for_change(self.as_raw());
        }
        capturers.others || !capturers.this_thread && self.capture_changes() != before
    }
}

/// For a release that waits for all work of a context.
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
