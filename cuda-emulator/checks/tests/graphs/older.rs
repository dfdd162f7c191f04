//! Older versions of the graph functions, which programs for CUDA 10 to 12 use, and memory
//! operations as nodes.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::{c_char, c_uint};
use std::ptr::{null, null_mut};

unsafe extern "C" {
    fn cuStreamBeginCapture(stream: CUstream) -> CUresult;
    fn cuStreamGetCaptureInfo(
        stream: CUstream,
        status: *mut CUstreamCaptureStatus,
        id: *mut u64,
    ) -> CUresult;
    fn cuStreamGetCaptureInfo_v2(
        stream: CUstream,
        status: *mut CUstreamCaptureStatus,
        id: *mut u64,
        graph: *mut CUgraph,
        nodes: *mut *const CUgraphNode,
        count: *mut usize,
    ) -> CUresult;
    fn cuStreamUpdateCaptureDependencies(
        stream: CUstream,
        nodes: *mut CUgraphNode,
        count: usize,
        flags: c_uint,
    ) -> CUresult;
    fn cuGraphAddDependencies(
        graph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        count: usize,
    ) -> CUresult;
    fn cuGraphRemoveDependencies(
        graph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        count: usize,
    ) -> CUresult;
    fn cuGraphGetEdges(
        graph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        count: *mut usize,
    ) -> CUresult;
    fn cuGraphNodeGetDependencies(
        node: CUgraphNode,
        found: *mut CUgraphNode,
        count: *mut usize,
    ) -> CUresult;
    fn cuGraphNodeGetDependentNodes(
        node: CUgraphNode,
        found: *mut CUgraphNode,
        count: *mut usize,
    ) -> CUresult;
    fn cuGraphInstantiate_v2(
        exec: *mut CUgraphExec,
        graph: CUgraph,
        error: *mut CUgraphNode,
        log: *mut c_char,
        size: usize,
    ) -> CUresult;
    fn cuGraphExecUpdate(
        exec: CUgraphExec,
        graph: CUgraph,
        error: *mut CUgraphNode,
        result: *mut CUgraphExecUpdateResult,
    ) -> CUresult;
    fn cuGraphKernelNodeGetParams(
        node: CUgraphNode,
        params: *mut CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
    fn cuGraphKernelNodeSetParams(
        node: CUgraphNode,
        params: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
    fn cuGraphAddKernelNode(
        node: *mut CUgraphNode,
        graph: CUgraph,
        on: *const CUgraphNode,
        count: usize,
        params: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
    fn cuGraphExecKernelNodeSetParams(
        exec: CUgraphExec,
        node: CUgraphNode,
        params: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
}

#[test]
fn captures_and_edges() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, word) = (stream(1), alloc(4));
    ok!(cuStreamBeginCapture(stream));
    ok!(cuMemsetD32Async(word, 1, 1, stream));
    let (mut status, mut id) = (CUstreamCaptureStatus(9), 0);
    ok!(cuStreamGetCaptureInfo(stream, &mut status, &mut id));
    assert_eq!(status.0, 1);
    let (mut same, mut graph, mut front, mut count) = (0, null_mut(), null(), 0);
    let (id_to, graph_to, nodes_to) = (&raw mut same, &raw mut graph, &raw mut front);
    let get = cuStreamGetCaptureInfo_v2;
    ok!(get(
        stream,
        &mut status,
        id_to,
        graph_to,
        nodes_to,
        &mut count
    ));
    assert_eq!((same, count), (id, 1));
    ok!(cuStreamUpdateCaptureDependencies(stream, null_mut(), 0, 1));
    ok!(cuMemsetD32Async(word, 2, 1, stream));
    assert_eq!(end(stream), graph);
    let found = nodes(graph);
    let (mut from, mut to) = (null_mut(), null_mut());
    ok!(cuGraphAddDependencies(graph, &found[1], &found[0], 1));
    count = 1;
    ok!(cuGraphGetEdges(graph, &mut from, &mut to, &mut count));
    assert_eq!((from, to), (found[1], found[0]));
    ok!(cuGraphNodeGetDependencies(found[0], &mut from, &mut count));
    ok!(cuGraphNodeGetDependentNodes(found[1], &mut to, &mut count));
    assert_eq!((from, to), (found[1], found[0]));
    play(graph, stream);
    assert_eq!(download::<u32>(word, 1), [1]);
    ok!(cuGraphRemoveDependencies(graph, &found[1], &found[0], 1));
    assert!(edges(graph).is_empty());
}

#[test]
fn kernels_and_executable_graphs() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[1u32]));
    begin(stream, GLOBAL);
    run(kernel, stream, word, 1, 2, 0);
    let graph = end(stream);
    let first = nodes(graph)[0];
    let mut params: CUDA_KERNEL_NODE_PARAMS_v1 = out!(cuGraphKernelNodeGetParams(first, _));
    let node = out!(cuGraphAddKernelNode(_, graph, &first, 1, &params));
    let (mut log, mut error) = ([7 as c_char; 4], null_mut());
    let place = log.as_mut_ptr();
    let exec = out!(cuGraphInstantiate_v2(_, graph, &mut error, place, 4));
    assert_eq!((error, log[0]), (null_mut(), 0));
    go(exec, stream);
    assert_eq!(download::<u32>(word, 1), [4]);
    let three = 3u32;
    let mut arguments = [arg(&word), arg(&three), arg(&0u32)];
    params.kernelParams = arguments.as_mut_ptr();
    ok!(cuGraphExecKernelNodeSetParams(exec, first, &params));
    go(exec, stream);
    assert_eq!(download::<u32>(word, 1), [24]);
    ok!(cuGraphKernelNodeSetParams(node, &params));
    let mut result = out!(cuGraphExecUpdate(exec, graph, &mut error, _));
    assert_eq!((result.0, error), (0, null_mut()));
    go(exec, stream);
    assert_eq!(download::<u32>(word, 1), [24 * 2 * 3]);
    ok!(cuGraphDestroyNode(node));
    let code = call!(cuGraphExecUpdate(exec, graph, &mut error, &mut result));
    assert_eq!(code, GRAPH_EXEC_UPDATE_FAILURE);
    assert_eq!(result.0, 2);
}

