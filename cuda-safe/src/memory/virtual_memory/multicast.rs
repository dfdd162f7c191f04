//! Memory of several devices that one store reaches.

use std::sync::PoisonError;

use cuda_sys::CUdeviceptr;

use super::{granularity::Granularity, physical::PhysicalMemory};
use crate::{
    context::Context,
    device::{Device, peer::ShareableHandles},
    driver::newer,
    error::Result,
    raw::{flags::options, structures::RawMulticast},
};

options! {
    /// What a multicast object is to be. There is no default worth having: it takes two devices at least, and a size.
    pub struct MulticastOptions {
        /// How many devices will be part of it.
        devices: u32;
        /// Bytes of memory of each of them: a multiple of [`MulticastObject::granularity`].
        size: usize;
        /// How other processes may be given it.
        handles: ShareableHandles;
    }
}

impl MulticastOptions {
    fn raw(self) -> RawMulticast {
        RawMulticast {
            devices: self.devices,
            size: self.size,
            handles: self.handles.0.into(),
            flags: 0,
        }
    }
}

/// Memory of several devices of a switch (NVSwitch), side by side: a store to the addresses where the object is mapped goes
/// to all of it at once, and `multimem` instructions reduce over it.
///
/// First all devices are [added](Self::add_device), then each one's memory is [bound](Self::bind), then the object is mapped
/// like any [memory](Self::memory).
///
/// Its calls are wrapped and their errors tested; nothing here has made such an object on a machine with a switch yet.
///
/// ```
/// use cuda_safe::{Context, DeviceAttribute, memory::virtual_memory::{MulticastObject, MulticastOptions}};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let options = MulticastOptions::default().devices(2).size(2 << 20);
/// match context.device().attribute(DeviceAttribute::MULTICAST_SUPPORTED) {
///     Ok(1) => {}
///     _ => assert!(MulticastObject::new(&context, options).is_err()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MulticastObject(PhysicalMemory);

impl MulticastObject {
    /// What sizes and offsets of such an object must, or had better, be multiples of, in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the device has no multicast
    /// ([`MULTICAST_SUPPORTED`](crate::DeviceAttribute::MULTICAST_SUPPORTED)), or the driver is older than 12.1.
    #[doc(alias = "cuMulticastGetGranularity")]
    pub fn granularity(
        context: &Context,
        options: MulticastOptions,
        which: Granularity,
    ) -> Result<usize> {
        let get_granularity = newer::cuMulticastGetGranularity()?;
        let _current = context.enter("cuMulticastGetGranularity")?;
        let mut bytes = 0;
        // SAFETY: `bytes` is valid for the write, the properties for the read.
        let code = unsafe { get_granularity(&mut bytes, &options.raw(), which.0) };
        context.check("cuMulticastGetGranularity", code)?;
        Ok(bytes)
    }

    /// Makes an object without devices.
    ///
    /// # Errors
    /// As [`granularity`](Self::granularity).
    #[doc(alias = "cuMulticastCreate")]
    pub fn new(context: &Context, options: MulticastOptions) -> Result<Self> {
        let create = newer::cuMulticastCreate()?;
        let _current = context.enter("cuMulticastCreate")?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for the write, the properties for the read.
        let code = unsafe { create(&mut raw, &options.raw()) };
        context.check("cuMulticastCreate", code)?;
        // SAFETY: just made, of this size, and owned by nobody else.
        Ok(Self(unsafe {
            PhysicalMemory::from_raw(context, raw, options.size)
        }))
    }

    /// The object as memory: it is exported, imported and mapped as such.
    #[must_use]
    pub fn memory(&self) -> &PhysicalMemory {
        &self.0
    }

    /// Memory that is a multicast object: one that was imported.
    ///
    /// # Safety
    /// It is one.
    #[must_use]
    pub unsafe fn from_memory(memory: PhysicalMemory) -> Self {
        Self(memory)
    }

    /// Makes a device part of it. All of them must be before any memory is bound.
    ///
    /// # Errors
    /// The driver's code for a device that has no multicast, or was added already.
    #[doc(alias = "cuMulticastAddDevice")]
    pub fn add_device(&self, device: Device) -> Result<()> {
        let add_device = newer::cuMulticastAddDevice()?;
        let context = self.0.context();
        let _current = context.enter("cuMulticastAddDevice")?;
        // SAFETY: the handle is live.
        let code = unsafe { add_device(self.0.as_raw(), device.as_raw()) };
        context.check("cuMulticastAddDevice", code)
    }

