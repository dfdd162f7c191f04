//! Contexts and streams.

use std::sync::Arc;

use cuda_safe::{Context, Stream, sys};
use cudarc::driver::{CudaContext, CudaStream};

use crate::{Error, Result};

/// Returns the primary context that cudarc uses.
///
/// Both libraries retain it, so either may be dropped first.
///
/// # Errors
/// Returns [`Error::Context`] if the context is not a primary one: cudarc destroys it when its last
/// reference is dropped, which would invalidate this project's objects. Returns the errors of
/// [`Context::primary`].
pub fn context(context: &Arc<CudaContext>) -> Result<Context> {
    if !context.is_primary() {
        return Err(Error::Context(
            "the context of cudarc is not a primary one. Fix: create it with CudaContext::new, or \
             use Context::borrow_raw"
                .to_owned(),
        ));
    }
    Ok(Context::primary(context.ordinal() as u32)?)
}

/// Returns a stream of cudarc, and keeps it alive.
///
/// # Errors
/// Returns the errors of [`context`].
pub fn stream(stream: &Arc<CudaStream>) -> Result<Stream> {
    let context = context(stream.context())?;
    // cudarc's default stream is null, whose meaning depends on how a program was compiled. Calls of
    // both libraries mean the legacy default stream.
    let raw: sys::CUstream = stream.cu_stream().cast();
    if raw.is_null() {
        return Ok(Stream::legacy_default(&context));
    }
    // SAFETY: a live stream of the context, which the last reference to it keeps alive.
    Ok(unsafe { Stream::borrow_raw_with(raw, &context, stream.clone()) })
}

/// Returns the context for cudarc.
///
/// # Errors
/// Returns [`Error::Context`] if the context is not a primary one. Returns the errors of
/// [`CudaContext::new`].
pub fn cudarc_context(context: &Context) -> Result<Arc<CudaContext>> {
    let primary = CudaContext::new(context.device().as_raw() as usize)?;
    if primary.cu_ctx().cast() != context.as_raw() {
        return Err(Error::Context(
            "the context is not the primary one of its device. Fix: create it with \
             Context::primary, or use CudaContext::from_raw_context"
                .to_owned(),
        ));
    }
    Ok(primary)
}

/// Returns a `CudaStream` that borrows the stream and never destroys it. Use it with slices of the same
/// `context`.
///
/// # Errors
/// Returns [`Error::Context`] if the stream is of another context.
///
/// # Safety
/// The caller must ensure that:
/// - a clone of `stream` is kept until the last clone of the result, and everything that was created
///   with it, has been dropped, because cudarc has no place for it;
/// - work of cudarc on this stream and on others is ordered if `context` has created no streams of its
///   own. cudarc then records no events.
pub unsafe fn cudarc_stream(
    stream: &Stream,
    context: &Arc<CudaContext>,
) -> Result<Arc<CudaStream>> {
    expect_same(stream.context(), context)?;
    // SAFETY: a live stream of the context. The caller keeps it alive and orders the work.
    Ok(unsafe { context.wrap_borrowed_stream(stream.as_raw().cast()) })
}

/// Returns an error unless both are of one context.
pub(crate) fn expect_same(ours: &Context, theirs: &CudaContext) -> Result<()> {
    if ours.as_raw() == theirs.cu_ctx().cast() {
        return Ok(());
    }
    Err(Error::Context(format!(
        "the object of cuda-safe is of {ours:?}, but that of cudarc is of the context {:?} of device \
         {}. Fix: create both in one context",
        theirs.cu_ctx(),
        theirs.ordinal()
    )))
}
