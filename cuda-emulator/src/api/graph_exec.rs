//! Updates of executable graphs.

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::executable_update::UpdateError;
use crate::graph::{self, Task, executable, node_parameters};
use crate::process::call::export;
use crate::work::external_semaphore::Act;

/// Replaces the task of a node. The task is created only if the handles are valid.
fn set(exec: u64, node: u64, task: impl FnOnce() -> Result<Task>) -> Result {
    let exec = executable::get(exec)?;
    graph::containing(node)?;
    exec.set(node, task()?)
}

fn set_child(exec: u64, node: u64, graph: u64) -> Result {
    executable::get(exec)?.set_child(node, &*graph::get(graph)?)
}

/// Updates an executable graph. If the update is rejected, `store` stores the reason and returns the
/// code.
fn update(exec: u64, graph: u64, store: impl FnOnce(UpdateError) -> Result) -> Result {
    let found = executable::get(exec).and_then(|exec| Ok((exec, graph::get(graph)?)));
    let (exec, graph) = match found {
        Ok(found) => found,
        Err(code) => {
            store(UpdateError::plain(CU_GRAPH_EXEC_UPDATE_ERROR))?;
            return Err(code);
        }
    };
    if graph.is_updatable() || exec.state().plan.is_updatable() {
        store(UpdateError::plain(CU_GRAPH_EXEC_UPDATE_SUCCESS))?;
        return Err(Code::ERROR_NOT_SUPPORTED);
    }
    match exec.update(&graph) {
        Ok(()) => store(UpdateError::plain(CU_GRAPH_EXEC_UPDATE_SUCCESS)),
        Err(failure) => {
            store(failure)?;
            Err(Code::ERROR_GRAPH_EXEC_UPDATE_FAILURE)
        }
    }
}

export! {
    fn cuGraphExecUpdate(hGraphExec: u64, hGraph: u64, hErrorNode_out: Out<u64>, updateResult_out: Out<u32>) {
        updateResult_out.check()?;
        hErrorNode_out.check()?;
        update(hGraphExec, hGraph, |failure| {
            hErrorNode_out.set(failure.node)?;
            updateResult_out.set(failure.result)
        })
    }

    fn cuGraphExecUpdate_v2(hGraphExec: u64, hGraph: u64, resultInfo: Out<UpdateInfo>) {
        resultInfo.check()?;
        update(hGraphExec, hGraph, |failure| {
            resultInfo.set(UpdateInfo { result: failure.result, error_node: failure.node, error_from: failure.from })
        })
    }

    fn cuGraphExecKernelNodeSetParams(hGraphExec: u64, hNode: u64, nodeParams: In<KernelNodeParams>) {
        set(hGraphExec, hNode, || node_parameters::kernel(&nodeParams.get()?.into()))
    }

    fn cuGraphExecKernelNodeSetParams_v2(hGraphExec: u64, hNode: u64, nodeParams: In<KernelNodeParams2>) {
        set(hGraphExec, hNode, || node_parameters::kernel(&nodeParams.get()?))
    }

    fn cuGraphExecMemcpyNodeSetParams(hGraphExec: u64, hNode: u64, copyParams: In<Copy3d>, ctx: u64) {
        set(hGraphExec, hNode, || node_parameters::copy(&copyParams.get()?, ctx))
    }

    fn cuGraphExecMemsetNodeSetParams(hGraphExec: u64, hNode: u64, memsetParams: In<MemsetNodeParams>, ctx: u64) {
        set(hGraphExec, hNode, || node_parameters::fill(&memsetParams.get()?, ctx))
    }

    fn cuGraphExecHostNodeSetParams(hGraphExec: u64, hNode: u64, nodeParams: In<HostNodeParams>) {
        set(hGraphExec, hNode, || node_parameters::host(&nodeParams.get()?))
    }

    fn cuGraphExecChildGraphNodeSetParams(hGraphExec: u64, hNode: u64, childGraph: u64) {
        set_child(hGraphExec, hNode, childGraph)
    }

    fn cuGraphExecEventRecordNodeSetEvent(hGraphExec: u64, hNode: u64, event: u64) {
        set(hGraphExec, hNode, || node_parameters::record(event))
    }

    fn cuGraphExecEventWaitNodeSetEvent(hGraphExec: u64, hNode: u64, event: u64) {
        set(hGraphExec, hNode, || node_parameters::wait(event))
    }

    fn cuGraphExecBatchMemOpNodeSetParams(hGraphExec: u64, hNode: u64, nodeParams: In<BatchNodeParams>) {
        set(hGraphExec, hNode, || node_parameters::batch(&nodeParams.get()?))
    }

    fn cuGraphExecExternalSemaphoresSignalNodeSetParams(hGraphExec: u64, hNode: u64, nodeParams: In<SemaphoreNodeParams>) {
        set(hGraphExec, hNode, || node_parameters::semaphores(Act::Signal, &nodeParams.get()?))
    }

    fn cuGraphExecExternalSemaphoresWaitNodeSetParams(hGraphExec: u64, hNode: u64, nodeParams: In<SemaphoreNodeParams>) {
        set(hGraphExec, hNode, || node_parameters::semaphores(Act::Wait, &nodeParams.get()?))
    }

    fn cuGraphExecNodeSetParams(hGraphExec: u64, hNode: u64, nodeParams: Out<NodeParams>) {
        executable::get(hGraphExec)?;
        graph::containing(hNode)?;
        let given = nodeParams.get()?;
        if given.kind == CU_GRAPH_NODE_TYPE_GRAPH {
            let child: ChildNodeParams = given.get();
            return set_child(hGraphExec, hNode, child.graph);
        }
        set(hGraphExec, hNode, || node_parameters::task(&given))
    }

    fn cuGraphNodeSetEnabled(hGraphExec: u64, hNode: u64, isEnabled: u32) {
        executable::get(hGraphExec)?.switch(hNode, |enabled| *enabled = isEnabled != 0)
    }

    fn cuGraphNodeGetEnabled(hGraphExec: u64, hNode: u64, isEnabled: Out<u32>) {
        isEnabled.check()?;
        isEnabled.set(executable::get(hGraphExec)?.switch(hNode, |enabled| u32::from(*enabled))?)
    }
}
