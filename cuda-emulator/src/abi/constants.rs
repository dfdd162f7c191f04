//! The constants of CUDA's enums that the emulator uses, with the header's names.
//!
//! They are integers, because a client may pass any number for a C enum. They are not taken from
//! `cuda-sys`, whose bindings hold only the constants of the installed header. The emulator knows
//! the same constants whichever header it was built with. A test compares them with the header's.

use super::define;

define! {
    /// Flags of a context.
    CUctx_flags {
        CU_CTX_SCHED_AUTO = 0,
        CU_CTX_SCHED_SPIN = 1,
        CU_CTX_SCHED_YIELD = 2,
        CU_CTX_SCHED_BLOCKING_SYNC = 4,
        CU_CTX_BLOCKING_SYNC = 4,
        CU_CTX_SCHED_MASK = 7,
        CU_CTX_MAP_HOST = 8,
        CU_CTX_LMEM_RESIZE_TO_MAX = 16,
        CU_CTX_COREDUMP_ENABLE = 32,
        CU_CTX_USER_COREDUMP_ENABLE = 64,
        CU_CTX_SYNC_MEMOPS = 128,
    }
    /// Limits of a context.
    CUlimit {
        CU_LIMIT_STACK_SIZE = 0,
        CU_LIMIT_PRINTF_FIFO_SIZE = 1,
        CU_LIMIT_MALLOC_HEAP_SIZE = 2,
        CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
        CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
        CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
        CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
        CU_LIMIT_SHMEM_SIZE = 7,
        CU_LIMIT_CIG_ENABLED = 8,
        CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED = 9,
        CU_LIMIT_PER_BLOCK_MEMORY_SIZE = 10,
    }
    /// Kinds of a device's resources.
    CUdevResourceType {
        CU_DEV_RESOURCE_TYPE_INVALID = 0,
        CU_DEV_RESOURCE_TYPE_SM = 1,
    }
    /// Options for splitting multiprocessors.
    CUdevSmResourceSplit_flags {
        CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 1,
        CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE = 2,
    }
    /// Flags of a green context.
    CUgreenCtxCreate_flags {
        CU_GREEN_CTX_DEFAULT_STREAM = 1,
    }
    /// Atomic operations.
    CUatomicOperation {
        CU_ATOMIC_OPERATION_INTEGER_ADD = 0,
        CU_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
        CU_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
        CU_ATOMIC_OPERATION_XOR = 7,
        CU_ATOMIC_OPERATION_EXCHANGE = 8,
        CU_ATOMIC_OPERATION_CAS = 9,
        CU_ATOMIC_OPERATION_FLOAT_ADD = 10,
        CU_ATOMIC_OPERATION_FLOAT_MIN = 11,
        CU_ATOMIC_OPERATION_FLOAT_MAX = 12,
    }
    /// Forms of atomic operations.
    CUatomicOperationCapability {
        CU_ATOMIC_CAPABILITY_SIGNED = 1,
        CU_ATOMIC_CAPABILITY_UNSIGNED = 2,
        CU_ATOMIC_CAPABILITY_REDUCTION = 4,
        CU_ATOMIC_CAPABILITY_SCALAR_32 = 8,
        CU_ATOMIC_CAPABILITY_SCALAR_64 = 16,
    }
    /// The scope of remote writes to flush.
    CUflushGPUDirectRDMAWritesTarget {
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0,
    }
    /// The consumers for which remote writes are flushed.
    CUflushGPUDirectRDMAWritesScope {
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100,
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200,
    }
    /// Settings of core dumps.
    CUcoredumpSettings {
        CU_COREDUMP_ENABLE_ON_EXCEPTION = 1,
        CU_COREDUMP_TRIGGER_HOST = 2,
        CU_COREDUMP_LIGHTWEIGHT = 3,
        CU_COREDUMP_ENABLE_USER_TRIGGER = 4,
        CU_COREDUMP_FILE = 5,
        CU_COREDUMP_PIPE = 6,
        CU_COREDUMP_GENERATION_FLAGS = 7,
    }
    /// States of a process.
    CUprocessState {
        CU_PROCESS_STATE_RUNNING = 0,
    }
    /// Properties by which a context's execution can be limited.
    CUexecAffinityType {
        CU_EXEC_AFFINITY_TYPE_SM_COUNT = 0,
    }
    /// Flags of a stream.
    CUstream_flags {
        CU_STREAM_DEFAULT = 0,
        CU_STREAM_NON_BLOCKING = 1,
    }
    /// Flags of an event.
    CUevent_flags {
        CU_EVENT_DEFAULT = 0,
        CU_EVENT_BLOCKING_SYNC = 1,
        CU_EVENT_DISABLE_TIMING = 2,
        CU_EVENT_INTERPROCESS = 4,
    }
    /// Options for recording an event.
    CUevent_record_flags {
        CU_EVENT_RECORD_DEFAULT = 0,
        CU_EVENT_RECORD_EXTERNAL = 1,
    }
    /// Options for waiting for an event.
    CUevent_wait_flags {
        CU_EVENT_WAIT_DEFAULT = 0,
        CU_EVENT_WAIT_EXTERNAL = 1,
    }
    /// Conditions for a stream's wait on a word of memory.
    CUstreamWaitValue_flags {
        CU_STREAM_WAIT_VALUE_GEQ = 0,
        CU_STREAM_WAIT_VALUE_EQ = 1,
        CU_STREAM_WAIT_VALUE_AND = 2,
        CU_STREAM_WAIT_VALUE_NOR = 3,
        CU_STREAM_WAIT_VALUE_FLUSH = 1 << 30,
    }
    /// Options for a stream's write to a word of memory.
    CUstreamWriteValue_flags {
        CU_STREAM_WRITE_VALUE_DEFAULT = 0,
        CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 1,
    }
    /// The scope of a stream's memory barrier.
    CUstreamMemoryBarrier_flags {
        CU_STREAM_MEMORY_BARRIER_TYPE_SYS = 0,
        CU_STREAM_MEMORY_BARRIER_TYPE_GPU = 1,
    }
    /// Operations of a stream on memory.
    CUstreamBatchMemOpType {
        CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
        CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
        CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
        CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
        CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
        CU_STREAM_MEM_OP_BARRIER = 6,
        CU_STREAM_MEM_OP_ATOMIC_REDUCTION = 8,
    }
    /// Attributes of launches and streams.
    CUlaunchAttributeID {
        CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
        CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
        CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
        CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
        CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
        CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
        CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
        CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING = 16,
        CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE = 17,
        CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE = 18,
    }
    /// How a thread waits for a stream.
    CUsynchronizationPolicy {
        CU_SYNC_POLICY_AUTO = 1,
        CU_SYNC_POLICY_SPIN = 2,
        CU_SYNC_POLICY_YIELD = 3,
        CU_SYNC_POLICY_BLOCKING_SYNC = 4,
    }
    /// The synchronization domain that a fence orders.
    CUlaunchMemSyncDomain {
        CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT = 0,
        CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE = 1,
    }
    /// Caching properties of accesses in the L2 cache.
    CUaccessProperty {
        CU_ACCESS_PROPERTY_NORMAL = 0,
        CU_ACCESS_PROPERTY_STREAMING = 1,
        CU_ACCESS_PROPERTY_PERSISTING = 2,
    }
    /// Attributes of a kernel.
    CUfunction_attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
        CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
        CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
        CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
        CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
        CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
        CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED = 16,
        CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE = 17,
    }
    /// Preferred sizes of the L1 cache.
    CUfunc_cache {
        CU_FUNC_CACHE_PREFER_NONE = 0,
        CU_FUNC_CACHE_PREFER_SHARED = 1,
        CU_FUNC_CACHE_PREFER_L1 = 2,
        CU_FUNC_CACHE_PREFER_EQUAL = 3,
    }
    /// Widths of a bank of shared memory.
    CUsharedconfig {
        CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0,
        CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1,
        CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2,
    }
    /// Preferred sizes of shared memory.
    CUshared_carveout {
        CU_SHAREDMEM_CARVEOUT_MAX_L1 = 0,
        CU_SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
    }
    /// Placement policies for the blocks of a cluster.
    CUclusterSchedulingPolicy {
        CU_CLUSTER_SCHEDULING_POLICY_DEFAULT = 0,
        CU_CLUSTER_SCHEDULING_POLICY_SPREAD = 1,
        CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING = 2,
        CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY = 3,
    }
    /// Options of libraries.
    CUlibraryOption {
        CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
        CU_LIBRARY_BINARY_IS_PRESERVED = 1,
    }
    /// Loading states of a function.
    CUfunctionLoadingState {
        CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
        CU_FUNCTION_LOADING_STATE_LOADED = 1,
    }
    /// Flags of the occupancy calls.
    CUoccupancy_flags {
        CU_OCCUPANCY_DEFAULT = 0,
        CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 1,
    }
    /// Options of loading and linking.
    CUjit_option {
        CU_JIT_MAX_REGISTERS = 0,
        CU_JIT_THREADS_PER_BLOCK = 1,
        CU_JIT_WALL_TIME = 2,
        CU_JIT_INFO_LOG_BUFFER = 3,
        CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
        CU_JIT_ERROR_LOG_BUFFER = 5,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
        CU_JIT_OPTIMIZATION_LEVEL = 7,
        CU_JIT_TARGET_FROM_CUCONTEXT = 8,
        CU_JIT_TARGET = 9,
        CU_JIT_FALLBACK_STRATEGY = 10,
        CU_JIT_GENERATE_DEBUG_INFO = 11,
        CU_JIT_LOG_VERBOSE = 12,
        CU_JIT_GENERATE_LINE_INFO = 13,
        CU_JIT_CACHE_MODE = 14,
        CU_JIT_NEW_SM3X_OPT = 15,
        CU_JIT_FAST_COMPILE = 16,
        CU_JIT_GLOBAL_SYMBOL_NAMES = 17,
        CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
        CU_JIT_GLOBAL_SYMBOL_COUNT = 19,
        CU_JIT_LTO = 20,
        CU_JIT_FTZ = 21,
        CU_JIT_PREC_DIV = 22,
        CU_JIT_PREC_SQRT = 23,
        CU_JIT_FMA = 24,
        CU_JIT_REFERENCED_KERNEL_NAMES = 25,
        CU_JIT_REFERENCED_KERNEL_COUNT = 26,
        CU_JIT_REFERENCED_VARIABLE_NAMES = 27,
        CU_JIT_REFERENCED_VARIABLE_COUNT = 28,
        CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29,
        CU_JIT_POSITION_INDEPENDENT_CODE = 30,
        CU_JIT_MIN_CTA_PER_SM = 31,
        CU_JIT_MAX_THREADS_PER_BLOCK = 32,
        CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33,
        CU_JIT_SPLIT_COMPILE = 34,
        CU_JIT_BINARY_LOADER_THREAD_COUNT = 35,
    }
    /// Types of linker inputs.
    CUjitInputType {
        CU_JIT_INPUT_CUBIN = 0,
        CU_JIT_INPUT_PTX = 1,
        CU_JIT_INPUT_FATBINARY = 2,
        CU_JIT_INPUT_OBJECT = 3,
        CU_JIT_INPUT_LIBRARY = 4,
        CU_JIT_INPUT_NVVM = 5,
    }
    /// The kind of memory on one side of a copy.
    CUmemorytype {
        CU_MEMORYTYPE_HOST = 1,
        CU_MEMORYTYPE_DEVICE = 2,
        CU_MEMORYTYPE_ARRAY = 3,
        CU_MEMORYTYPE_UNIFIED = 4,
    }
    /// The kind of operand on one side of a copy in a batch.
    CUmemcpy3DOperandType {
        CU_MEMCPY_OPERAND_TYPE_POINTER = 1,
        CU_MEMCPY_OPERAND_TYPE_ARRAY = 2,
    }
    /// When the source of a copy may be read.
    CUmemcpySrcAccessOrder {
        CU_MEMCPY_SRC_ACCESS_ORDER_STREAM = 1,
        CU_MEMCPY_SRC_ACCESS_ORDER_ANY = 3,
    }
    /// Hints for copies.
    CUmemcpyFlags {
        CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE = 1,
    }
    /// Attributes of an address.
    CUpointer_attribute {
        CU_POINTER_ATTRIBUTE_CONTEXT = 1,
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
        CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
        CU_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
        CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
        CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
        CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
        CU_POINTER_ATTRIBUTE_MAPPED = 13,
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
        CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
        CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,
        CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,
        CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20,
        CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE = 21,
        CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL = 22,
    }
    /// Attributes of a range of managed memory.
    CUmem_range_attribute {
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
        CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 4,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 5,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 6,
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
    }
    /// Advice on managed memory.
    CUmem_advise {
        CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
        CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
        CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
        CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
        CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6,
    }
    /// Visibility of managed memory.
    CUmemAttach_flags {
        CU_MEM_ATTACH_GLOBAL = 1,
        CU_MEM_ATTACH_HOST = 2,
        CU_MEM_ATTACH_SINGLE = 4,
    }
    /// Attributes of a pool.
    CUmemPool_attribute {
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
        CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
        CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
        CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8,
        CU_MEMPOOL_ATTR_ALLOCATION_TYPE = 9,
        CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES = 10,
        CU_MEMPOOL_ATTR_LOCATION_ID = 11,
        CU_MEMPOOL_ATTR_LOCATION_TYPE = 12,
        CU_MEMPOOL_ATTR_MAX_POOL_SIZE = 13,
        CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED = 14,
        CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID = 15,
    }
    /// Kinds of memory locations.
    CUmemLocationType {
        CU_MEM_LOCATION_TYPE_INVALID = 0,
        CU_MEM_LOCATION_TYPE_NONE = 0,
        CU_MEM_LOCATION_TYPE_DEVICE = 1,
        CU_MEM_LOCATION_TYPE_HOST = 2,
        CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
        CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
        CU_MEM_LOCATION_TYPE_INVISIBLE = 5,
        CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN = 6,
    }
    /// Kinds of allocations.
    CUmemAllocationType {
        CU_MEM_ALLOCATION_TYPE_INVALID = 0,
        CU_MEM_ALLOCATION_TYPE_PINNED = 1,
        CU_MEM_ALLOCATION_TYPE_MANAGED = 2,
    }
    /// Access rights of a device.
    CUmemAccess_flags {
        CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
        CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    }
    /// The requested granularity.
    CUmemAllocationGranularity_flags {
        CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
        CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    }
    /// Handle types for sharing memory with other processes.
    CUmemAllocationHandleType {
        CU_MEM_HANDLE_TYPE_NONE = 0,
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
        CU_MEM_HANDLE_TYPE_WIN32 = 2,
        CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
        CU_MEM_HANDLE_TYPE_FABRIC = 8,
    }
    /// Handle types for a range of addresses.
    CUmemRangeHandleType {
        CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 1,
    }
    /// Flags for opening another process's memory.
    CUipcMem_flags {
        CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1,
    }
    /// Handle types of external memory.
    CUexternalMemoryHandleType {
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD = 9,
    }
    /// Attributes of a pair of devices.
    CUdevice_P2PAttribute {
        CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
        CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
        CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED = 4,
        CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
        CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5,
    }
    /// The requested variant of a function.
    CUdriverProcAddress_flags {
        CU_GET_PROC_ADDRESS_DEFAULT = 0,
        CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
        CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2,
    }
    CUtensorMapInterleave {
        CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
        CU_TENSOR_MAP_INTERLEAVE_16B = 1,
        CU_TENSOR_MAP_INTERLEAVE_32B = 2,
    }
    CUtensorMapSwizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE = 0,
        CU_TENSOR_MAP_SWIZZLE_32B = 1,
        CU_TENSOR_MAP_SWIZZLE_64B = 2,
        CU_TENSOR_MAP_SWIZZLE_128B = 3,
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6,
    }
    CUtensorMapIm2ColWideMode {
        CU_TENSOR_MAP_IM2COL_WIDE_MODE_W = 0,
        CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 = 1,
    }
    CUtensorMapL2promotion {
        CU_TENSOR_MAP_L2_PROMOTION_NONE = 0,
        CU_TENSOR_MAP_L2_PROMOTION_L2_64B = 1,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3,
    }
    /// The values of elements outside of a tensor.
    CUtensorMapFloatOOBfill {
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1,
    }
    /// The result of a function look-up.
    CUdriverProcAddressQueryResult {
        CU_GET_PROC_ADDRESS_SUCCESS = 0,
        CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
        CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
    }

    /// Constants that the header defines by macros: flags of page-locked memory, keys of `extra`
    /// arguments.
    macros {
        CU_MEMHOSTALLOC_PORTABLE = 1,
        CU_MEMHOSTALLOC_DEVICEMAP = 2,
        CU_MEMHOSTALLOC_WRITECOMBINED = 4,
        CU_MEMHOSTREGISTER_PORTABLE = 1,
        CU_MEMHOSTREGISTER_DEVICEMAP = 2,
        CU_MEMHOSTREGISTER_IOMEMORY = 4,
        CU_MEMHOSTREGISTER_READ_ONLY = 8,
        CU_LAUNCH_PARAM_END_AS_INT = 0,
        CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT = 1,
        CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT = 2,
    }
}
