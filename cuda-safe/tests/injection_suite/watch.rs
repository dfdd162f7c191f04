//! The allocator of the test program: ends the process when memory is freed that queued work will still use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_emulator::{HostWork, pending_host_work};

/// What the report begins with.
pub const REPORT: &str = "[watch] ";

pub struct Allocator;

// SAFETY: all of it is the system allocator's work; here it is only looked at.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on, here and below.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        look("host memory is freed", start, layout.size());
        stack();
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // It may move.
        look("host memory is reallocated", start, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(start, layout, size) }
    }
}

fn look(what: &str, start: *const u8, length: usize) {
    if let Some(work) = pending_host_work(start, length) {
        stop(what, start, length, work);
    }
}

/// A thread that panics in a test is done with what lies on its stack: the call that failed has returned.
fn stack() {
    if !std::thread::panicking() {
        return;
    }
    thread_local! {
        static RANGE: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
    }
    let (start, length) = RANGE.get().unwrap_or_else(|| {
        let range = stack_of_this_thread();
        RANGE.set(Some(range));
        range
    });
    look(
        "a panic leaves a stack behind",
        std::ptr::without_provenance(start),
        length,
    );
}

/// First byte and length.
fn stack_of_this_thread() -> (usize, usize) {
    let mut start = std::ptr::null_mut();
    let mut length = 0;
    // SAFETY: the attributes are filled in by the first call, looked at by the second, and given back by the third.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) == 0 {
            libc::pthread_attr_getstack(&attributes, &mut start, &mut length);
            libc::pthread_attr_destroy(&mut attributes);
        }
    }
    (start.addr(), length)
}

fn stop(what: &str, start: *const u8, length: usize, work: HostWork) {
    static STOPPING: AtomicBool = AtomicBool::new(false);
    // What is freed while the report is made isn't looked at.
    if STOPPING.swap(true, Ordering::Relaxed) {
        return;
    }
    eprintln!(
        "{REPORT}{what} while queued work will use it: {length} bytes at {start:p}; {work}\n{}",
        Backtrace::force_capture()
    );
    std::process::abort()
}
