//! Managed memory: one address for the host and the device.

use std::slice;

use cuda_sys::{self as sys, CUdeviceptr, CUmemAttach_flags};

use super::{
    device::DeviceMemory,
    owner::Owner,
    plain::PlainData,
    size::byte_size,
    storage::{OwnedStorage, Storage, StorageMut},
};
use crate::{
    attribute::DeviceAttribute,
    capture::{self, released},
    error::{Error, ErrorKind, Result},
    settle::Settled,
    stream::Stream,
};

/// `len` elements that the host and the device reach at the same address. The driver moves pages to whoever accesses
/// them.
///
/// The device uses them as any other memory, in the order of a stream. The host gets a slice, from
/// [`host`](Self::host) or [`host_mut`](Self::host_mut), which wait until the stream's work is over.
///
/// ```
/// use cuda_safe::{Context, LaunchConfig, ManagedBuffer, Module, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut x = ManagedBuffer::<f32>::zeroed(&stream, 4)?;
/// x.host_mut()?.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
/// let module = Module::compile(&context, r#"extern "C" __global__ void double_it(float *x) {
///     x[threadIdx.x] *= 2.0f;
/// }"#)?;
/// let double_it = module.function("double_it")?;
/// // SAFETY: four threads, and four elements.
/// unsafe { double_it.launch(&stream, LaunchConfig::new(1, 4), (&mut x,))? };
/// assert_eq!(x.host()?, [2.0, 4.0, 6.0, 8.0]);
/// # Ok(())
/// # }
/// ```
pub type ManagedBuffer<T> = DeviceMemory<Managed, T>;

/// Managed memory in a stream's order: what a [`ManagedBuffer`] holds.
#[derive(Debug)]
pub struct Managed {
    ptr: CUdeviceptr,
    stream: Stream,
}

// SAFETY: memory of the stream's context; freed when the stream's work is over.
unsafe impl Storage for Managed {
    const NAME: &'static str = "ManagedBuffer";

    #[inline]
    fn as_device_ptr(&self) -> CUdeviceptr {
        self.ptr
    }

    #[inline]
    fn owner(&self) -> Owner<'_> {
        Owner::Stream(&self.stream)
    }
}

// SAFETY: memory of its own.
unsafe impl StorageMut for Managed {}

impl OwnedStorage for Managed {
    fn close(mut self) -> Result<()> {
        self.free()
    }
}

impl Managed {
    fn free(&mut self) -> Result<()> {
        if self.ptr == 0 {
            return Ok(());
        }
        let ptr = std::mem::take(&mut self.ptr);
        if capture::is_under_way() {
            let stream = self.stream.clone();
            capture::drop_afterwards(Self { ptr, stream });
            return Ok(());
        }
        self.stream.settle().or_leak()?;
        let context = self.stream.context();
        let _current = context.enter()?;
        // SAFETY: allocated by `zeroed`, and freed once; nothing runs that could use it.
        let code = released(|| unsafe { sys::cuMemFree_v2(ptr) });
        context.check("cuMemFree_v2", code)
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = self.free();
    }
}

impl<T> ManagedBuffer<T> {
    /// Allocates `len` elements, and sets all bytes to zero.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`], with the bytes requested and free. [`ErrorKind::Unsupported`] where the host may
    /// not touch managed memory while any kernel runs (the device lacks `CONCURRENT_MANAGED_ACCESS`).
    #[doc(alias = "cuMemAllocManaged")]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self>
    where
        T: PlainData,
    {
        let bytes = byte_size::<T>(len, "ManagedBuffer::zeroed")?;
        let context = stream.context();
        let needed = DeviceAttribute::CONCURRENT_MANAGED_ACCESS;
        if context.device().attribute(needed)? == 0 {
            return Err(Error::checked(
                ErrorKind::Unsupported,
                "ManagedBuffer::zeroed",
                "this device has no managed memory that the host may use while kernels run \
                 (CONCURRENT_MANAGED_ACCESS): use a DeviceBuffer and copies",
            ));
        }
        let mut storage = Managed {
            ptr: 0,
            stream: stream.clone(),
        };
        if bytes > 0 {
            capture::refuse_here("ManagedBuffer::zeroed", "allocate before the capture")?;
            let _current = stream.enter()?;
            let flags = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.0;
            // SAFETY: `ptr` is valid for the write.
            let code = unsafe { sys::cuMemAllocManaged(&mut storage.ptr, bytes, flags) };
            context.check_allocation("cuMemAllocManaged", code, bytes)?;
        }
        // SAFETY: room for `len` elements; allocations are aligned for every type of element.
        let mut buffer = unsafe { Self::from_storage(storage, len) };
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }
}

impl<T: PlainData> ManagedBuffer<T> {
    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.storage().stream
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for reading. While they are
    /// borrowed, kernels must not write to them: their launches promise that.
    ///
    /// # Errors
    /// The fault of work that was enqueued earlier. The stream is being captured.
    pub fn host(&self) -> Result<&[T]> {
        let ptr = self.ready()?;
        // SAFETY: `len` elements that the host may read; nothing writes to them while they are borrowed.
        Ok(unsafe { slice::from_raw_parts(ptr, self.len()) })
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for writing.
    ///
    /// # Errors
    /// As [`host`](Self::host).
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        let ptr = self.ready()?;
        // SAFETY: `len` elements that the host may write; nothing else uses them while they are borrowed exclusively.
        Ok(unsafe { slice::from_raw_parts_mut(ptr, self.len()) })
    }

    /// The host's address of the first element, when nothing uses the memory any more.
    fn ready(&self) -> Result<*mut T> {
        match self.stream().settle() {
            Settled::Done => {}
            Settled::Failed(error) | Settled::Unknown(error) => return Err(error),
        }
        if self.size_bytes() == 0 {
            return Ok(std::ptr::NonNull::dangling().as_ptr());
        }
        // The driver's allocation is memory of the process, at the same address.
        Ok(std::ptr::with_exposed_provenance_mut(
            self.as_device_ptr() as usize
        ))
    }
}
