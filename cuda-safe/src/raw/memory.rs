//! Flags and choices of memory.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// The time at which a batch of copies may read its source in host memory
    /// (`CUmemcpySrcAccessOrder`).
    pub struct SourceAccessOrder(c_uint) {
        /// In the order of the stream.
        STREAM = 1, "CU_MEMCPY_SRC_ACCESS_ORDER_STREAM";
        /// At once: before the call returns, and perhaps before earlier work of the stream. An H200
        /// (driver 580) still reads more than 64 KiB of pageable memory later, so
        /// [`CopyBatch::enqueue`](crate::memory::CopyBatch::enqueue) always waits.
        DURING_API_CALL = 2, "CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL";
        /// At any time until the copy has finished.
        ANY = 3, "CU_MEMCPY_SRC_ACCESS_ORDER_ANY";
    }
}

flags! {
    /// Options for allocating page-locked memory (`CU_MEMHOSTALLOC_*`).
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer, memory::PinnedFlags};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let flags = PinnedFlags::PORTABLE | PinnedFlags::DEVICE_MAP;
    /// let buffer = PinnedBuffer::<u32>::with_flags(&context, 4, flags)?;
    /// assert_eq!(*buffer, [0; 4]);
    /// assert_ne!(buffer.device_ptr()?, 0); // kernels can access it too
    /// # Ok(())
    /// # }
    /// ```
    pub struct PinnedFlags {
        /// Page-locks the memory for every context, not only for this one.
        PORTABLE = 1, "CU_MEMHOSTALLOC_PORTABLE";
        /// Maps the memory into the device's address space. See
        /// [`PinnedBuffer::device_ptr`](crate::PinnedBuffer::device_ptr).
        DEVICE_MAP = 2, "CU_MEMHOSTALLOC_DEVICEMAP";
        /// Allocates write-combined memory, which the host does not cache. Use it for data that the
        /// host only writes, in order. Reading it is very slow.
        WRITE_COMBINED = 4, "CU_MEMHOSTALLOC_WRITECOMBINED";
    }
}

flags! {
    /// Options for registering host memory (`CU_MEMHOSTREGISTER_*`).
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::{RegisterFlags, RegisteredBuffer}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let flags = RegisterFlags::PORTABLE | RegisterFlags::DEVICE_MAP;
    /// let numbers = RegisteredBuffer::with_flags(&context, vec![1u32, 2, 3], flags)?;
    /// assert_ne!(numbers.device_ptr()?, 0); // kernels can access it too
    /// # Ok(())
    /// # }
    /// ```
    pub struct RegisterFlags {
        /// Page-locks the memory for every context, not only for this one.
        PORTABLE = 1, "CU_MEMHOSTREGISTER_PORTABLE";
        /// Maps the memory into the device's address space.
        DEVICE_MAP = 2, "CU_MEMHOSTREGISTER_DEVICEMAP";
        /// The addresses are registers or memory of another device (memory-mapped I/O), not plain
        /// memory. Only for [`Registration`](crate::memory::Registration), because vectors and
        /// slices are always plain memory.
        IO_MEMORY = 4, "CU_MEMHOSTREGISTER_IOMEMORY";
        /// The device only reads the memory, so the program's own pages may be read-only too. Needs
        /// a device with
        /// [`READ_ONLY_HOST_REGISTER_SUPPORTED`](crate::DeviceAttribute::READ_ONLY_HOST_REGISTER_SUPPORTED).
        /// Copies from the device to this memory return an error.
        READ_ONLY = 8, "CU_MEMHOSTREGISTER_READ_ONLY";
    }
}

