//! Reserved address ranges.

use std::{fmt, sync::Arc};

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use super::{mapping::Mapping, physical::PhysicalMemory};
use crate::{
    capture::{Nothing, release, released},
    context::Context,
    device::attribute::DeviceAttribute,
    error::{Error, ErrorKind, Result, fault::discarding_errors},
    memory::size,
};

/// A reserved range of device addresses.
///
/// The driver gives the addresses to nothing else. Until you map memory there, every access to them
/// is a fault.
///
/// Cloning creates another reference to the same range. A [`Mapping`] holds a reference, too.
/// Dropping the last reference frees the addresses.
///
/// ```
/// use cuda_safe::{
///     memory::{virtual_memory::{AddressRange, PhysicalMemory}, MemoryAccess}, Context, DeviceView, Stream,
/// };
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let unit = PhysicalMemory::unit(&context)?;
/// // Reserves room for four units, and maps memory to the last.
/// let range = AddressRange::reserve(&context, 4 * unit)?;
/// let memory = PhysicalMemory::new(&context, unit)?;
/// let mut mapping = range.map(3 * unit, &memory)?;
/// mapping.set_access(context.device(), MemoryAccess::READ_WRITE)?;
/// // SAFETY: the memory has no other mapping.
/// let mut words = unsafe { mapping.view_mut::<u32>(&stream)? };
/// words.slice_mut(..3)?.copy_from_slice(&stream, &[1, 2, 3])?;
/// assert_eq!(words.slice(..3)?.to_vec(&stream)?, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AddressRange(Arc<Reserved>);

struct Reserved {
    context: Context,
    address: CUdeviceptr,
    size: usize,
    /// The offset of a mapping must be a multiple of this.
    unit: usize,
}

impl AddressRange {
    /// Reserves `size` bytes of addresses, a multiple of [`PhysicalMemory::unit`]. The size can be
    /// much larger than the memory.
    ///
    /// See [`cuMemAddressReserve`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the size is 0 or not such a multiple. Returns
    /// [`ErrorKind::Unsupported`] if the device has no virtual memory management. Returns
    /// `CUDA_ERROR_OUT_OF_MEMORY` if there are not enough free addresses. Its kind is
    /// [`ErrorKind::Driver`], because no memory is missing.
    #[doc(alias = "cuMemAddressReserve")]
    pub fn reserve(context: &Context, size: usize) -> Result<Self> {
        Self::reserve_near(context, size, 0, 0)
    }

    /// Reserves addresses like [`reserve`](Self::reserve), with an alignment and a preferred
    /// address.
    ///
    /// The range starts at a multiple of `alignment` bytes (a power of two, or 0 for any), and at
    /// the address `preferred_address` if possible (0 for any).
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if `alignment` is not a power of two. Also returns
    /// the errors of [`reserve`](Self::reserve). It is not an error if the preferred address is not
    /// available.
    ///
    /// ```
    /// # use cuda_safe::{memory::virtual_memory::{AddressRange, PhysicalMemory}, Context};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let unit = PhysicalMemory::unit(&context)?;
    /// let range = AddressRange::reserve_near(&context, unit, 1 << 30, 0)?;
    /// assert_eq!(range.as_device_ptr() % (1 << 30), 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reserve_near(
        context: &Context,
        size: usize,
        alignment: usize,
        preferred_address: CUdeviceptr,
    ) -> Result<Self> {
        const CALL: &str = "AddressRange::reserve";
        let needed = DeviceAttribute::VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED;
        if context.device().attribute(needed)? == 0 {
            return Err(Error::checked(
                ErrorKind::Unsupported,
                CALL,
                "this device has no virtual memory management (VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED is 0). Fix: use \
                 a DeviceBuffer",
            ));
        }
        let unit = PhysicalMemory::unit(context)?;
        size::expect_multiple(size, unit, CALL)?;
        if alignment != 0 && !alignment.is_power_of_two() {
            let detail = format!("the alignment of {alignment} bytes is not a power of two");
            return Err(Error::invalid(CALL, detail));
        }
        let _current = context.enter("cuMemAddressReserve")?;
        let mut address = 0;
        // SAFETY: `address` is valid for the write.
        let code = unsafe {
            sys::cuMemAddressReserve(&mut address, size, alignment, preferred_address, 0)
        };
        context
            .check("cuMemAddressReserve", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    error.with_kind(ErrorKind::Driver).with_detail(format!(
                        "there are no {size} contiguous free addresses. This is a lack of addresses, not of memory. \
                         Fix: reserve fewer"
                    ))
                }
                _ => error,
            })?;
        Ok(Self(Arc::new(Reserved {
            context: context.clone(),
            address,
            size,
            unit,
        })))
    }

    /// Returns the first address.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.0.address
    }

    /// Returns the size of the range in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// Returns the context in which the range was reserved.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Maps all of a physical memory at `offset` bytes into the range. No device can use it there
    /// until you call [`Mapping::set_access`].
    ///
    /// The same memory can be mapped several times. All mappings show the same bytes.
    ///
    /// See [`cuMemMap`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the memory does not fit at the offset, if the
    /// offset is not a multiple of [`PhysicalMemory::unit`], or if other memory is already mapped
    /// there.
    #[doc(alias = "cuMemMap")]
    pub fn map(&self, offset: usize, memory: &PhysicalMemory) -> Result<Mapping> {
        const CALL: &str = "AddressRange::map";
        let end = offset.checked_add(memory.size());
        // The driver does not check that the mapping ends within the range.
        if end.is_none_or(|end| end > self.size()) {
            let detail = format!(
                "{} bytes at offset {offset} exceed the {} reserved bytes",
                memory.size(),
                self.size()
            );
            return Err(Error::invalid(CALL, detail));
        }
        let unit = self.0.unit;
        if !offset.is_multiple_of(unit) {
            let detail = format!(
                "the offset of {offset} bytes is not a multiple of the unit {unit} (PhysicalMemory::unit)"
            );
            return Err(Error::invalid(CALL, detail));
        }
        Mapping::new(self, offset, memory)
    }

    /// Drops this reference and reports errors. If it was the last one, frees the addresses.
    /// Otherwise the last clone or mapping frees them. Dropping does the same, but discards the
    /// error.
    ///
    /// See [`cuMemAddressFree`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error. The addresses are not used again, even if the call fails.
    #[doc(alias = "cuMemAddressFree")]
    pub fn close(self) -> Result<()> {
        Arc::into_inner(self.0).map_or(Ok(()), |mut reserved| reserved.free())
    }
}

impl Reserved {
    fn free(&mut self) -> Result<()> {
        let size = std::mem::take(&mut self.size);
        if size == 0 {
            return Ok(());
        }
        let (context, address) = (self.context.clone(), self.address);
        release(&Nothing, move || {
            let _current = context.enter("cuMemAddressFree").ok();
            // SAFETY: the addresses are reserved and freed once, because mappings hold a reference.
            let code = released(|| unsafe { sys::cuMemAddressFree(address, size) });
            context.check("cuMemAddressFree", code)
        })
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| self.free());
    }
}

impl PartialEq for AddressRange {
    /// Returns whether both are the same range.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for AddressRange {}

impl fmt::Debug for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (address, size) = (self.as_device_ptr(), self.size());
        write!(f, "AddressRange({address:#x}, {size} bytes)")
    }
}
