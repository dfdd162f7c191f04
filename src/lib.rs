//! The examples and benches of cuda-direct. Each file in `examples/` shows one idea, and `benches/` contains measurements.
//!
//! This package has no library. Depend on `cuda-safe` (the thin safe layer), `cuda-sys` (raw calls), `cuda-compute`
//! (arrays and ready-made kernels), `cuda-nccl` (several GPUs) or `cuda-emulator` (a driver in software, for tests).
