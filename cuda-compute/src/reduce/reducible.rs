//! The element types of reductions.

use cuda_safe::bytemuck::Pod;
use half::{bf16, f16};

/// An element type of reductions.
///
/// | element | [`Sum`](Self::Sum) | [`Wide`](Self::Wide) |
/// | --- | --- | --- |
/// | `f32` | `f32` | `f64` |
/// | `f64` | `f64` | `f64` |
/// | `f16`, `bf16` | `f32` | `f64` |
/// | `i32`, `u32` | itself, wrapping around | `i64`, `u64` |
/// | `i64`, `u64` | itself, wrapping around | itself |
///
/// This trait is sealed, because the kernels support only these types.
pub trait Reducible: Pod + sealed::Reducible {
    /// The type that sums, minima and maxima are computed in and returned as.
    type Sum: Scalar;
    /// The wider type that the `_wide` reductions compute in.
    type Wide: Scalar;
}

/// A type that kernels compute in: `f32`, `f64`, or an integer of 32 or 64 bits.
///
/// This trait is sealed, because the kernels support only these types.
pub trait Scalar: Pod + PartialEq + std::fmt::Debug + sealed::Scalar {}

pub(crate) mod sealed {
    use super::{ElementType, ScalarType};

    pub trait Reducible {
        const TYPE: ElementType;
    }

    pub trait Scalar {
        const TYPE: ScalarType;
    }
}

/// An element type, as stored in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    F16,
    Bf16,
    /// A type that kernels can also compute in.
    Scalar(ScalarType),
}

/// The types that kernels compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    F32,
    F64,
    I32,
    U32,
    I64,
    U64,
}

impl ElementType {
    /// Returns the name of the type that kernels read.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::F16 | Self::Bf16 => "unsigned short",
            Self::Scalar(scalar) => scalar.name(),
        }
    }

    /// Returns the expression for the value of an element `e` of that type, as a scalar. See
    /// `kernels/element.cuh`.
    pub(crate) const fn value(self) -> &'static str {
        match self {
            Self::F16 => "half_value(e)",
            Self::Bf16 => "bfloat_value(e)",
            Self::Scalar(_) => "e",
        }
    }

    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::Scalar(scalar) => scalar.bytes(),
        }
    }
}

impl ScalarType {
    /// Returns the type's name in CUDA C++.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::F32 => "float",
            Self::F64 => "double",
            Self::I32 => "int",
            Self::U32 => "unsigned",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
        }
    }

    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Returns the initial value of a minimum. For floats it is NaN, which is neutral for `fmin`
    /// and `fmax`.
    pub(crate) const fn highest(self) -> &'static str {
        match self {
            Self::F32 => "__int_as_float(0x7fffffff)",
            Self::F64 => "__longlong_as_double(0x7fffffffffffffffll)",
            Self::I32 => "0x7fffffff",
            Self::U32 => "0xffffffffu",
            Self::I64 => "0x7fffffffffffffffll",
            Self::U64 => "0xffffffffffffffffull",
        }
    }

    /// Returns the initial value of a maximum.
    pub(crate) const fn lowest(self) -> &'static str {
        match self {
            Self::F32 | Self::F64 => self.highest(),
            Self::I32 => "(-0x7fffffff - 1)",
            Self::U32 => "0u",
            Self::I64 => "(-0x7fffffffffffffffll - 1)",
            Self::U64 => "0ull",
        }
    }

    /// Returns the expression for the smaller of `a` and `b`.
    pub(crate) const fn min(self) -> &'static str {
        match self {
            Self::F32 => "fminf(a, b)",
            Self::F64 => "fmin(a, b)",
            _ => "min(a, b)",
        }
    }

    /// Returns the expression for the larger of `a` and `b`.
    pub(crate) const fn max(self) -> &'static str {
        match self {
            Self::F32 => "fmaxf(a, b)",
            Self::F64 => "fmax(a, b)",
            _ => "max(a, b)",
        }
    }
}

macro_rules! element {
    ($type:ty, $kind:expr, $sum:ty, $wide:ty) => {
        impl sealed::Reducible for $type {
            const TYPE: ElementType = $kind;
        }
        impl Reducible for $type {
            type Sum = $sum;
            type Wide = $wide;
        }
    };
}

macro_rules! scalar {
    ($type:ty, $kind:ident, $wide:ty) => {
        impl sealed::Scalar for $type {
            const TYPE: ScalarType = ScalarType::$kind;
        }
        impl Scalar for $type {}
        element!($type, ElementType::Scalar(ScalarType::$kind), $type, $wide);
    };
}

scalar!(f32, F32, f64);
scalar!(f64, F64, f64);
scalar!(i32, I32, i64);
scalar!(u32, U32, u64);
scalar!(i64, I64, i64);
scalar!(u64, U64, u64);
element!(f16, ElementType::F16, f32, f64);
element!(bf16, ElementType::Bf16, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_sizes_match_the_kernels() {
        fn bytes<T: Reducible>() -> (usize, usize, usize) {
            (
                size_of::<T>(),
                <T as sealed::Reducible>::TYPE.bytes(),
                size_of::<T::Sum>(),
            )
        }
        for (real, declared, sum) in [
            bytes::<f32>(),
            bytes::<f64>(),
            bytes::<i32>(),
            bytes::<u32>(),
        ] {
            assert_eq!((real, sum), (declared, declared));
        }
        for (real, declared, sum) in [bytes::<i64>(), bytes::<u64>()] {
            assert_eq!((real, sum), (declared, declared));
        }
        for (real, declared, sum) in [bytes::<f16>(), bytes::<bf16>()] {
            assert_eq!((real, declared, sum), (2, 2, 4));
        }
    }

    #[test]
    fn minima_and_maxima_are_those_of_the_type() {
        let of = |scalar: ScalarType| {
            [
                scalar.min(),
                scalar.max(),
                scalar.highest(),
                scalar.lowest(),
            ]
        };
        use ScalarType::{F32, F64, I32, I64, U32, U64};
        // NaN is neutral to `fmin` and `fmax`.
        let nan = "__int_as_float(0x7fffffff)";
        assert_eq!(of(F32), ["fminf(a, b)", "fmaxf(a, b)", nan, nan]);
        let nan = "__longlong_as_double(0x7fffffffffffffffll)";
        assert_eq!(of(F64), ["fmin(a, b)", "fmax(a, b)", nan, nan]);
        for (integer, highest, lowest) in [
            (I32, "0x7fffffff", "(-0x7fffffff - 1)"),
            (U32, "0xffffffffu", "0u"),
            (I64, "0x7fffffffffffffffll", "(-0x7fffffffffffffffll - 1)"),
            (U64, "0xffffffffffffffffull", "0ull"),
        ] {
            assert_eq!(of(integer), ["min(a, b)", "max(a, b)", highest, lowest]);
        }
    }
}
