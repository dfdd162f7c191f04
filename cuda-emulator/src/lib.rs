//! `libcuda.so.1` in software.

mod driver;
pub mod engine;
pub mod ptx;
