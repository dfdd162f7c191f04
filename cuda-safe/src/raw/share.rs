//! Flags and choices of objects that processes and interfaces share.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// The kind of the file descriptor or handle of external memory
    /// (`CUexternalMemoryHandleType`). For Windows' kinds that are not handles of the process (KMT),
    /// and for the kinds of NVIDIA's embedded systems, use raw calls.
    pub struct ExternalMemoryKind(c_uint) {
        /// A file descriptor from Vulkan (`VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`), or from
        /// another process through
        /// [`PhysicalMemory::export`](crate::memory::virtual_memory::PhysicalMemory::export).
        OPAQUE_FD = 1, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD";
        /// On Windows, a handle from Vulkan (`VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT`), or
        /// from another process.
        OPAQUE_WIN32 = 2, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32";
        /// On Windows, a heap of Direct3D 12.
        D3D12_HEAP = 4, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP";
        /// On Windows, a committed resource of Direct3D 12, which is dedicated memory.
        D3D12_RESOURCE = 5, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE";
        /// On Windows, a resource of Direct3D 11, which is dedicated memory.
        D3D11_RESOURCE = 6, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE";
        /// A dma-buf of the Linux kernel, since CUDA 13.0. Driver 580 on an H200 cannot import
        /// them.
        DMABUF_FD = 9, "CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD";
    }
}

choices! {
    /// The kind of the file descriptor or handle of an external semaphore
    /// (`CUexternalSemaphoreHandleType`). For mutexes and for handles of Windows that are not those of
    /// the process (KMT), and for the kinds of NVIDIA's embedded systems, use raw calls.
    pub struct ExternalSemaphoreKind(c_uint) {
        /// A binary semaphore of Vulkan (`VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT`). A
        /// signal lets one wait pass. Values are ignored.
        OPAQUE_FD = 1, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD";
        /// On Windows, a binary semaphore of Vulkan
        /// (`VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT`).
        OPAQUE_WIN32 = 2, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32";
        /// On Windows, a fence of Direct3D 12, which works like a timeline semaphore.
        D3D12_FENCE = 4, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE";
        /// On Windows, a fence of Direct3D 11, which works like a timeline semaphore.
        D3D11_FENCE = 5, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE";
        /// A timeline semaphore of Vulkan, exported in the same way: a number that increases. A
        /// wait passes when the number is at least the value of the wait.
        TIMELINE_FD = 9, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD";
        /// On Windows, a timeline semaphore of Vulkan.
        TIMELINE_WIN32 = 10, "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32";
    }
}
