//! The instruction list's own terms: what an instruction is, and how PTX names it.

pub(super) mod notation;
pub(super) mod opcode;

pub(super) use opcode::{Choice, Code, Faults, Form, Opcode, Role, Targets, Written};
