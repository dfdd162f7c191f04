//! Helpers for the graph tests.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::*;

pub const GLOBAL: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
pub const LOCAL: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
pub const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

/// A kernel that replaces each word by `a` * word + `b`. Two launches show the order in which they
/// ran.
pub const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry affine(.param .u64 p, .param .u32 a, .param .u32 b)
{
	.reg .b32 %r<6>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [p];
	ld.param.u32 %r1, [a];
	ld.param.u32 %r2, [b];
	mov.u32 %r3, %tid.x;
	mul.wide.u32 %d2, %r3, 4;
	add.u64 %d3, %d1, %d2;
	ld.global.u32 %r4, [%d3];
	mad.lo.u32 %r5, %r4, %r1, %r2;
	st.global.u32 [%d3], %r5;
	ret;
}
.visible .entry other(.param .u64 p, .param .u32 a, .param .u32 b) { ret; }
";

/// Runs one test at a time, because a global capture forbids calls in every thread.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Loads the kernel into the current context.
pub fn affine() -> CUfunction {
    function(load(PTX), "affine")
}

/// Launches [`affine`] for `count` words.
pub fn run(kernel: CUfunction, stream: CUstream, address: CUdeviceptr, count: u32, a: u32, b: u32) {
    let mut arguments = [arg(&address), arg(&a), arg(&b)];
    assert_eq!(launch(kernel, 1, count, stream, &mut arguments), SUCCESS);
}

pub fn begin(stream: CUstream, mode: CUstreamCaptureMode) {
    ok!(cuStreamBeginCapture_v2(stream, mode));
    assert_eq!(status(stream), 1);
}

pub fn status(stream: CUstream) -> u32 {
    let status = out!(cuStreamIsCapturing(stream, _));
    status.0
}

/// Ends a capture that succeeds.
pub fn end(stream: CUstream) -> CUgraph {
    let graph = out!(cuStreamEndCapture(stream, _));
    assert!(!graph.is_null());
    assert_eq!(status(stream), 0);
    graph
}

/// Ends a capture that fails.
pub fn end_with(stream: CUstream, expected: CUresult) {
    let mut graph = 8 as CUgraph;
    // SAFETY: The stream is live, and `graph` is valid for writes.
    let code = unsafe { cuStreamEndCapture(stream, &mut graph) };
    assert_eq!(code, expected);
    assert!(graph.is_null());
    assert_eq!(status(stream), 0);
}

pub fn instantiate(graph: CUgraph) -> CUgraphExec {
    out!(cuGraphInstantiateWithFlags(_, graph, 0))
}

/// Instantiates a graph, launches it once and waits.
pub fn play(graph: CUgraph, stream: CUstream) {
    let exec = instantiate(graph);
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    ok!(cuGraphExecDestroy(exec));
}

pub fn nodes(graph: CUgraph) -> Vec<CUgraphNode> {
    let mut count = out!(cuGraphGetNodes(graph, null_mut(), _));
    let mut nodes = vec![null_mut(); count];
    ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count));
    assert_eq!(count, nodes.len());
    nodes
}

pub fn kind(node: CUgraphNode) -> CUgraphNodeType {
    out!(cuGraphNodeGetType(node, _))
}

/// Returns the types of all nodes.
pub fn kinds(graph: CUgraph) -> Vec<CUgraphNodeType> {
    nodes(graph).into_iter().map(kind).collect()
}

/// Returns the data of an edge.
pub fn edge(from_port: u8, to_port: u8, type_: u8) -> CUgraphEdgeData {
    CUgraphEdgeData {
        from_port,
        to_port,
        type_,
        reserved: [0; 5],
    }
}

/// Returns each edge as the indices of its two nodes in the list of all nodes.
pub fn edges(graph: CUgraph) -> Vec<(usize, usize)> {
    let nodes = nodes(graph);
    let no = null_mut();
    let mut count = out!(cuGraphGetEdges_v2(graph, no, null_mut(), null_mut(), _));
    let (mut from, mut to) = (vec![null_mut(); count], vec![null_mut(); count]);
    ok!(cuGraphGetEdges_v2(
        graph,
        from.as_mut_ptr(),
        to.as_mut_ptr(),
        null_mut(),
        &mut count
    ));
    let place = |node| nodes.iter().position(|one| *one == node).unwrap();
    let mut edges: Vec<_> = from
        .into_iter()
        .zip(to)
        .map(|(from, to)| (place(from), place(to)))
        .collect();
    edges.sort_unstable();
    edges
}

pub fn create() -> CUgraph {
    out!(cuGraphCreate(_, 0))
}

pub fn context() -> CUcontext {
    out!(cuCtxGetCurrent(_))
}

/// Returns the parameters of a memset of words.
pub fn fill(address: CUdeviceptr, value: u32, count: usize) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS {
        dst: address,
        pitch: 0,
        value,
        elementSize: 4,
        width: count,
        height: 1,
    }
}

/// Adds a node that sets a word.
pub fn set(graph: CUgraph, on: &[CUgraphNode], address: CUdeviceptr, value: u32) -> CUgraphNode {
    let (params, count, on) = (fill(address, value, 1), on.len(), on.as_ptr());
    out!(cuGraphAddMemsetNode(
        _,
        graph,
        on,
        count,
        &params,
        context()
    ))
}

/// Returns the parameters of a launch with one thread.
pub fn kernel_params(kernel: CUfunction, arguments: &mut [*mut c_void]) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func: kernel,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        kernelParams: arguments.as_mut_ptr(),
        ..filled(0)
    }
}

pub fn add_kernel(
    graph: CUgraph,
    on: &[CUgraphNode],
    params: &CUDA_KERNEL_NODE_PARAMS,
) -> CUgraphNode {
    out!(cuGraphAddKernelNode_v2(
        _,
        graph,
        on.as_ptr(),
        on.len(),
        params
    ))
}

/// Returns a copy of rows in device memory.
pub fn device_copy(
    from: CUdeviceptr,
    to: CUdeviceptr,
    width: usize,
    height: usize,
) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcDevice: from,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstDevice: to,
        WidthInBytes: width,
        Height: height,
        Depth: 1,
        ..filled(0)
    }
}

/// Adds a child graph without dependencies.
pub fn add_child(graph: CUgraph, child: CUgraph) -> Result<CUgraphNode, CUresult> {
    result!(cuGraphAddChildGraphNode(_, graph, null(), 0, child))
}

/// Adds a copy.
pub fn add_copy(graph: CUgraph, on: &[CUgraphNode], copy: &CUDA_MEMCPY3D) -> CUgraphNode {
    let (on, count) = (on.as_ptr(), on.len());
    out!(cuGraphAddMemcpyNode(_, graph, on, count, copy, context()))
}

/// Begins a capture that adds to a graph, after some of its nodes.
pub fn begin_in(
    graph: CUgraph,
    on: &[CUgraphNode],
    stream: CUstream,
    mode: CUstreamCaptureMode,
) -> CUresult {
    let (on, count) = (on.as_ptr(), on.len());
    call!(cuStreamBeginCaptureToGraph(
        stream,
        graph,
        on,
        null(),
        count,
        mode
    ))
}

/// Launches a graph and waits.
pub fn go(exec: CUgraphExec, stream: CUstream) {
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
}
