//! The emulated device: a plausible device of compute capability 9.0 whose multiprocessors are the host's cores. Its
//! name says that it is emulated.

use std::sync::OnceLock;

use super::config;
use super::status::{Code, Result};

/// The CUDA version of the driver that is emulated.
pub const DRIVER_VERSION: i32 = 13000;
/// Compute capability, as major and minor.
pub const CAPABILITY: (i32, i32) = (9, 0);
/// The greatest number of threads per block.
pub const MAX_THREADS: u32 = 1024;
/// Most threads of a block in each dimension.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Most blocks of a grid in each dimension.
pub const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Shared memory a block may use without asking.
pub const SHARED_PER_BLOCK: u32 = 48 << 10;
/// Shared memory a block may use after `cuFuncSetAttribute`.
pub const SHARED_OPT_IN: u32 = 227 << 10;
/// Shared memory of a multiprocessor.
pub const SHARED_PER_MULTIPROCESSOR: u32 = 228 << 10;
/// Shared memory of a block that the system keeps for itself.
pub const SHARED_RESERVED: u32 = 1 << 10;
/// Registers per multiprocessor, and per block.
pub const REGISTERS: u32 = 65536;
/// Most threads of a multiprocessor.
pub const THREADS_PER_MULTIPROCESSOR: u32 = 2048;
/// Most blocks of a multiprocessor.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;
/// Row pitch of `cuMemAllocPitch` is a multiple of this.
pub const PITCH: u64 = 512;
/// Largest pitch of a 2D copy.
pub const MAX_PITCH: u64 = 0x7fff_ffff;
/// `%clock` and the device's clock rate.
pub const CLOCK_KHZ: i32 = 1_000_000;

/// Checks a `CUdevice`.
///
/// # Errors
/// `CUDA_ERROR_INVALID_DEVICE`.
pub fn check(ordinal: i32) -> Result {
    if (0..config::get().devices as i32).contains(&ordinal) {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_DEVICE)
    }
}

/// Multiprocessors: one a worker thread.
pub fn multiprocessors() -> u32 {
    config::get().threads as u32
}

