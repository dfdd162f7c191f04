//! Floating point in integer arithmetic: exact in every format and rounding mode.
//!
//! Operations that the host computes correctly (round to nearest in f32 and f64) do not use this
//! module.

/// The rounding mode of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Round {
    /// To nearest, ties to even.
    Nearest,
    Zero,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
    /// To nearest, ties away from zero.
    Away,
}

impl Round {
    pub(crate) fn from_bits(bits: u64) -> Round {
        match bits & 7 {
            0 => Round::Nearest,
            1 => Round::Zero,
            2 => Round::Down,
            3 => Round::Up,
            _ => Round::Away,
        }
    }
}

/// A binary interchange format, or a similar one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub exponent: u32,
    pub fraction: u32,
}

pub(crate) const F16: Format = Format {
    exponent: 5,
    fraction: 10,
};
pub(crate) const BF16: Format = Format {
    exponent: 8,
    fraction: 7,
};
pub(crate) const F32: Format = Format {
    exponent: 8,
    fraction: 23,
};
pub(crate) const F64: Format = Format {
    exponent: 11,
    fraction: 52,
};
/// 19 bits in the position of an f32.
pub(crate) const TF32: Format = Format {
    exponent: 8,
    fraction: 10,
};

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn top(self) -> u64 {
        (1 << self.exponent) - 1
    }

    fn sign_bit(self) -> u32 {
        self.exponent + self.fraction
    }

    pub(crate) fn infinity(self, negative: bool) -> u64 {
        self.top() << self.fraction | u64::from(negative) << self.sign_bit()
    }

    fn largest(self, negative: bool) -> u64 {
        self.infinity(negative) - 1
    }

    pub(crate) fn zero(self, negative: bool) -> u64 {
        u64::from(negative) << self.sign_bit()
    }

    /// Returns the NaN that operations return.
    pub(crate) fn nan(self) -> u64 {
        if self == F64 {
            0xfff8_0000_0000_0000
        } else {
            (1 << self.sign_bit()) - 1
        }
    }

    /// Flushes a subnormal number to a zero of the same sign.
    pub(crate) fn flush(self, bits: u64) -> u64 {
        if bits >> self.fraction & self.top() == 0 {
            bits & 1 << self.sign_bit()
        } else {
            bits
        }
    }

    pub(crate) fn negative(self, bits: u64) -> bool {
        bits >> self.sign_bit() & 1 != 0
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        bits >> self.fraction & self.top() == self.top() && bits & ((1 << self.fraction) - 1) != 0
    }
}

/// An unpacked number: `mantissa * 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Nan,
    Infinite(bool),
    Zero(bool),
    Finite {
        negative: bool,
        exponent: i32,
        mantissa: u128,
    },
}

/// Unpacks a number.
pub(crate) fn unpack(bits: u64, format: Format) -> Value {
    let negative = format.negative(bits);
    let exponent = bits >> format.fraction & format.top();
    let fraction = bits & ((1 << format.fraction) - 1);
    let lowest = 1 - format.bias() - format.fraction as i32;
    match (exponent, fraction) {
        (0, 0) => Value::Zero(negative),
        (0, _) => Value::Finite {
            negative,
            exponent: lowest,
            mantissa: fraction.into(),
        },
        (e, 0) if e == format.top() => Value::Infinite(negative),
        (e, _) if e == format.top() => Value::Nan,
        (e, _) => Value::Finite {
            negative,
            exponent: lowest + e as i32 - 1,
            mantissa: (fraction | 1 << format.fraction).into(),
        },
    }
}

/// Rounds `mantissa * 2^exponent`. `sticky` means that the exact value is larger by less than the
/// last bit.
pub(crate) fn pack(
    negative: bool,
    exponent: i32,
    mantissa: u128,
    sticky: bool,
    format: Format,
    round: Round,
) -> u64 {
    let (mut mantissa, mut exponent) = (mantissa, exponent);
    if mantissa == 0 {
        if !sticky {
            return format.zero(negative);
        }
        (mantissa, exponent) = (1, exponent - 256);
    }
    let top = 127 - mantissa.leading_zeros() as i32;
    let fraction = format.fraction as i32;
    // The exponent of the result's last bit.
    let mut last = (exponent + top - fraction).max(1 - format.bias() - fraction);
    let shift = last - exponent;
    let (mut kept, rest, half) = match shift {
        ..=0 => (mantissa << -shift, 0, 1u128),
        1..=127 => (
            mantissa >> shift,
            mantissa & ((1 << shift) - 1),
            1u128 << (shift - 1),
        ),
        _ => (0, 1, 2),
    };
    let inexact = rest != 0 || sticky;
    let half = if shift <= 0 { u128::MAX } else { half };
    let up = match round {
        Round::Nearest => rest > half || rest == half && (sticky || kept & 1 == 1),
        Round::Away => rest >= half,
        Round::Zero => false,
        Round::Down => negative && inexact,
        Round::Up => !negative && inexact,
    };
    kept += u128::from(up);
    if kept >> (fraction + 1) != 0 {
        kept >>= 1;
        last += 1;
    }
    if kept >> fraction == 0 {
        return format.zero(negative) | kept as u64;
    }
    let biased = last + fraction + format.bias();
    if biased >= format.top() as i32 {
        let infinite = match round {
            Round::Nearest | Round::Away => true,
            Round::Zero => false,
            Round::Down => negative,
            Round::Up => !negative,
        };
        return if infinite {
            format.infinity(negative)
        } else {
            format.largest(negative)
        };
    }
    format.zero(negative) | (biased as u64) << fraction | (kept as u64 & ((1 << fraction) - 1))
}

