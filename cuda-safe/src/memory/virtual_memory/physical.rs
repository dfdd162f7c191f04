//! Physical memory without addresses.

use std::{
    ffi::c_uint,
    fmt, mem,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_sys::{
    self as sys, CUdeviceptr, CUmemAllocationGranularity_flags, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationType, CUmemGenericAllocationHandle, CUpointer_attribute,
};

use super::{granularity::Granularity, shareable::explain_fabric};
pub use crate::raw::memory::PhysicalUsage;
use crate::{
    capture::{Nothing, release, released},
    context::Context,
    device::peer::ShareableHandles,
    driver::callback,
    error::{Error, Result, fault::discarding_errors},
    memory::{MemoryLocation, size},
    raw::{file::object_attributes, flags::options},
};

/// Physical memory, which [`AddressRange::map`](super::AddressRange::map) can map at one or more
/// addresses.
///
/// Cloning creates another reference to the same memory. A [`Mapping`](super::Mapping) holds a
/// reference, too. Dropping the last reference frees the memory.
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
    /// The bound memory, if this is a multicast object.
    bound: Mutex<Vec<PhysicalMemory>>,
}

options! {
    /// Options for allocating physical memory. [`PhysicalMemory::new`] uses
    /// `PhysicalOptions::default()`.
    ///
    /// ```
    /// # use cuda_safe::{
    /// #     Context,
    /// #     memory::{virtual_memory::{Granularity, PhysicalMemory, PhysicalOptions}, MemoryLocation},
    /// #     share::ShareableHandles,
    /// # };
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// // Allocates host memory that can be shared with other processes.
    /// let options = PhysicalOptions::default()
    ///     .location(MemoryLocation::host_numa(0))
    ///     .handles(ShareableHandles::FILE);
    /// let size = PhysicalMemory::granularity(&context, options, Granularity::MINIMUM)?;
    /// let memory = PhysicalMemory::with_options(&context, size, options)?;
    /// assert_eq!(memory.properties()?.location, MemoryLocation::host_numa(0));
    /// # Ok(())
    /// # }
    /// ```
    pub struct PhysicalOptions {
        /// The location: by default the context's device, or a NUMA node of the host, whose memory
        /// the host can access, too.
        location: Option<MemoryLocation>, set to MemoryLocation;
        /// The kinds of handles that can share the memory with other processes.
        handles: ShareableHandles;
        /// Whether the device may compress the memory if it supports that
        /// (`CU_MEM_ALLOCATION_COMP_GENERIC`).
        compressible: bool;
        /// Whether other devices on the bus, such as network cards, can access the memory directly
        /// (GPUDirect RDMA).
        rdma: bool;
        /// Further uses of the memory.
        usage: PhysicalUsage;
    }
}

/// The properties of physical memory: see [`PhysicalMemory::properties`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhysicalProperties {
    /// The location of the memory.
    pub location: MemoryLocation,
    /// The kinds of handles that can export the memory. Imported memory cannot be exported again.
    pub handles: ShareableHandles,
    /// Whether the device may compress the memory.
    pub compressible: bool,
    /// Whether other devices on the bus can access the memory directly.
    pub rdma: bool,
    /// Further uses of the memory.
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
                "the usage {:?} has the bits {unknown:#x}, but the driver accepts only 16 bits",
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
        win32HandleMetaData: object_attributes(options.handles.0),
        ..Default::default()
    };
    raw.allocFlags.compressionType = u8::from(options.compressible);
    raw.allocFlags.gpuDirectRDMACapable = u8::from(options.rdma);
    raw.allocFlags.usage = usage;
    Ok(raw)
}

impl PhysicalMemory {
    /// Returns the granularity of physical memory and address ranges on the context's device, in
    /// bytes (2 MiB on an H200). Sizes must be multiples of it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device has no
    /// virtual memory management.
    pub fn unit(context: &Context) -> Result<usize> {
        Self::granularity(context, PhysicalOptions::default(), Granularity::MINIMUM)
    }

