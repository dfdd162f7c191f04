//! How to use this crate, by subject.

#[doc = include_str!("guide/accuracy.md")]
pub mod accuracy {}

#[doc = include_str!("guide/from_pycuda.md")]
pub mod from_pycuda {}

#[doc = include_str!("guide/from_cupy.md")]
pub mod from_cupy {}
