//! Pools shared by several processes, and pool memory shared by the host and the device.

use std::ffi::c_uint;

use cuda_sys::{self as sys, CUmemAllocationHandleType};

use super::{MemoryPool, options::PoolPointer};
use crate::{
    capture,
    context::Context,
    device::attribute::DeviceAttribute,
    driver::callback,
    error::{Error, ErrorKind, Result},
    memory::{
        alignment::expect_aligned, device::buffer::DeviceBuffer, managed::ManagedBuffer,
        plain::PlainData, size::byte_size,
    },
    raw::file::{AsFile, HANDLE_TYPE, NamedFile, OwnedFile, ReceivedFile},
    stream::Stream,
};

impl MemoryPool {
    /// Allocates `len` elements from a pool of managed or host memory in a stream's order, and sets
    /// all bytes to zero. The host can use the elements, too.
    ///
    /// Memory from a host pool is for kernels, fills and the host itself. Drivers reject it in
    /// copies between host and device.
    ///
    /// See [`cuMemAllocFromPoolAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the pool has device memory. Returns
    /// [`ErrorKind::OutOfMemory`] with the requested and free bytes if the allocation fails.
    /// Returns [`ErrorKind::Unsupported`] if the memory is managed and the host may not access it
    /// while any kernel runs.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::{MemoryLocation, MemoryPoolOptions}, MemoryPool, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = MemoryPoolOptions::default().location(MemoryLocation::HOST);
    /// let pool = MemoryPool::with_options(&context, options)?;
    /// pool.grant_access(&[context.device()])?; // at first, only the host has access
    /// let mut x = pool.allocate_shared::<u32>(&stream, 3)?;
    /// x.slice_mut(1..)?.fill(&stream, 7)?; // on the device
    /// assert_eq!(x.host()?, [0, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemAllocFromPoolAsync")]
    pub fn allocate_shared<T: PlainData>(
        &self,
        stream: &Stream,
        len: usize,
    ) -> Result<ManagedBuffer<T>> {
        const CALL: &str = "MemoryPool::allocate_shared";
        let buffer = self.allocate::<T>(stream, len)?;
        if buffer.size_bytes() > 0 {
            let info = buffer.pointer_info()?;
            let concurrent = DeviceAttribute::CONCURRENT_MANAGED_ACCESS;
            if info.host_ptr.is_none() {
                return Err(Error::invalid(
                    CALL,
                    "the host cannot access this pool's memory. Fix: create the pool with PoolType::MANAGED, or on \
                     the host",
                ));
            }
            if info.is_managed && stream.context().device().attribute(concurrent)? == 0 {
                return Err(Error::checked(
                    ErrorKind::Unsupported,
                    CALL,
                    "the host cannot use this device's managed memory while kernels run \
                     (CONCURRENT_MANAGED_ACCESS is 0). Fix: use a pool of host memory",
                ));
            }
        }
        let mut shared = ManagedBuffer::from_pool(buffer);
        shared.memset_u8(stream, 0)?;
        Ok(shared)
    }

