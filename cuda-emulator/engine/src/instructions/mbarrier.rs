//! `mbarrier`.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::lanes::arithmetic::unary;
use crate::memory::mbarrier as run;
use crate::ptx::Type;
use crate::state::op::Exec;
use crate::warp::control;

pub(super) const LISTS: &[&[Opcode]] = &[&[
    Opcode::new("mbarrier.pending_count.b64", unary(run::pending)).since(80),
    // Lowered to one or more of the entries below.
    Opcode::new(
        "mbarrier*",
        Code::new(control::nothing).faults(Faults::ADDRESS),
    )
    .form(Form::Mbarrier)
    .since(80),
]];

/// An operation on the word at `a` plus `imm`. `c` selects the addressing.
const fn word(exec: Exec) -> Code {
    Code {
        a: Role::Address,
        c: Role::Reach,
        x: Role::Number,
        y: Role::Cache,
        imm: true,
        ..Code::new(exec).faults(Faults::ADDRESS)
    }
}

/// `d` = the old word. Applies the action `x` with the number `b` to the word.
pub(crate) const MBARRIER_CHANGE: Opcode = Opcode::internal(
    "mbarrier change",
    Code {
        d: Role::Write(Type::U64),
        b: Role::Read(Type::U32),
        ..word(run::change)
    },
);

/// `d` = whether the phase with parity `b` is complete.
pub(crate) const MBARRIER_WAIT_PARITY: Opcode = Opcode::internal(
    "mbarrier wait parity",
    Code {
        d: Role::Write(Type::Pred),
        b: Role::Read(Type::U32),
        ..word(run::wait)
    },
);

/// `d` = whether the phase of the state `b` is complete.
pub(crate) const MBARRIER_WAIT: Opcode = Opcode::internal(
    "mbarrier wait",
    Code {
        b: Role::Read(Type::U64),
        ..MBARRIER_WAIT_PARITY.code
    },
);

/// `d = -a`
pub(crate) const NEGATE: Opcode = Opcode::internal("negate", unary(u32::wrapping_neg));
