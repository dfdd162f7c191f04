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
    /// Returns a name with the values of the type at its end, as in `min.s32`.
    fn at_end(name: &'static str) -> Self {
        let operand = match name.rsplit('.').next().unwrap_or(name) {
            "b8" | "u8" | "s8" => Operand::I8,
            "b16" | "u16" | "s16" => Operand::I16,
            "b32" | "u32" | "s32" => Operand::I32,
            "b64" | "u64" | "s64" => Operand::I64,
            "f16" => Operand::F16,
            "f16x2" => Operand::F16x2,
            "bf16" => Operand::Bf16,
            "bf16x2" => Operand::Bf16x2,
            "f32" => Operand::F32,
            "f64" => Operand::F64,
            _ => panic!("{name} has no type"),
        };
        Self(name, operand)
    }

    fn width(self) -> Width {
        self.1.width()
    }
}

/// Returns a list of registers, such as `%a1, %a2`.
fn list(prefix: &str, from: usize, count: usize) -> String {
    let names: Vec<String> = (from..from + count)
        .map(|i| format!("{prefix}{i}"))
        .collect();
    names.join(", ")
}

/// Returns the types in a list of names.
fn types(names: &'static str) -> impl Iterator<Item = Type> {
    names.split_whitespace().map(Type::at_end)
}

const INTEGERS: &str = "u16 s16 u32 s32 u64 s64";
const BITS: &str = "b16 b32 b64";
