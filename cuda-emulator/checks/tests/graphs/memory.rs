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
    let mut params = params(bytes);
    let node = out!(cuGraphAddMemAllocNode(_, graph, null(), 0, &mut params));
    assert_ne!(params.dptr, 0);
    (node, params.dptr)
}

fn free(graph: CUgraph, on: CUgraphNode, address: CUdeviceptr) -> CUgraphNode {
    out!(cuGraphAddMemFreeNode(_, graph, &on, 1, address))
}

/// Adds a free node without dependencies.
fn free_alone(graph: CUgraph, address: CUdeviceptr) -> Result<CUgraphNode, CUresult> {
    result!(cuGraphAddMemFreeNode(_, graph, null(), 0, address))
}

#[test]
fn allocations_are_captured() {
    let _alone = alone();
    let _context = Own::new();
    let (kernel, stream, out) = (affine(), stream(1), alloc(4));
    begin(stream, GLOBAL);
    let address = out!(cuMemAllocAsync(_, 64, stream));
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
    let mut got = out!(cuGraphMemAllocNodeGetParams(found[0], _));
    assert_eq!((got.bytesize, got.dptr), (64, address));
    let mut freed = out!(cuGraphMemFreeNodeGetParams(found[4], _));
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
    let to = word.as_mut_ptr().cast();
    ok!(cuMemcpyDtoHAsync_v2(to, address, 4, stream));
    ok!(cuMemFreeAsync(address, stream));
    invalid!(cuMemFreeAsync(address, stream));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(word, [7]);
    ok!(cuMemFree_v2(address));
    invalid!(cuMemFree_v2(address));
    // Another graph frees the memory.
    let other = create();
    free_alone(other, address).unwrap();
    assert_eq!(free_alone(other, address), Err(INVALID));
    assert_eq!(free_alone(graph, address), Err(INVALID));
    let freed = instantiate(other);
    invalid!(cuGraphLaunch(freed, stream));
    for _ in 0..2 {
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuGraphLaunch(freed, stream));
    }
    ok!(cuStreamSynchronize(stream));
    // Each launch frees the memory of the previous launch.
    ok!(cuGraphExecDestroy(exec));
    let automatic = out!(cuGraphInstantiateWithFlags(_, graph, 1));
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
    fails!(NOT_SUPPORTED, cuGraphDestroyNode(last));
    invalid!(cuGraphRemoveDependencies_v2(graph, &fill, &last, null(), 1));
    fails!(NOT_SUPPORTED, cuGraphClone(&mut null_mut(), graph));
    let outer = create();
    assert_eq!(add_child(outer, graph), Err(NOT_SUPPORTED));
    let first = instantiate(graph);
    let second = result!(cuGraphInstantiateWithFlags(_, graph, 0));
    assert_eq!(second, Err(NOT_SUPPORTED));
    ok!(cuGraphExecDestroy(first));
    ok!(cuGraphExecDestroy(instantiate(graph)));
    for wrong in [address, address + 8, alloc(4)] {
        assert_eq!(free_alone(outer, wrong), Err(INVALID));
    }
    let (mut no_pool, mut much_access) = (params(4), params(4));
    (no_pool.poolProps, much_access.accessDescCount) = (filled(0), 65);
    for (mut wrong, expected) in [
        (params(0), INVALID),
        (no_pool, INVALID),
        (much_access, INVALID),
        (params(1 << 60), OUT_OF_MEMORY),
    ] {
        let node = result!(cuGraphAddMemAllocNode(_, outer, null(), 0, &mut wrong));
        assert_eq!(node, Err(expected));
    }
    // Neither node can be changed.
    let mut any: CUgraphNodeParams = filled(0);
    any.type_ = CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEM_FREE;
    any.__bindgen_anon_1.free.dptr = address;
    fails!(NOT_SUPPORTED, cuGraphNodeSetParams(last, &mut any));
    assert!(nodes(outer).is_empty());
    // A rejected free node frees nothing.
    let (_, spare) = allocate(outer, 4);
    invalid!(cuGraphAddMemFreeNode(
        &mut null_mut(),
        outer,
        &fill,
        1,
        spare
    ));
    free_alone(outer, spare).unwrap();
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
    let mut add = |graph| result!(cuGraphAddNode_v2(_, graph, null(), null(), 0, &mut any));
    // A graph cannot be moved into itself.
    assert_eq!(add(inner), Err(INVALID));
    let child = add(outer).unwrap();
    set(outer, &[child], out, 4);
    assert_eq!(out!(cuGraphChildGraphNodeGetGraph(child, _)), inner);
    invalid!(cuGraphDestroy(inner));
    assert_eq!(add(outer), Err(INVALID));
    play(outer, stream);
    assert_eq!(download::<u32>(out, 1), [4]);
    ok!(cuGraphDestroy(outer));
    invalid!(cuGraphGetNodes(inner, null_mut(), &mut 0));
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
    let set =
        |id, mut value: u64| call!(cuDeviceSetGraphMemAttribute(0, id, (&raw mut value).cast()));
    assert_eq!(set(USED_HIGH, 0), SUCCESS);
    assert_eq!(attribute(USED_HIGH), used);
    assert_eq!(set(USED, 0), INVALID);
    assert_eq!(set(USED_HIGH, 1), INVALID);
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
    ok!(cuDeviceGraphMemTrim(0));
    assert_eq!(attribute(HELD), held);
    fails!(INVALID_DEVICE, cuDeviceGraphMemTrim(99));
    let mut value = 0u64;
    let place = (&raw mut value).cast();
    fails!(
        INVALID_DEVICE,
        cuDeviceGetGraphMemAttribute(99, USED, place)
    );
}

#[test]
fn access_to_unallocated_graph_memory_is_reported() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "allocation node of a graph",
        "is not allocated now",
    ];
    reports(&[], &parts, || {
        let context = Own::new();
        let (graph, stream) = (create(), stream(1));
        let (node, address) = allocate(graph, 16);
        let fill = set(graph, &[node], address, 1);
        let last = free(graph, fill, address);
        set(graph, &[last], address, 2);
        ok!(cuGraphLaunch(instantiate(graph), stream));
        fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
        drop(context);
    });
}
