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
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreate(&mut made, 0));
    let _context = Own::new();
    for flags in [2, 3, 4, 8, 0x8000_0000, u32::MAX] {
        fails!(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&mut made, flags));
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuStreamCreateWithPriority(&mut made, flags, 0)
        );
    }
    assert!(made.is_null(), "a failed call writes nothing");
    fails!(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(null_mut(), 0));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamCreateWithPriority(null_mut(), 0, 0)
    );
    let mut seen = Vec::new();
    for flags in [0, 1] {
        let (mut actual, mut priority) = (9, 9);
        ok!(cuStreamCreate(&mut made, flags));
        assert!(!made.is_null() && !seen.contains(&made));
        seen.push(made);
        ok!(cuStreamGetFlags(made, &mut actual));
        ok!(cuStreamGetPriority(made, &mut priority));
        assert_eq!((actual, priority), (flags, 0));
    }
}

#[test]
fn getters_describe_their_stream() {
    let context = Own::new();
    let made = stream(1);
    let mut ids = Vec::new();
    for (one, flags) in [(null_mut(), 0), (PER_THREAD, 0), (made, 1)] {
        let (mut actual, mut priority, mut device, mut id) = (9, 9, 9, 0);
        let (mut owner, mut again, mut green) = (null_mut(), null_mut(), 8 as CUgreenCtx);
        ok!(cuStreamGetFlags(one, &mut actual));
        ok!(cuStreamGetPriority(one, &mut priority));
        ok!(cuStreamGetDevice(one, &mut device));
        ok!(cuStreamGetId(one, &mut id));
        ok!(cuStreamGetCtx(one, &mut owner));
        ok!(cuStreamGetCtx_v2(one, &mut again, &mut green));
        assert_eq!((actual, priority, device), (flags, 0, 0));
        assert_eq!((owner, again, green), (context.0, context.0, null_mut()));
        ids.push(id);
        // The green context may be omitted.
        again = null_mut();
        ok!(cuStreamGetCtx_v2(one, &mut again, null_mut()));
        assert_eq!(again, context.0);
        // So may the other one.
        green = 8 as CUgreenCtx;
        ok!(cuStreamGetCtx_v2(one, null_mut(), &mut green));
        assert_eq!(green, null_mut());
    }
    let mut id = 0;
    ok!(cuStreamGetId(LEGACY, &mut id));
    assert_eq!(id, ids[0], "two names of one stream");
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    fails!(CUDA_ERROR_INVALID_VALUE, cuStreamGetFlags(made, null_mut()));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamGetPriority(made, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamGetDevice(made, null_mut())
    );
    fails!(CUDA_ERROR_INVALID_VALUE, cuStreamGetId(made, null_mut()));
    fails!(CUDA_ERROR_INVALID_VALUE, cuStreamGetCtx(made, null_mut()));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamIsCapturing(made, null_mut())
    );
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
            "cuStreamDestroy_v2" => CUresult::CUDA_ERROR_INVALID_HANDLE,
            _ => CUresult::CUDA_SUCCESS,
        };
        assert_eq!(*code, expected, "{at}: {name}");
    }
    ok!(cuStreamDestroy_v2(stale));
    let another_kind = event(0) as CUstream;
    for wild in WILD
        .map(|one| one as CUstream)
        .into_iter()
        .chain([stale, other, another_kind])
    {
        for (name, code) in all_on(wild) {
            assert_eq!(
                code,
                CUresult::CUDA_ERROR_INVALID_HANDLE,
                "{name} of {wild:?}"
            );
        }
    }
    // The default streams cannot be destroyed.
    for default in [null_mut(), LEGACY, PER_THREAD] {
        fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(default));
        fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(default));
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
        fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(one));
        fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(one));
    }
    ok!(cuStreamQuery(kept));
    ok!(cuStreamDestroy_v2(kept));
}

#[test]
fn flags_and_functions_of_callbacks_and_waits() {
    let _context = Own::new();
    let (one, event) = (stream(1), event(0));
    for flags in [1, 2, u32::MAX] {
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuStreamAddCallback(one, Some(no_callback), null_mut(), flags)
        );
    }
    // CU_EVENT_WAIT_EXTERNAL is only allowed during a capture.
    fails!(CUDA_ERROR_ILLEGAL_STATE, cuStreamWaitEvent(one, event, 1));
    for flags in [2, 3, 4, 0x8000_0000] {
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuStreamWaitEvent(one, event, flags)
        );
    }
    for wild in WILD {
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuStreamWaitEvent(one, wild as CUevent, 0)
        );
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuLaunchHostFunc(one, None, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamAddCallback(one, None, null_mut(), 0)
    );
    ok!(cuStreamQuery(one));
}

/// Returns the number of threads of the process that execute stream work.
fn workers() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "cuda-stream").count()
}

fn until(condition: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(8);
    while !condition() {
        assert!(Instant::now() < end, "{} threads", workers());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_threads_of_streams_end_with_them() {
    if !inner() {
        for variables in [&[][..], &HOUR] {
            let (code, _, text) = rerun("the_threads_of_streams_end_with_them", variables);
            assert_eq!(code, Some(0), "{text}");
        }
        return;
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
        ok!(cuMemcpyDtoDAsync_v2(
            out,
            address + BYTES as u64 - 4,
            4,
            one
        ));
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
        for variables in [&[][..], &HOUR] {
            let test = "waiting_threads_keep_the_order";
            let (code, _, text) = rerun(test, variables);
            assert_eq!(code, Some(0), "{text}");
        }
        return;
    }
    // First the waiting thread does the work, then the stream's own thread.
    last_word_of_a_long_fill(None);
    last_word_of_a_long_fill(Some(Duration::from_micros(800)));
}

#[test]
fn waiting_for_completed_work_starts_no_later_work() {
    let test = "waiting_for_completed_work_starts_no_later_work";
    passes(test, &HOUR, || {
        let _context = Own::new();
        let mut place = null_mut();
        ok!(cuMemAllocHost_v2(&mut place, 64));
        let words = |at: usize| {
            // SAFETY: The word is within the 64 bytes, which live until the context ends. The host
            // accesses them only by atomic operations.
            unsafe { &*place.cast::<AtomicU32>().add(at) }.load(Ordering::SeqCst)
        };
        let set = |at: usize, one| {
            ok!(cuMemsetD32Async(
                place as CUdeviceptr + 4 * at as u64,
                1,
                1,
                one
            ));
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
    let expected = streams.map(|one| (one as usize, CUresult::CUDA_SUCCESS));
    assert_eq!(*calls.lock().unwrap(), expected);
}
