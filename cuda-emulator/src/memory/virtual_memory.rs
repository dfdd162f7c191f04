//! Virtual memory management: reserved address ranges and the mappings in them.
//!
//! To kernels and copies a mapping is an ordinary allocation with access rights: see [`Rights`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Once};

use super::access_checks;
use super::allocations::{self, Allocation};
use super::arena;
use super::permissions::{HOST, Rights};
use super::physical_memory::{GRANULARITY, Physical};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context;
use crate::process::device;
use crate::process::registry::{self, Kind, Owner};
use crate::system;
use cuda_emulator_engine::Unpoisoned;

/// A mapping at an address.
struct Mapping {
    physical: Arc<Physical>,
    allocation: Arc<Allocation>,
}

struct Space {
    /// Sizes of reserved ranges by address.
    reserved: BTreeMap<u64, u64>,
    mapped: BTreeMap<u64, Mapping>,
}

static SPACE: Mutex<Space> = Mutex::new(Space {
    reserved: BTreeMap::new(),
    mapped: BTreeMap::new(),
});

fn lock() -> MutexGuard<'static, Space> {
    SPACE.lock().unpoisoned()
}

/// The registered kind of reserved ranges.
struct Reservations;

impl Kind for Reservations {
    fn name(&self) -> &'static str {
        "address range"
    }

    fn rank(&self) -> u8 {
        0x21
    }

    /// Reservations belong to no context.
    fn end(&self, _: &Owner) {}

    fn leaks(&self) -> Vec<String> {
        let space = lock();
        let mapped = space.mapped.iter().map(|(address, one)| {
            let size = one.physical.size;
            format!("mapping of {size} bytes at {address:#x} (cuMemMap)")
        });
        let reserved = space.reserved.iter().map(|(address, size)| {
            format!("reserved addresses, {size} bytes at {address:#x} (cuMemAddressReserve)")
        });
        mapped.chain(reserved).collect()
    }
}