    /// Binds `size` bytes of a device's memory, from `memory_offset` on, to the object's bytes from `offset` on. The object
    /// holds the memory until it ends.
    ///
    /// # Errors
    /// The driver's code for memory of a device that isn't part of the object, for ranges that are no multiples of the
    /// [granularity](Self::granularity), or lie outside.
    #[doc(alias = "cuMulticastBindMem")]
    pub fn bind(
        &self,
        offset: usize,
        memory: &PhysicalMemory,
        memory_offset: usize,
        size: usize,
    ) -> Result<()> {
        let bind = newer::cuMulticastBindMem()?;
        let context = self.0.context();
        let _current = context.enter("cuMulticastBindMem")?;
        let (own, other) = (self.0.as_raw(), memory.as_raw());
        // SAFETY: both handles are live, and `memory` stays as long as the object.
        let code = unsafe { bind(own, offset, other, memory_offset, size, 0) };
        context.check("cuMulticastBindMem", code)?;
        self.hold(memory);
        Ok(())
    }

    /// As [`bind`](Self::bind), as the part of `device`: for memory of the host near it, which is of no device itself.
    ///
    /// # Errors
    /// As [`bind`](Self::bind). [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) before CUDA 13.1.
    #[doc(alias = "cuMulticastBindMem_v2")]
    pub fn bind_for(
        &self,
        device: Device,
        offset: usize,
        memory: &PhysicalMemory,
        memory_offset: usize,
        size: usize,
    ) -> Result<()> {
        let bind = newer::cuMulticastBindMem_v2()?;
        let context = self.0.context();
        let _current = context.enter("cuMulticastBindMem")?;
        let (own, other) = (self.0.as_raw(), memory.as_raw());
        let device = device.as_raw();
        // SAFETY: both handles are live, and `memory` stays as long as the object.
        let code = unsafe { bind(own, device, offset, other, memory_offset, size, 0) };
        context.check("cuMulticastBindMem", code)?;
        self.hold(memory);
        Ok(())
    }

    fn hold(&self, memory: &PhysicalMemory) {
        let mut bound = self
            .0
            .bound()
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        bound.push(memory.clone());
    }

    /// As [`bind`](Self::bind), of memory that is mapped, or was allocated, at an address.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    ///
    /// # Safety
    /// The memory stays until it is [unbound](Self::unbind), or the object has ended.
    #[doc(alias = "cuMulticastBindAddr")]
    pub unsafe fn bind_address(
        &self,
        offset: usize,
        address: CUdeviceptr,
        size: usize,
    ) -> Result<()> {
        let bind = newer::cuMulticastBindAddr()?;
        let context = self.0.context();
        let _current = context.enter("cuMulticastBindAddr")?;
        // SAFETY: the handle is live; the memory is this function's contract.
        let code = unsafe { bind(self.0.as_raw(), offset, address, size, 0) };
        context.check("cuMulticastBindAddr", code)
    }

    /// As [`bind_address`](Self::bind_address), as the part of `device`.
    ///
    /// # Errors
    /// As [`bind_for`](Self::bind_for).
    ///
    /// # Safety
    /// As [`bind_address`](Self::bind_address).
    #[doc(alias = "cuMulticastBindAddr_v2")]
    pub unsafe fn bind_address_for(
        &self,
        device: Device,
        offset: usize,
        address: CUdeviceptr,
        size: usize,
    ) -> Result<()> {
        let bind = newer::cuMulticastBindAddr_v2()?;
        let context = self.0.context();
        let _current = context.enter("cuMulticastBindAddr")?;
        let (own, device) = (self.0.as_raw(), device.as_raw());
        // SAFETY: the handle is live; the memory is this function's contract.
        let code = unsafe { bind(own, device, offset, address, size, 0) };
        context.check("cuMulticastBindAddr", code)
    }

    /// Ends the binding of a device's memory to `size` bytes from `offset` on, when the context's work is over.
    ///
    /// # Errors
    /// The driver's code for a range that isn't one that was bound.
    ///
    /// # Safety
    /// No work of other devices, contexts or processes uses the range.
    #[doc(alias = "cuMulticastUnbind")]
    pub unsafe fn unbind(&self, device: Device, offset: usize, size: usize) -> Result<()> {
        let unbind = newer::cuMulticastUnbind()?;
        let context = self.0.context();
        context.settle_or_leak()?;
        let _current = context.enter("cuMulticastUnbind")?;
        // SAFETY: the handle is live; what this context has enqueued is over, the rest is this function's contract.
        let code = unsafe { unbind(self.0.as_raw(), device.as_raw(), offset, size) };
        context.check("cuMulticastUnbind", code)
    }
}
