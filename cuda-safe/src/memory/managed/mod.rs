//! Managed memory: one address for the host and the device.

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

/// Frees managed memory.
#[derive(Clone, Copy, Debug)]
enum FreeManaged {
    Allocated,
    /// It is of a pool, to which it goes back in the stream's order.
    OfPool,
}

impl Release for FreeManaged {
    unsafe fn release(&self, ptr: CUdeviceptr, stream: &Stream) -> (&'static str, CUresult) {
        if let Self::OfPool = self
            && let Ok(_current) = stream.enter("cuMemFreeAsync")
        {
            // SAFETY: as this function's contract says.
            let code = unsafe { sys::cuMemFreeAsync(ptr, stream.as_raw()) };
            return ("cuMemFreeAsync", code);
        }
        // SAFETY: as above.
        unsafe { Free.release(ptr, stream) }
    }
}

waited! {
    /// Managed memory in a stream's order: what a [`ManagedBuffer`] holds.
    pub struct Managed(FreeManaged), "ManagedBuffer"
}

impl<T> ManagedBuffer<T> {
    /// Allocates `len` elements, and sets all bytes to zero.
    ///
    /// # Errors
    /// Returns [`ErrorKind::OutOfMemory`], with the bytes requested and free. Returns [`ErrorKind::Unsupported`] if the
    /// host may not touch managed memory while any kernel runs (the device lacks `CONCURRENT_MANAGED_ACCESS`). Returns
    /// [`ErrorKind::InvalidArgument`] if the memory is not aligned for `T`, which happens only to types with an alignment
    /// above 256 bytes.
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
                "this device has no managed memory that the host may use while kernels run \
                 (CONCURRENT_MANAGED_ACCESS): use a DeviceBuffer and copies",
            ));
        }
        let mut ptr = 0;
        // A capture would record the fill instead.
        let _uncaptured = stream.uncaptured(CALL, "allocate before the capture")?;
        if bytes > 0 {
            let _allowed = capture::refuse_here(CALL, "allocate before the capture")?;
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
    /// Memory of a pool that the host reaches.
    pub(super) fn from_pool(buffer: DeviceBuffer<T>) -> Self {
        let (stream, len) = (buffer.stream().clone(), buffer.len());
        // SAFETY: the memory of that buffer, which it has handed over, and which is aligned as it was.
        unsafe {
            let storage = Waited::new(buffer.into_raw(), &stream, FreeManaged::OfPool);
            Self::from_storage(Managed(storage), len)
        }
    }

    /// Tells the driver, in the order of the buffer's stream, who will use the memory, until something else is said: so it
    /// need not keep it in step for others. Kernels on other streams must leave the memory alone then.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attachment that the driver does not know, and for memory from a pool. The stream is
    /// being captured.
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
        // SAFETY: live memory, all of it: 0 stands for its length. The attachment is a number.
        let code =
            unsafe { sys::cuStreamAttachMemAsync(stream.as_raw(), self.as_device_ptr(), 0, to.0) };
        stream
            .check("cuStreamAttachMemAsync", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_VALUE if !to.has_name() => {
                    error.with_detail(format!("the driver doesn't know {to:?}"))
                }
                _ => error,
            })
    }

    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for reading. While they are
    /// borrowed, kernels must not write to them: their launches promise that.
    ///
    /// # Errors
    /// The fault of work that was enqueued earlier. The stream is being captured.
    pub fn host(&self) -> Result<&[T]> {
        let ptr = self.ready()?;
        // SAFETY: `len` aligned elements that the host may read; nothing writes to them while they are borrowed.
        Ok(unsafe { slice::from_raw_parts(ptr, self.len()) })
    }

    /// Waits until the work on the buffer's stream is over, and returns the elements for writing.
    ///
    /// # Errors
    /// As [`host`](Self::host).
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        let ptr = self.ready()?;
        // SAFETY: `len` aligned elements that the host may write; nothing else uses them while they are borrowed exclusively.
        Ok(unsafe { slice::from_raw_parts_mut(ptr, self.len()) })
    }

    /// The host's address of the first element, when nothing uses the memory any more.
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
        // The driver's allocation is memory of the process, at the same address.
        Ok(std::ptr::with_exposed_provenance_mut(
            self.as_device_ptr() as usize
        ))
    }
}
