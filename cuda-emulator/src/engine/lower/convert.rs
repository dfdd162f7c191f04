//! Moves and conversions.

use super::function::{Lower, New, Result, Slot, Width};
use super::modifiers::Modifiers;
use crate::engine::convert::{Convert, pack_saturated};
use crate::engine::ir::Code;
use crate::engine::lanes::{binary, binary_imm, predicate, unary, unary_imm};
use crate::engine::math::{
    brain_to_single, flush, half_to_single, quiet, result64, single_to_brain, single_to_half,
};
use crate::engine::soft::Round;
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    pub(super) fn convert(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<bool> {
        match name {
            "mov" => self.mov(m, o)?,
            "cvt" => self.cvt(m, o)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn mov(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        let [d, a] = o else {
            return Err(self.syntax("two operands are needed"));
        };
        match (d, a) {
            (Operand::Vector(parts), a) => return self.unpack(ty, parts, a),
            (d, Operand::Vector(parts)) => return self.pack(ty, d, parts),
            _ => {}
        }
        if ty == Type::Pred {
            let (a, x) = self.predicate(a)?;
            let d = self.dst(d, ty)?;
            self.emit(New {
                d,
                a,
                b: a,
                x: Slot::Raw(x),
                ..New::op(predicate(|a, _| a))
            });
            return Ok(());
        }
        let a = self.src(a, ty)?;
        let d = self.dst(d, ty)?;
        let run = match Width::of(ty) {
            Width::W32 => unary(|a: u32| a),
            Width::W64 => unary(|a: u64| a),
            _ => unary(|a: u128| a),
        };
        self.emit(New {
            d,
            a,
            ..New::op(run)
        });
        Ok(())
    }

    /// The element type when a value of type `ty` has this many parts.
    fn element(&self, ty: Type, count: usize) -> Result<Type> {
        Ok(match (ty.size() as usize).checked_div(count) {
            Some(1) if ty.size() == 4 || ty.size() == 2 => Type::B8,
            Some(2) => Type::B16,
            Some(4) => Type::B32,
            Some(8) => Type::B64,
            _ => return Err(self.syntax("the number of parts doesn't fit the type")),
        })
    }

    fn unpack(&mut self, ty: Type, parts: &[Operand<'a>], a: &Operand<'a>) -> Result<()> {
        let element = self.element(ty, parts.len())?;
        let a = self.src(a, ty)?;
        let bits = u64::from(element.size()) * 8;
        // A part may be the source itself only where sizes agree, and then there is just one.
        let run = match (Width::of(ty), element.size()) {
            (Width::W32, 1) => unary_imm(|a: u32, imm| (a >> imm) as u8),
            (Width::W32, 2) => unary_imm(|a: u32, imm| (a >> imm) as u16),
            (Width::W64, 2) => unary_imm(|a: u64, imm| (a >> imm) as u16),
            (Width::W64, 4) => unary_imm(|a: u64, imm| (a >> imm) as u32),
            (Width::W128, 4) => unary_imm(|a: u128, imm| (a >> imm) as u32),
            (Width::W128, 8) => unary_imm(|a: u128, imm| (a >> imm) as u64),
            _ => return Err(self.syntax("the number of parts doesn't fit the type")),
        };
        // Taking a 32-bit value apart into 32-bit slots: the source may be overwritten by a part.
        let copy = if Width::of(ty) == Width::W32 {
            let copy = self.temp(ty)?;
            self.emit(New {
                d: Slot::Def(copy),
                a,
                ..New::op(unary(|a: u32| a))
            });
            Slot::Use(copy)
        } else {
            a
        };
        for (i, part) in parts.iter().enumerate() {
            if matches!(part, Operand::Sink) {
                continue;
            }
            let d = self.dst(part, element)?;
            self.emit(New {
                imm: i as u64 * bits,
                d,
                a: copy,
                ..New::op(run)
            });
        }
        Ok(())
    }

    fn pack(&mut self, ty: Type, d: &Operand<'a>, parts: &[Operand<'a>]) -> Result<()> {
        let element = self.element(ty, parts.len())?;
        let bits = u64::from(element.size()) * 8;
        let mut slots = Vec::new();
        for part in parts {
            slots.push(self.src(part, element)?);
        }
        let d = self.dst(d, ty)?;
        let (first, more): (Code, Code) = match (Width::of(ty), element.size()) {
            (Width::W32, 1) => (
                unary(|a: u8| u32::from(a)),
                binary_imm(|d: u32, a: u8, imm| d | u32::from(a) << imm),
            ),
            (Width::W32, 2) => (
                unary(|a: u16| u32::from(a)),
                binary_imm(|d: u32, a: u16, imm| d | u32::from(a) << imm),
            ),
            (Width::W64, 2) => (
                unary(|a: u16| u64::from(a)),
                binary_imm(|d: u64, a: u16, imm| d | u64::from(a) << imm),
            ),
            (Width::W64, 4) => (
                unary(|a: u32| u64::from(a)),
                binary_imm(|d: u64, a: u32, imm| d | u64::from(a) << imm),
            ),
            (Width::W128, 4) => (
                unary(|a: u32| u128::from(a)),
                binary_imm(|d: u128, a: u32, imm| d | u128::from(a) << imm),
            ),
            (Width::W128, 8) => (
                unary(|a: u64| u128::from(a)),
                binary_imm(|d: u128, a: u64, imm| d | u128::from(a) << imm),
            ),
            _ => return Err(self.syntax("the number of parts doesn't fit the type")),
        };
        if let ([a, b], Width::W32 | Width::W64) = (slots.as_slice(), Width::of(ty)) {
            let run = match element.size() {
                1 => binary(|a: u8, b: u8| u16::from(a) | u16::from(b) << 8),
                2 => binary(|a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
                _ => binary(|a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
            };
            self.emit(New {
                d,
                a: *a,
                b: *b,
                ..New::op(run)
            });
            return Ok(());
        }
        // Built up in a register of its own: the destination may be one of the parts.
        let sum = self.temp(ty)?;
        self.emit(New {
            d: Slot::Def(sum),
            a: slots[0],
            ..New::op(first)
        });
        for (i, &part) in slots.iter().enumerate().skip(1) {
            let target = if i + 1 == slots.len() {
                d
            } else {
                Slot::Def(sum)
            };
            self.emit(New {
                imm: i as u64 * bits,
                d: target,
                a: Slot::Use(sum),
                b: part,
                ..New::op(more)
            });
        }
        Ok(())
    }

    fn cvt(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        if m.take("pack") {
            return self.cvt_pack(m, o);
        }
        let whole = m.one_of(&["rni", "rzi", "rmi", "rpi"]);
        let round = match (m.one_of(&["rn", "rz", "rm", "rp", "rna", "rs"]), whole) {
            (Some("rs"), _) => {
                return Err(self.unsupported("stochastic rounding isn't supported by the emulator"));
            }
            (Some("rz"), _) | (_, Some("rzi")) => Round::Zero,
            (Some("rm"), _) | (_, Some("rmi")) => Round::Down,
            (Some("rp"), _) | (_, Some("rpi")) => Round::Up,
            (Some("rna"), _) => Round::Away,
            _ => Round::Nearest,
        };
        let ftz = m.take("ftz");
        let sat = m.take("sat");
        let finite = m.take("satfinite");
        let relu = m.take("relu");
        let (Some(to), Some(from)) = (m.ty(), m.ty()) else {
            return Err(self.syntax("two types are needed"));
        };
        let packed = matches!(to, Type::F16x2 | Type::BF16x2 | Type::E4M3x2 | Type::E5M2x2);
        if packed || matches!(from, Type::E4M3x2 | Type::E5M2x2) {
            return self.cvt_pair(to, from, round, relu, finite, o);
        }
        let [d, a] = o else {
            return Err(self.syntax("two operands are needed"));
        };
        let a_type = self
            .type_of(a)?
            .filter(|t| Width::of(*t) != Width::of(from))
            .unwrap_or(from);
        let d_type = self
            .type_of(d)?
            .filter(|t| Width::of(*t) != Width::of(to))
            .unwrap_or(to);
        let a = self.src(a, a_type)?;
        let d = self.dst(d, d_type)?;
        let plain = Width::of(a_type) == Width::of(from)
            && Width::of(d_type) == Width::of(to)
            && !sat
            && !relu
            && !finite;
        if let Some(run) = plain
            .then(|| quick(to, from, round, ftz, whole.is_some()))
            .flatten()
        {
            self.emit(New {
                d,
                a,
                ..New::op(run)
            });
            return Ok(());
        }
        let convert = Convert {
            to,
            from,
            round,
            whole: whole.is_some(),
            ftz,
            sat,
            finite,
            relu,
        };
        let imm = convert
            .pack()
            .ok_or_else(|| self.unsupported("the emulator doesn't know this conversion"))?;
        let run = match (Width::of(d_type), Width::of(a_type)) {
            (Width::W32, Width::W32) => {
                unary_imm(|a: u32, imm| Convert::lane(a.into(), imm) as u32)
            }
            (Width::W32, Width::W64) => unary_imm(|a: u64, imm| Convert::lane(a, imm) as u32),
            (Width::W64, Width::W32) => unary_imm(|a: u32, imm| Convert::lane(a.into(), imm)),
            (Width::W64, Width::W64) => unary_imm(Convert::lane),
            _ => return Err(self.unsupported("the emulator doesn't know this conversion")),
        };
        self.emit(New {
            imm,
            d,
            a,
            ..New::op(run)
        });
        Ok(())
    }

    /// Two values packed into one register, or taken from one.
    fn cvt_pair(
        &mut self,
        to: Type,
        from: Type,
        round: Round,
        relu: bool,
        finite: bool,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let element = match to {
            Type::F16x2 => Type::F16,
            Type::BF16x2 => Type::BF16,
            other => other,
        };
        match (to, from, o) {
            // d = {a in the upper half, b in the lower}
            (Type::F16x2 | Type::BF16x2, Type::F32, [d, a, b]) => {
                let convert = Convert {
                    to: element,
                    from,
                    round,
                    whole: false,
                    ftz: false,
                    sat: false,
                    finite,
                    relu,
                };
                let imm = convert
                    .pack()
                    .ok_or_else(|| self.unsupported("the emulator doesn't know this conversion"))?;
                let run = binary_imm(|a: u32, b: u32, imm| {
                    let one = |x: u32| Convert::lane(x.into(), imm) as u32 & 0xffff;
                    one(a) << 16 | one(b)
                });
                self.mixed(
                    run,
                    imm,
                    to,
                    &[from, from],
                    &[d.clone(), a.clone(), b.clone()],
                )
            }
            (Type::E4M3x2 | Type::E5M2x2, Type::F32, [d, a, b]) => {
                let imm = u64::from(to == Type::E5M2x2) | u64::from(relu) << 1;
                let run = binary_imm(|a: u32, b: u32, imm| {
                    let one = |x: u32| {
                        u16::from(crate::engine::convert::to_eight(
                            x.into(),
                            crate::engine::soft::F32,
                            imm,
                        ))
                    };
                    one(a) << 8 | one(b)
                });
                self.mixed(
                    run,
                    imm,
                    Type::B16,
                    &[from, from],
                    &[d.clone(), a.clone(), b.clone()],
                )
            }
            (Type::E4M3x2 | Type::E5M2x2, Type::F16x2, [d, a]) => {
                let imm = u64::from(to == Type::E5M2x2) | u64::from(relu) << 1;
                let run = unary_imm(|a: u32, imm| {
                    let one = |x: u32| {
                        u16::from(crate::engine::convert::to_eight(
                            (x & 0xffff).into(),
                            crate::engine::soft::F16,
                            imm,
                        ))
                    };
                    one(a >> 16) << 8 | one(a)
                });
                self.mixed(run, imm, Type::B16, &[Type::F16x2], &[d.clone(), a.clone()])
            }
            (Type::F16x2, Type::E4M3x2 | Type::E5M2x2, [d, a]) => {
                let imm = u64::from(from == Type::E5M2x2) | u64::from(relu) << 1;
                let run = unary_imm(|a: u16, imm| {
                    let one = |x: u16| u32::from(crate::engine::convert::from_eight(x as u8, imm));
                    one(a >> 8) << 16 | one(a)
                });
                self.mixed(run, imm, Type::F16x2, &[Type::B16], &[d.clone(), a.clone()])
            }
            _ => Err(self.unsupported("the emulator doesn't know this conversion")),
        }
    }

    /// `cvt.pack.sat.to.from{.b32} d, a, b{, c}`
    fn cvt_pack(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        m.take("sat");
        let names = [m.next().unwrap_or(""), m.next().unwrap_or("")];
        m.take("b32");
        if names[1] != "s32" {
            return Err(self.syntax("cvt.pack converts from s32"));
        }
        let (bits, signed) = match names[0] {
            "u16" => (16, false),
            "s16" => (16, true),
            "u8" => (8, false),
            "s8" => (8, true),
            "u4" => (4, false),
            "s4" => (4, true),
            "u2" => (2, false),
            "s2" => (2, true),
            _ => return Err(self.syntax("no such type on cvt.pack")),
        };
        let imm = bits | u64::from(signed) << 8;
        let mut o = o.to_vec();
        if bits == 16 && o.len() == 3 {
            o.push(Operand::Int(0));
        }
        let run = crate::engine::lanes::ternary_imm(|a: i32, b: i32, c: u32, imm| {
            pack_saturated(a, b, c, imm)
        });
        self.mixed(run, imm, Type::B32, &[Type::S32, Type::S32, Type::B32], &o)
    }
}

/// Common conversions as loops of their own.
fn quick(to: Type, from: Type, round: Round, ftz: bool, whole: bool) -> Option<Code> {
    use Type::*;
    let near = round == Round::Nearest && !whole;
    let toward_zero = round == Round::Zero && whole;
    Some(match (to, from) {
        (U64 | S64, U32) => unary(|a: u32| u64::from(a)),
        (U64 | S64, S32) => unary(|a: i32| i64::from(a)),
        (U32 | S32, U64 | S64) => unary(|a: u64| a as u32),
        (U32 | S32, U32 | S32) => unary(|a: u32| a),
        (U64 | S64, U64 | S64) => unary(|a: u64| a),
        (U32 | S32, U16) => unary(|a: u16| u32::from(a)),
        (U32 | S32, S16) => unary(|a: i16| i32::from(a)),
        (U32 | S32 | U16 | S16, U8) => unary(|a: u8| u32::from(a)),
        (U32 | S32 | U16 | S16, S8) => unary(|a: i8| i32::from(a)),
        (U16 | S16, U32 | S32) => unary(|a: u32| a as u16),
        (U16 | S16, U64 | S64) => unary(|a: u64| a as u16),
        (U8, U16 | S16 | U32 | S32) => unary(|a: u32| a as u8),
        (S8, U16 | S16 | U32 | S32) => unary(|a: u32| i32::from(a as i8)),
        (U64, U16) => unary(|a: u16| u64::from(a)),
        (S64, S16) => unary(|a: i16| i64::from(a)),
        (F32, U32) if near => unary(|a: u32| a as f32),
        (F32, S32) if near => unary(|a: i32| a as f32),
        (F32, U64) if near => unary(|a: u64| a as f32),
        (F32, S64) if near => unary(|a: i64| a as f32),
        (F64, U32) if near => unary(|a: u32| f64::from(a)),
        (F64, S32) if near => unary(|a: i32| f64::from(a)),
        (F64, U64) if near => unary(|a: u64| a as f64),
        (F64, S64) if near => unary(|a: i64| a as f64),
        // Rust's casts saturate and turn NaN into 0, as the GPU's 32-bit conversions do.
        (S32, F32) if toward_zero => unary(|a: f32| a as i32),
        (U32, F32) if toward_zero => unary(|a: f32| a as u32),
        (S32, F64) if toward_zero => return None,
        // Double precision keeps a NaN's sign and payload; flushing makes it the one of single precision first.
        (F64, F32) if ftz => unary(|a: f32| widen(quiet(flush(a)))),
        (F64, F32) => unary(widen),
        (F32, F64) if near && ftz => unary(|a: f64| flush(narrow(a))),
        (F32, F64) if near => unary(narrow),
        (F32, F16) => unary(|a: u16| quiet(half_to_single(a))),
        (F16, F32) if near => unary(|a: f32| single_to_half(a)),
        (F32, BF16) if !ftz => unary(brain_to_single),
        (BF16, F32) if near && !ftz => unary(|a: f32| single_to_brain(a)),
        (F32, F32) if whole && !ftz => match round {
            Round::Nearest => unary(|a: f32| quiet(a.round_ties_even())),
            Round::Zero => unary(|a: f32| quiet(a.trunc())),
            Round::Down => unary(|a: f32| quiet(a.floor())),
            _ => unary(|a: f32| quiet(a.ceil())),
        },
        (F64, F64) if whole => match round {
            Round::Nearest => unary(|a: f64| result64(a.round_ties_even(), [a])),
            Round::Zero => unary(|a: f64| result64(a.trunc(), [a])),
            Round::Down => unary(|a: f64| result64(a.floor(), [a])),
            _ => unary(|a: f64| result64(a.ceil(), [a])),
        },
        _ => return None,
    })
}

#[inline(always)]
fn widen(a: f32) -> f64 {
    let bits = u64::from(a.to_bits());
    let nan = (bits >> 31) << 63 | 0x7ff8 << 48 | (bits & 0x007f_ffff) << 29;
    f64::from_bits(if a.is_nan() {
        nan
    } else {
        f64::from(a).to_bits()
    })
}

#[inline(always)]
fn narrow(a: f64) -> f32 {
    let bits = a.to_bits();
    let nan = (bits >> 63 << 31 | 0x7fc0 << 16 | bits >> 29 & 0x007f_ffff) as u32;
    f32::from_bits(if a.is_nan() {
        nan
    } else {
        (a as f32).to_bits()
    })
}
