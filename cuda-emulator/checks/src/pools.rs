//! Memory pools and operations on them.

use crate::abi::*;
use std::ptr::null_mut;

pub const DEVICE: CUmemLocationType = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
pub const PINNED: CUmemAllocationType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;

pub fn location(id: i32) -> CUmemLocation {
    CUmemLocation::new(DEVICE, id)
}

pub fn properties(device: i32, most: usize) -> CUmemPoolProps {
    CUmemPoolProps {
        allocType: PINNED,
        location: location(device),
        maxSize: most,
        ..Default::default()
    }
}

pub fn pool(device: i32, most: usize) -> CUmemoryPool {
    out!(cuMemPoolCreate(_, &properties(device, most)))
}

/// Allocates from a pool, on the default stream.
pub fn take(pool: CUmemoryPool, size: usize) -> Result<CUdeviceptr, CUresult> {
    let mut address = 0;
    // SAFETY: The result pointer is valid.
    match unsafe { cuMemAllocFromPoolAsync(&mut address, size, pool, null_mut()) } {
        SUCCESS => Ok(address),
        code => Err(code),
    }
}

pub fn give(address: CUdeviceptr) {
    ok!(cuMemFreeAsync(address, null_mut()));
    ok!(cuCtxSynchronize());
}

pub const MARK: u64 = 0xdead_beef_dead_beef;

/// Returns the eight bytes that hold an attribute's value. Bytes that the call did not write keep
/// the mark.
pub fn read(pool: CUmemoryPool, attribute: u32) -> Result<u64, CUresult> {
    let mut value = MARK;
    let attribute = CUmemPool_attribute(attribute);
    // SAFETY: The buffer fits the widest result.
    match unsafe { cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()) } {
        SUCCESS => Ok(value),
        code => Err(code),
    }
}

pub fn write(pool: CUmemoryPool, attribute: u32, mut value: u64) -> CUresult {
    let attribute = CUmemPool_attribute(attribute);
    // SAFETY: The buffer fits the widest type.
    unsafe { cuMemPoolSetAttribute(pool, attribute, (&raw mut value).cast()) }
}
