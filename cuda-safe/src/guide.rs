//! How to use this crate, by subject. Read [memory and streams](memory_and_streams) first.

#[doc = include_str!("guide/memory_and_streams.md")]
pub mod memory_and_streams {}

#[doc = include_str!("guide/launch_safety.md")]
pub mod launch_safety {}

#[doc = include_str!("guide/typed_kernels.md")]
pub mod typed_kernels {}

#[doc = include_str!("guide/errors.md")]
pub mod errors {}

#[doc = include_str!("guide/raw_calls.md")]
pub mod raw_calls {}

#[doc = include_str!("guide/from_pycuda.md")]
pub mod from_pycuda {}

#[doc = include_str!("guide/shipping.md")]
pub mod shipping {}
