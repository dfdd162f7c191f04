//! Links between devices, and how devices access memory of each other and of the host.

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

/// The link from a device to another, returned by [`Device::link_to`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PeerLink {
    /// Whether kernels can use memory of the other device after
    /// [`Context::enable_peer_access`](crate::Context::enable_peer_access). Copies work in any
    /// case.
    pub access: bool,
    /// The rank of the link's speed among those of this system, where 0 is the fastest.
    pub rank: i32,
    /// Whether all atomic operations work over the link.
    pub atomics: bool,
    /// Whether only some atomic operations work over the link. [`Device::peer_atomics`] returns
    /// which. False if the driver does not report this.
    pub some_atomics: bool,
    /// Whether arrays can be used over the link.
    pub arrays: bool,
}

impl Device {
    /// Returns whether this device can use memory of `other` directly. A device is not its own
    /// peer.
    ///
    /// See [`cuDeviceCanAccessPeer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
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

    /// Returns all attributes of the link from this device to `other`.
    ///
    /// See [`cuDeviceGetP2PAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_DEVICE` if both are the same device.
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

    /// Returns one attribute of the link from this device to `other`.
    ///
    /// See [`cuDeviceGetP2PAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_DEVICE` if both are the same device. Returns
    /// [`ErrorKind::Unsupported`] if the driver does not know the attribute.
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
        callback::reject_in_callback("cuDeviceGetP2PAttribute")?;
        let mut value = 0;
        // SAFETY: `value` is valid for the write, and the driver rejects an unknown attribute.
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

    /// Returns which forms of atomic operations of this device work on memory of `other`, one value
    /// for each of `operations`.
    ///
    /// See [`cuDeviceGetP2PAtomicCapabilities`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver is older than CUDA 13.0. Returns
    /// `CUDA_ERROR_INVALID_DEVICE` if both are the same device. Returns `CUDA_ERROR_INVALID_VALUE`
    /// if the driver does not know an operation.
    #[doc(alias = "cuDeviceGetP2PAtomicCapabilities")]
    pub fn peer_atomics(
        self,
        other: Self,
        operations: &[AtomicOperation],
    ) -> Result<Vec<AtomicCapabilities>> {
        callback::reject_in_callback("cuDeviceGetP2PAtomicCapabilities")?;
        let get = newer::cuDeviceGetP2PAtomicCapabilities()?;
        atomics(
            "cuDeviceGetP2PAtomicCapabilities",
            operations,
            // SAFETY: there is one place per operation.
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

    /// Returns which forms of atomic operations of this device on host memory are also atomic for
    /// the host, one value for each of `operations`.
    ///
    /// See [`cuDeviceGetHostAtomicCapabilities`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver is older than CUDA 13.0. Returns
    /// `CUDA_ERROR_INVALID_VALUE` if the driver does not know an operation.
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
        callback::reject_in_callback("cuDeviceGetHostAtomicCapabilities")?;
        let get = newer::cuDeviceGetHostAtomicCapabilities()?;
        atomics(
            "cuDeviceGetHostAtomicCapabilities",
            operations,
            // SAFETY: there is one place per operation.
            |capabilities, operations, count| unsafe {
                get(capabilities, operations, count, self.as_raw())
            },
        )
    }

    /// Returns the NUMA node of the device's memory, or `None` if the memory is not a NUMA node.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver does not know the attribute.
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

    /// Returns the NUMA node of the host that is nearest to the device, or `None` if the system has
    /// none.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver does not know the attribute.
    #[doc(alias = "CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID")]
    pub fn host_numa_node(self) -> Result<Option<u32>> {
        Ok(u32::try_from(self.attribute(DeviceAttribute::HOST_NUMA_ID)?).ok())
    }

    /// Returns the kinds of handles by which the device's memory can be shared with other
    /// processes.
    ///
    /// # Errors
    /// Does not fail on a working driver.
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
                // An older driver does not have such handles.
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
        return Ok(Vec::new()); // the driver rejects an empty list
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
