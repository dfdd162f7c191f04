//! Imported memory of other interfaces, such as Vulkan, and of other processes.

use std::any::type_name;

use cuda_sys::{
    self as sys, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUdeviceptr, CUexternalMemory, CUresult,
};

pub use crate::raw::share::ExternalMemoryKind;
use crate::{
    capture::{self, released},
    context::Context,
    error::{Error, Result},
    handle::{Adopt, Handle, Kind, handle},
    memory::{
        device::DeviceMemory,
        plain::PlainData,
        size::byte_size,
        waited::{Free, Release, Waited, waited},
    },
    raw::{
        constants::DEDICATED,
        file::{self, OwnedFile},
        structures::{RawFile, RawMemoryHandle},
    },
    stream::Stream,
};

/// Memory of another interface or process, imported into a context.
///
/// Map [buffers](Self::buffer) and [arrays](Self::mipmapped_array) onto parts of it.
///
/// ```ignore-windows
/// use cuda_safe::{
///     Context, share::{ExternalMemory, ExternalMemoryKind, ShareableHandles},
///     memory::virtual_memory::{PhysicalMemory, PhysicalOptions}, Stream,
/// };
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// # let unit = PhysicalMemory::unit(&context)?;
/// # let options = PhysicalOptions::default().handles(ShareableHandles::POSIX_FILE_DESCRIPTOR);
/// # let made_elsewhere = PhysicalMemory::with_options(&context, unit, options)?;
/// let (file, bytes) = (made_elsewhere.export()?, made_elsewhere.size()); // as Vulkan does it
/// // SAFETY: the file is memory of that many bytes, and nothing else uses it at the same time.
/// let memory = unsafe {
///     ExternalMemory::import(&context, ExternalMemoryKind::OPAQUE_FD, file, bytes as u64, false)?
/// };
/// // SAFETY: nothing else is mapped onto it.
/// let mut x = unsafe { memory.buffer::<f32>(&stream, 0, 1000)? };
/// x.fill(&stream, 1.0)?;
/// assert_eq!(x.to_vec(&stream)?, [1.0; 1000]);
/// # Ok(())
/// # }
/// ```
pub struct ExternalMemory(Handle<ExternalKind>);

struct ExternalKind;

impl Kind for ExternalKind {
    type Raw = CUexternalMemory;
    type Parent = Context;
    const NAME: &'static str = "ExternalMemory";

    unsafe fn release(&self, raw: CUexternalMemory, context: &Context) -> Result<()> {
        let _current = context.enter("cuDestroyExternalMemory")?;
        // SAFETY: this function's contract says that it is released once. Everything mapped onto it
        // held a reference.
        let code = released(|| unsafe { sys::cuDestroyExternalMemory(raw) });
        context.check("cuDestroyExternalMemory", code)
    }
}

impl Adopt for ExternalKind {
    fn adopt(_: CUexternalMemory) -> Self {
        Self
    }
}

handle!(ExternalMemory, CUexternalMemory, released by "cuDestroyExternalMemory", made in Context);

impl ExternalMemory {
    /// Imports `bytes` bytes of memory from a file descriptor, or on Windows from a handle.
    ///
    /// The driver takes ownership of a file descriptor. If the import fails, it is closed. On Windows,
    /// the driver does not take ownership, and this call closes the handle. Set `dedicated` if the
    /// other interface allocated the memory for a single object. Dedicated memory can only be mapped
    /// as a whole.
    ///
    /// See [`cuImportExternalMemory`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the file is a memory object of at least `bytes` bytes on the context's device. Drivers do
    ///   not check the size.
    /// - nothing else writes to the memory while work of this process uses it. The accesses of both
    ///   sides must be ordered by some means.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_UNKNOWN` if the file is not a memory object, and
    /// `CUDA_ERROR_INVALID_VALUE` if `bytes` is 0. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver does not support
    /// this kind. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if this
    /// thread's capture of a stream forbids the call.
    #[doc(alias = "cuImportExternalMemory")]
    pub unsafe fn import(
        context: &Context,
        kind: ExternalMemoryKind,
        file: OwnedFile,
        bytes: u64,
        dedicated: bool,
    ) -> Result<Self> {
        const CALL: &str = "cuImportExternalMemory";
        let _allowed =
            capture::reject_during_capture("ExternalMemory::import", "import before the capture")?;
        let description = RawMemoryHandle {
            kind: kind.0,
            file: RawFile {
                number: file::number(&file),
                rest: 0,
            },
            size: bytes,
            flags: if dedicated { DEDICATED } else { 0 },
            reserved: [0; 16],
        };
        let _current = context.enter("cuImportExternalMemory")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writing, and the description has the driver's layout. The
        // caller guarantees that the file is of this kind.
        let code =
            unsafe { sys::cuImportExternalMemory(&mut raw, (&raw const description).cast()) };
        if code == CUresult::CUDA_ERROR_NOT_SUPPORTED {
            return Err(context
                .error(CALL, code)
                .with_detail(format!("this driver does not import {kind:?}")));
        }
        context.check(CALL, code).map_err(|error| match code {
            CUresult::CUDA_ERROR_UNKNOWN => error.with_detail(
                "the file is not a memory object of the device's driver. Fix: pass an opaque file that Vulkan exported on the \
                 same device, or a file from PhysicalMemory::export",
            ),
            CUresult::CUDA_ERROR_INVALID_VALUE if bytes == 0 => {
                error.with_detail("cannot import 0 bytes")
            }
            _ => error,
        })?;
        file::release_imported(file);
        // SAFETY: just created, and nothing else owns it.
        Ok(unsafe { Self::from_raw(raw, context) })
    }

