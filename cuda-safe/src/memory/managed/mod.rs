//! Managed memory, which the host and the device use at one address.

pub(crate) mod batch;
pub(crate) mod migrate;

use std::slice;

use cuda_sys::{self as sys, CUdeviceptr, CUmemAttach_flags, CUresult};

use super::{
    device::{DeviceMemory, buffer::DeviceBuffer},
    plain::PlainData,
    size::byte_size,
    waited::{Free, Release, Waited, waited},
};
pub use crate::raw::memory::ManagedAttachment;
use crate::{
    capture,
    context::Settled,
    device::attribute::DeviceAttribute,
    error::{Error, ErrorKind, Result},
    stream::Stream,
};

/// A buffer of managed memory, which the host and the device access at the same address. The driver
/// migrates pages to the accessing processor.
///
/// The device uses it like any other memory, ordered by a stream. The host gets a slice from
/// [`host`](Self::host) or [`host_mut`](Self::host_mut), which wait until the stream's work is
/// over.
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
/// // SAFETY: the kernel runs four threads on four elements.
/// unsafe { double_it.launch(&stream, LaunchConfig::new(1, 4), (&mut x,))? };
/// assert_eq!(x.host()?, [2.0, 4.0, 6.0, 8.0]);
/// # Ok(())
/// # }
/// ```
pub type ManagedBuffer<T> = DeviceMemory<Managed, T>;

/// The way in which managed memory is freed.
#[derive(Clone, Copy, Debug)]
enum FreeManaged {
    Allocated,
    /// The memory comes from a pool and returns to it in the stream's order.
    OfPool,
}

impl Release for FreeManaged {
    unsafe fn release(&self, ptr: CUdeviceptr, stream: &Stream) -> (&'static str, CUresult) {
        if let Self::OfPool = self
            && let Ok(_current) = stream.enter("cuMemFreeAsync")
        {
            // SAFETY: guaranteed by this function's contract.
            let code = unsafe { sys::cuMemFreeAsync(ptr, stream.as_raw()) };
            return ("cuMemFreeAsync", code);
        }
        // SAFETY: as above.
        unsafe { Free.release(ptr, stream) }
    }
}

waited! {
    /// The storage of a [`ManagedBuffer`]: managed memory ordered by a stream.
    pub struct Managed(FreeManaged), "ManagedBuffer"
}

impl<T> ManagedBuffer<T> {
    /// Allocates `len` elements and sets all bytes to zero.
    ///
    /// See [`cuMemAllocManaged`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`] with the requested and free bytes if the allocation
    /// fails. Returns [`ErrorKind::Unsupported`] if the host may not access managed memory while
    /// any kernel runs (the device lacks `CONCURRENT_MANAGED_ACCESS`). Returns
    /// [`ErrorKind::InvalidArgument`] if the memory is not aligned for `T`, which happens only for
    /// types with an alignment above 256 bytes.
    #[doc(alias = "cuMemAllocManaged")]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self>
    where
        T: PlainData,
    {
        const CALL: &str = "ManagedBuffer::zeroed";
        let bytes = byte_size::<T>(len, CALL)?;
        let context = stream.context();
        let needed = DeviceAttribute::CONCURRENT_MANAGED_ACCESS;
        if context.device().attribute(needed)? == 0 {
            return Err(Error::checked(
                ErrorKind::Unsupported,
                CALL,
                "the host cannot use this device's managed memory while kernels run \
                 (CONCURRENT_MANAGED_ACCESS is 0). Fix: use a DeviceBuffer and copies",
            ));
        }
        let mut ptr = 0;
        // A capture would record the fill.
        let _uncaptured = stream.uncaptured(CALL, "allocate before the capture")?;
        if bytes > 0 {
            let _allowed = capture::reject_during_capture(CALL, "allocate before the capture")?;
            let flags = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.0;
            // SAFETY: `ptr` is valid for the write.
            let code = unsafe { sys::cuMemAllocManaged(&mut ptr, bytes, flags) };
            context.check_allocation("cuMemAllocManaged", code, bytes)?;
        }
        // SAFETY: just allocated, with room for `len` elements.
        let mut buffer = unsafe {
            let storage = Managed(Waited::new(ptr, stream, FreeManaged::Allocated));
            Self::from_allocation(storage, len, CALL)?
        };
        buffer.memset_u8(stream, 0)?;
        Ok(buffer)
    }
}

