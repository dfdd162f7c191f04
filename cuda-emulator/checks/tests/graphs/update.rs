//! Updates of executable graphs by another graph.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ptr::{null, null_mut};

fn update(exec: CUgraphExec, graph: CUgraph) -> (u32, CUgraphNode, CUgraphNode) {
    let mut info: CUgraphExecUpdateResultInfo = filled(9);
    let code = call!(cuGraphExecUpdate_v2(exec, graph, &mut info));
    assert_eq!(code == SUCCESS, info.result.0 == 0);
    assert!(
        [SUCCESS, GRAPH_EXEC_UPDATE_FAILURE].contains(&code),
        "{code:?}"
    );
    (info.result.0, info.errorNode, info.errorFromNode)
}

#[test]
fn another_graph_updates_all_nodes() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream) = (affine(), stream(1));
    let words = upload(&[1u32, 0, 0]);
    let capture = |factor: u32, value: u32| {
        begin(stream, GLOBAL);
        run(kernel, stream, words, 1, factor, 0);
        ok!(cuMemsetD32Async(words + 4, value, 1, stream));
        end(stream)
    };
    let (graph, new) = (capture(2, 1), capture(3, 4));
    let exec = instantiate(graph);
    go(exec, stream);
    assert_eq!(download::<u32>(words, 3), [2, 1, 0]);
    assert_eq!(update(exec, new), (0, null_mut(), null_mut()));
    ok!(cuGraphDestroy(new));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 3), [6, 4, 0]);
    // The executable graph is still changed through the nodes of its original graph.
    let found = nodes(graph);
    let (other, set) = (fill(words + 8, 9, 1), cuGraphExecMemsetNodeSetParams);
    ok!(set(exec, found[1], &other, context()));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 3), [18, 4, 9]);
    let mut info: CUgraphExecUpdateResultInfo = filled(9);
    invalid!(cuGraphExecUpdate_v2(exec, null_mut(), &mut info));
    assert_eq!(info.result.0, 1);
    invalid!(cuGraphExecUpdate_v2(exec, graph, null_mut()));
}

#[test]
fn nodes_are_paired_along_the_edges() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, words) = (stream(1), upload(&[0u32; 3]));
    let graph = create();
    let a = set(graph, &[], words, 1);
    let b = set(graph, &[], words + 4, 2);
    set(graph, &[a, b], words + 8, 3);
    let exec = instantiate(graph);
    // The roots are created in the opposite order, and the edges determine the pairs.
    let new = create();
    let b = set(new, &[], words + 4, 20);
    let a = set(new, &[], words, 10);
    set(new, &[a, b], words + 8, 30);
    assert_eq!(update(exec, new).0, 0);
    go(exec, stream);
    assert_eq!(download::<u32>(words, 3), [10, 20, 30]);
}

#[test]
fn updates_report_incompatible_differences() {
    const TOPOLOGY: u32 = 2;
    let _alone = alone();
    let _context = Own::new();
    let (stream, words) = (stream(1), upload(&[0u32; 4]));
    let graph = create();
    let a = set(graph, &[], words, 1);
    let b = set(graph, &[a], words + 4, 2);
    set(graph, &[b], words + 8, 3);
    let exec = instantiate(graph);
    // One more node, and one less.
    let new = create();
    let a = set(new, &[], words, 4);
    let b = set(new, &[a], words + 4, 4);
    assert_eq!(update(exec, new), (TOPOLOGY, null_mut(), null_mut()));
    // More nodes without successors.
    let c = set(new, &[a], words + 8, 4);
    let (result, node, from) = update(exec, new);
    assert_eq!((result, from), (TOPOLOGY, null_mut()));
    assert!([b, c].contains(&node));
    // Another number of dependencies.
    ok!(cuGraphAddDependencies_v2(new, &b, &c, null(), 1));
    assert_eq!(update(exec, new), (TOPOLOGY, c, null_mut()));
    // Another type.
    ok!(cuGraphRemoveDependencies_v2(new, &a, &c, null(), 1));
    ok!(cuGraphDestroyNode(a));
    let empty = out!(cuGraphAddEmptyNode(_, new, null(), 0));
    ok!(cuGraphAddDependencies_v2(new, &empty, &b, null(), 1));
    assert_eq!(update(exec, new), (3, empty, null_mut()));
    ok!(cuGraphDestroyNode(empty));
    // Another kind of memory.
    let pinned = out!(cuMemAllocHost_v2(_, 4));
    let d = set(new, &[], pinned as CUdeviceptr, 4);
    ok!(cuGraphAddDependencies_v2(new, &d, &b, null(), 1));
    assert_eq!(update(exec, new), (5, d, null_mut()));
    // The failed updates changed nothing.
    go(exec, stream);
    assert_eq!(download::<u32>(words, 4), [1, 2, 3, 0]);
    // A dependency that is paired with another node.
    let (diamond, crossed) = (create(), create());
    let build = |graph, across: bool| {
        let a = set(graph, &[], words, 1);
        let b = set(graph, &[], words + 4, 1);
        let c = set(graph, &[a, b], words + 8, 1);
        let on = if across { [b, a] } else { [a, b] };
        (set(graph, &on, words + 12, 1), c, a, b)
    };
    build(diamond, false);
    let (d, c, a, b) = build(crossed, true);
    let (result, node, from) = update(instantiate(diamond), crossed);
    assert_eq!(result, TOPOLOGY);
    assert!([c, d].contains(&node) && [a, b].contains(&from));
}

