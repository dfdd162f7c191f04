//! Streams and events: order, asynchrony, waiting.

mod abi;
use abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const NON_BLOCKING: u32 = 1;

/// A gate that a host function on a stream waits at.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    turned: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.turned.notify_all();
    }
}

unsafe extern "C" fn wait_at_gate(data: *mut c_void) {
    // SAFETY: every caller passes a leaked Arc<Gate>.
    let gate = unsafe { Arc::from_raw(data.cast::<Gate>()) };
    let mut open = gate.open.lock().unwrap();
    while !*open {
        open = gate.turned.wait(open).unwrap();
    }
}

/// Holds a stream up until the gate is opened.
fn block(stream: CUstream) -> Arc<Gate> {
    let gate = Arc::new(Gate::default());
    let data = Arc::into_raw(gate.clone()).cast_mut().cast();
    ok!(cuLaunchHostFunc(stream, Some(wait_at_gate), data));
    gate
}

#[test]
fn work_is_asynchronous_and_in_order() {
    let _context = Own::new();
    let stream = stream(NON_BLOCKING);
    let address = alloc(4);
    let gate = block(stream);
    for value in 1..=100 {
        ok!(cuMemsetD32Async(address, value, 1, stream));
    }
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    gate.open();
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamQuery(stream));
    assert_eq!(download::<u32>(address, 1), [100]);
    ok!(cuStreamDestroy_v2(stream));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(stream));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(stream));
}

#[test]
fn a_missing_synchronisation_shows() {
    let _context = Own::new();
    let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let address = alloc(4);
    ok!(cuMemsetD32_v2(address, 1, 1));
    ok!(cuCtxSynchronize());
    let gate = block(first);
    ok!(cuMemsetD32Async(address, 2, 1, first));
    // The other stream doesn't wait.
    let mut seen = 0u32;
    ok!(cuMemcpyDtoHAsync_v2(
        std::ptr::from_mut(&mut seen).cast(),
        address,
        4,
        second
    ));
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
    fails!(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    ok!(cuStreamWaitEvent(second, event, 0));
    ok!(cuMemsetD32Async(address, 3, 1, second));
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
    gate.open();
    ok!(cuEventSynchronize(event));
    ok!(cuStreamSynchronize(second));
    assert_eq!(download::<u32>(address, 1), [3]);
    ok!(cuEventDestroy_v2(event));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuStreamWaitEvent(second, event, 0)
    );
}

#[test]
fn the_default_stream_waits_for_blocking_streams_and_they_for_it() {
    let _context = Own::new();
    let (blocking, free) = (stream(0), stream(NON_BLOCKING));
    let address = alloc(4);
    ok!(cuMemsetD32_v2(address, 0, 1));
    ok!(cuCtxSynchronize());
    let gate = block(blocking);
    ok!(cuMemsetD32Async(address, 1, 1, null_mut()));
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(null_mut()));
    // A non-blocking stream takes no part in this.
    ok!(cuMemsetD32Async(address, 5, 1, free));
    ok!(cuStreamSynchronize(free));
    // Work on a blocking stream comes after the default stream's.
    let third = stream(0);
    ok!(cuMemsetD32Async(address, 2, 1, third));
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(third));
    gate.open();
    ok!(cuStreamSynchronize(third));
    assert_eq!(download::<u32>(address, 1), [2]);
    // And the per-thread default stream is a blocking one.
    let gate = block(2 as CUstream);
    ok!(cuMemsetD32Async(address, 9, 1, null_mut()));
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(null_mut()));
    gate.open();
    ok!(cuStreamSynchronize(null_mut()));
    ok!(cuStreamSynchronize_ptsz(null_mut()));
    let (mut legacy, mut own, mut named) = (0, 0, 0);
    ok!(cuStreamGetId(null_mut(), &mut legacy));
    ok!(cuStreamGetId_ptsz(null_mut(), &mut own));
    ok!(cuStreamGetId(2 as CUstream, &mut named));
    assert_ne!(
        legacy, own,
        "the null stream of a _ptsz function is the thread's own"
    );
    assert_eq!(own, named);
    ok!(cuMemsetD32_v2_ptds(address, 11, 1));
    assert_eq!(download::<u32>(address, 1), [11]);
}