    /// Returns the context that the memory was imported into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Maps `len` elements, starting at byte `offset`. The buffer belongs to `stream`.
    ///
    /// See [`cuExternalMemoryGetMappedBuffer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that no other mapping of the same bytes is used while the buffer
    /// lives.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the range is not within the memory, or if it is only a
    /// part of dedicated memory. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range is empty, if
    /// the offset or the address is not aligned for `T`, if the stream belongs to another context,
    /// or if this thread's capture of a stream forbids the call.
    #[doc(alias = "cuExternalMemoryGetMappedBuffer")]
    pub unsafe fn buffer<T: PlainData>(
        &self,
        stream: &Stream,
        offset: u64,
        len: usize,
    ) -> Result<ExternalBuffer<T>> {
        const CALL: &str = "ExternalMemory::buffer";
        let bytes = byte_size::<T>(len, CALL)?;
        if bytes == 0 {
            return Err(Error::invalid(CALL, "there is nothing to map"));
        }
        // The driver maps whole pages and returns the address of `offset` within them.
        if !offset.is_multiple_of(align_of::<T>() as u64) {
            let (bytes, name) = (align_of::<T>(), type_name::<T>());
            return Err(Error::invalid(
                CALL,
                format!("offset {offset} is not a multiple of {bytes}, the alignment of {name}"),
            ));
        }
        let context = self.0.parent();
        context.expect_same(stream.context(), CALL, "the memory and the stream")?;
        let _allowed = capture::reject_during_capture(CALL, "map it before the capture")?;
        let description = CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
            offset,
            size: bytes as u64,
            ..Default::default()
        };
        let mut ptr = 0;
        let _current = stream.enter("cuExternalMemoryGetMappedBuffer")?;
        // SAFETY: the address is valid for writing, and the handle is live.
        let code =
            unsafe { sys::cuExternalMemoryGetMappedBuffer(&mut ptr, self.as_raw(), &description) };
        context
            .check("cuExternalMemoryGetMappedBuffer", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(format!(
                    "{bytes} bytes starting at byte {offset} do not fit into the imported memory, or it is dedicated and \
                     they are not all of it. Fix: map a part that it has, or all of dedicated memory"
                )),
                _ => error,
            })?;
        // SAFETY: just mapped, with space for `len` elements.
        unsafe {
            let storage = ExternalMapping(Waited::new(ptr, stream, Unmap(self.clone())));
            ExternalBuffer::from_allocation(storage, len, CALL)
        }
    }
}

/// Elements in imported memory, created by [`ExternalMemory::buffer`].
pub type ExternalBuffer<T> = DeviceMemory<ExternalMapping, T>;

/// Frees a mapping, then releases the memory.
#[derive(Clone, Debug)]
struct Unmap(ExternalMemory);

impl Release for Unmap {
    unsafe fn release(&self, ptr: CUdeviceptr, stream: &Stream) -> (&'static str, CUresult) {
        // SAFETY: this function has the same contract.
        unsafe { Free.release(ptr, stream) }
    }
}

waited! {
    /// A mapping of imported memory. The mapping belongs to a stream, and an [`ExternalBuffer`]
    /// holds it.
    pub struct ExternalMapping(Unmap), "ExternalBuffer"
}

impl<T: PlainData> ExternalBuffer<T> {
    /// Returns the stream that the buffer belongs to.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }

    /// Returns the memory that the buffer is mapped onto.
    #[must_use]
    pub fn memory(&self) -> &ExternalMemory {
        &self.storage().0.release().0
    }
}
