//! Streams: order, asynchrony and waiting.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const NON_BLOCKING: u32 = 1;

#[test]
fn work_is_asynchronous_and_in_order() {
    let _context = Own::new();
    let stream = stream(NON_BLOCKING);
    let address = alloc(4);
    let gate = block(stream);
    for value in 1..=100 {
        ok!(cuMemsetD32Async(address, value, 1, stream));
    }
    fails!(NOT_READY, cuStreamQuery(stream));
    gate.open();
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamQuery(stream));
    assert_eq!(download::<u32>(address, 1), [100]);
    ok!(cuStreamDestroy_v2(stream));
    stale!(cuStreamDestroy_v2(stream));
    stale!(cuStreamQuery(stream));
}

#[test]
fn missing_synchronization_is_visible() {
    let _context = Own::new();
    let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let address = alloc(4);
    ok!(cuMemsetD32_v2(address, 1, 1));
    ok!(cuCtxSynchronize());
    let gate = block(first);
    ok!(cuMemsetD32Async(address, 2, 1, first));
    // The other stream does not wait.
    let mut seen = 0u32;
    let place = (&raw mut seen).cast();
    ok!(cuMemcpyDtoHAsync_v2(place, address, 4, second));
    ok!(cuStreamSynchronize(second));
    assert_eq!(seen, 1);
    gate.open();
    ok!(cuCtxSynchronize());
}

#[test]
fn an_event_orders_two_streams() {
    let _context = Own::new();
    let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let address = alloc(4);
    let event = event(0);
    ok!(cuEventQuery(event));
    ok!(cuEventSynchronize(event));
    let gate = block(first);
    ok!(cuMemsetD32Async(address, 2, 1, first));
    ok!(cuEventRecord(event, first));
    fails!(NOT_READY, cuEventQuery(event));
    ok!(cuStreamWaitEvent(second, event, 0));
    ok!(cuMemsetD32Async(address, 3, 1, second));
    fails!(NOT_READY, cuStreamQuery(second));
    gate.open();
    ok!(cuEventSynchronize(event));
    ok!(cuStreamSynchronize(second));
    assert_eq!(download::<u32>(address, 1), [3]);
    ok!(cuEventDestroy_v2(event));
    stale!(cuEventQuery(event));
    stale!(cuStreamWaitEvent(second, event, 0));
}

#[test]
fn default_and_blocking_streams_wait_for_each_other() {
    let _context = Own::new();
    let (blocking, free) = (stream(0), stream(NON_BLOCKING));
    let address = alloc(4);
    ok!(cuMemsetD32_v2(address, 0, 1));
    ok!(cuCtxSynchronize());
    let gate = block(blocking);
    ok!(cuMemsetD32Async(address, 1, 1, null_mut()));
    fails!(NOT_READY, cuStreamQuery(null_mut()));
    // A non-blocking stream is independent.
    ok!(cuMemsetD32Async(address, 5, 1, free));
    ok!(cuStreamSynchronize(free));
    // Work on a blocking stream runs after the default stream's work.
    let third = stream(0);
    ok!(cuMemsetD32Async(address, 2, 1, third));
    fails!(NOT_READY, cuStreamQuery(third));
    gate.open();
    ok!(cuStreamSynchronize(third));
    assert_eq!(download::<u32>(address, 1), [2]);
    // The per-thread default stream is a blocking stream too.
    let gate = block(2 as CUstream);
    ok!(cuMemsetD32Async(address, 9, 1, null_mut()));
    fails!(NOT_READY, cuStreamQuery(null_mut()));
    gate.open();
    ok!(cuStreamSynchronize(null_mut()));
    ok!(cuStreamSynchronize_ptsz(null_mut()));
    let legacy = out!(cuStreamGetId(null_mut(), _));
    let own = out!(cuStreamGetId_ptsz(null_mut(), _));
    // The null stream of a _ptsz function is the thread's own.
    assert_ne!(legacy, own);
    assert_eq!(own, out!(cuStreamGetId(2 as CUstream, _)));
    ok!(cuMemsetD32_v2_ptds(address, 11, 1));
    assert_eq!(download::<u32>(address, 1), [11]);
}

#[test]
fn queries_and_waits_cover_the_right_streams() {
    let _context = Own::new();
    let (blocking, free) = (stream(0), stream(NON_BLOCKING));
    let legacy = 1 as CUstream;
    // The work of a created stream does not affect other streams.
    let gate = block(blocking);
    ok!(cuStreamQuery(free));
    ok!(cuStreamSynchronize(free));
    ok!(cuStreamQuery(stream(0)));
    // The default stream, under both names, is done when all blocking streams are, even if it has
    // no work.
    for default in [null_mut(), legacy] {
        fails!(NOT_READY, cuStreamQuery(default));
    }
    gate.open();
    ok!(cuStreamSynchronize(legacy));
    ok!(cuStreamQuery(blocking));
    // A non-blocking stream does not block it.
    let gate = block(free);
    let address = alloc(4);
    ok!(cuMemsetD32Async(address, 1, 1, null_mut()));
    ok!(cuStreamSynchronize(null_mut()));
    ok!(cuStreamQuery(legacy));
    ok!(cuMemsetD32Async(address, 2, 1, blocking));
    ok!(cuStreamSynchronize(blocking));
    fails!(NOT_READY, cuStreamQuery(free));
    gate.open();
    ok!(cuCtxSynchronize());
}

