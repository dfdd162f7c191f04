//! Structures of the C interface that headers of CUDA 12.0 lack, or that bindings of different headers name differently.
//!
//! `cuda-sys/tests/typed_by_hand.rs` includes this file and compares the structures with the
//! bindings of the installed header. This file must therefore not use the rest of the crate.

use std::ffi::{c_char, c_int, c_longlong, c_uint, c_void};

use cuda_sys::{
    self as sys, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUcontext,
    CUdeviceptr, CUgraph, CUgraphNodeType, CUmemPoolProps, CUstreamBatchMemOpParams,
};

/// `CUgraphEdgeData`, which headers of 12.0 lack.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct RawEdgeData {
    pub(crate) from_port: u8,
    pub(crate) to_port: u8,
    pub(crate) kind: u8,
    pub(crate) reserved: [u8; 5],
}

/// `CUmemcpyAttributes`, which headers of 12.0 lack: order, location hints, flags.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawCopyAttributes {
    pub(crate) order: c_uint,
    pub(crate) places: [[i32; 2]; 2],
    pub(crate) flags: c_uint,
}

/// `CUmemcpy3DOperand`: either an address, the length of rows and the height of slices, or an array
/// and a position in it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawCopyOperand {
    pub(crate) kind: c_uint,
    pub(crate) words: [u64; 4],
}

/// `CUDA_MEMCPY3D_BATCH_OP`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawCopyOperation {
    pub(crate) from: RawCopyOperand,
    pub(crate) to: RawCopyOperand,
    pub(crate) extent: [usize; 3],
    pub(crate) order: c_uint,
    pub(crate) flags: c_uint,
}
const _: () = assert!(size_of::<RawCopyAttributes>() == 24 && size_of::<RawCopyOperation>() == 112);

/// A `CUdevResource` of multiprocessors. Headers of CUDA 12.0 lack it, and newer ones name
/// different parts of it. Its size is fixed.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub(crate) struct RawResource {
    pub(crate) kind: c_uint,
    /// Internal data of the driver.
    pub(crate) internal: [u8; 92],
    pub(crate) count: c_uint,
    pub(crate) smallest: c_uint,
    pub(crate) alignment: c_uint,
    pub(crate) rest: [c_uint; 9],
}

impl RawResource {
    pub(crate) const NONE: Self = Self {
        kind: 0,
        internal: [0; 92],
        count: 0,
        smallest: 0,
        alignment: 0,
        rest: [0; 9],
    };
}

/// `CUmulticastObjectProp`, which headers of 12.0 lack.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawMulticast {
    pub(crate) devices: c_uint,
    pub(crate) size: usize,
    pub(crate) handles: u64,
    pub(crate) flags: u64,
}

/// `CUgraphNodeParams` of a conditional node, which headers of 12.0 lack.
#[repr(C)]
pub(crate) struct RawConditional {
    pub(crate) kind: CUgraphNodeType,
    pub(crate) reserved: [c_int; 3],
    pub(crate) condition: u64,
    pub(crate) which: c_uint,
    pub(crate) size: c_uint,
    pub(crate) bodies: *mut CUgraph,
    pub(crate) context: CUcontext,
    pub(crate) rest: [c_longlong; 26],
}
const _: () = assert!(size_of::<RawConditional>() == 256);

/// The `CUlaunchAttributeValue` of `CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`.
#[repr(C)]
pub(crate) struct RawUpdatable {
    pub(crate) updatable: u64,
    pub(crate) node: u64,
    pub(crate) rest: [u64; 6],
}
const _: () = assert!(size_of::<RawUpdatable>() == size_of::<sys::CUlaunchAttributeValue>());

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`, whose union has different names in bindings of different
/// headers.
#[repr(C)]
pub(crate) struct RawMemoryHandle {
    pub(crate) kind: c_uint,
    pub(crate) file: RawFile,
    pub(crate) size: u64,
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// The union, which is as large as two addresses.
#[repr(C)]
pub(crate) struct RawFile {
    pub(crate) number: u64,
    pub(crate) rest: u64,
}
const _: () =
    assert!(size_of::<RawMemoryHandle>() == size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>());
const _: () =
    assert!(align_of::<RawMemoryHandle>() == align_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>());

/// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`, whose union has different names in bindings of different
/// headers.
#[repr(C)]
pub(crate) struct RawSemaphoreHandle {
    pub(crate) kind: c_uint,
    /// The union, which is as large as two addresses.
    pub(crate) file: [u64; 2],
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}
const _: () =
    assert!(size_of::<RawSemaphoreHandle>() == size_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>());
const _: () =
    assert!(align_of::<RawSemaphoreHandle>() == align_of::<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>());

/// `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` and `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS`, which differ
/// only in the parts for other systems.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawSemaphoreValue {
    pub(crate) value: u64,
    pub(crate) others: [u64; 8],
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}
const _: () =
    assert!(size_of::<RawSemaphoreValue>() == size_of::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>());
const _: () =
    assert!(align_of::<RawSemaphoreValue>() == align_of::<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>());
const _: () =
    assert!(size_of::<RawSemaphoreValue>() == size_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>());
const _: () =
    assert!(align_of::<RawSemaphoreValue>() == align_of::<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>());

/// `CUstreamBatchMemOpParams`, a union that has different names in bindings of different headers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawMemoryOperation {
    pub(crate) operation: c_uint,
    /// The flags of a barrier.
    pub(crate) scope: c_uint,
    pub(crate) address: CUdeviceptr,
    pub(crate) value: u64,
    pub(crate) flags: c_uint,
    pub(crate) rest: [u64; 2],
}
const _: () = assert!(size_of::<RawMemoryOperation>() == size_of::<CUstreamBatchMemOpParams>());
const _: () = assert!(align_of::<RawMemoryOperation>() == align_of::<CUstreamBatchMemOpParams>());

/// `CUmemPoolProps`, whose last fields have no names in older headers.
#[repr(C)]
pub(crate) struct RawPoolProperties {
    pub(crate) kind: c_uint,
    pub(crate) handle_types: c_uint,
    pub(crate) location: [u32; 2],
    pub(crate) security: *mut c_void,
    pub(crate) max_size: usize,
    pub(crate) usage: u16,
    pub(crate) reserved: [u8; 54],
}
const _: () = assert!(size_of::<RawPoolProperties>() == size_of::<CUmemPoolProps>());
const _: () = assert!(align_of::<RawPoolProperties>() == align_of::<CUmemPoolProps>());

/// `CUcheckpointLockArgs`
#[repr(C)]
pub(crate) struct RawLock {
    pub(crate) timeout_ms: c_uint,
    pub(crate) reserved: [c_uint; 15],
}

/// `CUcheckpointGpuPair`
#[repr(C)]
pub(crate) struct RawPair {
    pub(crate) old: [u8; 16],
    pub(crate) new: [u8; 16],
}

/// `CUcheckpointRestoreArgs`
#[repr(C)]
pub(crate) struct RawRestore {
    pub(crate) pairs: *mut RawPair,
    pub(crate) count: c_uint,
    pub(crate) reserved: [c_char; 44],
    pub(crate) reserved1: u64,
}
const _: () = assert!(size_of::<RawLock>() == 64 && size_of::<RawRestore>() == 64);

/// `CUlogsCallback`
pub(crate) type RawCallback = unsafe extern "C" fn(*mut c_void, c_uint, *mut c_char, usize);
