//! Physical memory for other processes.

use std::{
    ffi::{c_int, c_void},
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
};

use cuda_sys::{self as sys, CUmemAllocationHandleType, CUmemRangeHandleType};

use super::{part::Part, physical::PhysicalMemory, range::AddressRange};
pub use crate::raw::memory::RangeFlags;
use crate::{
    context::Context,
    error::{Error, ErrorKind, Result},
    memory::{DeviceMemory, PlainData, Storage},
    raw::bytes::bytes,
};

const FILE: CUmemAllocationHandleType =
    CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
/// `CU_MEM_HANDLE_TYPE_FABRIC`, which headers before CUDA 12.3 lack.
const FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType(8);

/// A file whose number the driver takes in the place of an address.
pub(in crate::memory) struct NamedFile<'a> {
    given: BorrowedFd<'a>,
    copy: Option<OwnedFd>,
}

impl<'a> NamedFile<'a> {
    /// Number 0, which a child may have been given, looks like a null pointer to the driver. A copy has another number.
    pub(in crate::memory) fn new(given: BorrowedFd<'a>, call: &'static str) -> Result<Self> {
        let copy = (given.as_raw_fd() == 0).then(|| given.try_clone_to_owned());
        let copy = copy
            .transpose()
            .map_err(|error| Error::invalid(call, format!("descriptor 0: {error}")))?;
        Ok(Self { given, copy })
    }

    /// Valid as long as this lives.
    pub(in crate::memory) fn place(&self) -> *mut c_void {
        let own = self.copy.as_ref().map(AsRawFd::as_raw_fd);
        let number = own.unwrap_or_else(|| self.given.as_raw_fd());
        std::ptr::without_provenance_mut(number as usize)
    }
}

bytes! {
    /// A handle by which processes on other hosts of a fabric get physical memory. It may be sent as plain bytes.
    #[doc(alias = "CUmemFabricHandle")]
    pub struct FabricHandle
}

/// What the driver means that doesn't permit something about memory for other processes.
#[cold]
pub(in crate::memory) fn fabric_refused(error: Error) -> Error {
    if error.driver_code() != Some(sys::CUresult::CUDA_ERROR_NOT_PERMITTED) {
        return error;
    }
    error.with_detail(
        "this process may not use handles of the fabric: they take a host with a fabric, and a channel of IMEX that the \
         process may open (/dev/nvidia-caps-imex-channels). On one host, use ShareableHandles::POSIX_FILE_DESCRIPTOR",
    )
}

impl PhysicalMemory {
    /// A file descriptor by which another process gets the memory, with [`import`](Self::import). It keeps the memory alive
    /// by itself. Send it over a Unix socket (`SCM_RIGHTS`), or give it to a child as its standard input
    /// (`Command::stdin(Stdio::from(descriptor))`, there `PhysicalMemory::import(&context, std::io::stdin(), size)`). It closes
    /// when a child's program begins: its number alone is of no use there.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` unless the memory was made with
    /// [`ShareableHandles::POSIX_FILE_DESCRIPTOR`](crate::share::ShareableHandles::POSIX_FILE_DESCRIPTOR) among
    /// [`PhysicalOptions::handles`](super::PhysicalOptions).
    ///
    /// ```
    /// # use cuda_safe::{
    /// #     memory::{virtual_memory::{AddressRange, PhysicalMemory, PhysicalOptions}, MemoryAccess},
    /// #     Context, share::ShareableHandles, Stream,
    /// # };
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let unit = PhysicalMemory::unit(&context)?;
    /// let options = PhysicalOptions::default().handles(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    /// let memory = PhysicalMemory::with_options(&context, unit, options)?;
    /// let fd = memory.export()?;
    /// // In another process, as a rule:
    /// let same = PhysicalMemory::import(&context, &fd, unit)?;
    /// assert_eq!(same.size(), unit);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export(&self) -> Result<OwnedFd> {
        let mut fd: c_int = -1;
        // SAFETY: a descriptor is an int, and `fd` is one.
        unsafe { self.export_as(FILE, (&raw mut fd).cast())? };
        if fd < 0 {
            return Err(Error::driver(
                "cuMemExportToShareableHandle",
                sys::CUresult::CUDA_ERROR_UNKNOWN,
            ));
        }
        // SAFETY: the driver has opened it for the caller.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }

    /// A handle by which processes on this and on other hosts get the memory, with
    /// [`import_fabric`](Self::import_fabric). It doesn't keep the memory alive.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` unless the memory was made with
    /// [`ShareableHandles::FABRIC`](crate::share::ShareableHandles::FABRIC).
    #[doc(alias = "cuMemExportToShareableHandle")]
    pub fn export_fabric(&self) -> Result<FabricHandle> {
        let mut bytes = [0; 64];
        // SAFETY: a fabric handle has 64 bytes.
        unsafe { self.export_as(FABRIC, bytes.as_mut_ptr().cast())? };
        Ok(FabricHandle::from_bytes(bytes))
    }

    /// # Safety
    /// The place has room for a handle of this kind.
    unsafe fn export_as(&self, kind: CUmemAllocationHandleType, place: *mut c_void) -> Result<()> {
        let context = self.context();
        let _current = context.enter("cuMemExportToShareableHandle")?;
        // SAFETY: the handle is live; the rest is this function's contract.
        let code = unsafe { sys::cuMemExportToShareableHandle(place, self.as_raw(), kind, 0) };
        context.check("cuMemExportToShareableHandle", code).map_err(|error| {
            match code {
                sys::CUresult::CUDA_ERROR_INVALID_VALUE => error.with_detail(
                    "the memory wasn't made for this kind of handle (PhysicalOptions::handles); what was imported can't be \
                     exported again",
                ),
                _ => fabric_refused(error),
            }
        })
    }

