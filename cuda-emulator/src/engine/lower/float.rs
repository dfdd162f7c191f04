//! Single and double precision.

use super::function::{Lower, New, Result, Slot};
use super::modifiers::Modifiers;
use crate::engine::ir::Code;
use crate::engine::lanes::{binary, binary_imm, ternary, ternary_imm, unary, unary_imm};
use crate::engine::math::{
    self, DOUBLE, SINGLE, Soft, SoftOp, div_approx, flush, flush_result, min_max_f32, min_max_f64,
    nan64, product_flushed, quiet, result64, saturate, saturate64, soft_lane,
};
use crate::engine::soft::Round;
use crate::ptx::{Operand, Type};

/// The soft instruction for registers of this size and number of sources.
pub(super) fn soft_exec(size: u32, sources: usize) -> Code {
    match (size, sources) {
        (8, 1) => unary_imm(|a: u64, imm| soft_lane(a, 0, 0, imm)),
        (8, 2) => binary_imm(|a: u64, b: u64, imm| soft_lane(a, b, 0, imm)),
        (8, _) => ternary_imm(|a: u64, b: u64, c: u64, imm| soft_lane(a, b, c, imm)),
        (4, 1) => unary_imm(|a: u32, imm| soft_lane(a.into(), 0, 0, imm) as u32),
        (4, 2) => binary_imm(|a: u32, b: u32, imm| soft_lane(a.into(), b.into(), 0, imm) as u32),
        (4, _) => ternary_imm(|a: u32, b: u32, c: u32, imm| {
            soft_lane(a.into(), b.into(), c.into(), imm) as u32
        }),
        (_, 1) => unary_imm(|a: u16, imm| soft_lane(a.into(), 0, 0, imm) as u16),
        (_, 2) => binary_imm(|a: u16, b: u16, imm| soft_lane(a.into(), b.into(), 0, imm) as u16),
        _ => ternary_imm(|a: u16, b: u16, c: u16, imm| {
            soft_lane(a.into(), b.into(), c.into(), imm) as u16
        }),
    }
}

/// `closure`, or the same with subnormal operands and results flushed.
macro_rules! flushed {
    ($ftz:expr, |$a:ident| $e:expr) => {
        if $ftz {
            unary(|$a: f32| {
                let $a = flush($a);
                flush($e)
            })
        } else {
            unary(|$a: f32| $e)
        }
    };
    ($ftz:expr, |$a:ident, $b:ident| $e:expr) => {
        if $ftz {
            binary(|$a: f32, $b: f32| {
                let ($a, $b) = (flush($a), flush($b));
                flush($e)
            })
        } else {
            binary(|$a: f32, $b: f32| $e)
        }
    };
    ($ftz:expr, |$a:ident, $b:ident, $c:ident| $e:expr) => {
        if $ftz {
            ternary(|$a: f32, $b: f32, $c: f32| {
                let ($a, $b, $c) = (flush($a), flush($b), flush($c));
                flush($e)
            })
        } else {
            ternary(|$a: f32, $b: f32, $c: f32| $e)
        }
    };
}

