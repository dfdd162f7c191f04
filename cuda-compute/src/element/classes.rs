//! Classes of elements by the operations that they support.

use cuda_safe::bytemuck::Pod;
use half::{bf16, f16};
use num_complex::Complex;

use super::Element;

/// Elements that can be added and multiplied: all except `bool` and structs.
///
/// Numbers are plain data: every bit pattern is a valid number. This trait is sealed, because
/// kernels can compute only with these types.
pub trait Number: Element + Pod + sealed::Number {
    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
}

/// Elements with an order: all numbers that are not complex.
pub trait Ordered: Number {}

/// Elements that can be negative: signed integers, floats and complex numbers.
pub trait Signed: Number {}

/// Integers.
///
/// Sums, differences and products wrap around. Dividing by zero yields zero. The smallest integer
/// divided by −1 is itself.
pub trait Integer: Ordered + Eq {
    /// Returns the integer as an `i128`, which can represent all of them.
    fn to_i128(self) -> i128;
}

/// Floats and complex numbers: elements with square roots, exponentials and trigonometric
/// functions.
pub trait Math: Signed {
    /// The real type: the type of the parts for a complex number, and the type itself otherwise.
    type Real: Float;
}

/// Floats: `f16`, `bf16`, `f32`, `f64`.
pub trait Float: Math<Real = Self> + Ordered {
    /// The type in which functions of several steps are computed: `f32` for halves, and the type
    /// itself otherwise.
    type Wide: Float;
}

/// Complex numbers.
pub trait ComplexNumber: Math {}

mod sealed {
    pub trait Number {}
}

macro_rules! numbers {
    ($($type:ty: $zero:expr, $one:expr);* $(;)?) => {$(
        impl sealed::Number for $type {}
        impl Number for $type {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
        }
    )*};
}

numbers! {
    i8: 0, 1; i16: 0, 1; i32: 0, 1; i64: 0, 1;
    u8: 0, 1; u16: 0, 1; u32: 0, 1; u64: 0, 1;
    isize: 0, 1; usize: 0, 1;
    f16: f16::ZERO, f16::ONE; bf16: bf16::ZERO, bf16::ONE;
    f32: 0.0, 1.0; f64: 0.0, 1.0;
    Complex<f32>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
    Complex<f64>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
}

macro_rules! class {
    ($class:ident: $($type:ty),*) => {
        $(impl $class for $type {})*
    };
}

class!(Ordered: i8, i16, i32, i64, u8, u16, u32, u64, isize, usize, f16, bf16, f32, f64);
class!(Signed: i8, i16, i32, i64, isize, f16, bf16, f32, f64, Complex<f32>, Complex<f64>);
class!(ComplexNumber: Complex<f32>, Complex<f64>);

macro_rules! integers {
    ($($type:ty),*) => {
        $(impl Integer for $type {
            #[allow(clippy::cast_lossless, reason = "`From` does not convert isize and usize")]
            fn to_i128(self) -> i128 {
                self as i128
            }
        })*
    };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64, isize, usize);

macro_rules! math {
    ($($type:ty: $real:ty),*) => {
        $(impl Math for $type {
            type Real = $real;
        })*
    };
}

macro_rules! floats {
    ($($type:ty: $wide:ty),*) => {
        $(impl Float for $type {
            type Wide = $wide;
        })*
    };
}

floats!(f16: f32, bf16: f32, f32: f32, f64: f64);
math!(f16: f16, bf16: bf16, f32: f32, f64: f64, Complex<f32>: f32, Complex<f64>: f64);
