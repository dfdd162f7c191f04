//! What is written by hand of the C interface, and the macros for its flags and choices.

pub(crate) mod bytes;
pub(crate) mod flags;
#[cfg(feature = "nvrtc")]
pub(crate) mod nvjitlink;
