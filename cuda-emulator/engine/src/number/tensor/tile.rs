//! A tile of a matrix product: up to 16 rows by 8 columns. Every shape is divided into tiles.

use std::ops::Range;

use super::element::{Brain, E4m3, E5m2, Element, Half, Kind, Layout, Single, Tensor, kind};
use super::fused::{self, Factors, HALF, Line, SINGLE};
#[cfg(target_arch = "x86_64")]
use super::vector::wide::Wide;
use super::vector::{Plain, Vector};
use super::whole;
use crate::number::math;

/// Maximum number of rows in a tile.
pub(crate) const ROWS: usize = 16;
/// Number of columns in a tile.
pub(crate) const COLUMNS: usize = 8;
/// Maximum number of elements that are multiplied and added for one result.
pub(crate) const DEPTH: usize = 128;

/// The arithmetic of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// A sum of every `step` products and the previous result, with 13 bits after the point for
    /// 8-bit numbers and 25 for others.
    Fused {
        step: usize,
    },
    /// 8-bit numbers as f16. The first two of every four are in one sum. The others are in a second
    /// sum, to which the first is added. The addend is added separately at the end. For a sparse
    /// matrix, the sums alternate between groups of four.
    Pairs {
        sparse: bool,
    },
    /// Sums in 32 bits. Overflows wrap around or saturate.
    Integer {
        saturate: bool,
    },
    /// Counts of bits that are set in both operands, or in exactly one. The depth is in words of 32
    /// bits.
    And,
    Xor,
}

/// The types of a product, and its arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub a: Element,
    pub b: Element,
    pub c: Element,
    pub d: Element,
    pub arithmetic: Arithmetic,
}

/// Operands and results: the bits of elements, in the low bits of a word.
#[repr(C, align(64))]
pub(crate) struct Tile {
    pub a: [[u32; DEPTH]; ROWS],
    pub b: [[u32; COLUMNS]; DEPTH],
    pub c: [[u32; COLUMNS]; ROWS],
    pub d: [[u32; COLUMNS]; ROWS],
    pub rows: usize,
    pub depth: usize,
    /// For a sparse matrix, the stored elements of a row. The others are zero here. All for a dense
    /// one.
    pub present: [u128; ROWS],
    /// The unpacked second matrix.
    right: [Factors<COLUMNS>; DEPTH],
    left: Factors<DEPTH>,
    /// The columns of the second matrix that contain an infinity or a NaN.
    right_special: Line<i32>,
}

impl Tile {
    pub(crate) fn new() -> Box<Tile> {
        Box::new(Tile {
            a: [[0; DEPTH]; ROWS],
            b: [[0; COLUMNS]; DEPTH],
            c: [[0; COLUMNS]; ROWS],
            d: [[0; COLUMNS]; ROWS],
            rows: ROWS,
            depth: 0,
            present: [u128::MAX; ROWS],
            right: [Factors::NONE; DEPTH],
            left: Factors::NONE,
            right_special: [0; COLUMNS],
        })
    }

