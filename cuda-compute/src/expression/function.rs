//! The functions of CUDA's math library and their accuracy.

use super::accuracy::{Accuracy, Apart};
use crate::element::DataType;

/// A function and its names in CUDA C++ for each type. An empty name means that the function does
/// not exist for the type.
#[derive(Debug)]
pub(crate) struct Function {
    /// The name in Rust.
    pub(crate) name: &'static str,
    single: &'static str,
    /// The function template of `kernels/half.cuh` for halves, which otherwise use the one for `f32`.
    half: &'static str,
    double: &'static str,
    complex: &'static str,
    integer: &'static str,
    /// The error bounds, which `guide/accuracy.md` lists and tests check.
    pub(super) accuracy: Accuracy,
    /// Whether `kernels/random.cuh` defines it.
    pub(crate) is_random: bool,
}

/// Functions are compared and hashed by their names in Rust, which are unique.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

impl Eq for Function {}

impl std::hash::Hash for Function {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Function {
    pub(super) fn call(&self, inputs: &[String], data: DataType) -> String {
        let name = match data {
            DataType::F16 | DataType::Bf16 if !self.half.is_empty() => {
                return half_call(self.half, inputs, data);
            }
            DataType::F64 => self.double,
            DataType::F16 | DataType::Bf16 | DataType::F32 => self.single,
            DataType::Complex32 | DataType::Complex64 => self.complex,
            _ => self.integer,
        };
        debug_assert!(!name.is_empty(), "{} of {data:?}", self.name);
        format!("{name}({})", inputs.join(", "))
    }