/// `a * b`
pub(crate) fn mul(a: u64, b: u64, format: Format, round: Round) -> u64 {
    match product(unpack(a, format), unpack(b, format)) {
        Value::Nan => format.nan(),
        Value::Infinite(n) => format.infinity(n),
        Value::Zero(n) => format.zero(n),
        Value::Finite {
            negative,
            exponent,
            mantissa,
        } => pack(negative, exponent, mantissa, false, format, round),
    }
}

fn product(a: Value, b: Value) -> Value {
    use Value::*;
    let sign = |v| match v {
        Infinite(n) | Zero(n) => n,
        Finite { negative, .. } => negative,
        Nan => false,
    };
    let negative = sign(a) != sign(b);
    match (a, b) {
        (Nan, _) | (_, Nan) | (Infinite(_), Zero(_)) | (Zero(_), Infinite(_)) => Nan,
        (Infinite(_), _) | (_, Infinite(_)) => Infinite(negative),
        (Zero(_), _) | (_, Zero(_)) => Zero(negative),
        (
            Finite {
                exponent: e,
                mantissa: m,
                ..
            },
            Finite {
                exponent: f,
                mantissa: n,
                ..
            },
        ) => Finite {
            negative,
            exponent: e + f,
            mantissa: m * n,
        },
    }
}

/// `a + b`
pub(crate) fn add(a: u64, b: u64, format: Format, round: Round) -> u64 {
    sum(unpack(a, format), unpack(b, format), format, round)
}

/// `a * b + c`, rounded once.
pub(crate) fn fma(a: u64, b: u64, c: u64, format: Format, round: Round) -> u64 {
    sum(
        product(unpack(a, format), unpack(b, format)),
        unpack(c, format),
        format,
        round,
    )
}

fn sum(a: Value, b: Value, format: Format, round: Round) -> u64 {
    use Value::*;
    match (a, b) {
        (Nan, _) | (_, Nan) => format.nan(),
        (Infinite(m), Infinite(n)) => {
            if m == n {
                format.infinity(m)
            } else {
                format.nan()
            }
        }
        (Infinite(n), _) | (_, Infinite(n)) => format.infinity(n),
        (Zero(m), Zero(n)) => format.zero(if m == n { m } else { round == Round::Down }),
        (
            Zero(_),
            Finite {
                negative,
                exponent,
                mantissa,
            },
        )
        | (
            Finite {
                negative,
                exponent,
                mantissa,
            },
            Zero(_),
        ) => pack(negative, exponent, mantissa, false, format, round),
        (
            Finite {
                negative: m,
                exponent: e,
                mantissa: x,
            },
            Finite {
                negative: n,
                exponent: f,
                mantissa: y,
            },
        ) => {
            // Both leading bits are at position 125, so nothing is lost on the left.
            let (sx, sy) = (x.leading_zeros() as i32 - 2, y.leading_zeros() as i32 - 2);
            let (mut big, mut small) = ((m, e - sx, x << sx), (n, f - sy, y << sy));
            if (small.1, small.2) > (big.1, big.2) {
                std::mem::swap(&mut big, &mut small);
            }
            let distance = big.1 - small.1;
            let (shifted, sticky) = if distance >= 127 {
                (0, true)
            } else {
                (small.2 >> distance, small.2 & ((1 << distance) - 1) != 0)
            };
            if big.0 == small.0 {
                return pack(big.0, big.1, big.2 + shifted, sticky, format, round);
            }
            let difference = big.2 - shifted - u128::from(sticky);
            if difference == 0 && !sticky {
                return format.zero(round == Round::Down);
            }
            pack(big.0, big.1, difference, sticky, format, round)
        }
    }
}

/// `a / b`
pub(crate) fn div(a: u64, b: u64, format: Format, round: Round) -> u64 {
    use Value::*;
    let negative = format.negative(a) != format.negative(b);
    match (unpack(a, format), unpack(b, format)) {
        (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) | (Zero(_), Zero(_)) => format.nan(),
        (Infinite(_), _) | (_, Zero(_)) => format.infinity(negative),
        (Zero(_), _) | (_, Infinite(_)) => format.zero(negative),
        (
            Finite {
                exponent: e,
                mantissa: x,
                ..
            },
            Finite {
                exponent: f,
                mantissa: y,
                ..
            },
        ) => {
            let shift = x.leading_zeros() as i32 - 1;
            let x = x << shift;
            pack(
                negative,
                e - shift - f,
                x / y,
                !x.is_multiple_of(y),
                format,
                round,
            )
        }
    }
}

/// Returns the square root.
pub(crate) fn sqrt(a: u64, format: Format, round: Round) -> u64 {
    use Value::*;
    match unpack(a, format) {
        Zero(n) => format.zero(n),
        Infinite(false) => format.infinity(false),
        Finite {
            negative: false,
            exponent,
            mantissa,
        } => {
            let mut shift = mantissa.leading_zeros() as i32 - 1;
            if (exponent - shift) % 2 != 0 {
                shift -= 1;
            }
            let x = mantissa << shift;
            let root = x.isqrt();
            pack(
                false,
                (exponent - shift) / 2,
                root,
                root * root != x,
                format,
                round,
            )
        }
        _ => format.nan(),
    }
}

/// Converts from one format to another.
pub(crate) fn convert(a: u64, from: Format, to: Format, round: Round) -> u64 {
    match unpack(a, from) {
        Value::Nan => to.nan(),
        Value::Infinite(n) => to.infinity(n),
        Value::Zero(n) => to.zero(n),
        Value::Finite {
            negative,
            exponent,
            mantissa,
        } => pack(negative, exponent, mantissa, false, to, round),
    }
}
