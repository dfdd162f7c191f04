//! Random straight-line programs without recorded results: generated from a seed, run by two implementations, and
//! reduced to the smallest one on which they differ.
//!
//! [`Program::generate`] wires exact instructions through registers of the right width, some of them under a predicate.
//! [`reference()`] and [`warp_reference()`] compute what some of them give, in Rust. [`shrink`] cuts a program down.

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