    /// The memory of another process, by a file descriptor that [`export`](Self::export) gave there. The descriptor may be
    /// closed afterwards. The memory lives as long as one of the processes has it.
    ///
    /// `size` is how many bytes the other process said that there are: the [`size`](Self::size) that it made the memory with.
    /// It is tried out, because nothing that another process says is to be relied upon.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a descriptor of something else, memory of another size, or of another device
    /// than the context's.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    pub fn import(context: &Context, fd: impl AsFd, size: usize) -> Result<Self> {
        let file = NamedFile::new(fd.as_fd(), "PhysicalMemory::import")?;
        // SAFETY: an open descriptor, by its number.
        unsafe { Self::import_as(context, FILE, file.place(), size, "PhysicalMemory::import") }
    }

    /// As [`import`](Self::import), by a handle of the fabric.
    ///
    /// # Errors
    /// As [`import`](Self::import). `CUDA_ERROR_NOT_PERMITTED`, or another code of the driver's, on a host without a fabric, or
    /// without the right to use it.
    #[doc(alias = "cuMemImportFromShareableHandle")]
    pub fn import_fabric(context: &Context, handle: &FabricHandle, size: usize) -> Result<Self> {
        let mut copy = handle.to_bytes();
        // SAFETY: 64 bytes, as a fabric handle has.
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

    /// # Safety
    /// `place` is what the driver expects for this kind.
    unsafe fn import_as(
        context: &Context,
        kind: CUmemAllocationHandleType,
        place: *mut c_void,
        size: usize,
        call: &'static str,
    ) -> Result<Self> {
        const CALL: &str = "cuMemImportFromShareableHandle";
        const REMEDY: &str = "pass the size() that the exporting process made it with";
        let unit = Self::unit(context)?;
        if size == 0 || !size.is_multiple_of(unit) {
            return Err(Error::invalid(
                call,
                format!(
                    "{size} bytes: memory that can be shared has a multiple of {unit} bytes; {REMEDY}"
                ),
            ));
        }
        let _current = context.enter("cuMemImportFromShareableHandle")?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for the write; the rest is this function's contract.
        let code = unsafe { sys::cuMemImportFromShareableHandle(&mut raw, place, kind) };
        context.check(CALL, code).map_err(|error| match code {
            // The second is an H200's for a descriptor of something else.
            sys::CUresult::CUDA_ERROR_INVALID_VALUE | sys::CUresult::CUDA_ERROR_UNKNOWN => error
                .with_kind(ErrorKind::InvalidArgument)
                .with_detail("the handle doesn't lead to memory of a device that is here"),
            _ => fabric_refused(error),
        })?;
        // SAFETY: a reference of our own. The size is looked at below, before anything relies upon it.
        let memory = unsafe { Self::from_raw(context, raw, size) };
        memory.expect_here(call)?;
        // The driver maps memory as a whole, or refuses: so it tells the size.
        let range = AddressRange::reserve(context, size)?;
        // Nothing else can be wrong at addresses of its own.
        let part = Part::map(&range, 0, &memory).map_err(|error| match error.kind() {
            ErrorKind::InvalidArgument => error.with_detail(format!(
                "the memory has another size than the {size} bytes that were said: {REMEDY}"
            )),
            _ => error,
        })?;
        if let Err(error) = part.unmap() {
            part.leak();
            return Err(error);
        }
        Ok(memory)
    }

    /// An error for memory of another device than the context's.
    fn expect_here(&self, call: &'static str) -> Result<()> {
        let location = self.properties()?.location;
        let own = self.context().device().as_raw();
        match location.as_device() {
            Some(other) if other != own => Err(Error::invalid(
                call,
                format!("the memory is of device {other}, and the context of device {own}"),
            )),
            _ => Ok(()),
        }
    }
}

impl<S: Storage, T: PlainData> DeviceMemory<S, T> {
    /// A file descriptor by which other drivers of the system, such as a network card's, reach this memory (a DMA buffer).
    /// It keeps the memory reserved, not its contents.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where the memory is no whole number of the host's pages, or the driver can't hand it
    /// over. [`ErrorKind::Unsupported`] where the device has no such descriptors
    /// ([`DMA_BUF_SUPPORTED`](crate::DeviceAttribute::DMA_BUF_SUPPORTED)).
    #[doc(alias = "cuMemGetHandleForAddressRange")]
    pub fn export_dma_buf(&self, flags: RangeFlags) -> Result<OwnedFd> {
        const CALL: &str = "cuMemGetHandleForAddressRange";
        let context = self.owner().context();
        let _current = context.enter("cuMemGetHandleForAddressRange")?;
        let kind = CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        let (ptr, bytes, flags) = (self.as_device_ptr(), self.size_bytes(), flags.0.into());
        let mut fd: c_int = -1;
        // SAFETY: a descriptor is an int, and `fd` is one; the driver checks the range.
        let code = unsafe {
            sys::cuMemGetHandleForAddressRange((&raw mut fd).cast(), ptr, bytes, kind, flags)
        };
        context.check(CALL, code)?;
        if fd < 0 {
            return Err(Error::driver(CALL, sys::CUresult::CUDA_ERROR_UNKNOWN));
        }
        // SAFETY: the driver has opened it for the caller.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    }
}
