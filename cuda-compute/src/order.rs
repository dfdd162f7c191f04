//! Contexts that must be the same, and the order of work on memory of other streams.

use cuda_safe::{Context, Owner, Stream};

use crate::error::{Error, Result};

/// An error unless the stream belongs to the context that the kernels are loaded into.
pub(crate) fn same_context(stream: &Stream, kernels: &Context) -> Result<()> {
    if stream.context() == kernels {
        return Ok(());
    }
    Err(Error::Shape(
        "the stream is of another context than the kernels".into(),
    ))
}

/// Calls `work`, which enqueues kernels on `stream` that use memory of the `owners`, and orders it with their
/// streams.
pub(crate) fn ordered<'a, R>(
    stream: &Stream,
    owners: impl IntoIterator<Item = Option<Owner<'a>>> + Clone,
    work: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let owners = || owners.clone().into_iter().flatten();
    // An address has no meaning for a kernel in another context.
    if owners().any(|owner| owner.context() != stream.context()) {
        return Err(Error::Shape(
            "memory of one context can't be used on a stream of another".into(),
        ));
    }
    stream.ordered_with(owners(), work)
}
