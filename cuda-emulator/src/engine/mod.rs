//! The engine: loads PTX, places it in memory and runs kernels on the host's cores.
//!
//! Three steps, each its own type:
//!
//! 1. [`Program`]: one or more PTX modules, parsed, linked and lowered. Immutable, holds no address, shared freely
//!    among threads and contexts.
//! 2. [`Image`]: a program placed in memory: its variables have addresses and their initial values.
//! 3. [`run`]: one launch of a kernel of an image, to its end or its first fault.
//!
//! What the engine needs to know of the outside (allocations, the device heap, the printf sink) it asks a [`Device`].
//!
//! Device addresses are host addresses. Shared and local memory appear in the generic address space in windows that
//! no host allocation can occupy: [`SHARED_WINDOW`] and [`LOCAL_WINDOW`].

mod interface;

pub use interface::{
    Device, Fault, FaultKind, Image, KernelInfo, Launch, LoadError, LoadErrorKind, Options,
    ParamInfo, Program, Region, Space, Stats, VariableInfo, run,
};

/// Generic address of offset 0 of a block's shared memory.
pub const SHARED_WINDOW: u64 = 1 << 60;
/// Generic address of offset 0 of a thread's local memory.
pub const LOCAL_WINDOW: u64 = 2 << 60;
/// What a function's address looks like: this plus 16 times its index.
pub const CODE_WINDOW: u64 = 3 << 60;