/// The device's name.
pub fn name() -> String {
    let cores = config::get().threads;
    format!(
        "CUDA emulator ({cores} core{})",
        if cores == 1 { "" } else { "s" }
    )
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
    config::get()
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

const PCI_DOMAIN: i32 = 0x0e;

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

/// The value of a `CUdevice_attribute`; numbers as in the header.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an attribute that no header up to CUDA 13.5 has.
pub fn attribute(attribute: u32, ordinal: i32) -> Result<i32> {
    Ok(match attribute {
        1 => MAX_THREADS as i32, // MAX_THREADS_PER_BLOCK
        2..=4 => MAX_BLOCK[attribute as usize - 2] as i32,
        5..=7 => MAX_GRID[attribute as usize - 5] as i32,
        8 => SHARED_PER_BLOCK as i32,   // MAX_SHARED_MEMORY_PER_BLOCK
        9 => 64 << 10,                  // TOTAL_CONSTANT_MEMORY
        10 => 32,                       // WARP_SIZE
        11 => MAX_PITCH as i32,         // MAX_PITCH
        12 => REGISTERS as i32,         // MAX_REGISTERS_PER_BLOCK
        13 => CLOCK_KHZ,                // CLOCK_RATE
        14 => 512,                      // TEXTURE_ALIGNMENT
        15 => 1,                        // GPU_OVERLAP
        16 => multiprocessors() as i32, // MULTIPROCESSOR_COUNT
        17 => i32::from(config::get().timeout.is_some()), // KERNEL_EXEC_TIMEOUT
        18 => 0,                        // INTEGRATED
        19 => 1,                        // CAN_MAP_HOST_MEMORY
        20 => 0,                        // COMPUTE_MODE: default
        21 => 131_072,                  // MAXIMUM_TEXTURE1D_WIDTH
        22 => 131_072,                  // MAXIMUM_TEXTURE2D_WIDTH
        23 => 65_536,                   // MAXIMUM_TEXTURE2D_HEIGHT
        24..=26 => 16_384,              // MAXIMUM_TEXTURE3D_*
        27 | 28 => 32_768,              // MAXIMUM_TEXTURE2D_LAYERED_WIDTH, HEIGHT
        29 => 2_048,                    // MAXIMUM_TEXTURE2D_LAYERED_LAYERS
        30 => 512,                      // SURFACE_ALIGNMENT
        31 => 1,                        // CONCURRENT_KERNELS
        32 => 0,                        // ECC_ENABLED
        33 => ordinal + 1,              // PCI_BUS_ID
        34 => 0,                        // PCI_DEVICE_ID
        35 => 0,                        // TCC_DRIVER
        36 => 1_600_000,                // MEMORY_CLOCK_RATE
        37 => 128,                      // GLOBAL_MEMORY_BUS_WIDTH
        38 => 32 << 20,                 // L2_CACHE_SIZE
        39 => THREADS_PER_MULTIPROCESSOR as i32, // MAX_THREADS_PER_MULTIPROCESSOR
        40 => 2,                        // ASYNC_ENGINE_COUNT
        41 => 1,                        // UNIFIED_ADDRESSING
        42 => 32_768,                   // MAXIMUM_TEXTURE1D_LAYERED_WIDTH
        43 => 2_048,                    // MAXIMUM_TEXTURE1D_LAYERED_LAYERS
        44 => 1,                        // CAN_TEX2D_GATHER
        45 | 46 => 32_768,              // MAXIMUM_TEXTURE2D_GATHER_*
        47 | 48 => 8_192,               // MAXIMUM_TEXTURE3D_*_ALTERNATE
        49 => 32_768,                   // MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE
        50 => PCI_DOMAIN,               // PCI_DOMAIN_ID
        51 => 32,                       // TEXTURE_PITCH_ALIGNMENT
        52 | 53 => 32_768,              // MAXIMUM_TEXTURECUBEMAP_WIDTH, LAYERED_WIDTH
        54 => 2_046,                    // MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS
        55 => 32_768,                   // MAXIMUM_SURFACE1D_WIDTH
        56 => 131_072,                  // MAXIMUM_SURFACE2D_WIDTH
        57 => 65_536,                   // MAXIMUM_SURFACE2D_HEIGHT
        58..=60 => 16_384,              // MAXIMUM_SURFACE3D_*
        61 => 32_768,                   // MAXIMUM_SURFACE1D_LAYERED_WIDTH
        62 => 2_048,                    // MAXIMUM_SURFACE1D_LAYERED_LAYERS
        63 | 64 => 32_768,              // MAXIMUM_SURFACE2D_LAYERED_*
        65 => 2_048,                    // MAXIMUM_SURFACE2D_LAYERED_LAYERS
        66 | 67 => 32_768,              // MAXIMUM_SURFACECUBEMAP_*
        68 => 2_046,                    // MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS
        69 => 268_435_456,              // MAXIMUM_TEXTURE1D_LINEAR_WIDTH
        70 => 131_072,                  // MAXIMUM_TEXTURE2D_LINEAR_WIDTH
        71 => 65_000,                   // MAXIMUM_TEXTURE2D_LINEAR_HEIGHT
        72 => 2_097_120,                // MAXIMUM_TEXTURE2D_LINEAR_PITCH
        73 | 74 => 32_768,              // MAXIMUM_TEXTURE2D_MIPMAPPED_*
        75 => CAPABILITY.0,             // COMPUTE_CAPABILITY_MAJOR
        76 => CAPABILITY.1,             // COMPUTE_CAPABILITY_MINOR
        77 => 32_768,                   // MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH
        78 => 1,                        // STREAM_PRIORITIES_SUPPORTED
        79 | 80 => 1,                   // GLOBAL_, LOCAL_L1_CACHE_SUPPORTED
        81 => SHARED_PER_MULTIPROCESSOR as i32, // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
        82 => REGISTERS as i32,         // MAX_REGISTERS_PER_MULTIPROCESSOR
        83 => 1,                        // MANAGED_MEMORY
        84 => 0,                        // MULTI_GPU_BOARD
        85 => ordinal,                  // MULTI_GPU_BOARD_GROUP_ID
        86 => 1,      // HOST_NATIVE_ATOMIC_SUPPORTED: one memory, one set of atomics
        87 => 2,      // SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
        88 => 0,      // PAGEABLE_MEMORY_ACCESS: only what is allocated or registered
        89 => 1,      // CONCURRENT_MANAGED_ACCESS
        90 => 1,      // COMPUTE_PREEMPTION_SUPPORTED
        91 => 1,      // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
        92 | 93 => 0, // CAN_USE_(64_BIT_)STREAM_MEM_OPS_V1
        94 => 0,      // CAN_USE_STREAM_WAIT_VALUE_NOR_V1
        95 => 1,      // COOPERATIVE_LAUNCH
        96 => 0,      // COOPERATIVE_MULTI_DEVICE_LAUNCH
        97 => SHARED_OPT_IN as i32, // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        98 => 0,      // CAN_FLUSH_REMOTE_WRITES
        99 => 1,      // HOST_REGISTER_SUPPORTED
        100 => 0,     // PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES
        101 => 1,     // DIRECT_MANAGED_MEM_ACCESS_FROM_HOST
        102 => 0,     // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        103..=105 => 0, // HANDLE_TYPE_*_SUPPORTED
        106 => BLOCKS_PER_MULTIPROCESSOR as i32, // MAX_BLOCKS_PER_MULTIPROCESSOR
        107 => 0,     // GENERIC_COMPRESSION_SUPPORTED
        108 | 109 => 0, // MAX_PERSISTING_L2_CACHE_SIZE, MAX_ACCESS_POLICY_WINDOW_SIZE
        110 => 0,     // GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
        111 => SHARED_RESERVED as i32, // RESERVED_SHARED_MEMORY_PER_BLOCK
        112 => 0,     // SPARSE_CUDA_ARRAY_SUPPORTED
        113 => 1,     // READ_ONLY_HOST_REGISTER_SUPPORTED
        114 => 0,     // TIMELINE_SEMAPHORE_INTEROP_SUPPORTED
        115 => 1,     // MEMORY_POOLS_SUPPORTED
        116..=118 => 0, // GPU_DIRECT_RDMA_*
        119 => 0,     // MEMPOOL_SUPPORTED_HANDLE_TYPES
        120 => 0,     // CLUSTER_LAUNCH
        121 => 0,     // DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED
        122 => 1,     // CAN_USE_64_BIT_STREAM_MEM_OPS
        123 => 1,     // CAN_USE_STREAM_WAIT_VALUE_NOR
        124 | 125 => 0, // DMA_BUF_SUPPORTED, IPC_EVENT_SUPPORTED
        126 => 1,     // MEM_SYNC_DOMAIN_COUNT
        127..=129 => 0, // TENSOR_MAP_ACCESS, HANDLE_TYPE_FABRIC, UNIFIED_FUNCTION_POINTERS
        130 => 0,     // NUMA_CONFIG: none
        131 => -1,    // NUMA_ID
        132 | 133 => 0, // MULTICAST_SUPPORTED, MPS_ENABLED
        134 => 0,     // HOST_NUMA_ID
        135 => 0,     // D3D12_CIG_SUPPORTED
        136 | 137 => 0, // MEM_DECOMPRESS_*
        138 => 0,     // VULKAN_CIG_SUPPORTED
        139 | 140 => 0, // GPU_PCI_DEVICE_ID, GPU_PCI_SUBSYSTEM_ID: no vendor's
        141..=159 => 0, // HOST_NUMA_*, HOST_MEMORY_POOLS and newer capabilities: none
        _ => return Err(Code::ERROR_INVALID_VALUE),
    })
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

    #[test]
    fn every_known_attribute_has_a_value() {
        for number in 1..=159 {
            assert!(attribute(number, 0).is_ok(), "{number}");
        }
        assert_eq!(attribute(0, 0), Err(Code::ERROR_INVALID_VALUE));
        assert_eq!(attribute(5000, 0), Err(Code::ERROR_INVALID_VALUE));
    }
}
