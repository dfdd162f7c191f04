//! Physical memory.

use std::{
    ffi::c_uint,
    fmt, mem,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_sys::{
    self as sys, CUdeviceptr, CUmemAllocationGranularity_flags, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationType, CUmemGenericAllocationHandle, CUpointer_attribute,
};

use super::{granularity::Granularity, shareable::fabric_refused};
pub use crate::raw::memory::PhysicalUsage;
use crate::{
    capture::{Nothing, release, released},
    context::Context,
    device::peer::ShareableHandles,
    driver::callback,
    error::{Error, Result, fault::unheard},
    memory::{MemoryLocation, size},
    raw::flags::options,
};

/// Memory without an address: it gets one by [`AddressRange::map`](super::AddressRange::map), or several.
///
/// Cloning gives another reference to the same memory. It is freed when the last is dropped; a
/// [`Mapping`](super::Mapping) holds one.
///
/// ```
/// use cuda_safe::{Context, memory::{MemoryLocation, virtual_memory::PhysicalMemory}};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let memory = PhysicalMemory::new(&context, PhysicalMemory::unit(&context)?)?;
/// let properties = memory.properties()?;
/// assert_eq!(properties.location, MemoryLocation::device(context.device()));
/// assert!(!properties.compressible);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PhysicalMemory(Arc<Inner>);

struct Inner {
    context: Context,
    raw: CUmemGenericAllocationHandle,
    size: usize,
    owned: bool,
    /// What is bound to it, if it is a multicast object.
    bound: Mutex<Vec<PhysicalMemory>>,
}

options! {
    /// How physical memory is made. [`PhysicalMemory::new`] uses `PhysicalOptions::default()`.
    ///
    /// ```
    /// # use cuda_safe::{
    /// #     Context,
    /// #     memory::{virtual_memory::{Granularity, PhysicalMemory, PhysicalOptions}, MemoryLocation},
    /// #     share::ShareableHandles,
    /// # };
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// // Memory of the host, which other processes may have.
    /// let options = PhysicalOptions::default()
    ///     .location(MemoryLocation::host_numa(0))
    ///     .handles(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    /// let size = PhysicalMemory::granularity(&context, options, Granularity::MINIMUM)?;
    /// let memory = PhysicalMemory::with_options(&context, size, options)?;
    /// assert_eq!(memory.properties()?.location, MemoryLocation::host_numa(0));
    /// # Ok(())
    /// # }
    /// ```
    pub struct PhysicalOptions {
        /// Where it is: the context's device by default, or a NUMA node of the host, which the host reaches too.
        location: Option<MemoryLocation>, set to MemoryLocation;
        /// How other processes may be given it.
        handles: ShareableHandles;
        /// Whether the device may keep it compressed, where it can (`CU_MEM_ALLOCATION_COMP_GENERIC`).
        compressible: bool;
        /// Whether other devices on the bus, such as network cards, reach it directly (GPUDirect RDMA).
        rdma: bool;
        /// What else it will be used for.
        usage: PhysicalUsage;
    }
}

/// What physical memory is: see [`PhysicalMemory::properties`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhysicalProperties {
    /// Where it is.
    pub location: MemoryLocation,
    /// How it can be exported. What was imported can't be exported again.
    pub handles: ShareableHandles,
    /// Whether the device may keep it compressed.
    pub compressible: bool,
    /// Whether other devices on the bus reach it directly.
    pub rdma: bool,
    /// What else it may be used for.
    pub usage: PhysicalUsage,
}

fn raw_properties(
    context: &Context,
    options: PhysicalOptions,
    call: &'static str,
) -> Result<CUmemAllocationProp> {
    let Ok(usage) = u16::try_from(options.usage.0) else {
        let unknown = options.usage.0 & !u32::from(u16::MAX);
        return Err(Error::invalid(
            call,
            format!(
                "a usage of {:?}: the driver has 16 bits for it, without {unknown:#x}",
                options.usage
            ),
        ));
    };
    let mut raw = CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CUmemAllocationHandleType(options.handles.0),
        location: options
            .location
            .unwrap_or_else(|| MemoryLocation::device(context.device()))
            .raw(),
        ..Default::default()
    };
    raw.allocFlags.compressionType = u8::from(options.compressible);
    raw.allocFlags.gpuDirectRDMACapable = u8::from(options.rdma);
    raw.allocFlags.usage = usage;
    Ok(raw)
}

