//! The element types of reductions.

use cuda_safe::bytemuck::Pod;
use half::{bf16, f16};

/// A type that can be reduced, and what it is called in CUDA C++.
///
/// | element | [`Sum`](Self::Sum) | [`Wide`](Self::Wide) |
/// | --- | --- | --- |
/// | `f32` | `f32` | `f64` |
/// | `f64` | `f64` | `f64` |
/// | `f16`, `bf16` | `f32` | `f64` |
/// | `i32`, `u32` | itself, wrapping around | `i64`, `u64` |
/// | `i64`, `u64` | itself, wrapping around | itself |
///
/// Sealed: the kernels know these types only.
pub trait Element: Pod + sealed::Element {
    /// What sums, minima and maxima are computed in and given as.
    type Sum: Scalar;
    /// The wider type that the `_wide` reductions compute in.
    type Wide: Scalar;
}

/// A type that the kernels compute in: `f32`, `f64` and the integers of 32 and 64 bits.
///
/// Sealed: the kernels know these types only.
pub trait Scalar: Pod + PartialEq + std::fmt::Debug + sealed::Scalar {}

pub(crate) mod sealed {
    /// What the kernels' source needs to know of an element.
    pub trait Element {
        /// The type in memory.
        const STORAGE: &'static str;
        /// Its value as an expression of `e`, before conversion to the accumulator.
        const VALUE: &'static str = "e";
    }

    /// What the kernels' source needs to know of an accumulator.
    pub trait Scalar {
        const TYPE: &'static str;
        /// What a minimum and a maximum start from.
        const HIGHEST: &'static str;
        const LOWEST: &'static str;
        /// The lesser and the greater of `a` and `b`.
        const MIN: &'static str = "min(a, b)";
        const MAX: &'static str = "max(a, b)";
    }
}

macro_rules! scalar {
    ($type:ty, $name:literal, $highest:literal, $lowest:literal $(, $min:literal, $max:literal)?) => {
        impl sealed::Scalar for $type {
            const TYPE: &'static str = $name;
            const HIGHEST: &'static str = $highest;
            const LOWEST: &'static str = $lowest;
            $(const MIN: &'static str = $min;
            const MAX: &'static str = $max;)?
        }
        impl Scalar for $type {}
    };
}

// NaN is neutral to fmin and fmax, so it is what they start from.
scalar!(
    f32,
    "float",
    "__int_as_float(0x7fffffff)",
    "__int_as_float(0x7fffffff)",
    "fminf(a, b)",
    "fmaxf(a, b)"
);
scalar!(
    f64,
    "double",
    "__longlong_as_double(0x7fffffffffffffffll)",
    "__longlong_as_double(0x7fffffffffffffffll)",
    "fmin(a, b)",
    "fmax(a, b)"
);
scalar!(i32, "int", "0x7fffffff", "(-0x7fffffff - 1)");
scalar!(u32, "unsigned", "0xffffffffu", "0u");
scalar!(
    i64,
    "long long",
    "0x7fffffffffffffffll",
    "(-0x7fffffffffffffffll - 1)"
);
scalar!(u64, "unsigned long long", "0xffffffffffffffffull", "0ull");

macro_rules! element {
    ($type:ty, $sum:ty, $wide:ty, $storage:literal $(, $value:literal)?) => {
        impl sealed::Element for $type {
            const STORAGE: &'static str = $storage;
            $(const VALUE: &'static str = $value;)?
        }
        impl Element for $type {
            type Sum = $sum;
            type Wide = $wide;
        }
    };
}

element!(f32, f32, f64, "float");
element!(f64, f64, f64, "double");
element!(i32, i32, i64, "int");
element!(u32, u32, u64, "unsigned");
element!(i64, i64, i64, "long long");
element!(u64, u64, u64, "unsigned long long");
element!(f16, f32, f64, "unsigned short", "half_value(e)");
element!(
    bf16,
    f32,
    f64,
    "unsigned short",
    "__uint_as_float((unsigned)e << 16)"
);
