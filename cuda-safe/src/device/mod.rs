//! Devices and their properties.
//!
//! [`Device::get`] returns a device by its ordinal, and [`Device::attribute`] reads one of its
//! attributes. To enqueue work, create a [`Context`](crate::Context) on the device.
//!
//! - A device: [`Device`], [`Uuid`], [`ComputeCapability`]
//! - Attributes of a device: [`DeviceAttribute`]
//! - Links between devices: the module [`peer`](crate::peer)

pub(crate) mod attribute;
pub(crate) mod peer;

use std::{
    ffi::{CStr, CString, c_char, c_int},
    fmt,
};

use cuda_sys::{self as sys, CUdevice, CUresult, CUuuid};

use crate::{
    driver::{self, callback, check},
    error::{Error, ErrorKind, Result},
};
pub use attribute::DeviceAttribute;

/// A CUDA device. It only holds the device's number, and keeps nothing alive.
///
/// ```
/// use cuda_safe::Device;
///
/// # fn main() -> cuda_safe::Result<()> {
/// for device in Device::all()? {
///     println!("{}: {}, {} bytes", device.ordinal(), device.name()?, device.total_memory()?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    raw: CUdevice,
    ordinal: u32,
}

/// The compute capability of a device, which is the generation of its instruction set, such as 9.0
/// for Hopper.
///
/// ```
/// use cuda_safe::ComputeCapability;
///
/// let hopper = ComputeCapability { major: 9, minor: 0 };
/// assert!(hopper > ComputeCapability { major: 8, minor: 9 });
/// assert_eq!(hopper.to_string(), "9.0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputeCapability {
    /// The part before the dot: 9 in 9.0.
    pub major: u32,
    /// The part after the dot: 0 in 9.0.
    pub minor: u32,
}

impl ComputeCapability {
    /// Returns the number of FP32 lanes ("CUDA cores") per multiprocessor, from the arithmetic
    /// throughput table of the CUDA programming guide, or `None` if the architecture is not in this
    /// list.
    ///
    /// ```
    /// use cuda_safe::ComputeCapability;
    ///
    /// assert_eq!(ComputeCapability { major: 9, minor: 0 }.cores_per_multiprocessor(), Some(128));
    /// assert_eq!(ComputeCapability { major: 99, minor: 0 }.cores_per_multiprocessor(), None);
    /// ```
    #[must_use]
    pub const fn cores_per_multiprocessor(self) -> Option<u32> {
        match (self.major, self.minor) {
            (3, 0 | 2 | 5 | 7) => Some(192),
            (5, 0 | 2 | 3) => Some(128),
            (6, 0) => Some(64),
            (6, 1 | 2) => Some(128),
            (7, 0 | 2 | 5) => Some(64),
            (8, 0) => Some(64),
            (8, 6..=9) => Some(128),
            (9, 0) => Some(128),
            (10, 0 | 1 | 3) => Some(128),
            (11, 0) => Some(128),
            (12, 0 | 1) => Some(128),
            _ => None,
        }
    }

