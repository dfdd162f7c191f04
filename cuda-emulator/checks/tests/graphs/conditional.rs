//! Conditional nodes: their types, values set by kernels, bodies and rejected uses.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use cuda_emulator_checks::objects;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// `set` sets a condition. `count` decrements a word and sets the condition to the result.
const TEXT: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional
(
	.param .b64 handle,
	.param .b32 value
)
;
.visible .entry set(.param .u64 handle, .param .u32 value)
{
	.reg .b32 %r<2>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [handle];
	ld.param.u32 %r1, [value];
	{
	.param .b64 a; st.param.b64 [a], %d1;
	.param .b32 b; st.param.b32 [b], %r1;
	call.uni cudaGraphSetConditional, (a, b);
	}
	ret;
}
.visible .entry count(.param .u64 handle, .param .u64 word)
{
	.reg .b32 %r<3>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [handle];
	ld.param.u64 %d2, [word];
	ld.global.u32 %r1, [%d2];
	sub.u32 %r2, %r1, 1;
	st.global.u32 [%d2], %r2;
	{
	.param .b64 a; st.param.b64 [a], %d1;
	.param .b32 b; st.param.b32 [b], %r2;
	call.uni cudaGraphSetConditional, (a, b);
	}
	ret;
}
";

const IF: CUgraphConditionalNodeType = CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF;
const WHILE: CUgraphConditionalNodeType = CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE;
const SWITCH: CUgraphConditionalNodeType = CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_SWITCH;

/// Loads the text directly. No archive needs to be linked, as [`linking_nvidias_archive_is_harmless`]
/// shows.
fn module() -> CUmodule {
    load(TEXT)
}

fn handle(graph: CUgraph, default: u32, flags: u32) -> CUgraphConditionalHandle {
    let context = context();
    out!(cuGraphConditionalHandleCreate(
        _,
        graph,
        context,
        default,
        flags
    ))
}

fn params(
    handle: CUgraphConditionalHandle,
    kind: CUgraphConditionalNodeType,
    size: u32,
) -> CUgraphNodeParams {
    let mut params: CUgraphNodeParams = filled(0);
    params.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.__bindgen_anon_1.conditional.handle = handle;
    params.__bindgen_anon_1.conditional.type_ = kind;
    params.__bindgen_anon_1.conditional.size = size;
    params.__bindgen_anon_1.conditional.ctx = context();
    params
}

/// Adds a conditional node. Returns the node and its bodies.
fn conditional(
    graph: CUgraph,
    on: &[CUgraphNode],
    handle: CUgraphConditionalHandle,
    kind: CUgraphConditionalNodeType,
    size: u32,
) -> (CUgraphNode, Vec<CUgraph>) {
    let (mut params, count, on) = (params(handle, kind, size), on.len(), on.as_ptr());
    let node = out!(cuGraphAddNode_v2(_, graph, on, null(), count, &mut params));
    // SAFETY: The driver returns the requested number of graphs.
    let bodies = unsafe {
        let first = params.__bindgen_anon_1.conditional.phGraph_out;
        std::slice::from_raw_parts(first, size as usize)
    };
    (node, bodies.to_vec())
}

fn kernel(
    graph: CUgraph,
    on: &[CUgraphNode],
    function: CUfunction,
    arguments: &mut [*mut c_void],
) -> CUgraphNode {
    add_kernel(graph, on, &kernel_params(function, arguments))
}

#[test]
fn kernels_select_the_body() {
    let _alone = alone();
    let _context = Own::new();
    let (module, stream) = (module(), stream(1));
    let setter = function(module, "set");
    let word = alloc(4);
    for (kind, size, expected) in [
        (IF, 1, [0, 10, 10, 10]),
        (IF, 2, [11, 10, 10, 10]),
        (SWITCH, 3, [10, 11, 12, 0]),
    ] {
        for (value, expected) in (0u32..).zip(expected) {
            let graph = create();
            let condition = handle(graph, 9, 0);
            let first = kernel(graph, &[], setter, &mut [arg(&condition), arg(&value)]);
            let (_, bodies) = conditional(graph, &[first], condition, kind, size);
            for (index, body) in (10..).zip(bodies) {
                set(body, &[], word, index);
            }
            ok!(cuMemsetD32_v2(word, 0, 1));
            play(graph, stream);
            let found = download::<u32>(word, 1);
            assert_eq!(found, [expected], "{kind:?} of {size}, {value}");
            ok!(cuGraphDestroy(graph));
        }
    }
}

