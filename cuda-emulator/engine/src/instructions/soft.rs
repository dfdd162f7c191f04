//! Floating point in software: the general entries behind the fast ones. The immediate encodes the
//! operation, its format and the modifiers, so that a few functions are enough for all.

use crate::ir::{Choice, Code, Opcode};
use crate::lanes::arithmetic::{binary_imm_each, ternary_imm_each, unary_imm_each};
use crate::number::math::nan64;
use crate::number::soft::{self, Format, Round};
use crate::ptx::Type;

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum SoftOp {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Sqrt,
    Rcp,
    Min,
    Max,
    Abs,
    Neg,
}

const OPERATIONS: [SoftOp; 11] = [
    SoftOp::Add,
    SoftOp::Sub,
    SoftOp::Mul,
    SoftOp::Fma,
    SoftOp::Div,
    SoftOp::Sqrt,
    SoftOp::Rcp,
    SoftOp::Min,
    SoftOp::Max,
    SoftOp::Abs,
    SoftOp::Neg,
];

impl SoftOp {
    const fn sources(self) -> u32 {
        match self {
            SoftOp::Sqrt | SoftOp::Rcp | SoftOp::Abs | SoftOp::Neg => 1,
            SoftOp::Fma => 3,
            _ => 2,
        }
    }
}

/// The formats, by number.
const FORMATS: [Format; 4] = [soft::F16, soft::BF16, soft::F32, soft::F64];
/// Index of double precision.
const DOUBLE: usize = 3;

// Bit positions in the immediate. The operation is in the lowest bits.
const ROUND: u32 = 8;
const FORMAT: u32 = 12;
const FTZ: u64 = 1 << 16;
const SAT: u64 = 1 << 17;
const RELU: u64 = 1 << 18;
/// NaN has precedence in a minimum or maximum.
const NAN: u64 = 1 << 19;
/// The result has the exclusive or of the operands' signs, and the magnitude of the larger or
/// smaller operand.
const XORSIGN: u64 = 1 << 20;
const ABS: u64 = 1 << 21;
/// Two values in one register.
const PACKED: u64 = 1 << 22;
/// The result is zero if a factor is [`OUT_OF_BOUNDS`].
const OOB: u64 = 1 << 23;

/// The 16-bit NaNs that mark an element outside a tensor, in both f16 and bf16. On an H200, only
/// these patterns have this effect, and only as a factor, not as the addend.
const OUT_OF_BOUNDS: [u64; 2] = [0x7ff7, 0xfff7];

/// Returns the modifiers' part of the immediate.
fn variant(chosen: &Choice<'_>) -> u64 {
    let round = if chosen.has("rz") {
        Round::Zero
    } else if chosen.has("rm") {
        Round::Down
    } else if chosen.has("rp") {
        Round::Up
    } else {
        Round::Nearest
    };
    let flags = [
        ("ftz", FTZ),
        ("sat", SAT),
        ("relu", RELU),
        ("NaN", NAN),
        ("xorsign", XORSIGN),
        ("abs", ABS),
        ("oob", OOB),
    ];
    flags
        .iter()
        .filter(|(name, _)| chosen.has(name))
        .fold((round as u64) << ROUND, |bits, (_, flag)| bits | flag)
}

/// An operation with its modifiers, unpacked.
#[derive(Clone, Copy, Debug)]
struct Soft {
    op: SoftOp,
    round: Round,
    /// Index into [`FORMATS`].
    format: usize,
    bits: u64,
}

impl Soft {
    fn unpack(bits: u64) -> Soft {
        Soft {
            op: OPERATIONS[(bits & 0xff) as usize % OPERATIONS.len()],
            round: Round::from_bits(bits >> ROUND),
            format: (bits >> FORMAT & 3) as usize,
            bits,
        }
    }

    fn is(self, flag: u64) -> bool {
        self.bits & flag != 0
    }

    fn one(self, a: u64, b: u64, c: u64) -> u64 {
        if self.is(OOB) && (OUT_OF_BOUNDS.contains(&a) || OUT_OF_BOUNDS.contains(&b)) {
            return 0;
        }
        let f = FORMATS[self.format];
        let sign = f.zero(true);
        let flush = |x: u64| if self.is(FTZ) { f.flush(x) } else { x };
        let (a, b, c) = (flush(a), flush(b), flush(c));
        let mut out = self.operation(a, b, c, f);
        if self.is(FTZ) && out & !sign == 1 << f.fraction && self.tiny(a, b, c, f) {
            out &= sign;
        }
        if self.format == DOUBLE && f.is_nan(out) {
            out = self.nan64(a, b, c);
        }
        out = flush(out);
        if self.is(SAT) {
            let one = (f.infinity(false) >> (f.fraction + 1)) << f.fraction;
            out = if f.is_nan(out) || f.negative(out) {
                0
            } else {
                out.min(one)
            };
        }
        if self.is(RELU) {
            out = if f.is_nan(out) {
                f.nan()
            } else if f.negative(out) {
                0
            } else {
                out
            };
        }
        out
    }

