//! Types in which partial results are combined on the host.

use cuda_compute::Scalar;

/// A type in which results of ranks, and of pieces of a file, are combined: `f32`, `f64`, and the
/// 32-bit and 64-bit integers.
///
/// This trait is sealed.
pub trait Partial: Scalar + sealed::Partial {}

pub(super) mod sealed {
    pub trait Partial: Sized {
        /// Zero.
        const ZERO: Self;
        /// The identity of the minimum, also as CUDA C++ source.
        const HIGHEST: (Self, &'static str);
        /// The identity of the maximum, also as CUDA C++ source.
        const LOWEST: (Self, &'static str);
        /// The smaller and the larger of `a` and `b`, as CUDA C++ source.
        const EXTREMES: (&'static str, &'static str);

        /// Returns the sum. Integers wrap around.
        fn plus(self, other: Self) -> Self;
        /// Returns the smaller value. NaN is ignored.
        fn least(self, other: Self) -> Self;
        fn greatest(self, other: Self) -> Self;
        fn to_f64(self) -> f64;
    }
}

macro_rules! float {
    ($type:ident, $nan:literal, $min:literal, $max:literal) => {
        impl sealed::Partial for $type {
            const ZERO: Self = 0.0;
            // NaN is the identity of both: the smaller and the larger of NaN and a number are the
            // number.
            const HIGHEST: (Self, &'static str) = (Self::NAN, $nan);
            const LOWEST: (Self, &'static str) = (Self::NAN, $nan);
            const EXTREMES: (&'static str, &'static str) = ($min, $max);

            fn plus(self, other: Self) -> Self {
                self + other
            }

            fn least(self, other: Self) -> Self {
                self.min(other)
            }

            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }

            #[allow(clippy::cast_lossless, reason = "of all types")]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
        impl Partial for $type {}
    };
}

macro_rules! integer {
    ($type:ident, $highest:literal, $lowest:literal) => {
        impl sealed::Partial for $type {
            const ZERO: Self = 0;
            const HIGHEST: (Self, &'static str) = (Self::MAX, $highest);
            const LOWEST: (Self, &'static str) = (Self::MIN, $lowest);
            const EXTREMES: (&'static str, &'static str) = ("a < b ? a : b", "a > b ? a : b");

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn least(self, other: Self) -> Self {
                self.min(other)
            }

            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }

            #[allow(clippy::cast_lossless, reason = "of all types")]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
        impl Partial for $type {}
    };
}

float!(
    f32,
    "__int_as_float(0x7fffffff)",
    "fminf(a, b)",
    "fmaxf(a, b)"
);
float!(
    f64,
    "__longlong_as_double(0x7fffffffffffffffll)",
    "fmin(a, b)",
    "fmax(a, b)"
);
integer!(i32, "0x7fffffff", "(-0x7fffffff - 1)");
integer!(u32, "0xffffffffu", "0u");
integer!(i64, "0x7fffffffffffffffll", "(-0x7fffffffffffffffll - 1)");
integer!(u64, "0xffffffffffffffffull", "0ull");
