//! Contexts that must be the same, and work on memory of other streams.

use cuda_safe::{Context, Owner, Stream};

use crate::error::{Error, Result};

/// The stream of a call, in the context that the kernels are loaded into.
pub(crate) fn same_context(stream: &Stream, kernels: &Context) -> Result<()> {
    if stream.context() == kernels {
        return Ok(());
    }
    Err(Error::Shape(
        "the stream is of another context than the kernels".into(),
    ))
}

/// Runs `work`, which enqueues kernels on `stream` that use memory of the `owners`, in order with their streams.
pub(crate) fn ordered<R, const N: usize>(
    stream: &Stream,
    owners: [Option<Owner<'_>>; N],
    work: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let owners = || owners.into_iter().flatten();
    // An address means nothing to a kernel in another context.
    if owners().any(|owner| owner.context() != stream.context()) {
        return Err(Error::Shape(
            "memory of one context can't be used on a stream of another".into(),
        ));
    }
    stream.ordered_with(owners(), work)
}
