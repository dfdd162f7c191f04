//! Asynchronous copies: `cp.async`, `cp.async.bulk`.

use crate::engine::ir::{Code, Faults, Form, Opcode, Role};
use crate::engine::memory::address;
use crate::engine::memory::bulk;
use crate::engine::state::op::Exec;
use crate::engine::warp::control;
use crate::ptx::Type;

pub(super) const LISTS: &[&[Opcode]] = &[&[
    // Lowered to one of those below.
    Opcode::new("cp*", Code::new(control::nothing).faults(Faults::ADDRESS))
        .form(Form::Copy)
        .since(80),
]];

const fn copy(exec: Exec) -> Code {
    Code {
        b: Role::Read(Type::B64),
        c: Role::Read(Type::U32),
        ..Code::new(exec).faults(Faults::ADDRESS)
    }
}

/// `cp.async` of `c` bytes from `b` to `a`, unless predicate `x` holds. `imm`: the size, and what flips the predicate in
/// the upper half.
pub(in crate::engine) const COPY_ASYNC: Opcode = Opcode::internal(
    "cp.async",
    Code {
        a: Role::Read(Type::B64),
        x: Role::Read(Type::Pred),
        y: Role::Cache,
        imm: true,
        ..copy(address::copy_async)
    },
);

/// A bulk copy of `c` bytes from `b` to `a` in the direction `imm`, counted by the mbarrier at `x`.
pub(in crate::engine) const BULK: Opcode = Opcode::internal(
    "cp.async.bulk",
    Code {
        a: Role::Read(Type::B64),
        x: Role::Read(Type::B64),
        imm: true,
        ..copy(bulk::issue).faults(Faults::ADDRESS.and(Faults::ILLEGAL))
    },
);

/// The same, to the blocks of the cluster whose bits are set in `d`.
pub(in crate::engine) const BULK_MULTICAST: Opcode = Opcode::internal(
    "cp.async.bulk.multicast",
    Code {
        d: Role::Read(Type::U16),
        ..BULK.code
    },
);

pub(in crate::engine) const BULK_PREFETCH: Opcode =
    Opcode::internal("cp.async.bulk.prefetch", copy(bulk::prefetch));

pub(in crate::engine) const BULK_COMMIT: Opcode =
    Opcode::internal("cp.async.bulk.commit_group", Code::new(bulk::commit));

/// Until no more than `imm` groups are on their way.
pub(in crate::engine) const BULK_WAIT: Opcode = Opcode::internal(
    "cp.async.bulk.wait_group",
    Code {
        imm: true,
        ..Code::new(bulk::wait_group).faults(Faults::ADDRESS)
    },
);
