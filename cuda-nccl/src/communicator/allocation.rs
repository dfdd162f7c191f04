//! Memory allocated by NCCL.

use std::ffi::c_void;

use cuda_safe::{
    DeviceMemory, Owner, PlainData, Settled, Stream,
    memory::{OwnedStorage, Storage, StorageMut},
    sys::CUdeviceptr,
};

use super::current::{enter, last_error};
use crate::{
    error::{Error, Result},
    library::Library,
    result::NcclResult,
};

/// Memory allocated by NCCL, in the form that [registration](super::Communicator::register) needs
/// for NCCL's fastest paths.
///
/// It belongs to a stream. Dropping it waits for that stream.
pub type NcclBuffer<T> = DeviceMemory<NcclAllocated, T>;

/// The storage of an [`NcclBuffer`].
#[derive(Debug)]
pub struct NcclAllocated {
    library: &'static Library,
    ptr: CUdeviceptr,
    stream: Stream,
}

impl NcclAllocated {
    /// Allocates `len` elements and sets them to zero.
    ///
    /// See
    /// [`ncclMemAlloc`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclmemalloc).
    ///
    /// # Errors
    /// - Returns [`Error::Missing`] if NCCL is not installed.
    /// - Returns [`Error::Unsupported`] if NCCL is older than 2.19.
    /// - Returns [`Error::Value`] if the size in bytes exceeds the address space.
    /// - Returns [`Error::Nccl`] if there is not enough free memory.
    ///
    /// ```no_run
    /// use cuda_nccl::NcclAllocated;
    /// use cuda_safe::{Context, Stream};
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let stream = Stream::new(&Context::primary(0)?)?;
    /// let zeros = NcclAllocated::zeroed::<f32>(&stream, 1 << 20)?;
    /// assert_eq!(zeros.len(), 1 << 20);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "ncclMemAlloc")]
    pub fn zeroed<T: PlainData>(stream: &Stream, len: usize) -> Result<NcclBuffer<T>> {
        let library = Library::get()?;
        let allocate = library.need("ncclMemAlloc", library.functions().ncclMemAlloc)?;
        let bytes = len.checked_mul(size_of::<T>()).ok_or_else(|| {
            Error::Value(format!(
                "{len} elements of {} bytes exceed the address space",
                size_of::<T>()
            ))
        })?;
        let mut storage = Self {
            library,
            ptr: 0,
            stream: stream.clone(),
        };
        if bytes > 0 {
            let _current = enter(stream.context())?;
            let mut ptr: *mut c_void = std::ptr::null_mut();
            // SAFETY: `ptr` is valid for the write, and the context is current.
            match NcclResult(unsafe { allocate(&mut ptr, bytes) }.0) {
                NcclResult::SUCCESS => storage.ptr = ptr as CUdeviceptr,
                result => return Err(Error::nccl("ncclMemAlloc", result, &last_error(library))),
            }
        }
        // SAFETY: the memory has this number of bytes, with the alignment of all allocations.
        let mut memory = unsafe { DeviceMemory::from_storage(storage, len) };
        memory.memset_u8(stream, 0)?;
        Ok(memory)
    }

    fn free(&mut self) -> Result<()> {
        let ptr = std::mem::take(&mut self.ptr);
        if ptr == 0 {
            return Ok(());
        }
        if let Settled::Unknown(error) = self.stream.settle() {
            return Err(error.into()); // it may be in use, so it is leaked
        }
        let free = self
            .library
            .need("ncclMemFree", self.library.functions().ncclMemFree)?;
        let _current = enter(self.stream.context())?;
        // SAFETY: allocated by NCCL and freed once. The work on its stream is over.
        match NcclResult(unsafe { free(ptr as *mut c_void) }.0) {
            NcclResult::SUCCESS => Ok(()),
            result => Err(Error::nccl(
                "ncclMemFree",
                result,
                &last_error(self.library),
            )),
        }
    }
}

impl Drop for NcclAllocated {
    fn drop(&mut self) {
        // `drop` cannot return an error.
        let _ = self.free();
    }
}

// SAFETY: the memory belongs to the stream's context, and lives until the stream's work is over.
unsafe impl Storage for NcclAllocated {
    const NAME: &'static str = "NcclBuffer";

    fn as_device_ptr(&self) -> CUdeviceptr {
        self.ptr
    }

    fn owner(&self) -> Owner<'_> {
        Owner::Stream(&self.stream)
    }
}

// SAFETY: this object owns the memory.
unsafe impl StorageMut for NcclAllocated {}

impl OwnedStorage for NcclAllocated {
    fn close(mut self) -> cuda_safe::Result<()> {
        match self.free() {
            Err(Error::Cuda(error)) => Err(error),
            Err(_) => Err(cuda_safe::Error::driver(
                "ncclMemFree",
                cuda_safe::sys::CUresult::CUDA_ERROR_UNKNOWN,
            )),
            Ok(()) => Ok(()),
        }
    }
}
