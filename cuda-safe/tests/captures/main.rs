//! Captures and the calls that they forbid. This is a separate program whose tests run one at a
//! time, because a global capture forbids calls on every thread of the process.

#[path = "../common/failure.rs"]
mod failure;
mod raw;
mod threads;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_safe::{Context, Result, Stream, graph::CaptureMode};
use failure::failure;

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks out other tests and returns the primary context of device 0 with a stream on it.
fn device() -> (MutexGuard<'static, ()>, Context, Stream) {
    let one = one_at_a_time();
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (one, context, stream)
}

/// Captures `stream` while `body` runs, which must record nothing.
#[track_caller]
fn capture_nothing(stream: &Stream, body: impl FnOnce() -> Result<()>) {
    capture_nothing_in(CaptureMode::THREAD_LOCAL, stream, body);
}

/// Like [`capture_nothing`], in another mode.
#[track_caller]
fn capture_nothing_in(mode: CaptureMode, stream: &Stream, body: impl FnOnce() -> Result<()>) {
    // SAFETY: the capture records nothing.
    let graph = unsafe { stream.capture_with_mode(mode, |_| body()) };
    assert_eq!(graph.unwrap().nodes().unwrap(), []);
}
