//! Changes of executable graphs: parameters of single nodes, and disabled nodes.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

fn set_copy(exec: CUgraphExec, node: CUgraphNode, copy: &CUDA_MEMCPY3D) -> CUresult {
    call!(cuGraphExecMemcpyNodeSetParams(exec, node, copy, context()))
}

fn set_fill(exec: CUgraphExec, node: CUgraphNode, fill: &CUDA_MEMSET_NODE_PARAMS) -> CUresult {
    call!(cuGraphExecMemsetNodeSetParams(exec, node, fill, context()))
}

unsafe extern "C" fn count(data: *mut c_void) {
    // SAFETY: The tests pass a counter that outlives the launch.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn every_node_type_accepts_new_parameters() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream) = (affine(), stream(1));
    let words = upload(&[1u32, 5, 0, 0]);
    let calls = [AtomicU32::new(0), AtomicU32::new(0)];
    let (one, other) = (event(0), event(0));
    begin(stream, GLOBAL);
    run(kernel, stream, words, 1, 2, 1);
    ok!(cuMemcpyDtoDAsync_v2(words + 8, words, 4, stream));
    ok!(cuMemsetD32Async(words + 12, 7, 1, stream));
    ok!(cuLaunchHostFunc(stream, Some(count), arg(&calls[0])));
    ok!(cuEventRecordWithFlags(one, stream, 1));
    ok!(cuStreamWaitEvent(stream, one, 1));
    let graph = end(stream);
    let exec = instantiate(graph);
    let found = nodes(graph);
    go(exec, stream);
    assert_eq!(download::<u32>(words, 4), [3, 5, 3, 7]);
    let mut params: CUDA_KERNEL_NODE_PARAMS = out!(cuGraphKernelNodeGetParams_v2(found[0], _));
    let (place, a, b) = (words + 4, 10u32, 2u32);
    let mut arguments = [arg(&place), arg(&a), arg(&b)];
    params.kernelParams = arguments.as_mut_ptr();
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, found[0], &params));
    let new = device_copy(words + 4, words + 8, 4, 1);
    assert_eq!(set_copy(exec, found[1], &new), SUCCESS);
    let new = fill(words + 12, 8, 1);
    assert_eq!(set_fill(exec, found[2], &new), SUCCESS);
    let new = CUDA_HOST_NODE_PARAMS {
        fn_: Some(count),
        userData: arg(&calls[1]),
    };
    ok!(cuGraphExecHostNodeSetParams(exec, found[3], &new));
    ok!(cuGraphExecEventRecordNodeSetEvent(exec, found[4], other));
    ok!(cuGraphExecEventWaitNodeSetEvent(exec, found[5], other));
    let gate = block(stream);
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuEventQuery(one));
    fails!(NOT_READY, cuEventQuery(other));
    gate.open();
    ok!(cuStreamSynchronize(stream));
    assert_eq!(download::<u32>(words, 4), [3, 52, 52, 8]);
    let called = calls.each_ref().map(|calls| calls.load(Ordering::SeqCst));
    assert_eq!(called, [1, 1]);
    // The graph itself is unchanged.
    play(graph, stream);
    assert_eq!(download::<u32>(words, 4), [7, 52, 7, 7]);
    // With the function for all types.
    let mut params: CUgraphNodeParams = filled(0);
    params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET;
    params.__bindgen_anon_1.memset = CUDA_MEMSET_NODE_PARAMS_v2 {
        dst: words + 12,
        value: 6,
        elementSize: 4,
        width: 1,
        height: 1,
        ..filled(0)
    };
    ok!(cuGraphExecNodeSetParams(exec, found[2], &mut params));
    invalid!(cuGraphExecNodeSetParams(exec, found[1], &mut params));
    go(exec, stream);
    assert_eq!(download::<u32>(words + 12, 1), [6]);
    let stale = found[3];
    ok!(cuGraphDestroyNode(stale));
    invalid!(cuGraphExecHostNodeSetParams(exec, stale, &new));
}