    /// Returns the number that compilers use, such as 90 for 9.0.
    ///
    /// ```
    /// use cuda_safe::ComputeCapability;
    ///
    /// assert_eq!(ComputeCapability { major: 12, minor: 1 }.number(), 121);
    /// ```
    #[must_use]
    pub const fn number(self) -> u32 {
        self.major * 10 + self.minor
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The identity of a device, which survives reboots and reordering. Its text form is that of
/// `nvidia-smi -L`.
///
/// ```
/// # use cuda_safe::Device;
/// # fn main() -> cuda_safe::Result<()> {
/// let uuid = Device::get(0)?.uuid()?;
/// assert!(uuid.to_string().starts_with("GPU-"));
/// assert_eq!(uuid.0.len(), 16);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Uuid(pub [u8; 16]);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GPU-")?;
        for (i, byte) in self.0.iter().enumerate() {
            if matches!(i, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl Device {
    /// Returns the number of devices that are visible to this process, which `CUDA_VISIBLE_DEVICES`
    /// can restrict.
    ///
    /// See [`cuDeviceGetCount`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDevice`] if the driver finds no device. Also returns an error if the
    /// driver cannot start.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let count = Device::count()?;
    /// assert!(count >= 1);
    /// assert_eq!(Device::all()?.len(), count as usize);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetCount")]
    pub fn count() -> Result<u32> {
        driver::init()?;
        let mut count: c_int = 0;
        // SAFETY: `count` is valid for the write.
        driver::call("cuDeviceGetCount", || unsafe {
            sys::cuDeviceGetCount(&mut count)
        })?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// Returns the device with this ordinal, counted from 0.
    ///
    /// See [`cuDeviceGet`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDevice`] if there is no device with this ordinal. The error contains
    /// the number of devices.
    ///
    /// ```
    /// # use cuda_safe::{Device, ErrorKind};
    /// # fn main() -> cuda_safe::Result<()> {
    /// assert_eq!(Device::get(0)?.ordinal(), 0);
    /// let error = Device::get(12_345).unwrap_err();
    /// assert_eq!(*error.kind(), ErrorKind::NoDevice);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGet")]
    pub fn get(ordinal: u32) -> Result<Self> {
        callback::reject_in_callback("cuDeviceGet")?;
        driver::init()?;
        let mut raw: CUdevice = 0;
        let code = match c_int::try_from(ordinal) {
            // SAFETY: `raw` is valid for the write.
            Ok(number) => unsafe { sys::cuDeviceGet(&mut raw, number) },
            Err(_) => CUresult::CUDA_ERROR_INVALID_DEVICE,
        };
        if code == CUresult::CUDA_ERROR_INVALID_DEVICE {
            let count = Self::count()?;
            return Err(Error::driver("cuDeviceGet", code)
                .with_kind(ErrorKind::NoDevice)
                .with_detail(format!(
                    "there is no device {ordinal}: this process sees {count} (numbered from 0). \
                     Fix: check CUDA_VISIBLE_DEVICES"
                )));
        }
        check("cuDeviceGet", code)?;
        Ok(Self { raw, ordinal })
    }

    /// Returns the device at a PCI address, such as `0000:3b:00.0` or `3b:00`.
    ///
    /// See [`cuDeviceGetByPCIBusId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDevice`] if there is no visible device at this address.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// assert_eq!(Device::by_pci_bus_id(&device.pci_bus_id()?)?, device);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetByPCIBusId")]
    pub fn by_pci_bus_id(address: &str) -> Result<Self> {
        const CALL: &str = "cuDeviceGetByPCIBusId";
        callback::reject_in_callback(CALL)?;
        driver::init()?;
        let text = CString::new(address).map_err(|_| {
            Error::invalid(CALL, format!("the PCI address {address:?} contains a NUL"))
        })?;
        let mut raw: CUdevice = 0;
        // SAFETY: `raw` is valid for the write, and `text` is NUL-terminated.
        let code = unsafe { sys::cuDeviceGetByPCIBusId(&mut raw, text.as_ptr()) };
        if code != CUresult::CUDA_SUCCESS {
            return Err(Error::driver(CALL, code).with_kind(ErrorKind::NoDevice).with_detail(format!(
                "no visible device has the PCI address {address:?}. Fix: use an address from `nvidia-smi \
                 --query-gpu=pci.bus_id --format=csv`"
            )));
        }
        Self::from_raw(raw)
    }

    /// Returns all visible devices, in the driver's order.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDevice`] if the driver finds no device. Also returns an error if the
    /// driver cannot start.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let devices = Device::all()?;
    /// assert_eq!(devices[0], Device::get(0)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn all() -> Result<Vec<Self>> {
        (0..Self::count()?).map(Self::get).collect()
    }

    /// Returns the device with the given raw handle.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDevice`] if no visible device has this handle.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// assert_eq!(Device::from_raw(device.as_raw())?, device);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_raw(raw: CUdevice) -> Result<Self> {
        Self::all()?
            .into_iter()
            .find(|device| device.raw == raw)
            .ok_or_else(|| {
                Error::checked(
                    ErrorKind::NoDevice,
                    "Device::from_raw",
                    format!("no visible device has the handle {raw}"),
                )
            })
    }

    /// Returns the driver's handle.
    #[must_use]
    pub fn as_raw(self) -> CUdevice {
        self.raw
    }

    /// Returns the ordinal that [`get`](Self::get) accepts.
    #[must_use]
    pub fn ordinal(self) -> u32 {
        self.ordinal
    }

    /// Returns the marketing name, such as `NVIDIA H200`.
    ///
    /// See [`cuDeviceGetName`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// assert!(!Device::get(0)?.name()?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetName")]
    pub fn name(self) -> Result<String> {
        let mut text = [0 as c_char; 256];
        // SAFETY: `text` is valid for writes of the length given.
        driver::call("cuDeviceGetName", || unsafe {
            sys::cuDeviceGetName(text.as_mut_ptr(), text.len() as c_int, self.raw)
        })?;
        Ok(string_from(&text))
    }

    /// Returns the identity of the device, or of the MIG instance if the device is one.
    ///
    /// See [`cuDeviceGetUuid`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// assert_eq!(device.uuid()?, device.uuid()?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetUuid")]
    pub fn uuid(self) -> Result<Uuid> {
        let mut uuid = CUuuid::default();
        // SAFETY: `uuid` is valid for the write.
        driver::call("cuDeviceGetUuid_v2", || unsafe {
            sys::cuDeviceGetUuid_v2(&mut uuid, self.raw)
        })?;
        Ok(Uuid(uuid.bytes.map(|byte| byte as u8)))
    }

    /// Returns the PCI address, such as `0000:3b:00.0`.
    ///
    /// See [`cuDeviceGetPCIBusId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let address = Device::get(0)?.pci_bus_id()?; // domain:bus:device.function
    /// assert_eq!(address.matches(':').count(), 2);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetPCIBusId")]
    pub fn pci_bus_id(self) -> Result<String> {
        let mut text = [0 as c_char; 32];
        // SAFETY: `text` is valid for writes of the length given.
        driver::call("cuDeviceGetPCIBusId", || unsafe {
            sys::cuDeviceGetPCIBusId(text.as_mut_ptr(), text.len() as c_int, self.raw)
        })?;
        Ok(string_from(&text))
    }

    /// Returns the compute capability.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let capability = Device::get(0)?.compute_capability()?;
    /// assert!(capability.major >= 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compute_capability(self) -> Result<ComputeCapability> {
        let part =
            |attribute| Ok::<_, Error>(u32::try_from(self.attribute(attribute)?).unwrap_or(0));
        Ok(ComputeCapability {
            major: part(DeviceAttribute::COMPUTE_CAPABILITY_MAJOR)?,
            minor: part(DeviceAttribute::COMPUTE_CAPABILITY_MINOR)?,
        })
    }

    /// Returns the number of multiprocessors.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::Device;
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// let count = device.multiprocessor_count()?;
    /// assert!(count >= 1);
    /// if let Some(each) = device.compute_capability()?.cores_per_multiprocessor() {
    ///     println!("{} cores", count * each);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn multiprocessor_count(self) -> Result<u32> {
        Ok(u32::try_from(self.attribute(DeviceAttribute::MULTIPROCESSOR_COUNT)?).unwrap_or(0))
    }

    /// Returns the device's total memory in bytes.
    ///
    /// See [`cuDeviceTotalMem`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Does not fail on a working driver.
    ///
    /// ```
    /// # use cuda_safe::{Context, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// let context = Context::primary_of(device)?;
    /// assert!(device.total_memory()? >= context.memory_info()?.free);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceTotalMem")]
    pub fn total_memory(self) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: `bytes` is valid for the write.
        driver::call("cuDeviceTotalMem_v2", || unsafe {
            sys::cuDeviceTotalMem_v2(&mut bytes, self.raw)
        })?;
        Ok(bytes)
    }

