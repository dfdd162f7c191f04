//! The results that may differ from the recorded bits, and their bounds. The guide gives the
//! reasons.

use super::case::{Case, F16, F32, Fill, S8, SRGB, Texels};
use super::{case::INTEGER, kernels};

/// A kind of results that may differ from the recorded bits.
pub struct Inexact {
    /// A description of the results.
    pub what: &'static str,
    /// Maximum number of words that differ, over all cases of the kind.
    pub most: usize,
    /// Returns whether a case has results of this kind.
    is: fn(&Case) -> bool,
    /// Returns whether a point of such a case does.
    at: fn(&Case, &[u32]) -> bool,
    bound: Bound,
}

/// The bound on a word's error.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    /// At most this difference.
    Step(f32),
    /// At most this fraction of the range of the texels, or of adjacent levels if texels contain
    /// their level.
    OfRange(f32),
    /// At most one in the last place of the format.
    LastPlace,
    /// Another texel or level. Only the number of words that differ is bounded.
    Counted,
}

const KINDS: &[Inexact] = &[
    Inexact {
        what: "filters of signed bytes as numbers",
        most: 754,
        is: |case| is_filtered(case) && are_signed_bytes(case),
        at: anywhere,
        bound: Bound::Step(1.01 / 32767.0),
    },
    Inexact {
        what: "filters of sRGB",
        most: 136,
        is: |case| is_filtered(case) && case.sampler.flags & SRGB != 0,
        at: anywhere,
        bound: Bound::Step(0.5 / 256.0),
    },
    Inexact {
        what: "levels from gradients",
        most: 238,
        is: |case| has_gradients(case) && !is_anisotropic(case) && case.sampler.mip_filter == 1,
        at: anywhere,
        bound: Bound::OfRange(2.0 / 256.0),
    },
    Inexact {
        what: "anisotropy",
        most: 14_102,
        is: |case| has_gradients(case) && is_anisotropic(case),
        at: anywhere,
        bound: Bound::Counted,
    },
    Inexact {
        what: "directions between two texels of a cube, or that are infinite",
        most: 897,
        is: |case| case.op.contains("cube") && !has_gradients(case),
        at: is_undecided,
        bound: Bound::Counted,
    },
    Inexact {
        what: "two levels of three dimensions",
        most: 44,
        is: |case| {
            is_filtered(case) && case.op.starts_with("tex.level.3d") && case.sampler.mip_filter == 1
        },
        at: anywhere,
        bound: Bound::OfRange(1.0 / 256.0),
    },
    Inexact {
        what: "sums of eight texels of very different sizes",
        most: 4,
        is: |case| {
            let wild = matches!(case.texels.fill, Fill::Wild(_));
            is_filtered(case) && case.op.starts_with("tex.3d") && wild
        },
        at: anywhere,
        bound: Bound::LastPlace,
    },
];

fn anywhere(_: &Case, _: &[u32]) -> bool {
    true
}

fn is_filtered(case: &Case) -> bool {
    case.op.starts_with("tex.") && case.sampler.filter == 1
}

fn has_gradients(case: &Case) -> bool {
    case.op.starts_with("tex.grad.")
}

/// Three dimensions are never anisotropic.
fn is_anisotropic(case: &Case) -> bool {
    case.sampler.anisotropy > 1 && !case.op.starts_with("tex.grad.3d")
}

fn are_signed_bytes(case: &Case) -> bool {
    match case.texels.format {
        S8 => case.sampler.flags & INTEGER == 0,
        format => (0xc6..=0xc8).contains(&format),
    }
}

/// Returns whether a direction is not finite or, without filtering, meets the face within a
/// ten-thousandth of the boundary between two texels.
fn is_undecided(case: &Case, point: &[u32]) -> bool {
    let layers = usize::from(case.op.contains("acube"));
    let parts = [0, 1, 2].map(|i| f64::from(f32::from_bits(point[layers + i])));
    if parts.iter().any(|part| !part.is_finite()) {
        return true;
    }
    let mut sizes = parts.map(f64::abs);
    sizes.sort_by(f64::total_cmp);
    let major = sizes[2];
    let place = |part: f64| (part / major + 1.0) / 2.0 * case.texels.size[0] as f64;
    let near = |part: &f64| (place(*part) - place(*part).round()).abs() < 1e-4;
    // The largest component selects the face. The others give the position on it.
    let others = parts.iter().filter(|part| part.abs() < major);
    case.sampler.filter == 0 && (others.into_iter().any(near) || sizes[1] == major)
}

