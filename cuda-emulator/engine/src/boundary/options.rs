//! The shape of a launch, how it is run, and what it did.

use std::sync::Arc;
use std::time::Duration;

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
    /// The time after which the launch is stopped, with [`FaultKind::Timeout`](super::FaultKind::Timeout).
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
