// Made by scripts/carry-bindings.sh from the headers of CUDA 13.5. Not to be edited.

pub const CUDA_VERSION: u32 = 13050;
pub const CU_IPC_HANDLE_SIZE: u32 = 64;
pub const CU_COMPUTE_ACCELERATED_TARGET_BASE: u32 = 65536;
pub const CU_COMPUTE_FAMILY_TARGET_BASE: u32 = 131072;
pub const CU_GRAPH_COND_ASSIGN_DEFAULT: u32 = 1;
pub const CU_GRAPH_KERNEL_NODE_PORT_DEFAULT: u32 = 0;
pub const CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC: u32 = 1;
pub const CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER: u32 = 2;
pub const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
pub const CU_MEMHOSTALLOC_DEVICEMAP: u32 = 2;
pub const CU_MEMHOSTALLOC_WRITECOMBINED: u32 = 4;
pub const CU_MEMHOSTREGISTER_PORTABLE: u32 = 1;
pub const CU_MEMHOSTREGISTER_DEVICEMAP: u32 = 2;
pub const CU_MEMHOSTREGISTER_IOMEMORY: u32 = 4;
pub const CU_MEMHOSTREGISTER_READ_ONLY: u32 = 8;
pub const CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL: u32 = 1;
pub const CU_TENSOR_MAP_NUM_QWORDS: u32 = 16;
pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 1;
pub const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC: u32 = 1;
pub const CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC: u32 = 2;
pub const CUDA_NVSCISYNC_ATTR_SIGNAL: u32 = 1;
pub const CUDA_NVSCISYNC_ATTR_WAIT: u32 = 2;
pub const CU_MEM_CREATE_USAGE_TILE_POOL: u32 = 1;
pub const CU_MEM_CREATE_USAGE_HW_DECOMPRESS: u32 = 2;
pub const CU_MEM_CREATE_USAGE_GPU_DIRECT_RDMA_OVER_PCIE: u32 = 4;
pub const CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS: u32 = 2;
pub const CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC: u32 = 1;
pub const CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC: u32 = 2;
pub const CUDA_ARRAY3D_LAYERED: u32 = 1;
pub const CUDA_ARRAY3D_2DARRAY: u32 = 1;
pub const CUDA_ARRAY3D_SURFACE_LDST: u32 = 2;
pub const CUDA_ARRAY3D_CUBEMAP: u32 = 4;
pub const CUDA_ARRAY3D_TEXTURE_GATHER: u32 = 8;
pub const CUDA_ARRAY3D_DEPTH_TEXTURE: u32 = 16;
pub const CUDA_ARRAY3D_COLOR_ATTACHMENT: u32 = 32;
pub const CUDA_ARRAY3D_SPARSE: u32 = 64;
pub const CUDA_ARRAY3D_DEFERRED_MAPPING: u32 = 128;
pub const CUDA_ARRAY3D_VIDEO_ENCODE_DECODE: u32 = 256;
pub const CU_TRSA_OVERRIDE_FORMAT: u32 = 1;
pub const CU_TRSF_READ_AS_INTEGER: u32 = 1;
pub const CU_TRSF_NORMALIZED_COORDINATES: u32 = 2;
pub const CU_TRSF_SRGB: u32 = 16;
pub const CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION: u32 = 32;
pub const CU_TRSF_SEAMLESS_CUBEMAP: u32 = 64;
pub const CU_LAUNCH_KERNEL_REQUIRED_BLOCK_DIM: u32 = 1;
pub const CU_LAUNCH_PARAM_END_AS_INT: u32 = 0;
pub const CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT: u32 = 1;
pub const CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT: u32 = 2;
pub const CU_PARAM_TR_DEFAULT: i32 = -1;
pub const CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID_ANY: i32 = -1;
pub const RESOURCE_ABI_VERSION: u32 = 1;
pub const RESOURCE_ABI_BYTES: u32 = 40;
pub type cuuint32_t = u32;
pub type cuuint64_t = u64;
pub type CUdeviceptr_v2 = ::core::ffi::c_ulonglong;
pub type CUdeviceptr = CUdeviceptr_v2;
pub type CUdevice_v1 = ::core::ffi::c_int;
pub type CUdevice = CUdevice_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUctx_st {
    _unused: [u8; 0],
}
pub type CUcontext = *mut CUctx_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUmod_st {
    _unused: [u8; 0],
}
pub type CUmodule = *mut CUmod_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUfunc_st {
    _unused: [u8; 0],
}
pub type CUfunction = *mut CUfunc_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUlib_st {
    _unused: [u8; 0],
}
pub type CUlibrary = *mut CUlib_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUkern_st {
    _unused: [u8; 0],
}
pub type CUkernel = *mut CUkern_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUarray_st {
    _unused: [u8; 0],
}
pub type CUarray = *mut CUarray_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUmipmappedArray_st {
    _unused: [u8; 0],
}
pub type CUmipmappedArray = *mut CUmipmappedArray_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUtexref_st {
    _unused: [u8; 0],
}
pub type CUtexref = *mut CUtexref_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUsurfref_st {
    _unused: [u8; 0],
}
pub type CUsurfref = *mut CUsurfref_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUevent_st {
    _unused: [u8; 0],
}
pub type CUevent = *mut CUevent_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUstream_st {
    _unused: [u8; 0],
}
pub type CUstream = *mut CUstream_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUgraphicsResource_st {
    _unused: [u8; 0],
}
pub type CUgraphicsResource = *mut CUgraphicsResource_st;
pub type CUtexObject_v1 = ::core::ffi::c_ulonglong;
pub type CUtexObject = CUtexObject_v1;
pub type CUsurfObject_v1 = ::core::ffi::c_ulonglong;
pub type CUsurfObject = CUsurfObject_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUextMemory_st {
    _unused: [u8; 0],
}
pub type CUexternalMemory = *mut CUextMemory_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUextSemaphore_st {
    _unused: [u8; 0],
}
pub type CUexternalSemaphore = *mut CUextSemaphore_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUgraph_st {
    _unused: [u8; 0],
}
pub type CUgraph = *mut CUgraph_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUgraphNode_st {
    _unused: [u8; 0],
}
pub type CUgraphNode = *mut CUgraphNode_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUgraphExec_st {
    _unused: [u8; 0],
}
pub type CUgraphExec = *mut CUgraphExec_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUmemPoolHandle_st {
    _unused: [u8; 0],
}
pub type CUmemoryPool = *mut CUmemPoolHandle_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUuserObject_st {
    _unused: [u8; 0],
}
pub type CUuserObject = *mut CUuserObject_st;
pub type CUgraphConditionalHandle = cuuint64_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUgraphDeviceUpdatableNode_st {
    _unused: [u8; 0],
}
pub type CUgraphDeviceNode = *mut CUgraphDeviceUpdatableNode_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUasyncCallbackEntry_st {
    _unused: [u8; 0],
}
pub type CUasyncCallbackHandle = *mut CUasyncCallbackEntry_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUgreenCtx_st {
    _unused: [u8; 0],
}
pub type CUgreenCtx = *mut CUgreenCtx_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUuuid_st {
    pub bytes: [::core::ffi::c_char; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUuuid_st"][::core::mem::size_of::<CUuuid_st>() - 16usize];
    ["Alignment of CUuuid_st"][::core::mem::align_of::<CUuuid_st>() - 1usize];
    [
        "Offset of field: CUuuid_st::bytes",
    ][::core::mem::offset_of!(CUuuid_st, bytes) - 0usize];
};
pub type CUuuid = CUuuid_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemFabricHandle_st {
    pub data: [::core::ffi::c_uchar; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemFabricHandle_st",
    ][::core::mem::size_of::<CUmemFabricHandle_st>() - 64usize];
    [
        "Alignment of CUmemFabricHandle_st",
    ][::core::mem::align_of::<CUmemFabricHandle_st>() - 1usize];
    [
        "Offset of field: CUmemFabricHandle_st::data",
    ][::core::mem::offset_of!(CUmemFabricHandle_st, data) - 0usize];
};
impl Default for CUmemFabricHandle_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemFabricHandle_v1 = CUmemFabricHandle_st;
pub type CUmemFabricHandle = CUmemFabricHandle_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUipcEventHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUipcEventHandle_st",
    ][::core::mem::size_of::<CUipcEventHandle_st>() - 64usize];
    [
        "Alignment of CUipcEventHandle_st",
    ][::core::mem::align_of::<CUipcEventHandle_st>() - 1usize];
    [
        "Offset of field: CUipcEventHandle_st::reserved",
    ][::core::mem::offset_of!(CUipcEventHandle_st, reserved) - 0usize];
};
impl Default for CUipcEventHandle_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUipcEventHandle_v1 = CUipcEventHandle_st;
pub type CUipcEventHandle = CUipcEventHandle_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUipcMemHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUipcMemHandle_st"][::core::mem::size_of::<CUipcMemHandle_st>() - 64usize];
    [
        "Alignment of CUipcMemHandle_st",
    ][::core::mem::align_of::<CUipcMemHandle_st>() - 1usize];
    [
        "Offset of field: CUipcMemHandle_st::reserved",
    ][::core::mem::offset_of!(CUipcMemHandle_st, reserved) - 0usize];
};
impl Default for CUipcMemHandle_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUipcMemHandle_v1 = CUipcMemHandle_st;
pub type CUipcMemHandle = CUipcMemHandle_v1;
impl CUipcMem_flags {
    pub const CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS: CUipcMem_flags = CUipcMem_flags(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUipcMem_flags(pub ::core::ffi::c_uint);
impl CUmemAttach_flags {
    pub const CU_MEM_ATTACH_GLOBAL: CUmemAttach_flags = CUmemAttach_flags(1);
    pub const CU_MEM_ATTACH_HOST: CUmemAttach_flags = CUmemAttach_flags(2);
    pub const CU_MEM_ATTACH_SINGLE: CUmemAttach_flags = CUmemAttach_flags(4);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAttach_flags(pub ::core::ffi::c_uint);
impl CUctx_flags {
    pub const CU_CTX_SCHED_AUTO: CUctx_flags = CUctx_flags(0);
    pub const CU_CTX_SCHED_SPIN: CUctx_flags = CUctx_flags(1);
    pub const CU_CTX_SCHED_YIELD: CUctx_flags = CUctx_flags(2);
    pub const CU_CTX_SCHED_BLOCKING_SYNC: CUctx_flags = CUctx_flags(4);
    pub const CU_CTX_BLOCKING_SYNC: CUctx_flags = CUctx_flags(4);
    pub const CU_CTX_SCHED_MASK: CUctx_flags = CUctx_flags(7);
    pub const CU_CTX_MAP_HOST: CUctx_flags = CUctx_flags(8);
    pub const CU_CTX_LMEM_RESIZE_TO_MAX: CUctx_flags = CUctx_flags(16);
    pub const CU_CTX_COREDUMP_ENABLE: CUctx_flags = CUctx_flags(32);
    pub const CU_CTX_USER_COREDUMP_ENABLE: CUctx_flags = CUctx_flags(64);
    pub const CU_CTX_SYNC_MEMOPS: CUctx_flags = CUctx_flags(128);
    pub const CU_CTX_FLAGS_MASK: CUctx_flags = CUctx_flags(255);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUctx_flags(pub ::core::ffi::c_uint);
impl CUevent_sched_flags {
    pub const CU_EVENT_SCHED_AUTO: CUevent_sched_flags = CUevent_sched_flags(0);
    pub const CU_EVENT_SCHED_SPIN: CUevent_sched_flags = CUevent_sched_flags(1);
    pub const CU_EVENT_SCHED_YIELD: CUevent_sched_flags = CUevent_sched_flags(2);
    pub const CU_EVENT_SCHED_BLOCKING_SYNC: CUevent_sched_flags = CUevent_sched_flags(4);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUevent_sched_flags(pub ::core::ffi::c_uint);
impl cl_event_flags_enum {
    pub const NVCL_EVENT_SCHED_AUTO: cl_event_flags_enum = cl_event_flags_enum(0);
    pub const NVCL_EVENT_SCHED_SPIN: cl_event_flags_enum = cl_event_flags_enum(1);
    pub const NVCL_EVENT_SCHED_YIELD: cl_event_flags_enum = cl_event_flags_enum(2);
    pub const NVCL_EVENT_SCHED_BLOCKING_SYNC: cl_event_flags_enum = cl_event_flags_enum(
        4,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct cl_event_flags_enum(pub ::core::ffi::c_uint);
pub use self::cl_event_flags_enum as cl_event_flags;
impl cl_context_flags_enum {
    pub const NVCL_CTX_SCHED_AUTO: cl_context_flags_enum = cl_context_flags_enum(0);
    pub const NVCL_CTX_SCHED_SPIN: cl_context_flags_enum = cl_context_flags_enum(1);
    pub const NVCL_CTX_SCHED_YIELD: cl_context_flags_enum = cl_context_flags_enum(2);
    pub const NVCL_CTX_SCHED_BLOCKING_SYNC: cl_context_flags_enum = cl_context_flags_enum(
        4,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct cl_context_flags_enum(pub ::core::ffi::c_uint);
pub use self::cl_context_flags_enum as cl_context_flags;
impl CUhostTaskSyncMode {
    pub const CU_HOST_TASK_BLOCKING: CUhostTaskSyncMode = CUhostTaskSyncMode(0);
    pub const CU_HOST_TASK_SPINWAIT: CUhostTaskSyncMode = CUhostTaskSyncMode(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUhostTaskSyncMode(pub ::core::ffi::c_uint);
impl CUstream_flags {
    pub const CU_STREAM_DEFAULT: CUstream_flags = CUstream_flags(0);
    pub const CU_STREAM_NON_BLOCKING: CUstream_flags = CUstream_flags(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstream_flags(pub ::core::ffi::c_uint);
impl CUevent_flags {
    pub const CU_EVENT_DEFAULT: CUevent_flags = CUevent_flags(0);
    pub const CU_EVENT_BLOCKING_SYNC: CUevent_flags = CUevent_flags(1);
    pub const CU_EVENT_DISABLE_TIMING: CUevent_flags = CUevent_flags(2);
    pub const CU_EVENT_INTERPROCESS: CUevent_flags = CUevent_flags(4);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUevent_flags(pub ::core::ffi::c_uint);
impl CUevent_record_flags {
    pub const CU_EVENT_RECORD_DEFAULT: CUevent_record_flags = CUevent_record_flags(0);
    pub const CU_EVENT_RECORD_EXTERNAL: CUevent_record_flags = CUevent_record_flags(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUevent_record_flags(pub ::core::ffi::c_uint);
impl CUevent_wait_flags {
    pub const CU_EVENT_WAIT_DEFAULT: CUevent_wait_flags = CUevent_wait_flags(0);
    pub const CU_EVENT_WAIT_EXTERNAL: CUevent_wait_flags = CUevent_wait_flags(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUevent_wait_flags(pub ::core::ffi::c_uint);
impl CUatomicOperation {
    pub const CU_ATOMIC_OPERATION_INTEGER_ADD: CUatomicOperation = CUatomicOperation(0);
    pub const CU_ATOMIC_OPERATION_INTEGER_MIN: CUatomicOperation = CUatomicOperation(1);
    pub const CU_ATOMIC_OPERATION_INTEGER_MAX: CUatomicOperation = CUatomicOperation(2);
    pub const CU_ATOMIC_OPERATION_INTEGER_INCREMENT: CUatomicOperation = CUatomicOperation(
        3,
    );
    pub const CU_ATOMIC_OPERATION_INTEGER_DECREMENT: CUatomicOperation = CUatomicOperation(
        4,
    );
    pub const CU_ATOMIC_OPERATION_AND: CUatomicOperation = CUatomicOperation(5);
    pub const CU_ATOMIC_OPERATION_OR: CUatomicOperation = CUatomicOperation(6);
    pub const CU_ATOMIC_OPERATION_XOR: CUatomicOperation = CUatomicOperation(7);
    pub const CU_ATOMIC_OPERATION_EXCHANGE: CUatomicOperation = CUatomicOperation(8);
    pub const CU_ATOMIC_OPERATION_CAS: CUatomicOperation = CUatomicOperation(9);
    pub const CU_ATOMIC_OPERATION_FLOAT_ADD: CUatomicOperation = CUatomicOperation(10);
    pub const CU_ATOMIC_OPERATION_FLOAT_MIN: CUatomicOperation = CUatomicOperation(11);
    pub const CU_ATOMIC_OPERATION_FLOAT_MAX: CUatomicOperation = CUatomicOperation(12);
    pub const CU_ATOMIC_OPERATION_MAX: CUatomicOperation = CUatomicOperation(13);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUatomicOperation(pub ::core::ffi::c_uint);
impl CUatomicOperationCapability {
    pub const CU_ATOMIC_CAPABILITY_SIGNED: CUatomicOperationCapability = CUatomicOperationCapability(
        1,
    );
    pub const CU_ATOMIC_CAPABILITY_UNSIGNED: CUatomicOperationCapability = CUatomicOperationCapability(
        2,
    );
    pub const CU_ATOMIC_CAPABILITY_REDUCTION: CUatomicOperationCapability = CUatomicOperationCapability(
        4,
    );
    pub const CU_ATOMIC_CAPABILITY_SCALAR_32: CUatomicOperationCapability = CUatomicOperationCapability(
        8,
    );
    pub const CU_ATOMIC_CAPABILITY_SCALAR_64: CUatomicOperationCapability = CUatomicOperationCapability(
        16,
    );
    pub const CU_ATOMIC_CAPABILITY_SCALAR_128: CUatomicOperationCapability = CUatomicOperationCapability(
        32,
    );
    pub const CU_ATOMIC_CAPABILITY_VECTOR_32x4: CUatomicOperationCapability = CUatomicOperationCapability(
        64,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUatomicOperationCapability(pub ::core::ffi::c_uint);
impl CUstreamWaitValue_flags {
    pub const CU_STREAM_WAIT_VALUE_GEQ: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        0,
    );
    pub const CU_STREAM_WAIT_VALUE_EQ: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        1,
    );
    pub const CU_STREAM_WAIT_VALUE_AND: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        2,
    );
    pub const CU_STREAM_WAIT_VALUE_NOR: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        3,
    );
    pub const CU_STREAM_WAIT_VALUE_FLUSH: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        1073741824,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamWaitValue_flags(pub ::core::ffi::c_uint);
impl CUstreamWriteValue_flags {
    pub const CU_STREAM_WRITE_VALUE_DEFAULT: CUstreamWriteValue_flags = CUstreamWriteValue_flags(
        0,
    );
    pub const CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER: CUstreamWriteValue_flags = CUstreamWriteValue_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamWriteValue_flags(pub ::core::ffi::c_uint);
impl CUstreamBatchMemOpType {
    pub const CU_STREAM_MEM_OP_WAIT_VALUE_32: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
        1,
    );
    pub const CU_STREAM_MEM_OP_WRITE_VALUE_32: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
        2,
    );
    pub const CU_STREAM_MEM_OP_WAIT_VALUE_64: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
        4,
    );
    pub const CU_STREAM_MEM_OP_WRITE_VALUE_64: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
        5,
    );
    pub const CU_STREAM_MEM_OP_BARRIER: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
        6,
    );
    pub const CU_STREAM_MEM_OP_ATOMIC_REDUCTION: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
        8,
    );
    pub const CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: CUstreamBatchMemOpType = CUstreamBatchMemOpType(
        3,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamBatchMemOpType(pub ::core::ffi::c_uint);
impl CUstreamMemoryBarrier_flags {
    pub const CU_STREAM_MEMORY_BARRIER_TYPE_SYS: CUstreamMemoryBarrier_flags = CUstreamMemoryBarrier_flags(
        0,
    );
    pub const CU_STREAM_MEMORY_BARRIER_TYPE_GPU: CUstreamMemoryBarrier_flags = CUstreamMemoryBarrier_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamMemoryBarrier_flags(pub ::core::ffi::c_uint);
impl CUstreamAtomicReductionOpType {
    pub const CU_STREAM_ATOMIC_REDUCTION_OP_OR: CUstreamAtomicReductionOpType = CUstreamAtomicReductionOpType(
        6,
    );
    pub const CU_STREAM_ATOMIC_REDUCTION_OP_AND: CUstreamAtomicReductionOpType = CUstreamAtomicReductionOpType(
        5,
    );
    pub const CU_STREAM_ATOMIC_REDUCTION_OP_ADD: CUstreamAtomicReductionOpType = CUstreamAtomicReductionOpType(
        0,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamAtomicReductionOpType(pub ::core::ffi::c_uint);
impl CUstreamAtomicReductionDataType {
    pub const CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32: CUstreamAtomicReductionDataType = CUstreamAtomicReductionDataType(
        14,
    );
    pub const CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64: CUstreamAtomicReductionDataType = CUstreamAtomicReductionDataType(
        22,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamAtomicReductionDataType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_union {
    pub operation: CUstreamBatchMemOpType,
    pub waitValue: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st,
    pub writeValue: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st,
    pub flushRemoteWrites: CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st,
    pub memoryBarrier: CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st,
    pub atomicReduction: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st,
    pub pad: [cuuint64_t; 6usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub address: CUdeviceptr,
    pub __bindgen_anon_1: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub alias: CUdeviceptr,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1 {
    pub value: cuuint32_t,
    pub value64: cuuint64_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1",
    ][::core::mem::size_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1",
    ][::core::mem::align_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1,
        value
    ) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1::value64",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1,
        value64
    ) - 0usize];
};
impl Default
for CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st",
    ][::core::mem::size_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st,
    >() - 40usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st",
    ][::core::mem::align_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st,
    >() - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st::operation",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st, operation
    ) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st::address",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st, address
    ) - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st::flags",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st, flags
    ) - 24usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st::alias",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st, alias
    ) - 32usize];
};
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub address: CUdeviceptr,
    pub __bindgen_anon_1: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub alias: CUdeviceptr,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1 {
    pub value: cuuint32_t,
    pub value64: cuuint64_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1",
    ][::core::mem::size_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1",
    ][::core::mem::align_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1,
        value
    ) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1::value64",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1,
        value64
    ) - 0usize];
};
impl Default
for CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st",
    ][::core::mem::size_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st,
    >() - 40usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st",
    ][::core::mem::align_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st,
    >() - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st::operation",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st, operation
    ) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st::address",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st, address
    ) - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st::flags",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st, flags
    ) - 24usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st::alias",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st, alias
    ) - 32usize];
};
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st",
    ][::core::mem::size_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st,
    >() - 8usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st",
    ][::core::mem::align_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st,
    >() - 4usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st::operation",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st, operation
    ) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st::flags",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st, flags
    ) - 4usize];
};
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st",
    ][::core::mem::size_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st,
    >() - 8usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st",
    ][::core::mem::align_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st,
    >() - 4usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st::operation",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st, operation
    ) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st::flags",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st, flags
    ) - 4usize];
};
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st {
    pub operation: CUstreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
    pub reductionOp: CUstreamAtomicReductionOpType,
    pub dataType: CUstreamAtomicReductionDataType,
    pub address: CUdeviceptr,
    pub value: cuuint64_t,
    pub alias: CUdeviceptr,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st",
    ][::core::mem::size_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st,
    >() - 40usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st",
    ][::core::mem::align_of::<
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st,
    >() - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st::operation",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st, operation
    ) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st::flags",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st, flags
    ) - 4usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st::reductionOp",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st, reductionOp
    ) - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st::dataType",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st, dataType
    ) - 12usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st::address",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st, address
    ) - 16usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st::value",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st, value
    ) - 24usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st::alias",
    ][::core::mem::offset_of!(
        CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st, alias
    ) - 32usize];
};
impl Default for CUstreamBatchMemOpParams_union_CUstreamMemOpAtomicReductionParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamBatchMemOpParams_union",
    ][::core::mem::size_of::<CUstreamBatchMemOpParams_union>() - 48usize];
    [
        "Alignment of CUstreamBatchMemOpParams_union",
    ][::core::mem::align_of::<CUstreamBatchMemOpParams_union>() - 8usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union::operation",
    ][::core::mem::offset_of!(CUstreamBatchMemOpParams_union, operation) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union::waitValue",
    ][::core::mem::offset_of!(CUstreamBatchMemOpParams_union, waitValue) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union::writeValue",
    ][::core::mem::offset_of!(CUstreamBatchMemOpParams_union, writeValue) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union::flushRemoteWrites",
    ][::core::mem::offset_of!(CUstreamBatchMemOpParams_union, flushRemoteWrites)
        - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union::memoryBarrier",
    ][::core::mem::offset_of!(CUstreamBatchMemOpParams_union, memoryBarrier) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union::atomicReduction",
    ][::core::mem::offset_of!(CUstreamBatchMemOpParams_union, atomicReduction) - 0usize];
    [
        "Offset of field: CUstreamBatchMemOpParams_union::pad",
    ][::core::mem::offset_of!(CUstreamBatchMemOpParams_union, pad) - 0usize];
};
impl Default for CUstreamBatchMemOpParams_union {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUstreamBatchMemOpParams_v1 = CUstreamBatchMemOpParams_union;
pub type CUstreamBatchMemOpParams = CUstreamBatchMemOpParams_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st {
    pub ctx: CUcontext,
    pub count: ::core::ffi::c_uint,
    pub paramArray: *mut CUstreamBatchMemOpParams,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st",
    ][::core::mem::size_of::<CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st>() - 32usize];
    [
        "Alignment of CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st",
    ][::core::mem::align_of::<CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st>() - 8usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st::ctx",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st, ctx) - 0usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st::count",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st, count) - 8usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st::paramArray",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st, paramArray)
        - 16usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st::flags",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st, flags) - 24usize];
};
impl Default for CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st;
pub type CUDA_BATCH_MEM_OP_NODE_PARAMS = CUDA_BATCH_MEM_OP_NODE_PARAMS_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st {
    pub ctx: CUcontext,
    pub count: ::core::ffi::c_uint,
    pub paramArray: *mut CUstreamBatchMemOpParams,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st",
    ][::core::mem::size_of::<CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st>() - 32usize];
    [
        "Alignment of CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st",
    ][::core::mem::align_of::<CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st>() - 8usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st::ctx",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st, ctx) - 0usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st::count",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st, count) - 8usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st::paramArray",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st, paramArray)
        - 16usize];
    [
        "Offset of field: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st::flags",
    ][::core::mem::offset_of!(CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st, flags) - 24usize];
};
impl Default for CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 = CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st;
impl CUoccupancy_flags {
    pub const CU_OCCUPANCY_DEFAULT: CUoccupancy_flags = CUoccupancy_flags(0);
    pub const CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE: CUoccupancy_flags = CUoccupancy_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUoccupancy_flags(pub ::core::ffi::c_uint);
impl CUstreamUpdateCaptureDependencies_flags {
    pub const CU_STREAM_ADD_CAPTURE_DEPENDENCIES: CUstreamUpdateCaptureDependencies_flags = CUstreamUpdateCaptureDependencies_flags(
        0,
    );
    pub const CU_STREAM_SET_CAPTURE_DEPENDENCIES: CUstreamUpdateCaptureDependencies_flags = CUstreamUpdateCaptureDependencies_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamUpdateCaptureDependencies_flags(pub ::core::ffi::c_uint);
impl CUasyncNotificationType {
    pub const CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET: CUasyncNotificationType = CUasyncNotificationType(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUasyncNotificationType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUasyncNotificationInfo_st {
    pub type_: CUasyncNotificationType,
    pub info: CUasyncNotificationInfo_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUasyncNotificationInfo_st__bindgen_ty_1 {
    pub overBudget: CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1 {
    pub bytesOverBudget: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1::bytesOverBudget",
    ][::core::mem::offset_of!(
        CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1, bytesOverBudget
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUasyncNotificationInfo_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUasyncNotificationInfo_st__bindgen_ty_1>() - 8usize];
    [
        "Alignment of CUasyncNotificationInfo_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUasyncNotificationInfo_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: CUasyncNotificationInfo_st__bindgen_ty_1::overBudget",
    ][::core::mem::offset_of!(CUasyncNotificationInfo_st__bindgen_ty_1, overBudget)
        - 0usize];
};
impl Default for CUasyncNotificationInfo_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUasyncNotificationInfo_st",
    ][::core::mem::size_of::<CUasyncNotificationInfo_st>() - 16usize];
    [
        "Alignment of CUasyncNotificationInfo_st",
    ][::core::mem::align_of::<CUasyncNotificationInfo_st>() - 8usize];
    [
        "Offset of field: CUasyncNotificationInfo_st::type_",
    ][::core::mem::offset_of!(CUasyncNotificationInfo_st, type_) - 0usize];
    [
        "Offset of field: CUasyncNotificationInfo_st::info",
    ][::core::mem::offset_of!(CUasyncNotificationInfo_st, info) - 8usize];
};
impl Default for CUasyncNotificationInfo_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUasyncNotificationInfo = CUasyncNotificationInfo_st;
pub type CUasyncCallback = ::core::option::Option<
    unsafe extern "C" fn(
        info: *mut CUasyncNotificationInfo,
        userData: *mut ::core::ffi::c_void,
        callback: CUasyncCallbackHandle,
    ),
>;
impl CUarray_format {
    pub const CU_AD_FORMAT_UNSIGNED_INT8: CUarray_format = CUarray_format(1);
    pub const CU_AD_FORMAT_UNSIGNED_INT16: CUarray_format = CUarray_format(2);
    pub const CU_AD_FORMAT_UNSIGNED_INT32: CUarray_format = CUarray_format(3);
    pub const CU_AD_FORMAT_SIGNED_INT8: CUarray_format = CUarray_format(8);
    pub const CU_AD_FORMAT_SIGNED_INT16: CUarray_format = CUarray_format(9);
    pub const CU_AD_FORMAT_SIGNED_INT32: CUarray_format = CUarray_format(10);
    pub const CU_AD_FORMAT_HALF: CUarray_format = CUarray_format(16);
    pub const CU_AD_FORMAT_FLOAT: CUarray_format = CUarray_format(32);
    pub const CU_AD_FORMAT_NV12: CUarray_format = CUarray_format(176);
    pub const CU_AD_FORMAT_UNORM_INT8X1: CUarray_format = CUarray_format(192);
    pub const CU_AD_FORMAT_UNORM_INT8X2: CUarray_format = CUarray_format(193);
    pub const CU_AD_FORMAT_UNORM_INT8X4: CUarray_format = CUarray_format(194);
    pub const CU_AD_FORMAT_UNORM_INT16X1: CUarray_format = CUarray_format(195);
    pub const CU_AD_FORMAT_UNORM_INT16X2: CUarray_format = CUarray_format(196);
    pub const CU_AD_FORMAT_UNORM_INT16X4: CUarray_format = CUarray_format(197);
    pub const CU_AD_FORMAT_SNORM_INT8X1: CUarray_format = CUarray_format(198);
    pub const CU_AD_FORMAT_SNORM_INT8X2: CUarray_format = CUarray_format(199);
    pub const CU_AD_FORMAT_SNORM_INT8X4: CUarray_format = CUarray_format(200);
    pub const CU_AD_FORMAT_SNORM_INT16X1: CUarray_format = CUarray_format(201);
    pub const CU_AD_FORMAT_SNORM_INT16X2: CUarray_format = CUarray_format(202);
    pub const CU_AD_FORMAT_SNORM_INT16X4: CUarray_format = CUarray_format(203);
    pub const CU_AD_FORMAT_BC1_UNORM: CUarray_format = CUarray_format(145);
    pub const CU_AD_FORMAT_BC1_UNORM_SRGB: CUarray_format = CUarray_format(146);
    pub const CU_AD_FORMAT_BC2_UNORM: CUarray_format = CUarray_format(147);
    pub const CU_AD_FORMAT_BC2_UNORM_SRGB: CUarray_format = CUarray_format(148);
    pub const CU_AD_FORMAT_BC3_UNORM: CUarray_format = CUarray_format(149);
    pub const CU_AD_FORMAT_BC3_UNORM_SRGB: CUarray_format = CUarray_format(150);
    pub const CU_AD_FORMAT_BC4_UNORM: CUarray_format = CUarray_format(151);
    pub const CU_AD_FORMAT_BC4_SNORM: CUarray_format = CUarray_format(152);
    pub const CU_AD_FORMAT_BC5_UNORM: CUarray_format = CUarray_format(153);
    pub const CU_AD_FORMAT_BC5_SNORM: CUarray_format = CUarray_format(154);
    pub const CU_AD_FORMAT_BC6H_UF16: CUarray_format = CUarray_format(155);
    pub const CU_AD_FORMAT_BC6H_SF16: CUarray_format = CUarray_format(156);
    pub const CU_AD_FORMAT_BC7_UNORM: CUarray_format = CUarray_format(157);
    pub const CU_AD_FORMAT_BC7_UNORM_SRGB: CUarray_format = CUarray_format(158);
    pub const CU_AD_FORMAT_P010: CUarray_format = CUarray_format(159);
    pub const CU_AD_FORMAT_P016: CUarray_format = CUarray_format(161);
    pub const CU_AD_FORMAT_NV16: CUarray_format = CUarray_format(162);
    pub const CU_AD_FORMAT_P210: CUarray_format = CUarray_format(163);
    pub const CU_AD_FORMAT_P216: CUarray_format = CUarray_format(164);
    pub const CU_AD_FORMAT_YUY2: CUarray_format = CUarray_format(165);
    pub const CU_AD_FORMAT_Y210: CUarray_format = CUarray_format(166);
    pub const CU_AD_FORMAT_Y216: CUarray_format = CUarray_format(167);
    pub const CU_AD_FORMAT_AYUV: CUarray_format = CUarray_format(168);
    pub const CU_AD_FORMAT_Y410: CUarray_format = CUarray_format(169);
    pub const CU_AD_FORMAT_Y416: CUarray_format = CUarray_format(177);
    pub const CU_AD_FORMAT_Y444_PLANAR8: CUarray_format = CUarray_format(178);
    pub const CU_AD_FORMAT_Y444_PLANAR10: CUarray_format = CUarray_format(179);
    pub const CU_AD_FORMAT_YUV444_8bit_SemiPlanar: CUarray_format = CUarray_format(180);
    pub const CU_AD_FORMAT_YUV444_16bit_SemiPlanar: CUarray_format = CUarray_format(181);
    pub const CU_AD_FORMAT_UNORM_INT_101010_2: CUarray_format = CUarray_format(80);
    pub const CU_AD_FORMAT_UINT8_PACKED_422: CUarray_format = CUarray_format(81);
    pub const CU_AD_FORMAT_UINT8_PACKED_444: CUarray_format = CUarray_format(82);
    pub const CU_AD_FORMAT_UINT8_SEMIPLANAR_420: CUarray_format = CUarray_format(83);
    pub const CU_AD_FORMAT_UINT16_SEMIPLANAR_420: CUarray_format = CUarray_format(84);
    pub const CU_AD_FORMAT_UINT8_SEMIPLANAR_422: CUarray_format = CUarray_format(85);
    pub const CU_AD_FORMAT_UINT16_SEMIPLANAR_422: CUarray_format = CUarray_format(86);
    pub const CU_AD_FORMAT_UINT8_SEMIPLANAR_444: CUarray_format = CUarray_format(87);
    pub const CU_AD_FORMAT_UINT16_SEMIPLANAR_444: CUarray_format = CUarray_format(88);
    pub const CU_AD_FORMAT_UINT8_PLANAR_420: CUarray_format = CUarray_format(89);
    pub const CU_AD_FORMAT_UINT16_PLANAR_420: CUarray_format = CUarray_format(90);
    pub const CU_AD_FORMAT_UINT8_PLANAR_422: CUarray_format = CUarray_format(91);
    pub const CU_AD_FORMAT_UINT16_PLANAR_422: CUarray_format = CUarray_format(92);
    pub const CU_AD_FORMAT_UINT8_PLANAR_444: CUarray_format = CUarray_format(93);
    pub const CU_AD_FORMAT_UINT16_PLANAR_444: CUarray_format = CUarray_format(94);
    pub const CU_AD_FORMAT_MAX: CUarray_format = CUarray_format(2147483647);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUarray_format(pub ::core::ffi::c_uint);
impl CUaddress_mode {
    pub const CU_TR_ADDRESS_MODE_WRAP: CUaddress_mode = CUaddress_mode(0);
    pub const CU_TR_ADDRESS_MODE_CLAMP: CUaddress_mode = CUaddress_mode(1);
    pub const CU_TR_ADDRESS_MODE_MIRROR: CUaddress_mode = CUaddress_mode(2);
    pub const CU_TR_ADDRESS_MODE_BORDER: CUaddress_mode = CUaddress_mode(3);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUaddress_mode(pub ::core::ffi::c_uint);
impl CUfilter_mode {
    pub const CU_TR_FILTER_MODE_POINT: CUfilter_mode = CUfilter_mode(0);
    pub const CU_TR_FILTER_MODE_LINEAR: CUfilter_mode = CUfilter_mode(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfilter_mode(pub ::core::ffi::c_uint);
impl CUdevice_attribute {
    pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        1,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: CUdevice_attribute = CUdevice_attribute(
        2,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: CUdevice_attribute = CUdevice_attribute(
        3,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: CUdevice_attribute = CUdevice_attribute(
        4,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: CUdevice_attribute = CUdevice_attribute(
        5,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y: CUdevice_attribute = CUdevice_attribute(
        6,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: CUdevice_attribute = CUdevice_attribute(
        7,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        8,
    );
    pub const CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        8,
    );
    pub const CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: CUdevice_attribute = CUdevice_attribute(
        9,
    );
    pub const CU_DEVICE_ATTRIBUTE_WARP_SIZE: CUdevice_attribute = CUdevice_attribute(10);
    pub const CU_DEVICE_ATTRIBUTE_MAX_PITCH: CUdevice_attribute = CUdevice_attribute(11);
    pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        12,
    );
    pub const CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        12,
    );
    pub const CU_DEVICE_ATTRIBUTE_CLOCK_RATE: CUdevice_attribute = CUdevice_attribute(
        13,
    );
    pub const CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
        14,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_OVERLAP: CUdevice_attribute = CUdevice_attribute(
        15,
    );
    pub const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: CUdevice_attribute = CUdevice_attribute(
        16,
    );
    pub const CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT: CUdevice_attribute = CUdevice_attribute(
        17,
    );
    pub const CU_DEVICE_ATTRIBUTE_INTEGRATED: CUdevice_attribute = CUdevice_attribute(
        18,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: CUdevice_attribute = CUdevice_attribute(
        19,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_MODE: CUdevice_attribute = CUdevice_attribute(
        20,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        21,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        22,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        23,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        24,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        25,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH: CUdevice_attribute = CUdevice_attribute(
        26,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        27,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        28,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        29,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH: CUdevice_attribute = CUdevice_attribute(
        27,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        28,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES: CUdevice_attribute = CUdevice_attribute(
        29,
    );
    pub const CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
        30,
    );
    pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS: CUdevice_attribute = CUdevice_attribute(
        31,
    );
    pub const CU_DEVICE_ATTRIBUTE_ECC_ENABLED: CUdevice_attribute = CUdevice_attribute(
        32,
    );
    pub const CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: CUdevice_attribute = CUdevice_attribute(
        33,
    );
    pub const CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: CUdevice_attribute = CUdevice_attribute(
        34,
    );
    pub const CU_DEVICE_ATTRIBUTE_TCC_DRIVER: CUdevice_attribute = CUdevice_attribute(
        35,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: CUdevice_attribute = CUdevice_attribute(
        36,
    );
    pub const CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: CUdevice_attribute = CUdevice_attribute(
        37,
    );
    pub const CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: CUdevice_attribute = CUdevice_attribute(
        38,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        39,
    );
    pub const CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: CUdevice_attribute = CUdevice_attribute(
        40,
    );
    pub const CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: CUdevice_attribute = CUdevice_attribute(
        41,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        42,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        43,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER: CUdevice_attribute = CUdevice_attribute(
        44,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH: CUdevice_attribute = CUdevice_attribute(
        45,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        46,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
        47,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
        48,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
        49,
    );
    pub const CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: CUdevice_attribute = CUdevice_attribute(
        50,
    );
    pub const CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
        51,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH: CUdevice_attribute = CUdevice_attribute(
        52,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        53,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        54,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        55,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        56,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        57,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        58,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        59,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH: CUdevice_attribute = CUdevice_attribute(
        60,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        61,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        62,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        63,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        64,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        65,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH: CUdevice_attribute = CUdevice_attribute(
        66,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        67,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        68,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH: CUdevice_attribute = CUdevice_attribute(
        69,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH: CUdevice_attribute = CUdevice_attribute(
        70,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        71,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: CUdevice_attribute = CUdevice_attribute(
        72,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        73,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        74,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: CUdevice_attribute = CUdevice_attribute(
        75,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: CUdevice_attribute = CUdevice_attribute(
        76,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        77,
    );
    pub const CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        78,
    );
    pub const CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        79,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        80,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        81,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        82,
    );
    pub const CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: CUdevice_attribute = CUdevice_attribute(
        83,
    );
    pub const CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD: CUdevice_attribute = CUdevice_attribute(
        84,
    );
    pub const CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID: CUdevice_attribute = CUdevice_attribute(
        85,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        86,
    );
    pub const CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: CUdevice_attribute = CUdevice_attribute(
        87,
    );
    pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS: CUdevice_attribute = CUdevice_attribute(
        88,
    );
    pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: CUdevice_attribute = CUdevice_attribute(
        89,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        90,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: CUdevice_attribute = CUdevice_attribute(
        91,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1: CUdevice_attribute = CUdevice_attribute(
        92,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1: CUdevice_attribute = CUdevice_attribute(
        93,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1: CUdevice_attribute = CUdevice_attribute(
        94,
    );
    pub const CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: CUdevice_attribute = CUdevice_attribute(
        95,
    );
    pub const CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH: CUdevice_attribute = CUdevice_attribute(
        96,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: CUdevice_attribute = CUdevice_attribute(
        97,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES: CUdevice_attribute = CUdevice_attribute(
        98,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        99,
    );
    pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: CUdevice_attribute = CUdevice_attribute(
        100,
    );
    pub const CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: CUdevice_attribute = CUdevice_attribute(
        101,
    );
    pub const CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        102,
    );
    pub const CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        102,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        103,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        104,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        105,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        106,
    );
    pub const CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        107,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: CUdevice_attribute = CUdevice_attribute(
        108,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE: CUdevice_attribute = CUdevice_attribute(
        109,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        110,
    );
    pub const CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        111,
    );
    pub const CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        112,
    );
    pub const CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        113,
    );
    pub const CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        114,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        115,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        116,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: CUdevice_attribute = CUdevice_attribute(
        117,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING: CUdevice_attribute = CUdevice_attribute(
        118,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES: CUdevice_attribute = CUdevice_attribute(
        119,
    );
    pub const CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: CUdevice_attribute = CUdevice_attribute(
        120,
    );
    pub const CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        121,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS: CUdevice_attribute = CUdevice_attribute(
        122,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR: CUdevice_attribute = CUdevice_attribute(
        123,
    );
    pub const CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        124,
    );
    pub const CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        125,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT: CUdevice_attribute = CUdevice_attribute(
        126,
    );
    pub const CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        127,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        128,
    );
    pub const CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS: CUdevice_attribute = CUdevice_attribute(
        129,
    );
    pub const CU_DEVICE_ATTRIBUTE_NUMA_CONFIG: CUdevice_attribute = CUdevice_attribute(
        130,
    );
    pub const CU_DEVICE_ATTRIBUTE_NUMA_ID: CUdevice_attribute = CUdevice_attribute(131);
    pub const CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        132,
    );
    pub const CU_DEVICE_ATTRIBUTE_MPS_ENABLED: CUdevice_attribute = CUdevice_attribute(
        133,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID: CUdevice_attribute = CUdevice_attribute(
        134,
    );
    pub const CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        135,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK: CUdevice_attribute = CUdevice_attribute(
        136,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH: CUdevice_attribute = CUdevice_attribute(
        137,
    );
    pub const CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        138,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID: CUdevice_attribute = CUdevice_attribute(
        139,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID: CUdevice_attribute = CUdevice_attribute(
        140,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        141,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        142,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        143,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        144,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        145,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        146,
    );
    pub const CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        147,
    );
    pub const CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        148,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT: CUdevice_attribute = CUdevice_attribute(
        149,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        150,
    );
    pub const CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        151,
    );
    pub const CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        152,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        153,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        154,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        155,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        156,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT: CUdevice_attribute = CUdevice_attribute(
        157,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES: CUdevice_attribute = CUdevice_attribute(
        158,
    );
    pub const CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        159,
    );
    pub const CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE: CUdevice_attribute = CUdevice_attribute(
        160,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        161,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX: CUdevice_attribute = CUdevice_attribute(162);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevice_attribute(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevprop_st {
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    pub maxThreadsDim: [::core::ffi::c_int; 3usize],
    pub maxGridSize: [::core::ffi::c_int; 3usize],
    pub sharedMemPerBlock: ::core::ffi::c_int,
    pub totalConstantMemory: ::core::ffi::c_int,
    pub SIMDWidth: ::core::ffi::c_int,
    pub memPitch: ::core::ffi::c_int,
    pub regsPerBlock: ::core::ffi::c_int,
    pub clockRate: ::core::ffi::c_int,
    pub textureAlign: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUdevprop_st"][::core::mem::size_of::<CUdevprop_st>() - 56usize];
    ["Alignment of CUdevprop_st"][::core::mem::align_of::<CUdevprop_st>() - 4usize];
    [
        "Offset of field: CUdevprop_st::maxThreadsPerBlock",
    ][::core::mem::offset_of!(CUdevprop_st, maxThreadsPerBlock) - 0usize];
    [
        "Offset of field: CUdevprop_st::maxThreadsDim",
    ][::core::mem::offset_of!(CUdevprop_st, maxThreadsDim) - 4usize];
    [
        "Offset of field: CUdevprop_st::maxGridSize",
    ][::core::mem::offset_of!(CUdevprop_st, maxGridSize) - 16usize];
    [
        "Offset of field: CUdevprop_st::sharedMemPerBlock",
    ][::core::mem::offset_of!(CUdevprop_st, sharedMemPerBlock) - 28usize];
    [
        "Offset of field: CUdevprop_st::totalConstantMemory",
    ][::core::mem::offset_of!(CUdevprop_st, totalConstantMemory) - 32usize];
    [
        "Offset of field: CUdevprop_st::SIMDWidth",
    ][::core::mem::offset_of!(CUdevprop_st, SIMDWidth) - 36usize];
    [
        "Offset of field: CUdevprop_st::memPitch",
    ][::core::mem::offset_of!(CUdevprop_st, memPitch) - 40usize];
    [
        "Offset of field: CUdevprop_st::regsPerBlock",
    ][::core::mem::offset_of!(CUdevprop_st, regsPerBlock) - 44usize];
    [
        "Offset of field: CUdevprop_st::clockRate",
    ][::core::mem::offset_of!(CUdevprop_st, clockRate) - 48usize];
    [
        "Offset of field: CUdevprop_st::textureAlign",
    ][::core::mem::offset_of!(CUdevprop_st, textureAlign) - 52usize];
};
pub type CUdevprop_v1 = CUdevprop_st;
pub type CUdevprop = CUdevprop_v1;
impl CUpointer_attribute {
    pub const CU_POINTER_ATTRIBUTE_CONTEXT: CUpointer_attribute = CUpointer_attribute(1);
    pub const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: CUpointer_attribute = CUpointer_attribute(
        2,
    );
    pub const CU_POINTER_ATTRIBUTE_DEVICE_POINTER: CUpointer_attribute = CUpointer_attribute(
        3,
    );
    pub const CU_POINTER_ATTRIBUTE_HOST_POINTER: CUpointer_attribute = CUpointer_attribute(
        4,
    );
    pub const CU_POINTER_ATTRIBUTE_P2P_TOKENS: CUpointer_attribute = CUpointer_attribute(
        5,
    );
    pub const CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: CUpointer_attribute = CUpointer_attribute(
        6,
    );
    pub const CU_POINTER_ATTRIBUTE_BUFFER_ID: CUpointer_attribute = CUpointer_attribute(
        7,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_MANAGED: CUpointer_attribute = CUpointer_attribute(
        8,
    );
    pub const CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: CUpointer_attribute = CUpointer_attribute(
        9,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: CUpointer_attribute = CUpointer_attribute(
        10,
    );
    pub const CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: CUpointer_attribute = CUpointer_attribute(
        11,
    );
    pub const CU_POINTER_ATTRIBUTE_RANGE_SIZE: CUpointer_attribute = CUpointer_attribute(
        12,
    );
    pub const CU_POINTER_ATTRIBUTE_MAPPED: CUpointer_attribute = CUpointer_attribute(13);
    pub const CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: CUpointer_attribute = CUpointer_attribute(
        14,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: CUpointer_attribute = CUpointer_attribute(
        15,
    );
    pub const CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: CUpointer_attribute = CUpointer_attribute(
        16,
    );
    pub const CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: CUpointer_attribute = CUpointer_attribute(
        17,
    );
    pub const CU_POINTER_ATTRIBUTE_MAPPING_SIZE: CUpointer_attribute = CUpointer_attribute(
        18,
    );
    pub const CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: CUpointer_attribute = CUpointer_attribute(
        19,
    );
    pub const CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: CUpointer_attribute = CUpointer_attribute(
        20,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: CUpointer_attribute = CUpointer_attribute(
        21,
    );
    pub const CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL: CUpointer_attribute = CUpointer_attribute(
        22,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUpointer_attribute(pub ::core::ffi::c_uint);
impl CUfunction_attribute {
    pub const CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUfunction_attribute = CUfunction_attribute(
        0,
    );
    pub const CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: CUfunction_attribute = CUfunction_attribute(
        1,
    );
    pub const CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: CUfunction_attribute = CUfunction_attribute(
        2,
    );
    pub const CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: CUfunction_attribute = CUfunction_attribute(
        3,
    );
    pub const CU_FUNC_ATTRIBUTE_NUM_REGS: CUfunction_attribute = CUfunction_attribute(4);
    pub const CU_FUNC_ATTRIBUTE_PTX_VERSION: CUfunction_attribute = CUfunction_attribute(
        5,
    );
    pub const CU_FUNC_ATTRIBUTE_BINARY_VERSION: CUfunction_attribute = CUfunction_attribute(
        6,
    );
    pub const CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: CUfunction_attribute = CUfunction_attribute(
        7,
    );
    pub const CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: CUfunction_attribute = CUfunction_attribute(
        8,
    );
    pub const CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: CUfunction_attribute = CUfunction_attribute(
        9,
    );
    pub const CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: CUfunction_attribute = CUfunction_attribute(
        10,
    );
    pub const CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: CUfunction_attribute = CUfunction_attribute(
        11,
    );
    pub const CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: CUfunction_attribute = CUfunction_attribute(
        12,
    );
    pub const CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: CUfunction_attribute = CUfunction_attribute(
        13,
    );
    pub const CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: CUfunction_attribute = CUfunction_attribute(
        14,
    );
    pub const CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: CUfunction_attribute = CUfunction_attribute(
        15,
    );
    pub const CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED: CUfunction_attribute = CUfunction_attribute(
        16,
    );
    pub const CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE: CUfunction_attribute = CUfunction_attribute(
        17,
    );
    pub const CU_FUNC_ATTRIBUTE_MAX: CUfunction_attribute = CUfunction_attribute(18);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfunction_attribute(pub ::core::ffi::c_uint);
impl CUfunc_cache {
    pub const CU_FUNC_CACHE_PREFER_NONE: CUfunc_cache = CUfunc_cache(0);
    pub const CU_FUNC_CACHE_PREFER_SHARED: CUfunc_cache = CUfunc_cache(1);
    pub const CU_FUNC_CACHE_PREFER_L1: CUfunc_cache = CUfunc_cache(2);
    pub const CU_FUNC_CACHE_PREFER_EQUAL: CUfunc_cache = CUfunc_cache(3);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfunc_cache(pub ::core::ffi::c_uint);
impl CUsharedconfig {
    pub const CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE: CUsharedconfig = CUsharedconfig(0);
    pub const CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE: CUsharedconfig = CUsharedconfig(
        1,
    );
    pub const CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE: CUsharedconfig = CUsharedconfig(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUsharedconfig(pub ::core::ffi::c_uint);
impl CUshared_carveout {
    pub const CU_SHAREDMEM_CARVEOUT_DEFAULT: CUshared_carveout = CUshared_carveout(-1);
    pub const CU_SHAREDMEM_CARVEOUT_MAX_SHARED: CUshared_carveout = CUshared_carveout(
        100,
    );
    pub const CU_SHAREDMEM_CARVEOUT_MAX_L1: CUshared_carveout = CUshared_carveout(0);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUshared_carveout(pub ::core::ffi::c_int);
impl CUmemorytype {
    pub const CU_MEMORYTYPE_HOST: CUmemorytype = CUmemorytype(1);
    pub const CU_MEMORYTYPE_DEVICE: CUmemorytype = CUmemorytype(2);
    pub const CU_MEMORYTYPE_ARRAY: CUmemorytype = CUmemorytype(3);
    pub const CU_MEMORYTYPE_UNIFIED: CUmemorytype = CUmemorytype(4);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemorytype(pub ::core::ffi::c_uint);
impl CUcomputemode {
    pub const CU_COMPUTEMODE_DEFAULT: CUcomputemode = CUcomputemode(0);
    pub const CU_COMPUTEMODE_PROHIBITED: CUcomputemode = CUcomputemode(2);
    pub const CU_COMPUTEMODE_EXCLUSIVE_PROCESS: CUcomputemode = CUcomputemode(3);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcomputemode(pub ::core::ffi::c_uint);
impl CUmem_advise {
    pub const CU_MEM_ADVISE_SET_READ_MOSTLY: CUmem_advise = CUmem_advise(1);
    pub const CU_MEM_ADVISE_UNSET_READ_MOSTLY: CUmem_advise = CUmem_advise(2);
    pub const CU_MEM_ADVISE_SET_PREFERRED_LOCATION: CUmem_advise = CUmem_advise(3);
    pub const CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: CUmem_advise = CUmem_advise(4);
    pub const CU_MEM_ADVISE_SET_ACCESSED_BY: CUmem_advise = CUmem_advise(5);
    pub const CU_MEM_ADVISE_UNSET_ACCESSED_BY: CUmem_advise = CUmem_advise(6);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmem_advise(pub ::core::ffi::c_uint);
impl CUmem_range_attribute {
    pub const CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: CUmem_range_attribute = CUmem_range_attribute(
        1,
    );
    pub const CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: CUmem_range_attribute = CUmem_range_attribute(
        2,
    );
    pub const CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: CUmem_range_attribute = CUmem_range_attribute(
        3,
    );
    pub const CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: CUmem_range_attribute = CUmem_range_attribute(
        4,
    );
    pub const CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: CUmem_range_attribute = CUmem_range_attribute(
        5,
    );
    pub const CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: CUmem_range_attribute = CUmem_range_attribute(
        6,
    );
    pub const CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: CUmem_range_attribute = CUmem_range_attribute(
        7,
    );
    pub const CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: CUmem_range_attribute = CUmem_range_attribute(
        8,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmem_range_attribute(pub ::core::ffi::c_uint);
impl CUjit_option {
    pub const CU_JIT_MAX_REGISTERS: CUjit_option = CUjit_option(0);
    pub const CU_JIT_THREADS_PER_BLOCK: CUjit_option = CUjit_option(1);
    pub const CU_JIT_WALL_TIME: CUjit_option = CUjit_option(2);
    pub const CU_JIT_INFO_LOG_BUFFER: CUjit_option = CUjit_option(3);
    pub const CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: CUjit_option = CUjit_option(4);
    pub const CU_JIT_ERROR_LOG_BUFFER: CUjit_option = CUjit_option(5);
    pub const CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: CUjit_option = CUjit_option(6);
    pub const CU_JIT_OPTIMIZATION_LEVEL: CUjit_option = CUjit_option(7);
    pub const CU_JIT_TARGET_FROM_CUCONTEXT: CUjit_option = CUjit_option(8);
    pub const CU_JIT_TARGET: CUjit_option = CUjit_option(9);
    pub const CU_JIT_FALLBACK_STRATEGY: CUjit_option = CUjit_option(10);
    pub const CU_JIT_GENERATE_DEBUG_INFO: CUjit_option = CUjit_option(11);
    pub const CU_JIT_LOG_VERBOSE: CUjit_option = CUjit_option(12);
    pub const CU_JIT_GENERATE_LINE_INFO: CUjit_option = CUjit_option(13);
    pub const CU_JIT_CACHE_MODE: CUjit_option = CUjit_option(14);
    pub const CU_JIT_NEW_SM3X_OPT: CUjit_option = CUjit_option(15);
    pub const CU_JIT_FAST_COMPILE: CUjit_option = CUjit_option(16);
    pub const CU_JIT_GLOBAL_SYMBOL_NAMES: CUjit_option = CUjit_option(17);
    pub const CU_JIT_GLOBAL_SYMBOL_ADDRESSES: CUjit_option = CUjit_option(18);
    pub const CU_JIT_GLOBAL_SYMBOL_COUNT: CUjit_option = CUjit_option(19);
    pub const CU_JIT_LTO: CUjit_option = CUjit_option(20);
    pub const CU_JIT_FTZ: CUjit_option = CUjit_option(21);
    pub const CU_JIT_PREC_DIV: CUjit_option = CUjit_option(22);
    pub const CU_JIT_PREC_SQRT: CUjit_option = CUjit_option(23);
    pub const CU_JIT_FMA: CUjit_option = CUjit_option(24);
    pub const CU_JIT_REFERENCED_KERNEL_NAMES: CUjit_option = CUjit_option(25);
    pub const CU_JIT_REFERENCED_KERNEL_COUNT: CUjit_option = CUjit_option(26);
    pub const CU_JIT_REFERENCED_VARIABLE_NAMES: CUjit_option = CUjit_option(27);
    pub const CU_JIT_REFERENCED_VARIABLE_COUNT: CUjit_option = CUjit_option(28);
    pub const CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES: CUjit_option = CUjit_option(29);
    pub const CU_JIT_POSITION_INDEPENDENT_CODE: CUjit_option = CUjit_option(30);
    pub const CU_JIT_MIN_CTA_PER_SM: CUjit_option = CUjit_option(31);
    pub const CU_JIT_MAX_THREADS_PER_BLOCK: CUjit_option = CUjit_option(32);
    pub const CU_JIT_OVERRIDE_DIRECTIVE_VALUES: CUjit_option = CUjit_option(33);
    pub const CU_JIT_SPLIT_COMPILE: CUjit_option = CUjit_option(34);
    pub const CU_JIT_BINARY_LOADER_THREAD_COUNT: CUjit_option = CUjit_option(35);
    pub const CU_JIT_NUM_OPTIONS: CUjit_option = CUjit_option(36);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUjit_option(pub ::core::ffi::c_uint);
impl CUjit_target {
    pub const CU_TARGET_COMPUTE_30: CUjit_target = CUjit_target(30);
    pub const CU_TARGET_COMPUTE_32: CUjit_target = CUjit_target(32);
    pub const CU_TARGET_COMPUTE_35: CUjit_target = CUjit_target(35);
    pub const CU_TARGET_COMPUTE_37: CUjit_target = CUjit_target(37);
    pub const CU_TARGET_COMPUTE_50: CUjit_target = CUjit_target(50);
    pub const CU_TARGET_COMPUTE_52: CUjit_target = CUjit_target(52);
    pub const CU_TARGET_COMPUTE_53: CUjit_target = CUjit_target(53);
    pub const CU_TARGET_COMPUTE_60: CUjit_target = CUjit_target(60);
    pub const CU_TARGET_COMPUTE_61: CUjit_target = CUjit_target(61);
    pub const CU_TARGET_COMPUTE_62: CUjit_target = CUjit_target(62);
    pub const CU_TARGET_COMPUTE_70: CUjit_target = CUjit_target(70);
    pub const CU_TARGET_COMPUTE_72: CUjit_target = CUjit_target(72);
    pub const CU_TARGET_COMPUTE_75: CUjit_target = CUjit_target(75);
    pub const CU_TARGET_COMPUTE_80: CUjit_target = CUjit_target(80);
    pub const CU_TARGET_COMPUTE_86: CUjit_target = CUjit_target(86);
    pub const CU_TARGET_COMPUTE_87: CUjit_target = CUjit_target(87);
    pub const CU_TARGET_COMPUTE_89: CUjit_target = CUjit_target(89);
    pub const CU_TARGET_COMPUTE_90: CUjit_target = CUjit_target(90);
    pub const CU_TARGET_COMPUTE_100: CUjit_target = CUjit_target(100);
    pub const CU_TARGET_COMPUTE_110: CUjit_target = CUjit_target(110);
    pub const CU_TARGET_COMPUTE_103: CUjit_target = CUjit_target(103);
    pub const CU_TARGET_COMPUTE_107: CUjit_target = CUjit_target(107);
    pub const CU_TARGET_COMPUTE_120: CUjit_target = CUjit_target(120);
    pub const CU_TARGET_COMPUTE_121: CUjit_target = CUjit_target(121);
    pub const CU_TARGET_COMPUTE_90A: CUjit_target = CUjit_target(65626);
    pub const CU_TARGET_COMPUTE_100A: CUjit_target = CUjit_target(65636);
    pub const CU_TARGET_COMPUTE_110A: CUjit_target = CUjit_target(65646);
    pub const CU_TARGET_COMPUTE_103A: CUjit_target = CUjit_target(65639);
    pub const CU_TARGET_COMPUTE_107A: CUjit_target = CUjit_target(65643);
    pub const CU_TARGET_COMPUTE_120A: CUjit_target = CUjit_target(65656);
    pub const CU_TARGET_COMPUTE_121A: CUjit_target = CUjit_target(65657);
    pub const CU_TARGET_COMPUTE_100F: CUjit_target = CUjit_target(131172);
    pub const CU_TARGET_COMPUTE_110F: CUjit_target = CUjit_target(131182);
    pub const CU_TARGET_COMPUTE_103F: CUjit_target = CUjit_target(131175);
    pub const CU_TARGET_COMPUTE_107F: CUjit_target = CUjit_target(131179);
    pub const CU_TARGET_COMPUTE_120F: CUjit_target = CUjit_target(131192);
    pub const CU_TARGET_COMPUTE_121F: CUjit_target = CUjit_target(131193);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUjit_target(pub ::core::ffi::c_uint);
impl CUjit_fallback {
    pub const CU_PREFER_PTX: CUjit_fallback = CUjit_fallback(0);
    pub const CU_PREFER_BINARY: CUjit_fallback = CUjit_fallback(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUjit_fallback(pub ::core::ffi::c_uint);
impl CUjit_cacheMode {
    pub const CU_JIT_CACHE_OPTION_NONE: CUjit_cacheMode = CUjit_cacheMode(0);
    pub const CU_JIT_CACHE_OPTION_CG: CUjit_cacheMode = CUjit_cacheMode(1);
    pub const CU_JIT_CACHE_OPTION_CA: CUjit_cacheMode = CUjit_cacheMode(2);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUjit_cacheMode(pub ::core::ffi::c_uint);
impl CUjitInputType {
    pub const CU_JIT_INPUT_CUBIN: CUjitInputType = CUjitInputType(0);
    pub const CU_JIT_INPUT_PTX: CUjitInputType = CUjitInputType(1);
    pub const CU_JIT_INPUT_FATBINARY: CUjitInputType = CUjitInputType(2);
    pub const CU_JIT_INPUT_OBJECT: CUjitInputType = CUjitInputType(3);
    pub const CU_JIT_INPUT_LIBRARY: CUjitInputType = CUjitInputType(4);
    pub const CU_JIT_INPUT_NVVM: CUjitInputType = CUjitInputType(5);
    pub const CU_JIT_NUM_INPUT_TYPES: CUjitInputType = CUjitInputType(6);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUjitInputType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUlinkState_st {
    _unused: [u8; 0],
}
pub type CUlinkState = *mut CUlinkState_st;
impl CUgraphicsRegisterFlags {
    pub const CU_GRAPHICS_REGISTER_FLAGS_NONE: CUgraphicsRegisterFlags = CUgraphicsRegisterFlags(
        0,
    );
    pub const CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY: CUgraphicsRegisterFlags = CUgraphicsRegisterFlags(
        1,
    );
    pub const CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD: CUgraphicsRegisterFlags = CUgraphicsRegisterFlags(
        2,
    );
    pub const CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST: CUgraphicsRegisterFlags = CUgraphicsRegisterFlags(
        4,
    );
    pub const CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER: CUgraphicsRegisterFlags = CUgraphicsRegisterFlags(
        8,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphicsRegisterFlags(pub ::core::ffi::c_uint);
impl CUgraphicsMapResourceFlags {
    pub const CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE: CUgraphicsMapResourceFlags = CUgraphicsMapResourceFlags(
        0,
    );
    pub const CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY: CUgraphicsMapResourceFlags = CUgraphicsMapResourceFlags(
        1,
    );
    pub const CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD: CUgraphicsMapResourceFlags = CUgraphicsMapResourceFlags(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphicsMapResourceFlags(pub ::core::ffi::c_uint);
impl CUarray_cubemap_face {
    pub const CU_CUBEMAP_FACE_POSITIVE_X: CUarray_cubemap_face = CUarray_cubemap_face(0);
    pub const CU_CUBEMAP_FACE_NEGATIVE_X: CUarray_cubemap_face = CUarray_cubemap_face(1);
    pub const CU_CUBEMAP_FACE_POSITIVE_Y: CUarray_cubemap_face = CUarray_cubemap_face(2);
    pub const CU_CUBEMAP_FACE_NEGATIVE_Y: CUarray_cubemap_face = CUarray_cubemap_face(3);
    pub const CU_CUBEMAP_FACE_POSITIVE_Z: CUarray_cubemap_face = CUarray_cubemap_face(4);
    pub const CU_CUBEMAP_FACE_NEGATIVE_Z: CUarray_cubemap_face = CUarray_cubemap_face(5);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUarray_cubemap_face(pub ::core::ffi::c_uint);
impl CUlimit {
    pub const CU_LIMIT_STACK_SIZE: CUlimit = CUlimit(0);
    pub const CU_LIMIT_PRINTF_FIFO_SIZE: CUlimit = CUlimit(1);
    pub const CU_LIMIT_MALLOC_HEAP_SIZE: CUlimit = CUlimit(2);
    pub const CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: CUlimit = CUlimit(3);
    pub const CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT: CUlimit = CUlimit(4);
    pub const CU_LIMIT_MAX_L2_FETCH_GRANULARITY: CUlimit = CUlimit(5);
    pub const CU_LIMIT_PERSISTING_L2_CACHE_SIZE: CUlimit = CUlimit(6);
    pub const CU_LIMIT_SHMEM_SIZE: CUlimit = CUlimit(7);
    pub const CU_LIMIT_CIG_ENABLED: CUlimit = CUlimit(8);
    pub const CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED: CUlimit = CUlimit(9);
    pub const CU_LIMIT_PER_BLOCK_MEMORY_SIZE: CUlimit = CUlimit(10);
    pub const CU_LIMIT_MAX: CUlimit = CUlimit(11);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlimit(pub ::core::ffi::c_uint);
impl CUresourcetype {
    pub const CU_RESOURCE_TYPE_ARRAY: CUresourcetype = CUresourcetype(0);
    pub const CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: CUresourcetype = CUresourcetype(1);
    pub const CU_RESOURCE_TYPE_LINEAR: CUresourcetype = CUresourcetype(2);
    pub const CU_RESOURCE_TYPE_PITCH2D: CUresourcetype = CUresourcetype(3);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUresourcetype(pub ::core::ffi::c_uint);
pub type CUhostFn = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void),
>;
impl CUaccessProperty {
    pub const CU_ACCESS_PROPERTY_NORMAL: CUaccessProperty = CUaccessProperty(0);
    pub const CU_ACCESS_PROPERTY_STREAMING: CUaccessProperty = CUaccessProperty(1);
    pub const CU_ACCESS_PROPERTY_PERSISTING: CUaccessProperty = CUaccessProperty(2);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUaccessProperty(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct CUaccessPolicyWindow_st {
    pub base_ptr: *mut ::core::ffi::c_void,
    pub num_bytes: usize,
    pub hitRatio: f32,
    pub hitProp: CUaccessProperty,
    pub missProp: CUaccessProperty,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUaccessPolicyWindow_st",
    ][::core::mem::size_of::<CUaccessPolicyWindow_st>() - 32usize];
    [
        "Alignment of CUaccessPolicyWindow_st",
    ][::core::mem::align_of::<CUaccessPolicyWindow_st>() - 8usize];
    [
        "Offset of field: CUaccessPolicyWindow_st::base_ptr",
    ][::core::mem::offset_of!(CUaccessPolicyWindow_st, base_ptr) - 0usize];
    [
        "Offset of field: CUaccessPolicyWindow_st::num_bytes",
    ][::core::mem::offset_of!(CUaccessPolicyWindow_st, num_bytes) - 8usize];
    [
        "Offset of field: CUaccessPolicyWindow_st::hitRatio",
    ][::core::mem::offset_of!(CUaccessPolicyWindow_st, hitRatio) - 16usize];
    [
        "Offset of field: CUaccessPolicyWindow_st::hitProp",
    ][::core::mem::offset_of!(CUaccessPolicyWindow_st, hitProp) - 20usize];
    [
        "Offset of field: CUaccessPolicyWindow_st::missProp",
    ][::core::mem::offset_of!(CUaccessPolicyWindow_st, missProp) - 24usize];
};
impl Default for CUaccessPolicyWindow_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUaccessPolicyWindow_v1 = CUaccessPolicyWindow_st;
pub type CUaccessPolicyWindow = CUaccessPolicyWindow_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_KERNEL_NODE_PARAMS_st {
    pub func: CUfunction,
    pub gridDimX: ::core::ffi::c_uint,
    pub gridDimY: ::core::ffi::c_uint,
    pub gridDimZ: ::core::ffi::c_uint,
    pub blockDimX: ::core::ffi::c_uint,
    pub blockDimY: ::core::ffi::c_uint,
    pub blockDimZ: ::core::ffi::c_uint,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub kernelParams: *mut *mut ::core::ffi::c_void,
    pub extra: *mut *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_KERNEL_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_KERNEL_NODE_PARAMS_st>() - 56usize];
    [
        "Alignment of CUDA_KERNEL_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_KERNEL_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::func",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, func) - 0usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::gridDimX",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, gridDimX) - 8usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::gridDimY",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, gridDimY) - 12usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::gridDimZ",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, gridDimZ) - 16usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::blockDimX",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, blockDimX) - 20usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::blockDimY",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, blockDimY) - 24usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::blockDimZ",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, blockDimZ) - 28usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::sharedMemBytes",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, sharedMemBytes) - 32usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::kernelParams",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, kernelParams) - 40usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_st::extra",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_st, extra) - 48usize];
};
impl Default for CUDA_KERNEL_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_KERNEL_NODE_PARAMS_v1 = CUDA_KERNEL_NODE_PARAMS_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_KERNEL_NODE_PARAMS_v2_st {
    pub func: CUfunction,
    pub gridDimX: ::core::ffi::c_uint,
    pub gridDimY: ::core::ffi::c_uint,
    pub gridDimZ: ::core::ffi::c_uint,
    pub blockDimX: ::core::ffi::c_uint,
    pub blockDimY: ::core::ffi::c_uint,
    pub blockDimZ: ::core::ffi::c_uint,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub kernelParams: *mut *mut ::core::ffi::c_void,
    pub extra: *mut *mut ::core::ffi::c_void,
    pub kern: CUkernel,
    pub ctx: CUcontext,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_KERNEL_NODE_PARAMS_v2_st",
    ][::core::mem::size_of::<CUDA_KERNEL_NODE_PARAMS_v2_st>() - 72usize];
    [
        "Alignment of CUDA_KERNEL_NODE_PARAMS_v2_st",
    ][::core::mem::align_of::<CUDA_KERNEL_NODE_PARAMS_v2_st>() - 8usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::func",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, func) - 0usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::gridDimX",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, gridDimX) - 8usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::gridDimY",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, gridDimY) - 12usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::gridDimZ",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, gridDimZ) - 16usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::blockDimX",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, blockDimX) - 20usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::blockDimY",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, blockDimY) - 24usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::blockDimZ",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, blockDimZ) - 28usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::sharedMemBytes",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, sharedMemBytes) - 32usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::kernelParams",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, kernelParams) - 40usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::extra",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, extra) - 48usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::kern",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, kern) - 56usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v2_st::ctx",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v2_st, ctx) - 64usize];
};
impl Default for CUDA_KERNEL_NODE_PARAMS_v2_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_KERNEL_NODE_PARAMS_v2 = CUDA_KERNEL_NODE_PARAMS_v2_st;
pub type CUDA_KERNEL_NODE_PARAMS = CUDA_KERNEL_NODE_PARAMS_v2;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_KERNEL_NODE_PARAMS_v3_st {
    pub func: CUfunction,
    pub gridDimX: ::core::ffi::c_uint,
    pub gridDimY: ::core::ffi::c_uint,
    pub gridDimZ: ::core::ffi::c_uint,
    pub blockDimX: ::core::ffi::c_uint,
    pub blockDimY: ::core::ffi::c_uint,
    pub blockDimZ: ::core::ffi::c_uint,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub kernelParams: *mut *mut ::core::ffi::c_void,
    pub extra: *mut *mut ::core::ffi::c_void,
    pub kern: CUkernel,
    pub ctx: CUcontext,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_KERNEL_NODE_PARAMS_v3_st",
    ][::core::mem::size_of::<CUDA_KERNEL_NODE_PARAMS_v3_st>() - 72usize];
    [
        "Alignment of CUDA_KERNEL_NODE_PARAMS_v3_st",
    ][::core::mem::align_of::<CUDA_KERNEL_NODE_PARAMS_v3_st>() - 8usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::func",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, func) - 0usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::gridDimX",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, gridDimX) - 8usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::gridDimY",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, gridDimY) - 12usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::gridDimZ",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, gridDimZ) - 16usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::blockDimX",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, blockDimX) - 20usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::blockDimY",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, blockDimY) - 24usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::blockDimZ",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, blockDimZ) - 28usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::sharedMemBytes",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, sharedMemBytes) - 32usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::kernelParams",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, kernelParams) - 40usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::extra",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, extra) - 48usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::kern",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, kern) - 56usize];
    [
        "Offset of field: CUDA_KERNEL_NODE_PARAMS_v3_st::ctx",
    ][::core::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS_v3_st, ctx) - 64usize];
};
impl Default for CUDA_KERNEL_NODE_PARAMS_v3_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_KERNEL_NODE_PARAMS_v3 = CUDA_KERNEL_NODE_PARAMS_v3_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMSET_NODE_PARAMS_st {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: ::core::ffi::c_uint,
    pub elementSize: ::core::ffi::c_uint,
    pub width: usize,
    pub height: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMSET_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_MEMSET_NODE_PARAMS_st>() - 40usize];
    [
        "Alignment of CUDA_MEMSET_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_MEMSET_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_st::dst",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_st, dst) - 0usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_st::pitch",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_st, pitch) - 8usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_st::value",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_st, value) - 16usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_st::elementSize",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_st, elementSize) - 20usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_st::width",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_st, width) - 24usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_st::height",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_st, height) - 32usize];
};
pub type CUDA_MEMSET_NODE_PARAMS_v1 = CUDA_MEMSET_NODE_PARAMS_st;
pub type CUDA_MEMSET_NODE_PARAMS = CUDA_MEMSET_NODE_PARAMS_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMSET_NODE_PARAMS_v2_st {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: ::core::ffi::c_uint,
    pub elementSize: ::core::ffi::c_uint,
    pub width: usize,
    pub height: usize,
    pub ctx: CUcontext,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMSET_NODE_PARAMS_v2_st",
    ][::core::mem::size_of::<CUDA_MEMSET_NODE_PARAMS_v2_st>() - 48usize];
    [
        "Alignment of CUDA_MEMSET_NODE_PARAMS_v2_st",
    ][::core::mem::align_of::<CUDA_MEMSET_NODE_PARAMS_v2_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_v2_st::dst",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_v2_st, dst) - 0usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_v2_st::pitch",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_v2_st, pitch) - 8usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_v2_st::value",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_v2_st, value) - 16usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_v2_st::elementSize",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_v2_st, elementSize) - 20usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_v2_st::width",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_v2_st, width) - 24usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_v2_st::height",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_v2_st, height) - 32usize];
    [
        "Offset of field: CUDA_MEMSET_NODE_PARAMS_v2_st::ctx",
    ][::core::mem::offset_of!(CUDA_MEMSET_NODE_PARAMS_v2_st, ctx) - 40usize];
};
impl Default for CUDA_MEMSET_NODE_PARAMS_v2_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMSET_NODE_PARAMS_v2 = CUDA_MEMSET_NODE_PARAMS_v2_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_HOST_NODE_PARAMS_st {
    pub fn_: CUhostFn,
    pub userData: *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_HOST_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_HOST_NODE_PARAMS_st>() - 16usize];
    [
        "Alignment of CUDA_HOST_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_HOST_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_HOST_NODE_PARAMS_st::fn_",
    ][::core::mem::offset_of!(CUDA_HOST_NODE_PARAMS_st, fn_) - 0usize];
    [
        "Offset of field: CUDA_HOST_NODE_PARAMS_st::userData",
    ][::core::mem::offset_of!(CUDA_HOST_NODE_PARAMS_st, userData) - 8usize];
};
impl Default for CUDA_HOST_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_HOST_NODE_PARAMS_v1 = CUDA_HOST_NODE_PARAMS_st;
pub type CUDA_HOST_NODE_PARAMS = CUDA_HOST_NODE_PARAMS_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_HOST_NODE_PARAMS_v2_st {
    pub fn_: CUhostFn,
    pub userData: *mut ::core::ffi::c_void,
    pub syncMode: ::core::ffi::c_uint,
    pub __bindgen_anon_1: CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1>() - 8usize];
    [
        "Alignment of CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1::ctx",
    ][::core::mem::offset_of!(CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1, ctx) - 0usize];
    [
        "Offset of field: CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1::gCtx",
    ][::core::mem::offset_of!(CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1, gCtx) - 0usize];
};
impl Default for CUDA_HOST_NODE_PARAMS_v2_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_HOST_NODE_PARAMS_v2_st",
    ][::core::mem::size_of::<CUDA_HOST_NODE_PARAMS_v2_st>() - 32usize];
    [
        "Alignment of CUDA_HOST_NODE_PARAMS_v2_st",
    ][::core::mem::align_of::<CUDA_HOST_NODE_PARAMS_v2_st>() - 8usize];
    [
        "Offset of field: CUDA_HOST_NODE_PARAMS_v2_st::fn_",
    ][::core::mem::offset_of!(CUDA_HOST_NODE_PARAMS_v2_st, fn_) - 0usize];
    [
        "Offset of field: CUDA_HOST_NODE_PARAMS_v2_st::userData",
    ][::core::mem::offset_of!(CUDA_HOST_NODE_PARAMS_v2_st, userData) - 8usize];
    [
        "Offset of field: CUDA_HOST_NODE_PARAMS_v2_st::syncMode",
    ][::core::mem::offset_of!(CUDA_HOST_NODE_PARAMS_v2_st, syncMode) - 16usize];
};
impl Default for CUDA_HOST_NODE_PARAMS_v2_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_HOST_NODE_PARAMS_v2 = CUDA_HOST_NODE_PARAMS_v2_st;
impl CUgraphConditionalNodeType {
    pub const CU_GRAPH_COND_TYPE_IF: CUgraphConditionalNodeType = CUgraphConditionalNodeType(
        0,
    );
    pub const CU_GRAPH_COND_TYPE_WHILE: CUgraphConditionalNodeType = CUgraphConditionalNodeType(
        1,
    );
    pub const CU_GRAPH_COND_TYPE_SWITCH: CUgraphConditionalNodeType = CUgraphConditionalNodeType(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphConditionalNodeType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_CONDITIONAL_NODE_PARAMS {
    pub handle: CUgraphConditionalHandle,
    pub type_: CUgraphConditionalNodeType,
    pub size: ::core::ffi::c_uint,
    pub phGraph_out: *mut CUgraph,
    pub ctx: CUcontext,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_CONDITIONAL_NODE_PARAMS",
    ][::core::mem::size_of::<CUDA_CONDITIONAL_NODE_PARAMS>() - 32usize];
    [
        "Alignment of CUDA_CONDITIONAL_NODE_PARAMS",
    ][::core::mem::align_of::<CUDA_CONDITIONAL_NODE_PARAMS>() - 8usize];
    [
        "Offset of field: CUDA_CONDITIONAL_NODE_PARAMS::handle",
    ][::core::mem::offset_of!(CUDA_CONDITIONAL_NODE_PARAMS, handle) - 0usize];
    [
        "Offset of field: CUDA_CONDITIONAL_NODE_PARAMS::type_",
    ][::core::mem::offset_of!(CUDA_CONDITIONAL_NODE_PARAMS, type_) - 8usize];
    [
        "Offset of field: CUDA_CONDITIONAL_NODE_PARAMS::size",
    ][::core::mem::offset_of!(CUDA_CONDITIONAL_NODE_PARAMS, size) - 12usize];
    [
        "Offset of field: CUDA_CONDITIONAL_NODE_PARAMS::phGraph_out",
    ][::core::mem::offset_of!(CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out) - 16usize];
    [
        "Offset of field: CUDA_CONDITIONAL_NODE_PARAMS::ctx",
    ][::core::mem::offset_of!(CUDA_CONDITIONAL_NODE_PARAMS, ctx) - 24usize];
};
impl Default for CUDA_CONDITIONAL_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUgraphNodeType {
    pub const CU_GRAPH_NODE_TYPE_KERNEL: CUgraphNodeType = CUgraphNodeType(0);
    pub const CU_GRAPH_NODE_TYPE_MEMCPY: CUgraphNodeType = CUgraphNodeType(1);
    pub const CU_GRAPH_NODE_TYPE_MEMSET: CUgraphNodeType = CUgraphNodeType(2);
    pub const CU_GRAPH_NODE_TYPE_HOST: CUgraphNodeType = CUgraphNodeType(3);
    pub const CU_GRAPH_NODE_TYPE_GRAPH: CUgraphNodeType = CUgraphNodeType(4);
    pub const CU_GRAPH_NODE_TYPE_EMPTY: CUgraphNodeType = CUgraphNodeType(5);
    pub const CU_GRAPH_NODE_TYPE_WAIT_EVENT: CUgraphNodeType = CUgraphNodeType(6);
    pub const CU_GRAPH_NODE_TYPE_EVENT_RECORD: CUgraphNodeType = CUgraphNodeType(7);
    pub const CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL: CUgraphNodeType = CUgraphNodeType(8);
    pub const CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: CUgraphNodeType = CUgraphNodeType(9);
    pub const CU_GRAPH_NODE_TYPE_MEM_ALLOC: CUgraphNodeType = CUgraphNodeType(10);
    pub const CU_GRAPH_NODE_TYPE_MEM_FREE: CUgraphNodeType = CUgraphNodeType(11);
    pub const CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: CUgraphNodeType = CUgraphNodeType(12);
    pub const CU_GRAPH_NODE_TYPE_CONDITIONAL: CUgraphNodeType = CUgraphNodeType(13);
    pub const CU_GRAPH_NODE_TYPE_MEMCPY_BATCH: CUgraphNodeType = CUgraphNodeType(14);
    pub const CU_GRAPH_NODE_TYPE_RESERVED_16: CUgraphNodeType = CUgraphNodeType(16);
    pub const CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE: CUgraphNodeType = CUgraphNodeType(17);
    pub const CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH: CUgraphNodeType = CUgraphNodeType(18);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphNodeType(pub ::core::ffi::c_uint);
impl CUgraphDependencyType {
    pub const CU_GRAPH_DEPENDENCY_TYPE_DEFAULT: CUgraphDependencyType = CUgraphDependencyType(
        0,
    );
    pub const CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC: CUgraphDependencyType = CUgraphDependencyType(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphDependencyType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphEdgeData_st {
    pub from_port: ::core::ffi::c_uchar,
    pub to_port: ::core::ffi::c_uchar,
    pub type_: ::core::ffi::c_uchar,
    pub reserved: [::core::ffi::c_uchar; 5usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUgraphEdgeData_st",
    ][::core::mem::size_of::<CUgraphEdgeData_st>() - 8usize];
    [
        "Alignment of CUgraphEdgeData_st",
    ][::core::mem::align_of::<CUgraphEdgeData_st>() - 1usize];
    [
        "Offset of field: CUgraphEdgeData_st::from_port",
    ][::core::mem::offset_of!(CUgraphEdgeData_st, from_port) - 0usize];
    [
        "Offset of field: CUgraphEdgeData_st::to_port",
    ][::core::mem::offset_of!(CUgraphEdgeData_st, to_port) - 1usize];
    [
        "Offset of field: CUgraphEdgeData_st::type_",
    ][::core::mem::offset_of!(CUgraphEdgeData_st, type_) - 2usize];
    [
        "Offset of field: CUgraphEdgeData_st::reserved",
    ][::core::mem::offset_of!(CUgraphEdgeData_st, reserved) - 3usize];
};
pub type CUgraphEdgeData = CUgraphEdgeData_st;
impl CUgraphInstantiateResult {
    pub const CUDA_GRAPH_INSTANTIATE_SUCCESS: CUgraphInstantiateResult = CUgraphInstantiateResult(
        0,
    );
    pub const CUDA_GRAPH_INSTANTIATE_ERROR: CUgraphInstantiateResult = CUgraphInstantiateResult(
        1,
    );
    pub const CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE: CUgraphInstantiateResult = CUgraphInstantiateResult(
        2,
    );
    pub const CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED: CUgraphInstantiateResult = CUgraphInstantiateResult(
        3,
    );
    pub const CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED: CUgraphInstantiateResult = CUgraphInstantiateResult(
        4,
    );
    pub const CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED: CUgraphInstantiateResult = CUgraphInstantiateResult(
        5,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphInstantiateResult(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
    pub flags: cuuint64_t,
    pub hUploadStream: CUstream,
    pub hErrNode_out: CUgraphNode,
    pub result_out: CUgraphInstantiateResult,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_GRAPH_INSTANTIATE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_GRAPH_INSTANTIATE_PARAMS_st>() - 32usize];
    [
        "Alignment of CUDA_GRAPH_INSTANTIATE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_GRAPH_INSTANTIATE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_GRAPH_INSTANTIATE_PARAMS_st::flags",
    ][::core::mem::offset_of!(CUDA_GRAPH_INSTANTIATE_PARAMS_st, flags) - 0usize];
    [
        "Offset of field: CUDA_GRAPH_INSTANTIATE_PARAMS_st::hUploadStream",
    ][::core::mem::offset_of!(CUDA_GRAPH_INSTANTIATE_PARAMS_st, hUploadStream) - 8usize];
    [
        "Offset of field: CUDA_GRAPH_INSTANTIATE_PARAMS_st::hErrNode_out",
    ][::core::mem::offset_of!(CUDA_GRAPH_INSTANTIATE_PARAMS_st, hErrNode_out) - 16usize];
    [
        "Offset of field: CUDA_GRAPH_INSTANTIATE_PARAMS_st::result_out",
    ][::core::mem::offset_of!(CUDA_GRAPH_INSTANTIATE_PARAMS_st, result_out) - 24usize];
};
impl Default for CUDA_GRAPH_INSTANTIATE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_GRAPH_INSTANTIATE_PARAMS = CUDA_GRAPH_INSTANTIATE_PARAMS_st;
impl CUsynchronizationPolicy {
    pub const CU_SYNC_POLICY_AUTO: CUsynchronizationPolicy = CUsynchronizationPolicy(1);
    pub const CU_SYNC_POLICY_SPIN: CUsynchronizationPolicy = CUsynchronizationPolicy(2);
    pub const CU_SYNC_POLICY_YIELD: CUsynchronizationPolicy = CUsynchronizationPolicy(3);
    pub const CU_SYNC_POLICY_BLOCKING_SYNC: CUsynchronizationPolicy = CUsynchronizationPolicy(
        4,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUsynchronizationPolicy(pub ::core::ffi::c_uint);
impl CUclusterSchedulingPolicy {
    pub const CU_CLUSTER_SCHEDULING_POLICY_DEFAULT: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        0,
    );
    pub const CU_CLUSTER_SCHEDULING_POLICY_SPREAD: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        1,
    );
    pub const CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        2,
    );
    pub const CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        3,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUclusterSchedulingPolicy(pub ::core::ffi::c_uint);
impl CUlaunchMemSyncDomain {
    pub const CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT: CUlaunchMemSyncDomain = CUlaunchMemSyncDomain(
        0,
    );
    pub const CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE: CUlaunchMemSyncDomain = CUlaunchMemSyncDomain(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchMemSyncDomain(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchMemSyncDomainMap_st {
    pub default_: ::core::ffi::c_uchar,
    pub remote: ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchMemSyncDomainMap_st",
    ][::core::mem::size_of::<CUlaunchMemSyncDomainMap_st>() - 2usize];
    [
        "Alignment of CUlaunchMemSyncDomainMap_st",
    ][::core::mem::align_of::<CUlaunchMemSyncDomainMap_st>() - 1usize];
    [
        "Offset of field: CUlaunchMemSyncDomainMap_st::default_",
    ][::core::mem::offset_of!(CUlaunchMemSyncDomainMap_st, default_) - 0usize];
    [
        "Offset of field: CUlaunchMemSyncDomainMap_st::remote",
    ][::core::mem::offset_of!(CUlaunchMemSyncDomainMap_st, remote) - 1usize];
};
pub type CUlaunchMemSyncDomainMap = CUlaunchMemSyncDomainMap_st;
impl CUlaunchAttributePortableClusterMode {
    pub const CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT: CUlaunchAttributePortableClusterMode = CUlaunchAttributePortableClusterMode(
        0,
    );
    pub const CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE: CUlaunchAttributePortableClusterMode = CUlaunchAttributePortableClusterMode(
        1,
    );
    pub const CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE: CUlaunchAttributePortableClusterMode = CUlaunchAttributePortableClusterMode(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributePortableClusterMode(pub ::core::ffi::c_uint);
impl CUsharedMemoryMode {
    pub const CU_SHARED_MEMORY_MODE_DEFAULT: CUsharedMemoryMode = CUsharedMemoryMode(0);
    pub const CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE: CUsharedMemoryMode = CUsharedMemoryMode(
        1,
    );
    pub const CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE: CUsharedMemoryMode = CUsharedMemoryMode(
        2,
    );
    pub const CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY: CUsharedMemoryMode = CUsharedMemoryMode(
        3,
    );
    pub const CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY: CUsharedMemoryMode = CUsharedMemoryMode(
        4,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUsharedMemoryMode(pub ::core::ffi::c_uint);
impl CUlaunchAttributeID {
    pub const CU_LAUNCH_ATTRIBUTE_IGNORE: CUlaunchAttributeID = CUlaunchAttributeID(0);
    pub const CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: CUlaunchAttributeID = CUlaunchAttributeID(
        1,
    );
    pub const CU_LAUNCH_ATTRIBUTE_COOPERATIVE: CUlaunchAttributeID = CUlaunchAttributeID(
        2,
    );
    pub const CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: CUlaunchAttributeID = CUlaunchAttributeID(
        3,
    );
    pub const CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: CUlaunchAttributeID = CUlaunchAttributeID(
        4,
    );
    pub const CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: CUlaunchAttributeID = CUlaunchAttributeID(
        5,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: CUlaunchAttributeID = CUlaunchAttributeID(
        6,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: CUlaunchAttributeID = CUlaunchAttributeID(
        7,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PRIORITY: CUlaunchAttributeID = CUlaunchAttributeID(8);
    pub const CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: CUlaunchAttributeID = CUlaunchAttributeID(
        9,
    );
    pub const CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: CUlaunchAttributeID = CUlaunchAttributeID(
        10,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: CUlaunchAttributeID = CUlaunchAttributeID(
        11,
    );
    pub const CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: CUlaunchAttributeID = CUlaunchAttributeID(
        12,
    );
    pub const CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: CUlaunchAttributeID = CUlaunchAttributeID(
        13,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: CUlaunchAttributeID = CUlaunchAttributeID(
        14,
    );
    pub const CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: CUlaunchAttributeID = CUlaunchAttributeID(
        16,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE: CUlaunchAttributeID = CUlaunchAttributeID(
        17,
    );
    pub const CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE: CUlaunchAttributeID = CUlaunchAttributeID(
        18,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributeID(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUlaunchAttributeValue_union {
    pub pad: [::core::ffi::c_char; 64usize],
    pub accessPolicyWindow: CUaccessPolicyWindow,
    pub cooperative: ::core::ffi::c_int,
    pub syncPolicy: CUsynchronizationPolicy,
    pub clusterDim: CUlaunchAttributeValue_union__bindgen_ty_1,
    pub clusterSchedulingPolicyPreference: CUclusterSchedulingPolicy,
    pub programmaticStreamSerializationAllowed: ::core::ffi::c_int,
    pub programmaticEvent: CUlaunchAttributeValue_union__bindgen_ty_2,
    pub launchCompletionEvent: CUlaunchAttributeValue_union__bindgen_ty_3,
    pub priority: ::core::ffi::c_int,
    pub memSyncDomainMap: CUlaunchMemSyncDomainMap,
    pub memSyncDomain: CUlaunchMemSyncDomain,
    pub preferredClusterDim: CUlaunchAttributeValue_union__bindgen_ty_4,
    pub deviceUpdatableKernelNode: CUlaunchAttributeValue_union__bindgen_ty_5,
    pub sharedMemCarveout: ::core::ffi::c_uint,
    pub nvlinkUtilCentricScheduling: ::core::ffi::c_uint,
    pub portableClusterSizeMode: CUlaunchAttributePortableClusterMode,
    pub sharedMemoryMode: CUsharedMemoryMode,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_1 {
    pub x: ::core::ffi::c_uint,
    pub y: ::core::ffi::c_uint,
    pub z: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_1",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_1>() - 12usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_1",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_1::x",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_1, x) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_1::y",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_1, y) - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_1::z",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_1, z) - 8usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_2 {
    pub event: CUevent,
    pub flags: ::core::ffi::c_int,
    pub triggerAtBlockStart: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_2",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_2>() - 16usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_2",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_2::event",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_2, event)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_2::flags",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_2, flags)
        - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_2::triggerAtBlockStart",
    ][::core::mem::offset_of!(
        CUlaunchAttributeValue_union__bindgen_ty_2, triggerAtBlockStart
    ) - 12usize];
};
impl Default for CUlaunchAttributeValue_union__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_3 {
    pub event: CUevent,
    pub flags: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_3",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_3>() - 16usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_3",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_3>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_3::event",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_3, event)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_3::flags",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_3, flags)
        - 8usize];
};
impl Default for CUlaunchAttributeValue_union__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_4 {
    pub x: ::core::ffi::c_uint,
    pub y: ::core::ffi::c_uint,
    pub z: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_4",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_4>() - 12usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_4",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_4>() - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_4::x",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_4, x) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_4::y",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_4, y) - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_4::z",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_4, z) - 8usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_5 {
    pub deviceUpdatable: ::core::ffi::c_int,
    pub devNode: CUgraphDeviceNode,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_5",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_5>() - 16usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_5",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_5>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_5::deviceUpdatable",
    ][::core::mem::offset_of!(
        CUlaunchAttributeValue_union__bindgen_ty_5, deviceUpdatable
    ) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_5::devNode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_5, devNode)
        - 8usize];
};
impl Default for CUlaunchAttributeValue_union__bindgen_ty_5 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union>() - 64usize];
    [
        "Alignment of CUlaunchAttributeValue_union",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::pad",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, pad) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::accessPolicyWindow",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, accessPolicyWindow)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::cooperative",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, cooperative) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::syncPolicy",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, syncPolicy) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::clusterDim",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, clusterDim) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::clusterSchedulingPolicyPreference",
    ][::core::mem::offset_of!(
        CUlaunchAttributeValue_union, clusterSchedulingPolicyPreference
    ) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::programmaticStreamSerializationAllowed",
    ][::core::mem::offset_of!(
        CUlaunchAttributeValue_union, programmaticStreamSerializationAllowed
    ) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::programmaticEvent",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, programmaticEvent) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::launchCompletionEvent",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, launchCompletionEvent)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::priority",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, priority) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::memSyncDomainMap",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, memSyncDomainMap) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::memSyncDomain",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, memSyncDomain) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::preferredClusterDim",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, preferredClusterDim)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::deviceUpdatableKernelNode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, deviceUpdatableKernelNode)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::sharedMemCarveout",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, sharedMemCarveout) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::nvlinkUtilCentricScheduling",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, nvlinkUtilCentricScheduling)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::portableClusterSizeMode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, portableClusterSizeMode)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union::sharedMemoryMode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union, sharedMemoryMode) - 0usize];
};
impl Default for CUlaunchAttributeValue_union {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUlaunchAttributeValue = CUlaunchAttributeValue_union;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUlaunchAttribute_st {
    pub id: CUlaunchAttributeID,
    pub pad: [::core::ffi::c_char; 4usize],
    pub value: CUlaunchAttributeValue,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttribute_st",
    ][::core::mem::size_of::<CUlaunchAttribute_st>() - 72usize];
    [
        "Alignment of CUlaunchAttribute_st",
    ][::core::mem::align_of::<CUlaunchAttribute_st>() - 8usize];
    [
        "Offset of field: CUlaunchAttribute_st::id",
    ][::core::mem::offset_of!(CUlaunchAttribute_st, id) - 0usize];
    [
        "Offset of field: CUlaunchAttribute_st::pad",
    ][::core::mem::offset_of!(CUlaunchAttribute_st, pad) - 4usize];
    [
        "Offset of field: CUlaunchAttribute_st::value",
    ][::core::mem::offset_of!(CUlaunchAttribute_st, value) - 8usize];
};
impl Default for CUlaunchAttribute_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUlaunchAttribute = CUlaunchAttribute_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchConfig_st {
    pub gridDimX: ::core::ffi::c_uint,
    pub gridDimY: ::core::ffi::c_uint,
    pub gridDimZ: ::core::ffi::c_uint,
    pub blockDimX: ::core::ffi::c_uint,
    pub blockDimY: ::core::ffi::c_uint,
    pub blockDimZ: ::core::ffi::c_uint,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub hStream: CUstream,
    pub attrs: *mut CUlaunchAttribute,
    pub numAttrs: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUlaunchConfig_st"][::core::mem::size_of::<CUlaunchConfig_st>() - 56usize];
    [
        "Alignment of CUlaunchConfig_st",
    ][::core::mem::align_of::<CUlaunchConfig_st>() - 8usize];
    [
        "Offset of field: CUlaunchConfig_st::gridDimX",
    ][::core::mem::offset_of!(CUlaunchConfig_st, gridDimX) - 0usize];
    [
        "Offset of field: CUlaunchConfig_st::gridDimY",
    ][::core::mem::offset_of!(CUlaunchConfig_st, gridDimY) - 4usize];
    [
        "Offset of field: CUlaunchConfig_st::gridDimZ",
    ][::core::mem::offset_of!(CUlaunchConfig_st, gridDimZ) - 8usize];
    [
        "Offset of field: CUlaunchConfig_st::blockDimX",
    ][::core::mem::offset_of!(CUlaunchConfig_st, blockDimX) - 12usize];
    [
        "Offset of field: CUlaunchConfig_st::blockDimY",
    ][::core::mem::offset_of!(CUlaunchConfig_st, blockDimY) - 16usize];
    [
        "Offset of field: CUlaunchConfig_st::blockDimZ",
    ][::core::mem::offset_of!(CUlaunchConfig_st, blockDimZ) - 20usize];
    [
        "Offset of field: CUlaunchConfig_st::sharedMemBytes",
    ][::core::mem::offset_of!(CUlaunchConfig_st, sharedMemBytes) - 24usize];
    [
        "Offset of field: CUlaunchConfig_st::hStream",
    ][::core::mem::offset_of!(CUlaunchConfig_st, hStream) - 32usize];
    [
        "Offset of field: CUlaunchConfig_st::attrs",
    ][::core::mem::offset_of!(CUlaunchConfig_st, attrs) - 40usize];
    [
        "Offset of field: CUlaunchConfig_st::numAttrs",
    ][::core::mem::offset_of!(CUlaunchConfig_st, numAttrs) - 48usize];
};
impl Default for CUlaunchConfig_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUlaunchConfig = CUlaunchConfig_st;
pub use self::CUlaunchAttributeID as CUkernelNodeAttrID;
pub type CUkernelNodeAttrValue_v1 = CUlaunchAttributeValue;
pub type CUkernelNodeAttrValue = CUkernelNodeAttrValue_v1;
impl CUstreamCaptureStatus {
    pub const CU_STREAM_CAPTURE_STATUS_NONE: CUstreamCaptureStatus = CUstreamCaptureStatus(
        0,
    );
    pub const CU_STREAM_CAPTURE_STATUS_ACTIVE: CUstreamCaptureStatus = CUstreamCaptureStatus(
        1,
    );
    pub const CU_STREAM_CAPTURE_STATUS_INVALIDATED: CUstreamCaptureStatus = CUstreamCaptureStatus(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCaptureStatus(pub ::core::ffi::c_uint);
impl CUstreamCaptureMode {
    pub const CU_STREAM_CAPTURE_MODE_GLOBAL: CUstreamCaptureMode = CUstreamCaptureMode(
        0,
    );
    pub const CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: CUstreamCaptureMode = CUstreamCaptureMode(
        1,
    );
    pub const CU_STREAM_CAPTURE_MODE_RELAXED: CUstreamCaptureMode = CUstreamCaptureMode(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCaptureMode(pub ::core::ffi::c_uint);
pub use self::CUlaunchAttributeID as CUstreamAttrID;
pub type CUstreamAttrValue_v1 = CUlaunchAttributeValue;
pub type CUstreamAttrValue = CUstreamAttrValue_v1;
impl CUdriverProcAddress_flags {
    pub const CU_GET_PROC_ADDRESS_DEFAULT: CUdriverProcAddress_flags = CUdriverProcAddress_flags(
        0,
    );
    pub const CU_GET_PROC_ADDRESS_LEGACY_STREAM: CUdriverProcAddress_flags = CUdriverProcAddress_flags(
        1,
    );
    pub const CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM: CUdriverProcAddress_flags = CUdriverProcAddress_flags(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdriverProcAddress_flags(pub ::core::ffi::c_uint);
impl CUdriverProcAddressQueryResult {
    pub const CU_GET_PROC_ADDRESS_SUCCESS: CUdriverProcAddressQueryResult = CUdriverProcAddressQueryResult(
        0,
    );
    pub const CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND: CUdriverProcAddressQueryResult = CUdriverProcAddressQueryResult(
        1,
    );
    pub const CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT: CUdriverProcAddressQueryResult = CUdriverProcAddressQueryResult(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdriverProcAddressQueryResult(pub ::core::ffi::c_uint);
impl CUexecAffinityType {
    pub const CU_EXEC_AFFINITY_TYPE_SM_COUNT: CUexecAffinityType = CUexecAffinityType(0);
    pub const CU_EXEC_AFFINITY_TYPE_MAX: CUexecAffinityType = CUexecAffinityType(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexecAffinityType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexecAffinitySmCount_st {
    pub val: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUexecAffinitySmCount_st",
    ][::core::mem::size_of::<CUexecAffinitySmCount_st>() - 4usize];
    [
        "Alignment of CUexecAffinitySmCount_st",
    ][::core::mem::align_of::<CUexecAffinitySmCount_st>() - 4usize];
    [
        "Offset of field: CUexecAffinitySmCount_st::val",
    ][::core::mem::offset_of!(CUexecAffinitySmCount_st, val) - 0usize];
};
pub type CUexecAffinitySmCount_v1 = CUexecAffinitySmCount_st;
pub type CUexecAffinitySmCount = CUexecAffinitySmCount_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUexecAffinityParam_st {
    pub type_: CUexecAffinityType,
    pub param: CUexecAffinityParam_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUexecAffinityParam_st__bindgen_ty_1 {
    pub smCount: CUexecAffinitySmCount,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUexecAffinityParam_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUexecAffinityParam_st__bindgen_ty_1>() - 4usize];
    [
        "Alignment of CUexecAffinityParam_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUexecAffinityParam_st__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUexecAffinityParam_st__bindgen_ty_1::smCount",
    ][::core::mem::offset_of!(CUexecAffinityParam_st__bindgen_ty_1, smCount) - 0usize];
};
impl Default for CUexecAffinityParam_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUexecAffinityParam_st",
    ][::core::mem::size_of::<CUexecAffinityParam_st>() - 8usize];
    [
        "Alignment of CUexecAffinityParam_st",
    ][::core::mem::align_of::<CUexecAffinityParam_st>() - 4usize];
    [
        "Offset of field: CUexecAffinityParam_st::type_",
    ][::core::mem::offset_of!(CUexecAffinityParam_st, type_) - 0usize];
    [
        "Offset of field: CUexecAffinityParam_st::param",
    ][::core::mem::offset_of!(CUexecAffinityParam_st, param) - 4usize];
};
impl Default for CUexecAffinityParam_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUexecAffinityParam_v1 = CUexecAffinityParam_st;
pub type CUexecAffinityParam = CUexecAffinityParam_v1;
impl CUcigDataType {
    pub const CIG_DATA_TYPE_D3D12_COMMAND_QUEUE: CUcigDataType = CUcigDataType(1);
    pub const CIG_DATA_TYPE_NV_BLOB: CUcigDataType = CUcigDataType(2);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcigDataType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUctxCigParam_st {
    pub sharedDataType: CUcigDataType,
    pub sharedData: *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUctxCigParam_st"][::core::mem::size_of::<CUctxCigParam_st>() - 16usize];
    [
        "Alignment of CUctxCigParam_st",
    ][::core::mem::align_of::<CUctxCigParam_st>() - 8usize];
    [
        "Offset of field: CUctxCigParam_st::sharedDataType",
    ][::core::mem::offset_of!(CUctxCigParam_st, sharedDataType) - 0usize];
    [
        "Offset of field: CUctxCigParam_st::sharedData",
    ][::core::mem::offset_of!(CUctxCigParam_st, sharedData) - 8usize];
};
impl Default for CUctxCigParam_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUctxCigParam = CUctxCigParam_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUctxCreateParams_st {
    pub execAffinityParams: *mut CUexecAffinityParam,
    pub numExecAffinityParams: ::core::ffi::c_int,
    pub cigParams: *mut CUctxCigParam,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUctxCreateParams_st",
    ][::core::mem::size_of::<CUctxCreateParams_st>() - 24usize];
    [
        "Alignment of CUctxCreateParams_st",
    ][::core::mem::align_of::<CUctxCreateParams_st>() - 8usize];
    [
        "Offset of field: CUctxCreateParams_st::execAffinityParams",
    ][::core::mem::offset_of!(CUctxCreateParams_st, execAffinityParams) - 0usize];
    [
        "Offset of field: CUctxCreateParams_st::numExecAffinityParams",
    ][::core::mem::offset_of!(CUctxCreateParams_st, numExecAffinityParams) - 8usize];
    [
        "Offset of field: CUctxCreateParams_st::cigParams",
    ][::core::mem::offset_of!(CUctxCreateParams_st, cigParams) - 16usize];
};
impl Default for CUctxCreateParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUctxCreateParams = CUctxCreateParams_st;
impl CUstreamCigDataType {
    pub const STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST: CUstreamCigDataType = CUstreamCigDataType(
        1,
    );
    pub const STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV: CUstreamCigDataType = CUstreamCigDataType(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCigDataType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCigParam_st {
    pub streamSharedDataType: CUstreamCigDataType,
    pub streamSharedData: *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamCigParam_st",
    ][::core::mem::size_of::<CUstreamCigParam_st>() - 16usize];
    [
        "Alignment of CUstreamCigParam_st",
    ][::core::mem::align_of::<CUstreamCigParam_st>() - 8usize];
    [
        "Offset of field: CUstreamCigParam_st::streamSharedDataType",
    ][::core::mem::offset_of!(CUstreamCigParam_st, streamSharedDataType) - 0usize];
    [
        "Offset of field: CUstreamCigParam_st::streamSharedData",
    ][::core::mem::offset_of!(CUstreamCigParam_st, streamSharedData) - 8usize];
};
impl Default for CUstreamCigParam_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUstreamCigParam = CUstreamCigParam_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCigCaptureParams_st {
    pub streamCigParams: *mut CUstreamCigParam,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUstreamCigCaptureParams_st",
    ][::core::mem::size_of::<CUstreamCigCaptureParams_st>() - 8usize];
    [
        "Alignment of CUstreamCigCaptureParams_st",
    ][::core::mem::align_of::<CUstreamCigCaptureParams_st>() - 8usize];
    [
        "Offset of field: CUstreamCigCaptureParams_st::streamCigParams",
    ][::core::mem::offset_of!(CUstreamCigCaptureParams_st, streamCigParams) - 0usize];
};
impl Default for CUstreamCigCaptureParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUstreamCigCaptureParams = CUstreamCigCaptureParams_st;
impl CUlibraryOption {
    pub const CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE: CUlibraryOption = CUlibraryOption(
        0,
    );
    pub const CU_LIBRARY_BINARY_IS_PRESERVED: CUlibraryOption = CUlibraryOption(1);
    pub const CU_LIBRARY_NUM_OPTIONS: CUlibraryOption = CUlibraryOption(2);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlibraryOption(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlibraryHostUniversalFunctionAndDataTable_st {
    pub functionTable: *mut ::core::ffi::c_void,
    pub functionWindowSize: usize,
    pub dataTable: *mut ::core::ffi::c_void,
    pub dataWindowSize: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlibraryHostUniversalFunctionAndDataTable_st",
    ][::core::mem::size_of::<CUlibraryHostUniversalFunctionAndDataTable_st>() - 32usize];
    [
        "Alignment of CUlibraryHostUniversalFunctionAndDataTable_st",
    ][::core::mem::align_of::<CUlibraryHostUniversalFunctionAndDataTable_st>() - 8usize];
    [
        "Offset of field: CUlibraryHostUniversalFunctionAndDataTable_st::functionTable",
    ][::core::mem::offset_of!(
        CUlibraryHostUniversalFunctionAndDataTable_st, functionTable
    ) - 0usize];
    [
        "Offset of field: CUlibraryHostUniversalFunctionAndDataTable_st::functionWindowSize",
    ][::core::mem::offset_of!(
        CUlibraryHostUniversalFunctionAndDataTable_st, functionWindowSize
    ) - 8usize];
    [
        "Offset of field: CUlibraryHostUniversalFunctionAndDataTable_st::dataTable",
    ][::core::mem::offset_of!(CUlibraryHostUniversalFunctionAndDataTable_st, dataTable)
        - 16usize];
    [
        "Offset of field: CUlibraryHostUniversalFunctionAndDataTable_st::dataWindowSize",
    ][::core::mem::offset_of!(
        CUlibraryHostUniversalFunctionAndDataTable_st, dataWindowSize
    ) - 24usize];
};
impl Default for CUlibraryHostUniversalFunctionAndDataTable_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUlibraryHostUniversalFunctionAndDataTable = CUlibraryHostUniversalFunctionAndDataTable_st;
impl CUresult {
    pub const CUDA_SUCCESS: CUresult = CUresult(0);
    pub const CUDA_ERROR_INVALID_VALUE: CUresult = CUresult(1);
    pub const CUDA_ERROR_OUT_OF_MEMORY: CUresult = CUresult(2);
    pub const CUDA_ERROR_NOT_INITIALIZED: CUresult = CUresult(3);
    pub const CUDA_ERROR_DEINITIALIZED: CUresult = CUresult(4);
    pub const CUDA_ERROR_PROFILER_DISABLED: CUresult = CUresult(5);
    pub const CUDA_ERROR_PROFILER_NOT_INITIALIZED: CUresult = CUresult(6);
    pub const CUDA_ERROR_PROFILER_ALREADY_STARTED: CUresult = CUresult(7);
    pub const CUDA_ERROR_PROFILER_ALREADY_STOPPED: CUresult = CUresult(8);
    pub const CUDA_ERROR_STUB_LIBRARY: CUresult = CUresult(34);
    pub const CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER: CUresult = CUresult(36);
    pub const CUDA_ERROR_DEVICE_UNAVAILABLE: CUresult = CUresult(46);
    pub const CUDA_ERROR_MULTICAST_RESOURCE_FULL: CUresult = CUresult(47);
    pub const CUDA_ERROR_NO_DEVICE: CUresult = CUresult(100);
    pub const CUDA_ERROR_INVALID_DEVICE: CUresult = CUresult(101);
    pub const CUDA_ERROR_DEVICE_NOT_LICENSED: CUresult = CUresult(102);
    pub const CUDA_ERROR_INVALID_IMAGE: CUresult = CUresult(200);
    pub const CUDA_ERROR_INVALID_CONTEXT: CUresult = CUresult(201);
    pub const CUDA_ERROR_CONTEXT_ALREADY_CURRENT: CUresult = CUresult(202);
    pub const CUDA_ERROR_MAP_FAILED: CUresult = CUresult(205);
    pub const CUDA_ERROR_UNMAP_FAILED: CUresult = CUresult(206);
    pub const CUDA_ERROR_ARRAY_IS_MAPPED: CUresult = CUresult(207);
    pub const CUDA_ERROR_ALREADY_MAPPED: CUresult = CUresult(208);
    pub const CUDA_ERROR_NO_BINARY_FOR_GPU: CUresult = CUresult(209);
    pub const CUDA_ERROR_ALREADY_ACQUIRED: CUresult = CUresult(210);
    pub const CUDA_ERROR_NOT_MAPPED: CUresult = CUresult(211);
    pub const CUDA_ERROR_NOT_MAPPED_AS_ARRAY: CUresult = CUresult(212);
    pub const CUDA_ERROR_NOT_MAPPED_AS_POINTER: CUresult = CUresult(213);
    pub const CUDA_ERROR_ECC_UNCORRECTABLE: CUresult = CUresult(214);
    pub const CUDA_ERROR_UNSUPPORTED_LIMIT: CUresult = CUresult(215);
    pub const CUDA_ERROR_CONTEXT_ALREADY_IN_USE: CUresult = CUresult(216);
    pub const CUDA_ERROR_PEER_ACCESS_UNSUPPORTED: CUresult = CUresult(217);
    pub const CUDA_ERROR_INVALID_PTX: CUresult = CUresult(218);
    pub const CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: CUresult = CUresult(219);
    pub const CUDA_ERROR_NVLINK_UNCORRECTABLE: CUresult = CUresult(220);
    pub const CUDA_ERROR_JIT_COMPILER_NOT_FOUND: CUresult = CUresult(221);
    pub const CUDA_ERROR_UNSUPPORTED_PTX_VERSION: CUresult = CUresult(222);
    pub const CUDA_ERROR_JIT_COMPILATION_DISABLED: CUresult = CUresult(223);
    pub const CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY: CUresult = CUresult(224);
    pub const CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC: CUresult = CUresult(225);
    pub const CUDA_ERROR_CONTAINED: CUresult = CUresult(226);
    pub const CUDA_ERROR_INSUFFICIENT_LOADER_VERSION: CUresult = CUresult(227);
    pub const CUDA_ERROR_INVALID_SOURCE: CUresult = CUresult(300);
    pub const CUDA_ERROR_FILE_NOT_FOUND: CUresult = CUresult(301);
    pub const CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: CUresult = CUresult(302);
    pub const CUDA_ERROR_SHARED_OBJECT_INIT_FAILED: CUresult = CUresult(303);
    pub const CUDA_ERROR_OPERATING_SYSTEM: CUresult = CUresult(304);
    pub const CUDA_ERROR_INVALID_HANDLE: CUresult = CUresult(400);
    pub const CUDA_ERROR_ILLEGAL_STATE: CUresult = CUresult(401);
    pub const CUDA_ERROR_LOSSY_QUERY: CUresult = CUresult(402);
    pub const CUDA_ERROR_NOT_FOUND: CUresult = CUresult(500);
    pub const CUDA_ERROR_NOT_READY: CUresult = CUresult(600);
    pub const CUDA_ERROR_ILLEGAL_ADDRESS: CUresult = CUresult(700);
    pub const CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: CUresult = CUresult(701);
    pub const CUDA_ERROR_LAUNCH_TIMEOUT: CUresult = CUresult(702);
    pub const CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING: CUresult = CUresult(703);
    pub const CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: CUresult = CUresult(704);
    pub const CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: CUresult = CUresult(705);
    pub const CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE: CUresult = CUresult(708);
    pub const CUDA_ERROR_CONTEXT_IS_DESTROYED: CUresult = CUresult(709);
    pub const CUDA_ERROR_ASSERT: CUresult = CUresult(710);
    pub const CUDA_ERROR_TOO_MANY_PEERS: CUresult = CUresult(711);
    pub const CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED: CUresult = CUresult(712);
    pub const CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED: CUresult = CUresult(713);
    pub const CUDA_ERROR_HARDWARE_STACK_ERROR: CUresult = CUresult(714);
    pub const CUDA_ERROR_ILLEGAL_INSTRUCTION: CUresult = CUresult(715);
    pub const CUDA_ERROR_MISALIGNED_ADDRESS: CUresult = CUresult(716);
    pub const CUDA_ERROR_INVALID_ADDRESS_SPACE: CUresult = CUresult(717);
    pub const CUDA_ERROR_INVALID_PC: CUresult = CUresult(718);
    pub const CUDA_ERROR_LAUNCH_FAILED: CUresult = CUresult(719);
    pub const CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: CUresult = CUresult(720);
    pub const CUDA_ERROR_TENSOR_MEMORY_LEAK: CUresult = CUresult(721);
    pub const CUDA_ERROR_NOT_PERMITTED: CUresult = CUresult(800);
    pub const CUDA_ERROR_NOT_SUPPORTED: CUresult = CUresult(801);
    pub const CUDA_ERROR_SYSTEM_NOT_READY: CUresult = CUresult(802);
    pub const CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: CUresult = CUresult(803);
    pub const CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: CUresult = CUresult(804);
    pub const CUDA_ERROR_MPS_CONNECTION_FAILED: CUresult = CUresult(805);
    pub const CUDA_ERROR_MPS_RPC_FAILURE: CUresult = CUresult(806);
    pub const CUDA_ERROR_MPS_SERVER_NOT_READY: CUresult = CUresult(807);
    pub const CUDA_ERROR_MPS_MAX_CLIENTS_REACHED: CUresult = CUresult(808);
    pub const CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED: CUresult = CUresult(809);
    pub const CUDA_ERROR_MPS_CLIENT_TERMINATED: CUresult = CUresult(810);
    pub const CUDA_ERROR_CDP_NOT_SUPPORTED: CUresult = CUresult(811);
    pub const CUDA_ERROR_CDP_VERSION_MISMATCH: CUresult = CUresult(812);
    pub const CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: CUresult = CUresult(900);
    pub const CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: CUresult = CUresult(901);
    pub const CUDA_ERROR_STREAM_CAPTURE_MERGE: CUresult = CUresult(902);
    pub const CUDA_ERROR_STREAM_CAPTURE_UNMATCHED: CUresult = CUresult(903);
    pub const CUDA_ERROR_STREAM_CAPTURE_UNJOINED: CUresult = CUresult(904);
    pub const CUDA_ERROR_STREAM_CAPTURE_ISOLATION: CUresult = CUresult(905);
    pub const CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: CUresult = CUresult(906);
    pub const CUDA_ERROR_CAPTURED_EVENT: CUresult = CUresult(907);
    pub const CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: CUresult = CUresult(908);
    pub const CUDA_ERROR_TIMEOUT: CUresult = CUresult(909);
    pub const CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE: CUresult = CUresult(910);
    pub const CUDA_ERROR_EXTERNAL_DEVICE: CUresult = CUresult(911);
    pub const CUDA_ERROR_INVALID_CLUSTER_SIZE: CUresult = CUresult(912);
    pub const CUDA_ERROR_FUNCTION_NOT_LOADED: CUresult = CUresult(913);
    pub const CUDA_ERROR_INVALID_RESOURCE_TYPE: CUresult = CUresult(914);
    pub const CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION: CUresult = CUresult(915);
    pub const CUDA_ERROR_KEY_ROTATION: CUresult = CUresult(916);
    pub const CUDA_ERROR_STREAM_DETACHED: CUresult = CUresult(917);
    pub const CUDA_ERROR_GRAPH_RECAPTURE_FAILURE: CUresult = CUresult(918);
    pub const CUDA_ERROR_FABRIC_NOT_READY: CUresult = CUresult(919);
    pub const CUDA_ERROR_UNKNOWN: CUresult = CUresult(999);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUresult(pub ::core::ffi::c_uint);
impl CUdevice_P2PAttribute {
    pub const CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        1,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        2,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        3,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        4,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        4,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        5,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevice_P2PAttribute(pub ::core::ffi::c_uint);
pub type CUstreamCallback = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        status: CUresult,
        userData: *mut ::core::ffi::c_void,
    ),
>;
pub type CUoccupancyB2DSize = ::core::option::Option<
    unsafe extern "C" fn(blockSize: ::core::ffi::c_int) -> usize,
>;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMCPY2D_st {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const ::core::ffi::c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub srcPitch: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut ::core::ffi::c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub dstPitch: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUDA_MEMCPY2D_st"][::core::mem::size_of::<CUDA_MEMCPY2D_st>() - 128usize];
    [
        "Alignment of CUDA_MEMCPY2D_st",
    ][::core::mem::align_of::<CUDA_MEMCPY2D_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::srcXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, srcXInBytes) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::srcY",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, srcY) - 8usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::srcMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, srcMemoryType) - 16usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::srcHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, srcHost) - 24usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::srcDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, srcDevice) - 32usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::srcArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, srcArray) - 40usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::srcPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, srcPitch) - 48usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::dstXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, dstXInBytes) - 56usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::dstY",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, dstY) - 64usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::dstMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, dstMemoryType) - 72usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::dstHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, dstHost) - 80usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::dstDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, dstDevice) - 88usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::dstArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, dstArray) - 96usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::dstPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, dstPitch) - 104usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::WidthInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, WidthInBytes) - 112usize];
    [
        "Offset of field: CUDA_MEMCPY2D_st::Height",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_st, Height) - 120usize];
};
impl Default for CUDA_MEMCPY2D_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY2D_v2 = CUDA_MEMCPY2D_st;
pub type CUDA_MEMCPY2D = CUDA_MEMCPY2D_v2;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMCPY3D_st {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcZ: usize,
    pub srcLOD: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const ::core::ffi::c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub reserved0: *mut ::core::ffi::c_void,
    pub srcPitch: usize,
    pub srcHeight: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstZ: usize,
    pub dstLOD: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut ::core::ffi::c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub reserved1: *mut ::core::ffi::c_void,
    pub dstPitch: usize,
    pub dstHeight: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUDA_MEMCPY3D_st"][::core::mem::size_of::<CUDA_MEMCPY3D_st>() - 200usize];
    [
        "Alignment of CUDA_MEMCPY3D_st",
    ][::core::mem::align_of::<CUDA_MEMCPY3D_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcXInBytes) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcY",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcY) - 8usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcZ",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcZ) - 16usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcLOD",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcLOD) - 24usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcMemoryType) - 32usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcHost) - 40usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcDevice) - 48usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcArray) - 56usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::reserved0",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, reserved0) - 64usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcPitch) - 72usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::srcHeight",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, srcHeight) - 80usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstXInBytes) - 88usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstY",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstY) - 96usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstZ",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstZ) - 104usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstLOD",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstLOD) - 112usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstMemoryType) - 120usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstHost) - 128usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstDevice) - 136usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstArray) - 144usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::reserved1",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, reserved1) - 152usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstPitch) - 160usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::dstHeight",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, dstHeight) - 168usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::WidthInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, WidthInBytes) - 176usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::Height",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, Height) - 184usize];
    [
        "Offset of field: CUDA_MEMCPY3D_st::Depth",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_st, Depth) - 192usize];
};
impl Default for CUDA_MEMCPY3D_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY3D_v2 = CUDA_MEMCPY3D_st;
pub type CUDA_MEMCPY3D = CUDA_MEMCPY3D_v2;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMCPY3D_PEER_st {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcZ: usize,
    pub srcLOD: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const ::core::ffi::c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub srcContext: CUcontext,
    pub srcPitch: usize,
    pub srcHeight: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstZ: usize,
    pub dstLOD: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut ::core::ffi::c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub dstContext: CUcontext,
    pub dstPitch: usize,
    pub dstHeight: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMCPY3D_PEER_st",
    ][::core::mem::size_of::<CUDA_MEMCPY3D_PEER_st>() - 200usize];
    [
        "Alignment of CUDA_MEMCPY3D_PEER_st",
    ][::core::mem::align_of::<CUDA_MEMCPY3D_PEER_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcXInBytes) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcY",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcY) - 8usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcZ",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcZ) - 16usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcLOD",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcLOD) - 24usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcMemoryType) - 32usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcHost) - 40usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcDevice) - 48usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcArray) - 56usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcContext",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcContext) - 64usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcPitch) - 72usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::srcHeight",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, srcHeight) - 80usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstXInBytes) - 88usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstY",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstY) - 96usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstZ",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstZ) - 104usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstLOD",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstLOD) - 112usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstMemoryType) - 120usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstHost) - 128usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstDevice) - 136usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstArray) - 144usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstContext",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstContext) - 152usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstPitch) - 160usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::dstHeight",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, dstHeight) - 168usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::WidthInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, WidthInBytes) - 176usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::Height",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, Height) - 184usize];
    [
        "Offset of field: CUDA_MEMCPY3D_PEER_st::Depth",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_PEER_st, Depth) - 192usize];
};
impl Default for CUDA_MEMCPY3D_PEER_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY3D_PEER_v1 = CUDA_MEMCPY3D_PEER_st;
pub type CUDA_MEMCPY3D_PEER = CUDA_MEMCPY3D_PEER_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMCPY_NODE_PARAMS_st {
    pub flags: ::core::ffi::c_int,
    pub reserved: ::core::ffi::c_int,
    pub copyCtx: CUcontext,
    pub copyParams: CUDA_MEMCPY3D,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMCPY_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_MEMCPY_NODE_PARAMS_st>() - 216usize];
    [
        "Alignment of CUDA_MEMCPY_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_MEMCPY_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY_NODE_PARAMS_st::flags",
    ][::core::mem::offset_of!(CUDA_MEMCPY_NODE_PARAMS_st, flags) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY_NODE_PARAMS_st::reserved",
    ][::core::mem::offset_of!(CUDA_MEMCPY_NODE_PARAMS_st, reserved) - 4usize];
    [
        "Offset of field: CUDA_MEMCPY_NODE_PARAMS_st::copyCtx",
    ][::core::mem::offset_of!(CUDA_MEMCPY_NODE_PARAMS_st, copyCtx) - 8usize];
    [
        "Offset of field: CUDA_MEMCPY_NODE_PARAMS_st::copyParams",
    ][::core::mem::offset_of!(CUDA_MEMCPY_NODE_PARAMS_st, copyParams) - 16usize];
};
impl Default for CUDA_MEMCPY_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY_NODE_PARAMS = CUDA_MEMCPY_NODE_PARAMS_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_ARRAY_DESCRIPTOR_st {
    pub Width: usize,
    pub Height: usize,
    pub Format: CUarray_format,
    pub NumChannels: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_ARRAY_DESCRIPTOR_st",
    ][::core::mem::size_of::<CUDA_ARRAY_DESCRIPTOR_st>() - 24usize];
    [
        "Alignment of CUDA_ARRAY_DESCRIPTOR_st",
    ][::core::mem::align_of::<CUDA_ARRAY_DESCRIPTOR_st>() - 8usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_st::Width",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_st, Width) - 0usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_st::Height",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_st, Height) - 8usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_st::Format",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_st, Format) - 16usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_st::NumChannels",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_st, NumChannels) - 20usize];
};
impl Default for CUDA_ARRAY_DESCRIPTOR_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_ARRAY_DESCRIPTOR_v2 = CUDA_ARRAY_DESCRIPTOR_st;
pub type CUDA_ARRAY_DESCRIPTOR = CUDA_ARRAY_DESCRIPTOR_v2;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_ARRAY3D_DESCRIPTOR_st {
    pub Width: usize,
    pub Height: usize,
    pub Depth: usize,
    pub Format: CUarray_format,
    pub NumChannels: ::core::ffi::c_uint,
    pub Flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_ARRAY3D_DESCRIPTOR_st",
    ][::core::mem::size_of::<CUDA_ARRAY3D_DESCRIPTOR_st>() - 40usize];
    [
        "Alignment of CUDA_ARRAY3D_DESCRIPTOR_st",
    ][::core::mem::align_of::<CUDA_ARRAY3D_DESCRIPTOR_st>() - 8usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_st::Width",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_st, Width) - 0usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_st::Height",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_st, Height) - 8usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_st::Depth",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_st, Depth) - 16usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_st::Format",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_st, Format) - 24usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_st::NumChannels",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_st, NumChannels) - 28usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_st::Flags",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_st, Flags) - 32usize];
};
impl Default for CUDA_ARRAY3D_DESCRIPTOR_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_ARRAY3D_DESCRIPTOR_v2 = CUDA_ARRAY3D_DESCRIPTOR_st;
pub type CUDA_ARRAY3D_DESCRIPTOR = CUDA_ARRAY3D_DESCRIPTOR_v2;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_ARRAY_SPARSE_PROPERTIES_st {
    pub tileExtent: CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1,
    pub miptailFirstLevel: ::core::ffi::c_uint,
    pub miptailSize: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 4usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1 {
    pub width: ::core::ffi::c_uint,
    pub height: ::core::ffi::c_uint,
    pub depth: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1>() - 12usize];
    [
        "Alignment of CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1::width",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1, width)
        - 0usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1::height",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1, height)
        - 4usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1::depth",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1, depth)
        - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_ARRAY_SPARSE_PROPERTIES_st",
    ][::core::mem::size_of::<CUDA_ARRAY_SPARSE_PROPERTIES_st>() - 48usize];
    [
        "Alignment of CUDA_ARRAY_SPARSE_PROPERTIES_st",
    ][::core::mem::align_of::<CUDA_ARRAY_SPARSE_PROPERTIES_st>() - 8usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st::tileExtent",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st, tileExtent) - 0usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st::miptailFirstLevel",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st, miptailFirstLevel)
        - 12usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st::miptailSize",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st, miptailSize) - 16usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st::flags",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st, flags) - 24usize];
    [
        "Offset of field: CUDA_ARRAY_SPARSE_PROPERTIES_st::reserved",
    ][::core::mem::offset_of!(CUDA_ARRAY_SPARSE_PROPERTIES_st, reserved) - 28usize];
};
pub type CUDA_ARRAY_SPARSE_PROPERTIES_v1 = CUDA_ARRAY_SPARSE_PROPERTIES_st;
pub type CUDA_ARRAY_SPARSE_PROPERTIES = CUDA_ARRAY_SPARSE_PROPERTIES_v1;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st {
    pub size: usize,
    pub alignment: usize,
    pub reserved: [::core::ffi::c_uint; 4usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_ARRAY_MEMORY_REQUIREMENTS_st",
    ][::core::mem::size_of::<CUDA_ARRAY_MEMORY_REQUIREMENTS_st>() - 32usize];
    [
        "Alignment of CUDA_ARRAY_MEMORY_REQUIREMENTS_st",
    ][::core::mem::align_of::<CUDA_ARRAY_MEMORY_REQUIREMENTS_st>() - 8usize];
    [
        "Offset of field: CUDA_ARRAY_MEMORY_REQUIREMENTS_st::size",
    ][::core::mem::offset_of!(CUDA_ARRAY_MEMORY_REQUIREMENTS_st, size) - 0usize];
    [
        "Offset of field: CUDA_ARRAY_MEMORY_REQUIREMENTS_st::alignment",
    ][::core::mem::offset_of!(CUDA_ARRAY_MEMORY_REQUIREMENTS_st, alignment) - 8usize];
    [
        "Offset of field: CUDA_ARRAY_MEMORY_REQUIREMENTS_st::reserved",
    ][::core::mem::offset_of!(CUDA_ARRAY_MEMORY_REQUIREMENTS_st, reserved) - 16usize];
};
pub type CUDA_ARRAY_MEMORY_REQUIREMENTS_v1 = CUDA_ARRAY_MEMORY_REQUIREMENTS_st;
pub type CUDA_ARRAY_MEMORY_REQUIREMENTS = CUDA_ARRAY_MEMORY_REQUIREMENTS_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_RESOURCE_DESC_st {
    pub resType: CUresourcetype,
    pub res: CUDA_RESOURCE_DESC_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
    pub array: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2,
    pub linear: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4,
    pub reserved: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    pub hArray: CUarray,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1::hArray",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, hArray)
        - 0usize];
};
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    pub hMipmappedArray: CUmipmappedArray,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2>()
        - 8usize];
    [
        "Alignment of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2>()
        - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2::hMipmappedArray",
    ][::core::mem::offset_of!(
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2, hMipmappedArray
    ) - 0usize];
};
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    pub devPtr: CUdeviceptr,
    pub format: CUarray_format,
    pub numChannels: ::core::ffi::c_uint,
    pub sizeInBytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::size_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3>()
        - 24usize];
    [
        "Alignment of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::align_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3>()
        - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::devPtr",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, devPtr)
        - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::format",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, format)
        - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::numChannels",
    ][::core::mem::offset_of!(
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, numChannels
    ) - 12usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::sizeInBytes",
    ][::core::mem::offset_of!(
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, sizeInBytes
    ) - 16usize];
};
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    pub devPtr: CUdeviceptr,
    pub format: CUarray_format,
    pub numChannels: ::core::ffi::c_uint,
    pub width: usize,
    pub height: usize,
    pub pitchInBytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4",
    ][::core::mem::size_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4>()
        - 40usize];
    [
        "Alignment of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4",
    ][::core::mem::align_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4>()
        - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::devPtr",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, devPtr)
        - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::format",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, format)
        - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::numChannels",
    ][::core::mem::offset_of!(
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, numChannels
    ) - 12usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::width",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, width)
        - 16usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::height",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, height)
        - 24usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::pitchInBytes",
    ][::core::mem::offset_of!(
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, pitchInBytes
    ) - 32usize];
};
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 {
    pub reserved: [::core::ffi::c_int; 32usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5",
    ][::core::mem::size_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5>()
        - 128usize];
    [
        "Alignment of CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5",
    ][::core::mem::align_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5>()
        - 4usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5::reserved",
    ][::core::mem::offset_of!(
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5, reserved
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_DESC_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1>() - 128usize];
    [
        "Alignment of CUDA_RESOURCE_DESC_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_RESOURCE_DESC_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1::array",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1, array) - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1::mipmap",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1, mipmap) - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1::linear",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1, linear) - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1::pitch2D",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1, pitch2D) - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st__bindgen_ty_1, reserved) - 0usize];
};
impl Default for CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_DESC_st",
    ][::core::mem::size_of::<CUDA_RESOURCE_DESC_st>() - 144usize];
    [
        "Alignment of CUDA_RESOURCE_DESC_st",
    ][::core::mem::align_of::<CUDA_RESOURCE_DESC_st>() - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st::resType",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st, resType) - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st::res",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st, res) - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_DESC_st::flags",
    ][::core::mem::offset_of!(CUDA_RESOURCE_DESC_st, flags) - 136usize];
};
impl Default for CUDA_RESOURCE_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_RESOURCE_DESC_v1 = CUDA_RESOURCE_DESC_st;
pub type CUDA_RESOURCE_DESC = CUDA_RESOURCE_DESC_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq)]
pub struct CUDA_TEXTURE_DESC_st {
    pub addressMode: [CUaddress_mode; 3usize],
    pub filterMode: CUfilter_mode,
    pub flags: ::core::ffi::c_uint,
    pub maxAnisotropy: ::core::ffi::c_uint,
    pub mipmapFilterMode: CUfilter_mode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub borderColor: [f32; 4usize],
    pub reserved: [::core::ffi::c_int; 12usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_TEXTURE_DESC_st",
    ][::core::mem::size_of::<CUDA_TEXTURE_DESC_st>() - 104usize];
    [
        "Alignment of CUDA_TEXTURE_DESC_st",
    ][::core::mem::align_of::<CUDA_TEXTURE_DESC_st>() - 4usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::addressMode",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, addressMode) - 0usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::filterMode",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, filterMode) - 12usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::flags",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, flags) - 16usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::maxAnisotropy",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, maxAnisotropy) - 20usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::mipmapFilterMode",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, mipmapFilterMode) - 24usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::mipmapLevelBias",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, mipmapLevelBias) - 28usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::minMipmapLevelClamp",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, minMipmapLevelClamp) - 32usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::maxMipmapLevelClamp",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, maxMipmapLevelClamp) - 36usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::borderColor",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, borderColor) - 40usize];
    [
        "Offset of field: CUDA_TEXTURE_DESC_st::reserved",
    ][::core::mem::offset_of!(CUDA_TEXTURE_DESC_st, reserved) - 56usize];
};
impl Default for CUDA_TEXTURE_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_TEXTURE_DESC_v1 = CUDA_TEXTURE_DESC_st;
pub type CUDA_TEXTURE_DESC = CUDA_TEXTURE_DESC_v1;
impl CUresourceViewFormat {
    pub const CU_RES_VIEW_FORMAT_NONE: CUresourceViewFormat = CUresourceViewFormat(0);
    pub const CU_RES_VIEW_FORMAT_UINT_1X8: CUresourceViewFormat = CUresourceViewFormat(
        1,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_2X8: CUresourceViewFormat = CUresourceViewFormat(
        2,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_4X8: CUresourceViewFormat = CUresourceViewFormat(
        3,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_1X8: CUresourceViewFormat = CUresourceViewFormat(
        4,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_2X8: CUresourceViewFormat = CUresourceViewFormat(
        5,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_4X8: CUresourceViewFormat = CUresourceViewFormat(
        6,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_1X16: CUresourceViewFormat = CUresourceViewFormat(
        7,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_2X16: CUresourceViewFormat = CUresourceViewFormat(
        8,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_4X16: CUresourceViewFormat = CUresourceViewFormat(
        9,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_1X16: CUresourceViewFormat = CUresourceViewFormat(
        10,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_2X16: CUresourceViewFormat = CUresourceViewFormat(
        11,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_4X16: CUresourceViewFormat = CUresourceViewFormat(
        12,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_1X32: CUresourceViewFormat = CUresourceViewFormat(
        13,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_2X32: CUresourceViewFormat = CUresourceViewFormat(
        14,
    );
    pub const CU_RES_VIEW_FORMAT_UINT_4X32: CUresourceViewFormat = CUresourceViewFormat(
        15,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_1X32: CUresourceViewFormat = CUresourceViewFormat(
        16,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_2X32: CUresourceViewFormat = CUresourceViewFormat(
        17,
    );
    pub const CU_RES_VIEW_FORMAT_SINT_4X32: CUresourceViewFormat = CUresourceViewFormat(
        18,
    );
    pub const CU_RES_VIEW_FORMAT_FLOAT_1X16: CUresourceViewFormat = CUresourceViewFormat(
        19,
    );
    pub const CU_RES_VIEW_FORMAT_FLOAT_2X16: CUresourceViewFormat = CUresourceViewFormat(
        20,
    );
    pub const CU_RES_VIEW_FORMAT_FLOAT_4X16: CUresourceViewFormat = CUresourceViewFormat(
        21,
    );
    pub const CU_RES_VIEW_FORMAT_FLOAT_1X32: CUresourceViewFormat = CUresourceViewFormat(
        22,
    );
    pub const CU_RES_VIEW_FORMAT_FLOAT_2X32: CUresourceViewFormat = CUresourceViewFormat(
        23,
    );
    pub const CU_RES_VIEW_FORMAT_FLOAT_4X32: CUresourceViewFormat = CUresourceViewFormat(
        24,
    );
    pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC1: CUresourceViewFormat = CUresourceViewFormat(
        25,
    );
    pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC2: CUresourceViewFormat = CUresourceViewFormat(
        26,
    );
    pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC3: CUresourceViewFormat = CUresourceViewFormat(
        27,
    );
    pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC4: CUresourceViewFormat = CUresourceViewFormat(
        28,
    );
    pub const CU_RES_VIEW_FORMAT_SIGNED_BC4: CUresourceViewFormat = CUresourceViewFormat(
        29,
    );
    pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC5: CUresourceViewFormat = CUresourceViewFormat(
        30,
    );
    pub const CU_RES_VIEW_FORMAT_SIGNED_BC5: CUresourceViewFormat = CUresourceViewFormat(
        31,
    );
    pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC6H: CUresourceViewFormat = CUresourceViewFormat(
        32,
    );
    pub const CU_RES_VIEW_FORMAT_SIGNED_BC6H: CUresourceViewFormat = CUresourceViewFormat(
        33,
    );
    pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC7: CUresourceViewFormat = CUresourceViewFormat(
        34,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUresourceViewFormat(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_RESOURCE_VIEW_DESC_st {
    pub format: CUresourceViewFormat,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: ::core::ffi::c_uint,
    pub lastMipmapLevel: ::core::ffi::c_uint,
    pub firstLayer: ::core::ffi::c_uint,
    pub lastLayer: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_RESOURCE_VIEW_DESC_st",
    ][::core::mem::size_of::<CUDA_RESOURCE_VIEW_DESC_st>() - 112usize];
    [
        "Alignment of CUDA_RESOURCE_VIEW_DESC_st",
    ][::core::mem::align_of::<CUDA_RESOURCE_VIEW_DESC_st>() - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::format",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, format) - 0usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::width",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, width) - 8usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::height",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, height) - 16usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::depth",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, depth) - 24usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::firstMipmapLevel",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, firstMipmapLevel) - 32usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::lastMipmapLevel",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, lastMipmapLevel) - 36usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::firstLayer",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, firstLayer) - 40usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::lastLayer",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, lastLayer) - 44usize];
    [
        "Offset of field: CUDA_RESOURCE_VIEW_DESC_st::reserved",
    ][::core::mem::offset_of!(CUDA_RESOURCE_VIEW_DESC_st, reserved) - 48usize];
};
impl Default for CUDA_RESOURCE_VIEW_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_RESOURCE_VIEW_DESC_v1 = CUDA_RESOURCE_VIEW_DESC_st;
pub type CUDA_RESOURCE_VIEW_DESC = CUDA_RESOURCE_VIEW_DESC_v1;
#[repr(C)]
#[repr(align(128))]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMap_st {
    pub opaque: [cuuint64_t; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUtensorMap_st"][::core::mem::size_of::<CUtensorMap_st>() - 128usize];
    [
        "Alignment of CUtensorMap_st",
    ][::core::mem::align_of::<CUtensorMap_st>() - 128usize];
    [
        "Offset of field: CUtensorMap_st::opaque",
    ][::core::mem::offset_of!(CUtensorMap_st, opaque) - 0usize];
};
impl Default for CUtensorMap_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUtensorMap = CUtensorMap_st;
impl CUtensorMapDataType {
    pub const CU_TENSOR_MAP_DATA_TYPE_UINT8: CUtensorMapDataType = CUtensorMapDataType(
        0,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_UINT16: CUtensorMapDataType = CUtensorMapDataType(
        1,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_UINT32: CUtensorMapDataType = CUtensorMapDataType(
        2,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_INT32: CUtensorMapDataType = CUtensorMapDataType(
        3,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_UINT64: CUtensorMapDataType = CUtensorMapDataType(
        4,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_INT64: CUtensorMapDataType = CUtensorMapDataType(
        5,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_FLOAT16: CUtensorMapDataType = CUtensorMapDataType(
        6,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_FLOAT32: CUtensorMapDataType = CUtensorMapDataType(
        7,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_FLOAT64: CUtensorMapDataType = CUtensorMapDataType(
        8,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: CUtensorMapDataType = CUtensorMapDataType(
        9,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ: CUtensorMapDataType = CUtensorMapDataType(
        10,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_TFLOAT32: CUtensorMapDataType = CUtensorMapDataType(
        11,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: CUtensorMapDataType = CUtensorMapDataType(
        12,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B: CUtensorMapDataType = CUtensorMapDataType(
        13,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B: CUtensorMapDataType = CUtensorMapDataType(
        14,
    );
    pub const CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B: CUtensorMapDataType = CUtensorMapDataType(
        15,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMapDataType(pub ::core::ffi::c_uint);
impl CUtensorMapInterleave {
    pub const CU_TENSOR_MAP_INTERLEAVE_NONE: CUtensorMapInterleave = CUtensorMapInterleave(
        0,
    );
    pub const CU_TENSOR_MAP_INTERLEAVE_16B: CUtensorMapInterleave = CUtensorMapInterleave(
        1,
    );
    pub const CU_TENSOR_MAP_INTERLEAVE_32B: CUtensorMapInterleave = CUtensorMapInterleave(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMapInterleave(pub ::core::ffi::c_uint);
impl CUtensorMapSwizzle {
    pub const CU_TENSOR_MAP_SWIZZLE_NONE: CUtensorMapSwizzle = CUtensorMapSwizzle(0);
    pub const CU_TENSOR_MAP_SWIZZLE_32B: CUtensorMapSwizzle = CUtensorMapSwizzle(1);
    pub const CU_TENSOR_MAP_SWIZZLE_64B: CUtensorMapSwizzle = CUtensorMapSwizzle(2);
    pub const CU_TENSOR_MAP_SWIZZLE_128B: CUtensorMapSwizzle = CUtensorMapSwizzle(3);
    pub const CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B: CUtensorMapSwizzle = CUtensorMapSwizzle(
        4,
    );
    pub const CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B: CUtensorMapSwizzle = CUtensorMapSwizzle(
        5,
    );
    pub const CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B: CUtensorMapSwizzle = CUtensorMapSwizzle(
        6,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMapSwizzle(pub ::core::ffi::c_uint);
impl CUtensorMapL2promotion {
    pub const CU_TENSOR_MAP_L2_PROMOTION_NONE: CUtensorMapL2promotion = CUtensorMapL2promotion(
        0,
    );
    pub const CU_TENSOR_MAP_L2_PROMOTION_L2_64B: CUtensorMapL2promotion = CUtensorMapL2promotion(
        1,
    );
    pub const CU_TENSOR_MAP_L2_PROMOTION_L2_128B: CUtensorMapL2promotion = CUtensorMapL2promotion(
        2,
    );
    pub const CU_TENSOR_MAP_L2_PROMOTION_L2_256B: CUtensorMapL2promotion = CUtensorMapL2promotion(
        3,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMapL2promotion(pub ::core::ffi::c_uint);
impl CUtensorMapFloatOOBfill {
    pub const CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE: CUtensorMapFloatOOBfill = CUtensorMapFloatOOBfill(
        0,
    );
    pub const CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA: CUtensorMapFloatOOBfill = CUtensorMapFloatOOBfill(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMapFloatOOBfill(pub ::core::ffi::c_uint);
impl CUtensorMapIm2ColWideMode {
    pub const CU_TENSOR_MAP_IM2COL_WIDE_MODE_W: CUtensorMapIm2ColWideMode = CUtensorMapIm2ColWideMode(
        0,
    );
    pub const CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128: CUtensorMapIm2ColWideMode = CUtensorMapIm2ColWideMode(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMapIm2ColWideMode(pub ::core::ffi::c_uint);
impl CUtensorMapAllocClass {
    pub const CU_TENSOR_MAP_ALLOC_CLASS_AUTO: CUtensorMapAllocClass = CUtensorMapAllocClass(
        0,
    );
    pub const CU_TENSOR_MAP_ALLOC_CLASS_SMALL: CUtensorMapAllocClass = CUtensorMapAllocClass(
        1,
    );
    pub const CU_TENSOR_MAP_ALLOC_CLASS_LARGE: CUtensorMapAllocClass = CUtensorMapAllocClass(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUtensorMapAllocClass(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st {
    pub p2pToken: ::core::ffi::c_ulonglong,
    pub vaSpaceToken: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st",
    ][::core::mem::size_of::<CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st>() - 16usize];
    [
        "Alignment of CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st",
    ][::core::mem::align_of::<CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st>() - 8usize];
    [
        "Offset of field: CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st::p2pToken",
    ][::core::mem::offset_of!(CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st, p2pToken) - 0usize];
    [
        "Offset of field: CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st::vaSpaceToken",
    ][::core::mem::offset_of!(CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st, vaSpaceToken)
        - 8usize];
};
pub type CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1 = CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st;
pub type CUDA_POINTER_ATTRIBUTE_P2P_TOKENS = CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1;
impl CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS {
    pub const CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE: CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS = CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS(
        0,
    );
    pub const CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ: CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS = CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS(
        1,
    );
    pub const CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE: CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS = CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS(
        3,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_LAUNCH_PARAMS_st {
    pub function: CUfunction,
    pub gridDimX: ::core::ffi::c_uint,
    pub gridDimY: ::core::ffi::c_uint,
    pub gridDimZ: ::core::ffi::c_uint,
    pub blockDimX: ::core::ffi::c_uint,
    pub blockDimY: ::core::ffi::c_uint,
    pub blockDimZ: ::core::ffi::c_uint,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub hStream: CUstream,
    pub kernelParams: *mut *mut ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_LAUNCH_PARAMS_st",
    ][::core::mem::size_of::<CUDA_LAUNCH_PARAMS_st>() - 56usize];
    [
        "Alignment of CUDA_LAUNCH_PARAMS_st",
    ][::core::mem::align_of::<CUDA_LAUNCH_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::function",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, function) - 0usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::gridDimX",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, gridDimX) - 8usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::gridDimY",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, gridDimY) - 12usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::gridDimZ",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, gridDimZ) - 16usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::blockDimX",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, blockDimX) - 20usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::blockDimY",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, blockDimY) - 24usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::blockDimZ",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, blockDimZ) - 28usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::sharedMemBytes",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, sharedMemBytes) - 32usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::hStream",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, hStream) - 40usize];
    [
        "Offset of field: CUDA_LAUNCH_PARAMS_st::kernelParams",
    ][::core::mem::offset_of!(CUDA_LAUNCH_PARAMS_st, kernelParams) - 48usize];
};
impl Default for CUDA_LAUNCH_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_LAUNCH_PARAMS_v1 = CUDA_LAUNCH_PARAMS_st;
pub type CUDA_LAUNCH_PARAMS = CUDA_LAUNCH_PARAMS_v1;
impl CUexternalMemoryHandleType {
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        1,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        2,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        3,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        4,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        5,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        6,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        7,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        8,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        9,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexternalMemoryHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
    pub type_: CUexternalMemoryHandleType,
    pub handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1,
    pub size: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1 {
    pub fd: ::core::ffi::c_int,
    pub win32: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciBufObject: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    pub handle: *mut ::core::ffi::c_void,
    pub name: *const ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    >() - 16usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1::handle",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, handle
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1::name",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, name
    ) - 8usize];
};
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1>()
        - 16usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1::fd",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, fd)
        - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1::win32",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, win32)
        - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1::nvSciBufObject",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, nvSciBufObject
    ) - 0usize];
};
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st",
    ][::core::mem::size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st>() - 104usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st",
    ][::core::mem::align_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st>() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st::type_",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st, type_) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st::handle",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st, handle) - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st::size",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st, size) - 24usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st::flags",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st, flags) - 32usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st::reserved",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st, reserved) - 36usize];
};
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1 = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st;
pub type CUDA_EXTERNAL_MEMORY_HANDLE_DESC = CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
    pub offset: ::core::ffi::c_ulonglong,
    pub size: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st",
    ][::core::mem::size_of::<CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st>() - 88usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st",
    ][::core::mem::align_of::<CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st>() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st::offset",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st, offset) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st::size",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st, size) - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st::flags",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st, flags) - 16usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st::reserved",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st, reserved) - 20usize];
};
pub type CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1 = CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st;
pub type CUDA_EXTERNAL_MEMORY_BUFFER_DESC = CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
    pub offset: ::core::ffi::c_ulonglong,
    pub arrayDesc: CUDA_ARRAY3D_DESCRIPTOR,
    pub numLevels: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st",
    ][::core::mem::size_of::<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st>() - 120usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st",
    ][::core::mem::align_of::<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st>() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st::offset",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st, offset)
        - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st::arrayDesc",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st, arrayDesc)
        - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st::numLevels",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st, numLevels)
        - 48usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st::reserved",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st, reserved)
        - 52usize];
};
impl Default for CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1 = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st;
pub type CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1;
impl CUexternalSemaphoreHandleType {
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        1,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        2,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        3,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        4,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        5,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        6,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        7,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        8,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        9,
    );
    pub const CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32: CUexternalSemaphoreHandleType = CUexternalSemaphoreHandleType(
        10,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexternalSemaphoreHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
    pub type_: CUexternalSemaphoreHandleType,
    pub handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1 {
    pub fd: ::core::ffi::c_int,
    pub win32: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciSyncObj: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    pub handle: *mut ::core::ffi::c_void,
    pub name: *const ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    >() - 16usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1::handle",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, handle
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1::name",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, name
    ) - 8usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1>()
        - 16usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1::fd",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1, fd)
        - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1::win32",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1, win32
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1::nvSciSyncObj",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1, nvSciSyncObj
    ) - 0usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st",
    ][::core::mem::size_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st>() - 96usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st",
    ][::core::mem::align_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st>() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st::type_",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st, type_) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st::handle",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st, handle) - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st::flags",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st, flags) - 24usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st::reserved",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st, reserved)
        - 28usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1 = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st;
pub type CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
    pub params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1 {
    pub fence: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3,
    pub reserved: [::core::ffi::c_uint; 12usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1 {
    pub value: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1, value
    ) - 0usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2 {
    pub fence: *mut ::core::ffi::c_void,
    pub reserved: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2::fence",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2, fence
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2::reserved",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2, reserved
    ) - 0usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3 {
    pub key: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3,
    >() - 8usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3::key",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3, key
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1>()
        - 72usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1::fence",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1, fence
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1::nvSciSync",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1, nvSciSync
    ) - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1::keyedMutex",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1, keyedMutex
    ) - 16usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1, reserved
    ) - 24usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st",
    ][::core::mem::size_of::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st>() - 144usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st",
    ][::core::mem::align_of::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st::params",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st, params)
        - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st::flags",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st, flags)
        - 72usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st::reserved",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st, reserved)
        - 76usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st;
pub type CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
    pub params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1 {
    pub fence: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciSync: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
    pub keyedMutex: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3,
    pub reserved: [::core::ffi::c_uint; 10usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1 {
    pub value: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1, value
    ) - 0usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2 {
    pub fence: *mut ::core::ffi::c_void,
    pub reserved: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2::fence",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2, fence
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2::reserved",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2, reserved
    ) - 0usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3 {
    pub key: ::core::ffi::c_ulonglong,
    pub timeoutMs: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3,
    >() - 16usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3::key",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3, key
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3::timeoutMs",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3, timeoutMs
    ) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1>()
        - 72usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1::fence",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1, fence
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1::nvSciSync",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1, nvSciSync
    ) - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1::keyedMutex",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1, keyedMutex
    ) - 16usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1, reserved
    ) - 32usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st",
    ][::core::mem::size_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st>() - 144usize];
    [
        "Alignment of CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st",
    ][::core::mem::align_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st::params",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st, params) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st::flags",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st, flags) - 72usize];
    [
        "Offset of field: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st::reserved",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st, reserved)
        - 76usize];
};
impl Default for CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st;
pub type CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st {
    pub extSemArray: *mut CUexternalSemaphore,
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    pub numExtSems: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st>() - 24usize];
    [
        "Alignment of CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st::extSemArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st, extSemArray) - 0usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st::paramsArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st, paramsArray) - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st::numExtSems",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st, numExtSems) - 16usize];
};
impl Default for CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1 = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st;
pub type CUDA_EXT_SEM_SIGNAL_NODE_PARAMS = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st {
    pub extSemArray: *mut CUexternalSemaphore,
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
    pub numExtSems: ::core::ffi::c_uint,
    pub __bindgen_anon_1: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1::ctx",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1, ctx)
        - 0usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1::gCtx",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1, gCtx)
        - 0usize];
};
impl Default for CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st",
    ][::core::mem::size_of::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st>() - 32usize];
    [
        "Alignment of CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st",
    ][::core::mem::align_of::<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st>() - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st::extSemArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st, extSemArray)
        - 0usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st::paramsArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st, paramsArray)
        - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st::numExtSems",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st, numExtSems)
        - 16usize];
};
impl Default for CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 = CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_st {
    pub extSemArray: *mut CUexternalSemaphore,
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    pub numExtSems: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXT_SEM_WAIT_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_EXT_SEM_WAIT_NODE_PARAMS_st>() - 24usize];
    [
        "Alignment of CUDA_EXT_SEM_WAIT_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_EXT_SEM_WAIT_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_st::extSemArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_st, extSemArray) - 0usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_st::paramsArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_st, paramsArray) - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_st::numExtSems",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_st, numExtSems) - 16usize];
};
impl Default for CUDA_EXT_SEM_WAIT_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1 = CUDA_EXT_SEM_WAIT_NODE_PARAMS_st;
pub type CUDA_EXT_SEM_WAIT_NODE_PARAMS = CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st {
    pub extSemArray: *mut CUexternalSemaphore,
    pub paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
    pub numExtSems: ::core::ffi::c_uint,
    pub __bindgen_anon_1: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1::ctx",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1, ctx)
        - 0usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1::gCtx",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1, gCtx)
        - 0usize];
};
impl Default for CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st",
    ][::core::mem::size_of::<CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st>() - 32usize];
    [
        "Alignment of CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st",
    ][::core::mem::align_of::<CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st>() - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st::extSemArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st, extSemArray)
        - 0usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st::paramsArray",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st, paramsArray)
        - 8usize];
    [
        "Offset of field: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st::numExtSems",
    ][::core::mem::offset_of!(CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st, numExtSems)
        - 16usize];
};
impl Default for CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 = CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st;
pub type CUmemGenericAllocationHandle_v1 = ::core::ffi::c_ulonglong;
pub type CUmemGenericAllocationHandle = CUmemGenericAllocationHandle_v1;
impl CUmemAllocationHandleType {
    pub const CU_MEM_HANDLE_TYPE_NONE: CUmemAllocationHandleType = CUmemAllocationHandleType(
        0,
    );
    pub const CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType(
        1,
    );
    pub const CU_MEM_HANDLE_TYPE_WIN32: CUmemAllocationHandleType = CUmemAllocationHandleType(
        2,
    );
    pub const CU_MEM_HANDLE_TYPE_WIN32_KMT: CUmemAllocationHandleType = CUmemAllocationHandleType(
        4,
    );
    pub const CU_MEM_HANDLE_TYPE_FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType(
        8,
    );
    pub const CU_MEM_HANDLE_TYPE_MAX: CUmemAllocationHandleType = CUmemAllocationHandleType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationHandleType(pub ::core::ffi::c_uint);
impl CUmemAccess_flags {
    pub const CU_MEM_ACCESS_FLAGS_PROT_NONE: CUmemAccess_flags = CUmemAccess_flags(0);
    pub const CU_MEM_ACCESS_FLAGS_PROT_READ: CUmemAccess_flags = CUmemAccess_flags(1);
    pub const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: CUmemAccess_flags = CUmemAccess_flags(
        3,
    );
    pub const CU_MEM_ACCESS_FLAGS_PROT_MAX: CUmemAccess_flags = CUmemAccess_flags(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAccess_flags(pub ::core::ffi::c_uint);
impl CUmemLocationType {
    pub const CU_MEM_LOCATION_TYPE_INVALID: CUmemLocationType = CUmemLocationType(0);
    pub const CU_MEM_LOCATION_TYPE_NONE: CUmemLocationType = CUmemLocationType(0);
    pub const CU_MEM_LOCATION_TYPE_DEVICE: CUmemLocationType = CUmemLocationType(1);
    pub const CU_MEM_LOCATION_TYPE_HOST: CUmemLocationType = CUmemLocationType(2);
    pub const CU_MEM_LOCATION_TYPE_HOST_NUMA: CUmemLocationType = CUmemLocationType(3);
    pub const CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: CUmemLocationType = CUmemLocationType(
        4,
    );
    pub const CU_MEM_LOCATION_TYPE_INVISIBLE: CUmemLocationType = CUmemLocationType(5);
    pub const CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN: CUmemLocationType = CUmemLocationType(
        6,
    );
    pub const CU_MEM_LOCATION_TYPE_MAX: CUmemLocationType = CUmemLocationType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemLocationType(pub ::core::ffi::c_uint);
impl CUmemAllocationType {
    pub const CU_MEM_ALLOCATION_TYPE_INVALID: CUmemAllocationType = CUmemAllocationType(
        0,
    );
    pub const CU_MEM_ALLOCATION_TYPE_PINNED: CUmemAllocationType = CUmemAllocationType(
        1,
    );
    pub const CU_MEM_ALLOCATION_TYPE_MANAGED: CUmemAllocationType = CUmemAllocationType(
        2,
    );
    pub const CU_MEM_ALLOCATION_TYPE_MAX: CUmemAllocationType = CUmemAllocationType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationType(pub ::core::ffi::c_uint);
impl CUmemAllocationGranularity_flags {
    pub const CU_MEM_ALLOC_GRANULARITY_MINIMUM: CUmemAllocationGranularity_flags = CUmemAllocationGranularity_flags(
        0,
    );
    pub const CU_MEM_ALLOC_GRANULARITY_RECOMMENDED: CUmemAllocationGranularity_flags = CUmemAllocationGranularity_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationGranularity_flags(pub ::core::ffi::c_uint);
impl CUmemRangeHandleType {
    pub const CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD: CUmemRangeHandleType = CUmemRangeHandleType(
        1,
    );
    pub const CU_MEM_RANGE_HANDLE_TYPE_MAX: CUmemRangeHandleType = CUmemRangeHandleType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemRangeHandleType(pub ::core::ffi::c_uint);
impl CUmemRangeFlags {
    pub const CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE: CUmemRangeFlags = CUmemRangeFlags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemRangeFlags(pub ::core::ffi::c_uint);
impl CUarraySparseSubresourceType {
    pub const CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL: CUarraySparseSubresourceType = CUarraySparseSubresourceType(
        0,
    );
    pub const CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL: CUarraySparseSubresourceType = CUarraySparseSubresourceType(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUarraySparseSubresourceType(pub ::core::ffi::c_uint);
impl CUmemOperationType {
    pub const CU_MEM_OPERATION_TYPE_MAP: CUmemOperationType = CUmemOperationType(1);
    pub const CU_MEM_OPERATION_TYPE_UNMAP: CUmemOperationType = CUmemOperationType(2);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemOperationType(pub ::core::ffi::c_uint);
impl CUmemHandleType {
    pub const CU_MEM_HANDLE_TYPE_GENERIC: CUmemHandleType = CUmemHandleType(0);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUarrayMapInfo_st {
    pub resourceType: CUresourcetype,
    pub resource: CUarrayMapInfo_st__bindgen_ty_1,
    pub subresourceType: CUarraySparseSubresourceType,
    pub subresource: CUarrayMapInfo_st__bindgen_ty_2,
    pub memOperationType: CUmemOperationType,
    pub memHandleType: CUmemHandleType,
    pub memHandle: CUarrayMapInfo_st__bindgen_ty_3,
    pub offset: ::core::ffi::c_ulonglong,
    pub deviceBitMask: ::core::ffi::c_uint,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 2usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUarrayMapInfo_st__bindgen_ty_1 {
    pub mipmap: CUmipmappedArray,
    pub array: CUarray,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUarrayMapInfo_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUarrayMapInfo_st__bindgen_ty_1>() - 8usize];
    [
        "Alignment of CUarrayMapInfo_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUarrayMapInfo_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_1::mipmap",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_1, mipmap) - 0usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_1::array",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_1, array) - 0usize];
};
impl Default for CUarrayMapInfo_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUarrayMapInfo_st__bindgen_ty_2 {
    pub sparseLevel: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1,
    pub miptail: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1 {
    pub level: ::core::ffi::c_uint,
    pub layer: ::core::ffi::c_uint,
    pub offsetX: ::core::ffi::c_uint,
    pub offsetY: ::core::ffi::c_uint,
    pub offsetZ: ::core::ffi::c_uint,
    pub extentWidth: ::core::ffi::c_uint,
    pub extentHeight: ::core::ffi::c_uint,
    pub extentDepth: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1",
    ][::core::mem::size_of::<CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1>() - 32usize];
    [
        "Alignment of CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1",
    ][::core::mem::align_of::<CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::level",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, level)
        - 0usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::layer",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, layer)
        - 4usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::offsetX",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, offsetX)
        - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::offsetY",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, offsetY)
        - 12usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::offsetZ",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, offsetZ)
        - 16usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::extentWidth",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, extentWidth)
        - 20usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::extentHeight",
    ][::core::mem::offset_of!(
        CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, extentHeight
    ) - 24usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1::extentDepth",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, extentDepth)
        - 28usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2 {
    pub layer: ::core::ffi::c_uint,
    pub offset: ::core::ffi::c_ulonglong,
    pub size: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2",
    ][::core::mem::size_of::<CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2>() - 24usize];
    [
        "Alignment of CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2",
    ][::core::mem::align_of::<CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2::layer",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2, layer)
        - 0usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2::offset",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2, offset)
        - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2::size",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2, size)
        - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUarrayMapInfo_st__bindgen_ty_2",
    ][::core::mem::size_of::<CUarrayMapInfo_st__bindgen_ty_2>() - 32usize];
    [
        "Alignment of CUarrayMapInfo_st__bindgen_ty_2",
    ][::core::mem::align_of::<CUarrayMapInfo_st__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2::sparseLevel",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2, sparseLevel) - 0usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_2::miptail",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_2, miptail) - 0usize];
};
impl Default for CUarrayMapInfo_st__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUarrayMapInfo_st__bindgen_ty_3 {
    pub memHandle: CUmemGenericAllocationHandle,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUarrayMapInfo_st__bindgen_ty_3",
    ][::core::mem::size_of::<CUarrayMapInfo_st__bindgen_ty_3>() - 8usize];
    [
        "Alignment of CUarrayMapInfo_st__bindgen_ty_3",
    ][::core::mem::align_of::<CUarrayMapInfo_st__bindgen_ty_3>() - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st__bindgen_ty_3::memHandle",
    ][::core::mem::offset_of!(CUarrayMapInfo_st__bindgen_ty_3, memHandle) - 0usize];
};
impl Default for CUarrayMapInfo_st__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUarrayMapInfo_st"][::core::mem::size_of::<CUarrayMapInfo_st>() - 96usize];
    [
        "Alignment of CUarrayMapInfo_st",
    ][::core::mem::align_of::<CUarrayMapInfo_st>() - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st::resourceType",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, resourceType) - 0usize];
    [
        "Offset of field: CUarrayMapInfo_st::resource",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, resource) - 8usize];
    [
        "Offset of field: CUarrayMapInfo_st::subresourceType",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, subresourceType) - 16usize];
    [
        "Offset of field: CUarrayMapInfo_st::subresource",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, subresource) - 24usize];
    [
        "Offset of field: CUarrayMapInfo_st::memOperationType",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, memOperationType) - 56usize];
    [
        "Offset of field: CUarrayMapInfo_st::memHandleType",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, memHandleType) - 60usize];
    [
        "Offset of field: CUarrayMapInfo_st::memHandle",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, memHandle) - 64usize];
    [
        "Offset of field: CUarrayMapInfo_st::offset",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, offset) - 72usize];
    [
        "Offset of field: CUarrayMapInfo_st::deviceBitMask",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, deviceBitMask) - 80usize];
    [
        "Offset of field: CUarrayMapInfo_st::flags",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, flags) - 84usize];
    [
        "Offset of field: CUarrayMapInfo_st::reserved",
    ][::core::mem::offset_of!(CUarrayMapInfo_st, reserved) - 88usize];
};
impl Default for CUarrayMapInfo_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUarrayMapInfo_v1 = CUarrayMapInfo_st;
pub type CUarrayMapInfo = CUarrayMapInfo_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemLocation_st {
    pub type_: CUmemLocationType,
    pub __bindgen_anon_1: CUmemLocation_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUmemLocation_st__bindgen_ty_1 {
    pub id: ::core::ffi::c_int,
    pub localized: CUmemLocation_st__bindgen_ty_1__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemLocation_st__bindgen_ty_1__bindgen_ty_1 {
    pub deviceId: ::core::ffi::c_uchar,
    pub localityDomainId: ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemLocation_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemLocation_st__bindgen_ty_1__bindgen_ty_1>() - 2usize];
    [
        "Alignment of CUmemLocation_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemLocation_st__bindgen_ty_1__bindgen_ty_1>() - 1usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1__bindgen_ty_1::deviceId",
    ][::core::mem::offset_of!(CUmemLocation_st__bindgen_ty_1__bindgen_ty_1, deviceId)
        - 0usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1__bindgen_ty_1::localityDomainId",
    ][::core::mem::offset_of!(
        CUmemLocation_st__bindgen_ty_1__bindgen_ty_1, localityDomainId
    ) - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemLocation_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemLocation_st__bindgen_ty_1>() - 4usize];
    [
        "Alignment of CUmemLocation_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemLocation_st__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1::id",
    ][::core::mem::offset_of!(CUmemLocation_st__bindgen_ty_1, id) - 0usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1::localized",
    ][::core::mem::offset_of!(CUmemLocation_st__bindgen_ty_1, localized) - 0usize];
};
impl Default for CUmemLocation_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUmemLocation_st"][::core::mem::size_of::<CUmemLocation_st>() - 8usize];
    [
        "Alignment of CUmemLocation_st",
    ][::core::mem::align_of::<CUmemLocation_st>() - 4usize];
    [
        "Offset of field: CUmemLocation_st::type_",
    ][::core::mem::offset_of!(CUmemLocation_st, type_) - 0usize];
};
impl Default for CUmemLocation_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemLocation_v1 = CUmemLocation_st;
pub type CUmemLocation = CUmemLocation_v1;
impl CUmemAllocationCompType {
    pub const CU_MEM_ALLOCATION_COMP_NONE: CUmemAllocationCompType = CUmemAllocationCompType(
        0,
    );
    pub const CU_MEM_ALLOCATION_COMP_GENERIC: CUmemAllocationCompType = CUmemAllocationCompType(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationCompType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemAllocationProp_st {
    pub type_: CUmemAllocationType,
    pub requestedHandleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32HandleMetaData: *mut ::core::ffi::c_void,
    pub allocFlags: CUmemAllocationProp_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationProp_st__bindgen_ty_1 {
    pub compressionType: ::core::ffi::c_uchar,
    pub gpuDirectRDMACapable: ::core::ffi::c_uchar,
    pub usage: ::core::ffi::c_ushort,
    pub reserved: [::core::ffi::c_uchar; 4usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemAllocationProp_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemAllocationProp_st__bindgen_ty_1>() - 8usize];
    [
        "Alignment of CUmemAllocationProp_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemAllocationProp_st__bindgen_ty_1>() - 2usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::compressionType",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, compressionType)
        - 0usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::gpuDirectRDMACapable",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, gpuDirectRDMACapable)
        - 1usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::usage",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, usage) - 2usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, reserved) - 4usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemAllocationProp_st",
    ][::core::mem::size_of::<CUmemAllocationProp_st>() - 32usize];
    [
        "Alignment of CUmemAllocationProp_st",
    ][::core::mem::align_of::<CUmemAllocationProp_st>() - 8usize];
    [
        "Offset of field: CUmemAllocationProp_st::type_",
    ][::core::mem::offset_of!(CUmemAllocationProp_st, type_) - 0usize];
    [
        "Offset of field: CUmemAllocationProp_st::requestedHandleTypes",
    ][::core::mem::offset_of!(CUmemAllocationProp_st, requestedHandleTypes) - 4usize];
    [
        "Offset of field: CUmemAllocationProp_st::location",
    ][::core::mem::offset_of!(CUmemAllocationProp_st, location) - 8usize];
    [
        "Offset of field: CUmemAllocationProp_st::win32HandleMetaData",
    ][::core::mem::offset_of!(CUmemAllocationProp_st, win32HandleMetaData) - 16usize];
    [
        "Offset of field: CUmemAllocationProp_st::allocFlags",
    ][::core::mem::offset_of!(CUmemAllocationProp_st, allocFlags) - 24usize];
};
impl Default for CUmemAllocationProp_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemAllocationProp_v1 = CUmemAllocationProp_st;
pub type CUmemAllocationProp = CUmemAllocationProp_v1;
impl CUmulticastGranularity_flags {
    pub const CU_MULTICAST_GRANULARITY_MINIMUM: CUmulticastGranularity_flags = CUmulticastGranularity_flags(
        0,
    );
    pub const CU_MULTICAST_GRANULARITY_RECOMMENDED: CUmulticastGranularity_flags = CUmulticastGranularity_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmulticastGranularity_flags(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmulticastObjectProp_st {
    pub numDevices: ::core::ffi::c_uint,
    pub size: usize,
    pub handleTypes: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmulticastObjectProp_st",
    ][::core::mem::size_of::<CUmulticastObjectProp_st>() - 32usize];
    [
        "Alignment of CUmulticastObjectProp_st",
    ][::core::mem::align_of::<CUmulticastObjectProp_st>() - 8usize];
    [
        "Offset of field: CUmulticastObjectProp_st::numDevices",
    ][::core::mem::offset_of!(CUmulticastObjectProp_st, numDevices) - 0usize];
    [
        "Offset of field: CUmulticastObjectProp_st::size",
    ][::core::mem::offset_of!(CUmulticastObjectProp_st, size) - 8usize];
    [
        "Offset of field: CUmulticastObjectProp_st::handleTypes",
    ][::core::mem::offset_of!(CUmulticastObjectProp_st, handleTypes) - 16usize];
    [
        "Offset of field: CUmulticastObjectProp_st::flags",
    ][::core::mem::offset_of!(CUmulticastObjectProp_st, flags) - 24usize];
};
pub type CUmulticastObjectProp_v1 = CUmulticastObjectProp_st;
pub type CUmulticastObjectProp = CUmulticastObjectProp_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemAccessDesc_st {
    pub location: CUmemLocation,
    pub flags: CUmemAccess_flags,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemAccessDesc_st",
    ][::core::mem::size_of::<CUmemAccessDesc_st>() - 12usize];
    [
        "Alignment of CUmemAccessDesc_st",
    ][::core::mem::align_of::<CUmemAccessDesc_st>() - 4usize];
    [
        "Offset of field: CUmemAccessDesc_st::location",
    ][::core::mem::offset_of!(CUmemAccessDesc_st, location) - 0usize];
    [
        "Offset of field: CUmemAccessDesc_st::flags",
    ][::core::mem::offset_of!(CUmemAccessDesc_st, flags) - 8usize];
};
impl Default for CUmemAccessDesc_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemAccessDesc_v1 = CUmemAccessDesc_st;
pub type CUmemAccessDesc = CUmemAccessDesc_v1;
impl CUgraphExecUpdateResult {
    pub const CU_GRAPH_EXEC_UPDATE_SUCCESS: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        0,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        1,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        2,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        3,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        4,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        5,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        6,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        7,
    );
    pub const CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED: CUgraphExecUpdateResult = CUgraphExecUpdateResult(
        8,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphExecUpdateResult(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphExecUpdateResultInfo_st {
    pub result: CUgraphExecUpdateResult,
    pub errorNode: CUgraphNode,
    pub errorFromNode: CUgraphNode,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUgraphExecUpdateResultInfo_st",
    ][::core::mem::size_of::<CUgraphExecUpdateResultInfo_st>() - 24usize];
    [
        "Alignment of CUgraphExecUpdateResultInfo_st",
    ][::core::mem::align_of::<CUgraphExecUpdateResultInfo_st>() - 8usize];
    [
        "Offset of field: CUgraphExecUpdateResultInfo_st::result",
    ][::core::mem::offset_of!(CUgraphExecUpdateResultInfo_st, result) - 0usize];
    [
        "Offset of field: CUgraphExecUpdateResultInfo_st::errorNode",
    ][::core::mem::offset_of!(CUgraphExecUpdateResultInfo_st, errorNode) - 8usize];
    [
        "Offset of field: CUgraphExecUpdateResultInfo_st::errorFromNode",
    ][::core::mem::offset_of!(CUgraphExecUpdateResultInfo_st, errorFromNode) - 16usize];
};
impl Default for CUgraphExecUpdateResultInfo_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUgraphExecUpdateResultInfo_v1 = CUgraphExecUpdateResultInfo_st;
pub type CUgraphExecUpdateResultInfo = CUgraphExecUpdateResultInfo_v1;
impl CUmemPool_attribute {
    pub const CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: CUmemPool_attribute = CUmemPool_attribute(
        1,
    );
    pub const CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: CUmemPool_attribute = CUmemPool_attribute(
        2,
    );
    pub const CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: CUmemPool_attribute = CUmemPool_attribute(
        3,
    );
    pub const CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: CUmemPool_attribute = CUmemPool_attribute(
        4,
    );
    pub const CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: CUmemPool_attribute = CUmemPool_attribute(
        5,
    );
    pub const CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: CUmemPool_attribute = CUmemPool_attribute(
        6,
    );
    pub const CU_MEMPOOL_ATTR_USED_MEM_CURRENT: CUmemPool_attribute = CUmemPool_attribute(
        7,
    );
    pub const CU_MEMPOOL_ATTR_USED_MEM_HIGH: CUmemPool_attribute = CUmemPool_attribute(
        8,
    );
    pub const CU_MEMPOOL_ATTR_ALLOCATION_TYPE: CUmemPool_attribute = CUmemPool_attribute(
        9,
    );
    pub const CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES: CUmemPool_attribute = CUmemPool_attribute(
        10,
    );
    pub const CU_MEMPOOL_ATTR_LOCATION_ID: CUmemPool_attribute = CUmemPool_attribute(11);
    pub const CU_MEMPOOL_ATTR_LOCATION_TYPE: CUmemPool_attribute = CUmemPool_attribute(
        12,
    );
    pub const CU_MEMPOOL_ATTR_MAX_POOL_SIZE: CUmemPool_attribute = CUmemPool_attribute(
        13,
    );
    pub const CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED: CUmemPool_attribute = CUmemPool_attribute(
        14,
    );
    pub const CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID: CUmemPool_attribute = CUmemPool_attribute(
        15,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemPool_attribute(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemPoolProps_st {
    pub allocType: CUmemAllocationType,
    pub handleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32SecurityAttributes: *mut ::core::ffi::c_void,
    pub maxSize: usize,
    pub usage: ::core::ffi::c_ushort,
    pub gpuDirectRDMACapable: ::core::ffi::c_uchar,
    pub reserved: [::core::ffi::c_uchar; 53usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUmemPoolProps_st"][::core::mem::size_of::<CUmemPoolProps_st>() - 88usize];
    [
        "Alignment of CUmemPoolProps_st",
    ][::core::mem::align_of::<CUmemPoolProps_st>() - 8usize];
    [
        "Offset of field: CUmemPoolProps_st::allocType",
    ][::core::mem::offset_of!(CUmemPoolProps_st, allocType) - 0usize];
    [
        "Offset of field: CUmemPoolProps_st::handleTypes",
    ][::core::mem::offset_of!(CUmemPoolProps_st, handleTypes) - 4usize];
    [
        "Offset of field: CUmemPoolProps_st::location",
    ][::core::mem::offset_of!(CUmemPoolProps_st, location) - 8usize];
    [
        "Offset of field: CUmemPoolProps_st::win32SecurityAttributes",
    ][::core::mem::offset_of!(CUmemPoolProps_st, win32SecurityAttributes) - 16usize];
    [
        "Offset of field: CUmemPoolProps_st::maxSize",
    ][::core::mem::offset_of!(CUmemPoolProps_st, maxSize) - 24usize];
    [
        "Offset of field: CUmemPoolProps_st::usage",
    ][::core::mem::offset_of!(CUmemPoolProps_st, usage) - 32usize];
    [
        "Offset of field: CUmemPoolProps_st::gpuDirectRDMACapable",
    ][::core::mem::offset_of!(CUmemPoolProps_st, gpuDirectRDMACapable) - 34usize];
    [
        "Offset of field: CUmemPoolProps_st::reserved",
    ][::core::mem::offset_of!(CUmemPoolProps_st, reserved) - 35usize];
};
impl Default for CUmemPoolProps_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemPoolProps_v1 = CUmemPoolProps_st;
pub type CUmemPoolProps = CUmemPoolProps_v1;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemPoolPtrExportData_st {
    pub reserved: [::core::ffi::c_uchar; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemPoolPtrExportData_st",
    ][::core::mem::size_of::<CUmemPoolPtrExportData_st>() - 64usize];
    [
        "Alignment of CUmemPoolPtrExportData_st",
    ][::core::mem::align_of::<CUmemPoolPtrExportData_st>() - 1usize];
    [
        "Offset of field: CUmemPoolPtrExportData_st::reserved",
    ][::core::mem::offset_of!(CUmemPoolPtrExportData_st, reserved) - 0usize];
};
impl Default for CUmemPoolPtrExportData_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemPoolPtrExportData_v1 = CUmemPoolPtrExportData_st;
pub type CUmemPoolPtrExportData = CUmemPoolPtrExportData_v1;
impl CUmemcpyFlags {
    pub const CU_MEMCPY_FLAG_DEFAULT: CUmemcpyFlags = CUmemcpyFlags(0);
    pub const CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE: CUmemcpyFlags = CUmemcpyFlags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemcpyFlags(pub ::core::ffi::c_uint);
impl CUmemcpySrcAccessOrder {
    pub const CU_MEMCPY_SRC_ACCESS_ORDER_INVALID: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
        0,
    );
    pub const CU_MEMCPY_SRC_ACCESS_ORDER_STREAM: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
        1,
    );
    pub const CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
        2,
    );
    pub const CU_MEMCPY_SRC_ACCESS_ORDER_ANY: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
        3,
    );
    pub const CU_MEMCPY_SRC_ACCESS_ORDER_MAX: CUmemcpySrcAccessOrder = CUmemcpySrcAccessOrder(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemcpySrcAccessOrder(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemcpyAttributes_st {
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    pub srcLocHint: CUmemLocation,
    pub dstLocHint: CUmemLocation,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemcpyAttributes_st",
    ][::core::mem::size_of::<CUmemcpyAttributes_st>() - 24usize];
    [
        "Alignment of CUmemcpyAttributes_st",
    ][::core::mem::align_of::<CUmemcpyAttributes_st>() - 4usize];
    [
        "Offset of field: CUmemcpyAttributes_st::srcAccessOrder",
    ][::core::mem::offset_of!(CUmemcpyAttributes_st, srcAccessOrder) - 0usize];
    [
        "Offset of field: CUmemcpyAttributes_st::srcLocHint",
    ][::core::mem::offset_of!(CUmemcpyAttributes_st, srcLocHint) - 4usize];
    [
        "Offset of field: CUmemcpyAttributes_st::dstLocHint",
    ][::core::mem::offset_of!(CUmemcpyAttributes_st, dstLocHint) - 12usize];
    [
        "Offset of field: CUmemcpyAttributes_st::flags",
    ][::core::mem::offset_of!(CUmemcpyAttributes_st, flags) - 20usize];
};
impl Default for CUmemcpyAttributes_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemcpyAttributes_v1 = CUmemcpyAttributes_st;
pub type CUmemcpyAttributes = CUmemcpyAttributes_v1;
impl CUmemcpy3DOperandType {
    pub const CU_MEMCPY_OPERAND_TYPE_POINTER: CUmemcpy3DOperandType = CUmemcpy3DOperandType(
        1,
    );
    pub const CU_MEMCPY_OPERAND_TYPE_ARRAY: CUmemcpy3DOperandType = CUmemcpy3DOperandType(
        2,
    );
    pub const CU_MEMCPY_OPERAND_TYPE_MAX: CUmemcpy3DOperandType = CUmemcpy3DOperandType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemcpy3DOperandType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUoffset3D_st {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUoffset3D_st"][::core::mem::size_of::<CUoffset3D_st>() - 24usize];
    ["Alignment of CUoffset3D_st"][::core::mem::align_of::<CUoffset3D_st>() - 8usize];
    [
        "Offset of field: CUoffset3D_st::x",
    ][::core::mem::offset_of!(CUoffset3D_st, x) - 0usize];
    [
        "Offset of field: CUoffset3D_st::y",
    ][::core::mem::offset_of!(CUoffset3D_st, y) - 8usize];
    [
        "Offset of field: CUoffset3D_st::z",
    ][::core::mem::offset_of!(CUoffset3D_st, z) - 16usize];
};
pub type CUoffset3D_v1 = CUoffset3D_st;
pub type CUoffset3D = CUoffset3D_v1;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUextent3D_st {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUextent3D_st"][::core::mem::size_of::<CUextent3D_st>() - 24usize];
    ["Alignment of CUextent3D_st"][::core::mem::align_of::<CUextent3D_st>() - 8usize];
    [
        "Offset of field: CUextent3D_st::width",
    ][::core::mem::offset_of!(CUextent3D_st, width) - 0usize];
    [
        "Offset of field: CUextent3D_st::height",
    ][::core::mem::offset_of!(CUextent3D_st, height) - 8usize];
    [
        "Offset of field: CUextent3D_st::depth",
    ][::core::mem::offset_of!(CUextent3D_st, depth) - 16usize];
};
pub type CUextent3D_v1 = CUextent3D_st;
pub type CUextent3D = CUextent3D_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemcpy3DOperand_st {
    pub type_: CUmemcpy3DOperandType,
    pub op: CUmemcpy3DOperand_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUmemcpy3DOperand_st__bindgen_ty_1 {
    pub ptr: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1,
    pub array: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1 {
    pub ptr: CUdeviceptr,
    pub rowLength: usize,
    pub layerHeight: usize,
    pub locHint: CUmemLocation,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1>()
        - 32usize];
    [
        "Alignment of CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1::ptr",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1, ptr)
        - 0usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1::rowLength",
    ][::core::mem::offset_of!(
        CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1, rowLength
    ) - 8usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1::layerHeight",
    ][::core::mem::offset_of!(
        CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1, layerHeight
    ) - 16usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1::locHint",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1, locHint)
        - 24usize];
};
impl Default for CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2 {
    pub array: CUarray,
    pub offset: CUoffset3D,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2>()
        - 32usize];
    [
        "Alignment of CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2>()
        - 8usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2::array",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2, array)
        - 0usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2::offset",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2, offset)
        - 8usize];
};
impl Default for CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemcpy3DOperand_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemcpy3DOperand_st__bindgen_ty_1>() - 32usize];
    [
        "Alignment of CUmemcpy3DOperand_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemcpy3DOperand_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1::ptr",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st__bindgen_ty_1, ptr) - 0usize];
    [
        "Offset of field: CUmemcpy3DOperand_st__bindgen_ty_1::array",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st__bindgen_ty_1, array) - 0usize];
};
impl Default for CUmemcpy3DOperand_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemcpy3DOperand_st",
    ][::core::mem::size_of::<CUmemcpy3DOperand_st>() - 40usize];
    [
        "Alignment of CUmemcpy3DOperand_st",
    ][::core::mem::align_of::<CUmemcpy3DOperand_st>() - 8usize];
    [
        "Offset of field: CUmemcpy3DOperand_st::type_",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st, type_) - 0usize];
    [
        "Offset of field: CUmemcpy3DOperand_st::op",
    ][::core::mem::offset_of!(CUmemcpy3DOperand_st, op) - 8usize];
};
impl Default for CUmemcpy3DOperand_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemcpy3DOperand_v1 = CUmemcpy3DOperand_st;
pub type CUmemcpy3DOperand = CUmemcpy3DOperand_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_MEMCPY3D_BATCH_OP_st {
    pub src: CUmemcpy3DOperand,
    pub dst: CUmemcpy3DOperand,
    pub extent: CUextent3D,
    pub srcAccessOrder: CUmemcpySrcAccessOrder,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMCPY3D_BATCH_OP_st",
    ][::core::mem::size_of::<CUDA_MEMCPY3D_BATCH_OP_st>() - 112usize];
    [
        "Alignment of CUDA_MEMCPY3D_BATCH_OP_st",
    ][::core::mem::align_of::<CUDA_MEMCPY3D_BATCH_OP_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY3D_BATCH_OP_st::src",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_BATCH_OP_st, src) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY3D_BATCH_OP_st::dst",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_BATCH_OP_st, dst) - 40usize];
    [
        "Offset of field: CUDA_MEMCPY3D_BATCH_OP_st::extent",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_BATCH_OP_st, extent) - 80usize];
    [
        "Offset of field: CUDA_MEMCPY3D_BATCH_OP_st::srcAccessOrder",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_BATCH_OP_st, srcAccessOrder) - 104usize];
    [
        "Offset of field: CUDA_MEMCPY3D_BATCH_OP_st::flags",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_BATCH_OP_st, flags) - 108usize];
};
impl Default for CUDA_MEMCPY3D_BATCH_OP_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY3D_BATCH_OP_v1 = CUDA_MEMCPY3D_BATCH_OP_st;
pub type CUDA_MEMCPY3D_BATCH_OP = CUDA_MEMCPY3D_BATCH_OP_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st {
    pub poolProps: CUmemPoolProps,
    pub accessDescs: *const CUmemAccessDesc,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEM_ALLOC_NODE_PARAMS_v1_st",
    ][::core::mem::size_of::<CUDA_MEM_ALLOC_NODE_PARAMS_v1_st>() - 120usize];
    [
        "Alignment of CUDA_MEM_ALLOC_NODE_PARAMS_v1_st",
    ][::core::mem::align_of::<CUDA_MEM_ALLOC_NODE_PARAMS_v1_st>() - 8usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v1_st::poolProps",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, poolProps) - 0usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v1_st::accessDescs",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, accessDescs) - 88usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v1_st::accessDescCount",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, accessDescCount)
        - 96usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v1_st::bytesize",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, bytesize) - 104usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v1_st::dptr",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v1_st, dptr) - 112usize];
};
impl Default for CUDA_MEM_ALLOC_NODE_PARAMS_v1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEM_ALLOC_NODE_PARAMS_v1 = CUDA_MEM_ALLOC_NODE_PARAMS_v1_st;
pub type CUDA_MEM_ALLOC_NODE_PARAMS = CUDA_MEM_ALLOC_NODE_PARAMS_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS_v2_st {
    pub poolProps: CUmemPoolProps,
    pub accessDescs: *const CUmemAccessDesc,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEM_ALLOC_NODE_PARAMS_v2_st",
    ][::core::mem::size_of::<CUDA_MEM_ALLOC_NODE_PARAMS_v2_st>() - 120usize];
    [
        "Alignment of CUDA_MEM_ALLOC_NODE_PARAMS_v2_st",
    ][::core::mem::align_of::<CUDA_MEM_ALLOC_NODE_PARAMS_v2_st>() - 8usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v2_st::poolProps",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v2_st, poolProps) - 0usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v2_st::accessDescs",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v2_st, accessDescs) - 88usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v2_st::accessDescCount",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v2_st, accessDescCount)
        - 96usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v2_st::bytesize",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v2_st, bytesize) - 104usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS_v2_st::dptr",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS_v2_st, dptr) - 112usize];
};
impl Default for CUDA_MEM_ALLOC_NODE_PARAMS_v2_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEM_ALLOC_NODE_PARAMS_v2 = CUDA_MEM_ALLOC_NODE_PARAMS_v2_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEM_FREE_NODE_PARAMS_st {
    pub dptr: CUdeviceptr,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEM_FREE_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_MEM_FREE_NODE_PARAMS_st>() - 8usize];
    [
        "Alignment of CUDA_MEM_FREE_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_MEM_FREE_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_MEM_FREE_NODE_PARAMS_st::dptr",
    ][::core::mem::offset_of!(CUDA_MEM_FREE_NODE_PARAMS_st, dptr) - 0usize];
};
pub type CUDA_MEM_FREE_NODE_PARAMS = CUDA_MEM_FREE_NODE_PARAMS_st;
impl CUgraphMem_attribute {
    pub const CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT: CUgraphMem_attribute = CUgraphMem_attribute(
        0,
    );
    pub const CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: CUgraphMem_attribute = CUgraphMem_attribute(
        1,
    );
    pub const CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT: CUgraphMem_attribute = CUgraphMem_attribute(
        2,
    );
    pub const CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: CUgraphMem_attribute = CUgraphMem_attribute(
        3,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphMem_attribute(pub ::core::ffi::c_uint);
impl CUgraphChildGraphNodeOwnership {
    pub const CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE: CUgraphChildGraphNodeOwnership = CUgraphChildGraphNodeOwnership(
        0,
    );
    pub const CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE: CUgraphChildGraphNodeOwnership = CUgraphChildGraphNodeOwnership(
        1,
    );
    pub const CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID: CUgraphChildGraphNodeOwnership = CUgraphChildGraphNodeOwnership(
        -1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphChildGraphNodeOwnership(pub ::core::ffi::c_int);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_CHILD_GRAPH_NODE_PARAMS_st {
    pub graph: CUgraph,
    pub ownership: CUgraphChildGraphNodeOwnership,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_CHILD_GRAPH_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_CHILD_GRAPH_NODE_PARAMS_st>() - 16usize];
    [
        "Alignment of CUDA_CHILD_GRAPH_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_CHILD_GRAPH_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_CHILD_GRAPH_NODE_PARAMS_st::graph",
    ][::core::mem::offset_of!(CUDA_CHILD_GRAPH_NODE_PARAMS_st, graph) - 0usize];
    [
        "Offset of field: CUDA_CHILD_GRAPH_NODE_PARAMS_st::ownership",
    ][::core::mem::offset_of!(CUDA_CHILD_GRAPH_NODE_PARAMS_st, ownership) - 8usize];
};
impl Default for CUDA_CHILD_GRAPH_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_CHILD_GRAPH_NODE_PARAMS = CUDA_CHILD_GRAPH_NODE_PARAMS_st;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EVENT_RECORD_NODE_PARAMS_st {
    pub event: CUevent,
    pub __bindgen_anon_1: CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1>() - 8usize];
    [
        "Alignment of CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1::ctx",
    ][::core::mem::offset_of!(CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1, ctx)
        - 0usize];
    [
        "Offset of field: CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1::gCtx",
    ][::core::mem::offset_of!(CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1, gCtx)
        - 0usize];
};
impl Default for CUDA_EVENT_RECORD_NODE_PARAMS_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EVENT_RECORD_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_EVENT_RECORD_NODE_PARAMS_st>() - 16usize];
    [
        "Alignment of CUDA_EVENT_RECORD_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_EVENT_RECORD_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_EVENT_RECORD_NODE_PARAMS_st::event",
    ][::core::mem::offset_of!(CUDA_EVENT_RECORD_NODE_PARAMS_st, event) - 0usize];
};
impl Default for CUDA_EVENT_RECORD_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EVENT_RECORD_NODE_PARAMS = CUDA_EVENT_RECORD_NODE_PARAMS_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_EVENT_WAIT_NODE_PARAMS_st {
    pub event: CUevent,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EVENT_WAIT_NODE_PARAMS_st",
    ][::core::mem::size_of::<CUDA_EVENT_WAIT_NODE_PARAMS_st>() - 8usize];
    [
        "Alignment of CUDA_EVENT_WAIT_NODE_PARAMS_st",
    ][::core::mem::align_of::<CUDA_EVENT_WAIT_NODE_PARAMS_st>() - 8usize];
    [
        "Offset of field: CUDA_EVENT_WAIT_NODE_PARAMS_st::event",
    ][::core::mem::offset_of!(CUDA_EVENT_WAIT_NODE_PARAMS_st, event) - 0usize];
};
impl Default for CUDA_EVENT_WAIT_NODE_PARAMS_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_EVENT_WAIT_NODE_PARAMS = CUDA_EVENT_WAIT_NODE_PARAMS_st;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st {
    pub count: usize,
    pub dsts: *mut CUdeviceptr,
    pub srcs: *mut CUdeviceptr,
    pub sizes: *mut usize,
    pub attrs: *mut CUmemcpyAttributes,
    pub attrsIdxs: *mut usize,
    pub numAttrs: usize,
    pub __bindgen_anon_1: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1::ctx",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1, ctx)
        - 0usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1::gCtx",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1, gCtx)
        - 0usize];
};
impl Default for CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st",
    ][::core::mem::size_of::<CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st>() - 64usize];
    [
        "Alignment of CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st",
    ][::core::mem::align_of::<CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st::count",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st, count) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st::dsts",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st, dsts) - 8usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st::srcs",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st, srcs) - 16usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st::sizes",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st, sizes) - 24usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st::attrs",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st, attrs) - 32usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st::attrsIdxs",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st, attrsIdxs) - 40usize];
    [
        "Offset of field: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st::numAttrs",
    ][::core::mem::offset_of!(CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st, numAttrs) - 48usize];
};
impl Default for CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY_BATCH_NODE_PARAMS_V1 = CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st;
pub type CUDA_MEMCPY_BATCH_NODE_PARAMS = CUDA_MEMCPY_BATCH_NODE_PARAMS_V1;
pub type CUDA_FABRIC_COPY_BATCH_OP_v1 = CUDA_FABRIC_COPY_BATCH_OP_st;
pub type CUDA_FABRIC_COPY_BATCH_OP = CUDA_FABRIC_COPY_BATCH_OP_v1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st {
    pub numOps: usize,
    pub opList: *mut CUDA_FABRIC_COPY_BATCH_OP,
    pub flags: ::core::ffi::c_ulonglong,
    pub __bindgen_anon_1: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    pub ctx: CUcontext,
    pub gCtx: CUgreenCtx,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1::ctx",
    ][::core::mem::offset_of!(CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1, ctx)
        - 0usize];
    [
        "Offset of field: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1::gCtx",
    ][::core::mem::offset_of!(
        CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1, gCtx
    ) - 0usize];
};
impl Default for CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st",
    ][::core::mem::size_of::<CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st>() - 32usize];
    [
        "Alignment of CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st",
    ][::core::mem::align_of::<CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st>() - 8usize];
    [
        "Offset of field: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st::numOps",
    ][::core::mem::offset_of!(CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st, numOps) - 0usize];
    [
        "Offset of field: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st::opList",
    ][::core::mem::offset_of!(CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st, opList) - 8usize];
    [
        "Offset of field: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st::flags",
    ][::core::mem::offset_of!(CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st, flags) - 16usize];
};
impl Default for CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1 = CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1_st;
pub type CUDA_FABRIC_CPY_BATCH_NODE_PARAMS = CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUgraphNodeParams_st {
    pub type_: CUgraphNodeType,
    pub reserved0: [::core::ffi::c_int; 3usize],
    pub __bindgen_anon_1: CUgraphNodeParams_st__bindgen_ty_1,
    pub reserved2: ::core::ffi::c_longlong,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUgraphNodeParams_st__bindgen_ty_1 {
    pub reserved1: [::core::ffi::c_longlong; 29usize],
    pub kernel: CUDA_KERNEL_NODE_PARAMS_v3,
    pub memcpy: CUDA_MEMCPY_NODE_PARAMS,
    pub memset: CUDA_MEMSET_NODE_PARAMS_v2,
    pub host: CUDA_HOST_NODE_PARAMS_v2,
    pub graph: CUDA_CHILD_GRAPH_NODE_PARAMS,
    pub eventWait: CUDA_EVENT_WAIT_NODE_PARAMS,
    pub eventRecord: CUDA_EVENT_RECORD_NODE_PARAMS,
    pub extSemSignal: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2,
    pub extSemWait: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2,
    pub alloc: CUDA_MEM_ALLOC_NODE_PARAMS_v2,
    pub free: CUDA_MEM_FREE_NODE_PARAMS,
    pub memOp: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2,
    pub conditional: CUDA_CONDITIONAL_NODE_PARAMS,
    pub memcpyBatch: CUDA_MEMCPY_BATCH_NODE_PARAMS_V1,
    pub fabricCpyBatch: CUDA_FABRIC_CPY_BATCH_NODE_PARAMS_V1,
    pub asBytes: [::core::ffi::c_char; 232usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUgraphNodeParams_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUgraphNodeParams_st__bindgen_ty_1>() - 232usize];
    [
        "Alignment of CUgraphNodeParams_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUgraphNodeParams_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::reserved1",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, reserved1) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::kernel",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, kernel) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::memcpy",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, memcpy) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::memset",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, memset) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::host",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, host) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::graph",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, graph) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::eventWait",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, eventWait) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::eventRecord",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, eventRecord) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::extSemSignal",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, extSemSignal)
        - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::extSemWait",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, extSemWait) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::alloc",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, alloc) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::free",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, free) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::memOp",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, memOp) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::conditional",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, conditional) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::memcpyBatch",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, memcpyBatch) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::fabricCpyBatch",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, fabricCpyBatch)
        - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st__bindgen_ty_1::asBytes",
    ][::core::mem::offset_of!(CUgraphNodeParams_st__bindgen_ty_1, asBytes) - 0usize];
};
impl Default for CUgraphNodeParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUgraphNodeParams_st",
    ][::core::mem::size_of::<CUgraphNodeParams_st>() - 256usize];
    [
        "Alignment of CUgraphNodeParams_st",
    ][::core::mem::align_of::<CUgraphNodeParams_st>() - 8usize];
    [
        "Offset of field: CUgraphNodeParams_st::type_",
    ][::core::mem::offset_of!(CUgraphNodeParams_st, type_) - 0usize];
    [
        "Offset of field: CUgraphNodeParams_st::reserved0",
    ][::core::mem::offset_of!(CUgraphNodeParams_st, reserved0) - 4usize];
    [
        "Offset of field: CUgraphNodeParams_st::reserved2",
    ][::core::mem::offset_of!(CUgraphNodeParams_st, reserved2) - 248usize];
};
impl Default for CUgraphNodeParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUgraphNodeParams = CUgraphNodeParams_st;
impl CUflushGPUDirectRDMAWritesOptions {
    pub const CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST: CUflushGPUDirectRDMAWritesOptions = CUflushGPUDirectRDMAWritesOptions(
        1,
    );
    pub const CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS: CUflushGPUDirectRDMAWritesOptions = CUflushGPUDirectRDMAWritesOptions(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUflushGPUDirectRDMAWritesOptions(pub ::core::ffi::c_uint);
impl CUGPUDirectRDMAWritesOrdering {
    pub const CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE: CUGPUDirectRDMAWritesOrdering = CUGPUDirectRDMAWritesOrdering(
        0,
    );
    pub const CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER: CUGPUDirectRDMAWritesOrdering = CUGPUDirectRDMAWritesOrdering(
        100,
    );
    pub const CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES: CUGPUDirectRDMAWritesOrdering = CUGPUDirectRDMAWritesOrdering(
        200,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUGPUDirectRDMAWritesOrdering(pub ::core::ffi::c_uint);
impl CUflushGPUDirectRDMAWritesScope {
    pub const CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER: CUflushGPUDirectRDMAWritesScope = CUflushGPUDirectRDMAWritesScope(
        100,
    );
    pub const CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES: CUflushGPUDirectRDMAWritesScope = CUflushGPUDirectRDMAWritesScope(
        200,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUflushGPUDirectRDMAWritesScope(pub ::core::ffi::c_uint);
impl CUflushGPUDirectRDMAWritesTarget {
    pub const CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX: CUflushGPUDirectRDMAWritesTarget = CUflushGPUDirectRDMAWritesTarget(
        0,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUflushGPUDirectRDMAWritesTarget(pub ::core::ffi::c_uint);
impl CUgraphDebugDot_flags {
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        1,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        2,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        4,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        8,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        16,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        32,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        64,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        128,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        256,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        512,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        1024,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        2048,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        4096,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        8192,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        16384,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        32768,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_BATCH_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        65536,
    );
    pub const CU_GRAPH_DEBUG_DOT_FLAGS_FABRIC_CPY_BATCH_NODE_PARAMS: CUgraphDebugDot_flags = CUgraphDebugDot_flags(
        131072,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphDebugDot_flags(pub ::core::ffi::c_uint);
impl CUuserObject_flags {
    pub const CU_USER_OBJECT_NO_DESTRUCTOR_SYNC: CUuserObject_flags = CUuserObject_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUuserObject_flags(pub ::core::ffi::c_uint);
impl CUuserObjectRetain_flags {
    pub const CU_GRAPH_USER_OBJECT_MOVE: CUuserObjectRetain_flags = CUuserObjectRetain_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUuserObjectRetain_flags(pub ::core::ffi::c_uint);
impl CUgraphInstantiate_flags {
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        1,
    );
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        2,
    );
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        4,
    );
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        8,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphInstantiate_flags(pub ::core::ffi::c_uint);
impl CUdeviceNumaConfig {
    pub const CU_DEVICE_NUMA_CONFIG_NONE: CUdeviceNumaConfig = CUdeviceNumaConfig(0);
    pub const CU_DEVICE_NUMA_CONFIG_NUMA_NODE: CUdeviceNumaConfig = CUdeviceNumaConfig(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdeviceNumaConfig(pub ::core::ffi::c_uint);
impl CUprocessState {
    pub const CU_PROCESS_STATE_RUNNING: CUprocessState = CUprocessState(0);
    pub const CU_PROCESS_STATE_LOCKED: CUprocessState = CUprocessState(1);
    pub const CU_PROCESS_STATE_CHECKPOINTED: CUprocessState = CUprocessState(2);
    pub const CU_PROCESS_STATE_FAILED: CUprocessState = CUprocessState(3);
    pub const CU_PROCESS_STATE_CHECKPOINTING: CUprocessState = CUprocessState(4);
    pub const CU_PROCESS_STATE_RESTORING: CUprocessState = CUprocessState(5);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUprocessState(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcheckpointCustomStoragePerDeviceData_st {
    pub devPtr: CUdeviceptr,
    pub size: usize,
    pub stream: CUstream,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUcheckpointCustomStoragePerDeviceData_st",
    ][::core::mem::size_of::<CUcheckpointCustomStoragePerDeviceData_st>() - 24usize];
    [
        "Alignment of CUcheckpointCustomStoragePerDeviceData_st",
    ][::core::mem::align_of::<CUcheckpointCustomStoragePerDeviceData_st>() - 8usize];
    [
        "Offset of field: CUcheckpointCustomStoragePerDeviceData_st::devPtr",
    ][::core::mem::offset_of!(CUcheckpointCustomStoragePerDeviceData_st, devPtr)
        - 0usize];
    [
        "Offset of field: CUcheckpointCustomStoragePerDeviceData_st::size",
    ][::core::mem::offset_of!(CUcheckpointCustomStoragePerDeviceData_st, size) - 8usize];
    [
        "Offset of field: CUcheckpointCustomStoragePerDeviceData_st::stream",
    ][::core::mem::offset_of!(CUcheckpointCustomStoragePerDeviceData_st, stream)
        - 16usize];
};
impl Default for CUcheckpointCustomStoragePerDeviceData_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUcheckpointCustomStoragePerDeviceData = CUcheckpointCustomStoragePerDeviceData_st;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUIcheckpointOperation_st {
    _unused: [u8; 0],
}
pub type CUcheckpointOperationHandle = *mut CUIcheckpointOperation_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcheckpointCustomStorageInfo_st {
    pub handle: CUcheckpointOperationHandle,
    pub perDeviceData: *mut CUcheckpointCustomStoragePerDeviceData,
    pub deviceCount: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUcheckpointCustomStorageInfo_st",
    ][::core::mem::size_of::<CUcheckpointCustomStorageInfo_st>() - 24usize];
    [
        "Alignment of CUcheckpointCustomStorageInfo_st",
    ][::core::mem::align_of::<CUcheckpointCustomStorageInfo_st>() - 8usize];
    [
        "Offset of field: CUcheckpointCustomStorageInfo_st::handle",
    ][::core::mem::offset_of!(CUcheckpointCustomStorageInfo_st, handle) - 0usize];
    [
        "Offset of field: CUcheckpointCustomStorageInfo_st::perDeviceData",
    ][::core::mem::offset_of!(CUcheckpointCustomStorageInfo_st, perDeviceData) - 8usize];
    [
        "Offset of field: CUcheckpointCustomStorageInfo_st::deviceCount",
    ][::core::mem::offset_of!(CUcheckpointCustomStorageInfo_st, deviceCount) - 16usize];
};
impl Default for CUcheckpointCustomStorageInfo_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUcheckpointCustomStorageInfo = CUcheckpointCustomStorageInfo_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcheckpointLockArgs_st {
    pub timeoutMs: ::core::ffi::c_uint,
    pub reserved0: ::core::ffi::c_uint,
    pub reserved1: [cuuint64_t; 7usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUcheckpointLockArgs_st",
    ][::core::mem::size_of::<CUcheckpointLockArgs_st>() - 64usize];
    [
        "Alignment of CUcheckpointLockArgs_st",
    ][::core::mem::align_of::<CUcheckpointLockArgs_st>() - 8usize];
    [
        "Offset of field: CUcheckpointLockArgs_st::timeoutMs",
    ][::core::mem::offset_of!(CUcheckpointLockArgs_st, timeoutMs) - 0usize];
    [
        "Offset of field: CUcheckpointLockArgs_st::reserved0",
    ][::core::mem::offset_of!(CUcheckpointLockArgs_st, reserved0) - 4usize];
    [
        "Offset of field: CUcheckpointLockArgs_st::reserved1",
    ][::core::mem::offset_of!(CUcheckpointLockArgs_st, reserved1) - 8usize];
};
pub type CUcheckpointLockArgs = CUcheckpointLockArgs_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcheckpointCheckpointArgs_st {
    pub customStorageInfo_out: *mut *mut CUcheckpointCustomStorageInfo,
    pub reserved: [::core::ffi::c_char; 56usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUcheckpointCheckpointArgs_st",
    ][::core::mem::size_of::<CUcheckpointCheckpointArgs_st>() - 64usize];
    [
        "Alignment of CUcheckpointCheckpointArgs_st",
    ][::core::mem::align_of::<CUcheckpointCheckpointArgs_st>() - 8usize];
    [
        "Offset of field: CUcheckpointCheckpointArgs_st::customStorageInfo_out",
    ][::core::mem::offset_of!(CUcheckpointCheckpointArgs_st, customStorageInfo_out)
        - 0usize];
    [
        "Offset of field: CUcheckpointCheckpointArgs_st::reserved",
    ][::core::mem::offset_of!(CUcheckpointCheckpointArgs_st, reserved) - 8usize];
};
impl Default for CUcheckpointCheckpointArgs_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUcheckpointCheckpointArgs = CUcheckpointCheckpointArgs_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcheckpointGpuPair_st {
    pub oldUuid: CUuuid,
    pub newUuid: CUuuid,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUcheckpointGpuPair_st",
    ][::core::mem::size_of::<CUcheckpointGpuPair_st>() - 32usize];
    [
        "Alignment of CUcheckpointGpuPair_st",
    ][::core::mem::align_of::<CUcheckpointGpuPair_st>() - 1usize];
    [
        "Offset of field: CUcheckpointGpuPair_st::oldUuid",
    ][::core::mem::offset_of!(CUcheckpointGpuPair_st, oldUuid) - 0usize];
    [
        "Offset of field: CUcheckpointGpuPair_st::newUuid",
    ][::core::mem::offset_of!(CUcheckpointGpuPair_st, newUuid) - 16usize];
};
pub type CUcheckpointGpuPair = CUcheckpointGpuPair_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcheckpointRestoreArgs_st {
    pub gpuPairs: *mut CUcheckpointGpuPair,
    pub gpuPairsCount: ::core::ffi::c_uint,
    pub padding0: ::core::ffi::c_uint,
    pub customStorageInfo_out: *mut *mut CUcheckpointCustomStorageInfo,
    pub reserved: [::core::ffi::c_char; 40usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUcheckpointRestoreArgs_st",
    ][::core::mem::size_of::<CUcheckpointRestoreArgs_st>() - 64usize];
    [
        "Alignment of CUcheckpointRestoreArgs_st",
    ][::core::mem::align_of::<CUcheckpointRestoreArgs_st>() - 8usize];
    [
        "Offset of field: CUcheckpointRestoreArgs_st::gpuPairs",
    ][::core::mem::offset_of!(CUcheckpointRestoreArgs_st, gpuPairs) - 0usize];
    [
        "Offset of field: CUcheckpointRestoreArgs_st::gpuPairsCount",
    ][::core::mem::offset_of!(CUcheckpointRestoreArgs_st, gpuPairsCount) - 8usize];
    [
        "Offset of field: CUcheckpointRestoreArgs_st::padding0",
    ][::core::mem::offset_of!(CUcheckpointRestoreArgs_st, padding0) - 12usize];
    [
        "Offset of field: CUcheckpointRestoreArgs_st::customStorageInfo_out",
    ][::core::mem::offset_of!(CUcheckpointRestoreArgs_st, customStorageInfo_out)
        - 16usize];
    [
        "Offset of field: CUcheckpointRestoreArgs_st::reserved",
    ][::core::mem::offset_of!(CUcheckpointRestoreArgs_st, reserved) - 24usize];
};
impl Default for CUcheckpointRestoreArgs_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUcheckpointRestoreArgs = CUcheckpointRestoreArgs_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcheckpointUnlockArgs_st {
    pub reserved: [cuuint64_t; 8usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUcheckpointUnlockArgs_st",
    ][::core::mem::size_of::<CUcheckpointUnlockArgs_st>() - 64usize];
    [
        "Alignment of CUcheckpointUnlockArgs_st",
    ][::core::mem::align_of::<CUcheckpointUnlockArgs_st>() - 8usize];
    [
        "Offset of field: CUcheckpointUnlockArgs_st::reserved",
    ][::core::mem::offset_of!(CUcheckpointUnlockArgs_st, reserved) - 0usize];
};
pub type CUcheckpointUnlockArgs = CUcheckpointUnlockArgs_st;
unsafe extern "C" {
    pub fn cuGetErrorString(
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGetErrorName(
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuInit(Flags: ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDriverGetVersion(driverVersion: *mut ::core::ffi::c_int) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGet(device: *mut CUdevice, ordinal: ::core::ffi::c_int) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetCount(count: *mut ::core::ffi::c_int) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetName(
        name: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetLuid(
        luid: *mut ::core::ffi::c_char,
        deviceNodeMask: *mut ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetTexture1DLinearMaxWidth(
        maxWidthInElements: *mut usize,
        format: CUarray_format,
        numChannels: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetAttribute(
        pi: *mut ::core::ffi::c_int,
        attrib: CUdevice_attribute,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetHostAtomicCapabilities(
        capabilities: *mut ::core::ffi::c_uint,
        operations: *const CUatomicOperation,
        count: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetNvSciSyncAttributes(
        nvSciSyncAttrList: *mut ::core::ffi::c_void,
        dev: CUdevice,
        flags: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetDefaultMemPool(
        pool_out: *mut CUmemoryPool,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetExecAffinitySupport(
        pi: *mut ::core::ffi::c_int,
        type_: CUexecAffinityType,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFlushGPUDirectRDMAWrites(
        target: CUflushGPUDirectRDMAWritesTarget,
        scope: CUflushGPUDirectRDMAWritesScope,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceComputeCapability(
        major: *mut ::core::ffi::c_int,
        minor: *mut ::core::ffi::c_int,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxSetFlags_v2(
        dev: CUdevice,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxGetState(
        dev: CUdevice,
        flags: *mut ::core::ffi::c_uint,
        active: *mut ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxCreate_v4(
        pctx: *mut CUcontext,
        ctxCreateParams: *mut CUctxCreateParams,
        flags: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxDestroy_v2(ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxPushCurrent_v2(ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxPopCurrent_v2(pctx: *mut CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxSetCurrent(ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetCurrent(pctx: *mut CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetDevice(device: *mut CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetFlags(flags: *mut ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxSetFlags(flags: ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetId(ctx: CUcontext, ctxId: *mut ::core::ffi::c_ulonglong) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxSynchronize() -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxSynchronize_v2(ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxSetLimit(limit: CUlimit, value: usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetCacheConfig(pconfig: *mut CUfunc_cache) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxSetCacheConfig(config: CUfunc_cache) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetApiVersion(
        ctx: CUcontext,
        version: *mut ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetStreamPriorityRange(
        leastPriority: *mut ::core::ffi::c_int,
        greatestPriority: *mut ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxResetPersistingL2Cache() -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetExecAffinity(
        pExecAffinity: *mut CUexecAffinityParam,
        type_: CUexecAffinityType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxAttach(pctx: *mut CUcontext, flags: ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxDetach(ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxSetSharedMemConfig(config: CUsharedconfig) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleLoad(
        module: *mut CUmodule,
        fname: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleLoadData(
        module: *mut CUmodule,
        image: *const ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const ::core::ffi::c_void,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleLoadFatBinary(
        module: *mut CUmodule,
        fatCubin: *const ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleUnload(hmod: CUmodule) -> CUresult;
}
impl CUmoduleLoadingMode {
    pub const CU_MODULE_EAGER_LOADING: CUmoduleLoadingMode = CUmoduleLoadingMode(1);
    pub const CU_MODULE_LAZY_LOADING: CUmoduleLoadingMode = CUmoduleLoadingMode(2);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmoduleLoadingMode(pub ::core::ffi::c_uint);
unsafe extern "C" {
    pub fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleGetFunction(
        hfunc: *mut CUfunction,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleGetFunctionCount(
        count: *mut ::core::ffi::c_uint,
        mod_: CUmodule,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleEnumerateFunctions(
        functions: *mut CUfunction,
        numFunctions: ::core::ffi::c_uint,
        mod_: CUmodule,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleGetGlobal_v2(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkCreate_v2(
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
        stateOut: *mut CUlinkState,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkAddData_v2(
        state: CUlinkState,
        type_: CUjitInputType,
        data: *mut ::core::ffi::c_void,
        size: usize,
        name: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkAddFile_v2(
        state: CUlinkState,
        type_: CUjitInputType,
        path: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkComplete(
        state: CUlinkState,
        cubinOut: *mut *mut ::core::ffi::c_void,
        sizeOut: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkDestroy(state: CUlinkState) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleGetTexRef(
        pTexRef: *mut CUtexref,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleGetSurfRef(
        pSurfRef: *mut CUsurfref,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryLoadData(
        library: *mut CUlibrary,
        code: *const ::core::ffi::c_void,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut ::core::ffi::c_void,
        numJitOptions: ::core::ffi::c_uint,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut ::core::ffi::c_void,
        numLibraryOptions: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryLoadFromFile(
        library: *mut CUlibrary,
        fileName: *const ::core::ffi::c_char,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut ::core::ffi::c_void,
        numJitOptions: ::core::ffi::c_uint,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut ::core::ffi::c_void,
        numLibraryOptions: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryUnload(library: CUlibrary) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryGetKernel(
        pKernel: *mut CUkernel,
        library: CUlibrary,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryGetKernelCount(
        count: *mut ::core::ffi::c_uint,
        lib: CUlibrary,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryEnumerateKernels(
        kernels: *mut CUkernel,
        numKernels: ::core::ffi::c_uint,
        lib: CUlibrary,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryGetGlobal(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryGetManaged(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLibraryGetUnifiedFunction(
        fptr: *mut *mut ::core::ffi::c_void,
        library: CUlibrary,
        symbol: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelGetAttribute(
        pi: *mut ::core::ffi::c_int,
        attrib: CUfunction_attribute,
        kernel: CUkernel,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelSetAttribute(
        attrib: CUfunction_attribute,
        val: ::core::ffi::c_int,
        kernel: CUkernel,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelSetCacheConfig(
        kernel: CUkernel,
        config: CUfunc_cache,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelGetName(
        name: *mut *const ::core::ffi::c_char,
        hfunc: CUkernel,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelGetParamInfo(
        kernel: CUkernel,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuKernelGetParamCount(kernel: CUkernel, paramCount: *mut usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocPitch_v2(
        dptr: *mut CUdeviceptr,
        pPitch: *mut usize,
        WidthInBytes: usize,
        Height: usize,
        ElementSizeBytes: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetAddressRange_v2(
        pbase: *mut CUdeviceptr,
        psize: *mut usize,
        dptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocHost_v2(
        pp: *mut *mut ::core::ffi::c_void,
        bytesize: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemFreeHost(p: *mut ::core::ffi::c_void) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemHostAlloc(
        pp: *mut *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemHostGetDevicePointer_v2(
        pdptr: *mut CUdeviceptr,
        p: *mut ::core::ffi::c_void,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemHostGetFlags(
        pFlags: *mut ::core::ffi::c_uint,
        p: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocManaged(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceRegisterAsyncNotification(
        device: CUdevice,
        callbackFunc: CUasyncCallback,
        userData: *mut ::core::ffi::c_void,
        callback: *mut CUasyncCallbackHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceUnregisterAsyncNotification(
        device: CUdevice,
        callback: CUasyncCallbackHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetByPCIBusId(
        dev: *mut CUdevice,
        pciBusId: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetPCIBusId(
        pciBusId: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuIpcGetEventHandle(
        pHandle: *mut CUipcEventHandle,
        event: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuIpcOpenEventHandle(
        phEvent: *mut CUevent,
        handle: CUipcEventHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuIpcGetMemHandle(
        pHandle: *mut CUipcMemHandle,
        dptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuIpcOpenMemHandle_v2(
        pdptr: *mut CUdeviceptr,
        handle: CUipcMemHandle,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuIpcCloseMemHandle(dptr: CUdeviceptr) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemHostRegister_v2(
        p: *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemHostUnregister(p: *mut ::core::ffi::c_void) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyPeer(
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoD_v2(
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoH_v2(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoD_v2(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoA_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoD_v2(
        dstDevice: CUdeviceptr,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoA_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoH_v2(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoA_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DPeer(pCopy: *const CUDA_MEMCPY3D_PEER) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAsync(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyPeerAsync(
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoHAsync_v2(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoAAsync_v2(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoHAsync_v2(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2DAsync_v2(
        pCopy: *const CUDA_MEMCPY2D,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DAsync_v2(
        pCopy: *const CUDA_MEMCPY3D,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DPeerAsync(
        pCopy: *const CUDA_MEMCPY3D_PEER,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyBatchAsync_v2(
        dsts: *mut CUdeviceptr,
        srcs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes,
        attrsIdxs: *mut usize,
        numAttrs: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DBatchAsync_v2(
        numOps: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyWithAttributesAsync(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        size: usize,
        attr: *mut CUmemcpyAttributes,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DWithAttributesAsync(
        op: *mut CUDA_MEMCPY3D_BATCH_OP,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD8_v2(
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD16_v2(
        dstDevice: CUdeviceptr,
        us: ::core::ffi::c_ushort,
        N: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD32_v2(
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D8_v2(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D16_v2(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D32_v2(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD8Async(
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD16Async(
        dstDevice: CUdeviceptr,
        us: ::core::ffi::c_ushort,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD32Async(
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D8Async(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D16Async(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D32Async(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayCreate_v2(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayGetDescriptor_v2(
        pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR,
        hArray: CUarray,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayGetSparseProperties(
        sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES,
        array: CUarray,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMipmappedArrayGetSparseProperties(
        sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES,
        mipmap: CUmipmappedArray,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayGetMemoryRequirements(
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
        array: CUarray,
        device: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMipmappedArrayGetMemoryRequirements(
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
        mipmap: CUmipmappedArray,
        device: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayGetPlane(
        pPlaneArray: *mut CUarray,
        hArray: CUarray,
        planeIdx: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayDestroy(hArray: CUarray) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArray3DCreate_v2(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArray3DGetDescriptor_v2(
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR,
        hArray: CUarray,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMipmappedArrayCreate(
        pHandle: *mut CUmipmappedArray,
        pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR,
        numMipmapLevels: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMipmappedArrayGetLevel(
        pLevelArray: *mut CUarray,
        hMipmappedArray: CUmipmappedArray,
        level: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetHandleForAddressRange(
        handle: *mut ::core::ffi::c_void,
        dptr: CUdeviceptr,
        size: usize,
        handleType: CUmemRangeHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
impl CUmemDecompressAlgorithm {
    pub const CU_MEM_DECOMPRESS_UNSUPPORTED: CUmemDecompressAlgorithm = CUmemDecompressAlgorithm(
        0,
    );
    pub const CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE: CUmemDecompressAlgorithm = CUmemDecompressAlgorithm(
        1,
    );
    pub const CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY: CUmemDecompressAlgorithm = CUmemDecompressAlgorithm(
        2,
    );
    pub const CU_MEM_DECOMPRESS_ALGORITHM_LZ4: CUmemDecompressAlgorithm = CUmemDecompressAlgorithm(
        4,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemDecompressAlgorithm(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemDecompressParams_st {
    pub srcNumBytes: usize,
    pub dstNumBytes: usize,
    pub dstActBytes: *mut cuuint32_t,
    pub src: *const ::core::ffi::c_void,
    pub dst: *mut ::core::ffi::c_void,
    pub algo: CUmemDecompressAlgorithm,
    pub padding: [::core::ffi::c_uchar; 20usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemDecompressParams_st",
    ][::core::mem::size_of::<CUmemDecompressParams_st>() - 64usize];
    [
        "Alignment of CUmemDecompressParams_st",
    ][::core::mem::align_of::<CUmemDecompressParams_st>() - 8usize];
    [
        "Offset of field: CUmemDecompressParams_st::srcNumBytes",
    ][::core::mem::offset_of!(CUmemDecompressParams_st, srcNumBytes) - 0usize];
    [
        "Offset of field: CUmemDecompressParams_st::dstNumBytes",
    ][::core::mem::offset_of!(CUmemDecompressParams_st, dstNumBytes) - 8usize];
    [
        "Offset of field: CUmemDecompressParams_st::dstActBytes",
    ][::core::mem::offset_of!(CUmemDecompressParams_st, dstActBytes) - 16usize];
    [
        "Offset of field: CUmemDecompressParams_st::src",
    ][::core::mem::offset_of!(CUmemDecompressParams_st, src) - 24usize];
    [
        "Offset of field: CUmemDecompressParams_st::dst",
    ][::core::mem::offset_of!(CUmemDecompressParams_st, dst) - 32usize];
    [
        "Offset of field: CUmemDecompressParams_st::algo",
    ][::core::mem::offset_of!(CUmemDecompressParams_st, algo) - 40usize];
    [
        "Offset of field: CUmemDecompressParams_st::padding",
    ][::core::mem::offset_of!(CUmemDecompressParams_st, padding) - 44usize];
};
impl Default for CUmemDecompressParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemDecompressParams = CUmemDecompressParams_st;
unsafe extern "C" {
    pub fn cuMemBatchDecompressAsync(
        paramsArray: *mut CUmemDecompressParams,
        count: usize,
        flags: ::core::ffi::c_uint,
        errorIndex: *mut usize,
        stream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAddressReserve(
        ptr: *mut CUdeviceptr,
        size: usize,
        alignment: usize,
        addr: CUdeviceptr,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAddressFree(ptr: CUdeviceptr, size: usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemCreate(
        handle: *mut CUmemGenericAllocationHandle,
        size: usize,
        prop: *const CUmemAllocationProp,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemMap(
        ptr: CUdeviceptr,
        size: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemMapArrayAsync(
        mapInfoList: *mut CUarrayMapInfo,
        count: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemUnmap(ptr: CUdeviceptr, size: usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemSetAccess(
        ptr: CUdeviceptr,
        size: usize,
        desc: *const CUmemAccessDesc,
        count: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetAccess(
        flags: *mut ::core::ffi::c_ulonglong,
        location: *const CUmemLocation,
        ptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemExportToShareableHandle(
        shareableHandle: *mut ::core::ffi::c_void,
        handle: CUmemGenericAllocationHandle,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemImportFromShareableHandle(
        handle: *mut CUmemGenericAllocationHandle,
        osHandle: *mut ::core::ffi::c_void,
        shHandleType: CUmemAllocationHandleType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetAllocationGranularity(
        granularity: *mut usize,
        prop: *const CUmemAllocationProp,
        option: CUmemAllocationGranularity_flags,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetAllocationPropertiesFromHandle(
        prop: *mut CUmemAllocationProp,
        handle: CUmemGenericAllocationHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemRetainAllocationHandle(
        handle: *mut CUmemGenericAllocationHandle,
        addr: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocAsync(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolSetAttribute(
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolGetAttribute(
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolSetAccess(
        pool: CUmemoryPool,
        map: *const CUmemAccessDesc,
        count: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolGetAccess(
        flags: *mut CUmemAccess_flags,
        memPool: CUmemoryPool,
        location: *mut CUmemLocation,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolCreate(
        pool: *mut CUmemoryPool,
        poolProps: *const CUmemPoolProps,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolDestroy(pool: CUmemoryPool) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetDefaultMemPool(
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetMemPool(
        pool: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemSetMemPool(
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
        pool: CUmemoryPool,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocFromPoolAsync(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolExportToShareableHandle(
        handle_out: *mut ::core::ffi::c_void,
        pool: CUmemoryPool,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolImportFromShareableHandle(
        pool_out: *mut CUmemoryPool,
        handle: *mut ::core::ffi::c_void,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolExportPointer(
        shareData_out: *mut CUmemPoolPtrExportData,
        ptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPoolImportPointer(
        ptr_out: *mut CUdeviceptr,
        pool: CUmemoryPool,
        shareData: *mut CUmemPoolPtrExportData,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastCreate(
        mcHandle: *mut CUmemGenericAllocationHandle,
        prop: *const CUmulticastObjectProp,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastAddDevice(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastBindMem(
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: usize,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastBindMem_v2(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: usize,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastBindAddr(
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memptr: CUdeviceptr,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastBindAddr_v2(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        memptr: CUdeviceptr,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastUnbind(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        size: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMulticastGetGranularity(
        granularity: *mut usize,
        prop: *const CUmulticastObjectProp,
        option: CUmulticastGranularity_flags,
    ) -> CUresult;
}
impl CUcliqueType {
    pub const CU_CLIQUE_TYPE_UNICAST_POINTER: CUcliqueType = CUcliqueType(0);
    pub const CU_CLIQUE_TYPE_MULTICAST_POINTER: CUcliqueType = CUcliqueType(1);
    pub const CU_CLIQUE_TYPE_UNICAST_LOGICAL_ENDPOINT: CUcliqueType = CUcliqueType(2);
    pub const CU_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT: CUcliqueType = CUcliqueType(3);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcliqueType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcliqueInfo_st {
    pub type_: CUcliqueType,
    pub id: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUcliqueInfo_st"][::core::mem::size_of::<CUcliqueInfo_st>() - 8usize];
    [
        "Alignment of CUcliqueInfo_st",
    ][::core::mem::align_of::<CUcliqueInfo_st>() - 4usize];
    [
        "Offset of field: CUcliqueInfo_st::type_",
    ][::core::mem::offset_of!(CUcliqueInfo_st, type_) - 0usize];
    [
        "Offset of field: CUcliqueInfo_st::id",
    ][::core::mem::offset_of!(CUcliqueInfo_st, id) - 4usize];
};
impl Default for CUcliqueInfo_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUcliqueInfo = CUcliqueInfo_st;
unsafe extern "C" {
    pub fn cuDeviceGetFabricClusterUuid(uuid: *mut CUuuid, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetCliqueCount(count: *mut usize, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetCliqueInfo(
        cliqueInfo: *mut CUcliqueInfo,
        count: *mut usize,
        dev: CUdevice,
    ) -> CUresult;
}
pub type CUlogicalEndpointId = cuuint32_t;
impl CUlogicalEndpointIpcHandleType {
    pub const CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE: CUlogicalEndpointIpcHandleType = CUlogicalEndpointIpcHandleType(
        0,
    );
    pub const CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC: CUlogicalEndpointIpcHandleType = CUlogicalEndpointIpcHandleType(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogicalEndpointIpcHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogicalEndpointFabricHandle_st {
    pub data: [::core::ffi::c_uchar; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlogicalEndpointFabricHandle_st",
    ][::core::mem::size_of::<CUlogicalEndpointFabricHandle_st>() - 64usize];
    [
        "Alignment of CUlogicalEndpointFabricHandle_st",
    ][::core::mem::align_of::<CUlogicalEndpointFabricHandle_st>() - 1usize];
    [
        "Offset of field: CUlogicalEndpointFabricHandle_st::data",
    ][::core::mem::offset_of!(CUlogicalEndpointFabricHandle_st, data) - 0usize];
};
impl Default for CUlogicalEndpointFabricHandle_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUlogicalEndpointFabricHandle = CUlogicalEndpointFabricHandle_st;
impl CUlogicalEndpointType {
    pub const CU_LOGICAL_ENDPOINT_TYPE_INVALID: CUlogicalEndpointType = CUlogicalEndpointType(
        0,
    );
    pub const CU_LOGICAL_ENDPOINT_TYPE_UNICAST: CUlogicalEndpointType = CUlogicalEndpointType(
        1,
    );
    pub const CU_LOGICAL_ENDPOINT_TYPE_MULTICAST: CUlogicalEndpointType = CUlogicalEndpointType(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogicalEndpointType(pub ::core::ffi::c_uint);
impl CUlogicalEndpointFlag {
    pub const CU_LOGICAL_ENDPOINT_FLAG_NONE: CUlogicalEndpointFlag = CUlogicalEndpointFlag(
        0,
    );
    pub const CU_LOGICAL_ENDPOINT_FLAG_COUNTED_OPS: CUlogicalEndpointFlag = CUlogicalEndpointFlag(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogicalEndpointFlag(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUlogicalEndpointProp_struct {
    pub type_: CUlogicalEndpointType,
    pub __bindgen_anon_1: CUlogicalEndpointProp_struct__bindgen_ty_1,
    pub size: ::core::ffi::c_ulonglong,
    pub ipcHandleTypes: ::core::ffi::c_uint,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUlogicalEndpointProp_struct__bindgen_ty_1 {
    pub unicast: CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1,
    pub multicast: CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1 {
    pub device: CUdevice,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1>()
        - 4usize];
    [
        "Alignment of CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1>()
        - 4usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1::device",
    ][::core::mem::offset_of!(
        CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_1, device
    ) - 0usize];
};
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2 {
    pub numDevices: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2>()
        - 4usize];
    [
        "Alignment of CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2>()
        - 4usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2::numDevices",
    ][::core::mem::offset_of!(
        CUlogicalEndpointProp_struct__bindgen_ty_1__bindgen_ty_2, numDevices
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlogicalEndpointProp_struct__bindgen_ty_1",
    ][::core::mem::size_of::<CUlogicalEndpointProp_struct__bindgen_ty_1>() - 4usize];
    [
        "Alignment of CUlogicalEndpointProp_struct__bindgen_ty_1",
    ][::core::mem::align_of::<CUlogicalEndpointProp_struct__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct__bindgen_ty_1::unicast",
    ][::core::mem::offset_of!(CUlogicalEndpointProp_struct__bindgen_ty_1, unicast)
        - 0usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct__bindgen_ty_1::multicast",
    ][::core::mem::offset_of!(CUlogicalEndpointProp_struct__bindgen_ty_1, multicast)
        - 0usize];
};
impl Default for CUlogicalEndpointProp_struct__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlogicalEndpointProp_struct",
    ][::core::mem::size_of::<CUlogicalEndpointProp_struct>() - 24usize];
    [
        "Alignment of CUlogicalEndpointProp_struct",
    ][::core::mem::align_of::<CUlogicalEndpointProp_struct>() - 8usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct::type_",
    ][::core::mem::offset_of!(CUlogicalEndpointProp_struct, type_) - 0usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct::size",
    ][::core::mem::offset_of!(CUlogicalEndpointProp_struct, size) - 8usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct::ipcHandleTypes",
    ][::core::mem::offset_of!(CUlogicalEndpointProp_struct, ipcHandleTypes) - 16usize];
    [
        "Offset of field: CUlogicalEndpointProp_struct::flags",
    ][::core::mem::offset_of!(CUlogicalEndpointProp_struct, flags) - 20usize];
};
impl Default for CUlogicalEndpointProp_struct {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUlogicalEndpointProp = CUlogicalEndpointProp_struct;
unsafe extern "C" {
    pub fn cuLogicalEndpointIdReserve(
        baseLeId: *mut CUlogicalEndpointId,
        count: cuuint32_t,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointIdRelease(
        baseLeId: CUlogicalEndpointId,
        count: cuuint32_t,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointCreate(
        leId: CUlogicalEndpointId,
        prop: *const CUlogicalEndpointProp,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointAddDevice(
        leId: CUlogicalEndpointId,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointDestroy(leId: CUlogicalEndpointId) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointBindAddr(
        leId: CUlogicalEndpointId,
        dev: CUdevice,
        offset: cuuint64_t,
        ptr: *mut ::core::ffi::c_void,
        size: cuuint64_t,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointBindMem(
        leId: CUlogicalEndpointId,
        dev: CUdevice,
        offset: cuuint64_t,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: cuuint64_t,
        size: cuuint64_t,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointUnbind(
        leId: CUlogicalEndpointId,
        dev: CUdevice,
        offset: cuuint64_t,
        size: cuuint64_t,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointExport(
        handle: *mut ::core::ffi::c_void,
        leId: CUlogicalEndpointId,
        handleType: CUlogicalEndpointIpcHandleType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointImport(
        leId: CUlogicalEndpointId,
        handle: *const ::core::ffi::c_void,
        handleType: CUlogicalEndpointIpcHandleType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointGetLimits(
        bindAlignment: *mut cuuint64_t,
        maxSize: *mut cuuint64_t,
        prop: *const CUlogicalEndpointProp,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogicalEndpointQuery(
        leId: CUlogicalEndpointId,
        count: cuuint32_t,
        queryStatus: *mut ::core::ffi::c_int,
    ) -> CUresult;
}
impl CUfabricCpyOperandType {
    pub const CU_FABRIC_COPY_OPERAND_TYPE_POINTER: CUfabricCpyOperandType = CUfabricCpyOperandType(
        1,
    );
    pub const CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT: CUfabricCpyOperandType = CUfabricCpyOperandType(
        2,
    );
    pub const CU_FABRIC_COPY_OPERAND_TYPE_MAX: CUfabricCpyOperandType = CUfabricCpyOperandType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfabricCpyOperandType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUfabricCpyOperand_st {
    pub type_: CUfabricCpyOperandType,
    pub op: CUfabricCpyOperand_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUfabricCpyOperand_st__bindgen_ty_1 {
    pub ptr: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1,
    pub le: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1 {
    pub ptr: CUdeviceptr,
    pub locHint: CUmemLocation,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1>()
        - 16usize];
    [
        "Alignment of CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1::ptr",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1, ptr)
        - 0usize];
    [
        "Offset of field: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1::locHint",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1, locHint)
        - 8usize];
};
impl Default for CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2 {
    pub id: CUlogicalEndpointId,
    pub offset: cuuint64_t,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2>()
        - 16usize];
    [
        "Alignment of CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2>()
        - 8usize];
    [
        "Offset of field: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2::id",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2, id)
        - 0usize];
    [
        "Offset of field: CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2::offset",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st__bindgen_ty_1__bindgen_ty_2, offset)
        - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUfabricCpyOperand_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUfabricCpyOperand_st__bindgen_ty_1>() - 16usize];
    [
        "Alignment of CUfabricCpyOperand_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUfabricCpyOperand_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: CUfabricCpyOperand_st__bindgen_ty_1::ptr",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st__bindgen_ty_1, ptr) - 0usize];
    [
        "Offset of field: CUfabricCpyOperand_st__bindgen_ty_1::le",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st__bindgen_ty_1, le) - 0usize];
};
impl Default for CUfabricCpyOperand_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUfabricCpyOperand_st",
    ][::core::mem::size_of::<CUfabricCpyOperand_st>() - 24usize];
    [
        "Alignment of CUfabricCpyOperand_st",
    ][::core::mem::align_of::<CUfabricCpyOperand_st>() - 8usize];
    [
        "Offset of field: CUfabricCpyOperand_st::type_",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st, type_) - 0usize];
    [
        "Offset of field: CUfabricCpyOperand_st::op",
    ][::core::mem::offset_of!(CUfabricCpyOperand_st, op) - 8usize];
};
impl Default for CUfabricCpyOperand_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUfabricCpyOperand = CUfabricCpyOperand_st;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_FABRIC_COPY_BATCH_OP_st {
    pub src: CUfabricCpyOperand,
    pub dst: CUfabricCpyOperand,
    pub size: usize,
    pub flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_FABRIC_COPY_BATCH_OP_st",
    ][::core::mem::size_of::<CUDA_FABRIC_COPY_BATCH_OP_st>() - 64usize];
    [
        "Alignment of CUDA_FABRIC_COPY_BATCH_OP_st",
    ][::core::mem::align_of::<CUDA_FABRIC_COPY_BATCH_OP_st>() - 8usize];
    [
        "Offset of field: CUDA_FABRIC_COPY_BATCH_OP_st::src",
    ][::core::mem::offset_of!(CUDA_FABRIC_COPY_BATCH_OP_st, src) - 0usize];
    [
        "Offset of field: CUDA_FABRIC_COPY_BATCH_OP_st::dst",
    ][::core::mem::offset_of!(CUDA_FABRIC_COPY_BATCH_OP_st, dst) - 24usize];
    [
        "Offset of field: CUDA_FABRIC_COPY_BATCH_OP_st::size",
    ][::core::mem::offset_of!(CUDA_FABRIC_COPY_BATCH_OP_st, size) - 48usize];
    [
        "Offset of field: CUDA_FABRIC_COPY_BATCH_OP_st::flags",
    ][::core::mem::offset_of!(CUDA_FABRIC_COPY_BATCH_OP_st, flags) - 56usize];
};
impl Default for CUDA_FABRIC_COPY_BATCH_OP_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
unsafe extern "C" {
    pub fn cuFabricCpyBatchAsync(
        numOps: usize,
        opList: *mut CUDA_FABRIC_COPY_BATCH_OP,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuPointerGetAttribute(
        data: *mut ::core::ffi::c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPrefetchAsync_v2(
        devPtr: CUdeviceptr,
        count: usize,
        location: CUmemLocation,
        flags: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAdvise_v2(
        devPtr: CUdeviceptr,
        count: usize,
        advice: CUmem_advise,
        location: CUmemLocation,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPrefetchBatchAsync(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemDiscardBatchAsync(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemDiscardAndPrefetchBatchAsync(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetLocationInfo(
        ptr: CUdeviceptr,
        size: usize,
        summaryGranularity: usize,
        samplingGranularity: usize,
        location_out: *mut CUmemLocation,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemRangeGetAttribute(
        data: *mut ::core::ffi::c_void,
        dataSize: usize,
        attribute: CUmem_range_attribute,
        devPtr: CUdeviceptr,
        count: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemRangeGetAttributes(
        data: *mut *mut ::core::ffi::c_void,
        dataSizes: *mut usize,
        attributes: *mut CUmem_range_attribute,
        numAttributes: usize,
        devPtr: CUdeviceptr,
        count: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuPointerSetAttribute(
        value: *const ::core::ffi::c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuPointerGetAttributes(
        numAttributes: ::core::ffi::c_uint,
        attributes: *mut CUpointer_attribute,
        data: *mut *mut ::core::ffi::c_void,
        ptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamCreate(
        phStream: *mut CUstream,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamCreateWithPriority(
        phStream: *mut CUstream,
        flags: ::core::ffi::c_uint,
        priority: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCaptureToCig(
        hStream: CUstream,
        streamCigCaptureParams: *mut CUstreamCigCaptureParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamEndCaptureToCig(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetPriority(
        hStream: CUstream,
        priority: *mut ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetFlags(
        hStream: CUstream,
        flags: *mut ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetId(
        hStream: CUstream,
        streamId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCtx_v2(
        hStream: CUstream,
        pCtx: *mut CUcontext,
        pGreenCtx: *mut CUgreenCtx,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitEvent(
        hStream: CUstream,
        hEvent: CUevent,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamAddCallback(
        hStream: CUstream,
        callback: CUstreamCallback,
        userData: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCapture_v2(
        hStream: CUstream,
        mode: CUstreamCaptureMode,
    ) -> CUresult;
}
impl CUgraphRecaptureStatus {
    pub const CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE: CUgraphRecaptureStatus = CUgraphRecaptureStatus(
        0,
    );
    pub const CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE: CUgraphRecaptureStatus = CUgraphRecaptureStatus(
        1,
    );
    pub const CU_GRAPH_RECAPTURE_ERROR: CUgraphRecaptureStatus = CUgraphRecaptureStatus(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphRecaptureStatus(pub ::core::ffi::c_uint);
pub type CUgraphRecaptureCallback = ::core::option::Option<
    unsafe extern "C" fn(
        data: *mut ::core::ffi::c_void,
        node: CUgraphNode,
        originalParams: *const CUgraphNodeParams,
        recaptureParams: *const CUgraphNodeParams,
        status: CUgraphRecaptureStatus,
    ) -> CUresult,
>;
unsafe extern "C" {
    pub fn cuStreamBeginRecaptureToGraph(
        hStream: CUstream,
        mode: CUstreamCaptureMode,
        hGraph: CUgraph,
        callbackFunc: CUgraphRecaptureCallback,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCaptureToGraph(
        hStream: CUstream,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        mode: CUstreamCaptureMode,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamIsCapturing(
        hStream: CUstream,
        captureStatus: *mut CUstreamCaptureStatus,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCaptureInfo_v3(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        edgeData_out: *mut *const CUgraphEdgeData,
        numDependencies_out: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamUpdateCaptureDependencies_v2(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamAttachMemAsync(
        hStream: CUstream,
        dptr: CUdeviceptr,
        length: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamQuery(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamSynchronize(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamDestroy_v2(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamCopyAttributes(dst: CUstream, src: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetAttribute(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value_out: *mut CUstreamAttrValue,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamSetAttribute(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value: *const CUstreamAttrValue,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventCreate(phEvent: *mut CUevent, Flags: ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventRecord(hEvent: CUevent, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventRecordWithFlags(
        hEvent: CUevent,
        hStream: CUstream,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventQuery(hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventSynchronize(hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventDestroy_v2(hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventElapsedTime_v2(
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuImportExternalMemory(
        extMem_out: *mut CUexternalMemory,
        memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuExternalMemoryGetMappedBuffer(
        devPtr: *mut CUdeviceptr,
        extMem: CUexternalMemory,
        bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuExternalMemoryGetMappedMipmappedArray(
        mipmap: *mut CUmipmappedArray,
        extMem: CUexternalMemory,
        mipmapDesc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDestroyExternalMemory(extMem: CUexternalMemory) -> CUresult;
}
unsafe extern "C" {
    pub fn cuImportExternalSemaphore(
        extSem_out: *mut CUexternalSemaphore,
        semHandleDesc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuSignalExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuWaitExternalSemaphoresAsync(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDestroyExternalSemaphore(extSem: CUexternalSemaphore) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue32_v2(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue64_v2(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue32_v2(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue64_v2(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBatchMemOp_v2(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncGetAttribute(
        pi: *mut ::core::ffi::c_int,
        attrib: CUfunction_attribute,
        hfunc: CUfunction,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncSetAttribute(
        hfunc: CUfunction,
        attrib: CUfunction_attribute,
        value: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncGetName(
        name: *mut *const ::core::ffi::c_char,
        hfunc: CUfunction,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncGetParamInfo(
        func: CUfunction,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncGetParamCount(func: CUfunction, paramCount: *mut usize) -> CUresult;
}
impl CUfunctionLoadingState {
    pub const CU_FUNCTION_LOADING_STATE_UNLOADED: CUfunctionLoadingState = CUfunctionLoadingState(
        0,
    );
    pub const CU_FUNCTION_LOADING_STATE_LOADED: CUfunctionLoadingState = CUfunctionLoadingState(
        1,
    );
    pub const CU_FUNCTION_LOADING_STATE_MAX: CUfunctionLoadingState = CUfunctionLoadingState(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUfunctionLoadingState(pub ::core::ffi::c_uint);
unsafe extern "C" {
    pub fn cuFuncIsLoaded(
        state: *mut CUfunctionLoadingState,
        function: CUfunction,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncLoad(function: CUfunction) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchKernel(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        f: CUfunction,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchCooperativeKernel(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchHostFunc(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchHostFunc_v2(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
        syncMode: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncSetBlockShape(
        hfunc: CUfunction,
        x: ::core::ffi::c_int,
        y: ::core::ffi::c_int,
        z: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncSetSharedSize(
        hfunc: CUfunction,
        bytes: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuParamSetSize(hfunc: CUfunction, numbytes: ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuParamSeti(
        hfunc: CUfunction,
        offset: ::core::ffi::c_int,
        value: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuParamSetf(
        hfunc: CUfunction,
        offset: ::core::ffi::c_int,
        value: f32,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuParamSetv(
        hfunc: CUfunction,
        offset: ::core::ffi::c_int,
        ptr: *mut ::core::ffi::c_void,
        numbytes: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunch(f: CUfunction) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchGrid(
        f: CUfunction,
        grid_width: ::core::ffi::c_int,
        grid_height: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchGridAsync(
        f: CUfunction,
        grid_width: ::core::ffi::c_int,
        grid_height: ::core::ffi::c_int,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchCooperativeKernelMultiDevice(
        launchParamsList: *mut CUDA_LAUNCH_PARAMS,
        numDevices: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuParamSetTexRef(
        hfunc: CUfunction,
        texunit: ::core::ffi::c_int,
        hTexRef: CUtexref,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFuncSetSharedMemConfig(
        hfunc: CUfunction,
        config: CUsharedconfig,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphCreate(phGraph: *mut CUgraph, flags: ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddKernelNode_v2(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphKernelNodeGetParams_v2(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphKernelNodeSetParams_v2(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddMemcpyNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        copyParams: *const CUDA_MEMCPY3D,
        ctx: CUcontext,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphMemcpyNodeGetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_MEMCPY3D,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphMemcpyNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_MEMCPY3D,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddMemsetNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphMemsetNodeGetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_MEMSET_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphMemsetNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_MEMSET_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddHostNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphHostNodeGetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_HOST_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphHostNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddChildGraphNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        childGraph: CUgraph,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphChildGraphNodeGetGraph(
        hNode: CUgraphNode,
        phGraph: *mut CUgraph,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddEmptyNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddEventRecordNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphEventRecordNodeGetEvent(
        hNode: CUgraphNode,
        event_out: *mut CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphEventRecordNodeSetEvent(
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddEventWaitNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphEventWaitNodeGetEvent(
        hNode: CUgraphNode,
        event_out: *mut CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphEventWaitNodeSetEvent(hNode: CUgraphNode, event: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddExternalSemaphoresSignalNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExternalSemaphoresSignalNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExternalSemaphoresSignalNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddExternalSemaphoresWaitNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExternalSemaphoresWaitNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExternalSemaphoresWaitNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddBatchMemOpNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphBatchMemOpNodeGetParams(
        hNode: CUgraphNode,
        nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphBatchMemOpNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecBatchMemOpNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddMemAllocNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphMemAllocNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddMemFreeNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        dptr: CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphMemFreeNodeGetParams(
        hNode: CUgraphNode,
        dptr_out: *mut CUdeviceptr,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGraphMemTrim(device: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetGraphMemAttribute(
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceSetGraphMemAttribute(
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeFindInClone(
        phNode: *mut CUgraphNode,
        hOriginalNode: CUgraphNode,
        hClonedGraph: CUgraph,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetType(
        hNode: CUgraphNode,
        type_: *mut CUgraphNodeType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetContainingGraph(
        hNode: CUgraphNode,
        phGraph: *mut CUgraph,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetLocalId(
        hNode: CUgraphNode,
        nodeId: *mut ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetToolsId(
        hNode: CUgraphNode,
        toolsNodeId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphGetId(hGraph: CUgraph, graphId: *mut ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecGetId(
        hGraphExec: CUgraphExec,
        graphId: *mut ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphGetNodes(
        hGraph: CUgraph,
        nodes: *mut CUgraphNode,
        numNodes: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphGetRootNodes(
        hGraph: CUgraph,
        rootNodes: *mut CUgraphNode,
        numRootNodes: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphGetEdges_v2(
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numEdges: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetDependencies_v2(
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependencies: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetDependentNodes_v2(
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependentNodes: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddDependencies_v2(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphRemoveDependencies_v2(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphDestroyNode(hNode: CUgraphNode) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphInstantiateWithFlags(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphInstantiateWithParams(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecGetFlags(
        hGraphExec: CUgraphExec,
        flags: *mut cuuint64_t,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecKernelNodeSetParams_v2(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecMemcpyNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        copyParams: *const CUDA_MEMCPY3D,
        ctx: CUcontext,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecMemsetNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecHostNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecChildGraphNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        childGraph: CUgraph,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecEventRecordNodeSetEvent(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecEventWaitNodeSetEvent(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecExternalSemaphoresSignalNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecExternalSemaphoresWaitNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeSetEnabled(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        isEnabled: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetEnabled(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        isEnabled: *mut ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphUpload(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecDestroy(hGraphExec: CUgraphExec) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphDestroy(hGraph: CUgraph) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecUpdate_v2(
        hGraphExec: CUgraphExec,
        hGraph: CUgraph,
        resultInfo: *mut CUgraphExecUpdateResultInfo,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphKernelNodeCopyAttributes(
        dst: CUgraphNode,
        src: CUgraphNode,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphKernelNodeGetAttribute(
        hNode: CUgraphNode,
        attr: CUkernelNodeAttrID,
        value_out: *mut CUkernelNodeAttrValue,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphKernelNodeSetAttribute(
        hNode: CUgraphNode,
        attr: CUkernelNodeAttrID,
        value: *const CUkernelNodeAttrValue,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphDebugDotPrint(
        hGraph: CUgraph,
        path: *const ::core::ffi::c_char,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuUserObjectCreate(
        object_out: *mut CUuserObject,
        ptr: *mut ::core::ffi::c_void,
        destroy: CUhostFn,
        initialRefcount: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuUserObjectRetain(
        object: CUuserObject,
        count: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuUserObjectRelease(
        object: CUuserObject,
        count: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphRetainUserObject(
        graph: CUgraph,
        object: CUuserObject,
        count: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphReleaseUserObject(
        graph: CUgraph,
        object: CUuserObject,
        count: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddNode_v2(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddNode_v3(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeSetParams_v2(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphConditionalHandleCreate(
        pHandle_out: *mut CUgraphConditionalHandle,
        hGraph: CUgraph,
        ctx: CUcontext,
        defaultLaunchValue: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSize: ::core::ffi::c_int,
        dynamicSMemSize: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSize: ::core::ffi::c_int,
        dynamicSMemSize: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuOccupancyMaxPotentialBlockSize(
        minGridSize: *mut ::core::ffi::c_int,
        blockSize: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize: *mut ::core::ffi::c_int,
        blockSize: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuOccupancyAvailableDynamicSMemPerBlock(
        dynamicSmemSize: *mut usize,
        func: CUfunction,
        numBlocks: ::core::ffi::c_int,
        blockSize: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuOccupancyMaxPotentialClusterSize(
        clusterSize: *mut ::core::ffi::c_int,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuOccupancyMaxActiveClusters(
        numClusters: *mut ::core::ffi::c_int,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetArray(
        hTexRef: CUtexref,
        hArray: CUarray,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetMipmappedArray(
        hTexRef: CUtexref,
        hMipmappedArray: CUmipmappedArray,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetAddress_v2(
        ByteOffset: *mut usize,
        hTexRef: CUtexref,
        dptr: CUdeviceptr,
        bytes: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetAddress2D_v3(
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR,
        dptr: CUdeviceptr,
        Pitch: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetFormat(
        hTexRef: CUtexref,
        fmt: CUarray_format,
        NumPackedComponents: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetAddressMode(
        hTexRef: CUtexref,
        dim: ::core::ffi::c_int,
        am: CUaddress_mode,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetFilterMode(hTexRef: CUtexref, fm: CUfilter_mode) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetMipmapFilterMode(hTexRef: CUtexref, fm: CUfilter_mode) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetMipmapLevelBias(hTexRef: CUtexref, bias: f32) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetMipmapLevelClamp(
        hTexRef: CUtexref,
        minMipmapLevelClamp: f32,
        maxMipmapLevelClamp: f32,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetMaxAnisotropy(
        hTexRef: CUtexref,
        maxAniso: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetBorderColor(hTexRef: CUtexref, pBorderColor: *mut f32) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetFlags(hTexRef: CUtexref, Flags: ::core::ffi::c_uint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetAddress_v2(pdptr: *mut CUdeviceptr, hTexRef: CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetArray(phArray: *mut CUarray, hTexRef: CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetMipmappedArray(
        phMipmappedArray: *mut CUmipmappedArray,
        hTexRef: CUtexref,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetAddressMode(
        pam: *mut CUaddress_mode,
        hTexRef: CUtexref,
        dim: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetFilterMode(pfm: *mut CUfilter_mode, hTexRef: CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetFormat(
        pFormat: *mut CUarray_format,
        pNumChannels: *mut ::core::ffi::c_int,
        hTexRef: CUtexref,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetMipmapFilterMode(
        pfm: *mut CUfilter_mode,
        hTexRef: CUtexref,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetMipmapLevelBias(pbias: *mut f32, hTexRef: CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetMipmapLevelClamp(
        pminMipmapLevelClamp: *mut f32,
        pmaxMipmapLevelClamp: *mut f32,
        hTexRef: CUtexref,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetMaxAnisotropy(
        pmaxAniso: *mut ::core::ffi::c_int,
        hTexRef: CUtexref,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetBorderColor(pBorderColor: *mut f32, hTexRef: CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetFlags(
        pFlags: *mut ::core::ffi::c_uint,
        hTexRef: CUtexref,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefCreate(pTexRef: *mut CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefDestroy(hTexRef: CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuSurfRefSetArray(
        hSurfRef: CUsurfref,
        hArray: CUarray,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuSurfRefGetArray(phArray: *mut CUarray, hSurfRef: CUsurfref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexObjectCreate(
        pTexObject: *mut CUtexObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
        pTexDesc: *const CUDA_TEXTURE_DESC,
        pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexObjectDestroy(texObject: CUtexObject) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexObjectGetResourceDesc(
        pResDesc: *mut CUDA_RESOURCE_DESC,
        texObject: CUtexObject,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexObjectGetTextureDesc(
        pTexDesc: *mut CUDA_TEXTURE_DESC,
        texObject: CUtexObject,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexObjectGetResourceViewDesc(
        pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC,
        texObject: CUtexObject,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuSurfObjectCreate(
        pSurfObject: *mut CUsurfObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuSurfObjectDestroy(surfObject: CUsurfObject) -> CUresult;
}
unsafe extern "C" {
    pub fn cuSurfObjectGetResourceDesc(
        pResDesc: *mut CUDA_RESOURCE_DESC,
        surfObject: CUsurfObject,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTensorMapEncodeTiled(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut ::core::ffi::c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        boxDim: *const cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTensorMapEncodeIm2col(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut ::core::ffi::c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        pixelBoxLowerCorner: *const ::core::ffi::c_int,
        pixelBoxUpperCorner: *const ::core::ffi::c_int,
        channelsPerPixel: cuuint32_t,
        pixelsPerColumn: cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTensorMapEncodeIm2colWide(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut ::core::ffi::c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        pixelBoxLowerCornerWidth: ::core::ffi::c_int,
        pixelBoxUpperCornerWidth: ::core::ffi::c_int,
        channelsPerPixel: cuuint32_t,
        pixelsPerColumn: cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        mode: CUtensorMapIm2ColWideMode,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTensorMapReplaceAddress(
        tensorMap: *mut CUtensorMap,
        globalAddress: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTensorMapSetAllocationClass(
        tensorMap: *mut CUtensorMap,
        allocClass: CUtensorMapAllocClass,
        outAllocClass: *mut CUtensorMapAllocClass,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceCanAccessPeer(
        canAccessPeer: *mut ::core::ffi::c_int,
        dev: CUdevice,
        peerDev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxEnablePeerAccess(
        peerContext: CUcontext,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxDisablePeerAccess(peerContext: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetP2PAttribute(
        value: *mut ::core::ffi::c_int,
        attrib: CUdevice_P2PAttribute,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetP2PAtomicCapabilities(
        capabilities: *mut ::core::ffi::c_uint,
        operations: *const CUatomicOperation,
        count: ::core::ffi::c_uint,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsUnregisterResource(resource: CUgraphicsResource) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsSubResourceGetMappedArray(
        pArray: *mut CUarray,
        resource: CUgraphicsResource,
        arrayIndex: ::core::ffi::c_uint,
        mipLevel: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsResourceGetMappedMipmappedArray(
        pMipmappedArray: *mut CUmipmappedArray,
        resource: CUgraphicsResource,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsResourceGetMappedPointer_v2(
        pDevPtr: *mut CUdeviceptr,
        pSize: *mut usize,
        resource: CUgraphicsResource,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsResourceSetMapFlags_v2(
        resource: CUgraphicsResource,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsMapResources(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsUnmapResources(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGetProcAddress_v2(
        symbol: *const ::core::ffi::c_char,
        pfn: *mut *mut ::core::ffi::c_void,
        cudaVersion: ::core::ffi::c_int,
        flags: cuuint64_t,
        symbolStatus: *mut CUdriverProcAddressQueryResult,
    ) -> CUresult;
}
impl CUcoredumpSettings {
    pub const CU_COREDUMP_ENABLE_ON_EXCEPTION: CUcoredumpSettings = CUcoredumpSettings(
        1,
    );
    pub const CU_COREDUMP_TRIGGER_HOST: CUcoredumpSettings = CUcoredumpSettings(2);
    pub const CU_COREDUMP_LIGHTWEIGHT: CUcoredumpSettings = CUcoredumpSettings(3);
    pub const CU_COREDUMP_ENABLE_USER_TRIGGER: CUcoredumpSettings = CUcoredumpSettings(
        4,
    );
    pub const CU_COREDUMP_FILE: CUcoredumpSettings = CUcoredumpSettings(5);
    pub const CU_COREDUMP_PIPE: CUcoredumpSettings = CUcoredumpSettings(6);
    pub const CU_COREDUMP_GENERATION_FLAGS: CUcoredumpSettings = CUcoredumpSettings(7);
    pub const CU_COREDUMP_MAX: CUcoredumpSettings = CUcoredumpSettings(8);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcoredumpSettings(pub ::core::ffi::c_uint);
impl CUCoredumpGenerationFlags {
    pub const CU_COREDUMP_DEFAULT_FLAGS: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        0,
    );
    pub const CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        1,
    );
    pub const CU_COREDUMP_SKIP_GLOBAL_MEMORY: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        2,
    );
    pub const CU_COREDUMP_SKIP_SHARED_MEMORY: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        4,
    );
    pub const CU_COREDUMP_SKIP_LOCAL_MEMORY: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        8,
    );
    pub const CU_COREDUMP_SKIP_ABORT: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        16,
    );
    pub const CU_COREDUMP_SKIP_CONSTBANK_MEMORY: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        32,
    );
    pub const CU_COREDUMP_GZIP_COMPRESS: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        64,
    );
    pub const CU_COREDUMP_FAULTED_CONTEXTS_ONLY: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        128,
    );
    pub const CU_COREDUMP_SKIP_TENSOR_MEMORY: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        256,
    );
    pub const CU_COREDUMP_NO_ERRBAR_AT_EXIT: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        1073741824,
    );
    pub const CU_COREDUMP_LOG_ONLY: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        -2147483648,
    );
    pub const CU_COREDUMP_LIGHTWEIGHT_FLAGS: CUCoredumpGenerationFlags = CUCoredumpGenerationFlags(
        303,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUCoredumpGenerationFlags(pub ::core::ffi::c_int);
unsafe extern "C" {
    pub fn cuCoredumpGetAttribute(
        attrib: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCoredumpGetAttributeGlobal(
        attrib: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCoredumpSetAttribute(
        attrib: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCoredumpSetAttributeGlobal(
        attrib: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUcoredumpCallbackEntry_st {
    _unused: [u8; 0],
}
pub type CUcoredumpCallbackHandle = *mut CUcoredumpCallbackEntry_st;
pub type CUcoredumpStatusCallback = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        pid: ::core::ffi::c_int,
        dev: CUdevice,
    ),
>;
unsafe extern "C" {
    pub fn cuCoredumpRegisterStartCallback(
        callback: CUcoredumpStatusCallback,
        userData: *mut ::core::ffi::c_void,
        callbackOut: *mut CUcoredumpCallbackHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCoredumpRegisterCompleteCallback(
        callback: CUcoredumpStatusCallback,
        userData: *mut ::core::ffi::c_void,
        callbackOut: *mut CUcoredumpCallbackHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCoredumpDeregisterStartCallback(
        callback: CUcoredumpCallbackHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCoredumpDeregisterCompleteCallback(
        callback: CUcoredumpCallbackHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGetExportTable(
        ppExportTable: *mut *const ::core::ffi::c_void,
        pExportTableId: *const CUuuid,
    ) -> CUresult;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUdevResourceDesc_st {
    _unused: [u8; 0],
}
pub type CUdevResourceDesc = *mut CUdevResourceDesc_st;
impl CUgreenCtxCreate_flags {
    pub const CU_GREEN_CTX_NONE: CUgreenCtxCreate_flags = CUgreenCtxCreate_flags(0);
    pub const CU_GREEN_CTX_DEFAULT_STREAM: CUgreenCtxCreate_flags = CUgreenCtxCreate_flags(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgreenCtxCreate_flags(pub ::core::ffi::c_uint);
impl CUdevSmResourceGroup_flags {
    pub const CU_DEV_SM_RESOURCE_GROUP_DEFAULT: CUdevSmResourceGroup_flags = CUdevSmResourceGroup_flags(
        0,
    );
    pub const CU_DEV_SM_RESOURCE_GROUP_BACKFILL: CUdevSmResourceGroup_flags = CUdevSmResourceGroup_flags(
        1,
    );
    pub const CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID: CUdevSmResourceGroup_flags = CUdevSmResourceGroup_flags(
        2,
    );
    pub const CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS: CUdevSmResourceGroup_flags = CUdevSmResourceGroup_flags(
        4,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevSmResourceGroup_flags(pub ::core::ffi::c_uint);
impl CUdevSmResourceSplitByCount_flags {
    pub const CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING: CUdevSmResourceSplitByCount_flags = CUdevSmResourceSplitByCount_flags(
        1,
    );
    pub const CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE: CUdevSmResourceSplitByCount_flags = CUdevSmResourceSplitByCount_flags(
        2,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevSmResourceSplitByCount_flags(pub ::core::ffi::c_uint);
impl CUdevResourceType {
    pub const CU_DEV_RESOURCE_TYPE_INVALID: CUdevResourceType = CUdevResourceType(0);
    pub const CU_DEV_RESOURCE_TYPE_SM: CUdevResourceType = CUdevResourceType(1);
    pub const CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG: CUdevResourceType = CUdevResourceType(
        1000,
    );
    pub const CU_DEV_RESOURCE_TYPE_WORKQUEUE: CUdevResourceType = CUdevResourceType(
        10000,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevResourceType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevSmResource_st {
    pub smCount: ::core::ffi::c_uint,
    pub minSmPartitionSize: ::core::ffi::c_uint,
    pub smCoscheduledAlignment: ::core::ffi::c_uint,
    pub flags: ::core::ffi::c_uint,
    pub localityDomainId: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUdevSmResource_st",
    ][::core::mem::size_of::<CUdevSmResource_st>() - 20usize];
    [
        "Alignment of CUdevSmResource_st",
    ][::core::mem::align_of::<CUdevSmResource_st>() - 4usize];
    [
        "Offset of field: CUdevSmResource_st::smCount",
    ][::core::mem::offset_of!(CUdevSmResource_st, smCount) - 0usize];
    [
        "Offset of field: CUdevSmResource_st::minSmPartitionSize",
    ][::core::mem::offset_of!(CUdevSmResource_st, minSmPartitionSize) - 4usize];
    [
        "Offset of field: CUdevSmResource_st::smCoscheduledAlignment",
    ][::core::mem::offset_of!(CUdevSmResource_st, smCoscheduledAlignment) - 8usize];
    [
        "Offset of field: CUdevSmResource_st::flags",
    ][::core::mem::offset_of!(CUdevSmResource_st, flags) - 12usize];
    [
        "Offset of field: CUdevSmResource_st::localityDomainId",
    ][::core::mem::offset_of!(CUdevSmResource_st, localityDomainId) - 16usize];
};
pub type CUdevSmResource = CUdevSmResource_st;
impl CUdevWorkqueueConfigScope {
    pub const CU_WORKQUEUE_SCOPE_DEVICE_CTX: CUdevWorkqueueConfigScope = CUdevWorkqueueConfigScope(
        0,
    );
    pub const CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED: CUdevWorkqueueConfigScope = CUdevWorkqueueConfigScope(
        1,
    );
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevWorkqueueConfigScope(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevWorkqueueConfigResource_st {
    pub device: CUdevice,
    pub wqConcurrencyLimit: ::core::ffi::c_uint,
    pub sharingScope: CUdevWorkqueueConfigScope,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUdevWorkqueueConfigResource_st",
    ][::core::mem::size_of::<CUdevWorkqueueConfigResource_st>() - 12usize];
    [
        "Alignment of CUdevWorkqueueConfigResource_st",
    ][::core::mem::align_of::<CUdevWorkqueueConfigResource_st>() - 4usize];
    [
        "Offset of field: CUdevWorkqueueConfigResource_st::device",
    ][::core::mem::offset_of!(CUdevWorkqueueConfigResource_st, device) - 0usize];
    [
        "Offset of field: CUdevWorkqueueConfigResource_st::wqConcurrencyLimit",
    ][::core::mem::offset_of!(CUdevWorkqueueConfigResource_st, wqConcurrencyLimit)
        - 4usize];
    [
        "Offset of field: CUdevWorkqueueConfigResource_st::sharingScope",
    ][::core::mem::offset_of!(CUdevWorkqueueConfigResource_st, sharingScope) - 8usize];
};
impl Default for CUdevWorkqueueConfigResource_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUdevWorkqueueConfigResource = CUdevWorkqueueConfigResource_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevWorkqueueResource_st {
    pub reserved: [::core::ffi::c_uchar; 40usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUdevWorkqueueResource_st",
    ][::core::mem::size_of::<CUdevWorkqueueResource_st>() - 40usize];
    [
        "Alignment of CUdevWorkqueueResource_st",
    ][::core::mem::align_of::<CUdevWorkqueueResource_st>() - 1usize];
    [
        "Offset of field: CUdevWorkqueueResource_st::reserved",
    ][::core::mem::offset_of!(CUdevWorkqueueResource_st, reserved) - 0usize];
};
impl Default for CUdevWorkqueueResource_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUdevWorkqueueResource = CUdevWorkqueueResource_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CU_DEV_SM_RESOURCE_GROUP_PARAMS_st {
    pub smCount: ::core::ffi::c_uint,
    pub coscheduledSmCount: ::core::ffi::c_uint,
    pub preferredCoscheduledSmCount: ::core::ffi::c_uint,
    pub flags: ::core::ffi::c_uint,
    pub localityDomainId: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 11usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CU_DEV_SM_RESOURCE_GROUP_PARAMS_st",
    ][::core::mem::size_of::<CU_DEV_SM_RESOURCE_GROUP_PARAMS_st>() - 64usize];
    [
        "Alignment of CU_DEV_SM_RESOURCE_GROUP_PARAMS_st",
    ][::core::mem::align_of::<CU_DEV_SM_RESOURCE_GROUP_PARAMS_st>() - 4usize];
    [
        "Offset of field: CU_DEV_SM_RESOURCE_GROUP_PARAMS_st::smCount",
    ][::core::mem::offset_of!(CU_DEV_SM_RESOURCE_GROUP_PARAMS_st, smCount) - 0usize];
    [
        "Offset of field: CU_DEV_SM_RESOURCE_GROUP_PARAMS_st::coscheduledSmCount",
    ][::core::mem::offset_of!(CU_DEV_SM_RESOURCE_GROUP_PARAMS_st, coscheduledSmCount)
        - 4usize];
    [
        "Offset of field: CU_DEV_SM_RESOURCE_GROUP_PARAMS_st::preferredCoscheduledSmCount",
    ][::core::mem::offset_of!(
        CU_DEV_SM_RESOURCE_GROUP_PARAMS_st, preferredCoscheduledSmCount
    ) - 8usize];
    [
        "Offset of field: CU_DEV_SM_RESOURCE_GROUP_PARAMS_st::flags",
    ][::core::mem::offset_of!(CU_DEV_SM_RESOURCE_GROUP_PARAMS_st, flags) - 12usize];
    [
        "Offset of field: CU_DEV_SM_RESOURCE_GROUP_PARAMS_st::localityDomainId",
    ][::core::mem::offset_of!(CU_DEV_SM_RESOURCE_GROUP_PARAMS_st, localityDomainId)
        - 16usize];
    [
        "Offset of field: CU_DEV_SM_RESOURCE_GROUP_PARAMS_st::reserved",
    ][::core::mem::offset_of!(CU_DEV_SM_RESOURCE_GROUP_PARAMS_st, reserved) - 20usize];
};
pub type CU_DEV_SM_RESOURCE_GROUP_PARAMS = CU_DEV_SM_RESOURCE_GROUP_PARAMS_st;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUdevResource_st {
    pub type_: CUdevResourceType,
    pub _internal_padding: [::core::ffi::c_uchar; 92usize],
    pub __bindgen_anon_1: CUdevResource_st__bindgen_ty_1,
    pub nextResource: *mut CUdevResource_st,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUdevResource_st__bindgen_ty_1 {
    pub sm: CUdevSmResource,
    pub wqConfig: CUdevWorkqueueConfigResource,
    pub wq: CUdevWorkqueueResource,
    pub _oversize: [::core::ffi::c_uchar; 40usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUdevResource_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUdevResource_st__bindgen_ty_1>() - 40usize];
    [
        "Alignment of CUdevResource_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUdevResource_st__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUdevResource_st__bindgen_ty_1::sm",
    ][::core::mem::offset_of!(CUdevResource_st__bindgen_ty_1, sm) - 0usize];
    [
        "Offset of field: CUdevResource_st__bindgen_ty_1::wqConfig",
    ][::core::mem::offset_of!(CUdevResource_st__bindgen_ty_1, wqConfig) - 0usize];
    [
        "Offset of field: CUdevResource_st__bindgen_ty_1::wq",
    ][::core::mem::offset_of!(CUdevResource_st__bindgen_ty_1, wq) - 0usize];
    [
        "Offset of field: CUdevResource_st__bindgen_ty_1::_oversize",
    ][::core::mem::offset_of!(CUdevResource_st__bindgen_ty_1, _oversize) - 0usize];
};
impl Default for CUdevResource_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUdevResource_st"][::core::mem::size_of::<CUdevResource_st>() - 144usize];
    [
        "Alignment of CUdevResource_st",
    ][::core::mem::align_of::<CUdevResource_st>() - 8usize];
    [
        "Offset of field: CUdevResource_st::type_",
    ][::core::mem::offset_of!(CUdevResource_st, type_) - 0usize];
    [
        "Offset of field: CUdevResource_st::_internal_padding",
    ][::core::mem::offset_of!(CUdevResource_st, _internal_padding) - 4usize];
    [
        "Offset of field: CUdevResource_st::nextResource",
    ][::core::mem::offset_of!(CUdevResource_st, nextResource) - 136usize];
};
impl Default for CUdevResource_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUdevResource_v1 = CUdevResource_st;
pub type CUdevResource = CUdevResource_v1;
unsafe extern "C" {
    pub fn cuGreenCtxCreate(
        phCtx: *mut CUgreenCtx,
        desc: CUdevResourceDesc,
        dev: CUdevice,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGreenCtxDestroy(hCtx: CUgreenCtx) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetDevResource(
        device: CUdevice,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxGetDevResource(
        hCtx: CUcontext,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGreenCtxGetDevResource(
        hCtx: CUgreenCtx,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevSmResourceSplitByCount(
        result: *mut CUdevResource,
        nbGroups: *mut ::core::ffi::c_uint,
        input: *const CUdevResource,
        remainder: *mut CUdevResource,
        flags: ::core::ffi::c_uint,
        minCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevSmResourceSplit(
        result: *mut CUdevResource,
        nbGroups: ::core::ffi::c_uint,
        input: *const CUdevResource,
        remainder: *mut CUdevResource,
        flags: ::core::ffi::c_uint,
        groupParams: *mut CU_DEV_SM_RESOURCE_GROUP_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevResourceGenerateDesc(
        phDesc: *mut CUdevResourceDesc,
        resources: *mut CUdevResource,
        nbResources: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGreenCtxRecordEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGreenCtxWaitEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetGreenCtx(hStream: CUstream, phCtx: *mut CUgreenCtx) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGreenCtxStreamCreate(
        phStream: *mut CUstream,
        greenCtx: CUgreenCtx,
        flags: ::core::ffi::c_uint,
        priority: ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGreenCtxGetId(
        greenCtx: CUgreenCtx,
        greenCtxId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetDevResource(
        hStream: CUstream,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult;
}
impl CUlogLevel {
    pub const CU_LOG_LEVEL_ERROR: CUlogLevel = CUlogLevel(0);
    pub const CU_LOG_LEVEL_WARNING: CUlogLevel = CUlogLevel(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogLevel(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUlogsCallbackEntry_st {
    _unused: [u8; 0],
}
pub type CUlogsCallbackHandle = *mut CUlogsCallbackEntry_st;
pub type CUlogsCallback = ::core::option::Option<
    unsafe extern "C" fn(
        data: *mut ::core::ffi::c_void,
        logLevel: CUlogLevel,
        message: *mut ::core::ffi::c_char,
        length: usize,
    ),
>;
pub type CUlogIterator = ::core::ffi::c_uint;
unsafe extern "C" {
    pub fn cuLogsRegisterCallback(
        callbackFunc: CUlogsCallback,
        userData: *mut ::core::ffi::c_void,
        callback_out: *mut CUlogsCallbackHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogsCurrent(
        iterator_out: *mut CUlogIterator,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogsDumpToFile(
        iterator: *mut CUlogIterator,
        pathToFile: *const ::core::ffi::c_char,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLogsDumpToMemory(
        iterator: *mut CUlogIterator,
        buffer: *mut ::core::ffi::c_char,
        size: *mut usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCheckpointProcessGetRestoreThreadId(
        pid: ::core::ffi::c_int,
        tid: *mut ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCheckpointProcessGetState(
        pid: ::core::ffi::c_int,
        state: *mut CUprocessState,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCheckpointProcessLock(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointLockArgs,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCheckpointProcessCheckpoint(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointCheckpointArgs,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCheckpointProcessRestore(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointRestoreArgs,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCheckpointOperationComplete(
        handle: CUcheckpointOperationHandle,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCheckpointProcessUnlock(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointUnlockArgs,
    ) -> CUresult;
}
impl CUoutput_mode {
    pub const CU_OUT_KEY_VALUE_PAIR: CUoutput_mode = CUoutput_mode(0);
    pub const CU_OUT_CSV: CUoutput_mode = CUoutput_mode(1);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUoutput_mode(pub ::core::ffi::c_uint);
unsafe extern "C" {
    pub fn cuProfilerInitialize(
        configFile: *const ::core::ffi::c_char,
        outputFile: *const ::core::ffi::c_char,
        outputMode: CUoutput_mode,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuProfilerStart() -> CUresult;
}
unsafe extern "C" {
    pub fn cuProfilerStop() -> CUresult;
}
pub type GLenum = ::core::ffi::c_uint;
pub type GLuint = ::core::ffi::c_uint;
unsafe extern "C" {
    pub fn cuGraphicsGLRegisterBuffer(
        pCudaResource: *mut CUgraphicsResource,
        buffer: GLuint,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsGLRegisterImage(
        pCudaResource: *mut CUgraphicsResource,
        image: GLuint,
        target: GLenum,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
impl CUGLDeviceList {
    pub const CU_GL_DEVICE_LIST_ALL: CUGLDeviceList = CUGLDeviceList(1);
    pub const CU_GL_DEVICE_LIST_CURRENT_FRAME: CUGLDeviceList = CUGLDeviceList(2);
    pub const CU_GL_DEVICE_LIST_NEXT_FRAME: CUGLDeviceList = CUGLDeviceList(3);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUGLDeviceList(pub ::core::ffi::c_uint);
unsafe extern "C" {
    pub fn cuGLGetDevices_v2(
        pCudaDeviceCount: *mut ::core::ffi::c_uint,
        pCudaDevices: *mut CUdevice,
        cudaDeviceCount: ::core::ffi::c_uint,
        deviceList: CUGLDeviceList,
    ) -> CUresult;
}
impl CUGLmap_flags {
    pub const CU_GL_MAP_RESOURCE_FLAGS_NONE: CUGLmap_flags = CUGLmap_flags(0);
    pub const CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY: CUGLmap_flags = CUGLmap_flags(1);
    pub const CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD: CUGLmap_flags = CUGLmap_flags(2);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUGLmap_flags(pub ::core::ffi::c_uint);
unsafe extern "C" {
    pub fn cuGLCtxCreate_v2(
        pCtx: *mut CUcontext,
        Flags: ::core::ffi::c_uint,
        device: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLInit() -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLRegisterBufferObject(buffer: GLuint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLMapBufferObject_v2(
        dptr: *mut CUdeviceptr,
        size: *mut usize,
        buffer: GLuint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLUnmapBufferObject(buffer: GLuint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLUnregisterBufferObject(buffer: GLuint) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLSetBufferObjectMapFlags(
        buffer: GLuint,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLMapBufferObjectAsync_v2(
        dptr: *mut CUdeviceptr,
        size: *mut usize,
        buffer: GLuint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLUnmapBufferObjectAsync(buffer: GLuint, hStream: CUstream) -> CUresult;
}
pub type PFN_cuGetErrorString_v6000 = ::core::option::Option<
    unsafe extern "C" fn(
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuGetErrorName_v6000 = ::core::option::Option<
    unsafe extern "C" fn(
        error: CUresult,
        pStr: *mut *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuInit_v2000 = ::core::option::Option<
    unsafe extern "C" fn(Flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuDriverGetVersion_v2020 = ::core::option::Option<
    unsafe extern "C" fn(driverVersion: *mut ::core::ffi::c_int) -> CUresult,
>;
pub type PFN_cuDeviceGet_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        device: *mut CUdevice_v1,
        ordinal: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetCount_v2000 = ::core::option::Option<
    unsafe extern "C" fn(count: *mut ::core::ffi::c_int) -> CUresult,
>;
pub type PFN_cuDeviceGetName_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        name: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetUuid_v9020 = ::core::option::Option<
    unsafe extern "C" fn(uuid: *mut CUuuid, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDeviceGetUuid_v11040 = ::core::option::Option<
    unsafe extern "C" fn(uuid: *mut CUuuid, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDeviceGetLuid_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        luid: *mut ::core::ffi::c_char,
        deviceNodeMask: *mut ::core::ffi::c_uint,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuDeviceTotalMem_v3020 = ::core::option::Option<
    unsafe extern "C" fn(bytes: *mut usize, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDeviceGetTexture1DLinearMaxWidth_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        maxWidthInElements: *mut usize,
        format: CUarray_format,
        numChannels: ::core::ffi::c_uint,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetAttribute_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pi: *mut ::core::ffi::c_int,
        attrib: CUdevice_attribute,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetHostAtomicCapabilities_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        capabilities: *mut ::core::ffi::c_uint,
        operations: *const CUatomicOperation,
        count: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetNvSciSyncAttributes_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        nvSciSyncAttrList: *mut ::core::ffi::c_void,
        dev: CUdevice_v1,
        flags: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuDeviceSetMemPool_v11020 = ::core::option::Option<
    unsafe extern "C" fn(dev: CUdevice_v1, pool: CUmemoryPool) -> CUresult,
>;
pub type PFN_cuDeviceGetMemPool_v11020 = ::core::option::Option<
    unsafe extern "C" fn(pool: *mut CUmemoryPool, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDeviceGetDefaultMemPool_v11020 = ::core::option::Option<
    unsafe extern "C" fn(pool_out: *mut CUmemoryPool, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDeviceGetProperties_v2000 = ::core::option::Option<
    unsafe extern "C" fn(prop: *mut CUdevprop_v1, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDeviceComputeCapability_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        major: *mut ::core::ffi::c_int,
        minor: *mut ::core::ffi::c_int,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxRetain_v7000 = ::core::option::Option<
    unsafe extern "C" fn(pctx: *mut CUcontext, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxRelease_v11000 = ::core::option::Option<
    unsafe extern "C" fn(dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxSetFlags_v11000 = ::core::option::Option<
    unsafe extern "C" fn(dev: CUdevice_v1, flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxGetState_v7000 = ::core::option::Option<
    unsafe extern "C" fn(
        dev: CUdevice_v1,
        flags: *mut ::core::ffi::c_uint,
        active: *mut ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxReset_v11000 = ::core::option::Option<
    unsafe extern "C" fn(dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDeviceGetExecAffinitySupport_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        pi: *mut ::core::ffi::c_int,
        type_: CUexecAffinityType,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuCtxCreate_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pctx: *mut CUcontext,
        flags: ::core::ffi::c_uint,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuCtxCreate_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        pctx: *mut CUcontext,
        paramsArray: *mut CUexecAffinityParam,
        numParams: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuCtxCreate_v12050 = ::core::option::Option<
    unsafe extern "C" fn(
        pctx: *mut CUcontext,
        ctxCreateParams: *mut CUctxCreateParams,
        flags: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuCtxGetId_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        ctx: CUcontext,
        ctxId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuCtxDestroy_v4000 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuCtxPushCurrent_v4000 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuCtxPopCurrent_v4000 = ::core::option::Option<
    unsafe extern "C" fn(pctx: *mut CUcontext) -> CUresult,
>;
pub type PFN_cuCtxSetCurrent_v4000 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuCtxGetCurrent_v4000 = ::core::option::Option<
    unsafe extern "C" fn(pctx: *mut CUcontext) -> CUresult,
>;
pub type PFN_cuCtxGetDevice_v2000 = ::core::option::Option<
    unsafe extern "C" fn(device: *mut CUdevice_v1) -> CUresult,
>;
pub type PFN_cuCtxGetDevice_v13000 = ::core::option::Option<
    unsafe extern "C" fn(device: *mut CUdevice, ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuCtxGetFlags_v7000 = ::core::option::Option<
    unsafe extern "C" fn(flags: *mut ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuCtxSetFlags_v12010 = ::core::option::Option<
    unsafe extern "C" fn(flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuCtxSynchronize_v2000 = ::core::option::Option<
    unsafe extern "C" fn() -> CUresult,
>;
pub type PFN_cuCtxSynchronize_v13000 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuCtxSetLimit_v3010 = ::core::option::Option<
    unsafe extern "C" fn(limit: CUlimit, value: usize) -> CUresult,
>;
pub type PFN_cuCtxGetLimit_v3010 = ::core::option::Option<
    unsafe extern "C" fn(pvalue: *mut usize, limit: CUlimit) -> CUresult,
>;
pub type PFN_cuCtxGetCacheConfig_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pconfig: *mut CUfunc_cache) -> CUresult,
>;
pub type PFN_cuCtxSetCacheConfig_v3020 = ::core::option::Option<
    unsafe extern "C" fn(config: CUfunc_cache) -> CUresult,
>;
pub type PFN_cuCtxGetSharedMemConfig_v4020 = ::core::option::Option<
    unsafe extern "C" fn(pConfig: *mut CUsharedconfig) -> CUresult,
>;
pub type PFN_cuCtxSetSharedMemConfig_v4020 = ::core::option::Option<
    unsafe extern "C" fn(config: CUsharedconfig) -> CUresult,
>;
pub type PFN_cuCtxGetApiVersion_v3020 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext, version: *mut ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuCtxGetStreamPriorityRange_v5050 = ::core::option::Option<
    unsafe extern "C" fn(
        leastPriority: *mut ::core::ffi::c_int,
        greatestPriority: *mut ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuCtxResetPersistingL2Cache_v11000 = ::core::option::Option<
    unsafe extern "C" fn() -> CUresult,
>;
pub type PFN_cuCtxAttach_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pctx: *mut CUcontext, flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuCtxDetach_v2000 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuCtxGetExecAffinity_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        pExecAffinity: *mut CUexecAffinityParam,
        type_: CUexecAffinityType,
    ) -> CUresult,
>;
pub type PFN_cuModuleLoad_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        module: *mut CUmodule,
        fname: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuModuleLoadData_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        module: *mut CUmodule,
        image: *const ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuModuleLoadDataEx_v2010 = ::core::option::Option<
    unsafe extern "C" fn(
        module: *mut CUmodule,
        image: *const ::core::ffi::c_void,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuModuleLoadFatBinary_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        module: *mut CUmodule,
        fatCubin: *const ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuModuleUnload_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hmod: CUmodule) -> CUresult,
>;
pub type PFN_cuModuleGetFunction_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hfunc: *mut CUfunction,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuModuleGetGlobal_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        bytes: *mut usize,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuModuleGetTexRef_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pTexRef: *mut CUtexref,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuModuleGetSurfRef_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        pSurfRef: *mut CUsurfref,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuModuleGetFunctionCount_v12040 = ::core::option::Option<
    unsafe extern "C" fn(count: *mut ::core::ffi::c_uint, hmod: CUmodule) -> CUresult,
>;
pub type PFN_cuModuleEnumerateFunctions_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        functions: *mut CUfunction,
        numFunctions: ::core::ffi::c_uint,
        mod_: CUmodule,
    ) -> CUresult,
>;
pub type PFN_cuLinkCreate_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
        stateOut: *mut CUlinkState,
    ) -> CUresult,
>;
pub type PFN_cuLinkAddData_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        state: CUlinkState,
        type_: CUjitInputType,
        data: *mut ::core::ffi::c_void,
        size: usize,
        name: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLinkAddFile_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        state: CUlinkState,
        type_: CUjitInputType,
        path: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLinkComplete_v5050 = ::core::option::Option<
    unsafe extern "C" fn(
        state: CUlinkState,
        cubinOut: *mut *mut ::core::ffi::c_void,
        sizeOut: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuLinkDestroy_v5050 = ::core::option::Option<
    unsafe extern "C" fn(state: CUlinkState) -> CUresult,
>;
pub type PFN_cuMemGetInfo_v3020 = ::core::option::Option<
    unsafe extern "C" fn(free: *mut usize, total: *mut usize) -> CUresult,
>;
pub type PFN_cuMemAlloc_v3020 = ::core::option::Option<
    unsafe extern "C" fn(dptr: *mut CUdeviceptr_v2, bytesize: usize) -> CUresult,
>;
pub type PFN_cuMemAllocPitch_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        pPitch: *mut usize,
        WidthInBytes: usize,
        Height: usize,
        ElementSizeBytes: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemFree_v3020 = ::core::option::Option<
    unsafe extern "C" fn(dptr: CUdeviceptr_v2) -> CUresult,
>;
pub type PFN_cuMemGetAddressRange_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pbase: *mut CUdeviceptr_v2,
        psize: *mut usize,
        dptr: CUdeviceptr_v2,
    ) -> CUresult,
>;
pub type PFN_cuMemAllocHost_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pp: *mut *mut ::core::ffi::c_void, bytesize: usize) -> CUresult,
>;
pub type PFN_cuMemFreeHost_v2000 = ::core::option::Option<
    unsafe extern "C" fn(p: *mut ::core::ffi::c_void) -> CUresult,
>;
pub type PFN_cuMemHostAlloc_v2020 = ::core::option::Option<
    unsafe extern "C" fn(
        pp: *mut *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemHostGetDevicePointer_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pdptr: *mut CUdeviceptr_v2,
        p: *mut ::core::ffi::c_void,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemHostGetFlags_v2030 = ::core::option::Option<
    unsafe extern "C" fn(
        pFlags: *mut ::core::ffi::c_uint,
        p: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuMemAllocManaged_v6000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        bytesize: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetByPCIBusId_v4010 = ::core::option::Option<
    unsafe extern "C" fn(
        dev: *mut CUdevice_v1,
        pciBusId: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetPCIBusId_v4010 = ::core::option::Option<
    unsafe extern "C" fn(
        pciBusId: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuIpcGetEventHandle_v4010 = ::core::option::Option<
    unsafe extern "C" fn(pHandle: *mut CUipcEventHandle_v1, event: CUevent) -> CUresult,
>;
pub type PFN_cuIpcOpenEventHandle_v4010 = ::core::option::Option<
    unsafe extern "C" fn(phEvent: *mut CUevent, handle: CUipcEventHandle_v1) -> CUresult,
>;
pub type PFN_cuIpcGetMemHandle_v4010 = ::core::option::Option<
    unsafe extern "C" fn(
        pHandle: *mut CUipcMemHandle_v1,
        dptr: CUdeviceptr_v2,
    ) -> CUresult,
>;
pub type PFN_cuIpcOpenMemHandle_v11000 = ::core::option::Option<
    unsafe extern "C" fn(
        pdptr: *mut CUdeviceptr_v2,
        handle: CUipcMemHandle_v1,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuIpcCloseMemHandle_v4010 = ::core::option::Option<
    unsafe extern "C" fn(dptr: CUdeviceptr_v2) -> CUresult,
>;
pub type PFN_cuMemHostRegister_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        p: *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemHostUnregister_v4000 = ::core::option::Option<
    unsafe extern "C" fn(p: *mut ::core::ffi::c_void) -> CUresult,
>;
pub type PFN_cuMemcpy_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dst: CUdeviceptr_v2,
        src: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyPeer_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr_v2,
        srcContext: CUcontext,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoD_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoH_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoD_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoA_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoD_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoA_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoH_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoA_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy2D_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v2) -> CUresult,
>;
pub type PFN_cuMemcpy2DUnaligned_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v2) -> CUresult,
>;
pub type PFN_cuMemcpy3D_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_v2) -> CUresult,
>;
pub type PFN_cuMemcpy3DPeer_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_PEER_v1) -> CUresult,
>;
pub type PFN_cuMemcpyAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dst: CUdeviceptr_v2,
        src: CUdeviceptr_v2,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyPeerAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr_v2,
        srcContext: CUcontext,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoDAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoHAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoDAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoAAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoHAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy2DAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v2, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemcpy3DAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_v2, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemcpy3DPeerAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        pCopy: *const CUDA_MEMCPY3D_PEER_v1,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyBatchAsync_v12080_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dsts: *mut CUdeviceptr_v2,
        srcs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes_v1,
        attrIdxs: *mut usize,
        numAttrs: usize,
        failIdx: *mut usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy3DBatchAsync_v12080_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        numParams: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP_v1,
        failIdx: *mut usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyBatchAsync_v13000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dsts: *mut CUdeviceptr_v2,
        srcs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes_v1,
        attrIdxs: *mut usize,
        numAttrs: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy3DBatchAsync_v13000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        numParams: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP_v1,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuFabricCpyBatchAsync_v13050_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        numOps: usize,
        opList: *mut CUDA_FABRIC_COPY_BATCH_OP_v1,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyWithAttributesAsync_v13020_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dst: CUdeviceptr_v2,
        src: CUdeviceptr_v2,
        size: usize,
        attr: *mut CUmemcpyAttributes_v1,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy3DWithAttributesAsync_v13020_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        op: *mut CUDA_MEMCPY3D_BATCH_OP_v1,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD8_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        uc: ::core::ffi::c_uchar,
        N: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD16_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        us: ::core::ffi::c_ushort,
        N: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD32_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        ui: ::core::ffi::c_uint,
        N: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D8_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D16_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D32_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD8Async_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        uc: ::core::ffi::c_uchar,
        N: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD16Async_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        us: ::core::ffi::c_ushort,
        N: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD32Async_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        ui: ::core::ffi::c_uint,
        N: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D8Async_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D16Async_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D32Async_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuArrayCreate_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR_v2,
    ) -> CUresult,
>;
pub type PFN_cuArrayGetDescriptor_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR_v2,
        hArray: CUarray,
    ) -> CUresult,
>;
pub type PFN_cuArrayGetSparseProperties_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES_v1,
        array: CUarray,
    ) -> CUresult,
>;
pub type PFN_cuMipmappedArrayGetSparseProperties_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES_v1,
        mipmap: CUmipmappedArray,
    ) -> CUresult,
>;
pub type PFN_cuArrayGetMemoryRequirements_v11060 = ::core::option::Option<
    unsafe extern "C" fn(
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS_v1,
        array: CUarray,
        device: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuMipmappedArrayGetMemoryRequirements_v11060 = ::core::option::Option<
    unsafe extern "C" fn(
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS_v1,
        mipmap: CUmipmappedArray,
        device: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuArrayGetPlane_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        pPlaneArray: *mut CUarray,
        hArray: CUarray,
        planeIdx: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuArrayDestroy_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hArray: CUarray) -> CUresult,
>;
pub type PFN_cuArray3DCreate_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR_v2,
    ) -> CUresult,
>;
pub type PFN_cuArray3DGetDescriptor_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v2,
        hArray: CUarray,
    ) -> CUresult,
>;
pub type PFN_cuMipmappedArrayCreate_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pHandle: *mut CUmipmappedArray,
        pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR_v2,
        numMipmapLevels: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMipmappedArrayGetLevel_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pLevelArray: *mut CUarray,
        hMipmappedArray: CUmipmappedArray,
        level: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMipmappedArrayDestroy_v5000 = ::core::option::Option<
    unsafe extern "C" fn(hMipmappedArray: CUmipmappedArray) -> CUresult,
>;
pub type PFN_cuMemAddressReserve_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        ptr: *mut CUdeviceptr_v2,
        size: usize,
        alignment: usize,
        addr: CUdeviceptr_v2,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMemAddressFree_v10020 = ::core::option::Option<
    unsafe extern "C" fn(ptr: CUdeviceptr_v2, size: usize) -> CUresult,
>;
pub type PFN_cuMemCreate_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        handle: *mut CUmemGenericAllocationHandle_v1,
        size: usize,
        prop: *const CUmemAllocationProp_v1,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMemRelease_v10020 = ::core::option::Option<
    unsafe extern "C" fn(handle: CUmemGenericAllocationHandle_v1) -> CUresult,
>;
pub type PFN_cuMemMap_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        ptr: CUdeviceptr_v2,
        size: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle_v1,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMemMapArrayAsync_v11010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        mapInfoList: *mut CUarrayMapInfo_v1,
        count: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemUnmap_v10020 = ::core::option::Option<
    unsafe extern "C" fn(ptr: CUdeviceptr_v2, size: usize) -> CUresult,
>;
pub type PFN_cuMemSetAccess_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        ptr: CUdeviceptr_v2,
        size: usize,
        desc: *const CUmemAccessDesc_v1,
        count: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemGetAccess_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        flags: *mut ::core::ffi::c_ulonglong,
        location: *const CUmemLocation_v1,
        ptr: CUdeviceptr_v2,
    ) -> CUresult,
>;
pub type PFN_cuMemExportToShareableHandle_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        shareableHandle: *mut ::core::ffi::c_void,
        handle: CUmemGenericAllocationHandle_v1,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMemImportFromShareableHandle_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        handle: *mut CUmemGenericAllocationHandle_v1,
        osHandle: *mut ::core::ffi::c_void,
        shHandleType: CUmemAllocationHandleType,
    ) -> CUresult,
>;
pub type PFN_cuMemGetAllocationGranularity_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        granularity: *mut usize,
        prop: *const CUmemAllocationProp_v1,
        option: CUmemAllocationGranularity_flags,
    ) -> CUresult,
>;
pub type PFN_cuMemGetAllocationPropertiesFromHandle_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        prop: *mut CUmemAllocationProp_v1,
        handle: CUmemGenericAllocationHandle_v1,
    ) -> CUresult,
>;
pub type PFN_cuMemRetainAllocationHandle_v11000 = ::core::option::Option<
    unsafe extern "C" fn(
        handle: *mut CUmemGenericAllocationHandle_v1,
        addr: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuMemFreeAsync_v11020_ptsz = ::core::option::Option<
    unsafe extern "C" fn(dptr: CUdeviceptr_v2, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemAllocAsync_v11020_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        bytesize: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolTrimTo_v11020 = ::core::option::Option<
    unsafe extern "C" fn(pool: CUmemoryPool, minBytesToKeep: usize) -> CUresult,
>;
pub type PFN_cuMemPoolSetAttribute_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolGetAttribute_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolSetAccess_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        pool: CUmemoryPool,
        map: *const CUmemAccessDesc_v1,
        count: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolGetAccess_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        flags: *mut CUmemAccess_flags,
        memPool: CUmemoryPool,
        location: *mut CUmemLocation_v1,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolCreate_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        pool: *mut CUmemoryPool,
        poolProps: *const CUmemPoolProps_v1,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolDestroy_v11020 = ::core::option::Option<
    unsafe extern "C" fn(pool: CUmemoryPool) -> CUresult,
>;
pub type PFN_cuMemGetDefaultMemPool_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> CUresult,
>;
pub type PFN_cuMemGetMemPool_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> CUresult,
>;
pub type PFN_cuMemSetMemPool_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
        pool: CUmemoryPool,
    ) -> CUresult,
>;
pub type PFN_cuMemAllocFromPoolAsync_v11020_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolExportToShareableHandle_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        handle_out: *mut ::core::ffi::c_void,
        pool: CUmemoryPool,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolImportFromShareableHandle_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        pool_out: *mut CUmemoryPool,
        handle: *mut ::core::ffi::c_void,
        handleType: CUmemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolExportPointer_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        shareData_out: *mut CUmemPoolPtrExportData_v1,
        ptr: CUdeviceptr_v2,
    ) -> CUresult,
>;
pub type PFN_cuMemPoolImportPointer_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        ptr_out: *mut CUdeviceptr_v2,
        pool: CUmemoryPool,
        shareData: *mut CUmemPoolPtrExportData_v1,
    ) -> CUresult,
>;
pub type PFN_cuPointerGetAttribute_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        data: *mut ::core::ffi::c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr_v2,
    ) -> CUresult,
>;
pub type PFN_cuMemPrefetchAsync_v8000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        devPtr: CUdeviceptr_v2,
        count: usize,
        dstDevice: CUdevice_v1,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemAdvise_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        devPtr: CUdeviceptr_v2,
        count: usize,
        advice: CUmem_advise,
        device: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuMemAdvise_v12020 = ::core::option::Option<
    unsafe extern "C" fn(
        devPtr: CUdeviceptr_v2,
        count: usize,
        advice: CUmem_advise,
        location: CUmemLocation_v1,
    ) -> CUresult,
>;
pub type PFN_cuMemPrefetchAsync_v12020_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        devPtr: CUdeviceptr_v2,
        count: usize,
        location: CUmemLocation_v1,
        flags: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemPrefetchBatchAsync_v13000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dptrs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation_v1,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemDiscardBatchAsync_v13000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dptrs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemDiscardAndPrefetchBatchAsync_v13000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dptrs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation_v1,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemRangeGetAttribute_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        data: *mut ::core::ffi::c_void,
        dataSize: usize,
        attribute: CUmem_range_attribute,
        devPtr: CUdeviceptr_v2,
        count: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemRangeGetAttributes_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        data: *mut *mut ::core::ffi::c_void,
        dataSizes: *mut usize,
        attributes: *mut CUmem_range_attribute,
        numAttributes: usize,
        devPtr: CUdeviceptr_v2,
        count: usize,
    ) -> CUresult,
>;
pub type PFN_cuMulticastCreate_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        mcHandle: *mut CUmemGenericAllocationHandle,
        prop: *const CUmulticastObjectProp,
    ) -> CUresult,
>;
pub type PFN_cuMulticastAddDevice_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuMulticastBindMem_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: usize,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMulticastBindAddr_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memptr: CUdeviceptr,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMulticastUnbind_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        size: usize,
    ) -> CUresult,
>;
pub type PFN_cuMulticastGetGranularity_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        granularity: *mut usize,
        prop: *const CUmulticastObjectProp,
        option: CUmulticastGranularity_flags,
    ) -> CUresult,
>;
pub type PFN_cuMulticastBindMem_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: usize,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuMulticastBindAddr_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        memptr: CUdeviceptr,
        size: usize,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointIdReserve_v13030 = ::core::option::Option<
    unsafe extern "C" fn(leId: *mut CUlogicalEndpointId, count: cuuint32_t) -> CUresult,
>;
pub type PFN_cuLogicalEndpointIdRelease_v13030 = ::core::option::Option<
    unsafe extern "C" fn(leId: CUlogicalEndpointId, count: cuuint32_t) -> CUresult,
>;
pub type PFN_cuLogicalEndpointCreate_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        leId: CUlogicalEndpointId,
        prop: *const CUlogicalEndpointProp,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointAddDevice_v13030 = ::core::option::Option<
    unsafe extern "C" fn(leId: CUlogicalEndpointId, dev: CUdevice) -> CUresult,
>;
pub type PFN_cuLogicalEndpointDestroy_v13030 = ::core::option::Option<
    unsafe extern "C" fn(leId: CUlogicalEndpointId) -> CUresult,
>;
pub type PFN_cuLogicalEndpointBindAddr_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        leId: CUlogicalEndpointId,
        dev: CUdevice,
        offset: cuuint64_t,
        ptr: *mut ::core::ffi::c_void,
        size: cuuint64_t,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointBindMem_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        leId: CUlogicalEndpointId,
        dev: CUdevice,
        offset: cuuint64_t,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: cuuint64_t,
        size: cuuint64_t,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointUnbind_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        leId: CUlogicalEndpointId,
        dev: CUdevice,
        offset: cuuint64_t,
        size: cuuint64_t,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointExport_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        handle: *mut ::core::ffi::c_void,
        leId: CUlogicalEndpointId,
        handleType: CUlogicalEndpointIpcHandleType,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointImport_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        leId: CUlogicalEndpointId,
        handle: *const ::core::ffi::c_void,
        handleType: CUlogicalEndpointIpcHandleType,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointGetLimits_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        bindAlignment: *mut cuuint64_t,
        maxSize: *mut cuuint64_t,
        prop: *const CUlogicalEndpointProp,
    ) -> CUresult,
>;
pub type PFN_cuLogicalEndpointQuery_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        leId: CUlogicalEndpointId,
        count: cuuint32_t,
        queryStatus: *mut ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetFabricClusterUuid_v13040 = ::core::option::Option<
    unsafe extern "C" fn(uuid: *mut CUuuid, dev: CUdevice) -> CUresult,
>;
pub type PFN_cuDeviceGetCliqueCount_v13040 = ::core::option::Option<
    unsafe extern "C" fn(count: *mut usize, dev: CUdevice) -> CUresult,
>;
pub type PFN_cuDeviceGetCliqueInfo_v13040 = ::core::option::Option<
    unsafe extern "C" fn(
        cliqueInfo: *mut CUcliqueInfo,
        count: *mut usize,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuPointerSetAttribute_v6000 = ::core::option::Option<
    unsafe extern "C" fn(
        value: *const ::core::ffi::c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr_v2,
    ) -> CUresult,
>;
pub type PFN_cuPointerGetAttributes_v7000 = ::core::option::Option<
    unsafe extern "C" fn(
        numAttributes: ::core::ffi::c_uint,
        attributes: *mut CUpointer_attribute,
        data: *mut *mut ::core::ffi::c_void,
        ptr: CUdeviceptr_v2,
    ) -> CUresult,
>;
pub type PFN_cuStreamCreate_v2000 = ::core::option::Option<
    unsafe extern "C" fn(phStream: *mut CUstream, Flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuStreamCreateWithPriority_v5050 = ::core::option::Option<
    unsafe extern "C" fn(
        phStream: *mut CUstream,
        flags: ::core::ffi::c_uint,
        priority: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetId_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        streamId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetId_v12000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        streamId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetPriority_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        priority: *mut ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetFlags_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, flags: *mut ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuStreamGetCtx_v9020_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, pctx: *mut CUcontext) -> CUresult,
>;
pub type PFN_cuStreamWaitEvent_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        hEvent: CUevent,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamAddCallback_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        callback: CUstreamCallback,
        userData: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamBeginCapture_v10010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, mode: CUstreamCaptureMode) -> CUresult,
>;
pub type PFN_cuStreamBeginCaptureToGraph_v12030_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        mode: CUstreamCaptureMode,
    ) -> CUresult,
>;
pub type PFN_cuStreamBeginRecaptureToGraph_v13030_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        mode: CUstreamCaptureMode,
        hGraph: CUgraph,
        callbackFunc: CUgraphRecaptureCallback,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuThreadExchangeStreamCaptureMode_v10010 = ::core::option::Option<
    unsafe extern "C" fn(mode: *mut CUstreamCaptureMode) -> CUresult,
>;
pub type PFN_cuStreamEndCapture_v10000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, phGraph: *mut CUgraph) -> CUresult,
>;
pub type PFN_cuStreamIsCapturing_v10000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus: *mut CUstreamCaptureStatus,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCaptureInfo_v10010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCaptureInfo_v11030_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        numDependencies_out: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCaptureInfo_v12030_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        edgeData_out: *mut *const CUgraphEdgeData,
        numDependencies_out: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuStreamUpdateCaptureDependencies_v11030_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamUpdateCaptureDependencies_v12030_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamBeginCaptureToCig_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        streamCigCaptureParams: *mut CUstreamCigCaptureParams,
    ) -> CUresult,
>;
pub type PFN_cuStreamBeginCaptureToCig_v13010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        streamCigCaptureParams: *mut CUstreamCigCaptureParams,
    ) -> CUresult,
>;
pub type PFN_cuStreamEndCaptureToCig_v13010 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamEndCaptureToCig_v13010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamAttachMemAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        dptr: CUdeviceptr_v2,
        length: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamQuery_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamSynchronize_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamDestroy_v4000 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamCopyAttributes_v11000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(dst: CUstream, src: CUstream) -> CUresult,
>;
pub type PFN_cuStreamGetAttribute_v11000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value_out: *mut CUstreamAttrValue_v1,
    ) -> CUresult,
>;
pub type PFN_cuStreamSetAttribute_v11000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value: *const CUstreamAttrValue_v1,
    ) -> CUresult,
>;
pub type PFN_cuEventCreate_v2000 = ::core::option::Option<
    unsafe extern "C" fn(phEvent: *mut CUevent, Flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuEventRecord_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hEvent: CUevent, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuEventRecordWithFlags_v11010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hEvent: CUevent,
        hStream: CUstream,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuEventQuery_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuEventSynchronize_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuEventDestroy_v4000 = ::core::option::Option<
    unsafe extern "C" fn(hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuEventElapsedTime_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult,
>;
pub type PFN_cuEventElapsedTime_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult,
>;
pub type PFN_cuImportExternalMemory_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        extMem_out: *mut CUexternalMemory,
        memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1,
    ) -> CUresult,
>;
pub type PFN_cuExternalMemoryGetMappedBuffer_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        devPtr: *mut CUdeviceptr_v2,
        extMem: CUexternalMemory,
        bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1,
    ) -> CUresult,
>;
pub type PFN_cuExternalMemoryGetMappedMipmappedArray_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        mipmap: *mut CUmipmappedArray,
        extMem: CUexternalMemory,
        mipmapDesc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1,
    ) -> CUresult,
>;
pub type PFN_cuDestroyExternalMemory_v10000 = ::core::option::Option<
    unsafe extern "C" fn(extMem: CUexternalMemory) -> CUresult,
>;
pub type PFN_cuImportExternalSemaphore_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        extSem_out: *mut CUexternalSemaphore,
        semHandleDesc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1,
    ) -> CUresult,
>;
pub type PFN_cuSignalExternalSemaphoresAsync_v10000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuWaitExternalSemaphoresAsync_v10000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuDestroyExternalSemaphore_v10000 = ::core::option::Option<
    unsafe extern "C" fn(extSem: CUexternalSemaphore) -> CUresult,
>;
pub type PFN_cuStreamWaitValue32_v8000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWaitValue64_v9000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue32_v8000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue64_v9000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamBatchMemOp_v8000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams_v1,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWaitValue32_v11070_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWaitValue64_v11070_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue32_v11070_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue64_v11070_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamBatchMemOp_v11070_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuFuncGetAttribute_v2020 = ::core::option::Option<
    unsafe extern "C" fn(
        pi: *mut ::core::ffi::c_int,
        attrib: CUfunction_attribute,
        hfunc: CUfunction,
    ) -> CUresult,
>;
pub type PFN_cuFuncSetAttribute_v9000 = ::core::option::Option<
    unsafe extern "C" fn(
        hfunc: CUfunction,
        attrib: CUfunction_attribute,
        value: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuFuncSetCacheConfig_v3000 = ::core::option::Option<
    unsafe extern "C" fn(hfunc: CUfunction, config: CUfunc_cache) -> CUresult,
>;
pub type PFN_cuFuncSetSharedMemConfig_v4020 = ::core::option::Option<
    unsafe extern "C" fn(hfunc: CUfunction, config: CUsharedconfig) -> CUresult,
>;
pub type PFN_cuFuncGetName_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        name: *mut *const ::core::ffi::c_char,
        hfunc: CUfunction,
    ) -> CUresult,
>;
pub type PFN_cuFuncGetParamInfo_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        func: CUfunction,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuFuncGetParamCount_v13020 = ::core::option::Option<
    unsafe extern "C" fn(func: CUfunction, paramCount: *mut usize) -> CUresult,
>;
pub type PFN_cuFuncIsLoaded_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        state: *mut CUfunctionLoadingState,
        hfunc: CUfunction,
    ) -> CUresult,
>;
pub type PFN_cuFuncLoad_v12040 = ::core::option::Option<
    unsafe extern "C" fn(hfunc: CUfunction) -> CUresult,
>;
pub type PFN_cuLaunchKernel_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLaunchKernelEx_v11060_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        config: *const CUlaunchConfig,
        f: CUfunction,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLaunchCooperativeKernel_v9000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLaunchCooperativeKernelMultiDevice_v9000 = ::core::option::Option<
    unsafe extern "C" fn(
        launchParamsList: *mut CUDA_LAUNCH_PARAMS_v1,
        numDevices: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLaunchHostFunc_v10000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuFuncSetBlockShape_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hfunc: CUfunction,
        x: ::core::ffi::c_int,
        y: ::core::ffi::c_int,
        z: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuFuncSetSharedSize_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hfunc: CUfunction, bytes: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuParamSetSize_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hfunc: CUfunction, numbytes: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuParamSeti_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hfunc: CUfunction,
        offset: ::core::ffi::c_int,
        value: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuParamSetf_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hfunc: CUfunction,
        offset: ::core::ffi::c_int,
        value: f32,
    ) -> CUresult,
>;
pub type PFN_cuParamSetv_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hfunc: CUfunction,
        offset: ::core::ffi::c_int,
        ptr: *mut ::core::ffi::c_void,
        numbytes: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLaunch_v2000 = ::core::option::Option<
    unsafe extern "C" fn(f: CUfunction) -> CUresult,
>;
pub type PFN_cuLaunchGrid_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        f: CUfunction,
        grid_width: ::core::ffi::c_int,
        grid_height: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuLaunchGridAsync_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        f: CUfunction,
        grid_width: ::core::ffi::c_int,
        grid_height: ::core::ffi::c_int,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuParamSetTexRef_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hfunc: CUfunction,
        texunit: ::core::ffi::c_int,
        hTexRef: CUtexref,
    ) -> CUresult,
>;
pub type PFN_cuGraphCreate_v10000 = ::core::option::Option<
    unsafe extern "C" fn(phGraph: *mut CUgraph, flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuGraphAddKernelNode_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphKernelNodeGetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphKernelNodeSetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddKernelNode_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v2,
    ) -> CUresult,
>;
pub type PFN_cuGraphKernelNodeGetParams_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v2,
    ) -> CUresult,
>;
pub type PFN_cuGraphKernelNodeSetParams_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v2,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddMemcpyNode_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        copyParams: *const CUDA_MEMCPY3D_v2,
        ctx: CUcontext,
    ) -> CUresult,
>;
pub type PFN_cuGraphMemcpyNodeGetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_MEMCPY3D_v2,
    ) -> CUresult,
>;
pub type PFN_cuGraphMemcpyNodeSetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_MEMCPY3D_v2,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddMemsetNode_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS_v1,
        ctx: CUcontext,
    ) -> CUresult,
>;
pub type PFN_cuGraphMemsetNodeGetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_MEMSET_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphMemsetNodeSetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_MEMSET_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddHostNode_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_HOST_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphHostNodeGetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_HOST_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphHostNodeSetParams_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_HOST_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddChildGraphNode_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        childGraph: CUgraph,
    ) -> CUresult,
>;
pub type PFN_cuGraphChildGraphNodeGetGraph_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, phGraph: *mut CUgraph) -> CUresult,
>;
pub type PFN_cuGraphAddEmptyNode_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddEventRecordNode_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> CUresult,
>;
pub type PFN_cuGraphEventRecordNodeGetEvent_v11010 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, event_out: *mut CUevent) -> CUresult,
>;
pub type PFN_cuGraphEventRecordNodeSetEvent_v11010 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, event: CUevent) -> CUresult,
>;
pub type PFN_cuGraphAddEventWaitNode_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> CUresult,
>;
pub type PFN_cuGraphEventWaitNodeGetEvent_v11010 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, event_out: *mut CUevent) -> CUresult,
>;
pub type PFN_cuGraphEventWaitNodeSetEvent_v11010 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, event: CUevent) -> CUresult,
>;
pub type PFN_cuGraphAddExternalSemaphoresSignalNode_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphExternalSemaphoresSignalNodeGetParams_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphExternalSemaphoresSignalNodeSetParams_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddExternalSemaphoresWaitNode_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphExternalSemaphoresWaitNodeGetParams_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        params_out: *mut CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphExternalSemaphoresWaitNodeSetParams_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddBatchMemOpNode_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphBatchMemOpNodeGetParams_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphBatchMemOpNodeSetParams_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecBatchMemOpNodeSetParams_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        graphExec: CUgraphExec,
        node: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphClone_v10000 = ::core::option::Option<
    unsafe extern "C" fn(phGraphClone: *mut CUgraph, originalGraph: CUgraph) -> CUresult,
>;
pub type PFN_cuGraphNodeFindInClone_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phNode: *mut CUgraphNode,
        hOriginalNode: CUgraphNode,
        hClonedGraph: CUgraph,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetType_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, type_: *mut CUgraphNodeType) -> CUresult,
>;
pub type PFN_cuGraphNodeGetContainingGraph_v13010 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, phGraph: *mut CUgraph) -> CUresult,
>;
pub type PFN_cuGraphNodeGetLocalId_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeId: *mut ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetToolsId_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuGraphGetId_v13010 = ::core::option::Option<
    unsafe extern "C" fn(hGraph: CUgraph, graphId: *mut ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuGraphExecGetId_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        graphId: *mut ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphGetNodes_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        nodes: *mut CUgraphNode,
        numNodes: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphGetRootNodes_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        rootNodes: *mut CUgraphNode,
        numRootNodes: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphGetEdges_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        numEdges: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphGetEdges_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numEdges: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetDependencies_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        numDependencies: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetDependencies_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependencies: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetDependentNodes_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        numDependentNodes: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetDependentNodes_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependentNodes: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddDependencies_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddDependencies_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphRemoveDependencies_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphRemoveDependencies_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphDestroyNode_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode) -> CUresult,
>;
pub type PFN_cuGraphInstantiateWithFlags_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuGraphInstantiateWithParams_v12000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecGetFlags_v12000 = ::core::option::Option<
    unsafe extern "C" fn(hGraphExec: CUgraphExec, flags: *mut cuuint64_t) -> CUresult,
>;
pub type PFN_cuGraphExecKernelNodeSetParams_v10010 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecKernelNodeSetParams_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v2,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecMemcpyNodeSetParams_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        copyParams: *const CUDA_MEMCPY3D_v2,
        ctx: CUcontext,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecMemsetNodeSetParams_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS_v1,
        ctx: CUcontext,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecHostNodeSetParams_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_HOST_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecChildGraphNodeSetParams_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        childGraph: CUgraph,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecEventRecordNodeSetEvent_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecEventWaitNodeSetEvent_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphUpload_v11010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuGraphLaunch_v10000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuGraphExecDestroy_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hGraphExec: CUgraphExec) -> CUresult,
>;
pub type PFN_cuGraphDestroy_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hGraph: CUgraph) -> CUresult,
>;
pub type PFN_cuGraphExecUpdate_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hGraph: CUgraph,
        hErrorNode_out: *mut CUgraphNode,
        updateResult_out: *mut CUgraphExecUpdateResult,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecUpdate_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hGraph: CUgraph,
        resultInfo: *mut CUgraphExecUpdateResultInfo,
    ) -> CUresult,
>;
pub type PFN_cuGraphKernelNodeCopyAttributes_v11000 = ::core::option::Option<
    unsafe extern "C" fn(dst: CUgraphNode, src: CUgraphNode) -> CUresult,
>;
pub type PFN_cuGraphKernelNodeGetAttribute_v11000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        attr: CUkernelNodeAttrID,
        value_out: *mut CUkernelNodeAttrValue_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphKernelNodeSetAttribute_v11000 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        attr: CUkernelNodeAttrID,
        value: *const CUkernelNodeAttrValue_v1,
    ) -> CUresult,
>;
pub type PFN_cuGraphDebugDotPrint_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraph: CUgraph,
        path: *const ::core::ffi::c_char,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddMemAllocNode_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphMemAllocNodeGetParams_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddMemFreeNode_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        dptr: CUdeviceptr,
    ) -> CUresult,
>;
pub type PFN_cuGraphMemFreeNodeGetParams_v11040 = ::core::option::Option<
    unsafe extern "C" fn(hNode: CUgraphNode, dptr_out: *mut CUdeviceptr) -> CUresult,
>;
pub type PFN_cuGraphNodeSetEnabled_v11060 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        isEnabled: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetEnabled_v11060 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        isEnabled: *mut ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddNode_v12020 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddNode_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult,
>;
pub type PFN_cuGraphAddNode_v13040 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeSetParams_v12020 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeSetParams_v13040 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult,
>;
pub type PFN_cuGraphNodeGetParams_v13020 = ::core::option::Option<
    unsafe extern "C" fn(
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult,
>;
pub type PFN_cuGraphExecNodeSetParams_v12020 = ::core::option::Option<
    unsafe extern "C" fn(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult,
>;
pub type PFN_cuGraphConditionalHandleCreate_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        pHandle_out: *mut CUgraphConditionalHandle,
        hGraph: CUgraph,
        ctx: CUcontext,
        defaultLaunchValue: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGraphMemTrim_v11040 = ::core::option::Option<
    unsafe extern "C" fn(device: CUdevice) -> CUresult,
>;
pub type PFN_cuDeviceGetGraphMemAttribute_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuDeviceSetGraphMemAttribute_v11040 = ::core::option::Option<
    unsafe extern "C" fn(
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        numBlocks: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSize: ::core::ffi::c_int,
        dynamicSMemSize: usize,
    ) -> CUresult,
>;
pub type PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000 = ::core::option::Option<
    unsafe extern "C" fn(
        numBlocks: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSize: ::core::ffi::c_int,
        dynamicSMemSize: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuOccupancyMaxPotentialBlockSize_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        minGridSize: *mut ::core::ffi::c_int,
        blockSize: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuOccupancyMaxPotentialBlockSizeWithFlags_v7000 = ::core::option::Option<
    unsafe extern "C" fn(
        minGridSize: *mut ::core::ffi::c_int,
        blockSize: *mut ::core::ffi::c_int,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020 = ::core::option::Option<
    unsafe extern "C" fn(
        dynamicSmemSize: *mut usize,
        func: CUfunction,
        numBlocks: ::core::ffi::c_int,
        blockSize: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuOccupancyMaxPotentialClusterSize_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        clusterSize: *mut ::core::ffi::c_int,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult,
>;
pub type PFN_cuOccupancyMaxActiveClusters_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        numClusters: *mut ::core::ffi::c_int,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetArray_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        hArray: CUarray,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetMipmappedArray_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        hMipmappedArray: CUmipmappedArray,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetAddress_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        ByteOffset: *mut usize,
        hTexRef: CUtexref,
        dptr: CUdeviceptr_v2,
        bytes: usize,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetAddress2D_v4010 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR_v2,
        dptr: CUdeviceptr_v2,
        Pitch: usize,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetFormat_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        fmt: CUarray_format,
        NumPackedComponents: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetAddressMode_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        dim: ::core::ffi::c_int,
        am: CUaddress_mode,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetFilterMode_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hTexRef: CUtexref, fm: CUfilter_mode) -> CUresult,
>;
pub type PFN_cuTexRefSetMipmapFilterMode_v5000 = ::core::option::Option<
    unsafe extern "C" fn(hTexRef: CUtexref, fm: CUfilter_mode) -> CUresult,
>;
pub type PFN_cuTexRefSetMipmapLevelBias_v5000 = ::core::option::Option<
    unsafe extern "C" fn(hTexRef: CUtexref, bias: f32) -> CUresult,
>;
pub type PFN_cuTexRefSetMipmapLevelClamp_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        minMipmapLevelClamp: f32,
        maxMipmapLevelClamp: f32,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetMaxAnisotropy_v5000 = ::core::option::Option<
    unsafe extern "C" fn(hTexRef: CUtexref, maxAniso: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuTexRefSetBorderColor_v8000 = ::core::option::Option<
    unsafe extern "C" fn(hTexRef: CUtexref, pBorderColor: *mut f32) -> CUresult,
>;
pub type PFN_cuTexRefSetFlags_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hTexRef: CUtexref, Flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuTexRefGetAddress_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pdptr: *mut CUdeviceptr_v2, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefGetArray_v2000 = ::core::option::Option<
    unsafe extern "C" fn(phArray: *mut CUarray, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefGetMipmappedArray_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        phMipmappedArray: *mut CUmipmappedArray,
        hTexRef: CUtexref,
    ) -> CUresult,
>;
pub type PFN_cuTexRefGetAddressMode_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pam: *mut CUaddress_mode,
        hTexRef: CUtexref,
        dim: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuTexRefGetFilterMode_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pfm: *mut CUfilter_mode, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefGetFormat_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pFormat: *mut CUarray_format,
        pNumChannels: *mut ::core::ffi::c_int,
        hTexRef: CUtexref,
    ) -> CUresult,
>;
pub type PFN_cuTexRefGetMipmapFilterMode_v5000 = ::core::option::Option<
    unsafe extern "C" fn(pfm: *mut CUfilter_mode, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefGetMipmapLevelBias_v5000 = ::core::option::Option<
    unsafe extern "C" fn(pbias: *mut f32, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefGetMipmapLevelClamp_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pminMipmapLevelClamp: *mut f32,
        pmaxMipmapLevelClamp: *mut f32,
        hTexRef: CUtexref,
    ) -> CUresult,
>;
pub type PFN_cuTexRefGetMaxAnisotropy_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pmaxAniso: *mut ::core::ffi::c_int,
        hTexRef: CUtexref,
    ) -> CUresult,
>;
pub type PFN_cuTexRefGetBorderColor_v8000 = ::core::option::Option<
    unsafe extern "C" fn(pBorderColor: *mut f32, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefGetFlags_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pFlags: *mut ::core::ffi::c_uint, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefCreate_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pTexRef: *mut CUtexref) -> CUresult,
>;
pub type PFN_cuTexRefDestroy_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuSurfRefSetArray_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        hSurfRef: CUsurfref,
        hArray: CUarray,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuSurfRefGetArray_v3000 = ::core::option::Option<
    unsafe extern "C" fn(phArray: *mut CUarray, hSurfRef: CUsurfref) -> CUresult,
>;
pub type PFN_cuTexObjectCreate_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pTexObject: *mut CUtexObject_v1,
        pResDesc: *const CUDA_RESOURCE_DESC_v1,
        pTexDesc: *const CUDA_TEXTURE_DESC_v1,
        pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC_v1,
    ) -> CUresult,
>;
pub type PFN_cuTexObjectDestroy_v5000 = ::core::option::Option<
    unsafe extern "C" fn(texObject: CUtexObject_v1) -> CUresult,
>;
pub type PFN_cuTexObjectGetResourceDesc_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pResDesc: *mut CUDA_RESOURCE_DESC_v1,
        texObject: CUtexObject_v1,
    ) -> CUresult,
>;
pub type PFN_cuTexObjectGetTextureDesc_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pTexDesc: *mut CUDA_TEXTURE_DESC_v1,
        texObject: CUtexObject_v1,
    ) -> CUresult,
>;
pub type PFN_cuTexObjectGetResourceViewDesc_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC_v1,
        texObject: CUtexObject_v1,
    ) -> CUresult,
>;
pub type PFN_cuSurfObjectCreate_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pSurfObject: *mut CUsurfObject_v1,
        pResDesc: *const CUDA_RESOURCE_DESC_v1,
    ) -> CUresult,
>;
pub type PFN_cuSurfObjectDestroy_v5000 = ::core::option::Option<
    unsafe extern "C" fn(surfObject: CUsurfObject_v1) -> CUresult,
>;
pub type PFN_cuSurfObjectGetResourceDesc_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pResDesc: *mut CUDA_RESOURCE_DESC_v1,
        surfObject: CUsurfObject_v1,
    ) -> CUresult,
>;
pub type PFN_cuTensorMapEncodeTiled_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut ::core::ffi::c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        boxDim: *const cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) -> CUresult,
>;
pub type PFN_cuTensorMapEncodeIm2col_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut ::core::ffi::c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        pixelBoxLowerCorner: *const ::core::ffi::c_int,
        pixelBoxUpperCorner: *const ::core::ffi::c_int,
        channelsPerPixel: cuuint32_t,
        pixelsPerColumn: cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) -> CUresult,
>;
pub type PFN_cuTensorMapReplaceAddress_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        tensorMap: *mut CUtensorMap,
        globalAddress: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuTensorMapSetAllocationClass_v13050 = ::core::option::Option<
    unsafe extern "C" fn(
        tensorMap: *mut CUtensorMap,
        allocClass: CUtensorMapAllocClass,
        outAllocClass: *mut CUtensorMapAllocClass,
    ) -> CUresult,
>;
pub type PFN_cuTensorMapEncodeIm2colWide_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        tensorMap: *mut CUtensorMap,
        tensorDataType: CUtensorMapDataType,
        tensorRank: cuuint32_t,
        globalAddress: *mut ::core::ffi::c_void,
        globalDim: *const cuuint64_t,
        globalStrides: *const cuuint64_t,
        pixelBoxLowerCornerWidth: ::core::ffi::c_int,
        pixelBoxUpperCornerWidth: ::core::ffi::c_int,
        channelsPerPixel: cuuint32_t,
        pixelsPerColumn: cuuint32_t,
        elementStrides: *const cuuint32_t,
        interleave: CUtensorMapInterleave,
        mode: CUtensorMapIm2ColWideMode,
        swizzle: CUtensorMapSwizzle,
        l2Promotion: CUtensorMapL2promotion,
        oobFill: CUtensorMapFloatOOBfill,
    ) -> CUresult,
>;
pub type PFN_cuDeviceCanAccessPeer_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        canAccessPeer: *mut ::core::ffi::c_int,
        dev: CUdevice_v1,
        peerDev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuCtxEnablePeerAccess_v4000 = ::core::option::Option<
    unsafe extern "C" fn(peerContext: CUcontext, Flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuCtxDisablePeerAccess_v4000 = ::core::option::Option<
    unsafe extern "C" fn(peerContext: CUcontext) -> CUresult,
>;
pub type PFN_cuDeviceGetP2PAttribute_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        value: *mut ::core::ffi::c_int,
        attrib: CUdevice_P2PAttribute,
        srcDevice: CUdevice_v1,
        dstDevice: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuDeviceGetP2PAtomicCapabilities_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        capabilities: *mut ::core::ffi::c_uint,
        operations: *const CUatomicOperation,
        count: ::core::ffi::c_uint,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsUnregisterResource_v3000 = ::core::option::Option<
    unsafe extern "C" fn(resource: CUgraphicsResource) -> CUresult,
>;
pub type PFN_cuGraphicsSubResourceGetMappedArray_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        pArray: *mut CUarray,
        resource: CUgraphicsResource,
        arrayIndex: ::core::ffi::c_uint,
        mipLevel: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsResourceGetMappedMipmappedArray_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        pMipmappedArray: *mut CUmipmappedArray,
        resource: CUgraphicsResource,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsResourceGetMappedPointer_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pDevPtr: *mut CUdeviceptr_v2,
        pSize: *mut usize,
        resource: CUgraphicsResource,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsResourceSetMapFlags_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        resource: CUgraphicsResource,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsMapResources_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsUnmapResources_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuGetExportTable_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        ppExportTable: *mut *const ::core::ffi::c_void,
        pExportTableId: *const CUuuid,
    ) -> CUresult,
>;
pub type PFN_cuFuncGetModule_v11000 = ::core::option::Option<
    unsafe extern "C" fn(hmod: *mut CUmodule, hfunc: CUfunction) -> CUresult,
>;
pub type PFN_cuGetProcAddress_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        symbol: *const ::core::ffi::c_char,
        pfn: *mut *mut ::core::ffi::c_void,
        driverVersion: ::core::ffi::c_int,
        flags: cuuint64_t,
    ) -> CUresult,
>;
pub type PFN_cuGetProcAddress_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        symbol: *const ::core::ffi::c_char,
        pfn: *mut *mut ::core::ffi::c_void,
        driverVersion: ::core::ffi::c_int,
        flags: cuuint64_t,
        symbolFound: *mut CUdriverProcAddressQueryResult,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoD_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoH_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoD_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoA_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoD_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoA_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoH_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoA_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoAAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoHAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy2D_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v2) -> CUresult,
>;
pub type PFN_cuMemcpy2DUnaligned_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v2) -> CUresult,
>;
pub type PFN_cuMemcpy3D_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_v2) -> CUresult,
>;
pub type PFN_cuMemcpyHtoDAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoHAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoDAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        srcDevice: CUdeviceptr_v2,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy2DAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v2, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemcpy3DAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_v2, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemsetD8_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        uc: ::core::ffi::c_uchar,
        N: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD16_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        us: ::core::ffi::c_ushort,
        N: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD32_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        ui: ::core::ffi::c_uint,
        N: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D8_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D16_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D32_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        dst: CUdeviceptr_v2,
        src: CUdeviceptr_v2,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAsync_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        dst: CUdeviceptr_v2,
        src: CUdeviceptr_v2,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyPeer_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr_v2,
        srcContext: CUcontext,
        ByteCount: usize,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyPeerAsync_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr_v2,
        srcContext: CUcontext,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy3DPeer_v4000 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_PEER_v1) -> CUresult,
>;
pub type PFN_cuMemcpy3DPeerAsync_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        pCopy: *const CUDA_MEMCPY3D_PEER_v1,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyBatchAsync_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        dsts: *mut CUdeviceptr_v2,
        srcs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes_v1,
        attrIdxs: *mut usize,
        numAttrs: usize,
        failIdx: *mut usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy3DBatchAsync_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        numParams: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP_v1,
        failIdx: *mut usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyBatchAsync_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        dsts: *mut CUdeviceptr_v2,
        srcs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes_v1,
        attrIdxs: *mut usize,
        numAttrs: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy3DBatchAsync_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        numParams: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP_v1,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyWithAttributesAsync_v13020 = ::core::option::Option<
    unsafe extern "C" fn(
        dst: CUdeviceptr_v2,
        src: CUdeviceptr_v2,
        size: usize,
        attr: *mut CUmemcpyAttributes_v1,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy3DWithAttributesAsync_v13020 = ::core::option::Option<
    unsafe extern "C" fn(
        op: *mut CUDA_MEMCPY3D_BATCH_OP_v1,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD8Async_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        uc: ::core::ffi::c_uchar,
        N: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD16Async_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        us: ::core::ffi::c_ushort,
        N: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD32Async_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        ui: ::core::ffi::c_uint,
        N: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D8Async_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D16Async_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D32Async_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v2,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetPriority_v5050 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        priority: *mut ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetFlags_v5050 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, flags: *mut ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuStreamGetCtx_v9020 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, pctx: *mut CUcontext) -> CUresult,
>;
pub type PFN_cuStreamGetDevice_v12080 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, device: *mut CUdevice) -> CUresult,
>;
pub type PFN_cuStreamGetDevice_v12080_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, device: *mut CUdevice) -> CUresult,
>;
pub type PFN_cuStreamWaitEvent_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        hEvent: CUevent,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamAddCallback_v5000 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        callback: CUstreamCallback,
        userData: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamAttachMemAsync_v6000 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        dptr: CUdeviceptr_v2,
        length: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamQuery_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamSynchronize_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuEventRecord_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hEvent: CUevent, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuEventRecordWithFlags_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        hEvent: CUevent,
        hStream: CUstream,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLaunchKernel_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLaunchKernelEx_v11060 = ::core::option::Option<
    unsafe extern "C" fn(
        config: *const CUlaunchConfig,
        f: CUfunction,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLaunchHostFunc_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsMapResources_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsUnmapResources_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue32_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWaitValue32_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue64_v9000 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWaitValue64_v9000 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamBatchMemOp_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue32_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWaitValue32_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWriteValue64_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamWaitValue64_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        addr: CUdeviceptr_v2,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamBatchMemOp_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemPrefetchAsync_v8000 = ::core::option::Option<
    unsafe extern "C" fn(
        devPtr: CUdeviceptr_v2,
        count: usize,
        dstDevice: CUdevice_v1,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemPrefetchAsync_v12020 = ::core::option::Option<
    unsafe extern "C" fn(
        devPtr: CUdeviceptr_v2,
        count: usize,
        location: CUmemLocation_v1,
        flags: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemPrefetchBatchAsync_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptrs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation_v1,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemDiscardBatchAsync_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptrs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemDiscardAndPrefetchBatchAsync_v13000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptrs: *mut CUdeviceptr_v2,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation_v1,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemGetLocationInfo_v13040 = ::core::option::Option<
    unsafe extern "C" fn(
        ptr: CUdeviceptr_v2,
        size: usize,
        summaryGranularity: usize,
        samplingGranularity: usize,
        location_out: *mut CUmemLocation_v1,
    ) -> CUresult,
>;
pub type PFN_cuLaunchCooperativeKernel_v9000 = ::core::option::Option<
    unsafe extern "C" fn(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuSignalExternalSemaphoresAsync_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuWaitExternalSemaphoresAsync_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuStreamBeginCapture_v10010 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, mode: CUstreamCaptureMode) -> CUresult,
>;
pub type PFN_cuStreamBeginCaptureToGraph_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        mode: CUstreamCaptureMode,
    ) -> CUresult,
>;
pub type PFN_cuStreamBeginRecaptureToGraph_v13030 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        mode: CUstreamCaptureMode,
        hGraph: CUgraph,
        callbackFunc: CUgraphRecaptureCallback,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuStreamEndCapture_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, phGraph: *mut CUgraph) -> CUresult,
>;
pub type PFN_cuStreamIsCapturing_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus: *mut CUstreamCaptureStatus,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCaptureInfo_v10010 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCaptureInfo_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        numDependencies_out: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCaptureInfo_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        edgeData_out: *mut *const CUgraphEdgeData,
        numDependencies_out: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuStreamUpdateCaptureDependencies_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuStreamUpdateCaptureDependencies_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphInstantiateWithParams_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuGraphUpload_v11010 = ::core::option::Option<
    unsafe extern "C" fn(hGraph: CUgraphExec, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuGraphLaunch_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hGraph: CUgraphExec, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamCopyAttributes_v11000 = ::core::option::Option<
    unsafe extern "C" fn(dstStream: CUstream, srcStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamGetAttribute_v11000 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value: *mut CUstreamAttrValue_v1,
    ) -> CUresult,
>;
pub type PFN_cuStreamSetAttribute_v11000 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        attr: CUstreamAttrID,
        param: *const CUstreamAttrValue_v1,
    ) -> CUresult,
>;
pub type PFN_cuMemMapArrayAsync_v11010 = ::core::option::Option<
    unsafe extern "C" fn(
        mapInfoList: *mut CUarrayMapInfo_v1,
        count: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemFreeAsync_v11020 = ::core::option::Option<
    unsafe extern "C" fn(dptr: CUdeviceptr_v2, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemAllocAsync_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        bytesize: usize,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemAllocFromPoolAsync_v11020 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuFlushGPUDirectRDMAWrites_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        target: CUflushGPUDirectRDMAWritesTarget,
        scope: CUflushGPUDirectRDMAWritesScope,
    ) -> CUresult,
>;
pub type PFN_cuUserObjectCreate_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        object_out: *mut CUuserObject,
        ptr: *mut ::core::ffi::c_void,
        destroy: CUhostFn,
        initialRefcount: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuUserObjectRetain_v11030 = ::core::option::Option<
    unsafe extern "C" fn(object: CUuserObject, count: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuUserObjectRelease_v11030 = ::core::option::Option<
    unsafe extern "C" fn(object: CUuserObject, count: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuGraphRetainUserObject_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        graph: CUgraph,
        object: CUuserObject,
        count: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphReleaseUserObject_v11030 = ::core::option::Option<
    unsafe extern "C" fn(
        graph: CUgraph,
        object: CUuserObject,
        count: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuModuleGetLoadingMode_v11070 = ::core::option::Option<
    unsafe extern "C" fn(mode: *mut CUmoduleLoadingMode) -> CUresult,
>;
pub type PFN_cuMemGetHandleForAddressRange_v11070 = ::core::option::Option<
    unsafe extern "C" fn(
        handle: *mut ::core::ffi::c_void,
        dptr: CUdeviceptr,
        size: usize,
        handleType: CUmemRangeHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuLibraryLoadData_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        library: *mut CUlibrary,
        code: *const ::core::ffi::c_void,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut ::core::ffi::c_void,
        numJitOptions: ::core::ffi::c_uint,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut ::core::ffi::c_void,
        numLibraryOptions: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLibraryLoadFromFile_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        library: *mut CUlibrary,
        fileName: *const ::core::ffi::c_char,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut ::core::ffi::c_void,
        numJitOptions: ::core::ffi::c_uint,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut ::core::ffi::c_void,
        numLibraryOptions: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLibraryUnload_v12000 = ::core::option::Option<
    unsafe extern "C" fn(library: CUlibrary) -> CUresult,
>;
pub type PFN_cuLibraryGetKernel_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        pKernel: *mut CUkernel,
        library: CUlibrary,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuLibraryGetModule_v12000 = ::core::option::Option<
    unsafe extern "C" fn(pMod: *mut CUmodule, library: CUlibrary) -> CUresult,
>;
pub type PFN_cuLibraryGetKernelCount_v12040 = ::core::option::Option<
    unsafe extern "C" fn(count: *mut ::core::ffi::c_uint, lib: CUlibrary) -> CUresult,
>;
pub type PFN_cuLibraryEnumerateKernels_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        kernels: *mut CUkernel,
        numKernels: ::core::ffi::c_uint,
        lib: CUlibrary,
    ) -> CUresult,
>;
pub type PFN_cuFabricCpyBatchAsync_v13050 = ::core::option::Option<
    unsafe extern "C" fn(
        numOps: usize,
        opList: *mut CUDA_FABRIC_COPY_BATCH_OP_v1,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuKernelGetFunction_v12000 = ::core::option::Option<
    unsafe extern "C" fn(pFunc: *mut CUfunction, kernel: CUkernel) -> CUresult,
>;
pub type PFN_cuKernelGetLibrary_v12050 = ::core::option::Option<
    unsafe extern "C" fn(pLib: *mut CUlibrary, kernel: CUkernel) -> CUresult,
>;
pub type PFN_cuLibraryGetGlobal_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuLibraryGetManaged_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuKernelGetAttribute_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        pi: *mut ::core::ffi::c_int,
        attrib: CUfunction_attribute,
        kernel: CUkernel,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuKernelSetAttribute_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        attrib: CUfunction_attribute,
        val: ::core::ffi::c_int,
        kernel: CUkernel,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuKernelSetCacheConfig_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        kernel: CUkernel,
        config: CUfunc_cache,
        dev: CUdevice,
    ) -> CUresult,
>;
pub type PFN_cuKernelGetName_v12030 = ::core::option::Option<
    unsafe extern "C" fn(
        name: *mut *const ::core::ffi::c_char,
        hfunc: CUkernel,
    ) -> CUresult,
>;
pub type PFN_cuKernelGetParamInfo_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        kernel: CUkernel,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuKernelGetParamCount_v13020 = ::core::option::Option<
    unsafe extern "C" fn(kernel: CUkernel, paramCount: *mut usize) -> CUresult,
>;
pub type PFN_cuLibraryGetUnifiedFunction_v12000 = ::core::option::Option<
    unsafe extern "C" fn(
        fptr: *mut *mut ::core::ffi::c_void,
        library: CUlibrary,
        symbol: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuCoredumpGetAttribute_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        get: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuCoredumpGetAttributeGlobal_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        get: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuCoredumpSetAttribute_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        set: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuCoredumpSetAttributeGlobal_v12010 = ::core::option::Option<
    unsafe extern "C" fn(
        set: CUcoredumpSettings,
        value: *mut ::core::ffi::c_void,
        size: *mut usize,
    ) -> CUresult,
>;
pub type PFN_cuDeviceRegisterAsyncNotification_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        device: CUdevice,
        callbackFunc: CUasyncCallback,
        userData: *mut ::core::ffi::c_void,
        callback: *mut CUasyncCallbackHandle,
    ) -> CUresult,
>;
pub type PFN_cuDeviceUnregisterAsyncNotification_v12040 = ::core::option::Option<
    unsafe extern "C" fn(device: CUdevice, callback: CUasyncCallbackHandle) -> CUresult,
>;
pub type PFN_cuGreenCtxCreate_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        phCtx: *mut CUgreenCtx,
        desc: CUdevResourceDesc,
        dev: CUdevice,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGreenCtxDestroy_v12040 = ::core::option::Option<
    unsafe extern "C" fn(hCtx: CUgreenCtx) -> CUresult,
>;
pub type PFN_cuDeviceGetDevResource_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        dev: CUdevice,
        result: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult,
>;
pub type PFN_cuCtxGetDevResource_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        hCtx: CUcontext,
        result: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult,
>;
pub type PFN_cuGreenCtxGetDevResource_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        hCtx: CUgreenCtx,
        result: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetDevResource_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        result: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetDevResource_v13010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        result: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult,
>;
pub type PFN_cuGreenCtxRecordEvent_v12040 = ::core::option::Option<
    unsafe extern "C" fn(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuGreenCtxWaitEvent_v12040 = ::core::option::Option<
    unsafe extern "C" fn(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuDevResourceGenerateDesc_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        phDesc: *mut CUdevResourceDesc,
        resources: *mut CUdevResource,
        nbResources: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuDevSmResourceSplitByCount_v12040 = ::core::option::Option<
    unsafe extern "C" fn(
        result: *mut CUdevResource,
        nbGroups: *mut ::core::ffi::c_uint,
        input: *const CUdevResource,
        remaining: *mut CUdevResource,
        useFlags: ::core::ffi::c_uint,
        minCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuDevSmResourceSplit_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        result: *mut CUdevResource,
        nbGroups: ::core::ffi::c_uint,
        input: *const CUdevResource,
        remainder: *mut CUdevResource,
        flags: ::core::ffi::c_uint,
        groupParams: *mut CU_DEV_SM_RESOURCE_GROUP_PARAMS,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetGreenCtx_v12040 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream, phCtx: *mut CUgreenCtx) -> CUresult,
>;
pub type PFN_cuCtxFromGreenCtx_v12040 = ::core::option::Option<
    unsafe extern "C" fn(pContext: *mut CUcontext, hCtx: CUgreenCtx) -> CUresult,
>;
pub type PFN_cuGreenCtxGetId_v12090 = ::core::option::Option<
    unsafe extern "C" fn(
        greenCtx: CUgreenCtx,
        greenCtxId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult,
>;
pub type PFN_cuCtxRecordEvent_v12050 = ::core::option::Option<
    unsafe extern "C" fn(hCtx: CUcontext, hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuCtxWaitEvent_v12050 = ::core::option::Option<
    unsafe extern "C" fn(hCtx: CUcontext, hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuGreenCtxStreamCreate_v12050 = ::core::option::Option<
    unsafe extern "C" fn(
        phStream: *mut CUstream,
        greenCtx: CUgreenCtx,
        flags: ::core::ffi::c_uint,
        priority: ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCtx_v12050 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        pctx: *mut CUcontext,
        pGreenCtx: *mut CUgreenCtx,
    ) -> CUresult,
>;
pub type PFN_cuStreamGetCtx_v12050_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        pctx: *mut CUcontext,
        pGreenCtx: *mut CUgreenCtx,
    ) -> CUresult,
>;
pub type PFN_cuMemBatchDecompressAsync_v12060 = ::core::option::Option<
    unsafe extern "C" fn(
        paramsArray: *mut CUmemDecompressParams,
        count: usize,
        flags: ::core::ffi::c_uint,
        errorIndex: *mut usize,
        stream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemBatchDecompressAsync_v12060_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        paramsArray: *mut CUmemDecompressParams,
        count: usize,
        flags: ::core::ffi::c_uint,
        errorIndex: *mut usize,
        stream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuLogsRegisterCallback_v12090 = ::core::option::Option<
    unsafe extern "C" fn(
        callbackFunc: CUlogsCallback,
        userData: *mut ::core::ffi::c_void,
        callback: *mut CUlogsCallbackHandle,
    ) -> CUresult,
>;
pub type PFN_cuLogsUnregisterCallback_v12090 = ::core::option::Option<
    unsafe extern "C" fn(callback: CUlogsCallbackHandle) -> CUresult,
>;
pub type PFN_cuLogsCurrent_v12090 = ::core::option::Option<
    unsafe extern "C" fn(
        iterator: *mut CUlogIterator,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLogsDumpToFile_v12090 = ::core::option::Option<
    unsafe extern "C" fn(
        iterator: *mut CUlogIterator,
        pathToFile: *const ::core::ffi::c_char,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLogsDumpToMemory_v12090 = ::core::option::Option<
    unsafe extern "C" fn(
        iterator: *mut CUlogIterator,
        buffer: *mut ::core::ffi::c_char,
        size: *mut usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLaunchHostFunc_v13010 = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
        syncMode: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLaunchHostFunc_v13010_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
        syncMode: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuCoredumpRegisterStartCallback_v13020 = ::core::option::Option<
    unsafe extern "C" fn(
        callback: CUcoredumpStatusCallback,
        userData: *mut ::core::ffi::c_void,
        callbackOut: *mut CUcoredumpCallbackHandle,
    ) -> CUresult,
>;
pub type PFN_cuCoredumpRegisterCompleteCallback_v13020 = ::core::option::Option<
    unsafe extern "C" fn(
        callback: CUcoredumpStatusCallback,
        userData: *mut ::core::ffi::c_void,
        callbackOut: *mut CUcoredumpCallbackHandle,
    ) -> CUresult,
>;
pub type PFN_cuCoredumpDeregisterStartCallback_v13020 = ::core::option::Option<
    unsafe extern "C" fn(callback: CUcoredumpCallbackHandle) -> CUresult,
>;
pub type PFN_cuCoredumpDeregisterCompleteCallback_v13020 = ::core::option::Option<
    unsafe extern "C" fn(callback: CUcoredumpCallbackHandle) -> CUresult,
>;
pub type PFN_cuCheckpointProcessGetRestoreThreadId_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        pid: ::core::ffi::c_int,
        tid: *mut ::core::ffi::c_int,
    ) -> CUresult,
>;
pub type PFN_cuCheckpointProcessGetState_v12080 = ::core::option::Option<
    unsafe extern "C" fn(pid: ::core::ffi::c_int, state: *mut CUprocessState) -> CUresult,
>;
pub type PFN_cuCheckpointProcessLock_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointLockArgs,
    ) -> CUresult,
>;
pub type PFN_cuCheckpointProcessCheckpoint_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointCheckpointArgs,
    ) -> CUresult,
>;
pub type PFN_cuCheckpointProcessRestore_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointRestoreArgs,
    ) -> CUresult,
>;
pub type PFN_cuCheckpointProcessUnlock_v12080 = ::core::option::Option<
    unsafe extern "C" fn(
        pid: ::core::ffi::c_int,
        args: *mut CUcheckpointUnlockArgs,
    ) -> CUresult,
>;
pub type PFN_cuCheckpointOperationComplete_v13040 = ::core::option::Option<
    unsafe extern "C" fn(handle: CUcheckpointOperationHandle) -> CUresult,
>;
pub type PFN_cuProfilerInitialize_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        configFile: *const ::core::ffi::c_char,
        outputFile: *const ::core::ffi::c_char,
        outputMode: CUoutput_mode,
    ) -> CUresult,
>;
pub type PFN_cuProfilerStart_v4000 = ::core::option::Option<
    unsafe extern "C" fn() -> CUresult,
>;
pub type PFN_cuProfilerStop_v4000 = ::core::option::Option<
    unsafe extern "C" fn() -> CUresult,
>;
pub type PFN_cuGraphicsGLRegisterBuffer_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        pCudaResource: *mut CUgraphicsResource,
        buffer: GLuint,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsGLRegisterImage_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        pCudaResource: *mut CUgraphicsResource,
        image: GLuint,
        target: GLenum,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGLGetDevices_v6050 = ::core::option::Option<
    unsafe extern "C" fn(
        pCudaDeviceCount: *mut ::core::ffi::c_uint,
        pCudaDevices: *mut CUdevice_v1,
        cudaDeviceCount: ::core::ffi::c_uint,
        deviceList: CUGLDeviceList,
    ) -> CUresult,
>;
pub type PFN_cuGLCtxCreate_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        pCtx: *mut CUcontext,
        Flags: ::core::ffi::c_uint,
        device: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuGLInit_v2000 = ::core::option::Option<unsafe extern "C" fn() -> CUresult>;
pub type PFN_cuGLRegisterBufferObject_v2000 = ::core::option::Option<
    unsafe extern "C" fn(buffer: GLuint) -> CUresult,
>;
pub type PFN_cuGLMapBufferObject_v7000_ptds = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        size: *mut usize,
        buffer: GLuint,
    ) -> CUresult,
>;
pub type PFN_cuGLUnmapBufferObject_v2000 = ::core::option::Option<
    unsafe extern "C" fn(buffer: GLuint) -> CUresult,
>;
pub type PFN_cuGLUnregisterBufferObject_v2000 = ::core::option::Option<
    unsafe extern "C" fn(buffer: GLuint) -> CUresult,
>;
pub type PFN_cuGLSetBufferObjectMapFlags_v2030 = ::core::option::Option<
    unsafe extern "C" fn(buffer: GLuint, Flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuGLMapBufferObjectAsync_v7000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        size: *mut usize,
        buffer: GLuint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuGLUnmapBufferObjectAsync_v2030 = ::core::option::Option<
    unsafe extern "C" fn(buffer: GLuint, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuGLMapBufferObject_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        size: *mut usize,
        buffer: GLuint,
    ) -> CUresult,
>;
pub type PFN_cuGLMapBufferObjectAsync_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v2,
        size: *mut usize,
        buffer: GLuint,
        hStream: CUstream,
    ) -> CUresult,
>;
#[doc(hidden)]
pub use self::CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS as CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS_enum;
#[doc(hidden)]
pub use self::CUGLDeviceList as CUGLDeviceList_enum;
#[doc(hidden)]
pub use self::CUGLmap_flags as CUGLmap_flags_enum;
#[doc(hidden)]
pub use self::CUGPUDirectRDMAWritesOrdering as CUGPUDirectRDMAWritesOrdering_enum;
#[doc(hidden)]
pub use self::CUaccessProperty as CUaccessProperty_enum;
#[doc(hidden)]
pub use self::CUaddress_mode as CUaddress_mode_enum;
#[doc(hidden)]
pub use self::CUarraySparseSubresourceType as CUarraySparseSubresourceType_enum;
#[doc(hidden)]
pub use self::CUarray_cubemap_face as CUarray_cubemap_face_enum;
#[doc(hidden)]
pub use self::CUarray_format as CUarray_format_enum;
#[doc(hidden)]
pub use self::CUasyncNotificationType as CUasyncNotificationType_enum;
#[doc(hidden)]
pub use self::CUatomicOperation as CUatomicOperation_enum;
#[doc(hidden)]
pub use self::CUatomicOperationCapability as CUatomicOperationCapability_enum;
#[doc(hidden)]
pub use self::CUcigDataType as CUcigDataType_enum;
#[doc(hidden)]
pub use self::CUcliqueType as CUcliqueType_enum;
#[doc(hidden)]
pub use self::CUclusterSchedulingPolicy as CUclusterSchedulingPolicy_enum;
#[doc(hidden)]
pub use self::CUcomputemode as CUcomputemode_enum;
#[doc(hidden)]
pub use self::CUcoredumpSettings as CUcoredumpSettings_enum;
#[doc(hidden)]
pub use self::CUctx_flags as CUctx_flags_enum;
#[doc(hidden)]
pub use self::CUdeviceNumaConfig as CUdeviceNumaConfig_enum;
#[doc(hidden)]
pub use self::CUdevice_P2PAttribute as CUdevice_P2PAttribute_enum;
#[doc(hidden)]
pub use self::CUdevice_attribute as CUdevice_attribute_enum;
#[doc(hidden)]
pub use self::CUdriverProcAddressQueryResult as CUdriverProcAddressQueryResult_enum;
#[doc(hidden)]
pub use self::CUdriverProcAddress_flags as CUdriverProcAddress_flags_enum;
#[doc(hidden)]
pub use self::CUevent_flags as CUevent_flags_enum;
#[doc(hidden)]
pub use self::CUevent_record_flags as CUevent_record_flags_enum;
#[doc(hidden)]
pub use self::CUevent_sched_flags as CUevent_sched_flags_enum;
#[doc(hidden)]
pub use self::CUevent_wait_flags as CUevent_wait_flags_enum;
#[doc(hidden)]
pub use self::CUexecAffinityType as CUexecAffinityType_enum;
#[doc(hidden)]
pub use self::CUexternalMemoryHandleType as CUexternalMemoryHandleType_enum;
#[doc(hidden)]
pub use self::CUexternalSemaphoreHandleType as CUexternalSemaphoreHandleType_enum;
#[doc(hidden)]
pub use self::CUfabricCpyOperandType as CUfabricCpyOperandType_enum;
#[doc(hidden)]
pub use self::CUfilter_mode as CUfilter_mode_enum;
#[doc(hidden)]
pub use self::CUflushGPUDirectRDMAWritesOptions as CUflushGPUDirectRDMAWritesOptions_enum;
#[doc(hidden)]
pub use self::CUflushGPUDirectRDMAWritesScope as CUflushGPUDirectRDMAWritesScope_enum;
#[doc(hidden)]
pub use self::CUflushGPUDirectRDMAWritesTarget as CUflushGPUDirectRDMAWritesTarget_enum;
#[doc(hidden)]
pub use self::CUfunc_cache as CUfunc_cache_enum;
#[doc(hidden)]
pub use self::CUfunctionLoadingState as CUfunctionLoadingState_enum;
#[doc(hidden)]
pub use self::CUfunction_attribute as CUfunction_attribute_enum;
#[doc(hidden)]
pub use self::CUgraphChildGraphNodeOwnership as CUgraphChildGraphNodeOwnership_enum;
#[doc(hidden)]
pub use self::CUgraphConditionalNodeType as CUgraphConditionalNodeType_enum;
#[doc(hidden)]
pub use self::CUgraphDebugDot_flags as CUgraphDebugDot_flags_enum;
#[doc(hidden)]
pub use self::CUgraphDependencyType as CUgraphDependencyType_enum;
#[doc(hidden)]
pub use self::CUgraphExecUpdateResult as CUgraphExecUpdateResult_enum;
#[doc(hidden)]
pub use self::CUgraphInstantiateResult as CUgraphInstantiateResult_enum;
#[doc(hidden)]
pub use self::CUgraphInstantiate_flags as CUgraphInstantiate_flags_enum;
#[doc(hidden)]
pub use self::CUgraphMem_attribute as CUgraphMem_attribute_enum;
#[doc(hidden)]
pub use self::CUgraphNodeType as CUgraphNodeType_enum;
#[doc(hidden)]
pub use self::CUgraphRecaptureStatus as CUgraphRecaptureStatus_enum;
#[doc(hidden)]
pub use self::CUgraphicsMapResourceFlags as CUgraphicsMapResourceFlags_enum;
#[doc(hidden)]
pub use self::CUgraphicsRegisterFlags as CUgraphicsRegisterFlags_enum;
#[doc(hidden)]
pub use self::CUhostTaskSyncMode as CUhostTaskSyncMode_enum;
#[doc(hidden)]
pub use self::CUipcMem_flags as CUipcMem_flags_enum;
#[doc(hidden)]
pub use self::CUjitInputType as CUjitInputType_enum;
#[doc(hidden)]
pub use self::CUjit_cacheMode as CUjit_cacheMode_enum;
#[doc(hidden)]
pub use self::CUjit_fallback as CUjit_fallback_enum;
#[doc(hidden)]
pub use self::CUjit_option as CUjit_option_enum;
#[doc(hidden)]
pub use self::CUjit_target as CUjit_target_enum;
#[doc(hidden)]
pub use self::CUlaunchAttributeID as CUlaunchAttributeID_enum;
#[doc(hidden)]
pub use self::CUlaunchAttributePortableClusterMode as CUlaunchAttributePortableClusterMode_enum;
#[doc(hidden)]
pub use self::CUlaunchMemSyncDomain as CUlaunchMemSyncDomain_enum;
#[doc(hidden)]
pub use self::CUlibraryOption as CUlibraryOption_enum;
#[doc(hidden)]
pub use self::CUlimit as CUlimit_enum;
#[doc(hidden)]
pub use self::CUlogLevel as CUlogLevel_enum;
#[doc(hidden)]
pub use self::CUlogicalEndpointFlag as CUlogicalEndpointFlag_enum;
#[doc(hidden)]
pub use self::CUlogicalEndpointIpcHandleType as CUlogicalEndpointIpcHandleType_enum;
#[doc(hidden)]
pub use self::CUlogicalEndpointType as CUlogicalEndpointType_enum;
#[doc(hidden)]
pub use self::CUmemAccess_flags as CUmemAccess_flags_enum;
#[doc(hidden)]
pub use self::CUmemAllocationCompType as CUmemAllocationCompType_enum;
#[doc(hidden)]
pub use self::CUmemAllocationGranularity_flags as CUmemAllocationGranularity_flags_enum;
#[doc(hidden)]
pub use self::CUmemAllocationHandleType as CUmemAllocationHandleType_enum;
#[doc(hidden)]
pub use self::CUmemAllocationType as CUmemAllocationType_enum;
#[doc(hidden)]
pub use self::CUmemAttach_flags as CUmemAttach_flags_enum;
#[doc(hidden)]
pub use self::CUmemDecompressAlgorithm as CUmemDecompressAlgorithm_enum;
#[doc(hidden)]
pub use self::CUmemHandleType as CUmemHandleType_enum;
#[doc(hidden)]
pub use self::CUmemLocationType as CUmemLocationType_enum;
#[doc(hidden)]
pub use self::CUmemOperationType as CUmemOperationType_enum;
#[doc(hidden)]
pub use self::CUmemPool_attribute as CUmemPool_attribute_enum;
#[doc(hidden)]
pub use self::CUmemRangeFlags as CUmemRangeFlags_enum;
#[doc(hidden)]
pub use self::CUmemRangeHandleType as CUmemRangeHandleType_enum;
#[doc(hidden)]
pub use self::CUmem_advise as CUmem_advise_enum;
#[doc(hidden)]
pub use self::CUmem_range_attribute as CUmem_range_attribute_enum;
#[doc(hidden)]
pub use self::CUmemcpy3DOperandType as CUmemcpy3DOperandType_enum;
#[doc(hidden)]
pub use self::CUmemcpyFlags as CUmemcpyFlags_enum;
#[doc(hidden)]
pub use self::CUmemcpySrcAccessOrder as CUmemcpySrcAccessOrder_enum;
#[doc(hidden)]
pub use self::CUmemorytype as CUmemorytype_enum;
#[doc(hidden)]
pub use self::CUmoduleLoadingMode as CUmoduleLoadingMode_enum;
#[doc(hidden)]
pub use self::CUmulticastGranularity_flags as CUmulticastGranularity_flags_enum;
#[doc(hidden)]
pub use self::CUoccupancy_flags as CUoccupancy_flags_enum;
#[doc(hidden)]
pub use self::CUoutput_mode as CUoutput_mode_enum;
#[doc(hidden)]
pub use self::CUpointer_attribute as CUpointer_attribute_enum;
#[doc(hidden)]
pub use self::CUprocessState as CUprocessState_enum;
#[doc(hidden)]
pub use self::CUresourceViewFormat as CUresourceViewFormat_enum;
#[doc(hidden)]
pub use self::CUresourcetype as CUresourcetype_enum;
#[doc(hidden)]
pub use self::CUresult as cudaError_enum;
#[doc(hidden)]
pub use self::CUsharedMemoryMode as CUsharedMemoryMode_enum;
#[doc(hidden)]
pub use self::CUshared_carveout as CUshared_carveout_enum;
#[doc(hidden)]
pub use self::CUsharedconfig as CUsharedconfig_enum;
#[doc(hidden)]
pub use self::CUstreamAtomicReductionDataType as CUstreamAtomicReductionDataType_enum;
#[doc(hidden)]
pub use self::CUstreamAtomicReductionOpType as CUstreamAtomicReductionOpType_enum;
#[doc(hidden)]
pub use self::CUstreamBatchMemOpType as CUstreamBatchMemOpType_enum;
#[doc(hidden)]
pub use self::CUstreamCaptureMode as CUstreamCaptureMode_enum;
#[doc(hidden)]
pub use self::CUstreamCaptureStatus as CUstreamCaptureStatus_enum;
#[doc(hidden)]
pub use self::CUstreamCigDataType as CUstreamCigDataType_enum;
#[doc(hidden)]
pub use self::CUstreamMemoryBarrier_flags as CUstreamMemoryBarrier_flags_enum;
#[doc(hidden)]
pub use self::CUstreamUpdateCaptureDependencies_flags as CUstreamUpdateCaptureDependencies_flags_enum;
#[doc(hidden)]
pub use self::CUstreamWaitValue_flags as CUstreamWaitValue_flags_enum;
#[doc(hidden)]
pub use self::CUstreamWriteValue_flags as CUstreamWriteValue_flags_enum;
#[doc(hidden)]
pub use self::CUstream_flags as CUstream_flags_enum;
#[doc(hidden)]
pub use self::CUsynchronizationPolicy as CUsynchronizationPolicy_enum;
#[doc(hidden)]
pub use self::CUtensorMapAllocClass as CUtensorMapAllocClass_enum;
#[doc(hidden)]
pub use self::CUtensorMapDataType as CUtensorMapDataType_enum;
#[doc(hidden)]
pub use self::CUtensorMapFloatOOBfill as CUtensorMapFloatOOBfill_enum;
#[doc(hidden)]
pub use self::CUtensorMapIm2ColWideMode as CUtensorMapIm2ColWideMode_enum;
#[doc(hidden)]
pub use self::CUtensorMapInterleave as CUtensorMapInterleave_enum;
#[doc(hidden)]
pub use self::CUtensorMapL2promotion as CUtensorMapL2promotion_enum;
#[doc(hidden)]
pub use self::CUtensorMapSwizzle as CUtensorMapSwizzle_enum;
#[doc(hidden)]
pub use self::CUuserObjectRetain_flags as CUuserObjectRetain_flags_enum;
#[doc(hidden)]
pub use self::CUuserObject_flags as CUuserObject_flags_enum;
#[doc(inline)]
pub use self::cuDeviceTotalMem_v2 as cuDeviceTotalMem;
#[doc(inline)]
pub use self::cuCtxCreate_v4 as cuCtxCreate;
#[doc(inline)]
pub use self::cuModuleGetGlobal_v2 as cuModuleGetGlobal;
#[doc(inline)]
pub use self::cuMemGetInfo_v2 as cuMemGetInfo;
#[doc(inline)]
pub use self::cuMemAlloc_v2 as cuMemAlloc;
#[doc(inline)]
pub use self::cuMemAllocPitch_v2 as cuMemAllocPitch;
#[doc(inline)]
pub use self::cuMemFree_v2 as cuMemFree;
#[doc(inline)]
pub use self::cuMemGetAddressRange_v2 as cuMemGetAddressRange;
#[doc(inline)]
pub use self::cuMemAllocHost_v2 as cuMemAllocHost;
#[doc(inline)]
pub use self::cuMemHostGetDevicePointer_v2 as cuMemHostGetDevicePointer;
#[doc(inline)]
pub use self::cuMemAdvise_v2 as cuMemAdvise;
#[doc(inline)]
pub use self::cuMemPrefetchAsync_v2 as cuMemPrefetchAsync;
#[doc(inline)]
pub use self::cuMemcpyHtoD_v2 as cuMemcpyHtoD;
#[doc(inline)]
pub use self::cuMemcpyDtoH_v2 as cuMemcpyDtoH;
#[doc(inline)]
pub use self::cuMemcpyDtoD_v2 as cuMemcpyDtoD;
#[doc(inline)]
pub use self::cuMemcpyDtoA_v2 as cuMemcpyDtoA;
#[doc(inline)]
pub use self::cuMemcpyAtoD_v2 as cuMemcpyAtoD;
#[doc(inline)]
pub use self::cuMemcpyHtoA_v2 as cuMemcpyHtoA;
#[doc(inline)]
pub use self::cuMemcpyAtoH_v2 as cuMemcpyAtoH;
#[doc(inline)]
pub use self::cuMemcpyAtoA_v2 as cuMemcpyAtoA;
#[doc(inline)]
pub use self::cuMemcpyHtoAAsync_v2 as cuMemcpyHtoAAsync;
#[doc(inline)]
pub use self::cuMemcpyAtoHAsync_v2 as cuMemcpyAtoHAsync;
#[doc(inline)]
pub use self::cuMemcpy2D_v2 as cuMemcpy2D;
#[doc(inline)]
pub use self::cuMemcpy2DUnaligned_v2 as cuMemcpy2DUnaligned;
#[doc(inline)]
pub use self::cuMemcpy3D_v2 as cuMemcpy3D;
#[doc(inline)]
pub use self::cuMemcpyHtoDAsync_v2 as cuMemcpyHtoDAsync;
#[doc(inline)]
pub use self::cuMemcpyDtoHAsync_v2 as cuMemcpyDtoHAsync;
#[doc(inline)]
pub use self::cuMemcpyDtoDAsync_v2 as cuMemcpyDtoDAsync;
#[doc(inline)]
pub use self::cuMemcpy2DAsync_v2 as cuMemcpy2DAsync;
#[doc(inline)]
pub use self::cuMemcpy3DAsync_v2 as cuMemcpy3DAsync;
#[doc(inline)]
pub use self::cuMemcpyBatchAsync_v2 as cuMemcpyBatchAsync;
#[doc(inline)]
pub use self::cuMemcpy3DBatchAsync_v2 as cuMemcpy3DBatchAsync;
#[doc(inline)]
pub use self::cuMemsetD8_v2 as cuMemsetD8;
#[doc(inline)]
pub use self::cuMemsetD16_v2 as cuMemsetD16;
#[doc(inline)]
pub use self::cuMemsetD32_v2 as cuMemsetD32;
#[doc(inline)]
pub use self::cuMemsetD2D8_v2 as cuMemsetD2D8;
#[doc(inline)]
pub use self::cuMemsetD2D16_v2 as cuMemsetD2D16;
#[doc(inline)]
pub use self::cuMemsetD2D32_v2 as cuMemsetD2D32;
#[doc(inline)]
pub use self::cuArrayCreate_v2 as cuArrayCreate;
#[doc(inline)]
pub use self::cuArrayGetDescriptor_v2 as cuArrayGetDescriptor;
#[doc(inline)]
pub use self::cuArray3DCreate_v2 as cuArray3DCreate;
#[doc(inline)]
pub use self::cuArray3DGetDescriptor_v2 as cuArray3DGetDescriptor;
#[doc(inline)]
pub use self::cuTexRefSetAddress_v2 as cuTexRefSetAddress;
#[doc(inline)]
pub use self::cuTexRefGetAddress_v2 as cuTexRefGetAddress;
#[doc(inline)]
pub use self::cuGraphicsResourceGetMappedPointer_v2 as cuGraphicsResourceGetMappedPointer;
#[doc(inline)]
pub use self::cuCtxDestroy_v2 as cuCtxDestroy;
#[doc(inline)]
pub use self::cuCtxPopCurrent_v2 as cuCtxPopCurrent;
#[doc(inline)]
pub use self::cuCtxPushCurrent_v2 as cuCtxPushCurrent;
#[doc(inline)]
pub use self::cuStreamDestroy_v2 as cuStreamDestroy;
#[doc(inline)]
pub use self::cuEventDestroy_v2 as cuEventDestroy;
#[doc(inline)]
pub use self::cuTexRefSetAddress2D_v3 as cuTexRefSetAddress2D;
#[doc(inline)]
pub use self::cuLinkCreate_v2 as cuLinkCreate;
#[doc(inline)]
pub use self::cuLinkAddData_v2 as cuLinkAddData;
#[doc(inline)]
pub use self::cuLinkAddFile_v2 as cuLinkAddFile;
#[doc(inline)]
pub use self::cuMemHostRegister_v2 as cuMemHostRegister;
#[doc(inline)]
pub use self::cuGraphicsResourceSetMapFlags_v2 as cuGraphicsResourceSetMapFlags;
#[doc(inline)]
pub use self::cuStreamBeginCapture_v2 as cuStreamBeginCapture;
#[doc(inline)]
pub use self::cuDevicePrimaryCtxRelease_v2 as cuDevicePrimaryCtxRelease;
#[doc(inline)]
pub use self::cuDevicePrimaryCtxReset_v2 as cuDevicePrimaryCtxReset;
#[doc(inline)]
pub use self::cuDevicePrimaryCtxSetFlags_v2 as cuDevicePrimaryCtxSetFlags;
#[doc(inline)]
pub use self::cuDeviceGetUuid_v2 as cuDeviceGetUuid;
#[doc(inline)]
pub use self::cuIpcOpenMemHandle_v2 as cuIpcOpenMemHandle;
#[doc(inline)]
pub use self::cuGraphInstantiateWithFlags as cuGraphInstantiate;
#[doc(inline)]
pub use self::cuGraphExecUpdate_v2 as cuGraphExecUpdate;
#[doc(inline)]
pub use self::cuGetProcAddress_v2 as cuGetProcAddress;
#[doc(inline)]
pub use self::cuGraphAddKernelNode_v2 as cuGraphAddKernelNode;
#[doc(inline)]
pub use self::cuGraphKernelNodeGetParams_v2 as cuGraphKernelNodeGetParams;
#[doc(inline)]
pub use self::cuGraphKernelNodeSetParams_v2 as cuGraphKernelNodeSetParams;
#[doc(inline)]
pub use self::cuGraphExecKernelNodeSetParams_v2 as cuGraphExecKernelNodeSetParams;
#[doc(inline)]
pub use self::cuGraphGetEdges_v2 as cuGraphGetEdges;
#[doc(inline)]
pub use self::cuGraphNodeGetDependencies_v2 as cuGraphNodeGetDependencies;
#[doc(inline)]
pub use self::cuGraphNodeGetDependentNodes_v2 as cuGraphNodeGetDependentNodes;
#[doc(inline)]
pub use self::cuGraphAddDependencies_v2 as cuGraphAddDependencies;
#[doc(inline)]
pub use self::cuGraphRemoveDependencies_v2 as cuGraphRemoveDependencies;
#[doc(inline)]
pub use self::cuGraphAddNode_v2 as cuGraphAddNode;
#[doc(inline)]
pub use self::cuEventElapsedTime_v2 as cuEventElapsedTime;
#[doc(inline)]
pub use self::cuStreamWriteValue32_v2 as cuStreamWriteValue32;
#[doc(inline)]
pub use self::cuStreamWaitValue32_v2 as cuStreamWaitValue32;
#[doc(inline)]
pub use self::cuStreamWriteValue64_v2 as cuStreamWriteValue64;
#[doc(inline)]
pub use self::cuStreamWaitValue64_v2 as cuStreamWaitValue64;
#[doc(inline)]
pub use self::cuStreamBatchMemOp_v2 as cuStreamBatchMemOp;
#[doc(inline)]
pub use self::cuStreamGetCaptureInfo_v3 as cuStreamGetCaptureInfo;
#[doc(inline)]
pub use self::cuStreamUpdateCaptureDependencies_v2 as cuStreamUpdateCaptureDependencies;
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`](Self::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).
    pub const CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW: Self = Self::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_COOPERATIVE`](Self::CU_LAUNCH_ATTRIBUTE_COOPERATIVE).
    pub const CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE: Self = Self::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`](Self::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).
    pub const CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION: Self = Self::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`](Self::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE).
    pub const CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: Self = Self::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_PRIORITY`](Self::CU_LAUNCH_ATTRIBUTE_PRIORITY).
    pub const CU_KERNEL_NODE_ATTRIBUTE_PRIORITY: Self = Self::CU_LAUNCH_ATTRIBUTE_PRIORITY;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`](Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).
    pub const CU_KERNEL_NODE_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: Self = Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`](Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).
    pub const CU_KERNEL_NODE_ATTRIBUTE_MEM_SYNC_DOMAIN: Self = Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION`](Self::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).
    pub const CU_KERNEL_NODE_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: Self = Self::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`](Self::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE).
    pub const CU_KERNEL_NODE_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: Self = Self::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`](Self::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).
    pub const CU_KERNEL_NODE_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: Self = Self::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`](Self::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).
    pub const CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW: Self = Self::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY`](Self::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY).
    pub const CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY: Self = Self::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_PRIORITY`](Self::CU_LAUNCH_ATTRIBUTE_PRIORITY).
    pub const CU_STREAM_ATTRIBUTE_PRIORITY: Self = Self::CU_LAUNCH_ATTRIBUTE_PRIORITY;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`](Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).
    pub const CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: Self = Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;
}
impl CUlaunchAttributeID {
    /// Another name of [`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`](Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).
    pub const CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN: Self = Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}
#[doc(inline)]
pub use self::cuGLCtxCreate_v2 as cuGLCtxCreate;
#[doc(inline)]
pub use self::cuGLMapBufferObject_v2 as cuGLMapBufferObject;
#[doc(inline)]
pub use self::cuGLMapBufferObjectAsync_v2 as cuGLMapBufferObjectAsync;
#[doc(inline)]
pub use self::cuGLGetDevices_v2 as cuGLGetDevices;
impl CUCoredumpGenerationFlags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_COREDUMP_DEFAULT_FLAGS", Self::CU_COREDUMP_DEFAULT_FLAGS),
        (
            "CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES",
            Self::CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES,
        ),
        ("CU_COREDUMP_SKIP_GLOBAL_MEMORY", Self::CU_COREDUMP_SKIP_GLOBAL_MEMORY),
        ("CU_COREDUMP_SKIP_SHARED_MEMORY", Self::CU_COREDUMP_SKIP_SHARED_MEMORY),
        ("CU_COREDUMP_SKIP_LOCAL_MEMORY", Self::CU_COREDUMP_SKIP_LOCAL_MEMORY),
        ("CU_COREDUMP_SKIP_ABORT", Self::CU_COREDUMP_SKIP_ABORT),
        ("CU_COREDUMP_SKIP_CONSTBANK_MEMORY", Self::CU_COREDUMP_SKIP_CONSTBANK_MEMORY),
        ("CU_COREDUMP_GZIP_COMPRESS", Self::CU_COREDUMP_GZIP_COMPRESS),
        ("CU_COREDUMP_FAULTED_CONTEXTS_ONLY", Self::CU_COREDUMP_FAULTED_CONTEXTS_ONLY),
        ("CU_COREDUMP_SKIP_TENSOR_MEMORY", Self::CU_COREDUMP_SKIP_TENSOR_MEMORY),
        ("CU_COREDUMP_NO_ERRBAR_AT_EXIT", Self::CU_COREDUMP_NO_ERRBAR_AT_EXIT),
        ("CU_COREDUMP_LOG_ONLY", Self::CU_COREDUMP_LOG_ONLY),
        ("CU_COREDUMP_LIGHTWEIGHT_FLAGS", Self::CU_COREDUMP_LIGHTWEIGHT_FLAGS),
    ];
}
impl CUCoredumpGenerationFlags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_COREDUMP_DEFAULT_FLAGS",
                1 => "CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES",
                2 => "CU_COREDUMP_SKIP_GLOBAL_MEMORY",
                4 => "CU_COREDUMP_SKIP_SHARED_MEMORY",
                8 => "CU_COREDUMP_SKIP_LOCAL_MEMORY",
                16 => "CU_COREDUMP_SKIP_ABORT",
                32 => "CU_COREDUMP_SKIP_CONSTBANK_MEMORY",
                64 => "CU_COREDUMP_GZIP_COMPRESS",
                128 => "CU_COREDUMP_FAULTED_CONTEXTS_ONLY",
                256 => "CU_COREDUMP_SKIP_TENSOR_MEMORY",
                1073741824 => "CU_COREDUMP_NO_ERRBAR_AT_EXIT",
                -2147483648 => "CU_COREDUMP_LOG_ONLY",
                303 => "CU_COREDUMP_LIGHTWEIGHT_FLAGS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUCoredumpGenerationFlags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUCoredumpGenerationFlags({})", self.0),
        }
    }
}
impl CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE",
            Self::CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE,
        ),
        (
            "CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ",
            Self::CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ,
        ),
        (
            "CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE",
            Self::CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE,
        ),
    ];
}
impl CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE",
                1 => "CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ",
                3 => "CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS({})", self.0),
        }
    }
}
impl CUGLDeviceList {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GL_DEVICE_LIST_ALL", Self::CU_GL_DEVICE_LIST_ALL),
        ("CU_GL_DEVICE_LIST_CURRENT_FRAME", Self::CU_GL_DEVICE_LIST_CURRENT_FRAME),
        ("CU_GL_DEVICE_LIST_NEXT_FRAME", Self::CU_GL_DEVICE_LIST_NEXT_FRAME),
    ];
}
impl CUGLDeviceList {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_GL_DEVICE_LIST_ALL",
                2 => "CU_GL_DEVICE_LIST_CURRENT_FRAME",
                3 => "CU_GL_DEVICE_LIST_NEXT_FRAME",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUGLDeviceList {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUGLDeviceList({})", self.0),
        }
    }
}
impl CUGLmap_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GL_MAP_RESOURCE_FLAGS_NONE", Self::CU_GL_MAP_RESOURCE_FLAGS_NONE),
        ("CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY", Self::CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY),
        (
            "CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD",
            Self::CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD,
        ),
    ];
}
impl CUGLmap_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GL_MAP_RESOURCE_FLAGS_NONE",
                1 => "CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY",
                2 => "CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUGLmap_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUGLmap_flags({})", self.0),
        }
    }
}
impl CUGPUDirectRDMAWritesOrdering {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE",
            Self::CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE,
        ),
        (
            "CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER",
            Self::CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER,
        ),
        (
            "CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES",
            Self::CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES,
        ),
    ];
}
impl CUGPUDirectRDMAWritesOrdering {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE",
                100 => "CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER",
                200 => "CU_GPU_DIRECT_RDMA_WRITES_ORDERING_ALL_DEVICES",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUGPUDirectRDMAWritesOrdering {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUGPUDirectRDMAWritesOrdering({})", self.0),
        }
    }
}
impl CUaccessProperty {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_ACCESS_PROPERTY_NORMAL", Self::CU_ACCESS_PROPERTY_NORMAL),
        ("CU_ACCESS_PROPERTY_STREAMING", Self::CU_ACCESS_PROPERTY_STREAMING),
        ("CU_ACCESS_PROPERTY_PERSISTING", Self::CU_ACCESS_PROPERTY_PERSISTING),
    ];
}
impl CUaccessProperty {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_ACCESS_PROPERTY_NORMAL",
                1 => "CU_ACCESS_PROPERTY_STREAMING",
                2 => "CU_ACCESS_PROPERTY_PERSISTING",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUaccessProperty {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUaccessProperty({})", self.0),
        }
    }
}
impl CUaddress_mode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TR_ADDRESS_MODE_WRAP", Self::CU_TR_ADDRESS_MODE_WRAP),
        ("CU_TR_ADDRESS_MODE_CLAMP", Self::CU_TR_ADDRESS_MODE_CLAMP),
        ("CU_TR_ADDRESS_MODE_MIRROR", Self::CU_TR_ADDRESS_MODE_MIRROR),
        ("CU_TR_ADDRESS_MODE_BORDER", Self::CU_TR_ADDRESS_MODE_BORDER),
    ];
}
impl CUaddress_mode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TR_ADDRESS_MODE_WRAP",
                1 => "CU_TR_ADDRESS_MODE_CLAMP",
                2 => "CU_TR_ADDRESS_MODE_MIRROR",
                3 => "CU_TR_ADDRESS_MODE_BORDER",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUaddress_mode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUaddress_mode({})", self.0),
        }
    }
}
impl CUarraySparseSubresourceType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL",
            Self::CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL,
        ),
        (
            "CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL",
            Self::CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL,
        ),
    ];
}
impl CUarraySparseSubresourceType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL",
                1 => "CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUarraySparseSubresourceType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUarraySparseSubresourceType({})", self.0),
        }
    }
}
impl CUarray_cubemap_face {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_CUBEMAP_FACE_POSITIVE_X", Self::CU_CUBEMAP_FACE_POSITIVE_X),
        ("CU_CUBEMAP_FACE_NEGATIVE_X", Self::CU_CUBEMAP_FACE_NEGATIVE_X),
        ("CU_CUBEMAP_FACE_POSITIVE_Y", Self::CU_CUBEMAP_FACE_POSITIVE_Y),
        ("CU_CUBEMAP_FACE_NEGATIVE_Y", Self::CU_CUBEMAP_FACE_NEGATIVE_Y),
        ("CU_CUBEMAP_FACE_POSITIVE_Z", Self::CU_CUBEMAP_FACE_POSITIVE_Z),
        ("CU_CUBEMAP_FACE_NEGATIVE_Z", Self::CU_CUBEMAP_FACE_NEGATIVE_Z),
    ];
}
impl CUarray_cubemap_face {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_CUBEMAP_FACE_POSITIVE_X",
                1 => "CU_CUBEMAP_FACE_NEGATIVE_X",
                2 => "CU_CUBEMAP_FACE_POSITIVE_Y",
                3 => "CU_CUBEMAP_FACE_NEGATIVE_Y",
                4 => "CU_CUBEMAP_FACE_POSITIVE_Z",
                5 => "CU_CUBEMAP_FACE_NEGATIVE_Z",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUarray_cubemap_face {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUarray_cubemap_face({})", self.0),
        }
    }
}
impl CUarray_format {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_AD_FORMAT_UNSIGNED_INT8", Self::CU_AD_FORMAT_UNSIGNED_INT8),
        ("CU_AD_FORMAT_UNSIGNED_INT16", Self::CU_AD_FORMAT_UNSIGNED_INT16),
        ("CU_AD_FORMAT_UNSIGNED_INT32", Self::CU_AD_FORMAT_UNSIGNED_INT32),
        ("CU_AD_FORMAT_SIGNED_INT8", Self::CU_AD_FORMAT_SIGNED_INT8),
        ("CU_AD_FORMAT_SIGNED_INT16", Self::CU_AD_FORMAT_SIGNED_INT16),
        ("CU_AD_FORMAT_SIGNED_INT32", Self::CU_AD_FORMAT_SIGNED_INT32),
        ("CU_AD_FORMAT_HALF", Self::CU_AD_FORMAT_HALF),
        ("CU_AD_FORMAT_FLOAT", Self::CU_AD_FORMAT_FLOAT),
        ("CU_AD_FORMAT_NV12", Self::CU_AD_FORMAT_NV12),
        ("CU_AD_FORMAT_UNORM_INT8X1", Self::CU_AD_FORMAT_UNORM_INT8X1),
        ("CU_AD_FORMAT_UNORM_INT8X2", Self::CU_AD_FORMAT_UNORM_INT8X2),
        ("CU_AD_FORMAT_UNORM_INT8X4", Self::CU_AD_FORMAT_UNORM_INT8X4),
        ("CU_AD_FORMAT_UNORM_INT16X1", Self::CU_AD_FORMAT_UNORM_INT16X1),
        ("CU_AD_FORMAT_UNORM_INT16X2", Self::CU_AD_FORMAT_UNORM_INT16X2),
        ("CU_AD_FORMAT_UNORM_INT16X4", Self::CU_AD_FORMAT_UNORM_INT16X4),
        ("CU_AD_FORMAT_SNORM_INT8X1", Self::CU_AD_FORMAT_SNORM_INT8X1),
        ("CU_AD_FORMAT_SNORM_INT8X2", Self::CU_AD_FORMAT_SNORM_INT8X2),
        ("CU_AD_FORMAT_SNORM_INT8X4", Self::CU_AD_FORMAT_SNORM_INT8X4),
        ("CU_AD_FORMAT_SNORM_INT16X1", Self::CU_AD_FORMAT_SNORM_INT16X1),
        ("CU_AD_FORMAT_SNORM_INT16X2", Self::CU_AD_FORMAT_SNORM_INT16X2),
        ("CU_AD_FORMAT_SNORM_INT16X4", Self::CU_AD_FORMAT_SNORM_INT16X4),
        ("CU_AD_FORMAT_BC1_UNORM", Self::CU_AD_FORMAT_BC1_UNORM),
        ("CU_AD_FORMAT_BC1_UNORM_SRGB", Self::CU_AD_FORMAT_BC1_UNORM_SRGB),
        ("CU_AD_FORMAT_BC2_UNORM", Self::CU_AD_FORMAT_BC2_UNORM),
        ("CU_AD_FORMAT_BC2_UNORM_SRGB", Self::CU_AD_FORMAT_BC2_UNORM_SRGB),
        ("CU_AD_FORMAT_BC3_UNORM", Self::CU_AD_FORMAT_BC3_UNORM),
        ("CU_AD_FORMAT_BC3_UNORM_SRGB", Self::CU_AD_FORMAT_BC3_UNORM_SRGB),
        ("CU_AD_FORMAT_BC4_UNORM", Self::CU_AD_FORMAT_BC4_UNORM),
        ("CU_AD_FORMAT_BC4_SNORM", Self::CU_AD_FORMAT_BC4_SNORM),
        ("CU_AD_FORMAT_BC5_UNORM", Self::CU_AD_FORMAT_BC5_UNORM),
        ("CU_AD_FORMAT_BC5_SNORM", Self::CU_AD_FORMAT_BC5_SNORM),
        ("CU_AD_FORMAT_BC6H_UF16", Self::CU_AD_FORMAT_BC6H_UF16),
        ("CU_AD_FORMAT_BC6H_SF16", Self::CU_AD_FORMAT_BC6H_SF16),
        ("CU_AD_FORMAT_BC7_UNORM", Self::CU_AD_FORMAT_BC7_UNORM),
        ("CU_AD_FORMAT_BC7_UNORM_SRGB", Self::CU_AD_FORMAT_BC7_UNORM_SRGB),
        ("CU_AD_FORMAT_P010", Self::CU_AD_FORMAT_P010),
        ("CU_AD_FORMAT_P016", Self::CU_AD_FORMAT_P016),
        ("CU_AD_FORMAT_NV16", Self::CU_AD_FORMAT_NV16),
        ("CU_AD_FORMAT_P210", Self::CU_AD_FORMAT_P210),
        ("CU_AD_FORMAT_P216", Self::CU_AD_FORMAT_P216),
        ("CU_AD_FORMAT_YUY2", Self::CU_AD_FORMAT_YUY2),
        ("CU_AD_FORMAT_Y210", Self::CU_AD_FORMAT_Y210),
        ("CU_AD_FORMAT_Y216", Self::CU_AD_FORMAT_Y216),
        ("CU_AD_FORMAT_AYUV", Self::CU_AD_FORMAT_AYUV),
        ("CU_AD_FORMAT_Y410", Self::CU_AD_FORMAT_Y410),
        ("CU_AD_FORMAT_Y416", Self::CU_AD_FORMAT_Y416),
        ("CU_AD_FORMAT_Y444_PLANAR8", Self::CU_AD_FORMAT_Y444_PLANAR8),
        ("CU_AD_FORMAT_Y444_PLANAR10", Self::CU_AD_FORMAT_Y444_PLANAR10),
        (
            "CU_AD_FORMAT_YUV444_8bit_SemiPlanar",
            Self::CU_AD_FORMAT_YUV444_8bit_SemiPlanar,
        ),
        (
            "CU_AD_FORMAT_YUV444_16bit_SemiPlanar",
            Self::CU_AD_FORMAT_YUV444_16bit_SemiPlanar,
        ),
        ("CU_AD_FORMAT_UNORM_INT_101010_2", Self::CU_AD_FORMAT_UNORM_INT_101010_2),
        ("CU_AD_FORMAT_UINT8_PACKED_422", Self::CU_AD_FORMAT_UINT8_PACKED_422),
        ("CU_AD_FORMAT_UINT8_PACKED_444", Self::CU_AD_FORMAT_UINT8_PACKED_444),
        ("CU_AD_FORMAT_UINT8_SEMIPLANAR_420", Self::CU_AD_FORMAT_UINT8_SEMIPLANAR_420),
        ("CU_AD_FORMAT_UINT16_SEMIPLANAR_420", Self::CU_AD_FORMAT_UINT16_SEMIPLANAR_420),
        ("CU_AD_FORMAT_UINT8_SEMIPLANAR_422", Self::CU_AD_FORMAT_UINT8_SEMIPLANAR_422),
        ("CU_AD_FORMAT_UINT16_SEMIPLANAR_422", Self::CU_AD_FORMAT_UINT16_SEMIPLANAR_422),
        ("CU_AD_FORMAT_UINT8_SEMIPLANAR_444", Self::CU_AD_FORMAT_UINT8_SEMIPLANAR_444),
        ("CU_AD_FORMAT_UINT16_SEMIPLANAR_444", Self::CU_AD_FORMAT_UINT16_SEMIPLANAR_444),
        ("CU_AD_FORMAT_UINT8_PLANAR_420", Self::CU_AD_FORMAT_UINT8_PLANAR_420),
        ("CU_AD_FORMAT_UINT16_PLANAR_420", Self::CU_AD_FORMAT_UINT16_PLANAR_420),
        ("CU_AD_FORMAT_UINT8_PLANAR_422", Self::CU_AD_FORMAT_UINT8_PLANAR_422),
        ("CU_AD_FORMAT_UINT16_PLANAR_422", Self::CU_AD_FORMAT_UINT16_PLANAR_422),
        ("CU_AD_FORMAT_UINT8_PLANAR_444", Self::CU_AD_FORMAT_UINT8_PLANAR_444),
        ("CU_AD_FORMAT_UINT16_PLANAR_444", Self::CU_AD_FORMAT_UINT16_PLANAR_444),
        ("CU_AD_FORMAT_MAX", Self::CU_AD_FORMAT_MAX),
    ];
}
impl CUarray_format {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_AD_FORMAT_UNSIGNED_INT8",
                2 => "CU_AD_FORMAT_UNSIGNED_INT16",
                3 => "CU_AD_FORMAT_UNSIGNED_INT32",
                8 => "CU_AD_FORMAT_SIGNED_INT8",
                9 => "CU_AD_FORMAT_SIGNED_INT16",
                10 => "CU_AD_FORMAT_SIGNED_INT32",
                16 => "CU_AD_FORMAT_HALF",
                32 => "CU_AD_FORMAT_FLOAT",
                176 => "CU_AD_FORMAT_NV12",
                192 => "CU_AD_FORMAT_UNORM_INT8X1",
                193 => "CU_AD_FORMAT_UNORM_INT8X2",
                194 => "CU_AD_FORMAT_UNORM_INT8X4",
                195 => "CU_AD_FORMAT_UNORM_INT16X1",
                196 => "CU_AD_FORMAT_UNORM_INT16X2",
                197 => "CU_AD_FORMAT_UNORM_INT16X4",
                198 => "CU_AD_FORMAT_SNORM_INT8X1",
                199 => "CU_AD_FORMAT_SNORM_INT8X2",
                200 => "CU_AD_FORMAT_SNORM_INT8X4",
                201 => "CU_AD_FORMAT_SNORM_INT16X1",
                202 => "CU_AD_FORMAT_SNORM_INT16X2",
                203 => "CU_AD_FORMAT_SNORM_INT16X4",
                145 => "CU_AD_FORMAT_BC1_UNORM",
                146 => "CU_AD_FORMAT_BC1_UNORM_SRGB",
                147 => "CU_AD_FORMAT_BC2_UNORM",
                148 => "CU_AD_FORMAT_BC2_UNORM_SRGB",
                149 => "CU_AD_FORMAT_BC3_UNORM",
                150 => "CU_AD_FORMAT_BC3_UNORM_SRGB",
                151 => "CU_AD_FORMAT_BC4_UNORM",
                152 => "CU_AD_FORMAT_BC4_SNORM",
                153 => "CU_AD_FORMAT_BC5_UNORM",
                154 => "CU_AD_FORMAT_BC5_SNORM",
                155 => "CU_AD_FORMAT_BC6H_UF16",
                156 => "CU_AD_FORMAT_BC6H_SF16",
                157 => "CU_AD_FORMAT_BC7_UNORM",
                158 => "CU_AD_FORMAT_BC7_UNORM_SRGB",
                159 => "CU_AD_FORMAT_P010",
                161 => "CU_AD_FORMAT_P016",
                162 => "CU_AD_FORMAT_NV16",
                163 => "CU_AD_FORMAT_P210",
                164 => "CU_AD_FORMAT_P216",
                165 => "CU_AD_FORMAT_YUY2",
                166 => "CU_AD_FORMAT_Y210",
                167 => "CU_AD_FORMAT_Y216",
                168 => "CU_AD_FORMAT_AYUV",
                169 => "CU_AD_FORMAT_Y410",
                177 => "CU_AD_FORMAT_Y416",
                178 => "CU_AD_FORMAT_Y444_PLANAR8",
                179 => "CU_AD_FORMAT_Y444_PLANAR10",
                180 => "CU_AD_FORMAT_YUV444_8bit_SemiPlanar",
                181 => "CU_AD_FORMAT_YUV444_16bit_SemiPlanar",
                80 => "CU_AD_FORMAT_UNORM_INT_101010_2",
                81 => "CU_AD_FORMAT_UINT8_PACKED_422",
                82 => "CU_AD_FORMAT_UINT8_PACKED_444",
                83 => "CU_AD_FORMAT_UINT8_SEMIPLANAR_420",
                84 => "CU_AD_FORMAT_UINT16_SEMIPLANAR_420",
                85 => "CU_AD_FORMAT_UINT8_SEMIPLANAR_422",
                86 => "CU_AD_FORMAT_UINT16_SEMIPLANAR_422",
                87 => "CU_AD_FORMAT_UINT8_SEMIPLANAR_444",
                88 => "CU_AD_FORMAT_UINT16_SEMIPLANAR_444",
                89 => "CU_AD_FORMAT_UINT8_PLANAR_420",
                90 => "CU_AD_FORMAT_UINT16_PLANAR_420",
                91 => "CU_AD_FORMAT_UINT8_PLANAR_422",
                92 => "CU_AD_FORMAT_UINT16_PLANAR_422",
                93 => "CU_AD_FORMAT_UINT8_PLANAR_444",
                94 => "CU_AD_FORMAT_UINT16_PLANAR_444",
                2147483647 => "CU_AD_FORMAT_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUarray_format {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUarray_format({})", self.0),
        }
    }
}
impl CUasyncNotificationType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET",
            Self::CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET,
        ),
    ];
}
impl CUasyncNotificationType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUasyncNotificationType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUasyncNotificationType({})", self.0),
        }
    }
}
impl CUatomicOperation {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_ATOMIC_OPERATION_INTEGER_ADD", Self::CU_ATOMIC_OPERATION_INTEGER_ADD),
        ("CU_ATOMIC_OPERATION_INTEGER_MIN", Self::CU_ATOMIC_OPERATION_INTEGER_MIN),
        ("CU_ATOMIC_OPERATION_INTEGER_MAX", Self::CU_ATOMIC_OPERATION_INTEGER_MAX),
        (
            "CU_ATOMIC_OPERATION_INTEGER_INCREMENT",
            Self::CU_ATOMIC_OPERATION_INTEGER_INCREMENT,
        ),
        (
            "CU_ATOMIC_OPERATION_INTEGER_DECREMENT",
            Self::CU_ATOMIC_OPERATION_INTEGER_DECREMENT,
        ),
        ("CU_ATOMIC_OPERATION_AND", Self::CU_ATOMIC_OPERATION_AND),
        ("CU_ATOMIC_OPERATION_OR", Self::CU_ATOMIC_OPERATION_OR),
        ("CU_ATOMIC_OPERATION_XOR", Self::CU_ATOMIC_OPERATION_XOR),
        ("CU_ATOMIC_OPERATION_EXCHANGE", Self::CU_ATOMIC_OPERATION_EXCHANGE),
        ("CU_ATOMIC_OPERATION_CAS", Self::CU_ATOMIC_OPERATION_CAS),
        ("CU_ATOMIC_OPERATION_FLOAT_ADD", Self::CU_ATOMIC_OPERATION_FLOAT_ADD),
        ("CU_ATOMIC_OPERATION_FLOAT_MIN", Self::CU_ATOMIC_OPERATION_FLOAT_MIN),
        ("CU_ATOMIC_OPERATION_FLOAT_MAX", Self::CU_ATOMIC_OPERATION_FLOAT_MAX),
        ("CU_ATOMIC_OPERATION_MAX", Self::CU_ATOMIC_OPERATION_MAX),
    ];
}
impl CUatomicOperation {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_ATOMIC_OPERATION_INTEGER_ADD",
                1 => "CU_ATOMIC_OPERATION_INTEGER_MIN",
                2 => "CU_ATOMIC_OPERATION_INTEGER_MAX",
                3 => "CU_ATOMIC_OPERATION_INTEGER_INCREMENT",
                4 => "CU_ATOMIC_OPERATION_INTEGER_DECREMENT",
                5 => "CU_ATOMIC_OPERATION_AND",
                6 => "CU_ATOMIC_OPERATION_OR",
                7 => "CU_ATOMIC_OPERATION_XOR",
                8 => "CU_ATOMIC_OPERATION_EXCHANGE",
                9 => "CU_ATOMIC_OPERATION_CAS",
                10 => "CU_ATOMIC_OPERATION_FLOAT_ADD",
                11 => "CU_ATOMIC_OPERATION_FLOAT_MIN",
                12 => "CU_ATOMIC_OPERATION_FLOAT_MAX",
                13 => "CU_ATOMIC_OPERATION_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUatomicOperation {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUatomicOperation({})", self.0),
        }
    }
}
impl CUatomicOperationCapability {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_ATOMIC_CAPABILITY_SIGNED", Self::CU_ATOMIC_CAPABILITY_SIGNED),
        ("CU_ATOMIC_CAPABILITY_UNSIGNED", Self::CU_ATOMIC_CAPABILITY_UNSIGNED),
        ("CU_ATOMIC_CAPABILITY_REDUCTION", Self::CU_ATOMIC_CAPABILITY_REDUCTION),
        ("CU_ATOMIC_CAPABILITY_SCALAR_32", Self::CU_ATOMIC_CAPABILITY_SCALAR_32),
        ("CU_ATOMIC_CAPABILITY_SCALAR_64", Self::CU_ATOMIC_CAPABILITY_SCALAR_64),
        ("CU_ATOMIC_CAPABILITY_SCALAR_128", Self::CU_ATOMIC_CAPABILITY_SCALAR_128),
        ("CU_ATOMIC_CAPABILITY_VECTOR_32x4", Self::CU_ATOMIC_CAPABILITY_VECTOR_32x4),
    ];
}
impl CUatomicOperationCapability {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_ATOMIC_CAPABILITY_SIGNED",
                2 => "CU_ATOMIC_CAPABILITY_UNSIGNED",
                4 => "CU_ATOMIC_CAPABILITY_REDUCTION",
                8 => "CU_ATOMIC_CAPABILITY_SCALAR_32",
                16 => "CU_ATOMIC_CAPABILITY_SCALAR_64",
                32 => "CU_ATOMIC_CAPABILITY_SCALAR_128",
                64 => "CU_ATOMIC_CAPABILITY_VECTOR_32x4",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUatomicOperationCapability {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUatomicOperationCapability({})", self.0),
        }
    }
}
impl CUcigDataType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CIG_DATA_TYPE_D3D12_COMMAND_QUEUE", Self::CIG_DATA_TYPE_D3D12_COMMAND_QUEUE),
        ("CIG_DATA_TYPE_NV_BLOB", Self::CIG_DATA_TYPE_NV_BLOB),
    ];
}
impl CUcigDataType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CIG_DATA_TYPE_D3D12_COMMAND_QUEUE",
                2 => "CIG_DATA_TYPE_NV_BLOB",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUcigDataType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUcigDataType({})", self.0),
        }
    }
}
impl CUcliqueType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_CLIQUE_TYPE_UNICAST_POINTER", Self::CU_CLIQUE_TYPE_UNICAST_POINTER),
        ("CU_CLIQUE_TYPE_MULTICAST_POINTER", Self::CU_CLIQUE_TYPE_MULTICAST_POINTER),
        (
            "CU_CLIQUE_TYPE_UNICAST_LOGICAL_ENDPOINT",
            Self::CU_CLIQUE_TYPE_UNICAST_LOGICAL_ENDPOINT,
        ),
        (
            "CU_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT",
            Self::CU_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT,
        ),
    ];
}
impl CUcliqueType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_CLIQUE_TYPE_UNICAST_POINTER",
                1 => "CU_CLIQUE_TYPE_MULTICAST_POINTER",
                2 => "CU_CLIQUE_TYPE_UNICAST_LOGICAL_ENDPOINT",
                3 => "CU_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUcliqueType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUcliqueType({})", self.0),
        }
    }
}
impl CUclusterSchedulingPolicy {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_CLUSTER_SCHEDULING_POLICY_DEFAULT",
            Self::CU_CLUSTER_SCHEDULING_POLICY_DEFAULT,
        ),
        (
            "CU_CLUSTER_SCHEDULING_POLICY_SPREAD",
            Self::CU_CLUSTER_SCHEDULING_POLICY_SPREAD,
        ),
        (
            "CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING",
            Self::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
        ),
        (
            "CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY",
            Self::CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY,
        ),
    ];
}
impl CUclusterSchedulingPolicy {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_CLUSTER_SCHEDULING_POLICY_DEFAULT",
                1 => "CU_CLUSTER_SCHEDULING_POLICY_SPREAD",
                2 => "CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING",
                3 => "CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUclusterSchedulingPolicy {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUclusterSchedulingPolicy({})", self.0),
        }
    }
}
impl CUcomputemode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_COMPUTEMODE_DEFAULT", Self::CU_COMPUTEMODE_DEFAULT),
        ("CU_COMPUTEMODE_PROHIBITED", Self::CU_COMPUTEMODE_PROHIBITED),
        ("CU_COMPUTEMODE_EXCLUSIVE_PROCESS", Self::CU_COMPUTEMODE_EXCLUSIVE_PROCESS),
    ];
}
impl CUcomputemode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_COMPUTEMODE_DEFAULT",
                2 => "CU_COMPUTEMODE_PROHIBITED",
                3 => "CU_COMPUTEMODE_EXCLUSIVE_PROCESS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUcomputemode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUcomputemode({})", self.0),
        }
    }
}
impl CUcoredumpSettings {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_COREDUMP_ENABLE_ON_EXCEPTION", Self::CU_COREDUMP_ENABLE_ON_EXCEPTION),
        ("CU_COREDUMP_TRIGGER_HOST", Self::CU_COREDUMP_TRIGGER_HOST),
        ("CU_COREDUMP_LIGHTWEIGHT", Self::CU_COREDUMP_LIGHTWEIGHT),
        ("CU_COREDUMP_ENABLE_USER_TRIGGER", Self::CU_COREDUMP_ENABLE_USER_TRIGGER),
        ("CU_COREDUMP_FILE", Self::CU_COREDUMP_FILE),
        ("CU_COREDUMP_PIPE", Self::CU_COREDUMP_PIPE),
        ("CU_COREDUMP_GENERATION_FLAGS", Self::CU_COREDUMP_GENERATION_FLAGS),
        ("CU_COREDUMP_MAX", Self::CU_COREDUMP_MAX),
    ];
}
impl CUcoredumpSettings {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_COREDUMP_ENABLE_ON_EXCEPTION",
                2 => "CU_COREDUMP_TRIGGER_HOST",
                3 => "CU_COREDUMP_LIGHTWEIGHT",
                4 => "CU_COREDUMP_ENABLE_USER_TRIGGER",
                5 => "CU_COREDUMP_FILE",
                6 => "CU_COREDUMP_PIPE",
                7 => "CU_COREDUMP_GENERATION_FLAGS",
                8 => "CU_COREDUMP_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUcoredumpSettings {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUcoredumpSettings({})", self.0),
        }
    }
}
impl CUctx_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_CTX_SCHED_AUTO", Self::CU_CTX_SCHED_AUTO),
        ("CU_CTX_SCHED_SPIN", Self::CU_CTX_SCHED_SPIN),
        ("CU_CTX_SCHED_YIELD", Self::CU_CTX_SCHED_YIELD),
        ("CU_CTX_SCHED_BLOCKING_SYNC", Self::CU_CTX_SCHED_BLOCKING_SYNC),
        ("CU_CTX_BLOCKING_SYNC", Self::CU_CTX_BLOCKING_SYNC),
        ("CU_CTX_SCHED_MASK", Self::CU_CTX_SCHED_MASK),
        ("CU_CTX_MAP_HOST", Self::CU_CTX_MAP_HOST),
        ("CU_CTX_LMEM_RESIZE_TO_MAX", Self::CU_CTX_LMEM_RESIZE_TO_MAX),
        ("CU_CTX_COREDUMP_ENABLE", Self::CU_CTX_COREDUMP_ENABLE),
        ("CU_CTX_USER_COREDUMP_ENABLE", Self::CU_CTX_USER_COREDUMP_ENABLE),
        ("CU_CTX_SYNC_MEMOPS", Self::CU_CTX_SYNC_MEMOPS),
        ("CU_CTX_FLAGS_MASK", Self::CU_CTX_FLAGS_MASK),
    ];
}
impl CUctx_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_CTX_SCHED_AUTO",
                1 => "CU_CTX_SCHED_SPIN",
                2 => "CU_CTX_SCHED_YIELD",
                4 => "CU_CTX_SCHED_BLOCKING_SYNC",
                7 => "CU_CTX_SCHED_MASK",
                8 => "CU_CTX_MAP_HOST",
                16 => "CU_CTX_LMEM_RESIZE_TO_MAX",
                32 => "CU_CTX_COREDUMP_ENABLE",
                64 => "CU_CTX_USER_COREDUMP_ENABLE",
                128 => "CU_CTX_SYNC_MEMOPS",
                255 => "CU_CTX_FLAGS_MASK",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUctx_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUctx_flags({})", self.0),
        }
    }
}
impl CUdevResourceType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_DEV_RESOURCE_TYPE_INVALID", Self::CU_DEV_RESOURCE_TYPE_INVALID),
        ("CU_DEV_RESOURCE_TYPE_SM", Self::CU_DEV_RESOURCE_TYPE_SM),
        (
            "CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG",
            Self::CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG,
        ),
        ("CU_DEV_RESOURCE_TYPE_WORKQUEUE", Self::CU_DEV_RESOURCE_TYPE_WORKQUEUE),
    ];
}
impl CUdevResourceType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_DEV_RESOURCE_TYPE_INVALID",
                1 => "CU_DEV_RESOURCE_TYPE_SM",
                1000 => "CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG",
                10000 => "CU_DEV_RESOURCE_TYPE_WORKQUEUE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdevResourceType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdevResourceType({})", self.0),
        }
    }
}
impl CUdevSmResourceGroup_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_DEV_SM_RESOURCE_GROUP_DEFAULT", Self::CU_DEV_SM_RESOURCE_GROUP_DEFAULT),
        ("CU_DEV_SM_RESOURCE_GROUP_BACKFILL", Self::CU_DEV_SM_RESOURCE_GROUP_BACKFILL),
        (
            "CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID",
            Self::CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID,
        ),
        (
            "CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS",
            Self::CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS,
        ),
    ];
}
impl CUdevSmResourceGroup_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_DEV_SM_RESOURCE_GROUP_DEFAULT",
                1 => "CU_DEV_SM_RESOURCE_GROUP_BACKFILL",
                2 => "CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_ID",
                4 => "CU_DEV_SM_RESOURCE_GROUP_LOCALITY_DOMAIN_SUPPLEMENTAL_SMS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdevSmResourceGroup_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdevSmResourceGroup_flags({})", self.0),
        }
    }
}
impl CUdevSmResourceSplitByCount_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING",
            Self::CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING,
        ),
        (
            "CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE",
            Self::CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE,
        ),
    ];
}
impl CUdevSmResourceSplitByCount_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING",
                2 => "CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdevSmResourceSplitByCount_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdevSmResourceSplitByCount_flags({})", self.0),
        }
    }
}
impl CUdevWorkqueueConfigScope {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_WORKQUEUE_SCOPE_DEVICE_CTX", Self::CU_WORKQUEUE_SCOPE_DEVICE_CTX),
        (
            "CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED",
            Self::CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED,
        ),
    ];
}
impl CUdevWorkqueueConfigScope {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_WORKQUEUE_SCOPE_DEVICE_CTX",
                1 => "CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdevWorkqueueConfigScope {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdevWorkqueueConfigScope({})", self.0),
        }
    }
}
impl CUdeviceNumaConfig {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_DEVICE_NUMA_CONFIG_NONE", Self::CU_DEVICE_NUMA_CONFIG_NONE),
        ("CU_DEVICE_NUMA_CONFIG_NUMA_NODE", Self::CU_DEVICE_NUMA_CONFIG_NUMA_NODE),
    ];
}
impl CUdeviceNumaConfig {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_DEVICE_NUMA_CONFIG_NONE",
                1 => "CU_DEVICE_NUMA_CONFIG_NUMA_NODE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdeviceNumaConfig {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdeviceNumaConfig({})", self.0),
        }
    }
}
impl CUdevice_P2PAttribute {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK",
            Self::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK,
        ),
        (
            "CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED",
            Self::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED,
        ),
        (
            "CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED",
            Self::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
        ),
        (
            "CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED",
            Self::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED,
        ),
        (
            "CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED",
            Self::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED,
        ),
        (
            "CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED",
            Self::CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED,
        ),
    ];
}
impl CUdevice_P2PAttribute {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK",
                2 => "CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED",
                3 => "CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED",
                4 => "CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED",
                5 => "CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdevice_P2PAttribute {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdevice_P2PAttribute({})", self.0),
        }
    }
}
impl CUdevice_attribute {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK",
            Self::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X",
            Self::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y",
            Self::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z",
            Self::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
        ),
        ("CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X", Self::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
        ("CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y", Self::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
        ("CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z", Self::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK",
            Self::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK",
            Self::CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY",
            Self::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
        ),
        ("CU_DEVICE_ATTRIBUTE_WARP_SIZE", Self::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        ("CU_DEVICE_ATTRIBUTE_MAX_PITCH", Self::CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK",
            Self::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK",
            Self::CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK,
        ),
        ("CU_DEVICE_ATTRIBUTE_CLOCK_RATE", Self::CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        (
            "CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT",
            Self::CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
        ),
        ("CU_DEVICE_ATTRIBUTE_GPU_OVERLAP", Self::CU_DEVICE_ATTRIBUTE_GPU_OVERLAP),
        (
            "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT",
            Self::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT",
            Self::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT,
        ),
        ("CU_DEVICE_ATTRIBUTE_INTEGRATED", Self::CU_DEVICE_ATTRIBUTE_INTEGRATED),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY",
            Self::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,
        ),
        ("CU_DEVICE_ATTRIBUTE_COMPUTE_MODE", Self::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT",
            Self::CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS",
            Self::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
        ),
        ("CU_DEVICE_ATTRIBUTE_ECC_ENABLED", Self::CU_DEVICE_ATTRIBUTE_ECC_ENABLED),
        ("CU_DEVICE_ATTRIBUTE_PCI_BUS_ID", Self::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
        ("CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID", Self::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID),
        ("CU_DEVICE_ATTRIBUTE_TCC_DRIVER", Self::CU_DEVICE_ATTRIBUTE_TCC_DRIVER),
        (
            "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE",
            Self::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        ),
        ("CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE", Self::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR",
            Self::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT",
            Self::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING",
            Self::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER",
            Self::CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,
        ),
        ("CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID", Self::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
        (
            "CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT",
            Self::CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
            Self::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR",
            Self::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH",
            Self::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
            Self::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR",
            Self::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        ),
        ("CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY", Self::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY),
        (
            "CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD",
            Self::CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID",
            Self::CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO",
            Self::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS",
            Self::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS",
            Self::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM",
            Self::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1",
            Self::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1",
            Self::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1",
            Self::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH",
            Self::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH",
            Self::CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
            Self::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES",
            Self::CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES",
            Self::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST",
            Self::CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR",
            Self::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE",
            Self::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE",
            Self::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK",
            Self::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS",
            Self::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING",
            Self::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES",
            Self::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES,
        ),
        ("CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH", Self::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH),
        (
            "CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS",
            Self::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR",
            Self::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT",
            Self::CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS",
            Self::CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS,
        ),
        ("CU_DEVICE_ATTRIBUTE_NUMA_CONFIG", Self::CU_DEVICE_ATTRIBUTE_NUMA_CONFIG),
        ("CU_DEVICE_ATTRIBUTE_NUMA_ID", Self::CU_DEVICE_ATTRIBUTE_NUMA_ID),
        (
            "CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED,
        ),
        ("CU_DEVICE_ATTRIBUTE_MPS_ENABLED", Self::CU_DEVICE_ATTRIBUTE_MPS_ENABLED),
        ("CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID", Self::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID),
        (
            "CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK",
            Self::CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH",
            Self::CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID",
            Self::CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID",
            Self::CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT",
            Self::CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK",
            Self::CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT",
            Self::CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES",
            Self::CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE",
            Self::CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE,
        ),
        (
            "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED",
            Self::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED,
        ),
        ("CU_DEVICE_ATTRIBUTE_MAX", Self::CU_DEVICE_ATTRIBUTE_MAX),
    ];
}
impl CUdevice_attribute {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK",
                2 => "CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X",
                3 => "CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y",
                4 => "CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z",
                5 => "CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X",
                6 => "CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y",
                7 => "CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z",
                8 => "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK",
                9 => "CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY",
                10 => "CU_DEVICE_ATTRIBUTE_WARP_SIZE",
                11 => "CU_DEVICE_ATTRIBUTE_MAX_PITCH",
                12 => "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK",
                13 => "CU_DEVICE_ATTRIBUTE_CLOCK_RATE",
                14 => "CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT",
                15 => "CU_DEVICE_ATTRIBUTE_GPU_OVERLAP",
                16 => "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT",
                17 => "CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT",
                18 => "CU_DEVICE_ATTRIBUTE_INTEGRATED",
                19 => "CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY",
                20 => "CU_DEVICE_ATTRIBUTE_COMPUTE_MODE",
                21 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH",
                22 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH",
                23 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT",
                24 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH",
                25 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT",
                26 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH",
                27 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH",
                28 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT",
                29 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS",
                30 => "CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT",
                31 => "CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS",
                32 => "CU_DEVICE_ATTRIBUTE_ECC_ENABLED",
                33 => "CU_DEVICE_ATTRIBUTE_PCI_BUS_ID",
                34 => "CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID",
                35 => "CU_DEVICE_ATTRIBUTE_TCC_DRIVER",
                36 => "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE",
                37 => "CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH",
                38 => "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE",
                39 => "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR",
                40 => "CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT",
                41 => "CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING",
                42 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH",
                43 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS",
                44 => "CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER",
                45 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH",
                46 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT",
                47 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE",
                48 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE",
                49 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE",
                50 => "CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID",
                51 => "CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT",
                52 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH",
                53 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH",
                54 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS",
                55 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH",
                56 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH",
                57 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT",
                58 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH",
                59 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT",
                60 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH",
                61 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH",
                62 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS",
                63 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH",
                64 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT",
                65 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS",
                66 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH",
                67 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH",
                68 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS",
                69 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH",
                70 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH",
                71 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT",
                72 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH",
                73 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH",
                74 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT",
                75 => "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
                76 => "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR",
                77 => "CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH",
                78 => "CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED",
                79 => "CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED",
                80 => "CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED",
                81 => "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
                82 => "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR",
                83 => "CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY",
                84 => "CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD",
                85 => "CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID",
                86 => "CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED",
                87 => "CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO",
                88 => "CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS",
                89 => "CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS",
                90 => "CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED",
                91 => "CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM",
                92 => "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1",
                93 => "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1",
                94 => "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1",
                95 => "CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH",
                96 => "CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH",
                97 => "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
                98 => "CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES",
                99 => "CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED",
                100 => "CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES",
                101 => "CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST",
                102 => "CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED",
                103 => "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED",
                104 => "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED",
                105 => "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED",
                106 => "CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR",
                107 => "CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED",
                108 => "CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE",
                109 => "CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE",
                110 => "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED",
                111 => "CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK",
                112 => "CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED",
                113 => "CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED",
                114 => "CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED",
                115 => "CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED",
                116 => "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED",
                117 => "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS",
                118 => "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING",
                119 => "CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES",
                120 => "CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH",
                121 => "CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED",
                122 => "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS",
                123 => "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR",
                124 => "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED",
                125 => "CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED",
                126 => "CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT",
                127 => "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED",
                128 => "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED",
                129 => "CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS",
                130 => "CU_DEVICE_ATTRIBUTE_NUMA_CONFIG",
                131 => "CU_DEVICE_ATTRIBUTE_NUMA_ID",
                132 => "CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED",
                133 => "CU_DEVICE_ATTRIBUTE_MPS_ENABLED",
                134 => "CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID",
                135 => "CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED",
                136 => "CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK",
                137 => "CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH",
                138 => "CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED",
                139 => "CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID",
                140 => "CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID",
                141 => {
                    "CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"
                }
                142 => "CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED",
                143 => "CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED",
                144 => "CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED",
                145 => "CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
                146 => "CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED",
                147 => "CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED",
                148 => "CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED",
                149 => "CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT",
                150 => "CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK",
                151 => "CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED",
                152 => "CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED",
                153 => "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED",
                154 => "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED",
                155 => "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED",
                156 => {
                    "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED"
                }
                157 => "CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT",
                158 => "CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES",
                159 => "CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED",
                160 => "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE",
                161 => {
                    "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED"
                }
                162 => "CU_DEVICE_ATTRIBUTE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdevice_attribute {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdevice_attribute({})", self.0),
        }
    }
}
impl CUdriverProcAddressQueryResult {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GET_PROC_ADDRESS_SUCCESS", Self::CU_GET_PROC_ADDRESS_SUCCESS),
        (
            "CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND",
            Self::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
        ),
        (
            "CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT",
            Self::CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT,
        ),
    ];
}
impl CUdriverProcAddressQueryResult {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GET_PROC_ADDRESS_SUCCESS",
                1 => "CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND",
                2 => "CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdriverProcAddressQueryResult {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdriverProcAddressQueryResult({})", self.0),
        }
    }
}
impl CUdriverProcAddress_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GET_PROC_ADDRESS_DEFAULT", Self::CU_GET_PROC_ADDRESS_DEFAULT),
        ("CU_GET_PROC_ADDRESS_LEGACY_STREAM", Self::CU_GET_PROC_ADDRESS_LEGACY_STREAM),
        (
            "CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM",
            Self::CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
        ),
    ];
}
impl CUdriverProcAddress_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GET_PROC_ADDRESS_DEFAULT",
                1 => "CU_GET_PROC_ADDRESS_LEGACY_STREAM",
                2 => "CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUdriverProcAddress_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUdriverProcAddress_flags({})", self.0),
        }
    }
}
impl CUevent_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_EVENT_DEFAULT", Self::CU_EVENT_DEFAULT),
        ("CU_EVENT_BLOCKING_SYNC", Self::CU_EVENT_BLOCKING_SYNC),
        ("CU_EVENT_DISABLE_TIMING", Self::CU_EVENT_DISABLE_TIMING),
        ("CU_EVENT_INTERPROCESS", Self::CU_EVENT_INTERPROCESS),
    ];
}
impl CUevent_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_EVENT_DEFAULT",
                1 => "CU_EVENT_BLOCKING_SYNC",
                2 => "CU_EVENT_DISABLE_TIMING",
                4 => "CU_EVENT_INTERPROCESS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUevent_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUevent_flags({})", self.0),
        }
    }
}
impl CUevent_record_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_EVENT_RECORD_DEFAULT", Self::CU_EVENT_RECORD_DEFAULT),
        ("CU_EVENT_RECORD_EXTERNAL", Self::CU_EVENT_RECORD_EXTERNAL),
    ];
}
impl CUevent_record_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_EVENT_RECORD_DEFAULT",
                1 => "CU_EVENT_RECORD_EXTERNAL",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUevent_record_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUevent_record_flags({})", self.0),
        }
    }
}
impl CUevent_sched_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_EVENT_SCHED_AUTO", Self::CU_EVENT_SCHED_AUTO),
        ("CU_EVENT_SCHED_SPIN", Self::CU_EVENT_SCHED_SPIN),
        ("CU_EVENT_SCHED_YIELD", Self::CU_EVENT_SCHED_YIELD),
        ("CU_EVENT_SCHED_BLOCKING_SYNC", Self::CU_EVENT_SCHED_BLOCKING_SYNC),
    ];
}
impl CUevent_sched_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_EVENT_SCHED_AUTO",
                1 => "CU_EVENT_SCHED_SPIN",
                2 => "CU_EVENT_SCHED_YIELD",
                4 => "CU_EVENT_SCHED_BLOCKING_SYNC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUevent_sched_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUevent_sched_flags({})", self.0),
        }
    }
}
impl CUevent_wait_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_EVENT_WAIT_DEFAULT", Self::CU_EVENT_WAIT_DEFAULT),
        ("CU_EVENT_WAIT_EXTERNAL", Self::CU_EVENT_WAIT_EXTERNAL),
    ];
}
impl CUevent_wait_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_EVENT_WAIT_DEFAULT",
                1 => "CU_EVENT_WAIT_EXTERNAL",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUevent_wait_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUevent_wait_flags({})", self.0),
        }
    }
}
impl CUexecAffinityType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_EXEC_AFFINITY_TYPE_SM_COUNT", Self::CU_EXEC_AFFINITY_TYPE_SM_COUNT),
        ("CU_EXEC_AFFINITY_TYPE_MAX", Self::CU_EXEC_AFFINITY_TYPE_MAX),
    ];
}
impl CUexecAffinityType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_EXEC_AFFINITY_TYPE_SM_COUNT",
                1 => "CU_EXEC_AFFINITY_TYPE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUexecAffinityType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUexecAffinityType({})", self.0),
        }
    }
}
impl CUexternalMemoryHandleType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF,
        ),
        (
            "CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD",
            Self::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD,
        ),
    ];
}
impl CUexternalMemoryHandleType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD",
                2 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32",
                3 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT",
                4 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP",
                5 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE",
                6 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE",
                7 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT",
                8 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF",
                9 => "CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUexternalMemoryHandleType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUexternalMemoryHandleType({})", self.0),
        }
    }
}
impl CUexternalSemaphoreHandleType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
        ),
        (
            "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32",
            Self::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32,
        ),
    ];
}
impl CUexternalSemaphoreHandleType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD",
                2 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32",
                3 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT",
                4 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE",
                5 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE",
                6 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC",
                7 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX",
                8 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT",
                9 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD",
                10 => "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUexternalSemaphoreHandleType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUexternalSemaphoreHandleType({})", self.0),
        }
    }
}
impl CUfabricCpyOperandType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_FABRIC_COPY_OPERAND_TYPE_POINTER",
            Self::CU_FABRIC_COPY_OPERAND_TYPE_POINTER,
        ),
        (
            "CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT",
            Self::CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT,
        ),
        ("CU_FABRIC_COPY_OPERAND_TYPE_MAX", Self::CU_FABRIC_COPY_OPERAND_TYPE_MAX),
    ];
}
impl CUfabricCpyOperandType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_FABRIC_COPY_OPERAND_TYPE_POINTER",
                2 => "CU_FABRIC_COPY_OPERAND_TYPE_LOGICAL_ENDPOINT",
                2147483647 => "CU_FABRIC_COPY_OPERAND_TYPE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUfabricCpyOperandType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUfabricCpyOperandType({})", self.0),
        }
    }
}
impl CUfilter_mode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TR_FILTER_MODE_POINT", Self::CU_TR_FILTER_MODE_POINT),
        ("CU_TR_FILTER_MODE_LINEAR", Self::CU_TR_FILTER_MODE_LINEAR),
    ];
}
impl CUfilter_mode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TR_FILTER_MODE_POINT",
                1 => "CU_TR_FILTER_MODE_LINEAR",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUfilter_mode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUfilter_mode({})", self.0),
        }
    }
}
impl CUflushGPUDirectRDMAWritesOptions {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST",
            Self::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST,
        ),
        (
            "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS",
            Self::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS,
        ),
    ];
}
impl CUflushGPUDirectRDMAWritesOptions {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST",
                2 => "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUflushGPUDirectRDMAWritesOptions {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUflushGPUDirectRDMAWritesOptions({})", self.0),
        }
    }
}
impl CUflushGPUDirectRDMAWritesScope {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER",
            Self::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER,
        ),
        (
            "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES",
            Self::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES,
        ),
    ];
}
impl CUflushGPUDirectRDMAWritesScope {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                100 => "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER",
                200 => "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUflushGPUDirectRDMAWritesScope {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUflushGPUDirectRDMAWritesScope({})", self.0),
        }
    }
}
impl CUflushGPUDirectRDMAWritesTarget {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX",
            Self::CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
        ),
    ];
}
impl CUflushGPUDirectRDMAWritesTarget {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUflushGPUDirectRDMAWritesTarget {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUflushGPUDirectRDMAWritesTarget({})", self.0),
        }
    }
}
impl CUfunc_cache {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_FUNC_CACHE_PREFER_NONE", Self::CU_FUNC_CACHE_PREFER_NONE),
        ("CU_FUNC_CACHE_PREFER_SHARED", Self::CU_FUNC_CACHE_PREFER_SHARED),
        ("CU_FUNC_CACHE_PREFER_L1", Self::CU_FUNC_CACHE_PREFER_L1),
        ("CU_FUNC_CACHE_PREFER_EQUAL", Self::CU_FUNC_CACHE_PREFER_EQUAL),
    ];
}
impl CUfunc_cache {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_FUNC_CACHE_PREFER_NONE",
                1 => "CU_FUNC_CACHE_PREFER_SHARED",
                2 => "CU_FUNC_CACHE_PREFER_L1",
                3 => "CU_FUNC_CACHE_PREFER_EQUAL",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUfunc_cache {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUfunc_cache({})", self.0),
        }
    }
}
impl CUfunctionLoadingState {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_FUNCTION_LOADING_STATE_UNLOADED", Self::CU_FUNCTION_LOADING_STATE_UNLOADED),
        ("CU_FUNCTION_LOADING_STATE_LOADED", Self::CU_FUNCTION_LOADING_STATE_LOADED),
        ("CU_FUNCTION_LOADING_STATE_MAX", Self::CU_FUNCTION_LOADING_STATE_MAX),
    ];
}
impl CUfunctionLoadingState {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_FUNCTION_LOADING_STATE_UNLOADED",
                1 => "CU_FUNCTION_LOADING_STATE_LOADED",
                2 => "CU_FUNCTION_LOADING_STATE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUfunctionLoadingState {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUfunctionLoadingState({})", self.0),
        }
    }
}
impl CUfunction_attribute {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK",
            Self::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        ),
        (
            "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES",
            Self::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        ),
        ("CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES", Self::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
        ("CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES", Self::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
        ("CU_FUNC_ATTRIBUTE_NUM_REGS", Self::CU_FUNC_ATTRIBUTE_NUM_REGS),
        ("CU_FUNC_ATTRIBUTE_PTX_VERSION", Self::CU_FUNC_ATTRIBUTE_PTX_VERSION),
        ("CU_FUNC_ATTRIBUTE_BINARY_VERSION", Self::CU_FUNC_ATTRIBUTE_BINARY_VERSION),
        ("CU_FUNC_ATTRIBUTE_CACHE_MODE_CA", Self::CU_FUNC_ATTRIBUTE_CACHE_MODE_CA),
        (
            "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
            Self::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        ),
        (
            "CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT",
            Self::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        ),
        (
            "CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET",
            Self::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
        ),
        (
            "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH",
            Self::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
        ),
        (
            "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT",
            Self::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
        ),
        (
            "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH",
            Self::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
        ),
        (
            "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
            Self::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
        ),
        (
            "CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE",
            Self::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
        ),
        (
            "CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED",
            Self::CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED,
        ),
        (
            "CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE",
            Self::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE,
        ),
        ("CU_FUNC_ATTRIBUTE_MAX", Self::CU_FUNC_ATTRIBUTE_MAX),
    ];
}
impl CUfunction_attribute {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK",
                1 => "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES",
                2 => "CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES",
                3 => "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES",
                4 => "CU_FUNC_ATTRIBUTE_NUM_REGS",
                5 => "CU_FUNC_ATTRIBUTE_PTX_VERSION",
                6 => "CU_FUNC_ATTRIBUTE_BINARY_VERSION",
                7 => "CU_FUNC_ATTRIBUTE_CACHE_MODE_CA",
                8 => "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
                9 => "CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT",
                10 => "CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET",
                11 => "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH",
                12 => "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT",
                13 => "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH",
                14 => "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
                15 => "CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE",
                16 => "CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED",
                17 => "CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE",
                18 => "CU_FUNC_ATTRIBUTE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUfunction_attribute {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUfunction_attribute({})", self.0),
        }
    }
}
impl CUgraphChildGraphNodeOwnership {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE",
            Self::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE,
        ),
        (
            "CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE",
            Self::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE,
        ),
        (
            "CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID",
            Self::CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID,
        ),
    ];
}
impl CUgraphChildGraphNodeOwnership {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE",
                1 => "CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE",
                -1 => "CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphChildGraphNodeOwnership {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphChildGraphNodeOwnership({})", self.0),
        }
    }
}
impl CUgraphConditionalNodeType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPH_COND_TYPE_IF", Self::CU_GRAPH_COND_TYPE_IF),
        ("CU_GRAPH_COND_TYPE_WHILE", Self::CU_GRAPH_COND_TYPE_WHILE),
        ("CU_GRAPH_COND_TYPE_SWITCH", Self::CU_GRAPH_COND_TYPE_SWITCH),
    ];
}
impl CUgraphConditionalNodeType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPH_COND_TYPE_IF",
                1 => "CU_GRAPH_COND_TYPE_WHILE",
                2 => "CU_GRAPH_COND_TYPE_SWITCH",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphConditionalNodeType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphConditionalNodeType({})", self.0),
        }
    }
}
impl CUgraphDebugDot_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE", Self::CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES,
        ),
        ("CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES", Self::CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_BATCH_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_BATCH_NODE_PARAMS,
        ),
        (
            "CU_GRAPH_DEBUG_DOT_FLAGS_FABRIC_CPY_BATCH_NODE_PARAMS",
            Self::CU_GRAPH_DEBUG_DOT_FLAGS_FABRIC_CPY_BATCH_NODE_PARAMS,
        ),
    ];
}
impl CUgraphDebugDot_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE",
                2 => "CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES",
                4 => "CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS",
                8 => "CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS",
                16 => "CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS",
                32 => "CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS",
                64 => "CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS",
                128 => "CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS",
                256 => "CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS",
                512 => "CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES",
                1024 => "CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES",
                2048 => "CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS",
                4096 => "CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS",
                8192 => "CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS",
                16384 => "CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO",
                32768 => "CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS",
                65536 => "CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_BATCH_NODE_PARAMS",
                131072 => "CU_GRAPH_DEBUG_DOT_FLAGS_FABRIC_CPY_BATCH_NODE_PARAMS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphDebugDot_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphDebugDot_flags({})", self.0),
        }
    }
}
impl CUgraphDependencyType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPH_DEPENDENCY_TYPE_DEFAULT", Self::CU_GRAPH_DEPENDENCY_TYPE_DEFAULT),
        (
            "CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC",
            Self::CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
        ),
    ];
}
impl CUgraphDependencyType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPH_DEPENDENCY_TYPE_DEFAULT",
                1 => "CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphDependencyType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphDependencyType({})", self.0),
        }
    }
}
impl CUgraphExecUpdateResult {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPH_EXEC_UPDATE_SUCCESS", Self::CU_GRAPH_EXEC_UPDATE_SUCCESS),
        ("CU_GRAPH_EXEC_UPDATE_ERROR", Self::CU_GRAPH_EXEC_UPDATE_ERROR),
        (
            "CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED",
            Self::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
        ),
        (
            "CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED",
            Self::CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED,
        ),
        (
            "CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED",
            Self::CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED,
        ),
        (
            "CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED",
            Self::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
        ),
        (
            "CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED",
            Self::CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED,
        ),
        (
            "CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE",
            Self::CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE,
        ),
        (
            "CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED",
            Self::CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED,
        ),
    ];
}
impl CUgraphExecUpdateResult {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPH_EXEC_UPDATE_SUCCESS",
                1 => "CU_GRAPH_EXEC_UPDATE_ERROR",
                2 => "CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED",
                3 => "CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED",
                4 => "CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED",
                5 => "CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED",
                6 => "CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED",
                7 => "CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE",
                8 => "CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphExecUpdateResult {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphExecUpdateResult({})", self.0),
        }
    }
}
impl CUgraphInstantiateResult {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CUDA_GRAPH_INSTANTIATE_SUCCESS", Self::CUDA_GRAPH_INSTANTIATE_SUCCESS),
        ("CUDA_GRAPH_INSTANTIATE_ERROR", Self::CUDA_GRAPH_INSTANTIATE_ERROR),
        (
            "CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE",
            Self::CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
        ),
        (
            "CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED",
            Self::CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED,
        ),
        (
            "CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED",
            Self::CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED,
        ),
        (
            "CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED",
            Self::CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
        ),
    ];
}
impl CUgraphInstantiateResult {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CUDA_GRAPH_INSTANTIATE_SUCCESS",
                1 => "CUDA_GRAPH_INSTANTIATE_ERROR",
                2 => "CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE",
                3 => "CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED",
                4 => "CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED",
                5 => "CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphInstantiateResult {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphInstantiateResult({})", self.0),
        }
    }
}
impl CUgraphInstantiate_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
            Self::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
        ),
        ("CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD", Self::CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD),
        (
            "CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH",
            Self::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
        ),
        (
            "CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY",
            Self::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
        ),
    ];
}
impl CUgraphInstantiate_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
                2 => "CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD",
                4 => "CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH",
                8 => "CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphInstantiate_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphInstantiate_flags({})", self.0),
        }
    }
}
impl CUgraphMem_attribute {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT", Self::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT),
        ("CU_GRAPH_MEM_ATTR_USED_MEM_HIGH", Self::CU_GRAPH_MEM_ATTR_USED_MEM_HIGH),
        (
            "CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT",
            Self::CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
        ),
        (
            "CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH",
            Self::CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
        ),
    ];
}
impl CUgraphMem_attribute {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT",
                1 => "CU_GRAPH_MEM_ATTR_USED_MEM_HIGH",
                2 => "CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT",
                3 => "CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphMem_attribute {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphMem_attribute({})", self.0),
        }
    }
}
impl CUgraphNodeType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPH_NODE_TYPE_KERNEL", Self::CU_GRAPH_NODE_TYPE_KERNEL),
        ("CU_GRAPH_NODE_TYPE_MEMCPY", Self::CU_GRAPH_NODE_TYPE_MEMCPY),
        ("CU_GRAPH_NODE_TYPE_MEMSET", Self::CU_GRAPH_NODE_TYPE_MEMSET),
        ("CU_GRAPH_NODE_TYPE_HOST", Self::CU_GRAPH_NODE_TYPE_HOST),
        ("CU_GRAPH_NODE_TYPE_GRAPH", Self::CU_GRAPH_NODE_TYPE_GRAPH),
        ("CU_GRAPH_NODE_TYPE_EMPTY", Self::CU_GRAPH_NODE_TYPE_EMPTY),
        ("CU_GRAPH_NODE_TYPE_WAIT_EVENT", Self::CU_GRAPH_NODE_TYPE_WAIT_EVENT),
        ("CU_GRAPH_NODE_TYPE_EVENT_RECORD", Self::CU_GRAPH_NODE_TYPE_EVENT_RECORD),
        (
            "CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL",
            Self::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
        ),
        ("CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT", Self::CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT),
        ("CU_GRAPH_NODE_TYPE_MEM_ALLOC", Self::CU_GRAPH_NODE_TYPE_MEM_ALLOC),
        ("CU_GRAPH_NODE_TYPE_MEM_FREE", Self::CU_GRAPH_NODE_TYPE_MEM_FREE),
        ("CU_GRAPH_NODE_TYPE_BATCH_MEM_OP", Self::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP),
        ("CU_GRAPH_NODE_TYPE_CONDITIONAL", Self::CU_GRAPH_NODE_TYPE_CONDITIONAL),
        ("CU_GRAPH_NODE_TYPE_MEMCPY_BATCH", Self::CU_GRAPH_NODE_TYPE_MEMCPY_BATCH),
        ("CU_GRAPH_NODE_TYPE_RESERVED_16", Self::CU_GRAPH_NODE_TYPE_RESERVED_16),
        ("CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE", Self::CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE),
        (
            "CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH",
            Self::CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH,
        ),
    ];
}
impl CUgraphNodeType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPH_NODE_TYPE_KERNEL",
                1 => "CU_GRAPH_NODE_TYPE_MEMCPY",
                2 => "CU_GRAPH_NODE_TYPE_MEMSET",
                3 => "CU_GRAPH_NODE_TYPE_HOST",
                4 => "CU_GRAPH_NODE_TYPE_GRAPH",
                5 => "CU_GRAPH_NODE_TYPE_EMPTY",
                6 => "CU_GRAPH_NODE_TYPE_WAIT_EVENT",
                7 => "CU_GRAPH_NODE_TYPE_EVENT_RECORD",
                8 => "CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL",
                9 => "CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT",
                10 => "CU_GRAPH_NODE_TYPE_MEM_ALLOC",
                11 => "CU_GRAPH_NODE_TYPE_MEM_FREE",
                12 => "CU_GRAPH_NODE_TYPE_BATCH_MEM_OP",
                13 => "CU_GRAPH_NODE_TYPE_CONDITIONAL",
                14 => "CU_GRAPH_NODE_TYPE_MEMCPY_BATCH",
                16 => "CU_GRAPH_NODE_TYPE_RESERVED_16",
                17 => "CU_GRAPH_NODE_TYPE_EXTERNAL_ENGINE",
                18 => "CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphNodeType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphNodeType({})", self.0),
        }
    }
}
impl CUgraphRecaptureStatus {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE",
            Self::CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE,
        ),
        (
            "CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE",
            Self::CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE,
        ),
        ("CU_GRAPH_RECAPTURE_ERROR", Self::CU_GRAPH_RECAPTURE_ERROR),
    ];
}
impl CUgraphRecaptureStatus {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE",
                1 => "CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE",
                2 => "CU_GRAPH_RECAPTURE_ERROR",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphRecaptureStatus {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphRecaptureStatus({})", self.0),
        }
    }
}
impl CUgraphicsMapResourceFlags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE",
            Self::CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE,
        ),
        (
            "CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY",
            Self::CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY,
        ),
        (
            "CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD",
            Self::CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD,
        ),
    ];
}
impl CUgraphicsMapResourceFlags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE",
                1 => "CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY",
                2 => "CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphicsMapResourceFlags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphicsMapResourceFlags({})", self.0),
        }
    }
}
impl CUgraphicsRegisterFlags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPHICS_REGISTER_FLAGS_NONE", Self::CU_GRAPHICS_REGISTER_FLAGS_NONE),
        (
            "CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY",
            Self::CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY,
        ),
        (
            "CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD",
            Self::CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD,
        ),
        (
            "CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST",
            Self::CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST,
        ),
        (
            "CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER",
            Self::CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER,
        ),
    ];
}
impl CUgraphicsRegisterFlags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GRAPHICS_REGISTER_FLAGS_NONE",
                1 => "CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY",
                2 => "CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD",
                4 => "CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST",
                8 => "CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgraphicsRegisterFlags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgraphicsRegisterFlags({})", self.0),
        }
    }
}
impl CUgreenCtxCreate_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GREEN_CTX_NONE", Self::CU_GREEN_CTX_NONE),
        ("CU_GREEN_CTX_DEFAULT_STREAM", Self::CU_GREEN_CTX_DEFAULT_STREAM),
    ];
}
impl CUgreenCtxCreate_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_GREEN_CTX_NONE",
                1 => "CU_GREEN_CTX_DEFAULT_STREAM",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUgreenCtxCreate_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUgreenCtxCreate_flags({})", self.0),
        }
    }
}
impl CUhostTaskSyncMode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_HOST_TASK_BLOCKING", Self::CU_HOST_TASK_BLOCKING),
        ("CU_HOST_TASK_SPINWAIT", Self::CU_HOST_TASK_SPINWAIT),
    ];
}
impl CUhostTaskSyncMode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_HOST_TASK_BLOCKING",
                1 => "CU_HOST_TASK_SPINWAIT",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUhostTaskSyncMode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUhostTaskSyncMode({})", self.0),
        }
    }
}
impl CUipcMem_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS", Self::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
    ];
}
impl CUipcMem_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUipcMem_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUipcMem_flags({})", self.0),
        }
    }
}
impl CUjitInputType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_JIT_INPUT_CUBIN", Self::CU_JIT_INPUT_CUBIN),
        ("CU_JIT_INPUT_PTX", Self::CU_JIT_INPUT_PTX),
        ("CU_JIT_INPUT_FATBINARY", Self::CU_JIT_INPUT_FATBINARY),
        ("CU_JIT_INPUT_OBJECT", Self::CU_JIT_INPUT_OBJECT),
        ("CU_JIT_INPUT_LIBRARY", Self::CU_JIT_INPUT_LIBRARY),
        ("CU_JIT_INPUT_NVVM", Self::CU_JIT_INPUT_NVVM),
        ("CU_JIT_NUM_INPUT_TYPES", Self::CU_JIT_NUM_INPUT_TYPES),
    ];
}
impl CUjitInputType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_JIT_INPUT_CUBIN",
                1 => "CU_JIT_INPUT_PTX",
                2 => "CU_JIT_INPUT_FATBINARY",
                3 => "CU_JIT_INPUT_OBJECT",
                4 => "CU_JIT_INPUT_LIBRARY",
                5 => "CU_JIT_INPUT_NVVM",
                6 => "CU_JIT_NUM_INPUT_TYPES",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUjitInputType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUjitInputType({})", self.0),
        }
    }
}
impl CUjit_cacheMode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_JIT_CACHE_OPTION_NONE", Self::CU_JIT_CACHE_OPTION_NONE),
        ("CU_JIT_CACHE_OPTION_CG", Self::CU_JIT_CACHE_OPTION_CG),
        ("CU_JIT_CACHE_OPTION_CA", Self::CU_JIT_CACHE_OPTION_CA),
    ];
}
impl CUjit_cacheMode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_JIT_CACHE_OPTION_NONE",
                1 => "CU_JIT_CACHE_OPTION_CG",
                2 => "CU_JIT_CACHE_OPTION_CA",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUjit_cacheMode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUjit_cacheMode({})", self.0),
        }
    }
}
impl CUjit_fallback {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_PREFER_PTX", Self::CU_PREFER_PTX),
        ("CU_PREFER_BINARY", Self::CU_PREFER_BINARY),
    ];
}
impl CUjit_fallback {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_PREFER_PTX",
                1 => "CU_PREFER_BINARY",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUjit_fallback {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUjit_fallback({})", self.0),
        }
    }
}
impl CUjit_option {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_JIT_MAX_REGISTERS", Self::CU_JIT_MAX_REGISTERS),
        ("CU_JIT_THREADS_PER_BLOCK", Self::CU_JIT_THREADS_PER_BLOCK),
        ("CU_JIT_WALL_TIME", Self::CU_JIT_WALL_TIME),
        ("CU_JIT_INFO_LOG_BUFFER", Self::CU_JIT_INFO_LOG_BUFFER),
        ("CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES", Self::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES),
        ("CU_JIT_ERROR_LOG_BUFFER", Self::CU_JIT_ERROR_LOG_BUFFER),
        ("CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES", Self::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES),
        ("CU_JIT_OPTIMIZATION_LEVEL", Self::CU_JIT_OPTIMIZATION_LEVEL),
        ("CU_JIT_TARGET_FROM_CUCONTEXT", Self::CU_JIT_TARGET_FROM_CUCONTEXT),
        ("CU_JIT_TARGET", Self::CU_JIT_TARGET),
        ("CU_JIT_FALLBACK_STRATEGY", Self::CU_JIT_FALLBACK_STRATEGY),
        ("CU_JIT_GENERATE_DEBUG_INFO", Self::CU_JIT_GENERATE_DEBUG_INFO),
        ("CU_JIT_LOG_VERBOSE", Self::CU_JIT_LOG_VERBOSE),
        ("CU_JIT_GENERATE_LINE_INFO", Self::CU_JIT_GENERATE_LINE_INFO),
        ("CU_JIT_CACHE_MODE", Self::CU_JIT_CACHE_MODE),
        ("CU_JIT_NEW_SM3X_OPT", Self::CU_JIT_NEW_SM3X_OPT),
        ("CU_JIT_FAST_COMPILE", Self::CU_JIT_FAST_COMPILE),
        ("CU_JIT_GLOBAL_SYMBOL_NAMES", Self::CU_JIT_GLOBAL_SYMBOL_NAMES),
        ("CU_JIT_GLOBAL_SYMBOL_ADDRESSES", Self::CU_JIT_GLOBAL_SYMBOL_ADDRESSES),
        ("CU_JIT_GLOBAL_SYMBOL_COUNT", Self::CU_JIT_GLOBAL_SYMBOL_COUNT),
        ("CU_JIT_LTO", Self::CU_JIT_LTO),
        ("CU_JIT_FTZ", Self::CU_JIT_FTZ),
        ("CU_JIT_PREC_DIV", Self::CU_JIT_PREC_DIV),
        ("CU_JIT_PREC_SQRT", Self::CU_JIT_PREC_SQRT),
        ("CU_JIT_FMA", Self::CU_JIT_FMA),
        ("CU_JIT_REFERENCED_KERNEL_NAMES", Self::CU_JIT_REFERENCED_KERNEL_NAMES),
        ("CU_JIT_REFERENCED_KERNEL_COUNT", Self::CU_JIT_REFERENCED_KERNEL_COUNT),
        ("CU_JIT_REFERENCED_VARIABLE_NAMES", Self::CU_JIT_REFERENCED_VARIABLE_NAMES),
        ("CU_JIT_REFERENCED_VARIABLE_COUNT", Self::CU_JIT_REFERENCED_VARIABLE_COUNT),
        (
            "CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES",
            Self::CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES,
        ),
        ("CU_JIT_POSITION_INDEPENDENT_CODE", Self::CU_JIT_POSITION_INDEPENDENT_CODE),
        ("CU_JIT_MIN_CTA_PER_SM", Self::CU_JIT_MIN_CTA_PER_SM),
        ("CU_JIT_MAX_THREADS_PER_BLOCK", Self::CU_JIT_MAX_THREADS_PER_BLOCK),
        ("CU_JIT_OVERRIDE_DIRECTIVE_VALUES", Self::CU_JIT_OVERRIDE_DIRECTIVE_VALUES),
        ("CU_JIT_SPLIT_COMPILE", Self::CU_JIT_SPLIT_COMPILE),
        ("CU_JIT_BINARY_LOADER_THREAD_COUNT", Self::CU_JIT_BINARY_LOADER_THREAD_COUNT),
        ("CU_JIT_NUM_OPTIONS", Self::CU_JIT_NUM_OPTIONS),
    ];
}
impl CUjit_option {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_JIT_MAX_REGISTERS",
                1 => "CU_JIT_THREADS_PER_BLOCK",
                2 => "CU_JIT_WALL_TIME",
                3 => "CU_JIT_INFO_LOG_BUFFER",
                4 => "CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES",
                5 => "CU_JIT_ERROR_LOG_BUFFER",
                6 => "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES",
                7 => "CU_JIT_OPTIMIZATION_LEVEL",
                8 => "CU_JIT_TARGET_FROM_CUCONTEXT",
                9 => "CU_JIT_TARGET",
                10 => "CU_JIT_FALLBACK_STRATEGY",
                11 => "CU_JIT_GENERATE_DEBUG_INFO",
                12 => "CU_JIT_LOG_VERBOSE",
                13 => "CU_JIT_GENERATE_LINE_INFO",
                14 => "CU_JIT_CACHE_MODE",
                15 => "CU_JIT_NEW_SM3X_OPT",
                16 => "CU_JIT_FAST_COMPILE",
                17 => "CU_JIT_GLOBAL_SYMBOL_NAMES",
                18 => "CU_JIT_GLOBAL_SYMBOL_ADDRESSES",
                19 => "CU_JIT_GLOBAL_SYMBOL_COUNT",
                20 => "CU_JIT_LTO",
                21 => "CU_JIT_FTZ",
                22 => "CU_JIT_PREC_DIV",
                23 => "CU_JIT_PREC_SQRT",
                24 => "CU_JIT_FMA",
                25 => "CU_JIT_REFERENCED_KERNEL_NAMES",
                26 => "CU_JIT_REFERENCED_KERNEL_COUNT",
                27 => "CU_JIT_REFERENCED_VARIABLE_NAMES",
                28 => "CU_JIT_REFERENCED_VARIABLE_COUNT",
                29 => "CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES",
                30 => "CU_JIT_POSITION_INDEPENDENT_CODE",
                31 => "CU_JIT_MIN_CTA_PER_SM",
                32 => "CU_JIT_MAX_THREADS_PER_BLOCK",
                33 => "CU_JIT_OVERRIDE_DIRECTIVE_VALUES",
                34 => "CU_JIT_SPLIT_COMPILE",
                35 => "CU_JIT_BINARY_LOADER_THREAD_COUNT",
                36 => "CU_JIT_NUM_OPTIONS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUjit_option {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUjit_option({})", self.0),
        }
    }
}
impl CUjit_target {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TARGET_COMPUTE_30", Self::CU_TARGET_COMPUTE_30),
        ("CU_TARGET_COMPUTE_32", Self::CU_TARGET_COMPUTE_32),
        ("CU_TARGET_COMPUTE_35", Self::CU_TARGET_COMPUTE_35),
        ("CU_TARGET_COMPUTE_37", Self::CU_TARGET_COMPUTE_37),
        ("CU_TARGET_COMPUTE_50", Self::CU_TARGET_COMPUTE_50),
        ("CU_TARGET_COMPUTE_52", Self::CU_TARGET_COMPUTE_52),
        ("CU_TARGET_COMPUTE_53", Self::CU_TARGET_COMPUTE_53),
        ("CU_TARGET_COMPUTE_60", Self::CU_TARGET_COMPUTE_60),
        ("CU_TARGET_COMPUTE_61", Self::CU_TARGET_COMPUTE_61),
        ("CU_TARGET_COMPUTE_62", Self::CU_TARGET_COMPUTE_62),
        ("CU_TARGET_COMPUTE_70", Self::CU_TARGET_COMPUTE_70),
        ("CU_TARGET_COMPUTE_72", Self::CU_TARGET_COMPUTE_72),
        ("CU_TARGET_COMPUTE_75", Self::CU_TARGET_COMPUTE_75),
        ("CU_TARGET_COMPUTE_80", Self::CU_TARGET_COMPUTE_80),
        ("CU_TARGET_COMPUTE_86", Self::CU_TARGET_COMPUTE_86),
        ("CU_TARGET_COMPUTE_87", Self::CU_TARGET_COMPUTE_87),
        ("CU_TARGET_COMPUTE_89", Self::CU_TARGET_COMPUTE_89),
        ("CU_TARGET_COMPUTE_90", Self::CU_TARGET_COMPUTE_90),
        ("CU_TARGET_COMPUTE_100", Self::CU_TARGET_COMPUTE_100),
        ("CU_TARGET_COMPUTE_110", Self::CU_TARGET_COMPUTE_110),
        ("CU_TARGET_COMPUTE_103", Self::CU_TARGET_COMPUTE_103),
        ("CU_TARGET_COMPUTE_107", Self::CU_TARGET_COMPUTE_107),
        ("CU_TARGET_COMPUTE_120", Self::CU_TARGET_COMPUTE_120),
        ("CU_TARGET_COMPUTE_121", Self::CU_TARGET_COMPUTE_121),
        ("CU_TARGET_COMPUTE_90A", Self::CU_TARGET_COMPUTE_90A),
        ("CU_TARGET_COMPUTE_100A", Self::CU_TARGET_COMPUTE_100A),
        ("CU_TARGET_COMPUTE_110A", Self::CU_TARGET_COMPUTE_110A),
        ("CU_TARGET_COMPUTE_103A", Self::CU_TARGET_COMPUTE_103A),
        ("CU_TARGET_COMPUTE_107A", Self::CU_TARGET_COMPUTE_107A),
        ("CU_TARGET_COMPUTE_120A", Self::CU_TARGET_COMPUTE_120A),
        ("CU_TARGET_COMPUTE_121A", Self::CU_TARGET_COMPUTE_121A),
        ("CU_TARGET_COMPUTE_100F", Self::CU_TARGET_COMPUTE_100F),
        ("CU_TARGET_COMPUTE_110F", Self::CU_TARGET_COMPUTE_110F),
        ("CU_TARGET_COMPUTE_103F", Self::CU_TARGET_COMPUTE_103F),
        ("CU_TARGET_COMPUTE_107F", Self::CU_TARGET_COMPUTE_107F),
        ("CU_TARGET_COMPUTE_120F", Self::CU_TARGET_COMPUTE_120F),
        ("CU_TARGET_COMPUTE_121F", Self::CU_TARGET_COMPUTE_121F),
    ];
}
impl CUjit_target {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                30 => "CU_TARGET_COMPUTE_30",
                32 => "CU_TARGET_COMPUTE_32",
                35 => "CU_TARGET_COMPUTE_35",
                37 => "CU_TARGET_COMPUTE_37",
                50 => "CU_TARGET_COMPUTE_50",
                52 => "CU_TARGET_COMPUTE_52",
                53 => "CU_TARGET_COMPUTE_53",
                60 => "CU_TARGET_COMPUTE_60",
                61 => "CU_TARGET_COMPUTE_61",
                62 => "CU_TARGET_COMPUTE_62",
                70 => "CU_TARGET_COMPUTE_70",
                72 => "CU_TARGET_COMPUTE_72",
                75 => "CU_TARGET_COMPUTE_75",
                80 => "CU_TARGET_COMPUTE_80",
                86 => "CU_TARGET_COMPUTE_86",
                87 => "CU_TARGET_COMPUTE_87",
                89 => "CU_TARGET_COMPUTE_89",
                90 => "CU_TARGET_COMPUTE_90",
                100 => "CU_TARGET_COMPUTE_100",
                110 => "CU_TARGET_COMPUTE_110",
                103 => "CU_TARGET_COMPUTE_103",
                107 => "CU_TARGET_COMPUTE_107",
                120 => "CU_TARGET_COMPUTE_120",
                121 => "CU_TARGET_COMPUTE_121",
                65626 => "CU_TARGET_COMPUTE_90A",
                65636 => "CU_TARGET_COMPUTE_100A",
                65646 => "CU_TARGET_COMPUTE_110A",
                65639 => "CU_TARGET_COMPUTE_103A",
                65643 => "CU_TARGET_COMPUTE_107A",
                65656 => "CU_TARGET_COMPUTE_120A",
                65657 => "CU_TARGET_COMPUTE_121A",
                131172 => "CU_TARGET_COMPUTE_100F",
                131182 => "CU_TARGET_COMPUTE_110F",
                131175 => "CU_TARGET_COMPUTE_103F",
                131179 => "CU_TARGET_COMPUTE_107F",
                131192 => "CU_TARGET_COMPUTE_120F",
                131193 => "CU_TARGET_COMPUTE_121F",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUjit_target {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUjit_target({})", self.0),
        }
    }
}
impl CUlaunchAttributeID {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_LAUNCH_ATTRIBUTE_IGNORE", Self::CU_LAUNCH_ATTRIBUTE_IGNORE),
        (
            "CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW",
            Self::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
        ),
        ("CU_LAUNCH_ATTRIBUTE_COOPERATIVE", Self::CU_LAUNCH_ATTRIBUTE_COOPERATIVE),
        (
            "CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY",
            Self::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
            Self::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE",
            Self::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
            Self::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT",
            Self::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
        ),
        ("CU_LAUNCH_ATTRIBUTE_PRIORITY", Self::CU_LAUNCH_ATTRIBUTE_PRIORITY),
        (
            "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP",
            Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN",
            Self::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION",
            Self::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT",
            Self::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE",
            Self::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT",
            Self::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING",
            Self::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE",
            Self::CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE,
        ),
        (
            "CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE",
            Self::CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE,
        ),
    ];
}
impl CUlaunchAttributeID {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LAUNCH_ATTRIBUTE_IGNORE",
                1 => "CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW",
                2 => "CU_LAUNCH_ATTRIBUTE_COOPERATIVE",
                3 => "CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY",
                4 => "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
                5 => "CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE",
                6 => "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION",
                7 => "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT",
                8 => "CU_LAUNCH_ATTRIBUTE_PRIORITY",
                9 => "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP",
                10 => "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN",
                11 => "CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION",
                12 => "CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT",
                13 => "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE",
                14 => "CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT",
                16 => "CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING",
                17 => "CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE",
                18 => "CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlaunchAttributeID {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlaunchAttributeID({})", self.0),
        }
    }
}
impl CUlaunchAttributePortableClusterMode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT",
            Self::CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT,
        ),
        (
            "CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE",
            Self::CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE,
        ),
        (
            "CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE",
            Self::CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE,
        ),
    ];
}
impl CUlaunchAttributePortableClusterMode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT",
                1 => "CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE",
                2 => "CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlaunchAttributePortableClusterMode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlaunchAttributePortableClusterMode({})", self.0),
        }
    }
}
impl CUlaunchMemSyncDomain {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT", Self::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT),
        ("CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE", Self::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE),
    ];
}
impl CUlaunchMemSyncDomain {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT",
                1 => "CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlaunchMemSyncDomain {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlaunchMemSyncDomain({})", self.0),
        }
    }
}
impl CUlibraryOption {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE",
            Self::CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE,
        ),
        ("CU_LIBRARY_BINARY_IS_PRESERVED", Self::CU_LIBRARY_BINARY_IS_PRESERVED),
        ("CU_LIBRARY_NUM_OPTIONS", Self::CU_LIBRARY_NUM_OPTIONS),
    ];
}
impl CUlibraryOption {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE",
                1 => "CU_LIBRARY_BINARY_IS_PRESERVED",
                2 => "CU_LIBRARY_NUM_OPTIONS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlibraryOption {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlibraryOption({})", self.0),
        }
    }
}
impl CUlimit {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_LIMIT_STACK_SIZE", Self::CU_LIMIT_STACK_SIZE),
        ("CU_LIMIT_PRINTF_FIFO_SIZE", Self::CU_LIMIT_PRINTF_FIFO_SIZE),
        ("CU_LIMIT_MALLOC_HEAP_SIZE", Self::CU_LIMIT_MALLOC_HEAP_SIZE),
        ("CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH", Self::CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH),
        (
            "CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT",
            Self::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
        ),
        ("CU_LIMIT_MAX_L2_FETCH_GRANULARITY", Self::CU_LIMIT_MAX_L2_FETCH_GRANULARITY),
        ("CU_LIMIT_PERSISTING_L2_CACHE_SIZE", Self::CU_LIMIT_PERSISTING_L2_CACHE_SIZE),
        ("CU_LIMIT_SHMEM_SIZE", Self::CU_LIMIT_SHMEM_SIZE),
        ("CU_LIMIT_CIG_ENABLED", Self::CU_LIMIT_CIG_ENABLED),
        (
            "CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED",
            Self::CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED,
        ),
        ("CU_LIMIT_PER_BLOCK_MEMORY_SIZE", Self::CU_LIMIT_PER_BLOCK_MEMORY_SIZE),
        ("CU_LIMIT_MAX", Self::CU_LIMIT_MAX),
    ];
}
impl CUlimit {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LIMIT_STACK_SIZE",
                1 => "CU_LIMIT_PRINTF_FIFO_SIZE",
                2 => "CU_LIMIT_MALLOC_HEAP_SIZE",
                3 => "CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH",
                4 => "CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT",
                5 => "CU_LIMIT_MAX_L2_FETCH_GRANULARITY",
                6 => "CU_LIMIT_PERSISTING_L2_CACHE_SIZE",
                7 => "CU_LIMIT_SHMEM_SIZE",
                8 => "CU_LIMIT_CIG_ENABLED",
                9 => "CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED",
                10 => "CU_LIMIT_PER_BLOCK_MEMORY_SIZE",
                11 => "CU_LIMIT_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlimit {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlimit({})", self.0),
        }
    }
}
impl CUlogLevel {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_LOG_LEVEL_ERROR", Self::CU_LOG_LEVEL_ERROR),
        ("CU_LOG_LEVEL_WARNING", Self::CU_LOG_LEVEL_WARNING),
    ];
}
impl CUlogLevel {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LOG_LEVEL_ERROR",
                1 => "CU_LOG_LEVEL_WARNING",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlogLevel {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlogLevel({})", self.0),
        }
    }
}
impl CUlogicalEndpointFlag {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_LOGICAL_ENDPOINT_FLAG_NONE", Self::CU_LOGICAL_ENDPOINT_FLAG_NONE),
        (
            "CU_LOGICAL_ENDPOINT_FLAG_COUNTED_OPS",
            Self::CU_LOGICAL_ENDPOINT_FLAG_COUNTED_OPS,
        ),
    ];
}
impl CUlogicalEndpointFlag {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LOGICAL_ENDPOINT_FLAG_NONE",
                1 => "CU_LOGICAL_ENDPOINT_FLAG_COUNTED_OPS",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlogicalEndpointFlag {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlogicalEndpointFlag({})", self.0),
        }
    }
}
impl CUlogicalEndpointIpcHandleType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE",
            Self::CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE,
        ),
        (
            "CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC",
            Self::CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC,
        ),
    ];
}
impl CUlogicalEndpointIpcHandleType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_NONE",
                1 => "CU_LOGICAL_ENDPOINT_IPC_HANDLE_TYPE_FABRIC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlogicalEndpointIpcHandleType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlogicalEndpointIpcHandleType({})", self.0),
        }
    }
}
impl CUlogicalEndpointType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_LOGICAL_ENDPOINT_TYPE_INVALID", Self::CU_LOGICAL_ENDPOINT_TYPE_INVALID),
        ("CU_LOGICAL_ENDPOINT_TYPE_UNICAST", Self::CU_LOGICAL_ENDPOINT_TYPE_UNICAST),
        ("CU_LOGICAL_ENDPOINT_TYPE_MULTICAST", Self::CU_LOGICAL_ENDPOINT_TYPE_MULTICAST),
    ];
}
impl CUlogicalEndpointType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_LOGICAL_ENDPOINT_TYPE_INVALID",
                1 => "CU_LOGICAL_ENDPOINT_TYPE_UNICAST",
                2 => "CU_LOGICAL_ENDPOINT_TYPE_MULTICAST",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUlogicalEndpointType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUlogicalEndpointType({})", self.0),
        }
    }
}
impl CUmemAccess_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_ACCESS_FLAGS_PROT_NONE", Self::CU_MEM_ACCESS_FLAGS_PROT_NONE),
        ("CU_MEM_ACCESS_FLAGS_PROT_READ", Self::CU_MEM_ACCESS_FLAGS_PROT_READ),
        ("CU_MEM_ACCESS_FLAGS_PROT_READWRITE", Self::CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
        ("CU_MEM_ACCESS_FLAGS_PROT_MAX", Self::CU_MEM_ACCESS_FLAGS_PROT_MAX),
    ];
}
impl CUmemAccess_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_ACCESS_FLAGS_PROT_NONE",
                1 => "CU_MEM_ACCESS_FLAGS_PROT_READ",
                3 => "CU_MEM_ACCESS_FLAGS_PROT_READWRITE",
                2147483647 => "CU_MEM_ACCESS_FLAGS_PROT_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemAccess_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemAccess_flags({})", self.0),
        }
    }
}
impl CUmemAllocationCompType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_ALLOCATION_COMP_NONE", Self::CU_MEM_ALLOCATION_COMP_NONE),
        ("CU_MEM_ALLOCATION_COMP_GENERIC", Self::CU_MEM_ALLOCATION_COMP_GENERIC),
    ];
}
impl CUmemAllocationCompType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_ALLOCATION_COMP_NONE",
                1 => "CU_MEM_ALLOCATION_COMP_GENERIC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemAllocationCompType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemAllocationCompType({})", self.0),
        }
    }
}
impl CUmemAllocationGranularity_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_ALLOC_GRANULARITY_MINIMUM", Self::CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        (
            "CU_MEM_ALLOC_GRANULARITY_RECOMMENDED",
            Self::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
        ),
    ];
}
impl CUmemAllocationGranularity_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_ALLOC_GRANULARITY_MINIMUM",
                1 => "CU_MEM_ALLOC_GRANULARITY_RECOMMENDED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemAllocationGranularity_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemAllocationGranularity_flags({})", self.0),
        }
    }
}
impl CUmemAllocationHandleType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_HANDLE_TYPE_NONE", Self::CU_MEM_HANDLE_TYPE_NONE),
        (
            "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR",
            Self::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        ),
        ("CU_MEM_HANDLE_TYPE_WIN32", Self::CU_MEM_HANDLE_TYPE_WIN32),
        ("CU_MEM_HANDLE_TYPE_WIN32_KMT", Self::CU_MEM_HANDLE_TYPE_WIN32_KMT),
        ("CU_MEM_HANDLE_TYPE_FABRIC", Self::CU_MEM_HANDLE_TYPE_FABRIC),
        ("CU_MEM_HANDLE_TYPE_MAX", Self::CU_MEM_HANDLE_TYPE_MAX),
    ];
}
impl CUmemAllocationHandleType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_HANDLE_TYPE_NONE",
                1 => "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR",
                2 => "CU_MEM_HANDLE_TYPE_WIN32",
                4 => "CU_MEM_HANDLE_TYPE_WIN32_KMT",
                8 => "CU_MEM_HANDLE_TYPE_FABRIC",
                2147483647 => "CU_MEM_HANDLE_TYPE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemAllocationHandleType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemAllocationHandleType({})", self.0),
        }
    }
}
impl CUmemAllocationType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_ALLOCATION_TYPE_INVALID", Self::CU_MEM_ALLOCATION_TYPE_INVALID),
        ("CU_MEM_ALLOCATION_TYPE_PINNED", Self::CU_MEM_ALLOCATION_TYPE_PINNED),
        ("CU_MEM_ALLOCATION_TYPE_MANAGED", Self::CU_MEM_ALLOCATION_TYPE_MANAGED),
        ("CU_MEM_ALLOCATION_TYPE_MAX", Self::CU_MEM_ALLOCATION_TYPE_MAX),
    ];
}
impl CUmemAllocationType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_ALLOCATION_TYPE_INVALID",
                1 => "CU_MEM_ALLOCATION_TYPE_PINNED",
                2 => "CU_MEM_ALLOCATION_TYPE_MANAGED",
                2147483647 => "CU_MEM_ALLOCATION_TYPE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemAllocationType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemAllocationType({})", self.0),
        }
    }
}
impl CUmemAttach_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_ATTACH_GLOBAL", Self::CU_MEM_ATTACH_GLOBAL),
        ("CU_MEM_ATTACH_HOST", Self::CU_MEM_ATTACH_HOST),
        ("CU_MEM_ATTACH_SINGLE", Self::CU_MEM_ATTACH_SINGLE),
    ];
}
impl CUmemAttach_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEM_ATTACH_GLOBAL",
                2 => "CU_MEM_ATTACH_HOST",
                4 => "CU_MEM_ATTACH_SINGLE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemAttach_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemAttach_flags({})", self.0),
        }
    }
}
impl CUmemDecompressAlgorithm {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_DECOMPRESS_UNSUPPORTED", Self::CU_MEM_DECOMPRESS_UNSUPPORTED),
        (
            "CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE",
            Self::CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE,
        ),
        ("CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY", Self::CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY),
        ("CU_MEM_DECOMPRESS_ALGORITHM_LZ4", Self::CU_MEM_DECOMPRESS_ALGORITHM_LZ4),
    ];
}
impl CUmemDecompressAlgorithm {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_DECOMPRESS_UNSUPPORTED",
                1 => "CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE",
                2 => "CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY",
                4 => "CU_MEM_DECOMPRESS_ALGORITHM_LZ4",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemDecompressAlgorithm {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemDecompressAlgorithm({})", self.0),
        }
    }
}
impl CUmemHandleType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_HANDLE_TYPE_GENERIC", Self::CU_MEM_HANDLE_TYPE_GENERIC),
    ];
}
impl CUmemHandleType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_HANDLE_TYPE_GENERIC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemHandleType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemHandleType({})", self.0),
        }
    }
}
impl CUmemLocationType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_LOCATION_TYPE_INVALID", Self::CU_MEM_LOCATION_TYPE_INVALID),
        ("CU_MEM_LOCATION_TYPE_NONE", Self::CU_MEM_LOCATION_TYPE_NONE),
        ("CU_MEM_LOCATION_TYPE_DEVICE", Self::CU_MEM_LOCATION_TYPE_DEVICE),
        ("CU_MEM_LOCATION_TYPE_HOST", Self::CU_MEM_LOCATION_TYPE_HOST),
        ("CU_MEM_LOCATION_TYPE_HOST_NUMA", Self::CU_MEM_LOCATION_TYPE_HOST_NUMA),
        (
            "CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT",
            Self::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
        ),
        ("CU_MEM_LOCATION_TYPE_INVISIBLE", Self::CU_MEM_LOCATION_TYPE_INVISIBLE),
        (
            "CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN",
            Self::CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN,
        ),
        ("CU_MEM_LOCATION_TYPE_MAX", Self::CU_MEM_LOCATION_TYPE_MAX),
    ];
}
impl CUmemLocationType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEM_LOCATION_TYPE_INVALID",
                1 => "CU_MEM_LOCATION_TYPE_DEVICE",
                2 => "CU_MEM_LOCATION_TYPE_HOST",
                3 => "CU_MEM_LOCATION_TYPE_HOST_NUMA",
                4 => "CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT",
                5 => "CU_MEM_LOCATION_TYPE_INVISIBLE",
                6 => "CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN",
                2147483647 => "CU_MEM_LOCATION_TYPE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemLocationType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemLocationType({})", self.0),
        }
    }
}
impl CUmemOperationType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_OPERATION_TYPE_MAP", Self::CU_MEM_OPERATION_TYPE_MAP),
        ("CU_MEM_OPERATION_TYPE_UNMAP", Self::CU_MEM_OPERATION_TYPE_UNMAP),
    ];
}
impl CUmemOperationType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEM_OPERATION_TYPE_MAP",
                2 => "CU_MEM_OPERATION_TYPE_UNMAP",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemOperationType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemOperationType({})", self.0),
        }
    }
}
impl CUmemPool_attribute {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES",
            Self::CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
        ),
        (
            "CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC",
            Self::CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
        ),
        (
            "CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES",
            Self::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
        ),
        ("CU_MEMPOOL_ATTR_RELEASE_THRESHOLD", Self::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD),
        (
            "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT",
            Self::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
        ),
        ("CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH", Self::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH),
        ("CU_MEMPOOL_ATTR_USED_MEM_CURRENT", Self::CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
        ("CU_MEMPOOL_ATTR_USED_MEM_HIGH", Self::CU_MEMPOOL_ATTR_USED_MEM_HIGH),
        ("CU_MEMPOOL_ATTR_ALLOCATION_TYPE", Self::CU_MEMPOOL_ATTR_ALLOCATION_TYPE),
        (
            "CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES",
            Self::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES,
        ),
        ("CU_MEMPOOL_ATTR_LOCATION_ID", Self::CU_MEMPOOL_ATTR_LOCATION_ID),
        ("CU_MEMPOOL_ATTR_LOCATION_TYPE", Self::CU_MEMPOOL_ATTR_LOCATION_TYPE),
        ("CU_MEMPOOL_ATTR_MAX_POOL_SIZE", Self::CU_MEMPOOL_ATTR_MAX_POOL_SIZE),
        (
            "CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED",
            Self::CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED,
        ),
        ("CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID", Self::CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID),
    ];
}
impl CUmemPool_attribute {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES",
                2 => "CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC",
                3 => "CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES",
                4 => "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD",
                5 => "CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT",
                6 => "CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH",
                7 => "CU_MEMPOOL_ATTR_USED_MEM_CURRENT",
                8 => "CU_MEMPOOL_ATTR_USED_MEM_HIGH",
                9 => "CU_MEMPOOL_ATTR_ALLOCATION_TYPE",
                10 => "CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES",
                11 => "CU_MEMPOOL_ATTR_LOCATION_ID",
                12 => "CU_MEMPOOL_ATTR_LOCATION_TYPE",
                13 => "CU_MEMPOOL_ATTR_MAX_POOL_SIZE",
                14 => "CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED",
                15 => "CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemPool_attribute {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemPool_attribute({})", self.0),
        }
    }
}
impl CUmemRangeFlags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE",
            Self::CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE,
        ),
    ];
}
impl CUmemRangeFlags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemRangeFlags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemRangeFlags({})", self.0),
        }
    }
}
impl CUmemRangeHandleType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD",
            Self::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD,
        ),
        ("CU_MEM_RANGE_HANDLE_TYPE_MAX", Self::CU_MEM_RANGE_HANDLE_TYPE_MAX),
    ];
}
impl CUmemRangeHandleType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD",
                2147483647 => "CU_MEM_RANGE_HANDLE_TYPE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemRangeHandleType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemRangeHandleType({})", self.0),
        }
    }
}
impl CUmem_advise {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_ADVISE_SET_READ_MOSTLY", Self::CU_MEM_ADVISE_SET_READ_MOSTLY),
        ("CU_MEM_ADVISE_UNSET_READ_MOSTLY", Self::CU_MEM_ADVISE_UNSET_READ_MOSTLY),
        (
            "CU_MEM_ADVISE_SET_PREFERRED_LOCATION",
            Self::CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
        ),
        (
            "CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION",
            Self::CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
        ),
        ("CU_MEM_ADVISE_SET_ACCESSED_BY", Self::CU_MEM_ADVISE_SET_ACCESSED_BY),
        ("CU_MEM_ADVISE_UNSET_ACCESSED_BY", Self::CU_MEM_ADVISE_UNSET_ACCESSED_BY),
    ];
}
impl CUmem_advise {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEM_ADVISE_SET_READ_MOSTLY",
                2 => "CU_MEM_ADVISE_UNSET_READ_MOSTLY",
                3 => "CU_MEM_ADVISE_SET_PREFERRED_LOCATION",
                4 => "CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION",
                5 => "CU_MEM_ADVISE_SET_ACCESSED_BY",
                6 => "CU_MEM_ADVISE_UNSET_ACCESSED_BY",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmem_advise {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmem_advise({})", self.0),
        }
    }
}
impl CUmem_range_attribute {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY", Self::CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY),
        (
            "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION",
            Self::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
        ),
        ("CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY", Self::CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY),
        (
            "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION",
            Self::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
        ),
        (
            "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE",
            Self::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
        ),
        (
            "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID",
            Self::CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID,
        ),
        (
            "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE",
            Self::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
        ),
        (
            "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID",
            Self::CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID,
        ),
    ];
}
impl CUmem_range_attribute {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY",
                2 => "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION",
                3 => "CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY",
                4 => "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION",
                5 => "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE",
                6 => "CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID",
                7 => "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE",
                8 => "CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmem_range_attribute {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmem_range_attribute({})", self.0),
        }
    }
}
impl CUmemcpy3DOperandType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEMCPY_OPERAND_TYPE_POINTER", Self::CU_MEMCPY_OPERAND_TYPE_POINTER),
        ("CU_MEMCPY_OPERAND_TYPE_ARRAY", Self::CU_MEMCPY_OPERAND_TYPE_ARRAY),
        ("CU_MEMCPY_OPERAND_TYPE_MAX", Self::CU_MEMCPY_OPERAND_TYPE_MAX),
    ];
}
impl CUmemcpy3DOperandType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEMCPY_OPERAND_TYPE_POINTER",
                2 => "CU_MEMCPY_OPERAND_TYPE_ARRAY",
                2147483647 => "CU_MEMCPY_OPERAND_TYPE_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemcpy3DOperandType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemcpy3DOperandType({})", self.0),
        }
    }
}
impl CUmemcpyFlags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEMCPY_FLAG_DEFAULT", Self::CU_MEMCPY_FLAG_DEFAULT),
        (
            "CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE",
            Self::CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE,
        ),
    ];
}
impl CUmemcpyFlags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEMCPY_FLAG_DEFAULT",
                1 => "CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemcpyFlags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemcpyFlags({})", self.0),
        }
    }
}
impl CUmemcpySrcAccessOrder {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEMCPY_SRC_ACCESS_ORDER_INVALID", Self::CU_MEMCPY_SRC_ACCESS_ORDER_INVALID),
        ("CU_MEMCPY_SRC_ACCESS_ORDER_STREAM", Self::CU_MEMCPY_SRC_ACCESS_ORDER_STREAM),
        (
            "CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL",
            Self::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
        ),
        ("CU_MEMCPY_SRC_ACCESS_ORDER_ANY", Self::CU_MEMCPY_SRC_ACCESS_ORDER_ANY),
        ("CU_MEMCPY_SRC_ACCESS_ORDER_MAX", Self::CU_MEMCPY_SRC_ACCESS_ORDER_MAX),
    ];
}
impl CUmemcpySrcAccessOrder {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MEMCPY_SRC_ACCESS_ORDER_INVALID",
                1 => "CU_MEMCPY_SRC_ACCESS_ORDER_STREAM",
                2 => "CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL",
                3 => "CU_MEMCPY_SRC_ACCESS_ORDER_ANY",
                2147483647 => "CU_MEMCPY_SRC_ACCESS_ORDER_MAX",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemcpySrcAccessOrder {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemcpySrcAccessOrder({})", self.0),
        }
    }
}
impl CUmemorytype {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MEMORYTYPE_HOST", Self::CU_MEMORYTYPE_HOST),
        ("CU_MEMORYTYPE_DEVICE", Self::CU_MEMORYTYPE_DEVICE),
        ("CU_MEMORYTYPE_ARRAY", Self::CU_MEMORYTYPE_ARRAY),
        ("CU_MEMORYTYPE_UNIFIED", Self::CU_MEMORYTYPE_UNIFIED),
    ];
}
impl CUmemorytype {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MEMORYTYPE_HOST",
                2 => "CU_MEMORYTYPE_DEVICE",
                3 => "CU_MEMORYTYPE_ARRAY",
                4 => "CU_MEMORYTYPE_UNIFIED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmemorytype {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmemorytype({})", self.0),
        }
    }
}
impl CUmoduleLoadingMode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MODULE_EAGER_LOADING", Self::CU_MODULE_EAGER_LOADING),
        ("CU_MODULE_LAZY_LOADING", Self::CU_MODULE_LAZY_LOADING),
    ];
}
impl CUmoduleLoadingMode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_MODULE_EAGER_LOADING",
                2 => "CU_MODULE_LAZY_LOADING",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmoduleLoadingMode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmoduleLoadingMode({})", self.0),
        }
    }
}
impl CUmulticastGranularity_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_MULTICAST_GRANULARITY_MINIMUM", Self::CU_MULTICAST_GRANULARITY_MINIMUM),
        (
            "CU_MULTICAST_GRANULARITY_RECOMMENDED",
            Self::CU_MULTICAST_GRANULARITY_RECOMMENDED,
        ),
    ];
}
impl CUmulticastGranularity_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_MULTICAST_GRANULARITY_MINIMUM",
                1 => "CU_MULTICAST_GRANULARITY_RECOMMENDED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUmulticastGranularity_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUmulticastGranularity_flags({})", self.0),
        }
    }
}
impl CUoccupancy_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_OCCUPANCY_DEFAULT", Self::CU_OCCUPANCY_DEFAULT),
        (
            "CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE",
            Self::CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE,
        ),
    ];
}
impl CUoccupancy_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_OCCUPANCY_DEFAULT",
                1 => "CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUoccupancy_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUoccupancy_flags({})", self.0),
        }
    }
}
impl CUoutput_mode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_OUT_KEY_VALUE_PAIR", Self::CU_OUT_KEY_VALUE_PAIR),
        ("CU_OUT_CSV", Self::CU_OUT_CSV),
    ];
}
impl CUoutput_mode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_OUT_KEY_VALUE_PAIR",
                1 => "CU_OUT_CSV",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUoutput_mode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUoutput_mode({})", self.0),
        }
    }
}
impl CUpointer_attribute {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_POINTER_ATTRIBUTE_CONTEXT", Self::CU_POINTER_ATTRIBUTE_CONTEXT),
        ("CU_POINTER_ATTRIBUTE_MEMORY_TYPE", Self::CU_POINTER_ATTRIBUTE_MEMORY_TYPE),
        (
            "CU_POINTER_ATTRIBUTE_DEVICE_POINTER",
            Self::CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        ),
        ("CU_POINTER_ATTRIBUTE_HOST_POINTER", Self::CU_POINTER_ATTRIBUTE_HOST_POINTER),
        ("CU_POINTER_ATTRIBUTE_P2P_TOKENS", Self::CU_POINTER_ATTRIBUTE_P2P_TOKENS),
        ("CU_POINTER_ATTRIBUTE_SYNC_MEMOPS", Self::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS),
        ("CU_POINTER_ATTRIBUTE_BUFFER_ID", Self::CU_POINTER_ATTRIBUTE_BUFFER_ID),
        ("CU_POINTER_ATTRIBUTE_IS_MANAGED", Self::CU_POINTER_ATTRIBUTE_IS_MANAGED),
        (
            "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL",
            Self::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        ),
        (
            "CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE",
            Self::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
        ),
        (
            "CU_POINTER_ATTRIBUTE_RANGE_START_ADDR",
            Self::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        ),
        ("CU_POINTER_ATTRIBUTE_RANGE_SIZE", Self::CU_POINTER_ATTRIBUTE_RANGE_SIZE),
        ("CU_POINTER_ATTRIBUTE_MAPPED", Self::CU_POINTER_ATTRIBUTE_MAPPED),
        (
            "CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES",
            Self::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
        ),
        (
            "CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE",
            Self::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
        ),
        ("CU_POINTER_ATTRIBUTE_ACCESS_FLAGS", Self::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS),
        (
            "CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE",
            Self::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
        ),
        ("CU_POINTER_ATTRIBUTE_MAPPING_SIZE", Self::CU_POINTER_ATTRIBUTE_MAPPING_SIZE),
        (
            "CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR",
            Self::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
        ),
        (
            "CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID",
            Self::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID,
        ),
        (
            "CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE",
            Self::CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE,
        ),
        (
            "CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL",
            Self::CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL,
        ),
    ];
}
impl CUpointer_attribute {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_POINTER_ATTRIBUTE_CONTEXT",
                2 => "CU_POINTER_ATTRIBUTE_MEMORY_TYPE",
                3 => "CU_POINTER_ATTRIBUTE_DEVICE_POINTER",
                4 => "CU_POINTER_ATTRIBUTE_HOST_POINTER",
                5 => "CU_POINTER_ATTRIBUTE_P2P_TOKENS",
                6 => "CU_POINTER_ATTRIBUTE_SYNC_MEMOPS",
                7 => "CU_POINTER_ATTRIBUTE_BUFFER_ID",
                8 => "CU_POINTER_ATTRIBUTE_IS_MANAGED",
                9 => "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL",
                10 => "CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE",
                11 => "CU_POINTER_ATTRIBUTE_RANGE_START_ADDR",
                12 => "CU_POINTER_ATTRIBUTE_RANGE_SIZE",
                13 => "CU_POINTER_ATTRIBUTE_MAPPED",
                14 => "CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES",
                15 => "CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE",
                16 => "CU_POINTER_ATTRIBUTE_ACCESS_FLAGS",
                17 => "CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE",
                18 => "CU_POINTER_ATTRIBUTE_MAPPING_SIZE",
                19 => "CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR",
                20 => "CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID",
                21 => "CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE",
                22 => "CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUpointer_attribute {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUpointer_attribute({})", self.0),
        }
    }
}
impl CUprocessState {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_PROCESS_STATE_RUNNING", Self::CU_PROCESS_STATE_RUNNING),
        ("CU_PROCESS_STATE_LOCKED", Self::CU_PROCESS_STATE_LOCKED),
        ("CU_PROCESS_STATE_CHECKPOINTED", Self::CU_PROCESS_STATE_CHECKPOINTED),
        ("CU_PROCESS_STATE_FAILED", Self::CU_PROCESS_STATE_FAILED),
        ("CU_PROCESS_STATE_CHECKPOINTING", Self::CU_PROCESS_STATE_CHECKPOINTING),
        ("CU_PROCESS_STATE_RESTORING", Self::CU_PROCESS_STATE_RESTORING),
    ];
}
impl CUprocessState {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_PROCESS_STATE_RUNNING",
                1 => "CU_PROCESS_STATE_LOCKED",
                2 => "CU_PROCESS_STATE_CHECKPOINTED",
                3 => "CU_PROCESS_STATE_FAILED",
                4 => "CU_PROCESS_STATE_CHECKPOINTING",
                5 => "CU_PROCESS_STATE_RESTORING",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUprocessState {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUprocessState({})", self.0),
        }
    }
}
impl CUresourceViewFormat {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_RES_VIEW_FORMAT_NONE", Self::CU_RES_VIEW_FORMAT_NONE),
        ("CU_RES_VIEW_FORMAT_UINT_1X8", Self::CU_RES_VIEW_FORMAT_UINT_1X8),
        ("CU_RES_VIEW_FORMAT_UINT_2X8", Self::CU_RES_VIEW_FORMAT_UINT_2X8),
        ("CU_RES_VIEW_FORMAT_UINT_4X8", Self::CU_RES_VIEW_FORMAT_UINT_4X8),
        ("CU_RES_VIEW_FORMAT_SINT_1X8", Self::CU_RES_VIEW_FORMAT_SINT_1X8),
        ("CU_RES_VIEW_FORMAT_SINT_2X8", Self::CU_RES_VIEW_FORMAT_SINT_2X8),
        ("CU_RES_VIEW_FORMAT_SINT_4X8", Self::CU_RES_VIEW_FORMAT_SINT_4X8),
        ("CU_RES_VIEW_FORMAT_UINT_1X16", Self::CU_RES_VIEW_FORMAT_UINT_1X16),
        ("CU_RES_VIEW_FORMAT_UINT_2X16", Self::CU_RES_VIEW_FORMAT_UINT_2X16),
        ("CU_RES_VIEW_FORMAT_UINT_4X16", Self::CU_RES_VIEW_FORMAT_UINT_4X16),
        ("CU_RES_VIEW_FORMAT_SINT_1X16", Self::CU_RES_VIEW_FORMAT_SINT_1X16),
        ("CU_RES_VIEW_FORMAT_SINT_2X16", Self::CU_RES_VIEW_FORMAT_SINT_2X16),
        ("CU_RES_VIEW_FORMAT_SINT_4X16", Self::CU_RES_VIEW_FORMAT_SINT_4X16),
        ("CU_RES_VIEW_FORMAT_UINT_1X32", Self::CU_RES_VIEW_FORMAT_UINT_1X32),
        ("CU_RES_VIEW_FORMAT_UINT_2X32", Self::CU_RES_VIEW_FORMAT_UINT_2X32),
        ("CU_RES_VIEW_FORMAT_UINT_4X32", Self::CU_RES_VIEW_FORMAT_UINT_4X32),
        ("CU_RES_VIEW_FORMAT_SINT_1X32", Self::CU_RES_VIEW_FORMAT_SINT_1X32),
        ("CU_RES_VIEW_FORMAT_SINT_2X32", Self::CU_RES_VIEW_FORMAT_SINT_2X32),
        ("CU_RES_VIEW_FORMAT_SINT_4X32", Self::CU_RES_VIEW_FORMAT_SINT_4X32),
        ("CU_RES_VIEW_FORMAT_FLOAT_1X16", Self::CU_RES_VIEW_FORMAT_FLOAT_1X16),
        ("CU_RES_VIEW_FORMAT_FLOAT_2X16", Self::CU_RES_VIEW_FORMAT_FLOAT_2X16),
        ("CU_RES_VIEW_FORMAT_FLOAT_4X16", Self::CU_RES_VIEW_FORMAT_FLOAT_4X16),
        ("CU_RES_VIEW_FORMAT_FLOAT_1X32", Self::CU_RES_VIEW_FORMAT_FLOAT_1X32),
        ("CU_RES_VIEW_FORMAT_FLOAT_2X32", Self::CU_RES_VIEW_FORMAT_FLOAT_2X32),
        ("CU_RES_VIEW_FORMAT_FLOAT_4X32", Self::CU_RES_VIEW_FORMAT_FLOAT_4X32),
        ("CU_RES_VIEW_FORMAT_UNSIGNED_BC1", Self::CU_RES_VIEW_FORMAT_UNSIGNED_BC1),
        ("CU_RES_VIEW_FORMAT_UNSIGNED_BC2", Self::CU_RES_VIEW_FORMAT_UNSIGNED_BC2),
        ("CU_RES_VIEW_FORMAT_UNSIGNED_BC3", Self::CU_RES_VIEW_FORMAT_UNSIGNED_BC3),
        ("CU_RES_VIEW_FORMAT_UNSIGNED_BC4", Self::CU_RES_VIEW_FORMAT_UNSIGNED_BC4),
        ("CU_RES_VIEW_FORMAT_SIGNED_BC4", Self::CU_RES_VIEW_FORMAT_SIGNED_BC4),
        ("CU_RES_VIEW_FORMAT_UNSIGNED_BC5", Self::CU_RES_VIEW_FORMAT_UNSIGNED_BC5),
        ("CU_RES_VIEW_FORMAT_SIGNED_BC5", Self::CU_RES_VIEW_FORMAT_SIGNED_BC5),
        ("CU_RES_VIEW_FORMAT_UNSIGNED_BC6H", Self::CU_RES_VIEW_FORMAT_UNSIGNED_BC6H),
        ("CU_RES_VIEW_FORMAT_SIGNED_BC6H", Self::CU_RES_VIEW_FORMAT_SIGNED_BC6H),
        ("CU_RES_VIEW_FORMAT_UNSIGNED_BC7", Self::CU_RES_VIEW_FORMAT_UNSIGNED_BC7),
    ];
}
impl CUresourceViewFormat {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_RES_VIEW_FORMAT_NONE",
                1 => "CU_RES_VIEW_FORMAT_UINT_1X8",
                2 => "CU_RES_VIEW_FORMAT_UINT_2X8",
                3 => "CU_RES_VIEW_FORMAT_UINT_4X8",
                4 => "CU_RES_VIEW_FORMAT_SINT_1X8",
                5 => "CU_RES_VIEW_FORMAT_SINT_2X8",
                6 => "CU_RES_VIEW_FORMAT_SINT_4X8",
                7 => "CU_RES_VIEW_FORMAT_UINT_1X16",
                8 => "CU_RES_VIEW_FORMAT_UINT_2X16",
                9 => "CU_RES_VIEW_FORMAT_UINT_4X16",
                10 => "CU_RES_VIEW_FORMAT_SINT_1X16",
                11 => "CU_RES_VIEW_FORMAT_SINT_2X16",
                12 => "CU_RES_VIEW_FORMAT_SINT_4X16",
                13 => "CU_RES_VIEW_FORMAT_UINT_1X32",
                14 => "CU_RES_VIEW_FORMAT_UINT_2X32",
                15 => "CU_RES_VIEW_FORMAT_UINT_4X32",
                16 => "CU_RES_VIEW_FORMAT_SINT_1X32",
                17 => "CU_RES_VIEW_FORMAT_SINT_2X32",
                18 => "CU_RES_VIEW_FORMAT_SINT_4X32",
                19 => "CU_RES_VIEW_FORMAT_FLOAT_1X16",
                20 => "CU_RES_VIEW_FORMAT_FLOAT_2X16",
                21 => "CU_RES_VIEW_FORMAT_FLOAT_4X16",
                22 => "CU_RES_VIEW_FORMAT_FLOAT_1X32",
                23 => "CU_RES_VIEW_FORMAT_FLOAT_2X32",
                24 => "CU_RES_VIEW_FORMAT_FLOAT_4X32",
                25 => "CU_RES_VIEW_FORMAT_UNSIGNED_BC1",
                26 => "CU_RES_VIEW_FORMAT_UNSIGNED_BC2",
                27 => "CU_RES_VIEW_FORMAT_UNSIGNED_BC3",
                28 => "CU_RES_VIEW_FORMAT_UNSIGNED_BC4",
                29 => "CU_RES_VIEW_FORMAT_SIGNED_BC4",
                30 => "CU_RES_VIEW_FORMAT_UNSIGNED_BC5",
                31 => "CU_RES_VIEW_FORMAT_SIGNED_BC5",
                32 => "CU_RES_VIEW_FORMAT_UNSIGNED_BC6H",
                33 => "CU_RES_VIEW_FORMAT_SIGNED_BC6H",
                34 => "CU_RES_VIEW_FORMAT_UNSIGNED_BC7",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUresourceViewFormat {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUresourceViewFormat({})", self.0),
        }
    }
}
impl CUresourcetype {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_RESOURCE_TYPE_ARRAY", Self::CU_RESOURCE_TYPE_ARRAY),
        ("CU_RESOURCE_TYPE_MIPMAPPED_ARRAY", Self::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY),
        ("CU_RESOURCE_TYPE_LINEAR", Self::CU_RESOURCE_TYPE_LINEAR),
        ("CU_RESOURCE_TYPE_PITCH2D", Self::CU_RESOURCE_TYPE_PITCH2D),
    ];
}
impl CUresourcetype {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_RESOURCE_TYPE_ARRAY",
                1 => "CU_RESOURCE_TYPE_MIPMAPPED_ARRAY",
                2 => "CU_RESOURCE_TYPE_LINEAR",
                3 => "CU_RESOURCE_TYPE_PITCH2D",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUresourcetype {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUresourcetype({})", self.0),
        }
    }
}
impl CUresult {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CUDA_SUCCESS", Self::CUDA_SUCCESS),
        ("CUDA_ERROR_INVALID_VALUE", Self::CUDA_ERROR_INVALID_VALUE),
        ("CUDA_ERROR_OUT_OF_MEMORY", Self::CUDA_ERROR_OUT_OF_MEMORY),
        ("CUDA_ERROR_NOT_INITIALIZED", Self::CUDA_ERROR_NOT_INITIALIZED),
        ("CUDA_ERROR_DEINITIALIZED", Self::CUDA_ERROR_DEINITIALIZED),
        ("CUDA_ERROR_PROFILER_DISABLED", Self::CUDA_ERROR_PROFILER_DISABLED),
        (
            "CUDA_ERROR_PROFILER_NOT_INITIALIZED",
            Self::CUDA_ERROR_PROFILER_NOT_INITIALIZED,
        ),
        (
            "CUDA_ERROR_PROFILER_ALREADY_STARTED",
            Self::CUDA_ERROR_PROFILER_ALREADY_STARTED,
        ),
        (
            "CUDA_ERROR_PROFILER_ALREADY_STOPPED",
            Self::CUDA_ERROR_PROFILER_ALREADY_STOPPED,
        ),
        ("CUDA_ERROR_STUB_LIBRARY", Self::CUDA_ERROR_STUB_LIBRARY),
        (
            "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER",
            Self::CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,
        ),
        ("CUDA_ERROR_DEVICE_UNAVAILABLE", Self::CUDA_ERROR_DEVICE_UNAVAILABLE),
        ("CUDA_ERROR_MULTICAST_RESOURCE_FULL", Self::CUDA_ERROR_MULTICAST_RESOURCE_FULL),
        ("CUDA_ERROR_NO_DEVICE", Self::CUDA_ERROR_NO_DEVICE),
        ("CUDA_ERROR_INVALID_DEVICE", Self::CUDA_ERROR_INVALID_DEVICE),
        ("CUDA_ERROR_DEVICE_NOT_LICENSED", Self::CUDA_ERROR_DEVICE_NOT_LICENSED),
        ("CUDA_ERROR_INVALID_IMAGE", Self::CUDA_ERROR_INVALID_IMAGE),
        ("CUDA_ERROR_INVALID_CONTEXT", Self::CUDA_ERROR_INVALID_CONTEXT),
        ("CUDA_ERROR_CONTEXT_ALREADY_CURRENT", Self::CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
        ("CUDA_ERROR_MAP_FAILED", Self::CUDA_ERROR_MAP_FAILED),
        ("CUDA_ERROR_UNMAP_FAILED", Self::CUDA_ERROR_UNMAP_FAILED),
        ("CUDA_ERROR_ARRAY_IS_MAPPED", Self::CUDA_ERROR_ARRAY_IS_MAPPED),
        ("CUDA_ERROR_ALREADY_MAPPED", Self::CUDA_ERROR_ALREADY_MAPPED),
        ("CUDA_ERROR_NO_BINARY_FOR_GPU", Self::CUDA_ERROR_NO_BINARY_FOR_GPU),
        ("CUDA_ERROR_ALREADY_ACQUIRED", Self::CUDA_ERROR_ALREADY_ACQUIRED),
        ("CUDA_ERROR_NOT_MAPPED", Self::CUDA_ERROR_NOT_MAPPED),
        ("CUDA_ERROR_NOT_MAPPED_AS_ARRAY", Self::CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
        ("CUDA_ERROR_NOT_MAPPED_AS_POINTER", Self::CUDA_ERROR_NOT_MAPPED_AS_POINTER),
        ("CUDA_ERROR_ECC_UNCORRECTABLE", Self::CUDA_ERROR_ECC_UNCORRECTABLE),
        ("CUDA_ERROR_UNSUPPORTED_LIMIT", Self::CUDA_ERROR_UNSUPPORTED_LIMIT),
        ("CUDA_ERROR_CONTEXT_ALREADY_IN_USE", Self::CUDA_ERROR_CONTEXT_ALREADY_IN_USE),
        ("CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", Self::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
        ("CUDA_ERROR_INVALID_PTX", Self::CUDA_ERROR_INVALID_PTX),
        (
            "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT",
            Self::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
        ),
        ("CUDA_ERROR_NVLINK_UNCORRECTABLE", Self::CUDA_ERROR_NVLINK_UNCORRECTABLE),
        ("CUDA_ERROR_JIT_COMPILER_NOT_FOUND", Self::CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
        ("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", Self::CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
        (
            "CUDA_ERROR_JIT_COMPILATION_DISABLED",
            Self::CUDA_ERROR_JIT_COMPILATION_DISABLED,
        ),
        (
            "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY",
            Self::CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
        ),
        (
            "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC",
            Self::CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
        ),
        ("CUDA_ERROR_CONTAINED", Self::CUDA_ERROR_CONTAINED),
        (
            "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION",
            Self::CUDA_ERROR_INSUFFICIENT_LOADER_VERSION,
        ),
        ("CUDA_ERROR_INVALID_SOURCE", Self::CUDA_ERROR_INVALID_SOURCE),
        ("CUDA_ERROR_FILE_NOT_FOUND", Self::CUDA_ERROR_FILE_NOT_FOUND),
        (
            "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND",
            Self::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
        ),
        (
            "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
            Self::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
        ),
        ("CUDA_ERROR_OPERATING_SYSTEM", Self::CUDA_ERROR_OPERATING_SYSTEM),
        ("CUDA_ERROR_INVALID_HANDLE", Self::CUDA_ERROR_INVALID_HANDLE),
        ("CUDA_ERROR_ILLEGAL_STATE", Self::CUDA_ERROR_ILLEGAL_STATE),
        ("CUDA_ERROR_LOSSY_QUERY", Self::CUDA_ERROR_LOSSY_QUERY),
        ("CUDA_ERROR_NOT_FOUND", Self::CUDA_ERROR_NOT_FOUND),
        ("CUDA_ERROR_NOT_READY", Self::CUDA_ERROR_NOT_READY),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", Self::CUDA_ERROR_ILLEGAL_ADDRESS),
        ("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", Self::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
        ("CUDA_ERROR_LAUNCH_TIMEOUT", Self::CUDA_ERROR_LAUNCH_TIMEOUT),
        (
            "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING",
            Self::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
        ),
        (
            "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
            Self::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
        ),
        ("CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", Self::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
        ("CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", Self::CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
        ("CUDA_ERROR_CONTEXT_IS_DESTROYED", Self::CUDA_ERROR_CONTEXT_IS_DESTROYED),
        ("CUDA_ERROR_ASSERT", Self::CUDA_ERROR_ASSERT),
        ("CUDA_ERROR_TOO_MANY_PEERS", Self::CUDA_ERROR_TOO_MANY_PEERS),
        (
            "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
            Self::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
        ),
        (
            "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
            Self::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
        ),
        ("CUDA_ERROR_HARDWARE_STACK_ERROR", Self::CUDA_ERROR_HARDWARE_STACK_ERROR),
        ("CUDA_ERROR_ILLEGAL_INSTRUCTION", Self::CUDA_ERROR_ILLEGAL_INSTRUCTION),
        ("CUDA_ERROR_MISALIGNED_ADDRESS", Self::CUDA_ERROR_MISALIGNED_ADDRESS),
        ("CUDA_ERROR_INVALID_ADDRESS_SPACE", Self::CUDA_ERROR_INVALID_ADDRESS_SPACE),
        ("CUDA_ERROR_INVALID_PC", Self::CUDA_ERROR_INVALID_PC),
        ("CUDA_ERROR_LAUNCH_FAILED", Self::CUDA_ERROR_LAUNCH_FAILED),
        (
            "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
            Self::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        ),
        ("CUDA_ERROR_TENSOR_MEMORY_LEAK", Self::CUDA_ERROR_TENSOR_MEMORY_LEAK),
        ("CUDA_ERROR_NOT_PERMITTED", Self::CUDA_ERROR_NOT_PERMITTED),
        ("CUDA_ERROR_NOT_SUPPORTED", Self::CUDA_ERROR_NOT_SUPPORTED),
        ("CUDA_ERROR_SYSTEM_NOT_READY", Self::CUDA_ERROR_SYSTEM_NOT_READY),
        ("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", Self::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH),
        (
            "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
            Self::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
        ),
        ("CUDA_ERROR_MPS_CONNECTION_FAILED", Self::CUDA_ERROR_MPS_CONNECTION_FAILED),
        ("CUDA_ERROR_MPS_RPC_FAILURE", Self::CUDA_ERROR_MPS_RPC_FAILURE),
        ("CUDA_ERROR_MPS_SERVER_NOT_READY", Self::CUDA_ERROR_MPS_SERVER_NOT_READY),
        ("CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", Self::CUDA_ERROR_MPS_MAX_CLIENTS_REACHED),
        (
            "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED",
            Self::CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
        ),
        ("CUDA_ERROR_MPS_CLIENT_TERMINATED", Self::CUDA_ERROR_MPS_CLIENT_TERMINATED),
        ("CUDA_ERROR_CDP_NOT_SUPPORTED", Self::CUDA_ERROR_CDP_NOT_SUPPORTED),
        ("CUDA_ERROR_CDP_VERSION_MISMATCH", Self::CUDA_ERROR_CDP_VERSION_MISMATCH),
        (
            "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
            Self::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        ),
        (
            "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
            Self::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
        ),
        ("CUDA_ERROR_STREAM_CAPTURE_MERGE", Self::CUDA_ERROR_STREAM_CAPTURE_MERGE),
        (
            "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
            Self::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
        ),
        ("CUDA_ERROR_STREAM_CAPTURE_UNJOINED", Self::CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
        (
            "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
            Self::CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
        ),
        ("CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", Self::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
        ("CUDA_ERROR_CAPTURED_EVENT", Self::CUDA_ERROR_CAPTURED_EVENT),
        (
            "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
            Self::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
        ),
        ("CUDA_ERROR_TIMEOUT", Self::CUDA_ERROR_TIMEOUT),
        (
            "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
            Self::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
        ),
        ("CUDA_ERROR_EXTERNAL_DEVICE", Self::CUDA_ERROR_EXTERNAL_DEVICE),
        ("CUDA_ERROR_INVALID_CLUSTER_SIZE", Self::CUDA_ERROR_INVALID_CLUSTER_SIZE),
        ("CUDA_ERROR_FUNCTION_NOT_LOADED", Self::CUDA_ERROR_FUNCTION_NOT_LOADED),
        ("CUDA_ERROR_INVALID_RESOURCE_TYPE", Self::CUDA_ERROR_INVALID_RESOURCE_TYPE),
        (
            "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION",
            Self::CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
        ),
        ("CUDA_ERROR_KEY_ROTATION", Self::CUDA_ERROR_KEY_ROTATION),
        ("CUDA_ERROR_STREAM_DETACHED", Self::CUDA_ERROR_STREAM_DETACHED),
        ("CUDA_ERROR_GRAPH_RECAPTURE_FAILURE", Self::CUDA_ERROR_GRAPH_RECAPTURE_FAILURE),
        ("CUDA_ERROR_FABRIC_NOT_READY", Self::CUDA_ERROR_FABRIC_NOT_READY),
        ("CUDA_ERROR_UNKNOWN", Self::CUDA_ERROR_UNKNOWN),
    ];
}
impl CUsharedMemoryMode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_SHARED_MEMORY_MODE_DEFAULT", Self::CU_SHARED_MEMORY_MODE_DEFAULT),
        (
            "CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE",
            Self::CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE,
        ),
        (
            "CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE",
            Self::CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE,
        ),
        (
            "CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY",
            Self::CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY,
        ),
        (
            "CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY",
            Self::CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY,
        ),
    ];
}
impl CUsharedMemoryMode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_SHARED_MEMORY_MODE_DEFAULT",
                1 => "CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE",
                2 => "CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE",
                3 => "CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY",
                4 => "CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUsharedMemoryMode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUsharedMemoryMode({})", self.0),
        }
    }
}
impl CUshared_carveout {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_SHAREDMEM_CARVEOUT_DEFAULT", Self::CU_SHAREDMEM_CARVEOUT_DEFAULT),
        ("CU_SHAREDMEM_CARVEOUT_MAX_SHARED", Self::CU_SHAREDMEM_CARVEOUT_MAX_SHARED),
        ("CU_SHAREDMEM_CARVEOUT_MAX_L1", Self::CU_SHAREDMEM_CARVEOUT_MAX_L1),
    ];
}
impl CUshared_carveout {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                -1 => "CU_SHAREDMEM_CARVEOUT_DEFAULT",
                100 => "CU_SHAREDMEM_CARVEOUT_MAX_SHARED",
                0 => "CU_SHAREDMEM_CARVEOUT_MAX_L1",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUshared_carveout {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUshared_carveout({})", self.0),
        }
    }
}
impl CUsharedconfig {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE",
            Self::CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE,
        ),
        (
            "CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE",
            Self::CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE,
        ),
        (
            "CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE",
            Self::CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
        ),
    ];
}
impl CUsharedconfig {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE",
                1 => "CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE",
                2 => "CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUsharedconfig {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUsharedconfig({})", self.0),
        }
    }
}
impl CUstreamAtomicReductionDataType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32",
            Self::CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32,
        ),
        (
            "CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64",
            Self::CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64,
        ),
    ];
}
impl CUstreamAtomicReductionDataType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                14 => "CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32",
                22 => "CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamAtomicReductionDataType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamAtomicReductionDataType({})", self.0),
        }
    }
}
impl CUstreamAtomicReductionOpType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_ATOMIC_REDUCTION_OP_OR", Self::CU_STREAM_ATOMIC_REDUCTION_OP_OR),
        ("CU_STREAM_ATOMIC_REDUCTION_OP_AND", Self::CU_STREAM_ATOMIC_REDUCTION_OP_AND),
        ("CU_STREAM_ATOMIC_REDUCTION_OP_ADD", Self::CU_STREAM_ATOMIC_REDUCTION_OP_ADD),
    ];
}
impl CUstreamAtomicReductionOpType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                6 => "CU_STREAM_ATOMIC_REDUCTION_OP_OR",
                5 => "CU_STREAM_ATOMIC_REDUCTION_OP_AND",
                0 => "CU_STREAM_ATOMIC_REDUCTION_OP_ADD",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamAtomicReductionOpType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamAtomicReductionOpType({})", self.0),
        }
    }
}
impl CUstreamBatchMemOpType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_MEM_OP_WAIT_VALUE_32", Self::CU_STREAM_MEM_OP_WAIT_VALUE_32),
        ("CU_STREAM_MEM_OP_WRITE_VALUE_32", Self::CU_STREAM_MEM_OP_WRITE_VALUE_32),
        ("CU_STREAM_MEM_OP_WAIT_VALUE_64", Self::CU_STREAM_MEM_OP_WAIT_VALUE_64),
        ("CU_STREAM_MEM_OP_WRITE_VALUE_64", Self::CU_STREAM_MEM_OP_WRITE_VALUE_64),
        ("CU_STREAM_MEM_OP_BARRIER", Self::CU_STREAM_MEM_OP_BARRIER),
        ("CU_STREAM_MEM_OP_ATOMIC_REDUCTION", Self::CU_STREAM_MEM_OP_ATOMIC_REDUCTION),
        (
            "CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES",
            Self::CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES,
        ),
    ];
}
impl CUstreamBatchMemOpType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_STREAM_MEM_OP_WAIT_VALUE_32",
                2 => "CU_STREAM_MEM_OP_WRITE_VALUE_32",
                4 => "CU_STREAM_MEM_OP_WAIT_VALUE_64",
                5 => "CU_STREAM_MEM_OP_WRITE_VALUE_64",
                6 => "CU_STREAM_MEM_OP_BARRIER",
                8 => "CU_STREAM_MEM_OP_ATOMIC_REDUCTION",
                3 => "CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamBatchMemOpType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamBatchMemOpType({})", self.0),
        }
    }
}
impl CUstreamCaptureMode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_CAPTURE_MODE_GLOBAL", Self::CU_STREAM_CAPTURE_MODE_GLOBAL),
        (
            "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL",
            Self::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        ),
        ("CU_STREAM_CAPTURE_MODE_RELAXED", Self::CU_STREAM_CAPTURE_MODE_RELAXED),
    ];
}
impl CUstreamCaptureMode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_STREAM_CAPTURE_MODE_GLOBAL",
                1 => "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL",
                2 => "CU_STREAM_CAPTURE_MODE_RELAXED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamCaptureMode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamCaptureMode({})", self.0),
        }
    }
}
impl CUstreamCaptureStatus {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_CAPTURE_STATUS_NONE", Self::CU_STREAM_CAPTURE_STATUS_NONE),
        ("CU_STREAM_CAPTURE_STATUS_ACTIVE", Self::CU_STREAM_CAPTURE_STATUS_ACTIVE),
        (
            "CU_STREAM_CAPTURE_STATUS_INVALIDATED",
            Self::CU_STREAM_CAPTURE_STATUS_INVALIDATED,
        ),
    ];
}
impl CUstreamCaptureStatus {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_STREAM_CAPTURE_STATUS_NONE",
                1 => "CU_STREAM_CAPTURE_STATUS_ACTIVE",
                2 => "CU_STREAM_CAPTURE_STATUS_INVALIDATED",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamCaptureStatus {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamCaptureStatus({})", self.0),
        }
    }
}
impl CUstreamCigDataType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        (
            "STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST",
            Self::STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST,
        ),
        (
            "STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV",
            Self::STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV,
        ),
    ];
}
impl CUstreamCigDataType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST",
                2 => "STREAM_CIG_DATA_TYPE_VULKAN_COMMAND_BUFFER_HANDLE_NV",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamCigDataType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamCigDataType({})", self.0),
        }
    }
}
impl CUstreamMemoryBarrier_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_MEMORY_BARRIER_TYPE_SYS", Self::CU_STREAM_MEMORY_BARRIER_TYPE_SYS),
        ("CU_STREAM_MEMORY_BARRIER_TYPE_GPU", Self::CU_STREAM_MEMORY_BARRIER_TYPE_GPU),
    ];
}
impl CUstreamMemoryBarrier_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_STREAM_MEMORY_BARRIER_TYPE_SYS",
                1 => "CU_STREAM_MEMORY_BARRIER_TYPE_GPU",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamMemoryBarrier_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamMemoryBarrier_flags({})", self.0),
        }
    }
}
impl CUstreamUpdateCaptureDependencies_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_ADD_CAPTURE_DEPENDENCIES", Self::CU_STREAM_ADD_CAPTURE_DEPENDENCIES),
        ("CU_STREAM_SET_CAPTURE_DEPENDENCIES", Self::CU_STREAM_SET_CAPTURE_DEPENDENCIES),
    ];
}
impl CUstreamUpdateCaptureDependencies_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_STREAM_ADD_CAPTURE_DEPENDENCIES",
                1 => "CU_STREAM_SET_CAPTURE_DEPENDENCIES",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamUpdateCaptureDependencies_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamUpdateCaptureDependencies_flags({})", self.0),
        }
    }
}
impl CUstreamWaitValue_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_WAIT_VALUE_GEQ", Self::CU_STREAM_WAIT_VALUE_GEQ),
        ("CU_STREAM_WAIT_VALUE_EQ", Self::CU_STREAM_WAIT_VALUE_EQ),
        ("CU_STREAM_WAIT_VALUE_AND", Self::CU_STREAM_WAIT_VALUE_AND),
        ("CU_STREAM_WAIT_VALUE_NOR", Self::CU_STREAM_WAIT_VALUE_NOR),
        ("CU_STREAM_WAIT_VALUE_FLUSH", Self::CU_STREAM_WAIT_VALUE_FLUSH),
    ];
}
impl CUstreamWaitValue_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_STREAM_WAIT_VALUE_GEQ",
                1 => "CU_STREAM_WAIT_VALUE_EQ",
                2 => "CU_STREAM_WAIT_VALUE_AND",
                3 => "CU_STREAM_WAIT_VALUE_NOR",
                1073741824 => "CU_STREAM_WAIT_VALUE_FLUSH",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamWaitValue_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamWaitValue_flags({})", self.0),
        }
    }
}
impl CUstreamWriteValue_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_WRITE_VALUE_DEFAULT", Self::CU_STREAM_WRITE_VALUE_DEFAULT),
        (
            "CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER",
            Self::CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER,
        ),
    ];
}
impl CUstreamWriteValue_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_STREAM_WRITE_VALUE_DEFAULT",
                1 => "CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstreamWriteValue_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstreamWriteValue_flags({})", self.0),
        }
    }
}
impl CUstream_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_STREAM_DEFAULT", Self::CU_STREAM_DEFAULT),
        ("CU_STREAM_NON_BLOCKING", Self::CU_STREAM_NON_BLOCKING),
    ];
}
impl CUstream_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_STREAM_DEFAULT",
                1 => "CU_STREAM_NON_BLOCKING",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUstream_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUstream_flags({})", self.0),
        }
    }
}
impl CUsynchronizationPolicy {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_SYNC_POLICY_AUTO", Self::CU_SYNC_POLICY_AUTO),
        ("CU_SYNC_POLICY_SPIN", Self::CU_SYNC_POLICY_SPIN),
        ("CU_SYNC_POLICY_YIELD", Self::CU_SYNC_POLICY_YIELD),
        ("CU_SYNC_POLICY_BLOCKING_SYNC", Self::CU_SYNC_POLICY_BLOCKING_SYNC),
    ];
}
impl CUsynchronizationPolicy {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_SYNC_POLICY_AUTO",
                2 => "CU_SYNC_POLICY_SPIN",
                3 => "CU_SYNC_POLICY_YIELD",
                4 => "CU_SYNC_POLICY_BLOCKING_SYNC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUsynchronizationPolicy {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUsynchronizationPolicy({})", self.0),
        }
    }
}
impl CUtensorMapAllocClass {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TENSOR_MAP_ALLOC_CLASS_AUTO", Self::CU_TENSOR_MAP_ALLOC_CLASS_AUTO),
        ("CU_TENSOR_MAP_ALLOC_CLASS_SMALL", Self::CU_TENSOR_MAP_ALLOC_CLASS_SMALL),
        ("CU_TENSOR_MAP_ALLOC_CLASS_LARGE", Self::CU_TENSOR_MAP_ALLOC_CLASS_LARGE),
    ];
}
impl CUtensorMapAllocClass {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TENSOR_MAP_ALLOC_CLASS_AUTO",
                1 => "CU_TENSOR_MAP_ALLOC_CLASS_SMALL",
                2 => "CU_TENSOR_MAP_ALLOC_CLASS_LARGE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUtensorMapAllocClass {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUtensorMapAllocClass({})", self.0),
        }
    }
}
impl CUtensorMapDataType {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TENSOR_MAP_DATA_TYPE_UINT8", Self::CU_TENSOR_MAP_DATA_TYPE_UINT8),
        ("CU_TENSOR_MAP_DATA_TYPE_UINT16", Self::CU_TENSOR_MAP_DATA_TYPE_UINT16),
        ("CU_TENSOR_MAP_DATA_TYPE_UINT32", Self::CU_TENSOR_MAP_DATA_TYPE_UINT32),
        ("CU_TENSOR_MAP_DATA_TYPE_INT32", Self::CU_TENSOR_MAP_DATA_TYPE_INT32),
        ("CU_TENSOR_MAP_DATA_TYPE_UINT64", Self::CU_TENSOR_MAP_DATA_TYPE_UINT64),
        ("CU_TENSOR_MAP_DATA_TYPE_INT64", Self::CU_TENSOR_MAP_DATA_TYPE_INT64),
        ("CU_TENSOR_MAP_DATA_TYPE_FLOAT16", Self::CU_TENSOR_MAP_DATA_TYPE_FLOAT16),
        ("CU_TENSOR_MAP_DATA_TYPE_FLOAT32", Self::CU_TENSOR_MAP_DATA_TYPE_FLOAT32),
        ("CU_TENSOR_MAP_DATA_TYPE_FLOAT64", Self::CU_TENSOR_MAP_DATA_TYPE_FLOAT64),
        ("CU_TENSOR_MAP_DATA_TYPE_BFLOAT16", Self::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16),
        (
            "CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ",
            Self::CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
        ),
        ("CU_TENSOR_MAP_DATA_TYPE_TFLOAT32", Self::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32),
        (
            "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ",
            Self::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
        ),
        (
            "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B",
            Self::CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
        ),
        (
            "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B",
            Self::CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
        ),
        (
            "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B",
            Self::CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
        ),
    ];
}
impl CUtensorMapDataType {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TENSOR_MAP_DATA_TYPE_UINT8",
                1 => "CU_TENSOR_MAP_DATA_TYPE_UINT16",
                2 => "CU_TENSOR_MAP_DATA_TYPE_UINT32",
                3 => "CU_TENSOR_MAP_DATA_TYPE_INT32",
                4 => "CU_TENSOR_MAP_DATA_TYPE_UINT64",
                5 => "CU_TENSOR_MAP_DATA_TYPE_INT64",
                6 => "CU_TENSOR_MAP_DATA_TYPE_FLOAT16",
                7 => "CU_TENSOR_MAP_DATA_TYPE_FLOAT32",
                8 => "CU_TENSOR_MAP_DATA_TYPE_FLOAT64",
                9 => "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16",
                10 => "CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ",
                11 => "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32",
                12 => "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ",
                13 => "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B",
                14 => "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B",
                15 => "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUtensorMapDataType {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUtensorMapDataType({})", self.0),
        }
    }
}
impl CUtensorMapFloatOOBfill {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE", Self::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        (
            "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA",
            Self::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
        ),
    ];
}
impl CUtensorMapFloatOOBfill {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE",
                1 => "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUtensorMapFloatOOBfill {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUtensorMapFloatOOBfill({})", self.0),
        }
    }
}
impl CUtensorMapIm2ColWideMode {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TENSOR_MAP_IM2COL_WIDE_MODE_W", Self::CU_TENSOR_MAP_IM2COL_WIDE_MODE_W),
        (
            "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128",
            Self::CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128,
        ),
    ];
}
impl CUtensorMapIm2ColWideMode {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W",
                1 => "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUtensorMapIm2ColWideMode {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUtensorMapIm2ColWideMode({})", self.0),
        }
    }
}
impl CUtensorMapInterleave {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TENSOR_MAP_INTERLEAVE_NONE", Self::CU_TENSOR_MAP_INTERLEAVE_NONE),
        ("CU_TENSOR_MAP_INTERLEAVE_16B", Self::CU_TENSOR_MAP_INTERLEAVE_16B),
        ("CU_TENSOR_MAP_INTERLEAVE_32B", Self::CU_TENSOR_MAP_INTERLEAVE_32B),
    ];
}
impl CUtensorMapInterleave {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TENSOR_MAP_INTERLEAVE_NONE",
                1 => "CU_TENSOR_MAP_INTERLEAVE_16B",
                2 => "CU_TENSOR_MAP_INTERLEAVE_32B",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUtensorMapInterleave {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUtensorMapInterleave({})", self.0),
        }
    }
}
impl CUtensorMapL2promotion {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TENSOR_MAP_L2_PROMOTION_NONE", Self::CU_TENSOR_MAP_L2_PROMOTION_NONE),
        ("CU_TENSOR_MAP_L2_PROMOTION_L2_64B", Self::CU_TENSOR_MAP_L2_PROMOTION_L2_64B),
        ("CU_TENSOR_MAP_L2_PROMOTION_L2_128B", Self::CU_TENSOR_MAP_L2_PROMOTION_L2_128B),
        ("CU_TENSOR_MAP_L2_PROMOTION_L2_256B", Self::CU_TENSOR_MAP_L2_PROMOTION_L2_256B),
    ];
}
impl CUtensorMapL2promotion {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TENSOR_MAP_L2_PROMOTION_NONE",
                1 => "CU_TENSOR_MAP_L2_PROMOTION_L2_64B",
                2 => "CU_TENSOR_MAP_L2_PROMOTION_L2_128B",
                3 => "CU_TENSOR_MAP_L2_PROMOTION_L2_256B",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUtensorMapL2promotion {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUtensorMapL2promotion({})", self.0),
        }
    }
}
impl CUtensorMapSwizzle {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_TENSOR_MAP_SWIZZLE_NONE", Self::CU_TENSOR_MAP_SWIZZLE_NONE),
        ("CU_TENSOR_MAP_SWIZZLE_32B", Self::CU_TENSOR_MAP_SWIZZLE_32B),
        ("CU_TENSOR_MAP_SWIZZLE_64B", Self::CU_TENSOR_MAP_SWIZZLE_64B),
        ("CU_TENSOR_MAP_SWIZZLE_128B", Self::CU_TENSOR_MAP_SWIZZLE_128B),
        (
            "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B",
            Self::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
        ),
        (
            "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B",
            Self::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
        ),
        (
            "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B",
            Self::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
        ),
    ];
}
impl CUtensorMapSwizzle {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "CU_TENSOR_MAP_SWIZZLE_NONE",
                1 => "CU_TENSOR_MAP_SWIZZLE_32B",
                2 => "CU_TENSOR_MAP_SWIZZLE_64B",
                3 => "CU_TENSOR_MAP_SWIZZLE_128B",
                4 => "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B",
                5 => "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B",
                6 => "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUtensorMapSwizzle {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUtensorMapSwizzle({})", self.0),
        }
    }
}
impl CUuserObjectRetain_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_GRAPH_USER_OBJECT_MOVE", Self::CU_GRAPH_USER_OBJECT_MOVE),
    ];
}
impl CUuserObjectRetain_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_GRAPH_USER_OBJECT_MOVE",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUuserObjectRetain_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUuserObjectRetain_flags({})", self.0),
        }
    }
}
impl CUuserObject_flags {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("CU_USER_OBJECT_NO_DESTRUCTOR_SYNC", Self::CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
    ];
}
impl CUuserObject_flags {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                1 => "CU_USER_OBJECT_NO_DESTRUCTOR_SYNC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for CUuserObject_flags {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "CUuserObject_flags({})", self.0),
        }
    }
}
impl cl_context_flags_enum {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("NVCL_CTX_SCHED_AUTO", Self::NVCL_CTX_SCHED_AUTO),
        ("NVCL_CTX_SCHED_SPIN", Self::NVCL_CTX_SCHED_SPIN),
        ("NVCL_CTX_SCHED_YIELD", Self::NVCL_CTX_SCHED_YIELD),
        ("NVCL_CTX_SCHED_BLOCKING_SYNC", Self::NVCL_CTX_SCHED_BLOCKING_SYNC),
    ];
}
impl cl_context_flags_enum {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "NVCL_CTX_SCHED_AUTO",
                1 => "NVCL_CTX_SCHED_SPIN",
                2 => "NVCL_CTX_SCHED_YIELD",
                4 => "NVCL_CTX_SCHED_BLOCKING_SYNC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for cl_context_flags_enum {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "cl_context_flags_enum({})", self.0),
        }
    }
}
impl cl_event_flags_enum {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("NVCL_EVENT_SCHED_AUTO", Self::NVCL_EVENT_SCHED_AUTO),
        ("NVCL_EVENT_SCHED_SPIN", Self::NVCL_EVENT_SCHED_SPIN),
        ("NVCL_EVENT_SCHED_YIELD", Self::NVCL_EVENT_SCHED_YIELD),
        ("NVCL_EVENT_SCHED_BLOCKING_SYNC", Self::NVCL_EVENT_SCHED_BLOCKING_SYNC),
    ];
}
impl cl_event_flags_enum {
    /// Its name in the header: the first one where several constants share the value, none where no constant has it.
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self.0 {
                0 => "NVCL_EVENT_SCHED_AUTO",
                1 => "NVCL_EVENT_SCHED_SPIN",
                2 => "NVCL_EVENT_SCHED_YIELD",
                4 => "NVCL_EVENT_SCHED_BLOCKING_SYNC",
                _ => return None,
            },
        )
    }
}
impl ::core::fmt::Debug for cl_event_flags_enum {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "cl_event_flags_enum({})", self.0),
        }
    }
}
