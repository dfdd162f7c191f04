//! The structures and constants of external semaphores, and of arrays in external memory.

use super::constants::{
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_HANDLE_TYPE_WIN32,
};
use super::pointers::opaque;
use super::{Array3dDescriptor, define};

/// `CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ExternalMemoryArray {
    pub offset: u64,
    pub array: Array3dDescriptor,
    pub levels: u32,
    pub reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ExternalSemaphoreHandle {
    pub kind: u32,
    pub handle: [u64; 2],
    pub flags: u32,
    pub reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` and `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS`. The members
/// used here have the same layout in both.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ExternalSemaphoreParams {
    /// The value of the fence.
    pub value: u64,
    /// Members for semaphores of other systems.
    pub others: [u64; 8],
    pub flags: u32,
    pub reserved: [u32; 16],
}

/// `CUDA_EXT_SEM_SIGNAL_NODE_PARAMS` and `CUDA_EXT_SEM_WAIT_NODE_PARAMS`, of both versions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SemaphoreNodeParams {
    pub semaphores: u64,
    pub params: u64,
    pub count: u32,
}

opaque!(
    ExternalMemoryArray,
    ExternalSemaphoreHandle,
    ExternalSemaphoreParams,
    SemaphoreNodeParams
);

define! {
    /// Handle types of external semaphores.
    CUexternalSemaphoreHandleType {
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
        CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10,
    }
}

// The kinds by which this system shares memory files: handles on Windows, otherwise descriptors.
pub const MEM_HANDLE_TYPE_FILE: u32 = if cfg!(windows) {
    CU_MEM_HANDLE_TYPE_WIN32
} else {
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
};
pub const EXTERNAL_MEMORY_HANDLE_TYPE_FILE: u32 = if cfg!(windows) {
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32
} else {
    CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
};
pub const EXTERNAL_SEMAPHORE_HANDLE_TYPE_FILE: u32 = if cfg!(windows) {
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32
} else {
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
};
pub const EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_FILE: u32 = if cfg!(windows) {
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32
} else {
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::header::compare;

    #[test]
    fn semaphore_layouts_match_the_header() {
        assert!(compare!(
            ExternalMemoryArray,
            "CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st",
            offset = "offset",
            array = "arrayDesc",
            levels = "numLevels",
            reserved = "reserved"
        ));
        assert!(compare!(
            ExternalSemaphoreHandle,
            "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st",
            kind = "type",
            handle = "handle",
            flags = "flags",
            reserved = "reserved"
        ));
        macro_rules! params {
            ($name:literal) => {
                assert!(compare!(
                    ExternalSemaphoreParams,
                    $name,
                    value = "params",
                    flags = "flags",
                    reserved = "reserved"
                ))
            };
        }
        params!("CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st");
        params!("CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st");
        macro_rules! node {
            ($name:literal) => {
                assert!(compare!(
                    SemaphoreNodeParams,
                    $name,
                    semaphores = "extSemArray",
                    params = "paramsArray",
                    count = "numExtSems"
                ))
            };
        }
        node!("CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st");
        node!("CUDA_EXT_SEM_WAIT_NODE_PARAMS_st");
    }
}
