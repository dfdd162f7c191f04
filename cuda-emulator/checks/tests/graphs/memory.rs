//! Memory that graphs allocate and free.

use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::graphs::*;
use std::ptr::{null, null_mut};

const USED: CUgraphMem_attribute = CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT;
const USED_HIGH: CUgraphMem_attribute = CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH;
const HELD: CUgraphMem_attribute = CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT;

fn attribute(id: CUgraphMem_attribute) -> u64 {
    let mut value = 99u64;
    ok!(cuDeviceGetGraphMemAttribute(0, id, (&raw mut value).cast()));
    value
}

fn params(bytes: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = filled(0);
    params.poolProps.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = bytes;
    params
}

/// Adds an allocation node. Returns the node and its address.
fn allocate(graph: CUgraph, bytes: usize) -> (CUgraphNode, CUdeviceptr) {
    let (mut node, mut params) = (null_mut(), params(bytes));
    ok!(cuGraphAddMemAllocNode(
        &mut node,
        graph,
        null(),
        0,
        &mut params
    ));
    assert_ne!(params.dptr, 0);
    (node, params.dptr)
}

fn free(graph: CUgraph, on: CUgraphNode, address: CUdeviceptr) -> CUgraphNode {
    let mut node = null_mut();
    ok!(cuGraphAddMemFreeNode(&mut node, graph, &on, 1, address));
    node
}

#[test]
fn allocations_are_captured() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, out) = (affine(), stream(1), alloc(4));
    let mut address = 0;
    begin(stream, GLOBAL);
    ok!(cuMemAllocAsync(&mut address, 64, stream));
    ok!(cuMemsetD32Async(address, 5, 16, stream));
    run(kernel, stream, address, 16, 2, 1);
    ok!(cuMemcpyDtoDAsync_v2(out, address + 60, 4, stream));
    ok!(cuMemFreeAsync(address, stream));
    invalid!(cuMemFreeAsync(address, stream));
    invalid!(cuMemFreeAsync(out, stream));
    let graph = end(stream);
    let kinds: Vec<u32> = kinds(graph).iter().map(|kind| kind.0).collect();
    assert_eq!(kinds, [10, 2, 0, 1, 11]);
    let exec = instantiate(graph);
    for _ in 0..3 {
        ok!(cuMemsetD32_v2(out, 0, 1));
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(download::<u32>(out, 1), [11]);
    }
    // The memory belongs to the graph.
    invalid!(cuMemFree_v2(address));
    invalid!(cuMemFreeAsync(address, stream));
    let found = nodes(graph);
    let mut got = params(0);
    ok!(cuGraphMemAllocNodeGetParams(found[0], &mut got));
    assert_eq!((got.bytesize, got.dptr), (64, address));
    let mut freed = 0;
    ok!(cuGraphMemFreeNodeGetParams(found[4], &mut freed));
    assert_eq!(freed, address);
    invalid!(cuGraphMemFreeNodeGetParams(found[0], &mut freed));
    invalid!(cuGraphMemAllocNodeGetParams(found[4], &mut got));
}

