//! Filter weights, and weighted sums of texels, as on an H200.
//!
//! A weight has 8 fraction bits, even if it is a product. The rounding of each product is
//! compensated by its neighbor, so that all weights add up to 256.

use super::channel::Channel;

/// Returns the weights of the eight corners between two texels along each axis, given the second
/// texel's weights. The first axis is the lowest bit of a corner's index. The weights add up to
/// `whole`, which is 256 unless there are two levels.
pub(crate) fn weights(whole: u32, [a, b, c]: [u32; 3]) -> [u32; 8] {
    let half_up = |product: u32| (product + 128) >> 8;
    let mut out = [0; 8];
    let back = half_up(whole * c);
    for (slice, whole) in [whole - back, back].into_iter().enumerate() {
        let right = half_up(whole * a);
        let left = whole - right;
        // Rounded towards the outer corner on both sides.
        let left_upper = half_up(left * (256 - b));
        let right_lower = half_up(right * b);
        out[4 * slice..][..4].copy_from_slice(&[
            left_upper,
            right - right_lower,
            left - left_upper,
            right_lower,
        ]);
    }
    out
}

/// Distributes the weight of one of the first four corners to the other three.
pub(crate) fn share(weights: &mut [u32; 8], missing: usize) {
    let third = (weights[missing] + 1) / 3;
    let rest = weights[missing] - 2 * third;
    weights[missing] = 0;
    // The remainder goes to the opposite corner, which contains the position.
    for (corner, weight) in weights.iter_mut().enumerate().take(4) {
        if corner == missing ^ 3 {
            *weight += rest;
        } else if corner != missing {
            *weight += third;
        }
    }
}

/// A texel's channel as used in filters: fixed point, or the bits of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part(pub i64);

/// Fraction bits after the 16 bits to which numbers in 0..1 are widened.
const EXTRA: u32 = 3;

/// Converts a channel's bits for filtering.
pub(crate) fn part(channel: Channel, bits: u32) -> Part {
    Part(match channel {
        Channel::Unorm8 => (i64::from(bits & 0xff) * 257) << EXTRA,
        Channel::Unorm16 => i64::from(bits & 0xffff) << EXTRA,
        Channel::Snorm8 => {
            let eighths = i64::from(bits as i8) << EXTRA;
            eighths * 258 + (eighths >> 7)
        }
        Channel::Snorm16 => i64::from(bits as i16) << EXTRA,
        Channel::S8 | Channel::S16 | Channel::S32 => i64::from(channel.read(bits) as i32),
        _ => channel.read(bits).into(),
    })
}

/// Returns the weighted sum of linearized sRGB bytes, with weights in 256ths.
pub(crate) fn srgb_sum(parts: &[(Part, u32)]) -> u32 {
    floating(parts, &SRGB, |_| true)
}

/// Returns the weighted sum of parts as a register holds it, with weights in 256ths. For infinities
/// and NaNs, the weight before rounding matters: `touched` returns whether that was above 0 for a
/// part.
pub(crate) fn sum(channel: Channel, parts: &[(Part, u32)], touched: impl Fn(usize) -> bool) -> u32 {
    let fixed = |extra: u32| {
        let shift = 8 + extra;
        (fixed_total(parts) + (1 << (shift - 1))) >> shift
    };
    match channel {
        Channel::Unorm8 | Channel::Unorm16 => (fixed(EXTRA) as f32 / 65535.0).to_bits(),
        Channel::Snorm8 | Channel::Snorm16 => (fixed(EXTRA).max(-32767) as f32 / 32767.0).to_bits(),
        Channel::F16 => floating(parts, &HALF, touched),
        Channel::F32 => floating(parts, &SINGLE, touched),
        // Wide integers are truncated.
        Channel::U32 | Channel::S32 => ((fixed_total(parts)) >> 8) as u32,
        _ => fixed(0) as u32,
    }
}

fn fixed_total(parts: &[(Part, u32)]) -> i64 {
    parts.iter().map(|(part, w)| part.0 * i64::from(*w)).sum()
}

/// The summation of a float format.
struct Precision {
    /// Bits that are kept below the largest exponent.
    aligned: i32,
    /// The same for the sum of two planes of texels.
    together: i32,
    /// Bits of the result, and the exponent of its lowest possible last bit, where 0 is single
    /// precision.
    bits: i32,
    last: i32,
    /// Smaller exponents are treated as this one.
    least: i32,
    /// From this mantissa on, the largest number counts as the next power of two.
    carry: i64,
    /// The NaN of the format.
    nan: u32,
}

const SINGLE: Precision = Precision {
    aligned: 27,
    together: 38,
    bits: 24,
    last: -200,
    least: -126,
    carry: i64::MAX,
    nan: 0x7fff_ffff,
};
const HALF: Precision = Precision {
    aligned: 14,
    together: 24,
    bits: 11,
    last: -24,
    least: -14,
    carry: i64::MAX,
    nan: 0x7fff_e000,
};
/// Halves with fewer kept bits.
const SRGB: Precision = Precision {
    aligned: 7,
    carry: 0xf0_0000,
    ..HALF
};

