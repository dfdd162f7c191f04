//! Host memory that pending work will use: queries by a test program, and
//! `CUDA_EMULATOR_CHECK=host`.

use cuda_emulator::{HostAccess, HostWork, pending_host_work};
use cuda_emulator_checks::abi::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

/// An allocator that queries pending work before it frees, as the documentation allows. No free may
/// hang.
struct Asking;

// SAFETY: The system's allocator does all the work.
unsafe impl GlobalAlloc for Asking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: Here and below, the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        let _ = pending_host_work(start, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static MEMORY: Asking = Asking;

const HOUR: (&str, &str) = ("CUDA_EMULATOR_HOLD", "3600000");
const NON_BLOCKING: u32 = 1;

fn query(place: *const c_void, length: usize) -> Option<HostWork> {
    pending_host_work(place.cast(), length)
}

/// Returns page-locked memory.
fn pinned(bytes: usize) -> *mut c_void {
    out!(cuMemAllocHost_v2(_, bytes))
}

/// Checks the reported work for each byte of a range.
#[track_caller]
fn expect(place: *mut c_void, length: usize, access: HostAccess, text: &str) {
    let work = query(place, length).expect("work");
    assert_eq!((work.access, work.start), (access, place as usize));
    let description = work.to_string();
    assert!(description.contains(text), "no `{text}` in: {description}");
    assert!(description.contains(&format!("{place:?}")), "{description}");
    // Checks each byte, and the bytes next to the range.
    assert!((0..length).all(|at| query(place.wrapping_byte_add(at), 1).is_some()));
    assert_eq!(query(place.wrapping_byte_sub(100), 100), None);
    assert_eq!(query(place.wrapping_byte_add(length), 100), None);
}

#[test]
fn pending_work_is_reported_until_it_is_done() {
    passes(&[HOUR], || {
        let _context = Own::new();
        let stream = stream(NON_BLOCKING);
        let device = alloc(4096);
        let page = pinned(4096);
        let mut registered = vec![0u64; 1024];
        let own: *mut c_void = registered.as_mut_ptr().cast();
        ok!(cuMemHostRegister_v2(own, 8192, 0));
        let mut pageable = vec![0u8; 8192];
        let plain: *mut c_void = pageable.as_mut_ptr().cast();
        for place in [page, own, plain] {
            let at = place.wrapping_byte_add(256);
            ok!(cuMemcpyHtoDAsync_v2(device, at, 64, stream));
            let text = "a copy on stream 0x12";
            expect(at, 64, HostAccess::CopyFrom, text);
            expect(at, 64, HostAccess::CopyFrom, "which will read 64 bytes at");
            ok!(cuStreamSynchronize(stream));
            assert_eq!(query(place, 4096), None);
            ok!(cuMemcpyDtoHAsync_v2(at, device, 64, stream));
            expect(at, 64, HostAccess::CopyTo, "which will write 64 bytes at");
            ok!(cuStreamSynchronize(stream));
            assert_eq!(query(place, 4096), None);
        }
        for place in [page, own] {
            let at = place.wrapping_byte_add(256);
            ok!(cuMemsetD32Async(at as u64, 1, 16, stream));
            expect(at, 64, HostAccess::Fill, "a fill on stream 0x12");
            ok!(cuStreamSynchronize(stream));
            ok!(cuStreamWriteValue32_v2(stream, at as u64, 1, 0));
            expect(at, 4, HostAccess::Word, "a stream memory operation on");
            ok!(cuStreamSynchronize(stream));
            ok!(cuStreamWaitValue64_v2(stream, at as u64, 0, 0));
            expect(at, 8, HostAccess::Word, "which will use 8 bytes at");
            ok!(cuStreamSynchronize(stream));
            assert_eq!(query(place, 4096), None);
        }
        // Rows with gaps count as one range.
        ok!(cuMemsetD2D8Async(page as u64, 512, 1, 16, 3, stream));
        expect(page, 2 * 512 + 16, HostAccess::Fill, "1040 bytes");
        ok!(cuStreamSynchronize(stream));
        // The default streams have names.
        ok!(cuMemcpyHtoDAsync_v2(device, page, 64, null_mut()));
        expect(page, 64, HostAccess::CopyFrom, "on the default stream");
        ok!(cuStreamSynchronize(null_mut()));
        ok!(cuMemcpyHtoDAsync_v2(device, page, 64, 2 as CUstream));
        expect(page, 64, HostAccess::CopyFrom, "a thread's default stream");
        ok!(cuStreamSynchronize(2 as CUstream));
        // Device memory is not reported.
        ok!(cuMemcpyDtoDAsync_v2(device + 64, device, 64, stream));
        assert_eq!(query(device as *const c_void, 4096), None);
        ok!(cuStreamSynchronize(stream));
        ok!(cuMemHostUnregister(own));
    });
}

#[test]
fn all_pending_work_is_reported() {
    passes(&[HOUR], || {
        let _context = Own::new();
        let streams = [stream(NON_BLOCKING), stream(NON_BLOCKING)];
        let device = alloc(4);
        let page = pinned(4 * 1000);
        for at in 0..1000 {
            let from = page.wrapping_byte_add(4 * at);
            ok!(cuMemcpyHtoDAsync_v2(device, from, 4, streams[at % 2]));
        }
        let known = |at: usize| query(page.wrapping_byte_add(4 * at), 4).is_some();
        assert!((0..1000).all(known));
        ok!(cuStreamSynchronize(streams[0]));
        assert!((0..1000).all(|at| known(at) == (at % 2 == 1)));
        ok!(cuStreamSynchronize(streams[1]));
        assert!(!(0..1000).any(known));
    });
}

#[test]
fn memory_of_host_functions_is_not_pending() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn free(data: *mut c_void) {
        let found = query(data, 64);
        assert_eq!(found, None, "the host function may free the memory");
        // SAFETY: The test passes a leaked box of this type.
        drop(unsafe { Box::from_raw(data.cast::<[u64; 8]>()) });
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    unsafe extern "C" fn called(_: CUstream, _: CUresult, data: *mut c_void) {
        // SAFETY: as above.
        unsafe { free(data) };
    }
    passes(&[HOUR], || {
        let _context = Own::new();
        let stream = stream(NON_BLOCKING);
        for callback in [false, true] {
            let data = Box::into_raw(Box::new([0u64; 8])).cast();
            if callback {
                ok!(cuStreamAddCallback(stream, Some(called), data, 0));
            } else {
                ok!(cuLaunchHostFunc(stream, Some(free), data));
            }
            let text = "a host function on stream 0x12";
            expect(data, 1, HostAccess::HostFunction, text);
            ok!(cuStreamSynchronize(stream));
        }
        assert_eq!(CALLS.load(Ordering::SeqCst), 2);
    });
}

#[test]
fn rejected_calls_leave_no_pending_work() {
    let variables = [HOUR, ("CUDA_EMULATOR_FAIL", "cuMemcpyHtoDAsync:1:999")];
    passes(&variables, || {
        let _context = Own::new();
        let (page, device) = (pinned(64), alloc(64));
        fails!(UNKNOWN, cuMemcpyHtoDAsync_v2(device, page, 64, null_mut()));
        invalid!(cuMemcpyHtoDAsync_v2(device, page, 65, null_mut()));
        assert_eq!(query(page, 64), None);
    });
}

#[test]
fn faults_end_pending_work() {
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS"];
    reports(&[HOUR], &parts, || {
        let _context = Own::new();
        let (page, device, stream) = (pinned(64), alloc(64), stream(NON_BLOCKING));
        let put = function(load(include_str!("../../kernels/faults.ptx")), "put");
        let (place, index) = (0u64, 0);
        launch(put, 1, 1, stream, &mut [arg(&place), arg(&index)]);
        ok!(cuMemcpyHtoDAsync_v2(device, page, 64, stream));
        assert!(query(page, 64).is_some());
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        assert_eq!(query(page, 64), None);
    });
}

/// Enqueues work that uses page-locked memory, and frees the memory too early.
fn free_too_early(register: bool) -> CUresult {
    let (device, stream) = (alloc(64), stream(NON_BLOCKING));
    let (place, free): (_, unsafe extern "C" fn(_) -> _) = if register {
        let own: *mut c_void = Box::leak(Box::new([0u64; 512])).as_mut_ptr().cast();
        ok!(cuMemHostRegister_v2(own, 4096, 0));
        (own, cuMemHostUnregister)
    } else {
        (pinned(4096), cuMemFreeHost)
    };
    let part = place.wrapping_byte_add(64);
    ok!(cuMemcpyHtoDAsync_v2(device, part, 64, stream));
    // SAFETY: The emulator checks its arguments.
    unsafe { free(place) }
}

#[test]
fn freeing_page_locked_memory_too_early_is_reported() {
    let variables = [HOUR, ("CUDA_EMULATOR_CHECK", "host")];
    let parts = [
        "CUDA_ERROR_LAUNCH_FAILED",
        "cuMemFreeHost of allocation",
        "(cuMemAllocHost, 4096 bytes at 0x",
        "cuMemHostUnregister of allocation",
        "(cuMemHostRegister, 4096 bytes at 0x",
        "unfinished work uses it: a copy on stream 0x12",
        "which will read 64 bytes at 0x",
        "wait for the stream first",
    ];
    reports(&variables, &parts, || {
        each([false, true], |register| {
            let _context = Own::new();
            // Other memory may be freed, and this memory too once the work is done.
            let (page, other, device) = (pinned(64), pinned(64), alloc(64));
            ok!(cuMemcpyHtoDAsync_v2(device, page, 64, 2 as CUstream));
            ok!(cuMemFreeHost(other));
            ok!(cuCtxSynchronize());
            ok!(cuMemFreeHost(page));
            let code = free_too_early(register);
            assert_eq!(code, LAUNCH_FAILED);
            fails!(LAUNCH_FAILED, cuCtxSynchronize());
        });
    });
}

#[test]
fn without_the_check_the_driver_waits() {
    passes(&[HOUR], || {
        for register in [false, true] {
            let _context = Own::new();
            assert_eq!(free_too_early(register), SUCCESS);
            ok!(cuCtxSynchronize());
        }
    });
}
