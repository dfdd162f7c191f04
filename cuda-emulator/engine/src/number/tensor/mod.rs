//! The arithmetic of tensor cores: pure functions on the bits of matrices and fragments.
//!
//! The results match an H200's in every bit. See [`fused`] for floating-point numbers, [`whole`]
//! for integers and bits, [`double`] for f64 and [`quad`] for Volta's shape. [`layout`], [`sparse`]
//! and [`shared`] contain the locations of elements in registers and in shared memory, and
//! [`product`] parses an instruction's name.

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