/// As [`flushed`] for what may be lifted to the smallest normal number by rounding; `$op` is the operation.
macro_rules! flushed_exactly {
    ($ftz:expr, $finish:path, $op:expr, |$a:ident, $b:ident| $e:expr) => {
        if $ftz {
            binary(|$a: f32, $b: f32| {
                let ($a, $b) = (flush($a), flush($b));
                $finish(flush_result($e, $op, [$a, $b, 0.0]))
            })
        } else {
            binary(|$a: f32, $b: f32| $finish($e))
        }
    };
    ($ftz:expr, $finish:path, $op:expr, |$a:ident, $b:ident, $c:ident| $e:expr) => {
        if $ftz {
            ternary(|$a: f32, $b: f32, $c: f32| {
                let ($a, $b, $c) = (flush($a), flush($b), flush($c));
                $finish(flush_result($e, $op, [$a, $b, $c]))
            })
        } else {
            ternary(|$a: f32, $b: f32, $c: f32| $finish($e))
        }
    };
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn float32(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let round = self.rounding(m);
        let ftz = m.take("ftz");
        let sat = m.take("sat");
        let approx = m.take("approx");
        let full = m.take("full");
        let near = round.unwrap_or(Round::Nearest) == Round::Nearest;
        let exact = |op: SoftOp| Soft {
            round: round.unwrap_or(Round::Nearest),
            ftz,
            sat,
            ..Soft::new(op, SINGLE)
        };
        let (run, sources, soft): (Code, usize, Option<Soft>) = match name {
            "add" if near && !sat => (flushed!(ftz, |a, b| quiet(a + b)), 2, None),
            "sub" if near && !sat => (flushed!(ftz, |a, b| quiet(a - b)), 2, None),
            "mul" if near && ftz && !sat => (
                binary(|a: f32, b: f32| quiet(product_flushed(flush(a), flush(b)))),
                2,
                None,
            ),
            "mul" if near && !sat => (binary(|a: f32, b: f32| quiet(a * b)), 2, None),
            "fma" | "mad" if near && !sat => (
                flushed_exactly!(ftz, quiet, SoftOp::Fma, |a, b, c| a.mul_add(b, c)),
                3,
                None,
            ),
            "add" if near => (flushed!(ftz, |a, b| saturate(a + b)), 2, None),
            "sub" if near => (flushed!(ftz, |a, b| saturate(a - b)), 2, None),
            "mul" if near && ftz => (
                binary(|a: f32, b: f32| saturate(product_flushed(flush(a), flush(b)))),
                2,
                None,
            ),
            "mul" if near => (binary(|a: f32, b: f32| saturate(a * b)), 2, None),
            "fma" | "mad" if near => (
                flushed_exactly!(ftz, saturate, SoftOp::Fma, |a, b, c| a.mul_add(b, c)),
                3,
                None,
            ),
            "add" => (soft_exec(4, 2), 2, Some(exact(SoftOp::Add))),
            "sub" => (soft_exec(4, 2), 2, Some(exact(SoftOp::Sub))),
            "mul" => (soft_exec(4, 2), 2, Some(exact(SoftOp::Mul))),
            "fma" | "mad" => (soft_exec(4, 3), 3, Some(exact(SoftOp::Fma))),
            "div" if approx => (flushed!(ftz, |a, b| div_approx(a, b)), 2, None),
            "div" if full || near => (
                flushed_exactly!(ftz, quiet, SoftOp::Div, |a, b| a / b),
                2,
                None,
            ),
            "div" => (soft_exec(4, 2), 2, Some(exact(SoftOp::Div))),
            "rcp" if approx || near => (flushed!(ftz, |a| quiet(1.0 / a)), 1, None),
            "rcp" => (soft_exec(4, 1), 1, Some(exact(SoftOp::Rcp))),
            "sqrt" if approx || near => (flushed!(ftz, |a| quiet(a.sqrt())), 1, None),
            "sqrt" => (soft_exec(4, 1), 1, Some(exact(SoftOp::Sqrt))),
            "rsqrt" => (flushed!(ftz, |a| math::rsqrt(a)), 1, None),
            "sin" => (flushed!(ftz, |a| math::sin(a)), 1, None),
            "cos" => (flushed!(ftz, |a| math::cos(a)), 1, None),
            "lg2" => (flushed!(ftz, |a| quiet(a.log2())), 1, None),
            "ex2" => (flushed!(ftz, |a| quiet(a.exp2())), 1, None),
            "tanh" => (unary(|a: f32| quiet(a.tanh())), 1, None),
            "abs" => (flushed!(ftz, |a| quiet(a.abs())), 1, None),
            "neg" => (flushed!(ftz, |a| quiet(-a)), 1, None),
            "min" | "max" => return self.min_max32(name == "max", ftz, m, o),
            // The sign of a goes to b.
            "copysign" => (binary(|a: f32, b: f32| b.copysign(a)), 2, None),
            _ => return Err(self.syntax("no such type on this instruction")),
        };
        self.simple(run, soft.map_or(0, Soft::pack), Type::F32, sources, o)
    }

    fn min_max32(
        &mut self,
        max: bool,
        ftz: bool,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let nan = m.take("NaN");
        let xorsign = m.take("xorsign");
        let abs = m.take("abs");
        if o.len() == 4 {
            // Three sources: first two, then the third.
            let middle = self.temp(Type::F32)?;
            let soft = Soft {
                nan,
                ftz,
                abs,
                ..Soft::new(if max { SoftOp::Max } else { SoftOp::Min }, SINGLE)
            };
            if xorsign {
                return Err(self.syntax("no .xorsign with three sources"));
            }
            let a = self.src(&o[1], Type::F32)?;
            let b = self.src(&o[2], Type::F32)?;
            let c = self.src(&o[3], Type::F32)?;
            let d = self.dst(&o[0], Type::F32)?;
            self.emit(New {
                imm: soft.pack(),
                d: Slot::Def(middle),
                a,
                b,
                ..New::op(soft_exec(4, 2))
            });
            self.emit(New {
                imm: soft.pack(),
                d,
                a: Slot::Use(middle),
                b: c,
                ..New::op(soft_exec(4, 2))
            });
            return Ok(());
        }
        if nan || xorsign {
            let soft = Soft {
                nan,
                ftz,
                xorsign,
                abs: abs || xorsign,
                ..Soft::new(if max { SoftOp::Max } else { SoftOp::Min }, SINGLE)
            };
            return self.simple(soft_exec(4, 2), soft.pack(), Type::F32, 2, o);
        }
        let run = if max {
            flushed!(ftz, |a, b| min_max_f32(a, b, true, false))
        } else {
            flushed!(ftz, |a, b| min_max_f32(a, b, false, false))
        };
        self.simple(run, 0, Type::F32, 2, o)
    }

    pub(super) fn float64(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let round = self.rounding(m);
        let ftz = m.take("ftz");
        let sat = m.take("sat");
        let approx = m.take("approx");
        let near = round.unwrap_or(Round::Nearest) == Round::Nearest;
        let exact = |op: SoftOp| Soft {
            round: round.unwrap_or(Round::Nearest),
            sat,
            ..Soft::new(op, DOUBLE)
        };
        let (run, sources, soft): (Code, usize, Option<Soft>) = match name {
            "add" if near && !sat => (binary(|a: f64, b: f64| result64(a + b, [b, a])), 2, None),
            "sub" if near && !sat => (binary(|a: f64, b: f64| result64(a - b, [b, a])), 2, None),
            "mul" if near && !sat => (binary(|a: f64, b: f64| result64(a * b, [b, a])), 2, None),
            "fma" | "mad" if near && !sat => {
                let run = ternary(|a: f64, b: f64, c: f64| result64(a.mul_add(b, c), [b, c, a]));
                (run, 3, None)
            }
            "add" if near => (binary(|a: f64, b: f64| saturate64(a + b)), 2, None),
            "mul" if near => (binary(|a: f64, b: f64| saturate64(a * b)), 2, None),
            "add" => (soft_exec(8, 2), 2, Some(exact(SoftOp::Add))),
            "sub" => (soft_exec(8, 2), 2, Some(exact(SoftOp::Sub))),
            "mul" => (soft_exec(8, 2), 2, Some(exact(SoftOp::Mul))),
            "fma" | "mad" => (soft_exec(8, 3), 3, Some(exact(SoftOp::Fma))),
            "div" if near => (binary(|a: f64, b: f64| result64(a / b, [a, b])), 2, None),
            "div" => (soft_exec(8, 2), 2, Some(exact(SoftOp::Div))),
            "rcp" if approx => (unary(|a: f64| coarse(1.0 / coarse(a))), 1, None),
            "rcp" if near => (unary(|a: f64| result64(1.0 / a, [a])), 1, None),
            "rcp" => (soft_exec(8, 1), 1, Some(exact(SoftOp::Rcp))),
            "sqrt" if near => (unary(|a: f64| result64(a.sqrt(), [a])), 1, None),
            "sqrt" => (soft_exec(8, 1), 1, Some(exact(SoftOp::Sqrt))),
            "rsqrt" if !ftz => (
                unary(|a: f64| {
                    if a == 0.0 {
                        f64::INFINITY.copysign(a)
                    } else {
                        1.0 / a.sqrt()
                    }
                }),
                1,
                None,
            ),
            "rsqrt" => (
                unary(|a: f64| {
                    let a = coarse(a);
                    if a == 0.0 {
                        f64::INFINITY.copysign(a)
                    } else {
                        coarse(1.0 / a.sqrt())
                    }
                }),
                1,
                None,
            ),
            "abs" => (
                unary(|a: f64| if a.is_nan() { nan64([a]) } else { a.abs() }),
                1,
                None,
            ),
            "neg" => (
                unary(|a: f64| if a.is_nan() { nan64([a]) } else { -a }),
                1,
                None,
            ),
            "min" => (binary(|a: f64, b: f64| min_max_f64(a, b, false)), 2, None),
            "max" => (binary(|a: f64, b: f64| min_max_f64(a, b, true)), 2, None),
            "copysign" => (binary(|a: f64, b: f64| b.copysign(a)), 2, None),
            _ => return Err(self.syntax("no such type on this instruction")),
        };
        self.simple(run, soft.map_or(0, Soft::pack), Type::F64, sources, o)
    }

    /// Two singles in a 64-bit register.
    pub(super) fn pair(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let round = self.rounding(m).unwrap_or(Round::Nearest);
        let ftz = m.take("ftz");
        let op = match name {
            "add" => SoftOp::Add,
            "sub" => SoftOp::Sub,
            "mul" => SoftOp::Mul,
            "fma" => SoftOp::Fma,
            _ => return Err(self.syntax("no such type on this instruction")),
        };
        let imm = Soft {
            round,
            ftz,
            ..Soft::new(op, SINGLE)
        }
        .pack();
        let run = ternary_imm(|a: u64, b: u64, c: u64, imm| {
            let half = |at: u32| {
                soft_lane(
                    a >> at & 0xffff_ffff,
                    b >> at & 0xffff_ffff,
                    c >> at & 0xffff_ffff,
                    imm,
                ) << at
            };
            half(0) | half(32)
        });
        let mut o = o.to_vec();
        if op != SoftOp::Fma {
            o.push(Operand::Int(0));
        }
        self.simple(run, imm, Type::B64, 3, &o)
    }
}

/// What `rcp.approx.ftz.f64` and its like look at and give: the upper 32 bits, subnormals flushed.
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
