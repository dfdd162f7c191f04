//! Occupancy: how many blocks fit on a multiprocessor, from the resources of the device's
//! architecture.

use std::sync::atomic::Ordering;

use crate::abi::status::{Code, Result};
use crate::code::module::Function;
use crate::process::architecture::Architecture;
use crate::process::device;
use cuda_emulator_engine::KernelInfo;

/// Granularity of register allocation per warp.
const REGISTER_UNIT: u32 = 256;
/// Granularity of shared memory allocation per block.
const SHARED_UNIT: u64 = 128;

/// Returns how many blocks of `threads` threads and `dynamic_shared` bytes run on one
/// multiprocessor at once, or 0 if the block cannot be launched at all.
pub fn blocks(
    device: &Architecture,
    info: &KernelInfo,
    registers: u32,
    threads: u32,
    dynamic_shared: u64,
) -> u32 {
    // Like an H200's driver, it also counts blocks larger than the kernel was compiled for.
    if threads == 0 || threads > device::MAX_THREADS {
        return 0;
    }
    let warps = threads.div_ceil(32);
    let by_threads = device.threads / 32 / warps;
    let by_registers = device::REGISTERS / (registers * 32).next_multiple_of(REGISTER_UNIT) / warps;
    let shared = u64::from(info.static_shared) + dynamic_shared;
    if shared > u64::from(device.shared_opt_in) {
        return 0;
    }
    let shared = (shared + u64::from(device::SHARED_RESERVED)).next_multiple_of(SHARED_UNIT);
    let by_shared = (u64::from(device.shared) / shared) as u32;
    by_threads
        .min(by_registers)
        .min(by_shared)
        .min(device.blocks)
}

/// Like [`blocks`], for the emulated device.
pub fn of_device(function: &Function, threads: u32, dynamic_shared: u64) -> u32 {
    blocks(
        device::architecture(),
        function.info(),
        function.settings.registers,
        threads,
        dynamic_shared,
    )
}

/// Returns how many blocks run on the whole device at once.
pub fn blocks_on_device(function: &Function, threads: u32, dynamic_shared: u64) -> u64 {
    u64::from(of_device(function, threads, dynamic_shared)) * u64::from(device::multiprocessors())
}

/// Like [`blocks`], with the function's own limit on dynamic shared memory.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if `threads` is not positive.
pub fn of_function(function: &Function, threads: i32, dynamic_shared: u64) -> Result<u32> {
    let threads = u32::try_from(threads).map_err(|_| Code::ERROR_INVALID_VALUE)?;
    if threads == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if dynamic_shared > u64::from(function.settings.dynamic_shared.load(Ordering::Relaxed)) {
        return Ok(0);
    }
    Ok(of_device(function, threads, dynamic_shared))
}

/// Returns the block size with the most threads per multiprocessor, and the smallest grid that
/// fills the device.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if no block fits.
pub fn best_block(
    function: &Function,
    dynamic_shared: impl Fn(u32) -> u64,
    limit: u32,
) -> Result<(u32, u32)> {
    let info = function.info();
    let most = info
        .max_threads
        .unwrap_or(device::MAX_THREADS)
        .min(device::MAX_THREADS);
    let most = if limit == 0 { most } else { most.min(limit) };
    let mut best = (0, 0, 0);
    let mut threads = most.next_multiple_of(32);
    while threads > 0 {
        let size = threads.min(most);
        let count = of_function(function, size as i32, dynamic_shared(size))?;
        // Of two equal results, the larger block.
        if count * size > best.0 {
            best = (count * size, size, count);
        }
        threads -= 32;
    }
    match best {
        (0, ..) => Err(Code::ERROR_INVALID_VALUE),
        (_, size, count) => Ok((size, count * device::multiprocessors())),
    }
}

/// Returns the dynamic shared memory available to each of `count` blocks if all of them are to fit
/// on a multiprocessor.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if they do not fit even without dynamic shared memory.
pub fn available_shared(function: &Function, count: u32, threads: u32) -> Result<u64> {
    let info = function.info();
    if of_device(function, threads, 0) < count {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // Like an H200's driver, it ignores the memory that the system reserves per block.
    let share = u64::from(device::architecture().shared / count) / SHARED_UNIT * SHARED_UNIT;
    let taken = u64::from(info.static_shared);
    let most = u64::from(function.settings.dynamic_shared.load(Ordering::Relaxed));
    Ok(share.saturating_sub(taken).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::register_counts::Bounds;
    use crate::process::architecture::DEFAULT;

    fn kernel(registers: u32, static_shared: u32, max_threads: Option<u32>) -> KernelInfo {
        KernelInfo {
            input: 0,
            name: "k".into(),
            params: Vec::new(),
            param_bytes: 0,
            static_shared,
            local_bytes: 0,
            registers,
            max_threads,
            required_block: None,
            min_blocks: None,
            max_registers: None,
            required_cluster: None,
            explicit_cluster: false,
            max_cluster: None,
            nests: false,
            launches_graphs: false,
        }
    }

    /// As on the default device, with the registers that the kernel would have there.
    fn blocks(info: &KernelInfo, threads: u32, dynamic_shared: u64) -> u32 {
        on(&DEFAULT, info, threads, dynamic_shared)
    }

    fn on(device: &Architecture, info: &KernelInfo, threads: u32, dynamic_shared: u64) -> u32 {
        let registers = Bounds::default().apply(info, device.threads);
        super::blocks(device, info, registers, threads, dynamic_shared)
    }

    #[test]
    fn occupancy_depends_on_the_architecture() {
        let device = |name| Architecture::named(name).unwrap();
        let plain = kernel(16, 0, None);
        for (name, small, large, shared) in [
            ("sm_80", 32, 2, 3),
            ("sm_89", 24, 1, 2),
            ("sm_90", 32, 2, 4),
            ("sm_100", 32, 2, 4),
        ] {
            assert_eq!(on(device(name), &plain, 32, 0), small, "{name}");
            assert_eq!(on(device(name), &plain, 1024, 0), large, "{name}");
            assert_eq!(on(device(name), &plain, 32, 48 << 10), shared, "{name}");
        }
        assert_eq!(on(device("sm_89"), &plain, 32, 100 << 10), 0);
    }

    #[test]
    fn estimate_between_two_units_still_fits_the_block() {
        assert_eq!(blocks(&kernel(255, 0, Some(384)), 384, 0), 1);
    }

    #[test]
    fn each_resource_limits_the_blocks() {
        assert_eq!(blocks(&kernel(16, 0, None), 32, 0), 32, "blocks");
        assert_eq!(blocks(&kernel(16, 0, None), 1024, 0), 2, "threads");
        assert_eq!(blocks(&kernel(64, 0, None), 256, 0), 4, "registers");
        assert_eq!(
            blocks(&kernel(16, 48 << 10, None), 128, 0),
            4,
            "static shared memory"
        );
        assert_eq!(
            blocks(&kernel(16, 0, None), 128, 227 << 10),
            1,
            "dynamic shared memory"
        );
        assert_eq!(
            blocks(&kernel(16, 0, None), 128, 228 << 10),
            0,
            "too much of it"
        );
        assert_eq!(
            blocks(&kernel(16, 0, Some(128)), 256, 0),
            8,
            "launch bounds"
        );
        assert_eq!(blocks(&kernel(16, 0, None), 0, 0), 0);
    }

    #[test]
    fn estimate_of_many_registers_still_fits_the_largest_block() {
        assert_eq!(blocks(&kernel(255, 0, None), 1024, 0), 1);
        assert_eq!(blocks(&kernel(255, 0, Some(256)), 256, 0), 1);
    }
}
