//! What an allocation has from others: addresses, and a part of a device's memory.

use super::arena;
use super::budget;
use crate::abi::status::{Code, Result};
use crate::process::device;
use crate::process::memory_file;

/// What an allocation has from others, and gives back in the end.
#[derive(Default)]
pub struct Ground {
    /// Addresses taken from the arena, from the first one on; none of memory of the client's own, and of what has its place
    /// from a reservation.
    addresses: Option<(u64, u64)>,
    /// Pages of a file are mapped there, whole.
    pub in_file: bool,
    /// The device that it counts against, and bytes.
    charge: Option<(i32, u64)>,
}

impl Ground {
    /// Addresses of the arena, which count against a device if it says which.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY` when the device's memory or the address space is used up.
    pub fn take(size: u64, align: u64, device: Option<i32>, exportable: bool) -> Result<Ground> {
        let bytes = arena::rounded(size).ok_or(Code::ERROR_OUT_OF_MEMORY)?;
        match device {
            Some(ordinal) => budget::take(ordinal, bytes)?,
            None if bytes > device::host_memory() => return Err(Code::ERROR_OUT_OF_MEMORY),
            None => {}
        }
        let taken = match exportable {
            true => arena::allocate_exportable(bytes, align),
            false => arena::allocate(bytes, align),
        };
        let ground = Ground {
            addresses: taken.map(|start| (start, bytes)),
            in_file: false,
            charge: device.map(|ordinal| (ordinal, bytes)),
        };
        if taken.is_none() {
            ground.release();
            return Err(Code::ERROR_OUT_OF_MEMORY);
        }
        Ok(ground)
    }

    /// Whole pages, for a file's to be mapped there. They count against no device here: the memory is that of who has made
    /// the file.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY` when the address space is used up.
    pub fn pages(bytes: u64) -> Result<Ground> {
        let bytes = bytes.checked_next_multiple_of(memory_file::PAGE);
        let taken =
            bytes.and_then(|bytes| Some((arena::allocate(bytes, memory_file::PAGE)?, bytes)));
        Ok(Ground {
            addresses: Some(taken.ok_or(Code::ERROR_OUT_OF_MEMORY)?),
            in_file: true,
            charge: None,
        })
    }

    /// The first of its addresses.
    pub fn start(&self) -> u64 {
        self.addresses.map_or(0, |(start, _)| start)
    }

    /// Gives all back, once.
    pub fn release(&self) {
        if let Some((start, bytes)) = self.addresses {
            // SAFETY: whole pages of the arena, whose allocation has gone. Work that is late meets empty pages.
            if !self.in_file || unsafe { memory_file::unmap_at(start, bytes) } {
                arena::release(start, bytes);
            }
        }
        if let Some((ordinal, bytes)) = self.charge {
            budget::give_back(ordinal, bytes);
        }
    }
}
