//! Flags and choices of objects that processes and interfaces share.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// The kind of the file descriptor of external memory (`CUexternalMemoryHandleType`). For the
    /// kinds of Windows and of NVIDIA's embedded systems, use raw calls.
    pub struct ExternalMemoryKind(c_uint) {
        /// A file descriptor from Vulkan (`VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`), or from
        /// another process through
        /// [`PhysicalMemory::export`](crate::memory::virtual_memory::PhysicalMemory::export).
        OPAQUE_FD = 1, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD";
        /// A dma-buf of the Linux kernel, since CUDA 13.0. Driver 580 on an H200 cannot import
        /// them.
        DMABUF_FD = 9, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD";
    }
}

choices! {
    /// The kind of the file descriptor of an external semaphore (`CUexternalSemaphoreHandleType`).
    /// For the kinds of Windows and of NVIDIA's embedded systems, use raw calls.
    pub struct ExternalSemaphoreKind(c_uint) {
        /// A binary semaphore of Vulkan (`VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`). A
        /// signal lets one wait pass. Values are ignored.
        OPAQUE_FD = 1, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD";
        /// A timeline semaphore of Vulkan, exported in the same way: a number that increases. A
        /// wait passes when the number is at least the value of the wait.
        TIMELINE_FD = 9, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD";
    }
}
