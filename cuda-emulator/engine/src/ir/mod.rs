//! The vocabulary of the instruction list: instructions, and their notation in PTX.

pub(super) mod notation;
pub(super) mod opcode;

pub(super) use opcode::{Choice, Code, Faults, Form, Opcode, Role, Targets, Written};
