//! Hand-written parts of the C interface, and the macros for its flags and choices.

pub(crate) mod array;
pub(crate) mod bytes;
pub(crate) mod capture;
pub(crate) mod code;
pub(crate) mod constants;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod diagnostics;
pub(crate) mod file;
pub(crate) mod flags;
pub(crate) mod graph;
pub(crate) mod launch;
pub(crate) mod memory;
#[cfg(feature = "nvrtc")]
pub(crate) mod nvjitlink;
#[cfg(feature = "opengl")]
pub(crate) mod opengl;
pub(crate) mod share;
pub(crate) mod stream;
pub(crate) mod structures;
pub(crate) mod tensor_map;
pub(crate) mod texture;
