//! Memory locations.

use std::{ffi::c_int, fmt};

use cuda_sys::{CUmemLocation, CUmemLocationType};

use crate::device::Device;

/// A place that memory can be in: a device, the host, or a NUMA node of the host (`CUmemLocation`).
///
/// It consists of the driver's two numbers, so that it can also name locations that newer drivers
/// add.
///
/// ```
/// use cuda_safe::{Device, memory::MemoryLocation};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let device = Device::get(0)?;
/// assert_eq!(MemoryLocation::device(device), MemoryLocation { kind: 1, id: 0 });
/// assert_eq!(MemoryLocation::device(device).as_device(), Some(0));
/// assert_eq!(MemoryLocation::HOST.as_device(), None);
/// assert_eq!(format!("{:?}", MemoryLocation::host_numa(1)), "NUMA node 1 of the host");
/// # Ok(())
/// # }
/// ```
#[doc(alias = "CUmemLocation")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryLocation {
    /// The type of the location, as the driver's number (`CUmemLocationType`).
    pub kind: u32,
    /// The number of the device or NUMA node, or 0 if the type needs none.
    pub id: c_int,
}

impl MemoryLocation {
    /// No particular location (`CU_MEM_LOCATION_TYPE_NONE`).
    pub const NONE: Self = Self { kind: 0, id: 0 };
    /// The host, on any of its NUMA nodes (`CU_MEM_LOCATION_TYPE_HOST`).
    pub const HOST: Self = Self { kind: 2, id: 0 };
    /// The NUMA node of the calling thread (`CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT`).
    pub const HOST_NUMA_CURRENT: Self = Self { kind: 4, id: 0 };

    /// Returns the location of a device's memory (`CU_MEM_LOCATION_TYPE_DEVICE`).
    #[must_use]
    pub fn device(device: Device) -> Self {
        Self {
            kind: 1,
            id: device.as_raw(),
        }
    }

    /// Returns the location of a NUMA node of the host, by its number
    /// (`CU_MEM_LOCATION_TYPE_HOST_NUMA`).
    #[must_use]
    pub const fn host_numa(node: c_int) -> Self {
        Self { kind: 3, id: node }
    }

    /// Returns the device's number if the location is a device.
    #[must_use]
    pub const fn as_device(self) -> Option<c_int> {
        if self.kind == 1 { Some(self.id) } else { None }
    }

    pub(crate) fn raw(self) -> CUmemLocation {
        CUmemLocation::new(CUmemLocationType(self.kind), self.id)
    }

    /// Returns the number that older calls (before CUDA 12.2) use for the location: the device's
    /// number, or -1 for the host.
    pub(crate) fn old_number(self) -> Option<c_int> {
        match self.kind {
            1 => Some(self.id),
            2 => Some(-1),
            _ => None,
        }
    }
}

impl From<Device> for MemoryLocation {
    fn from(device: Device) -> Self {
        Self::device(device)
    }
}

impl fmt::Debug for MemoryLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            0 => f.write_str("no particular location"),
            1 => write!(f, "device {}", self.id),
            2 => f.write_str("the host"),
            3 => write!(f, "NUMA node {} of the host", self.id),
            4 => f.write_str("the calling thread's NUMA node"),
            kind => write!(f, "MemoryLocation({kind}, {})", self.id),
        }
    }
}
