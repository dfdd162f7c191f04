//! A thin safe layer over the CUDA driver API.
//!
//! Kernels are CUDA C++ in a string, compiled when the program runs. Memory, streams and events
//! are objects that release themselves. Every error says which driver call failed, why, and what to
//! do about it. Each method makes one driver call, and the raw handles are always accessible. The
//! [`guide`] explains the crate by subject.
//!
//! ```
//! use cuda_safe::{Context, DeviceBuffer, In, LaunchConfig, Module, Out, Stream};
//!
//! # fn main() -> cuda_safe::Result<()> {
//! let context = Context::primary(0)?;
//! let stream = Stream::new(&context)?;
//! let module = Module::compile(&context, r#"
//!     extern "C" __global__ void multiply_them(float *dest, const float *a, const float *b) {
//!         const int i = threadIdx.x;
//!         dest[i] = a[i] * b[i];
//!     }"#)?;
//! let multiply_them = module.function("multiply_them")?;
//!
//! let (a_host, b_host) = (vec![2.0f32; 400], vec![3.0f32; 400]);
//! let a = DeviceBuffer::from_slice(&stream, &a_host)?;
//! let b = DeviceBuffer::from_slice(&stream, &b_host)?;
//! let mut dest = DeviceBuffer::<f32>::zeroed(&stream, 400)?;
//! let config = LaunchConfig::new(1, 400);
//! // SAFETY: the kernel reads 400 elements of a and b and writes 400 of dest.
//! unsafe { multiply_them.launch(&stream, config, (&mut dest, &a, &b))? };
//! assert_eq!(dest.to_vec(&stream)?, vec![6.0; 400]);
//!
//! // The short way: host slices that are copied by the launch itself.
//! let mut product = vec![0.0f32; 400];
//! // SAFETY: as above.
//! unsafe { multiply_them.launch(&stream, config, (Out(&mut product), In(&a_host), In(&b_host)))? };
//! assert_eq!(product, vec![6.0; 400]);
//! # Ok(())
//! # }
//! ```
//!
//! Structs are arguments and elements as they are, if they are [plain data](PlainData). That takes two derives of
//! bytemuck, which has to be among the dependencies:
//!
//! ```toml
//! [dependencies]
//! bytemuck = { version = "1", features = ["derive"] }
//! ```
//!
//! # What it does not do
//!
//! There are no methods for
//!
//! - texture and surface references: CUDA C++ has none since CUDA 12.0, and the driver's functions for them (`cuTexRef…`) are
//!   deprecated;
//! - memory that is mapped to sparse arrays, and to those that are made without any (`cuMemMapArrayAsync`); decompression
//!   (`cuMemBatchDecompressAsync`).
//!
//! `docs/COVERAGE.md` in the repository lists every function of the driver. All of it is in [`sys`], to be called on the handles of this crate's objects:
//! [raw calls](guide::raw_calls) shows how, with worked cases. The crate does no mathematics either: the crate
//! `cuda-compute` has arrays and ready-made kernels.
//!
//! # Features
//!
//! - `nvrtc` (on by default): compiles CUDA C++ at run time, by the toolkit's `libnvrtc`.
//! - `dynamic-loading`: opens `libcuda` and `libnvrtc` at the first call instead of linking the program to them. One
//!   program then uses a GPU where there is one and starts without a driver too: ask [`driver::is_available`]. Every
//!   call on a machine without a driver is an error of [`ErrorKind::NoDevice`], and without NVRTC of
//!   [`ErrorKind::NoCompiler`], which tell what was looked for. Nothing else changes. A call costs one more load and
//!   comparison. [`sys::loading`] has the whole story, and the variables that name other files.
//! - `opengl`: the module `opengl`, for memory that is shared with OpenGL. It needs no library of OpenGL's.
//!
//! Without `dynamic-loading` a program names both libraries to the loader, which stops it when one is missing.
// Where other crates' pages link to if these are not made yet.
#![doc(html_root_url = "https://docs.rs/cuda-safe/0.1.0")]

// The layers, from the bottom up. A layer uses those above it in this list, and no others: `scripts/rooms.py` checks that.

mod raw;

mod error;

pub mod driver;

mod capture;

mod handle;

pub mod device;

pub mod context;

pub mod stream;

pub mod memory;

mod code;

pub mod launch;

pub mod share;

pub mod array;

pub mod graph;

pub mod texture;

pub mod tensor_map;

#[cfg(feature = "opengl")]
pub mod opengl;

pub mod typed;

mod diagnostics;

// Modules without code of their own: names of several layers that are used together.
pub mod green;
pub mod guide;
pub mod peer;

pub use bytemuck;
pub use cuda_sys as sys;
pub use diagnostics::{checkpoint, coredump, logs, profiler};

#[cfg(feature = "nvrtc")]
pub use code::program::{self, Architecture, CompiledProgram, Program};
pub use code::{
    function::Function,
    module::{self, Kernel, Library, Module},
};
pub use context::{Context, ContextFlags};
pub use device::{ComputeCapability, Device, DeviceAttribute};
pub use error::{Code, Error, ErrorKind, Result};
pub use graph::{Graph, GraphExec};
pub use launch::{Dim3, In, InOut, LaunchConfig, Out, WithLen};
pub use memory::{
    DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, ManagedBuffer, MappedBuffer, MemoryPool,
    PinnedBuffer, PlainData,
};
pub use stream::{Event, EventOptions, Owner, Settled, Stream, StreamOptions};
pub use texture::{Sampler, Surface, Texture};

/// The code in README.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
