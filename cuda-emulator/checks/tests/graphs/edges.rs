//! Edges of graphs, child graphs and clones.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};

fn empty(graph: CUgraph, on: &[CUgraphNode]) -> CUgraphNode {
    out!(cuGraphAddEmptyNode(_, graph, on.as_ptr(), on.len()))
}

fn connect(graph: CUgraph, from: CUgraphNode, to: CUgraphNode) -> CUresult {
    call!(cuGraphAddDependencies_v2(graph, &from, &to, null(), 1))
}

#[test]
fn edges_are_added_and_removed() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, other) = (create(), create());
    let (a, b, c) = (empty(graph, &[]), empty(graph, &[]), empty(graph, &[]));
    let foreign = empty(other, &[]);
    assert_eq!(connect(graph, a, b), SUCCESS);
    assert_eq!(connect(graph, b, c), SUCCESS);
    assert_eq!(edges(graph), [(0, 1), (1, 2)]);
    for (from, to) in [(a, b), (a, a), (a, foreign), (foreign, a), (a, null_mut())] {
        assert_eq!(connect(graph, from, to), INVALID);
    }
    // All edges are added, or none.
    let from = [a, a];
    for to in [[c, b], [c, c]] {
        let (from, to, add) = (from.as_ptr(), to.as_ptr(), cuGraphAddDependencies_v2);
        invalid!(add(graph, from, to, null(), 2));
    }
    assert_eq!(edges(graph), [(0, 1), (1, 2)]);
    invalid!(cuGraphRemoveDependencies_v2(graph, &a, &c, null(), 1));
    ok!(cuGraphRemoveDependencies_v2(graph, &a, &b, null(), 1));
    invalid!(cuGraphRemoveDependencies_v2(graph, &a, &b, null(), 1));
    assert_eq!(edges(graph), [(1, 2)]);
    // Destroying a node removes its edges.
    assert_eq!(connect(graph, a, b), SUCCESS);
    ok!(cuGraphDestroyNode(b));
    assert_eq!((nodes(graph), edges(graph)), (vec![a, c], vec![]));
    invalid!(cuGraphDestroyNode(b));
    let mut node = null_mut();
    for wrong in [[b, a], [a, a], [a, foreign]] {
        invalid!(cuGraphAddEmptyNode(&mut node, graph, wrong.as_ptr(), 2));
    }
    invalid!(cuGraphAddEmptyNode(&mut node, null_mut(), null(), 0));
    invalid!(cuGraphAddEmptyNode(null_mut(), graph, null(), 0));
    assert_eq!(nodes(graph), [a, c]);
    invalid!(cuGraphCreate(&mut null_mut(), 1));
}

#[test]
fn cyclic_graphs_cannot_be_instantiated() {
    let _alone = alone();
    let _context = Own::new();
    let graph = create();
    let start = empty(graph, &[]);
    let (a, b) = (empty(graph, &[start]), empty(graph, &[]));
    assert_eq!(connect(graph, a, b), SUCCESS);
    assert_eq!(connect(graph, b, a), SUCCESS);
    let mut exec = null_mut();
    invalid!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    let mut params: CUDA_GRAPH_INSTANTIATE_PARAMS = filled(0);
    invalid!(cuGraphInstantiateWithParams(&mut exec, graph, &mut params));
    assert_eq!(params.result_out.0, 2);
    assert!([a, b].contains(&params.hErrNode_out));
    ok!(cuGraphRemoveDependencies_v2(graph, &b, &a, null(), 1));
    ok!(cuGraphExecDestroy(instantiate(graph)));
}

#[test]
fn edges_determine_the_order() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, stream) = (create(), stream(1));
    let word = alloc(4);
    // Created in the opposite order.
    let all: Vec<_> = (0..6).map(|value| set(graph, &[], word, value)).collect();
    for pair in all.windows(2) {
        assert_eq!(connect(graph, pair[1], pair[0]), SUCCESS);
    }
    play(graph, stream);
    assert_eq!(download::<u32>(word, 1), [0]);
    assert_eq!(out!(cuGraphGetRootNodes(graph, null_mut(), _)), 1);
}

#[test]
fn programmatic_edges_keep_their_data() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[1u32]));
    begin(stream, GLOBAL);
    run(kernel, stream, word, 1, 2, 0);
    let update = cuStreamUpdateCaptureDependencies_v2;
    ok!(update(stream, null_mut(), null(), 0, 1));
    run(kernel, stream, word, 1, 2, 1);
    let graph = end(stream);
    let found = nodes(graph);
    let data = edge(1, 0, 1);
    let (from, to) = (&found[0], &found[1]);
    let mut reserved = data;
    reserved.reserved = [1; 5];
    for wrong in [
        edge(1, 1, 1),
        edge(3, 0, 1),
        edge(0, 0, 1),
        edge(1, 0, 2),
        reserved,
    ] {
        invalid!(cuGraphAddDependencies_v2(graph, from, to, &wrong, 1));
    }
    ok!(cuGraphAddDependencies_v2(graph, from, to, &data, 1));
    let (mut a, mut b, mut count) = (null_mut(), null_mut(), 1);
    let (get, none) = (cuGraphGetEdges_v2, null_mut());
    fails!(LOSSY_QUERY, get(graph, &mut a, &mut b, none, &mut count));
    let mut got: CUgraphEdgeData = out!(cuGraphGetEdges_v2(graph, &mut a, &mut b, _, &mut count));
    assert_eq!((a, b, count), (*from, *to, 1));
    assert_eq!((got.from_port, got.to_port, got.type_), (1, 0, 1));
    let (before, after) = (
        cuGraphNodeGetDependencies_v2,
        cuGraphNodeGetDependentNodes_v2,
    );
    ok!(before(b, &mut a, &mut got, &mut count));
    fails!(LOSSY_QUERY, after(a, &mut b, none, &mut count));
    play(graph, stream);
    assert_eq!(download::<u32>(word, 1), [5]);
    // An edge is removed whatever its data, as with an H200's driver.
    let other = edge(0, 0, 0);
    ok!(cuGraphRemoveDependencies_v2(graph, from, to, &other, 1));
    assert_eq!(edges(graph), []);
    // The launch-order port of a kernel may precede any node, but its programmatic port needs a
    // programmatic edge.
    let launched = edge(2, 0, 0);
    ok!(cuGraphAddDependencies_v2(graph, from, to, &launched, 1));
    ok!(cuGraphRemoveDependencies_v2(graph, from, to, &launched, 1));
    let odd = edge(1, 0, 0);
    invalid!(cuGraphAddDependencies_v2(graph, from, to, &odd, 1));
    // Only kernels have several ports.
    let fill = set(graph, &[], word, 1);
    invalid!(cuGraphAddDependencies_v2(graph, &fill, to, &data, 1));
}

