//! Copies with tensor maps, and changes of maps.

use crate::ir::{Code, Faults, Form, Opcode, Role};
use crate::memory::{tensor_field, tensor_map};
use crate::ptx::Type;
use crate::warp::control;

pub(super) const LISTS: &[&[Opcode]] = &[&[
    // Lowered to one of the entries below.
    Opcode::new(
        "tensormap.cp_fenceproxy*",
        Code::new(control::nothing).faults(Faults::ADDRESS),
    )
    .form(Form::TensorMap)
    .since(90),
    Opcode::new(
        "tensormap.replace*",
        Code::new(control::nothing).faults(Faults::ADDRESS),
    )
    .form(Form::TensorMap)
    .specific(90),
]];

/// Besides addresses, the contents of the map can be invalid.
const FAULTS: Faults = Faults::ADDRESS.and(Faults::ILLEGAL);

/// A copy encoded in `imm`. Its operands are in the list `x`.
pub(crate) const TENSOR_COPY: Opcode = Opcode::internal(
    "cp.async.bulk.tensor",
    Code {
        x: Role::List,
        imm: true,
        ..Code::new(tensor_map::issue).faults(FAULTS)
    },
);

/// Sets a field of the map at `a` to `b`. `imm` selects the field.
pub(crate) const TENSOR_REPLACE: Opcode = Opcode::internal(
    "tensormap.replace",
    Code {
        a: Role::Read(Type::B64),
        b: Role::Read(Type::B64),
        imm: true,
        ..Code::new(tensor_field::replace).faults(FAULTS)
    },
);

/// Copies the map at `b` in shared memory to `a`.
pub(crate) const TENSOR_MAP_COPY: Opcode = Opcode::internal(
    "tensormap.cp_fenceproxy",
    Code {
        a: Role::Read(Type::B64),
        b: Role::Read(Type::B64),
        ..Code::new(tensor_field::copy).faults(FAULTS)
    },
);
