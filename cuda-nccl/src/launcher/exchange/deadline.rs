//! Deadlines, and waits of non-blocking sockets.

use std::{
    io::{self, ErrorKind},
    time::{Duration, Instant},
};

/// Returns whether a non-blocking socket has nothing to do.
pub(super) fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// The time when everything must be over.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    pub(super) end: Instant,
    pub(super) limit: Duration,
}

impl Deadline {
    pub(super) fn after(limit: Duration) -> Self {
        // Limit the duration to years, because the clock cannot represent every limit.
        let years = Duration::from_secs(1 << 28);
        let limit = limit.min(years);
        Self {
            end: Instant::now() + limit,
            limit,
        }
    }

    /// Returns the limit for messages.
    pub(super) fn shown(self) -> String {
        match self.limit.is_zero() {
            true => "no time at all".to_owned(),
            false => format!("{:.1?}", self.limit),
        }
    }

    /// Returns the remaining time, or `None` if there is none.
    pub(super) fn left(self) -> Option<Duration> {
        self.end
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())
    }
}
