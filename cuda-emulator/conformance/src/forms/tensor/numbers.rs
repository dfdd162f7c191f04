//! Matrices that expose the addition in tensor cores: distant exponents, cancellation, ties at the
//! point of truncation, subnormals, infinities, NaNs, signed zeros.

use crate::random::Random;

/// The type of an element. Integers have no exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    pub name: &'static str,
    pub bits: u32,
    exponent: u32,
    mantissa: u32,
}

const fn element(name: &'static str, bits: u32, exponent: u32, mantissa: u32) -> Element {
    Element {
        name,
        bits,
        exponent,
        mantissa,
    }
}

pub const F16: Element = element("f16", 16, 5, 10);
pub const BF16: Element = element("bf16", 16, 8, 7);
pub const TF32: Element = element("tf32", 32, 8, 23);
pub const F32: Element = element("f32", 32, 8, 23);
pub const F64: Element = element("f64", 64, 11, 52);
pub const E4M3: Element = element("e4m3", 8, 4, 3);
pub const E5M2: Element = element("e5m2", 8, 5, 2);
pub const S8: Element = element("s8", 8, 0, 0);
pub const U8: Element = element("u8", 8, 0, 0);
pub const S4: Element = element("s4", 4, 0, 0);
pub const U4: Element = element("u4", 4, 0, 0);
pub const B1: Element = element("b1", 1, 0, 0);
pub const S32: Element = element("s32", 32, 0, 0);

/// Lines of elements, as bits.
pub type Matrix = Vec<Vec<u64>>;

