//! Conversions of one lane, for every pair of types and every rounding mode.

use crate::number::soft::{self, BF16, F16, F32, F64, Format, Round, TF32, Value};
use crate::ptx::Type;

/// A conversion, packed into an instruction's immediate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convert {
    pub to: Type,
    pub from: Type,
    pub round: Round,
    /// Whether to round to an integral value.
    pub whole: bool,
    pub ftz: bool,
    pub sat: bool,
    /// Whether infinity becomes the largest number.
    pub finite: bool,
    pub relu: bool,
}

const TYPES: [Type; 13] = [
    Type::U8,
    Type::U16,
    Type::U32,
    Type::U64,
    Type::S8,
    Type::S16,
    Type::S32,
    Type::S64,
    Type::F16,
    Type::BF16,
    Type::F32,
    Type::F64,
    Type::TF32,
];

fn format(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::F16 => F16,
        Type::BF16 => BF16,
        Type::F32 => F32,
        Type::F64 => F64,
        Type::TF32 => TF32,
        _ => return None,
    })
}

impl Convert {
    /// Packs the conversion into an immediate.
    pub(crate) fn pack(self) -> u64 {
        let index = |ty| TYPES.iter().position(|&t| t == ty).unwrap_or(0) as u64;
        let flag = |b: bool, at: u32| u64::from(b) << at;
        index(self.to)
            | index(self.from) << 4
            | (self.round as u64) << 8
            | flag(self.whole, 12)
            | flag(self.ftz, 13)
            | flag(self.sat, 14)
            | flag(self.finite, 15)
            | flag(self.relu, 16)
    }

    /// Unpacks an immediate.
    pub(crate) fn unpack(imm: u64) -> Convert {
        let ty = |bits: u64| TYPES[(bits & 15) as usize % TYPES.len()];
        let flag = |at: u32| imm >> at & 1 != 0;
        Convert {
            to: ty(imm),
            from: ty(imm >> 4),
            round: Round::from_bits(imm >> 8),
            whole: flag(12),
            ftz: flag(13),
            sat: flag(14),
            finite: flag(15),
            relu: flag(16),
        }
    }

    /// Converts one lane.
    pub(crate) fn lane(a: u64, imm: u64) -> u64 {
        let c = Convert::unpack(imm);
        let size = c.from.size() * 8;
        let a = if size < 64 { a & ((1 << size) - 1) } else { a };
        match (format(c.from), format(c.to)) {
            (None, None) => c.integer(a),
            (None, Some(to)) => c.integer_to_float(a, to),
            (Some(from), None) => c.to_integer(a, from),
            (Some(from), Some(to)) => c.float(a, from, to),
        }
    }

    /// Returns the integer source as a number.
    fn number(self, a: u64) -> i128 {
        let unused = 64 - self.from.size() * 8;
        if self.from.signed() {
            i128::from(((a << unused) as i64) >> unused)
        } else {
            i128::from(a)
        }
    }

    fn limits(self) -> (i128, i128) {
        let bits = self.to.size() * 8;
        if self.to.signed() {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        }
    }

    /// Sign- or zero-extends an integer result to 64 bits.
    fn extend(self, value: i128) -> u64 {
        let unused = 64 - self.to.size() * 8;
        let bits = (value as u64) << unused;
        if self.to.signed() {
            ((bits as i64) >> unused) as u64
        } else {
            bits >> unused
        }
    }

    fn integer(self, a: u64) -> u64 {
        let mut value = self.number(a);
        if self.sat {
            let (low, high) = self.limits();
            value = value.clamp(low, high);
        }
        self.extend(value)
    }

    fn integer_to_float(self, a: u64, to: Format) -> u64 {
        let value = self.number(a);
        let bits = soft::pack(value < 0, 0, value.unsigned_abs(), false, to, self.round);
        self.finish(bits, to)
    }

