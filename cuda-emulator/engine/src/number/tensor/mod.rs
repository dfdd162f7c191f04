//! What tensor cores compute: pure functions on the bits of matrices and fragments.
//!
//! The arithmetic is that of an H200, whose results it gives in every bit; see [`fused`] for floating-point numbers,
//! [`whole`] for integers and bits, [`double`] for f64 and [`quad`] for Volta's shape. [`layout`], [`sparse`] and
//! [`shared`] say where elements lie in registers and in shared memory, [`product`] what an instruction's name means.

pub(crate) mod double;
pub(crate) mod element;
mod fused;
pub(crate) mod layout;
pub(crate) mod product;
pub(crate) mod quad;
pub(crate) mod shared;
pub(crate) mod sparse;
pub(crate) mod tile;
mod vector;
mod whole;
