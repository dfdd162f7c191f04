//! Video instructions: integer arithmetic on bytes and half-words, with a secondary operation.

use crate::ir::{Choice, Code, Form, Opcode};
use crate::lanes::arithmetic::ternary_imm_each;

pub(super) const LISTS: &[&[Opcode]] = &[SCALAR, PAIRS, QUADS];

// Bit positions in `imm`. The selectors of a scalar instruction are 0 for the whole word, 1 to 4
// for a byte, 5 and 6 for a half. Those of the others have four bits for each element of the
// result.
const OPERATION: u32 = 0;
const COMPARISON: u32 = 4;
const SIGNED_D: u32 = 8;
const SIGNED_A: u32 = 9;
const SIGNED_B: u32 = 10;
const SATURATE: u32 = 11;
pub(crate) const SECOND: u32 = 12;
const WRAP: u32 = 14;
pub(crate) const PLUS_ONE: u32 = 15;
const SCALE: u32 = 16;
pub(crate) const NEGATE_PRODUCT: u32 = 20;
pub(crate) const NEGATE_C: u32 = 21;
/// Selects the elements that are written.
pub(crate) const MASK: u32 = 24;
pub(crate) const SELECT_D: u32 = 28;
pub(crate) const SELECT_A: u32 = 32;
pub(crate) const SELECT_B: u32 = 48;

const ADD: u64 = 0;
const SUB: u64 = 1;
const DIFFERENCE: u64 = 2;
const MIN: u64 = 3;
const MAX: u64 = 4;
const AVERAGE: u64 = 5;
const SET: u64 = 6;
const SHL: u64 = 7;
const SHR: u64 = 8;
const MAD: u64 = 9;

/// Encodes the fields of `imm` that depend on the modifiers.
fn encode(operation: u64, chosen: &Choice<'_>) -> u64 {
    let place = |names: &[&str]| {
        let found = names.iter().position(|&n| chosen.has(n));
        found.map_or(0, |at| at as u64 + 1)
    };
    let mut types = chosen.0.iter().filter(|m| m.ends_with("32"));
    let mut signed = || u64::from(types.next() == Some(&"s32"));
    // A comparison gives 0 or 1, and the value that it is combined with has the first type.
    let first = signed();
    let (result, first) = if operation == SET {
        (first, first)
    } else {
        (first, signed())
    };
    operation << OPERATION
        | place(&["eq", "ne", "lt", "le", "gt", "ge"]) << COMPARISON
        | result << SIGNED_D
        | first << SIGNED_A
        | signed() << SIGNED_B
        | u64::from(chosen.has("sat")) << SATURATE
        | place(&["add", "min", "max"]) << SECOND
        | u64::from(chosen.has("wrap")) << WRAP
        | u64::from(chosen.has("po")) << PLUS_ONE
        | place(&["shr7", "shr15"]) << SCALE
}

/// Creates an entry.
macro_rules! entry {
    ($name:literal, $operation:expr, $code:expr, $since:literal) => {
        Opcode::new($name, $code)
            .form(Form::Video)
            .encode(|chosen| encode($operation, chosen))
            .since($since)
    };
}

#[rustfmt::skip]
const SCALAR: &[Opcode] = &[
    entry!("vadd.[u32|s32].[u32|s32].[u32|s32]{.sat}{.add|.min|.max}", ADD, ONE, 20),
    entry!("vsub.[u32|s32].[u32|s32].[u32|s32]{.sat}{.add|.min|.max}", SUB, ONE, 20),
    entry!("vabsdiff.[u32|s32].[u32|s32].[u32|s32]{.sat}{.add|.min|.max}", DIFFERENCE, ONE, 20),
    entry!("vmin.[u32|s32].[u32|s32].[u32|s32]{.sat}{.add|.min|.max}", MIN, ONE, 20),
    entry!("vmax.[u32|s32].[u32|s32].[u32|s32]{.sat}{.add|.min|.max}", MAX, ONE, 20),
    entry!("vshl.[u32|s32].[u32|s32].u32.[clamp|wrap]{.sat}{.add|.min|.max}", SHL, ONE, 20),
    entry!("vshr.[u32|s32].[u32|s32].u32.[clamp|wrap]{.sat}{.add|.min|.max}", SHR, ONE, 20),
    entry!("vset.[u32|s32].[u32|s32].[eq|ne|lt|le|gt|ge]{.add|.min|.max}", SET, ONE, 20),
    entry!("vmad.[u32|s32].[u32|s32].[u32|s32]{.po}{.sat}{.shr7|.shr15}", MAD, ONE, 20),
];

