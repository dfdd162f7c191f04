//! How to use this crate, by subject.

#[doc = include_str!("guide/from_pycuda.md")]
pub mod from_pycuda {}