choices! {
    /// An attribute of a range of managed memory, for
    /// [`DeviceMemory::range_attribute`](crate::DeviceMemory::range_attribute)
    /// (`CUmem_range_attribute`). [`RangeAttributes`](crate::memory::RangeAttributes) returns all
    /// of them at once.
    pub struct RangeAttribute(c_uint) {
        /// Whether the whole range is [`READ_MOSTLY`](crate::memory::MemoryAdvice::READ_MOSTLY).
        READ_MOSTLY = 1, "CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY";
        /// The preferred location of the whole range: a device, -1 for the host, or -2 for none or
        /// several.
        PREFERRED_LOCATION = 2, "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION";
        /// The location to which the whole range was last prefetched, as above. The prefetch may
        /// still be running.
        LAST_PREFETCH_LOCATION = 4, "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION";
        /// The kind of the preferred location. This attribute and those below exist since CUDA
        /// 12.2.
        PREFERRED_LOCATION_TYPE = 5, "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE";
        /// The number of the preferred location within its kind.
        PREFERRED_LOCATION_ID = 6, "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID";
        /// The kind of the last prefetch location.
        LAST_PREFETCH_LOCATION_TYPE = 7, "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE";
        /// The number of the last prefetch location within its kind.
        LAST_PREFETCH_LOCATION_ID = 8, "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID";
    }
}

choices! {
    /// The users of managed memory, for [`ManagedBuffer::attach`](crate::ManagedBuffer::attach)
    /// (`CUmemAttach_flags`).
    pub struct ManagedAttachment(c_uint) {
        /// Any stream of any device. The initial state.
        GLOBAL = 1, "CU_MEM_ATTACH_GLOBAL";
        /// Only the host.
        HOST = 2, "CU_MEM_ATTACH_HOST";
        /// The buffer's stream and the host.
        SINGLE = 4, "CU_MEM_ATTACH_SINGLE";
    }
}

choices! {
    /// The condition under which a wait for a value ends (`CUstreamWaitValue_flags`).
    pub struct WaitUntil(c_uint) {
        /// The word is at least the value, compared by signed difference, so a counter may wrap
        /// around.
        AT_LEAST = 0, "CU_STREAM_WAIT_VALUE_GEQ";
        /// The word equals the value.
        EQUAL = 1, "CU_STREAM_WAIT_VALUE_EQ";
        /// The word has at least one of the value's bits.
        ANY_BIT = 2, "CU_STREAM_WAIT_VALUE_AND";
        /// A bit that the value lacks is not set in the word: `!(word | value) != 0`.
        NOT_ALL_BITS = 3, "CU_STREAM_WAIT_VALUE_NOR";
    }
}

choices! {
    /// The scope in which writes before a barrier are visible to accesses after it
    /// (`CUstreamMemoryBarrier_flags`).
    pub struct BarrierScope(c_uint) {
        /// The host and all devices.
        SYSTEM = 0, "CU_STREAM_MEMORY_BARRIER_TYPE_SYS";
        /// The stream's device.
        DEVICE = 1, "CU_STREAM_MEMORY_BARRIER_TYPE_GPU";
    }
}

