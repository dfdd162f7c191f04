//! Physical memory shared with other processes.

use std::ffi::c_void;

use cuda_sys::{self as sys, CUmemAllocationHandleType, CUmemRangeHandleType};

use super::{part::Part, physical::PhysicalMemory, range::AddressRange};
pub use crate::raw::memory::RangeFlags;
use crate::{
    context::Context,
    error::{Error, ErrorKind, Result},
    memory::{DeviceMemory, PlainData, Storage},
    raw::{
        bytes::bytes,
        file::{AsFile, HANDLE_TYPE, NamedFile, OwnedFile, ReceivedFile},
    },
};

const FILE: CUmemAllocationHandleType = CUmemAllocationHandleType(HANDLE_TYPE);
/// `CU_MEM_HANDLE_TYPE_FABRIC`, which headers before CUDA 12.3 lack.
const FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType(8);

bytes! {
    /// A handle by which processes on other hosts of a fabric can import physical memory. You can
    /// send it as plain bytes.
    #[doc(alias = "CUmemFabricHandle")]
    pub struct FabricHandle
}

/// Explains the driver's error if the process may not use fabric handles.
#[cold]
pub(in crate::memory) fn explain_fabric(error: Error) -> Error {
    if error.driver_code() != Some(sys::CUresult::CUDA_ERROR_NOT_PERMITTED) {
        return error;
    }
    error.with_detail(
        "this process may not use fabric handles. They require a host with a fabric, and an IMEX channel that the \
         process can open (/dev/nvidia-caps-imex-channels). Fix: on one host, use \
         ShareableHandles::FILE",
    )
}

