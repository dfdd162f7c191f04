//! Arithmetic of one lane that differs from the host's: NaNs, flushing, saturation, minimum and
//! maximum, half precision.

use crate::number::soft::{self, Round};

/// The result NaN of every f32 operation.
pub(crate) const NAN32: u32 = 0x7fff_ffff;

/// Replaces any NaN with the one that the GPU returns.
///
/// Works on the bits. The compiler treats the bits of a float NaN as arbitrary, so it would remove
/// a replacement of one NaN with another.
#[inline(always)]
pub(crate) fn quiet(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN32
    } else {
        bits
    })
}

/// Flushes a subnormal number to a zero of the same sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    })
}

/// Returns `a * b + c` with subnormal results flushed. The operands must be flushed.
///
/// A result is subnormal if it is below the smallest normal number when rounded to 24 bits with an
/// unbounded exponent. This includes results that the coarser rounding of subnormal numbers would
/// turn into the smallest normal number.
#[inline(always)]
pub(crate) fn sum_flushed(a: f32, b: f32, c: f32) -> f32 {
    // Computes the sum again, scaled up so that it is rounded to 24 bits. If the sum is subnormal
    // and not zero, this cannot overflow: if `c` or the product were large, the sum would be, too.
    const UP: f32 = 16_777_216.0;
    let sum = a.mul_add(b, c);
    let (x, y) = if a.abs() < 1.0 {
        (a * UP, b)
    } else {
        (a, b * UP)
    };
    if x.mul_add(y, c * UP).abs() < f32::MIN_POSITIVE * UP {
        0.0f32.copysign(sum)
    } else {
        sum
    }
}

/// Returns `a * b` with subnormal results flushed, including those that rounding would turn into
/// the smallest normal number.
#[inline(always)]
pub(crate) fn product_flushed(a: f32, b: f32) -> f32 {
    // The smallest value that rounds to 2^-126 with 24 bits: 2^-126 - 2^-151.
    const LEAST: f64 = f64::from_bits(0x380f_ffff_f000_0000);
    // The double holds the exact product.
    let product = f64::from(a) * f64::from(b);
    if product.abs() < LEAST {
        0.0f32.copysign(product as f32)
    } else {
        product as f32
    }
}

/// Returns `a / b` with subnormal results flushed, including those that rounding would turn into
/// the smallest normal number. The operands must be flushed.
#[inline(always)]
pub(crate) fn quotient_flushed(a: f32, b: f32) -> f32 {
    // A smaller quotient that rounds up to the smallest normal number has a significand of 24 set
    // bits. It occurs only if the divisor is a power of two.
    const FRACTION: u32 = 0x007f_ffff;
    let quotient = a / b;
    let lifted = (quotient.abs() == f32::MIN_POSITIVE)
        & (a.to_bits() & FRACTION == FRACTION)
        & (b.to_bits() & FRACTION == 0);
    if lifted {
        0.0f32.copysign(quotient)
    } else {
        flush(quotient)
    }
}

/// Returns the NaN of a double-precision operation with these operands: the first NaN among them,
/// made quiet, or the default NaN if there is none.
#[inline(always)]
pub(crate) fn nan64<const N: usize>(operands: [f64; N]) -> f64 {
    let mut nan = soft::F64.nan();
    for x in operands.into_iter().rev() {
        if x.is_nan() {
            nan = x.to_bits() | 1 << 51;
        }
    }
    f64::from_bits(nan)
}

/// Returns `x`, or the NaN for these operands if `x` is a NaN. List the operands in order of
/// precedence.
#[inline(always)]
pub(crate) fn result64<const N: usize>(x: f64, operands: [f64; N]) -> f64 {
    let nan = nan64(operands).to_bits();
    f64::from_bits(if x.is_nan() { nan } else { x.to_bits() })
}

/// Clamps to 0..1. NaN and −0 become +0.
#[inline(always)]
pub(crate) fn saturate(x: f32) -> f32 {
    if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// Returns the minimum or maximum of floats. −0 is less than +0. A NaN is ignored unless `nan` is
/// set. There are no branches, so that the compiler vectorizes the loop over the lanes.
#[inline(always)]
pub(crate) fn min_max_f32(a: f32, b: f32, max: bool, nan: bool) -> f32 {
    let is_nan = |x: f32| x.to_bits() & 0x7fff_ffff > 0x7f80_0000;
    let (a_nan, b_nan) = (is_nan(a), is_nan(b));
    let pick_a = b_nan | (((order32(a) < order32(b)) != max) & !a_nan);
    let picked = if pick_a { a.to_bits() } else { b.to_bits() };
    let no_number = if nan { a_nan | b_nan } else { a_nan & b_nan };
    f32::from_bits(if no_number { NAN32 } else { picked })
}

#[inline(always)]
fn order32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// The same as [`min_max_f32`] without the `nan` option.
#[inline(always)]
pub(crate) fn min_max_f64(a: f64, b: f64, max: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return match (a.is_nan(), b.is_nan()) {
            (true, true) => nan64([b]),
            (true, false) => b,
            _ => a,
        };
    }
    let order = |x: f64| {
        let bits = x.to_bits() as i64;
        bits ^ ((bits >> 63) as u64 >> 1) as i64
    };
    let first = order(a) < order(b);
    if first != max { a } else { b }
}

