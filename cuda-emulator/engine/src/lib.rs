//! An interpreter for PTX: it loads PTX, places it in memory and runs kernels on the host's cores.
//!
//! This crate is the engine of `cuda-emulator`, a CUDA driver in software. It uses neither CUDA's
//! headers nor the driver's C ABI. To run a program without a GPU, use `cuda-emulator`.
//!
//! A kernel runs in three steps:
//!
//! 1. Load: a [`Program`] is one or more PTX modules, parsed, linked and lowered. It is immutable,
//!    contains no addresses, and can be shared among threads and contexts.
//! 2. Place: an [`Image`] is a program placed in memory. Its variables have addresses and initial
//!    values.
//! 3. Run: [`run`] executes one launch of a kernel of an image, to its end or its first fault.
//!
//! The user implements [`Device`], which provides allocations, the device heap and the output of
//! `printf`.
//!
//! # Design
//!
//! - **Interpreter.** Tests load a module, run it once and end, so load time matters more than peak
//!   speed. See [Why there is no compiler](#why-there-is-no-compiler).
//! - **One warp per instruction.** An instruction is a call of a function that processes all 32
//!   lanes, as vector code. This spreads the cost of the interpreter loop over the warp.
//! - **One instruction list.** Each entry has the instruction's PTX name, operands, function,
//!   possible faults and first architecture, and the lowering and the list of
//!   [instructions](#instructions) are derived from it.
//! - **Host addresses.** Device addresses are host addresses, so memory needs no translation.
//!   Shared and local memory appear in the generic address space in windows that no host allocation
//!   can occupy: [`SHARED_WINDOW`] and [`LOCAL_WINDOW`].
//! - **Checked accesses.** Every access is checked against the allocations that [`Device::find`]
//!   returns, because a fault report is more useful than speed. Each instruction caches the region
//!   that it accessed last.
//! - **Faults stop the launch.** A [`Fault`] contains the kernel, block, thread and PTX line, and the
//!   source line if the PTX has line information.
//!
//! # Supported PTX
//!
//! The engine supports the PTX that NVRTC 13 emits for compute_75 to compute_120:
//!
//! - integer, floating-point (f16, bf16, f32, f64, every rounding), comparison, logic, conversion,
//!   data movement and control instructions;
//! - warp, barrier, `mbarrier` and atomic instructions;
//! - `cp.async`, `cp.async.bulk`, and copies with tensor maps;
//! - video and tensor-core instructions (`mma`, `wmma`, `wgmma`, `ldmatrix` and similar ones);
//! - texture and surface objects.
//!
//! It does not support Blackwell's `tcgen05`, texture references, module-scope `.local` variables
//! and stochastic rounding. Loading a module that uses them returns an error with the instruction
//! and line.
//!
//! ARCHITECTURE.md in the repository describes the modules of the source and their dependencies.
//! `interface` lists all items that the driver side uses.
//!
#![doc = include_str!("../docs/instructions.md")]
//!
#![doc = include_str!("../docs/speed.md")]

mod block;
mod boundary;
mod device_runtime;
mod instructions;
mod interface;
mod ir;
mod lanes;
mod launch;
mod lock;
mod lower;
mod memory;
mod number;
mod program;
mod ptx;
mod state;
mod warp;

pub use interface::*;

/// Whether the engine was compiled with optimization. Without it, kernels take dozens of times
/// longer.
pub const OPTIMIZED: bool = !cfg!(cuda_emulator_unoptimized);
