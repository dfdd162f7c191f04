//! Host functions and callbacks on streams: when and on which thread they are called, and the calls
//! that they may make.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

const NON_BLOCKING: u32 = 1;

static CALLS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn count(_: *mut c_void) {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn note(stream: CUstream, status: CUresult, data: *mut c_void) {
    // SAFETY: The test passes a leaked box of this type.
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
    assert_eq!(*cell.lock().unwrap(), Some((stream as usize, SUCCESS)));
    invalid!(cuLaunchHostFunc(stream, None, null_mut()));
    invalid!(cuStreamAddCallback(stream, None, null_mut(), 0));
}

unsafe extern "C" fn name(data: *mut c_void) {
    // SAFETY: The test passes a value that outlives the stream's work.
    let name = unsafe { &*data.cast::<Mutex<String>>() };
    *name.lock().unwrap() = std::thread::current().name().unwrap_or("").into();
}

#[test]
fn host_functions_run_on_a_driver_thread() {
    // Work is held, so that the waiting thread would be the first to run it.
    if !inner() {
        return with_variables(&[("CUDA_EMULATOR_HOLD", "3600000")], || ());
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
    reports(&[], &parts, || {
        let context = Own::new();
        let stream = stream(NON_BLOCKING);
        let put = function(load(FAULTS), "put");
        let gate = block(stream);
        let (place, index) = (0u64, 0);
        launch(put, 1, 1, stream, &mut [arg(&place), arg(&index)]);
        let cell: &'static Mutex<Option<(usize, CUresult)>> = Box::leak(Box::default());
        let data = std::ptr::from_ref(cell).cast_mut().cast();
        ok!(cuLaunchHostFunc(stream, Some(count), null_mut()));
        ok!(cuStreamAddCallback(stream, Some(note), data, 0));
        gate.open();
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        let reported = (stream as usize, ILLEGAL_ADDRESS);
        assert_eq!(*cell.lock().unwrap(), Some(reported));
        let found = AFTER.load(Ordering::SeqCst);
        assert_eq!(found, 0, "a host function is not called");
        drop(context);
    });
}

/// The results of calls from within a host function.
#[derive(Default)]
struct Within {
    stream: usize,
    event: usize,
    address: CUdeviceptr,
    codes: Mutex<Vec<(&'static str, CUresult)>>,
}

unsafe extern "C" fn call_from_within(data: *mut c_void) {
    // SAFETY: The test passes its `Within`, which outlives the call.
    let within = unsafe { &*data.cast::<Within>() };
    let (stream, event) = (within.stream as CUstream, within.event as CUevent);
    let (mut context, mut new, mut number, mut host) = (null_mut(), 0, 0i32, 0u32);
    let (mut made, mut capturing) = (null_mut(), CUstreamCaptureStatus(0));
    let codes = &mut within.codes.lock().unwrap();
    // SAFETY: The handles are live, and the pointers are valid for writes.
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
        codes.push(("works", SUCCESS));
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

/// The permitted calls are those of an H200 (driver 580).
#[test]
fn host_functions_may_make_few_calls() {
    let _context = Own::new();
    let (from, other) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let event = out!(cuEventCreate(_, 0));
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
            true => NOT_PERMITTED,
            false => SUCCESS,
        };
        assert_eq!(*code, expected, "{name}");
    }
    assert_eq!(download::<u32>(within.address, 1), [5]);
    // After the host function, all calls are permitted again.
    ok!(cuCtxSynchronize());
    ok!(cuEventDestroy_v2(event));
    ok!(cuStreamDestroy_v2(from));
    ok!(cuStreamDestroy_v2(other));
}