#[test]
fn updates_of_kernels_keep_fixed_properties() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[1u32]));
    let capture = || {
        begin(stream, GLOBAL);
        run(kernel, stream, word, 1, 2, 0);
        let graph = end(stream);
        (graph, nodes(graph)[0])
    };
    let ((graph, _), (new, node)) = (capture(), capture());
    let exec = instantiate(graph);
    let mut value: CUlaunchAttributeValue = filled(0);
    value.priority = -1;
    let id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY;
    ok!(cuGraphKernelNodeSetAttribute(node, id, &value));
    assert_eq!(update(exec, new).0, 0);
    // Priorities stay the same if they are used.
    let by_priority = out!(cuGraphInstantiateWithFlags(_, graph, 8));
    assert_eq!(update(by_priority, new), (8, node, null_mut()));
    let mut value: CUlaunchAttributeValue = filled(0);
    value.cooperative = 1;
    let id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    ok!(cuGraphKernelNodeSetAttribute(node, id, &value));
    assert_eq!(update(exec, new), (8, node, null_mut()));
    // A kernel of another context, which this stream could not launch either.
    let elsewhere = Own::new();
    let (new, a) = (create(), 1u32);
    let mut arguments = [arg(&word), arg(&a), arg(&a)];
    let node = add_kernel(new, &[], &kernel_params(affine(), &mut arguments));
    assert_eq!(update(exec, new), (7, node, null_mut()));
    drop(elsewhere);
}

#[test]
fn child_graphs_are_updated_as_a_whole() {
    let _alone = alone();
    let _context = Own::new();
    let (stream, words) = (stream(1), upload(&[0u32; 2]));
    let build = |value: u32| {
        let (inner, outer) = (create(), create());
        let first = set(inner, &[], words, value);
        set(inner, &[first], words + 4, value + 1);
        (inner, outer, add_child(outer, inner).unwrap())
    };
    let (_, outer, child) = build(1);
    let (other, new, _) = build(10);
    let exec = instantiate(outer);
    assert_eq!(update(exec, new).0, 0);
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [10, 11]);
    // Updates only the child, with a graph of the same topology.
    let got = out!(cuGraphChildGraphNodeGetGraph(child, _));
    ok!(cuGraphExecChildGraphNodeSetParams(exec, child, got));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [1, 2]);
    // A node within the child.
    let within = nodes(got)[1];
    let (new, set_params) = (fill(words + 4, 7, 1), cuGraphExecMemsetNodeSetParams);
    ok!(set_params(exec, within, &new, context()));
    go(exec, stream);
    assert_eq!(download::<u32>(words, 2), [1, 7]);
    set(other, &[], words, 1);
    invalid!(cuGraphExecChildGraphNodeSetParams(exec, child, other));
    invalid!(cuGraphExecChildGraphNodeSetParams(exec, within, got));
    invalid!(cuGraphExecChildGraphNodeSetParams(exec, child, null_mut()));
}
