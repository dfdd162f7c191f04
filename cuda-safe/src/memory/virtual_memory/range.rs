//! Reserved addresses.

use std::{fmt, sync::Arc};

use cuda_sys::{self as sys, CUdeviceptr, CUresult};

use super::{mapping::Mapping, physical::PhysicalMemory};
use crate::{
    capture::{Nothing, release, released},
    context::Context,
    device::attribute::DeviceAttribute,
    error::{Error, ErrorKind, Result, fault::unheard},
    memory::size,
};

/// Addresses that the driver gives to nobody else. There is no memory behind them until some is mapped there, and an
/// access before that is a fault.
///
/// Cloning gives another reference to the same range. It is given back when the last is dropped; a [`Mapping`] holds one.
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
/// // Room for four units, of which the last is filled.
/// let range = AddressRange::reserve(&context, 4 * unit)?;
/// let memory = PhysicalMemory::new(&context, unit)?;
/// let mut mapping = range.map(3 * unit, &memory)?;
/// mapping.set_access(context.device(), MemoryAccess::READ_WRITE)?;
/// // SAFETY: this mapping is the memory's only one.
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
    /// What offsets of mappings are multiples of.
    unit: usize,
}

impl AddressRange {
    /// Reserves `size` bytes of addresses, a multiple of [`PhysicalMemory::unit`]. It may be much more than there is
    /// memory.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a size that is no such multiple, or 0. [`ErrorKind::Unsupported`] where the
    /// device has no virtual memory management. `CUDA_ERROR_OUT_OF_MEMORY` where so many addresses are not left: the kind is
    /// [`ErrorKind::Driver`], since no memory lacks.
    #[doc(alias = "cuMemAddressReserve")]
    pub fn reserve(context: &Context, size: usize) -> Result<Self> {
        Self::reserve_near(context, size, 0, 0)
    }

    /// As [`reserve`](Self::reserve), at a multiple of `alignment` bytes (a power of two; 0 for any), and at the address
    /// `wish` if that is possible (0 for any).
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve). A wish that can't be granted is no error.
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
        wish: CUdeviceptr,
    ) -> Result<Self> {
        const CALL: &str = "AddressRange::reserve";
        let needed = DeviceAttribute::VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED;
        if context.device().attribute(needed)? == 0 {
            return Err(Error::checked(
                ErrorKind::Unsupported,
                CALL,
                "this device has no virtual memory management (VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED): use a DeviceBuffer",
            ));
        }
        let unit = PhysicalMemory::unit(context)?;
        size::expect_multiple(size, unit, CALL)?;
        if alignment != 0 && !alignment.is_power_of_two() {
            let detail = format!("an alignment of {alignment} bytes is no power of two");
            return Err(Error::invalid(CALL, detail));
        }
        let _current = context.enter("cuMemAddressReserve")?;
        let mut address = 0;
        // SAFETY: `address` is valid for the write.
        let code = unsafe { sys::cuMemAddressReserve(&mut address, size, alignment, wish, 0) };
        context
            .check("cuMemAddressReserve", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    error.with_kind(ErrorKind::Driver).with_detail(format!(
                        "there are no {size} addresses in a row that nobody has. It is not memory that lacks: reserve fewer"
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

    /// The first address.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.0.address
    }

    /// How many bytes of addresses there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// The context that the range was reserved in.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Maps physical memory, all of it, from `offset` bytes into the range on. Nobody may use it there until
    /// [`Mapping::set_access`] has said who may.
    ///
    /// The same memory can be mapped several times, and all places show the same bytes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where the memory doesn't fit there, the offset is no multiple of
    /// [`PhysicalMemory::unit`], or something is mapped there already.
    #[doc(alias = "cuMemMap")]
    pub fn map(&self, offset: usize, memory: &PhysicalMemory) -> Result<Mapping> {
        const CALL: &str = "AddressRange::map";
        let end = offset.checked_add(memory.size());
        // The driver itself may map beyond the end.
        if end.is_none_or(|end| end > self.size()) {
            let detail = format!(
                "{} bytes at offset {offset} end behind the {} reserved bytes",
                memory.size(),
                self.size()
            );
            return Err(Error::invalid(CALL, detail));
        }
        let unit = self.0.unit;
        if !offset.is_multiple_of(unit) {
            let detail = format!(
                "an offset of {offset} bytes is no multiple of {unit}, the unit here (PhysicalMemory::unit)"
            );
            return Err(Error::invalid(CALL, detail));
        }
        Mapping::new(self, offset, memory)
    }

    /// Gives the addresses back now, and reports whether that worked. A range that is still shared, with clones or with
    /// mappings, is given back by the last of them. Dropping does the same, and discards the error.
    ///
    /// # Errors
    /// The driver's code. The addresses are not used again in any case.
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
            // SAFETY: reserved, and given back once; mappings held a reference.
            let code = released(|| unsafe { sys::cuMemAddressFree(address, size) });
            context.check("cuMemAddressFree", code)
        })
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.free());
    }
}

impl PartialEq for AddressRange {
    /// Whether both are the same range.
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