    /// Returns whether the result, rounded with an unbounded exponent, is below the smallest normal
    /// number.
    fn tiny(self, a: u64, b: u64, c: u64, f: Format) -> bool {
        let wide = Format {
            exponent: f.exponent + 2,
            ..f
        };
        let convert = |x| soft::convert(x, f, wide, Round::Nearest);
        let out = self.operation(convert(a), convert(b), convert(c), wide);
        let magnitude = out & !wide.zero(true);
        magnitude < convert(1 << f.fraction)
    }

    /// Double precision propagates the operands' NaNs. Each operation has a different precedence.
    fn nan64(self, a: u64, b: u64, c: u64) -> u64 {
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        let nan = match self.op {
            SoftOp::Fma => nan64([b, c, a]),
            SoftOp::Div => nan64([a, b]),
            SoftOp::Sqrt | SoftOp::Rcp | SoftOp::Abs | SoftOp::Neg => nan64([a]),
            _ => nan64([b, a]),
        };
        nan.to_bits()
    }

    fn operation(self, a: u64, b: u64, c: u64, f: Format) -> u64 {
        let sign = f.zero(true);
        match self.op {
            SoftOp::Add => soft::add(a, b, f, self.round),
            SoftOp::Sub => soft::add(a, if f.is_nan(b) { b } else { b ^ sign }, f, self.round),
            SoftOp::Mul => soft::mul(a, b, f, self.round),
            SoftOp::Fma => soft::fma(a, b, c, f, self.round),
            SoftOp::Div => soft::div(a, b, f, self.round),
            SoftOp::Sqrt => soft::sqrt(a, f, self.round),
            SoftOp::Rcp => soft::div(
                (f.infinity(false) >> (f.fraction + 1)) << f.fraction,
                a,
                f,
                self.round,
            ),
            SoftOp::Min | SoftOp::Max => self.min_max(a, b, f),
            SoftOp::Abs => {
                if f.is_nan(a) && self.format != DOUBLE {
                    f.nan()
                } else {
                    a & !sign
                }
            }
            SoftOp::Neg => {
                if f.is_nan(a) && self.format != DOUBLE {
                    f.nan()
                } else {
                    a ^ sign
                }
            }
        }
    }

    fn min_max(self, a: u64, b: u64, f: Format) -> u64 {
        let sign = f.zero(true);
        let flip = if self.is(XORSIGN) { (a ^ b) & sign } else { 0 };
        let clear = |x: u64| if self.is(ABS) { x & !sign } else { x };
        let (a, b) = (clear(a), clear(b));
        let (an, bn) = (f.is_nan(a), f.is_nan(b));
        if an && bn || self.is(NAN) && (an || bn) {
            return f.nan();
        }
        let order = |x: u64| {
            if x & sign != 0 {
                -((x & !sign) as i64) - 1
            } else {
                x as i64
            }
        };
        let picked = if an {
            b
        } else if bn || (order(a) < order(b)) != (self.op == SoftOp::Max) {
            a
        } else {
            b
        };
        if self.is(XORSIGN) {
            picked & !sign | flip
        } else {
            picked
        }
    }
}

/// Runs an operation on a lane.
fn lane(a: u64, b: u64, c: u64, imm: u64) -> u64 {
    let op = Soft::unpack(imm);
    if op.is(PACKED) {
        let half = |at: u32| op.one(a >> at & 0xffff, b >> at & 0xffff, c >> at & 0xffff) << at;
        half(0) | half(16)
    } else {
        op.one(a, b, c)
    }
}

/// Two singles in a 64-bit register.
fn pair(a: u64, b: u64, c: u64, imm: u64) -> u64 {
    let low = |x: u64| x & 0xffff_ffff;
    lane(low(a), low(b), low(c), imm) | lane(a >> 32, b >> 32, c >> 32, imm) << 32
}

// Named after the size of the registers, for each number of sources.
const ONE_16: Code = unary_imm_each(|a: u16, imm| lane(a.into(), 0, 0, imm) as u16);
const TWO_16: Code = binary_imm_each(|a: u16, b: u16, imm| lane(a.into(), b.into(), 0, imm) as u16);
const THREE_16: Code =
    ternary_imm_each(|a: u16, b: u16, c: u16, imm| lane(a.into(), b.into(), c.into(), imm) as u16);
const ONE_32: Code = unary_imm_each(|a: u32, imm| lane(a.into(), 0, 0, imm) as u32);
const TWO_32: Code = binary_imm_each(|a: u32, b: u32, imm| lane(a.into(), b.into(), 0, imm) as u32);
const THREE_32: Code =
    ternary_imm_each(|a: u32, b: u32, c: u32, imm| lane(a.into(), b.into(), c.into(), imm) as u32);
