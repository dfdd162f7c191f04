//! Captures of streams that record work: the resulting graph, forks and joins of streams, and
//! launches.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use cuda_emulator_checks::pools::location;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

const KERNEL: CUgraphNodeType = CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;
const MEMCPY: CUgraphNodeType = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMCPY;
const MEMSET: CUgraphNodeType = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET;
const HOST: CUgraphNodeType = CUgraphNodeType::CU_GRAPH_NODE_TYPE_HOST;
const RECORD: CUgraphNodeType = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EVENT_RECORD;
const WAIT: CUgraphNodeType = CUgraphNodeType::CU_GRAPH_NODE_TYPE_WAIT_EVENT;
const BATCH: CUgraphNodeType = CUgraphNodeType::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;

#[test]
fn captured_work_runs_at_launch() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream) = (affine(), stream(1));
    let address = upload(&[1u32, 2, 3, 4]);
    begin(stream, GLOBAL);
    // The arguments are read at the call.
    run(kernel, stream, address, 4, 10, 1);
    run(kernel, stream, address, 2, 3, 0);
    let graph = end(stream);
    assert_eq!(kinds(graph), [KERNEL, KERNEL]);
    assert_eq!(edges(graph), [(0, 1)]);
    assert_eq!(download::<u32>(address, 4), [1, 2, 3, 4], "only recorded");
    let exec = instantiate(graph);
    // Later changes of the graph do not affect the executable graph.
    ok!(cuGraphDestroy(graph));
    invalid!(cuGraphDestroy(graph));
    for expected in [[33, 63, 31, 41], [993, 1893, 311, 411]] {
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(download::<u32>(address, 4), expected);
    }
    ok!(cuGraphUpload(exec, stream));
    ok!(cuGraphExecDestroy(exec));
    invalid!(cuGraphExecDestroy(exec));
    invalid!(cuGraphLaunch(exec, stream));
    invalid!(cuGraphUpload(exec, stream));
    for wild in WILD {
        invalid!(cuGraphLaunch(wild as CUgraphExec, stream));
        let mut exec = null_mut();
        invalid!(cuGraphInstantiateWithFlags(&mut exec, wild as CUgraph, 0));
    }
}

#[test]
fn every_kind_of_copy_and_fill_is_recorded() {
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    let (from, to) = (upload(&[1u8, 2, 3, 4, 5, 6, 7, 8]), alloc(64));
    let mut host = [9u8; 8];
    let mut back = vec![0u8; 64];
    ok!(cuMemsetD8_v2(to, 0, 64));
    begin(stream, GLOBAL);
    ok!(cuMemsetD8Async(to, 1, 4, stream));
    ok!(cuMemsetD16Async(to + 4, 0x0202, 2, stream));
    ok!(cuMemsetD32Async(to + 8, 0x0303_0303, 1, stream));
    ok!(cuMemsetD2D8Async(to + 12, 2, 4, 1, 2, stream));
    ok!(cuMemsetD2D16Async(to + 16, 4, 0x0505, 1, 2, stream));
    ok!(cuMemsetD2D32Async(to + 24, 8, 0x0606_0606, 1, 2, stream));
    let from_host = host.as_ptr().cast();
    ok!(cuMemcpyHtoDAsync_v2(to + 40, from_host, 8, stream));
    ok!(cuMemcpyDtoDAsync_v2(to + 48, from, 4, stream));
    ok!(cuMemcpyAsync(to + 52, from + 4, 4, stream));
    ok!(cuMemcpyAsync(to + 56, from, 2, stream));
    let flat = CUDA_MEMCPY2D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcDevice: from,
        srcPitch: 4,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstDevice: to + 58,
        dstPitch: 2,
        WidthInBytes: 2,
        Height: 2,
        ..filled(0)
    };
    ok!(cuMemcpy2DAsync_v2(&flat, stream));
    let deep = CUDA_MEMCPY3D {
        srcPitch: 1,
        srcHeight: 4,
        dstPitch: 1,
        dstHeight: 1,
        Depth: 2,
        ..device_copy(from, to + 62, 1, 1)
    };
    ok!(cuMemcpy3DAsync_v2(&deep, stream));
    let to_host = back.as_mut_ptr().cast();
    ok!(cuMemcpyDtoHAsync_v2(to_host, to, 64, stream));
    let graph = end(stream);
    let mut expected = vec![MEMSET; 6];
    expected.extend([MEMCPY; 7]);
    assert_eq!(kinds(graph), expected);
    let chain: Vec<_> = (1..13).map(|at| (at - 1, at)).collect();
    assert_eq!(edges(graph), chain);
    assert_eq!(back, [0; 64]);
    // Pageable memory is read at the launch.
    host.fill(7);
    play(graph, stream);
    let mut expected = vec![1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 0, 4, 0];
    expected.extend([5, 5, 0, 0, 5, 5, 0, 0]);
    expected.extend([6, 6, 6, 6, 0, 0, 0, 0].repeat(2));
    expected.extend([7; 8]);
    expected.extend([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 1, 2, 5, 6, 1, 5]);
    assert_eq!(back, expected);
    ok!(cuGraphDestroy(graph));
}