    /// Creates a function of floats with its error bounds for `f32` and `f64`, in units in the last
    /// place. Halves are less than 1 unit off.
    const fn real(
        name: &'static str,
        (single, single_off): (&'static str, u8),
        (double, double_off): (&'static str, u8),
    ) -> Self {
        Self {
            name,
            single,
            half: "",
            double,
            complex: "",
            integer: "",
            accuracy: Accuracy::of(single_off, double_off),
            is_random: false,
        }
    }

    /// Creates a function of floats whose results are the floats nearest to the exact ones.
    const fn exact(name: &'static str, single: &'static str, double: &'static str) -> Self {
        Self::real(name, (single, 0), (double, 0))
    }

    /// Creates a function of random bits.
    pub(crate) const fn random(name: &'static str, integer: &'static str) -> Self {
        Self {
            integer,
            is_random: true,
            ..Self::exact(name, "", "")
        }
    }

    /// Adds the function for complex numbers, with an error bound in epsilons of the result's
    /// magnitude.
    const fn complex(self, complex: &'static str, off: u8) -> Self {
        Self {
            complex,
            accuracy: self.accuracy.complex(off),
            ..self
        }
    }

    /// Adds the function for halves.
    const fn half(self, half: &'static str) -> Self {
        Self { half, ..self }
    }

    /// Adds the function for integers.
    const fn integer(self, integer: &'static str) -> Self {
        Self { integer, ..self }
    }

    /// Adds a different error bound for a range of arguments.
    const fn apart(self, apart: Apart) -> Self {
        Self {
            accuracy: self.accuracy.apart(apart),
            ..self
        }
    }

    /// Returns whether the function takes floats. Otherwise it takes complex numbers or integers.
    #[cfg(test)]
    pub(super) const fn is_real(&self) -> bool {
        !self.single.is_empty()
    }

    /// Returns whether there is a separate function for halves.
    #[cfg(test)]
    pub(super) const fn has_half(&self) -> bool {
        !self.half.is_empty()
    }

    /// Returns whether the function takes complex numbers.
    #[cfg(test)]
    pub(super) const fn is_complex(&self) -> bool {
        !self.complex.is_empty()
    }
}

/// Renders a call of a function template of `kernels/half.cuh`.
pub(super) fn half_call(name: &str, inputs: &[String], data: DataType) -> String {
    let digits = if data == DataType::F16 { 11 } else { 8 };
    format!("{name}<{digits}>({})", inputs.join(", "))
}

/// The bits of an `f32`. Arrays have no such method.
pub(crate) static TO_BITS: Function = Function::exact("to_bits", "rs_to_bits", "");

macro_rules! functions {
    ($($constant:ident = $function:expr;)*) => {
        $(pub(crate) static $constant: Function = $function;)*

        /// All functions.
        #[cfg(test)]
        pub(super) static ALL: &[&Function] = &[$(&$constant),*];
    };
}

functions! {
    SQRT = Function::exact("sqrt", "sqrtf", "sqrt").half("half_sqrt").complex("c_sqrt", 2);
    RSQRT = Function::real("rsqrt", ("rsqrtf", 2), ("rsqrt", 1)).half("half_rsqrt");
    CBRT = Function::real("cbrt", ("cbrtf", 1), ("cbrt", 1));
    RCBRT = Function::real("rcbrt", ("rcbrtf", 1), ("rcbrt", 1));
    HYPOT = Function::real("hypot", ("hypotf", 3), ("hypot", 2));
    EXP = Function::real("exp", ("expf", 2), ("exp", 1)).half("half_exp").complex("c_exp", 2);
    EXP2 = Function::real("exp2", ("exp2f", 2), ("exp2", 1));
    EXP10 = Function::real("exp10", ("exp10f", 2), ("exp10", 1));
    EXP_M1 = Function::real("exp_m1", ("expm1f", 1), ("expm1", 1));
    LN = Function::real("ln", ("logf", 1), ("log", 1)).half("half_ln").complex("c_log", 3);
    LN_1P = Function::real("ln_1p", ("log1pf", 1), ("log1p", 1));
    LOG2 = Function::real("log2", ("log2f", 1), ("log2", 1));
    LOG10 = Function::real("log10", ("log10f", 2), ("log10", 1)).complex("c_log10", 3);
    POW = Function::real("pow", ("powf", 4), ("pow", 2)).complex("c_pow", 2);
    SIN = Function::real("sin", ("rs_sin", 2), ("sin", 2)).half("half_sin").complex("c_sin", 3);
    COS = Function::real("cos", ("rs_cos", 2), ("cos", 2)).half("half_cos").complex("c_cos", 3);
    TAN = Function::real("tan", ("tanf", 4), ("tan", 2)).complex("c_tan", 4);
    ASIN = Function::real("asin", ("asinf", 2), ("asin", 2));
    ACOS = Function::real("acos", ("acosf", 2), ("acos", 2));
    ATAN = Function::real("atan", ("atanf", 2), ("atan", 2));
    ATAN2 = Function::real("atan2", ("atan2f", 3), ("atan2", 2));
    SINPI = Function::real("sinpi", ("sinpif", 1), ("sinpi", 2));
    COSPI = Function::real("cospi", ("cospif", 1), ("cospi", 2));
    SINH = Function::real("sinh", ("sinhf", 3), ("sinh", 2)).complex("c_sinh", 3);
    COSH = Function::real("cosh", ("coshf", 2), ("cosh", 1)).complex("c_cosh", 3);
    TANH = Function::real("tanh", ("tanhf", 3), ("tanh", 2)).half("half_tanh").complex("c_tanh", 4);
    ASINH = Function::real("asinh", ("asinhf", 3), ("asinh", 3));
    ACOSH = Function::real("acosh", ("acoshf", 4), ("acosh", 3));
    ATANH = Function::real("atanh", ("atanhf", 3), ("atanh", 2));
    ERF = Function::real("erf", ("erff", 2), ("erf", 2)).half("half_erf");
    ERFC = Function::real("erfc", ("erfcf", 4), ("erfc", 5));
    ERFCX = Function::real("erfcx", ("erfcxf", 4), ("erfcx", 4));
    ERFINV = Function::real("erfinv", ("erfinvf", 2), ("erfinv", 5));
    ERFCINV = Function::real("erfcinv", ("erfcinvf", 4), ("erfcinv", 6));
    NORMCDF = Function::real("normcdf", ("normcdff", 5), ("normcdf", 5));
    NORMCDFINV = Function::real("normcdfinv", ("normcdfinvf", 5), ("normcdfinv", 8));
    SIGMOID = Function::real("sigmoid", ("sigmoid", 4), ("sigmoid", 3)).half("half_sigmoid");
    SILU = Function::real("silu", ("silu", 4), ("silu", 3)).half("half_silu").apart(Apart::between(-750.0, -80.0, 1e-42, 1e-48));
    GELU = Function::real("gelu", ("gelu", 4), ("gelu", 4)).half("half_gelu").apart(Apart::between(-40.0, 0.0, 4e-7, 8e-16));
    LGAMMA = Function::real("lgamma", ("lgammaf", 6), ("lgamma", 4)).apart(Apart::between(-11.0, -2.26, 4e-6, 4e-15));
    TGAMMA = Function::real("tgamma", ("tgammaf", 5), ("tgamma", 10));
    J0 = Function::real("j0", ("j0f", 9), ("j0", 7)).apart(Apart::beyond(8.0, 2.2e-6, 5e-12));
    J1 = Function::real("j1", ("j1f", 9), ("j1", 7)).apart(Apart::beyond(8.0, 2.2e-6, 5e-12));
    Y0 = Function::real("y0", ("y0f", 9), ("y0", 7)).apart(Apart::beyond(8.0, 2.2e-6, 5e-12));
    Y1 = Function::real("y1", ("y1f", 9), ("y1", 7)).apart(Apart::beyond(8.0, 2.2e-6, 5e-12));
    I0 = Function::real("i0", ("cyl_bessel_i0f", 6), ("cyl_bessel_i0", 6));
    I1 = Function::real("i1", ("cyl_bessel_i1f", 6), ("cyl_bessel_i1", 6));
    FLOOR = Function::exact("floor", "floorf", "floor");
    CEIL = Function::exact("ceil", "ceilf", "ceil");
    ROUND = Function::exact("round", "roundf", "round");
    ROUND_TIES_EVEN = Function::exact("round_ties_even", "rintf", "rint");
    TRUNC = Function::exact("trunc", "truncf", "trunc");
    FRACT = Function::exact("fract", "rs_fract", "rs_fract");
    MUL_ADD = Function::exact("mul_add", "fmaf", "fma");
    COPYSIGN = Function::exact("copysign", "copysignf", "copysign");
    NEXT_AFTER = Function::exact("next_after", "nextafterf", "nextafter");
    FDIM = Function::exact("fdim", "fdimf", "fdim");
    LDEXP = Function::exact("ldexp", "ldexpf", "ldexp");
    FREXP_FRACTION = Function::exact("frexp_fraction", "frexp_fraction", "frexp_fraction");
    FREXP_EXPONENT = Function::exact("frexp_exponent", "frexp_exponent", "frexp_exponent");
    SIGNUM = Function::exact("signum", "rs_signum", "rs_signum").integer("rs_signum");
    IS_NAN = Function::exact("is_nan", "isnan", "isnan");
    IS_FINITE = Function::exact("is_finite", "isfinite", "isfinite");
    IS_INFINITE = Function::exact("is_infinite", "isinf", "isinf");
    NORM_SQUARED = Function::exact("norm_sqr", "", "").complex("c_norm", 2);
    ARGUMENT = Function::exact("arg", "", "").complex("c_arg", 4);
    COUNT_ONES = Function::exact("count_ones", "", "").integer("rs_count_ones");
}