    /// Returns the value of an attribute, in the unit that the driver's documentation gives.
    ///
    /// See [`cuDeviceGetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the driver does not know the attribute.
    ///
    /// ```
    /// # use cuda_safe::{Device, DeviceAttribute};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// assert_eq!(device.attribute(DeviceAttribute::WARP_SIZE)?, 32);
    /// assert!(device.attribute(DeviceAttribute(100_000)).is_err());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuDeviceGetAttribute")]
    pub fn attribute(self, attribute: DeviceAttribute) -> Result<i32> {
        callback::reject_in_callback("cuDeviceGetAttribute")?;
        let mut value: c_int = 0;
        // SAFETY: `value` is valid for the write, and the driver rejects an unknown attribute.
        let code = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute.as_raw(), self.raw) };
        if code == CUresult::CUDA_ERROR_INVALID_VALUE {
            return Err(Error::driver("cuDeviceGetAttribute", code)
                .with_kind(ErrorKind::Unsupported)
                .with_detail(format!(
                    "this driver does not know the attribute {attribute}"
                )));
        }
        check("cuDeviceGetAttribute", code)?;
        Ok(value)
    }

    /// Returns an iterator over all attributes that the installed driver knows, with their values.
    ///
    /// ```
    /// # use cuda_safe::{Device, DeviceAttribute};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let device = Device::get(0)?;
    /// let known: Vec<_> = device.attributes().collect();
    /// assert!(known.contains(&(DeviceAttribute::WARP_SIZE, 32)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn attributes(self) -> impl Iterator<Item = (DeviceAttribute, i32)> {
        DeviceAttribute::ALL
            .iter()
            .filter_map(move |&attribute| Some((attribute, self.attribute(attribute).ok()?)))
    }
}

fn string_from(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|&c| c as u8).collect();
    CStr::from_bytes_until_nul(&bytes)
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuid_is_displayed_in_groups() {
        let uuid = Uuid([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        assert_eq!(uuid.to_string(), "GPU-00010203-0405-0607-0809-0a0b0c0d0eff");
    }

    #[test]
    fn every_published_architecture_has_its_cores() {
        let published = [
            (30, 192),
            (32, 192),
            (35, 192),
            (37, 192),
            (50, 128),
            (52, 128),
            (53, 128),
            (60, 64),
            (61, 128),
            (62, 128),
            (70, 64),
            (72, 64),
            (75, 64),
            (80, 64),
            (86, 128),
            (87, 128),
            (88, 128),
            (89, 128),
            (90, 128),
            (100, 128),
            (101, 128),
            (103, 128),
            (110, 128),
            (120, 128),
            (121, 128),
        ];
        for (number, cores) in published {
            let capability = ComputeCapability {
                major: number / 10,
                minor: number % 10,
            };
            assert_eq!(
                capability.cores_per_multiprocessor(),
                Some(cores),
                "{capability}"
            );
            assert_eq!(capability.number(), number);
        }
    }
}
