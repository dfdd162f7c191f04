//! The engine: loads PTX, places it in memory and runs kernels on the host's cores.
//!
//! There are three steps, each with a type of its own:
//!
//! 1. [`Program`]: one or more PTX modules, parsed, linked and lowered. Immutable, holds no address, shared freely
//!    among threads and contexts.
//! 2. [`Image`]: a program placed in memory: its variables have addresses and their initial values.
//! 3. [`run`]: one launch of a kernel of an image, to its end or its first fault.
//!
//! What the engine needs from the outside (allocations, the device heap, the output of printf) comes from a
//! [`Device`].
//!
//! Device addresses are host addresses. Shared and local memory appear in the generic address space in windows that
//! no host allocation can occupy: [`SHARED_WINDOW`] and [`LOCAL_WINDOW`].
//!
//! What it runs is in the instruction list: integer, floating-point (f16, bf16, f32, f64, every rounding), comparison,
//! logic, conversion, data movement, control, warp, barrier, `mbarrier`, atomic, `cp.async`, `cp.async.bulk`, video and
//! tensor-core (`mma`, `wmma`, `wgmma`, `ldmatrix` and its kin) instructions of PTX, up to what NVRTC 13 emits for
//! compute_75 to compute_120; copies by tensor maps; textures and surfaces by objects. It does not run Blackwell's `tcgen05`, texture references,
//! module-scope `.local` variables and stochastic rounding. These are refused when the module is loaded, with instruction and line.
//!
//! ARCHITECTURE.md describes the rooms of the source and which of them may use which. `interface` lists everything that the
//! driver side uses.
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

/// Whether the engine was compiled with optimization. Without it, kernels take dozens of times longer.
pub const OPTIMIZED: bool = !cfg!(cuda_emulator_unoptimised);
