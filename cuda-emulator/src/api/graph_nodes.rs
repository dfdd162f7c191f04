//! Graph nodes of each type, with their parameters.

use super::capture::dependencies;
use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::kernel_node_attributes::bytes_of_value;
use crate::graph::node_parameters::{self, with};
use crate::graph::{self, Task, conditional_nodes, memory_nodes};
use crate::memory::graph_allocations;
use crate::process::call::export;
use crate::process::{context, device};
use crate::work::external_semaphore::Act;
use conditional_nodes::Branch;

/// The destination of a new node: the place for its handle, the graph, and the dependencies.
struct Destination {
    place: Out<u64>,
    graph: u64,
    before: In<u64>,
    data: In<EdgeData>,
    count: usize,
}

/// Adds the node that `task` creates, once the other arguments are valid.
fn add(to: Destination, task: impl FnOnce() -> Result<Task>) -> Result {
    to.place.check()?;
    let graph = graph::get(to.graph)?;
    let on = dependencies(to.before, to.data, to.count)?;
    to.place.set(node_parameters::add(&graph, task()?, &on)?)
}

/// Returns the destination for calls without edge data.
fn plain(place: Out<u64>, graph: u64, before: In<u64>, count: usize) -> Destination {
    Destination {
        place,
        graph,
        before,
        data: In::null(),
        count,
    }
}

/// Sets a node's parameters. The task created from them must have the node's type.
fn set(node: u64, task: impl FnOnce() -> Result<Task>) -> Result {
    graph::containing(node)?;
    let task = task()?;
    with(node, |node| node.set(task))
}

/// Returns the context of a copy or fill node, which new parameters do not change.
fn context_of(node: u64, kind: u32) -> Result<u64> {
    with(node, |node| match &node.task {
        Task::Operation(_, context) if node.task.kind() == kind => Ok(context.handle),
        _ => Err(Code::ERROR_INVALID_VALUE),
    })
}

fn add_any(to: Destination, params: Out<NodeParams>) -> Result {
    to.place.check()?;
    let graph = graph::get(to.graph)?;
    let mut given = params.get()?;
    match given.kind {
        CU_GRAPH_NODE_TYPE_MEM_ALLOC => {
            let mut wanted: AllocNodeParams = given.get();
            add_allocation(to, &mut wanted)?;
            given.set(wanted);
            params.set(given)
        }
        CU_GRAPH_NODE_TYPE_CONDITIONAL => {
            let wanted: ConditionalNodeParams = given.get();
            let place = to.place;
            add(to, || Ok(Task::Conditional(Branch::new(&wanted)?)))?;
            given.set(with(place.get()?, |node| Ok(node.branch()?.params()))?);
            params.set(given)
        }
        CU_GRAPH_NODE_TYPE_MEM_FREE => add(to, || memory_nodes::release(&graph, given.get())),
        _ => add(to, || node_parameters::task(&given)),
    }
}

/// Adds an allocation node, and stores the address in its parameters.
fn add_allocation(to: Destination, params: &mut AllocNodeParams) -> Result {
    let graph = graph::get(to.graph)?;
    add(to, || {
        let (task, address) = memory_nodes::allocation(&graph, params)?;
        params.address = address;
        Ok(task)
    })
}

fn set_any(node: u64, params: Out<NodeParams>) -> Result {
    graph::containing(node)?;
    let given = params.get()?;
    set(node, || node_parameters::task(&given))
}

