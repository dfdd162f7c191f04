//! The examples of cuda-direct. Each file in `examples/` shows one topic.
//!
//! This library is empty. Depend on `cuda-safe` (the thin safe layer), `cuda-direct-sys` (raw calls),
//! `cuda-compute` (arrays and ready-made kernels), `cuda-nccl` (several GPUs) or `cuda-emulator` (a
//! driver in software, for tests).

/// The code in README.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

/// The tables of the benches, whose tests run here. In their own package, they would build criterion.
#[cfg(test)]
#[allow(dead_code, reason = "the benches use all of it")]
#[path = "../benches/summary/mod.rs"]
mod summary;
