//! The results of instructions, in kernels written for the tests and compared with recorded
//! results.

#[path = "../common/mod.rs"]
#[macro_use]
mod common;

mod accesses;
mod bulk;
mod features;
mod halves;
mod handwritten;
mod masks;
mod mathematics;
mod members;
mod newer_floats;
mod registers;
mod simple;
mod tensor;
mod tensor_recorded;
mod vectors;
