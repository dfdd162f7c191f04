//! Events in captures: records that mark a position in a capture, and waits that make a stream join
//! a capture.

use std::sync::Arc;

use super::active_captures::{Capture, Member, Status, captures};
use super::capture::{Info, of};
use super::capture_rules::reject;
use super::enqueue::enqueue;
use super::node::Dependency;
use crate::abi::EdgeData;
use crate::abi::status::{Code, Result};
use crate::queue::event::{Captured, Event};
use crate::queue::stream::{Role, Stream};
use crate::work::operation::Operation;

/// Records an event on a stream. In a capture the event then marks the stream's position. An
/// external record is for streams outside of the capture, and becomes a node.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the event belongs to another context,
/// `CUDA_ERROR_ILLEGAL_STATE` for an external record outside of a capture, and
/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture is invalid.
pub fn record_event(stream: &Arc<Stream>, event: &Arc<Event>, external: bool) -> Result {
    let capture = of(stream);
    if external && capture.is_none() {
        return Err(Code::ERROR_ILLEGAL_STATE);
    }
    if external || capture.is_none() {
        return enqueue(stream, Operation::Record(event.clone()));
    }
    if !Arc::ptr_eq(&event.context, &stream.context) {
        return Err(Code::ERROR_INVALID_HANDLE);
    }
    if let Some(Info { id, front, .. }) = capture {
        let front = front.iter().map(|one| (one.node, one.data)).collect();
        event.capture(Captured { capture: id, front });
    }
    Ok(())
}

/// Records an event of the last launch on a stream. In a capture the event represents an edge with
/// this data from the kernel's node. Otherwise it happens at the end of the kernel.
///
/// # Errors
/// Returns the errors of [`record_event`].
pub fn record_launch(stream: &Arc<Stream>, event: &Arc<Event>, data: EdgeData) -> Result {
    match of(stream) {
        None => enqueue(stream, Operation::Record(event.clone())),
        Some(Info { id, front, .. }) => {
            let front = front.iter().map(|one| (one.node, data)).collect();
            event.capture(Captured { capture: id, front });
            Ok(())
        }
    }
}

/// Makes a stream wait for an event. An event of a capture makes the stream join that capture.
///
/// # Errors
/// Returns:
/// - `CUDA_ERROR_ILLEGAL_STATE` for an external wait outside of a capture;
/// - `CUDA_ERROR_STREAM_CAPTURE_ISOLATION` if the stream is being captured and the event was
///   recorded outside (the capture becomes invalid);
/// - `CUDA_ERROR_STREAM_CAPTURE_MERGE` if the event belongs to another capture (both become
///   invalid);
/// - `CUDA_ERROR_INVALID_VALUE` if the event's capture has ended;
/// - `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for the legacy default stream;
/// - `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the event's capture is invalid.
pub fn wait_event(stream: &Arc<Stream>, event: &Arc<Event>, external: bool) -> Result {
    let capture = of(stream).map(|info| info.id);
    if external {
        return match capture {
            Some(_) => enqueue(stream, Operation::Await(event.clone())),
            None => Err(Code::ERROR_ILLEGAL_STATE),
        };
    }
    let Some(Captured { capture: id, front }) = event.captured() else {
        return match capture {
            Some(capture) if event.is_recorded() => reject(
                |one| one.id == capture,
                Code::ERROR_STREAM_CAPTURE_ISOLATION,
            ),
            Some(_) => Ok(()),
            None => enqueue(stream, Operation::Await(event.clone())),
        };
    };
    let Some(mut all) = captures() else {
        return Err(Code::ERROR_INVALID_VALUE);
    };
    let Some(at) = all.iter().position(|one| one.id == id) else {
        return Err(Code::ERROR_INVALID_VALUE);
    };
    let dependency = |(node, data)| Dependency { node, data };
    let front: Vec<Dependency> = front.into_iter().map(dependency).collect();
    if let Some(capture) = capture.filter(|capture| *capture != id) {
        drop(all);
        let both = |one: &Capture| one.id == id || one.id == capture;
        return reject(both, Code::ERROR_STREAM_CAPTURE_MERGE);
    }
    let theirs = &mut all[at];
    if stream.role == Role::Legacy {
        theirs.status = Status::Invalidated;
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if theirs.status == Status::Invalidated {
        return Err(Code::ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    match theirs.member(stream) {
        Some(member) => member.join(&front),
        None => theirs.members.push(Member::new(stream.clone(), front)),
    }
    Ok(())
}
