//! Independent reference results of some instructions, computed in plain Rust.

use crate::form::Form;

use super::program::canonical_nan;
use super::{carry, lanes, memory, product};

/// Returns the results of a form for one case, if this file supports the instruction.
#[must_use]
pub fn reference(form: &Form, operands: &[u64]) -> Option<Vec<u64>> {
    let (kind, rest) = form.name.split_once(' ').unwrap_or_default();
    match kind {
        "carries" => return carry::reference(rest, operands),
        "vectors" => return memory::reference(rest, operands),
        _ => {}
    }
    let (name, rest) = form.name.split_once('.').unwrap_or((&form.name, ""));
    let mut value = match rest {
        "pred" => truth(name, operands)?,
        "u16" | "u32" | "u64" | "b16" | "b32" | "b64" | "s16" | "s32" | "s64" => {
            integer(name, "", rest, operands)?
        }
        "rn.f32" | "rn.f64" => float(name, rest, operands)?,
        _ => special(&form.name, name, rest, operands)?,
    };
    if canonical_nan(form) && f64::from_bits(value).is_nan() {
        value = 0x7ff8_0000_0000_0000;
    }
    (form.results.len() == 1).then(|| vec![form.results[0].cut(value)])
}

/// Returns the results of a form for each lane of a warp, if this file supports the instruction.
#[must_use]
pub fn warp_reference(form: &Form, lanes: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
    let (kind, rest) = form.name.split_once(' ').unwrap_or_default();
    match kind {
        "lanes" => lanes::reference(rest, lanes),
        _ => product::reference(&form.name, lanes),
    }
}

fn truth(name: &str, a: &[u64]) -> Option<u64> {
    Some(match name {
        "and" => a[0] & a[1],
        "or" => a[0] | a[1],
        "xor" => a[0] ^ a[1],
        "not" => 1 - a[0],
        "mov" => a[0],
        _ => return None,
    })
}

/// `name.part.type` on operands of `type`.
fn integer(name: &str, part: &str, ty: &str, operands: &[u64]) -> Option<u64> {
    let bits: u32 = ty[1..].parse().ok()?;
    let signed = ty.starts_with('s');
    // As numbers, with more bits than any result needs.
    let number = |i: usize| -> Option<i128> {
        let shift = 128 - bits;
        let value = u128::from(*operands.get(i)?) << shift;
        Some(if signed {
            value as i128 >> shift
        } else {
            (value >> shift) as i128
        })
    };
    let count = || Some(u128::from(*operands.get(1)? as u32));
    let a = number(0)?;
    let wide = |high: bool| -> Option<i128> {
        let product = a * number(1)?;
        Some(if high { product >> bits } else { product })
    };
    let ones = u64::MAX >> (64 - bits);
    let raw = operands[0] & ones;
    Some(match (name, part) {
        ("add", "") => a + number(1)?,
        ("sub", "") => a - number(1)?,
        ("min", "") => a.min(number(1)?),
        ("max", "") => a.max(number(1)?),
        ("abs", "") => a.abs(),
        ("neg", "") => -a,
        ("sad", "") => (a - number(1)?).abs() + number(2)?,
        // Products of two u64 overflow 127 bits.
        ("mul", _) if bits == 64 && !signed => {
            let product = u128::from(operands[0]) * u128::from(operands[1]);
            return match part {
                "lo" => Some(product as u64),
                "hi" => Some((product >> 64) as u64),
                _ => None,
            };
        }
        ("mad", _) if bits == 64 && !signed => return None,
        ("mul", "lo" | "wide") => wide(false)?,
        ("mul", "hi") => wide(true)?,
        ("mad", "lo") => wide(false)? + number(2)?,
        ("mad", "hi") => wide(true)? + number(2)?,
        ("and", "") => a & number(1)?,
        ("or", "") => a | number(1)?,
        ("xor", "") => a ^ number(1)?,
        ("not", "") => !a,
        ("cnot", "") => i128::from(a == 0),
        ("mov", "") => a,
        ("popc", "") => i128::from(raw.count_ones()),
        ("clz", "") => i128::from(raw.leading_zeros() + bits - 64),
        ("brev", "") => i128::from(raw.reverse_bits() >> (64 - bits)),
        ("shl", "") if count()? >= u128::from(bits) => 0,
        ("shl", "") => a << count()?,
        ("shr", "") => a >> count()?.min(127),
        ("selp", "") => number(if operands[2] & 1 == 1 { 0 } else { 1 })?,
        ("bfe", "") => {
            // 32-bit fields use the lower eight bits of position and length, as PTX specifies.
            // 64-bit fields use all bits on a GPU, as the recorded results show.
            let field = |value: u64| {
                if bits == 32 {
                    value & 0xff
                } else {
                    value.min(0xff)
                }
            };
            let (position, length) = (field(operands[1]), field(operands[2]));
            let top = u64::from(bits) - 1;
            let fill = signed && length > 0 && raw >> (position + length - 1).min(top) & 1 == 1;
            (0..u64::from(bits)).fold(0, |sum, i| {
                let inside = i < length && position + i <= top;
                let bit = if inside {
                    raw >> (position + i) & 1 == 1
                } else {
                    fill
                };
                sum | i128::from(bit) << i
            })
        }
        _ => return None,
    } as u64)
}

