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
    let (to, id_to, graph_to) = (&raw mut status, &raw mut id, &raw mut graph);
    let (nodes_to, data_to, get) = (&raw mut nodes, &raw mut data, cuStreamGetCaptureInfo_v3);
    ok!(get(
        stream, to, id_to, graph_to, nodes_to, data_to, &mut count
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
    let (update, no) = (cuStreamUpdateCaptureDependencies_v2, null_mut());
    fails!(ILLEGAL_STATE, update(stream, no, null(), 0, 1));
    begin(stream, GLOBAL);
    let start = info(stream);
    assert_eq!((start.status, start.front.len()), (1, 0));
    ok!(cuMemsetD32Async(a, 1, 1, stream));
    let one = info(stream);
    assert_eq!((one.id, one.graph), (start.id, start.graph));
    assert_eq!(one.front, nodes(one.graph));
    // The next node has no dependencies, and the one after it depends on both.
    ok!(update(stream, no, null(), 0, 1));
    assert!(info(stream).front.is_empty());
    ok!(cuMemsetD32Async(a, 2, 1, stream));
    let mut front = one.front.clone();
    ok!(update(stream, front.as_mut_ptr(), null(), 1, 0));
    assert_eq!(info(stream).front.len(), 2);
    ok!(cuMemsetD32Async(a, 3, 1, stream));
    let mut wild = [8 as CUgraphNode];
    invalid!(update(stream, wild.as_mut_ptr(), null(), 1, 0));
    invalid!(update(stream, front.as_mut_ptr(), null(), 1, 2));
    // The graph does not belong to the client yet.
    invalid!(cuGraphDestroy(one.graph));
    let mut mode = RELAXED; // otherwise instantiation is forbidden
    ok!(cuThreadExchangeStreamCaptureMode(&mut mode));
    invalid!(cuGraphInstantiateWithFlags(&mut null_mut(), one.graph, 0));
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
    let (wild, wild_node) = (8 as CUgraph, [8 as CUgraphNode]);
    assert_eq!(begin_in(wild, &first, stream, GLOBAL), INVALID);
    assert_eq!(begin_in(graph, &wild_node, stream, GLOBAL), INVALID);
    assert_eq!(begin_in(graph, &first, stream, GLOBAL), SUCCESS);
    assert_eq!(info(stream).graph, graph);
    ok!(cuMemsetD32Async(a, 2, 1, stream));
    invalid!(cuGraphDestroy(graph));
    assert_eq!(end(stream), graph);
    assert_eq!(edges(graph), [(0, 1)]);
    // After a failed capture, the graph still belongs to the client.
    assert_eq!(begin_in(graph, &[], stream, RELAXED), SUCCESS);
    fails!(STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(stream));
    end_with(stream, STREAM_CAPTURE_INVALIDATED);
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
        invalid!(cuGraphInstantiateWithFlags(&mut exec, graph, flags));
    }
    invalid!(cuGraphInstantiateWithFlags(null_mut(), graph, 0));
    let mut params = CUDA_GRAPH_INSTANTIATE_PARAMS {
        flags: 2 | 8,
        hUploadStream: stream,
        hErrNode_out: 8 as CUgraphNode,
        result_out: CUgraphInstantiateResult(9),
    };
    ok!(cuGraphInstantiateWithParams(&mut exec, graph, &mut params));
    assert_eq!(params.result_out.0, 0);
    assert!(params.hErrNode_out.is_null());
    // An H200 returns other flags.
    assert_eq!(out!(cuGraphExecGetFlags(exec, _)), 0);
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuGraphExecDestroy(exec));
    params.flags = 16;
    invalid!(cuGraphInstantiateWithParams(&mut exec, graph, &mut params));
    assert_eq!(params.result_out.0, 1);
    ok!(cuGraphDestroy(graph));
}
