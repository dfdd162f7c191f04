//! Sums of floating-point products, as the tensor cores of Hopper form them.
//!
//! All products and the addend go into one sum. Each product is exact, and has the sum of its factors' exponents: it isn't
//! normalised. The largest exponent of all terms sets the scale, but it is at least [`FLOOR`]; zeros have no say. Every
//! term is cut towards zero to `F` bits after the point at this scale; the sum of what is left is exact, and is
//! rounded once.

use std::ops::Range;

use super::element::{Layout, NOTHING, exponent, significand};
use super::tile::{COLUMNS, DEPTH};

/// The smallest exponent of a sum's scale.
const FLOOR: i32 = -133;

/// How much an f32 result keeps after the point, and what stands for an f16 result.
pub(super) const SINGLE: u32 = 23;
pub(super) const HALF: u32 = 10;

/// Bits after the point that the second factor has, of the product's `f`.
pub(super) const fn right_fraction(f: u32) -> u32 {
    if f > 20 { 10 } else { 3 }
}

/// A value for each column of a tile.
pub(super) type Line<T> = [T; COLUMNS];

/// The factors of one line: a row of the first matrix, or one row of the second.
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

    /// Takes the eight numbers from `at` on apart, with `fraction` bits after the point.
    #[inline(always)]
    pub(super) fn put<L: Layout>(&mut self, at: usize, bits: &Line<u32>, fraction: u32) {
        let significands = &mut self.significands[at..at + COLUMNS];
        for j in 0..COLUMNS {
            significands[j] = significand::<L>(bits[j], fraction);
        }
        let exponents = &mut self.exponents[at..at + COLUMNS];
        for j in 0..COLUMNS {
            exponents[j] = exponent::<L>(bits[j]);
        }
    }
}

/// A sum at its scale: `(products + addend) * 2^(exponent - F)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    products: Line<i32>,
    addend: Line<i32>,
    exponent: Line<i32>,
}

/// The sum of a row's products with each column, and `c`, which has `F` bits after the point, as the products of the
/// significands have. With `F` = 25 at most 16 products aren't zero: more could overflow.
#[inline(always)]
pub(super) fn sum(
    a: &Factors<DEPTH>,
    b: &[Factors<COLUMNS>; DEPTH],
    c: &Factors<COLUMNS>,
    places: Range<usize>,
) -> Sum {
    let mut exponent = c.exponents.map(|e| e.max(FLOOR));
    for k in places.clone() {
        let (b, e) = (&b[k % DEPTH], a.exponents[k % DEPTH]);
        for j in 0..COLUMNS {
            exponent[j] = exponent[j].max(e + b.exponents[j]);
        }
    }
    let mut products = [0i32; COLUMNS];
    for k in places {
        let (b, e, s) = (
            &b[k % DEPTH],
            a.exponents[k % DEPTH],
            a.significands[k % DEPTH],
        );
        for j in 0..COLUMNS {
            let below = exponent[j] - (e + b.exponents[j]);
            products[j] += cut(s * b.significands[j], below);
        }
    }
    let mut addend = [0i32; COLUMNS];
    for j in 0..COLUMNS {
        addend[j] = cut(c.significands[j], exponent[j] - c.exponents[j]);
    }
    Sum {
        products,
        addend,
        exponent,
    }
}

/// Shifts right, towards zero.
#[inline(always)]
fn cut(x: i32, by: i32) -> i32 {
    let sign = x >> 31;
    let magnitude = (x ^ sign) - sign;
    ((magnitude >> by.min(31)) ^ sign) - sign
}

impl Sum {
    /// Exactly.
    #[inline(always)]
    fn value(&self, j: usize, f: u32) -> f64 {
        let scale = f64::from_bits(((self.exponent[j] - f as i32 + 1023) as u64) << 52);
        (f64::from(self.products[j]) + f64::from(self.addend[j])) * scale
    }

    /// As f32 with `bits` bits after the point, cut towards zero. No zero is negative.
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

    /// As f16, rounded to nearest. No zero is negative.
    #[inline(always)]
    pub(super) fn half(&self, f: u32) -> Line<u32> {
        let mut out = [0; COLUMNS];
        for (j, out) in out.iter_mut().enumerate() {
            *out = half(self.value(j, f));
        }
        out
    }
}

/// Rounds a number within f32's range to an f16, to nearest. No zero is negative.
#[inline(always)]
fn half(x: f64) -> u32 {
    let sign = (x.to_bits() >> 63 << 15) as u32;
    let x = x.abs();
    // Adding a number of 42 places more makes the processor round at the last place that stays.
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
