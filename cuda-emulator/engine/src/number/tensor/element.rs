//! The types of matrix elements, and unpacking of floating-point elements.

use super::vector::Vector;

/// The type of a matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    S32,
    S8,
    U8,
    S4,
    U4,
    B1,
}

impl Element {
    /// Returns the type with this name in PTX.
    pub(crate) fn named(name: &str) -> Option<Element> {
        Some(match name {
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "tf32" => Element::Tf32,
            "f32" => Element::F32,
            "f64" => Element::F64,
            "e4m3" => Element::E4m3,
            "e5m2" => Element::E5m2,
            "s32" => Element::S32,
            "s8" => Element::S8,
            "u8" => Element::U8,
            "s4" => Element::S4,
            "u4" => Element::U4,
            "b1" => Element::B1,
            _ => return None,
        })
    }

    /// Returns the number of bits in a register or in memory.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Element::F64 => 64,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8 => 8,
            Element::S4 | Element::U4 => 4,
            Element::B1 => 1,
        }
    }

    /// Returns whether this is a floating-point type.
    pub(crate) const fn exponent(self) -> bool {
        !matches!(
            self,
            Element::S32 | Element::S8 | Element::U8 | Element::S4 | Element::U4 | Element::B1
        )
    }
}

/// The exponent of a zero: below all others, so that it never determines the scale of a sum.
pub(crate) const NOTHING: i32 = -4096;

/// The bit layout of a format, as constants.
pub(crate) trait Layout {
    const EXPONENT: u32;
    const MANTISSA: u32;
    /// Whether an exponent of all ones is an ordinary one, except for one NaN.
    const FINITE: bool = false;
    /// Number of ignored bits below the mantissa.
    const BELOW: u32 = 0;
}

pub(crate) struct Half;
pub(crate) struct Brain;
pub(crate) struct Tensor;
pub(crate) struct E4m3;
pub(crate) struct E5m2;
pub(crate) struct Single;

impl Layout for Half {
    const EXPONENT: u32 = 5;
    const MANTISSA: u32 = 10;
}
impl Layout for Brain {
    const EXPONENT: u32 = 8;
    const MANTISSA: u32 = 7;
}
impl Layout for Tensor {
    const EXPONENT: u32 = 8;
    const MANTISSA: u32 = 10;
    const BELOW: u32 = 13;
}
impl Layout for E4m3 {
    const EXPONENT: u32 = 4;
    const MANTISSA: u32 = 3;
    const FINITE: bool = true;
}
impl Layout for E5m2 {
    const EXPONENT: u32 = 5;
    const MANTISSA: u32 = 2;
}
impl Layout for Single {
    const EXPONENT: u32 = 8;
    const MANTISSA: u32 = 23;
}

/// Unpacks numbers to their signed significands, with `F` bits after the point, and their
/// exponents. A subnormal number has the smallest exponent, and a zero one below all others. The
/// third result marks infinities and NaNs with all ones. Their other results are meaningless.
#[inline(always)]
pub(super) fn apart<V: Vector, L: Layout, const F: u32>(bits: V) -> (V, V, V) {
    let number = |x: u32| V::splat(x as i32);
    let (none, top) = (V::splat(0), (1 << L::EXPONENT) - 1);
    let size = L::EXPONENT + L::MANTISSA;
    // The sign at the top of its word.
    let sign = bits.left(31 - size - L::BELOW);
    let magnitude = bits.right(L::BELOW).and(number((1 << size) - 1));
    let exponent = magnitude.right(L::MANTISSA);
    let subnormal = exponent.equal(none);
    let one = subnormal.add(V::splat(1)).left(L::MANTISSA);
    let mantissa = magnitude.and(number((1 << L::MANTISSA) - 1)).or(one);
    let mantissa = if F >= L::MANTISSA {
        mantissa.left(F - L::MANTISSA)
    } else {
        mantissa.right(L::MANTISSA - F)
    };
    // Subnormal numbers have an exponent larger by one.
    let exponent = exponent.sub(subnormal).sub(number(top >> 1));
    let zero = magnitude.equal(none);
    let special = if L::FINITE {
        magnitude.equal(number((1 << size) - 1))
    } else {
        exponent.equal(number(top - (top >> 1)))
    };
    let exponent = exponent.add(zero.and(V::splat(NOTHING)));
    (mantissa.negated_as(sign), exponent, special)
}

/// Returns whether the number is an infinity or a NaN.
#[inline(always)]
pub(super) fn special<L: Layout>(bits: u32) -> bool {
    let bits = bits >> L::BELOW;
    let top = if L::FINITE {
        (1 << (L::EXPONENT + L::MANTISSA)) - 1
    } else {
        ((1 << L::EXPONENT) - 1) << L::MANTISSA
    };
    bits & top == top
}

/// The class of a number in a sum with infinities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Zero,
    /// Finite, with this sign.
    Finite(bool),
    Infinite(bool),
    Nan,
}

/// Returns the class of a number.
pub(super) fn kind<L: Layout>(bits: u32) -> Kind {
    let negative = bits >> (L::BELOW + L::EXPONENT + L::MANTISSA) & 1 != 0;
    let magnitude = bits >> L::BELOW & ((1 << (L::EXPONENT + L::MANTISSA)) - 1);
    let infinity = ((1 << L::EXPONENT) - 1) << L::MANTISSA;
    if magnitude == 0 {
        Kind::Zero
    } else if !special::<L>(bits) {
        Kind::Finite(negative)
    } else if magnitude == infinity && !L::FINITE {
        Kind::Infinite(negative)
    } else {
        Kind::Nan
    }
}

impl Kind {
    pub(super) fn times(self, other: Kind) -> Kind {
        use Kind::{Finite, Infinite, Nan, Zero};
        match (self, other) {
            (Nan, _) | (_, Nan) | (Zero, Infinite(_)) | (Infinite(_), Zero) => Nan,
            (Zero, _) | (_, Zero) => Zero,
            (Finite(m), Finite(n)) => Finite(m != n),
            (Infinite(m) | Finite(m), Infinite(n) | Finite(n)) => Infinite(m != n),
        }
    }

    /// For finite numbers, only the fact that the sum is finite is kept.
    pub(super) fn plus(self, other: Kind) -> Kind {
        use Kind::{Infinite, Nan};
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(m), Infinite(n)) if m != n => Nan,
            (Infinite(n), _) | (_, Infinite(n)) => Infinite(n),
            (other, _) => other,
        }
    }
}