    /// Exports the pool as a file descriptor (on Windows, a handle), which another process can
    /// import.
    ///
    /// The pool must have been created with
    /// [`ShareableHandles::FILE`](crate::share::ShareableHandles::FILE).
    ///
    /// See [`cuMemPoolExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the pool was not created for sharing.
    ///
    /// ```ignore-windows
    /// # use cuda_safe::{Context, MemoryPool, memory::MemoryPoolOptions, share::ShareableHandles, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = MemoryPoolOptions::default().handle_types(ShareableHandles::FILE);
    /// let pool = MemoryPool::with_options(&context, options)?;
    /// let numbers = {
    ///     let mut numbers = pool.allocate::<u32>(&stream, 3)?;
    ///     numbers.copy_from_slice(&stream, &[1, 2, 3])?;
    ///     numbers
    /// };
    /// let (file, pointer) = (pool.export_file()?, numbers.export_pointer()?);
    ///
    /// // Usually in another process that has received the file descriptor and the bytes.
    /// let imported = MemoryPool::import_file(&context, &file)?;
    /// // SAFETY: the owner has finished writing the three numbers, and keeps them for longer.
    /// let same = unsafe { imported.import_pointer::<u32>(&stream, &pointer, 3)? };
    /// assert_eq!(same.to_vec(&stream)?, [1, 2, 3]);
    /// same.close()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    pub fn export_file(&self) -> Result<OwnedFile> {
        callback::reject_in_callback("cuMemPoolExportToShareableHandle")?;
        let mut file = ReceivedFile::new();
        let kind = CUmemAllocationHandleType(HANDLE_TYPE);
        // SAFETY: the place has room for a file.
        let code =
            unsafe { sys::cuMemPoolExportToShareableHandle(file.place(), self.as_raw(), kind, 0) };
        self.context()
            .check("cuMemPoolExportToShareableHandle", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(
                    "the pool was not created for this kind of handle (MemoryPoolOptions::handle_types). Imported \
                     pools cannot be exported again",
                ),
                _ => error,
            })?;
        // SAFETY: the file was just created and has no other owner.
        unsafe { file.take() }.ok_or_else(|| {
            Error::driver(
                "cuMemPoolExportToShareableHandle",
                sys::CUresult::CUDA_ERROR_UNKNOWN,
            )
        })
    }

    /// Imports a pool that another process has exported as a file descriptor (on
    /// Windows, a handle).
    ///
    /// You cannot allocate from the pool, only [import](Self::import_pointer) its allocations. The
    /// descriptor remains yours, and you can close it afterwards.
    ///
    /// See [`cuMemPoolImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the file is not an exported pool.
    #[doc(alias = "cuMemPoolImportFromShareableHandle")]
    pub fn import_file(context: &Context, file: impl AsFile) -> Result<Self> {
        const CALL: &str = "MemoryPool::import_file";
        let mut raw = std::ptr::null_mut();
        let kind = CUmemAllocationHandleType(HANDLE_TYPE);
        let file = NamedFile::new(&file)
            .map_err(|error| Error::invalid(CALL, format!("descriptor 0: {error}")))?;
        let _current = context.enter("cuMemPoolImportFromShareableHandle")?;
        // SAFETY: the file's number is passed in place of an address. The driver checks the
        // file.
        let code =
            unsafe { sys::cuMemPoolImportFromShareableHandle(&mut raw, file.place(), kind, 0) };
        context
            .check("cuMemPoolImportFromShareableHandle", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE | sys::CUresult::CUDA_ERROR_UNKNOWN => {
                    error.with_kind(ErrorKind::InvalidArgument).with_detail(
                        "the file is not a pool of a device in this process. Fix: pass a file from \
                         MemoryPool::export_file (for files from PhysicalMemory::export, use \
                         PhysicalMemory::import)",
                    )
                }
                _ => error,
            })?;
        // SAFETY: the pool was just imported and has no other owner.
        unsafe { Self::imported(context, raw) }
    }

    /// Imports an allocation of `len` elements that another process has made from this imported
    /// pool.
    ///
    /// See [`cuMemPoolImportPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the owning process frees the memory only after this process has freed it;
    /// - the two processes order their work, so that neither uses the memory while the other writes
    ///   to it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the bytes do not describe an allocation of this
    /// pool, if the pool was not imported, if the allocation is smaller than `len` elements or not
    /// aligned for `T`, or if the stream's device has no access to it.
    ///
    /// On an H200, driver 580 also imports memory that its owner has already freed.
    #[doc(alias = "cuMemPoolImportPointer")]
    pub unsafe fn import_pointer<T: PlainData>(
        &self,
        stream: &Stream,
        pointer: &PoolPointer,
        len: usize,
    ) -> Result<DeviceBuffer<T>> {
        const CALL: &str = "MemoryPool::import_pointer";
        let bytes = byte_size::<T>(len, CALL)?;
        self.expect_access_of(stream, CALL)?;
        let _uncaptured = stream.uncaptured(CALL, capture::REMEDY)?;
        let context = stream.context();
        let _current = context.enter("cuMemPoolImportPointer")?;
        let (mut ptr, mut data) = (0, pointer.to_bytes());
        // SAFETY: the address is valid for the write. The data has the driver's size, and the
        // driver checks it.
        let code =
            unsafe { sys::cuMemPoolImportPointer(&mut ptr, self.as_raw(), (&raw mut data).cast()) };
        context
            .check("cuMemPoolImportPointer", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error
                    .with_kind(ErrorKind::InvalidArgument)
                    .with_detail(
                        "the bytes do not describe a live allocation of this pool. Fix: pass bytes from \
                         DeviceBuffer::export_pointer, and use a pool from MemoryPool::import_file (the exported \
                         pool itself cannot import)",
                    ),
                _ => error,
            })?;
        // SAFETY: the memory was just imported. It is freed in the stream's order, and before the
        // owner frees it, as the caller promises.
        let all = unsafe { DeviceBuffer::<u8>::from_raw(ptr, 1, stream) };
        let (start, size) = context.address_range(ptr)?;
        let room = size.saturating_sub((ptr - start) as usize);
        if bytes > room {
            return Err(Error::invalid(
                CALL,
                format!("{len} elements need {bytes} bytes, but the allocation has {room}"),
            ));
        }
        expect_aligned::<T>(ptr, CALL)?;
        // SAFETY: the memory is the same, is aligned and has enough bytes.
        Ok(unsafe { DeviceBuffer::from_raw(all.into_raw(), len, stream) })
    }
}

impl<T: PlainData> DeviceBuffer<T> {
    /// Returns the description of this memory that another process needs in addition to its pool:
    /// see [`MemoryPool::export_file`].
    ///
    /// See [`cuMemPoolExportPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory does not come from a pool created for
    /// sharing, or if its pool has not been exported yet with
    /// [`export_file`](MemoryPool::export_file). Returns [`ErrorKind::InvalidArgument`] if the
    /// buffer is empty.
    #[doc(alias = "cuMemPoolExportPointer")]
    pub fn export_pointer(&self) -> Result<PoolPointer> {
        if self.size_bytes() == 0 {
            return Err(Error::invalid(
                "DeviceBuffer::export_pointer",
                "the buffer is empty, so there is nothing to share",
            ));
        }
        let context = self.stream().context();
        let _current = context.enter("cuMemPoolExportPointer")?;
        let mut data = [0u8; 64];
        // SAFETY: the data has the driver's size, and the address is live.
        let code =
            unsafe { sys::cuMemPoolExportPointer((&raw mut data).cast(), self.as_device_ptr()) };
        context
            .check("cuMemPoolExportPointer", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(
                    "the memory is not from a pool created for sharing, or its pool was not exported yet. Fix: \
                     allocate it with MemoryPool::allocate from a pool with MemoryPoolOptions::handle_types, and \
                     call MemoryPool::export_file first. Imported memory cannot be exported again",
                ),
                _ => error,
            })?;
        Ok(PoolPointer::from_bytes(data))
    }
}

const _: () = assert!(size_of::<PoolPointer>() == size_of::<sys::CUmemPoolPtrExportData>());
const _: () = assert!(size_of::<CUmemAllocationHandleType>() == size_of::<c_uint>());
