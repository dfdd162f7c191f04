//! Held streams: `CUDA_EMULATOR_HOLD`. Work begins only when a call needs it.
//!
//! Each test runs this binary again with the variable set to an hour, so that no work begins
//! because of the time.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const NON_BLOCKING: u32 = 1;
const HOUR: [(&str, &str); 1] = [("CUDA_EMULATOR_HOLD", "3600000")];

/// Runs the test again with the variables, and `inside` in that run.
fn with(variables: &[(&str, &str)], inside: impl FnOnce()) {
    if inner() {
        return inside();
    }
    let start = Instant::now();
    let (code, output, text) = rerun(variables);
    assert_eq!(code, Some(0), "{output}{text}");
    assert!(!text.contains("[cuda-emulator]"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// Page-locked memory that work writes and the host reads.
struct Word(*mut AtomicU32);

impl Word {
    fn new() -> Word {
        let place = out!(cuMemAllocHost_v2(_, 4));
        let word = Word(place.cast());
        word.cell().store(0, Ordering::SeqCst);
        word
    }

    fn cell(&self) -> &AtomicU32 {
        // SAFETY: The four bytes live until the context ends. The host accesses them only by atomic
        // operations.
        unsafe { &*self.0 }
    }

    /// Enqueues a write of the word on a stream.
    fn set(&self, value: u32, stream: CUstream) {
        ok!(cuMemsetD32Async(self.0 as CUdeviceptr, value, 1, stream));
    }

    /// Returns the word's value after a while: long enough for a worker that is not held.
    fn later(&self) -> u32 {
        std::thread::sleep(Duration::from_millis(30));
        self.now()
    }

    fn now(&self) -> u32 {
        self.cell().load(Ordering::SeqCst)
    }
}

/// A wait that ends when the preceding work is done: its name and its function.
type Wait = (&'static str, fn(CUstream));

#[test]
fn work_begins_only_when_waited_for() {
    with(&HOUR, || {
        let waits: [Wait; 9] = [
            ("cuStreamSynchronize", |stream| {
                ok!(cuStreamSynchronize(stream))
            }),
            ("cuCtxSynchronize", |_| ok!(cuCtxSynchronize())),
            ("cuEventSynchronize", |stream| {
                let event = event(0);
                ok!(cuEventRecord(event, stream));
                ok!(cuEventSynchronize(event));
            }),
            ("a synchronous copy", |stream| {
                let event = event(0);
                ok!(cuEventRecord(event, stream));
                ok!(cuStreamWaitEvent(null_mut(), event, 0));
                let from = alloc(4);
                download::<u32>(from, 1);
            }),
            ("another stream", |first| {
                let second = stream(NON_BLOCKING);
                let event = event(0);
                ok!(cuEventRecord(event, first));
                ok!(cuStreamWaitEvent(second, event, 0));
                ok!(cuStreamSynchronize(second));
            }),
            ("cuMemFree", |_| {
                let address = alloc(4);
                ok!(cuMemFree_v2(address));
            }),
            ("cuMemFreeHost", |_| {
                let place = out!(cuMemAllocHost_v2(_, 4));
                ok!(cuMemFreeHost(place));
            }),
            ("cuMemHostUnregister", |_| {
                let place: *mut c_void = Box::leak(Box::new([0u64; 64])).as_mut_ptr().cast();
                ok!(cuMemHostRegister_v2(place, 512, 0));
                ok!(cuMemHostUnregister(place));
            }),
            ("cuModuleUnload", |_| {
                let module =
                    load(".version 7.0\n.target sm_50\n.address_size 64\n.entry k() { ret; }");
                ok!(cuModuleUnload(module));
            }),
        ];
        for (name, wait) in waits {
            let _context = Own::new();
            let stream = stream(NON_BLOCKING);
            let word = Word::new();
            word.set(7, stream);
            assert_eq!(word.later(), 0, "{name}");
            wait(stream);
            assert_eq!(word.now(), 7, "{name}");
        }
    });
}

#[test]
fn destroying_a_context_runs_held_work() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn count(_: *mut c_void) {
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    with(&HOUR, || {
        let created = Own::new();
        ok!(cuLaunchHostFunc(null_mut(), Some(count), null_mut()));
        // The stream is destroyed only after its work is done.
        let doomed = stream(NON_BLOCKING);
        ok!(cuLaunchHostFunc(doomed, Some(count), null_mut()));
        ok!(cuStreamDestroy_v2(doomed));
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(CALLS.load(Ordering::SeqCst), 0);
        drop(created);
        assert_eq!(CALLS.load(Ordering::SeqCst), 2);
        let primary = Primary::new();
        ok!(cuLaunchHostFunc(
            stream(NON_BLOCKING),
            Some(count),
            null_mut()
        ));
        drop(primary);
        assert_eq!(CALLS.load(Ordering::SeqCst), 3);
    });
}

#[test]
fn queries_are_accurate_and_start_work() {
    with(&HOUR, || {
        let _context = Own::new();
        let queries: [fn(CUstream, CUevent) -> CUresult; 3] = [
            |stream, _| call!(cuStreamQuery(stream)),
            |_, event| call!(cuEventQuery(event)),
            |_, event| {
                let mut milliseconds = 0.0;
                call!(cuEventElapsedTime_v2(&mut milliseconds, event, event))
            },
        ];
        for query in queries {
            let (stream, event, word) = (stream(NON_BLOCKING), event(0), Word::new());
            word.set(7, stream);
            // A record is held as well, although it takes no time.
            ok!(cuEventRecord(event, stream));
            assert_eq!(word.later(), 0);
            assert_eq!(query(stream, event), NOT_READY);
            let end = Instant::now() + Duration::from_secs(20);
            while query(stream, event) != SUCCESS {
                assert!(Instant::now() < end, "the loop does not end");
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(word.now(), 7);
        }
        // The query of the default stream covers all blocking streams.
        let (blocking, word) = (stream(0), Word::new());
        word.set(7, blocking);
        fails!(NOT_READY, cuStreamQuery(null_mut()));
        assert_eq!(word.later(), 7);
        ok!(cuStreamQuery(null_mut()));
    });
}

#[test]
fn only_required_work_begins() {
    with(&HOUR, || {
        let _context = Own::new();
        let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
        let (before, behind, beside) = (Word::new(), Word::new(), Word::new());
        let event = event(0);
        before.set(1, first);
        ok!(cuEventRecord(event, first));
        behind.set(2, first);
        beside.set(3, second);
        ok!(cuEventSynchronize(event));
        assert_eq!((before.now(), behind.later(), beside.now()), (1, 0, 0));
        // Work that is enqueued between two waits is held again.
        before.set(4, first);
        assert_eq!((before.later(), behind.now()), (1, 0));
        ok!(cuStreamSynchronize(first));
        assert_eq!((before.now(), behind.now(), beside.now()), (4, 2, 0));
        ok!(cuStreamSynchronize(second));
        assert_eq!(beside.now(), 3);
    });
}

#[test]
fn default_stream_waits_start_blocking_streams() {
    with(&HOUR, || {
        let _context = Own::new();
        let (blocking, free) = (stream(0), stream(NON_BLOCKING));
        let words = [Word::new(), Word::new(), Word::new()];
        words[0].set(1, blocking);
        words[1].set(2, free);
        words[2].set(3, null_mut());
        ok!(cuStreamSynchronize(null_mut()));
        assert_eq!(words.map(|word| word.now()), [1, 0, 3]);
    });
}

#[test]
fn stream_ordered_copies_and_memory_are_held() {
    with(&HOUR, || {
        let _context = Own::new();
        let stream = stream(NON_BLOCKING);
        let address = out!(cuMemAllocAsync(_, 1 << 20, stream));
        // Pageable memory, small and large, is read when the copy runs, not when it is enqueued.
        for size in [4, 1 << 20] {
            let mut host = vec![1u8; size];
            let mut back = vec![0u8; size];
            let start: *mut c_void = host.as_mut_ptr().cast();
            let end: *mut c_void = back.as_mut_ptr().cast();
            ok!(cuMemcpyHtoDAsync_v2(address, start, size, stream));
            ok!(cuMemcpyDtoHAsync_v2(end, address, size, stream));
            std::thread::sleep(Duration::from_millis(30));
            assert_eq!(back, vec![0; size]);
            host.fill(2);
            ok!(cuStreamSynchronize(stream));
            assert_eq!(back, vec![2; size]);
        }
        // Copies from host to host are never asynchronous.
        let (from, mut to) = ([1u8; 16], [0u8; 16]);
        ok!(cuMemcpyAsync(
            to.as_mut_ptr() as u64,
            from.as_ptr() as u64,
            16,
            stream
        ));
        assert_eq!(to, from);
        // The address is not freed before the stream reaches the free.
        ok!(cuMemFreeAsync(address, stream));
        let (mut base, mut size) = (0, 0);
        ok!(cuMemGetAddressRange_v2(&mut base, &mut size, address));
        ok!(cuStreamSynchronize(stream));
        fails!(
            NOT_FOUND,
            cuMemGetAddressRange_v2(&mut base, &mut size, address)
        );
    });
}

#[test]
fn work_begins_after_the_hold_time() {
    let variables = [("CUDA_EMULATOR_HOLD", "150")];
    with(&variables, || {
        let _context = Own::new();
        let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
        let (word, event, start) = (Word::new(), event(0), Instant::now());
        word.set(7, first);
        ok!(cuEventRecord(event, first));
        ok!(cuStreamWaitEvent(second, event, 0));
        let other = Word::new();
        other.set(8, second);
        while other.now() == 0 {
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(
            start.elapsed() >= Duration::from_millis(150),
            "{:?}",
            start.elapsed()
        );
        assert_eq!((word.now(), other.now()), (7, 8));
    });
}

#[test]
fn work_after_the_awaited_work_begins_in_time() {
    let variables = [("CUDA_EMULATOR_HOLD", "20")];
    with(&variables, || {
        let _context = Own::new();
        let (stream, event) = (stream(NON_BLOCKING), event(0));
        for round in 1..30 {
            let (first, second) = (Word::new(), Word::new());
            first.set(round, stream);
            ok!(cuEventRecord(event, stream));
            second.set(round, stream);
            // The waiting thread may do the first part itself. No thread waits for the second.
            ok!(cuEventSynchronize(event));
            assert_eq!(first.now(), round);
            let end = Instant::now() + Duration::from_secs(20);
            while second.now() != round {
                assert!(Instant::now() < end, "the work never ran");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    });
}

#[test]
#[cfg(unix)] // Windows has no limit of the address space
fn work_is_not_held_without_a_worker_thread() {
    with(&HOUR, || {
        let _primary = Primary::new();
        let (stream, word) = (stream(NON_BLOCKING), Word::new());
        no_more_threads();
        // No thread could start it later.
        word.set(7, stream);
        assert_eq!(word.now(), 7);
    });
}

#[test]
fn work_is_not_held_by_default() {
    with(&[], || {
        let _context = Own::new();
        let (word, event) = (Word::new(), event(0));
        let stream = stream(NON_BLOCKING);
        ok!(cuEventRecord(event, stream));
        // Done at once, because no work precedes it.
        ok!(cuEventQuery(event));
        word.set(7, stream);
        let end = Instant::now() + Duration::from_secs(20);
        while word.now() != 7 {
            assert!(Instant::now() < end, "the work never ran");
        }
    });
}