#[test]
fn while_bodies_run_until_their_kernel_stops_them() {
    let _alone = alone();
    let _context = Own::new();
    let (module, stream) = (module(), stream(1));
    let (count, affine) = (function(module, "count"), affine());
    let words = upload(&[5u32, 1]);
    let graph = create();
    let condition = handle(graph, 1, 1);
    let (_, bodies) = conditional(graph, &[], condition, WHILE, 1);
    // The body is captured. Its second word counts its runs.
    assert_eq!(begin_in(bodies[0], &[], stream, RELAXED), SUCCESS);
    run(affine, stream, words + 4, 1, 2, 0);
    let mut arguments = [arg(&condition), arg(&words)];
    assert_eq!(launch(count, 1, 1, stream, &mut arguments), SUCCESS);
    invalid!(cuGraphInstantiateWithFlags(&mut null_mut(), graph, 0));
    assert_eq!(end(stream), bodies[0]);
    let exec = instantiate(graph);
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [0, 32]);
    // The default value applies to each launch.
    ok!(cuMemsetD32_v2(words, 2, 1));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [0, 128]);
    // The parameters of a node in a body can be changed.
    let inner = nodes(bodies[0])[0];
    let mut got: CUDA_KERNEL_NODE_PARAMS = out!(cuGraphKernelNodeGetParams_v2(inner, _));
    let (target, a, b) = (words + 4, 1u32, 1u32);
    let mut arguments = [arg(&target), arg(&a), arg(&b)];
    got.kernelParams = arguments.as_mut_ptr();
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, inner, &got));
    ok!(cuMemsetD32_v2(words, 3, 1));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [0, 131]);
}

#[test]
fn values_persist_without_a_default() {
    let _alone = alone();
    let _context = Own::new();
    let (module, stream, word) = (module(), stream(1), alloc(4));
    let (setter, one) = (function(module, "set"), 1u32);
    for (flags, expected) in [(0, 1), (1, 0)] {
        let graph = create();
        let condition = handle(graph, 0, flags);
        let (node, bodies) = conditional(graph, &[], condition, IF, 1);
        set(bodies[0], &[], word, 1);
        // The kernel runs after the node, so its value applies to the next launch.
        kernel(graph, &[node], setter, &mut [arg(&condition), arg(&one)]);
        let exec = instantiate(graph);
        ok!(cuMemsetD32_v2(word, 0, 1));
        go(exec, stream);
        assert_eq!(download::<u32>(word, 1), [0]);
        go(exec, stream);
        assert_eq!(download::<u32>(word, 1), [expected]);
    }
}

#[test]
fn updates_replace_bodies() {
    let _alone = alone();
    let _context = Own::new();
    let (module, stream, word) = (module(), stream(1), alloc(4));
    let (setter, one) = (function(module, "set"), 1u32);
    let build = |kind, size, value| {
        let graph = create();
        let condition = handle(graph, 0, 1);
        let first = kernel(graph, &[], setter, &mut [arg(&condition), arg(&one)]);
        let (node, bodies) = conditional(graph, &[first], condition, kind, size);
        set(bodies[0], &[], word, value);
        (graph, node)
    };
    let ((graph, _), (new, _), (other, node)) = (build(IF, 1, 3), build(IF, 1, 4), build(IF, 2, 5));
    let exec = instantiate(graph);
    go(exec, stream);
    assert_eq!(download::<u32>(word, 1), [3]);
    let mut info: CUgraphExecUpdateResultInfo = out!(cuGraphExecUpdate_v2(exec, new, _));
    // The update includes the condition, which stays valid.
    ok!(cuGraphDestroy(new));
    go(exec, stream);
    assert_eq!(download::<u32>(word, 1), [4]);
    let code = call!(cuGraphExecUpdate_v2(exec, other, &mut info));
    assert_eq!(code, GRAPH_EXEC_UPDATE_FAILURE);
    assert_eq!((info.result.0, info.errorNode), (5, node));
}