#[test]
fn who_waits_for_whom() {
    let _context = Own::new();
    let (blocking, free) = (stream(0), stream(NON_BLOCKING));
    let legacy = 1 as CUstream;
    // A created stream's work is its own.
    let gate = block(blocking);
    ok!(cuStreamQuery(free));
    ok!(cuStreamSynchronize(free));
    ok!(cuStreamQuery(stream(0)));
    // The default stream, under both names, is done when all blocking ones are, though it has no work of its own.
    for default in [null_mut(), legacy] {
        fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(default));
    }
    gate.open();
    ok!(cuStreamSynchronize(legacy));
    ok!(cuStreamQuery(blocking));
    // A non-blocking stream doesn't hold it up.
    let gate = block(free);
    let address = alloc(4);
    ok!(cuMemsetD32Async(address, 1, 1, null_mut()));
    ok!(cuStreamSynchronize(null_mut()));
    ok!(cuStreamQuery(legacy));
    ok!(cuMemsetD32Async(address, 2, 1, blocking));
    ok!(cuStreamSynchronize(blocking));
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(free));
    gate.open();
    ok!(cuCtxSynchronize());
}

#[test]
fn the_context_waits_for_all_its_streams() {
    let _context = Own::new();
    // Streams that have come and gone are among those the context knew.
    for _ in 0..20 {
        ok!(cuStreamDestroy_v2(stream(0)));
    }
    let streams: Vec<_> = (0..20).map(|n| stream(n % 2)).collect();
    let counts: Vec<_> = streams.iter().map(|_| AtomicU32::new(0)).collect();
    for (stream, count) in streams.iter().zip(&counts) {
        unsafe extern "C" fn slowly(count: *mut c_void) {
            std::thread::sleep(Duration::from_millis(5));
            // SAFETY: the counters outlive the streams' work.
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
fn each_thread_has_a_default_stream_of_its_own() {
    let context = Own::new();
    let handle = context.0 as usize;
    let id = move || {
        ok!(cuCtxSetCurrent(handle as CUcontext));
        let (mut first, mut again) = (0, 0);
        ok!(cuStreamGetId(2 as CUstream, &mut first));
        ok!(cuStreamGetId(2 as CUstream, &mut again));
        assert_eq!(first, again);
        first
    };
    let ids = [id(), std::thread::spawn(id).join().unwrap()];
    assert_ne!(ids[0], ids[1]);
}

static CALLS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn count(_: *mut c_void) {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn note(stream: CUstream, status: CUresult, data: *mut c_void) {
    // SAFETY: the test passes a leaked box of this type.
    let cell = unsafe { &*data.cast::<Mutex<Option<(usize, CUresult)>>>() };
    *cell.lock().unwrap() = Some((stream as usize, status));
}

#[test]
fn callbacks_and_host_functions() {
    let _context = Own::new();
    let stream = stream(0);
    for _ in 0..10 {
        ok!(cuLaunchHostFunc(stream, Some(count), null_mut()));
    }
    let cell: &'static Mutex<Option<(usize, CUresult)>> = Box::leak(Box::default());
    let data = std::ptr::from_ref(cell).cast_mut().cast();
    ok!(cuStreamAddCallback(stream, Some(note), data, 0));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(CALLS.load(Ordering::SeqCst), 10);
    assert_eq!(
        *cell.lock().unwrap(),
        Some((stream as usize, CUresult::CUDA_SUCCESS))
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuLaunchHostFunc(stream, None, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamAddCallback(stream, None, null_mut(), 0)
    );
}

unsafe extern "C" fn name(data: *mut c_void) {
    // SAFETY: the test passes one that outlives the stream's work.
    let name = unsafe { &*data.cast::<Mutex<String>>() };
    *name.lock().unwrap() = std::thread::current().name().unwrap_or("").into();
}

#[test]
fn host_functions_are_called_by_a_thread_of_the_driver() {
    // Held, so that the waiting thread comes first.
    if !inner() {
        let test = "host_functions_are_called_by_a_thread_of_the_driver";
        let (code, _, text) = rerun(test, &[("CUDA_EMULATOR_HOLD", "3600000")]);
        assert_eq!(code, Some(0), "{text}");
        return;
    }
    let _context = Own::new();
    let caller = Mutex::new(String::new());
    for _ in 0..20 {
        ok!(cuLaunchHostFunc(null_mut(), Some(name), arg(&caller)));
        ok!(cuStreamSynchronize(null_mut()));
        assert_eq!(caller.lock().unwrap().as_str(), "cuda-stream");
    }
}

#[test]
fn after_a_fault_only_callbacks_are_called() {
    static AFTER: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn count(_: *mut c_void) {
        AFTER.fetch_add(1, Ordering::SeqCst);
    }
    let parts = ["CUDA_ERROR_ILLEGAL_ADDRESS"];
    reports(
        "after_a_fault_only_callbacks_are_called",
        &[],
        &parts,
        || {
            let context = Own::new();
            let stream = stream(NON_BLOCKING);
            let put = function(load(include_str!("abi/faults.ptx")), "put");
            let gate = block(stream);
            let (place, index) = (0u64, 0);
            launch(put, 1, 1, stream, &mut [arg(&place), arg(&index)]);
            let cell: &'static Mutex<Option<(usize, CUresult)>> = Box::leak(Box::default());
            let data = std::ptr::from_ref(cell).cast_mut().cast();
            ok!(cuLaunchHostFunc(stream, Some(count), null_mut()));
            ok!(cuStreamAddCallback(stream, Some(note), data, 0));
            gate.open();
            fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
            let told = (stream as usize, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
            assert_eq!(*cell.lock().unwrap(), Some(told));
            assert_eq!(
                AFTER.load(Ordering::SeqCst),
                0,
                "a host function isn't called"
            );
            drop(context);
        },
    );
}

unsafe extern "C" fn sleep(_: *mut c_void) {
    std::thread::sleep(Duration::from_millis(20));
}

#[test]
fn events_measure_time() {
    let _context = Own::new();
    let stream = stream(0);
    let (start, end, untimed) = (event(0), event(0), event(2));
    let mut milliseconds = 0.0;
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuEventElapsedTime_v2(&mut milliseconds, start, end)
    );
    ok!(cuEventRecord(start, stream));
    ok!(cuLaunchHostFunc(stream, Some(sleep), null_mut()));
    ok!(cuEventRecord(end, stream));
    fails!(
        CUDA_ERROR_NOT_READY,
        cuEventElapsedTime_v2(&mut milliseconds, start, end)
    );
    ok!(cuEventSynchronize(end));
    ok!(cuEventElapsedTime_v2(&mut milliseconds, start, end));
    assert!((20.0..2000.0).contains(&milliseconds), "{milliseconds}");
    ok!(cuEventElapsedTime_v2(&mut milliseconds, end, start));
    assert!(milliseconds < 0.0);
    ok!(cuEventRecord(untimed, stream));
    ok!(cuEventSynchronize(untimed));
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuEventElapsedTime_v2(&mut milliseconds, start, untimed)
    );
    let mut event = null_mut();
    fails!(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&mut event, 64));
    fails!(CUDA_ERROR_INVALID_VALUE, cuEventCreate(null_mut(), 0));
}

#[test]
fn events_that_give_no_time() {
    let first = Own::new();
    let (here, there) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let (start, end, foreign) = (event(0), event(0), event(0));
    let untimed = [event(2), event(2)];
    let mut milliseconds = 0.0;
    // Only the start is late.
    let gate = block(here);
    ok!(cuEventRecord(start, here));
    ok!(cuEventRecord(end, there));
    ok!(cuEventSynchronize(end));
    fails!(
        CUDA_ERROR_NOT_READY,
        cuEventElapsedTime_v2(&mut milliseconds, start, end)
    );
    gate.open();
    ok!(cuStreamSynchronize(here));
    ok!(cuEventElapsedTime_v2(&mut milliseconds, start, end));
    for event in untimed {
        ok!(cuEventRecord(event, here));
        ok!(cuEventSynchronize(event));
    }
    for (from, to) in [
        (start, untimed[0]),
        (untimed[0], end),
        (untimed[0], untimed[1]),
    ] {
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuEventElapsedTime_v2(&mut milliseconds, from, to)
        );
    }
    // Of another context: neither recorded here nor compared.
    ok!(cuEventRecord(foreign, here));
    let _second = Own::new();
    let (mine, other) = (event(0), stream(0));
    ok!(cuEventRecord(mine, other));
    ok!(cuCtxSynchronize());
    fails!(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(mine, here));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(foreign, other));
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuEventElapsedTime_v2(&mut milliseconds, foreign, mine)
    );
    fails!(CUDA_ERROR_INVALID_HANDLE, cuCtxRecordEvent(first.0, mine));
}

