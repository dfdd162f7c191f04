//! Transcendental functions. They are more accurate than a GPU's, within the error that PTX allows.

use crate::ir::{Choice, Code, Opcode};
use crate::lanes::arithmetic::unary_imm_each;
use crate::number::math::{
    brain_to_single, flush, half_to_single, quiet, single_to_brain, single_to_half,
};
use crate::ptx::Type;

pub(super) const LISTS: &[&[Opcode]] = &[SINGLE, HALF];

// The function, in the lowest bits of the immediate.
const SIN: u64 = 0;
const COS: u64 = 1;
const LG2: u64 = 2;
const EX2: u64 = 3;
const TANH: u64 = 4;
/// Subnormal operands and results count as zero.
const FTZ: u64 = 1 << 8;
/// Whether halves are bfloat16.
const BRAIN: u64 = 1 << 9;

fn flushes(chosen: &Choice<'_>) -> u64 {
    if chosen.has("ftz") { FTZ } else { 0 }
}

fn function(x: f32, imm: u64) -> f32 {
    let flushed = |x| if imm & FTZ != 0 { flush(x) } else { x };
    let x = flushed(x);
    flushed(match imm & 0xff {
        // The argument is reduced in double precision.
        SIN => f64::from(x).sin() as f32,
        COS => f64::from(x).cos() as f32,
        LG2 => x.log2(),
        EX2 => x.exp2(),
        _ => x.tanh(),
    })
}

fn function16(x: u16, imm: u64) -> u16 {
    if imm & BRAIN != 0 {
        single_to_brain(function(brain_to_single(x), imm))
    } else {
        single_to_half(function(half_to_single(x), imm))
    }
}

const ONE: Code = unary_imm_each(|a: f32, imm| quiet(function(a, imm)));
const ONE_16: Code = unary_imm_each(function16);
const TWO_16: Code = unary_imm_each(|a: u32, imm| {
    u32::from(function16(a as u16, imm)) | u32::from(function16((a >> 16) as u16, imm)) << 16
});

const SINGLE: &[Opcode] = &[
    Opcode::new("sin{.approx}{.ftz}.f32", ONE)
        .imm(SIN)
        .encode(flushes),
    Opcode::new("cos{.approx}{.ftz}.f32", ONE)
        .imm(COS)
        .encode(flushes),
    Opcode::new("lg2{.approx}{.ftz}.f32", ONE)
        .imm(LG2)
        .encode(flushes),
    Opcode::new("ex2{.approx}{.ftz}.f32", ONE)
        .imm(EX2)
        .encode(flushes),
    Opcode::new("tanh{.approx}.f32", ONE).imm(TANH).since(75),
];

/// Creates an entry for each half-precision format.
macro_rules! halves {
    ($($name:literal, $imm:expr;)*) => {
        &[$(
            Opcode::new(concat!($name, "f16"), ONE_16.on(Type::F16))
                .imm($imm)
                .encode(flushes)
                .since(75),
            Opcode::new(concat!($name, "f16x2"), TWO_16.on(Type::F16x2))
                .imm($imm)
                .encode(flushes)
                .since(75),
            Opcode::new(concat!($name, "bf16"), ONE_16.on(Type::BF16))
                .imm($imm | BRAIN)
                .encode(flushes)
                .since(90),
            Opcode::new(concat!($name, "bf16x2"), TWO_16.on(Type::BF16x2))
                .imm($imm | BRAIN)
                .encode(flushes)
                .since(90),
        )*]
    };
}

const HALF: &[Opcode] = halves! {
    "ex2{.approx}{.ftz}.", EX2;
    "tanh{.approx}.", TANH;
};
