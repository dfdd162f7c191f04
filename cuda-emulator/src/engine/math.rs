//! One lane's arithmetic where it differs from the host's: NaNs, flushing, saturation, minimum and maximum,
//! approximate functions, half precision.

use super::soft::{self, Format, Round};

/// The NaN of every f32 operation.
pub(super) const NAN32: u32 = 0x7fff_ffff;

/// Makes any NaN the one that the GPU gives.
///
/// Done on the bits: the compiler takes the bits of a NaN for arbitrary and would drop the same choice among floats.
#[inline(always)]
pub(super) fn quiet(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN32
    } else {
        bits
    })
}

/// Flushes a subnormal to a zero of its sign.
#[inline(always)]
pub(super) fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    })
}

/// Flushes the result of an operation. What is subnormal before rounding is flushed although rounding lifts it to the
/// smallest normal number; `truncated` computes the result rounded towards zero, to tell.
#[inline(always)]
pub(super) fn flush_result(x: f32, truncated: impl FnOnce() -> u64) -> f32 {
    if x.to_bits() & 0x7fff_ffff == 0x0080_0000 {
        flush(f32::from_bits(truncated() as u32))
    } else {
        flush(x)
    }
}

/// `a * b` with subnormal results flushed, also those that rounding would lift to the smallest normal number.
#[inline(always)]
pub(super) fn product_flushed(a: f32, b: f32) -> f32 {
    // The double holds the product whole.
    let product = f64::from(a) * f64::from(b);
    if product.abs() < f64::from(f32::MIN_POSITIVE) {
        0.0f32.copysign(product as f32)
    } else {
        product as f32
    }
}

/// The NaN that an operation in double precision gives for these operands: of those that are NaNs the first, made quiet;
/// the default NaN where there is none.
#[inline(always)]
pub(super) fn nan64<const N: usize>(operands: [f64; N]) -> f64 {
    let mut nan = soft::F64.nan();
    for x in operands.into_iter().rev() {
        if x.is_nan() {
            nan = x.to_bits() | 1 << 51;
        }
    }
    f64::from_bits(nan)
}

/// `x`, or the NaN for these operands, which lie in the order of their precedence.
#[inline(always)]
pub(super) fn result64<const N: usize>(x: f64, operands: [f64; N]) -> f64 {
    let nan = nan64(operands).to_bits();
    f64::from_bits(if x.is_nan() { nan } else { x.to_bits() })
}

/// Clamps to 0 to 1; NaN and −0 become +0.
#[inline(always)]
pub(super) fn saturate(x: f32) -> f32 {
    if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// As [`saturate`].
#[inline(always)]
pub(super) fn saturate64(x: f64) -> f64 {
    if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// Minimum or maximum of floats: −0 is less than +0; a NaN loses unless it is asked to win. Without branches, so that
/// the loop over the lanes becomes vector code.
#[inline(always)]
pub(super) fn min_max_f32(a: f32, b: f32, max: bool, nan: bool) -> f32 {
    let is_nan = |x: f32| x.to_bits() & 0x7fff_ffff > 0x7f80_0000;
    let (a_nan, b_nan) = (is_nan(a), is_nan(b));
    let pick_a = b_nan | (((order32(a) < order32(b)) != max) & !a_nan);
    let picked = if pick_a { a.to_bits() } else { b.to_bits() };
    let no_number = if nan { a_nan | b_nan } else { a_nan & b_nan };
    f32::from_bits(if no_number { NAN32 } else { picked })
}

#[inline(always)]
fn order32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// As [`min_max_f32`], without the choice.
#[inline(always)]
pub(super) fn min_max_f64(a: f64, b: f64, max: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return match (a.is_nan(), b.is_nan()) {
            (true, true) => nan64([b]),
            (true, false) => b,
            _ => a,
        };
    }
    let order = |x: f64| {
        let bits = x.to_bits() as i64;
        bits ^ ((bits >> 63) as u64 >> 1) as i64
    };
    let first = order(a) < order(b);
    if first != max { a } else { b }
}

/// What an operation in software does; packed into an instruction's immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
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
    MulAddSeparate,
}

const SOFT_OPS: [SoftOp; 12] = [
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
    SoftOp::MulAddSeparate,
];

