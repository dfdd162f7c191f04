//! Random straight-line programs without recorded results: generated from a seed, run by two
//! implementations, and reduced to the smallest one on which they differ.
//!
//! [`Program::generate`] connects exact instructions through registers of the right width, some of
//! them under a predicate. [`reference()`] and [`warp_reference()`] compute the results of some
//! instructions in Rust. [`shrink`] reduces a program.

mod carry;
mod lanes;
mod memory;
mod product;
mod program;
mod reference;
mod shrink;
pub mod wire;

pub use program::{Program, Step, pool, warp_pool};
pub use reference::{reference, warp_reference};
pub use shrink::shrink;
