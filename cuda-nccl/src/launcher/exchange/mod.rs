//! One exchange over TCP: rank 0 gives all others the same bytes, and knows then that all have come.
//!
//! `protocol.rs` describes the messages. `serve.rs` is rank 0, whose clients begin in `guests.rs`. `join.rs` is every other rank.

mod guests;
mod join;
mod protocol;
mod serve;
#[cfg(test)]
mod tests;

use std::{
    io::{self, ErrorKind},
    net::TcpListener,
    time::{Duration, Instant},
};

use protocol::LONGEST;

use super::{address::Meeting, secret::Secret};
use crate::error::{Error, Result};

pub(super) fn share(
    meeting: &Meeting,
    secret: &Secret,
    rank: usize,
    size: usize,
    limit: Duration,
    make: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let deadline = Deadline::after(limit);
    if rank != 0 {
        return join::join(meeting, secret, rank, size, deadline);
    }
    // Before `make`, which may take its time: the others find somebody at once.
    let listener = listen(meeting)?;
    match make().and_then(expect_short) {
        Ok(bytes) => {
            serve::serve(&listener, meeting, secret, size, &bytes, deadline)?;
            Ok(bytes)
        }
        Err(error) => {
            let soon = Deadline::after(limit.min(REFUSAL));
            serve::refuse(&listener, meeting, secret, size, &error, soon);
            Err(error)
        }
    }
}

/// How long rank 0 waits for the others where it has nothing for them but its error.
const REFUSAL: Duration = Duration::from_secs(5);

fn expect_short(bytes: Vec<u8>) -> Result<Vec<u8>> {
    if bytes.len() <= LONGEST {
        return Ok(bytes);
    }
    Err(Error::Start(format!(
        "{} bytes are more than the exchange carries, which is {LONGEST}",
        bytes.len()
    )))
}

/// Listens for this host alone if the address is of that kind, else on all of the host's addresses: which of them its name
/// leads to may differ from host to host.
fn listen(meeting: &Meeting) -> Result<TcpListener> {
    let listener = if meeting.is_local() {
        TcpListener::bind((meeting.host.as_str(), meeting.port))
    } else {
        TcpListener::bind(("::", meeting.port))
            .or_else(|_| TcpListener::bind(("0.0.0.0", meeting.port)))
    };
    listener.map_err(|error| {
        Error::Start(format!(
            "rank 0 can't listen at {meeting} ({}): {error}; is another job there, a second rank 0, or a former job that has not ended? Set \
             CUDA_NCCL_ADDRESS for all ranks to an address with a free port",
            meeting.source
        ))
    })
}

/// Whether a socket that does not block has nothing to do.
fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// When everything has to be over.
#[derive(Clone, Copy)]
struct Deadline {
    end: Instant,
    limit: Duration,
}

impl Deadline {
    fn after(limit: Duration) -> Self {
        // A limit that the clock can't express is none: years will do.
        let years = Duration::from_secs(1 << 28);
        let limit = limit.min(years);
        Self {
            end: Instant::now() + limit,
            limit,
        }
    }

    /// The limit, for messages.
    fn shown(self) -> String {
        match self.limit.is_zero() {
            true => "no time at all".to_owned(),
            false => format!("{:.1?}", self.limit),
        }
    }

    /// What is left of the time; `None` when nothing is.
    fn left(self) -> Option<Duration> {
        self.end
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())
    }
}
