//! The bytes in use on each device.

use std::sync::Mutex;

use crate::abi::status::{Code, Result};
use crate::process::device;
use cuda_emulator_engine::Unpoisoned;

/// Bytes in use per device.
static USED: Mutex<[u64; 64]> = Mutex::new([0; 64]);

/// Returns the bytes in use on a device.
pub fn used(ordinal: i32) -> u64 {
    USED.lock().unpoisoned()[ordinal as usize]
}

/// Counts bytes of a device's memory as used.
///
/// # Errors
/// Returns `CUDA_ERROR_OUT_OF_MEMORY` if fewer than `bytes` are left.
pub fn take(ordinal: i32, bytes: u64) -> Result {
    let used = &mut USED.lock().unpoisoned()[ordinal as usize];
    if bytes > device::total_memory().saturating_sub(*used) {
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    *used += bytes;
    Ok(())
}

/// Counts bytes that [`take`] counted as free again.
pub fn release(ordinal: i32, bytes: u64) {
    USED.lock().unpoisoned()[ordinal as usize] -= bytes;
}
