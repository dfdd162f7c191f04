//! Double precision.

use super::soft::{SoftOp, software};
use crate::ir::{Code, Opcode};
use crate::lanes::arithmetic::{binary, binary_each, ternary, unary, unary_each};
use crate::number::math::{min_max_f64, nan64, result64};
use crate::ptx::Type;

pub(super) const LISTS: &[&[Opcode]] = &[EXACT, APPROXIMATE];

const FMA: Code = ternary(|a: f64, b: f64, c: f64| result64(a.mul_add(b, c), [b, c, a]));

const EXACT: &[Opcode] = &[
    Opcode::new(
        "add{.rn}.f64",
        binary(|a: f64, b: f64| result64(a + b, [b, a])),
    ),
    software("add.[rz|rm|rp].f64", SoftOp::Add, Type::F64),
    Opcode::new(
        "sub{.rn}.f64",
        binary(|a: f64, b: f64| result64(a - b, [b, a])),
    ),
    software("sub.[rz|rm|rp].f64", SoftOp::Sub, Type::F64),
    Opcode::new(
        "mul{.rn}.f64",
        binary(|a: f64, b: f64| result64(a * b, [b, a])),
    ),
    software("mul.[rz|rm|rp].f64", SoftOp::Mul, Type::F64),
    Opcode::new("fma{.rn}.f64", FMA),
    software("fma.[rz|rm|rp].f64", SoftOp::Fma, Type::F64),
    Opcode::new("mad{.rn}.f64", FMA),
    software("mad.[rz|rm|rp].f64", SoftOp::Fma, Type::F64),
    Opcode::new(
        "div{.rn}.f64",
        binary(|a: f64, b: f64| result64(a / b, [a, b])),
    ),
    software("div.[rz|rm|rp].f64", SoftOp::Div, Type::F64),
    Opcode::new("rcp{.rn}.f64", unary(|a: f64| result64(1.0 / a, [a]))),
    software("rcp.[rz|rm|rp].f64", SoftOp::Rcp, Type::F64),
    Opcode::new("sqrt{.rn}.f64", unary(|a: f64| result64(a.sqrt(), [a]))),
    software("sqrt.[rz|rm|rp].f64", SoftOp::Sqrt, Type::F64),
    Opcode::new(
        "abs.f64",
        unary(|a: f64| if a.is_nan() { nan64([a]) } else { a.abs() }),
    ),
    Opcode::new(
        "neg.f64",
        unary(|a: f64| if a.is_nan() { nan64([a]) } else { -a }),
    ),
    Opcode::new(
        "min.f64",
        binary_each(|a: f64, b: f64| min_max_f64(a, b, false)),
    ),
    Opcode::new(
        "max.f64",
        binary_each(|a: f64, b: f64| min_max_f64(a, b, true)),
    ),
    // `copysign` applies the sign of `a` to `b`.
    Opcode::new("copysign.f64", binary(|a: f64, b: f64| b.copysign(a))),
];

const APPROXIMATE: &[Opcode] = &[
    Opcode::new(
        "rcp.approx{.ftz}.f64",
        unary_each(|a: f64| coarse(1.0 / coarse(a))),
    ),
    Opcode::new("rsqrt{.approx}.f64", unary_each(rsqrt)),
    Opcode::new(
        "rsqrt{.approx}.ftz.f64",
        unary_each(|a: f64| coarse(rsqrt(coarse(a)))),
    ),
];

/// `1 / sqrt(x)`
#[inline(always)]
fn rsqrt(x: f64) -> f64 {
    if x == 0.0 {
        f64::INFINITY.copysign(x)
    } else {
        1.0 / x.sqrt()
    }
}

/// The precision of `rcp.approx.ftz.f64` and similar instructions, for operands and results: the
/// upper 32 bits, with subnormals flushed.
#[inline(always)]
fn coarse(x: f64) -> f64 {
    let bits = x.to_bits() & !0xffff_ffff;
    if f64::from_bits(bits).is_nan() {
        f64::from_bits(0x7fff_ffff_0000_0000)
    } else if bits & 0x7ff0_0000_0000_0000 == 0 {
        f64::from_bits(bits & 1 << 63)
    } else {
        f64::from_bits(bits)
    }
}