    /// Returns the required or recommended granularity of memory with these options, in bytes.
    ///
    /// See [`cuMemGetAllocationGranularity`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device has no
    /// virtual memory management.
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
        // SAFETY: `bytes` is valid for the write, and the properties for the read.
        let code = unsafe { sys::cuMemGetAllocationGranularity(&mut bytes, &properties, which) };
        context.check("cuMemGetAllocationGranularity", code)?;
        Ok(bytes)
    }

    /// Allocates `size` bytes of the context's device, a multiple of [`unit`](Self::unit).
    ///
    /// See [`cuMemCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the size is 0
    /// or not such a multiple. Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory)
    /// with the requested and free bytes if the allocation fails.
    #[doc(alias = "cuMemCreate")]
    pub fn new(context: &Context, size: usize) -> Result<Self> {
        Self::with_options(context, size, PhysicalOptions::default())
    }

    /// Allocates `size` bytes of memory with options.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new). Returns `CUDA_ERROR_NOT_PERMITTED` if the options
    /// request fabric handles and the process may not use them. Returns `CUDA_ERROR_INVALID_VALUE`
    /// if the location does not exist.
    pub fn with_options(context: &Context, size: usize, options: PhysicalOptions) -> Result<Self> {
        let unit = Self::granularity(context, options, Granularity::MINIMUM)?;
        size::expect_multiple(size, unit, "PhysicalMemory::new")?;
        let properties = raw_properties(context, options, "PhysicalMemory::with_options")?;
        let _current = context.enter("cuMemCreate")?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for the write, and the properties for the read.
        let code = unsafe { sys::cuMemCreate(&mut raw, size, &properties, 0) };
        context
            .check_allocation("cuMemCreate", code, size)
            .map_err(
                |error| match options.handles.contains(ShareableHandles::FABRIC) {
                    true => explain_fabric(error),
                    false => error,
                },
            )?;
        // SAFETY: the handle was just created with this size and has no other owner.
        Ok(unsafe { Self::from_raw(raw, size, context) })
    }

    /// Takes ownership of a raw handle. Dropping the last clone releases it with `cuMemRelease`.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a live handle of `size` bytes, and that nothing else
    /// releases it.
    #[must_use]
    pub unsafe fn from_raw(
        raw: CUmemGenericAllocationHandle,
        size: usize,
        context: &Context,
    ) -> Self {
        Self(Arc::new(Inner {
            context: context.clone(),
            raw,
            size,
            owned: true,
            bound: Mutex::default(),
        }))
    }

    /// Gives up ownership of the raw handle and returns it. You must release it with
    /// `cuMemRelease`.
    ///
    /// # Errors
    /// Returns the object unchanged if clones or mappings still share it, or if it is a
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

    /// Returns the driver's handle, which stays valid as long as this object or a clone of it
    /// lives.
    #[must_use]
    pub fn as_raw(&self) -> CUmemGenericAllocationHandle {
        self.0.raw
    }

    /// Returns the memory that is mapped at an address, regardless of which code mapped it.
    ///
    /// See [`cuMemRetainAllocationHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if no physical memory is mapped at the address.
    ///
    /// # Safety
    /// The caller must ensure that the memory stays mapped at the address during the call.
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
        // SAFETY: `raw` is valid for the write, and the driver only looks up the address.
        let code = unsafe { sys::cuMemRetainAllocationHandle(&mut raw, place) };
        context.check("cuMemRetainAllocationHandle", code)?;
        // SAFETY: the reference is owned. Memory is mapped as a whole, so the mapping's size is the
        // memory's.
        Ok(unsafe { Self::from_raw(raw, size, context) })
    }

    pub(super) fn bound(&self) -> &Mutex<Vec<Self>> {
        &self.0.bound
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// Returns the context in which the memory was allocated.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Returns the properties of the memory as reported by the driver.
    ///
    /// See [`cuMemGetAllocationPropertiesFromHandle`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    #[doc(alias = "cuMemGetAllocationPropertiesFromHandle")]
    pub fn properties(&self) -> Result<PhysicalProperties> {
        callback::reject_in_callback("cuMemGetAllocationPropertiesFromHandle")?;
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

    /// Drops this reference and reports errors. If it was the last one, releases the memory.
    /// Otherwise the last clone or mapping releases it. Dropping does the same, but discards the
    /// error.
    ///
    /// See [`cuMemRelease`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error. The handle is not used again, even if the call fails.
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
            // SAFETY: the handle is owned and released once. The driver keeps mapped memory alive.
            let code = released(|| unsafe { sys::cuMemRelease(raw) });
            context.check("cuMemRelease", code)
        })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.release());
    }
}

impl PartialEq for PhysicalMemory {
    /// Returns whether both have the same handle. Memory can have several handles, which are not
    /// equal.
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
