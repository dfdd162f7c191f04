//! The mipmap levels of a level of detail.

/// Two levels, and the weight of the second one in 256ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    pub first: u32,
    pub second: u32,
    pub weight: u32,
}

/// A sampler's treatment of the level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Whether values between two levels are interpolated.
    pub linear: bool,
    /// The bias added to the level of detail.
    pub bias: f32,
    /// The minimum level of detail.
    pub min: f32,
    /// The maximum level of detail.
    pub max: f32,
}

/// Converts a level to 256ths, truncated. NaN becomes `odd`.
fn fixed(level: f32, odd: i64) -> i64 {
    const FAR: f64 = 1e6;
    match level.is_nan() {
        true => odd,
        false => (f64::from(level) * 256.0).clamp(-FAR, FAR) as i64,
    }
}

/// Returns the levels for a level of detail, of `count` levels. `None` means an instruction without
/// a level, for which the bias is ignored.
pub(crate) fn levels(detail: Option<f32>, how: &Detail, count: u32) -> Levels {
    const FAR: i64 = 1 << 20;
    // The bias has a sign, four integer bits and the fraction.
    let bias = fixed(how.bias, FAR).clamp(-16 << 8, (16 << 8) - 1);
    let top = i64::from(count - 1) << 8;
    let detail = match detail {
        Some(detail) => fixed(detail, 0) + bias,
        None => 0,
    };
    let detail = detail.min(fixed(how.max, FAR)).max(fixed(how.min, FAR));
    let detail = detail.clamp(0, top);
    let first = (detail >> 8) as u32;
    if how.linear {
        Levels {
            first,
            second: (first + 1).min(count - 1),
            weight: (detail & 255) as u32,
        }
    } else {
        let first = ((detail + 128) >> 8).min(i64::from(count - 1)) as u32;
        Levels {
            first,
            second: first,
            weight: 0,
        }
    }
}

/// The derivatives along one screen axis, in texels.
pub(crate) type Derivatives = [f32; 3];

/// Returns the level of detail for texel distances along both screen axes, within two 256ths of an
/// H200's. Their sum and difference matter too, unless the axes end on different faces of a cube
/// (`apart`).
pub(crate) fn of_gradients(x: Derivatives, y: Derivatives, apart: bool) -> f32 {
    // Ten significant bits.
    let cut = |part: f32| f64::from(f32::from_bits(part.to_bits() & !0x3fff));
    let (x, y) = (x.map(cut), y.map(cut));
    let longest = length(x).max(length(y));
    if apart {
        return logarithm(longest);
    }
    let diagonal = |sign: f64| length(std::array::from_fn(|axis| x[axis] + sign * y[axis]));
    logarithm(longest.max(11.0 / 16.0 * diagonal(1.0).max(diagonal(-1.0))))
}

/// Returns the approximate length of a vector.
fn length(parts: [f64; 3]) -> f64 {
    let mut parts = parts.map(f64::abs);
    parts.sort_by(|a, b| b.total_cmp(a));
    parts[0] + 11.0 / 32.0 * parts[1] + parts[2] / 4.0
}

/// Returns the binary logarithm, with 8 fraction bits computed from the first 8 of the number.
fn logarithm(number: f64) -> f32 {
    if !number.is_normal() {
        return number.log2() as f32;
    }
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let first = (number.to_bits() >> 44 & 0xff) as u32;
    let fraction = match first {
        0 => 0.0,
        _ => ((1.0 + (f64::from(first) + 0.47) / 256.0).log2() * 256.0).round(),
    };
    exponent as f32 + fraction.min(255.0) as f32 / 256.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_levels_match_h200() {
        let of = |x: [f32; 2], y: [f32; 2]| {
            let three = |[a, b]: [f32; 2]| [a, b, 0.0];
            of_gradients(three(x), three(y), false) * 256.0
        };
        // Along one axis, as recorded.
        for (texels, level) in [
            (1.0, 0.0),
            (1.09375, 34.0),
            (2.71875, 370.0),
            (4.9375, 590.0),
        ] {
            let found = of([texels, 0.0], [0.0, 0.0]);
            assert!((found - level).abs() <= 1.0, "{texels}: {found}");
        }
        // Along both axes: parallel, and crossed.
        assert_eq!(of([-2.224_015_5, 0.0], [-2.395_432, 0.0]), 427.0);
        assert_eq!(
            of([1.296_664_1, -19.108_74], [22.786_585, -1.935_8]),
            1165.0
        );
        assert!(of([0.0; 2], [0.0; 2]) < -1e6);
    }
}
