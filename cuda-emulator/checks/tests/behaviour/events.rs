//! Events: elapsed times, and events of a whole context.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

const NON_BLOCKING: u32 = 1;

#[test]
fn events_measure_time() {
    let _context = Own::new();
    let stream = stream(0);
    let (start, end, untimed) = (event(0), event(0), event(2));
    let mut milliseconds = 0.0;
    stale!(cuEventElapsedTime_v2(&mut milliseconds, start, end));
    ok!(cuEventRecord(start, stream));
    ok!(cuEventSynchronize(start));
    let begun = Instant::now();
    let gate = block(stream);
    ok!(cuEventRecord(end, stream));
    let time = result!(cuEventElapsedTime_v2(_, start, end));
    assert_eq!(time, Err(NOT_READY));
    std::thread::sleep(Duration::from_millis(20));
    let least = begun.elapsed().as_secs_f32() * 1e3;
    gate.open();
    ok!(cuEventSynchronize(end));
    ok!(cuEventElapsedTime_v2(&mut milliseconds, start, end));
    let most = least + 60_000.0;
    assert!((least..most).contains(&milliseconds), "{milliseconds}");
    ok!(cuEventElapsedTime_v2(&mut milliseconds, end, start));
    assert!(milliseconds < 0.0);
    ok!(cuEventRecord(untimed, stream));
    ok!(cuEventSynchronize(untimed));
    stale!(cuEventElapsedTime_v2(&mut milliseconds, start, untimed));
    invalid!(cuEventCreate(&mut null_mut(), 64));
    invalid!(cuEventCreate(null_mut(), 0));
}

#[test]
fn elapsed_time_errors() {
    let first = Own::new();
    let (here, there) = (stream(NON_BLOCKING), stream(NON_BLOCKING));
    let (start, end, foreign) = (event(0), event(0), event(0));
    let untimed = [event(2), event(2)];
    let mut milliseconds = 0.0;
    // Only the start event is late.
    let gate = block(here);
    ok!(cuEventRecord(start, here));
    ok!(cuEventRecord(end, there));
    ok!(cuEventSynchronize(end));
    let time = result!(cuEventElapsedTime_v2(_, start, end));
    assert_eq!(time, Err(NOT_READY));
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
        stale!(cuEventElapsedTime_v2(&mut milliseconds, from, to));
    }
    // An event of another context can neither be recorded nor compared here.
    ok!(cuEventRecord(foreign, here));
    let _second = Own::new();
    let (mine, other) = (event(0), stream(0));
    ok!(cuEventRecord(mine, other));
    ok!(cuCtxSynchronize());
    stale!(cuEventRecord(mine, here));
    stale!(cuEventRecord(foreign, other));
    stale!(cuEventElapsedTime_v2(&mut milliseconds, foreign, mine));
    stale!(cuCtxRecordEvent(first.0, mine));
}

#[test]
fn events_can_cover_a_whole_context() {
    let context = Own::new();
    let streams = [stream(0), stream(NON_BLOCKING)];
    let event = event(0);
    let gates = streams.map(block);
    ok!(cuCtxRecordEvent(context.0, event));
    gates[0].open();
    ok!(cuStreamSynchronize(streams[0]));
    fails!(NOT_READY, cuEventQuery(event));
    gates[1].open();
    ok!(cuEventSynchronize(event));
    // All streams wait for one event.
    let gate = block(streams[1]);
    ok!(cuEventRecord(event, streams[1]));
    let third = stream(NON_BLOCKING);
    ok!(cuCtxWaitEvent(null_mut(), event));
    for stream in [streams[0], third] {
        fails!(NOT_READY, cuStreamQuery(stream));
    }
    gate.open();
    ok!(cuCtxSynchronize());
}