#[test]
fn child_graphs_are_copies() {
    let _alone = alone();
    let _context = Own::new();
    let (inner, outer, stream) = (create(), create(), stream(1));
    let words = upload(&[0u32; 3]);
    let original = set(inner, &[], words, 1);
    let child = add_child(outer, inner).unwrap();
    set(outer, &[child], words + 4, 2);
    // Later changes of the original do not affect the copy.
    set(inner, &[], words + 8, 3);
    ok!(cuGraphDestroyNode(original));
    play(outer, stream);
    assert_eq!(download::<u32>(words, 3), [1, 2, 0]);
    let graph = out!(cuGraphChildGraphNodeGetGraph(child, _));
    assert_ne!(graph, inner);
    assert_eq!(nodes(graph).len(), 1);
    // The child's graph belongs to the node.
    set(graph, &[], words + 8, 4);
    play(outer, stream);
    assert_eq!(download::<u32>(words, 3), [1, 2, 4]);
    invalid!(cuGraphDestroy(graph));
    invalid!(cuGraphInstantiateWithFlags(&mut null_mut(), graph, 0));
    let fill = nodes(outer)[1];
    invalid!(cuGraphChildGraphNodeGetGraph(fill, &mut null_mut()));
    let within = nodes(graph)[0];
    ok!(cuGraphDestroyNode(child));
    invalid!(cuGraphDestroyNode(within));
    invalid!(cuGraphGetNodes(graph, null_mut(), &mut 0));
    // A graph can contain a copy of itself.
    let child = add_child(outer, outer).unwrap();
    let graph = out!(cuGraphChildGraphNodeGetGraph(child, _));
    assert_eq!((nodes(outer).len(), nodes(graph).len()), (2, 1));
    ok!(cuGraphDestroy(outer));
}

#[test]
fn clones_have_separate_nodes() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, inner, stream) = (create(), create(), stream(1));
    let words = upload(&[0u32; 2]);
    let first = set(graph, &[], words, 1);
    let deep = set(inner, &[], words + 4, 2);
    let child = out!(cuGraphAddChildGraphNode(_, graph, &first, 1, inner));
    let clone = out!(cuGraphClone(_, graph));
    assert_eq!(edges(clone), [(0, 1)]);
    let mut node = out!(cuGraphNodeFindInClone(_, first, clone));
    assert_eq!(node, nodes(clone)[0]);
    assert_ne!(node, first);
    let theirs = out!(cuGraphChildGraphNodeGetGraph(child, _));
    ok!(cuGraphNodeFindInClone(&mut node, nodes(theirs)[0], clone));
    invalid!(cuGraphNodeFindInClone(&mut node, deep, clone));
    invalid!(cuGraphNodeFindInClone(&mut node, first, graph));
    ok!(cuGraphDestroy(graph));
    invalid!(cuGraphNodeFindInClone(&mut node, first, clone));
    play(clone, stream);
    assert_eq!(download::<u32>(words, 2), [1, 2]);
    let before = nodes(clone);
    ok!(cuGraphDestroyNode(before[0]));
    assert_eq!(nodes(clone), before[1..]);
}

#[test]
fn graphs_can_be_printed() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[1u32]));
    begin(stream, GLOBAL);
    run(kernel, stream, word, 1, 2, 0);
    ok!(cuMemsetD32Async(word, 1, 1, stream));
    let graph = end(stream);
    let file = std::env::temp_dir().join(format!("cuda-emulator-graph-{}.dot", std::process::id()));
    let path = CString::new(file.to_str().unwrap()).unwrap();
    let brief = [
        "affine",
        "KERNEL",
        "MEMSET",
        "graph_node_0\" -> \"graph_node_1",
    ];
    let verbose = ["grid [1, 1, 1]", "node handle: 0x1c"];
    for (flags, parts, absent) in [(0, &brief[..], "grid"), (1, &verbose, "CU_GRAPH")] {
        ok!(cuGraphDebugDotPrint(graph, path.as_ptr(), flags));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("digraph dot {\n"), "{text}");
        assert!(text.ends_with("}\n"), "{text}");
        let braces = ['{', '}'].map(|brace| text.matches(brace).count());
        assert_eq!(braces[0], braces[1], "{text}");
        for part in parts {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
        assert!(!text.contains(absent), "{text}");
    }
    std::fs::remove_file(&file).unwrap();
    let nowhere = c"/no/such/folder/graph.dot".as_ptr();
    fails!(OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, nowhere, 0));
    invalid!(cuGraphDebugDotPrint(graph, null(), 0));
}
