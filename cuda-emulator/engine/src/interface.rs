//! The types of the interface between the driver side and the engine.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::state::texture::{Surface, Texture};

pub use crate::device_runtime::{Host, SOURCE as DEVICE_RUNTIME, run};
pub use crate::lock::Unpoisoned;
pub use crate::lower::Prototypes;
pub use crate::program::{Image, Program};
pub use crate::ptx::{Names, version_of};
pub use crate::state::{tensor_map, texture};

/// Why a module was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The text isn't PTX.
    Syntax,
    /// Valid PTX that the emulator can't run.
    Unsupported,
    /// A name that isn't declared where it is used.
    Unresolved,
    /// Inputs that don't fit together: none defines what one declares, or a definition isn't like a declaration.
    Link,
    /// A PTX version newer than the engine knows.
    Version,
}

/// A module that could not be loaded. `Display` gives the whole text, with what to do.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The kind of failure.
    pub kind: LoadErrorKind,
    /// Line of the PTX text, from 1; 0 when no single line is at fault.
    pub line: u32,
    /// The instruction or directive at fault, as written; may be empty.
    pub instruction: String,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line != 0 {
            write!(f, "PTX line {}: ", self.line)?;
        }
        if !self.instruction.is_empty() {
            write!(f, "`{}`: ", self.instruction)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for LoadError {}

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Byte offset in the parameter buffer.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// What a module declares about one of its kernels.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// Which of the texts that were linked it is from.
    pub input: usize,
    /// The name as written in PTX (mangled for C++).
    pub name: String,
    /// The parameters in order.
    pub params: Vec<ParamInfo>,
    /// Size of the parameter buffer in bytes.
    pub param_bytes: u32,
    /// Bytes of statically declared shared memory that the kernel and its callees use.
    pub static_shared: u32,
    /// Bytes of local memory per thread, without recursion.
    pub local_bytes: u32,
    /// 32-bit registers per thread, an estimate from the lowered code, at most 255.
    pub registers: u32,
    /// `.maxntid`: the greatest number of threads per block.
    pub max_threads: Option<u32>,
    /// `.reqntid`: the exact block size.
    pub required_block: Option<[u32; 3]>,
    /// `.minnctapersm`: the least number of blocks per multiprocessor.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`: the greatest number of registers per thread.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`: the exact cluster size, in blocks.
    pub required_cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: a launch has to say the cluster size, if it isn't required.
    pub explicit_cluster: bool,
    /// `.maxclusterrank`: the greatest number of blocks per cluster.
    pub max_cluster: Option<u32>,
    /// It, or a function that it may call, calls the device runtime.
    pub nests: bool,
    /// It, or a function that it may call, calls `cudaGraphLaunch`.
    pub launches_graphs: bool,
}

/// State space of a module variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// `.global`
    Global,
    /// `.const`
    Const,
}

/// A module-scope `.global` or `.const` variable.
#[derive(Clone, Debug)]
pub struct VariableInfo {
    /// The name as written in PTX.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Its state space.
    pub space: Space,
    /// Declared with `.attribute(.managed)`.
    pub managed: bool,
    /// Declared `.visible`, `.weak` or `.common`: `cuModuleGetGlobal` finds it. (On a GPU it finds the others too.)
    pub exported: bool,
}

/// A live allocation, as the device reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether kernels may write to it.
    pub writable: bool,
    /// Identity of the allocation, for checks.
    pub id: u64,
}

/// What a kernel changes of a kernel's node in a graph.
#[derive(Clone, Copy, Debug)]
pub enum NodeChange<'a> {
    /// Bytes of its parameters, from this place on.
    Param(u64, &'a [u8]),
    /// Whether it runs.
    Enabled(bool),
    /// Its blocks.
    Grid([u32; 3]),
}

/// `cudaErrorNotSupported`
const NOT_SUPPORTED: u32 = 801;

/// What the engine needs from the outside while a kernel runs. Called from the engine's worker threads.
pub trait Device: Sync {
    /// The live allocation that contains `addr` (device, pinned host, managed, module variable).
    ///
    /// The memory must stay valid for reads (and writes when `writable`) until [`generation`](Device::generation)
    /// has changed and every running launch has noticed it, which it does at least every few milliseconds.
    fn find(&self, addr: u64) -> Option<Region>;
    /// Changes whenever an allocation is freed: the engine then drops what it remembers of [`find`](Device::find).
    fn generation(&self) -> u64;
    /// Text for a fault report: which allocation the access missed, and by how much (also for freed allocations).
    fn explain(&self, addr: u64, size: u32) -> String;
    /// Allocates `size` bytes of the device-side heap: an address aligned to 16 bytes, or 0 when the heap is full.
    fn malloc(&self, size: u64) -> u64;
    /// Frees memory from [`malloc`](Device::malloc); false if the address isn't a live heap block.
    fn free(&self, addr: u64) -> bool;
    /// Output of `vprintf`: the whole text of one call.
    fn print(&self, text: &[u8]);
    /// A write of `size` bytes at `addr` is about to happen. Only called with [`Options::check_uninit`].
    fn note_write(&self, addr: u64, size: u32) {
        let _ = (addr, size);
    }
    /// Whether all `size` bytes at `addr` have been written. Only called with [`Options::check_uninit`].
    fn is_initialised(&self, addr: u64, size: u32) -> bool {
        let _ = (addr, size);
        true
    }
    /// Sets the value of a conditional node of a graph; whether the handle is one's.
    fn set_conditional(&self, handle: u64, value: u32) -> bool {
        let _ = (handle, value);
        false
    }
    /// `cudaGraphLaunch`: launches an executable graph from within a kernel, in one of the modes that `stream` stands for.
    /// The `cudaError_t` that the kernel gets, or the reason of a fault.
    fn launch_graph(&self, exec: u64, stream: u64) -> Result<u32, String> {
        let _ = (exec, stream);
        Ok(NOT_SUPPORTED)
    }
    /// Changes a kernel's node of a graph; whether that is allowed. The reason of a fault for a handle that isn't one's.
    fn change_node(&self, node: u64, change: NodeChange<'_>) -> Result<bool, String> {
        let _ = (node, change);
        Ok(false)
    }
    /// The handle of the executable graph that the kernel belongs to, where kernels may launch that; else 0.
    fn current_graph(&self) -> u64 {
        0
    }
    /// The texture object behind a handle; who has it can read its texels. The reason of a fault for a handle that isn't
    /// one's, and for texels that are gone.
    fn texture(&self, handle: u64) -> Result<Arc<Texture>, String> {
        Err(format!("0x{handle:x} isn't the handle of a texture object"))
    }
    /// The surface object behind a handle, as [`texture`](Device::texture).
    fn surface(&self, handle: u64) -> Result<Arc<Surface>, String> {
        Err(format!("0x{handle:x} isn't the handle of a surface object"))
    }
    /// What the device runtime asks; without it most queries of kernels give `cudaErrorNotSupported`.
    fn host(&self) -> Option<&dyn Host> {
        None
    }
}

