//! Single precision.

use super::soft::{SoftOp, software};
use crate::ir::{Code, Form, Opcode};
use crate::lanes::arithmetic::{binary, ternary, unary};
use crate::number::math::{
    div_approx, flush, min_max_f32, product_flushed, quiet, quotient_flushed, rsqrt, saturate,
    sum_flushed,
};
use crate::ptx::Type;

pub(super) const LISTS: &[&[Opcode]] = &[SUM, PRODUCT, QUOTIENT, SIGN, MIN_MAX, PAIR];

/// A function with subnormal operands and results flushed.
macro_rules! flushed {
    (|$($a:ident),*| $e:expr) => {
        |$($a: f32),*| {
            $(let $a = flush($a);)*
            flush($e)
        }
    };
}

/// A function that flushes small results itself. This flushes subnormal operands.
macro_rules! flushed_before {
    (|$($a:ident),*| $e:expr) => {
        |$($a: f32),*| {
            $(let $a = flush($a);)*
            $e
        }
    };
}

const SUM: &[Opcode] = &[
    Opcode::new("add{.rn}.f32", binary(|a: f32, b: f32| quiet(a + b))),
    Opcode::new("add{.rn}.ftz.f32", binary(flushed!(|a, b| quiet(a + b)))),
    Opcode::new("add{.rn}.sat.f32", binary(|a: f32, b: f32| saturate(a + b))),
    Opcode::new(
        "add{.rn}.ftz.sat.f32",
        binary(flushed!(|a, b| saturate(a + b))),
    ),
    software("add.[rz|rm|rp]{.ftz}{.sat}.f32", SoftOp::Add, Type::F32),
    Opcode::new("sub{.rn}.f32", binary(|a: f32, b: f32| quiet(a - b))),
    Opcode::new("sub{.rn}.ftz.f32", binary(flushed!(|a, b| quiet(a - b)))),
    Opcode::new("sub{.rn}.sat.f32", binary(|a: f32, b: f32| saturate(a - b))),
    Opcode::new(
        "sub{.rn}.ftz.sat.f32",
        binary(flushed!(|a, b| saturate(a - b))),
    ),
    software("sub.[rz|rm|rp]{.ftz}{.sat}.f32", SoftOp::Sub, Type::F32),
];

const FMA: Code = ternary(|a: f32, b: f32, c: f32| quiet(a.mul_add(b, c)));
const FMA_FTZ: Code = ternary(flushed_before!(|a, b, c| quiet(sum_flushed(a, b, c))));
const FMA_SAT: Code = ternary(|a: f32, b: f32, c: f32| saturate(a.mul_add(b, c)));
const FMA_FTZ_SAT: Code = ternary(flushed_before!(|a, b, c| saturate(sum_flushed(a, b, c))));

const PRODUCT: &[Opcode] = &[
    Opcode::new("mul{.rn}.f32", binary(|a: f32, b: f32| quiet(a * b))),
    Opcode::new(
        "mul{.rn}.ftz.f32",
        binary(flushed_before!(|a, b| quiet(product_flushed(a, b)))),
    ),
    Opcode::new("mul{.rn}.sat.f32", binary(|a: f32, b: f32| saturate(a * b))),
    Opcode::new(
        "mul{.rn}.ftz.sat.f32",
        binary(flushed_before!(|a, b| saturate(product_flushed(a, b)))),
    ),
    software("mul.[rz|rm|rp]{.ftz}{.sat}.f32", SoftOp::Mul, Type::F32),
    Opcode::new("fma{.rn}.f32", FMA),
    Opcode::new("fma{.rn}.ftz.f32", FMA_FTZ),
    Opcode::new("fma{.rn}.sat.f32", FMA_SAT),
    Opcode::new("fma{.rn}.ftz.sat.f32", FMA_FTZ_SAT),
    software("fma.[rz|rm|rp]{.ftz}{.sat}.f32", SoftOp::Fma, Type::F32),
    Opcode::new("mad{.rn}.f32", FMA),
    Opcode::new("mad{.rn}.ftz.f32", FMA_FTZ),
    Opcode::new("mad{.rn}.sat.f32", FMA_SAT),
    Opcode::new("mad{.rn}.ftz.sat.f32", FMA_FTZ_SAT),
    software("mad.[rz|rm|rp]{.ftz}{.sat}.f32", SoftOp::Fma, Type::F32),
];

