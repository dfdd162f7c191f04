//! The units in which physical memory is made.

pub use crate::raw::memory::Granularity;
