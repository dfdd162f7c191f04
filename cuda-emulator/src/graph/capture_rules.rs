//! The calls that captures forbid, to captured streams and to other threads and streams.
//!
//! The rules follow NVIDIA's documentation of `cuStreamBeginCapture` and
//! `cuThreadExchangeStreamCaptureMode`, and an H200 (driver 580). A rejected call invalidates the
//! captures that forbid it.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

use super::active_captures::{Capture, Status, captures};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::Context;
use crate::process::green_context::Green;
use crate::queue::event::Event;
use crate::queue::stream::{Role, Stream};

const GLOBAL: u32 = CU_STREAM_CAPTURE_MODE_GLOBAL;
/// The mode of captures that restrict no calls on other streams.
pub const RELAXED: u32 = CU_STREAM_CAPTURE_MODE_RELAXED;

thread_local! {
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

/// Exchanges the calling thread's capture mode.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the mode does not exist.
pub fn exchange_mode(wanted: u32) -> Result<u32> {
    if wanted > RELAXED {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    Ok(MODE.replace(wanted))
}

/// Returns whether work on a legacy default stream would wait for a stream in a capture.
pub fn implies(capture: &Capture, legacy: &Arc<Stream>) -> bool {
    capture.members.iter().any(|member| {
        Arc::ptr_eq(&member.stream.context, &legacy.context)
            && member.stream.flags & CU_STREAM_NON_BLOCKING == 0
    })
}

/// Invalidates the captures for which `which` returns true. Returns whether there were any.
fn invalidate(which: impl Fn(&Capture) -> bool) -> bool {
    let Some(mut captures) = captures() else {
        return false;
    };
    let mut any = false;
    for capture in captures.iter_mut().filter(|one| which(one)) {
        capture.status = Status::Invalidated;
        any = true;
    }
    any
}

/// Returns an error with `code` if `which` is true for a capture, and invalidates that capture.
pub fn reject(which: impl Fn(&Capture) -> bool, code: Code) -> Result {
    if invalidate(which) { Err(code) } else { Ok(()) }
}

/// Checks a call that enqueues work on a stream, before its arguments are checked.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the stream's capture is invalid, and
/// `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the legacy default stream while a stream for which it
/// waits is being captured. The latter invalidates the capture.
pub fn check(stream: &Arc<Stream>) -> Result {
    if stream.role == Role::Legacy {
        let code = Code::ERROR_STREAM_CAPTURE_IMPLICIT;
        return reject(|one| implies(one, stream), code);
    }
    match captures() {
        Some(all)
            if all
                .iter()
                .any(|one| one.status == Status::Invalidated && one.has(stream)) =>
        {
            Err(Code::ERROR_STREAM_CAPTURE_INVALIDATED)
        }
        _ => Ok(()),
    }
}

/// Rejects a call that enqueues work that cannot be recorded.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if the stream is being captured.
pub fn reject_work(stream: &Arc<Stream>) -> Result {
    reject(
        |one| one.has(stream),
        Code::ERROR_STREAM_CAPTURE_UNSUPPORTED,
    )
}

/// Rejects a call that waits for a stream or queries it.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if the stream is being captured or the call is
/// [forbidden](reject_unsafe). For the legacy default stream, also returns the errors of [`check`].
pub fn reject_wait(stream: &Arc<Stream>) -> Result {
    reject_work(stream)?;
    if stream.role == Role::Legacy {
        check(stream)?;
    }
    reject_unsafe()
}

/// Rejects a call that waits for a whole context.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if one of its streams is being captured, in any
/// mode.
pub fn reject_wait_for_all(context: &Arc<Context>) -> Result {
    let touches = |one: &Capture| {
        let mut members = one.members.iter();
        members.any(|member| Arc::ptr_eq(&member.stream.context, context))
    };
    reject(touches, Code::ERROR_STREAM_CAPTURE_UNSUPPORTED)
}

/// Rejects a call that concerns all streams of a green context.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if one of its streams is being captured, in any
/// mode.
pub fn reject_wait_for_green(green: &Arc<Green>) -> Result {
    let touches = |one: &Capture| one.members.iter().any(|member| member.stream.is_of(green));
    reject(touches, Code::ERROR_STREAM_CAPTURE_UNSUPPORTED)
}

/// Rejects a call that NVIDIA documents as potentially unsafe, because it may wait for work that is
/// being captured.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if a capture of this thread or a global capture
/// forbids the call.
pub fn reject_unsafe() -> Result {
    let mode = MODE.get();
    if mode == RELAXED {
        return Ok(());
    }
    let here = thread::current().id();
    let forbids = |one: &Capture| {
        (one.thread == here && one.mode != RELAXED) || (mode == GLOBAL && one.mode == GLOBAL)
    };
    reject(forbids, Code::ERROR_STREAM_CAPTURE_UNSUPPORTED)
}

/// Rejects a launch of a graph.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if the stream is being captured, in any mode.
/// This invalidates the capture.
pub fn reject_graph(stream: &Arc<Stream>) -> Result {
    reject(
        |one| one.has(stream),
        Code::ERROR_STREAM_CAPTURE_UNSUPPORTED,
    )
}

/// Rejects a call that waits for an event or queries it.
///
/// # Errors
/// Returns `CUDA_ERROR_CAPTURED_EVENT` if the event was last recorded in an active capture, which
/// becomes invalid, and `CUDA_ERROR_INVALID_VALUE` if that capture has ended.
pub fn reject_captured(event: &Event) -> Result {
    match event.captured() {
        None => Ok(()),
        Some(captured) if invalidate(|one| one.id == captured.capture) => {
            Err(Code::ERROR_CAPTURED_EVENT)
        }
        Some(_) => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Rejects a query of an event's time.
///
/// # Errors
/// Returns the errors of [`reject_captured`], but an active capture stays valid.
pub fn reject_untimed(event: &Event) -> Result {
    let under_way = |id| captures().is_some_and(|all| all.iter().any(|one| one.id == id));
    match event.captured() {
        None => Ok(()),
        Some(captured) if under_way(captured.capture) => Err(Code::ERROR_CAPTURED_EVENT),
        Some(_) => Err(Code::ERROR_INVALID_VALUE),
    }
}
