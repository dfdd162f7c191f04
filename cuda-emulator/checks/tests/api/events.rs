//! The functions of events, argument by argument.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

unsafe extern "C" {
    // Functions that the newest headers no longer declare.
    fn cuEventDestroy(event: CUevent) -> CUresult;
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) -> CUresult;
}

unsafe extern "C" fn wait_for(open: *mut c_void) {
    // SAFETY: The tests pass a flag that outlives the stream's work.
    while !unsafe { &*open.cast::<AtomicBool>() }.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn unknown_event_flags_are_rejected() {
    let mut made = null_mut();
    ok!(cuInit(0));
    fails!(CUDA_ERROR_INVALID_CONTEXT, cuEventCreate(&mut made, 0));
    let _context = Own::new();
    // An interprocess event cannot record timing.
    for flags in [4, 5, 8, 9, 12, 16, 0x8000_0000, u32::MAX] {
        fails!(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&mut made, flags));
    }
    assert!(made.is_null(), "a failed call writes nothing");
    for flags in 0..8 {
        fails!(CUDA_ERROR_INVALID_VALUE, cuEventCreate(null_mut(), flags));
    }
    let one = stream(1);
    for (flags, keeps_time) in [
        (0, true),
        (1, true),
        (2, false),
        (3, false),
        (6, false),
        (7, false),
    ] {
        ok!(cuEventCreate(&mut made, flags));
        ok!(cuEventRecord(made, one));
        ok!(cuEventSynchronize(made));
        let mut milliseconds = 9.0;
        for elapsed in [cuEventElapsedTime, cuEventElapsedTime_v2] {
            // SAFETY: The events are live, and the pointer is valid for writes.
            let code = unsafe { elapsed(&mut milliseconds, made, made) };
            match keeps_time {
                true => assert_eq!((code, milliseconds), (CUresult::CUDA_SUCCESS, 0.0)),
                false => assert_eq!(code, CUresult::CUDA_ERROR_INVALID_HANDLE),
            }
        }
        ok!(cuEventDestroy_v2(made));
    }
}

#[test]
fn record_with_flags_works_like_record() {
    let _context = Own::new();
    let (one, made) = (stream(1), event(0));
    // 1 is CU_EVENT_RECORD_EXTERNAL, which is only allowed during a capture.
    fails!(
        CUDA_ERROR_ILLEGAL_STATE,
        cuEventRecordWithFlags(made, one, 1)
    );
    fails!(
        CUDA_ERROR_INVALID_HANDLE,
        cuEventRecordWithFlags(null_mut(), one, 1)
    );
    for flags in [2, 3, 4, 0x8000_0000, u32::MAX] {
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuEventRecordWithFlags(made, one, flags)
        );
    }
    for record in [
        // SAFETY: The handles are live.
        |made, one| unsafe { cuEventRecord(made, one) },
        // SAFETY: The handles are live.
        |made, one| unsafe { cuEventRecordWithFlags(made, one, 0) },
    ] {
        let open = AtomicBool::new(false);
        ok!(cuLaunchHostFunc(one, Some(wait_for), arg(&open)));
        // The host function may or may not have started before the record.
        for _ in 0..2 {
            assert_eq!(record(made, one), CUresult::CUDA_SUCCESS);
            fails!(CUDA_ERROR_NOT_READY, cuEventQuery(made));
            std::thread::sleep(Duration::from_millis(10));
            fails!(CUDA_ERROR_NOT_READY, cuEventQuery(made));
        }
        open.store(true, Ordering::SeqCst);
        ok!(cuEventSynchronize(made));
        ok!(cuEventQuery(made));
    }
}

#[test]
fn records_wait_for_running_work() {
    let _context = Own::new();
    let (one, made) = (stream(1), event(0));
    let open = AtomicBool::new(false);
    ok!(cuLaunchHostFunc(one, Some(wait_for), arg(&open)));
    // By now the function is running: nothing is queued, but work is unfinished.
    std::thread::sleep(Duration::from_millis(20));
    ok!(cuEventRecord(made, one));
    fails!(CUDA_ERROR_NOT_READY, cuEventQuery(made));
    fails!(CUDA_ERROR_NOT_READY, cuStreamQuery(one));
    open.store(true, Ordering::SeqCst);
    ok!(cuEventSynchronize(made));
    ok!(cuStreamQuery(one));
}

