//! What pools are made with, and what can be asked of them.

use std::ffi::{c_uint, c_void};

use cuda_sys::CUmemPoolProps;

use crate::{
    device::peer::ShareableHandles,
    memory::location::MemoryLocation,
    raw::{
        bytes::bytes,
        flags::{choices, options},
    },
};

choices! {
    /// What kind of memory a pool has (`CUmemAllocationType`).
    pub struct PoolType(c_uint) {
        /// It stays where it is.
        PINNED = 1, "CU_MEM_ALLOCATION_TYPE_PINNED";
        /// Managed memory, which moves to whoever uses it; since CUDA 13.0.
        MANAGED = 2, "CU_MEM_ALLOCATION_TYPE_MANAGED";
    }
}

choices! {
    /// What a device may do with memory (`CUmemAccess_flags`).
    pub struct MemoryAccess(c_uint) {
        /// Nothing.
        NONE = 0, "CU_MEM_ACCESS_FLAGS_PROT_NONE";
        /// Read it.
        READ = 1, "CU_MEM_ACCESS_FLAGS_PROT_READ";
        /// Read and write it.
        READ_WRITE = 3, "CU_MEM_ACCESS_FLAGS_PROT_READWRITE";
    }
}

choices! {
    /// What may be asked of a pool, for [`MemoryPool::attribute`](crate::MemoryPool::attribute) (`CUmemPool_attribute`). Most have methods of their own.
    pub struct PoolAttribute(c_uint) {
        /// Whether memory that was freed on one stream may be given to another that waits for the first. On by default, as
        /// the next two.
        REUSE_FOLLOW_EVENT_DEPENDENCIES = 1, "CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES";
        /// Whether memory whose freeing happens to be over may be given to any stream.
        REUSE_ALLOW_OPPORTUNISTIC = 2, "CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC";
        /// Whether the driver may have one stream wait for another in order to reuse memory.
        REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3, "CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES";
        /// See [`MemoryPool::release_threshold`](crate::MemoryPool::release_threshold).
        RELEASE_THRESHOLD = 4, "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD";
        /// See [`MemoryPool::reserved`](crate::MemoryPool::reserved).
        RESERVED_MEM_CURRENT = 5, "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT";
        /// The most that was ever reserved, or since [`MemoryPool::reset_high_water_marks`](crate::MemoryPool::reset_high_water_marks).
        RESERVED_MEM_HIGH = 6, "CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH";
        /// See [`MemoryPool::used`](crate::MemoryPool::used).
        USED_MEM_CURRENT = 7, "CU_MEMPOOL_ATTR_USED_MEM_CURRENT";
        /// The most that was ever used, or since [`MemoryPool::reset_high_water_marks`](crate::MemoryPool::reset_high_water_marks).
        USED_MEM_HIGH = 8, "CU_MEMPOOL_ATTR_USED_MEM_HIGH";
        /// Its [`PoolType`]. This and the next ones are newer than CUDA 13.0.
        ALLOCATION_TYPE = 9, "CU_MEMPOOL_ATTR_ALLOCATION_TYPE";
        /// The handles that it can be exported by.
        EXPORT_HANDLE_TYPES = 10, "CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES";
        /// Which place of its kind its memory is in.
        LOCATION_ID = 11, "CU_MEMPOOL_ATTR_LOCATION_ID";
        /// The kind of place that its memory is in.
        LOCATION_TYPE = 12, "CU_MEMPOOL_ATTR_LOCATION_TYPE";
        /// The most bytes it may have; 0 for no limit.
        MAX_POOL_SIZE = 13, "CU_MEMPOOL_ATTR_MAX_POOL_SIZE";
        /// Whether its memory is for the hardware's decompression.
        HW_DECOMPRESS_ENABLED = 14, "CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED";
        /// The part of the device's memory that its memory is in, as an `int`, or -1.
        LOCALITY_DOMAIN_ID = 15, "CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID";
    }
}

options! {
    /// How a pool is made, for [`MemoryPool::with_options`](crate::MemoryPool::with_options).
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, MemoryPoolOptions};
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

/// `CUmemPoolProps`, whose last fields older headers don't name.
#[repr(C)]
pub(in crate::memory) struct RawProperties {
    pub(in crate::memory) kind: c_uint,
    pub(in crate::memory) handle_types: c_uint,
    pub(in crate::memory) location: [u32; 2],
    pub(in crate::memory) security: *mut c_void,
    pub(in crate::memory) max_size: usize,
    pub(in crate::memory) usage: u16,
    pub(in crate::memory) reserved: [u8; 54],
}

const _: () = assert!(size_of::<RawProperties>() == size_of::<CUmemPoolProps>());
const _: () = assert!(align_of::<RawProperties>() == align_of::<CUmemPoolProps>());

bytes! {
    /// What one process says of an allocation from a shared pool, for another that has imported the pool: see
    /// [`MemoryPool::import_pointer`](crate::MemoryPool::import_pointer). It may be sent as plain bytes.
    #[doc(alias = "CUmemPoolPtrExportData")]
    pub struct PoolPointer
}
