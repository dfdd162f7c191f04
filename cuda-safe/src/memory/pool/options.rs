//! Options and attributes of memory pools.

pub use crate::raw::memory::{MemoryAccess, PoolAttribute, PoolType};
use crate::{
    device::peer::ShareableHandles,
    memory::location::MemoryLocation,
    raw::{bytes::bytes, flags::options},
};

options! {
    /// Options for creating a pool, for
    /// [`MemoryPool::with_options`](crate::MemoryPool::with_options).
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, memory::MemoryPoolOptions};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let options = MemoryPoolOptions::default().max_size(64 << 20);
    /// let pool = MemoryPool::with_options(&context, options)?;
    /// assert_eq!(pool.used()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub struct MemoryPoolOptions {
        /// The location of the pool's memory. By default it is the context's device, or no
        /// particular location for managed memory. The host and its NUMA nodes require a driver of
        /// CUDA 13.0 or newer and a device with `HOST_MEMORY_POOLS_SUPPORTED`. Devices can access
        /// such memory after [`MemoryPool::grant_access`](crate::MemoryPool::grant_access).
        location: Option<MemoryLocation>, set to MemoryLocation;
        /// The kind of memory. The default is [`PoolType::PINNED`].
        kind: Option<PoolType>, set to PoolType;
        /// The kinds of handles that can share the pool with other processes.
        handle_types: ShareableHandles;
        /// The maximum size of the pool in bytes, which the driver rounds up. 0 means no limit.
        /// Since CUDA 12.2.
        max_size: usize;
        /// Whether hardware decompression can use the memory. Since CUDA 12.8.
        hardware_decompression: bool;
    }
}

bytes! {
    /// A description of an allocation from a shared pool, for another process that has imported the
    /// pool: see [`MemoryPool::import_pointer`](crate::MemoryPool::import_pointer). You can send it
    /// as plain bytes.
    #[doc(alias = "CUmemPoolPtrExportData")]
    pub struct PoolPointer
}
