//! Many host threads, contexts and streams at once. Every thread checks its own results.
//!
//! `scripts/tsan.sh` runs this under ThreadSanitizer. `EMULATOR_TEST_ROUNDS` sets the number of
//! rounds.

use cuda_emulator_checks::abi::*;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

const PTX: &str = include_str!("../../kernels/threads.ptx");
const THREADS: u32 = 8;
const BLOCK: u32 = 128;
const NON_BLOCKING: u32 = 1;
const NO_TIMING: u32 = 2;

fn rounds() -> u32 {
    match std::env::var("EMULATOR_TEST_ROUNDS") {
        Ok(rounds) => rounds.parse().expect("a number of rounds"),
        Err(_) => 6,
    }
}

/// Runs `work` on several threads, which start together.
fn together(threads: u32, work: impl Fn(u32) + Sync) {
    let start = Barrier::new(threads as usize);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                start.wait();
                work(thread);
            });
        }
    });
}

/// Calls a function and returns its code, so that a test can inspect it.
macro_rules! code {
    ($function:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: as for `ok!`: arguments that the documentation allows, or that must be rejected.
        unsafe { $function($($arg),*) }
    };
}

unsafe extern "C" fn count(counter: *mut c_void) {
    // SAFETY: The tests pass an `AtomicU32` that outlives the stream's work.
    let counter = unsafe { &*counter.cast::<AtomicU32>() };
    counter.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn note(_: CUstream, status: CUresult, counter: *mut c_void) {
    assert_eq!(status, SUCCESS);
    // SAFETY: as for `count`.
    unsafe { count(counter) };
}

/// Uses a context as a program does, from module load to unload: two streams that wait for each
/// other through events, stream-ordered memory, copies, launches and host functions. Checks every
/// result.
fn session(seed: u32) {
    let (first, second) = (stream(seed % 2), stream(NON_BLOCKING));
    let (half, done) = (event(NO_TIMING), event(seed % 2 * NO_TIMING));
    let module = load(PTX);
    let tally = function(module, "tally");
    let data: Vec<u32> = (0..700 + seed * 13).map(|i| i ^ seed).collect();
    let (bytes, n) = (size_of_val(&data[..]), data.len() as u32);
    let grid = n.div_ceil(BLOCK);
    let (mut input, mut output, mut result) = (0, 0, null_mut());
    ok!(cuMemAllocHost_v2(&mut result, 4));
    ok!(cuMemAllocAsync(&mut input, bytes, first));
    ok!(cuMemAllocAsync(&mut output, 4, first));
    ok!(cuMemcpyHtoDAsync_v2(
        input,
        data.as_ptr().cast(),
        bytes,
        first
    ));
    ok!(cuMemsetD32Async(output, seed, 1, first));
    let mut arguments = [arg(&output), arg(&input), arg(&n)];
    for stream in [first, second] {
        let code = launch(tally, grid, BLOCK, stream, &mut arguments);
        assert_eq!(code, SUCCESS);
        if stream == first {
            ok!(cuEventRecord(half, first));
            ok!(cuStreamWaitEvent(second, half, 0));
        }
    }
    let calls = AtomicU32::new(0);
    ok!(cuLaunchHostFunc(second, Some(count), arg(&calls)));
    ok!(cuMemcpyDtoHAsync_v2(result, output, 4, second));
    ok!(cuStreamAddCallback(second, Some(note), arg(&calls), 0));
    ok!(cuEventRecord(done, second));
    ok!(cuStreamWaitEvent(first, done, 0));
    ok!(cuMemFreeAsync(output, first));
    match seed % 4 {
        0 => ok!(cuEventSynchronize(done)),
        1 => ok!(cuStreamSynchronize(second)),
        2 => ok!(cuCtxSynchronize()),
        _ => loop {
            match code!(cuEventQuery(done)) {
                NOT_READY => std::thread::yield_now(),
                code => break assert_eq!(code, SUCCESS),
            }
        },
    }
    let sum = data.iter().fold(0u32, |sum, &x| sum.wrapping_add(x));
    // SAFETY: The page-locked memory has four bytes, and the copy into it is done.
    let result_value = unsafe { result.cast::<u32>().read() };
    assert_eq!(
        result_value,
        sum.wrapping_mul(2).wrapping_add(seed),
        "{seed}"
    );
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    let (mut blocks, mut size) = (0, 0);
    ok!(cuModuleGetGlobal_v2(
        &mut blocks,
        &mut size,
        module,
        c"blocks".as_ptr()
    ));
    assert_eq!(download::<u32>(blocks, 1), [2 * grid]);
    // The second copy of the input is independent.
    let mirror = alloc(bytes);
    ok!(cuMemcpyDtoDAsync_v2(mirror, input, bytes, first));
    ok!(cuMemFreeAsync(input, first));
    ok!(cuStreamSynchronize(first));
    assert_eq!(download::<u32>(mirror, data.len()), data);
    ok!(cuMemFree_v2(mirror));
    ok!(cuMemFreeHost(result));
    ok!(cuModuleUnload(module));
    for event in [half, done] {
        ok!(cuEventDestroy_v2(event));
    }
    for stream in [first, second] {
        ok!(cuStreamDestroy_v2(stream));
    }
}

#[test]
fn threads_share_a_context() {
    let context = Own::new();
    let handle = context.0 as usize;
    together(THREADS, |thread| {
        ok!(cuCtxSetCurrent(handle as CUcontext));
        (0..rounds()).for_each(|round| session(thread * 100 + round));
    });
}

#[test]
fn contexts_are_created_and_destroyed_concurrently() {
    together(THREADS, |thread| {
        for round in 0..rounds() {
            let _context = Own::new();
            session(thread * 100 + round);
            let stream = stream(NON_BLOCKING);
            // The context is destroyed while work is running and objects exist in it.
            let address = alloc(1 << 16);
            for value in 0..20 {
                ok!(cuMemsetD32Async(address, value, 1 << 14, stream));
            }
        }
    });
}

#[test]
fn several_contexts_fault_at_once() {
    each(0..rounds(), |round| {
        let ready = Barrier::new(THREADS as usize);
        together(THREADS, |thread| {
            let _context = Own::new();
            session(thread * 100 + round);
            let stream = stream(NON_BLOCKING);
            let wild = function(load(PTX), "wild");
            let address = alloc(1 << 16);
            // From here on, calls fail as soon as the first context has faulted.
            ready.wait();
            if thread % 2 == 0 {
                launch(wild, 1, 1, stream, &mut []);
            } else {
                code!(cuMemsetD32Async(address, 1, 1 << 14, stream));
            }
            let begin = Instant::now();
            while code!(cuCtxSynchronize()) == SUCCESS {
                assert!(begin.elapsed() < Duration::from_secs(60), "no fault");
            }
            fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
            fails!(ILLEGAL_ADDRESS, cuMemAlloc_v2(&mut 0, 4));
        });
    });
}

#[test]
fn the_primary_context_is_retained_and_released_concurrently() {
    together(THREADS, |thread| {
        for round in 0..rounds() {
            let _primary = Primary::new();
            session(thread * 100 + round);
        }
    });
}

#[test]
fn threads_share_streams_events_and_a_result() {
    let context = Own::new();
    let handle = context.0 as usize;
    let streams = [stream(0), stream(NON_BLOCKING), stream(0), null_mut()].map(|s| s as usize);
    let event = event(NO_TIMING) as usize;
    let module = load(PTX);
    let tally = function(module, "tally") as usize;
    let data: Vec<u32> = (0..1000).collect();
    let (input, output) = (upload(&data), upload(&[0u32]));
    let n = data.len() as u32;
    let calls = AtomicU32::new(0);
    together(THREADS, |thread| {
        ok!(cuCtxSetCurrent(handle as CUcontext));
        for round in 0..rounds() * 4 {
            let here = streams[(thread + round) as usize % 4] as CUstream;
            let there = streams[(thread * 3 + round) as usize % 4] as CUstream;
            let mut arguments = [arg(&output), arg(&input), arg(&n)];
            let code = launch(
                tally as CUfunction,
                n.div_ceil(BLOCK),
                BLOCK,
                here,
                &mut arguments,
            );
            assert_eq!(code, SUCCESS);
            // All threads record the same event, on any stream.
            ok!(cuEventRecord(event as CUevent, here));
            ok!(cuStreamWaitEvent(there, event as CUevent, 0));
            ok!(cuLaunchHostFunc(there, Some(count), arg(&calls)));
            if round % 5 == thread % 5 {
                ok!(cuEventSynchronize(event as CUevent));
            }
        }
    });
    ok!(cuCtxSynchronize());
    let launches = THREADS * rounds() * 4;
    assert_eq!(calls.load(Ordering::Relaxed), launches);
    let sum: u32 = data.iter().sum();
    assert_eq!(download::<u32>(output, 1), [sum.wrapping_mul(launches)]);
}

#[test]
fn only_one_thread_destroys_a_handle() {
    for _ in 0..rounds() {
        let context = Own::new();
        let (stream, event) = (stream(0) as usize, event(0) as usize);
        let (module, address) = (load(PTX) as usize, alloc(1 << 20));
        let mut doomed = out!(cuCtxCreate_v2(_, 0, 0));
        ok!(cuCtxPopCurrent_v2(&mut doomed));
        let (handle, doomed) = (context.0 as usize, doomed as usize);
        let codes = Mutex::new(BTreeMap::new());
        together(THREADS, |_| {
            ok!(cuCtxSetCurrent(handle as CUcontext));
            let mine = [
                ("stream", code!(cuStreamDestroy_v2(stream as CUstream))),
                ("event", code!(cuEventDestroy_v2(event as CUevent))),
                ("module", code!(cuModuleUnload(module as CUmodule))),
                ("memory", code!(cuMemFree_v2(address))),
                ("context", code!(cuCtxDestroy_v2(doomed as CUcontext))),
            ];
            for key in mine.map(|(what, code)| (what, code.0)) {
                *codes.lock().unwrap().entry(key).or_insert(0) += 1;
            }
        });
        let rejected = [
            ("stream", INVALID_HANDLE),
            ("event", INVALID_HANDLE),
            ("module", INVALID_HANDLE),
            ("memory", INVALID),
            ("context", INVALID_CONTEXT),
        ];
        let expected: BTreeMap<_, _> = rejected
            .iter()
            .flat_map(|&(what, code)| [((what, code.0), THREADS - 1), ((what, 0), 1)])
            .collect();
        assert_eq!(codes.into_inner().unwrap(), expected);
    }
}

/// An incorrect program must get error codes and nothing worse: a context is destroyed while other
/// threads use it.
#[test]
fn a_context_in_use_can_be_destroyed() {
    for round in 0..rounds() {
        ok!(cuInit(0));
        let mut context = out!(cuCtxCreate_v2(_, 0, 0));
        ok!(cuCtxPopCurrent_v2(&mut context));
        let context = context as usize;
        together(4, |thread| {
            if thread == 0 {
                std::thread::sleep(Duration::from_micros(u64::from(round) * 200));
                ok!(cuCtxDestroy_v2(context as CUcontext));
                return;
            }
            let end = Instant::now() + Duration::from_secs(20);
            let mut result = match code!(cuCtxSetCurrent(context as CUcontext)) {
                SUCCESS => Ok(()),
                code => Err(code),
            };
            while result.is_ok() {
                assert!(Instant::now() < end, "the context was never destroyed");
                result = lifetime();
            }
            let expected = [
                CONTEXT_IS_DESTROYED,
                INVALID_CONTEXT,
                // Objects of the context were destroyed with it.
                INVALID_HANDLE,
                INVALID,
            ];
            let code = result.unwrap_err();
            assert!(expected.contains(&code), "{code:?}");
            ok!(cuCtxSetCurrent(null_mut()));
        });
    }
}

/// Creates, uses and destroys a stream and related objects, up to the first error.
fn lifetime() -> Result<(), CUresult> {
    let (mut stream, mut event, mut address) = (null_mut(), null_mut(), 0);
    let mut word = 5u32;
    let word = std::ptr::from_mut(&mut word).cast();
    let done = |code| match code {
        SUCCESS => Ok(()),
        code => Err(code),
    };
    done(code!(cuStreamCreate(&mut stream, 0)))?;
    done(code!(cuEventCreate(&mut event, NO_TIMING)))?;
    done(code!(cuMemAlloc_v2(&mut address, 4096)))?;
    done(code!(cuMemsetD32Async(address, 5, 1024, stream)))?;
    done(code!(cuEventRecord(event, stream)))?;
    done(code!(cuMemcpyDtoH_v2(word, address, 4)))?;
    done(code!(cuMemFree_v2(address)))?;
    done(code!(cuStreamDestroy_v2(stream)))?;
    done(code!(cuEventDestroy_v2(event)))
}

/// Data that two host functions write without synchronization.
#[derive(Default)]
struct Careless {
    here: AtomicU32,
    value: u32,
}

unsafe extern "C" fn count_carelessly(data: *mut c_void) {
    let data: *mut Careless = data.cast();
    // SAFETY: The data outlives the streams' work. The unsynchronized writes to `value` are
    // intended: the test is about them.
    unsafe {
        // Both functions start before either writes. The relaxed operations do not order the
        // writes.
        (*data).here.fetch_add(1, Ordering::Relaxed);
        while (*data).here.load(Ordering::Relaxed) < 2 {
            std::hint::spin_loop();
        }
        // Repeats the write, because two accesses at the same moment can escape ThreadSanitizer.
        for _ in 0..1000 {
            (*data).value += 1;
        }
    }
}

/// Two unordered streams write to the same memory.
#[test]
#[ignore = "undefined behaviour on purpose: shows scripts/tsan.sh that races are found"]
fn deliberate_race() {
    let _context = Own::new();
    let mut careless = Careless::default();
    let data: *mut c_void = std::ptr::from_mut(&mut careless).cast();
    let streams = [stream(NON_BLOCKING), stream(NON_BLOCKING)];
    for stream in streams {
        ok!(cuLaunchHostFunc(stream, Some(count_carelessly), data));
    }
    for stream in streams {
        ok!(cuStreamSynchronize(stream));
    }
}

/// Returns the number of threads of this process that execute stream work.
#[cfg(unix)]
fn workers() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|name| name.trim() == "cuda-stream")
        .count()
}