#[test]
fn invalid_conditional_nodes_are_rejected() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let _alone = alone();
    let _context = Own::new();
    let graph = create();
    let (create_handle, current) = (cuGraphConditionalHandleCreate, context());
    invalid!(create_handle(&mut 0, graph, current, 0, 2));
    invalid!(create_handle(&mut 0, null_mut(), current, 0, 0));
    invalid!(create_handle(null_mut(), graph, current, 0, 0));
    let condition = handle(graph, 0, 0);
    // A handle that no node uses.
    let mut instantiation: CUDA_GRAPH_INSTANTIATE_PARAMS = filled(0);
    let exec = result!(cuGraphInstantiateWithParams(_, graph, &mut instantiation));
    assert_eq!(exec, Err(INVALID));
    let add = |params: &mut CUgraphNodeParams| {
        result!(cuGraphAddNode_v2(_, graph, null(), null(), 0, params))
    };
    assert_eq!(instantiation.result_out.0, 5);
    for (handle, kind, size) in [
        (8, IF, 1),
        (condition, IF, 0),
        (condition, IF, 3),
        (condition, WHILE, 2),
        (condition, SWITCH, 0),
        (condition, CUgraphConditionalNodeType(3), 1),
    ] {
        assert_eq!(add(&mut params(handle, kind, size)), Err(INVALID));
    }
    let (node, bodies) = conditional(graph, &[], condition, IF, 1);
    let mut again = params(condition, IF, 1);
    assert_eq!(add(&mut again), Err(INVALID));
    // A graph with a conditional node cannot be cloned or copied.
    fails!(NOT_SUPPORTED, cuGraphClone(&mut null_mut(), graph));
    assert_eq!(add_child(create(), graph), Err(NOT_SUPPORTED));
    let first = instantiate(graph);
    let second = result!(cuGraphInstantiateWithFlags(_, graph, 0));
    assert_eq!(second, Err(NOT_SUPPORTED));
    ok!(cuGraphExecDestroy(first));
    invalid!(cuGraphDestroy(bodies[0]));
    fails!(NOT_SUPPORTED, cuGraphNodeSetParams(node, &mut again));
    // A body may contain kernels, copies, fills, and graphs of these.
    let wanted = CUDA_HOST_NODE_PARAMS {
        fn_: Some(nothing),
        userData: null_mut(),
    };
    let host = out!(cuGraphAddHostNode(_, bodies[0], null(), 0, &wanted));
    let exec = result!(cuGraphInstantiateWithParams(_, graph, &mut instantiation));
    assert_eq!(exec, Err(INVALID));
    assert_eq!(instantiation.hErrNode_out, host);
    // Destroying the node frees the handle and destroys the bodies.
    ok!(cuGraphDestroyNode(node));
    invalid!(cuGraphGetNodes(bodies[0], null_mut(), &mut 0));
    conditional(graph, &[], condition, WHILE, 1);
    ok!(cuGraphDestroy(graph));
}

#[test]
fn destroyed_handles_are_reported() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "cudaGraphSetConditional: 0x1e",
    ];
    reports(&[], &parts, || {
        let context = Own::new();
        let graph = create();
        let (condition, value) = (handle(graph, 0, 0), 1u32);
        ok!(cuGraphDestroy(graph));
        let set = function(module(), "set");
        let mut arguments = [arg(&condition), arg(&value)];
        assert_eq!(launch(set, 1, 1, null_mut(), &mut arguments), SUCCESS);
        fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
        drop(context);
    });
}

#[test]
fn linking_nvidias_archive_is_harmless() {
    // `make setup` fetches it together with the headers. The archive of CUDA 13.0 does not define
    // the function.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cuda/nvidia");
    let path = std::path::Path::new(root).join("cu13/lib/libcudadevrt.a");
    let _context = Own::new();
    let own = std::fs::read(&path).inspect_err(|error| {
        println!("not tried: {}: {error}", path.display());
    });
    for archive in [Some(objects::device_runtime()), own.ok()]
        .into_iter()
        .flatten()
    {
        let state = linker();
        for (kind, bytes) in [(input::PTX, TEXT.as_bytes()), (input::LIBRARY, &archive)] {
            ok!(link_data(state, kind, bytes, c"input"));
        }
        let image = out!(cuLinkComplete(state, _, null_mut()));
        let module = out!(cuModuleLoadData(_, image));
        ok!(cuLinkDestroy(state));
        function(module, "set");
    }
}