/// A sum as `total * 2^unit`, and the largest exponent among its texels.
#[derive(Clone, Copy)]
struct Sum {
    total: i128,
    unit: i32,
    largest: i32,
}

/// Returns the exponent and mantissa of a finite float. None for zeros and subnormals, which are
/// ignored.
fn unpacked(bits: u32) -> Option<(i32, i64)> {
    let exponent = (bits >> 23 & 0xff) as i32;
    if exponent == 0 || exponent == 255 {
        return None;
    }
    let mantissa = i64::from(bits & 0x7f_ffff | 0x80_0000);
    let signed = if bits >> 31 == 0 { mantissa } else { -mantissa };
    Some((exponent - 127, signed))
}

/// Sums four texels: aligned to the largest exponent, truncated, multiplied, and added without
/// rounding.
fn four(parts: &[(Part, u32)], precision: &Precision) -> Option<Sum> {
    let counting = || {
        let weighed = parts.iter().filter(|(_, weight)| *weight != 0);
        weighed.filter_map(|(part, weight)| Some((unpacked(part.0 as u32)?, *weight)))
    };
    let largest = counting().map(|((exponent, mantissa), _)| {
        let carried = i32::from(mantissa.abs() >= precision.carry);
        exponent.max(precision.least) + carried
    });
    let largest = largest.max()?;
    let total = counting().map(|((exponent, mantissa), weight)| {
        let shift = precision.aligned - 23 - (largest - exponent);
        let aligned = match shift {
            0.. => mantissa << shift,
            -40..0 => mantissa.signum() * (mantissa.abs() >> -shift),
            _ => 0,
        };
        i128::from(aligned * i64::from(weight))
    });
    Some(Sum {
        total: total.sum(),
        unit: largest - precision.aligned - 8,
        largest,
    })
}

/// Converts to a smaller or larger unit, truncating towards minus infinity.
fn in_unit(sum: Sum, unit: i32) -> i128 {
    match unit - sum.unit {
        shift @ ..=0 => sum.total << (-shift).min(64),
        shift => sum.total >> shift.min(126),
    }
}

/// Rounds to the nearest float, ties away from zero. Values that are too small become zero.
fn rounded(total: i128, unit: i32, precision: &Precision) -> f32 {
    let magnitude = total.unsigned_abs();
    if magnitude == 0 {
        return 0.0;
    }
    let length = 128 - magnitude.leading_zeros() as i32;
    let (mut mantissa, mut unit) = (magnitude, unit);
    let shift = (length - precision.bits).max(precision.last - unit);
    if shift > 0 {
        mantissa = (magnitude + (1 << (shift - 1))) >> shift;
        unit += shift;
    }
    let exponent = 128 - mantissa.leading_zeros() as i32 + unit - 1;
    let value = match exponent {
        ..-126 => 0.0,
        128.. => f64::INFINITY,
        _ => mantissa as f64 * f64::from(unit).exp2(),
    } as f32;
    if total < 0 { -value } else { value }
}

fn floating(parts: &[(Part, u32)], precision: &Precision, touched: impl Fn(usize) -> bool) -> u32 {
    let values = || parts.iter().map(|(part, _)| f32::from_bits(part.0 as u32));
    let odd = || {
        let all = values().enumerate();
        all.filter(|(i, value)| !value.is_finite() && touched(*i))
            .map(|(_, value)| value)
    };
    if odd().next().is_some() {
        // Infinities of the same sign stay unchanged.
        let signs = |sign: f32| odd().any(|value| value == sign * f32::INFINITY);
        return match (
            odd().any(f32::is_nan) || signs(1.0) && signs(-1.0),
            signs(1.0),
        ) {
            (true, _) => precision.nan,
            (_, true) => f32::INFINITY.to_bits(),
            _ => f32::NEG_INFINITY.to_bits(),
        };
    }
    // Groups of four texels are combined last.
    let planes = || parts.chunks(4).filter_map(|plane| four(plane, precision));
    let mut left = planes();
    let value = match (left.next(), left.next()) {
        (None, _) => {
            // A sum of zeros is negative if all are negative.
            let mut counting = parts.iter().zip(values()).filter(|((_, w), _)| *w != 0);
            if counting.all(|(_, value)| value.is_sign_negative()) {
                -0.0
            } else {
                0.0
            }
        }
        (Some(one), None) => rounded(one.total, one.unit, precision),
        (Some(first), _) => {
            let largest = planes().fold(first.largest, |most, plane| most.max(plane.largest));
            let unit = largest - precision.together;
            let total = planes().map(|plane| in_unit(plane, unit)).sum();
            rounded(total, unit, precision)
        }
    };
    value.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_256() {
        for a in (0..256).step_by(5) {
            for b in (0..256).step_by(3) {
                for c in [0, 1, 77, 128, 255] {
                    let all = weights(256, [a, b, c]);
                    assert_eq!(all.iter().sum::<u32>(), 256, "{a} {b} {c}");
                }
            }
        }
        assert_eq!(weights(256, [93, 153, 0])[..4], [66, 37, 97, 56]);
        assert_eq!(
            weights(256, [208, 112, 200]),
            [6, 26, 4, 20, 21, 92, 16, 71]
        );
    }
}
