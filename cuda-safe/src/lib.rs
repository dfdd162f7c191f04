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

mod device;

mod context;

mod stream;

mod memory;

mod code;

mod launch;

mod share;

mod array;

pub mod graph;

mod texture;

mod tensor_map;

#[cfg(feature = "opengl")]
pub mod opengl;

pub mod typed;

mod diagnostics;

pub mod guide;

pub use diagnostics::{checkpoint, coredump, logs, profiler};

pub use array::{
    Array, ArrayFlags, ArrayMemory, ArrayShape, ArrayTexels, ChannelFormat, HalfBits,
    MipmappedArray, SparseProperties, Texel, TexelFormat,
};
pub use bytemuck;
pub use code::function::{Function, FunctionAttribute};
pub use code::module::{
    Embedded, Global, JitOptions, Kernel, Library, Linker, LoadingMode, Module, ModuleVariable,
    loading_mode,
};
pub use code::parameter::{ParameterInfo, ParameterKind};
#[cfg(feature = "nvrtc")]
pub use code::program::{
    Architecture, Cache, CompiledProgram, FastCompile, JitLinkOptions, JitLinkStatus, JitLinker,
    PrecompiledHeader, Program, nvrtc_version, precompiled_header_heap,
    set_precompiled_header_heap,
};
pub use context::{
    CacheConfig, Context, ContextFlags, GreenContext, Limit, MemoryInfo, Multiprocessors,
    PushedContext, Split, SplitFlags,
};
pub use context::{FlushScope, Settled};
pub use cuda_sys as sys;
pub use device::attribute::DeviceAttribute;
pub use device::peer::{
    AtomicCapabilities, AtomicOperation, PeerAttribute, PeerLink, ShareableHandles,
};
pub use device::{ComputeCapability, Device, Uuid};
pub use error::{Code, Error, ErrorKind, Result};
pub use graph::{Graph, GraphExec};
pub use launch::occupancy::Occupancy;
pub use launch::{
    ArgumentList, ByValue, ClusterScheduling, Dim3, HasLength, In, InOut, IntoDim3, KernelArgument,
    KernelArguments, LaunchAttributes, LaunchConfig, LaunchEvents, Out, PortableClusterSize,
    WithLen,
};
pub use memory::operation::{BarrierScope, MemoryOperation, WaitUntil};
pub use memory::peer::PeerAccess;
pub use memory::signal::{Signal, SignalWord};
pub use memory::{
    AddressRange, External, ExternalBuffer, ExternalMemory, ExternalMemoryKind, FabricHandle,
    Granularity, Growable, GrowableBuffer, GrowableOptions, Mapping, MulticastObject,
    MulticastOptions, PhysicalMemory, PhysicalOptions, PhysicalProperties, PhysicalUsage,
    RangeFlags,
};
pub use memory::{
    Borrowed, BorrowedMut, DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, Discard,
    HostBlock, Managed, ManagedAttachment, ManagedBuffer, Mapped, MappedBuffer, MemoryAccess,
    MemoryAdvice, MemoryLocation, MemoryPool, MemoryPoolOptions, MemoryType, Outcome, OwnedStorage,
    Owner, PageLocked, PinnedBuffer, PinnedFlags, Pipeline, PlainData, PointerAttribute,
    PointerInfo, PoolAttribute, PoolPointer, PoolType, Prefetch, RangeAttribute, RangeAttributes,
    RegisterError, RegisterFlags, RegisteredBuffer, Registration, Scope, Staging, StagingOptions,
    Storage, StorageMut, StreamOrdered, Transfer, TransferError,
};
pub use memory::{
    CopyAttributes, CopyBatch, CopySource, CopyTarget, Extent, HostRegion, HostRegionMut, Layout,
    Offset, PitchedAllocation, PitchedBuffer, PitchedMemory, PitchedView, PitchedViewMut, Region,
    RegionCopy, SourceOrder,
};
pub use share::{
    ExternalSemaphore, ExternalSemaphoreKind, IpcBuffer, IpcEventHandle, IpcMemory,
    IpcMemoryHandle, Opened, OpenedBuffer,
};
pub use stream::access_policy::{AccessPolicyWindow, AccessProperty};
pub use stream::attributes::{MemSyncDomain, MemSyncDomainMap, SyncPolicy};
pub use stream::event::{Event, EventOptions};
pub use stream::finished::Finished;
pub use stream::{Stream, StreamOptions};
pub use tensor_map::{
    Im2colWideMode, TensorDataType, TensorElement, TensorFill, TensorInterleave, TensorMap,
    TensorMapBuilder, TensorMemory, TensorPromotion, TensorSwizzle,
};
pub use texture::{
    AddressMode, FilterMode, IntoTextureSource, ResourceView, Sampler, Surface, Texture,
    TextureResource, TextureSource, ViewFormat,
};

/// The code in README.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