    /// Computes `d`.
    pub(crate) fn multiply(&mut self, rule: &Rule) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor supports it.
            return unsafe { self.multiply_wide(rule) };
        }
        self.multiply_any::<Plain>(rule);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn multiply_wide(&mut self, rule: &Rule) {
        self.multiply_any::<Wide>(rule);
    }

    #[inline(always)]
    fn multiply_any<V: Vector>(&mut self, rule: &Rule) {
        match (rule.arithmetic, rule.a, rule.b) {
            (Arithmetic::Fused { step }, Element::F16, _) => {
                self.fused::<V, Half, Half, 25, 15, 10, SINGLE>(rule, step);
            }
            (Arithmetic::Fused { step }, Element::Bf16, _) => {
                self.fused::<V, Brain, Brain, 25, 15, 10, SINGLE>(rule, step);
            }
            (Arithmetic::Fused { step }, Element::Tf32, _) => {
                self.fused::<V, Tensor, Tensor, 25, 15, 10, SINGLE>(rule, step);
            }
            (Arithmetic::Fused { step }, Element::E4m3, Element::E4m3) => {
                self.fused::<V, E4m3, E4m3, 13, 10, 3, 13>(rule, step);
            }
            (Arithmetic::Fused { step }, Element::E4m3, _) => {
                self.fused::<V, E4m3, E5m2, 13, 10, 3, 13>(rule, step);
            }
            (Arithmetic::Fused { step }, _, Element::E4m3) => {
                self.fused::<V, E5m2, E4m3, 13, 10, 3, 13>(rule, step);
            }
            (Arithmetic::Fused { step }, _, _) => {
                self.fused::<V, E5m2, E5m2, 13, 10, 3, 13>(rule, step)
            }
            (Arithmetic::Pairs { sparse }, ..) => self.pairs::<V>(rule, sparse),
            (Arithmetic::Integer { saturate }, ..) => whole::integer(self, rule, saturate),
            (Arithmetic::And, ..) => whole::bits(self, |a, b| a & b),
            (Arithmetic::Xor, ..) => whole::bits(self, |a, b| a ^ b),
        }
    }

    /// Computes one sum for every `step` elements, and each adds the previous one. There are `F`
    /// bits after the point, of which the first factor has `FA` and the second `FB`. An f32 result
    /// keeps `BITS`.
    #[inline(always)]
    fn fused<
        V: Vector,
        A: Layout,
        B: Layout,
        const F: u32,
        const FA: u32,
        const FB: u32,
        const BITS: u32,
    >(
        &mut self,
        rule: &Rule,
        step: usize,
    ) {
        let depth = self.depth.min(DEPTH);
        self.take_right_apart::<V, B, FB>();
        for row in 0..self.rows.min(ROWS) {
            let special = self.take_left_apart::<V, A, FA>(row);
            let mut sum = self.c[row];
            if rule.c == Element::F16 && rule.d == Element::F16 {
                sum = self.pass::<V, A, B, Half, F, HALF>(row, special, 0..depth, sum);
            } else {
                if rule.c == Element::F16 {
                    sum = sum.map(|c| math::half_to_single(c as u16).to_bits());
                }
                for from in (0..depth).step_by(step) {
                    let places = from..depth.min(from + step);
                    sum = self.pass::<V, A, B, Single, F, BITS>(row, special, places, sum);
                }
                if rule.d == Element::F16 {
                    sum = sum.map(|d| math::single_to_half(f32::from_bits(d)).into());
                }
            }
            self.d[row] = sum;
        }
    }

    /// See [`Arithmetic::Pairs`].
    #[inline(always)]
    fn pairs<V: Vector>(&mut self, rule: &Rule, sparse: bool) {
        let depth = self.depth.min(DEPTH);
        // Elements of the first sum are moved to the front. For a sparse matrix, whole groups of
        // four stay together.
        let unit = if sparse { 4 } else { 2 };
        let place = |k: usize| k / (2 * unit) * unit + k % unit + k / unit % 2 * (depth / 2);
        for (row, present) in self.a.iter_mut().zip(&mut self.present).take(self.rows) {
            let (from, flags) = (*row, *present);
            *present = 0;
            for k in 0..depth {
                row[place(k)] = as_half(from[k], rule.a);
                *present |= (flags >> k & 1) << place(k);
            }
        }
        let from = self.b;
        for (k, line) in from.iter().enumerate().take(depth) {
            self.b[place(k)] = line.map(|x| as_half(x, rule.b));
        }
        self.take_right_apart::<V, Half, 10>();
        let halves = [0..depth / 2, depth / 2..depth];
        for row in 0..self.rows.min(ROWS) {
            let special = self.take_left_apart::<V, Half, 15>(row);
            let c = self.c[row];
            let mut sum = [0; COLUMNS];
            for places in halves.clone() {
                sum = if rule.d == Element::F16 {
                    self.pass::<V, Half, Half, Half, 25, HALF>(row, special, places, sum)
                } else {
                    self.pass::<V, Half, Half, Single, 25, SINGLE>(row, special, places, sum)
                };
            }
            for j in 0..COLUMNS {
                self.d[row][j] = if rule.d == Element::F16 {
                    // The sum of two f16 numbers is the same if it is first computed in f32.
                    let [c, sum] = [c[j], sum[j]].map(|x| math::half_to_single(x as u16));
                    math::single_to_half(c + sum).into()
                } else {
                    math::quiet(f32::from_bits(c[j]) + f32::from_bits(sum[j])).to_bits()
                };
            }
        }
    }

    #[inline(always)]
    fn take_right_apart<V: Vector, B: Layout, const F: u32>(&mut self) {
        let mut specials = V::splat(0);
        for (line, out) in self.b.iter().zip(&mut self.right).take(self.depth) {
            specials = specials.or(out.put::<V, B, F>(0, words::<V>(line)));
        }
        specials.store(&mut self.right_special);
    }

    /// Unpacks a row of the first matrix. Returns whether it contains an infinity or a NaN.
    #[inline(always)]
    fn take_left_apart<V: Vector, A: Layout, const F: u32>(&mut self, row: usize) -> bool {
        let depth = self.depth.min(DEPTH);
        let mut found = V::splat(0);
        for (i, line) in self.a[row].as_chunks::<COLUMNS>().0.iter().enumerate() {
            let at = i * COLUMNS;
            if at >= depth {
                break;
            }
            let special = self.left.put::<V, A, F>(at, words(line));
            let beyond = V::load(&NUMBERS).sub(V::splat((depth - at) as i32));
            found = found.or(special.and(beyond));
        }
        any_negative(found)
    }

    /// Computes a row of results from the unpacked row, a range of its elements, and `c`.
    #[inline(always)]
    fn pass<V: Vector, A: Layout, B: Layout, C: Layout, const F: u32, const BITS: u32>(
        &self,
        row: usize,
        left_special: bool,
        places: Range<usize>,
        c: Line<u32>,
    ) -> Line<u32> {
        let (sum, special) =
            fused::sum::<V, C, F>(&self.left, &self.right, words(&c), places.clone());
        let special = special.or(V::load(&self.right_special));
        let mut d = if BITS == HALF {
            sum.half(F)
        } else {
            sum.single(F, BITS)
        };
        if left_special || any_negative(special) {
            self.specials::<A, B, C, BITS>(row, places, c, &mut d);
        }
        d
    }

    /// Handles infinities and NaNs.
    #[cold]
    #[inline(never)]
    fn specials<A: Layout, B: Layout, C: Layout, const BITS: u32>(
        &self,
        row: usize,
        places: Range<usize>,
        c: Line<u32>,
        d: &mut Line<u32>,
    ) {
        let places = || places.clone().filter(|k| self.present[row] >> k & 1 != 0);
        let (infinity, nan) = if BITS == HALF {
            (0x7c00, 0x7fff)
        } else {
            (0x7f80_0000, 0x7fff_ffff)
        };
        for (j, d) in d.iter_mut().enumerate() {
            let terms = places().map(|k| kind::<A>(self.a[row][k]).times(kind::<B>(self.b[k][j])));
            match terms.fold(kind::<C>(c[j]), Kind::plus) {
                Kind::Nan => *d = nan,
                Kind::Infinite(true) => *d = infinity | 1 << (if BITS == HALF { 15 } else { 31 }),
                Kind::Infinite(false) => *d = infinity,
                Kind::Zero | Kind::Finite(_) => {}
            }
        }
    }
}

/// The indices of the columns.
const NUMBERS: Line<i32> = [0, 1, 2, 3, 4, 5, 6, 7];

#[inline(always)]
fn words<V: Vector>(line: &Line<u32>) -> V {
    V::load(&line.map(|x| x as i32))
}

#[inline(always)]
fn any_negative<V: Vector>(x: V) -> bool {
    let mut line = [0; COLUMNS];
    x.store(&mut line);
    line.iter().fold(0, |a, b| a | b) < 0
}

/// Converts an 8-bit number to f16 exactly.
#[inline(always)]
fn as_half(x: u32, element: Element) -> u32 {
    if element == Element::E5m2 {
        return x << 8;
    }
    let sign = (x & 0x80) << 8;
    let magnitude = x & 0x7f;
    if magnitude == 0x7f {
        return 0x7fff;
    }
    sign | if magnitude >= 8 {
        (magnitude << 7) + (8 << 10)
    } else {
        // A multiple of 2^-9.
        [0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300][magnitude as usize]
    }
}
