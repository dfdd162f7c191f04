//! Comparisons and selections.

use super::function::{Lower, New, Result, Slot, Width};
use super::modifiers::Modifiers;
use crate::engine::ir::Code;
use crate::engine::lanes::{compare, select, ternary, test, unary_imm};
use crate::engine::math::{brain_to_single, flush, half_to_single};
use crate::engine::soft::F16;
use crate::ptx::{Operand, Type};

const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan",
];

macro_rules! integers {
    ($t:ty, $op:expr) => {
        match $op {
            "eq" => Some(compare(|a: $t, b: $t| a == b)),
            "ne" => Some(compare(|a: $t, b: $t| a != b)),
            "lt" | "lo" => Some(compare(|a: $t, b: $t| a < b)),
            "le" | "ls" => Some(compare(|a: $t, b: $t| a <= b)),
            "gt" | "hi" => Some(compare(|a: $t, b: $t| a > b)),
            "ge" | "hs" => Some(compare(|a: $t, b: $t| a >= b)),
            _ => None,
        }
    };
}

macro_rules! floats {
    ($t:ty, $op:expr, $f:path) => {
        match $op {
            "eq" => Some(compare(|a: $t, b: $t| $f(a) == $f(b))),
            "ne" => Some(compare(|a: $t, b: $t| $f(a) < $f(b) || $f(a) > $f(b))),
            "lt" => Some(compare(|a: $t, b: $t| $f(a) < $f(b))),
            "le" => Some(compare(|a: $t, b: $t| $f(a) <= $f(b))),
            "gt" => Some(compare(|a: $t, b: $t| $f(a) > $f(b))),
            "ge" => Some(compare(|a: $t, b: $t| $f(a) >= $f(b))),
            "equ" => Some(compare(|a: $t, b: $t| !($f(a) < $f(b) || $f(a) > $f(b)))),
            "neu" => Some(compare(|a: $t, b: $t| $f(a) != $f(b))),
            "ltu" => Some(compare(|a: $t, b: $t| !($f(a) >= $f(b)))),
            "leu" => Some(compare(|a: $t, b: $t| !($f(a) > $f(b)))),
            "gtu" => Some(compare(|a: $t, b: $t| !($f(a) <= $f(b)))),
            "geu" => Some(compare(|a: $t, b: $t| !($f(a) < $f(b)))),
            "num" => Some(compare(|a: $t, b: $t| !a.is_nan() && !b.is_nan())),
            "nan" => Some(compare(|a: $t, b: $t| a.is_nan() || b.is_nan())),
            _ => None,
        }
    };
}

