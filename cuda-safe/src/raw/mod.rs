//! What is written by hand of the C interface, and the macros for its flags and choices.

pub(crate) mod flags;
