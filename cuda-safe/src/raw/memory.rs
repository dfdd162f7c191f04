//! Flags and choices of memory.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// When host memory may be read that a batch copies from (`CUmemcpySrcAccessOrder`).
    pub struct SourceOrder(c_uint) {
        /// In the order of the stream.
        STREAM = 1, "CU_MEMCPY_SRC_ACCESS_ORDER_STREAM";
        /// At once: before the call returns, and perhaps before what the stream was given earlier. An H200 (driver 580)
        /// reads more than 64 KiB of pageable memory later all the same, so [`CopyBatch::enqueue`](crate::memory::CopyBatch::enqueue) waits in any case.
        DURING_API_CALL = 2, "CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL";
        /// At any time until the copy is over.
        ANY = 3, "CU_MEMCPY_SRC_ACCESS_ORDER_ANY";
    }
}

flags! {
    /// How page-locked memory is allocated (`CU_MEMHOSTALLOC_*`).
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer, memory::PinnedFlags};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let flags = PinnedFlags::PORTABLE | PinnedFlags::DEVICE_MAP;
    /// let buffer = PinnedBuffer::<u32>::with_flags(&context, 4, flags)?;
    /// assert_eq!(*buffer, [0; 4]);
    /// assert_ne!(buffer.device_ptr()?, 0); // kernels reach it too
    /// # Ok(())
    /// # }
    /// ```
    pub struct PinnedFlags {
        /// Page-locked for every context, not just for this one.
        PORTABLE = 1, "CU_MEMHOSTALLOC_PORTABLE";
        /// Mapped into the device's address space as well; see [`PinnedBuffer::device_ptr`](crate::PinnedBuffer::device_ptr).
        DEVICE_MAP = 2, "CU_MEMHOSTALLOC_DEVICEMAP";
        /// Not cached by the host: for data that the host only writes, in order. Reading it is very slow.
        WRITE_COMBINED = 4, "CU_MEMHOSTALLOC_WRITECOMBINED";
    }
}

flags! {
    /// How memory is registered (`CU_MEMHOSTREGISTER_*`).
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::{RegisterFlags, RegisteredBuffer}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let flags = RegisterFlags::PORTABLE | RegisterFlags::DEVICE_MAP;
    /// let numbers = RegisteredBuffer::with_flags(&context, vec![1u32, 2, 3], flags)?;
    /// assert_ne!(numbers.device_ptr()?, 0); // kernels reach it too
    /// # Ok(())
    /// # }
    /// ```
    pub struct RegisterFlags {
        /// Page-locked for every context, not just for this one.
        PORTABLE = 1, "CU_MEMHOSTREGISTER_PORTABLE";
        /// Mapped into the device's address space as well.
        DEVICE_MAP = 2, "CU_MEMHOSTREGISTER_DEVICEMAP";
        /// The addresses are another device's registers or memory (memory-mapped I/O), not plain memory. For
        /// [`Registration`](crate::memory::Registration) alone: vectors and slices never are.
        IO_MEMORY = 4, "CU_MEMHOSTREGISTER_IOMEMORY";
        /// The device only reads it: the program's own pages may be read-only too. Needs a device with
        /// [`READ_ONLY_HOST_REGISTER_SUPPORTED`](crate::DeviceAttribute::READ_ONLY_HOST_REGISTER_SUPPORTED). Not for memory that
        /// the device is to write to: copies to it return an error.
        READ_ONLY = 8, "CU_MEMHOSTREGISTER_READ_ONLY";
    }
}

