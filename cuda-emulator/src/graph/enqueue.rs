//! Work for a stream: put on it, or recorded where the stream is being captured.

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

/// Puts an operation on a stream, or records it where the stream is being captured.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE` for a kernel or an event of another context than the stream's; `CUDA_ERROR_NOT_SUPPORTED` for
/// a kernel that launches graphs, which only kernels of graphs can; what a capture forbids;
/// the sticky error of a fault met while waiting.
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
            call::trace(|line| line.push_str("refused: only kernels of graphs can launch graphs"));
            Err(Code::ERROR_NOT_SUPPORTED)
        }
        Some(operation) => operation.submit(stream),
    }
}

/// Copies in the order of a stream, or records the copy where the stream is being captured.
///
/// # Errors
/// As [`Transfer::new`] and [`Transfer::submit`]; what a capture forbids.
pub fn copy(stream: &Arc<Stream>, timing: Timing, to: Side, from: Side, extent: Extent) -> Result {
    for side in [&to, &from] {
        side.expect_open(&stream.context)?;
    }
    match (Transfer::new(to, from, extent)?, timing) {
        (None, _) => Ok(()),
        (Some(transfer), Timing::Asynchronous) => enqueue(stream, Operation::Copy(transfer)),
        (Some(transfer), Timing::Synchronous) => {
            capture::refuse_work(stream)?;
            transfer.submit(stream, timing)
        }
    }
}

/// Fills in the order of a stream, or records the fill where the stream is being captured.
///
/// # Errors
/// As [`Fill::check`]; what a capture forbids.
pub fn fill(stream: &Arc<Stream>, timing: Timing, fill: Fill) -> Result {
    let Some(checked) = fill.check(&stream.context)? else {
        return Ok(());
    };
    checked.expect_open()?;
    if timing == Timing::Asynchronous {
        return enqueue(stream, Operation::Fill(checked));
    }
    capture::refuse_work(stream)?;
    checked.submit(stream)
}

/// Puts operations on a stream, or records them: all of them, or none if one is refused.
///
/// # Errors
/// What is wrong with the first that is refused; what a capture forbids.
pub fn words(stream: &Arc<Stream>, operations: &[MemoryOperation]) -> Result {
    if operations.is_empty() {
        return Ok(());
    }
    enqueue(stream, Operation::Words(Words::new(operations)?))
}

/// Has a stream signal semaphores, or wait for them, or records that: all of them, or none if one is refused.
///
/// # Errors
/// As [`Semaphores::expect`]; what a capture forbids.
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
