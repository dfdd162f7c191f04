//! Weights, and sums of texels by them, as an H200 makes them.
//!
//! A weight has 8 bits of fraction, also where it is a product: the rounding of each product is made good by its
//! neighbour, so that all weights together are 256.

use super::channel::Channel;

/// The weights of the eight corners between two texels along each axis, by how much the second one counts. The first axis
/// is the lowest bit of a corner's number. Together they are `whole`, which is 256 unless there are two levels.
pub(crate) fn weights(whole: u32, [a, b, c]: [u32; 3]) -> [u32; 8] {
    let half_up = |product: u32| (product + 128) >> 8;
    let mut out = [0; 8];
    let back = half_up(whole * c);
    for (slice, whole) in [whole - back, back].into_iter().enumerate() {
        let right = half_up(whole * a);
        let left = whole - right;
        // Towards the outer corner on both sides.
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

/// Gives the weight of one of the first four corners to the other three.
pub(crate) fn share(weights: &mut [u32; 8], missing: usize) {
    let third = (weights[missing] + 1) / 3;
    let rest = weights[missing] - 2 * third;
    weights[missing] = 0;
    // What is left over goes to the corner across, which is the spot's own.
    for (corner, weight) in weights.iter_mut().enumerate().take(4) {
        if corner == missing ^ 3 {
            *weight += rest;
        } else if corner != missing {
            *weight += third;
        }
    }
}

/// A texel's channel as filters take it: fixed point, or the bits of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part(pub i64);

/// Bits of fraction behind the 16 bits that numbers from 0 to 1 are widened to.
const EXTRA: u32 = 3;

/// What a filter makes of a channel's bits.
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

/// A sum of linear numbers that were bytes of sRGB, each by its weight in 256ths.
pub(crate) fn srgb_sum(parts: &[(Part, u32)]) -> u32 {
    floating(parts, &SRGB, |_| true)
}

/// A sum of parts, each by its weight in 256ths, as the register holds it. What the weight's product was before it was
/// rounded counts for what isn't finite: `touched` says for each part whether that was more than 0.
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
        // Wide integers are cut off.
        Channel::U32 | Channel::S32 => ((fixed_total(parts)) >> 8) as u32,
        _ => fixed(0) as u32,
    }
}

fn fixed_total(parts: &[(Part, u32)]) -> i64 {
    parts.iter().map(|(part, w)| part.0 * i64::from(*w)).sum()
}

/// How a format of floats is summed.
struct Precision {
    /// Bits that count below the largest exponent.
    aligned: i32,
    /// The same where two planes of texels come together.
    together: i32,
    /// Bits of the result, and the exponent of the last bit that it can have; below, single precision is 0.
    bits: i32,
    last: i32,
    /// Exponents below don't count as smaller.
    least: i32,
    /// From this mantissa on, the largest number counts as the next power of two.
    carry: i64,
    /// What is no number.
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
/// Halves, of which fewer bits count.
const SRGB: Precision = Precision {
    aligned: 7,
    carry: 0xf0_0000,
    ..HALF
};

/// A sum as `total * 2^unit`; the largest exponent among its texels.
#[derive(Clone, Copy)]
struct Sum {
    total: i128,
    unit: i32,
    largest: i32,
}

/// The exponent and the mantissa of a finite float; none of zeros and denormals, which don't count.
fn unpacked(bits: u32) -> Option<(i32, i64)> {
    let exponent = (bits >> 23 & 0xff) as i32;
    if exponent == 0 || exponent == 255 {
        return None;
    }
    let mantissa = i64::from(bits & 0x7f_ffff | 0x80_0000);
    let signed = if bits >> 31 == 0 { mantissa } else { -mantissa };
    Some((exponent - 127, signed))
}

/// Four texels: aligned to the largest exponent, cut off, multiplied, and added without rounding.
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

/// In a smaller or larger unit; cut off towards minus infinity.
fn in_unit(sum: Sum, unit: i32) -> i128 {
    match unit - sum.unit {
        shift @ ..=0 => sum.total << (-shift).min(64),
        shift => sum.total >> shift.min(126),
    }
}

/// Rounded to the nearest float, ties away from zero; too small is zero.
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
        // Infinities of one sign stay what they are.
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
    // Fours of texels come together last.
    let planes = || parts.chunks(4).filter_map(|plane| four(plane, precision));
    let mut left = planes();
    let value = match (left.next(), left.next()) {
        (None, _) => {
            // Zeros: negative if all are.
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
    fn weights_are_256_together() {
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