choices! {
    /// An attribute of an address, for
    /// [`Context::pointer_attribute`](crate::Context::pointer_attribute) (`CUpointer_attribute`).
    /// [`PointerInfo`](crate::memory::PointerInfo) has most of them, and queries them all at once.
    pub struct PointerAttribute(c_uint) {
        /// The context in which the memory was allocated or registered, or 0 for memory that
        /// belongs to a device.
        CONTEXT = 1, "CU_POINTER_ATTRIBUTE_CONTEXT";
        /// The location of the memory. See [`MemoryType`].
        MEMORY_TYPE = 2, "CU_POINTER_ATTRIBUTE_MEMORY_TYPE";
        /// The address for the device.
        DEVICE_POINTER = 3, "CU_POINTER_ATTRIBUTE_DEVICE_POINTER";
        /// The address for the host.
        HOST_POINTER = 4, "CU_POINTER_ATTRIBUTE_HOST_POINTER";
        /// Whether synchronous copies and fills of the memory are always synchronous. See
        /// [`DeviceMemory::set_sync_memops`](crate::DeviceMemory::set_sync_memops).
        SYNC_MEMOPS = 6, "CU_POINTER_ATTRIBUTE_SYNC_MEMOPS";
        /// The number of the allocation, which is unique in the process.
        BUFFER_ID = 7, "CU_POINTER_ATTRIBUTE_BUFFER_ID";
        /// Whether the address is in managed memory.
        IS_MANAGED = 8, "CU_POINTER_ATTRIBUTE_IS_MANAGED";
        /// The device on which the memory was allocated or with which it was registered.
        DEVICE_ORDINAL = 9, "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL";
        /// Whether the memory can be shared with other processes by the older calls
        /// (`cuIpcGetMemHandle`).
        IS_LEGACY_CUDA_IPC_CAPABLE = 10, "CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE";
        /// The start of the allocation.
        RANGE_START_ADDR = 11, "CU_POINTER_ATTRIBUTE_RANGE_START_ADDR";
        /// The size of the allocation in bytes.
        RANGE_SIZE = 12, "CU_POINTER_ATTRIBUTE_RANGE_SIZE";
        /// Whether there is memory behind the address.
        MAPPED = 13, "CU_POINTER_ATTRIBUTE_MAPPED";
        /// The handles with which the memory can be shared with other processes.
        ALLOWED_HANDLE_TYPES = 14, "CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES";
        /// Whether network cards and similar devices can access the memory (GPUDirect RDMA).
        IS_GPU_DIRECT_RDMA_CAPABLE = 15, "CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE";
        /// The access rights of kernels of the current context. See [`MemoryAccess`].
        ACCESS_FLAGS = 16, "CU_POINTER_ATTRIBUTE_ACCESS_FLAGS";
        /// The handle of the memory's pool, or 0.
        MEMPOOL_HANDLE = 17, "CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE";
        /// The size in bytes of the mapping that contains the allocation.
        MAPPING_SIZE = 18, "CU_POINTER_ATTRIBUTE_MAPPING_SIZE";
        /// The start of that mapping.
        MAPPING_BASE_ADDR = 19, "CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR";
        /// The number of the physical memory, which is unique in the process.
        MEMORY_BLOCK_ID = 20, "CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID";
        /// Whether the decompression hardware can read and write the memory. Since CUDA 12.8.
        IS_HW_DECOMPRESS_CAPABLE = 21, "CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE";
        /// The part of the device's memory that contains it, as an `int`, or -1. Since CUDA 13.4.
        LOCALITY_DOMAIN_ORDINAL = 22, "CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL";
    }
}

choices! {
    /// The location of memory (`CUmemorytype`).
    pub struct MemoryType(c_uint) {
        /// The driver does not know the address: it is pageable host memory, or no memory.
        UNKNOWN = 0, "0";
        /// Host memory.
        HOST = 1, "CU_MEMORYTYPE_HOST";
        /// Device memory, or managed memory in any location.
        DEVICE = 2, "CU_MEMORYTYPE_DEVICE";
        /// An array, whose memory has no addresses.
        ARRAY = 3, "CU_MEMORYTYPE_ARRAY";
        /// The address determines the location.
        UNIFIED = 4, "CU_MEMORYTYPE_UNIFIED";
    }
}

choices! {
    /// The kind of a pool's memory (`CUmemAllocationType`).
    pub struct PoolType(c_uint) {
        /// Memory with a fixed location.
        PINNED = 1, "CU_MEM_ALLOCATION_TYPE_PINNED";
        /// Managed memory, which migrates to the processor that uses it. Since CUDA 13.0.
        MANAGED = 2, "CU_MEM_ALLOCATION_TYPE_MANAGED";
    }
}

choices! {
    /// The access rights of a device to memory (`CUmemAccess_flags`).
    pub struct MemoryAccess(c_uint) {
        /// No access.
        NONE = 0, "CU_MEM_ACCESS_FLAGS_PROT_NONE";
        /// Read access.
        READ = 1, "CU_MEM_ACCESS_FLAGS_PROT_READ";
        /// Read and write access.
        READ_WRITE = 3, "CU_MEM_ACCESS_FLAGS_PROT_READWRITE";
    }
}

