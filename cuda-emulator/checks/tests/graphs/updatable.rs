//! Kernel nodes that other kernels update: their creation, restrictions of their graphs, and the
//! effects of updates. The codes and sums are those of an H200 (driver 580).

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ptr::{null, null_mut};

/// In each block, `put` adds a number to a word, and 1 to the next. `change` updates the
/// parameters, the enabled state and the grid of a node. `apply` does so with a list.
const TEXT: &str = "
.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) cudaGraphKernelNodeSetEnabled (.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) cudaGraphKernelNodeSetGridDim (.param .b64 a, .param .align 4 .b8 b[12]);
.extern .func (.param .b32 r) cudaGraphKernelNodeSetParam (.param .b64 a, .param .b64 b, .param .b64 c, .param .b64 d);
.extern .func (.param .b32 r) cudaGraphKernelNodeUpdatesApply (.param .b64 a, .param .b64 b);
.visible .entry put(.param .u64 words, .param .u32 value)
{
	.reg .b32 %r<2>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [words];
	ld.param.u32 %r1, [value];
	red.global.add.u32 [%d1], %r1;
	red.global.add.u32 [%d1+4], 1;
	ret;
}
.visible .entry change(.param .u64 node, .param .u64 results, .param .u64 value, .param .u32 enable, .param .u32 grid,
	.param .u64 offset, .param .u64 size)
{
	.reg .b32 %r<6>; .reg .b64 %d<6>;
	ld.param.u64 %d1, [node];
	ld.param.u64 %d2, [results];
	ld.param.u64 %d3, [value];
	ld.param.u32 %r1, [enable];
	ld.param.u32 %r2, [grid];
	ld.param.u64 %d4, [offset];
	ld.param.u64 %d5, [size];
	{
	.param .b64 a; st.param.b64 [a], %d1;
	.param .b64 b; st.param.b64 [b], %d4;
	.param .b64 c; st.param.b64 [c], %d3;
	.param .b64 d; st.param.b64 [d], %d5;
	.param .b32 r;
	call.uni (r), cudaGraphKernelNodeSetParam, (a, b, c, d);
	ld.param.b32 %r3, [r];
	}
	st.global.u32 [%d2], %r3;
	{
	.param .b64 a; st.param.b64 [a], %d1;
	.param .b32 b; st.param.b32 [b], %r1;
	.param .b32 r;
	call.uni (r), cudaGraphKernelNodeSetEnabled, (a, b);
	ld.param.b32 %r3, [r];
	}
	st.global.u32 [%d2+4], %r3;
	{
	.param .b64 a; st.param.b64 [a], %d1;
	.param .align 4 .b8 b[12];
	st.param.b32 [b], %r2;
	st.param.b32 [b+4], 1;
	st.param.b32 [b+8], 1;
	.param .b32 r;
	call.uni (r), cudaGraphKernelNodeSetGridDim, (a, b);
	ld.param.b32 %r3, [r];
	}
	st.global.u32 [%d2+8], %r3;
	ret;
}
.visible .entry apply(.param .u64 updates, .param .u64 count, .param .u64 result)
{
	.reg .b32 %r<2>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [updates];
	ld.param.u64 %d2, [count];
	ld.param.u64 %d3, [result];
	{
	.param .b64 a; st.param.b64 [a], %d1;
	.param .b64 b; st.param.b64 [b], %d2;
	.param .b32 r;
	call.uni (r), cudaGraphKernelNodeUpdatesApply, (a, b);
	ld.param.b32 %r1, [r];
	}
	st.global.u32 [%d3], %r1;
	ret;
}
";

const UPDATABLE: CUlaunchAttributeID = CUlaunchAttributeID(13);

/// Returns the `CUlaunchAttributeValue` of the attribute.
fn value(updatable: u64) -> [u64; 8] {
    [updatable, 0, 0, 0, 0, 0, 0, 0]
}