/// Returns `a / b` as `div.approx` does. For finite divisors above 2^126 in magnitude, the result
/// is zero, or a NaN if `a` is infinite or a NaN.
#[inline(always)]
pub(crate) fn div_approx(a: f32, b: f32) -> f32 {
    if b.abs() > f32::from_bits(0x7e80_0000) && b.is_finite() {
        return if a.is_infinite() || a.is_nan() {
            f32::from_bits(NAN32)
        } else {
            0.0f32.copysign(a) * b.signum()
        };
    }
    quiet(a / b)
}

/// Converts a half to a single.
#[inline(always)]
pub(crate) fn half_to_single(h: u16) -> f32 {
    let sign = u32::from(h & 0x8000) << 16;
    let magnitude = u32::from(h & 0x7fff);
    // Move exponent and fraction to their positions, then scale by 2^112 to correct the bias. Exact
    // for subnormals, too.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let bits = if magnitude >= 0x7c00 {
        magnitude << 13 | 0x7f80_0000
    } else {
        scaled.to_bits()
    };
    f32::from_bits(bits | sign)
}

/// Converts a single to a half, rounding to nearest even.
#[inline(always)]
pub(crate) fn single_to_half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    let out = if magnitude > 0x7f80_0000 {
        return 0x7fff;
    } else if magnitude >= 0x477f_f000 {
        0x7c00
    } else if magnitude < 0x3880_0000 {
        // Subnormal: adding 0.5 rounds the result and shifts it into the low bits of the sum.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
    } else {
        (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x3800_0000) >> 13
    };
    sign | out as u16
}

/// Converts a bfloat16 to a single.
#[inline(always)]
pub(crate) fn brain_to_single(b: u16) -> f32 {
    f32::from_bits(u32::from(b) << 16)
}

/// Converts a single to a bfloat16, rounding to nearest even.
#[inline(always)]
pub(crate) fn single_to_brain(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        0x7fff
    } else {
        ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
    }
}

/// Returns the sum as a double rounded to odd. Rounding it again to a shorter format is then
/// correct.
#[inline(always)]
fn odd_sum(p: f64, c: f64) -> f64 {
    let s = p + c;
    if !s.is_finite() {
        return s;
    }
    let t = s - p;
    let error = (p - (s - t)) + (c - t);
    if error == 0.0 || s.to_bits() & 1 == 1 {
        return s;
    }
    // `s` is even, so its neighbors are odd. The exact value lies between `s` and the neighbor on
    // the side of the error. Return that neighbor.
    let away = (error > 0.0) == (s > 0.0);
    f64::from_bits(if away {
        s.to_bits() | 1
    } else {
        s.to_bits() - 1
    })
}

/// Computes a fused multiply-add of halves, rounding to nearest even.
#[inline(always)]
pub(crate) fn fma_half(a: u16, b: u16, c: u16) -> u16 {
    let p = f64::from(half_to_single(a)) * f64::from(half_to_single(b));
    double_to_half(odd_sum(p, f64::from(half_to_single(c))))
}

/// Computes a fused multiply-add of bfloat16 numbers, rounding to nearest even.
#[inline(always)]
pub(crate) fn fma_brain(a: u16, b: u16, c: u16) -> u16 {
    let p = f64::from(brain_to_single(a)) * f64::from(brain_to_single(b));
    soft::convert(
        odd_sum(p, f64::from(brain_to_single(c))).to_bits(),
        soft::F64,
        soft::BF16,
        Round::Nearest,
    ) as u16
}

/// Converts a double to a half through a single that is rounded to odd. Its odd last bit records
/// that nonzero bits were dropped, so the second rounding is correct.
#[inline(always)]
fn double_to_half(x: f64) -> u16 {
    let s = x as f32;
    let back = f64::from(s);
    if back == x || !s.is_finite() || x.is_nan() || s.to_bits() & 1 == 1 {
        return single_to_half(s);
    }
    let away = (x > back) == (s > 0.0);
    if s == 0.0 {
        return if x.is_sign_negative() { 0x8000 } else { 0 };
    }
    single_to_half(f32::from_bits(if away {
        s.to_bits() | 1
    } else {
        s.to_bits() - 1
    }))
}

/// `1 / sqrt(x)`
pub(crate) fn rsqrt(x: f32) -> f32 {
    if x == 0.0 {
        f32::INFINITY.copysign(x)
    } else {
        quiet((1.0 / f64::from(x).sqrt()) as f32)
    }
}