fn float(name: &str, rest: &str, a: &[u64]) -> Option<u64> {
    if rest == "rn.f64" {
        let x = |i: usize| a.get(i).map(|&bits| f64::from_bits(bits));
        let value = match name {
            "add" => x(0)? + x(1)?,
            "sub" => x(0)? - x(1)?,
            "mul" => x(0)? * x(1)?,
            "div" => x(0)? / x(1)?,
            "fma" | "mad" => x(0)?.mul_add(x(1)?, x(2)?),
            "sqrt" if !x(0)?.is_nan() && x(0)? >= 0.0 => x(0)?.sqrt(),
            _ => return None,
        };
        return Some(value.to_bits());
    }
    let x = |i: usize| a.get(i).map(|&bits| f32::from_bits(bits as u32));
    let value = match name {
        "add" => x(0)? + x(1)?,
        "sub" => x(0)? - x(1)?,
        "mul" => x(0)? * x(1)?,
        "div" => x(0)? / x(1)?,
        "fma" | "mad" => x(0)?.mul_add(x(1)?, x(2)?),
        "sqrt" => x(0)?.sqrt(),
        "rcp" => 1.0 / x(0)?,
        _ => return None,
    };
    Some(u64::from(if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    }))
}

fn special(form: &str, name: &str, rest: &str, a: &[u64]) -> Option<u64> {
    if let Some((part @ ("lo" | "hi" | "wide"), ty)) = rest.split_once('.') {
        // The third operand of mad.wide is wider than the others.
        return (ty.len() <= 3 && (name, part) != ("mad", "wide"))
            .then(|| integer(name, part, ty, a))?;
    }
    if name == "setp"
        && let Some((op, ty)) = rest.split_once('.')
        && !rest.contains(' ')
    {
        return comparison(op, ty, a);
    }
    if name == "lop3" {
        let table = u32::from_str_radix(form.strip_prefix("lop3.b32 0x")?, 16).ok()?;
        return Some((0..32).fold(0, |sum, i| {
            let index = (a[0] >> i & 1) << 2 | (a[1] >> i & 1) << 1 | (a[2] >> i & 1);
            sum | u64::from(table >> index & 1) << i
        }));
    }
    if form == "prmt.b32" {
        let bytes = u128::from(a[0]) | u128::from(a[1]) << 32;
        return Some((0..4).fold(0, |sum, i| {
            let selector = a[2] >> (4 * i) & 15;
            let byte = (bytes >> (8 * (selector & 7))) as u64 & 0xff;
            let sign = if byte & 0x80 != 0 { 0xff } else { 0 };
            sum | (if selector & 8 != 0 { sign } else { byte }) << (8 * i)
        }));
    }
    if name == "cvt" {
        return conversion(rest, a[0]);
    }
    None
}

fn comparison(op: &str, ty: &str, a: &[u64]) -> Option<u64> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match ty {
        "f32" => f32::from_bits(a[0] as u32).partial_cmp(&f32::from_bits(a[1] as u32)),
        "f64" => f64::from_bits(a[0]).partial_cmp(&f64::from_bits(a[1])),
        "s16" => Some((a[0] as i16).cmp(&(a[1] as i16))),
        "s32" => Some((a[0] as i32).cmp(&(a[1] as i32))),
        "s64" => Some((a[0] as i64).cmp(&(a[1] as i64))),
        "u16" | "b16" | "u32" | "b32" | "u64" | "b64" => Some(a[0].cmp(&a[1])),
        _ => return None,
    };
    Some(u64::from(match op {
        "eq" => order == Some(Equal),
        "ne" => order.is_some_and(|o| o != Equal),
        "lt" | "lo" => order == Some(Less),
        "le" | "ls" => order.is_some_and(|o| o != Greater),
        "gt" | "hi" => order == Some(Greater),
        "ge" | "hs" => order.is_some_and(|o| o != Less),
        "equ" => order.is_none_or(|o| o == Equal),
        "neu" => order != Some(Equal),
        "ltu" => order.is_none_or(|o| o == Less),
        "leu" => order != Some(Greater),
        "gtu" => order.is_none_or(|o| o == Greater),
        "geu" => order != Some(Less),
        "num" => order.is_some(),
        "nan" => order.is_none(),
        _ => return None,
    }))
}

/// `to.from` and `rzi.to.from` between integers and to integers, and exact and nearest conversions
/// between floats.
fn conversion(rest: &str, a: u64) -> Option<u64> {
    let single = f32::from_bits(a as u32);
    let value = match rest {
        "f64.f32" if !single.is_nan() => f64::from(single).to_bits(),
        "rn.f32.f64" if !f64::from_bits(a).is_nan() => {
            u64::from((f64::from_bits(a) as f32).to_bits())
        }
        "rzi.s32.f32" => single as i32 as u64,
        "rzi.u32.f32" => u64::from(single as u32),
        "rn.f32.s32" => u64::from((a as i32 as f32).to_bits()),
        "rn.f32.u32" => u64::from((a as u32 as f32).to_bits()),
        "rn.f32.u64" => u64::from((a as f32).to_bits()),
        "rn.f64.s64" => (a as i64 as f64).to_bits(),
        "rn.f64.s32" => f64::from(a as i32).to_bits(),
        _ => {
            let (to, from) = rest.split_once('.')?;
            let widened = match from {
                "u8" => u64::from(a as u8),
                "s8" => a as i8 as u64,
                "u16" => u64::from(a as u16),
                "s16" => a as i16 as u64,
                "u32" => u64::from(a as u32),
                "s32" => a as i32 as u64,
                "u64" | "s64" => a,
                _ => return None,
            };
            match to {
                "u8" => u64::from(widened as u8),
                "s8" => widened as i8 as u64,
                "u16" => u64::from(widened as u16),
                "s16" => widened as i16 as u64,
                "u32" | "s32" | "u64" | "s64" => widened,
                _ => return None,
            }
        }
    };
    Some(value)
}
