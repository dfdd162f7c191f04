//! The error that the PTX manual allows for approximate instructions.

/// A floating-point format, and the number of values in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One half.
    F16,
    /// Two halves.
    F16x2,
    /// One bfloat16.
    Bf16,
    /// Two bfloat16.
    Bf16x2,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// An approximated function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// 2 to the power of x.
    Ex2,
    /// Logarithm to base 2.
    Lg2,
    /// Sine of radians.
    Sin,
    /// Cosine of radians.
    Cos,
    /// Hyperbolic tangent.
    Tanh,
    /// 1 / x.
    Rcp,
    /// 1 / x from the upper half of a double, as a seed for iterations.
    RcpGross,
    /// Square root.
    Sqrt,
    /// 1 / square root.
    Rsqrt,
    /// 1 / square root from the upper half of a double.
    RsqrtGross,
    /// Division, `div.approx`.
    Div,
    /// Division over the whole range, `div.full`.
    DivFull,
}

/// An approximate instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximate {
    /// The function.
    pub function: Function,
    /// The format of operands and result.
    pub format: Format,
    /// Whether subnormal operands and results count as zero.
    pub ftz: bool,
}

impl Format {
    /// Returns mantissa bits, exponent bits, and values per register.
    fn layout(self) -> (u32, u32, u32) {
        match self {
            Self::F16 => (10, 5, 1),
            Self::F16x2 => (10, 5, 2),
            Self::Bf16 => (7, 8, 1),
            Self::Bf16x2 => (7, 8, 2),
            Self::F32 => (23, 8, 1),
            Self::F64 => (52, 11, 1),
        }
    }

    /// Returns the values in a register.
    fn parts(self, bits: u64) -> Vec<u64> {
        let (m, e, count) = self.layout();
        let width = 1 + m + e;
        (0..count)
            .map(|i| bits >> (i * width) & (u64::MAX >> (64 - width)))
            .collect()
    }

    fn value(self, bits: u64, ftz: bool) -> f64 {
        let (m, e, _) = self.layout();
        let sign = if bits >> (m + e) & 1 == 1 { -1.0 } else { 1.0 };
        let exponent = bits >> m & ((1 << e) - 1);
        let mantissa = bits & ((1 << m) - 1);
        let bias = (1i32 << (e - 1)) - 1;
        if exponent == (1 << e) - 1 {
            return if mantissa == 0 {
                sign * f64::INFINITY
            } else {
                f64::NAN
            };
        }
        if exponent == 0 {
            let subnormal = power(1 - bias - m as i32) * mantissa as f64;
            return sign * if ftz { 0.0 } else { subnormal };
        }
        let whole = (mantissa | 1 << m) as f64;
        // In two steps, since the smallest powers of two are themselves subnormal in double
        // precision.
        sign * (whole * power(-(m as i32))) * power(exponent as i32 - bias)
    }

    /// Returns the distance between numbers around `x`.
    fn ulp(self, x: f64) -> f64 {
        let (m, e, _) = self.layout();
        let lowest = 2 - (1i32 << (e - 1));
        let exponent = if x == 0.0 {
            lowest
        } else {
            x.abs().log2().floor() as i32
        };
        power(exponent.max(lowest) - m as i32)
    }

    fn smallest_normal(self) -> f64 {
        power(2 - (1i32 << (self.layout().1 - 1)))
    }
}

