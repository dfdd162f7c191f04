//! Captures of streams: their states, and the calls that they forbid. The expected results are
//! those of an H200 (driver 580). `capture.rs` tests the recorded work.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::alone;
use std::ptr::null_mut;

const GLOBAL: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
const LOCAL: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

fn status(stream: CUstream) -> u32 {
    let mut status = CUstreamCaptureStatus(9);
    ok!(cuStreamIsCapturing(stream, &mut status));
    status.0
}

fn begin(stream: CUstream, mode: CUstreamCaptureMode) {
    ok!(cuStreamBeginCapture_v2(stream, mode));
    assert_eq!(status(stream), 1);
}

/// Ends a capture that succeeds.
fn end(stream: CUstream) {
    let mut graph = null_mut();
    ok!(cuStreamEndCapture(stream, &mut graph));
    assert!(!graph.is_null());
    ok!(cuGraphDestroy(graph));
    fails!(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
    assert_eq!(status(stream), 0);
}

/// Ends an invalidated capture.
fn end_invalid(stream: CUstream) {
    assert_eq!(status(stream), 2);
    let mut graph = 8 as CUgraph;
    fails!(
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
        cuStreamEndCapture(stream, &mut graph)
    );
    assert!(graph.is_null());
    assert_eq!(status(stream), 0);
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
    let mut graph = null_mut();
    assert_eq!(status(stream), 0);
    fails!(
        CUDA_ERROR_ILLEGAL_STATE,
        cuStreamEndCapture(stream, &mut graph)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(3))
    );
    begin(stream, GLOBAL);
    fails!(
        CUDA_ERROR_ILLEGAL_STATE,
        cuStreamBeginCapture_v2(stream, GLOBAL)
    );
    end(stream);
    fails!(
        CUDA_ERROR_ILLEGAL_STATE,
        cuStreamEndCapture(stream, &mut graph)
    );
    fails!(
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        cuStreamBeginCapture_v2(null_mut(), GLOBAL)
    );
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
    let handle = stream as usize;
    let elsewhere = move |expected: CUresult| {
        std::thread::spawn(move || {
            let mut graph = null_mut();
            // SAFETY: The stream is live, and `graph` is valid for writes.
            let code = unsafe { cuStreamEndCapture(handle as CUstream, &mut graph) };
            assert_eq!(code, expected);
            graph as usize
        })
        .join()
        .unwrap()
    };
    let mut context = null_mut();
    ok!(cuCtxGetCurrent(&mut context));
    for mode in [GLOBAL, LOCAL] {
        begin(stream, mode);
        // The thread has no current context.
        elsewhere(CUresult::CUDA_ERROR_INVALID_CONTEXT);
        end(stream);
    }
    let context = context as usize;
    let with_context = move |expected: CUresult| {
        std::thread::spawn(move || {
            ok!(cuCtxSetCurrent(context as CUcontext));
            let mut graph = null_mut();
            // SAFETY: The stream is live, and `graph` is valid for writes.
            let code = unsafe { cuStreamEndCapture(handle as CUstream, &mut graph) };
            assert_eq!(code, expected);
            if !graph.is_null() {
                ok!(cuGraphDestroy(graph));
            }
        })
        .join()
        .unwrap();
    };
    for mode in [GLOBAL, LOCAL] {
        begin(stream, mode);
        with_context(CUresult::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        end(stream);
    }
    begin(stream, RELAXED);
    with_context(CUresult::CUDA_SUCCESS);
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
        fails!(
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            cuStreamSynchronize(stream)
        );
        end_invalid(stream);
        begin(stream, mode);
        fails!(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(stream));
        end_invalid(stream);
        begin(stream, mode);
        fails!(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuCtxSynchronize());
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
            let expected = match forbidden {
                true => CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                false => CUresult::CUDA_SUCCESS,
            };
            assert_eq!(code, expected, "{what} in mode {mode:?}");
            match forbidden {
                true => end_invalid(captured),
                false => end(captured),
            }
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
    let mut pinned = null_mut();
    ok!(cuMemHostAlloc(&mut pinned, 4, 0));
    let mut ordered = 0;
    ok!(cuMemAllocAsync(&mut ordered, 4, other));
    begin(captured, GLOBAL);
    fails!(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemFree_v2(address));
    fails!(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemFreeHost(pinned));
    fails!(
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        cuMemFreeAsync(ordered, other)
    );
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
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuThreadExchangeStreamCaptureMode(&mut wrong)
    );
    begin(captured, GLOBAL);
    ok!(cuStreamSynchronize(other));
    end(captured);
    assert_eq!(exchange(GLOBAL), RELAXED);

    // A capture of another thread.
    let mut context = null_mut();
    ok!(cuCtxGetCurrent(&mut context));
    let (context, handle, theirs) = (context as usize, captured as usize, other as usize);
    let wait_elsewhere = move |mode: CUstreamCaptureMode| {
        std::thread::spawn(move || {
            ok!(cuCtxSetCurrent(context as CUcontext));
            exchange(mode);
            // SAFETY: The stream is live.
            unsafe { cuStreamSynchronize(theirs as CUstream) }
        })
        .join()
        .unwrap()
    };
    let captured = handle as CUstream;
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
        match forbidden {
            true => {
                assert_eq!(code, CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
                end_invalid(captured);
            }
            false => {
                assert_eq!(code, CUresult::CUDA_SUCCESS, "{mode:?}, {thread:?}");
                end(captured);
            }
        }
    }
    // A thread's own capture also restricts it in thread-local mode.
    exchange(LOCAL);
    for (mode, forbidden) in [(LOCAL, true), (GLOBAL, true), (RELAXED, false)] {
        begin(captured, mode);
        // SAFETY: The stream is live.
        let code = unsafe { cuStreamSynchronize(other) };
        assert_eq!(code != CUresult::CUDA_SUCCESS, forbidden, "{mode:?}");
        if forbidden {
            end_invalid(captured)
        } else {
            end(captured)
        }
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
    let mut graph = null_mut();
    begin(kept, RELAXED);
    begin(other, RELAXED);
    end(other);
    assert_eq!((status(kept), status(other)), (1, 0));
    begin(other, RELAXED);
    ok!(cuStreamDestroy_v2(other));
    assert_eq!(status(kept), 1);
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamEndCapture(kept, null_mut())
    );
    assert_eq!(status(kept), 1, "a rejected call ends nothing");
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamIsCapturing(kept, null_mut())
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuThreadExchangeStreamCaptureMode(null_mut())
    );
    for wild in WILD {
        let wild = wild as CUstream;
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuStreamBeginCapture_v2(wild, GLOBAL)
        );
        fails!(
            CUDA_ERROR_INVALID_HANDLE,
            cuStreamEndCapture(wild, &mut graph)
        );
        fails!(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(wild as CUgraph));
    }
    end(kept);
    ok!(cuStreamDestroy_v2(kept));
}

