//! Integer arithmetic.

use crate::ir::{Choice, Form, Opcode};
use crate::lanes::arithmetic::{binary, binary_each, carry, ternary, ternary_imm, unary};

pub(super) const LISTS: &[&[Opcode]] = &[
    PLAIN, MULTIPLY, DIVIDE, REMAINDER, MIN, MAX, PACKED, DOT, CARRY_32, CARRY_64,
];

/// Creates an entry for each integer type `$t`.
macro_rules! integers {
    ($name:literal, $make:ident, |$a:ident, $b:ident, $t:ident| $e:expr) => {
        &[
            integers!(@one $name, "u16", u16, $make, |$a, $b, $t| $e),
            integers!(@one $name, "s16", i16, $make, |$a, $b, $t| $e),
            integers!(@one $name, "u32", u32, $make, |$a, $b, $t| $e),
            integers!(@one $name, "s32", i32, $make, |$a, $b, $t| $e),
            integers!(@one $name, "u64", u64, $make, |$a, $b, $t| $e),
            integers!(@one $name, "s64", i64, $make, |$a, $b, $t| $e),
        ]
    };
    (@one $name:literal, $suffix:literal, $ty:ty, $make:ident, |$a:ident, $b:ident, $t:ident| $e:expr) => {{
        type $t = $ty;
        Opcode::new(concat!($name, $suffix), $make(|$a: $t, $b: $t| -> $t { $e }))
    }};
}

const PLAIN: &[Opcode] = &[
    Opcode::new("add.[u16|s16]", binary(u16::wrapping_add)),
    Opcode::new("add.[u32|s32]", binary(u32::wrapping_add)),
    Opcode::new("add.[u64|s64]", binary(u64::wrapping_add)),
    Opcode::new("add.sat.s32", binary(i32::saturating_add)),
    Opcode::new("sub.[u16|s16]", binary(u16::wrapping_sub)),
    Opcode::new("sub.[u32|s32]", binary(u32::wrapping_sub)),
    Opcode::new("sub.[u64|s64]", binary(u64::wrapping_sub)),
    Opcode::new("sub.sat.s32", binary(i32::saturating_sub)),
    Opcode::new("abs.s16", unary(i16::wrapping_abs)),
    Opcode::new("abs.s32", unary(i32::wrapping_abs)),
    Opcode::new("abs.s64", unary(i64::wrapping_abs)),
    Opcode::new("neg.s16", unary(i16::wrapping_neg)),
    Opcode::new("neg.s32", unary(i32::wrapping_neg)),
    Opcode::new("neg.s64", unary(i64::wrapping_neg)),
    Opcode::new("min.relu.s32", binary(|a: i32, b: i32| a.min(b).max(0))),
    Opcode::new("max.relu.s32", binary(|a: i32, b: i32| a.max(b).max(0))),
    Opcode::new(
        "sad.u16",
        ternary(|a: u16, b: u16, c: u16| c.wrapping_add(a.abs_diff(b))),
    ),
    Opcode::new(
        "sad.s16",
        ternary(|a: i16, b: i16, c: u16| c.wrapping_add(a.abs_diff(b))),
    ),
    Opcode::new(
        "sad.u32",
        ternary(|a: u32, b: u32, c: u32| c.wrapping_add(a.abs_diff(b))),
    ),
    Opcode::new(
        "sad.s32",
        ternary(|a: i32, b: i32, c: u32| c.wrapping_add(a.abs_diff(b))),
    ),
    Opcode::new(
        "sad.u64",
        ternary(|a: u64, b: u64, c: u64| c.wrapping_add(a.abs_diff(b))),
    ),
    Opcode::new(
        "sad.s64",
        ternary(|a: i64, b: i64, c: u64| c.wrapping_add(a.abs_diff(b))),
    ),
];

