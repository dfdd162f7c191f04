//! All forms, by kind of instruction.

mod atomic;
mod bits;
mod cluster;
mod compare;
mod control;
mod convert;
mod float;
mod half;
mod integer;
mod memory;
mod packed;
mod program;
mod tensor;
mod transcendental;
mod video;
mod warp;

use anyhow::Result;

use crate::data::{self, Data};
use crate::form::Form;
use crate::operand::{Operand, Width};

/// Returns all forms in a fixed order. Random programs come last.
#[must_use]
pub fn all() -> Vec<Form> {
    let mut forms = Vec::new();
    integer::add(&mut forms);
    bits::add(&mut forms);
    packed::add(&mut forms);
    float::add(&mut forms);
    half::add(&mut forms);
    transcendental::add(&mut forms);
    compare::add(&mut forms);
    convert::add(&mut forms);
    warp::add(&mut forms);
    atomic::add(&mut forms);
    memory::add(&mut forms);
    control::add(&mut forms);
    let programs = program::programs(&forms);
    integer::mixed_carries(&mut forms);
    video::add(&mut forms);
    tensor::add(&mut forms);
    cluster::add(&mut forms);
    forms.extend(programs);
    forms
}

/// Returns the results recorded on an H200.
///
/// # Errors
///
/// Returns an error if the file in the repository is corrupt.
pub fn recorded() -> Result<Data> {
    data::unpack(include_bytes!("../../data/h200.bin"))
}

/// A type's name in PTX, its values and its register.
#[derive(Clone, Copy)]
struct Type(&'static str, Operand);

impl Type {
    fn width(self) -> Width {
        self.1.width()
    }
}

const INTEGERS: [Type; 6] = [
    Type("u16", Operand::I16),
    Type("s16", Operand::I16),
    Type("u32", Operand::I32),
    Type("s32", Operand::I32),
    Type("u64", Operand::I64),
    Type("s64", Operand::I64),
];

const BITS: [Type; 3] = [
    Type("b16", Operand::I16),
    Type("b32", Operand::I32),
    Type("b64", Operand::I64),
];
