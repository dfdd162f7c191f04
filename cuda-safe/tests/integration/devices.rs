use cuda_safe::{Device, DeviceAttribute, ErrorKind, driver};

use crate::failure;

#[test]
fn devices_return_their_properties() {
    let devices = Device::all().unwrap();
    assert_eq!(devices.len(), Device::count().unwrap() as usize);
    assert!(!devices.is_empty());
    for (ordinal, device) in devices.into_iter().enumerate() {
        assert_eq!(device.ordinal() as usize, ordinal);
        assert!(!device.name().unwrap().is_empty());
        assert!(device.total_memory().unwrap() > 1 << 20);
        let capability = device.compute_capability().unwrap();
        assert!(capability.major >= 5, "{capability}");
        assert!(
            capability.cores_per_multiprocessor().is_some(),
            "{capability} is not in the table"
        );
        assert!(device.multiprocessor_count().unwrap() > 0);
        assert_eq!(Device::from_raw(device.as_raw()).unwrap(), device);
        assert!(device.uuid().unwrap().to_string().starts_with("GPU-"));
    }
}

#[test]
fn device_can_be_found_by_pci_address() {
    let device = Device::get(0).unwrap();
    let address = device.pci_bus_id().unwrap();
    assert_eq!(Device::by_pci_bus_id(&address).unwrap(), device);
}

#[test]
fn missing_device_error_names_the_device_count() {
    let count = Device::count().unwrap();
    for ordinal in [count, 1000, u32::MAX] {
        failure(Device::get(ordinal))
            .of_kind(ErrorKind::NoDevice)
            .mentions(&format!("sees {count}"));
    }
    failure(Device::by_pci_bus_id("ffff:ff:1f.0")).mentions("ffff:ff:1f.0");
    assert!(Device::by_pci_bus_id("a\0b").is_err());
}

#[test]
fn attributes_are_listed_with_their_names() {
    let device = Device::get(0).unwrap();
    let attributes: Vec<_> = device.attributes().collect();
    assert!(attributes.len() > 100, "{} attributes", attributes.len());
    assert!(
        attributes
            .iter()
            .all(|(attribute, _)| attribute.name().is_some())
    );
    assert!(attributes.contains(&(DeviceAttribute::WARP_SIZE, 32)));
    failure(device.attribute(DeviceAttribute(9999))).of_kind(ErrorKind::Unsupported);
}

#[test]
fn missing_driver_functions_are_named() {
    let version = driver::version().unwrap();
    assert!(version.major >= 12, "{version}");
    driver::symbol(
        c"cuMemAlloc",
        driver::Version {
            major: 12,
            minor: 0,
        },
    )
    .unwrap();
    failure(driver::symbol(
        c"cuNotYet",
        driver::Version {
            major: 12,
            minor: 0,
        },
    ))
    .of_kind(ErrorKind::Unsupported)
    .mentions("cuNotYet");
}

/// Compares with the driver's own answers.
#[test]
fn device_properties_match_raw_calls() {
    use cuda_safe::{ComputeCapability, sys};

    let device = Device::get(0).unwrap();
    let (mut version, mut count, mut bytes) = (0, 0, 0);
    let mut name = [0u8; 256];
    // SAFETY: all pointers are valid for writes, and the name's length is given.
    unsafe {
        assert_eq!(
            sys::cuDriverGetVersion(&mut version),
            sys::CUresult::CUDA_SUCCESS
        );
        assert_eq!(
            sys::cuDeviceGetCount(&mut count),
            sys::CUresult::CUDA_SUCCESS
        );
        assert_eq!(
            sys::cuDeviceTotalMem_v2(&mut bytes, 0),
            sys::CUresult::CUDA_SUCCESS
        );
        let code = sys::cuDeviceGetName(name.as_mut_ptr().cast(), 256, 0);
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    }
    let version = u32::try_from(version).unwrap();
    let reported = driver::version().unwrap();
    assert_eq!(
        (reported.major, reported.minor),
        (version / 1000, version % 1000 / 10)
    );
    assert_eq!(
        reported.to_string(),
        format!("{}.{}", version / 1000, version % 1000 / 10)
    );
    assert_eq!(Device::count().unwrap(), u32::try_from(count).unwrap());
    assert_eq!(device.total_memory().unwrap(), bytes);
    let end = name.iter().position(|&byte| byte == 0).unwrap();
    assert_eq!(device.name().unwrap().as_bytes(), &name[..end]);
    let capability = ComputeCapability { major: 9, minor: 0 };
    assert_eq!(
        (capability.to_string(), capability.number()),
        ("9.0".into(), 90)
    );
    // Requests a function of a future driver.
    let future = driver::Version {
        major: 99,
        minor: 0,
    };
    failure(driver::symbol(c"cuNotYet", future)).mentions("needs a driver of CUDA 99.0 or newer");
    failure(driver::symbol(c"cuNotYet", reported)).mentions("has no function cuNotYet");
}
