//! The emulated device: a plausible device of the configured [`Architecture`], with one
//! multiprocessor per worker thread. Its name says that it is emulated.

use std::sync::OnceLock;

use super::architecture::{self, Architecture};
use super::configuration;
use crate::abi::status::{Code, Result};
use crate::system;

/// The CUDA version of the emulated driver.
pub const DRIVER_VERSION: i32 = 13000;
/// Maximum threads per block.
pub const MAX_THREADS: u32 = 1024;
/// Maximum block size in each dimension.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Maximum grid size in each dimension.
pub const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Bytes of shared memory that a block may use without opting in.
pub const SHARED_PER_BLOCK: u32 = 48 << 10;
/// Bytes of shared memory per block that the system reserves.
pub const SHARED_RESERVED: u32 = 1 << 10;
/// Registers per multiprocessor, and per block.
pub const REGISTERS: u32 = 65536;
/// Bytes of the L2 cache.
pub const L2_CACHE: i32 = 32 << 20;
/// The part of the L2 cache that can be set aside for persisting accesses, and its granularity. The
/// fractions are those of an H200.
pub const MAX_PERSISTING: u64 = L2_CACHE as u64 / 8 * 5;
pub const PERSISTING_UNIT: u64 = L2_CACHE as u64 / 16;
/// The largest access-policy window.
pub const MAX_WINDOW: u64 = 128 << 20;
/// Granularity of the row pitch from `cuMemAllocPitch`.
pub const PITCH: u64 = 512;
/// Largest pitch of a 2D copy.
pub const MAX_PITCH: u64 = 0x7fff_ffff;
/// Rate of `%clock` and of the device's clock.
pub const CLOCK_KHZ: i32 = 1_000_000;

/// Returns the emulated architecture.
pub fn architecture() -> &'static Architecture {
    configuration::get().device
}

/// Returns whether kernels on one device can use the other's memory: all pairs of different devices
/// can, unless `CUDA_EMULATOR_LINKS` lists the pairs.
pub fn are_linked(one: i32, other: i32) -> bool {
    let (one, other) = (one as usize, other as usize);
    one != other
        && configuration::get()
            .links
            .as_ref()
            .is_none_or(|links| links.contains(&(one.min(other), one.max(other))))
}

/// Checks a `CUdevice`.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_DEVICE` if there is no device with this ordinal.
pub fn check(ordinal: i32) -> Result {
    if (0..configuration::get().devices as i32).contains(&ordinal) {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_DEVICE)
    }
}

/// Returns the number of multiprocessors: one per worker thread.
pub fn multiprocessors() -> u32 {
    configuration::get().threads as u32
}

/// Returns the device's name.
pub fn name() -> String {
    let cores = configuration::get().threads;
    let s = if cores == 1 { "" } else { "s" };
    match architecture() {
        one if *one == architecture::DEFAULT => format!("CUDA emulator ({cores} core{s})"),
        one => format!("CUDA emulator ({}, {cores} core{s})", one.name),
    }
}

/// Returns the size of the host's memory in bytes, or the cgroup's limit if it is smaller.
pub fn host_memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(system::host_memory)
}

/// Returns the size of the device's memory in bytes: `CUDA_EMULATOR_MEMORY`, or half of the host's
/// memory.
pub fn total_memory() -> u64 {
    configuration::get()
        .memory
        .unwrap_or_else(|| (host_memory() / 2).max(1 << 28) & !0xfffff)
}

/// Returns the device's UUID. It is the same in every process and different for each ordinal.
pub fn uuid(ordinal: i32) -> [u8; 16] {
    let mut uuid = *b"cuda-emulator\0\0\0";
    uuid[15] = ordinal as u8;
    uuid
}

/// Returns the PCI bus id as `domain:bus:device.function`.
pub fn pci_bus_id(ordinal: i32) -> String {
    format!("{:04x}:{:02x}:00.0", PCI_DOMAIN, ordinal + 1)
}

pub const PCI_DOMAIN: i32 = 0x0e;

/// Returns the ordinal of a PCI bus id in any of the forms that `cuDeviceGetByPCIBusId` accepts.
pub fn by_pci_bus_id(text: &str) -> Option<i32> {
    let text = text.split('.').next()?;
    let fields: Vec<i32> = text
        .split(':')
        .map(|field| i32::from_str_radix(field, 16).ok())
        .collect::<Option<_>>()?;
    let (domain, bus, slot) = match fields[..] {
        [domain, bus, slot] => (domain, bus, slot),
        [bus, slot] => (0, bus, slot),
        _ => return None,
    };
    let ordinal = bus.checked_sub(1)?;
    let found = domain == PCI_DOMAIN && slot == 0 && check(ordinal).is_ok();
    found.then_some(ordinal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pci_bus_ids_round_trip() {
        assert_eq!(by_pci_bus_id(&pci_bus_id(0)), Some(0));
        assert_eq!(by_pci_bus_id("000E:01:00"), Some(0));
        for wrong in ["", "0000:01:00.0", "nonsense", "000e:7f:00.0", "1:2:3:4"] {
            assert_eq!(by_pci_bus_id(wrong), None, "{wrong}");
        }
    }
}
