//! The values of operands: the edge values of each type, and random ones.

use crate::random::Random;

/// The width of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// A predicate; 0 or 1.
    Pred,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
}

impl Width {
    /// Returns the number of significant bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Pred => 1,
            Self::B16 => 16,
            Self::B32 => 32,
            Self::B64 => 64,
        }
    }

    /// Truncates a value to the register.
    #[must_use]
    pub fn cut(self, value: u64) -> u64 {
        value & (u64::MAX >> (64 - self.bits()))
    }
}

/// A set of values for an operand, and its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// True and false.
    Truth,
    /// An 8-bit integer in a 32-bit register, with arbitrary upper bits.
    I8,
    /// An 8-bit integer in a 16-bit register, with arbitrary upper bits.
    Byte,
    /// A 16-bit integer, signed or unsigned.
    I16,
    /// A 32-bit integer, signed or unsigned.
    I32,
    /// A 64-bit integer, signed or unsigned.
    I64,
    /// Two 16-bit integers.
    I16x2,
    /// Half precision.
    F16,
    /// Two of half precision.
    F16x2,
    /// bfloat16.
    Bf16,
    /// Two bfloat16.
    Bf16x2,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Two 8-bit floats (e4m3 or e5m2).
    F8x2,
    /// A shift count, position or length in 32 bits, near the widths and beyond them.
    Count,
    /// A lane number in 32 bits, mostly within a warp.
    Lane,
    /// One of the given values, in 32 bits.
    OneOf(&'static [u32]),
}

use Operand::*;

impl Operand {
    /// Returns the register that holds it.
    #[must_use]
    pub fn width(self) -> Width {
        match self {
            Truth => Width::Pred,
            Byte | I16 | F16 | Bf16 | F8x2 => Width::B16,
            I8 | I32 | I16x2 | F16x2 | Bf16x2 | F32 | Count | Lane | OneOf(_) => Width::B32,
            I64 | F64 => Width::B64,
        }
    }

    /// Returns edge values, the most significant ones for tests first.
    #[must_use]
    pub fn edges(self) -> Vec<u64> {
        match self {
            Truth => vec![0, 1],
            I8 => {
                let plain = integer_edges(8);
                let dirty = plain.iter().map(|&v| v | 0xa5c3_9600);
                plain.iter().copied().chain(dirty).collect()
            }
            Byte | I16 => integer_edges(16),
            I32 => integer_edges(32),
            I64 => integer_edges(64),
            I16x2 => pairs(&integer_edges(16), 16),
            F16 => float_edges(10, 5),
            Bf16 => float_edges(7, 8),
            F32 => float_edges(23, 8),
            F64 => float_edges(52, 11),
            F16x2 => pairs(&float_edges(10, 5), 16),
            Bf16x2 => pairs(&float_edges(7, 8), 16),
            F8x2 => pairs(&(0..=255).collect::<Vec<u64>>(), 8),
            Count => [
                0,
                1,
                31,
                32,
                33,
                5,
                63,
                64,
                255,
                16,
                65,
                15,
                17,
                24,
                256,
                127,
                128,
                257,
                8,
                0x120,
                0x8000_0000,
                0xffff_ffff,
                48,
                30,
                2,
                100,
            ]
            .to_vec(),
            Lane => [
                0,
                31,
                1,
                32,
                16,
                5,
                30,
                15,
                33,
                63,
                0xffff_ffff,
                7,
                2,
                0x1f1f,
            ]
            .to_vec(),
            OneOf(values) => values.iter().map(|&v| u64::from(v)).collect(),
        }
    }

    /// Returns a value that is not an edge value: arbitrary bits, or bits that make rounding and
    /// cancellation likely.
    pub fn random(self, random: &mut Random) -> u64 {
        match self {
            Truth => random.bits() & 1,
            I8 | Byte | I16 | I32 | I64 => {
                // A random number of significant bits, so that products and differences of all
                // magnitudes occur.
                let width = self.width().bits();
                let bits = random.bits() >> random.below(width as usize);
                let low = random.bits();
                match low & 3 {
                    0 => self.width().cut(bits.wrapping_neg()),
                    1 => self.width().cut(bits),
                    _ => self.width().cut(low >> 2 | bits << 32),
                }
            }
            F16 => random_float(random, 10, 5),
            Bf16 => random_float(random, 7, 8),
            F32 => random_float(random, 23, 8),
            F64 => random_float(random, 52, 11),
            I16x2 => I16.random(random) | I16.random(random) << 16,
            F16x2 => F16.random(random) | F16.random(random) << 16,
            Bf16x2 => Bf16.random(random) | Bf16.random(random) << 16,
            F8x2 => random.bits() & 0xffff,
            Count => match random.bits() & 7 {
                0 => random.bits() & 0xffff_ffff,
                1 | 2 => random.bits() & 0xff,
                _ => random.bits() & 0x3f,
            },
            Lane => random.bits() & if random.bits() & 7 == 0 { 0xff } else { 0x1f },
            OneOf(values) => u64::from(*random.pick(values)),
        }
    }
}

