//! The functions of events, argument by argument.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;
use std::time::Duration;

unsafe extern "C" {
    // Functions that the newest headers no longer declare.
    fn cuEventDestroy(event: CUevent) -> CUresult;
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent) -> CUresult;
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no interprocess events")]
fn unknown_event_flags_are_rejected() {
    let mut made = null_mut();
    ok!(cuInit(0));
    no_context!(cuEventCreate(&mut made, 0));
    let _context = Own::new();
    // An interprocess event cannot record timing.
    for flags in [4, 5, 8, 9, 12, 16, 0x8000_0000, u32::MAX] {
        invalid!(cuEventCreate(&mut made, flags));
    }
    assert!(made.is_null(), "a failed call writes nothing");
    for flags in 0..8 {
        invalid!(cuEventCreate(null_mut(), flags));
    }
    let one = stream(1);
    for flags in [0, 1, 2, 3, 6, 7] {
        let keeps_time = flags < 2;
        ok!(cuEventCreate(&mut made, flags));
        ok!(cuEventRecord(made, one));
        ok!(cuEventSynchronize(made));
        for elapsed in [cuEventElapsedTime, cuEventElapsedTime_v2] {
            let time = result!(elapsed(_, made, made));
            assert_eq!(
                time,
                if keeps_time {
                    Ok(0.0)
                } else {
                    Err(INVALID_HANDLE)
                }
            );
        }
        ok!(cuEventDestroy_v2(made));
    }
}

#[test]
fn record_with_flags_works_like_record() {
    let _context = Own::new();
    let (one, made) = (stream(1), event(0));
    // 1 is CU_EVENT_RECORD_EXTERNAL, which is only allowed during a capture.
    fails!(ILLEGAL_STATE, cuEventRecordWithFlags(made, one, 1));
    stale!(cuEventRecordWithFlags(null_mut(), one, 1));
    for flags in [2, 3, 4, 0x8000_0000, u32::MAX] {
        invalid!(cuEventRecordWithFlags(made, one, flags));
    }
    for record in [
        |made, one| call!(cuEventRecord(made, one)),
        |made, one| call!(cuEventRecordWithFlags(made, one, 0)),
    ] {
        let gate = block(one);
        // The host function may or may not have started before the record.
        for _ in 0..2 {
            assert_eq!(record(made, one), SUCCESS);
            fails!(NOT_READY, cuEventQuery(made));
            std::thread::sleep(Duration::from_millis(10));
            fails!(NOT_READY, cuEventQuery(made));
        }
        gate.open();
        ok!(cuEventSynchronize(made));
        ok!(cuEventQuery(made));
    }
}

#[test]
fn records_wait_for_running_work() {
    let _context = Own::new();
    let (one, made) = (stream(1), event(0));
    let gate = block(one);
    // By now the function is running: nothing is queued, but work is unfinished.
    std::thread::sleep(Duration::from_millis(20));
    ok!(cuEventRecord(made, one));
    fails!(NOT_READY, cuEventQuery(made));
    fails!(NOT_READY, cuStreamQuery(one));
    gate.open();
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
        stale!(cuEventRecord(bad, one));
        stale!(cuEventRecordWithFlags(bad, one, 0));
        stale!(cuEventQuery(bad));
        stale!(cuEventSynchronize(bad));
        stale!(cuStreamWaitEvent(one, bad, 0));
        stale!(cuEventDestroy(bad));
        stale!(cuEventDestroy_v2(bad));
        for (start, end) in [(bad, live), (live, bad)] {
            stale!(cuEventElapsedTime(&mut milliseconds, start, end));
            stale!(cuEventElapsedTime_v2(&mut milliseconds, start, end));
        }
        assert_eq!(milliseconds, 9.0);
    }
    invalid!(cuEventElapsedTime(null_mut(), live, live));
    invalid!(cuEventElapsedTime_v2(null_mut(), live, live));
    // Destroying a context destroys its events.
    let second = Own::new();
    let destroyed = event(0);
    drop(second);
    stale!(cuEventQuery(destroyed));
    stale!(cuEventDestroy_v2(destroyed));
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
        let (there, back) = (out!(elapsed(_, start, end)), out!(elapsed(_, end, start)));
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
    reports(&[], &["kernel fault"], || {
        let _context = Own::new();
        let kernel = function(load(FAULT), "fault");
        let (one, other) = (stream(1), stream(1));
        let (before, never, record) = (event(0), event(0), event(0));
        ok!(cuEventRecord(before, other));
        ok!(cuStreamSynchronize(other));
        assert_eq!(launch(kernel, 1, 1, one, &mut []), SUCCESS);
        // Calls until the fault has happened, without waiting for it.
        let begin = std::time::Instant::now();
        while call!(cuEventRecord(record, other)) == SUCCESS {
            assert!(begin.elapsed() < Duration::from_secs(60), "no fault");
            std::thread::yield_now();
        }
        let mut flags = 9;
        for _ in 0..2 {
            fails!(ILLEGAL_ADDRESS, cuEventRecord(record, one));
            fails!(ILLEGAL_ADDRESS, cuEventRecord(record, null_mut()));
            fails!(ILLEGAL_ADDRESS, cuEventQuery(before));
            fails!(ILLEGAL_ADDRESS, cuEventQuery(never));
            fails!(ILLEGAL_ADDRESS, cuStreamQuery(one));
            fails!(ILLEGAL_ADDRESS, cuStreamQuery(other));
            fails!(ILLEGAL_ADDRESS, cuStreamWaitEvent(other, before, 0));
            fails!(ILLEGAL_ADDRESS, cuMemAlloc_v2(&mut 0, 64));
            fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(other));
            ok!(cuCtxGetFlags(&mut flags));
        }
        fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    });
}
