//! The order of nodes and of graphs.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::{
    GLOBAL, add_child, add_copy, begin, create, device_copy, end, instantiate, set,
};
use std::ptr::null;

use super::*;

#[test]
fn nodes_without_a_path_between_them_are_reported() {
    let parts = [
        "nodes of a graph: nothing orders two accesses to 128 bytes",
        "\n  written by kernel `put` (node 0x1c",
        " of the executable graph 0x1b",
        ", cuGraphLaunch on stream 0x12",
        "\n  read by kernel `get` (node 0x1c",
        "\n  Fix: add an edge between the two nodes (cuGraphAddDependencies). In a capture, let the \
         second stream wait for an event recorded after the first node",
    ];
    found(&parts, |scene| {
        let graph = create();
        let first = set(graph, &[], scene.x + 1024, 1);
        scene.node(graph, &[first], "put");
        scene.node(graph, &[first], "get");
        ok!(cuGraphLaunch(instantiate(graph), scene.a));
    });
}

#[test]
fn edges_order_nodes() {
    ordered(NON_BLOCKING, |scene| {
        let graph = create();
        let first = scene.node(graph, &[], "put");
        let gets = [0, 1].map(|_| scene.node(graph, &[first], "get"));
        let child = create();
        let within = scene.node(child, &[], "put");
        scene.node(child, &[within], "put");
        let child = add_child(graph, child).unwrap();
        for get in gets {
            ok!(cuGraphAddDependencies_v2(graph, &get, &child, null(), 1));
        }
        scene.node(graph, &[child], "put");
        let exec = instantiate(graph);
        // Launches of one executable graph are ordered.
        for on in [scene.a, scene.b, scene.a] {
            ok!(cuGraphLaunch(exec, on));
        }
        after(scene.a, scene.b);
        scene.run("put", scene.b);
    });
}

#[test]
fn child_graphs_are_ordered_by_their_own_edges() {
    found(
        &["nodes of a graph: ", "\n  read by kernel `get` (node 0x1c"],
        |scene| {
            let (graph, child) = (create(), create());
            scene.node(child, &[], "put");
            add_child(graph, child).unwrap();
            scene.node(graph, &[], "get");
            ok!(cuGraphLaunch(instantiate(graph), scene.a));
        },
    );
}

#[test]
fn graphs_race_with_other_streams() {
    let parts = [
        "streams: nothing orders",
        "\n  read by a copy of 128 bytes (node 0x1c",
        "\n  written by kernel `put` (cuLaunchKernel on stream",
    ];
    found(&parts, |scene| {
        let graph = create();
        add_copy(graph, &[], &device_copy(scene.x, scene.x + 2048, 128, 1));
        ok!(cuGraphLaunch(instantiate(graph), scene.a));
        scene.run("put", scene.b);
    });
}

#[test]
fn captured_streams_are_ordered_by_their_events() {
    ordered(NON_BLOCKING, |scene| {
        begin(scene.a, GLOBAL);
        scene.run("put", scene.a);
        let forked = event(2);
        ok!(cuEventRecord(forked, scene.a));
        ok!(cuStreamWaitEvent(scene.b, forked, 0));
        scene.run("put", scene.b);
        let joined = event(2);
        ok!(cuEventRecord(joined, scene.b));
        ok!(cuStreamWaitEvent(scene.a, joined, 0));
        scene.run("put", scene.a);
        let exec = instantiate(end(scene.a));
        ok!(cuGraphLaunch(exec, scene.b));
    });
}
