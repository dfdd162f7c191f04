//! Selections.

use crate::ir::{Choice, Code, Form, Opcode};
use crate::lanes::arithmetic::{select, ternary_imm};

pub(super) const LISTS: &[&[Opcode]] = &[BY_PREDICATE, BY_SIGN];

const SELECT_32: Code = select(|a: u32, b: u32, c| if c { a } else { b });
const SELECT_64: Code = select(|a: u64, b: u64, c| if c { a } else { b });

const BY_PREDICATE: &[Opcode] = &[
    Opcode::new(
        "selp.[b16|u16|s16|f16|bf16|b32|u32|s32|f32|f16x2|bf16x2]",
        SELECT_32,
    )
    .form(Form::Select),
    Opcode::new("selp.[b64|u64|s64|f64]", SELECT_64).form(Form::Select),
];

const BY_SIGN: &[Opcode] = &[
    by_sign(
        "slct{.ftz}.[b16|u16|s16|b32|u32|s32|f32].[s32|f32]",
        ternary_imm(|a: u32, b: u32, c: u32, imm| if not_negative(c, imm) { a } else { b }),
    ),
    by_sign(
        "slct{.ftz}.[b64|u64|s64|f64].[s32|f32]",
        ternary_imm(|a: u64, b: u64, c: u32, imm| if not_negative(c, imm) { a } else { b }),
    ),
];

const fn by_sign(name: &'static str, code: Code) -> Opcode {
    Opcode::new(name, code)
        .form(Form::SelectBySign)
        .encode(bounds)
}

/// Encodes the bit patterns that mean a number of at least zero: up to the lower half of `imm`
/// without a sign, and up to the upper half with a sign.
fn bounds(chosen: &Choice<'_>) -> u64 {
    let by_float = chosen.0.last() == Some(&"f32");
    match (by_float, chosen.has("ftz")) {
        (false, _) => 0x7fff_ffff,
        (true, false) => 0x8000_0000 << 32 | 0x7f80_0000,
        (true, true) => 0x807f_ffff << 32 | 0x7f80_0000,
    }
}

#[inline(always)]
fn not_negative(c: u32, imm: u64) -> bool {
    (c <= imm as u32) | ((c >> 31 != 0) & (c <= (imm >> 32) as u32))
}

/// The conversion of a predicate to the result of `set`.
pub(crate) static SELECT: Opcode = Opcode::internal("select", SELECT_32);

/// `a` in the upper half and the lower half of `b`, if the predicate holds.
pub(crate) static SELECT_UPPER: Opcode = Opcode::internal(
    "select upper half",
    select(|a: u32, b: u32, c| if c { b | a << 16 } else { b }),
);
