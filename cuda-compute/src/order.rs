//! Checks that a stream and its memory share a context, and orders work across streams.

use cuda_safe::{Context, Owner, Stream};

use crate::error::{Error, Result};

/// Returns an error unless the stream belongs to the context that the kernels are loaded into.
pub(crate) fn same_context(stream: &Stream, kernels: &Context) -> Result<()> {
    if stream.context() == kernels {
        return Ok(());
    }
    Err(Error::Shape(
        "the stream and the kernels belong to different contexts".into(),
    ))
}

/// Calls `work`, which enqueues kernels on `stream` that use memory of the `owners`. These kernels
/// run after earlier work and before later work on the owners' streams.
pub(crate) fn ordered<'a, R>(
    stream: &Stream,
    owners: impl IntoIterator<Item = Option<Owner<'a>>> + Clone,
    work: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let owners = || owners.clone().into_iter().flatten();
    // An address has no meaning for a kernel in another context.
    if owners().any(|owner| owner.context() != stream.context()) {
        return Err(Error::Shape(
            "the stream and the memory belong to different contexts".into(),
        ));
    }
    stream.ordered_with(owners(), work)
}