#[test]
fn invalid_events_are_rejected_by_every_function() {
    let _context = Own::new();
    let (one, live) = (stream(1), event(0));
    ok!(cuEventRecord(live, one));
    ok!(cuEventSynchronize(live));
    let (old, new, other_kind) = (event(0), event(0), one as CUevent);
    // Both functions destroy events.
    ok!(cuEventDestroy(old));
    ok!(cuEventDestroy_v2(new));
    let wild = WILD.map(|one| one as CUevent);
    for bad in wild.into_iter().chain([old, new, other_kind, null_mut()]) {
        let mut milliseconds = 9.0;
        fails!(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(bad, one));
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuEventRecordWithFlags(bad, one, 0)
        );
        fails!(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(bad));
        fails!(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize(bad));
        fails!(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(one, bad, 0));
        fails!(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(bad));
        fails!(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy_v2(bad));
        for (start, end) in [(bad, live), (live, bad)] {
            fails!(
                CUDA_ERROR_INVALID_HANDLE,
                cuEventElapsedTime(&mut milliseconds, start, end)
            );
            fails!(
                CUDA_ERROR_INVALID_HANDLE,
                cuEventElapsedTime_v2(&mut milliseconds, start, end)
            );
        }
        assert_eq!(milliseconds, 9.0);
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuEventElapsedTime(null_mut(), live, live)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuEventElapsedTime_v2(null_mut(), live, live)
    );
    // Destroying a context destroys its events.
    let second = Own::new();
    let destroyed = event(0);
    drop(second);
    fails!(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(destroyed));
    fails!(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy_v2(destroyed));
    ok!(cuEventQuery(live));
}

#[test]
fn elapsed_time_is_in_milliseconds_in_both_forms() {
    let _context = Own::new();
    let one = stream(1);
    let (start, end) = (event(0), event(1));
    // Starts later after the process's first event than the measured time, so that wrong sums or
    // quotients would show.
    std::thread::sleep(Duration::from_millis(60));
    let clock = std::time::Instant::now();
    ok!(cuEventRecord(start, one));
    ok!(cuEventSynchronize(start));
    std::thread::sleep(Duration::from_millis(25));
    ok!(cuEventRecord(end, one));
    ok!(cuEventSynchronize(end));
    let most = clock.elapsed().as_secs_f32() * 1e3;
    for elapsed in [cuEventElapsedTime, cuEventElapsedTime_v2] {
        let (mut there, mut back) = (0.0, 0.0);
        // SAFETY: The events are live, and the pointers are valid for writes.
        let codes = unsafe {
            [
                elapsed(&mut there, start, end),
                elapsed(&mut back, end, start),
            ]
        };
        assert_eq!(codes, [CUresult::CUDA_SUCCESS; 2]);
        assert!((25.0..=most).contains(&there), "{there}, at most {most}");
        assert_eq!(there, -back);
    }
}

/// A fault that has not been waited for: before it happens calls succeed, and afterwards all calls
/// fail on any stream or event, as on an H200 (driver 580, CUDA 13.0).
#[test]
fn unnoticed_faults_fail_later_calls() {
    const FAULT: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry fault() { .reg .b64 %rd<2>; mov.u64 %rd1, 16; st.global.u32 [%rd1], 1; ret; }";
    reports(
        "unnoticed_faults_fail_later_calls",
        &[],
        &["kernel fault"],
        || {
            let _context = Own::new();
            let kernel = function(load(FAULT), "fault");
            let (one, other) = (stream(1), stream(1));
            let (before, never, record) = (event(0), event(0), event(0));
            ok!(cuEventRecord(before, other));
            ok!(cuStreamSynchronize(other));
            assert_eq!(launch(kernel, 1, 1, one, &mut []), CUresult::CUDA_SUCCESS);
            // Calls until the fault has happened, without waiting for it.
            let begin = std::time::Instant::now();
            // SAFETY: The events and streams are live.
            while unsafe { cuEventRecord(record, other) } == CUresult::CUDA_SUCCESS {
                assert!(begin.elapsed() < Duration::from_secs(60), "no fault");
                std::thread::yield_now();
            }
            let mut flags = 9;
            let mut address = 0;
            for _ in 0..2 {
                fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventRecord(record, one));
                fails!(
                    CUDA_ERROR_ILLEGAL_ADDRESS,
                    cuEventRecord(record, null_mut())
                );
                fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(before));
                fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(never));
                fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(one));
                fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(other));
                fails!(
                    CUDA_ERROR_ILLEGAL_ADDRESS,
                    cuStreamWaitEvent(other, before, 0)
                );
                fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&mut address, 64));
                fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(other));
                ok!(cuCtxGetFlags(&mut flags));
            }
            fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
        },
    );
}