fn power(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

impl Approximate {
    /// Returns whether `got` is as accurate as the manual requires, given a GPU's result. If the
    /// GPU's result is a NaN, an infinity, or a zero without underflow, the bits must be equal.
    #[must_use]
    pub fn allows(&self, operands: &[u64], recorded: u64, got: u64) -> bool {
        let parts: Vec<Vec<u64>> = operands.iter().map(|&o| self.format.parts(o)).collect();
        let results = self
            .format
            .parts(recorded)
            .into_iter()
            .zip(self.format.parts(got));
        results.enumerate().all(|(i, (recorded, got))| {
            let x: Vec<u64> = parts.iter().map(|part| part[i]).collect();
            got == recorded || self.allows_one(&x, recorded, got)
        })
    }

    /// Returns whether a GPU's result has the documented accuracy itself, if one is documented.
    #[must_use]
    pub fn keeps(&self, operands: &[u64], result: u64) -> bool {
        let parts: Vec<Vec<u64>> = operands.iter().map(|&o| self.format.parts(o)).collect();
        let results = self.format.parts(result).into_iter();
        results.enumerate().all(|(i, result)| {
            let x: Vec<f64> = parts
                .iter()
                .map(|part| self.format.value(part[i], self.ftz))
                .collect();
            let got = self.format.value(result, false);
            match self.exact(&x) {
                Some((exact, error)) if got.is_finite() && exact.is_finite() => {
                    self.near(exact, error, got)
                }
                _ => true,
            }
        })
    }

    fn near(&self, exact: f64, error: f64, got: f64) -> bool {
        let flushed = self.ftz && exact.abs() < self.format.smallest_normal() + error;
        (got - exact).abs() <= error || flushed && got == 0.0
    }

    fn allows_one(&self, operands: &[u64], recorded: u64, got: u64) -> bool {
        let x: Vec<f64> = operands
            .iter()
            .map(|&o| self.format.value(o, self.ftz))
            .collect();
        let recorded = self.format.value(recorded, false);
        let got = self.format.value(got, false);
        if !recorded.is_finite() || !got.is_finite() {
            return false;
        }
        let Some((exact, error)) = self.exact(&x) else {
            return match self.function {
                Function::Sin | Function::Cos => got.abs() <= 1.0,
                _ => false,
            };
        };
        if got == 0.0 && recorded == 0.0 {
            return false; // the sign differs
        }
        self.near(exact, error, got)
    }

    /// Returns the result and the documented maximum error. `None` if none is documented.
    fn exact(&self, x: &[f64]) -> Option<(f64, f64)> {
        let relative = |value: f64, bits: f64| {
            // Subnormal numbers cannot satisfy a relative error. For them, the error is one unit.
            let subnormal = value.abs() < self.format.smallest_normal();
            let least = if subnormal {
                self.format.ulp(value)
            } else {
                0.0
            };
            Some((value, (value.abs() * 2f64.powf(-bits)).max(least)))
        };
        let ulps = |value: f64, count: f64| Some((value, self.format.ulp(value) * count));
        let half = |f16: f64, bf16: f64| match self.format {
            Format::F16 | Format::F16x2 => f16,
            _ => bf16,
        };
        match self.function {
            Function::Ex2 => match self.format {
                Format::F32 => ulps(x[0].exp2(), 2.0),
                _ => relative(x[0].exp2(), half(9.9, 7.0)),
            },
            Function::Lg2 => {
                let value = x[0].log2();
                if x[0] > 0.5 && x[0] < 2.0 {
                    Some((value, power(-22)))
                } else {
                    relative(value, 22.0)
                }
            }
            Function::Sin | Function::Cos => {
                let value = match self.function {
                    Function::Sin => x[0].sin(),
                    _ => x[0].cos(),
                };
                let turns = x[0].abs() / std::f64::consts::PI;
                let bits = match () {
                    () if turns <= 2.0 => 20.5,
                    () if turns <= 100.0 => 14.7,
                    () => return None,
                };
                Some((value, 2f64.powf(-bits)))
            }
            Function::Tanh => match self.format {
                Format::F32 => relative(x[0].tanh(), 11.0),
                // The manual gives 2^-8 for bfloat16. The H200 itself has an error of 2^-7.9999 at
                // 0.746.
                _ => Some((x[0].tanh(), 2f64.powf(-half(10.987, 7.999)))),
            },
            Function::Rcp => ulps(1.0 / x[0], 1.0),
            Function::RcpGross => relative(1.0 / x[0], 20.0),
            Function::Sqrt => relative(x[0].sqrt(), 23.0),
            Function::Rsqrt => match self.format {
                Format::F64 => ulps(1.0 / x[0].sqrt(), 2.0),
                _ => relative(1.0 / x[0].sqrt(), 22.9),
            },
            Function::RsqrtGross => relative(1.0 / x[0].sqrt(), 20.0),
            Function::Div if x[1].abs() > power(126) => None,
            Function::Div | Function::DivFull => ulps(x[0] / x[1], 2.0),
        }
    }
}
