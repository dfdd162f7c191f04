//! The global allocator of the children. It ends the process if host memory is freed that enqueued
//! work will still use. It keeps freed blocks for a while and checks that they are not written.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use cuda_emulator::pending_host_work;

/// The beginning of its messages.
pub const REPORT: &str = "fuzz: FAILED: memory: ";

pub struct Allocator;

/// Whether freed memory is checked. Set in children.
static WATCHED: AtomicBool = AtomicBool::new(false);
/// Whether a context has faulted. Its pending work never runs, so only writes count from then on.
static FAULTED: AtomicBool = AtomicBool::new(false);
/// The byte that fills freed blocks.
const FREED: u8 = 0xf5;
/// The size of the largest block that is kept.
const LARGEST: usize = 64 << 10;
/// The number of freed blocks that are kept.
const KEPT: usize = 2048;

struct Block {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: the list alone owns the memory.
unsafe impl Send for Block {}

/// Freed blocks, the oldest at `next`.
struct Kept {
    blocks: [Option<Block>; KEPT],
    next: usize,
}

static FREED_BLOCKS: Mutex<Kept> = Mutex::new(Kept {
    blocks: [const { None }; KEPT],
    next: 0,
});

pub fn watch() {
    WATCHED.store(true, Ordering::SeqCst);
}

/// Ignores pending work from now on, and only checks for writes.
pub fn expect_faults() {
    FAULTED.store(true, Ordering::SeqCst);
}

// SAFETY: the system allocator does the work. Freeing is delayed.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of the system allocator, here and below.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if !WATCHED.load(Ordering::Relaxed) {
            // SAFETY: as above.
            return unsafe { System.dealloc(start, layout) };
        }
        expect_unused(start, layout.size());
        // SAFETY: the caller no longer uses the block.
        unsafe { ptr::write_bytes(start, FREED, layout.size()) };
        let block = Block { start, layout };
        if layout.size() > LARGEST {
            return free(block);
        }
        let oldest = {
            let mut kept = FREED_BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
            let next = kept.next;
            kept.next = (next + 1) % KEPT;
            kept.blocks[next].replace(block)
        };
        if let Some(oldest) = oldest {
            free(oldest);
        }
    }
}

fn free(block: Block) {
    // SAFETY: the block has the size of its layout, and is freed once.
    unsafe {
        for at in 0..block.layout.size() {
            if block.start.add(at).read_volatile() != FREED {
                stop(
                    "memory is written after it was freed",
                    block.start,
                    block.layout.size(),
                );
            }
        }
        System.dealloc(block.start, block.layout);
    }
}

/// Checks all freed blocks and returns them to the system.
pub fn check_freed() {
    loop {
        let block = {
            let mut kept = FREED_BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
            kept.blocks.iter_mut().find_map(Option::take)
        };
        match block {
            Some(block) => free(block),
            None => return,
        }
    }
}

fn expect_unused(start: *const u8, length: usize) {
    if !FAULTED.load(Ordering::Relaxed)
        && let Some(work) = pending_host_work(start, length)
    {
        let reason = format!("host memory is freed that enqueued work will use ({work})");
        stop(&reason, start, length);
    }
}

fn stop(reason: &str, start: *const u8, length: usize) -> ! {
    WATCHED.store(false, Ordering::SeqCst);
    eprintln!("{REPORT}{reason}: {length} bytes at {start:p}");
    // SAFETY: the call ends the process.
    unsafe { libc::_exit(3) };
}
