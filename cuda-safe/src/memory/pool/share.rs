//! Pools of several processes, and memory that both sides reach.

use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use cuda_sys::{self as sys, CUmemAllocationHandleType};

use super::{MemoryPool, options::PoolPointer};
use crate::{
    capture,
    context::Context,
    device::{attribute::DeviceAttribute, peer::ShareableHandles},
    driver::callback,
    error::{Error, ErrorKind, Result},
    memory::{
        alignment::expect_aligned, device::buffer::DeviceBuffer, managed::ManagedBuffer,
        plain::PlainData, size::byte_size, virtual_memory::NamedFile,
    },
    stream::Stream,
};

impl MemoryPool {
    /// Allocates `len` elements that the host reaches too, from a pool of managed memory or of the host's, in a stream's
    /// order, and sets all bytes to zero.
    ///
    /// Memory of the host's is for kernels, fills and the host itself: drivers refuse it as a side of a copy between host and
    /// device.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a pool of a device's own memory. [`ErrorKind::OutOfMemory`], with the bytes
    /// requested and free. [`ErrorKind::Unsupported`] for managed memory on a device where the host may not touch it while
    /// any kernel runs.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::{MemoryLocation, MemoryPoolOptions}, MemoryPool, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = MemoryPoolOptions::default().location(MemoryLocation::HOST);
    /// let pool = MemoryPool::with_options(&context, options)?;
    /// pool.grant_access(&[context.device()])?; // at first, only the host has it
    /// let mut x = pool.allocate_shared::<u32>(&stream, 3)?;
    /// x.slice_mut(1..)?.fill(&stream, 7)?; // by the device
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
                    "the host does not reach this pool's memory: make the pool with PoolType::MANAGED, or on the host",
                ));
            }
            if info.is_managed && stream.context().device().attribute(concurrent)? == 0 {
                return Err(Error::checked(
                    ErrorKind::Unsupported,
                    CALL,
                    "this device has no managed memory that the host may use while kernels run \
                     (CONCURRENT_MANAGED_ACCESS): use a pool of the host's memory",
                ));
            }
        }
        let mut shared = ManagedBuffer::from_pool(buffer);
        shared.memset_u8(stream, 0)?;
        Ok(shared)
    }

    /// The pool as a file, for another process, which imports it. The pool was made with
    /// [`ShareableHandles::POSIX_FILE_DESCRIPTOR`].
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a pool that was not made to be shared.
    ///
    /// ```
    /// # use cuda_safe::{Context, MemoryPool, memory::MemoryPoolOptions, share::ShareableHandles, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let options = MemoryPoolOptions::default().handle_types(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    /// let pool = MemoryPool::with_options(&context, options)?;
    /// let numbers = {
    ///     let mut numbers = pool.allocate::<u32>(&stream, 3)?;
    ///     numbers.copy_from_slice(&stream, &[1, 2, 3])?;
    ///     numbers
    /// };
    /// let (file, pointer) = (pool.export_file()?, numbers.export_pointer()?);
    ///
    /// // Usually in another process, to which the file and the bytes were sent.
    /// let imported = MemoryPool::import_file(&context, &file)?;
    /// // SAFETY: three numbers, whose owner keeps them for longer, and has finished writing them.
    /// let same = unsafe { imported.import_pointer::<u32>(&stream, &pointer, 3)? };
    /// assert_eq!(same.to_vec(&stream)?, [1, 2, 3]);
    /// same.close()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemPoolExportToShareableHandle")]
    pub fn export_file(&self) -> Result<OwnedFd> {
        callback::refuse_within("cuMemPoolExportToShareableHandle")?;
        let mut file: c_int = -1;
        let kind = CUmemAllocationHandleType(ShareableHandles::POSIX_FILE_DESCRIPTOR.0);
        // SAFETY: a handle of this type is written as an int.
        let code = unsafe {
            sys::cuMemPoolExportToShareableHandle(
                (&raw mut file).cast::<c_void>(),
                self.as_raw(),
                kind,
                0,
            )
        };
        self.context()
            .check("cuMemPoolExportToShareableHandle", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(
                    "the pool wasn't made for this kind of handle (MemoryPoolOptions::handle_types); what was imported can't \
                     be exported again",
                ),
                _ => error,
            })?;
        // SAFETY: just made, and owned by nobody else.
        Ok(unsafe { OwnedFd::from_raw_fd(file) })
    }

    /// A pool that another process has exported as a file. Nothing can be allocated from it here, only
    /// [imported](Self::import_pointer). The file stays the caller's, and may be closed.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a file that is no pool.
    #[doc(alias = "cuMemPoolImportFromShareableHandle")]
    pub fn import_file(context: &Context, file: impl AsFd) -> Result<Self> {
        const CALL: &str = "MemoryPool::import_file";
        let mut raw = std::ptr::null_mut();
        let kind = CUmemAllocationHandleType(ShareableHandles::POSIX_FILE_DESCRIPTOR.0);
        let file = NamedFile::new(file.as_fd(), CALL)?;
        let _current = context.enter("cuMemPoolImportFromShareableHandle")?;
        // SAFETY: a file is passed as a number in the place of an address; the driver looks at what it is.
        let code =
            unsafe { sys::cuMemPoolImportFromShareableHandle(&mut raw, file.place(), kind, 0) };
        context
            .check("cuMemPoolImportFromShareableHandle", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE | sys::CUresult::CUDA_ERROR_UNKNOWN => error
                    .with_kind(ErrorKind::InvalidArgument)
                    .with_detail(
                        "the file is no pool of a device that is here: it has to come from MemoryPool::export_file (memory \
                         of PhysicalMemory::export is taken by PhysicalMemory::import)",
                    ),
                _ => error,
            })?;
        // SAFETY: just made, and owned by nobody else.
        unsafe { Self::imported(context, raw) }
    }

    /// Memory that another process has allocated from this pool, which was imported here; `len` counts elements.
    ///
    /// # Safety
    /// The owner frees the memory after this process has. What both do with it is ordered, by whatever means: nobody uses
    /// it while the other writes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for what is no allocation of this pool, for a pool that was not imported, where the
    /// allocation is smaller or not aligned for `T`, and where the stream's device has no access to it. Memory that its owner has freed already is
    /// opened all the same by an H200's driver (580).
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
        // SAFETY: the address is valid for the write; the data has the driver's size, and is checked by it.
        let code =
            unsafe { sys::cuMemPoolImportPointer(&mut ptr, self.as_raw(), (&raw mut data).cast()) };
        context
            .check("cuMemPoolImportPointer", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error
                    .with_kind(ErrorKind::InvalidArgument)
                    .with_detail(
                        "the bytes name no allocation of this pool that is there: they come from \
                         DeviceBuffer::export_pointer, and the pool from MemoryPool::import_file (the pool that was \
                         exported imports nothing)",
                    ),
                _ => error,
            })?;
        // SAFETY: just imported; freed in the stream's order, before its owner does, as the caller promises.
        let all = unsafe { DeviceBuffer::<u8>::from_raw(stream, ptr, 1) };
        let (start, size) = context.address_range(ptr)?;
        let room = size.saturating_sub((ptr - start) as usize);
        if bytes > room {
            return Err(Error::invalid(
                CALL,
                format!("{len} elements are {bytes} bytes, and the allocation has {room}"),
            ));
        }
        expect_aligned::<T>(ptr, CALL)?;
        // SAFETY: the same memory, of at least as many bytes, and aligned.
        Ok(unsafe { DeviceBuffer::from_raw(stream, all.into_raw(), len) })
    }
}

