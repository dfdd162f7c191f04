//! Programs with defects that the checks must find. They do nothing except in the processes that
//! [`all_are_found`] starts.

use cuda_safe::{Context, DeviceBuffer, Event, Stream, sys};

use super::child::{self, Folder};
use super::judge::{Failing, defects};
use super::plan::Suite;

/// Enqueues a copy of host memory without waiting for it.
fn enqueue(stream: &Stream, buffer: &DeviceBuffer<u8>, host: &[u8]) {
    let (to, from) = (buffer.as_device_ptr(), host.as_ptr().cast());
    // SAFETY: unsound on purpose. The callers release `host` before the copy. The emulator delays
    // the copy, and the process ends first.
    let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, host.len(), stream.as_raw()) };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
}

/// Runs `wrong` only in a child process.
fn with_stream(wrong: impl FnOnce(&Stream, &DeviceBuffer<u8>)) {
    if std::env::var_os(child::CHILD).is_none() {
        return;
    }
    let context = Context::primary(0).unwrap();
    context.set_current().unwrap();
    let stream = Stream::new(&context).unwrap();
    let buffer = DeviceBuffer::zeroed(&stream, 64).unwrap();
    wrong(&stream, &buffer);
}

#[test]
fn freed_too_early() {
    with_stream(|stream, buffer| {
        let host = Box::new([1; 64]);
        enqueue(stream, buffer, &host[..]);
    });
}

#[test]
fn moved_too_early() {
    with_stream(|stream, buffer| {
        let mut host = vec![1; 64];
        enqueue(stream, buffer, &host);
        host.reserve_exact(1 << 20);
        stream.synchronize().unwrap();
    });
}

#[test]
fn left_on_the_stack() {
    with_stream(|stream, buffer| {
        let mut host = [0; 64];
        host.fill(1);
        enqueue(stream, buffer, &host);
        panic!("expected");
    });
}

#[test]
fn leaked() {
    with_stream(|stream, _| {
        std::mem::forget(Event::new(stream.context()).unwrap());
    });
}

#[test]
fn released_twice() {
    with_stream(|stream, _| {
        let event = Event::new(stream.context()).unwrap().into_raw().unwrap();
        for _ in 0..2 {
            // SAFETY: unsound on purpose. The emulator recognizes stale handles.
            let _ = unsafe { sys::cuEventDestroy_v2(event) };
        }
    });
}

#[test]
fn used_after_free() {
    with_stream(|stream, _| {
        let owner = Stream::new(stream.context()).unwrap();
        let other = DeviceBuffer::<u8>::zeroed(&owner, 64).unwrap();
        let address = other.as_device_ptr();
        drop(other);
        // SAFETY: the memory was freed in the order of another stream. The emulator detects this.
        let _ = unsafe { sys::cuMemsetD8Async(address, 0, 1, stream.as_raw()) };
        stream.context().synchronize().unwrap_err();
    });
}

#[test]
fn panics_elsewhere() {
    with_stream(|_, _| panic!("expected: outside the integration tests"));
}

#[test]
fn ends_the_process() {
    with_stream(|_, _| std::process::abort());
}

pub fn all_are_found(suite: &Suite) {
    let folder = Folder::shared();
    for (test, found) in [
        ("freed_too_early", "host memory is freed while queued work"),
        ("moved_too_early", "host memory is reallocated while queued"),
        ("left_on_the_stack", "a panic leaves a stack behind while"),
        ("leaked", "a leak"),
        ("released_twice", "released twice? "),
        (
            "used_after_free",
            "a fault: [cuda-emulator] CUDA_ERROR_ILLEGAL",
        ),
        ("panics_elsewhere", "a panic at "),
        ("ends_the_process", "ended by signal 6"),
    ] {
        let run = folder.run(&format!("planted::{test}"), suite.checks, "");
        for failing in [Failing::Nothing, Failing::OneCall, Failing::AllFrom] {
            // If all calls fail, nothing can be released.
            if failing == Failing::AllFrom && test == "leaked" {
                continue;
            }
            let defects = defects(failing, false, &run).join("; ");
            assert!(defects.contains(found), "{test}: {defects}\n{}", run.text);
        }
    }
}