#[test]
fn unfreed_memory_prevents_the_next_launch() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, stream) = (create(), stream(1));
    let (node, address) = allocate(graph, 16);
    set(graph, &[node], address, 7);
    let exec = instantiate(graph);
    invalid!(cuMemFreeAsync(address, stream));
    ok!(cuGraphLaunch(exec, stream));
    invalid!(cuGraphLaunch(exec, stream));
    // The stream may use the memory.
    let mut word = [0u32];
    ok!(cuMemcpyDtoHAsync_v2(
        word.as_mut_ptr().cast(),
        address,
        4,
        stream
    ));
    ok!(cuMemFreeAsync(address, stream));
    invalid!(cuMemFreeAsync(address, stream));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(word, [7]);
    ok!(cuMemFree_v2(address));
    invalid!(cuMemFree_v2(address));
    // Another graph frees the memory.
    let other = create();
    let mut freeing = null_mut();
    ok!(cuGraphAddMemFreeNode(
        &mut freeing,
        other,
        null(),
        0,
        address
    ));
    invalid!(cuGraphAddMemFreeNode(
        &mut freeing,
        other,
        null(),
        0,
        address
    ));
    invalid!(cuGraphAddMemFreeNode(
        &mut freeing,
        graph,
        null(),
        0,
        address
    ));
    let freed = instantiate(other);
    invalid!(cuGraphLaunch(freed, stream));
    for _ in 0..2 {
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuGraphLaunch(freed, stream));
    }
    ok!(cuStreamSynchronize(stream));
    // Each launch frees the memory of the previous launch.
    ok!(cuGraphExecDestroy(exec));
    let mut automatic = null_mut();
    ok!(cuGraphInstantiateWithFlags(&mut automatic, graph, 1));
    for _ in 0..3 {
        ok!(cuGraphLaunch(automatic, stream));
    }
    // The memory outlives its graph.
    ok!(cuGraphExecDestroy(automatic));
    ok!(cuGraphDestroy(graph));
    ok!(cuGraphExecDestroy(freed));
    ok!(cuGraphDestroy(other));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(download::<u32>(address, 1), [7]);
    ok!(cuMemFreeAsync(address, stream));
    ok!(cuStreamSynchronize(stream));
    invalid!(cuMemsetD32_v2(address, 1, 1));
}

#[test]
fn graphs_with_memory_are_restricted() {
    let _alone = alone();
    let _context = Own::new();
    let graph = create();
    let (node, address) = allocate(graph, 16);
    let fill = set(graph, &[node], address, 1);
    let last = free(graph, fill, address);
    let (mut other, mut child, mut exec) = (null_mut(), null_mut(), null_mut());
    fails!(CUDA_ERROR_NOT_SUPPORTED, cuGraphDestroyNode(last));
    invalid!(cuGraphRemoveDependencies_v2(graph, &fill, &last, null(), 1));
    fails!(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&mut other, graph));
    let outer = create();
    fails!(
        CUDA_ERROR_NOT_SUPPORTED,
        cuGraphAddChildGraphNode(&mut child, outer, null(), 0, graph)
    );
    let first = instantiate(graph);
    fails!(
        CUDA_ERROR_NOT_SUPPORTED,
        cuGraphInstantiateWithFlags(&mut exec, graph, 0)
    );
    ok!(cuGraphExecDestroy(first));
    ok!(cuGraphExecDestroy(instantiate(graph)));
    invalid!(cuGraphAddMemFreeNode(&mut child, outer, null(), 0, address));
    invalid!(cuGraphAddMemFreeNode(
        &mut child,
        outer,
        null(),
        0,
        address + 8
    ));
    invalid!(cuGraphAddMemFreeNode(
        &mut child,
        outer,
        null(),
        0,
        alloc(4)
    ));
    for wrong in [
        params(0),
        CUDA_MEM_ALLOC_NODE_PARAMS {
            poolProps: filled(0),
            ..params(4)
        },
        CUDA_MEM_ALLOC_NODE_PARAMS {
            accessDescCount: 65,
            ..params(4)
        },
    ] {
        let mut wrong = wrong;
        invalid!(cuGraphAddMemAllocNode(
            &mut child,
            outer,
            null(),
            0,
            &mut wrong
        ));
    }
    let mut huge = params(1 << 60);
    fails!(
        CUDA_ERROR_OUT_OF_MEMORY,
        cuGraphAddMemAllocNode(&mut child, outer, null(), 0, &mut huge)
    );
    // Neither node can be changed.
    let mut any: CUgraphNodeParams = filled(0);
    any.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEM_FREE;
    any.__bindgen_anon_1.free.dptr = address;
    fails!(
        CUDA_ERROR_NOT_SUPPORTED,
        cuGraphNodeSetParams(last, &mut any)
    );
    assert!(nodes(outer).is_empty());
    // A rejected free node frees nothing.
    let (_, spare) = allocate(outer, 4);
    let wrong = [fill];
    invalid!(cuGraphAddMemFreeNode(
        &mut child,
        outer,
        wrong.as_ptr(),
        1,
        spare
    ));
    ok!(cuGraphAddMemFreeNode(&mut child, outer, null(), 0, spare));
}