#[test]
fn an_event_for_a_whole_context() {
    let context = Own::new();
    let streams = [stream(0), stream(NON_BLOCKING)];
    let event = event(0);
    let gates = streams.map(block);
    ok!(cuCtxRecordEvent(context.0, event));
    gates[0].open();
    ok!(cuStreamSynchronize(streams[0]));
    fails!(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    gates[1].open();
    ok!(cuEventSynchronize(event));
    // And all streams wait for one.
    let gate = block(streams[1]);
    ok!(cuEventRecord(event, streams[1]));
    let third = stream(NON_BLOCKING);
    ok!(cuCtxWaitEvent(null_mut(), event));
    for stream in [streams[0], third] {
        fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    }
    gate.open();
    ok!(cuCtxSynchronize());
}

#[test]
fn what_a_stream_says_of_itself() {
    let context = Own::new();
    let mut stream = null_mut();
    ok!(cuStreamCreateWithPriority(&mut stream, NON_BLOCKING, -100));
    let (mut priority, mut flags, mut owner, mut device) = (9, 9, null_mut(), -1);
    ok!(cuStreamGetPriority(stream, &mut priority));
    ok!(cuStreamGetFlags(stream, &mut flags));
    ok!(cuStreamGetCtx(stream, &mut owner));
    ok!(cuStreamGetDevice(stream, &mut device));
    assert_eq!(
        (priority, flags, owner, device),
        (-5, NON_BLOCKING, context.0, 0)
    );
    let mut status = CUstreamCaptureStatus(9);
    ok!(cuStreamIsCapturing(stream, &mut status));
    assert_eq!(status, CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE);
    fails!(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&mut stream, 2));
    let mut graph = null_mut();
    fails!(CUDA_ERROR_NOT_SUPPORTED, cuGraphCreate(&mut graph, 0));
    for wild in WILD {
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuStreamSynchronize(wild as CUstream)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuEventSynchronize(wild as CUevent)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuEventDestroy_v2(wild as CUevent)
        );
    }
}