/// A software operation with its variant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Soft {
    pub op: SoftOp,
    pub round: Round,
    /// Index into [`FORMATS`].
    pub format: u8,
    pub ftz: bool,
    pub sat: bool,
    pub relu: bool,
    /// A NaN wins a minimum or maximum.
    pub nan: bool,
    /// The sign of a minimum or maximum is the exclusive or of the operands', its size that of the larger.
    pub xorsign: bool,
    pub abs: bool,
    /// Two values in one register.
    pub packed: bool,
}

/// Index of double precision in [`FORMATS`].
const DOUBLE: u8 = 3;

/// Formats by number.
pub(super) const FORMATS: [Format; 4] = [soft::F16, soft::BF16, soft::F32, soft::F64];

impl Soft {
    pub(super) fn new(op: SoftOp, format: u8) -> Soft {
        Soft {
            op,
            round: Round::Nearest,
            format,
            ftz: false,
            sat: false,
            relu: false,
            nan: false,
            xorsign: false,
            abs: false,
            packed: false,
        }
    }

    pub(super) fn pack(self) -> u64 {
        let flag = |b: bool, at: u32| u64::from(b) << at;
        self.op as u64
            | (self.round as u64) << 8
            | u64::from(self.format) << 12
            | flag(self.ftz, 16)
            | flag(self.sat, 17)
            | flag(self.relu, 18)
            | flag(self.nan, 19)
            | flag(self.xorsign, 20)
            | flag(self.abs, 21)
            | flag(self.packed, 22)
    }

    fn unpack(bits: u64) -> Soft {
        let flag = |at: u32| bits >> at & 1 != 0;
        Soft {
            op: SOFT_OPS[(bits & 0xff) as usize % SOFT_OPS.len()],
            round: Round::from_bits(bits >> 8),
            format: (bits >> 12 & 3) as u8,
            ftz: flag(16),
            sat: flag(17),
            relu: flag(18),
            nan: flag(19),
            xorsign: flag(20),
            abs: flag(21),
            packed: flag(22),
        }
    }