impl Element {
    pub fn float(self) -> bool {
        self.exponent > 0
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Returns the largest exponent field of a finite number.
    fn top(self) -> i64 {
        (1 << self.exponent) - if self == E4M3 { 1 } else { 2 }
    }

    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    fn zero(self, random: &mut Random) -> u64 {
        (random.bits() & 1) * self.sign()
    }

    fn any(self, random: &mut Random) -> u64 {
        random.bits() >> (64 - self.bits)
    }

    /// Returns a number with an exponent in `low..=high`, if the format has such exponents.
    fn number(self, random: &mut Random, low: i64, high: i64) -> u64 {
        let low = (self.bias() + low).clamp(0, self.top());
        let high = (self.bias() + high).clamp(low, self.top());
        let exponent = low as u64 + random.below((high - low + 1) as usize) as u64;
        let ones = (1 << self.mantissa) - 1;
        let mut mantissa = random.bits() & ones;
        // Few mantissa bits make ties and exact sums likely.
        match random.bits() & 7 {
            0 => mantissa = 0,
            1 => mantissa &= random.bits() & random.bits(),
            2 => mantissa |= ones >> (1 + random.below(self.mantissa as usize)),
            _ => {}
        }
        if self == E4M3 && exponent == 15 && mantissa == 7 {
            mantissa = 6;
        }
        self.zero(random) | exponent << self.mantissa | mantissa
    }

    fn special(self, random: &mut Random) -> u64 {
        let infinity = ((1 << self.exponent) - 1) << self.mantissa;
        let quiet = 1 << (self.mantissa - 1);
        let value = if self == E4M3 {
            *random.pick(&[0x7f, 0x7e, 0, 1])
        } else {
            *random.pick(&[
                infinity,
                infinity,
                infinity,
                infinity | 1,
                infinity | quiet,
                infinity - 1,
                0,
                1,
            ])
        };
        value | self.zero(random)
    }

    /// Returns the value of the bits. NaNs and infinities give some number.
    fn value(self, bits: u64) -> f64 {
        if self == F64 {
            return f64::from_bits(bits);
        }
        // Tensor cores ignore the remaining bits of a tf32.
        let bits = if self == TF32 { bits & !0x1fff } else { bits };
        let exponent = (bits >> self.mantissa & ((1 << self.exponent) - 1)) as i64;
        let mantissa = bits & ((1 << self.mantissa) - 1);
        let hidden = if exponent == 0 { 0 } else { 1 << self.mantissa };
        let power = exponent.max(1) - self.bias() - i64::from(self.mantissa);
        let magnitude = (mantissa | hidden) as f64 * 2f64.powi(power as i32);
        if bits & self.sign() != 0 {
            -magnitude
        } else {
            magnitude
        }
    }

    /// Returns a number near `value`, or `value` itself, in a type with at most 24 bits of
    /// precision.
    fn near(self, value: f64) -> u64 {
        match self {
            F64 => return value.to_bits(),
            F32 => return u64::from((value as f32).to_bits()),
            _ => {}
        }
        let sign = if value < 0.0 { self.sign() } else { 0 };
        let least = 1 - self.bias();
        let exponent = ((value.to_bits() >> 52 & 0x7ff) as i64 - 1023).max(least);
        let scaled = value.abs() * 2f64.powi((i64::from(self.mantissa) - exponent) as i32);
        let bits = (((exponent - least) as u64) << self.mantissa) + scaled.round() as u64;
        sign | bits.min(((1 << self.exponent) - 1) << self.mantissa)
    }
}

/// Returns a line of a factor with elements of the same kind.
fn line(random: &mut Random, t: Element, length: usize) -> Vec<u64> {
    let lowest = -t.bias();
    let kind = random.below(16);
    let large = random.below(length);
    let spread = -9 - random.below(12) as i64;
    (0..length)
        .map(|i| match kind {
            0..3 => t.number(random, -4, 0),
            3 | 4 => t.number(random, -9, 9),
            5 => t.number(random, lowest, t.top()),
            // Most are zero.
            6 if random.below(length.max(4) / 2) > 0 => t.zero(random),
            6 => t.number(random, -9, 9),
            7 => t.number(random, lowest, lowest + 1),
            8 if random.below(2 * length) == 0 => t.special(random),
            8 => t.number(random, -4, 4),
            9 => t.number(random, t.bias() - 2, t.bias() + 1),
            // Powers of two.
            10 | 11 => t.number(random, -7, 7) >> t.mantissa << t.mantissa,
            12 => t.number(random, lowest, lowest + 40),
            // One large element, and the others far below.
            13 | 14 if i == large => t.number(random, 2, 4),
            13 | 14 => t.number(random, spread, spread + 2),
            _ => t.number(random, -1, 1),
        })
        .collect()
}

fn dot(a: &[u64], ta: Element, b: &[u64], tb: Element) -> f64 {
    a.iter()
        .zip(b)
        .map(|(&a, &b)| ta.value(a) * tb.value(b))
        .sum()
}

/// Returns lines of `a`, columns of `b`, and lines of `c`. A sparse `a` has shorter lines than the
/// columns of `b`.
pub fn matrices(
    random: &mut Random,
    [m, n, k, short]: [usize; 4],
    [ta, tb, tc]: [Element; 3],
) -> [Matrix; 3] {
    if !ta.float() {
        return integers(random, [m, n, k, short], [ta, tb]);
    }
    let mut a: Matrix = (0..m).map(|_| line(random, ta, short)).collect();
    let mut b: Matrix = (0..n).map(|_| line(random, tb, k)).collect();
    // Pairs of terms that cancel, sometimes only approximately, in half of the lines and columns.
    if random.bits() & 1 == 0 {
        let mut order: Vec<usize> = (0..short).collect();
        for i in (1..short).rev() {
            order.swap(i, random.below(i + 1));
        }
        for pair in order.chunks_exact(2) {
            for row in a.iter_mut().step_by(2) {
                row[pair[1]] = row[pair[0]];
            }
            for column in b.iter_mut().step_by(2) {
                let last = u64::from(random.below(4) == 0);
                column[pair[1]] = column[pair[0]] ^ tb.sign() ^ last;
            }
        }
    }
    let lowest = -tc.bias();
    let mut addend = |row: &[u64], column: &[u64]| match random.below(16) {
        0..3 => tc.zero(random),
        3 | 4 => tc.number(random, -5, 2),
        5 | 6 => tc.number(random, -20, 20),
        7 => tc.number(random, lowest, tc.top()),
        8 => tc.number(random, lowest, lowest + 3),
        9 if random.below(4) == 0 => tc.special(random),
        9 => tc.number(random, tc.bias() - 2, tc.bias() + 1),
        10 => tc.number(random, -30, -10),
        11 => tc.number(random, -14, 14) >> tc.mantissa << tc.mantissa,
        // The negated sum of the products, or a value near it.
        12 | 13 => tc.near(-dot(row, ta, column, tb)),
        14 => tc.near(-dot(row, ta, column, tb)) ^ 1,
        _ => tc.near(dot(row, ta, column, tb) * 2f64.powi(random.below(60) as i32 - 30)),
    };
    let c = a
        .iter()
        .map(|row| b.iter().map(|column| addend(row, column)).collect())
        .collect();
    [a, b, c]
}

fn integers(
    random: &mut Random,
    [m, n, k, short]: [usize; 4],
    [ta, tb]: [Element; 2],
) -> [Matrix; 3] {
    // Arbitrary bits, or mostly the largest number.
    let line = |random: &mut Random, t: Element, length: usize| -> Vec<u64> {
        let large = random.bits() & 1 == 0;
        let most = match t {
            S8 | S4 => t.sign() - (!random.bits() & 1),
            _ => u64::MAX >> (64 - t.bits),
        };
        let pick = |_| match large && random.below(8) > 0 {
            true => most,
            false => t.any(random),
        };
        (0..length).map(pick).collect()
    };
    let a = (0..m).map(|_| line(random, ta, short)).collect();
    let b = (0..n).map(|_| line(random, tb, k)).collect();
    let addend = |random: &mut Random| match random.below(4) {
        0 => random.bits() & 0xffff_ffff,
        1 => random.bits() & 0xffff,
        // Near the ends of the range.
        _ => (0x7fff_ffff + (random.bits() & 1)) ^ (random.bits() & 0xffff),
    };
    let c = (0..m).map(|_| (0..n).map(|_| addend(random)).collect());
    let c = c.collect();
    [a, b, c]
}

/// Returns metadata that select two of each four elements of a sparse line, eight times (of two
/// pairs, for tf32).
pub fn metadata(random: &mut Random, t: Element) -> u64 {
    let codes: &[u64] = match t {
        TF32 => &[0b0100, 0b1110],
        _ => &[0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110],
    };
    (0..8).fold(0, |sum, i| sum | random.pick(codes) << (4 * i))
}

/// Packs consecutive elements in memory into 32-bit words.
pub fn words(elements: &[u64], t: Element) -> Vec<u64> {
    if t == F64 {
        let halves = elements.iter().flat_map(|e| [e & 0xffff_ffff, e >> 32]);
        return halves.collect();
    }
    let word = |chunk: &[u64]| {
        let parts = chunk.iter().enumerate();
        parts.fold(0, |word, (i, e)| word | e << (t.bits as usize * i))
    };
    elements.chunks(32 / t.bits as usize).map(word).collect()
}
