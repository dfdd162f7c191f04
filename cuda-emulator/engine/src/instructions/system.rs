//! Functions that the engine provides. Calls of them are instructions.

use crate::device_runtime;
use crate::ir::{Code, Faults, Opcode, Role};
use crate::state::op::Exec;
use crate::warp::{graph, print};

/// A call with call site `x`.
const fn call(name: &'static str, run: Exec) -> Opcode {
    let code = Code {
        x: Role::Number,
        ..Code::new(run).faults(Faults::ADDRESS.and(Faults::TRAP))
    };
    Opcode::internal(name, code)
}

pub(crate) const PRINT: Opcode = call("call vprintf", print::print);
pub(crate) const ASSERT_FAIL: Opcode = call("call __assertfail", print::assert_fail);
pub(crate) const MALLOC: Opcode = call("call malloc", print::malloc);
pub(crate) const FREE: Opcode = call("call free", print::free);
pub(crate) const SET_CONDITIONAL: Opcode =
    call("call cudaGraphSetConditional", graph::set_conditional);
pub(crate) const LAUNCH_GRAPH: Opcode = call("call cudaGraphLaunch", graph::launch);
pub(crate) const SET_NODE_PARAM: Opcode =
    call("call cudaGraphKernelNodeSetParam", graph::set_node_param);
pub(crate) const SET_NODE_ENABLED: Opcode = call(
    "call cudaGraphKernelNodeSetEnabled",
    graph::set_node_enabled,
);
pub(crate) const SET_NODE_GRID: Opcode =
    call("call cudaGraphKernelNodeSetGridDim", graph::set_node_grid);
pub(crate) const UPDATE_NODES: Opcode =
    call("call cudaGraphKernelNodeUpdatesApply", graph::update_nodes);
/// The device runtime's function with number `imm`.
pub(crate) const DEVICE_RUNTIME: Opcode = {
    let opcode = call("call device runtime", device_runtime::call);
    let code = Code {
        imm: true,
        ..opcode.code
    };
    Opcode { code, ..opcode }
};
