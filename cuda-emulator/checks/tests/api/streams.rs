//! The functions of streams, argument by argument, and the threads of a stream.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

unsafe extern "C" {
    // Declared by headers before CUDA 4.
    fn cuStreamDestroy(stream: CUstream) -> CUresult;
}

const HOUR: [(&str, &str); 1] = [("CUDA_EMULATOR_HOLD", "3600000")];
const LEGACY: CUstream = 1 as CUstream;
const PER_THREAD: CUstream = 2 as CUstream;

unsafe extern "C" fn nothing_at_all(_: *mut c_void) {}
unsafe extern "C" fn no_callback(_: CUstream, _: CUresult, _: *mut c_void) {}
unsafe extern "C" fn nap(_: *mut c_void) {
    std::thread::sleep(Duration::from_millis(40));
}

#[test]
fn unknown_stream_flags_are_rejected() {
    let mut made = null_mut();
    ok!(cuInit(0));
    no_context!(cuStreamCreate(&mut made, 0));
    let _context = Own::new();
    for flags in [2, 3, 4, 8, 0x8000_0000, u32::MAX] {
        invalid!(cuStreamCreate(&mut made, flags));
        invalid!(cuStreamCreateWithPriority(&mut made, flags, 0));
    }
    assert!(made.is_null(), "a failed call writes nothing");
    invalid!(cuStreamCreate(null_mut(), 0));
    invalid!(cuStreamCreateWithPriority(null_mut(), 0, 0));
    let mut seen = Vec::new();
    for flags in [0, 1] {
        ok!(cuStreamCreate(&mut made, flags));
        assert!(!made.is_null() && !seen.contains(&made));
        seen.push(made);
        assert_eq!(out!(cuStreamGetFlags(made, _)), flags);
        assert_eq!(out!(cuStreamGetPriority(made, _)), 0);
    }
}

#[test]
fn getters_describe_their_stream() {
    let context = Own::new();
    let made = stream(1);
    let mut ids = Vec::new();
    for (one, flags) in [(null_mut(), 0), (PER_THREAD, 0), (made, 1)] {
        assert_eq!(out!(cuStreamGetFlags(one, _)), flags);
        assert_eq!(out!(cuStreamGetPriority(one, _)), 0);
        assert_eq!(out!(cuStreamGetDevice(one, _)), 0);
        assert_eq!(out!(cuStreamGetCtx(one, _)), context.0);
        let mut green = 8 as CUgreenCtx;
        let again = out!(cuStreamGetCtx_v2(one, _, &mut green));
        assert_eq!((again, green), (context.0, null_mut()));
        ids.push(out!(cuStreamGetId(one, _)));
        // Either context may be omitted.
        assert_eq!(out!(cuStreamGetCtx_v2(one, _, null_mut())), context.0);
        assert!(out!(cuStreamGetCtx_v2(one, null_mut(), _)).is_null());
    }
    assert_eq!(
        out!(cuStreamGetId(LEGACY, _)),
        ids[0],
        "two names of one stream"
    );
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    invalid!(cuStreamGetFlags(made, null_mut()));
    invalid!(cuStreamGetPriority(made, null_mut()));
    invalid!(cuStreamGetDevice(made, null_mut()));
    invalid!(cuStreamGetId(made, null_mut()));
    invalid!(cuStreamGetCtx(made, null_mut()));
    invalid!(cuStreamIsCapturing(made, null_mut()));
}

/// Calls every stream function, with arguments that are valid except for the stream.
fn all_on(one: CUstream) -> Vec<(&'static str, CUresult)> {
    let (mut flags, mut priority, mut device, mut id, mut owner) = (0, 0, 0, 0, null_mut());
    let mut value: CUstreamAttrValue = filled(0);
    let mut capturing = CUstreamCaptureStatus(0);
    let (event, address) = (event(0), alloc(16));
    macro_rules! calls {
        ($($name:ident($($arg:expr),*);)*) => {
            // SAFETY: All handles are live and pointers valid, except for the stream, which the
            // driver must check.
            unsafe { vec![$((stringify!($name), $name($($arg),*))),*] }
        };
    }
    calls! {
        cuStreamGetFlags(one, &mut flags);
        cuStreamGetPriority(one, &mut priority);
        cuStreamGetDevice(one, &mut device);
        cuStreamGetId(one, &mut id);
        cuStreamGetCtx(one, &mut owner);
        cuStreamGetCtx_v2(one, &mut owner, null_mut());
        cuStreamIsCapturing(one, &mut capturing);
        cuStreamGetAttribute(one, CUstreamAttrID(8), &mut value);
        cuStreamSetAttribute(one, CUstreamAttrID(8), &value);
        cuStreamCopyAttributes(one, null_mut());
        cuStreamCopyAttributes(null_mut(), one);
        cuStreamWaitEvent(one, event, 0);
        cuStreamAddCallback(one, Some(no_callback), null_mut(), 0);
        cuLaunchHostFunc(one, Some(nothing_at_all), null_mut());
        cuStreamWaitValue32_v2(one, address, 0, 0);
        cuStreamWaitValue64_v2(one, address, 0, 0);
        cuStreamWriteValue32_v2(one, address, 0, 0);
        cuStreamWriteValue64_v2(one, address, 0, 0);
        cuEventRecord(event, one);
        cuEventRecordWithFlags(event, one, 0);
        cuMemsetD32Async(address, 0, 1, one);
        cuStreamQuery(one);
        cuStreamSynchronize(one);
        cuStreamDestroy(one);
        cuStreamDestroy_v2(one);
    }
}

