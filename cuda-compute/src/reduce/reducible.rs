//! The element types of reductions.

use cuda_safe::bytemuck::Pod;
use half::{bf16, f16};

use crate::element::Element;

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
pub trait Reducible: Element + Pod + sealed::Reducible {
    /// The type that sums, minima and maxima are computed in and returned as.
    type Sum: Scalar;
    /// The wider type that the `_wide` reductions compute in.
    type Wide: Scalar;
}

/// A type that kernels compute in: `f32`, `f64`, or an integer of 32 or 64 bits.
///
/// This trait is sealed, because the kernels support only these types.
pub trait Scalar: Element + Pod + sealed::Scalar {}

mod sealed {
    pub trait Reducible {}
    pub trait Scalar {}
}

macro_rules! elements {
    ($($type:ty => $sum:ty, $wide:ty);* $(;)?) => {$(
        impl sealed::Reducible for $type {}
        impl Reducible for $type {
            type Sum = $sum;
            type Wide = $wide;
        }
    )*};
}

macro_rules! scalars {
    ($($type:ty),*) => {$(
        impl sealed::Scalar for $type {}
        impl Scalar for $type {}
    )*};
}

elements! {
    f32 => f32, f64; f64 => f64, f64; f16 => f32, f64; bf16 => f32, f64;
    i32 => i32, i64; u32 => u32, u64; i64 => i64, i64; u64 => u64, u64;
}
scalars!(f32, f64, i32, u32, i64, u64);