// Rounding never turns a subnormal reciprocal or root into the smallest normal number, so flushing
// the result is enough. The approximate forms are exact here.
const QUOTIENT: &[Opcode] = &[
    Opcode::new("div.approx.f32", binary(div_approx)),
    Opcode::new(
        "div.approx.ftz.f32",
        binary(flushed!(|a, b| div_approx(a, b))),
    ),
    Opcode::new("div{.rn|.full}.f32", binary(|a: f32, b: f32| quiet(a / b))),
    Opcode::new(
        "div{.rn|.full}.ftz.f32",
        binary(flushed_before!(|a, b| quiet(quotient_flushed(a, b)))),
    ),
    software("div.[rz|rm|rp]{.ftz}.f32", SoftOp::Div, Type::F32),
    Opcode::new("rcp{.rn|.approx}.f32", unary(|a: f32| quiet(1.0 / a))),
    Opcode::new(
        "rcp{.rn|.approx}.ftz.f32",
        unary(flushed!(|a| quiet(1.0 / a))),
    ),
    software("rcp.[rz|rm|rp]{.ftz}.f32", SoftOp::Rcp, Type::F32),
    Opcode::new("sqrt{.rn|.approx}.f32", unary(|a: f32| quiet(a.sqrt()))),
    Opcode::new(
        "sqrt{.rn|.approx}.ftz.f32",
        unary(flushed!(|a| quiet(a.sqrt()))),
    ),
    software("sqrt.[rz|rm|rp]{.ftz}.f32", SoftOp::Sqrt, Type::F32),
    Opcode::new("rsqrt{.approx}.f32", unary(rsqrt)),
    Opcode::new("rsqrt{.approx}.ftz.f32", unary(flushed!(|a| rsqrt(a)))),
];

const SIGN: &[Opcode] = &[
    Opcode::new("abs.f32", unary(|a: f32| quiet(a.abs()))),
    Opcode::new("abs.ftz.f32", unary(flushed!(|a| quiet(a.abs())))),
    Opcode::new("neg.f32", unary(|a: f32| quiet(-a))),
    Opcode::new("neg.ftz.f32", unary(flushed!(|a| quiet(-a)))),
    // `copysign` applies the sign of `a` to `b`.
    Opcode::new("copysign.f32", binary(|a: f32, b: f32| b.copysign(a))),
];

/// The minimum or maximum of two numbers. If one is NaN, the result is the other one, or NaN.
macro_rules! smaller_or_greater {
    ($max:literal, $nan:literal) => {
        binary(|a: f32, b: f32| min_max_f32(a, b, $max, $nan))
    };
    ($max:literal, $nan:literal, ftz) => {
        binary(|a: f32, b: f32| min_max_f32(flush(a), flush(b), $max, $nan))
    };
}

const MIN_MAX: &[Opcode] = &[
    Opcode::new("min.f32", smaller_or_greater!(false, false)).form(Form::Fold),
    Opcode::new("min.NaN.f32", smaller_or_greater!(false, true))
        .form(Form::Fold)
        .since(80),
    Opcode::new("min.ftz.f32", smaller_or_greater!(false, false, ftz)).form(Form::Fold),
    Opcode::new("min.ftz.NaN.f32", smaller_or_greater!(false, true, ftz))
        .form(Form::Fold)
        .since(80),
    software("min{.ftz}{.NaN}.xorsign.abs.f32", SoftOp::Min, Type::F32).since(86),
    software("min{.ftz}{.NaN}.abs.f32", SoftOp::Min, Type::F32)
        .form(Form::Fold)
        .since(100),
    Opcode::new("max.f32", smaller_or_greater!(true, false)).form(Form::Fold),
    Opcode::new("max.NaN.f32", smaller_or_greater!(true, true))
        .form(Form::Fold)
        .since(80),
    Opcode::new("max.ftz.f32", smaller_or_greater!(true, false, ftz)).form(Form::Fold),
    Opcode::new("max.ftz.NaN.f32", smaller_or_greater!(true, true, ftz))
        .form(Form::Fold)
        .since(80),
    software("max{.ftz}{.NaN}.xorsign.abs.f32", SoftOp::Max, Type::F32).since(86),
    software("max{.ftz}{.NaN}.abs.f32", SoftOp::Max, Type::F32)
        .form(Form::Fold)
        .since(100),
];

/// Two numbers in a 64-bit register.
const PAIR: &[Opcode] = &[
    software("add{.rn|.rz|.rm|.rp}{.ftz}.f32x2", SoftOp::Add, Type::F32x2).since(100),
    software("sub{.rn|.rz|.rm|.rp}{.ftz}.f32x2", SoftOp::Sub, Type::F32x2).since(100),
    software("mul{.rn|.rz|.rm|.rp}{.ftz}.f32x2", SoftOp::Mul, Type::F32x2).since(100),
    software("fma{.rn|.rz|.rm|.rp}{.ftz}.f32x2", SoftOp::Fma, Type::F32x2).since(100),
];
