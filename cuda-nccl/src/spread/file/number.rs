//! How results of pieces and of ranks become one, on the host.

use cuda_compute::Scalar;

/// A type that results of pieces and ranks are combined in: `f32`, `f64`, and the integers of 32 and 64 bits.
///
/// This trait is sealed.
pub trait FileNumber: Scalar + sealed::FileNumber {}

pub(super) mod sealed {
    pub trait FileNumber: Sized {
        /// 0.
        const ZERO: Self;
        /// What is neutral to the minimum; also as CUDA C++.
        const HIGHEST: (Self, &'static str);
        /// What is neutral to the maximum.
        const LOWEST: (Self, &'static str);
        /// The smaller and the larger of `a` and `b`, as CUDA C++.
        const EXTREMES: (&'static str, &'static str);

        fn sum(self, other: Self) -> Self;
        fn smaller(self, other: Self) -> Self;
        fn larger(self, other: Self) -> Self;
    }
}

macro_rules! float {
    ($type:ident, $nan:literal, $min:literal, $max:literal) => {
        impl sealed::FileNumber for $type {
            const ZERO: Self = 0.0;
            // Neutral to both: of NaN and a number, they are the number.
            const HIGHEST: (Self, &'static str) = (Self::NAN, $nan);
            const LOWEST: (Self, &'static str) = (Self::NAN, $nan);
            const EXTREMES: (&'static str, &'static str) = ($min, $max);

            fn sum(self, other: Self) -> Self {
                self + other
            }

            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }

            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
        impl FileNumber for $type {}
    };
}

macro_rules! integer {
    ($type:ident, $highest:literal, $lowest:literal) => {
        impl sealed::FileNumber for $type {
            const ZERO: Self = 0;
            const HIGHEST: (Self, &'static str) = (Self::MAX, $highest);
            const LOWEST: (Self, &'static str) = (Self::MIN, $lowest);
            const EXTREMES: (&'static str, &'static str) = ("a < b ? a : b", "a > b ? a : b");

            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }

            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
        }
        impl FileNumber for $type {}
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