#[test]
#[cfg(unix)] // threads are counted in Linux's files
fn per_thread_streams_end_with_their_thread() {
    // The test counts threads, so threads of other tests must not exist.
    if !inner() {
        return with_variables(&[], || ());
    }
    let contexts = [Own::new(), Own::new()];
    let handles = [contexts[0].0 as usize, contexts[1].0 as usize];
    let calls = AtomicU32::new(0);
    for _ in 0..4 {
        together(THREADS, |thread| {
            // One stream in each context.
            for handle in handles {
                ok!(cuCtxSetCurrent(handle as CUcontext));
                let own = 2 as CUstream;
                ok!(cuLaunchHostFunc(own, Some(count), arg(&calls)));
                // Half of the threads exit before the work is done. It is done nevertheless.
                if thread % 2 == 0 {
                    ok!(cuStreamSynchronize(own));
                }
            }
        });
    }
    for handle in handles {
        ok!(cuCtxSetCurrent(handle as CUcontext));
        ok!(cuCtxSynchronize());
    }
    assert_eq!(calls.load(Ordering::Relaxed), 4 * 2 * THREADS);
    let end = Instant::now() + Duration::from_secs(10);
    while workers() > 0 {
        assert!(Instant::now() < end, "{} threads are left", workers());
        std::thread::sleep(Duration::from_millis(1));
    }
}
