//! Enqueueing of work on streams, or recording it if the stream is being captured.

use std::sync::Arc;

use super::capture;
use crate::abi::status::{Code, Result};
use crate::abi::{ExternalSemaphoreParams, MemoryOperation};
use crate::process::call;
use crate::queue::stream::Stream;
use crate::work::copy::{Extent, Side, Timing, Transfer};
use crate::work::external_semaphore::{Act, Semaphores};
use crate::work::fill::Fill;
use crate::work::memory_operations::Words;
use crate::work::operation::Operation;

/// Enqueues an operation on a stream, or records it if the stream is being captured.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if a kernel or an event belongs to another context than the
/// stream. Returns `CUDA_ERROR_NOT_SUPPORTED` for a kernel that launches graphs outside of a graph.
/// Also returns the errors of [`capture::record`], and the sticky error if a fault happens while
/// the call waits.
pub fn enqueue(stream: &Arc<Stream>, operation: Operation) -> Result {
    let context = match &operation {
        Operation::Launch(launch) => Some(&launch.function.context),
        Operation::Record(event) => Some(&event.context),
        _ => None,
    };
    if context.is_some_and(|context| !Arc::ptr_eq(context, &stream.context)) {
        return Err(Code::ERROR_INVALID_HANDLE);
    }
    match capture::record(stream, operation)? {
        None => Ok(()),
        Some(Operation::Launch(launch)) if launch.function.info().launches_graphs => {
            call::trace(|line| line.push_str("rejected: only kernels of graphs can launch graphs"));
            Err(Code::ERROR_NOT_SUPPORTED)
        }
        Some(operation) => operation.submit(stream),
    }
}

/// Enqueues a copy on a stream, or records it if the stream is being captured.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for a synchronous copy on a stream that is being
/// captured. Also returns the errors of [`Side::expect_open`], [`Transfer::new`],
/// [`Transfer::submit`] and [`enqueue`].
pub fn copy(stream: &Arc<Stream>, timing: Timing, to: Side, from: Side, extent: Extent) -> Result {
    for side in [&to, &from] {
        side.expect_open(&stream.context)?;
    }
    match (Transfer::new(to, from, extent)?, timing) {
        (None, _) => Ok(()),
        (Some(transfer), Timing::Asynchronous) => enqueue(stream, Operation::Copy(transfer)),
        (Some(transfer), Timing::Synchronous) => {
            capture::reject_work(stream)?;
            transfer.submit(stream, timing)
        }
    }
}

/// Enqueues a fill on a stream, or records it if the stream is being captured.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for a synchronous fill on a stream that is being
/// captured. Also returns the errors of [`Fill::check`] and [`enqueue`].
pub fn fill(stream: &Arc<Stream>, timing: Timing, fill: Fill) -> Result {
    let Some(checked) = fill.check(&stream.context)? else {
        return Ok(());
    };
    checked.expect_open()?;
    if timing == Timing::Asynchronous {
        return enqueue(stream, Operation::Fill(checked));
    }
    capture::reject_work(stream)?;
    checked.submit(stream)
}

/// Enqueues or records stream memory operations: all of them, or none if one is rejected.
///
/// # Errors
/// Returns the error of the first invalid operation, and the errors of [`enqueue`].
pub fn words(stream: &Arc<Stream>, operations: &[MemoryOperation]) -> Result {
    if operations.is_empty() {
        return Ok(());
    }
    enqueue(stream, Operation::Words(Words::new(operations)?))
}

/// Enqueues or records signals of semaphores or waits for them: all of them, or none if one is
/// rejected.
///
/// # Errors
/// Returns the errors of [`Semaphores::new`], [`Semaphores::expect`] and [`enqueue`].
pub fn semaphores(
    stream: &Arc<Stream>,
    act: Act,
    handles: &[u64],
    given: &[ExternalSemaphoreParams],
) -> Result {
    let semaphores = Semaphores::new(act, handles, given)?;
    semaphores.expect(&stream.context)?;
    enqueue(stream, Operation::Semaphores(semaphores))
}