choices! {
    /// What may be asked of a range of managed memory, for [`DeviceMemory::range_attribute`](crate::DeviceMemory::range_attribute) (`CUmem_range_attribute`). For
    /// [`RangeAttributes`](crate::memory::RangeAttributes), all of them are asked at once.
    pub struct RangeAttribute(c_uint) {
        /// Whether all of it is [`READ_MOSTLY`](crate::memory::MemoryAdvice::READ_MOSTLY).
        READ_MOSTLY = 1, "CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY";
        /// The preferred place of all of it: a device, -1 for the host, -2 for none or several.
        PREFERRED_LOCATION = 2, "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION";
        /// Where all of it was prefetched last, as above. The prefetch need not be over.
        LAST_PREFETCH_LOCATION = 4, "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION";
        /// The kind of the preferred place; since CUDA 12.2, as those below.
        PREFERRED_LOCATION_TYPE = 5, "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE";
        /// Which one of that kind.
        PREFERRED_LOCATION_ID = 6, "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID";
        /// The kind of place of the last prefetch.
        LAST_PREFETCH_LOCATION_TYPE = 7, "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE";
        /// Which one of that kind.
        LAST_PREFETCH_LOCATION_ID = 8, "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID";
    }
}

choices! {
    /// Who uses managed memory, for [`ManagedBuffer::attach`](crate::ManagedBuffer::attach) (`CUmemAttach_flags`).
    pub struct ManagedAttachment(c_uint) {
        /// Any stream, of any device: how memory begins.
        GLOBAL = 1, "CU_MEM_ATTACH_GLOBAL";
        /// The host alone.
        HOST = 2, "CU_MEM_ATTACH_HOST";
        /// The buffer's stream, and the host.
        SINGLE = 4, "CU_MEM_ATTACH_SINGLE";
    }
}

choices! {
    /// When a stream that waits for a value goes on (`CUstreamWaitValue_flags`).
    pub struct WaitUntil(c_uint) {
        /// The word is at least the value, seen as a difference with a sign: a counter may wrap round.
        AT_LEAST = 0, "CU_STREAM_WAIT_VALUE_GEQ";
        /// The word is the value.
        EQUAL = 1, "CU_STREAM_WAIT_VALUE_EQ";
        /// The word has one of the value's bits.
        ANY_BIT = 2, "CU_STREAM_WAIT_VALUE_AND";
        /// A bit that the value lacks is not set in the word: `!(word | value) != 0`.
        NOT_ALL_BITS = 3, "CU_STREAM_WAIT_VALUE_NOR";
    }
}

choices! {
    /// For whom the writes before a barrier are visible to those after it (`CUstreamMemoryBarrier_flags`).
    pub struct BarrierScope(c_uint) {
        /// For the host and all devices.
        SYSTEM = 0, "CU_STREAM_MEMORY_BARRIER_TYPE_SYS";
        /// For the stream's device.
        DEVICE = 1, "CU_STREAM_MEMORY_BARRIER_TYPE_GPU";
    }
}

