//! What tensor cores compute: pure functions on the bits of matrices and fragments.
//!
//! The arithmetic is that of an H200, whose results it gives in every bit; see [`fused`] for floating-point numbers,
//! [`whole`] for integers and bits, [`double`] for f64 and [`quad`] for Volta's shape. [`layout`], [`sparse`] and
//! [`shared`] say where elements lie in registers and in shared memory, [`product`] what an instruction's name means.

pub(in crate::engine) mod double;
pub(in crate::engine) mod element;
mod fused;
pub(in crate::engine) mod layout;
pub(in crate::engine) mod product;
pub(in crate::engine) mod quad;
pub(in crate::engine) mod shared;
pub(in crate::engine) mod sparse;
pub(in crate::engine) mod tile;
mod vector;
mod whole;
