//! The emulated device: a plausible device of the [`Architecture`] that it plays, whose multiprocessors are the host's
//! cores. Its name says that it is emulated.

use std::sync::OnceLock;

use super::architecture::{self, Architecture};
use super::configuration;
use crate::abi::status::{Code, Result};

/// The CUDA version of the driver that is emulated.
pub const DRIVER_VERSION: i32 = 13000;
/// The greatest number of threads per block.
pub const MAX_THREADS: u32 = 1024;
/// Most threads of a block in each dimension.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most blocks of a grid in each dimension.
pub const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Shared memory a block may use without asking.
pub const SHARED_PER_BLOCK: u32 = 48 << 10;
/// Shared memory of a block that the system keeps for itself.
pub const SHARED_RESERVED: u32 = 1 << 10;
/// Registers per multiprocessor, and per block.
pub const REGISTERS: u32 = 65536;
/// Bytes of the L2 cache.
pub const L2_CACHE: i32 = 32 << 20;
/// Of these so many can be set aside for persisting accesses, in steps: the same parts as on an H200.
pub const MAX_PERSISTING: u64 = L2_CACHE as u64 / 8 * 5;
pub const PERSISTING_UNIT: u64 = L2_CACHE as u64 / 16;
/// The largest access-policy window.
pub const MAX_WINDOW: u64 = 128 << 20;
/// Row pitch of `cuMemAllocPitch` is a multiple of this.
pub const PITCH: u64 = 512;
/// Largest pitch of a 2D copy.
pub const MAX_PITCH: u64 = 0x7fff_ffff;
/// `%clock` and the device's clock rate.
pub const CLOCK_KHZ: i32 = 1_000_000;

/// What it plays.
pub fn architecture() -> &'static Architecture {
    configuration::get().device
}

/// Whether kernels of one device can use the other's memory: of all pairs, unless `CUDA_EMULATOR_LINKS` names them. A device
/// and itself are no peers.
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
/// `CUDA_ERROR_INVALID_DEVICE`.
pub fn check(ordinal: i32) -> Result {
    if (0..configuration::get().devices as i32).contains(&ordinal) {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_DEVICE)
    }
}

/// Multiprocessors: one a worker thread.
pub fn multiprocessors() -> u32 {
    configuration::get().threads as u32
}

/// The device's name.
pub fn name() -> String {
    let cores = configuration::get().threads;
    let s = if cores == 1 { "" } else { "s" };
    match architecture() {
        one if *one == architecture::DEFAULT => format!("CUDA emulator ({cores} core{s})"),
        one => format!("CUDA emulator ({}, {cores} core{s})", one.name),
    }
}

/// The host's memory in bytes.
pub fn host_memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        // SAFETY: sysconf only reads.
        let (pages, page) = unsafe {
            (
                libc::sysconf(libc::_SC_PHYS_PAGES),
                libc::sysconf(libc::_SC_PAGESIZE),
            )
        };
        let physical = if pages > 0 && page > 0 {
            pages as u64 * page as u64
        } else {
            4 << 30
        };
        let limit = [
            "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        ]
        .iter()
        .find_map(|path| {
            std::fs::read_to_string(path)
                .ok()?
                .trim()
                .parse::<u64>()
                .ok()
        });
        physical.min(limit.unwrap_or(u64::MAX))
    })
}

/// The device's memory in bytes: `CUDA_EMULATOR_MEMORY`, or half the host's.
pub fn total_memory() -> u64 {
    configuration::get()
        .memory
        .unwrap_or_else(|| (host_memory() / 2).max(1 << 28) & !0xfffff)
}

/// The device's UUID: the same in every process, different for each ordinal.
pub fn uuid(ordinal: i32) -> [u8; 16] {
    let mut uuid = *b"cuda-emulator\0\0\0";
    uuid[15] = ordinal as u8;
    uuid
}

/// `domain:bus:device.function`.
pub fn pci_bus_id(ordinal: i32) -> String {
    format!("{:04x}:{:02x}:00.0", PCI_DOMAIN, ordinal + 1)
}

pub const PCI_DOMAIN: i32 = 0x0e;

/// The ordinal of a PCI bus id in any of the forms that `cuDeviceGetByPCIBusId` takes.
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
    fn pci_ids_round_trip() {
        assert_eq!(by_pci_bus_id(&pci_bus_id(0)), Some(0));
        assert_eq!(by_pci_bus_id("000E:01:00"), Some(0));
        for wrong in ["", "0000:01:00.0", "nonsense", "000e:7f:00.0", "1:2:3:4"] {
            assert_eq!(by_pci_bus_id(wrong), None, "{wrong}");
        }
    }
}