fn set_attribute(node: CUgraphNode, value: &mut [u64; 8]) -> CUresult {
    let place = value.as_mut_ptr().cast();
    call!(cuGraphKernelNodeSetAttribute(node, UPDATABLE, place))
}

/// Launches `change`. The numbers are those of its parameters.
fn change(module: CUmodule, stream: CUstream, places: [u64; 3], given: (u32, u32, u64, u64)) {
    let ([node, results, value], (enable, grid, offset, size)) = (places, given);
    let mut arguments = [arg(&node), arg(&results), arg(&value), arg(&enable)].to_vec();
    arguments.extend([arg(&grid), arg(&offset), arg(&size)]);
    let kernel = function(module, "change");
    assert_eq!(launch(kernel, 1, 1, stream, &mut arguments), SUCCESS);
}

/// Makes a node updatable by kernels, and returns its device handle.
fn make_updatable(node: CUgraphNode) -> u64 {
    let mut value = value(1);
    assert_eq!(set_attribute(node, &mut value), SUCCESS);
    assert_ne!(value[1], 0);
    value[1]
}

/// Returns a graph with a `put`, the node, and the two words that it changes.
fn put(module: CUmodule) -> (CUgraph, CUgraphNode, CUdeviceptr) {
    let (graph, words, one) = (create(), upload(&[0u32; 2]), 1u32);
    let mut arguments = [arg(&words), arg(&one)];
    let params = kernel_params(function(module, "put"), &mut arguments);
    (graph, add_kernel(graph, &[], &params), words)
}

/// Launches a graph and returns the words.
fn sum(exec: CUgraphExec, stream: CUstream, words: CUdeviceptr) -> Vec<u32> {
    ok!(cuMemsetD32_v2(words, 0, 2));
    go(exec, stream);
    download::<u32>(words, 2)
}

#[test]
fn kernels_update_a_node() {
    let _alone = alone();
    let _context = Own::new();
    let (module, stream) = (load(TEXT), stream(1));
    let (graph, node, words) = put(module);
    let handle = make_updatable(node);
    let exec = instantiate(graph);
    assert_eq!(sum(exec, stream, words), [1, 1]);
    let results = alloc(12);
    let changed = |number: u32, given| {
        change(
            module,
            stream,
            [handle, results, upload(&[number; 4])],
            given,
        );
        ok!(cuStreamSynchronize(stream));
        let codes = download::<u32>(results, 3);
        (codes, [(); 2].map(|()| sum(exec, stream, words)))
    };
    // Parameter, enabled state, grid, offset and bytes. Then the codes of the calls, and the words
    // that each of two launches must produce.
    for (given, codes, expected) in [
        ((10, (1, 3, 8, 4)), [0, 0, 0], [30, 3]),
        ((5, (0, 2, 8, 4)), [0, 0, 0], [0, 0]),
        ((5, (1, 2, 8, 4)), [0, 0, 0], [10, 2]),
        ((5, (1, 0, 8, 4)), [0, 0, 1], [10, 2]),
        ((6, (1, 2, 12, 4)), [1, 0, 0], [10, 2]),
        ((6, (1, 2, 10, 4)), [1, 0, 0], [10, 2]),
        ((6, (1, 2, 8, 0)), [0, 0, 0], [10, 2]),
        ((7, (1, 2, 100, 4)), [1, 0, 0], [10, 2]),
        ((7, (1, u32::MAX, 8, 4)), [0, 0, 1], [14, 2]),
    ] {
        let (got, sums) = changed(given.0, given.1);
        assert_eq!(got, codes, "{given:?}");
        assert_eq!(sums, [expected.to_vec(), expected.to_vec()], "{given:?}");
    }
    // An upload keeps the updates. A change by the host replaces them.
    ok!(cuGraphUpload(exec, stream));
    assert_eq!(sum(exec, stream, words), [14, 2]);
    ok!(cuGraphNodeSetEnabled(exec, node, 0));
    assert_eq!(sum(exec, stream, words), [0, 0]);
    ok!(cuGraphNodeSetEnabled(exec, node, 1));
    assert_eq!(sum(exec, stream, words), [1, 1]);
    changed(9, (1, 4, 8, 4));
    let two = 2u32;
    let mut arguments = [arg(&words), arg(&two)];
    let params = kernel_params(function(module, "put"), &mut arguments);
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, node, &params));
    assert_eq!(sum(exec, stream, words), [2, 1]);
}

