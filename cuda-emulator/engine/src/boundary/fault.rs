//! Faults of kernels.

use std::fmt;

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