/// The instructions on several elements. The sum of the elements is not saturated.
macro_rules! several {
    ($n:literal, $code:expr) => {
        &[
            several!(@one "vadd", $n, ADD, $code, "{.sat}"),
            several!(@one "vadd", $n, ADD, $code, ".add"),
            several!(@one "vsub", $n, SUB, $code, "{.sat}"),
            several!(@one "vsub", $n, SUB, $code, ".add"),
            several!(@one "vavrg", $n, AVERAGE, $code, "{.sat}"),
            several!(@one "vavrg", $n, AVERAGE, $code, ".add"),
            several!(@one "vabsdiff", $n, DIFFERENCE, $code, "{.sat}"),
            several!(@one "vabsdiff", $n, DIFFERENCE, $code, ".add"),
            several!(@one "vmin", $n, MIN, $code, "{.sat}"),
            several!(@one "vmin", $n, MIN, $code, ".add"),
            several!(@one "vmax", $n, MAX, $code, "{.sat}"),
            several!(@one "vmax", $n, MAX, $code, ".add"),
            several!(@named concat!("vset", $n, ".[u32|s32].[u32|s32].[eq|ne|lt|le|gt|ge]{.add}"), SET, $code),
        ]
    };
    (@one $name:literal, $n:literal, $operation:expr, $code:expr, $end:literal) => {
        several!(@named concat!($name, $n, ".[u32|s32].[u32|s32].[u32|s32]", $end), $operation, $code)
    };
    (@named $name:expr, $operation:expr, $code:expr) => {
        Opcode::new($name, $code)
            .form(Form::Video)
            .encode(|chosen| encode($operation, chosen))
            .since(30)
    };
}

const PAIRS: &[Opcode] = several!("2", TWO);
const QUADS: &[Opcode] = several!("4", FOUR);

const ONE: Code = ternary_imm_each(|a: u32, b: u32, c: u32, imm| one(a, b, c, imm));
const TWO: Code = ternary_imm_each(|a: u32, b: u32, c: u32, imm| elements(a, b, c, imm, 2));
const FOUR: Code = ternary_imm_each(|a: u32, b: u32, c: u32, imm| elements(a, b, c, imm, 4));

fn field(imm: u64, at: u32, bits: u32) -> u64 {
    imm >> at & ((1 << bits) - 1)
}

/// Extends the lower bits of a word to a number.
fn extend(word: u64, bits: u32, signed: bool) -> i64 {
    let up = word << (64 - bits);
    if signed {
        up as i64 >> (64 - bits)
    } else {
        (up >> (64 - bits)) as i64
    }
}

/// Returns the first bit and the width of a scalar instruction's selector.
fn chosen(selector: u64) -> (u32, u32) {
    match selector as u32 {
        0 => (0, 32),
        n @ 1..=4 => ((n - 1) * 8, 8),
        n => ((n & 7) * 16 - 80, 16),
    }
}

/// Clamps to the range of a type with this number of bits.
fn clamp(value: i64, bits: u32, signed: bool) -> i64 {
    if signed {
        value.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1)
    } else {
        value.clamp(0, (1 << bits) - 1)
    }
}

/// The operations that all video instructions share.
fn basic(a: i64, b: i64, imm: u64) -> i64 {
    match field(imm, OPERATION, 4) {
        ADD => a + b,
        SUB => a - b,
        DIFFERENCE => (a - b).abs(),
        MIN => a.min(b),
        MAX => a.max(b),
        // Halves are rounded up, except below zero: away from zero above it, and down below.
        AVERAGE => (a + b + i64::from(a + b >= 0)) >> 1,
        _ => i64::from(match field(imm, COMPARISON, 3) {
            1 => a == b,
            2 => a != b,
            3 => a < b,
            4 => a <= b,
            5 => a > b,
            _ => a >= b,
        }),
    }
}

/// An instruction on one part of each source.
///
/// GPUs since Maxwell have no such instructions. NVIDIA's compiler replaces each by several others.
/// They compute the manual's result, with the exceptions that the functions below describe.
fn one(a: u32, b: u32, c: u32, imm: u64) -> u32 {
    let is = |at| field(imm, at, 1) != 0;
    let part = |word: u32, select, sign| {
        let (at, bits) = chosen(field(imm, select, 4));
        extend(u64::from(word >> at), bits, is(sign))
    };
    let (x, y) = (part(a, SELECT_A, SIGNED_A), part(b, SELECT_B, SIGNED_B));
    let by = if is(WRAP) { y & 31 } else { y.min(32) };
    let operation = field(imm, OPERATION, 4);
    let value = match operation {
        SHL => x << by,
        SHR => x >> by,
        MAD => return multiply(x, y, c, imm),
        _ => basic(x, y, imm),
    };
    let select = field(imm, SELECT_D, 4);
    let value = if is(SATURATE) {
        saturate(value, operation, chosen(select).1, is(SIGNED_D))
    } else {
        value
    };
    let value = second(value, operation, c, imm);
    match chosen(select) {
        (0, 32) => value,
        // According to the manual, this would be the lower half of the value.
        (16, 16) => value & 0xffff_0000 | c & 0xffff,
        (at, bits) => {
            let ones = ((1 << bits) - 1) << at;
            c & !ones | value << at & ones
        }
    }
}

