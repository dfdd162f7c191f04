//! An exchange over TCP: rank 0 sends the same bytes to all other ranks, and learns that all have
//! arrived.
//!
//! `protocol.rs` describes the messages. `serve.rs` implements rank 0, and `guests.rs` its new
//! clients. `join.rs` implements the other ranks.

mod deadline;
mod guests;
mod join;
mod protocol;
mod serve;
#[cfg(test)]
mod tests;

use std::{net::TcpListener, time::Duration};

use deadline::Deadline;
use protocol::LONGEST;

use super::{address::Address, secret::Secret};
use crate::error::{Error, Result};

pub(super) fn share(
    address: &Address,
    secret: &Secret,
    rank: usize,
    size: usize,
    limit: Duration,
    make: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let deadline = Deadline::after(limit);
    if rank != 0 {
        return join::join(address, secret, rank, size, deadline);
    }
    // Listen before `make`, which may take time, so that the others can connect immediately.
    let listener = listen(address)?;
    match make().and_then(expect_short) {
        Ok(bytes) => {
            serve::serve(&listener, address, secret, size, &bytes, deadline)?;
            Ok(bytes)
        }
        Err(error) => {
            let soon = Deadline::after(limit.min(REPORT_LIMIT));
            serve::report_failure(&listener, address, secret, size, &error, soon);
            Err(error)
        }
    }
}

/// How long rank 0 waits for the others if it only has an error for them.
const REPORT_LIMIT: Duration = Duration::from_secs(5);

fn expect_short(bytes: Vec<u8>) -> Result<Vec<u8>> {
    if bytes.len() <= LONGEST {
        return Ok(bytes);
    }
    Err(Error::Start(format!(
        "share_bytes: {} bytes exceed the limit of {LONGEST}",
        bytes.len()
    )))
}

/// Listens at the loopback address if the address is one. Otherwise listens at all addresses of the
/// host, because its name may resolve to different ones on different hosts.
fn listen(address: &Address) -> Result<TcpListener> {
    let listener = if address.is_local() {
        TcpListener::bind((address.host.as_str(), address.port))
    } else {
        TcpListener::bind(("::", address.port))
            .or_else(|_| TcpListener::bind(("0.0.0.0", address.port)))
    };
    listener.map_err(|error| {
        Error::Start(format!(
            "rank 0 cannot listen at {address} ({}): {error}. Another job, a second rank 0, or an earlier job that has not \
             ended may be using the port. Fix: set CUDA_NCCL_ADDRESS on all ranks to an address with a free port",
            address.source
        ))
    })
}