/// The values at both ends of the signed and unsigned ranges, and around powers of two.
fn integer_edges(bits: u32) -> Vec<u64> {
    let ones = u64::MAX >> (64 - bits);
    let top = 1u64 << (bits - 1);
    let half = 1u64 << (bits / 2);
    let mut edges = vec![
        0,
        1,
        ones,
        top,
        top - 1,
        2,
        ones - 1,
        top + 1,
        half,
        half - 1,
        7,
        0x5555_5555_5555_5555 & ones,
        0xaaaa_aaaa_aaaa_aaaa & ones,
        half + 1,
        3,
        ones - 2,
        0x0123_4567_89ab_cdef & ones,
        10,
        half / 2,
        top >> 1,
        (top >> 1) - 1,
        100,
        0xffff & ones,
        0x7f,
        0x80,
        0xff,
    ];
    if bits > 24 {
        edges.extend([
            0xff_ffff,
            0x100_0000,
            0x80_0000,
            0x100_0001,
            0x1ff_ffff,
            ones ^ 0xff_ffff,
        ]);
    }
    if bits > 53 {
        edges.extend([
            (1 << 53) + 1,
            (1 << 24) - 1 + (1 << 40),
            0xffff_ffff,
            0x8000_0000,
            0x7fff_ffff,
            0xffff_ffff_8000_0000,
            0x7fff_fc00_0000_0400,
            0x7fff_ffff_ffff_fdff,
        ]);
    }
    let mut seen = Vec::new();
    edges.retain(|edge| {
        !seen.contains(edge) && {
            seen.push(*edge);
            true
        }
    });
    edges
}

/// Zeros, infinities, NaNs, subnormals, ones, neighbors, ties and the ends of integer ranges in a
/// binary format with `m` mantissa and `e` exponent bits.
fn float_edges(m: u32, e: u32) -> Vec<u64> {
    let sign = 1u64 << (m + e);
    let infinity = ((1u64 << e) - 1) << m;
    let bias = (1u64 << (e - 1)) - 1;
    let one = bias << m;
    let quiet = 1u64 << (m - 1);
    let mantissa = (1u64 << m) - 1;
    let power = |p: i64| ((bias as i64 + p) as u64) << m;
    let mut edges = vec![
        0,
        sign,
        one,
        one | sign,
        infinity,
        infinity | sign,
        infinity | quiet,
        infinity | 1,
        1,
        infinity - 1,
        1 << m,
        sign | 1,
        mantissa,
        power(1),
        one + 1,
        one - 1,
        sign | infinity | quiet | 5,
        sign | infinity | (quiet - 1),
        sign | (infinity - 1),
        sign | mantissa,
        sign | 1 << m,
        power(-1),
        power(-1) | sign,
        one | quiet,
        one | quiet | sign,
        power(1) | quiet,
        power(1) | quiet >> 1,
        power(-1) + 1,
        power(-1) - 1,
        (1 << m) + 1,
        quiet,
        2,
        3,
        infinity | mantissa,
        // Half a unit in the last place of one, and slightly more: ties when added to one.
        power(-(i64::from(m)) - 1),
        power(-(i64::from(m)) - 1) + 1,
        power(-(i64::from(m))),
        power(-(i64::from(m)) - 1) | sign,
        power(i64::from(m)),
        power(i64::from(m) + 1),
        power(i64::from(m) - 1) + 1,
        power(i64::from(m)) - 1,
    ];
    // The ends of the integer ranges, one step to either side, and halves below them.
    for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
        if bits < bias as i64 {
            let end = power(bits);
            edges.extend([
                end,
                end - 1,
                end + 1,
                end | sign,
                (end - 1) | sign,
                (end + 1) | sign,
            ]);
        }
    }
    // Overflow and underflow of narrower formats, and ties between their numbers.
    for narrow in [
        15i64, 16, -14, -15, -24, -25, -126, -127, -149, -150, 127, 128, 8, -6, -9,
    ] {
        if narrow.unsigned_abs() < bias {
            edges.extend([power(narrow), power(narrow) - 1, power(narrow) + 1]);
        }
    }
    for narrow_mantissa in [2, 3, 7, 10, 23] {
        if narrow_mantissa < m {
            let tie = 1u64 << (m - narrow_mantissa - 1);
            edges.extend([
                one | tie,
                one | tie | tie << 1,
                one | tie | 1,
                (one | tie) - 1,
            ]);
            let last = power(15) - (tie << 1);
            edges.extend([last, last | tie, (last | tie) - 1]);
        }
    }
    let mut seen = Vec::new();
    edges.retain(|edge| {
        !seen.contains(edge) && {
            seen.push(*edge);
            true
        }
    });
    edges
}

/// Returns pairs of values in one register. Every value occurs in either half.
fn pairs(values: &[u64], bits: u32) -> Vec<u64> {
    let n = values.len();
    (0..n)
        .map(|i| values[i] | values[(i * 7 + 3) % n] << bits)
        .collect()
}

fn random_float(random: &mut Random, m: u32, e: u32) -> u64 {
    let bias = (1u64 << (e - 1)) - 1;
    let mantissa_mask = (1u64 << m) - 1;
    let kind = random.bits();
    let bits = random.bits();
    let sign = (bits >> 63) << (m + e);
    // Few mantissa bits make ties and exact results likely.
    let mantissa = match kind & 3 {
        0 => bits & mantissa_mask & !(mantissa_mask >> (1 + random.below(m as usize))),
        1 => (bits & mantissa_mask) | (mantissa_mask >> (1 + random.below(m as usize))),
        _ => bits & mantissa_mask,
    };
    let exponent = match kind >> 2 & 15 {
        0 => random.bits() & ((1 << e) - 1),
        1 => 0,
        2 => random.bits() % 3 + 1,
        3 => (1 << e) - 2 - random.bits() % 3,
        4..8 => bias - 1 + random.bits() % 3,
        _ => {
            let spread = u64::from(m).min(bias - 1);
            bias - spread / 2 + random.bits() % spread
        }
    };
    sign | exponent << m | mantissa
}