/// Returns the value of a half.
fn of_half(bits: u32) -> f32 {
    let (exponent, mantissa) = ((bits >> 10 & 31) as i32, (bits & 0x3ff) as f32);
    let size = match exponent {
        0 => mantissa * 2f32.powi(-24),
        _ => (1024.0 + mantissa) * 2f32.powi(exponent - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

impl Texels {
    /// Returns the range of the texels' values. If texels contain their level, returns the
    /// difference between adjacent levels.
    fn range(&self) -> f32 {
        if self.fill == Fill::Level {
            return 1.0;
        }
        let value = |bytes: &[u8]| match self.format {
            F32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            _ => of_half(u32::from(u16::from_le_bytes([bytes[0], bytes[1]]))),
        };
        let bytes = match self.format {
            F32 => 4,
            F16 => 2,
            // Normalized to 0..1.
            _ => return 1.0,
        };
        let contents = (0..self.levels).flat_map(|level| self.contents(level));
        let contents: Vec<u8> = contents.collect();
        let numbers = || contents.chunks_exact(bytes).map(value);
        numbers().fold(f32::MIN, f32::max) - numbers().fold(f32::MAX, f32::min)
    }
}

impl Inexact {
    /// Returns whether the value of the word with this index is acceptable, given a GPU's value.
    #[must_use]
    pub fn allows(&self, case: &Case, word: usize, here: u32, gpu: u32) -> bool {
        let shape = kernels::shape(&case.op);
        let point = &case.points[word / shape.results * shape.words..][..shape.words];
        if !(self.at)(case, point) {
            return false;
        }
        let (here_number, gpu_number) = (f32::from_bits(here), f32::from_bits(gpu));
        let apart = (f64::from(here_number) - f64::from(gpu_number)).abs();
        match self.bound {
            Bound::Step(step) => apart <= f64::from(step),
            Bound::OfRange(part) => apart <= f64::from(part) * f64::from(case.texels.range()),
            Bound::LastPlace => {
                let place = if case.texels.format == F16 {
                    1 << 13
                } else {
                    1
                };
                here.abs_diff(gpu) <= place
            }
            Bound::Counted => true,
        }
    }
}

/// Returns the kind of a case's inexact results. `None` if all must be equal.
#[must_use]
pub fn inexact(case: &Case) -> Option<&'static Inexact> {
    KINDS.iter().find(|kind| (kind.is)(case))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_beyond_the_bound_are_detected() {
        let cases = crate::texture::cases();
        let find = |name: &str| cases.iter().find(|case| case.name() == name).unwrap();
        let allows = |name: &str, here: f32, gpu: f32| {
            let case = find(name);
            let kind = inexact(case).unwrap();
            kind.allows(case, 0, here.to_bits(), gpu.to_bits())
        };
        let bytes = "sum 7 s8 1d seed 1";
        assert!(allows(bytes, 0.5, 0.5 + 1.0 / 32767.0));
        assert!(!allows(bytes, 0.5, 0.5 + 2.0 / 32767.0));
        assert!(!allows(bytes, 0.5, f32::NAN));
        let srgb = "format u8x1 srgb filter 1";
        assert!(allows(srgb, 0.5, 0.5019) && !allows(srgb, 0.5, 0.503));
        let level = "gradient fine";
        assert!(allows(level, 2.0, 2.0 + 2.0 / 256.0) && !allows(level, 2.0, 2.0 + 3.0 / 256.0));
        let wild = "sum 1 f32 3d seed 1";
        assert!(!allows(wild, 1.0, 1.0 + 2.0 * f32::EPSILON));
    }

    #[test]
    fn exact_cases_have_no_kind() {
        let exact = [
            "format s8x1 numbers point",
            "format s8x4 integers point",
            "format u8x4 srgb filter 0",
            "cube 4 f32 random filter 1 flags 64",
            "gradient 2d [256, 64, 0] anisotropy 0 mip 0",
            "levels f32 3d filter 1 mip 0",
            "sum 0 f32 3d seed 1",
        ];
        for case in crate::texture::cases() {
            if exact.contains(&case.name()) {
                let words = |case: &Case| kernels::shape(&case.op).words;
                let mut points = case.points.chunks(words(&case));
                let kind = inexact(&case);
                let at = |kind: &Inexact| points.any(|point| (kind.at)(&case, point));
                assert!(!kind.is_some_and(at), "{}", case.name());
            }
        }
    }
}
