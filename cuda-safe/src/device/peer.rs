//! What a device tells of how it reaches others, and how they reach it.

use std::ffi::c_uint;

use cuda_sys::{self as sys, CUdevice_P2PAttribute, CUresult};

pub use crate::raw::device::{
    AtomicCapabilities, AtomicOperation, PeerAttribute, ShareableHandles,
};
use crate::{
    device::{Device, attribute::DeviceAttribute},
    driver::{self, callback, check, newer},
    error::{ErrorKind, Result},
};

/// How a device reaches another: made by [`Device::link_to`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PeerLink {
    /// Whether kernels can use memory of the other device, once
    /// [`Context::enable_peer_access`](crate::Context::enable_peer_access) has been called. Copies work in any case.
    pub access: bool,
    /// How fast the link is among those of this system: 0 is the fastest.
    pub rank: i32,
    /// Whether all atomic operations work over the link.
    pub atomics: bool,
    /// Whether some of them do, where not all work: [`Device::peer_atomics`] tells which. False for a driver that does not
    /// know.
    pub some_atomics: bool,
    /// Whether arrays can be used over the link.
    pub arrays: bool,
}

impl Device {
    /// Whether this device can use memory of `other` directly. A device and itself are no peers.
    ///
    /// # Errors
    /// None that a working driver returns for devices that exist.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// assert!(!device.can_access_peer(device)?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceCanAccessPeer")]
    pub fn can_access_peer(self, other: Self) -> Result<bool> {
        let mut can = 0;
        // SAFETY: `can` is valid for the write.
        driver::call("cuDeviceCanAccessPeer", || unsafe {
            sys::cuDeviceCanAccessPeer(&mut can, self.as_raw(), other.as_raw())
        })?;
        Ok(can != 0)
    }

    /// How this device reaches `other`, as one value.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_DEVICE` for a device and itself.
    ///
    /// ```
    /// use cuda_safe::Device;
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// let devices = Device::all()?;
    /// for (i, &device) in devices.iter().enumerate() {
    ///     for &other in &devices[i + 1..] {
    ///         println!("{} to {}: {:?}", device.ordinal(), other.ordinal(), device.link_to(other)?);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetP2PAttribute")]
    pub fn link_to(self, other: Self) -> Result<PeerLink> {
        let is = |attribute| {
            self.peer_attribute(other, attribute)
                .map(|value| value != 0)
        };
        Ok(PeerLink {
            access: is(PeerAttribute::ACCESS_SUPPORTED)?,
            rank: self.peer_attribute(other, PeerAttribute::PERFORMANCE_RANK)?,
            atomics: is(PeerAttribute::NATIVE_ATOMIC_SUPPORTED)?,
            some_atomics: match is(PeerAttribute::ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED) {
                Err(error) if *error.kind() == ErrorKind::Unsupported => false,
                found => found?,
            },
            arrays: is(PeerAttribute::CUDA_ARRAY_ACCESS_SUPPORTED)?,
        })
    }

    /// What the driver tells of the link from this device to `other`.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_DEVICE` for a device and itself. [`ErrorKind::Unsupported`] where the driver does not know
    /// the attribute.
    ///
    /// ```
    /// # use cuda_safe::{Device, peer::PeerAttribute};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let devices = Device::all()?;
    /// for &other in &devices[1..] {
    ///     let rank = devices[0].peer_attribute(other, PeerAttribute::PERFORMANCE_RANK)?;
    ///     println!("to {}: rank {rank}", other.ordinal());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetP2PAttribute")]
    pub fn peer_attribute(self, other: Self, attribute: PeerAttribute) -> Result<i32> {
        callback::refuse_within("cuDeviceGetP2PAttribute")?;
        let mut value = 0;
        // SAFETY: `value` is valid for the write; an unknown attribute is refused.
        let code = unsafe {
            sys::cuDeviceGetP2PAttribute(
                &mut value,
                CUdevice_P2PAttribute(attribute.0),
                self.as_raw(),
                other.as_raw(),
            )
        };
        check("cuDeviceGetP2PAttribute", code).map_err(|error| match code {
            CUresult::CUDA_ERROR_INVALID_VALUE => error
                .with_kind(ErrorKind::Unsupported)
                .with_detail(format!("this driver does not know {attribute:?}")),
            CUresult::CUDA_ERROR_INVALID_DEVICE if self == other => {
                error.with_detail("a device has no link to itself")
            }
            _ => error,
        })?;
        Ok(value)
    }

