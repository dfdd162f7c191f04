//! The addresses of an allocation and its share of a device's memory.

use super::arena;
use super::budget;
use crate::abi::status::{Code, Result};
use crate::process::device;
use crate::system;

/// The resources of an allocation, which are released when it is freed.
#[derive(Default)]
pub struct Backing {
    /// Start and size of the addresses taken from the arena. `None` for memory that the client
    /// allocated and for memory in a reservation.
    addresses: Option<(u64, u64)>,
    /// Whether whole pages of a file are mapped there.
    pub in_file: bool,
    /// The device whose budget it counts against, and the bytes.
    charge: Option<(i32, u64)>,
}

impl Backing {
    /// Allocates addresses from the arena. They count against a device's memory if `device` is
    /// given.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_OUT_OF_MEMORY` if the device's memory or the address space is exhausted.
    pub fn take(size: u64, align: u64, device: Option<i32>, exportable: bool) -> Result<Backing> {
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
        let backing = Backing {
            addresses: taken.map(|start| (start, bytes)),
            in_file: false,
            charge: device.map(|ordinal| (ordinal, bytes)),
        };
        if taken.is_none() {
            backing.release();
            return Err(Code::ERROR_OUT_OF_MEMORY);
        }
        Ok(backing)
    }

    /// Allocates whole pages of addresses where a file will be mapped. They count against no
    /// device, because the memory belongs to the creator of the file.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_OUT_OF_MEMORY` if the address space is exhausted.
    pub fn pages(bytes: u64) -> Result<Backing> {
        let bytes = bytes.checked_next_multiple_of(system::PAGE);
        let take = |bytes| Some((arena::allocate_for_maps(bytes, system::PAGE)?, bytes));
        let taken = bytes.and_then(take);
        Ok(Backing {
            addresses: Some(taken.ok_or(Code::ERROR_OUT_OF_MEMORY)?),
            in_file: true,
            charge: None,
        })
    }

    /// Returns the start of its addresses.
    pub fn start(&self) -> u64 {
        self.addresses.map_or(0, |(start, _)| start)
    }

    /// Releases the addresses and the share of the budget. Must be called only once.
    pub fn release(&self) {
        if let Some((start, bytes)) = self.addresses {
            if !self.in_file {
                arena::release(start, bytes);
            // SAFETY: whole pages whose allocation has been freed. Work that still runs reads
            // zeros.
            } else if unsafe { system::unmap_at(start, bytes) } {
                arena::release_for_maps(start, bytes);
            }
        }
        if let Some((ordinal, bytes)) = self.charge {
            budget::release(ordinal, bytes);
        }
    }
}
