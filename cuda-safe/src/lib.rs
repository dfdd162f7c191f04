//! A safe layer over the CUDA driver API.
//!
//! You write kernels in CUDA C++ and launch them from Rust. This crate compiles the kernels when
//! the program runs. It also provides safe types for memory, streams, events, graphs, textures and
//! nearly everything else in the driver API.
//!
//! ```
//! use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, WithLen};
//!
//! # fn main() -> cuda_safe::Result<()> {
//! let context = Context::primary(0)?;
//! let stream = Stream::new(&context)?;
//! let module = Module::compile(&context, r#"
//!     extern "C" __global__ void scale(float *x, int n, float factor) {
//!         const int i = blockIdx.x * blockDim.x + threadIdx.x;
//!         if (i < n) x[i] *= factor;
//!     }"#)?;
//! let scale = module.function("scale")?;
//!
//! let mut x = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
//! let config = LaunchConfig::for_elements(x.len());
//! // `WithLen` passes x and its length n.
//! // SAFETY: the kernel writes only the n elements of x, which belongs to this stream.
//! unsafe { scale.launch(&stream, config, (WithLen::i32(&mut x), 2.0f32))? };
//! assert_eq!(x.to_vec(&stream)?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Design choices
//!
//! - **One driver call per method.** A launch makes one driver call and does not allocate. Costs
//!   are therefore predictable, and NVIDIA's documentation of the driver call applies to the
//!   method. Some methods need several calls. For example, a copy on a stream that does not own the
//!   memory also orders the two streams.
//! - **Contexts and streams are explicit.** There is no implicit current device or default stream.
//!   Each method makes its own context current, so objects of several devices can be used on any
//!   thread.
//! - **A buffer belongs to one stream.** It is allocated and freed in that stream's order, so you
//!   do not have to wait before dropping it. No events are recorded when a buffer is used, which
//!   keeps launches cheap. The price is that you order a launch yourself if it uses memory of
//!   another stream.
//! - **Objects are reference-counted.** Each object keeps alive the context, stream or module from
//!   which it was created. You can drop objects in any order and on any thread.
//! - **Kernels are CUDA C++.** NVRTC compiles them for the device in use, so no `nvcc` is needed
//!   and kernels can use all of CUDA C++. The result is [cached on disk](program::Cache). You can
//!   also [declare kernels as Rust functions](crate::kernels) whose signatures the CUDA compiler
//!   checks, or embed compiled code at build time.
//! - **Mistakes are found before the driver is called.** Lengths, ranges, contexts, launch limits
//!   and the number, sizes and kinds of kernel arguments are checked on the host. An [`Error`]
//!   names the failed call, the reason and, if known, a remedy.
//! - **Raw handles are always accessible.** Every object has `as_raw`, and most have `borrow_raw`,
//!   `from_raw` and `into_raw`. If a method is missing, call the driver through [`sys`] with the
//!   same objects: see [raw calls](guide::raw_calls).
//!
//! # Rules to rely on
//!
//! **Ordering.** Operations on one stream run in the order in which you enqueue them. Copies and
//! fills order the stream that you pass with the streams that own the memory. Launches do not,
//! because the crate cannot see which memory a kernel uses. Order the streams with
//! [`Stream::ordered_with`], [`Stream::wait_stream`] or events. Methods that read or write a host
//! slice (`from_slice`, `copy_to_slice`, `to_vec`) return when the slice can be used again.
//! Launches, fills and copies between buffers return at once, except that a launch with [`In`],
//! [`Out`] or [`InOut`] waits.
//!
//! **Ownership.** Dropping a [`DeviceBuffer`] frees its memory after the work that is already in
//! its stream. Dropping a texture, array or module waits for all work in the context first. If the
//! crate cannot prove that the device has finished with host memory, it leaks owned memory and
//! aborts the process if the memory is borrowed. `close` drops an object and returns the error that
//! `drop` would hide.
//!
//! **Faults.** A kernel runs after its launch has returned, so the next call that waits reports the
//! fault, with [`ErrorKind::Fault`]. Every later call in that context fails with
//! [`ErrorKind::Poisoned`] and names the first fault. A fault makes every context of the process
//! unusable, on all devices, and the process cannot recover. To survive faults, run kernels in a
//! child process. Dropping objects after a fault does not panic. See
//! [errors](guide::errors#faults).
//!
//! **`unsafe` launches.** Rust cannot see into a kernel. When you launch one, you promise that:
//!
//! - each argument has the type that the kernel declares;
//! - the kernel stays within the memory that is passed to it, and writes only to memory passed for
//!   writing;
//! - memory that belongs to another stream is ordered with this stream;
//! - memory that the kernel reaches through a stored or numeric address lives until the kernel has
//!   finished, and nothing else uses it meanwhile.
//!
//! For the checks that a launch makes, see [launch safety](guide::launch_safety). Copies, fills,
//! allocations and most graph methods are safe.
//!
//! **Threads.** Objects can be sent to other threads and shared between them, except that a
//! [`Graph`] or [`GraphExec`] can be sent but not shared, and [`Stream::per_thread_default`] stays
//! on its thread.
//!
//! **Captures.** During a stream capture, calls that would wait or allocate return an error and
//! leave the capture intact. Objects dropped meanwhile are freed afterwards. See [stream
//! capture](guide::memory_and_streams#stream-capture).
//!
//! # My kernel is wrong
//!
//! Run it on the emulator with its checks, which needs no GPU. Your crate needs `cuda-emulator` as a
//! dev-dependency:
//!
//! ```sh
//! CUDA_EMULATOR=1 CUDA_EMULATOR_CHECK=uninit,race,barrier,leak cargo test
//! ```
//!
//! It reports illegal accesses, uninitialized reads, races and leaks, each with kernel, thread,
//! address and source line. [Debugging](guide::debugging) lists which check finds which mistake, and
//! describes the tools for a GPU.
//!
//! # Next steps
//!
//! - Start with [memory and streams](guide::memory_and_streams), which also explains [CUDA's
//!   terms](guide::memory_and_streams#cudas-terms), then [launch safety](guide::launch_safety) and
//!   [errors](guide::errors).
//! - If you know another interface: [the CUDA runtime](guide::from_cuda_runtime),
//!   [PyCUDA](guide::from_pycuda) or [cudarc](guide::from_cudarc).
//! - If a kernel gives wrong results: [debugging](guide::debugging). If it is slow:
//!   [profiling](guide::profiling), [block sizes](guide::block_sizes) and
//!   [overlap](guide::overlap).
//! - To test without a GPU: [continuous integration](guide::continuous_integration). To distribute
//!   a program: [shipping](guide::shipping).
//! - The [guide] lists all pages. The crate `cuda-compute` has arrays and ready-made kernels.
//!
//! # Requirements
//!
//! Linux, and NVIDIA's driver for CUDA 12.0 or newer. Compiling kernels needs NVRTC, from the CUDA
//! toolkit or from `pip install nvidia-cuda-nvrtc`. Functions newer than CUDA 12.0 are looked up
//! when they are called, and return [`ErrorKind::Unsupported`] if the driver lacks them.
//!
//! Structs that are [plain data](PlainData) can be kernel arguments and buffer elements. Derive two
//! traits of bytemuck, which must be a dependency of your crate:
//!
//! ```toml
//! [dependencies]
//! bytemuck = { version = "1", features = ["derive"] }
//! ```
//!
//! # Limits
//!
//! There are no methods for:
//!
//! - texture and surface references (`cuTexRef…`), which are deprecated and which CUDA C++ has not
//!   had since CUDA 12.0;
//! - mapping memory to sparse arrays and to arrays created without memory (`cuMemMapArrayAsync`);
//! - decompression (`cuMemBatchDecompressAsync`).
//!
//! `docs/COVERAGE.md` in the repository lists every driver function. All of them are in [`sys`],
//! and can be called with this crate's objects: see [raw calls](guide::raw_calls). The crate
//! contains no mathematics. For that, use `cuda-compute`.
//!
//! # Features
//!
//! - `nvrtc` (default): compiles CUDA C++ at run time with the toolkit's `libnvrtc`.
//! - `bindgen` (default): generates the raw bindings from the installed CUDA headers. Without it, the
//!   build uses the bindings that the package `cuda-direct-sys` carries, needs no libclang and takes
//!   half the time. It is off only if no crate of the program enables it: see [`sys`].
//! - `dynamic-loading`: opens `libcuda` and `libnvrtc` at the first call instead of linking to
//!   them. The same program then uses a GPU if one is present and also starts without a driver.
//!   [`driver::is_available`] returns whether there is a driver. Without a driver every call returns
//!   [`ErrorKind::NoDevice`], and without NVRTC compiling returns [`ErrorKind::NoCompiler`]. Both
//!   errors list the files that were looked for. Each driver call costs one additional load and
//!   comparison. [`sys::loading`] describes the search and the environment variables that override
//!   it.
//! - `opengl`: adds the module `opengl`, for memory shared with OpenGL. It needs no OpenGL library.
//!
//! Without `dynamic-loading` the program is linked to both libraries, and the loader does not start
//! it if one is missing.
// Other crates' documentation links here if this crate's pages are not built alongside.
#![doc(html_root_url = "https://docs.rs/cuda-safe/0.1.0")]

// The layers, from the bottom up. A layer uses those above it in this list, and no others:
// `scripts/rooms.py` checks that.

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

// Modules that only re-export names of several layers.
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
