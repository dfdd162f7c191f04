//! Special registers that change while a thread runs, and a rarely used one. Reading one is an
//! instruction.

use crate::ir::{Code, Opcode, Role};
use crate::lanes::clock as run;
use crate::ptx::Type;
use crate::state::op::Exec;
use crate::warp::graph;

/// A register and the instruction that reads it.
const fn read(name: &'static str, ty: Type, exec: Exec) -> Opcode {
    let code = Code {
        d: Role::Write(ty),
        ..Code::new(exec)
    };
    Opcode::internal(name, code)
}

static REGISTERS: &[Opcode] = &[
    read("%clock", Type::U32, run::clock::<u32>),
    read("%clock_hi", Type::U32, run::clock_high),
    read("%clock64", Type::U64, run::clock::<u64>),
    read("%globaltimer", Type::U64, run::timer::<u64>),
    read("%globaltimer_lo", Type::U32, run::timer::<u32>),
    read("%globaltimer_hi", Type::U32, run::timer_high),
    read("%current_graph_exec", Type::U64, graph::current),
];

/// Returns the instruction that reads a register. None if it is not one of these.
pub(crate) fn varying(name: &str) -> Option<&'static Opcode> {
    REGISTERS.iter().find(|opcode| opcode.name == name)
}