/// The manual clamps to the range of the result's type. On a GPU, a sum that is too large for `u32`
/// is truncated, a negative number becomes the maximum of a part, and the result of a shift to a
/// part is not clamped.
fn saturate(value: i64, operation: u64, bits: u32, signed: bool) -> i64 {
    let shift = matches!(operation, SHL | SHR);
    let (value, bits) = if shift {
        (value << 30 >> 30, 32)
    } else {
        (value, bits)
    };
    let greatest = (1 << (bits - u32::from(signed))) - 1;
    match (bits, operation) {
        (32, _) if signed => value.clamp(!greatest, greatest),
        (32, _) if shift => value.clamp(0, greatest),
        (32, _) => value.max(0),
        _ if value < 0 => greatest,
        _ => value.min(greatest),
    }
}

/// The secondary operation. A minimum or maximum interprets the lower 32 bits of a sum, a
/// difference or a clamped shift as signed, even if it compares unsigned numbers. The manual uses
/// the value unchanged.
fn second(value: i64, operation: u64, c: u32, imm: u64) -> u32 {
    let signed = field(imm, SIGNED_D, 1) != 0;
    let long = match (operation, field(imm, SATURATE, 1)) {
        (ADD | SUB, _) | (SHL | SHR, 1) => extend(value as u32 as u64, 32, true),
        _ => value,
    };
    let third = extend(c.into(), 32, signed);
    let less = if signed {
        long < third
    } else {
        (long as u64) < third as u64
    };
    let value = value as u32;
    match field(imm, SECOND, 2) {
        0 => value,
        1 => value.wrapping_add(c),
        2 => {
            if less {
                value
            } else {
                c
            }
        }
        _ => {
            if less {
                c
            } else {
                value
            }
        }
    }
}

/// `vmad`. 32-bit factors and addends are interpreted as signed. In the manual, this depends on
/// their types.
fn multiply(a: i64, b: i64, c: u32, imm: u64) -> u32 {
    let is = |at| field(imm, at, 1) != 0;
    let signed = is(SIGNED_A) || is(SIGNED_B) || is(NEGATE_PRODUCT) || is(NEGATE_C);
    let product = i64::from(a as i32) * i64::from(b as i32);
    let product = if is(NEGATE_PRODUCT) {
        -product
    } else {
        product
    };
    // Negation is the 32-bit complement plus one.
    let c = if is(NEGATE_C) { !c } else { c };
    let one = is(NEGATE_C) || is(PLUS_ONE);
    let sum = product + i64::from(c as i32) + i64::from(one);
    let by = [0, 7, 15][field(imm, SCALE, 2) as usize % 3];
    let value = if signed {
        sum >> by
    } else {
        (sum as u64 >> by) as i64
    };
    match (is(SATURATE), signed) {
        (true, true) => value.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
        (true, false) => value.clamp(0, u32::MAX.into()) as u32,
        _ => value as u32,
    }
}

/// An instruction on two halves or four bytes.
fn elements(a: u32, b: u32, c: u32, imm: u64, count: u32) -> u32 {
    let bits = 32 / count;
    let all = u64::from(a) | u64::from(b) << 32;
    let ones = u32::MAX >> (32 - bits);
    let signed = |at| field(imm, at, 1) != 0;
    let sum = field(imm, SECOND, 2) != 0;
    let mut out = c;
    for i in 0..count {
        if field(imm, MASK + i, 1) == 0 {
            continue;
        }
        let part = |select, sign| {
            let at = field(imm, select + 4 * i, 4) as u32 * bits;
            extend(all >> at, bits, signed(sign))
        };
        let mut value = basic(part(SELECT_A, SIGNED_A), part(SELECT_B, SIGNED_B), imm);
        if signed(SATURATE) {
            value = clamp(value, bits, signed(SIGNED_D));
        }
        if sum {
            out = out.wrapping_add(value as u32);
        } else {
            let at = i * bits;
            out = out & !(ones << at) | (value as u32 & ones) << at;
        }
    }
    out
}