#[test]
fn invalid_changes_of_executable_nodes_are_rejected() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, other, words) = (create(), create(), alloc(64));
    let pinned = out!(cuMemAllocHost_v2(_, 64)) as CUdeviceptr;
    let flat = device_copy(words, words + 16, 4, 1);
    let node = add_copy(graph, &[], &flat);
    let rows = CUDA_MEMCPY3D {
        srcPitch: 8,
        dstPitch: 8,
        ..device_copy(words, words + 32, 4, 2)
    };
    let deep = add_copy(graph, &[], &rows);
    let (one, foreign) = (set(graph, &[], words, 1), set(other, &[], words, 1));
    let params = CUDA_MEMSET_NODE_PARAMS {
        pitch: 8,
        height: 2,
        ..fill(words, 1, 1)
    };
    let square = out!(cuGraphAddMemsetNode(
        _,
        graph,
        null(),
        0,
        &params,
        context()
    ));
    let exec = instantiate(graph);
    // Several rows, host memory, an empty copy, and a node of another graph.
    for (node, copy) in [
        (node, rows),
        (deep, rows),
        (node, device_copy(pinned, words, 4, 1)),
        (node, device_copy(words, words, 0, 1)),
    ] {
        assert_eq!(set_copy(exec, node, &copy), INVALID);
    }
    let narrow = CUDA_MEMSET_NODE_PARAMS {
        height: 3,
        ..params
    };
    for (node, fill) in [
        (foreign, fill(words, 2, 1)),
        (one, fill(pinned, 2, 1)),
        (one, params),
        (square, narrow),
    ] {
        assert_eq!(set_fill(exec, node, &fill), INVALID);
    }
    let moved = CUDA_MEMSET_NODE_PARAMS {
        dst: words + 8,
        value: 9,
        ..params
    };
    assert_eq!(set_fill(exec, square, &moved), SUCCESS);
    assert_eq!(set_fill(exec, one, &fill(words + 60, 2, 1)), SUCCESS);
    assert_eq!(set_fill(null_mut(), one, &fill(words, 2, 1)), INVALID);
    invalid!(cuGraphExecEventWaitNodeSetEvent(exec, one, event(0)));
    // A kernel of another context.
    let stream = stream(1);
    begin(stream, GLOBAL);
    run(affine(), stream, words, 1, 1, 1);
    let kernels = end(stream);
    let launch = nodes(kernels)[0];
    let exec = instantiate(kernels);
    let params: CUDA_KERNEL_NODE_PARAMS = out!(cuGraphKernelNodeGetParams_v2(launch, _));
    let elsewhere = Own::new();
    let foreign = CUDA_KERNEL_NODE_PARAMS {
        func: affine(),
        ..params
    };
    invalid!(cuGraphExecKernelNodeSetParams_v2(exec, launch, &foreign));
    drop(elsewhere);
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, launch, &params));
}

#[test]
fn nodes_are_disabled_and_enabled() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, stream, words) = (create(), stream(1), upload(&[0u32; 2]));
    let first = set(graph, &[], words, 1);
    let second = set(graph, &[first], words + 4, 2);
    let empty = out!(cuGraphAddEmptyNode(_, graph, null(), 0));
    let exec = instantiate(graph);
    let enabled = |node| out!(cuGraphNodeGetEnabled(exec, node, _));
    assert_eq!((enabled(first), enabled(second)), (1, 1));
    ok!(cuGraphNodeSetEnabled(exec, first, 0));
    assert_eq!((enabled(first), enabled(second)), (0, 1));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [0, 2]);
    // A disabled node keeps its parameters and accepts new ones.
    assert_eq!(set_fill(exec, first, &fill(words, 5, 1)), SUCCESS);
    assert_eq!(enabled(first), 0);
    ok!(cuGraphNodeSetEnabled(exec, first, 3));
    assert_eq!(enabled(first), 1);
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [5, 2]);
    invalid!(cuGraphNodeSetEnabled(exec, empty, 0));
    invalid!(cuGraphNodeGetEnabled(exec, empty, &mut 0));
    invalid!(cuGraphNodeSetEnabled(exec, null_mut(), 0));
    invalid!(cuGraphNodeGetEnabled(exec, first, null_mut()));
}
