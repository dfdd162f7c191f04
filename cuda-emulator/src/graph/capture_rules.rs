//! What captures forbid to other calls, and to calls for the streams in them.
//!
//! It follows the documentation of `cuStreamBeginCapture` and `cuThreadExchangeStreamCaptureMode`, and an H200 (driver
//! 580). A call that is refused makes the captures invalid that forbid it.

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
/// The mode of captures that forbid nothing to other streams.
pub const RELAXED: u32 = CU_STREAM_CAPTURE_MODE_RELAXED;

thread_local! {
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

/// Exchanges the calling thread's mode.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for no mode.
pub fn exchange_mode(wanted: u32) -> Result<u32> {
    if wanted > RELAXED {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    Ok(MODE.replace(wanted))
}

/// Whether work on a legacy default stream would wait for a stream in a capture.
pub fn implies(capture: &Capture, legacy: &Arc<Stream>) -> bool {
    capture.members.iter().any(|member| {
        Arc::ptr_eq(&member.stream.context, &legacy.context)
            && member.stream.flags & CU_STREAM_NON_BLOCKING == 0
    })
}

/// Makes the captures for which `which` holds invalid; whether there were any.
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

/// The code where there is such a capture, which becomes invalid.
pub fn refuse(which: impl Fn(&Capture) -> bool, code: Code) -> Result {
    if invalidate(which) { Err(code) } else { Ok(()) }
}

/// For a call that puts work on a stream, before its arguments are looked at.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` where the stream's capture is, `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the
/// legacy default stream while a stream that it waits for is captured, whose capture becomes invalid.
pub fn check(stream: &Arc<Stream>) -> Result {
    if stream.role == Role::Legacy {
        let code = Code::ERROR_STREAM_CAPTURE_IMPLICIT;
        return refuse(|one| implies(one, stream), code);
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

/// For a call that puts something on a stream that can't be recorded.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` on a stream that is being captured.
pub fn refuse_work(stream: &Arc<Stream>) -> Result {
    refuse(
        |one| one.has(stream),
        Code::ERROR_STREAM_CAPTURE_UNSUPPORTED,
    )
}

/// For a call that waits for a stream or queries it.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` when the stream is being captured, or the call is [forbidden](refuse_unsafe);
/// as [`check`] for the legacy default stream.
pub fn refuse_wait(stream: &Arc<Stream>) -> Result {
    refuse_work(stream)?;
    if stream.role == Role::Legacy {
        check(stream)?;
    }
    refuse_unsafe()
}

/// For a call that waits for a whole context.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` while one of its streams is being captured, in whatever mode.
pub fn refuse_wait_for_all(context: &Arc<Context>) -> Result {
    let touches = |one: &Capture| {
        let mut members = one.members.iter();
        members.any(|member| Arc::ptr_eq(&member.stream.context, context))
    };
    refuse(touches, Code::ERROR_STREAM_CAPTURE_UNSUPPORTED)
}

/// For a call that concerns all streams of a green context.
///
/// # Errors
/// As [`refuse_wait_for_all`].
pub fn refuse_wait_for_green(green: &Arc<Green>) -> Result {
    let touches = |one: &Capture| one.members.iter().any(|member| member.stream.is_of(green));
    refuse(touches, Code::ERROR_STREAM_CAPTURE_UNSUPPORTED)
}

/// For a call that is called potentially unsafe: it may wait for work that is being captured.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` where a capture of this thread's, or a global one, forbids it.
pub fn refuse_unsafe() -> Result {
    let mode = MODE.get();
    if mode == RELAXED {
        return Ok(());
    }
    let here = thread::current().id();
    let forbids = |one: &Capture| {
        (one.thread == here && one.mode != RELAXED) || (mode == GLOBAL && one.mode == GLOBAL)
    };
    refuse(forbids, Code::ERROR_STREAM_CAPTURE_UNSUPPORTED)
}

/// For a launch of a graph.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` on a stream that is being captured, in whatever mode, which ends the capture.
pub fn refuse_graph(stream: &Arc<Stream>) -> Result {
    refuse(
        |one| one.has(stream),
        Code::ERROR_STREAM_CAPTURE_UNSUPPORTED,
    )
}

/// For a call that waits for an event or queries it.
///
/// # Errors
/// `CUDA_ERROR_CAPTURED_EVENT` where it was last recorded in a capture, which becomes invalid;
/// `CUDA_ERROR_INVALID_VALUE` where that capture is over.
pub fn refuse_captured(event: &Event) -> Result {
    match event.captured() {
        None => Ok(()),
        Some(captured) if invalidate(|one| one.id == captured.capture) => {
            Err(Code::ERROR_CAPTURED_EVENT)
        }
        Some(_) => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// For a call that asks for an event's time: as [`refuse_captured`], but a capture under way goes on.
pub fn refuse_untimed(event: &Event) -> Result {
    let under_way = |id| captures().is_some_and(|all| all.iter().any(|one| one.id == id));
    match event.captured() {
        None => Ok(()),
        Some(captured) if under_way(captured.capture) => Err(Code::ERROR_CAPTURED_EVENT),
        Some(_) => Err(Code::ERROR_INVALID_VALUE),
    }
}