#[test]
fn values_in_memory_hold_streams_up() {
    let _context = Own::new();
    let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let flag = upload(&[0u32, 0]);
    ok!(cuStreamWaitValue32_v2(first, flag, 7, 1));
    ok!(cuMemsetD32Async(flag + 4, 1, 1, first));
    std::thread::sleep(Duration::from_millis(5));
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(first));
    ok!(cuStreamWriteValue32_v2(second, flag, 7, 0));
    ok!(cuStreamSynchronize(first));
    assert_eq!(download::<u32>(flag, 2), [7, 1]);
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamWriteValue32_v2(second, flag + 1, 7, 0)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamWriteValue32_v2(second, 64, 7, 0)
    );
}

#[test]
fn many_threads_at_once() {
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
                    let mut scratch = 0;
                    ok!(cuMemAllocAsync(&mut scratch, 4096, stream));
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
fn memory_isnt_there_before_its_stream_says_so() {
    let _context = Own::new();
    let (first, second) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let gate = block(first);
    let mut address = 0;
    ok!(cuMemAllocAsync(&mut address, 64, first));
    let event = event(2);
    ok!(cuEventRecord(event, first));
    ok!(cuStreamWaitEvent(second, event, 0));
    ok!(cuMemsetD8Async(address, 1, 64, second));
    gate.open();
    ok!(cuStreamSynchronize(second));
    // Freed in the order of one stream, used on another that doesn't wait: a fault.
    let gate = block(second);
    ok!(cuMemsetD8Async(address, 2, 64, second));
    ok!(cuMemFreeAsync(address, first));
    ok!(cuStreamSynchronize(first));
    gate.open();
    fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(second));
    fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&mut address, 64));
    fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamDestroy_v2(first));
}