impl<T: PlainData> DeviceBuffer<T> {
    /// What another process needs to reach this memory, beside the pool that it comes from: see
    /// [`MemoryPool::export_file`].
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for memory that comes from no pool that was made to be shared, and before the first
    /// [`export_file`](MemoryPool::export_file) of its pool.
    /// [`ErrorKind::InvalidArgument`] for a buffer of no elements.
    #[doc(alias = "cuMemPoolExportPointer")]
    pub fn export_pointer(&self) -> Result<PoolPointer> {
        if self.size_bytes() == 0 {
            return Err(Error::invalid(
                "DeviceBuffer::export_pointer",
                "the buffer has no elements: there is nothing to share",
            ));
        }
        let context = self.stream().context();
        let _current = context.enter("cuMemPoolExportPointer")?;
        let mut data = [0u8; 64];
        // SAFETY: the data has the driver's size; the address is live.
        let code =
            unsafe { sys::cuMemPoolExportPointer((&raw mut data).cast(), self.as_device_ptr()) };
        context
            .check("cuMemPoolExportPointer", code)
            .map_err(|error| match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(
                    "the memory is of no pool that was made to be shared, or of one that was not exported yet: allocate it by \
                     MemoryPool::allocate, from a pool with MemoryPoolOptions::handle_types, and call \
                     MemoryPool::export_file before; what was imported can't be exported again",
                ),
                _ => error,
            })?;
        Ok(PoolPointer::from_bytes(data))
    }
}

const _: () = assert!(size_of::<PoolPointer>() == size_of::<sys::CUmemPoolPtrExportData>());
const _: () = assert!(size_of::<CUmemAllocationHandleType>() == size_of::<c_uint>());