    fn to_integer(self, a: u64, from: Format) -> u64 {
        let a = if self.ftz { from.flush(a) } else { a };
        let (low, high) = self.limits();
        let value = match soft::unpack(a, from) {
            Value::Nan if from == F64 || self.to.size() == 8 => {
                return self.extend(1 << (self.to.size() * 8 - 1));
            }
            Value::Nan | Value::Zero(_) => 0,
            Value::Infinite(negative) => {
                if negative {
                    low
                } else {
                    high
                }
            }
            Value::Finite {
                negative,
                exponent,
                mantissa,
            } => {
                let magnitude = whole(negative, exponent, mantissa, self.round);
                let value = if negative { -magnitude } else { magnitude };
                value.clamp(low, high)
            }
        };
        self.extend(value)
    }

    fn float(self, a: u64, from: Format, to: Format) -> u64 {
        let a = if self.ftz && from == F32 {
            from.flush(a)
        } else {
            a
        };
        let bits = if from.is_nan(a) {
            let nan = self.nan(a, from, to);
            if to == TF32 {
                return nan;
            }
            nan
        } else if self.whole {
            match soft::unpack(a, from) {
                Value::Finite {
                    negative,
                    exponent,
                    mantissa,
                } if exponent < 0 => {
                    let magnitude = whole(negative, exponent, mantissa, self.round);
                    soft::pack(
                        negative,
                        0,
                        magnitude.unsigned_abs(),
                        false,
                        to,
                        Round::Nearest,
                    )
                }
                _ => soft::convert(a, from, to, Round::Nearest),
            }
        } else if to == TF32 {
            let out = soft::convert(a, from, TF32, self.round) << 13;
            return if self.relu && out >> 31 != 0 { 0 } else { out };
        } else if self.finite {
            let out = soft::convert(a, from, to, self.round);
            let negative = to.negative(out);
            if out == to.infinity(negative) {
                out - 1
            } else {
                out
            }
        } else {
            soft::convert(a, from, to, self.round)
        };
        self.finish(bits, to)
    }

    /// Converts a NaN. Double precision keeps sign and payload, as far as they fit, and so does a
    /// mere copy of bits. All other conversions give the single NaN of their format.
    fn nan(self, a: u64, from: Format, to: Format) -> u64 {
        let copied = !self.whole && !self.ftz && !self.sat;
        let a = if self.ftz && from == F32 {
            F32.nan()
        } else {
            a
        };
        match (from, to) {
            (F32, TF32) if self.round == Round::Away => a & !0x1fff,
            (_, TF32) => 0x7fff_e000,
            (F64, F64) | (F32, F32) if copied => a,
            (BF16, F32) if copied => a << 16,
            (F64, _) | (_, F64) => {
                let payload = a & ((1 << from.fraction) - 1);
                let payload = if to.fraction > from.fraction {
                    payload << (to.fraction - from.fraction)
                } else {
                    payload >> (from.fraction - to.fraction)
                };
                to.infinity(from.negative(a)) | 1 << (to.fraction - 1) | payload
            }
            _ => to.nan(),
        }
    }

    fn finish(self, bits: u64, to: Format) -> u64 {
        let mut bits = bits;
        if self.ftz && to == F32 {
            bits = to.flush(bits);
        }
        if self.sat {
            let one = (to.infinity(false) >> (to.fraction + 1)) << to.fraction;
            bits = if to.is_nan(bits) || to.negative(bits) {
                0
            } else {
                bits.min(one)
            };
        }
        if self.relu && !to.is_nan(bits) && to.negative(bits) {
            bits = 0;
        }
        bits
    }
}

