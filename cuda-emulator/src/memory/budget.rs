//! How much of each device's memory is in use.

use std::sync::Mutex;

use crate::abi::status::{Code, Result};
use crate::process::device;
use cuda_emulator_engine::Unpoisoned;

/// Bytes in use of each device.
static USED: Mutex<[u64; 64]> = Mutex::new([0; 64]);

/// Bytes in use on a device.
pub fn used(ordinal: i32) -> u64 {
    USED.lock().unpoisoned()[ordinal as usize]
}

/// Counts memory of a device as used: what isn't in the table of allocations.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY` when there isn't as much left.
pub fn take(ordinal: i32, bytes: u64) -> Result {
    let used = &mut USED.lock().unpoisoned()[ordinal as usize];
    if bytes > device::total_memory().saturating_sub(*used) {
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    *used += bytes;
    Ok(())
}

/// The end of what was counted by [`take`].
pub fn give_back(ordinal: i32, bytes: u64) {
    USED.lock().unpoisoned()[ordinal as usize] -= bytes;
}
