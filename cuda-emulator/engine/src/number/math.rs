//! One lane's arithmetic where it differs from the host's: NaNs, flushing, saturation, minimum and maximum, half
//! precision.

use crate::number::soft::{self, Round};

/// The NaN of every f32 operation.
pub(crate) const NAN32: u32 = 0x7fff_ffff;

/// Makes any NaN the one that the GPU gives.
///
/// Done on the bits: the compiler takes the bits of a NaN for arbitrary and would drop the same choice among floats.
#[inline(always)]
pub(crate) fn quiet(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN32
    } else {
        bits
    })
}

/// Flushes a subnormal to a zero of its sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    })
}

/// `a * b + c` with subnormal results flushed: those that are subnormal when rounded as if exponents had no end, although
/// rounding to a subnormal's coarser steps lifts some of them to the smallest normal number. The operands are flushed.
#[inline(always)]
pub(crate) fn sum_flushed(a: f32, b: f32, c: f32) -> f32 {
    // The same sum among larger numbers, where steps are fine. If the sum is subnormal, nothing here overflows: `c` and
    // the product can only be large if their difference is.
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

/// `a * b` with subnormal results flushed, also those that rounding would lift to the smallest normal number.
#[inline(always)]
pub(crate) fn product_flushed(a: f32, b: f32) -> f32 {
    // The smallest that rounds to 2^-126 with 24 bits: 2^-126 - 2^-151.
    const LEAST: f64 = f64::from_bits(0x380f_ffff_f000_0000);
    // The double holds the product whole.
    let product = f64::from(a) * f64::from(b);
    if product.abs() < LEAST {
        0.0f32.copysign(product as f32)
    } else {
        product as f32
    }
}

/// `a / b` with subnormal results flushed, also those that rounding would lift to the smallest normal number. The operands
/// are flushed.
#[inline(always)]
pub(crate) fn quotient_flushed(a: f32, b: f32) -> f32 {
    // To be closer to the smallest normal number than to the subnormal below, a quotient must have 24 bits that are all
    // set. Only a power of two as divisor gives that.
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

/// The NaN that an operation in double precision gives for these operands: of those that are NaNs the first, made quiet;
/// the default NaN where there is none.
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

/// `x`, or the NaN for these operands, which lie in the order of their precedence.
#[inline(always)]
pub(crate) fn result64<const N: usize>(x: f64, operands: [f64; N]) -> f64 {
    let nan = nan64(operands).to_bits();
    f64::from_bits(if x.is_nan() { nan } else { x.to_bits() })
}

/// Clamps to 0 to 1; NaN and −0 become +0.
#[inline(always)]
pub(crate) fn saturate(x: f32) -> f32 {
    if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// Minimum or maximum of floats: −0 is less than +0; a NaN loses unless it is asked to win. Without branches, so that
/// the loop over the lanes becomes vector code.
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

/// As [`min_max_f32`], without the choice.
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

/// `a / b` as `div.approx` gives it: a product with the reciprocal, zero for divisors above 2^126.
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

/// Half to single.
#[inline(always)]
pub(crate) fn half_to_single(h: u16) -> f32 {
    let sign = u32::from(h & 0x8000) << 16;
    let magnitude = u32::from(h & 0x7fff);
    // Move exponent and fraction to their places, then scale by 2^112 to correct the bias; exact for subnormals too.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let bits = if magnitude >= 0x7c00 {
        magnitude << 13 | 0x7f80_0000
    } else {
        scaled.to_bits()
    };
    f32::from_bits(bits | sign)
}

/// Single to half, to nearest even.
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
        // Subnormal: adding 0.5 leaves the result's bits at the bottom, rounded by the addition.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
    } else {
        (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x3800_0000) >> 13
    };
    sign | out as u16
}

/// Brain float to single.
#[inline(always)]
pub(crate) fn brain_to_single(b: u16) -> f32 {
    f32::from_bits(u32::from(b) << 16)
}

/// Single to brain float, to nearest even.
#[inline(always)]
pub(crate) fn single_to_brain(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        0x7fff
    } else {
        ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
    }
}

/// Double to single, to odd: rounding it again to a shorter format can't go wrong.
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
    // The true value lies beside s, on the side of the error: step there if that is towards zero, else to the odd
    // neighbour away from it.
    let away = (error > 0.0) == (s > 0.0);
    f64::from_bits(if away {
        s.to_bits() | 1
    } else {
        s.to_bits() - 1
    })
}

/// Fused multiply-add of halves, to nearest even.
#[inline(always)]
pub(crate) fn fma_half(a: u16, b: u16, c: u16) -> u16 {
    let p = f64::from(half_to_single(a)) * f64::from(half_to_single(b));
    double_to_half(odd_sum(p, f64::from(half_to_single(c))))
}

/// Fused multiply-add of brain floats, to nearest even.
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

/// Double to half through an odd single: the double holds no more than an odd last bit matters for.
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
