//! Logic, shifts and bit fields.

use super::function::{Lower, New, Result, Slot};
use super::modifiers::Modifiers;
use crate::engine::ir::Code;
use crate::engine::lanes::{binary, binary_imm, predicate, ternary, ternary_imm, unary, unary_imm};
use crate::ptx::{Operand, Type};

impl<'a> Lower<'_, 'a> {
    pub(super) fn bits(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<bool> {
        match name {
            "and" | "or" | "xor" | "not" | "cnot" => self.logic(name, m, o)?,
            "shl" | "shr" => self.shift(name, m, o)?,
            "shf" => self.funnel(m, o)?,
            "lop3" => self.lop3(m, o)?,
            "bfe" | "bfi" | "bfind" => self.field(name, m, o)?,
            "popc" | "clz" | "brev" => {
                let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
                let wide = ty.size() == 8;
                let (run, result) = match (name, wide) {
                    ("popc", false) => (unary(|a: u32| a.count_ones()), Type::U32),
                    ("popc", true) => (unary(|a: u64| a.count_ones()), Type::U32),
                    ("clz", false) => (unary(|a: u32| a.leading_zeros()), Type::U32),
                    ("clz", true) => (unary(|a: u64| a.leading_zeros()), Type::U32),
                    (_, false) => (unary(|a: u32| a.reverse_bits()), Type::B32),
                    (_, true) => (unary(|a: u64| a.reverse_bits()), Type::B64),
                };
                self.mixed(run, 0, result, &[ty], o)?;
            }
            "prmt" => {
                let mode = m.one_of(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
                m.take("b32");
                let run = match mode {
                    None => ternary(|a: u32, b: u32, c: u32| permute(a, b, c)),
                    Some("f4e") => ternary(|a: u32, b: u32, c: u32| {
                        permute(a, b, [0x3210, 0x4321, 0x5432, 0x6543][c as usize & 3])
                    }),
                    Some("b4e") => ternary(|a: u32, b: u32, c: u32| {
                        permute(a, b, [0x5670, 0x6701, 0x7012, 0x0123][c as usize & 3])
                    }),
                    Some("rc8") => {
                        ternary(|a: u32, b: u32, c: u32| permute(a, b, 0x1111 * (c & 3)))
                    }
                    Some("ecl") => ternary(|a: u32, b: u32, c: u32| {
                        permute(a, b, [0x3210, 0x3211, 0x3222, 0x3333][c as usize & 3])
                    }),
                    Some("ecr") => ternary(|a: u32, b: u32, c: u32| {
                        permute(a, b, [0x0000, 0x1110, 0x2210, 0x3210][c as usize & 3])
                    }),
                    Some(_) => ternary(|a: u32, b: u32, c: u32| {
                        permute(a, b, [0x1010, 0x3232, 0x1010, 0x3232][c as usize & 3])
                    }),
                };
                self.simple(run, 0, Type::B32, 3, o)?;
            }
            "fns" => {
                m.take("b32");
                self.mixed(
                    ternary(nth_set),
                    0,
                    Type::B32,
                    &[Type::B32, Type::B32, Type::S32],
                    o,
                )?;
            }
            "bmsk" => {
                let wrap = m.take("wrap");
                m.take("clamp");
                m.take("b32");
                let run = if wrap {
                    binary(|a: u32, b: u32| mask(a & 31, b & 31))
                } else {
                    binary(|a: u32, b: u32| mask(a, b))
                };
                self.simple(run, 0, Type::B32, 2, o)?;
            }
            "szext" => {
                let wrap = m.take("wrap");
                m.take("clamp");
                let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
                let imm = u64::from(wrap) | u64::from(ty.signed()) << 1;
                let run = binary_imm(|a: u32, b: u32, imm| {
                    let width = if imm & 1 != 0 { b & 31 } else { b };
                    match (width, imm & 2 != 0) {
                        (32.., _) => a,
                        (0, _) => 0,
                        (n, true) => ((a << (32 - n)) as i32 >> (32 - n)) as u32,
                        (n, false) => a << (32 - n) >> (32 - n),
                    }
                });
                self.simple(run, imm, Type::B32, 2, o)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn logic(&mut self, name: &str, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        if ty == Type::Pred {
            let (d, a, b) = match o {
                [d, a] if name == "not" => (d, a, a),
                [d, a, b] if name != "not" && name != "cnot" => (d, a, b),
                _ => return Err(self.syntax("the number of operands is wrong")),
            };
            let (a, x) = self.predicate(a)?;
            let (b, y) = self.predicate(b)?;
            let d = self.dst(d, Type::Pred)?;
            let run = match name {
                "and" => predicate(|a, b| a & b),
                "or" => predicate(|a, b| a | b),
                "xor" => predicate(|a, b| a ^ b),
                _ => predicate(|a, _| !a),
            };
            self.emit(New {
                d,
                a,
                b,
                x: Slot::Raw(x),
                y: Slot::Raw(y),
                ..New::op(run)
            });
            return Ok(());
        }
        let run: Code = match (name, ty.size()) {
            ("and", 1..=4) => binary(|a: u32, b: u32| a & b),
            ("and", _) => binary(|a: u64, b: u64| a & b),
            ("or", 1..=4) => binary(|a: u32, b: u32| a | b),
            ("or", _) => binary(|a: u64, b: u64| a | b),
            ("xor", 1..=4) => binary(|a: u32, b: u32| a ^ b),
            ("xor", _) => binary(|a: u64, b: u64| a ^ b),
            ("not", 2) => unary(|a: u16| !a),
            ("not", 1..=4) => unary(|a: u32| !a),
            ("not", _) => unary(|a: u64| !a),
            (_, 2) => unary(|a: u16| u16::from(a == 0)),
            (_, 1..=4) => unary(|a: u32| u32::from(a == 0)),
            (_, _) => unary(|a: u64| u64::from(a == 0)),
        };
        let sources = if matches!(name, "not" | "cnot") { 1 } else { 2 };
        self.simple(run, 0, ty, sources, o)
    }

    fn shift(&mut self, name: &str, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        // Counts beyond the width shift everything out.
        let run = match (name, ty.size(), ty.signed()) {
            ("shl", 2, _) => binary(|a: u16, b: u32| if b < 16 { a << b } else { 0 }),
            ("shl", 4, _) => binary(|a: u32, b: u32| if b < 32 { a << b } else { 0 }),
            ("shl", _, _) => binary(|a: u64, b: u32| if b < 64 { a << b } else { 0 }),
            (_, 2, false) => binary(|a: u16, b: u32| if b < 16 { a >> b } else { 0 }),
            (_, 4, false) => binary(|a: u32, b: u32| if b < 32 { a >> b } else { 0 }),
            (_, 8, false) => binary(|a: u64, b: u32| if b < 64 { a >> b } else { 0 }),
            (_, 2, true) => binary(|a: i16, b: u32| a >> b.min(15)),
            (_, 4, true) => binary(|a: i32, b: u32| a >> b.min(31)),
            _ => binary(|a: i64, b: u32| a >> b.min(63)),
        };
        self.mixed(run, 0, ty, &[ty, Type::U32], o)
    }

    fn funnel(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let left = m.take("l");
        let right = m.take("r");
        let wrap = m.take("wrap");
        let clamp = m.take("clamp");
        m.take("b32");
        if left == right || wrap == clamp {
            return Err(self.syntax("no such form of this instruction"));
        }
        let run = match (left, wrap) {
            (true, true) => {
                ternary(|a: u32, b: u32, c: u32| ((pair(a, b) << (c & 31)) >> 32) as u32)
            }
            (true, false) => {
                ternary(|a: u32, b: u32, c: u32| ((pair(a, b) << c.min(32)) >> 32) as u32)
            }
            (false, true) => ternary(|a: u32, b: u32, c: u32| (pair(a, b) >> (c & 31)) as u32),
            (false, false) => ternary(|a: u32, b: u32, c: u32| (pair(a, b) >> c.min(32)) as u32),
        };
        self.simple(run, 0, Type::B32, 3, o)
    }

    fn lop3(&mut self, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let combine = m.one_of(&["or", "and"]);
        m.take("b32");
        let [d, a, b, c, Operand::Int(table), rest @ ..] = o else {
            return Err(self.syntax("lop3 needs a destination, three sources and a table"));
        };
        let run = ternary_imm(|a: u32, b: u32, c: u32, table| {
            let term = |k: u64, x: u32| if table >> k & 1 != 0 { x } else { 0 };
            term(0, !a & !b & !c)
                | term(1, !a & !b & c)
                | term(2, !a & b & !c)
                | term(3, !a & b & c)
                | term(4, a & !b & !c)
                | term(5, a & !b & c)
                | term(6, a & b & !c)
                | term(7, a & b & c)
        });
        let run = match *table & 0xff {
            0x96 => ternary(|a: u32, b: u32, c: u32| a ^ b ^ c),
            0xe8 => ternary(|a: u32, b: u32, c: u32| a & b | a & c | b & c),
            0xca => ternary(|a: u32, b: u32, c: u32| a & b | !a & c),
            0x80 => ternary(|a: u32, b: u32, c: u32| a & b & c),
            0xfe => ternary(|a: u32, b: u32, c: u32| a | b | c),
            _ => run,
        };
        let Some(combine) = combine else {
            return self.simple(run, *table & 0xff, Type::B32, 3, &o[..4]);
        };
        let (Operand::Pair(d, p), [q]) = (d, rest) else {
            return Err(self.syntax("a register, a predicate and a predicate source are needed"));
        };
        let result = match *d {
            "_" => self.temp(Type::B32)?,
            name => match self.dst(&Operand::Name(name), Type::B32)? {
                Slot::Def(r) => r,
                _ => return Err(self.syntax("the destination must be a register")),
            },
        };
        let (a, b, c) = (
            self.src(a, Type::B32)?,
            self.src(b, Type::B32)?,
            self.src(c, Type::B32)?,
        );
        let (q, flip) = self.predicate(q)?;
        self.emit(New {
            imm: *table & 0xff,
            d: Slot::Def(result),
            a,
            b,
            c,
            ..New::op(run)
        });
        let p = self.dst(&Operand::Name(p), Type::Pred)?;
        let x = self.dump()?;
        let imm = if combine == "or" { 2 } else { 1 };
        let run = crate::engine::lanes::test(|a: u32| a != 0);
        self.emit(New {
            imm,
            d: p,
            a: Slot::Use(result),
            c: q,
            x,
            y: Slot::Raw(flip),
            ..New::op(run)
        });
        Ok(())
    }

    fn field(&mut self, name: &str, m: &mut Modifiers<'a>, o: &[Operand<'a>]) -> Result<()> {
        let shift = m.take("shiftamt");
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        match (name, ty.size()) {
            ("bfe", 4) => {
                let run = if ty.signed() {
                    ternary(|a: u32, b: u32, c: u32| {
                        extract(i64::from(a as i32) as u64, b, c, 31, true) as u32
                    })
                } else {
                    ternary(|a: u32, b: u32, c: u32| extract(a.into(), b, c, 31, false) as u32)
                };
                self.mixed(run, 0, ty, &[ty, Type::U32, Type::U32], o)
            }
            ("bfe", 8) => {
                let run = if ty.signed() {
                    ternary(|a: u64, b: u32, c: u32| extract(a, b, c, 63, true))
                } else {
                    ternary(|a: u64, b: u32, c: u32| extract(a, b, c, 63, false))
                };
                self.mixed(run, 0, ty, &[ty, Type::U32, Type::U32], o)
            }
            ("bfi", 4 | 8) => {
                // Four sources: the last travels as an operand of its own when it isn't a constant.
                let [d, a, b, c, len] = o else {
                    return Err(self.syntax("five operands are needed"));
                };
                let packed = self.temp(Type::B32)?;
                let (c, len) = (self.src(c, Type::U32)?, self.src(len, Type::U32)?);
                // 32-bit fields look at the lower eight bits, 64-bit ones at all.
                let run = if ty.size() == 4 {
                    binary(|c: u32, len: u32| c & 0xff | (len & 0xff) << 8)
                } else {
                    binary(|c: u32, len: u32| c.min(0xff) | len.min(0xff) << 8)
                };
                self.emit(New {
                    d: Slot::Def(packed),
                    a: c,
                    b: len,
                    ..New::op(run)
                });
                let (a, b) = (self.src(a, ty)?, self.src(b, ty)?);
                let d = self.dst(d, ty)?;
                let run = if ty.size() == 4 {
                    ternary(|a: u32, b: u32, c: u32| {
                        insert(a.into(), b.into(), c & 0xff, c >> 8, 32) as u32
                    })
                } else {
                    ternary(|a: u64, b: u64, c: u32| insert(a, b, c & 0xff, c >> 8, 64))
                };
                self.emit(New {
                    d,
                    a,
                    b,
                    c: Slot::Use(packed),
                    ..New::op(run)
                });
                Ok(())
            }
            ("bfind", 4) => {
                let run = if ty.signed() {
                    unary_imm(|a: i32, imm| {
                        find((if a < 0 { !a } else { a }) as u32 as u64, 31, imm)
                    })
                } else {
                    unary_imm(|a: u32, imm| find(a.into(), 31, imm))
                };
                self.mixed(run, shift.into(), Type::U32, &[ty], o)
            }
            ("bfind", 8) => {
                let run = if ty.signed() {
                    unary_imm(|a: i64, imm| find((if a < 0 { !a } else { a }) as u64, 63, imm))
                } else {
                    unary_imm(|a: u64, imm| find(a, 63, imm))
                };
                self.mixed(run, shift.into(), Type::U32, &[ty], o)
            }
            _ => Err(self.syntax("no such type on this instruction")),
        }
    }
}

#[inline(always)]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// `prmt`: four bytes of eight, each with a choice of its sign instead.
#[inline(always)]
fn permute(a: u32, b: u32, c: u32) -> u32 {
    let all = pair(a, b);
    let byte = |n: u32| {
        let selector = c >> (4 * n);
        let value = (all >> (8 * (selector & 7))) as u8;
        let value = if selector & 8 != 0 {
            (value as i8 >> 7) as u8
        } else {
            value
        };
        u32::from(value) << (8 * n)
    };
    byte(0) | byte(1) | byte(2) | byte(3)
}

/// `fns`: the n-th set bit from a base.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let base = (base & 31) as i32;
    if offset == 0 {
        return if mask >> base & 1 != 0 {
            base as u32
        } else {
            u32::MAX
        };
    }
    let (step, mut left) = (offset.signum(), offset.unsigned_abs());
    let mut at = base;
    while (0..32).contains(&at) {
        if mask >> at & 1 != 0 {
            left -= 1;
            if left == 0 {
                return at as u32;
            }
        }
        at += step;
    }
    u32::MAX
}

/// `bmsk`: `count` ones from bit `at`.
#[inline(always)]
fn mask(at: u32, count: u32) -> u32 {
    let ones = if count >= 32 {
        u32::MAX
    } else {
        (1 << count) - 1
    };
    if at >= 32 { 0 } else { ones << at }
}

/// `bfe`
#[inline(always)]
fn extract(a: u64, at: u32, length: u32, top: u32, signed: bool) -> u64 {
    // 32-bit fields look at the lower eight bits, 64-bit ones at all.
    let (at, length) = if top == 31 {
        (at & 0xff, length & 0xff)
    } else {
        (at.min(0xff), length.min(0xff))
    };
    if length == 0 {
        return 0;
    }
    let last = (at + length - 1).min(top);
    let negative = signed && a >> last & 1 != 0;
    let body = if at > top { 0 } else { a >> at };
    let kept = if at > top {
        0
    } else {
        (top - at + 1).min(length)
    };
    let ones = if kept >= 64 {
        u64::MAX
    } else {
        (1 << kept) - 1
    };
    body & ones | if negative { !ones } else { 0 }
}

/// `bfi`
#[inline(always)]
fn insert(a: u64, b: u64, at: u32, length: u32, width: u32) -> u64 {
    if at >= width || length == 0 {
        return b;
    }
    let ones = if length >= 64 {
        u64::MAX
    } else {
        (1 << length) - 1
    };
    let field = ones << at;
    b & !field | a << at & field
}

/// `bfind`; with `shift` the distance from the top bit.
#[inline(always)]
fn find(a: u64, top: u32, shift: u64) -> u32 {
    if a == 0 {
        return u32::MAX;
    }
    let at = 63 - a.leading_zeros();
    if shift != 0 { top - at } else { at }
}
