//! Information about addresses.

use std::ffi::{c_int, c_uint, c_void};

use cuda_sys::{self as sys, CUcontext, CUdeviceptr, CUmemoryPool, CUpointer_attribute};

use super::{
    device::DeviceMemory,
    plain::PlainData,
    pool::options::MemoryAccess,
    storage::{Storage, StorageMut},
};
pub use crate::raw::memory::{MemoryType, PointerAttribute};
use crate::{context::Context, device::peer::ShareableHandles, error::Result};

/// Information that the driver has about an address, returned by [`Context::pointer_info`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointerInfo {
    /// The kind of memory, or [`MemoryType::UNKNOWN`] if the driver does not know the address.
    pub memory_type: MemoryType,
    /// The driver's handle of the context that owns the memory. Null if a device owns it, as for
    /// memory from pools.
    pub context: CUcontext,
    /// The number of the memory's device.
    pub device: Option<i32>,
    /// The address that the device uses for it.
    pub device_ptr: Option<CUdeviceptr>,
    /// The address that the host uses for it.
    pub host_ptr: Option<usize>,
    /// The start of the allocation and its size in bytes. Drivers do not report it for memory from
    /// a host pool.
    pub range: Option<(CUdeviceptr, usize)>,
    /// An identifier of the allocation that is unique within the process.
    pub buffer_id: u64,
    /// Whether the memory is managed memory.
    pub is_managed: bool,
    /// Whether memory is mapped at the address.
    pub is_mapped: bool,
    /// Whether synchronous copies and fills of the memory always wait: see
    /// [`DeviceMemory::set_sync_memops`].
    pub sync_memops: bool,
    /// The kinds of handles that can share the memory with other processes.
    pub handle_types: ShareableHandles,
    /// Whether other processes can open the memory by the older calls (`cuIpcGetMemHandle`).
    pub is_ipc_capable: bool,
    /// Whether third-party devices such as network cards can access the memory (GPUDirect RDMA).
    pub is_rdma_capable: bool,
    /// The access that kernels of the queried context have.
    pub access: MemoryAccess,
    /// The driver's handle of the pool that the memory comes from, or null.
    pub pool: CUmemoryPool,
}

// SAFETY: the handles are only stored as numbers and never used.
unsafe impl Send for PointerInfo {}
// SAFETY: as above.
unsafe impl Sync for PointerInfo {}

/// Attributes that every driver since 12.0 knows, in the order of the values below.
const ASKED: [c_uint; 15] = [2, 1, 9, 3, 4, 11, 12, 7, 8, 13, 6, 14, 10, 15, 16];

impl Context {
    /// Returns everything that the driver knows about an address, which can be that of any memory.
    /// An unknown address is not an error.
    ///
    /// See [`cuPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::MemoryType, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 100)?;
    /// let info = context.pointer_info(buffer.as_device_ptr() + 40)?;
    /// assert_eq!(info.memory_type, MemoryType::DEVICE);
    /// assert_eq!(info.range, Some((buffer.as_device_ptr(), 400)));
    /// let local = 5; // on the stack
    /// let info = context.pointer_info(&raw const local as u64)?;
    /// assert_eq!(info.memory_type, MemoryType::UNKNOWN);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuPointerGetAttributes")]
    pub fn pointer_info(&self, ptr: CUdeviceptr) -> Result<PointerInfo> {
        let _current = self.enter("cuPointerGetAttributes")?;
        let mut attributes = [0; ASKED.len() + 1];
        attributes[..ASKED.len()].copy_from_slice(&ASKED);
        attributes[ASKED.len()] = PointerAttribute::MEMPOOL_HANDLE.0;
        let mut values = [0u64; ASKED.len() + 1];
        let mut places = values
            .each_mut()
            .map(|value| (&raw mut *value).cast::<c_void>());
        // SAFETY: there are as many places as attributes, each as large as the widest type, and the
        // enumeration is a number.
        let code = unsafe {
            sys::cuPointerGetAttributes(
                attributes.len() as c_uint,
                attributes.as_mut_ptr().cast::<CUpointer_attribute>(),
                places.as_mut_ptr(),
                ptr,
            )
        };
        self.check("cuPointerGetAttributes", code)?;
        let [
            kind,
            context,
            device,
            at_device,
            at_host,
            start,
            size,
            id,
            managed,
            mapped,
            sync,
            handles,
            ipc,
            rdma,
            access,
            pool,
        ] = values;
        let known = kind != 0;
        let some = |address: u64| Some(address).filter(|&address| known && address != 0);
        Ok(PointerInfo {
            memory_type: MemoryType(kind as c_uint),
            context: address(context),
            device: known
                .then_some(device as c_int)
                .filter(|&device| device >= 0),
            device_ptr: some(at_device),
            host_ptr: some(at_host).map(|address| address as usize),
            range: some(start).map(|start| (start, size as usize)),
            buffer_id: id,
            is_managed: managed != 0,
            is_mapped: mapped != 0,
            sync_memops: sync != 0,
            handle_types: ShareableHandles(handles as c_uint),
            is_ipc_capable: ipc != 0,
            is_rdma_capable: rdma != 0,
            access: MemoryAccess(access as c_uint),
            pool: address(pool),
        })
    }