const ONE_64: Code = unary_imm_each(|a: u64, imm| lane(a, 0, 0, imm));
const TWO_64: Code = binary_imm_each(|a: u64, b: u64, imm| lane(a, b, 0, imm));
const THREE_64: Code = ternary_imm_each(lane);
const TWO_PAIRS: Code = binary_imm_each(|a: u64, b: u64, imm| pair(a, b, 0, imm));
const THREE_PAIRS: Code = ternary_imm_each(pair);

/// An entry that is computed in software.
pub(super) const fn software(name: &'static str, op: SoftOp, ty: Type) -> Opcode {
    let (format, flags) = match ty {
        Type::F16 => (0, 0),
        Type::F16x2 => (0, PACKED),
        Type::BF16 => (1, 0),
        Type::BF16x2 => (1, PACKED),
        Type::F32 | Type::F32x2 => (2, 0),
        _ => (DOUBLE as u64, 0),
    };
    let code = match (ty, op.sources()) {
        (Type::F16 | Type::BF16, 1) => ONE_16,
        (Type::F16 | Type::BF16, 2) => TWO_16,
        (Type::F16 | Type::BF16, _) => THREE_16,
        (Type::F32x2, 2) => TWO_PAIRS,
        (Type::F32x2, _) => THREE_PAIRS,
        (Type::F64, 1) => ONE_64,
        (Type::F64, 2) => TWO_64,
        (Type::F64, _) => THREE_64,
        (_, 1) => ONE_32,
        (_, 2) => TWO_32,
        _ => THREE_32,
    };
    Opcode::new(name, code.on(ty))
        .imm(op as u64 | format << FORMAT | flags)
        .encode(variant)
}

#[cfg(test)]
mod tests {
    use super::{FORMAT, FTZ, SoftOp, lane};
    use crate::number::math::{flush, product_flushed, quotient_flushed, sum_flushed};

    /// Returns numbers whose products, quotients and sums are close to the smallest normal number,
    /// and arbitrary ones.
    fn numbers() -> impl Iterator<Item = [f32; 3]> {
        let mut state = 1u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 32) as u32
        };
        (0..2_000_000).map(move |_| {
            let a = random();
            let fraction = |bits: u32| match bits >> 23 & 7 {
                0 => bits & 3,
                1 => 0x7f_ffff - (bits & 3),
                _ => bits & 0x7f_ffff,
            };
            let make = |exponent: u32, bits: u32| {
                f32::from_bits(bits & 1 << 31 | exponent << 23 | fraction(bits))
            };
            let exponent = a >> 8 & 0xff;
            // Near the exponent for which the product is the smallest normal number.
            let other = (126 + (a & 3)).saturating_sub(exponent);
            let third = match a >> 2 & 3 {
                0 => 0,
                1 => a >> 16 & 0xff,
                _ => a >> 4 & 3,
            };
            let numbers = [
                make(exponent, random()),
                make(other.min(254), random()),
                make(third, random()),
            ];
            numbers.map(flush)
        })
    }

    fn soft(op: SoftOp, [a, b, c]: [f32; 3]) -> u32 {
        let imm = op as u64 | 2 << FORMAT | FTZ;
        lane(
            a.to_bits().into(),
            b.to_bits().into(),
            c.to_bits().into(),
            imm,
        ) as u32
    }

    #[test]
    fn fast_flushing_matches_software() {
        // Counts flushed results that the host rounds to the smallest normal number.
        let mut lifted = [0, 0];
        let least = f32::MIN_POSITIVE;
        for [a, b, c] in numbers().filter(|n| n.iter().all(|x| x.is_finite())) {
            let sum = sum_flushed(a, b, c);
            lifted[0] += u32::from(a.mul_add(b, c).abs() == least && sum == 0.0);
            let want = soft(SoftOp::Fma, [a, b, c]);
            assert_eq!(sum.to_bits(), want, "{a:e} * {b:e} + {c:e}");
            let want = soft(SoftOp::Mul, [a, b, c]);
            assert_eq!(product_flushed(a, b).to_bits(), want, "{a:e} * {b:e}");
            let divisor = flush(1.0 / b);
            let quotient = quotient_flushed(a, divisor);
            if !quotient.is_nan() {
                lifted[1] += u32::from((a / divisor).abs() == least && quotient == 0.0);
                let want = soft(SoftOp::Div, [a, divisor, c]);
                assert_eq!(quotient.to_bits(), want, "{a:e} / {divisor:e}");
            }
        }
        assert!(lifted.iter().all(|n| *n > 100), "{lifted:?}");
    }
}
