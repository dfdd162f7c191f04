//! Graphs as a whole: their nodes and edges, instantiation and launch.

use crate::abi::pointers::{Buffer, In, Out, Text, Word};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::{self, Dependency, Edge, Ownership, capture, dot, executable, user_object};
use crate::process::call::export;
use crate::queue::stream_table;
use crate::system;

/// Stores a list. Without a destination, stores its length. Otherwise stores as many entries as
/// there is room for, and fills the rest with zeros.
fn list<T: Copy>(
    found: &[T],
    room: Out<usize>,
    wanted: bool,
    mut store: impl FnMut(usize, Option<T>) -> Result,
) -> Result {
    room.check()?;
    if !wanted {
        return room.set(found.len());
    }
    let most = room.get()?;
    for index in 0..most {
        store(index, found.get(index).copied())?;
    }
    room.set(most.min(found.len()))
}

fn list_nodes(found: &[u64], nodes: Out<u64>, room: Out<usize>) -> Result {
    list(found, room, !nodes.is_null(), |index, node| {
        nodes.at(index).set(node.unwrap_or(0))
    })
}

/// Checks that a list of edges can be returned. Edge data may be omitted only if all of it is
/// default.
fn lossless<'a>(
    mut data: impl Iterator<Item = &'a EdgeData>,
    wanted: bool,
    shown: Out<EdgeData>,
) -> Result {
    if wanted && shown.is_null() && data.any(|one| *one != EdgeData::default()) {
        return Err(Code::ERROR_LOSSY_QUERY);
    }
    Ok(())
}

fn list_edges(
    found: &[Edge],
    from: Out<u64>,
    to: Out<u64>,
    data: Out<EdgeData>,
    room: Out<usize>,
) -> Result {
    let wanted = !from.is_null();
    if wanted == to.is_null() || !wanted && !data.is_null() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    lossless(found.iter().map(|(_, _, data)| data), wanted, data)?;
    list(found, room, wanted, |index, edge| {
        let edge = edge.unwrap_or_default();
        from.at(index).set(edge.0)?;
        to.at(index).set(edge.1)?;
        if !data.is_null() {
            data.at(index).set(edge.2)?;
        }
        Ok(())
    })
}

fn list_links(
    found: &[Dependency],
    nodes: Out<u64>,
    data: Out<EdgeData>,
    room: Out<usize>,
) -> Result {
    let wanted = !nodes.is_null();
    if !wanted && !data.is_null() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    lossless(found.iter().map(|one| &one.data), wanted, data)?;
    list(found, room, wanted, |index, one| {
        let one = one.unwrap_or(Dependency::on(0));
        nodes.at(index).set(one.node)?;
        if !data.is_null() {
            data.at(index).set(one.data)?;
        }
        Ok(())
    })
}

fn before(node: u64) -> Result<Vec<Dependency>> {
    let (graph, number) = graph::containing(node)?;
    graph.dependencies(number)
}

fn after(node: u64) -> Result<Vec<Dependency>> {
    let (graph, number) = graph::containing(node)?;
    graph.dependents(number)
}

fn instantiate(place: Out<u64>, graph: u64, flags: u64) -> Result {
    place.check()?;
    // These flags need the additional parameters of cuGraphInstantiateWithParams.
    if flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let graph = graph::get(graph)?;
    capture::reject_unsafe()?;
    let made = executable::instantiate(&graph, flags);
    place.set(made.map_err(|failure| failure.code)?.handle)
}

/// Instantiates a graph for the forms before CUDA 12.0, which report an error as a node and a text.
fn instantiate_with_log(
    place: Out<u64>,
    graph: u64,
    error: Out<u64>,
    log: Buffer,
    size: usize,
) -> Result {
    place.check()?;
    error.set_optional(0);
    if size > 0 && !log.0.is_null() {
        log.0.set(0)?;
    }
    let graph = graph::get(graph)?;
    capture::reject_unsafe()?;
    let made = executable::instantiate(&graph, 0);
    let exec = made.map_err(|failure| {
        error.set_optional(failure.node);
        failure.code
    })?;
    place.set(exec.handle)
}

/// Reads edges and optional edge data. Each node is looked up before the next one is read, so that
/// reading stops early if the count is too large.
fn edges(from: In<u64>, to: In<u64>, data: In<EdgeData>, count: usize) -> Result<Vec<Edge>> {
    let one = |index| {
        let ends = (from.at(index)?, to.at(index)?);
        graph::containing(ends.0)?;
        graph::containing(ends.1)?;
        let data = match data.is_null() {
            true => EdgeData::default(),
            false => data.at(index)?,
        };
        Ok((ends.0, ends.1, data))
    };
    (0..count).map(one).collect()
}

