//! What pools are made with, and what can be asked of them.

pub use crate::raw::memory::{MemoryAccess, PoolAttribute, PoolType};
use crate::{
    device::peer::ShareableHandles,
    memory::location::MemoryLocation,
    raw::{bytes::bytes, flags::options},
};

options! {
    /// How a pool is made, for [`MemoryPool::with_options`](crate::MemoryPool::with_options).
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
        /// Where its memory is; the context's device unless set, and nowhere in particular for managed memory. The host and
        /// its NUMA nodes need a driver of CUDA 13.0 or newer, and a device with `HOST_MEMORY_POOLS_SUPPORTED`; devices
        /// reach such memory after [`MemoryPool::grant_access`](crate::MemoryPool::grant_access).
        location: Option<MemoryLocation>, set to MemoryLocation;
        /// What kind of memory it is; [`PoolType::PINNED`] unless set.
        kind: Option<PoolType>, set to PoolType;
        /// By which handles other processes may get it.
        handle_types: ShareableHandles;
        /// The most bytes that it may have, which the driver rounds up; 0 for no limit. Since CUDA 12.2.
        max_size: usize;
        /// Whether the hardware's decompression may use its memory. Since CUDA 12.8.
        hardware_decompression: bool;
    }
}

bytes! {
    /// What one process says of an allocation from a shared pool, for another that has imported the pool: see
    /// [`MemoryPool::import_pointer`](crate::MemoryPool::import_pointer). It may be sent as plain bytes.
    #[doc(alias = "CUmemPoolPtrExportData")]
    pub struct PoolPointer
}
