//! Compiled code: programs, modules, libraries and functions.

pub(crate) mod expression;
pub(crate) mod function;
pub(crate) mod module;
pub(crate) mod parameter;
#[cfg(feature = "nvrtc")]
pub(crate) mod program;
