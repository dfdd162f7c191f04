//! The methods and constants of numbers that are supported on the device.

use crate::{
    tree::{Constant, Operator},
    types::Scalar::{self, *},
};

/// A method.
pub struct Method {
    pub name: &'static str,
    on: Of,
    /// The types of the arguments after the first.
    pub arguments: &'static [Part],
    pub result: Part,
    pub text: Text,
}

/// The types that have a method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Real,
    Integer,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Natural,
    Number,
}

/// The type of an argument or a result.
#[derive(Clone, Copy)]
pub enum Part {
    /// The type that the method belongs to.
    Own,
    /// The unsigned integer of the same width.
    Unsigned,
    Is(Scalar),
}

/// The form of a call on the device.
#[derive(Clone, Copy)]
pub enum Text {
    /// A CUDA function with this name for `double`, and with the suffix `f` for `float`.
    Math(&'static str),
    /// A template of `scalar.cuh`, instantiated with the type that the method belongs to.
    Helper(&'static str, Scalar),
    /// An overloaded function of `scalar.cuh`.
    Overloaded(&'static str),
    Operator(Operator),
    Reciprocal,
}

use Of::*;
use Part::*;

const fn math(name: &'static str, device: &'static str, arguments: &'static [Part]) -> Method {
    Method {
        name,
        on: Real,
        arguments,
        result: Own,
        text: Text::Math(device),
    }
}

/// Creates a method that calls a helper template. The type in its text is a placeholder, which
/// [`Text::of`] replaces.
const fn helper(
    on: Of,
    name: &'static str,
    device: &'static str,
    arguments: &'static [Part],
    result: Part,
) -> Method {
    Method {
        name,
        on,
        arguments,
        result,
        text: Text::Helper(device, F32),
    }
}

const fn other(
    on: Of,
    name: &'static str,
    arguments: &'static [Part],
    result: Part,
    text: Text,
) -> Method {
    Method {
        name,
        on,
        arguments,
        result,
        text,
    }
}

const METHODS: &[Method] = &[
    math("sin", "sin", &[]),
    math("cos", "cos", &[]),
    math("tan", "tan", &[]),
    math("asin", "asin", &[]),
    math("acos", "acos", &[]),
    math("atan", "atan", &[]),
    math("atan2", "atan2", &[Own]),
    math("sinh", "sinh", &[]),
    math("cosh", "cosh", &[]),
    math("tanh", "tanh", &[]),
    math("asinh", "asinh", &[]),
    math("acosh", "acosh", &[]),
    math("atanh", "atanh", &[]),
    math("exp", "exp", &[]),
    math("exp2", "exp2", &[]),
    math("exp_m1", "expm1", &[]),
    math("ln", "log", &[]),
    math("ln_1p", "log1p", &[]),
    math("log2", "log2", &[]),
    math("log10", "log10", &[]),
    math("sqrt", "sqrt", &[]),
    math("cbrt", "cbrt", &[]),
    math("powf", "pow", &[Own]),
    math("hypot", "hypot", &[Own]),
    math("abs", "fabs", &[]),
    math("floor", "floor", &[]),
    math("ceil", "ceil", &[]),
    math("trunc", "trunc", &[]),
    math("round", "round", &[]),
    math("round_ties_even", "rint", &[]),
    math("copysign", "copysign", &[Own]),
    math("mul_add", "fma", &[Own, Own]),
    math("max", "fmax", &[Own]),
    math("min", "fmin", &[Own]),
    other(Real, "recip", &[], Own, Text::Reciprocal),
    other(
        Real,
        "to_bits",
        &[],
        Unsigned,
        Text::Overloaded("rs_to_bits"),
    ),
    other(
        Real,
        "to_degrees",
        &[],
        Own,
        Text::Overloaded("rs_to_degrees"),
    ),
    other(
        Real,
        "to_radians",
        &[],
        Own,
        Text::Overloaded("rs_to_radians"),
    ),
    helper(Real, "powi", "rs_powi", &[Is(I32)], Own),
    helper(Real, "fract", "rs_fract", &[], Own),
    helper(Real, "is_nan", "rs_is_nan", &[], Is(Bool)),
    helper(Real, "is_finite", "rs_is_finite", &[], Is(Bool)),
    helper(Real, "is_infinite", "rs_is_infinite", &[], Is(Bool)),
    helper(
        Real,
        "is_sign_negative",
        "rs_is_sign_negative",
        &[],
        Is(Bool),
    ),
    helper(Number, "clamp", "rs_clamp", &[Own, Own], Own),
    helper(Number, "rem_euclid", "rs_rem_euclid", &[Own], Own),
    helper(Number, "div_euclid", "rs_div_euclid", &[Own], Own),
    helper(Real, "signum", "rs_signum", &[], Own),
    helper(Signed, "signum", "rs_signum", &[], Own),
    helper(Signed, "abs", "rs_abs", &[], Own),
    helper(Signed, "wrapping_abs", "rs_abs", &[], Own),
    helper(Integer, "max", "rs_max", &[Own], Own),
    helper(Integer, "min", "rs_min", &[Own], Own),
    helper(Integer, "pow", "rs_pow", &[Is(U32)], Own),
    helper(Integer, "wrapping_pow", "rs_pow", &[Is(U32)], Own),
    helper(Integer, "wrapping_neg", "rs_neg", &[], Own),
    helper(Integer, "count_ones", "rs_count_ones", &[], Is(U32)),
    helper(Integer, "leading_zeros", "rs_leading_zeros", &[], Is(U32)),
    helper(Integer, "trailing_zeros", "rs_trailing_zeros", &[], Is(U32)),
    helper(Integer, "rotate_left", "rs_rotate_left", &[Is(U32)], Own),
    helper(Integer, "rotate_right", "rs_rotate_right", &[Is(U32)], Own),
    helper(Integer, "abs_diff", "rs_abs_diff", &[Own], Unsigned),
    helper(
        Natural,
        "is_multiple_of",
        "rs_is_multiple_of",
        &[Own],
        Is(Bool),
    ),
    helper(Natural, "div_ceil", "rs_div_ceil", &[Own], Own),
    helper(Integer, "saturating_add", "rs_saturating_add", &[Own], Own),
    helper(Integer, "saturating_sub", "rs_saturating_sub", &[Own], Own),
    other(
        Integer,
        "wrapping_add",
        &[Own],
        Own,
        Text::Operator(Operator::Add),
    ),
    other(
        Integer,
        "wrapping_sub",
        &[Own],
        Own,
        Text::Operator(Operator::Sub),
    ),
    other(
        Integer,
        "wrapping_mul",
        &[Own],
        Own,
        Text::Operator(Operator::Mul),
    ),
    other(
        Integer,
        "wrapping_shl",
        &[Is(U32)],
        Own,
        Text::Operator(Operator::Shl),
    ),
    other(
        Integer,
        "wrapping_shr",
        &[Is(U32)],
        Own,
        Text::Operator(Operator::Shr),
    ),
    helper(
        Integer,
        "unbounded_shl",
        "rs_unbounded_shl",
        &[Is(U32)],
        Own,
    ),
    helper(
        Integer,
        "unbounded_shr",
        "rs_unbounded_shr",
        &[Is(U32)],
        Own,
    ),
];

impl Of {
    fn includes(self, scalar: Scalar) -> bool {
        match self {
            Real => scalar.is_real(),
            Integer => scalar.is_integer(),
            Signed => scalar.is_integer() && scalar.has_sign(),
            Natural => scalar.is_integer() && !scalar.has_sign(),
            Number => scalar != Bool,
        }
    }
}

impl Part {
    /// Returns the type for a method of `own`.
    pub fn of(self, own: Scalar) -> Scalar {
        match self {
            Own => own,
            Unsigned => own.unsigned(),
            Is(scalar) => scalar,
        }
    }
}

impl Text {
    /// Returns the form for a method of `own`.
    pub fn of(self, own: Scalar) -> Self {
        match self {
            Self::Helper(name, _) => Self::Helper(name, own),
            text => text,
        }
    }
}

/// Returns the method with this name.
pub fn find(own: Scalar, name: &str) -> Option<&'static Method> {
    METHODS
        .iter()
        .find(|method| method.name == name && method.on.includes(own))
}

/// Returns the method that replaces a function of C, such as `sqrtf` or `__expf`.
pub fn of_c(name: &str) -> Option<&'static Method> {
    let double = name.trim_start_matches("__");
    let single = double.strip_suffix('f').unwrap_or(double);
    let is_called = |method: &&Method, name: &str| {
        matches!(method.text, Text::Math(device) if device == name)
            || (method.name == name && !matches!(method.text, Text::Math(_)))
    };
    let find = |name: &str| METHODS.iter().find(|method| is_called(method, name));
    match single {
        "abs" => METHODS.iter().find(|method| method.name == "abs"),
        "max" | "min" => METHODS.iter().find(|method| method.name == single),
        _ => find(double).or_else(|| find(single)),
    }
}

/// Returns the alternative for a method that the device lacks.
pub fn remedy(own: Scalar, name: &str) -> String {
    let instead = match name {
        "sin_cos" => "call `sin` and `cos`",
        "log" => "divide the logarithms, as in `x.ln() / base.ln()`",
        "is_sign_positive" => "write `!x.is_sign_negative()`",
        "is_positive" => "write `x > 0`",
        "is_negative" => "write `x < 0`",
        "count_zeros" => "count the ones of `!x`",
        "checked_add" | "checked_sub" | "checked_mul" | "checked_div" => {
            "there is no `Option` on the device, and operators wrap around"
        }
        "into" => "convert with `as`",
        "clone" | "to_owned" => "numbers are copied implicitly, so leave it out",
        _ => "",
    };
    if !instead.is_empty() {
        return instead.into();
    }
    let known: Vec<&str> = METHODS
        .iter()
        .filter(|method| method.on.includes(own))
        .map(|method| method.name)
        .collect();
    if known.is_empty() {
        return format!("`{}` has no methods there", own.rust());
    }
    format!("the methods of `{}` are {}", own.rust(), known.join(", "))
}

/// Returns the constant with this name in `T::name`.
pub fn associated(own: Scalar, name: &str) -> Option<(Constant, Scalar)> {
    if own.is_integer() {
        let highest = own.highest() as i128;
        let (value, ty) = match name {
            "MAX" => (highest, own),
            "MIN" if own.has_sign() => (-highest - 1, own),
            "MIN" => (0, own),
            "BITS" => (i128::from(own.width()), U32),
            _ => return None,
        };
        return Some((Constant::Integer(value), ty));
    }
    macro_rules! of {
        ($type:ident $kind:ident) => {
            Constant::$kind(match name {
                "INFINITY" => $type::INFINITY,
                "NEG_INFINITY" => $type::NEG_INFINITY,
                "NAN" => $type::NAN,
                "EPSILON" => $type::EPSILON,
                "MAX" => $type::MAX,
                "MIN" => $type::MIN,
                "MIN_POSITIVE" => $type::MIN_POSITIVE,
                _ => return None,
            })
        };
    }
    match own {
        F32 => Some((of!(f32 Single), F32)),
        F64 => Some((of!(f64 Real), F64)),
        _ => None,
    }
}

/// Returns the constant with this name in `std::f32::consts` or `std::f64::consts`.
pub fn mathematical(own: Scalar, name: &str) -> Option<Constant> {
    macro_rules! table {
        ($($constant:ident)*) => {
            match (own, name) {
                $((F32, stringify!($constant)) => Some(Constant::Single(std::f32::consts::$constant)),)*
                $((F64, stringify!($constant)) => Some(Constant::Real(std::f64::consts::$constant)),)*
                _ => None,
            }
        };
    }
    table! {
        PI TAU E FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI
        FRAC_1_SQRT_2 SQRT_2 LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2
    }
}