choices! {
    /// What may be asked of an address, for [`Context::pointer_attribute`](crate::Context::pointer_attribute) (`CUpointer_attribute`). Most of them are in
    /// [`PointerInfo`](crate::memory::PointerInfo), which asks for them all at once.
    pub struct PointerAttribute(c_uint) {
        /// The context that it was allocated or registered in; 0 for memory that belongs to a device.
        CONTEXT = 1, "CU_POINTER_ATTRIBUTE_CONTEXT";
        /// Where it is: see [`MemoryType`].
        MEMORY_TYPE = 2, "CU_POINTER_ATTRIBUTE_MEMORY_TYPE";
        /// The address by which the device reaches it.
        DEVICE_POINTER = 3, "CU_POINTER_ATTRIBUTE_DEVICE_POINTER";
        /// The address by which the host reaches it.
        HOST_POINTER = 4, "CU_POINTER_ATTRIBUTE_HOST_POINTER";
        /// Whether synchronous copies and fills of it really are: see [`DeviceMemory::set_sync_memops`](crate::DeviceMemory::set_sync_memops).
        SYNC_MEMOPS = 6, "CU_POINTER_ATTRIBUTE_SYNC_MEMOPS";
        /// A number of the allocation that the process uses once.
        BUFFER_ID = 7, "CU_POINTER_ATTRIBUTE_BUFFER_ID";
        /// Whether it is managed memory.
        IS_MANAGED = 8, "CU_POINTER_ATTRIBUTE_IS_MANAGED";
        /// The device that it was allocated on or registered with.
        DEVICE_ORDINAL = 9, "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL";
        /// Whether other processes can get it by the older calls (`cuIpcGetMemHandle`).
        IS_LEGACY_CUDA_IPC_CAPABLE = 10, "CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE";
        /// Where the allocation begins.
        RANGE_START_ADDR = 11, "CU_POINTER_ATTRIBUTE_RANGE_START_ADDR";
        /// Bytes of the allocation.
        RANGE_SIZE = 12, "CU_POINTER_ATTRIBUTE_RANGE_SIZE";
        /// Whether there is memory behind the address.
        MAPPED = 13, "CU_POINTER_ATTRIBUTE_MAPPED";
        /// By which handles it can be shared with other processes.
        ALLOWED_HANDLE_TYPES = 14, "CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES";
        /// Whether network cards and the like reach it (GPUDirect RDMA).
        IS_GPU_DIRECT_RDMA_CAPABLE = 15, "CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE";
        /// What kernels of the current context may do with it: see [`MemoryAccess`].
        ACCESS_FLAGS = 16, "CU_POINTER_ATTRIBUTE_ACCESS_FLAGS";
        /// The handle of the pool that it comes from, or 0.
        MEMPOOL_HANDLE = 17, "CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE";
        /// Bytes of the mapping that the allocation is part of.
        MAPPING_SIZE = 18, "CU_POINTER_ATTRIBUTE_MAPPING_SIZE";
        /// Where that mapping begins.
        MAPPING_BASE_ADDR = 19, "CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR";
        /// A number of the physical memory behind it that the process uses once.
        MEMORY_BLOCK_ID = 20, "CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID";
        /// Whether the hardware's decompression may read and write it; since CUDA 12.8.
        IS_HW_DECOMPRESS_CAPABLE = 21, "CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE";
        /// The part of the device's memory that it is in, as an `int`, or -1; since CUDA 13.4.
        LOCALITY_DOMAIN_ORDINAL = 22, "CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL";
    }
}

choices! {
    /// Where memory is (`CUmemorytype`).
    pub struct MemoryType(c_uint) {
        /// The driver doesn't know the address: memory of the host that is not page-locked, or nothing at all.
        UNKNOWN = 0, "0";
        /// On the host.
        HOST = 1, "CU_MEMORYTYPE_HOST";
        /// On a device; managed memory too, wherever it is.
        DEVICE = 2, "CU_MEMORYTYPE_DEVICE";
        /// An array, whose memory has no addresses.
        ARRAY = 3, "CU_MEMORYTYPE_ARRAY";
        /// To be told by the address.
        UNIFIED = 4, "CU_MEMORYTYPE_UNIFIED";
    }
}

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

choices! {
    /// Which unit [`PhysicalMemory::granularity`](crate::memory::virtual_memory::PhysicalMemory::granularity) is asked for.
    #[doc(alias = "CUmemAllocationGranularity_flags")]
    pub struct Granularity(c_uint) {
        /// What sizes must be multiples of.
        MINIMUM = 0, "CU_MEM_ALLOC_GRANULARITY_MINIMUM";
        /// What sizes had better be multiples of, for speed.
        RECOMMENDED = 1, "CU_MEM_ALLOC_GRANULARITY_RECOMMENDED";
    }
}

flags! {
    /// What physical memory will be used for, beside plain use.
    pub struct PhysicalUsage {
        /// It backs the tiles of sparse arrays.
        TILE_POOL = 1, "CU_MEM_CREATE_USAGE_TILE_POOL";
        /// The device's decompression engine reads it or writes to it.
        HW_DECOMPRESS = 2, "CU_MEM_CREATE_USAGE_HW_DECOMPRESS";
    }
}

flags! {
    /// How a range of addresses is handed over: see [`DeviceMemory::export_dma_buf`](crate::DeviceMemory::export_dma_buf).
    pub struct RangeFlags {
        /// It is reached over PCIe, where there is another way too.
        PCIE = 1, "CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE";
    }
}
