//! Context flags.

pub use crate::raw::context::ContextFlags;