#[test]
fn graphs_with_memory_are_moved_into_nodes() {
    let _alone = alone();
    let _context = Own::new();
    let (inner, outer, stream, out) = (create(), create(), stream(1), alloc(4));
    let (node, address) = allocate(inner, 16);
    let fill = set(inner, &[node], address, 3);
    free(inner, fill, address);
    let mut any: CUgraphNodeParams = filled(0);
    any.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_GRAPH;
    any.__bindgen_anon_1.graph = CUDA_CHILD_GRAPH_NODE_PARAMS {
        graph: inner,
        ownership: CUgraphChildGraphNodeOwnership::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE,
    };
    let mut child = null_mut();
    // A graph cannot be moved into itself.
    invalid!(cuGraphAddNode_v2(
        &mut child,
        inner,
        null(),
        null(),
        0,
        &mut any
    ));
    ok!(cuGraphAddNode_v2(
        &mut child,
        outer,
        null(),
        null(),
        0,
        &mut any
    ));
    set(outer, &[child], out, 4);
    let mut got = null_mut();
    ok!(cuGraphChildGraphNodeGetGraph(child, &mut got));
    assert_eq!(got, inner);
    invalid!(cuGraphDestroy(inner));
    invalid!(cuGraphAddNode_v2(
        &mut child,
        outer,
        null(),
        null(),
        0,
        &mut any
    ));
    play(outer, stream);
    assert_eq!(download::<u32>(out, 1), [4]);
    ok!(cuGraphDestroy(outer));
    let mut count = 0;
    invalid!(cuGraphGetNodes(inner, null_mut(), &mut count));
}

#[test]
fn graph_memory_is_counted() {
    let _alone = alone();
    let _context = Own::new();
    let (graph, stream) = (create(), stream(1));
    let (used, held) = (attribute(USED), attribute(HELD));
    let (node, address) = allocate(graph, 1000);
    set(graph, &[node], address, 1);
    assert_eq!((attribute(USED), attribute(HELD)), (used, held + 1000));
    let exec = instantiate(graph);
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(attribute(USED), used + 1000);
    ok!(cuMemFree_v2(address));
    assert_eq!(attribute(USED), used);
    assert!(attribute(USED_HIGH) >= used + 1000);
    let mut zero = 0u64;
    ok!(cuDeviceSetGraphMemAttribute(
        0,
        USED_HIGH,
        (&raw mut zero).cast()
    ));
    assert_eq!(attribute(USED_HIGH), used);
    invalid!(cuDeviceSetGraphMemAttribute(
        0,
        USED,
        (&raw mut zero).cast()
    ));
    zero = 1;
    invalid!(cuDeviceSetGraphMemAttribute(
        0,
        USED_HIGH,
        (&raw mut zero).cast()
    ));
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
    ok!(cuDeviceGraphMemTrim(0));
    assert_eq!(attribute(HELD), held);
    fails!(CUDA_ERROR_INVALID_DEVICE, cuDeviceGraphMemTrim(99));
    fails!(
        CUDA_ERROR_INVALID_DEVICE,
        cuDeviceGetGraphMemAttribute(99, USED, (&raw mut zero).cast())
    );
}

#[test]
fn access_to_unallocated_graph_memory_is_reported() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "allocation node of a graph",
        "is not allocated now",
    ];
    let test = "access_to_unallocated_graph_memory_is_reported";
    reports(test, &[], &parts, || {
        let context = Own::new();
        let (graph, stream) = (create(), stream(1));
        let (node, address) = allocate(graph, 16);
        let fill = set(graph, &[node], address, 1);
        let last = free(graph, fill, address);
        set(graph, &[last], address, 2);
        ok!(cuGraphLaunch(instantiate(graph), stream));
        fails!(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        drop(context);
    });
}
