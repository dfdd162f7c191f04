//! Multicast objects, which write to the memory of several devices at once.

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
    /// Options of a multicast object. You must set the number of devices (at least two) and the
    /// size.
    pub struct MulticastOptions {
        /// The number of devices that will be part of the object.
        devices: u32;
        /// The size of each device's memory in bytes, a multiple of
        /// [`MulticastObject::granularity`].
        size: usize;
        /// The kinds of handles that can share the object with other processes.
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

/// A multicast object, which combines memory of several devices of a switch (NVSwitch). A store to
/// the mapped object writes to the memory of all its devices, and `multimem` instructions reduce
/// over it.
///
/// First [add](Self::add_device) all devices, then [bind](Self::bind) the memory of each, and then
/// map the object like other [memory](Self::memory).
///
/// The errors of its calls are tested. No such object has been created on a machine with a switch
/// yet.
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
    /// Returns the required or recommended granularity of the object's sizes and offsets, in bytes.
    ///
    /// See [`cuMulticastGetGranularity`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device has no
    /// multicast support ([`MULTICAST_SUPPORTED`](crate::DeviceAttribute::MULTICAST_SUPPORTED)), or
    /// if the driver is older than CUDA 12.1.
    #[doc(alias = "cuMulticastGetGranularity")]
    pub fn granularity(
        context: &Context,
        options: MulticastOptions,
        which: Granularity,
    ) -> Result<usize> {
        let get_granularity = newer::cuMulticastGetGranularity()?;
        let _current = context.enter("cuMulticastGetGranularity")?;
        let mut bytes = 0;
        // SAFETY: `bytes` is valid for the write, and the properties for the read.
        let code = unsafe { get_granularity(&mut bytes, &options.raw(), which.0) };
        context.check("cuMulticastGetGranularity", code)?;
        Ok(bytes)
    }

    /// Creates an object without devices.
    ///
    /// See [`cuMulticastCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device has no
    /// multicast support, or if the driver is older than CUDA 12.1.
    #[doc(alias = "cuMulticastCreate")]
    pub fn new(context: &Context, options: MulticastOptions) -> Result<Self> {
        let create = newer::cuMulticastCreate()?;
        let _current = context.enter("cuMulticastCreate")?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for the write, and the properties for the read.
        let code = unsafe { create(&mut raw, &options.raw()) };
        context.check("cuMulticastCreate", code)?;
        // SAFETY: the handle was just created with this size and has no other owner.
        Ok(Self(unsafe {
            PhysicalMemory::from_raw(raw, options.size, context)
        }))
    }

    /// Returns the object as physical memory, which can be exported, imported and mapped.
    #[must_use]
    pub fn memory(&self) -> &PhysicalMemory {
        &self.0
    }

    /// Converts imported memory that is a multicast object.
    ///
    /// # Safety
    /// The caller must ensure that the memory is a multicast object.
    #[must_use]
    pub unsafe fn from_memory(memory: PhysicalMemory) -> Self {
        Self(memory)
    }

    /// Adds a device to the object. Add all devices before you bind memory.
    ///
    /// See [`cuMulticastAddDevice`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the device has no multicast support, or was added already.
    #[doc(alias = "cuMulticastAddDevice")]
    pub fn add_device(&self, device: Device) -> Result<()> {
        let add_device = newer::cuMulticastAddDevice()?;
        let context = self.0.context();
        let _current = context.enter("cuMulticastAddDevice")?;
        // SAFETY: the handle is live.
        let code = unsafe { add_device(self.0.as_raw(), device.as_raw()) };
        context.check("cuMulticastAddDevice", code)
    }

    /// Binds `size` bytes of a device's memory, from `memory_offset` on, to the object's bytes from
    /// `offset` on. The object keeps the memory alive.
    ///
    /// See [`cuMulticastBindMem`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the memory's device is not part of the object, or if a range
    /// is out of bounds or not a multiple of the [granularity](Self::granularity).
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
        // SAFETY: both handles are live, and the object keeps `memory` alive.
        let code = unsafe { bind(own, offset, other, memory_offset, size, 0) };
        context.check("cuMulticastBindMem", code)?;
        self.hold(memory);
        Ok(())
    }

    /// Binds memory like [`bind`](Self::bind), as the part of `device`. Use it for host memory near
    /// the device, which belongs to no device.
    ///
    /// See [`cuMulticastBindMem_v2`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`bind`](Self::bind). Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older than CUDA
    /// 13.1.
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
        // SAFETY: both handles are live, and the object keeps `memory` alive.
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

    /// Binds memory like [`bind`](Self::bind), given by the address where it is mapped or
    /// allocated.
    ///
    /// See [`cuMulticastBindAddr`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the memory's device is not part of the object, or if a range
    /// is out of bounds or not a multiple of the [granularity](Self::granularity).
    ///
    /// # Safety
    /// The caller must ensure that the memory stays allocated until it is [unbound](Self::unbind)
    /// or the object has ended.
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
        // SAFETY: the handle is live. The caller guarantees that the memory is valid.
        let code = unsafe { bind(self.0.as_raw(), offset, address, size, 0) };
        context.check("cuMulticastBindAddr", code)
    }

    /// Binds memory like [`bind_address`](Self::bind_address), as the part of `device`.
    ///
    /// See [`cuMulticastBindAddr_v2`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 13.1. Also returns the errors of [`bind`](Self::bind).
    ///
    /// # Safety
    /// The contract of [`bind_address`](Self::bind_address) applies.
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
        // SAFETY: the handle is live. The caller guarantees that the memory is valid.
        let code = unsafe { bind(own, device, offset, address, size, 0) };
        context.check("cuMulticastBindAddr", code)
    }

    /// Waits for the context's work, and then unbinds a device's memory from `size` bytes from
    /// `offset` on.
    ///
    /// See [`cuMulticastUnbind`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the range is not a bound range.
    ///
    /// # Safety
    /// The caller must ensure that no work of other devices, contexts or processes uses the range.
    #[doc(alias = "cuMulticastUnbind")]
    pub unsafe fn unbind(&self, device: Device, offset: usize, size: usize) -> Result<()> {
        let unbind = newer::cuMulticastUnbind()?;
        let context = self.0.context();
        context.settle_or_leak()?;
        let _current = context.enter("cuMulticastUnbind")?;
        // SAFETY: the handle is live, and the context's work is over. The caller guarantees the
        // rest.
        let code = unsafe { unbind(self.0.as_raw(), device.as_raw(), offset, size) };
        context.check("cuMulticastUnbind", code)
    }
}
