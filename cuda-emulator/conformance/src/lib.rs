//! Conformance tests of PTX instructions against results recorded on a GPU.
//!
//! A [`Form`] is one instruction with one choice of types and modifiers. [`forms::all`] lists them,
//! with edge values and random ones as operands. [`Runner`] runs them on the driver that the
//! program is linked to. `record` writes the results of a GPU to `data/h200.bin`, and [`compare()`]
//! compares another run with it.
//!
//! [`texture`] does the same for textures and surfaces, which need objects of the driver.
//!
//! [`property`] generates random programs from the same instructions, without recorded results. The
//! tests compare the emulator with Rust and with itself, and the program `compare` compares it with
//! a GPU.

mod approximate;
mod compare;
pub mod data;
mod form;
pub mod forms;
mod operand;
pub mod property;
mod random;
mod run;
pub mod texture;

pub use approximate::{Approximate, Format, Function};
pub use compare::{Comparison, Mismatch, compare};
pub use form::{BLOCK, Check, Form, module};
pub use operand::{Operand, Width};
pub use random::Random;
pub use run::{Columns, Outcome, Runner};