export! {
    fn cuGraphAddEmptyNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || Ok(Task::Empty))
    }

    fn cuGraphAddKernelNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: In<KernelNodeParams>) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::kernel(&nodeParams.get()?.into()))
    }

    fn cuGraphAddKernelNode_v2(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: In<KernelNodeParams2>) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::kernel(&nodeParams.get()?))
    }

    fn cuGraphKernelNodeGetParams(hNode: u64, nodeParams: Out<KernelNodeParams>) {
        nodeParams.check()?;
        nodeParams.set(with(hNode, |node| node.kernel_params())?.plain)
    }

    fn cuGraphKernelNodeGetParams_v2(hNode: u64, nodeParams: Out<KernelNodeParams2>) {
        nodeParams.check()?;
        nodeParams.set(with(hNode, |node| node.kernel_params())?)
    }

    fn cuGraphKernelNodeSetParams(hNode: u64, nodeParams: In<KernelNodeParams>) {
        set(hNode, || node_parameters::kernel(&nodeParams.get()?.into()))
    }

    fn cuGraphKernelNodeSetParams_v2(hNode: u64, nodeParams: In<KernelNodeParams2>) {
        set(hNode, || node_parameters::kernel(&nodeParams.get()?))
    }

    fn cuGraphKernelNodeCopyAttributes(dst: u64, src: u64) {
        if with(src, |node| Ok(node.is_updatable()))? || with(dst, |node| Ok(node.is_updatable()))? {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let all = with(src, |node| node.attributes())?;
        with(dst, |node| node.set_attributes(all))
    }

    fn cuGraphKernelNodeGetAttribute(hNode: u64, attr: u32, value_out: Out<AttributeValue>) {
        value_out.check()?;
        let AttributeValue(words) = with(hNode, |node| node.attribute(attr))?;
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes());
        let (place, has) = (value_out.cast::<u8>(), bytes_of_value(attr));
        let mut value = bytes.enumerate().filter(|(index, _)| has(*index));
        value.try_for_each(|(index, byte)| place.at(index).set(byte))
    }

    fn cuGraphKernelNodeSetAttribute(hNode: u64, attr: u32, value: Out<AttributeValue>) {
        let given = value.get()?;
        if attr == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE {
            // The driver writes the node's handle there, although the header says `const`.
            return value.set(with(hNode, |node| node.set_updatable(given))?);
        }
        with(hNode, |node| node.set_attribute(attr, given))
    }

    fn cuGraphAddMemcpyNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, copyParams: In<Copy3d>, ctx: u64) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::copy(&copyParams.get()?, ctx))
    }

    fn cuGraphMemcpyNodeGetParams(hNode: u64, nodeParams: Out<Copy3d>) {
        nodeParams.check()?;
        nodeParams.set(with(hNode, |node| node.copy_params())?.copy)
    }

    fn cuGraphMemcpyNodeSetParams(hNode: u64, nodeParams: In<Copy3d>) {
        let context = context_of(hNode, CU_GRAPH_NODE_TYPE_MEMCPY)?;
        set(hNode, || node_parameters::copy(&nodeParams.get()?, context))
    }

    fn cuGraphAddMemsetNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, memsetParams: In<MemsetNodeParams>, ctx: u64) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::fill(&memsetParams.get()?, ctx))
    }

    fn cuGraphMemsetNodeGetParams(hNode: u64, nodeParams: Out<MemsetNodeParams>) {
        nodeParams.check()?;
        nodeParams.set(with(hNode, |node| node.fill_params())?.plain)
    }

    fn cuGraphMemsetNodeSetParams(hNode: u64, nodeParams: In<MemsetNodeParams>) {
        let context = context_of(hNode, CU_GRAPH_NODE_TYPE_MEMSET)?;
        set(hNode, || node_parameters::fill(&nodeParams.get()?, context))
    }

    fn cuGraphAddHostNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: In<HostNodeParams>) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::host(&nodeParams.get()?))
    }

    fn cuGraphHostNodeGetParams(hNode: u64, nodeParams: Out<HostNodeParams>) {
        nodeParams.check()?;
        nodeParams.set(with(hNode, |node| node.host_params())?)
    }

    fn cuGraphHostNodeSetParams(hNode: u64, nodeParams: In<HostNodeParams>) {
        set(hNode, || node_parameters::host(&nodeParams.get()?))
    }

    fn cuGraphAddChildGraphNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, childGraph: u64) {
        let child = ChildNodeParams { graph: childGraph, ownership: CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE };
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::child(&child))
    }

    fn cuGraphChildGraphNodeGetGraph(hNode: u64, phGraph: Out<u64>) {
        phGraph.check()?;
        phGraph.set(with(hNode, |node| Ok(node.child()?.handle))?)
    }

    fn cuGraphAddEventRecordNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, event: u64) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::record(event))
    }

    fn cuGraphEventRecordNodeGetEvent(hNode: u64, event_out: Out<u64>) {
        event_out.check()?;
        event_out.set(with(hNode, |node| node.event(CU_GRAPH_NODE_TYPE_EVENT_RECORD))?)
    }

    fn cuGraphEventRecordNodeSetEvent(hNode: u64, event: u64) {
        set(hNode, || node_parameters::record(event))
    }

    fn cuGraphAddEventWaitNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, event: u64) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::wait(event))
    }

    fn cuGraphEventWaitNodeGetEvent(hNode: u64, event_out: Out<u64>) {
        event_out.check()?;
        event_out.set(with(hNode, |node| node.event(CU_GRAPH_NODE_TYPE_WAIT_EVENT))?)
    }

    fn cuGraphEventWaitNodeSetEvent(hNode: u64, event: u64) {
        set(hNode, || node_parameters::wait(event))
    }

    fn cuGraphAddBatchMemOpNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: In<BatchNodeParams>) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::batch(&nodeParams.get()?))
    }

    fn cuGraphBatchMemOpNodeGetParams(hNode: u64, nodeParams_out: Out<BatchNodeParams>) {
        nodeParams_out.check()?;
        nodeParams_out.set(with(hNode, |node| node.batch_params())?)
    }

    fn cuGraphBatchMemOpNodeSetParams(hNode: u64, nodeParams: In<BatchNodeParams>) {
        set(hNode, || node_parameters::batch(&nodeParams.get()?))
    }

    fn cuGraphAddExternalSemaphoresSignalNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: In<SemaphoreNodeParams>) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::semaphores(Act::Signal, &nodeParams.get()?))
    }

    fn cuGraphExternalSemaphoresSignalNodeGetParams(hNode: u64, params_out: Out<SemaphoreNodeParams>) {
        params_out.check()?;
        params_out.set(with(hNode, |node| node.semaphore_params(Act::Signal))?)
    }

    fn cuGraphExternalSemaphoresSignalNodeSetParams(hNode: u64, nodeParams: In<SemaphoreNodeParams>) {
        set(hNode, || node_parameters::semaphores(Act::Signal, &nodeParams.get()?))
    }

    fn cuGraphAddExternalSemaphoresWaitNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: In<SemaphoreNodeParams>) {
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || node_parameters::semaphores(Act::Wait, &nodeParams.get()?))
    }

    fn cuGraphExternalSemaphoresWaitNodeGetParams(hNode: u64, params_out: Out<SemaphoreNodeParams>) {
        params_out.check()?;
        params_out.set(with(hNode, |node| node.semaphore_params(Act::Wait))?)
    }

    fn cuGraphExternalSemaphoresWaitNodeSetParams(hNode: u64, nodeParams: In<SemaphoreNodeParams>) {
        set(hNode, || node_parameters::semaphores(Act::Wait, &nodeParams.get()?))
    }

    fn cuGraphAddMemAllocNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: Out<AllocNodeParams>) {
        let mut wanted = nodeParams.get()?;
        add_allocation(plain(phGraphNode, hGraph, dependencies_, numDependencies), &mut wanted)?;
        nodeParams.set(wanted)
    }

    fn cuGraphMemAllocNodeGetParams(hNode: u64, params_out: Out<AllocNodeParams>) {
        params_out.check()?;
        params_out.set(with(hNode, |node| node.allocation_params())?)
    }

    fn cuGraphAddMemFreeNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, dptr: u64) {
        let graph = graph::get(hGraph)?;
        add(plain(phGraphNode, hGraph, dependencies_, numDependencies), || memory_nodes::release(&graph, dptr))
    }

    fn cuGraphMemFreeNodeGetParams(hNode: u64, dptr_out: Out<u64>) {
        dptr_out.check()?;
        dptr_out.set(with(hNode, |node| node.freed())?)
    }

    fn cuGraphConditionalHandleCreate(pHandle_out: Out<u64>, hGraph: u64, ctx: u64, defaultLaunchValue: u32, flags: u32) {
        pHandle_out.check()?;
        let graph = graph::get(hGraph)?;
        let context = context::get_or_current(ctx)?;
        context.usable()?;
        pHandle_out.set(conditional_nodes::create(&graph, context, defaultLaunchValue, flags)?)
    }

    fn cuDeviceGraphMemTrim(device_: i32) {
        // Only memory of nodes is kept, so there is nothing to trim.
        device::check(device_).map(drop)
    }

    fn cuDeviceGetGraphMemAttribute(device_: i32, attr: u32, value: Out<u64>) {
        value.check()?;
        device::check(device_)?;
        value.set(graph_allocations::attribute(device_, attr)?)
    }

    fn cuDeviceSetGraphMemAttribute(device_: i32, attr: u32, value: In<u64>) {
        let value = value.get()?;
        device::check(device_)?;
        graph_allocations::reset(device_, attr, value)
    }

    fn cuGraphAddNode(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, numDependencies: usize, nodeParams: Out<NodeParams>) {
        add_any(plain(phGraphNode, hGraph, dependencies_, numDependencies), nodeParams)
    }

    fn cuGraphAddNode_v2(phGraphNode: Out<u64>, hGraph: u64, dependencies_: In<u64>, dependencyData: In<EdgeData>, numDependencies: usize, nodeParams: Out<NodeParams>) {
        add_any(Destination { place: phGraphNode, graph: hGraph, before: dependencies_, data: dependencyData, count: numDependencies }, nodeParams)
    }

    fn cuGraphNodeGetParams(hNode: u64, nodeParams: Out<NodeParams>) {
        nodeParams.check()?;
        nodeParams.set(with(hNode, |node| node.params())?)
    }

    fn cuGraphNodeSetParams(hNode: u64, nodeParams: Out<NodeParams>) {
        set_any(hNode, nodeParams)
    }
}
