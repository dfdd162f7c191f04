//! Streams under capture: how far a capture is, and what it forbids.
//!
//! There are no graphs yet, so a capture can only be empty: a call that would be recorded is refused, and invalidates
//! the capture. What a capture forbids to other calls follows the documentation of `cuStreamBeginCapture` and
//! `cuThreadExchangeStreamCaptureMode`, and an H200 (driver 580).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use super::abi::*;
use super::call;
use super::context::Context;
use super::handle::{Object, Table};
use super::notice;
use super::registry::Owner;
use super::status::{Code, Result};
use super::stream::{Role, Stream};
use crate::lock::Unpoisoned;

const GLOBAL: u32 = CU_STREAM_CAPTURE_MODE_GLOBAL;
const RELAXED: u32 = CU_STREAM_CAPTURE_MODE_RELAXED;

/// How far a capture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    None = CU_STREAM_CAPTURE_STATUS_NONE,
    Active = CU_STREAM_CAPTURE_STATUS_ACTIVE,
    Invalidated = CU_STREAM_CAPTURE_STATUS_INVALIDATED,
}

struct Capture {
    stream: Arc<Stream>,
    mode: u32,
    thread: ThreadId,
    status: Status,
}

/// A graph, which has no nodes.
pub struct Graph {
    pub handle: u64,
}

static CAPTURES: Mutex<Vec<Capture>> = Mutex::new(Vec::new());
/// Whether there may be any: what every call looks at.
static ANY: AtomicBool = AtomicBool::new(false);
static GRAPHS: Table<Graph> = Table::new();

impl Object for Graph {
    const NAME: &'static str = "graph";
    const TAG: u8 = 0x1a;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        Some(format!("graph {:#x}", self.handle))
    }
}

thread_local! {
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

fn captures() -> Option<MutexGuard<'static, Vec<Capture>>> {
    ANY.load(Ordering::Acquire)
        .then(|| CAPTURES.lock().unpoisoned())
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

/// Begins to capture a stream.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for no mode, `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for the legacy default stream,
/// `CUDA_ERROR_ILLEGAL_STATE` for one that is being captured.
pub fn begin(stream: &Arc<Stream>, mode: u32) -> Result {
    if mode > RELAXED {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if stream.role == Role::Legacy {
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if status(stream) != Status::None {
        return Err(Code::ERROR_ILLEGAL_STATE);
    }
    let mut captures = CAPTURES.lock().unpoisoned();
    captures.push(Capture {
        stream: stream.clone(),
        mode,
        thread: thread::current().id(),
        status: Status::Active,
    });
    ANY.store(true, Ordering::Release);
    Ok(())
}

/// Ends a capture; gives its graph.
///
/// # Errors
/// `CUDA_ERROR_ILLEGAL_STATE` where there is none, `CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`,
/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` (the capture is over all the same).
pub fn end(stream: &Arc<Stream>) -> Result<Arc<Graph>> {
    let mut captures = captures().ok_or(Code::ERROR_ILLEGAL_STATE)?;
    let at = captures
        .iter()
        .position(|one| Arc::ptr_eq(&one.stream, stream));
    let at = at.ok_or(Code::ERROR_ILLEGAL_STATE)?;
    if captures[at].mode != RELAXED && captures[at].thread != thread::current().id() {
        return Err(Code::ERROR_STREAM_CAPTURE_WRONG_THREAD);
    }
    let capture = captures.swap_remove(at);
    ANY.store(!captures.is_empty(), Ordering::Release);
    match capture.status {
        Status::Invalidated => Err(Code::ERROR_STREAM_CAPTURE_INVALIDATED),
        _ => Ok(GRAPHS.insert(|handle| Graph { handle })),
    }
}

/// Forgets the capture of a stream that is destroyed.
pub fn forget(stream: &Arc<Stream>) {
    if let Some(mut captures) = captures() {
        captures.retain(|one| !Arc::ptr_eq(&one.stream, stream));
        ANY.store(!captures.is_empty(), Ordering::Release);
    }
}

/// How far a stream's capture is.
pub fn status(stream: &Arc<Stream>) -> Status {
    let captures = captures();
    let found = captures
        .iter()
        .flat_map(|captures| captures.iter())
        .find(|one| Arc::ptr_eq(&one.stream, stream));
    found.map_or(Status::None, |one| one.status)
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

/// For a call that puts work on a stream.
///
/// # Errors
/// `CUDA_ERROR_NOT_SUPPORTED` on a stream that is being captured.
pub fn refuse_work(stream: &Arc<Stream>) -> Result {
    if !invalidate(|one| Arc::ptr_eq(&one.stream, stream)) {
        return Ok(());
    }
    call::trace(|line| line.push_str("the emulator can't put work into a capture yet"));
    Err(notice::lacking("work in a capture"))
}

/// For a call that waits for a stream or queries it.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` when the stream is being captured, or the call is [forbidden](refuse_unsafe).
pub fn refuse_wait(stream: &Arc<Stream>) -> Result {
    if invalidate(|one| Arc::ptr_eq(&one.stream, stream)) {
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    refuse_unsafe()
}

/// For a call that waits for a whole context.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` while one of its streams is being captured, in whatever mode.
pub fn refuse_wait_for_all(context: &Arc<Context>) -> Result {
    if invalidate(|one| Arc::ptr_eq(&one.stream.context, context)) {
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    Ok(())
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
    if invalidate(forbids) {
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    Ok(())
}

/// Destroys a graph.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a handle that isn't a live graph's.
pub fn destroy_graph(handle: u64) -> Result {
    GRAPHS
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_VALUE)
}