#[test]
fn nodes_are_updated_before_they_run_and_by_lists() {
    let _alone = alone();
    let _context = Own::new();
    let (module, stream) = (load(TEXT), stream(1));
    let (graph, node, words) = put(module);
    let (handle, number) = (make_updatable(node), upload(&[20u32]));
    let result = alloc(4);
    // `cudaGraphKernelNodeUpdate`: node, field, and one of grid, parameter and enabled state.
    let updates: [[u64; 5]; 3] = [
        [handle, 1, 5 | 1 << 32, 1, 0],
        [handle, 2, number, 8, 4],
        [handle, 3, 1, 0, 0],
    ];
    let (updates, count) = (upload(&updates), 3u64);
    let mut arguments = [arg(&updates), arg(&count), arg(&result)];
    let params = kernel_params(function(module, "apply"), &mut arguments);
    let first = add_kernel(graph, &[], &params);
    ok!(cuGraphAddDependencies_v2(graph, &first, &node, null(), 1));
    let exec = instantiate(graph);
    ok!(cuGraphUpload(exec, stream));
    assert_eq!(sum(exec, stream, words), [100, 5]);
    assert_eq!(download::<u32>(result, 1), [0]);
}

#[test]
fn graphs_with_updatable_nodes_are_restricted() {
    let _alone = alone();
    let _context = Own::new();
    let module = load(TEXT);
    let (graph, node, _) = put(module);
    let (_, other, _) = put(module);
    for (given, expected) in [(0, SUCCESS), (2, INVALID), (1, SUCCESS), (1, SUCCESS)] {
        assert_eq!(set_attribute(node, &mut value(given)), expected);
    }
    assert_eq!(set_attribute(node, &mut value(0)), NOT_SUPPORTED);
    let mut got = value(9);
    let place = got.as_mut_ptr().cast();
    let code = call!(cuGraphKernelNodeGetAttribute(node, UPDATABLE, place));
    assert_eq!((code, got[0]), (SUCCESS, 1));
    fails!(NOT_SUPPORTED, cuGraphDestroyNode(node));
    for (to, from) in [(node, other), (other, node)] {
        fails!(NOT_SUPPORTED, cuGraphKernelNodeCopyAttributes(to, from));
    }
    fails!(NOT_SUPPORTED, cuGraphClone(&mut null_mut(), graph));
    let exec = instantiate(graph);
    let second = result!(cuGraphInstantiateWithFlags(_, graph, 0));
    assert_eq!(second, Err(NOT_SUPPORTED));
    let mut info: CUgraphExecUpdateResultInfo = filled(9);
    fails!(NOT_SUPPORTED, cuGraphExecUpdate_v2(exec, graph, &mut info));
    assert_eq!(info.result.0, 0);
    ok!(cuGraphExecDestroy(exec));
    instantiate(graph);
}

#[test]
fn destroyed_nodes_are_reported() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "is not a device-updatable node",
    ];
    reports(&[], &parts, || {
        let _context = Own::new();
        let module = load(TEXT);
        let (results, number) = (alloc(12), upload(&[1u32]));
        // A null handle is rejected.
        for (handle, expected) in [(0u64, SUCCESS), (0x1230, ILLEGAL_ADDRESS)] {
            let places = [handle, results, number];
            change(module, null_mut(), places, (1, 1, 0, 4));
            assert_eq!(call!(cuCtxSynchronize()), expected);
            if expected == SUCCESS {
                assert_eq!(download::<u32>(results, 3), [1; 3]);
            }
        }
    });
}
