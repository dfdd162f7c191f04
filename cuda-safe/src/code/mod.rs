//! Compiled code: programs, modules, libraries and functions.

pub(crate) mod expression;
pub(crate) mod function;
pub mod module;
pub(crate) mod parameter;
#[cfg(feature = "nvrtc")]
pub mod program;
