//! Integer arithmetic.

use super::function::{Lower, New, Result, Slot};
use super::modifiers::Modifiers;
use crate::engine::lanes::{binary, carry, ternary, ternary_imm, unary};
use crate::engine::state::Exec;
use crate::ptx::{Operand, Type};

/// One closure for each of the integer types named.
macro_rules! binary_by {
    ($lower:expr, $ty:expr, $($v:ident)|+, |$a:ident, $b:ident, $t:ident| $e:expr) => {
        match $ty {
            $(by!(@pattern $v) => by!(@with $v $t { binary(|$a: $t, $b: $t| -> $t { $e }) }),)+
            _ => return Err($lower.syntax("no such type on this instruction")),
        }
    };
}

macro_rules! by {
    (@pattern u16) => {
        Type::U16 | Type::B16
    };
    (@pattern s16) => {
        Type::S16
    };
    (@pattern u32) => {
        Type::U32 | Type::B32
    };
    (@pattern s32) => {
        Type::S32
    };
    (@pattern u64) => {
        Type::U64 | Type::B64
    };
    (@pattern s64) => {
        Type::S64
    };
    (@with u16 $t:ident $b:block) => {{
        type $t = u16;
        $b
    }};
    (@with s16 $t:ident $b:block) => {{
        type $t = i16;
        $b
    }};
    (@with u32 $t:ident $b:block) => {{
        type $t = u32;
        $b
    }};
    (@with s32 $t:ident $b:block) => {{
        type $t = i32;
        $b
    }};
    (@with u64 $t:ident $b:block) => {{
        type $t = u64;
        $b
    }};
    (@with s64 $t:ident $b:block) => {{
        type $t = i64;
        $b
    }};
}

/// The type twice as wide.
fn double(ty: Type) -> Option<Type> {
    Some(match ty {
        Type::U16 => Type::U32,
        Type::S16 => Type::S32,
        Type::U32 => Type::U64,
        Type::S32 => Type::S64,
        _ => return None,
    })
}

