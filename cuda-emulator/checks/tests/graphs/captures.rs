//! Captures of streams: their states, and the calls that they forbid. The expected results are
//! those of an H200 (driver 580). `capture.rs` tests the recorded work.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{self, GLOBAL, LOCAL, RELAXED, alone, begin, end_with, status};
use std::ptr::null_mut;

/// Ends a capture that succeeds.
fn end(stream: CUstream) {
    let graph = graphs::end(stream);
    ok!(cuGraphDestroy(graph));
    invalid!(cuGraphDestroy(graph));
}

/// Ends an invalidated capture.
fn end_invalid(stream: CUstream) {
    assert_eq!(status(stream), 2);
    end_with(stream, STREAM_CAPTURE_INVALIDATED);
}

/// Ends a capture in which a call returned this code. A forbidden call invalidates the capture.
fn ends(stream: CUstream, code: CUresult, forbidden: bool, what: &str) {
    if forbidden {
        assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED, "{what}");
        end_invalid(stream);
    } else {
        assert_eq!(code, SUCCESS, "{what}");
        end(stream);
    }
}

/// Sets the thread's mode, and returns the previous one.
fn exchange(mode: CUstreamCaptureMode) -> CUstreamCaptureMode {
    let mut mode = mode;
    ok!(cuThreadExchangeStreamCaptureMode(&mut mode));
    mode
}

#[test]
fn a_capture_begins_and_ends_once() {
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    assert_eq!(status(stream), 0);
    fails!(ILLEGAL_STATE, cuStreamEndCapture(stream, &mut null_mut()));
    invalid!(cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(3)));
    begin(stream, GLOBAL);
    fails!(ILLEGAL_STATE, cuStreamBeginCapture_v2(stream, GLOBAL));
    end(stream);
    fails!(ILLEGAL_STATE, cuStreamEndCapture(stream, &mut null_mut()));
    let code = call!(cuStreamBeginCapture_v2(null_mut(), GLOBAL));
    assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED);
    // Destroying a stream ends its capture.
    begin(stream, GLOBAL);
    ok!(cuStreamDestroy_v2(stream));
    ok!(cuMemFree_v2(alloc(4)));
}