/// Reserves addresses. A requested address is ignored, whereas an H200's driver uses it if
/// possible.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the size is 0 or not a multiple of the granularity, or if
/// the alignment is not a power of two. Returns `CUDA_ERROR_OUT_OF_MEMORY` if the address space is
/// exhausted.
pub fn reserve(size: u64, alignment: u64) -> Result<u64> {
    static KNOWN: Once = Once::new();
    KNOWN.call_once(|| registry::register(&Reservations));
    let aligned = alignment == 0 || alignment.is_power_of_two();
    if size == 0 || !size.is_multiple_of(GRANULARITY) || !aligned {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if size > 1 << 46 || alignment > 1 << 45 {
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    let address = arena::allocate_for_maps(size, alignment.max(GRANULARITY));
    let address = address.ok_or(Code::ERROR_OUT_OF_MEMORY)?;
    lock().reserved.insert(address, size);
    Ok(address)
}

/// Frees reserved addresses.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` unless the range is a whole reservation in which nothing is
/// mapped.
pub fn free(address: u64, size: u64) -> Result {
    let mut space = lock();
    let in_use = space.mapped.range(address..).next();
    let in_use = in_use.is_some_and(|(&at, _)| at - address < size);
    if in_use || space.reserved.get(&address) != Some(&size) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    space.reserved.remove(&address);
    drop(space);
    arena::release_for_maps(address, size);
    Ok(())
}

/// Returns the reserved range that contains an address.
pub fn reservation(address: u64) -> Option<(u64, u64)> {
    let space = lock();
    let (&base, &size) = space.reserved.range(..=address).next_back()?;
    (address - base < size).then_some((base, size))
}

/// Maps all of a piece of physical memory.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the addresses are not reserved or something is mapped
/// there, and `CUDA_ERROR_NOT_SUPPORTED` for a part of the memory, as an H200 does. Returns
/// `CUDA_ERROR_OUT_OF_MEMORY` if the system allows no more mappings.
pub fn map(address: u64, size: u64, offset: u64, physical: &Arc<Physical>) -> Result {
    if size == 0 || !address.is_multiple_of(GRANULARITY) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let mut space = lock();
    let around = space.reserved.range(..=address).next_back();
    let room = around.and_then(|(base, length)| length.checked_sub(address - base));
    let room = room.filter(|&room| room > 0);
    let room = room.ok_or(Code::ERROR_INVALID_VALUE)?;
    if size != physical.size || offset != 0 {
        return Err(Code::ERROR_NOT_SUPPORTED);
    }
    let end = address.saturating_add(size);
    let before = space.mapped.range(..end).next_back();
    let taken = before.is_some_and(|(at, one)| at + one.physical.size > address);
    // An H200's driver does not check whether the end is reserved.
    if size > room || taken {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // SAFETY: the range is reserved from the arena and nothing is mapped there, as just checked
    // under the lock.
    if !unsafe { physical.show_at(address) } {
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    let context = context::primary(physical.ordinal());
    let allocation = allocations::place(&context, address, size, physical.place(), Rights::none());
    let physical = physical.clone();
    space.mapped.insert(
        address,
        Mapping {
            physical,
            allocation,
        },
    );
    Ok(())
}

impl Space {
    /// Returns the mappings that make up a range, each of them whole.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the range does not consist of whole mappings.
    fn whole(&self, address: u64, size: u64) -> Result<Vec<u64>> {
        let end = address.checked_add(size).ok_or(Code::ERROR_INVALID_VALUE)?;
        let mut found = Vec::new();
        let mut at = address;
        while at < end {
            let one = self.mapped.get(&at).ok_or(Code::ERROR_INVALID_VALUE)?;
            found.push(at);
            at += one.physical.size;
        }
        if found.is_empty() || at != end {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(found)
    }
}

/// Removes mappings. As on an H200, running work then faults, because the driver does not wait. It
/// also accepts parts of the range without a mapping.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for addresses that are not reserved and for a part of a
/// mapping. Returns `CUDA_ERROR_OPERATING_SYSTEM` if the system allows no more mappings. In that
/// case the old mapping stays.
pub fn unmap(address: u64, size: u64) -> Result {
    let mut space = lock();
    let reserved = space.reserved.range(..=address).next_back();
    let reserved = reserved.is_some_and(|(base, length)| address - base < *length);
    let whole = size > 0 && size.is_multiple_of(GRANULARITY) && address.is_multiple_of(GRANULARITY);
    if !reserved || !whole {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let end = address.saturating_add(size);
    let before = space.mapped.range(..end).rev();
    let touched = before
        .map(|(&at, one)| (at, at + one.physical.size))
        .take_while(|&(_, last)| last > address);
    let touched: Vec<(u64, u64)> = touched.collect();
    if touched.iter().any(|&(at, last)| at < address || last > end) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    for (at, last) in touched {
        // SAFETY: a mapping until now, and the lock is held. Work that still runs reads zeros.
        if !unsafe { system::unmap_at(at, last - at) } {
            return Err(Code::ERROR_OPERATING_SYSTEM);
        }
        if let Some(mapping) = space.mapped.remove(&at) {
            allocations::free(&mapping.allocation, "cuMemUnmap");
        }
    }
    Ok(())
}

/// Returns the index of a location in [`Rights`].
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_DEVICE` or `CUDA_ERROR_INVALID_VALUE` if the location does not
/// exist.
fn accessor(location: &Location) -> Result<usize> {
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => {
            device::check(location.id)?;
            Ok(location.id as usize)
        }
        CU_MEM_LOCATION_TYPE_HOST => Ok(HOST),
        CU_MEM_LOCATION_TYPE_HOST_NUMA if location.id == 0 => Ok(HOST),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Sets the access of locations to mappings.
///
/// # Errors
/// Returns:
/// - the errors of [`Space::whole`];
/// - `CUDA_ERROR_INVALID_VALUE` for unknown locations and flags;
/// - `CUDA_ERROR_NOT_SUPPORTED` for access of the host to a device's memory;
/// - `CUDA_ERROR_INVALID_DEVICE` for a device without a link to the memory's device.
pub fn set_access(address: u64, size: u64, wanted: &[Access]) -> Result {
    let space = lock();
    let mappings = space.whole(address, size)?;
    if wanted.is_empty() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let mut places = Vec::new();
    for access in wanted {
        let known = [
            CU_MEM_ACCESS_FLAGS_PROT_NONE,
            CU_MEM_ACCESS_FLAGS_PROT_READ,
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        ];
        if !known.contains(&access.flags) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let accessor = accessor(&access.location).map_err(|_| Code::ERROR_INVALID_VALUE)?;
        let of_device = |at: &u64| space.mapped[at].physical.place() == CU_MEM_LOCATION_TYPE_DEVICE;
        if accessor == HOST && mappings.iter().any(of_device) {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let apart = |at: &u64| {
            let physical = &space.mapped[at].physical;
            let own = physical.ordinal();
            let of_device = physical.place() == CU_MEM_LOCATION_TYPE_DEVICE;
            of_device && own as usize != accessor && !device::are_linked(accessor as i32, own)
        };
        if accessor != HOST && mappings.iter().any(apart) {
            return Err(Code::ERROR_INVALID_DEVICE);
        }
        places.push((accessor, access.flags as u8));
    }
    for at in mappings {
        for &(accessor, flags) in &places {
            access_checks::set_rights(&space.mapped[&at].allocation, accessor, flags);
        }
    }
    Ok(())
}

/// Returns the access of a location at an address.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if nothing is mapped there.
pub fn access(address: u64, location: &Location) -> Result<u64> {
    let accessor = accessor(location)?;
    let allocation = allocations::find(address).ok_or(Code::ERROR_INVALID_VALUE)?;
    let rights = allocation.rights.as_ref();
    Ok(rights.ok_or(Code::ERROR_INVALID_VALUE)?.of(accessor).into())
}

/// Returns the physical memory that is mapped at an address.
pub fn physical_at(address: u64) -> Option<Arc<Physical>> {
    let space = lock();
    let (&base, mapping) = space.mapped.range(..=address).next_back()?;
    (address - base < mapping.physical.size).then(|| mapping.physical.clone())
}

/// Returns why a device cannot access an address in a reserved range, for fault reports.
pub fn explain(address: u64, ordinal: i32) -> Option<String> {
    let (base, size) = reservation(address)?;
    let found = allocations::find(address).filter(|one| one.rights.is_some());
    let Some(allocation) = found else {
        return Some(format!(
            "it is {} bytes into {size} reserved bytes at {base:#x}, where nothing is mapped (cuMemMap)",
            address - base
        ));
    };
    let what = match allocation.rights.as_ref()?.of(ordinal as usize) as u32 {
        CU_MEM_ACCESS_FLAGS_PROT_NONE => "no access",
        CU_MEM_ACCESS_FLAGS_PROT_READ => "read access only",
        _ => return None,
    };
    Some(format!(
        "device {ordinal} has {what} to {} (cuMemSetAccess)",
        allocation.summary()
    ))
}
