//! Every PTX instruction form on edge values and random ones: what a GPU gave, and whether the
//! driver at hand gives the same.
//!
//! A [`Form`] is one instruction with one choice of types and modifiers. [`forms::all`] lists
//! them, [`Runner`] runs them on whatever driver the program is linked to, `record` writes what
//! came out on a GPU to `data/h200.bin`, and [`compare()`] compares another run with it.
//!
//! [`texture`] does the same for textures and surfaces, which need objects of the driver.
//!
//! [`property`] makes random programs of the same instructions, without recorded results: the tests compare the emulator
//! with Rust and with itself, the program `compare` compares it with a GPU.

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
