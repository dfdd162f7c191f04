//! Memory of other interfaces, such as Vulkan, and of other processes: imported, and mapped to addresses.

use std::{
    any::type_name,
    os::fd::{AsRawFd, IntoRawFd, OwnedFd},
};

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
        structures::{RawFile, RawMemoryHandle},
    },
    stream::Stream,
};

/// Memory that another interface or another process has made, imported into a context. Buffers are mapped onto parts of it,
/// and [arrays](Self::mipmapped_array).
///
/// ```
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
/// // SAFETY: the file is memory of that many bytes, which nobody else uses meanwhile.
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
        // SAFETY: released once, by this function's contract; what is mapped onto it held a reference.
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
    /// Imports memory of `bytes` bytes by a file, which is the driver's from then on; it is closed if that fails.
    /// `dedicated` says that the other interface has made the memory for one object alone: it is mapped as a whole then.
    ///
    /// # Safety
    /// The file is a memory object of at least that many bytes, on the context's device: drivers believe the size. While
    /// work of this process uses the memory, nobody else writes to it; what both do with it is ordered, by whatever means.
    ///
    /// # Errors
    /// `CUDA_ERROR_UNKNOWN` for a file that is no memory. [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a kind that the driver lacks.
    /// `CUDA_ERROR_INVALID_VALUE` for no bytes.
    #[doc(alias = "cuImportExternalMemory")]
    pub unsafe fn import(
        context: &Context,
        kind: ExternalMemoryKind,
        file: OwnedFd,
        bytes: u64,
        dedicated: bool,
    ) -> Result<Self> {
        const CALL: &str = "cuImportExternalMemory";
        let _allowed = capture::refuse_here("ExternalMemory::import", "import before the capture")?;
        let description = RawMemoryHandle {
            kind: kind.0,
            file: RawFile {
                number: u64::from(file.as_raw_fd().cast_unsigned()),
                rest: 0,
            },
            size: bytes,
            flags: if dedicated { DEDICATED } else { 0 },
            reserved: [0; 16],
        };
        let _current = context.enter("cuImportExternalMemory")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write, the description of the driver's layout; the caller vouches for the file.
        let code =
            unsafe { sys::cuImportExternalMemory(&mut raw, (&raw const description).cast()) };
        if code == CUresult::CUDA_ERROR_NOT_SUPPORTED {
            return Err(context
                .error(CALL, code)
                .with_detail(format!("this driver does not import {kind:?}")));
        }
        context.check(CALL, code).map_err(|error| match code {
            CUresult::CUDA_ERROR_UNKNOWN => error.with_detail(
                "the file is no memory of the device's driver: one that Vulkan exports as an opaque file is, on the same \
                 device, and one of PhysicalMemory::export",
            ),
            CUresult::CUDA_ERROR_INVALID_VALUE if bytes == 0 => {
                error.with_detail("there is no memory of 0 bytes")
            }
            _ => error,
        })?;
        let _ = file.into_raw_fd(); // the driver's now
        // SAFETY: just made, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw) })
    }

    /// The context that it was imported into.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Maps `len` elements, from byte `offset` on, to an address, in a stream's order.
    ///
    /// # Safety
    /// Nothing else that is mapped onto the same bytes is used while the buffer lives.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for what does not lie within the memory, and for a part of dedicated memory.
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for no bytes, an offset or
    /// an address that is not aligned for `T`, and a stream of another context.
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
        // The driver maps whole pages, and gives the address within them.
        if !offset.is_multiple_of(align_of::<T>() as u64) {
            let (bytes, name) = (align_of::<T>(), type_name::<T>());
            return Err(Error::invalid(
                CALL,
                format!("offset {offset} is no multiple of {bytes}, where a {name} may lie"),
            ));
        }
        let context = self.0.parent();
        context.expect_same(stream.context(), CALL, "the memory and the stream")?;
        let _allowed = capture::refuse_here(CALL, "map it before the capture")?;
        let description = CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
            offset,
            size: bytes as u64,
            ..Default::default()
        };
        let mut ptr = 0;
        let _current = stream.enter("cuExternalMemoryGetMappedBuffer")?;
        // SAFETY: the address is valid for the write, the handle is live.
        let code =
            unsafe { sys::cuExternalMemoryGetMappedBuffer(&mut ptr, self.as_raw(), &description) };
        context
            .check("cuExternalMemoryGetMappedBuffer", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(format!(
                    "{bytes} bytes from byte {offset} on: they have to lie within the imported memory, and be all of it where \
                     it is dedicated"
                )),
                _ => error,
            })?;
        // SAFETY: just mapped, with room for `len` elements.
        unsafe {
            let storage = External(Waited::new(ptr, stream, Unmap(self.clone())));
            ExternalBuffer::from_allocation(storage, len, CALL)
        }
    }
}

/// Elements in memory that was imported: see [`ExternalMemory::buffer`].
pub type ExternalBuffer<T> = DeviceMemory<External, T>;

/// Frees a mapping, and then lets the memory go.
#[derive(Clone, Debug)]
struct Unmap(ExternalMemory);

impl Release for Unmap {
    unsafe fn release(&self, ptr: CUdeviceptr, stream: &Stream) -> (&'static str, CUresult) {
        // SAFETY: as this function's contract says.
        unsafe { Free.release(ptr, stream) }
    }
}

waited! {
    /// A mapping of imported memory, in a stream's order: what an [`ExternalBuffer`] holds.
    pub struct External(Unmap), "ExternalBuffer"
}

impl<T: PlainData> ExternalBuffer<T> {
    /// The stream in whose order the memory is used.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.storage().0.stream()
    }

    /// The memory that it is mapped onto.
    #[must_use]
    pub fn memory(&self) -> &ExternalMemory {
        &self.storage().0.release().0
    }
}
