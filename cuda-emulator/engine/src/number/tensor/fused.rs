//! Sums of floating-point products, as computed by Hopper's tensor cores.
//!
//! All products and the addend are part of one sum. Each product is exact, and has the sum of its
//! factors' exponents without normalization. The largest exponent of all terms determines the
//! scale, which is at least [`FLOOR`]. Zeros are ignored for this. Every term is truncated towards
//! zero to `F` bits after the point at this scale. The sum of the truncated terms is exact, and is
//! rounded once.

use std::ops::Range;

use super::element::{Layout, NOTHING, apart};
use super::tile::{COLUMNS, DEPTH};
use super::vector::Vector;

/// The minimum exponent of a sum's scale.
const FLOOR: i32 = -133;

/// Bits after the point of an f32 result, and the marker of an f16 result.
pub(super) const SINGLE: u32 = 23;
pub(super) const HALF: u32 = 10;

/// A value for each column of a tile.
pub(super) type Line<T> = [T; COLUMNS];

/// The factors of one line: a row of the first matrix, or a row of the second.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Factors<const N: usize> {
    pub significands: [i32; N],
    pub exponents: [i32; N],
}

impl<const N: usize> Factors<N> {
    pub(super) const NONE: Factors<N> = Factors {
        significands: [0; N],
        exponents: [NOTHING; N],
    };

    /// Unpacks the eight numbers from `at` on, with `F` bits after the point. Returns which are
    /// infinities and NaNs.
    #[inline(always)]
    pub(super) fn put<V: Vector, L: Layout, const F: u32>(&mut self, at: usize, bits: V) -> V {
        let (significands, exponents, special) = apart::<V, L, F>(bits);
        significands.store(eight_mut(&mut self.significands, at));
        exponents.store(eight_mut(&mut self.exponents, at));
        special
    }
}

fn eight_mut(line: &mut [i32], at: usize) -> &mut Line<i32> {
    (&mut line[at..at + COLUMNS]).try_into().expect("eight")
}

/// A sum at its scale: `(products + addend) * 2^(exponent - F)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    products: Line<i32>,
    addend: Line<i32>,
    exponent: Line<i32>,
}

/// Returns the sum of a row's products with each column, and `c`. With `F` = 25, at most 16
/// products may be nonzero, since more could overflow.
#[inline(always)]
pub(super) fn sum<V: Vector, C: Layout, const F: u32>(
    a: &Factors<DEPTH>,
    b: &[Factors<COLUMNS>; DEPTH],
    c: V,
    places: Range<usize>,
) -> (Sum, V) {
    let (addend, addend_exponent, special) = apart::<V, C, F>(c);
    let (b, places) = (&b[places.clone()], places);
    let left = a.exponents[places.clone()]
        .iter()
        .zip(&a.significands[places]);
    let mut scale = addend_exponent.max(V::splat(FLOOR));
    for (b, (e, _)) in b.iter().zip(left.clone()) {
        scale = scale.max(V::splat(*e).add(V::load(&b.exponents)));
    }
    let mut products = V::splat(0);
    for (b, (e, s)) in b.iter().zip(left) {
        let below = scale.sub(V::splat(*e).add(V::load(&b.exponents)));
        let product = V::splat(*s).mul(V::load(&b.significands));
        products = products.add(product.cut(below));
    }
    let mut sum = Sum {
        products: [0; COLUMNS],
        addend: [0; COLUMNS],
        exponent: [0; COLUMNS],
    };
    products.store(&mut sum.products);
    addend
        .cut(scale.sub(addend_exponent))
        .store(&mut sum.addend);
    scale.store(&mut sum.exponent);
    (sum, special)
}

impl Sum {
    /// Returns the exact value.
    #[inline(always)]
    fn value(&self, j: usize, f: u32) -> f64 {
        let scale = f64::from_bits(((self.exponent[j] - f as i32 + 1023) as u64) << 52);
        (f64::from(self.products[j]) + f64::from(self.addend[j])) * scale
    }

    /// Returns an f32 with `bits` bits after the point, truncated towards zero. Zeros are never
    /// negative.
    #[inline(always)]
    pub(super) fn single(&self, f: u32, bits: u32) -> Line<u32> {
        let mut out = [0; COLUMNS];
        for (j, out) in out.iter_mut().enumerate() {
            let x = self.value(j, f).to_bits();
            let exponent = (x >> 52) as i32 & 0x7ff;
            // A subnormal number has fewer bits.
            let low = (52 - bits as i32 + (1023 - 126 - exponent).max(0)).min(63);
            let x = f64::from_bits(x >> low << low) as f32;
            *out = if x == 0.0 { 0 } else { x.to_bits() };
        }
        out
    }

    /// Returns an f16, rounded to nearest. Zeros are never negative.
    #[inline(always)]
    pub(super) fn half(&self, f: u32) -> Line<u32> {
        let mut out = [0; COLUMNS];
        for (j, out) in out.iter_mut().enumerate() {
            *out = half(self.value(j, f));
        }
        out
    }
}

/// Rounds a number within f32's range to the nearest f16. Zeros are never negative.
#[inline(always)]
fn half(x: f64) -> u32 {
    let sign = (x.to_bits() >> 63 << 15) as u32;
    let x = x.abs();
    // Adding a number larger by 42 binary places makes the processor round at the last remaining
    // place.
    let exponent = (x.to_bits() >> 52).clamp(1023 - 14, 1023 + 17);
    let round = f64::from_bits((exponent + 42) << 52);
    let x = (x + round) - round;
    let magnitude = if x < 1.0 / 16384.0 {
        (x * 16_777_216.0) as i32
    } else {
        ((x.to_bits() >> 42) as i32 - ((1023 - 15) << 10)).min(0x7c00)
    };
    if magnitude == 0 {
        0
    } else {
        magnitude as u32 | sign
    }
}
