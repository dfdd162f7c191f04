//! The flags of a context.

pub use crate::raw::context::ContextFlags;
