//! How results of parts become one, on the host.

use cuda_compute::Scalar;

/// What the results of parts are put together in, of ranks and of pieces of a file: `f32`, `f64`, and the integers of 32 and
/// 64 bits.
///
/// This trait is sealed.
pub trait Partial: Scalar + sealed::Partial {}

pub(super) mod sealed {
    pub trait Partial: Sized {
        /// 0.
        const ZERO: Self;
        /// What is neutral to the minimum; also as CUDA C++.
        const HIGHEST: (Self, &'static str);
        /// What is neutral to the maximum.
        const LOWEST: (Self, &'static str);
        /// The smaller and the larger of `a` and `b`, as CUDA C++.
        const EXTREMES: (&'static str, &'static str);

        /// Integers wrap around.
        fn plus(self, other: Self) -> Self;
        /// NaN is ignored.
        fn least(self, other: Self) -> Self;
        fn greatest(self, other: Self) -> Self;
        fn to_f64(self) -> f64;
    }
}

macro_rules! float {
    ($type:ident, $nan:literal, $min:literal, $max:literal) => {
        impl sealed::Partial for $type {
            const ZERO: Self = 0.0;
            // Neutral to both: of NaN and a number, they are the number.
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