fn connect(graph: u64, from: In<u64>, to: In<u64>, data: In<EdgeData>, count: usize) -> Result {
    let graph = graph::get(graph)?;
    graph.connect(&edges(from, to, data, count)?)
}

fn disconnect(graph: u64, from: In<u64>, to: In<u64>, data: In<EdgeData>, count: usize) -> Result {
    let graph = graph::get(graph)?;
    graph.disconnect(&edges(from, to, data, count)?)
}

export! {
    fn cuGraphCreate(phGraph: Out<u64>, flags: u32) {
        phGraph.check()?;
        if flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        phGraph.set(graph::create(Ownership::Client).handle)
    }

    fn cuGraphClone(phGraphClone: Out<u64>, originalGraph: u64) {
        phGraphClone.check()?;
        phGraphClone.set(graph::get(originalGraph)?.copy(Ownership::Client)?.handle)
    }

    fn cuGraphNodeFindInClone(phNode: Out<u64>, hOriginalNode: u64, hClonedGraph: u64) {
        phNode.check()?;
        graph::containing(hOriginalNode)?;
        phNode.set(graph::get(hClonedGraph)?.find_copy(hOriginalNode)?)
    }

    fn cuGraphAddDependencies(hGraph: u64, from: In<u64>, to: In<u64>, numDependencies: usize) {
        connect(hGraph, from, to, In::null(), numDependencies)
    }

    fn cuGraphAddDependencies_v2(hGraph: u64, from: In<u64>, to: In<u64>, edgeData: In<EdgeData>, numDependencies: usize) {
        connect(hGraph, from, to, edgeData, numDependencies)
    }

    fn cuGraphRemoveDependencies(hGraph: u64, from: In<u64>, to: In<u64>, numDependencies: usize) {
        disconnect(hGraph, from, to, In::null(), numDependencies)
    }

    fn cuGraphRemoveDependencies_v2(hGraph: u64, from: In<u64>, to: In<u64>, edgeData: In<EdgeData>, numDependencies: usize) {
        disconnect(hGraph, from, to, edgeData, numDependencies)
    }

    fn cuGraphDestroyNode(hNode: u64) {
        let (graph, number) = graph::containing(hNode)?;
        graph.remove(number)
    }

    fn cuGraphDebugDotPrint(hGraph: u64, path: Text, flags: u32) {
        let graph = graph::get(hGraph)?;
        let path = system::path(path.get()?);
        std::fs::write(path, dot::print(&graph, flags)).map_err(|_| Code::ERROR_OPERATING_SYSTEM)
    }

    fn cuUserObjectCreate(object_out: Out<u64>, ptr: Word, destroy: Word, initialRefcount: u32, flags: u32) {
        object_out.check()?;
        object_out.set(user_object::create(ptr.0, destroy.0, initialRefcount, flags)?.handle)
    }

    fn cuUserObjectRetain(object: u64, count: u32) {
        user_object::get(object)?.retain(count)
    }

    fn cuUserObjectRelease(object: u64, count: u32) {
        user_object::get(object)?.release(count)
    }

    fn cuGraphRetainUserObject(graph_: u64, object: u64, count: u32, flags: u32) {
        graph::get(graph_)?.retain(&user_object::get(object)?, count, flags)
    }

    fn cuGraphReleaseUserObject(graph_: u64, object: u64, count: u32) {
        graph::get(graph_)?.release(&user_object::get(object)?, count)
    }

    fn cuGraphGetId(hGraph: u64, graphId: Out<u32>) {
        graphId.check()?;
        graphId.set(graph::get(hGraph)?.id as u32)
    }

    fn cuGraphNodeGetContainingGraph(hNode: u64, phGraph: Out<u64>) {
        phGraph.check()?;
        phGraph.set(graph::containing(hNode)?.0.handle)
    }

    fn cuGraphNodeGetLocalId(hNode: u64, nodeId: Out<u32>) {
        nodeId.check()?;
        nodeId.set(graph::containing(hNode)?.1 as u32)
    }

    fn cuGraphDestroy(hGraph: u64) {
        graph::destroy(hGraph)
    }

    fn cuGraphGetNodes(hGraph: u64, nodes: Out<u64>, numNodes: Out<usize>) {
        list_nodes(&graph::get(hGraph)?.nodes(), nodes, numNodes)
    }

    fn cuGraphGetRootNodes(hGraph: u64, rootNodes: Out<u64>, numRootNodes: Out<usize>) {
        list_nodes(&graph::get(hGraph)?.roots(), rootNodes, numRootNodes)
    }

    fn cuGraphGetEdges(hGraph: u64, from: Out<u64>, to: Out<u64>, numEdges: Out<usize>) {
        list_edges(&graph::get(hGraph)?.edges(), from, to, Out::null(), numEdges)
    }

    fn cuGraphGetEdges_v2(hGraph: u64, from: Out<u64>, to: Out<u64>, edgeData: Out<EdgeData>, numEdges: Out<usize>) {
        list_edges(&graph::get(hGraph)?.edges(), from, to, edgeData, numEdges)
    }

    fn cuGraphNodeGetDependencies(hNode: u64, dependencies: Out<u64>, numDependencies: Out<usize>) {
        list_links(&before(hNode)?, dependencies, Out::null(), numDependencies)
    }

    fn cuGraphNodeGetDependencies_v2(hNode: u64, dependencies: Out<u64>, edgeData: Out<EdgeData>, numDependencies: Out<usize>) {
        list_links(&before(hNode)?, dependencies, edgeData, numDependencies)
    }

    fn cuGraphNodeGetDependentNodes(hNode: u64, dependentNodes: Out<u64>, numDependentNodes: Out<usize>) {
        list_links(&after(hNode)?, dependentNodes, Out::null(), numDependentNodes)
    }

    fn cuGraphNodeGetDependentNodes_v2(hNode: u64, dependentNodes: Out<u64>, edgeData: Out<EdgeData>, numDependentNodes: Out<usize>) {
        list_links(&after(hNode)?, dependentNodes, edgeData, numDependentNodes)
    }

    fn cuGraphNodeGetType(hNode: u64, type_: Out<u32>) {
        type_.check()?;
        let (graph, number) = graph::containing(hNode)?;
        let kind = graph.body().node(number)?.task.kind();
        type_.set(kind)
    }

    fn cuGraphInstantiate(phGraphExec: Out<u64>, hGraph: u64, phErrorNode: Out<u64>, logBuffer: Buffer, bufferSize: usize) {
        instantiate_with_log(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize)
    }

    fn cuGraphInstantiate_v2(phGraphExec: Out<u64>, hGraph: u64, phErrorNode: Out<u64>, logBuffer: Buffer, bufferSize: usize) {
        instantiate_with_log(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize)
    }

    fn cuGraphInstantiateWithFlags(phGraphExec: Out<u64>, hGraph: u64, flags: u64) {
        instantiate(phGraphExec, hGraph, flags)
    }

    fn cuGraphInstantiateWithParams / cuGraphInstantiateWithParams_ptsz(phGraphExec: Out<u64>, hGraph: u64, instantiateParams: Out<InstantiateParams>) {
        phGraphExec.check()?;
        let mut params = instantiateParams.get()?;
        capture::reject_unsafe()?;
        let upload = params.flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0;
        let made = match upload.then(|| stream_table::resolve(params.upload_stream)) {
            Some(Err(code)) => Err(graph::InstantiateError::plain(code)),
            Some(Ok(stream)) => executable::instantiate(&*graph::get(hGraph)?, params.flags)
                .and_then(|exec| exec.upload(&stream).map(|()| exec).map_err(graph::InstantiateError::plain)),
            None => executable::instantiate(&*graph::get(hGraph)?, params.flags),
        };
        (params.result, params.error_node) = match &made {
            Ok(_) => (CUDA_GRAPH_INSTANTIATE_SUCCESS, 0),
            Err(failure) => (failure.result, failure.node),
        };
        instantiateParams.set(params)?;
        phGraphExec.set(made.map_err(|failure| failure.code)?.handle)
    }

    fn cuGraphExecGetFlags(hGraphExec: u64, flags: Out<u64>) {
        flags.check()?;
        // An H200 (driver 580) returns only these.
        let reported = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
        flags.set(executable::get(hGraphExec)?.flags & u64::from(reported))
    }

    fn cuGraphExecGetId(hGraphExec: u64, graphId: Out<u32>) {
        graphId.check()?;
        graphId.set(executable::get(hGraphExec)?.id as u32)
    }

    fn cuGraphUpload / cuGraphUpload_ptsz(hGraphExec: u64, hStream: u64) {
        let stream = stream_table::resolve(hStream)?;
        executable::get(hGraphExec)?.upload(&stream)
    }

    fn cuGraphLaunch / cuGraphLaunch_ptsz(hGraphExec: u64, hStream: u64) {
        let stream = stream_table::resolve(hStream)?;
        executable::get(hGraphExec)?.launch(&stream)
    }

    fn cuGraphExecDestroy(hGraphExec: u64) {
        capture::reject_unsafe()?;
        executable::destroy(hGraphExec)
    }
}
