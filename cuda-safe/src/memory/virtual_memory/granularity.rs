//! Allocation granularity of physical memory.

pub use crate::raw::memory::Granularity;
