//! Half precision and bfloat16, single and in pairs.

use super::soft::{SoftOp, software};
use crate::ir::Opcode;
use crate::lanes::arithmetic::{binary, ternary_each};
use crate::number::math::{
    brain_to_single, fma_brain, fma_half, half_to_single, single_to_brain, single_to_half,
};
use crate::ptx::Type;

/// Entries in software for f16 and f16x2.
macro_rules! halves {
    ($name:literal, $op:ident, $since:literal) => {
        halves!($name, $op, $since, (0, 0))
    };
    ($name:literal, $op:ident, $since:literal, $version:expr) => {
        &[
            software(concat!($name, "f16"), SoftOp::$op, Type::F16)
                .since($since)
                .version($version),
            software(concat!($name, "f16x2"), SoftOp::$op, Type::F16x2)
                .since($since)
                .version($version),
        ]
    };
}

/// Entries in software for bf16 and bf16x2.
macro_rules! brains {
    ($name:literal, $op:ident, $since:literal) => {
        brains!($name, $op, $since, (0, 0))
    };
    ($name:literal, $op:ident, $since:literal, $version:expr) => {
        &[
            software(concat!($name, "bf16"), SoftOp::$op, Type::BF16)
                .since($since)
                .version($version),
            software(concat!($name, "bf16x2"), SoftOp::$op, Type::BF16x2)
                .since($since)
                .version($version),
        ]
    };
}

pub(super) const LISTS: &[&[Opcode]] = &[
    ADD,
    SUB,
    MUL,
    FMA,
    halves!("add{.rn}{.ftz}{.sat}.", Add, 0),
    halves!("sub{.rn}{.ftz}{.sat}.", Sub, 0),
    halves!("mul{.rn}{.ftz}{.sat}.", Mul, 0),
    halves!("fma{.rn}{.ftz}{.sat}.", Fma, 0),
    halves!("fma{.rn}{.ftz}.relu.", Fma, 80),
    brains!("fma{.rn}.relu.", Fma, 80),
    halves!("fma.rn.oob{.relu}.", Fma, 90, (8, 1)),
    halves!("fma.rn.oob.sat.", Fma, 90, (8, 1)),
    brains!("fma.rn.oob{.relu}.", Fma, 90, (8, 1)),
    halves!("abs{.ftz}.", Abs, 0),
    brains!("abs.", Abs, 80),
    halves!("neg{.ftz}.", Neg, 0),
    brains!("neg.", Neg, 80),
    halves!("min{.ftz}{.NaN}.", Min, 80),
    brains!("min{.NaN}.", Min, 80),
    halves!("min{.ftz}{.NaN}.xorsign.abs.", Min, 86),
    brains!("min{.NaN}.xorsign.abs.", Min, 86),
    halves!("max{.ftz}{.NaN}.", Max, 80),
    brains!("max{.NaN}.", Max, 80),
    halves!("max{.ftz}{.NaN}.xorsign.abs.", Max, 86),
    brains!("max{.NaN}.xorsign.abs.", Max, 86),
];

/// Applies an operation to both halves of a register.
#[inline(always)]
fn both(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

/// The same as [`both`] with three operands.
#[inline(always)]
fn both3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let high = f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    u32::from(f(a as u16, b as u16, c as u16)) | u32::from(high) << 16
}

#[inline(always)]
fn by_single(a: u16, b: u16, f: impl Fn(f32, f32) -> f32) -> u16 {
    single_to_half(f(half_to_single(a), half_to_single(b)))
}

#[inline(always)]
fn brain_by_single(a: u16, b: u16, f: impl Fn(f32, f32) -> f32) -> u16 {
    single_to_brain(f(brain_to_single(a), brain_to_single(b)))
}

/// Entries of an operation that is computed in single precision. The result is correctly rounded,
/// since a single has more than twice the bits.
macro_rules! operation {
    ($name:literal, $f:expr) => {
        &[
            operation!(@one $name, "f16", F16, |a: u16, b: u16| by_single(a, b, $f)),
            operation!(@one $name, "f16x2", F16x2, |a: u32, b: u32| {
                both(a, b, |a, b| by_single(a, b, $f))
            }),
            operation!(@one $name, "bf16", BF16, |a: u16, b: u16| brain_by_single(a, b, $f))
                .since(90),
            operation!(@one $name, "bf16x2", BF16x2, |a: u32, b: u32| {
                both(a, b, |a, b| brain_by_single(a, b, $f))
            })
            .since(90),
        ]
    };
    (@one $name:literal, $suffix:literal, $ty:ident, $f:expr) => {
        Opcode::new(concat!($name, $suffix), binary($f).on(Type::$ty))
    };
}

const ADD: &[Opcode] = operation!("add{.rn}.", |a, b| a + b);
const SUB: &[Opcode] = operation!("sub{.rn}.", |a, b| a - b);
const MUL: &[Opcode] = operation!("mul{.rn}.", |a, b| a * b);

const FMA: &[Opcode] = &[
    Opcode::new("fma{.rn}.f16", ternary_each(fma_half).on(Type::F16)),
    Opcode::new(
        "fma{.rn}.f16x2",
        ternary_each(|a, b, c| both3(a, b, c, fma_half)).on(Type::F16x2),
    ),
    Opcode::new("fma{.rn}.bf16", ternary_each(fma_brain).on(Type::BF16)).since(80),
    Opcode::new(
        "fma{.rn}.bf16x2",
        ternary_each(|a, b, c| both3(a, b, c, fma_brain)).on(Type::BF16x2),
    )
    .since(80),
];