impl PhysicalMemory {
    /// Exports the memory as a file descriptor (on Windows, a handle) that another process can
    /// [`import`](Self::import). The descriptor keeps the memory alive.
    ///
    /// Send the descriptor over a Unix socket (`SCM_RIGHTS`), or pass it to a child process as its
    /// standard input (`Command::stdin(Stdio::from(descriptor))`, and there
    /// `PhysicalMemory::import(&context, std::io::stdin(), size)`). Passing only its number to a
    /// child does not work, because the descriptor is closed when the child's program starts. On
    /// Windows, pass the handle with `DuplicateHandle`.
    ///
    /// See [`cuMemExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` unless the
    /// [`PhysicalOptions::handles`](super::PhysicalOptions) of the memory contain
    /// [`ShareableHandles::FILE`](crate::share::ShareableHandles::FILE).
    ///
    /// ```ignore-windows
    /// # use cuda_safe::{
    /// #     memory::{virtual_memory::{AddressRange, PhysicalMemory, PhysicalOptions}, MemoryAccess},
    /// #     Context, share::ShareableHandles, Stream,
    /// # };
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let unit = PhysicalMemory::unit(&context)?;
    /// let options = PhysicalOptions::default().handles(ShareableHandles::FILE);
    /// let memory = PhysicalMemory::with_options(&context, unit, options)?;
    /// let fd = memory.export()?;
    /// // Usually in another process:
    /// let same = PhysicalMemory::import(&context, &fd, unit)?;
    /// assert_eq!(same.size(), unit);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export(&self) -> Result<OwnedFile> {
        let mut file = ReceivedFile::new();
        // SAFETY: the place has room for a file.
        unsafe { self.export_as(FILE, file.place())? };
        // SAFETY: the driver has opened the file for the caller.
        unsafe { file.take() }.ok_or_else(|| {
            Error::driver(
                "cuMemExportToShareableHandle",
                sys::CUresult::CUDA_ERROR_UNKNOWN,
            )
        })
    }

    /// Exports the memory as a handle that processes on this and other hosts can import with
    /// [`import_fabric`](Self::import_fabric). It does not keep the memory alive.
    ///
    /// See [`cuMemExportToShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` unless the memory was created with
    /// [`ShareableHandles::FABRIC`](crate::share::ShareableHandles::FABRIC).
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export_fabric(&self) -> Result<FabricHandle> {
        let mut bytes = [0; 64];
        // SAFETY: a fabric handle has 64 bytes.
        unsafe { self.export_as(FABRIC, bytes.as_mut_ptr().cast())? };
        Ok(FabricHandle::from_bytes(bytes))
    }

    /// Exports the memory as a handle of a kind.
    ///
    /// # Safety
    /// The caller must ensure that `place` has room for a handle of this kind.
    unsafe fn export_as(&self, kind: CUmemAllocationHandleType, place: *mut c_void) -> Result<()> {
        let context = self.context();
        let _current = context.enter("cuMemExportToShareableHandle")?;
        // SAFETY: the handle is live. The caller guarantees the rest.
        let code = unsafe { sys::cuMemExportToShareableHandle(place, self.as_raw(), kind, 0) };
        context.check("cuMemExportToShareableHandle", code).map_err(|error| {
            match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(
                    "the memory was not created for this kind of handle (PhysicalOptions::handles). Imported memory \
                     cannot be exported again",
                ),
                _ => explain_fabric(error),
            }
        })
    }

    /// Imports the memory of another process from a file descriptor (on Windows, a handle) that it
    /// created by [`export`](Self::export).
    ///
    /// You can close the descriptor afterwards. The memory lives as long as one of the processes
    /// holds it.
    ///
    /// `size` is the [`size`](Self::size) with which the other process created the memory, in
    /// bytes. It is checked by mapping the memory, because the other process is not trusted.
    ///
    /// See [`cuMemImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the descriptor is not exported memory, or if the
    /// memory has a different size, or is on a different device than the context.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    pub fn import(context: &Context, file: impl AsFile, size: usize) -> Result<Self> {
        const CALL: &str = "PhysicalMemory::import";
        let file = NamedFile::new(&file)
            .map_err(|error| Error::invalid(CALL, format!("descriptor 0: {error}")))?;
        // SAFETY: the place holds the number of an open file.
        unsafe { Self::import_as(context, FILE, file.place(), size, CALL) }
    }

    /// Imports memory like [`import`](Self::import), from a fabric handle.
    ///
    /// See [`cuMemImportFromShareableHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`import`](Self::import). Returns `CUDA_ERROR_NOT_PERMITTED`, or
    /// another driver error, if the host has no fabric or the process may not use it.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    pub fn import_fabric(context: &Context, handle: &FabricHandle, size: usize) -> Result<Self> {
        let mut copy = handle.to_bytes();
        // SAFETY: the copy has the 64 bytes of a fabric handle.
        unsafe {
            Self::import_as(
                context,
                FABRIC,
                copy.as_mut_ptr().cast(),
                size,
                "PhysicalMemory::import_fabric",
            )
        }
    }

    /// Imports memory from a handle of a kind.
    ///
    /// # Safety
    /// The caller must ensure that `place` holds a valid handle of this kind.
    unsafe fn import_as(
        context: &Context,
        kind: CUmemAllocationHandleType,
        place: *mut c_void,
        size: usize,
        call: &'static str,
    ) -> Result<Self> {
        const CALL: &str = "cuMemImportFromShareableHandle";
        const REMEDY: &str = "Fix: pass the size() with which the exporting process created it";
        let unit = Self::unit(context)?;
        if size == 0 || !size.is_multiple_of(unit) {
            return Err(Error::invalid(
                call,
                format!(
                    "the size of {size} bytes is not a multiple of {unit} bytes, as that of shareable memory is. \
                     {REMEDY}"
                ),
            ));
        }
        let _current = context.enter("cuMemImportFromShareableHandle")?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for the write. The caller guarantees the rest.
        let code = unsafe { sys::cuMemImportFromShareableHandle(&mut raw, place, kind) };
        context.check(CALL, code).map_err(|error| match code {
            // An H200's driver returns the second code for other descriptors.
            sys::CUresult::CUDA_ERROR_INVALID_VALUE | sys::CUresult::CUDA_ERROR_UNKNOWN => error
                .with_kind(ErrorKind::InvalidArgument)
                .with_detail("the handle is not one of memory on a device in this process"),
            _ => explain_fabric(error),
        })?;
        // SAFETY: the reference is owned. The size is checked below, before anything relies on it.
        let memory = unsafe { Self::from_raw(raw, size, context) };
        memory.expect_same_device(call)?;
        // The driver rejects a mapping of a different size, so this checks the size.
        let range = AddressRange::reserve(context, size)?;
        // The addresses are new, so this error can only mean that the size differs.
        let part = Part::map(&range, 0, &memory).map_err(|error| match error.kind() {
            ErrorKind::InvalidArgument => {
                error.with_detail(format!("the memory's size is not {size} bytes. {REMEDY}"))
            }
            _ => error,
        })?;
        if let Err(error) = part.unmap() {
            part.leak();
            return Err(error);
        }
        Ok(memory)
    }

    /// Returns an error if the memory is on another device than the context's.
    fn expect_same_device(&self, call: &'static str) -> Result<()> {
        let location = self.properties()?.location;
        let own = self.context().device().as_raw();
        match location.as_device() {
            Some(other) if other != own => Err(Error::invalid(
                call,
                format!("the memory is on device {other}, but the context is on device {own}"),
            )),
            _ => Ok(()),
        }
    }
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// Exports the memory as a DMA-BUF file descriptor, by which other drivers of the system can
    /// access it, such as that of a network card. The descriptor keeps the memory reserved, but not
    /// its contents.
    ///
    /// See [`cuMemGetHandleForAddressRange`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory does not consist of whole host pages, or if
    /// the driver cannot export it. Returns [`ErrorKind::Unsupported`] if the device has no such
    /// descriptors ([`DMA_BUF_SUPPORTED`](crate::DeviceAttribute::DMA_BUF_SUPPORTED)), and on
    /// Windows.
    #[doc(alias = "cuMemGetHandleForAddressRange")]
    pub fn export_dma_buf(&self, flags: RangeFlags) -> Result<OwnedFile> {
        const CALL: &str = "cuMemGetHandleForAddressRange";
        if cfg!(windows) {
            let reason = "DMA-BUF file descriptors exist only on Linux";
            return Err(Error::checked(ErrorKind::Unsupported, CALL, reason));
        }
        let context = self.owner().context();
        let _current = context.enter("cuMemGetHandleForAddressRange")?;
        let kind = CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        let (ptr, bytes, flags) = (self.as_device_ptr(), self.size_bytes(), flags.0.into());
        let mut file = ReceivedFile::new();
        // SAFETY: the place has room for a descriptor. The driver checks the range.
        let code =
            unsafe { sys::cuMemGetHandleForAddressRange(file.place(), ptr, bytes, kind, flags) };
        context.check(CALL, code)?;
        // SAFETY: the driver has opened the descriptor for the caller.
        unsafe { file.take() }.ok_or_else(|| Error::driver(CALL, sys::CUresult::CUDA_ERROR_UNKNOWN))
    }
}
