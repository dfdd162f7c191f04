//! Physical memory at an address.

use std::fmt;

use cuda_sys::{self as sys, CUdeviceptr};

use super::{part::Part, physical::PhysicalMemory, range::AddressRange};
use crate::{
    capture::release,
    context::Context,
    error::{Result, fault::unheard},
    memory::{DeviceView, DeviceViewMut, MemoryAccess, MemoryLocation, PlainData, expect_aligned},
    stream::Owner,
};

/// Physical memory at an address of a range, made by [`AddressRange::map`]. It holds both.
///
/// When it is dropped, it waits until the work of its context is over, and unmaps the memory: the driver's own call
/// doesn't wait, and what is under way would fault. Work of other devices is not waited for.
pub struct Mapping(Option<Part>);

impl Mapping {
    /// The range has room for the memory at the offset.
    pub(super) fn new(
        range: &AddressRange,
        offset: usize,
        memory: &PhysicalMemory,
    ) -> Result<Self> {
        Ok(Self(Some(Part::map(range, offset, memory)?)))
    }

    fn part(&self) -> &Part {
        self.0.as_ref().expect("until it is dropped")
    }

    /// The first address.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.part().address
    }

    /// How many bytes are mapped: all of the memory.
    #[must_use]
    pub fn size(&self) -> usize {
        self.part().memory.size()
    }

    /// The memory behind the addresses.
    #[must_use]
    pub fn memory(&self) -> &PhysicalMemory {
        &self.part().memory
    }

    /// The range that the addresses are of.
    #[must_use]
    pub fn range(&self) -> &AddressRange {
        &self.part().range
    }

    /// The context that the range was reserved in.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.part().range.context()
    }

    /// Says what a device, or the host, may do with the memory at these addresses. Before it takes rights away, it waits for
    /// the work of the range's context. That of other devices, and of other contexts, is for the caller to wait for: who
    /// enqueued it by the address, or on a view, has promised that the memory stays within reach.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`, or [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported), for a place that can't reach
    /// the memory, as the host can't reach a device's.
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
        who: impl Into<MemoryLocation>,
        access: MemoryAccess,
    ) -> Result<()> {
        let who = who.into();
        let context = self.context();
        if access != MemoryAccess::READ_WRITE {
            context.settle_or_leak()?;
        }
        self.part().set_access(who, access)
    }

    /// What a device, or the host, may do with the memory at these addresses.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a place that there is none of.
    #[doc(alias = "cuMemGetAccess")]
    pub fn access(&self, who: impl Into<MemoryLocation>) -> Result<MemoryAccess> {
        let location = who.into().raw();
        let context = self.context();
        let _current = context.enter("cuMemGetAccess")?;
        let mut flags = 0;
        // SAFETY: `flags` is valid for the write, the location for the read.
        let code = unsafe { sys::cuMemGetAccess(&mut flags, &location, self.as_device_ptr()) };
        context.check("cuMemGetAccess", code)?;
        Ok(MemoryAccess(flags as u32))
    }

    /// The memory as elements, for reading: as many as it has room for.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the owner is of another context, and
    /// where the address is not aligned for `T`.
    ///
    /// # Safety
    /// While the view is used, nothing writes to the memory: by another mapping of it, in this process or in another one
    /// that has it. The owner's device may read it ([`set_access`](Self::set_access)). What uses the view in other contexts
    /// than the owner's, where others have been given access, is over before rights are taken away or the mapping ends.
    pub unsafe fn view<'a, T: PlainData>(
        &'a self,
        owner: impl Into<Owner<'a>>,
    ) -> Result<DeviceView<'a, T>> {
        let owner = self.owner(owner, "Mapping::view")?;
        expect_aligned::<T>(self.as_device_ptr(), "Mapping::view")?;
        // SAFETY: mapped for as long as this is borrowed; the rest is this function's contract.
        Ok(unsafe { DeviceView::borrow_raw(self.as_device_ptr(), self.len::<T>(), owner) })
    }

    /// The memory as elements, for writing: as many as it has room for.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    ///
    /// # Safety
    /// While the view is used, nothing else uses the memory: by another view, or another mapping of it, in this process or
    /// in another one that has it. The owner's device may write to it ([`set_access`](Self::set_access)). Work in other
    /// contexts is over as [`view`](Self::view) says.
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
            "the mapping and what its view belongs to",
        )?;
        Ok(owner)
    }

    fn len<T>(&self) -> usize {
        self.size().checked_div(size_of::<T>()).unwrap_or(0)
    }

    /// Waits until the context's work is over, unmaps the memory, and reports whether that worked. Dropping does the same,
    /// and discards the error.
    ///
    /// # Errors
    /// The driver's code, or that of the wait. Where it is not known whether the work is over, all stays as it is, for
    /// ever.
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
                // It may still be mapped, or in use.
                part.leak();
            }
            ended
        })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.end());
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (address, size) = (self.as_device_ptr(), self.size());
        write!(f, "Mapping({address:#x}, {size} bytes)")
    }
}
