//! Functions that the engine itself provides: calls of them are instructions.

use crate::engine::device_runtime;
use crate::engine::ir::{Code, Faults, Opcode, Role};
use crate::engine::state::op::Exec;
use crate::engine::warp::{graph, print};

/// A call by the call site `x`.
const fn call(name: &'static str, run: Exec) -> Opcode {
    let code = Code {
        x: Role::Number,
        ..Code::new(run).faults(Faults::ADDRESS.and(Faults::TRAP))
    };
    Opcode::internal(name, code)
}

pub(in crate::engine) const PRINT: Opcode = call("call vprintf", print::print);
pub(in crate::engine) const ASSERT_FAIL: Opcode = call("call __assertfail", print::assert_fail);
pub(in crate::engine) const MALLOC: Opcode = call("call malloc", print::malloc);
pub(in crate::engine) const FREE: Opcode = call("call free", print::free);
pub(in crate::engine) const SET_CONDITIONAL: Opcode =
    call("call cudaGraphSetConditional", graph::set_conditional);
pub(in crate::engine) const LAUNCH_GRAPH: Opcode = call("call cudaGraphLaunch", graph::launch);
pub(in crate::engine) const SET_NODE_PARAM: Opcode =
    call("call cudaGraphKernelNodeSetParam", graph::set_node_param);
pub(in crate::engine) const SET_NODE_ENABLED: Opcode = call(
    "call cudaGraphKernelNodeSetEnabled",
    graph::set_node_enabled,
);
pub(in crate::engine) const SET_NODE_GRID: Opcode =
    call("call cudaGraphKernelNodeSetGridDim", graph::set_node_grid);
pub(in crate::engine) const UPDATE_NODES: Opcode =
    call("call cudaGraphKernelNodeUpdatesApply", graph::update_nodes);
/// The function of the device runtime whose number is `imm`.
pub(in crate::engine) const DEVICE_RUNTIME: Opcode = {
    let opcode = call("call device runtime", device_runtime::call);
    let code = Code {
        imm: true,
        ..opcode.code
    };
    Opcode { code, ..opcode }
};
