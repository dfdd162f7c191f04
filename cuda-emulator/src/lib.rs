//! `libcuda.so.1` in software.
pub mod engine;
pub mod ptx;
