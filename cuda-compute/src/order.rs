//! Work on memory of other streams.

use cuda_safe::Stream;

use crate::error::{Error, Result};

/// Runs `work`, which enqueues on `stream` and uses memory of the `owners`: after what is enqueued
/// on them, and before what will be, the giving back of the memory included.
pub(crate) fn ordered<R, const N: usize>(
    stream: &Stream,
    owners: [Option<&Stream>; N],
    work: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let others = || {
        owners
            .into_iter()
            .flatten()
            .filter(|&owner| owner != stream)
    };
    // Before anything is enqueued: an address means nothing in another context.
    if others().any(|owner| owner.context() != stream.context()) {
        return Err(Error::Shape(
            "memory of one context can't be used on a stream of another".into(),
        ));
    }
    for owner in others() {
        stream.join(owner)?;
    }
    let done = work();
    for owner in others() {
        // Also after a failure: part of the work may have been enqueued.
        owner.join(stream)?;
    }
    done
}