/// The instruction that compares two registers of a type.
#[allow(clippy::neg_cmp_op_on_partial_ord)]
fn comparison(ty: Type, op: &str, ftz: bool) -> Option<Code> {
    use std::convert::identity;
    match ty {
        Type::U16 | Type::B16 => integers!(u16, op),
        Type::S16 => integers!(i16, op),
        Type::U32 | Type::B32 => integers!(u32, op),
        Type::S32 => integers!(i32, op),
        Type::U64 | Type::B64 => integers!(u64, op),
        Type::S64 => integers!(i64, op),
        Type::F32 if ftz => floats!(f32, op, flush),
        Type::F32 => floats!(f32, op, identity),
        Type::F64 => floats!(f64, op, identity),
        _ => None,
    }
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn compare(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<bool> {
        match name {
            "setp" => self.setp(m, o)?,
            "set" => self.set(m, o)?,
            "selp" => {
                let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
                let [d, a, b, c] = o else {
                    return Err(self.syntax("four operands are needed"));
                };
                let (a, b) = (self.src(a, ty)?, self.src(b, ty)?);
                let (c, y) = self.predicate(c)?;
                let d = self.dst(d, ty)?;
                let run = match Width::of(ty) {
                    Width::W32 => select(|a: u32, b: u32, c| if c { a } else { b }),
                    Width::W64 => select(|a: u64, b: u64, c| if c { a } else { b }),
                    _ => return Err(self.syntax("no such type on this instruction")),
                };
                self.emit(New {
                    d,
                    a,
                    b,
                    c,
                    y: Slot::Raw(y),
                    ..New::op(run)
                });
            }
            "slct" => {
                let ftz = m.take("ftz");
                let (Some(ty), Some(by)) = (m.ty(), m.ty()) else {
                    return Err(self.syntax("two types are needed"));
                };
                let run = match (Width::of(ty), by) {
                    (Width::W32, Type::S32) => {
                        ternary(|a: u32, b: u32, c: i32| if c >= 0 { a } else { b })
                    }
                    (Width::W64, Type::S32) => {
                        ternary(|a: u64, b: u64, c: i32| if c >= 0 { a } else { b })
                    }
                    (Width::W32, Type::F32) if ftz => {
                        ternary(|a: u32, b: u32, c: f32| if flush(c) >= 0.0 { a } else { b })
                    }
                    (Width::W64, Type::F32) if ftz => {
                        ternary(|a: u64, b: u64, c: f32| if flush(c) >= 0.0 { a } else { b })
                    }
                    (Width::W32, Type::F32) => {
                        ternary(|a: u32, b: u32, c: f32| if c >= 0.0 { a } else { b })
                    }
                    (Width::W64, Type::F32) => {
                        ternary(|a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b })
                    }
                    _ => return Err(self.syntax("no such type on this instruction")),
                };
                self.mixed(run, 0, ty, &[ty, ty, by], o)?;
            }
            "testp" => {
                let what = m.next().unwrap_or("");
                let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
                let run = match (what, ty) {
                    ("finite", Type::F32) => test(|a: f32| a.is_finite()),
                    ("infinite", Type::F32) => test(|a: f32| a.is_infinite()),
                    ("number", Type::F32) => test(|a: f32| !a.is_nan()),
                    ("notanumber", Type::F32) => test(|a: f32| a.is_nan()),
                    ("normal", Type::F32) => test(|a: f32| a.is_normal() || a == 0.0),
                    ("subnormal", Type::F32) => test(|a: f32| a.is_subnormal()),
                    ("finite", Type::F64) => test(|a: f64| a.is_finite()),
                    ("infinite", Type::F64) => test(|a: f64| a.is_infinite()),
                    ("number", Type::F64) => test(|a: f64| !a.is_nan()),
                    ("notanumber", Type::F64) => test(|a: f64| a.is_nan()),
                    ("normal", Type::F64) => test(|a: f64| a.is_normal() || a == 0.0),
                    ("subnormal", Type::F64) => test(|a: f64| a.is_subnormal()),
                    _ => return Err(self.syntax("no such form of this instruction")),
                };
                let [d, a] = o else {
                    return Err(self.syntax("two operands are needed"));
                };
                let a = self.src(a, ty)?;
                let d = self.dst(d, Type::Pred)?;
                let x = self.dump()?;
                self.emit(New {
                    d,
                    a,
                    x,
                    ..New::op(run)
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A half as a single.
    fn widened_half(&mut self, slot: Slot, ty: Type, high: bool, ftz: bool) -> Result<Slot> {
        let d = self.temp(Type::F32)?;
        let imm = if high { 16 } else { 0 };
        let run = if matches!(ty, Type::BF16 | Type::BF16x2) {
            unary_imm(|a: u32, imm| brain_to_single((a >> imm) as u16))
        } else if ftz {
            unary_imm(|a: u32, imm| half_to_single(F16.flush((a >> imm & 0xffff).into()) as u16))
        } else {
            unary_imm(|a: u32, imm| half_to_single((a >> imm) as u16))
        };
        self.emit(New {
            imm,
            d: Slot::Def(d),
            a: slot,
            ..New::op(run)
        });
        Ok(Slot::Use(d))
    }

    /// Emits a comparison into predicates `d` and `x`.
    #[allow(clippy::too_many_arguments)]
    fn comparison(
        &mut self,
        op: &str,
        ty: Type,
        ftz: bool,
        combine: Option<&str>,
        d: Slot,
        x: Slot,
        a: &Operand<'a>,
        b: &Operand<'a>,
        c: Option<&Operand<'a>>,
        high: bool,
    ) -> Result<()> {
        let (mut a, mut b) = (self.src(a, ty)?, self.src(b, ty)?);
        let mut as_type = ty;
        if matches!(ty, Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2) {
            a = self.widened_half(a, ty, high, ftz)?;
            b = self.widened_half(b, ty, high, ftz)?;
            as_type = Type::F32;
        }
        let ftz = ftz && as_type == ty;
        let run = comparison(as_type, op, ftz)
            .ok_or_else(|| self.syntax("no such comparison of this type"))?;
        let (imm, c, y) = match (combine, c) {
            (None, None) => (0, Slot::None, 0),
            (Some(combine), Some(c)) => {
                let (c, flip) = self.predicate(c)?;
                (
                    match combine {
                        "and" => 1,
                        "or" => 2,
                        _ => 3,
                    },
                    c,
                    flip,
                )
            }
            _ => return Err(self.syntax("a combining operation goes with a third source")),
        };
        self.emit(New {
            imm,
            d,
            a,
            b,
            c,
            x,
            y: Slot::Raw(y),
            ..New::op(run)
        });
        Ok(())
    }

    fn setp(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let op = m
            .first_of(&COMPARISONS)
            .ok_or_else(|| self.syntax("the comparison is missing"))?;
        let combine = m.one_of(&["and", "or", "xor"]);
        let ftz = m.take("ftz");
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        let [d, a, b, c @ ..] = o else {
            return Err(self.syntax("three operands are needed"));
        };
        let (p, q) = match d {
            Operand::Pair(p, q) => (*p, *q),
            Operand::Name(p) => (*p, "_"),
            _ => return Err(self.syntax("the destination must be a predicate")),
        };
        let p = if p == "_" {
            Slot::Def(self.temp(Type::Pred)?)
        } else {
            self.dst(&Operand::Name(p), Type::Pred)?
        };
        let q = if q == "_" {
            self.dump()?
        } else {
            self.dst(&Operand::Name(q), Type::Pred)?
        };
        if matches!(ty, Type::F16x2 | Type::BF16x2) {
            // The lower halves' result goes to p, the upper ones' to q.
            let dump = self.dump()?;
            let first = self.temp(Type::Pred)?;
            self.comparison(
                op,
                ty,
                ftz,
                combine,
                Slot::Def(first),
                dump,
                a,
                b,
                c.first(),
                false,
            )?;
            self.comparison(op, ty, ftz, combine, q, dump, a, b, c.first(), true)?;
            let run = crate::engine::lanes::predicate(|a, _| a);
            self.emit(New {
                d: p,
                a: Slot::Use(first),
                b: Slot::Use(first),
                ..New::op(run)
            });
            return Ok(());
        }
        self.comparison(op, ty, ftz, combine, p, q, a, b, c.first(), false)
    }

    fn set(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let op = m
            .first_of(&COMPARISONS)
            .ok_or_else(|| self.syntax("the comparison is missing"))?;
        let combine = m.one_of(&["and", "or", "xor"]);
        let ftz = m.take("ftz");
        let (Some(result), Some(ty)) = (m.ty(), m.ty()) else {
            return Err(self.syntax("two types are needed"));
        };
        let [d, a, b, c @ ..] = o else {
            return Err(self.syntax("three operands are needed"));
        };
        let packed = matches!(ty, Type::F16x2 | Type::BF16x2);
        let truth = match result {
            Type::F32 => 0x3f80_0000,
            Type::F16 => 0x3c00,
            Type::BF16 => 0x3f80,
            Type::F16x2 => 0x3c00,
            Type::BF16x2 => 0x3f80,
            Type::U16 | Type::S16 => 0xffff,
            _ if packed => 0xffff,
            _ => 0xffff_ffff,
        };
        let dump = self.dump()?;
        let p = self.temp(Type::Pred)?;
        self.comparison(
            op,
            ty,
            ftz,
            combine,
            Slot::Def(p),
            dump,
            a,
            b,
            c.first(),
            false,
        )?;
        let (yes, no) = (self.fixed(truth, Type::B32), self.fixed(0, Type::B32));
        let run = select(|a: u32, b: u32, c| if c { a } else { b });
        if !packed {
            let d = self.dst(d, result)?;
            self.emit(New {
                d,
                a: yes,
                b: no,
                c: Slot::Use(p),
                ..New::op(run)
            });
            return Ok(());
        }
        let q = self.temp(Type::Pred)?;
        self.comparison(
            op,
            ty,
            ftz,
            combine,
            Slot::Def(q),
            dump,
            a,
            b,
            c.first(),
            true,
        )?;
        let low = self.temp(Type::B32)?;
        self.emit(New {
            d: Slot::Def(low),
            a: yes,
            b: no,
            c: Slot::Use(p),
            ..New::op(run)
        });
        let d = self.dst(d, result)?;
        let run = select(|a: u32, b: u32, c| if c { b | a << 16 } else { b });
        self.emit(New {
            d,
            a: yes,
            b: Slot::Use(low),
            c: Slot::Use(q),
            ..New::op(run)
        });
        Ok(())
    }
}