#[test]
fn without_room_for_another_thread() {
    if !inner() {
        let (code, _, text) = rerun("without_room_for_another_thread", &[]);
        assert_eq!(code, Some(0), "{text}");
        return;
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
    // Done by now: nobody else could have.
    assert_eq!(DONE.load(Ordering::SeqCst), 2);
    ok!(cuStreamQuery(one));
    ok!(cuStreamQuery(other));
    assert_eq!(download::<u32>(memory, 64), [7; 64]);
    ok!(cuStreamDestroy_v2(one));
    ok!(cuStreamDestroy_v2(other));
}

/// What a host function got from the calls that it made.
#[derive(Default)]
struct Within {
    stream: usize,
    event: usize,
    address: CUdeviceptr,
    codes: Mutex<Vec<(&'static str, CUresult)>>,
}

unsafe extern "C" fn call_from_within(data: *mut c_void) {
    // SAFETY: the test passes its `Within`, which outlives the call.
    let within = unsafe { &*data.cast::<Within>() };
    let (stream, event) = (within.stream as CUstream, within.event as CUevent);
    let (mut context, mut new, mut number, mut host) = (null_mut(), 0, 0i32, 0u32);
    let (mut made, mut capturing) = (null_mut(), CUstreamCaptureStatus(0));
    let codes = &mut within.codes.lock().unwrap();
    // SAFETY: live handles, and places valid for the writes.
    unsafe {
        codes.push(("cuCtxGetCurrent", cuCtxGetCurrent(&mut context)));
        codes.push(("cuCtxSynchronize", cuCtxSynchronize()));
        codes.push(("cuDeviceGet", cuDeviceGet(&mut number, 0)));
        codes.push(("cuEventCreate", cuEventCreate(&mut made, 0)));
        codes.push(("cuMemAllocAsync", cuMemAllocAsync(&mut new, 4, stream)));
        codes.push(("cuMemFreeAsync", cuMemFreeAsync(within.address, stream)));
        codes.push(("cuMemFree", cuMemFree_v2(within.address)));
        let to = (&raw mut host).cast();
        codes.push((
            "cuMemcpyDtoHAsync",
            cuMemcpyDtoHAsync_v2(to, within.address, 4, stream),
        ));
        codes.push(("works", CUresult::CUDA_SUCCESS));
        codes.push(("cuEventRecord", cuEventRecord(event, stream)));
        codes.push(("cuStreamWaitEvent", cuStreamWaitEvent(stream, event, 0)));
        codes.push((
            "cuMemsetD32Async",
            cuMemsetD32Async(within.address, 5, 1, stream),
        ));
        codes.push((
            "cuStreamIsCapturing",
            cuStreamIsCapturing(stream, &mut capturing),
        ));
        codes.push(("cuStreamSynchronize", cuStreamSynchronize(stream)));
        codes.push(("cuStreamQuery", cuStreamQuery(stream)));
        codes.push(("cuEventQuery", cuEventQuery(event)));
        codes.push(("cuDriverGetVersion", cuDriverGetVersion(&mut number)));
    }
}

/// Which calls are permitted is what an H200 (driver 580) says.
#[test]
fn a_host_function_may_make_few_calls() {
    let _context = Own::new();
    let (from, other) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let mut event = null_mut();
    ok!(cuEventCreate(&mut event, 0));
    let within = Within {
        stream: other as usize,
        event: event as usize,
        address: alloc(4),
        ..Default::default()
    };
    let data = (&raw const within).cast_mut().cast();
    ok!(cuLaunchHostFunc(from, Some(call_from_within), data));
    ok!(cuStreamSynchronize(from));
    let codes = within.codes.lock().unwrap();
    let works = codes.iter().position(|(name, _)| *name == "works").unwrap();
    for (i, (name, code)) in codes.iter().enumerate() {
        let expected = match i < works {
            true => CUresult::CUDA_ERROR_NOT_PERMITTED,
            false => CUresult::CUDA_SUCCESS,
        };
        assert_eq!(*code, expected, "{name}");
    }
    assert_eq!(download::<u32>(within.address, 1), [5]);
    // Behind it everything is permitted again.
    ok!(cuCtxSynchronize());
    ok!(cuEventDestroy_v2(event));
    ok!(cuStreamDestroy_v2(from));
    ok!(cuStreamDestroy_v2(other));
}