impl PhysicalMemory {
    /// What sizes of physical memory on the context's device, and of address ranges, are multiples of, in bytes: 2 MiB on
    /// an H200.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the device has no virtual memory management.
    pub fn unit(context: &Context) -> Result<usize> {
        Self::granularity(context, PhysicalOptions::default(), Granularity::MINIMUM)
    }

    /// What sizes of such memory must, or had better, be multiples of, in bytes.
    ///
    /// # Errors
    /// As [`unit`](Self::unit).
    #[doc(alias = "cuMemGetAllocationGranularity")]
    pub fn granularity(
        context: &Context,
        options: PhysicalOptions,
        which: Granularity,
    ) -> Result<usize> {
        let properties = raw_properties(context, options, "PhysicalMemory::granularity")?;
        let which = CUmemAllocationGranularity_flags(which.0);
        let _current = context.enter("cuMemGetAllocationGranularity")?;
        let mut bytes = 0;
        // SAFETY: `bytes` is valid for the write, the properties for the read.
        let code = unsafe { sys::cuMemGetAllocationGranularity(&mut bytes, &properties, which) };
        context.check("cuMemGetAllocationGranularity", code)?;
        Ok(bytes)
    }

    /// Takes `size` bytes of the context's device, a multiple of [`unit`](Self::unit).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a size that is no such multiple, or 0.
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory), with the bytes requested and free.
    #[doc(alias = "cuMemCreate")]
    pub fn new(context: &Context, size: usize) -> Result<Self> {
        Self::with_options(context, size, PhysicalOptions::default())
    }

    /// Takes `size` bytes of memory.
    ///
    /// # Errors
    /// As [`new`](Self::new). `CUDA_ERROR_NOT_PERMITTED` for fabric handles without the rights that these take;
    /// `CUDA_ERROR_INVALID_VALUE` for a place that there is none of.
    pub fn with_options(context: &Context, size: usize, options: PhysicalOptions) -> Result<Self> {
        let unit = Self::granularity(context, options, Granularity::MINIMUM)?;
        size::expect_multiple(size, unit, "PhysicalMemory::new")?;
        let properties = raw_properties(context, options, "PhysicalMemory::with_options")?;
        let _current = context.enter("cuMemCreate")?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for the write, the properties for the read.
        let code = unsafe { sys::cuMemCreate(&mut raw, size, &properties, 0) };
        context
            .check_allocation("cuMemCreate", code, size)
            .map_err(
                |error| match options.handles.contains(ShareableHandles::FABRIC) {
                    true => fabric_refused(error),
                    false => error,
                },
            )?;
        // SAFETY: just made, of this size, and owned by nobody else.
        Ok(unsafe { Self::from_raw(context, raw, size) })
    }

    /// Takes ownership of a raw handle. It is released, with `cuMemRelease`, when the last clone is dropped.
    ///
    /// # Safety
    /// `raw` is a live handle of `size` bytes, and nobody else releases it.
    #[must_use]
    pub unsafe fn from_raw(
        context: &Context,
        raw: CUmemGenericAllocationHandle,
        size: usize,
    ) -> Self {
        Self(Arc::new(Inner {
            context: context.clone(),
            raw,
            size,
            owned: true,
            bound: Mutex::default(),
        }))
    }

    /// Hands the raw handle over to the caller, who releases it (`cuMemRelease`).
    ///
    /// # Errors
    /// Returns the object unchanged where it is still shared, with clones or with mappings, and where it is a
    /// [`MulticastObject`](super::MulticastObject) that holds memory, which would be freed.
    pub fn into_raw(self) -> Result<CUmemGenericAllocationHandle, Self> {
        let mut inner = Arc::try_unwrap(self.0).map_err(Self)?;
        let bound = inner
            .bound
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if !bound.is_empty() {
            return Err(Self(Arc::new(inner)));
        }
        inner.owned = false;
        Ok(inner.raw)
    }

    /// The driver's handle. It stays valid for as long as this object, or a clone of it, exists.
    #[must_use]
    pub fn as_raw(&self) -> CUmemGenericAllocationHandle {
        self.0.raw
    }

    /// The memory that is mapped at an address, by whomever.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where no physical memory is mapped there.
    ///
    /// # Safety
    /// What is mapped at the address stays mapped during the call.
    ///
    /// ```
    /// # use cuda_safe::{memory::virtual_memory::{AddressRange, PhysicalMemory}, Context};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let unit = PhysicalMemory::unit(&context)?;
    /// let range = AddressRange::reserve(&context, unit)?;
    /// let mapping = range.map(0, &PhysicalMemory::new(&context, unit)?)?;
    /// // SAFETY: the mapping is alive.
    /// let memory = unsafe { PhysicalMemory::mapped_at(&context, mapping.as_device_ptr() + 64)? };
    /// assert_eq!(memory.size(), unit);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuMemRetainAllocationHandle")]
    pub unsafe fn mapped_at(context: &Context, address: CUdeviceptr) -> Result<Self> {
        const SIZE: CUpointer_attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MAPPING_SIZE;
        let _current = context.enter("cuPointerGetAttribute")?;
        let mut size = 0usize;
        // SAFETY: the attribute is written as a size.
        let code = unsafe { sys::cuPointerGetAttribute((&raw mut size).cast(), SIZE, address) };
        context.check("cuPointerGetAttribute", code)?;
        let mut raw = 0;
        let place = std::ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: `raw` is valid for the write; the address is only looked up.
        let code = unsafe { sys::cuMemRetainAllocationHandle(&mut raw, place) };
        context.check("cuMemRetainAllocationHandle", code)?;
        // SAFETY: a reference of our own. Memory is mapped as a whole, so the mapping's size is its own.
        Ok(unsafe { Self::from_raw(context, raw, size) })
    }

    pub(super) fn bound(&self) -> &Mutex<Vec<Self>> {
        &self.0.bound
    }

    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The context that it was made in.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// What the memory is, as the driver tells.
    ///
    /// # Errors
    /// None that a working driver returns for live memory.
    #[doc(alias = "cuMemGetAllocationPropertiesFromHandle")]
    pub fn properties(&self) -> Result<PhysicalProperties> {
        callback::refuse_within("cuMemGetAllocationPropertiesFromHandle")?;
        let mut raw = CUmemAllocationProp::default();
        // SAFETY: `raw` is valid for the write, and the handle is live.
        let code = unsafe { sys::cuMemGetAllocationPropertiesFromHandle(&mut raw, self.as_raw()) };
        let context = self.context();
        context.check("cuMemGetAllocationPropertiesFromHandle", code)?;
        Ok(PhysicalProperties {
            location: MemoryLocation {
                kind: raw.location.type_.0,
                id: raw.location.identifier(),
            },
            handles: ShareableHandles(raw.requestedHandleTypes.0),
            compressible: raw.allocFlags.compressionType != 0,
            rdma: raw.allocFlags.gpuDirectRDMACapable != 0,
            usage: PhysicalUsage(c_uint::from(raw.allocFlags.usage)),
        })
    }

    /// Releases the memory now, and reports whether that worked. Memory that is still shared, with clones or with
    /// mappings, is released by the last of them. Dropping does the same, and discards the error.
    ///
    /// # Errors
    /// The driver's code. The handle is not used again in any case.
    #[doc(alias = "cuMemRelease")]
    pub fn close(self) -> Result<()> {
        Arc::into_inner(self.0).map_or(Ok(()), |mut inner| inner.release())
    }
}

impl Inner {
    fn release(&mut self) -> Result<()> {
        if !mem::take(&mut self.owned) {
            return Ok(());
        }
        let (context, raw) = (self.context.clone(), self.raw);
        release(&Nothing, move || {
            let _current = context.enter("cuMemRelease").ok();
            // SAFETY: owned, and released once; the driver keeps what is mapped.
            let code = released(|| unsafe { sys::cuMemRelease(raw) });
            context.check("cuMemRelease", code)
        })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.release());
    }
}

impl PartialEq for PhysicalMemory {
    /// Whether both have the same handle. One memory may have several, which are not equal.
    fn eq(&self, other: &Self) -> bool {
        self.as_raw() == other.as_raw()
    }
}

impl Eq for PhysicalMemory {}

impl fmt::Debug for PhysicalMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (raw, size) = (self.as_raw(), self.size());
        write!(f, "PhysicalMemory({raw:#x}, {size} bytes)")
    }
}
