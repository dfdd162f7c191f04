//! Guides to the crate, one task each.
//!
//! **Start here**
//!
//! - [Memory and streams](memory_and_streams): buffers, copies, ordering and waiting
//! - [Launch safety](launch_safety): kernel arguments, the checks of a launch, and your obligations
//! - [Errors](errors): error kinds, and the state after a fault
//!
//! **Coming from another interface**
//!
//! - [The CUDA runtime API](from_cuda_runtime), [PyCUDA](from_pycuda), [cudarc](from_cudarc)
//!
//! **Writing programs**
//!
//! - [Typed kernels](typed_kernels): kernels declared as Rust functions
//! - [Kinds of memory](kinds_of_memory): pinned, mapped and managed memory, and pools
//! - [Virtual memory](virtual_memory): growable buffers, and memory shared between processes and
//!   with Vulkan
//! - [Textures](textures): arrays, textures and surfaces
//! - [Graphs](graphs): work that is launched as a whole
//! - [Raw calls](raw_calls): driver functions without a method
//!
//! **Making programs fast**
//!
//! - [Profiling](profiling), [block sizes](block_sizes), [overlap of copies and kernels](overlap)
//!
//! **Testing and distributing programs**
//!
//! - [Debugging](debugging), [continuous integration](continuous_integration), [shipping]

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