/// Returns the magnitude rounded to an integral value, at most 2^100.
fn whole(negative: bool, exponent: i32, mantissa: u128, round: Round) -> i128 {
    if exponent >= 0 {
        return if exponent > 64 {
            1 << 100
        } else {
            (mantissa << exponent) as i128
        };
    }
    let shift = -exponent;
    if shift > 120 {
        let up = match round {
            Round::Down => negative,
            Round::Up => !negative,
            _ => false,
        };
        return i128::from(up);
    }
    let (kept, rest, half) = (
        mantissa >> shift,
        mantissa & ((1 << shift) - 1),
        1u128 << (shift - 1),
    );
    let up = match round {
        Round::Nearest => rest > half || rest == half && kept & 1 == 1,
        Round::Away => rest >= half,
        Round::Zero => false,
        Round::Down => negative && rest != 0,
        Round::Up => !negative && rest != 0,
    };
    (kept + u128::from(up)) as i128
}

/// `cvt.pack`: two numbers saturated to `imm & 0xff` bits, above the lower bits of `c`.
pub(crate) fn pack_saturated(a: i32, b: i32, c: u32, imm: u64) -> u32 {
    let bits = (imm & 0xff) as u32;
    let signed = imm >> 8 & 1 != 0;
    let one = |x: i32| {
        let (low, high) = if signed {
            (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
        } else {
            (0, (1i64 << bits) - 1)
        };
        i64::from(x).clamp(low, high) as u32 & ((1 << bits) - 1)
    };
    let pair = one(a) << bits | one(b);
    if bits == 16 {
        pair
    } else {
        c << (2 * bits) | pair
    }
}

/// Converts to an 8-bit float, saturating to the largest number. Bit 0 of `imm` selects e5m2, bit 1
/// relu.
pub(crate) fn to_eight(a: u64, from: Format, imm: u64) -> u8 {
    let e5m2 = imm & 1 != 0;
    let (negative, nan) = (from.negative(a), from.is_nan(a));
    if nan {
        return 0x7f;
    }
    if imm & 2 != 0 && negative {
        return 0;
    }
    let sign = u8::from(negative) << 7;
    if e5m2 {
        let out = soft::convert(
            a,
            from,
            Format {
                exponent: 5,
                fraction: 2,
            },
            Round::Nearest,
        ) as u8;
        return if out & 0x7f >= 0x7c { sign | 0x7b } else { out };
    }
    // e4m3 has no infinity. The format with one more exponent bit rounds alike, and values above
    // its range saturate.
    match soft::unpack(a, from) {
        Value::Finite {
            exponent, mantissa, ..
        } => {
            let magnitude = mantissa as f64 * 2f64.powi(exponent);
            if magnitude >= 464.0 {
                return sign | 0x7e;
            }
            // Steps of 2^-9 below 2^-6, otherwise three bits after the leading one.
            let power = (magnitude.log2().floor() as i32).max(-6);
            let step = 2f64.powi(power - 3);
            let count = (magnitude / step).round_ties_even();
            let value = count * step;
            if value >= 464.0 {
                return sign | 0x7e;
            }
            let units = (value * 512.0) as u32;
            if units < 8 {
                return sign | units as u8;
            }
            let top = 31 - units.leading_zeros();
            let biased = top - 2;
            let fraction = (units >> (top - 3)) & 7;
            (sign | ((biased << 3) as u8) | fraction as u8).min(sign | 0x7e)
        }
        Value::Infinite(_) => sign | 0x7e,
        _ => sign,
    }
}

/// Converts an 8-bit float to a half, with `imm` as in [`to_eight`].
pub(crate) fn from_eight(a: u8, imm: u64) -> u16 {
    let out = if imm & 1 != 0 {
        let bits = u16::from(a) << 8;
        if a & 0x7f > 0x7c { 0x7fff } else { bits }
    } else if a & 0x7f == 0x7f {
        0x7fff
    } else {
        let (exponent, fraction) = (u32::from(a >> 3 & 15), f32::from(a & 7));
        let value = if exponent == 0 {
            fraction / 512.0
        } else {
            (1.0 + fraction / 8.0) * 2f32.powi(exponent as i32 - 7)
        };
        crate::number::math::single_to_half(if a & 0x80 != 0 { -value } else { value })
    };
    if imm & 2 != 0 && out & 0x8000 != 0 && out & 0x7fff <= 0x7c00 {
        0
    } else {
        out
    }
}
