//! The functions of CUDA's math library, of numbers of one type.

use crate::element::DataType;

/// A function: what it is called in each type. An empty name says that there is none.
#[derive(Debug)]
pub(crate) struct Function {
    /// The name in Rust.
    pub(crate) name: &'static str,
    single: &'static str,
    double: &'static str,
    complex: &'static str,
    integer: &'static str,
    /// Whether it is one of `kernels/random.cuh`.
    pub(crate) is_random: bool,
}

/// Compared and hashed by the name in Rust: there is one for each.
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
            DataType::F64 => self.double,
            DataType::F16 | DataType::Bf16 | DataType::F32 => self.single,
            DataType::Complex32 | DataType::Complex64 => self.complex,
            _ => self.integer,
        };
        debug_assert!(!name.is_empty(), "{} of {data:?}", self.name);
        format!("{name}({})", inputs.join(", "))
    }

    const fn real(name: &'static str, single: &'static str, double: &'static str) -> Self {
        Self {
            name,
            single,
            double,
            complex: "",
            integer: "",
            is_random: false,
        }
    }

    /// A function of random bits.
    pub(crate) const fn random(name: &'static str, integer: &'static str) -> Self {
        Self {
            integer,
            is_random: true,
            ..Self::real(name, "", "")
        }
    }

    const fn complex(self, complex: &'static str) -> Self {
        Self { complex, ..self }
    }
}

macro_rules! functions {
    ($($constant:ident = $function:expr;)*) => {
        $(pub(crate) static $constant: Function = $function;)*
    };
}

functions! {
    SQRT = Function::real("sqrt", "sqrtf", "sqrt").complex("c_sqrt");
    RSQRT = Function::real("rsqrt", "rsqrtf", "rsqrt");
    CBRT = Function::real("cbrt", "cbrtf", "cbrt");
    RCBRT = Function::real("rcbrt", "rcbrtf", "rcbrt");
    HYPOT = Function::real("hypot", "hypotf", "hypot");
    EXP = Function::real("exp", "expf", "exp").complex("c_exp");
    EXP2 = Function::real("exp2", "exp2f", "exp2");
    EXP10 = Function::real("exp10", "exp10f", "exp10");
    EXP_M1 = Function::real("exp_m1", "expm1f", "expm1");
    LN = Function::real("ln", "logf", "log").complex("c_log");
    LN_1P = Function::real("ln_1p", "log1pf", "log1p");
    LOG2 = Function::real("log2", "log2f", "log2");
    LOG10 = Function::real("log10", "log10f", "log10").complex("c_log10");
    POW = Function::real("pow", "powf", "pow").complex("c_pow");
    SIN = Function::real("sin", "sinf", "sin").complex("c_sin");
    COS = Function::real("cos", "cosf", "cos").complex("c_cos");
    TAN = Function::real("tan", "tanf", "tan").complex("c_tan");
    ASIN = Function::real("asin", "asinf", "asin");
    ACOS = Function::real("acos", "acosf", "acos");
    ATAN = Function::real("atan", "atanf", "atan");
    ATAN2 = Function::real("atan2", "atan2f", "atan2");
    SINPI = Function::real("sinpi", "sinpif", "sinpi");
    COSPI = Function::real("cospi", "cospif", "cospi");
    SINH = Function::real("sinh", "sinhf", "sinh").complex("c_sinh");
    COSH = Function::real("cosh", "coshf", "cosh").complex("c_cosh");
    TANH = Function::real("tanh", "tanhf", "tanh").complex("c_tanh");
    ASINH = Function::real("asinh", "asinhf", "asinh");
    ACOSH = Function::real("acosh", "acoshf", "acosh");
    ATANH = Function::real("atanh", "atanhf", "atanh");
    ERF = Function::real("erf", "erff", "erf");
    ERFC = Function::real("erfc", "erfcf", "erfc");
    ERFCX = Function::real("erfcx", "erfcxf", "erfcx");
    ERFINV = Function::real("erfinv", "erfinvf", "erfinv");
    ERFCINV = Function::real("erfcinv", "erfcinvf", "erfcinv");
    NORMCDF = Function::real("normcdf", "normcdff", "normcdf");
    NORMCDFINV = Function::real("normcdfinv", "normcdfinvf", "normcdfinv");
    LGAMMA = Function::real("lgamma", "lgammaf", "lgamma");
    TGAMMA = Function::real("tgamma", "tgammaf", "tgamma");
    J0 = Function::real("j0", "j0f", "j0");
    J1 = Function::real("j1", "j1f", "j1");
    Y0 = Function::real("y0", "y0f", "y0");
    Y1 = Function::real("y1", "y1f", "y1");
    I0 = Function::real("i0", "cyl_bessel_i0f", "cyl_bessel_i0");
    I1 = Function::real("i1", "cyl_bessel_i1f", "cyl_bessel_i1");
    FLOOR = Function::real("floor", "floorf", "floor");
    CEIL = Function::real("ceil", "ceilf", "ceil");
    ROUND = Function::real("round", "roundf", "round");
    ROUND_TIES_EVEN = Function::real("round_ties_even", "rintf", "rint");
    TRUNC = Function::real("trunc", "truncf", "trunc");
    FRACT = Function::real("fract", "fraction", "fraction");
    MUL_ADD = Function::real("mul_add", "fmaf", "fma");
    COPYSIGN = Function::real("copysign", "copysignf", "copysign");
    NEXT_AFTER = Function::real("next_after", "nextafterf", "nextafter");
    FDIM = Function::real("fdim", "fdimf", "fdim");
    LDEXP = Function::real("ldexp", "ldexpf", "ldexp");
    FREXP_FRACTION = Function::real("frexp.0", "frexp_fraction", "frexp_fraction");
    FREXP_EXPONENT = Function::real("frexp.1", "frexp_exponent", "frexp_exponent");
    SIGNUM = Function { integer: "signum", ..Function::real("signum", "signum", "signum") };
    IS_NAN = Function::real("is_nan", "isnan", "isnan");
    IS_FINITE = Function::real("is_finite", "isfinite", "isfinite");
    IS_INFINITE = Function::real("is_infinite", "isinf", "isinf");
    NORM_SQUARED = Function::real("norm_sqr", "", "").complex("c_norm");
    ARGUMENT = Function::real("arg", "", "").complex("c_arg");
    COUNT_ONES = Function { integer: "count_ones", ..Function::real("count_ones", "", "") };
}