#[test]
fn other_threads_can_end_only_relaxed_captures() {
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    let (handle, own) = (stream as usize, graphs::context() as usize);
    let elsewhere = move |context: usize, expected: CUresult| {
        std::thread::spawn(move || {
            ok!(cuCtxSetCurrent(context as CUcontext));
            let mut graph = null_mut();
            fails!(expected, cuStreamEndCapture(handle as CUstream, &mut graph));
            if !graph.is_null() {
                ok!(cuGraphDestroy(graph));
            }
        })
        .join()
        .unwrap();
    };
    // Without and with a current context in the other thread.
    for (context, expected) in [(0, INVALID_CONTEXT), (own, STREAM_CAPTURE_WRONG_THREAD)] {
        for mode in [GLOBAL, LOCAL] {
            begin(stream, mode);
            elsewhere(context, expected);
            end(stream);
        }
    }
    begin(stream, RELAXED);
    elsewhere(own, SUCCESS);
    assert_eq!(status(stream), 0);
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn a_capturing_stream_and_its_context_cannot_be_waited_for() {
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    for mode in [GLOBAL, LOCAL, RELAXED] {
        begin(stream, mode);
        fails!(STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
        end_invalid(stream);
        begin(stream, mode);
        fails!(STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(stream));
        end_invalid(stream);
        begin(stream, mode);
        fails!(STREAM_CAPTURE_UNSUPPORTED, cuCtxSynchronize());
        end_invalid(stream);
    }
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn the_mode_determines_forbidden_calls() {
    let _alone = alone();
    let _context = Own::new();
    let (captured, other) = (stream(1), stream(1));
    let address = alloc(4);
    let mut host = null_mut();
    for (mode, forbidden) in [(GLOBAL, true), (LOCAL, true), (RELAXED, false)] {
        let check = |code: CUresult, what: &str| {
            ends(
                captured,
                code,
                forbidden,
                &format!("{what} in mode {mode:?}"),
            );
            begin(captured, mode);
        };
        begin(captured, mode);
        // SAFETY: The handles are live, and the pointers are valid for writes.
        unsafe {
            check(cuStreamSynchronize(other), "cuStreamSynchronize");
            check(cuStreamQuery(other), "cuStreamQuery");
            let mut new = 0;
            check(cuMemAllocAsync(&mut new, 4, other), "cuMemAllocAsync");
            if new != 0 {
                check(cuMemFreeAsync(new, other), "cuMemFreeAsync");
            }
            let mut new = 0;
            check(cuMemAlloc_v2(&mut new, 4), "cuMemAlloc");
            if new != 0 {
                check(cuMemFree_v2(new), "cuMemFree");
            }
            host = null_mut();
            check(cuMemHostAlloc(&mut host, 4, 0), "cuMemHostAlloc");
            if !host.is_null() {
                check(cuMemFreeHost(host), "cuMemFreeHost");
            }
        }
        end(captured);
    }
    assert!(!host.is_null());
    // Forbidden even though there is memory to free.
    let pinned = out!(cuMemHostAlloc(_, 4, 0));
    let ordered = out!(cuMemAllocAsync(_, 4, other));
    begin(captured, GLOBAL);
    fails!(STREAM_CAPTURE_UNSUPPORTED, cuMemFree_v2(address));
    fails!(STREAM_CAPTURE_UNSUPPORTED, cuMemFreeHost(pinned));
    fails!(STREAM_CAPTURE_UNSUPPORTED, cuMemFreeAsync(ordered, other));
    end_invalid(captured);
    ok!(cuMemFree_v2(address));
    ok!(cuMemFreeHost(pinned));
    ok!(cuMemFreeAsync(ordered, other));
    ok!(cuStreamDestroy_v2(captured));
    ok!(cuStreamDestroy_v2(other));
}

#[test]
fn the_mode_of_a_thread_determines_captures_that_restrict_it() {
    let _alone = alone();
    let _context = Own::new();
    let (captured, other) = (stream(1), stream(1));
    assert_eq!(exchange(RELAXED), GLOBAL);
    let mut wrong = CUstreamCaptureMode(3);
    invalid!(cuThreadExchangeStreamCaptureMode(&mut wrong));
    begin(captured, GLOBAL);
    ok!(cuStreamSynchronize(other));
    end(captured);
    assert_eq!(exchange(GLOBAL), RELAXED);

    // A capture of another thread.
    let (context, theirs) = (graphs::context() as usize, other as usize);
    let wait_elsewhere = move |mode: CUstreamCaptureMode| {
        std::thread::spawn(move || {
            ok!(cuCtxSetCurrent(context as CUcontext));
            exchange(mode);
            call!(cuStreamSynchronize(theirs as CUstream))
        })
        .join()
        .unwrap()
    };
    for (mode, thread, forbidden) in [
        (GLOBAL, GLOBAL, true),
        (GLOBAL, LOCAL, false),
        (GLOBAL, RELAXED, false),
        (LOCAL, GLOBAL, false),
        (LOCAL, LOCAL, false),
        (RELAXED, GLOBAL, false),
    ] {
        begin(captured, mode);
        let code = wait_elsewhere(thread);
        ends(captured, code, forbidden, &format!("{mode:?}, {thread:?}"));
    }
    // A thread's own capture also restricts it in thread-local mode.
    exchange(LOCAL);
    for (mode, forbidden) in [(LOCAL, true), (GLOBAL, true), (RELAXED, false)] {
        begin(captured, mode);
        let code = call!(cuStreamSynchronize(other));
        ends(captured, code, forbidden, &format!("{mode:?}"));
    }
    exchange(GLOBAL);
    ok!(cuStreamDestroy_v2(captured));
    ok!(cuStreamDestroy_v2(other));
}

#[test]
fn ending_one_capture_keeps_the_others() {
    let _alone = alone();
    let _context = Own::new();
    let (kept, other) = (stream(1), stream(1));
    begin(kept, RELAXED);
    begin(other, RELAXED);
    end(other);
    assert_eq!((status(kept), status(other)), (1, 0));
    begin(other, RELAXED);
    ok!(cuStreamDestroy_v2(other));
    assert_eq!(status(kept), 1);
    invalid!(cuStreamEndCapture(kept, null_mut()));
    assert_eq!(status(kept), 1, "a rejected call ends nothing");
    invalid!(cuStreamIsCapturing(kept, null_mut()));
    invalid!(cuThreadExchangeStreamCaptureMode(null_mut()));
    for wild in WILD {
        let wild = wild as CUstream;
        stale!(cuStreamBeginCapture_v2(wild, GLOBAL));
        stale!(cuStreamEndCapture(wild, &mut null_mut()));
        invalid!(cuGraphDestroy(wild as CUgraph));
    }
    end(kept);
    ok!(cuStreamDestroy_v2(kept));
}

#[test]
fn calls_on_other_objects_during_a_capture() {
    let _alone = alone();
    let _context = Own::new();
    let (captured, other) = (stream(1), stream(1));
    let [event, reached] = [event(2), event(2)];
    ok!(cuEventRecord(reached, other));
    ok!(cuEventSynchronize(reached));
    let (graph, instantiate) = (graphs::create(), cuGraphInstantiateWithFlags);
    let exec = graphs::instantiate(graph);
    let (mut spare, mut made, mut memory) = (null_mut(), null_mut(), 0);
    // Whether an H200 (driver 580) rejects the call during a capture of the same thread.
    let calls: [(bool, &mut dyn FnMut() -> CUresult); 11] = [
        (true, &mut || call!(instantiate(&mut made, graph, 0))),
        (true, &mut || call!(cuGraphExecDestroy(exec))),
        (true, &mut || call!(cuEventQuery(reached))),
        (true, &mut || call!(cuEventSynchronize(reached))),
        (true, &mut || call!(cuStreamQuery(other))),
        (true, &mut || call!(cuStreamSynchronize(other))),
        (true, &mut || call!(cuMemAllocAsync(&mut memory, 64, other))),
        (false, &mut || call!(cuGraphCreate(&mut spare, 0))),
        (false, &mut || call!(cuGraphLaunch(exec, other))),
        (false, &mut || call!(cuGraphUpload(exec, other))),
        (false, &mut || call!(cuEventDestroy_v2(event))),
    ];
    for (number, (rejected, call)) in calls.into_iter().enumerate() {
        begin(captured, LOCAL);
        ends(captured, call(), rejected, &format!("call {number}"));
        // Queries and creating calls are allowed during a relaxed capture.
        if rejected && number != 1 {
            begin(captured, RELAXED);
            let code = call();
            let allowed = [SUCCESS, NOT_READY].contains(&code);
            assert!(allowed, "call {number}: {code:?}");
            end(captured);
        }
    }
    ok!(cuMemFreeAsync(memory, other));
    ok!(cuStreamSynchronize(other));
    for one in [exec, made] {
        ok!(cuGraphExecDestroy(one));
    }
    for one in [graph, spare] {
        ok!(cuGraphDestroy(one));
    }
    ok!(cuEventDestroy_v2(reached));
    ok!(cuStreamDestroy_v2(other));
    ok!(cuStreamDestroy_v2(captured));
}