#[test]
fn invalid_streams_are_rejected_by_every_function() {
    let _context = Own::new();
    let (stale, other) = (stream(0), stream(0));
    let alive = all_on(other);
    for (at, (name, code)) in alive.iter().enumerate() {
        let expected = match *name {
            // A query may find work, and the other destroy function runs second.
            "cuStreamQuery" => continue,
            "cuStreamDestroy_v2" => INVALID_HANDLE,
            _ => SUCCESS,
        };
        assert_eq!(*code, expected, "{at}: {name}");
    }
    ok!(cuStreamDestroy_v2(stale));
    let another_kind = event(0) as CUstream;
    let wild = WILD.map(|one| one as CUstream).into_iter();
    for wild in wild.chain([stale, other, another_kind]) {
        for (name, code) in all_on(wild) {
            assert_eq!(code, INVALID_HANDLE, "{name} of {wild:?}");
        }
    }
    // The default streams cannot be destroyed.
    for default in [null_mut(), LEGACY, PER_THREAD] {
        stale!(cuStreamDestroy(default));
        stale!(cuStreamDestroy_v2(default));
    }
}

#[test]
fn destroying_a_context_destroys_only_its_streams() {
    let _first = Own::new();
    let kept = stream(0);
    let second = Own::new();
    let destroyed_streams = [stream(0), stream(1)];
    drop(second);
    for one in destroyed_streams {
        stale!(cuStreamQuery(one));
        stale!(cuStreamDestroy_v2(one));
    }
    ok!(cuStreamQuery(kept));
    ok!(cuStreamDestroy_v2(kept));
}

#[test]
fn flags_and_functions_of_callbacks_and_waits() {
    let _context = Own::new();
    let (one, event) = (stream(1), event(0));
    for flags in [1, 2, u32::MAX] {
        let (callback, no) = (Some(no_callback as _), null_mut());
        invalid!(cuStreamAddCallback(one, callback, no, flags));
    }
    // CU_EVENT_WAIT_EXTERNAL is only allowed during a capture.
    fails!(ILLEGAL_STATE, cuStreamWaitEvent(one, event, 1));
    for flags in [2, 3, 4, 0x8000_0000] {
        invalid!(cuStreamWaitEvent(one, event, flags));
    }
    for wild in WILD {
        stale!(cuStreamWaitEvent(one, wild as CUevent, 0));
    }
    invalid!(cuLaunchHostFunc(one, None, null_mut()));
    invalid!(cuStreamAddCallback(one, None, null_mut(), 0));
    ok!(cuStreamQuery(one));
}

/// Runs the test again, first with and then without threads that begin work at once.
fn in_both_modes() {
    for variables in [&[][..], &HOUR] {
        let (code, _, text) = rerun(variables);
        assert_eq!(code, Some(0), "{text}");
    }
}

/// Returns the number of threads of the process that execute stream work.
#[cfg(unix)]
fn workers() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "cuda-stream").count()
}

