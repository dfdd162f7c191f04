//! How to use this crate, by subject. Read [memory and streams](memory_and_streams) first.

#[doc = include_str!("guide/memory_and_streams.md")]
pub mod memory_and_streams {}

#[doc = include_str!("guide/kinds_of_memory.md")]
pub mod kinds_of_memory {}

#[doc = include_str!("guide/virtual_memory.md")]
pub mod virtual_memory {}

#[doc = include_str!("guide/launch_safety.md")]
pub mod launch_safety {}

#[doc = include_str!("guide/typed_kernels.md")]
pub mod typed_kernels {}

#[doc = include_str!("guide/graphs.md")]
pub mod graphs {}

#[doc = include_str!("guide/textures.md")]
pub mod textures {}

#[doc = include_str!("guide/errors.md")]
pub mod errors {}

#[doc = include_str!("guide/raw_calls.md")]
pub mod raw_calls {}

#[doc = include_str!("guide/block_sizes.md")]
pub mod block_sizes {}

#[doc = include_str!("guide/overlap.md")]
pub mod overlap {}

#[doc = include_str!("guide/debugging.md")]
pub mod debugging {}

#[doc = include_str!("guide/profiling.md")]
pub mod profiling {}

#[doc = include_str!("guide/continuous_integration.md")]
pub mod continuous_integration {}

#[doc = include_str!("guide/from_pycuda.md")]
pub mod from_pycuda {}

#[doc = include_str!("guide/shipping.md")]
pub mod shipping {}

#[doc = include_str!("guide/from_cuda_runtime.md")]
pub mod from_cuda_runtime {}

#[doc = include_str!("guide/from_cudarc.md")]
pub mod from_cudarc {}