choices! {
    /// An attribute of a pool, for [`MemoryPool::attribute`](crate::MemoryPool::attribute)
    /// (`CUmemPool_attribute`). Most have separate methods.
    pub struct PoolAttribute(c_uint) {
        /// Whether memory that was freed on one stream may be reused by another stream that waits
        /// for the first. Enabled by default, like the next two.
        REUSE_FOLLOW_EVENT_DEPENDENCIES = 1, "CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES";
        /// Whether any stream may reuse memory whose freeing has already finished.
        REUSE_ALLOW_OPPORTUNISTIC = 2, "CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC";
        /// Whether the driver may make one stream wait for another in order to reuse memory.
        REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3, "CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES";
        /// See [`MemoryPool::release_threshold`](crate::MemoryPool::release_threshold).
        RELEASE_THRESHOLD = 4, "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD";
        /// See [`MemoryPool::reserved`](crate::MemoryPool::reserved).
        RESERVED_MEM_CURRENT = 5, "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT";
        /// The maximum that was ever reserved, or since
        /// [`MemoryPool::reset_high_water_marks`](crate::MemoryPool::reset_high_water_marks).
        RESERVED_MEM_HIGH = 6, "CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH";
        /// See [`MemoryPool::used`](crate::MemoryPool::used).
        USED_MEM_CURRENT = 7, "CU_MEMPOOL_ATTR_USED_MEM_CURRENT";
        /// The maximum that was ever used, or since
        /// [`MemoryPool::reset_high_water_marks`](crate::MemoryPool::reset_high_water_marks).
        USED_MEM_HIGH = 8, "CU_MEMPOOL_ATTR_USED_MEM_HIGH";
        /// The pool's [`PoolType`]. This attribute and the next ones are newer than CUDA 13.0.
        ALLOCATION_TYPE = 9, "CU_MEMPOOL_ATTR_ALLOCATION_TYPE";
        /// The handles with which the pool can be exported.
        EXPORT_HANDLE_TYPES = 10, "CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES";
        /// The number of the memory's location within its kind.
        LOCATION_ID = 11, "CU_MEMPOOL_ATTR_LOCATION_ID";
        /// The kind of the memory's location.
        LOCATION_TYPE = 12, "CU_MEMPOOL_ATTR_LOCATION_TYPE";
        /// The maximum size in bytes, or 0 for no limit.
        MAX_POOL_SIZE = 13, "CU_MEMPOOL_ATTR_MAX_POOL_SIZE";
        /// Whether the decompression hardware can use the memory.
        HW_DECOMPRESS_ENABLED = 14, "CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED";
        /// The part of the device's memory that contains the pool's memory, as an `int`, or -1.
        LOCALITY_DOMAIN_ID = 15, "CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID";
    }
}

choices! {
    /// The unit that
    /// [`PhysicalMemory::granularity`](crate::memory::virtual_memory::PhysicalMemory::granularity)
    /// returns.
    #[doc(alias = "CUmemAllocationGranularity_flags")]
    pub struct Granularity(c_uint) {
        /// Sizes must be multiples of this unit.
        MINIMUM = 0, "CU_MEM_ALLOC_GRANULARITY_MINIMUM";
        /// Sizes should be multiples of this unit, for speed.
        RECOMMENDED = 1, "CU_MEM_ALLOC_GRANULARITY_RECOMMENDED";
    }
}

flags! {
    /// Special uses of physical memory.
    pub struct PhysicalUsage {
        /// The memory backs the tiles of sparse arrays.
        TILE_POOL = 1, "CU_MEM_CREATE_USAGE_TILE_POOL";
        /// The device's decompression engine reads or writes the memory.
        HW_DECOMPRESS = 2, "CU_MEM_CREATE_USAGE_HW_DECOMPRESS";
    }
}

flags! {
    /// Options for exporting a range of addresses. See
    /// [`DeviceMemory::export_dma_buf`](crate::DeviceMemory::export_dma_buf).
    pub struct RangeFlags {
        /// Use PCIe to access the range, even if there is another way.
        PCIE = 1, "CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE";
    }
}