    /// In which forms atomic operations of this device work on memory of `other`, one for each of `operations`.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a driver older than CUDA 13.0. `CUDA_ERROR_INVALID_DEVICE` for a device and itself.
    /// `CUDA_ERROR_INVALID_VALUE` for an operation that the driver does not know.
    #[doc(alias = "cuDeviceGetP2PAtomicCapabilities")]
    pub fn peer_atomics(
        self,
        other: Self,
        operations: &[AtomicOperation],
    ) -> Result<Vec<AtomicCapabilities>> {
        callback::refuse_within("cuDeviceGetP2PAtomicCapabilities")?;
        let get = newer::cuDeviceGetP2PAtomicCapabilities()?;
        atomics(
            "cuDeviceGetP2PAtomicCapabilities",
            operations,
            // SAFETY: as many places as operations.
            |capabilities, operations, count| unsafe {
                get(
                    capabilities,
                    operations,
                    count,
                    self.as_raw(),
                    other.as_raw(),
                )
            },
        )
    }

    /// In which forms atomic operations of this device work on the host's memory as one with those of the host, one for
    /// each of `operations`.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a driver older than CUDA 13.0. `CUDA_ERROR_INVALID_VALUE` for an operation that the
    /// driver does not know.
    ///
    /// ```
    /// # use cuda_safe::{peer::{AtomicCapabilities, AtomicOperation}, Device, ErrorKind};
    /// # fn main() -> cuda_safe::Result<()> {
    /// match Device::get(0)?.host_atomics(&[AtomicOperation::CAS]) {
    ///     Ok(found) => println!("64 bits: {}", found[0].contains(AtomicCapabilities::SCALAR_64)),
    ///     Err(error) => assert_eq!(*error.kind(), ErrorKind::Unsupported),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetHostAtomicCapabilities")]
    pub fn host_atomics(self, operations: &[AtomicOperation]) -> Result<Vec<AtomicCapabilities>> {
        callback::refuse_within("cuDeviceGetHostAtomicCapabilities")?;
        let get = newer::cuDeviceGetHostAtomicCapabilities()?;
        atomics(
            "cuDeviceGetHostAtomicCapabilities",
            operations,
            // SAFETY: as many places as operations.
            |capabilities, operations, count| unsafe {
                get(capabilities, operations, count, self.as_raw())
            },
        )
    }

    /// The NUMA node of the device's memory; `None` where that is no node of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the driver does not know the attribute.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// println!("memory: {:?}, nearest host: {:?}", device.numa_node()?, device.host_numa_node()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_NUMA_ID")]
    pub fn numa_node(self) -> Result<Option<u32>> {
        Ok(u32::try_from(self.attribute(DeviceAttribute::NUMA_ID)?).ok())
    }

    /// The NUMA node of the host that is nearest to the device; `None` where the system has none.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the driver does not know the attribute.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID")]
    pub fn host_numa_node(self) -> Result<Option<u32>> {
        Ok(u32::try_from(self.attribute(DeviceAttribute::HOST_NUMA_ID)?).ok())
    }

    /// By what kinds of handles the device's memory can be shared with other processes.
    ///
    /// # Errors
    /// None that a working driver returns for a device that exists.
    ///
    /// ```
    /// # use cuda_safe::{Device, share::ShareableHandles};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let handles = Device::get(0)?.shareable_handles()?;
    /// println!("as a file: {}", handles.contains(ShareableHandles::POSIX_FILE_DESCRIPTOR));
    /// # Ok(())
    /// # }
    /// ```
    pub fn shareable_handles(self) -> Result<ShareableHandles> {
        let mut found = ShareableHandles::default();
        for (attribute, handle) in [
            (
                DeviceAttribute::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
                ShareableHandles::POSIX_FILE_DESCRIPTOR,
            ),
            (
                DeviceAttribute::HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,
                ShareableHandles::WIN32,
            ),
            (
                DeviceAttribute::HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED,
                ShareableHandles::WIN32_KMT,
            ),
            (
                DeviceAttribute::HANDLE_TYPE_FABRIC_SUPPORTED,
                ShareableHandles::FABRIC,
            ),
        ] {
            match self.attribute(attribute) {
                Ok(0) => {}
                Ok(_) => found |= handle,
                // An older driver, which has no such handles.
                Err(error) if *error.kind() == ErrorKind::Unsupported => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}

fn atomics(
    call: &'static str,
    operations: &[AtomicOperation],
    get: impl FnOnce(*mut c_uint, *const c_uint, c_uint) -> CUresult,
) -> Result<Vec<AtomicCapabilities>> {
    if operations.is_empty() {
        return Ok(Vec::new()); // the driver refuses none
    }
    let operations: Vec<c_uint> = operations.iter().map(|operation| operation.0).collect();
    let mut capabilities = vec![0; operations.len()];
    let count = operations.len() as c_uint;
    check(
        call,
        get(capabilities.as_mut_ptr(), operations.as_ptr(), count),
    )?;
    Ok(capabilities.into_iter().map(AtomicCapabilities).collect())
}