const MIN: &[Opcode] = integers!("min.", binary, |a, b, T| if a < b { a } else { b });
const MAX: &[Opcode] = integers!("max.", binary, |a, b, T| if a > b { a } else { b });
// Division by zero sets all bits, as on a GPU.
const DIVIDE: &[Opcode] = integers!("div.", binary_each, |a, b, T| if b == 0 {
    !0
} else {
    a.wrapping_div(b)
});
const REMAINDER: &[Opcode] = integers!("rem.", binary_each, |a, b, T| if b == 0 {
    !0
} else {
    a.wrapping_rem(b)
});

/// The upper half of a product.
macro_rules! high {
    ($t:ty, $wide:ty) => {
        |a: $t, b: $t| ((a as $wide * b as $wide) >> <$t>::BITS) as $t
    };
}

/// The sum of the upper half of a product and an addend.
macro_rules! high_add {
    ($t:ty, $wide:ty) => {
        |a: $t, b: $t, c: $t| (((a as $wide * b as $wide) >> <$t>::BITS) as $t).wrapping_add(c)
    };
}

/// A product of double width.
macro_rules! wide {
    ($t:ty, $wide:ty) => {
        |a: $t, b: $t| <$wide>::from(a) * <$wide>::from(b)
    };
}

/// The sum of a product of double width and an addend.
macro_rules! wide_add {
    ($t:ty, $wide:ty) => {
        |a: $t, b: $t, c: $wide| (<$wide>::from(a) * <$wide>::from(b)).wrapping_add(c)
    };
}

const MULTIPLY: &[Opcode] = &[
    Opcode::new("mul.lo.[u16|s16]", binary(u16::wrapping_mul)),
    Opcode::new("mul.lo.[u32|s32]", binary(u32::wrapping_mul)),
    Opcode::new("mul.lo.[u64|s64]", binary(u64::wrapping_mul)),
    Opcode::new("mul.hi.u16", binary(high!(u16, u32))),
    Opcode::new("mul.hi.s16", binary(high!(i16, i32))),
    Opcode::new("mul.hi.u32", binary(high!(u32, u64))),
    Opcode::new("mul.hi.s32", binary(high!(i32, i64))),
    Opcode::new("mul.hi.u64", binary(high!(u64, u128))),
    Opcode::new("mul.hi.s64", binary(high!(i64, i128))),
    Opcode::new("mul.wide.u16", binary(wide!(u16, u32))),
    Opcode::new("mul.wide.s16", binary(wide!(i16, i32))),
    Opcode::new("mul.wide.u32", binary(wide!(u32, u64))),
    Opcode::new("mul.wide.s32", binary(wide!(i32, i64))),
    Opcode::new(
        "mad.lo.[u16|s16]",
        ternary(|a: u16, b: u16, c: u16| a.wrapping_mul(b).wrapping_add(c)),
    ),
    Opcode::new(
        "mad.lo.[u32|s32]",
        ternary(|a: u32, b: u32, c: u32| a.wrapping_mul(b).wrapping_add(c)),
    ),
    Opcode::new(
        "mad.lo.[u64|s64]",
        ternary(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c)),
    ),
    Opcode::new("mad.hi.u16", ternary(high_add!(u16, u32))),
    Opcode::new("mad.hi.s16", ternary(high_add!(i16, i32))),
    Opcode::new("mad.hi.u32", ternary(high_add!(u32, u64))),
    Opcode::new("mad.hi.s32", ternary(high_add!(i32, i64))),
    Opcode::new("mad.hi.u64", ternary(high_add!(u64, u128))),
    Opcode::new("mad.hi.s64", ternary(high_add!(i64, i128))),
    Opcode::new(
        "mad.hi.sat.s32",
        ternary(|a: i32, b: i32, c: i32| high!(i32, i64)(a, b).saturating_add(c)),
    ),
    Opcode::new("mad.wide.u16", ternary(wide_add!(u16, u32))),
    Opcode::new("mad.wide.s16", ternary(wide_add!(i16, i32))),
    Opcode::new("mad.wide.u32", ternary(wide_add!(u32, u64))),
    Opcode::new("mad.wide.s32", ternary(wide_add!(i32, i64))),
    Opcode::new(
        "mul24.lo.u32",
        binary(|a: u32, b: u32| product24(a, b) as u32),
    ),
    Opcode::new(
        "mul24.hi.u32",
        binary(|a: u32, b: u32| (product24(a, b) >> 16) as u32),
    ),
    Opcode::new(
        "mul24.lo.s32",
        binary(|a: i32, b: i32| product24s(a, b) as i32),
    ),
    Opcode::new(
        "mul24.hi.s32",
        binary(|a: i32, b: i32| (product24s(a, b) >> 16) as i32),
    ),
    Opcode::new(
        "mad24.lo.u32",
        ternary(|a: u32, b: u32, c: u32| (product24(a, b) as u32).wrapping_add(c)),
    ),
    Opcode::new(
        "mad24.hi.u32",
        ternary(|a: u32, b: u32, c: u32| ((product24(a, b) >> 16) as u32).wrapping_add(c)),
    ),
    Opcode::new(
        "mad24.lo.s32",
        ternary(|a: i32, b: i32, c: i32| (product24s(a, b) as i32).wrapping_add(c)),
    ),
    Opcode::new(
        "mad24.hi.s32",
        ternary(|a: i32, b: i32, c: i32| ((product24s(a, b) >> 16) as i32).wrapping_add(c)),
    ),
    Opcode::new(
        "mad24.hi.sat.s32",
        ternary(|a: i32, b: i32, c: i32| ((product24s(a, b) >> 16) as i32).saturating_add(c)),
    ),
];