    /// Returns one attribute of an address as the driver's number. Attributes of type `int` are in
    /// the lower 32 bits.
    ///
    /// See [`cuPointerGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the address or the attribute,
    /// or if this memory lacks the attribute (such as the host address of device memory).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, memory::PointerAttribute, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 100)?;
    /// let size = context.pointer_attribute(buffer.as_device_ptr(), PointerAttribute::RANGE_SIZE)?;
    /// assert_eq!(size, 400);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuPointerGetAttribute")]
    pub fn pointer_attribute(&self, ptr: CUdeviceptr, attribute: PointerAttribute) -> Result<u64> {
        Ok(self.two_words(ptr, attribute.0)?[0])
    }

    /// Returns the two tokens that a kernel driver uses to access device memory (`nv-p2p.h`).
    ///
    /// See [`cuPointerGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` in the cases of
    /// [`pointer_attribute`](Self::pointer_attribute). Page-locked memory has no tokens.
    #[doc(alias = "cuPointerGetAttribute")]
    #[doc(alias = "CU_POINTER_ATTRIBUTE_P2P_TOKENS")]
    pub fn p2p_tokens(&self, ptr: CUdeviceptr) -> Result<(u64, u32)> {
        let [first, second] = self.two_words(ptr, 5)?;
        Ok((first, second as u32))
    }

    fn two_words(&self, ptr: CUdeviceptr, attribute: c_uint) -> Result<[u64; 2]> {
        let _current = self.enter("cuPointerGetAttribute")?;
        let mut value = [0u64; 2];
        // SAFETY: the widest value is that of the tokens, two words.
        let code = unsafe {
            sys::cuPointerGetAttribute(
                value.as_mut_ptr().cast(),
                CUpointer_attribute(attribute),
                ptr,
            )
        };
        self.check("cuPointerGetAttribute", code)?;
        Ok(value)
    }

    /// Returns the start and the size in bytes of the allocation that contains an address.
    ///
    /// See [`cuMemGetAddressRange`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_FOUND` if no allocation contains the address.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 100)?;
    /// let part = buffer.slice(10..)?;
    /// assert_eq!(context.address_range(part.as_device_ptr())?, (buffer.as_device_ptr(), 400));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemGetAddressRange")]
    pub fn address_range(&self, ptr: CUdeviceptr) -> Result<(CUdeviceptr, usize)> {
        let _current = self.enter("cuMemGetAddressRange_v2")?;
        let (mut start, mut size) = (0, 0);
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuMemGetAddressRange_v2(&mut start, &mut size, ptr) };
        self.check("cuMemGetAddressRange_v2", code)?;
        Ok((start, size))
    }
}

fn address<T>(word: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(word as usize)
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Returns everything that the driver knows about this memory.
    ///
    /// See [`cuPointerGetAttributes`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuPointerGetAttributes")]
    pub fn pointer_info(&self) -> Result<PointerInfo> {
        self.owner().context().pointer_info(self.as_device_ptr())
    }
}

impl<S: StorageMut, T: PlainData> DeviceMemory<S, T> {
    /// Sets whether synchronous calls always wait for copies and fills of the allocation that
    /// contains this memory.
    ///
    /// Enable it for memory that another device reads as soon as such a call returns, as GPUDirect
    /// RDMA does. The calls of this crate that are documented to wait do so in any case.
    ///
    /// See [`cuPointerSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory is empty.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 100)?;
    /// buffer.set_sync_memops(true)?;
    /// assert!(buffer.pointer_info()?.sync_memops);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuPointerSetAttribute")]
    #[doc(alias = "CU_POINTER_ATTRIBUTE_SYNC_MEMOPS")]
    pub fn set_sync_memops(&mut self, sync: bool) -> Result<()> {
        let context = self.owner().context();
        let _current = context.enter("cuPointerSetAttribute")?;
        let value = c_uint::from(sync);
        // SAFETY: the attribute is an unsigned int.
        let code = unsafe {
            sys::cuPointerSetAttribute(
                (&raw const value).cast(),
                CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                self.as_device_ptr(),
            )
        };
        context.check("cuPointerSetAttribute", code)
    }
}
