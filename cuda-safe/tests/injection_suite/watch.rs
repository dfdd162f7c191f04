//! The allocator of the test program. It ends the process if memory is freed that pending work will
//! still use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_emulator::{HostWork, pending_host_work};

/// The beginning of a report.
pub const REPORT: &str = "[watch] ";

pub struct Allocator;

// SAFETY: forwards to the system allocator. This type only inspects the calls.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract, also in the functions below.
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
        // The memory may move.
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

/// Checks the stack of a thread that panics in a test: the failed call has returned, so no pending
/// work may use the stack any more.
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

/// Returns the first byte and the length of the current thread's stack.
fn stack_of_this_thread() -> (usize, usize) {
    let mut start = std::ptr::null_mut();
    let mut length = 0;
    // SAFETY: the first call initializes the attributes, the second reads them, and the third
    // destroys them.
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
    // Memory that is freed while the report is written is not checked.
    if STOPPING.swap(true, Ordering::Relaxed) {
        return;
    }
    eprintln!(
        "{REPORT}{what} while queued work will use it: {length} bytes at {start:p}; {work}\n{}",
        Backtrace::force_capture()
    );
    std::process::abort()
}
