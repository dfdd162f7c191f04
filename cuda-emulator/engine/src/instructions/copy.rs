//! Asynchronous copies: `cp.async`, `cp.async.bulk`.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::memory::address;
use crate::memory::bulk;
use crate::ptx::Type;
use crate::state::op::Exec;
use crate::warp::control;

pub(super) const LISTS: &[&[Opcode]] = &[&[
    // Lowered to one of the entries below.
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

/// `cp.async` of `c` bytes from `b` to `a`, unless predicate `x` holds. `imm` contains the size,
/// and in the upper half the value that flips the predicate.
pub(crate) const COPY_ASYNC: Opcode = Opcode::internal(
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
pub(crate) const BULK: Opcode = Opcode::internal(
    "cp.async.bulk",
    Code {
        a: Role::Read(Type::B64),
        x: Role::Read(Type::B64),
        imm: true,
        ..copy(bulk::issue).faults(Faults::ADDRESS.and(Faults::ILLEGAL))
    },
);

/// The same, to the blocks of the cluster given by the bits of `d`.
pub(crate) const BULK_MULTICAST: Opcode = Opcode::internal(
    "cp.async.bulk.multicast",
    Code {
        d: Role::Read(Type::U16),
        ..BULK.code
    },
);

pub(crate) const BULK_PREFETCH: Opcode =
    Opcode::internal("cp.async.bulk.prefetch", copy(bulk::prefetch));

pub(crate) const BULK_COMMIT: Opcode =
    Opcode::internal("cp.async.bulk.commit_group", Code::new(bulk::commit));

/// Waits until at most `imm` groups are pending.
pub(crate) const BULK_WAIT: Opcode = Opcode::internal(
    "cp.async.bulk.wait_group",
    Code {
        imm: true,
        ..Code::new(bulk::wait_group).faults(Faults::ADDRESS)
    },
);
