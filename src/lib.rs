//! The examples and benches of cuda-direct: `examples/` shows one idea a file, `benches/` measures.
//!
//! There is no library here. The crates to depend on are `cuda-safe` (the thin safe layer), `cuda-sys` (the raw
//! calls), `cuda-compute` (ready-made kernels) and `cuda-emulator` (a driver in software, for tests).