#[inline(always)]
fn product24(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

#[inline(always)]
fn product24s(a: i32, b: i32) -> i64 {
    i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)
}

/// Applies a function to both halves of a register.
#[inline(always)]
fn pairwise(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

/// Applies an operation to both halves, as numbers of a type.
macro_rules! halves {
    ($t:ty, |$a:ident, $b:ident| $e:expr) => {
        binary(|a: u32, b: u32| {
            pairwise(a, b, |$a, $b| {
                let ($a, $b) = ($a as $t, $b as $t);
                $e as u16
            })
        })
    };
}

const PACKED: &[Opcode] = &[
    Opcode::new("add.[u16x2|s16x2]", halves!(u16, |a, b| a.wrapping_add(b))).since(90),
    Opcode::new("add.sat.u16x2", halves!(u16, |a, b| a.saturating_add(b))).since(90),
    Opcode::new("add.sat.s16x2", halves!(i16, |a, b| a.saturating_add(b))).since(90),
    Opcode::new("sub.[u16x2|s16x2]", halves!(u16, |a, b| a.wrapping_sub(b))).since(90),
    Opcode::new("min.u16x2", halves!(u16, |a, b| a.min(b))).since(90),
    Opcode::new("max.u16x2", halves!(u16, |a, b| a.max(b))).since(90),
    Opcode::new("min.s16x2", halves!(i16, |a, b| a.min(b))).since(90),
    Opcode::new("max.s16x2", halves!(i16, |a, b| a.max(b))).since(90),
    Opcode::new("min.relu.s16x2", halves!(i16, |a, b| a.min(b).max(0))).since(90),
    Opcode::new("max.relu.s16x2", halves!(i16, |a, b| a.max(b).max(0))).since(90),
];

/// Encodes the signedness of a dot product's operands, and the half of the second one that is used.
fn dot(chosen: &Choice<'_>) -> u64 {
    let signed = |at: usize| chosen.0.iter().filter(|m| m.ends_with("32")).nth(at) == Some(&"s32");
    u64::from(signed(0)) | u64::from(signed(1)) << 1 | u64::from(chosen.has("hi")) << 2
}

const DOT: &[Opcode] = &[
    Opcode::new(
        "dp4a.[u32|s32].[u32|s32]",
        ternary_imm(|a: u32, b: u32, c: u32, imm| {
            (0..4).fold(c, |sum, i| {
                let x = part(a, i * 8, 8, imm & 1 != 0);
                let y = part(b, i * 8, 8, imm & 2 != 0);
                sum.wrapping_add(x.wrapping_mul(y))
            })
        }),
    )
    .encode(dot),
    Opcode::new(
        "dp2a.[lo|hi].[u32|s32].[u32|s32]",
        ternary_imm(|a: u32, b: u32, c: u32, imm| {
            let half = if imm & 4 != 0 { 16 } else { 0 };
            (0..2).fold(c, |sum, i| {
                let x = part(a, i * 16, 16, imm & 1 != 0);
                let y = part(b, i * 8 + half, 8, imm & 2 != 0);
                sum.wrapping_add(x.wrapping_mul(y))
            })
        }),
    )
    .encode(dot),
];

/// Extracts bits of a word as a number.
#[inline(always)]
fn part(word: u32, at: u32, bits: u32, signed: bool) -> u32 {
    let up = word << (32 - bits - at);
    if signed {
        (up as i32 >> (32 - bits)) as u32
    } else {
        up >> (32 - bits)
    }
}

/// `a + b + f`, with its carry. Every instruction of a chain is such a sum. A subtraction adds the
/// complement, so its flag is 1 if nothing was borrowed.
macro_rules! sum {
    ($t:ty, $wide:ty, $a:expr, $b:expr, $f:expr) => {{
        let sum = ($a) as $wide + ($b) as $wide + $f as $wide;
        (sum as $t, sum >> <$t>::BITS != 0)
    }};
}

/// The instructions of carry chains for types of one size.
macro_rules! chains {
    ($types:literal, $unsigned:literal, $signed:literal, $t:ty, $wide:ty, $s:ty, $swide:ty) => {
        &[
            chains!(@one "add.cc", $types, |a: $t, b: $t, _: $t, _| sum!($t, $wide, a, b, false)),
            chains!(@one "addc{.cc}", $types, |a: $t, b: $t, _: $t, f| sum!($t, $wide, a, b, f)),
            chains!(@one "sub.cc", $types, |a: $t, b: $t, _: $t, _| sum!($t, $wide, a, !b, true)),
            chains!(@one "subc{.cc}", $types, |a: $t, b: $t, _: $t, f| sum!($t, $wide, a, !b, f)),
            chains!(@one "mad.lo.cc", $types, |a: $t, b: $t, c: $t, _| {
                sum!($t, $wide, a.wrapping_mul(b), c, false)
            }),
            chains!(@one "madc.lo{.cc}", $types, |a: $t, b: $t, c: $t, f| {
                sum!($t, $wide, a.wrapping_mul(b), c, f)
            }),
            chains!(@one "mad.hi.cc", $unsigned, |a: $t, b: $t, c: $t, _| {
                sum!($t, $wide, high!($t, $wide)(a, b), c, false)
            }),
            chains!(@one "madc.hi{.cc}", $unsigned, |a: $t, b: $t, c: $t, f| {
                sum!($t, $wide, high!($t, $wide)(a, b), c, f)
            }),
            chains!(@one "mad.hi.cc", $signed, |a: $t, b: $t, c: $t, _| {
                sum!($t, $wide, high!($s, $swide)(a as $s, b as $s) as $t, c, false)
            }),
            chains!(@one "madc.hi{.cc}", $signed, |a: $t, b: $t, c: $t, f| {
                sum!($t, $wide, high!($s, $swide)(a as $s, b as $s) as $t, c, f)
            }),
        ]
    };
    (@one $name:literal, $types:literal, $f:expr) => {
        Opcode::new(concat!($name, $types), carry($f)).form(Form::Carry).encode(sets_flag)
    };
}

/// Without `.cc`, the flag is not changed.
fn sets_flag(chosen: &Choice<'_>) -> u64 {
    chosen.has("cc").into()
}

const CARRY_32: &[Opcode] = chains!(".[u32|s32]", ".u32", ".s32", u32, u64, i32, i64);
const CARRY_64: &[Opcode] = chains!(".[u64|s64]", ".u64", ".s64", u64, u128, i64, i128);
