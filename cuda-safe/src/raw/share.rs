//! Flags and choices of what processes and interfaces share.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// What the file of an external memory object is (`CUexternalMemoryHandleType`). Those of Windows and of NVIDIA's embedded
    /// systems are left to raw calls.
    pub struct ExternalMemoryKind(c_uint) {
        /// What Vulkan exports (`VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`), or another process as
        /// [`PhysicalMemory::export`](crate::memory::virtual_memory::PhysicalMemory::export).
        OPAQUE_FD = 1, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD";
        /// A dma-buf of the kernel; since CUDA 13.0. An H200's driver (580) imports none.
        DMABUF_FD = 9, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD";
    }
}

choices! {
    /// What the file of an external semaphore is (`CUexternalSemaphoreHandleType`). Those of Windows and of NVIDIA's embedded
    /// systems are left to raw calls.
    pub struct ExternalSemaphoreKind(c_uint) {
        /// A binary semaphore of Vulkan (`VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`): a signal lets one wait pass.
        /// Its values are not looked at.
        OPAQUE_FD = 1, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD";
        /// A timeline semaphore of Vulkan, exported in the same way: a number that grows. A wait passes when the number is at
        /// least its value.
        TIMELINE_FD = 9, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD";
    }
}