#[test]
fn streams_fork_and_join() {
    let _alone = alone();
    let _context = Own::new();
    let kernel = affine();
    let (first, second) = (stream(1), stream(1));
    let (fork, join) = (event(0), event(0));
    let (a, b) = (upload(&[1u32]), upload(&[2u32]));
    let sum = alloc(8);
    begin(first, GLOBAL);
    run(kernel, first, a, 1, 2, 1);
    ok!(cuEventRecord(fork, first));
    assert_eq!(status(second), 0);
    ok!(cuStreamWaitEvent(second, fork, 0));
    assert_eq!(status(second), 1);
    run(kernel, second, b, 1, 3, 1);
    run(kernel, first, a, 1, 2, 1);
    ok!(cuEventRecord(join, second));
    ok!(cuStreamWaitEvent(first, join, 0));
    ok!(cuMemcpyDtoDAsync_v2(sum, a, 4, first));
    ok!(cuMemcpyDtoDAsync_v2(sum + 4, b, 4, first));
    let graph = end(first);
    assert_eq!(status(second), 0);
    assert_eq!(kinds(graph), [KERNEL, KERNEL, KERNEL, MEMCPY, MEMCPY]);
    assert_eq!(edges(graph), [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]);
    let mut count = 3;
    let mut roots = [null_mut(); 3];
    ok!(cuGraphGetRootNodes(graph, roots.as_mut_ptr(), &mut count));
    assert_eq!((count, roots[1], roots[2]), (1, null_mut(), null_mut()));
    let all = nodes(graph);
    assert_eq!(roots[0], all[0]);
    let mut found = [null_mut(); 2];
    let (to, no, mut count) = (found.as_mut_ptr(), null_mut(), 2);
    ok!(cuGraphNodeGetDependencies_v2(all[3], to, no, &mut count));
    found.sort_unstable();
    let mut expected = [all[1], all[2]];
    expected.sort_unstable();
    assert_eq!((found, count), (expected, 2));
    let dependents = cuGraphNodeGetDependentNodes_v2;
    assert_eq!(out!(dependents(all[0], null_mut(), no, _)), 2);
    // Room for one of two nodes.
    count = 1;
    ok!(dependents(all[0], found.as_mut_ptr(), no, &mut count));
    assert_eq!((found[0], count), (all[1], 1));
    play(graph, second);
    assert_eq!(download::<u32>(sum, 2), [7, 7]);
    ok!(cuGraphDestroy(graph));
    let mut kind = KERNEL;
    invalid!(cuGraphNodeGetType(all[0], &mut kind));
    // Both streams can be used again.
    run(kernel, second, a, 1, 0, 5);
    ok!(cuStreamSynchronize(second));
    assert_eq!(download::<u32>(a, 1), [5]);
}