#[test]
fn memory_operations_can_be_nodes() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, graph, words) = (stream(1), create(), upload(&[5u32, 0, 0]));
    let context = out!(cuCtxGetCurrent(_));
    let operation = |kind: u32, place: usize, value: u64| {
        let mut operation: CUstreamBatchMemOpParams = filled(0);
        operation.writeValue.operation = CUstreamBatchMemOpType(kind);
        operation.writeValue.address = words + 4 * place as CUdeviceptr;
        operation.writeValue.__bindgen_anon_1.value64 = value;
        operation
    };
    // Waits for the value 5, then writes.
    let mut operations = [operation(1, 0, 5), operation(2, 1, 7)];
    let mut params: CUDA_BATCH_MEM_OP_NODE_PARAMS = filled(0);
    (params.ctx, params.count) = (context, 2);
    params.paramArray = operations.as_mut_ptr();
    let mut node = out!(cuGraphAddBatchMemOpNode(_, graph, null(), 0, &params));
    let exec = instantiate(graph);
    go(exec, stream);
    assert_eq!(download::<u32>(words, 3), [5, 7, 0]);
    let got: CUDA_BATCH_MEM_OP_NODE_PARAMS = out!(cuGraphBatchMemOpNodeGetParams(node, _));
    assert_eq!((got.count, got.flags, got.ctx), (2, 0, context));
    // Addresses and values can change, but not the operations.
    operations[1] = operation(2, 2, 8);
    params.paramArray = operations.as_mut_ptr();
    ok!(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 3), [5, 7, 8]);
    operations[1] = operation(1, 2, 8);
    params.paramArray = operations.as_mut_ptr();
    invalid!(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    params.count = 1;
    invalid!(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    ok!(cuGraphBatchMemOpNodeSetParams(node, &params));
    params.count = 256;
    invalid!(cuGraphBatchMemOpNodeSetParams(node, &params));
    (params.count, params.flags) = (1, 1);
    invalid!(cuGraphAddBatchMemOpNode(
        &mut node,
        graph,
        null(),
        0,
        &params
    ));
}
