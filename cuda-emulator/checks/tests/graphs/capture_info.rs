//! Queries and changes during a capture, and captures into existing graphs.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ptr::{null, null_mut};

/// The results of `cuStreamGetCaptureInfo`.
struct Info {
    status: u32,
    id: u64,
    graph: CUgraph,
    front: Vec<CUgraphNode>,
}

fn info(stream: CUstream) -> Info {
    let (mut status, mut id, mut graph) = (CUstreamCaptureStatus(9), 0, null_mut());
    let (mut nodes, mut data, mut count) = (null(), null(), 0);
    ok!(cuStreamGetCaptureInfo_v3(
        stream,
        &mut status,
        &mut id,
        &mut graph,
        &mut nodes,
        &mut data,
        &mut count
    ));
    let front = match count {
        0 => Vec::new(),
        // SAFETY: The driver returned this number of nodes.
        _ => unsafe { std::slice::from_raw_parts(nodes, count) }.to_vec(),
    };
    Info {
        status: status.0,
        id,
        graph,
        front,
    }
}

#[test]
fn capture_dependencies_can_be_read_and_set() {
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    let a = alloc(4);
    assert_eq!(info(stream).status, 0);
    let no = null_mut();
    fails!(
        CUDA_ERROR_ILLEGAL_STATE,
        cuStreamUpdateCaptureDependencies_v2(stream, no, null(), 0, 1)
    );
    begin(stream, GLOBAL);
    let start = info(stream);
    assert_eq!((start.status, start.front.len()), (1, 0));
    ok!(cuMemsetD32Async(a, 1, 1, stream));
    let one = info(stream);
    assert_eq!((one.id, one.graph), (start.id, start.graph));
    assert_eq!(one.front, nodes(one.graph));
    // The next node has no dependencies, and the one after it depends on both.
    ok!(cuStreamUpdateCaptureDependencies_v2(
        stream,
        null_mut(),
        null(),
        0,
        1
    ));
    assert!(info(stream).front.is_empty());
    ok!(cuMemsetD32Async(a, 2, 1, stream));
    let mut front = one.front.clone();
    ok!(cuStreamUpdateCaptureDependencies_v2(
        stream,
        front.as_mut_ptr(),
        null(),
        1,
        0
    ));
    assert_eq!(info(stream).front.len(), 2);
    ok!(cuMemsetD32Async(a, 3, 1, stream));
    let mut wild = [8 as CUgraphNode];
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamUpdateCaptureDependencies_v2(stream, wild.as_mut_ptr(), null(), 1, 0)
    );
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamUpdateCaptureDependencies_v2(stream, front.as_mut_ptr(), null(), 1, 2)
    );
    // The graph does not belong to the client yet.
    fails!(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(one.graph));
    let mut exec = null_mut();
    let mut mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED; // otherwise instantiation is forbidden
    ok!(cuThreadExchangeStreamCaptureMode(&mut mode));
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuGraphInstantiateWithFlags(&mut exec, one.graph, 0)
    );
    ok!(cuThreadExchangeStreamCaptureMode(&mut mode));
    let graph = end(stream);
    assert_eq!(graph, one.graph);
    assert_eq!(edges(graph), [(0, 2), (1, 2)]);
    play(graph, stream);
    assert_eq!(download::<u32>(a, 1), [3]);
    begin(stream, GLOBAL);
    assert_ne!(info(stream).id, one.id);
    ok!(cuGraphDestroy(end(stream)));
}

#[test]
fn captures_can_extend_an_existing_graph() {
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    let a = alloc(4);
    begin(stream, GLOBAL);
    ok!(cuMemsetD32Async(a, 1, 1, stream));
    let graph = end(stream);
    let first = nodes(graph);
    let no_data = null();
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamBeginCaptureToGraph(stream, 8 as CUgraph, first.as_ptr(), no_data, 1, GLOBAL)
    );
    let wild = [8 as CUgraphNode];
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuStreamBeginCaptureToGraph(stream, graph, wild.as_ptr(), no_data, 1, GLOBAL)
    );
    ok!(cuStreamBeginCaptureToGraph(
        stream,
        graph,
        first.as_ptr(),
        no_data,
        1,
        GLOBAL
    ));
    assert_eq!(info(stream).graph, graph);
    ok!(cuMemsetD32Async(a, 2, 1, stream));
    fails!(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
    assert_eq!(end(stream), graph);
    assert_eq!(edges(graph), [(0, 1)]);
    // After a failed capture, the graph still belongs to the client.
    ok!(cuStreamBeginCaptureToGraph(
        stream,
        graph,
        null(),
        no_data,
        0,
        RELAXED
    ));
    fails!(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(stream));
    end_with(stream, CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    play(graph, stream);
    assert_eq!(download::<u32>(a, 1), [2]);
    ok!(cuGraphDestroy(graph));
}

#[test]
fn instantiation_reports_its_error() {
    let _alone = alone();
    let _context = Own::new();
    let stream = stream(1);
    begin(stream, GLOBAL);
    let graph = end(stream);
    let mut exec = null_mut();
    // 16 is not a flag, 2 needs a stream, and 4 a node that kernels may launch.
    for flags in [16, 2, 4] {
        fails!(
            CUDA_ERROR_INVALID_VALUE,
            cuGraphInstantiateWithFlags(&mut exec, graph, flags)
        );
    }
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuGraphInstantiateWithFlags(null_mut(), graph, 0)
    );
    let mut params = CUDA_GRAPH_INSTANTIATE_PARAMS {
        flags: 2 | 8,
        hUploadStream: stream,
        hErrNode_out: 8 as CUgraphNode,
        result_out: CUgraphInstantiateResult(9),
    };
    ok!(cuGraphInstantiateWithParams(&mut exec, graph, &mut params));
    assert_eq!(params.result_out.0, 0);
    assert!(params.hErrNode_out.is_null());
    let mut flags = 0;
    ok!(cuGraphExecGetFlags(exec, &mut flags));
    assert_eq!(flags, 0); // an H200 returns other flags
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuGraphExecDestroy(exec));
    params.flags = 16;
    fails!(
        CUDA_ERROR_INVALID_VALUE,
        cuGraphInstantiateWithParams(&mut exec, graph, &mut params)
    );
    assert_eq!(params.result_out.0, 1);
    ok!(cuGraphDestroy(graph));
}
