//! Mapped physical memory.

use std::fmt;

use cuda_sys::{self as sys, CUdeviceptr};

use super::{part::Part, physical::PhysicalMemory, range::AddressRange};
use crate::{
    capture::release,
    context::Context,
    error::{Result, fault::discarding_errors},
    memory::{DeviceView, DeviceViewMut, MemoryAccess, MemoryLocation, PlainData, expect_aligned},
    stream::Owner,
};

/// Physical memory mapped at an address of a range, created by [`AddressRange::map`]. It keeps both
/// alive.
///
/// Dropping it waits for the work of its context, and then unmaps the memory. The driver's call
/// does not wait, so running work would fault. Work on other devices is not awaited.
pub struct Mapping(Option<Part>);

impl Mapping {
    /// Maps memory at an offset of a range. The caller has checked that it fits there.
    pub(super) fn new(
        range: &AddressRange,
        offset: usize,
        memory: &PhysicalMemory,
    ) -> Result<Self> {
        Ok(Self(Some(Part::map(range, offset, memory)?)))
    }

    fn part(&self) -> &Part {
        self.0
            .as_ref()
            .expect("present until the mapping is dropped")
    }

    /// Returns the first address.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.part().address
    }

    /// Returns the size of the memory in bytes, all of which is mapped.
    #[must_use]
    pub fn size(&self) -> usize {
        self.part().memory.size()
    }

    /// Returns the mapped memory.
    #[must_use]
    pub fn memory(&self) -> &PhysicalMemory {
        &self.part().memory
    }

    /// Returns the range that contains the addresses.
    #[must_use]
    pub fn range(&self) -> &AddressRange {
        &self.part().range
    }

    /// Returns the context in which the range was reserved.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.part().range.context()
    }

    /// Sets the access of a device or of the host to the memory at these addresses.
    ///
    /// Before it revokes access, it waits for the work of the range's context. You must wait for
    /// the work of other devices and contexts: code that enqueued such work by an address or view
    /// has promised that the memory stays accessible.
    ///
    /// See [`cuMemSetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` or
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the location cannot access the
    /// memory, such as the host for device memory.
    ///
    /// ```
    /// # use cuda_safe::{memory::{virtual_memory::{AddressRange, PhysicalMemory}, MemoryAccess}, Context};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let unit = PhysicalMemory::unit(&context)?;
    /// # let range = AddressRange::reserve(&context, unit)?;
    /// let mut mapping = range.map(0, &PhysicalMemory::new(&context, unit)?)?;
    /// assert_eq!(mapping.access(context.device())?, MemoryAccess::NONE);
    /// mapping.set_access(context.device(), MemoryAccess::READ)?;
    /// assert_eq!(mapping.access(context.device())?, MemoryAccess::READ);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemSetAccess")]
    pub fn set_access(
        &mut self,
        location: impl Into<MemoryLocation>,
        access: MemoryAccess,
    ) -> Result<()> {
        let location = location.into();
        let context = self.context();
        if access != MemoryAccess::READ_WRITE {
            context.settle_or_leak()?;
        }
        self.part().set_access(location, access)
    }

    /// Returns the access that a device or the host has to the memory at these addresses.
    ///
    /// See [`cuMemGetAccess`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the location does not exist.
    #[doc(alias = "cuMemGetAccess")]
    pub fn access(&self, location: impl Into<MemoryLocation>) -> Result<MemoryAccess> {
        let location = location.into().raw();
        let context = self.context();
        let _current = context.enter("cuMemGetAccess")?;
        let mut flags = 0;
        // SAFETY: `flags` is valid for the write, and the location for the read.
        let code = unsafe { sys::cuMemGetAccess(&mut flags, &location, self.as_device_ptr()) };
        context.check("cuMemGetAccess", code)?;
        Ok(MemoryAccess(flags as u32))
    }

    /// Returns a view of the memory as elements, for reading. It contains as many whole elements as
    /// fit.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the owner
    /// belongs to another context, or if the address is not aligned for `T`.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - nothing writes to the memory while the view is used, including through another mapping of
    ///   it in this or another process;
    /// - the owner's device has read access ([`set_access`](Self::set_access));
    /// - work that uses the view in other contexts that have access is over before access is
    ///   revoked or the mapping ends.
    pub unsafe fn view<'a, T: PlainData>(
        &'a self,
        owner: impl Into<Owner<'a>>,
    ) -> Result<DeviceView<'a, T>> {
        let owner = self.owner(owner, "Mapping::view")?;
        expect_aligned::<T>(self.as_device_ptr(), "Mapping::view")?;
        // SAFETY: the memory stays mapped while this is borrowed. The caller guarantees the rest.
        Ok(unsafe { DeviceView::borrow_raw(self.as_device_ptr(), self.len::<T>(), owner) })
    }

    /// Returns a view of the memory as elements, for writing. It contains as many whole elements as
    /// fit.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the owner
    /// belongs to another context, or if the address is not aligned for `T`.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - nothing else uses the memory while the view is used, neither another view nor another
    ///   mapping of it in this or another process;
    /// - the owner's device has write access ([`set_access`](Self::set_access));
    /// - work that uses the view in other contexts that have access is over before access is
    ///   revoked or the mapping ends.
    pub unsafe fn view_mut<'a, T: PlainData>(
        &'a self,
        owner: impl Into<Owner<'a>>,
    ) -> Result<DeviceViewMut<'a, T>> {
        let owner = self.owner(owner, "Mapping::view_mut")?;
        expect_aligned::<T>(self.as_device_ptr(), "Mapping::view_mut")?;
        // SAFETY: as above.
        Ok(unsafe { DeviceViewMut::borrow_raw(self.as_device_ptr(), self.len::<T>(), owner) })
    }

    fn owner<'a>(&self, owner: impl Into<Owner<'a>>, call: &'static str) -> Result<Owner<'a>> {
        let owner = owner.into();
        let context = self.context();
        context.expect_same(
            owner.context(),
            call,
            "the mapping and the owner of its view",
        )?;
        Ok(owner)
    }

    fn len<T>(&self) -> usize {
        self.size().checked_div(size_of::<T>()).unwrap_or(0)
    }

    /// Waits for the context's work, unmaps the memory, and reports errors. Dropping does the same,
    /// but discards the error.
    ///
    /// See [`cuMemUnmap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error, or that of the wait. If it is unknown whether the work is over,
    /// the memory stays mapped forever.
    #[doc(alias = "cuMemUnmap")]
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        let Some(part) = self.0.take() else {
            return Ok(());
        };
        let context = part.range.context().clone();
        release(&context.clone(), move || {
            let ended = context.settle_or_leak().and_then(|()| part.unmap());
            if ended.is_err() {
                // The memory may still be mapped or in use.
                part.leak();
            }
            ended
        })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.end());
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (address, size) = (self.as_device_ptr(), self.size());
        write!(f, "Mapping({address:#x}, {size} bytes)")
    }
}
