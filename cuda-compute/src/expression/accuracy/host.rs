//! Functions of `f64` on the host, which are accurate enough to check `f32`.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_10, PI, SQRT_2};

// Functions of the C library, to which the standard library links.
// SAFETY: the declarations match those of C, and the functions accept any number.
unsafe extern "C" {
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn tgamma(x: f64) -> f64;
    safe fn lgamma_r(x: f64, sign: &mut i32) -> f64;
    safe fn j0(x: f64) -> f64;
    safe fn j1(x: f64) -> f64;
    safe fn y0(x: f64) -> f64;
    safe fn y1(x: f64) -> f64;
    safe fn fdim(x: f64, y: f64) -> f64;
}

/// Returns the function of one argument with this name.
pub(super) fn unary(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "sqrt" => f64::sqrt,
        "rsqrt" => |x| 1.0 / x.sqrt(),
        "cbrt" => f64::cbrt,
        "rcbrt" => |x| 1.0 / x.cbrt(),
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "exp10" => exp10,
        "exp_m1" => f64::exp_m1,
        "ln" => f64::ln,
        "ln_1p" => f64::ln_1p,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sinpi" => sinpi,
        "cospi" => cospi,
        "sinh" => f64::sinh,
        "cosh" => f64::cosh,
        "tanh" => f64::tanh,
        "asinh" => asinh,
        "acosh" => acosh,
        "atanh" => atanh,
        "erf" => |x| erf(x),
        "erfc" => |x| erfc(x),
        "erfcx" => erfcx,
        "erfinv" => inverse_erf,
        "erfcinv" => inverse_erfc,
        "normcdf" => |x| 0.5 * erfc(-x / SQRT_2),
        "normcdfinv" => |p| 0.0 - SQRT_2 * inverse_erfc(2.0 * p),
        "sigmoid" => |x| 1.0 / (1.0 + (-x).exp()),
        "silu" => |x| x / (1.0 + (-x).exp()),
        "gelu" => |x| 0.5 * x * erfc(-x / SQRT_2),
        "lgamma" => lgamma,
        "tgamma" => gamma,
        "j0" => |x| j0(x),
        "j1" => |x| j1(x),
        "y0" => |x| y0(x),
        "y1" => |x| y1(x),
        "i0" => |x| bessel_i(0, x),
        "i1" => |x| bessel_i(1, x),
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "round" => f64::round,
        "round_ties_even" => f64::round_ties_even,
        "trunc" => f64::trunc,
        "fract" => f64::fract,
        "signum" => f64::signum,
        "frexp_fraction" => fraction,
        _ => return None,
    })
}

/// Returns the function of two arguments with this name.
pub(super) fn binary(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "hypot" => f64::hypot,
        "pow" => f64::powf,
        "atan2" => f64::atan2,
        "copysign" => f64::copysign,
        "fdim" => |x, y| fdim(x, y),
        _ => return None,
    })
}

/// Splits off the integer power of 10, which is exact or nearest, because the error of a power is
/// relative to the exponent.
fn exp10(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 400.0 {
        return 10f64.powf(x);
    }
    10f64.powf(x.round()) * ((x - x.round()) * LN_10).exp()
}

/// The standard library's `asinh` loses bits near 0.
fn asinh(x: f64) -> f64 {
    let size = x.abs();
    match size {
        0.0 => x,
        _ if size > 1e8 => (size.ln() + 2f64.ln()).copysign(x),
        _ => (size + size * size / (1.0 + size.hypot(1.0)))
            .ln_1p()
            .copysign(x),
    }
}

fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x > 1e8 {
        return x.ln() + 2f64.ln();
    }
    let above = x - 1.0;
    (above + (above * (x + 1.0)).sqrt()).ln_1p()
}

fn atanh(x: f64) -> f64 {
    0.5 * (2.0 * x / (1.0 - x)).ln_1p()
}

/// Reduces the argument to one turn, from −1 to 1 in units of half turns. The result is exact.
fn turned(x: f64) -> f64 {
    x - 2.0 * (x / 2.0).round()
}

fn sinpi(x: f64) -> f64 {
    let turned = turned(x);
    let value = match turned.abs() {
        size if size <= 0.25 => (PI * size).sin(),
        size if size <= 0.75 => (PI * (0.5 - size)).cos(),
        size => (PI * (1.0 - size)).sin(),
    };
    // A zero has the sign of the argument.
    match value {
        0.0 => 0f64.copysign(x),
        _ => value.copysign(turned),
    }
}

fn cospi(x: f64) -> f64 {
    match turned(x).abs() {
        size if size <= 0.25 => (PI * size).cos(),
        size if size <= 0.75 => (PI * (0.5 - size)).sin(),
        size => -(PI * (1.0 - size)).cos(),
    }
}

/// Uses the asymptotic series where the factors overflow or underflow.
fn erfcx(x: f64) -> f64 {
    if x < 25.0 || x.is_nan() {
        return (x * x).exp() * erfc(x);
    }
    if x > 1e9 {
        return FRAC_2_SQRT_PI / 2.0 / x;
    }
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..12 {
        term *= -f64::from(2 * k - 1) / (2.0 * x * x);
        sum += term;
    }
    sum * FRAC_2_SQRT_PI / 2.0 / x
}

/// Uses Newton's method near 0, and elsewhere the inverse of the complementary function.
fn inverse_erf(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 1.0 {
        return f64::NAN;
    }
    if x.abs() > 0.5 {
        return inverse_erfc(1.0 - x.abs()).copysign(x);
    }
    let mut t = x / FRAC_2_SQRT_PI;
    for _ in 0..20 {
        t -= (erf(t) - x) / (FRAC_2_SQRT_PI * (-t * t).exp());
    }
    if x == 0.0 { x } else { t }
}

/// Uses Newton's method on the logarithm.
fn inverse_erfc(q: f64) -> f64 {
    match q {
        _ if q.is_nan() || !(0.0..=2.0).contains(&q) => f64::NAN,
        0.0 => f64::INFINITY,
        _ if q > 0.5 => inverse_erf(1.0 - q),
        _ => {
            let mut t = (-q.ln()).sqrt();
            for _ in 0..60 {
                // erfcx keeps all bits where erfc has few left.
                let scaled = erfcx(t);
                t += (scaled.ln() - t * t - q.ln()) * scaled / FRAC_2_SQRT_PI;
            }
            t
        }
    }
}

fn lgamma(x: f64) -> f64 {
    lgamma_r(x, &mut 0)
}

fn gamma(x: f64) -> f64 {
    tgamma(x)
}

/// Uses the power series, whose terms all have the same sign.
fn bessel_i(order: u32, x: f64) -> f64 {
    let sign = if order == 1 { x.signum() } else { 1.0 };
    let half = x.abs() / 2.0;
    if half > 350.0 {
        return sign * f64::INFINITY;
    }
    let mut term = half.powi(order as i32);
    let mut sum = term;
    for k in 1..1000 {
        term *= half / f64::from(k) * (half / f64::from(k + order));
        sum += term;
    }
    sign * sum
}

/// Returns the fraction of `frexp`, of magnitude 0.5 to 1.
fn fraction(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let scaled = if x.abs() < f64::MIN_POSITIVE {
        x * 2f64.powi(60)
    } else {
        x
    };
    f64::from_bits(scaled.to_bits() & !(0x7ff << 52) | 1022 << 52)
}