impl<T: PlainData> ManagedBuffer<T> {
    /// Converts a buffer from a host-accessible pool.
    pub(super) fn from_pool(buffer: DeviceBuffer<T>) -> Self {
        let (stream, len) = (buffer.stream().clone(), buffer.len());
        // SAFETY: the buffer has handed its memory over, and the memory's alignment has not
        // changed.
        unsafe {
            let storage = Waited::new(buffer.into_raw(), &stream, FreeManaged::OfPool);
            Self::from_storage(Managed(storage), len)
        }
    }

    /// Tells the driver which processors will use the memory, in the order of the buffer's stream.
    ///
    /// The driver then need not keep the memory coherent for others. The attachment lasts until the
    /// next one. Meanwhile, kernels on other streams must not use the memory.
    ///
    /// See [`cuStreamAttachMemAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the driver does not know the attachment, or if the
    /// memory comes from a pool. Returns [`ErrorKind::InvalidArgument`] if the stream is capturing.
    ///
    /// ```
    /// # use cuda_safe::{Context, memory::ManagedAttachment, ManagedBuffer, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut x = ManagedBuffer::<f32>::zeroed(&stream, 1 << 12)?;
    /// x.attach(ManagedAttachment::SINGLE)?;
    /// x.fill(&stream, 1.0)?;
    /// assert_eq!(x.host()?[7], 1.0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamAttachMemAsync")]
    pub fn attach(&mut self, to: ManagedAttachment) -> Result<()> {
        let stream = self.stream();
        let _uncaptured = stream.uncaptured("ManagedBuffer::attach", capture::REMEDY)?;
        if self.size_bytes() == 0 {
            return Ok(());
        }
        let _current = stream.enter("cuStreamAttachMemAsync")?;
        // SAFETY: the memory is live, and a length of 0 means all of it. The attachment is a
        // number.
        let code =
            unsafe { sys::cuStreamAttachMemAsync(stream.as_raw(), self.as_device_ptr(), 0, to.0) };
        stream
            .check("cuStreamAttachMemAsync", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_VALUE if !to.has_name() => {
                    error.with_detail(format!("the driver does not know {to:?}"))
                }
                _ => error,
            })
    }

    /// Returns the stream that orders the use of the memory.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for reading.
    ///
    /// Kernels must not write to the elements while the slice is borrowed. Launching a kernel
    /// promises this.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the stream is capturing. Returns an error if work
    /// enqueued earlier has faulted.
    pub fn host(&self) -> Result<&[T]> {
        let ptr = self.ready()?;
        // SAFETY: the host may read these `len` aligned elements, and nothing writes to them while
        // they are borrowed.
        Ok(unsafe { slice::from_raw_parts(ptr, self.len()) })
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for writing.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the stream is capturing. Returns an error if work
    /// enqueued earlier has faulted.
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        let ptr = self.ready()?;
        // SAFETY: the host may write these `len` aligned elements, and nothing else uses them while
        // they are exclusively borrowed.
        Ok(unsafe { slice::from_raw_parts_mut(ptr, self.len()) })
    }

    /// Waits for the stream, and returns the host's address of the first element.
    fn ready(&self) -> Result<*mut T> {
        match self.stream().settle() {
            Settled::Done => {}
            Settled::Failed(error) | Settled::Faulted(error) | Settled::Unknown(error) => {
                return Err(error);
            }
        }
        if self.size_bytes() == 0 {
            return Ok(std::ptr::NonNull::dangling().as_ptr());
        }
        // The driver maps the allocation into the process at the same address.
        Ok(std::ptr::with_exposed_provenance_mut(
            self.as_device_ptr() as usize
        ))
    }
}
