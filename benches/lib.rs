//! The parts of cuda-direct's benches that need no device, with their tests.

pub mod summary;