#[test]
fn unjoined_work_fails_the_capture() {
    let _alone = alone();
    let _context = Own::new();
    let (first, second) = (stream(1), stream(1));
    let (fork, join) = (event(0), event(0));
    let a = alloc(4);
    let forked = || {
        begin(first, GLOBAL);
        ok!(cuEventRecord(fork, first));
        ok!(cuStreamWaitEvent(second, fork, 0));
    };
    // Nothing was captured in the other stream.
    forked();
    ok!(cuGraphDestroy(end(first)));
    forked();
    ok!(cuMemsetD32Async(a, 1, 1, second));
    end_with(first, STREAM_CAPTURE_UNJOINED);
    assert_eq!(status(second), 0);
    // Joined, followed by further work.
    forked();
    ok!(cuMemsetD32Async(a, 1, 1, second));
    ok!(cuEventRecord(join, second));
    ok!(cuStreamWaitEvent(first, join, 0));
    ok!(cuMemsetD32Async(a, 1, 1, second));
    end_with(first, STREAM_CAPTURE_UNJOINED);
    // Work captured in a stream remains after the stream is destroyed.
    forked();
    ok!(cuMemsetD32Async(a, 1, 1, second));
    ok!(cuStreamDestroy_v2(second));
    end_with(first, STREAM_CAPTURE_UNJOINED);
}

#[test]
fn captures_are_isolated() {
    let _alone = alone();
    let _context = Own::new();
    let (first, second, outside) = (stream(1), stream(1), stream(1));
    let (one, other) = (event(0), event(0));
    let a = alloc(4);
    // Work from outside the capture.
    ok!(cuEventRecord(one, outside));
    begin(first, GLOBAL);
    fails!(STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(first, one, 0));
    assert_eq!(status(first), 2);
    fails!(STREAM_CAPTURE_INVALIDATED, cuMemsetD32Async(a, 1, 1, first));
    end_with(first, STREAM_CAPTURE_INVALIDATED);
    // Another capture.
    begin(first, RELAXED);
    begin(second, RELAXED);
    ok!(cuEventRecord(one, first));
    fails!(STREAM_CAPTURE_MERGE, cuStreamWaitEvent(second, one, 0));
    end_with(first, STREAM_CAPTURE_INVALIDATED);
    end_with(second, STREAM_CAPTURE_INVALIDATED);
    // An event of a capture that no stream waits for.
    for ended in [false, true] {
        begin(first, RELAXED);
        ok!(cuEventRecord(other, first));
        if ended {
            ok!(cuGraphDestroy(end(first)));
        }
        // As on an H200 (driver 580), also below.
        if ended {
            invalid!(cuEventQuery(other));
            invalid!(cuEventSynchronize(other));
            invalid!(cuEventElapsedTime_v2(&mut 0.0, other, other));
        } else {
            let time = result!(cuEventElapsedTime_v2(_, other, other));
            assert_eq!(time, Err(CAPTURED_EVENT));
            assert_eq!(status(first), 1, "the capture stays valid");
            fails!(CAPTURED_EVENT, cuEventQuery(other));
            fails!(CAPTURED_EVENT, cuEventSynchronize(other));
            end_with(first, STREAM_CAPTURE_INVALIDATED);
        }
        invalid!(cuStreamWaitEvent(outside, other, 0));
    }
    // A capture can only be ended on the stream that it began on.
    begin(first, RELAXED);
    ok!(cuEventRecord(one, first));
    ok!(cuStreamWaitEvent(second, one, 0));
    let ended = result!(cuStreamEndCapture(second, _));
    assert_eq!(ended, Err(STREAM_CAPTURE_UNMATCHED));
    assert_eq!((status(first), status(second)), (2, 2));
    end_with(first, STREAM_CAPTURE_INVALIDATED);
    // After a new record, the event refers to the new work.
    ok!(cuEventRecord(other, outside));
    ok!(cuEventSynchronize(other));
}

