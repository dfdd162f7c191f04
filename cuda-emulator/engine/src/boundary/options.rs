//! The shape, options and statistics of a launch.

use std::sync::Arc;
use std::time::Duration;

/// The shape of a launch: grid, clusters, blocks and dynamic shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in x, y and z. None may be zero.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z. None may be zero, and their product is at most 1024.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Cooperative launch: all blocks are resident at once and may wait for each other.
    pub cooperative: bool,
    /// Blocks per cluster in x, y and z, which must divide those of the grid. None means one block
    /// per cluster.
    pub cluster: Option<[u32; 3]>,
}

/// Options of a launch.
#[derive(Clone, Debug)]
pub struct Options {
    /// Worker threads. 0 means one per host core.
    pub threads: usize,
    /// Number of blocks that one worker keeps resident at the same time. Blocks that wait for each
    /// other must be resident together. A cooperative launch keeps all its blocks resident,
    /// whatever this value is.
    pub resident_blocks: usize,
    /// A seed that shuffles the order of blocks and warps and shortens time slices, to expose
    /// missing barriers.
    pub seed: Option<u64>,
    /// Whether to report reads of uninitialized memory.
    pub check_uninit: bool,
    /// Whether to call [`Device::note_write`](super::Device::note_write) even if `check_uninit` is
    /// false.
    pub note_writes: bool,
    /// Whether to report unsynchronized accesses of two threads to the same shared or global memory,
    /// one of them a write.
    pub check_race: bool,
    /// Whether to report barriers that only some threads of a block reach.
    pub check_barrier: bool,
    /// Whether to report accesses to memory of the device by
    /// [`Device::note_access`](super::Device::note_access).
    pub record_accesses: bool,
    /// The time after which the launch is stopped, with [`FaultKind::Timeout`](super::FaultKind::Timeout).
    pub time_limit: Option<Duration>,
    /// The time after which a launch that is still running is passed once to
    /// [`Device::note_long_run`](super::Device::note_long_run).
    pub notice_after: Option<Duration>,
    /// The number of multiprocessors that `%nsmid` returns.
    pub multiprocessors: u32,
    /// The multiprocessors that blocks run on. `None` means all.
    pub part: Option<Arc<[u32]>>,
    /// Bytes of call stack per thread, beyond the kernel's static needs (`CU_LIMIT_STACK_SIZE`).
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
            note_writes: false,
            check_race: false,
            check_barrier: false,
            record_accesses: false,
            time_limit: None,
            notice_after: None,
            multiprocessors: 16,
            part: None,
            stack_size: 1024,
            clock_khz: 1_000_000,
        }
    }
}

/// Statistics of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Number of blocks run.
    pub blocks: u64,
    /// Number of instructions executed, counted once per warp.
    pub warp_instructions: u64,
}
