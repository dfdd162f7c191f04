//! `atom` and `red`.

use super::function::{Lower, New, Result, Slot, Width};
use super::memory::take_space;
use super::modifiers::Modifiers;
use crate::engine::atomic::update;
use crate::engine::math::{
    brain_to_single, flush, half_to_single, min_max_f32, quiet, result64, single_to_brain,
    single_to_half,
};
use crate::engine::memory::space;
use crate::engine::reach::Reach;
use crate::engine::state::Exec;
use crate::ptx::{Operand, Type};

fn halves(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn atomic(
        &mut self,
        name: &str,
        m: &mut Modifiers<'a>,
        o: &[Operand<'a>],
    ) -> Result<bool> {
        match name {
            "atom" | "red" => {}
            "mbarrier" => {
                self.mbarrier(m, o)?;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        if m.take("async") {
            return Err(
                self.unsupported("asynchronous reductions aren't supported by the emulator")
            );
        }
        let (acquire, release) = (m.take("acquire") | m.take("acq_rel"), m.take("release"));
        for scope in ["relaxed", "cta", "cluster", "gpu", "sys"] {
            m.take(scope);
        }
        let space = take_space(m);
        let space = self.space_of(space);
        if matches!(space, space::LOCAL | space::PARAM) {
            return Err(self.syntax("atomics work on global and shared memory"));
        }
        let op = m
            .one_of(&[
                "add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas",
            ])
            .ok_or_else(|| self.syntax("the operation is missing"))?;
        m.take("noftz");
        let hint = m.take("L2::cache_hint");
        let vector = match m.one_of(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        };
        let ty = m.ty().ok_or_else(|| self.syntax("the type is missing"))?;
        let (d, rest) = if name == "atom" {
            match o {
                [d, rest @ ..] => (Some(d), rest),
                [] => return Err(self.syntax("operands are missing")),
            }
        } else {
            (None, o)
        };
        let [address, rest @ ..] = rest else {
            return Err(self.syntax("the address is missing"));
        };
        let wanted = if op == "cas" { 2 } else { 1 };
        if rest.len() != wanted + usize::from(hint) {
            return Err(self.syntax("the number of operands is wrong"));
        }
        let (base, offset) = self.base(address)?;
        let super::function::Base::Address(a, width) = base else {
            return Err(self.syntax("atomics work on global and shared memory"));
        };
        let (a, width) = self.widened(a, width, space)?;
        let run = self.operation(op, ty)?;
        let reach = Reach::new(space, width == Width::W32)
            .exchange(op == "exch")
            .chosen();
        let split = |operand: &Operand<'a>| match operand {
            Operand::Vector(list) => list.clone(),
            other => vec![other.clone()],
        };
        let values = split(&rest[0]);
        let results = d.map(split);
        if values.len() != vector
            || results
                .as_ref()
                .is_some_and(|r| r.len() != vector && *r != [Operand::Sink])
        {
            return Err(self.syntax("the number of registers in braces doesn't match"));
        }
        if release {
            self.fence();
        }
        self.poll();
        for (n, value) in values.iter().enumerate() {
            let b = self.src(value, ty)?;
            let c = match rest.get(1) {
                Some(c) if wanted == 2 => self.src(c, ty)?,
                _ => b,
            };
            let d = match results.as_ref().and_then(|r| r.get(n)) {
                Some(d) => self.dst(d, ty)?,
                None => Slot::Def(self.temp(ty)?),
            };
            let y = self.cache();
            let imm = offset.wrapping_add(n as i64 * i64::from(ty.size())) as u64;
            self.emit(New {
                imm,
                d,
                a,
                b,
                c,
                x: Slot::Raw(reach.encode()),
                y,
                ..New::op(run)
            });
        }
        if acquire {
            self.fence();
        }
        Ok(true)
    }

    fn operation(&self, op: &str, ty: Type) -> Result<Exec> {
        macro_rules! update {
            ($t:ty, |$a:ident, $b:ident, $c:ident| $e:expr) => {
                update(|$a: $t, $b: $t, $c: $t, _| -> $t { $e })
            };
            ($t:ty, |$a:ident, $b:ident, $c:ident, $s:ident| $e:expr) => {
                update(|$a: $t, $b: $t, $c: $t, $s: bool| -> $t { $e })
            };
        }
        Ok(match (op, ty) {
            ("add", Type::U32 | Type::S32) => update!(u32, |a, b, _c| a.wrapping_add(b)),
            ("add", Type::U64 | Type::S64) => update!(u64, |a, b, _c| a.wrapping_add(b)),
            // Global memory flushes subnormals here, shared memory doesn't.
            ("add", Type::F32) => update!(u32, |a, b, _c, shared| {
                let (a, b) = (f32::from_bits(a), f32::from_bits(b));
                if shared {
                    quiet(a + b).to_bits()
                } else {
                    flush(quiet(flush(a) + flush(b))).to_bits()
                }
            }),
            // In global memory a NaN stays as it is, the operand's before that in memory; shared memory is added to by
            // an ordinary addition.
            ("add", Type::F64) => update!(u64, |a, b, _c, shared| {
                let (x, y) = (f64::from_bits(a), f64::from_bits(b));
                match (x.is_nan(), y.is_nan()) {
                    (_, true) if !shared => b,
                    (true, _) if !shared => a,
                    _ => result64(x + y, [x, y]).to_bits(),
                }
            }),
            ("add", Type::F16) => update!(u16, |a, b, _c| single_to_half(
                half_to_single(a) + half_to_single(b)
            )),
            ("add", Type::BF16) => update!(u16, |a, b, _c| single_to_brain(
                brain_to_single(a) + brain_to_single(b)
            )),
            ("add", Type::F16x2) => {
                update!(u32, |a, b, _c| halves(a, b, |a, b| single_to_half(
                    half_to_single(a) + half_to_single(b)
                )))
            }
            ("add", Type::BF16x2) => {
                update!(u32, |a, b, _c| halves(a, b, |a, b| single_to_brain(
                    brain_to_single(a) + brain_to_single(b)
                )))
            }
            ("min", Type::F16) => update!(u16, |a, b, _c| half_min_max(a, b, false)),
            ("max", Type::F16) => update!(u16, |a, b, _c| half_min_max(a, b, true)),
            ("min", Type::F16x2) => update!(u32, |a, b, _c| halves(a, b, |a, b| half_min_max(
                a, b, false
            ))),
            ("max", Type::F16x2) => update!(u32, |a, b, _c| halves(a, b, |a, b| half_min_max(
                a, b, true
            ))),
            ("min", Type::BF16x2) => update!(u32, |a, b, _c| halves(a, b, |a, b| brain_min_max(
                a, b, false
            ))),
            ("max", Type::BF16x2) => update!(u32, |a, b, _c| halves(a, b, |a, b| brain_min_max(
                a, b, true
            ))),
            ("min", Type::BF16) => update!(u16, |a, b, _c| brain_min_max(a, b, false)),
            ("max", Type::BF16) => update!(u16, |a, b, _c| brain_min_max(a, b, true)),
            ("min", Type::U32) => update!(u32, |a, b, _c| a.min(b)),
            ("max", Type::U32) => update!(u32, |a, b, _c| a.max(b)),
            ("min", Type::S32) => update!(u32, |a, b, _c| (a as i32).min(b as i32) as u32),
            ("max", Type::S32) => update!(u32, |a, b, _c| (a as i32).max(b as i32) as u32),
            ("min", Type::U64) => update!(u64, |a, b, _c| a.min(b)),
            ("max", Type::U64) => update!(u64, |a, b, _c| a.max(b)),
            ("min", Type::S64) => update!(u64, |a, b, _c| (a as i64).min(b as i64) as u64),
            ("max", Type::S64) => update!(u64, |a, b, _c| (a as i64).max(b as i64) as u64),
            ("inc", Type::U32) => update!(u32, |a, b, _c| if a >= b { 0 } else { a + 1 }),
            ("dec", Type::U32) => update!(u32, |a, b, _c| if a == 0 || a > b { b } else { a - 1 }),
            ("and", Type::B32 | Type::U32 | Type::S32) => update!(u32, |a, b, _c| a & b),
            ("or", Type::B32 | Type::U32 | Type::S32) => update!(u32, |a, b, _c| a | b),
            ("xor", Type::B32 | Type::U32 | Type::S32) => update!(u32, |a, b, _c| a ^ b),
            ("and", Type::B64 | Type::U64 | Type::S64) => update!(u64, |a, b, _c| a & b),
            ("or", Type::B64 | Type::U64 | Type::S64) => update!(u64, |a, b, _c| a | b),
            ("xor", Type::B64 | Type::U64 | Type::S64) => update!(u64, |a, b, _c| a ^ b),
            ("exch", ty) if ty.size() == 4 => update!(u32, |_a, b, _c| b),
            ("exch", ty) if ty.size() == 8 => update!(u64, |_a, b, _c| b),
            ("exch", ty) if ty.size() == 16 => update!(u128, |_a, b, _c| b),
            ("cas", ty) if ty.size() == 2 => update!(u16, |a, b, c| if a == b { c } else { a }),
            ("cas", ty) if ty.size() == 4 => update!(u32, |a, b, c| if a == b { c } else { a }),
            ("cas", ty) if ty.size() == 8 => update!(u64, |a, b, c| if a == b { c } else { a }),
            ("cas", ty) if ty.size() == 16 => update!(u128, |a, b, c| if a == b { c } else { a }),
            _ => return Err(self.syntax("no such atomic operation on this type")),
        })
    }
}

fn half_min_max(a: u16, b: u16, max: bool) -> u16 {
    single_to_half(min_max_f32(
        half_to_single(a),
        half_to_single(b),
        max,
        false,
    ))
}

fn brain_min_max(a: u16, b: u16, max: bool) -> u16 {
    single_to_brain(min_max_f32(
        brain_to_single(a),
        brain_to_single(b),
        max,
        false,
    ))
}