/// The shape of a launch, from the call to the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in x, y, z; none is zero.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z; none is zero, and their product is at most 1024.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Cooperative launch: all blocks are resident at once and may wait for each other.
    pub cooperative: bool,
    /// Blocks per cluster in x, y, z, divisors of the grid's; None if every block is a cluster of its own.
    pub cluster: Option<[u32; 3]>,
}

/// One launch.
pub struct Launch<'a> {
    /// The placed program.
    pub image: &'a Image,
    /// Index into [`Program::kernels`](Program::kernels).
    pub kernel: usize,
    /// Its shape.
    pub shape: Shape,
    /// The parameter buffer, at least [`KernelInfo::param_bytes`] long.
    pub params: &'a [u8],
}

/// How to run a launch.
#[derive(Clone, Debug)]
pub struct Options {
    /// Worker threads; 0 for one per host core.
    pub threads: usize,
    /// Blocks that one worker keeps alive at the same time (blocks that wait for each other need to be). A
    /// cooperative launch keeps all its blocks alive, whatever this value is.
    pub resident_blocks: usize,
    /// A seed that shuffles the order of blocks and warps, with short time slices, to bring out missing barriers.
    pub seed: Option<u64>,
    /// Whether to report reads of memory that nobody wrote.
    pub check_uninit: bool,
    /// Whether to report unsynchronised accesses of two threads to the same shared memory, one of them a write.
    pub check_race: bool,
    /// Whether to report barriers that not all threads of a block reach together.
    pub check_barrier: bool,
    /// The time after which the launch is stopped, with [`FaultKind::Timeout`].
    pub time_limit: Option<Duration>,
    /// The number of multiprocessors that `%nsmid` returns.
    pub multiprocessors: u32,
    /// Those of them that blocks run on; `None` for all.
    pub part: Option<Arc<[u32]>>,
    /// Bytes of call stack per thread, beyond what the kernel needs statically (`CU_LIMIT_STACK_SIZE`).
    pub stack_size: u32,
    /// Frequency of `%clock` in kHz.
    pub clock_khz: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            resident_blocks: 64,
            seed: None,
            check_uninit: false,
            check_race: false,
            check_barrier: false,
            time_limit: None,
            multiprocessors: 16,
            part: None,
            stack_size: 1024,
            clock_khz: 1_000_000,
        }
    }
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Blocks run.
    pub blocks: u64,
    /// Instructions executed, counted once per warp.
    pub warp_instructions: u64,
}

/// What went wrong in a kernel. Each kind names the result code of the driver that it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// `CUDA_ERROR_ILLEGAL_ADDRESS`
    IllegalAddress,
    /// `CUDA_ERROR_MISALIGNED_ADDRESS`
    MisalignedAddress,
    /// `CUDA_ERROR_ILLEGAL_INSTRUCTION`
    IllegalInstruction,
    /// `CUDA_ERROR_INVALID_ADDRESS_SPACE`
    InvalidAddressSpace,
    /// `CUDA_ERROR_INVALID_PC`
    InvalidPc,
    /// `CUDA_ERROR_ASSERT`
    Assert,
    /// `CUDA_ERROR_LAUNCH_FAILED`: `trap`.
    Trap,
    /// `CUDA_ERROR_LAUNCH_FAILED`: shared memory of a block of the cluster that isn't there, or has ended.
    Cluster,
    /// `CUDA_ERROR_HARDWARE_STACK_ERROR`
    StackOverflow,
    /// `CUDA_ERROR_LAUNCH_TIMEOUT`: the time limit, or a deadlock that no thread can leave.
    Timeout,
    /// Found by one of the optional checks; `CUDA_ERROR_LAUNCH_FAILED`.
    Check,
    /// The launch itself is impossible (block too large, parameter buffer too short): `CUDA_ERROR_INVALID_VALUE`.
    InvalidLaunch,
}

/// A kernel that stopped before its end.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The kernel.
    pub kernel: String,
    /// The block's index in the grid.
    pub block: [u32; 3],
    /// The thread's index in its block.
    pub thread: [u32; 3],
    /// The complete report: several lines.
    pub report: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.report)
    }
}

impl std::error::Error for Fault {}
