//! Half precision and bfloat16, single and in pairs.

use super::float::soft_exec;
use super::function::{Lower, Result};
use super::modifiers::Modifiers;
use crate::engine::lanes::{binary, ternary, unary};
use crate::engine::math::{
    Soft, SoftOp, brain_to_single, fma_brain, fma_half, half_to_single, single_to_brain,
    single_to_half,
};
use crate::engine::soft::Round;
use crate::ptx::{Operand, Type};

#[inline(always)]
fn both(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[inline(always)]
fn both3(a: u32, b: u32, c: u32, f: impl Fn(u16, u16, u16) -> u16) -> u32 {
    let high = f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16);
    u32::from(f(a as u16, b as u16, c as u16)) | u32::from(high) << 16
}

/// An operation on two halves by way of single: correctly rounded, since a single has more than twice the bits.
macro_rules! by_single {
    ($packed:expr, $brain:expr, |$a:ident, $b:ident| $e:expr) => {
        match ($packed, $brain) {
            (false, false) => binary(|a: u16, b: u16| {
                let ($a, $b) = (half_to_single(a), half_to_single(b));
                single_to_half($e)
            }),
            (true, false) => binary(|a: u32, b: u32| {
                both(a, b, |a, b| {
                    let ($a, $b) = (half_to_single(a), half_to_single(b));
                    single_to_half($e)
                })
            }),
            (false, true) => binary(|a: u16, b: u16| {
                let ($a, $b) = (brain_to_single(a), brain_to_single(b));
                single_to_brain($e)
            }),
            (true, true) => binary(|a: u32, b: u32| {
                both(a, b, |a, b| {
                    let ($a, $b) = (brain_to_single(a), brain_to_single(b));
                    single_to_brain($e)
                })
            }),
        }
    };
}

/// A function of one half by way of single.
macro_rules! function {
    ($packed:expr, $brain:expr, |$a:ident| $e:expr) => {
        match ($packed, $brain) {
            (false, false) => unary(|a: u16| {
                let $a = half_to_single(a);
                single_to_half($e)
            }),
            (true, false) => unary(|a: u32| {
                both(a, a, |a, _| {
                    let $a = half_to_single(a);
                    single_to_half($e)
                })
            }),
            (false, true) => unary(|a: u16| {
                let $a = brain_to_single(a);
                single_to_brain($e)
            }),
            (true, true) => unary(|a: u32| {
                both(a, a, |a, _| {
                    let $a = brain_to_single(a);
                    single_to_brain($e)
                })
            }),
        }
    };
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn half(
        &mut self,
        name: &str,
        ty: Type,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let round = self.rounding(m).unwrap_or(Round::Nearest);
        if round != Round::Nearest {
            return Err(self.syntax("halves are rounded to nearest"));
        }
        let packed = matches!(ty, Type::F16x2 | Type::BF16x2);
        let brain = matches!(ty, Type::BF16 | Type::BF16x2);
        let (ftz, sat, relu) = (m.take("ftz"), m.take("sat"), m.take("relu"));
        let (nan, xorsign, abs) = (m.take("NaN"), m.take("xorsign"), m.take("abs"));
        m.take("approx");
        let plain = !ftz && !sat && !relu;
        let run = match name {
            "add" if plain => Some((by_single!(packed, brain, |a, b| a + b), 2)),
            "sub" if plain => Some((by_single!(packed, brain, |a, b| a - b), 2)),
            "mul" if plain => Some((by_single!(packed, brain, |a, b| a * b), 2)),
            "fma" if plain => Some((
                match (packed, brain) {
                    (false, false) => ternary(fma_half_lane),
                    (true, false) => ternary(|a: u32, b: u32, c: u32| both3(a, b, c, fma_half)),
                    (false, true) => ternary(|a: u16, b: u16, c: u16| fma_brain(a, b, c)),
                    (true, true) => ternary(|a: u32, b: u32, c: u32| both3(a, b, c, fma_brain)),
                },
                3,
            )),
            "ex2" if ftz => Some((
                function!(packed, brain, |a| crate::engine::math::flush(
                    crate::engine::math::flush(a).exp2()
                )),
                1,
            )),
            "ex2" => Some((function!(packed, brain, |a| a.exp2()), 1)),
            "tanh" => Some((function!(packed, brain, |a| a.tanh()), 1)),
            _ => None,
        };
        if let Some((run, sources)) = run {
            return self.simple(run, 0, ty, sources, o);
        }
        let (op, sources) = match name {
            "add" => (SoftOp::Add, 2),
            "sub" => (SoftOp::Sub, 2),
            "mul" => (SoftOp::Mul, 2),
            "fma" => (SoftOp::Fma, 3),
            "min" => (SoftOp::Min, 2),
            "max" => (SoftOp::Max, 2),
            "abs" => (SoftOp::Abs, 1),
            "neg" => (SoftOp::Neg, 1),
            _ => return Err(self.syntax("no such type on this instruction")),
        };
        if op == SoftOp::Abs {
            m.take("abs");
        }
        let soft = Soft {
            ftz,
            sat,
            relu,
            nan,
            xorsign,
            abs: abs || xorsign,
            packed,
            ..Soft::new(op, u8::from(brain))
        };
        self.simple(soft_exec(ty.size(), sources), soft.pack(), ty, sources, o)
    }
}

fn fma_half_lane(a: u16, b: u16, c: u16) -> u16 {
    fma_half(a, b, c)
}
