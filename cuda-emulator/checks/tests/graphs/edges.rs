//! Edges of graphs, child graphs and clones.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};

fn empty(graph: CUgraph, on: &[CUgraphNode]) -> CUgraphNode {
    let mut node = null_mut();
    ok!(cuGraphAddEmptyNode(&mut node, graph, on.as_ptr(), on.len()));
    node
}

fn connect(graph: CUgraph, from: CUgraphNode, to: CUgraphNode) -> CUresult {
    // SAFETY: The arrays have one element.
    unsafe { cuGraphAddDependencies_v2(graph, &from, &to, null(), 1) }
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
    let (from, to) = ([a, a], [c, b]);
    invalid!(cuGraphAddDependencies_v2(
        graph,
        from.as_ptr(),
        to.as_ptr(),
        null(),
        2
    ));
    invalid!(cuGraphAddDependencies_v2(
        graph,
        [a, a].as_ptr(),
        [c, c].as_ptr(),
        null(),
        2
    ));
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
    let mut count = 0;
    ok!(cuGraphGetRootNodes(graph, null_mut(), &mut count));
    assert_eq!(count, 1);
}

#[test]
fn programmatic_edges_keep_their_data() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, word) = (affine(), stream(1), upload(&[1u32]));
    begin(stream, GLOBAL);
    run(kernel, stream, word, 1, 2, 0);
    ok!(cuStreamUpdateCaptureDependencies_v2(
        stream,
        null_mut(),
        null(),
        0,
        1
    ));
    run(kernel, stream, word, 1, 2, 1);
    let graph = end(stream);
    let found = nodes(graph);
    let data = CUgraphEdgeData {
        from_port: 1,
        to_port: 0,
        type_: 1,
        reserved: [0; 5],
    };
    let (from, to) = (&found[0], &found[1]);
    for wrong in [
        CUgraphEdgeData { to_port: 1, ..data },
        CUgraphEdgeData {
            from_port: 3,
            ..data
        },
        CUgraphEdgeData {
            from_port: 0,
            ..data
        },
        CUgraphEdgeData { type_: 2, ..data },
        CUgraphEdgeData {
            reserved: [1; 5],
            ..data
        },
    ] {
        invalid!(cuGraphAddDependencies_v2(graph, from, to, &wrong, 1));
    }
    ok!(cuGraphAddDependencies_v2(graph, from, to, &data, 1));
    let (mut a, mut b, mut count) = (null_mut(), null_mut(), 1);
    fails!(
        CUDA_ERROR_LOSSY_QUERY,
        cuGraphGetEdges_v2(graph, &mut a, &mut b, null_mut(), &mut count)
    );
    let mut got: CUgraphEdgeData = filled(9);
    ok!(cuGraphGetEdges_v2(
        graph, &mut a, &mut b, &mut got, &mut count
    ));
    assert_eq!((a, b, count), (*from, *to, 1));
    assert_eq!((got.from_port, got.to_port, got.type_), (1, 0, 1));
    ok!(cuGraphNodeGetDependencies_v2(
        b, &mut a, &mut got, &mut count
    ));
    fails!(
        CUDA_ERROR_LOSSY_QUERY,
        cuGraphNodeGetDependentNodes_v2(a, &mut b, null_mut(), &mut count)
    );
    play(graph, stream);
    assert_eq!(download::<u32>(word, 1), [5]);
    // An edge is removed whatever its data, as with an H200's driver.
    let other = CUgraphEdgeData {
        from_port: 0,
        type_: 0,
        ..data
    };
    ok!(cuGraphRemoveDependencies_v2(graph, from, to, &other, 1));
    assert_eq!(edges(graph), []);
    // The launch-order port of a kernel may precede any node, but its programmatic port needs a
    // programmatic edge.
    let launched = CUgraphEdgeData {
        from_port: 2,
        type_: 0,
        ..data
    };
    ok!(cuGraphAddDependencies_v2(graph, from, to, &launched, 1));
    ok!(cuGraphRemoveDependencies_v2(graph, from, to, &launched, 1));
    let odd = CUgraphEdgeData { type_: 0, ..data };
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
    let (mut child, mut graph) = (null_mut(), null_mut());
    ok!(cuGraphAddChildGraphNode(
        &mut child,
        outer,
        null(),
        0,
        inner
    ));
    set(outer, &[child], words + 4, 2);
    // Later changes of the original do not affect the copy.
    set(inner, &[], words + 8, 3);
    ok!(cuGraphDestroyNode(original));
    play(outer, stream);
    assert_eq!(download::<u32>(words, 3), [1, 2, 0]);
    ok!(cuGraphChildGraphNodeGetGraph(child, &mut graph));
    assert_ne!(graph, inner);
    assert_eq!(nodes(graph).len(), 1);
    // The child's graph belongs to the node.
    set(graph, &[], words + 8, 4);
    play(outer, stream);
    assert_eq!(download::<u32>(words, 3), [1, 2, 4]);
    invalid!(cuGraphDestroy(graph));
    let mut exec = null_mut();
    invalid!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    invalid!(cuGraphChildGraphNodeGetGraph(
        nodes(outer)[1],
        &mut exec.cast()
    ));
    let within = nodes(graph)[0];
    ok!(cuGraphDestroyNode(child));
    invalid!(cuGraphDestroyNode(within));
    let mut count = 0;
    invalid!(cuGraphGetNodes(graph, null_mut(), &mut count));
    // A graph can contain a copy of itself.
    ok!(cuGraphAddChildGraphNode(
        &mut child,
        outer,
        null(),
        0,
        outer
    ));
    ok!(cuGraphChildGraphNodeGetGraph(child, &mut graph));
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
    let (mut child, mut clone) = (null_mut(), null_mut());
    ok!(cuGraphAddChildGraphNode(
        &mut child, graph, &first, 1, inner
    ));
    ok!(cuGraphClone(&mut clone, graph));
    assert_eq!(edges(clone), [(0, 1)]);
    let (mut node, mut theirs) = (null_mut(), null_mut());
    ok!(cuGraphNodeFindInClone(&mut node, first, clone));
    assert_eq!(node, nodes(clone)[0]);
    assert_ne!(node, first);
    ok!(cuGraphChildGraphNodeGetGraph(child, &mut theirs));
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
    for (flags, parts, absent) in [
        (
            0,
            vec![
                "affine",
                "KERNEL",
                "MEMSET",
                "graph_node_0\" -> \"graph_node_1",
            ],
            "grid",
        ),
        (1, vec!["grid [1, 1, 1]", "node handle: 0x1c"], "CU_GRAPH"),
    ] {
        ok!(cuGraphDebugDotPrint(graph, path.as_ptr(), flags));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            text.starts_with("digraph dot {\n") && text.ends_with("}\n"),
            "{text}"
        );
        assert_eq!(
            text.matches('{').count(),
            text.matches('}').count(),
            "{text}"
        );
        for part in parts {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
        assert!(!text.contains(absent), "{text}");
    }
    std::fs::remove_file(&file).unwrap();
    fails!(
        CUDA_ERROR_OPERATING_SYSTEM,
        cuGraphDebugDotPrint(graph, c"/no/such/folder/graph.dot".as_ptr(), 0)
    );
    invalid!(cuGraphDebugDotPrint(graph, null(), 0));
}