/// Both halves of a register on their own.
#[inline(always)]
fn pairwise(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn integer(
        &mut self,
        name: &str,
        ty: Type,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        if matches!(ty, Type::U16x2 | Type::S16x2) {
            return self.packed16(name, ty, m, o);
        }
        let cc = m.take("cc");
        if cc || matches!(name, "addc" | "subc" | "madc") {
            return self.chain(name, ty, cc, m, o);
        }
        let part = m.one_of(&["hi", "lo", "wide"]);
        let sat = m.take("sat");
        if sat
            && !matches!(
                (name, ty),
                ("add" | "sub", Type::S32) | ("mad", Type::S32) | ("mad24", Type::S32)
            )
        {
            return Err(self.unsupported(".sat is only known on .s32"));
        }
        let relu = m.take("relu");
        let run: Exec = match name {
            "add" if sat => binary(|a: i32, b: i32| a.saturating_add(b)),
            "sub" if sat => binary(|a: i32, b: i32| a.saturating_sub(b)),
            "add" => match ty.size() {
                2 => binary(|a: u16, b: u16| a.wrapping_add(b)),
                4 => binary(|a: u32, b: u32| a.wrapping_add(b)),
                _ => binary(|a: u64, b: u64| a.wrapping_add(b)),
            },
            "sub" => match ty.size() {
                2 => binary(|a: u16, b: u16| a.wrapping_sub(b)),
                4 => binary(|a: u32, b: u32| a.wrapping_sub(b)),
                _ => binary(|a: u64, b: u64| a.wrapping_sub(b)),
            },
            "mul" => return self.multiply(ty, part, o),
            "mad" => return self.multiply_add(ty, part, sat, o),
            "mul24" | "mad24" => return self.short_multiply(name, ty, part, sat, o),
            // By zero: all bits set, as the GPU's division gives.
            "div" => binary_by!(
                self,
                ty,
                u16 | s16 | u32 | s32 | u64 | s64,
                |a, b, T| if b == 0 { !0 as T } else { a.wrapping_div(b) }
            ),
            "rem" => binary_by!(
                self,
                ty,
                u16 | s16 | u32 | s32 | u64 | s64,
                |a, b, T| if b == 0 { !0 as T } else { a.wrapping_rem(b) }
            ),
            "min" if relu && ty == Type::S32 => binary(|a: i32, b: i32| a.min(b).max(0)),
            "max" if relu && ty == Type::S32 => binary(|a: i32, b: i32| a.max(b).max(0)),
            "min" | "max" if relu => {
                return Err(self.unsupported(".relu is only known on .s32 and .s16x2"));
            }
            "min" => binary_by!(
                self,
                ty,
                u16 | s16 | u32 | s32 | u64 | s64,
                |a, b, T| a.min(b) as T
            ),
            "max" => binary_by!(
                self,
                ty,
                u16 | s16 | u32 | s32 | u64 | s64,
                |a, b, T| a.max(b) as T
            ),
            "abs" => match ty {
                Type::S16 => unary(|a: i16| a.wrapping_abs()),
                Type::S32 => unary(|a: i32| a.wrapping_abs()),
                Type::S64 => unary(|a: i64| a.wrapping_abs()),
                _ => return Err(self.syntax("no such type on this instruction")),
            },
            "neg" => match ty {
                Type::S16 => unary(|a: i16| a.wrapping_neg()),
                Type::S32 => unary(|a: i32| a.wrapping_neg()),
                Type::S64 => unary(|a: i64| a.wrapping_neg()),
                _ => return Err(self.syntax("no such type on this instruction")),
            },
            "sad" => match ty {
                Type::U16 => ternary(|a: u16, b: u16, c: u16| c.wrapping_add(a.abs_diff(b))),
                Type::S16 => ternary(|a: i16, b: i16, c: u16| c.wrapping_add(a.abs_diff(b))),
                Type::U32 => ternary(|a: u32, b: u32, c: u32| c.wrapping_add(a.abs_diff(b))),
                Type::S32 => ternary(|a: i32, b: i32, c: u32| c.wrapping_add(a.abs_diff(b))),
                Type::U64 => ternary(|a: u64, b: u64, c: u64| c.wrapping_add(a.abs_diff(b))),
                Type::S64 => ternary(|a: i64, b: i64, c: u64| c.wrapping_add(a.abs_diff(b))),
                _ => return Err(self.syntax("no such type on this instruction")),
            },
            _ => return Err(self.syntax("no such type on this instruction")),
        };
        let sources = match name {
            "abs" | "neg" => 1,
            "sad" => 3,
            _ => 2,
        };
        self.simple(run, 0, ty, sources, o)
    }

    fn multiply(&mut self, ty: Type, part: Option<&str>, o: &[Operand<'a>]) -> Result<()> {
        let run = match (part, ty) {
            (Some("wide"), ty) => {
                let run = match ty {
                    Type::U16 => binary(|a: u16, b: u16| u32::from(a) * u32::from(b)),
                    Type::S16 => binary(|a: i16, b: i16| i32::from(a) * i32::from(b)),
                    Type::U32 => binary(|a: u32, b: u32| u64::from(a) * u64::from(b)),
                    Type::S32 => binary(|a: i32, b: i32| i64::from(a) * i64::from(b)),
                    _ => return Err(self.syntax("no such type on this instruction")),
                };
                let wide = double(ty).unwrap_or(ty);
                return self.mixed(run, 0, wide, &[ty, ty], o);
            }
            (Some("hi"), Type::U16) => {
                binary(|a: u16, b: u16| ((u32::from(a) * u32::from(b)) >> 16) as u16)
            }
            (Some("hi"), Type::S16) => {
                binary(|a: i16, b: i16| ((i32::from(a) * i32::from(b)) >> 16) as i16)
            }
            (Some("hi"), Type::U32) => {
                binary(|a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32)
            }
            (Some("hi"), Type::S32) => {
                binary(|a: i32, b: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32)
            }
            (Some("hi"), Type::U64) => {
                binary(|a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64)
            }
            (Some("hi"), Type::S64) => {
                binary(|a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 64) as i64)
            }
            (Some("lo"), _) => match ty.size() {
                2 => binary(|a: u16, b: u16| a.wrapping_mul(b)),
                4 => binary(|a: u32, b: u32| a.wrapping_mul(b)),
                _ => binary(|a: u64, b: u64| a.wrapping_mul(b)),
            },
            _ => return Err(self.syntax(".hi, .lo or .wide is missing")),
        };
        self.simple(run, 0, ty, 2, o)
    }

    fn multiply_add(
        &mut self,
        ty: Type,
        part: Option<&str>,
        sat: bool,
        o: &[Operand<'a>],
    ) -> Result<()> {
        if sat && part != Some("hi") {
            return Err(self.unsupported(".sat is only known with .hi"));
        }
        let run = match (part, ty) {
            (Some("wide"), ty) => {
                let run = match ty {
                    Type::U16 => ternary(|a: u16, b: u16, c: u32| {
                        (u32::from(a) * u32::from(b)).wrapping_add(c)
                    }),
                    Type::S16 => ternary(|a: i16, b: i16, c: i32| {
                        (i32::from(a) * i32::from(b)).wrapping_add(c)
                    }),
                    Type::U32 => ternary(|a: u32, b: u32, c: u64| {
                        (u64::from(a) * u64::from(b)).wrapping_add(c)
                    }),
                    Type::S32 => ternary(|a: i32, b: i32, c: i64| {
                        (i64::from(a) * i64::from(b)).wrapping_add(c)
                    }),
                    _ => return Err(self.syntax("no such type on this instruction")),
                };
                let wide = double(ty).unwrap_or(ty);
                return self.mixed(run, 0, wide, &[ty, ty, wide], o);
            }
            (Some("hi"), Type::S32) if sat => ternary(|a: i32, b: i32, c: i32| {
                (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
            }),
            (Some("hi"), Type::U16) => ternary(|a: u16, b: u16, c: u16| {
                (((u32::from(a) * u32::from(b)) >> 16) as u16).wrapping_add(c)
            }),
            (Some("hi"), Type::S16) => ternary(|a: i16, b: i16, c: i16| {
                (((i32::from(a) * i32::from(b)) >> 16) as i16).wrapping_add(c)
            }),
            (Some("hi"), Type::U32) => ternary(|a: u32, b: u32, c: u32| {
                (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
            }),
            (Some("hi"), Type::S32) => ternary(|a: i32, b: i32, c: i32| {
                (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c)
            }),
            (Some("hi"), Type::U64) => ternary(|a: u64, b: u64, c: u64| {
                (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c)
            }),
            (Some("hi"), Type::S64) => ternary(|a: i64, b: i64, c: i64| {
                (((i128::from(a) * i128::from(b)) >> 64) as i64).wrapping_add(c)
            }),
            (Some("lo"), _) => match ty.size() {
                2 => ternary(|a: u16, b: u16, c: u16| a.wrapping_mul(b).wrapping_add(c)),
                4 => ternary(|a: u32, b: u32, c: u32| a.wrapping_mul(b).wrapping_add(c)),
                _ => ternary(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c)),
            },
            _ => return Err(self.syntax(".hi, .lo or .wide is missing")),
        };
        self.simple(run, 0, ty, 3, o)
    }

    fn short_multiply(
        &mut self,
        name: &str,
        ty: Type,
        part: Option<&str>,
        sat: bool,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let high = u64::from(part == Some("hi")) | u64::from(sat) << 1;
        let run = if ty == Type::S32 {
            ternary_imm(|a: i32, b: i32, c: i32, imm| {
                let product = i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8);
                let part = if imm & 1 != 0 { product >> 16 } else { product } as i32;
                if imm & 2 != 0 {
                    part.saturating_add(c)
                } else {
                    part.wrapping_add(c)
                }
            })
        } else {
            ternary_imm(|a: u32, b: u32, c: u32, imm| {
                let product = u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff);
                (if imm & 1 != 0 { product >> 16 } else { product } as u32).wrapping_add(c)
            })
        };
        if ty.size() != 4 || part.is_none_or(|p| p == "wide") {
            return Err(self.syntax("no such form of this instruction"));
        }
        if name == "mad24" {
            return self.simple(run, high, ty, 3, o);
        }
        let [d, a, b] = o else {
            return Err(self.syntax("three operands are needed"));
        };
        self.simple(
            run,
            high,
            ty,
            3,
            &[d.clone(), a.clone(), b.clone(), Operand::Int(0)],
        )
    }

    /// Arithmetic with the carry flag.
    fn chain(
        &mut self,
        name: &str,
        ty: Type,
        cc: bool,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let part = m.one_of(&["hi", "lo"]);
        // A wide sum gives the carry; a subtraction's flag is the borrow.
        macro_rules! chained {
            ($t:ty, $w:ty, $s:ty, $sw:ty) => {
                match (name, part, ty.signed()) {
                    ("add", ..) => carry(|a: $t, b: $t, _: $t, _| a.overflowing_add(b)),
                    ("addc", ..) => carry(|a: $t, b: $t, _: $t, f| {
                        let sum = a as $w + b as $w + f as $w;
                        (sum as $t, sum >> <$t>::BITS != 0)
                    }),
                    ("sub", ..) => carry(|a: $t, b: $t, _: $t, _| a.overflowing_sub(b)),
                    ("subc", ..) => carry(|a: $t, b: $t, _: $t, f| {
                        let (first, x) = a.overflowing_sub(b);
                        let (second, y) = first.overflowing_sub(f as $t);
                        (second, x | y)
                    }),
                    ("mad", Some("lo"), _) => {
                        carry(|a: $t, b: $t, c: $t, _| a.wrapping_mul(b).overflowing_add(c))
                    }
                    ("mad", Some(_), true) => carry(|a: $t, b: $t, c: $t, _| {
                        ((a as $s as $sw * b as $s as $sw >> <$t>::BITS) as $t).overflowing_add(c)
                    }),
                    ("mad", Some(_), false) => carry(|a: $t, b: $t, c: $t, _| {
                        ((a as $w * b as $w >> <$t>::BITS) as $t).overflowing_add(c)
                    }),
                    ("madc", Some("lo"), _) => carry(|a: $t, b: $t, c: $t, f| {
                        let sum = a.wrapping_mul(b) as $w + c as $w + f as $w;
                        (sum as $t, sum >> <$t>::BITS != 0)
                    }),
                    ("madc", Some(_), true) => carry(|a: $t, b: $t, c: $t, f| {
                        let sum = (a as $s as $sw * b as $s as $sw >> <$t>::BITS) as $t as $w
                            + c as $w
                            + f as $w;
                        (sum as $t, sum >> <$t>::BITS != 0)
                    }),
                    ("madc", Some(_), false) => carry(|a: $t, b: $t, c: $t, f| {
                        let sum = (a as $w * b as $w >> <$t>::BITS) + c as $w + f as $w;
                        (sum as $t, sum >> <$t>::BITS != 0)
                    }),
                    _ => return Err(self.syntax("no such form of this instruction")),
                }
            };
        }
        let run = match ty.size() {
            4 => chained!(u32, u64, i32, i64),
            8 => chained!(u64, u128, i64, i128),
            _ => return Err(self.syntax("no such type on this instruction")),
        };
        let flag = self.carry()?;
        let count = if name.starts_with("mad") { 3 } else { 2 };
        if o.len() != count + 1 {
            return Err(self.syntax(format!("{} operands are needed", count + 1)));
        }
        let a = self.src(&o[1], ty)?;
        let b = self.src(&o[2], ty)?;
        let c = if count == 3 {
            self.src(&o[3], ty)?
        } else {
            self.fixed(0, ty)
        };
        let d = self.dst(&o[0], ty)?;
        // Without .cc the flag stays as it was: the instruction works on a copy.
        let x = if cc {
            Slot::Both(flag)
        } else {
            let copy = self.temp(Type::Pred)?;
            let run = crate::engine::lanes::predicate(|a, _| a);
            self.emit(New {
                d: Slot::Def(copy),
                a: Slot::Use(flag),
                b: Slot::Use(flag),
                ..New::op(run)
            });
            Slot::Both(copy)
        };
        self.emit(New {
            d,
            a,
            b,
            c,
            x,
            ..New::op(run)
        });
        Ok(())
    }

    fn packed16(
        &mut self,
        name: &str,
        ty: Type,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let signed = ty == Type::S16x2;
        let relu = m.take("relu");
        let sat = m.take("sat");
        let run = match (name, signed, relu, sat) {
            ("add", _, false, false) => binary(|a: u32, b: u32| pairwise(a, b, u16::wrapping_add)),
            ("add", true, false, true) => binary(|a: u32, b: u32| {
                pairwise(a, b, |a, b| (a as i16).saturating_add(b as i16) as u16)
            }),
            ("add", false, false, true) => {
                binary(|a: u32, b: u32| pairwise(a, b, u16::saturating_add))
            }
            ("sub", _, false, false) => binary(|a: u32, b: u32| pairwise(a, b, u16::wrapping_sub)),
            ("min", false, false, false) => {
                binary(|a: u32, b: u32| pairwise(a, b, |a, b| a.min(b)))
            }
            ("max", false, false, false) => {
                binary(|a: u32, b: u32| pairwise(a, b, |a, b| a.max(b)))
            }
            ("min", true, false, false) => {
                binary(|a: u32, b: u32| pairwise(a, b, |a, b| (a as i16).min(b as i16) as u16))
            }
            ("max", true, false, false) => {
                binary(|a: u32, b: u32| pairwise(a, b, |a, b| (a as i16).max(b as i16) as u16))
            }
            ("min", true, true, false) => binary(|a: u32, b: u32| {
                pairwise(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16)
            }),
            ("max", true, true, false) => binary(|a: u32, b: u32| {
                pairwise(a, b, |a, b| (a as i16).max(b as i16).max(0) as u16)
            }),
            _ => {
                return Err(self.unsupported(
                    "the emulator doesn't know this instruction on packed 16-bit integers",
                ));
            }
        };
        self.simple(run, 0, ty, 2, o)
    }

    /// `dp4a`, `dp2a`
    pub(super) fn dot_product(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<()> {
        let high = m.take("hi");
        let low = m.take("lo");
        let (Some(first), Some(second)) = (m.ty(), m.ty()) else {
            return Err(self.syntax("two types are needed"));
        };
        if first.size() != 4 || second.size() != 4 || (name == "dp2a" && high == low) {
            return Err(self.syntax("no such form of this instruction"));
        }
        let imm =
            u64::from(first.signed()) | u64::from(second.signed()) << 1 | u64::from(high) << 2;
        let run = if name == "dp4a" {
            ternary_imm(|a: u32, b: u32, c: u32, imm| {
                (0..4).fold(c, |sum, i| {
                    let x = part(a, i * 8, 8, imm & 1 != 0);
                    let y = part(b, i * 8, 8, imm & 2 != 0);
                    sum.wrapping_add(x.wrapping_mul(y))
                })
            })
        } else {
            ternary_imm(|a: u32, b: u32, c: u32, imm| {
                (0..2).fold(c, |sum, i| {
                    let x = part(a, i * 16, 16, imm & 1 != 0);
                    let y = part(
                        b,
                        i * 8 + if imm & 4 != 0 { 16 } else { 0 },
                        8,
                        imm & 2 != 0,
                    );
                    sum.wrapping_add(x.wrapping_mul(y))
                })
            })
        };
        self.simple(run, imm, Type::U32, 3, o)
    }
}

/// Bits of a word as a number.
#[inline(always)]
fn part(word: u32, at: u32, bits: u32, signed: bool) -> u32 {
    let up = word << (32 - bits - at);
    if signed {
        (up as i32 >> (32 - bits)) as u32
    } else {
        up >> (32 - bits)
    }
}