    fn one(self, a: u64, b: u64, c: u64) -> u64 {
        let f = FORMATS[self.format as usize];
        let sign = f.zero(true);
        let flush = |x: u64| if self.ftz { f.flush(x) } else { x };
        let (a, b, c) = (flush(a), flush(b), flush(c));
        let mut out = self.operation(a, b, c, f);
        if self.ftz && out & !sign == 1 << f.fraction {
            // Subnormal before rounding counts.
            let truncated = Soft {
                round: Round::Zero,
                ..self
            };
            out = truncated.operation(a, b, c, f);
        }
        if self.format == DOUBLE && f.is_nan(out) {
            out = self.nan64(a, b, c);
        }
        out = flush(out);
        if self.sat {
            let one = (f.infinity(false) >> (f.fraction + 1)) << f.fraction;
            out = if f.is_nan(out) || f.negative(out) {
                0
            } else {
                out.min(one)
            };
        }
        if self.relu {
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

    /// Double precision lets the operands' NaNs through, each operation with its own precedence.
    fn nan64(self, a: u64, b: u64, c: u64) -> u64 {
        let [a, b, c] = [a, b, c].map(f64::from_bits);
        let nan = match self.op {
            SoftOp::Fma | SoftOp::MulAddSeparate => nan64([b, c, a]),
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
            SoftOp::MulAddSeparate => soft::add(soft::mul(a, b, f, self.round), c, f, self.round),
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
        let flip = if self.xorsign { (a ^ b) & sign } else { 0 };
        let clear = |x: u64| if self.abs { x & !sign } else { x };
        let (a, b) = (clear(a), clear(b));
        let (an, bn) = (f.is_nan(a), f.is_nan(b));
        if an && bn || self.nan && (an || bn) {
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
        if self.xorsign {
            picked & !sign | flip
        } else {
            picked
        }
    }
}

/// Runs a packed [`Soft`] on one lane.
pub(super) fn soft_lane(a: u64, b: u64, c: u64, imm: u64) -> u64 {
    let op = Soft::unpack(imm);
    if op.packed {
        let half = |shift: u32| {
            op.one(
                a >> shift & 0xffff,
                b >> shift & 0xffff,
                c >> shift & 0xffff,
            ) << shift
        };
        half(0) | half(16)
    } else {
        op.one(a, b, c)
    }
}

/// `a / b` as `div.approx` gives it: a product with the reciprocal, zero for divisors above 2^126.
#[inline(always)]
pub(super) fn div_approx(a: f32, b: f32) -> f32 {
    if b.abs() > f32::from_bits(0x7e80_0000) && b.is_finite() {
        return if a.is_infinite() || a.is_nan() {
            f32::from_bits(NAN32)
        } else {
            0.0f32.copysign(a) * b.signum()
        };
    }
    quiet(a / b)
}

/// Half to single.
#[inline(always)]
pub(super) fn half_to_single(h: u16) -> f32 {
    let sign = u32::from(h & 0x8000) << 16;
    let magnitude = u32::from(h & 0x7fff);
    // Move exponent and fraction to their places, then scale by 2^112 to correct the bias; exact for subnormals too.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    let bits = if magnitude >= 0x7c00 {
        magnitude << 13 | 0x7f80_0000
    } else {
        scaled.to_bits()
    };
    f32::from_bits(bits | sign)
}

/// Single to half, to nearest even.
#[inline(always)]
pub(super) fn single_to_half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    let out = if magnitude > 0x7f80_0000 {
        return 0x7fff;
    } else if magnitude >= 0x477f_f000 {
        0x7c00
    } else if magnitude < 0x3880_0000 {
        // Subnormal: adding 0.5 leaves the result's bits at the bottom, rounded by the addition.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
    } else {
        (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x3800_0000) >> 13
    };
    sign | out as u16
}

/// Brain float to single.
#[inline(always)]
pub(super) fn brain_to_single(b: u16) -> f32 {
    f32::from_bits(u32::from(b) << 16)
}

/// Single to brain float, to nearest even.
#[inline(always)]
pub(super) fn single_to_brain(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        0x7fff
    } else {
        ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
    }
}

/// Double to single, to odd: rounding it again to a shorter format can't go wrong.
#[inline(always)]
fn odd_sum(p: f64, c: f64) -> f64 {
    let s = p + c;
    if !s.is_finite() {
        return s;
    }
    let t = s - p;
    let error = (p - (s - t)) + (c - t);
    if error == 0.0 || s.to_bits() & 1 == 1 {
        return s;
    }
    // The true value lies beside s, on the side of the error: step there if that is towards zero, else to the odd
    // neighbour away from it.
    let away = (error > 0.0) == (s > 0.0);
    f64::from_bits(if away {
        s.to_bits() | 1
    } else {
        s.to_bits() - 1
    })
}

/// Fused multiply-add of halves, to nearest even.
#[inline(always)]
pub(super) fn fma_half(a: u16, b: u16, c: u16) -> u16 {
    let p = f64::from(half_to_single(a)) * f64::from(half_to_single(b));
    double_to_half(odd_sum(p, f64::from(half_to_single(c))))
}

/// Fused multiply-add of brain floats, to nearest even.
#[inline(always)]
pub(super) fn fma_brain(a: u16, b: u16, c: u16) -> u16 {
    let p = f64::from(brain_to_single(a)) * f64::from(brain_to_single(b));
    soft::convert(
        odd_sum(p, f64::from(brain_to_single(c))).to_bits(),
        soft::F64,
        soft::BF16,
        Round::Nearest,
    ) as u16
}

/// Double to half through an odd single: the double holds no more than an odd last bit matters for.
#[inline(always)]
fn double_to_half(x: f64) -> u16 {
    let s = x as f32;
    let back = f64::from(s);
    if back == x || !s.is_finite() || x.is_nan() || s.to_bits() & 1 == 1 {
        return single_to_half(s);
    }
    let away = (x > back) == (s > 0.0);
    if s == 0.0 {
        return if x.is_sign_negative() { 0x8000 } else { 0 };
    }
    single_to_half(f32::from_bits(if away {
        s.to_bits() | 1
    } else {
        s.to_bits() - 1
    }))
}

/// Sine for `sin.approx`; the argument is reduced in double, more exactly than a GPU does.
pub(super) fn sin(x: f32) -> f32 {
    quiet(f64::from(x).sin() as f32)
}

/// Cosine for `cos.approx`.
pub(super) fn cos(x: f32) -> f32 {
    quiet(f64::from(x).cos() as f32)
}

/// `1 / sqrt(x)`
pub(super) fn rsqrt(x: f32) -> f32 {
    if x == 0.0 {
        f32::INFINITY.copysign(x)
    } else {
        quiet((1.0 / f64::from(x).sqrt()) as f32)
    }
}