#[cfg(unix)]
fn until(condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(8);
    while !condition() {
        assert!(Instant::now() < end, "{} threads", workers());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
#[cfg(unix)] // threads are counted in Linux's files
fn the_threads_of_streams_end_with_them() {
    if !inner() {
        return in_both_modes();
    }
    let _context = Own::new();
    let address = alloc(4);
    let streams: Vec<_> = (0..10).map(|n| stream(n % 2)).collect();
    for one in &streams {
        ok!(cuMemsetD32Async(address, 1, 1, *one));
        ok!(cuLaunchHostFunc(*one, Some(nap), null_mut()));
    }
    // A thread sets its name once it runs.
    until(|| workers() == 10);
    // Five streams have unfinished work, which must be done, and five have none.
    for one in &streams[5..] {
        ok!(cuStreamSynchronize(*one));
    }
    for one in &streams {
        ok!(cuStreamDestroy_v2(*one));
    }
    ok!(cuCtxSynchronize());
    until(|| workers() == 0);
}

#[test]
fn host_functions_have_a_large_stack() {
    unsafe extern "C" fn deep(sum: *mut c_void) {
        let mut large = [1u8; 4 << 20];
        std::hint::black_box(&mut large);
        let count: u32 = large.iter().map(|byte| u32::from(*byte)).sum();
        // SAFETY: The test passes a counter that outlives the stream's work.
        unsafe { &*sum.cast::<AtomicU32>() }.store(count, Ordering::SeqCst);
    }
    let _context = Own::new();
    let sum = AtomicU32::new(0);
    ok!(cuLaunchHostFunc(stream(1), Some(deep), arg(&sum)));
    ok!(cuCtxSynchronize());
    assert_eq!(sum.load(Ordering::SeqCst), 4 << 20);
}

/// Enqueues long work and a copy of its last word, and checks the copy. Pauses between the calls
/// and the wait.
fn last_word_of_a_long_fill(pause: Option<Duration>) {
    const BYTES: usize = 24 << 20;
    let _context = Own::new();
    let (address, out) = (alloc(BYTES), alloc(4));
    for round in 1..=20 {
        // A new stream, whose thread has not started.
        let one = stream(1);
        ok!(cuMemsetD32Async(address, round, BYTES / 4, one));
        let last = address + BYTES as u64 - 4;
        ok!(cuMemcpyDtoDAsync_v2(out, last, 4, one));
        if let Some(pause) = pause {
            std::thread::sleep(pause);
        }
        ok!(cuStreamSynchronize(one));
        assert_eq!(download::<u32>(out, 1), [round]);
        ok!(cuStreamDestroy_v2(one));
    }
}

#[test]
fn waiting_threads_keep_the_order() {
    if !inner() {
        return in_both_modes();
    }
    // First the waiting thread does the work, then the stream's own thread.
    last_word_of_a_long_fill(None);
    last_word_of_a_long_fill(Some(Duration::from_micros(800)));
}

#[test]
fn waiting_for_completed_work_starts_no_later_work() {
    passes(&HOUR, || {
        let _context = Own::new();
        let place = out!(cuMemAllocHost_v2(_, 64));
        let words = |at: usize| {
            // SAFETY: The word is within the 64 bytes, which live until the context ends. The host
            // accesses them only by atomic operations.
            unsafe { &*place.cast::<AtomicU32>().add(at) }.load(Ordering::SeqCst)
        };
        let set = |at: usize, one| {
            let word = place as CUdeviceptr + 4 * at as u64;
            ok!(cuMemsetD32Async(word, 1, 1, one));
        };
        ok!(cuMemsetD32_v2(place as CUdeviceptr, 0, 16));
        let (first, second, third) = (stream(1), stream(1), stream(1));
        let (early, late) = (event(0), event(0));
        set(0, first);
        ok!(cuEventRecord(early, first));
        // Both wait for the same event. The first stream reaches it and later passes it.
        ok!(cuStreamWaitEvent(second, early, 0));
        ok!(cuStreamWaitEvent(third, early, 0));
        set(1, second);
        set(2, third);
        set(3, first);
        ok!(cuEventRecord(late, first));
        set(4, first);
        ok!(cuEventSynchronize(early));
        ok!(cuStreamSynchronize(second));
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!([0, 1, 2, 3, 4].map(words), [1, 1, 0, 0, 0]);
        ok!(cuEventSynchronize(late));
        ok!(cuStreamSynchronize(third));
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!([0, 1, 2, 3, 4].map(words), [1, 1, 1, 1, 0]);
    });
}

#[test]
fn callbacks_receive_their_arguments() {
    type Calls = Mutex<Vec<(usize, CUresult)>>;
    unsafe extern "C" fn note(one: CUstream, status: CUresult, data: *mut c_void) {
        // SAFETY: The test passes a list that outlives the streams' work.
        let calls = unsafe { &*data.cast::<Calls>() };
        calls.lock().unwrap().push((one as usize, status));
    }
    let _context = Own::new();
    let calls = Calls::default();
    let streams = [null_mut(), LEGACY, PER_THREAD, stream(0), stream(1)];
    for one in streams {
        ok!(cuStreamAddCallback(one, Some(note), arg(&calls), 0));
        ok!(cuStreamSynchronize(one));
    }
    let expected = streams.map(|one| (one as usize, SUCCESS));
    assert_eq!(*calls.lock().unwrap(), expected);
}
