//! Reports: codes of faults, and queries of pending host work from an allocator.

use cuda_emulator::pending_host_work;
use cuda_emulator_checks::abi::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicIsize, Ordering};

/// An allocator that queries `pending_host_work` before it frees a block, as its documentation
/// allows. Counts live bytes.
struct Asking;

static LIVE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: The system's allocator does all the work.
unsafe impl GlobalAlloc for Asking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Ordering::SeqCst);
        // SAFETY: The caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Ordering::SeqCst);
        let _ = pending_host_work(place, layout.size());
        // SAFETY: The caller upholds the contract.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Asking = Asking;

#[test]
fn allocators_may_query_pending_work() {
    let _context = Own::new();
    let (one, device) = (stream(1), alloc(4));
    let page = out!(cuMemAllocHost_v2(_, 4096));
    let copy = |at: usize| {
        let from = page.wrapping_byte_add(4 * (at % 1024));
        ok!(cuMemcpyHtoDAsync_v2(device, from, 4, one));
    };
    let round = || {
        let gate = block(one);
        (0..1000).for_each(copy);
        assert!(pending_host_work(page.cast(), 1).is_some());
        gate.open();
        ok!(cuStreamSynchronize(one));
        assert!(pending_host_work(page.cast(), 4096).is_none());
    };
    // Some buffers grow once and keep their size. After that, nothing grows.
    round();
    let before = LIVE.load(Ordering::SeqCst);
    (0..5).for_each(|_| round());
    let kept = LIVE.load(Ordering::SeqCst) - before;
    assert!(kept < 100_000, "{kept} bytes of 5000 copies");
}

const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry barrier(.param .u32 n) {\n.reg .u32 %r<2>;\nld.param.u32 %r1, [n];\nbar.sync %r1;\nret;\n}\n\
    .visible .entry jump(.param .u32 n) {\n.reg .u32 %r<2>;\nld.param.u32 %r1, [n];\n\
    ts: .branchtargets L0, L1;\nbrx.idx %r1, ts;\nL0:\nret;\nL1:\nret;\n}\n";

#[test]
fn each_kind_of_fault_has_its_code() {
    let parts = ["CUDA_ERROR_ILLEGAL_INSTRUCTION", "CUDA_ERROR_INVALID_PC"];
    let cases = [
        ("barrier", 15, 16, ILLEGAL_INSTRUCTION),
        ("jump", 1, 2, INVALID_PC),
    ];
    reports(&[], &parts, || {
        each(cases, |(kernel, good, bad, expected)| {
            let _context = Own::new();
            let function = function(load(PTX), kernel);
            launch(function, 1, 32, null_mut(), &mut [arg(&good)]);
            ok!(cuCtxSynchronize());
            launch(function, 1, 32, null_mut(), &mut [arg(&bad)]);
            // The error persists, whatever is called.
            for _ in 0..2 {
                fails!(expected, cuCtxSynchronize());
                fails!(expected, cuMemAlloc_v2(&mut 0, 4));
            }
        });
    });
}
