//! Flags and choices of contexts.

use std::ffi::c_uint;

use super::flags::{choices, flags};

flags! {
    /// How a created context waits for the device, and how it treats local memory (`CUctx_flags`).
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let flags = ContextFlags::BLOCKING_SYNC | ContextFlags::LMEM_RESIZE_TO_MAX;
    /// let context = Context::create(Device::get(0)?, flags)?;
    /// assert_ne!(context.flags()?.0 & ContextFlags::BLOCKING_SYNC.0, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub struct ContextFlags {
        /// The driver chooses between spinning and yielding.
        AUTO = 0, "CU_CTX_SCHED_AUTO";
        /// Wait by spinning: the lowest latency, at the cost of a busy core.
        SPIN = 1, "CU_CTX_SCHED_SPIN";
        /// Wait by yielding the processor.
        YIELD = 2, "CU_CTX_SCHED_YIELD";
        /// Wait by blocking the thread.
        BLOCKING_SYNC = 4, "CU_CTX_SCHED_BLOCKING_SYNC";
        /// Keep local memory at its largest size after a launch instead of shrinking it.
        LMEM_RESIZE_TO_MAX = 16, "CU_CTX_LMEM_RESIZE_TO_MAX";
    }
}

choices! {
    /// The contexts to which a network card's writes to a device become visible
    /// (`CUflushGPUDirectRDMAWritesScope`).
    pub struct FlushScope(c_uint) {
        /// The context that owns the memory.
        OWNER = 100, "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER";
        /// The contexts of all devices.
        ALL_DEVICES = 200, "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES";
    }
}

flags! {
    /// How multiprocessors are divided (`CUdevSmResourceSplitByCount_flags`).
    pub struct SplitFlags {
        /// Allow smaller groups, whose multiprocessors need not be co-scheduled. Large clusters
        /// may not fit such a group.
        IGNORE_SM_COSCHEDULING = 1, "CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING";
        /// Create groups that can hold the largest possible clusters. Needs compute capability 9.0
        /// or newer.
        MAX_POTENTIAL_CLUSTER_SIZE = 2, "CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE";
    }
}

choices! {
    /// A limit of a context (`CUlimit`). For limits of newer drivers, use their number.
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device, context::Limit};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
    /// context.set_limit(Limit::STACK_SIZE, 4096)?;
    /// assert!(context.limit(Limit::STACK_SIZE)? >= 4096);
    /// # Ok(())
    /// # }
    /// ```
    pub struct Limit(c_uint) {
        /// Bytes of stack per thread.
        STACK_SIZE = 0, "CU_LIMIT_STACK_SIZE";
        /// Bytes of the device's printf buffer.
        PRINTF_FIFO_SIZE = 1, "CU_LIMIT_PRINTF_FIFO_SIZE";
        /// Bytes of the heap behind `malloc` in kernels.
        MALLOC_HEAP_SIZE = 2, "CU_LIMIT_MALLOC_HEAP_SIZE";
        /// The depth to which grids launched by kernels may wait for each other. It has no effect
        /// from compute capability 9.0 on, where kernels cannot wait for grids that they launch.
        DEV_RUNTIME_SYNC_DEPTH = 3, "CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH";
        /// The number of pending grids that kernels have launched.
        DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4, "CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT";
        /// The number of bytes that L2 fetches at once, from 0 to 128. A hint.
        MAX_L2_FETCH_GRANULARITY = 5, "CU_LIMIT_MAX_L2_FETCH_GRANULARITY";
        /// Bytes of L2 cache that are set aside for persisting accesses.
        PERSISTING_L2_CACHE_SIZE = 6, "CU_LIMIT_PERSISTING_L2_CACHE_SIZE";
        /// Bytes of shared memory for a kernel in a context that shares the device with graphics.
        /// Read-only.
        SHMEM_SIZE = 7, "CU_LIMIT_SHMEM_SIZE";
        /// Not 0 in a context that shares the device with graphics. Read-only.
        CIG_ENABLED = 8, "CU_LIMIT_CIG_ENABLED";
        /// 0 if launches fail that need more shared memory than such a context has. Otherwise they
        /// use a fallback.
        CIG_SHMEM_FALLBACK_ENABLED = 9, "CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED";
        /// Bytes of memory for each block.
        PER_BLOCK_MEMORY_SIZE = 10, "CU_LIMIT_PER_BLOCK_MEMORY_SIZE";
    }
}

choices! {
    /// Whether a context or kernel prefers shared memory or L1 cache (`CUfunc_cache`).
    ///
    /// ```
    /// # use cuda_safe::{context::CacheConfig, Context};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// context.set_cache_config(CacheConfig::L1)?;
    /// // A hint: if both have fixed sizes, the device has no preference.
    /// assert!([CacheConfig::L1, CacheConfig::NONE].contains(&context.cache_config()?));
    /// # Ok(())
    /// # }
    /// ```
    pub struct CacheConfig(c_uint) {
        /// No preference.
        NONE = 0, "CU_FUNC_CACHE_PREFER_NONE";
        /// More shared memory, less L1 cache.
        SHARED = 1, "CU_FUNC_CACHE_PREFER_SHARED";
        /// More L1 cache, less shared memory.
        L1 = 2, "CU_FUNC_CACHE_PREFER_L1";
        /// The same amount of each.
        EQUAL = 3, "CU_FUNC_CACHE_PREFER_EQUAL";
    }
}
