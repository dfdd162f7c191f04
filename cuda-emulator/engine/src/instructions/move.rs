//! Moves.

use crate::ir::{Code, Form, Opcode};
use crate::lanes::arithmetic::{binary, predicate, unary, unary_imm};

pub(super) const LISTS: &[&[Opcode]] = &[MOVES];

pub(super) const MOVE_32: Code = unary(|a: u32| a);
pub(super) const MOVE_64: Code = unary(|a: u64| a);
const MOVE_128: Code = unary(|a: u128| a);
const MOVE_PREDICATE: Code = predicate(|a, _| a);

const MOVES: &[Opcode] = &[
    plain(
        "mov.[b16|u16|s16|f16|bf16|b32|u32|s32|f32|f16x2|bf16x2]",
        MOVE_32,
    ),
    plain("mov.[b64|u64|s64|f64]", MOVE_64),
    plain("mov.b128", MOVE_128).since(70),
    plain("mov.pred", MOVE_PREDICATE),
];

const fn plain(name: &'static str, code: Code) -> Opcode {
    Opcode::new(name, code).form(Form::Move)
}

/// Copies a predicate.
pub(crate) static COPY_PREDICATE: Opcode = Opcode::internal("copy predicate", MOVE_PREDICATE);

/// Copies a register.
pub(crate) static COPY: Opcode = Opcode::internal("copy", MOVE_32);

/// Joins two parts to one value, indexed by the part's size in bytes: 1, 2, 4, 8.
pub(crate) static JOIN: [Opcode; 4] = [
    Opcode::internal(
        "join.b16",
        binary(|a: u8, b: u8| u16::from(a) | u16::from(b) << 8),
    ),
    Opcode::internal(
        "join.b32",
        binary(|a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
    ),
    Opcode::internal(
        "join.b64",
        binary(|a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
    ),
    Opcode::internal(
        "join.b128",
        binary(|a: u64, b: u64| u128::from(a) | u128::from(b) << 64),
    ),
];

/// Returns the mask of a part of at most 32 bits, with `imm >> 8` bits from bit `imm & 0xff`.
#[inline(always)]
fn mask(imm: u64) -> u32 {
    u32::MAX >> (32 - (imm >> 8))
}

/// A part of 8 or 16 bits of a 32-bit register.
pub(crate) static PART_OF_32: Opcode = Opcode::internal(
    "part.b32",
    unary_imm(|a: u32, imm| a >> (imm & 31) & mask(imm)),
);

/// A part of 16 or 32 bits of a 64-bit register.
pub(crate) static PART_OF_64: Opcode = Opcode::internal(
    "part.b64",
    unary_imm(|a: u64, imm| (a >> (imm & 63)) as u32 & mask(imm)),
);

/// A 32-bit part of a 128-bit register.
pub(crate) static WORD_OF_128: Opcode = Opcode::internal(
    "part.b128",
    unary_imm(|a: u128, imm| (a >> (imm & 127)) as u32),
);

/// A half of a 128-bit register.
pub(crate) static HALF_OF_128: Opcode = Opcode::internal(
    "half.b128",
    unary_imm(|a: u128, imm| (a >> (imm & 127)) as u64),
);