#[test]
fn calls_on_other_objects_during_a_capture() {
    let _alone = alone();
    let _context = Own::new();
    let (captured, other) = (stream(1), stream(1));
    let (mut event, mut reached) = (null_mut(), null_mut());
    ok!(cuEventCreate(&mut event, 2));
    ok!(cuEventCreate(&mut reached, 2));
    ok!(cuEventRecord(reached, other));
    ok!(cuEventSynchronize(reached));
    let mut graph = null_mut();
    ok!(cuGraphCreate(&mut graph, 0));
    let mut exec = null_mut();
    ok!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    let mut spare = null_mut();
    let mut made = null_mut();
    let mut memory = 0;
    // Whether an H200 (driver 580) rejects the call during a capture of the same thread.
    let mut calls: Vec<(bool, Box<dyn FnMut() -> CUresult>)> = vec![
        (
            true,
            // SAFETY: Here and below, the objects are live, and the pointers are valid for writes.
            Box::new(|| unsafe { cuGraphInstantiateWithFlags(&mut made, graph, 0) }),
        ),
        // SAFETY: as above.
        (true, Box::new(|| unsafe { cuGraphExecDestroy(exec) })),
        // SAFETY: as above.
        (true, Box::new(|| unsafe { cuEventQuery(reached) })),
        // SAFETY: as above.
        (true, Box::new(|| unsafe { cuEventSynchronize(reached) })),
        // SAFETY: as above.
        (true, Box::new(|| unsafe { cuStreamQuery(other) })),
        // SAFETY: as above.
        (true, Box::new(|| unsafe { cuStreamSynchronize(other) })),
        (
            true,
            // SAFETY: as above.
            Box::new(|| unsafe { cuMemAllocAsync(&mut memory, 64, other) }),
        ),
        // SAFETY: as above.
        (false, Box::new(|| unsafe { cuGraphCreate(&mut spare, 0) })),
        // SAFETY: as above.
        (false, Box::new(|| unsafe { cuGraphLaunch(exec, other) })),
        // SAFETY: as above.
        (false, Box::new(|| unsafe { cuGraphUpload(exec, other) })),
        // SAFETY: as above.
        (false, Box::new(|| unsafe { cuEventDestroy_v2(event) })),
    ];
    for (number, (rejected, call)) in calls.iter_mut().enumerate() {
        begin(captured, LOCAL);
        let code = call();
        if *rejected {
            let unsupported = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
            assert_eq!(code, unsupported, "call {number}");
            end_invalid(captured);
        } else {
            assert_eq!(code, CUresult::CUDA_SUCCESS, "call {number}");
            end(captured);
        }
        // Queries and creating calls are allowed during a relaxed capture.
        if *rejected && number != 1 {
            begin(captured, RELAXED);
            let code = call();
            assert!(
                [CUresult::CUDA_SUCCESS, CUresult::CUDA_ERROR_NOT_READY].contains(&code),
                "call {number}: {code:?}"
            );
            end(captured);
        }
    }
    drop(calls);
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
