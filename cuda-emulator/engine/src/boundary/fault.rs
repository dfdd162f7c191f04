//! Faults of kernels.

use std::fmt;

/// The kind of a fault. Each variant names the corresponding result code of the driver.
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
    /// `CUDA_ERROR_LAUNCH_FAILED`: access to shared memory of a block of the cluster that does not
    /// exist or has ended.
    Cluster,
    /// `CUDA_ERROR_HARDWARE_STACK_ERROR`
    StackOverflow,
    /// `CUDA_ERROR_LAUNCH_TIMEOUT`: the time limit was exceeded, or all threads are deadlocked.
    Timeout,
    /// `CUDA_ERROR_LAUNCH_FAILED`: an optional check found a mistake.
    Check,
    /// `CUDA_ERROR_INVALID_VALUE`: the launch is impossible (block too large, parameter buffer too
    /// short).
    InvalidLaunch,
}

/// The fault of a kernel that stopped before its end.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The kernel's name.
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