#[test]
fn the_context_waits_for_all_its_streams() {
    let _context = Own::new();
    // The context has known streams that were destroyed.
    for _ in 0..20 {
        ok!(cuStreamDestroy_v2(stream(0)));
    }
    let streams: Vec<_> = (0..20).map(|n| stream(n % 2)).collect();
    let counts: Vec<_> = streams.iter().map(|_| AtomicU32::new(0)).collect();
    for (stream, count) in streams.iter().zip(&counts) {
        unsafe extern "C" fn slowly(count: *mut c_void) {
            std::thread::sleep(Duration::from_millis(5));
            // SAFETY: The counters outlive the streams' work.
            unsafe { &*count.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
        }
        ok!(cuLaunchHostFunc(*stream, Some(slowly), arg(count)));
    }
    ok!(cuCtxSynchronize());
    for count in &counts {
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn each_thread_has_a_separate_default_stream() {
    let context = Own::new();
    let handle = context.0 as usize;
    let id = move || {
        ok!(cuCtxSetCurrent(handle as CUcontext));
        let first = out!(cuStreamGetId(2 as CUstream, _));
        assert_eq!(out!(cuStreamGetId(2 as CUstream, _)), first);
        first
    };
    let ids = [id(), std::thread::spawn(id).join().unwrap()];
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn many_threads_run_at_once() {
    let context = Own::new();
    let handle = context.0 as usize;
    let start = Instant::now();
    let threads: Vec<_> = (0..16)
        .map(|thread: u32| {
            std::thread::spawn(move || {
                ok!(cuCtxSetCurrent(handle as CUcontext));
                for round in 0..50 {
                    let stream = stream(thread % 2);
                    let event = event(2);
                    let data: Vec<u32> = (0..257).map(|i| i * thread + round).collect();
                    let (from, to) = (upload(&data), alloc(257 * 4));
                    let scratch = out!(cuMemAllocAsync(_, 4096, stream));
                    ok!(cuMemcpyDtoDAsync_v2(scratch, from, 257 * 4, stream));
                    ok!(cuMemcpyDtoDAsync_v2(to, scratch, 257 * 4, stream));
                    ok!(cuMemFreeAsync(scratch, stream));
                    ok!(cuEventRecord(event, stream));
                    ok!(cuEventSynchronize(event));
                    assert_eq!(download::<u32>(to, 257), data);
                    ok!(cuMemFree_v2(from));
                    ok!(cuMemFree_v2(to));
                    ok!(cuEventDestroy_v2(event));
                    ok!(cuStreamDestroy_v2(stream));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn use_outside_the_allocating_streams_order_faults() {
    in_own_process(|| {
        let _context = Own::new();
        let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
        let gate = block(first);
        let mut address = out!(cuMemAllocAsync(_, 64, first));
        let event = event(2);
        ok!(cuEventRecord(event, first));
        ok!(cuStreamWaitEvent(second, event, 0));
        ok!(cuMemsetD8Async(address, 1, 64, second));
        gate.open();
        ok!(cuStreamSynchronize(second));
        // Memory that is freed in one stream's order, and used on another stream that does not
        // wait, faults.
        let gate = block(second);
        ok!(cuMemsetD8Async(address, 2, 64, second));
        ok!(cuMemFreeAsync(address, first));
        ok!(cuStreamSynchronize(first));
        gate.open();
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(second));
        fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
        fails!(ILLEGAL_ADDRESS, cuMemAlloc_v2(&mut address, 64));
        fails!(ILLEGAL_ADDRESS, cuStreamDestroy_v2(first));
    });
}

#[test]
#[cfg(unix)] // Windows has no limit of the address space
fn streams_work_without_worker_threads() {
    if !inner() {
        return with_variables(&[], || ());
    }
    static DONE: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn done(_: *mut c_void) {
        DONE.fetch_add(1, Ordering::SeqCst);
    }
    let _primary = Primary::new();
    let (one, other) = (stream(1), stream(1));
    let (memory, event) = (upload(&[0u32; 64]), event(0));
    no_more_threads();
    ok!(cuMemsetD32Async(memory, 7, 64, one));
    ok!(cuLaunchHostFunc(one, Some(done), null_mut()));
    ok!(cuEventRecord(event, one));
    ok!(cuStreamWaitEvent(other, event, 0));
    ok!(cuLaunchHostFunc(other, Some(done), null_mut()));
    // It is done by now, because no other thread could do it.
    assert_eq!(DONE.load(Ordering::SeqCst), 2);
    ok!(cuStreamQuery(one));
    ok!(cuStreamQuery(other));
    assert_eq!(download::<u32>(memory, 64), [7; 64]);
    ok!(cuStreamDestroy_v2(one));
    ok!(cuStreamDestroy_v2(other));
}