#[test]
fn legacy_default_stream_work_invalidates_captures() {
    let _alone = alone();
    let _context = Own::new();
    let (blocking, apart) = (stream(0), stream(1));
    let a = alloc(4);
    begin(blocking, RELAXED);
    let status_of_null = result!(cuStreamIsCapturing(null_mut(), _));
    assert_eq!(status_of_null, Err(STREAM_CAPTURE_IMPLICIT));
    let (no, none, info) = (null_mut(), null_mut(), cuStreamGetCaptureInfo_v3);
    let info = result!(info(
        null_mut(),
        _,
        null_mut(),
        no,
        null_mut(),
        null_mut(),
        none
    ));
    assert_eq!(info, Err(STREAM_CAPTURE_IMPLICIT));
    let found = status(blocking);
    assert_eq!(found, 1, "a query does not invalidate the capture");
    fails!(STREAM_CAPTURE_IMPLICIT, cuMemsetD32_v2(a, 1, 1));
    end_with(blocking, STREAM_CAPTURE_INVALIDATED);
    // A stream that does not wait for it.
    begin(apart, RELAXED);
    ok!(cuMemsetD32_v2(a, 1, 1));
    let event = event(0);
    ok!(cuEventRecord(event, apart));
    let code = call!(cuStreamWaitEvent(null_mut(), event, 0));
    assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED);
    end_with(apart, STREAM_CAPTURE_INVALIDATED);
}

#[test]
fn unsupported_calls_are_rejected() {
    unsafe extern "C" fn nothing(_: CUstream, _: CUresult, _: *mut c_void) {}
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    let managed = out!(cuMemAllocManaged(_, 64, 1));
    let assert_rejected = |code: CUresult| {
        assert_eq!(code, STREAM_CAPTURE_UNSUPPORTED);
        end_with(stream, STREAM_CAPTURE_INVALIDATED);
        begin(stream, RELAXED);
    };
    begin(stream, RELAXED);
    let (callback, place) = (Some(nothing as _), location(0));
    assert_rejected(call!(cuStreamAddCallback(stream, callback, null_mut(), 0)));
    assert_rejected(call!(cuStreamAttachMemAsync(stream, managed, 0, 1)));
    assert_rejected(call!(cuMemPrefetchAsync_v2(managed, 64, place, 0, stream)));
    ok!(cuGraphDestroy(end(stream)));
}

static CALLS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn count(data: *mut c_void) {
    CALLS.fetch_add(data as u32, Ordering::SeqCst);
}

#[test]
fn host_functions_events_and_words_are_recorded() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, other) = (stream(1), stream(1));
    let (inner, outer) = (event(0), event(0));
    let word = upload(&[0u32]);
    fails!(ILLEGAL_STATE, cuEventRecordWithFlags(outer, stream, 1));
    fails!(ILLEGAL_STATE, cuStreamWaitEvent(stream, outer, 1));
    begin(stream, GLOBAL);
    ok!(cuStreamWaitEvent(stream, inner, 1));
    ok!(cuLaunchHostFunc(stream, Some(count), 5 as *mut c_void));
    ok!(cuStreamWriteValue32_v2(stream, word, 3, 0));
    ok!(cuEventRecordWithFlags(outer, stream, 1));
    let graph = end(stream);
    assert_eq!(kinds(graph), [WAIT, HOST, BATCH, RECORD]);
    let exec = instantiate(graph);
    // The event that the graph waits for is recorded by other work.
    let gate = block(other);
    ok!(cuEventRecord(inner, other));
    ok!(cuGraphLaunch(exec, stream));
    fails!(NOT_READY, cuEventQuery(outer));
    assert_eq!(CALLS.load(Ordering::SeqCst), 0);
    gate.open();
    ok!(cuEventSynchronize(outer));
    assert_eq!(CALLS.load(Ordering::SeqCst), 5);
    assert_eq!(download::<u32>(word, 1), [3]);
    // The state of the event at the launch counts. Work that is enqueued on the other stream later
    // waits for this launch.
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamWaitEvent(other, outer, 0));
    ok!(cuEventRecord(inner, other));
    ok!(cuStreamSynchronize(other));
    assert_eq!(CALLS.load(Ordering::SeqCst), 10);
}
