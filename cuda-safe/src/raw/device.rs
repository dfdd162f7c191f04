//! Flags and choices of devices.

use std::ffi::c_uint;

use super::{
    file::HANDLE_TYPE,
    flags::{choices, flags},
};

choices! {
    /// An attribute of the link between two devices (`CUdevice_P2PAttribute`).
    pub struct PeerAttribute(c_uint) {
        /// The speed rank of the link in this system. 0 is the fastest.
        PERFORMANCE_RANK = 1, "CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK";
        /// Whether memory of the other device can be accessed.
        ACCESS_SUPPORTED = 2, "CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED";
        /// Whether all atomic operations work over the link.
        NATIVE_ATOMIC_SUPPORTED = 3, "CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED";
        /// Whether arrays can be used over the link.
        CUDA_ARRAY_ACCESS_SUPPORTED = 4, "CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED";
        /// Whether some atomic operations work over the link. See
        /// [`Device::peer_atomics`](crate::Device::peer_atomics).
        ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5, "CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED";
    }
}

choices! {
    /// An atomic operation (`CUatomicOperation`).
    pub struct AtomicOperation(c_uint) {
        /// `atomicAdd` of integers.
        INTEGER_ADD = 0, "CU_ATOMIC_OPERATION_INTEGER_ADD";
        /// `atomicMin` of integers.
        INTEGER_MIN = 1, "CU_ATOMIC_OPERATION_INTEGER_MIN";
        /// `atomicMax` of integers.
        INTEGER_MAX = 2, "CU_ATOMIC_OPERATION_INTEGER_MAX";
        /// `atomicInc`
        INTEGER_INCREMENT = 3, "CU_ATOMIC_OPERATION_INTEGER_INCREMENT";
        /// `atomicDec`
        INTEGER_DECREMENT = 4, "CU_ATOMIC_OPERATION_INTEGER_DECREMENT";
        /// `atomicAnd`
        AND = 5, "CU_ATOMIC_OPERATION_AND";
        /// `atomicOr`
        OR = 6, "CU_ATOMIC_OPERATION_OR";
        /// `atomicXor`
        XOR = 7, "CU_ATOMIC_OPERATION_XOR";
        /// `atomicExch`
        EXCHANGE = 8, "CU_ATOMIC_OPERATION_EXCHANGE";
        /// `atomicCAS`
        CAS = 9, "CU_ATOMIC_OPERATION_CAS";
        /// `atomicAdd` of floating-point numbers.
        FLOAT_ADD = 10, "CU_ATOMIC_OPERATION_FLOAT_ADD";
        /// The minimum of floating-point numbers.
        FLOAT_MIN = 11, "CU_ATOMIC_OPERATION_FLOAT_MIN";
        /// The maximum of floating-point numbers.
        FLOAT_MAX = 12, "CU_ATOMIC_OPERATION_FLOAT_MAX";
    }
}

flags! {
    /// The supported forms of an atomic operation (`CUatomicOperationCapability`). No bit is set if
    /// the operation is not supported.
    pub struct AtomicCapabilities {
        /// Operations on signed numbers.
        SIGNED = 1, "CU_ATOMIC_CAPABILITY_SIGNED";
        /// Operations on unsigned numbers.
        UNSIGNED = 2, "CU_ATOMIC_CAPABILITY_UNSIGNED";
        /// Operations that return no result (reductions).
        REDUCTION = 4, "CU_ATOMIC_CAPABILITY_REDUCTION";
        /// Operations on 32 bits.
        SCALAR_32 = 8, "CU_ATOMIC_CAPABILITY_SCALAR_32";
        /// Operations on 64 bits.
        SCALAR_64 = 16, "CU_ATOMIC_CAPABILITY_SCALAR_64";
        /// Operations on 128 bits.
        SCALAR_128 = 32, "CU_ATOMIC_CAPABILITY_SCALAR_128";
        /// Operations on vectors of four 32-bit numbers.
        VECTOR_32X4 = 64, "CU_ATOMIC_CAPABILITY_VECTOR_32x4";
    }
}

flags! {
    /// The kinds of handles with which a device's memory can be shared with other processes
    /// (`CUmemAllocationHandleType`).
    pub struct ShareableHandles {
        /// A file descriptor.
        POSIX_FILE_DESCRIPTOR = 1, "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR";
        /// A Windows handle.
        WIN32 = 2, "CU_MEM_HANDLE_TYPE_WIN32";
        /// A global shared Windows handle.
        WIN32_KMT = 4, "CU_MEM_HANDLE_TYPE_WIN32_KMT";
        /// A handle for the fabric between hosts.
        FABRIC = 8, "CU_MEM_HANDLE_TYPE_FABRIC";
    }
}

impl ShareableHandles {
    /// The kind of the files that
    /// [`PhysicalMemory::export`](crate::memory::virtual_memory::PhysicalMemory::export) and
    /// [`MemoryPool::export_file`](crate::MemoryPool::export_file) return on this system:
    /// [`WIN32`](Self::WIN32) on Windows, otherwise
    /// [`POSIX_FILE_DESCRIPTOR`](Self::POSIX_FILE_DESCRIPTOR).
    pub const FILE: Self = Self(HANDLE_TYPE);
}
