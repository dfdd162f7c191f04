//! Addresses at which sections are mapped.
//!
//! The system maps a section only at addresses that are not reserved, and releases a reservation
//! only as a whole. So [`replace`] releases the reservations around a range, maps, and reserves
//! again what is left of them. If another thread takes the addresses in between, mapping fails.
//! (Placeholders of Windows 10 avoid this, but Wine 8.0 lacks them.)

use std::collections::BTreeMap;
use std::ptr;
use std::sync::Mutex;

use cuda_emulator_engine::Unpoisoned;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, MEMORY_MAPPED_VIEW_ADDRESS, PAGE_READWRITE,
    UnmapViewOfFile, VIRTUAL_ALLOCATION_TYPE, VirtualAlloc, VirtualFree,
};

/// The unit of offsets in files at which they can be mapped, and of the addresses.
pub const MAP_UNIT: u64 = 64 << 10;

/// The start and size of every reservation.
static RESERVED: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

/// How often to look for aligned addresses.
const ATTEMPTS: usize = 16;

fn allocate(address: u64, size: u64, how: VIRTUAL_ALLOCATION_TYPE) -> Option<u64> {
    // SAFETY: a new reservation, which replaces nothing.
    let found = unsafe { VirtualAlloc(address as *const _, size as usize, how, PAGE_READWRITE) };
    (!found.is_null()).then_some(found as u64)
}

/// Releases a reservation.
///
/// # Safety
/// The caller must own the reservation, and nothing may use its pages.
unsafe fn free(address: u64) {
    // SAFETY: by the contract of this function.
    unsafe { VirtualFree(address as *mut _, 0, MEM_RELEASE) };
}

/// Reserves whole pages.
pub fn reserve(size: u64, align: u64) -> Option<u64> {
    let align = align.max(MAP_UNIT);
    let with_margin = size.checked_add(align)?;
    for _ in 0..ATTEMPTS {
        let found = allocate(0, with_margin, MEM_RESERVE)?;
        // SAFETY: just reserved.
        unsafe { free(found) };
        // Another thread may take it in between.
        if let Some(start) = allocate(found.next_multiple_of(align), size, MEM_RESERVE) {
            RESERVED.lock().unpoisoned().insert(start, size);
            return Some(start);
        }
    }
    None
}

/// Releases the addresses of [`reserve`], in which nothing is mapped.
pub fn release(address: u64, size: u64) {
    let mut reserved = RESERVED.lock().unpoisoned();
    let pieces = reserved.range(address..address + size);
    let pieces: Vec<u64> = pieces.map(|(&start, _)| start).collect();
    for start in pieces {
        reserved.remove(&start);
        // SAFETY: a reservation of this module, which the caller no longer uses.
        unsafe { free(start) };
    }
}

/// Replaces the reservations of a range by a mapping that `map` creates. Returns false if the range
/// is not reserved or `map` fails. The range is then reserved as before.
pub fn replace(address: u64, size: u64, map: impl FnOnce() -> bool) -> bool {
    let end = address + size;
    let mut reserved = RESERVED.lock().unpoisoned();
    let before = reserved.range(..end).rev();
    let overlaps = before.map(|(&start, &size)| (start, start + size));
    let mut pieces: Vec<(u64, u64)> = overlaps.take_while(|piece| piece.1 > address).collect();
    pieces.reverse();
    let adjacent = pieces.windows(2).all(|pair| pair[0].1 == pair[1].0);
    let (Some(&(first, _)), Some(&(_, last))) = (pieces.first(), pieces.last()) else {
        return false;
    };
    if !adjacent || first > address || last < end {
        return false;
    }
    for (start, _) in pieces {
        // SAFETY: a reservation of this module, in which nothing is mapped.
        unsafe { free(start) };
        reserved.remove(&start);
    }
    let mapped = map();
    let own = (!mapped).then_some((address, end));
    for (start, stop) in [Some((first, address)), own, Some((end, last))]
        .into_iter()
        .flatten()
    {
        if start < stop && allocate(start, stop - start, MEM_RESERVE).is_some() {
            reserved.insert(start, stop - start);
        }
    }
    mapped
}

/// Replaces a mapping by empty pages. Returns false if nothing is mapped or reserved there.
///
/// # Safety
/// The caller must ensure that the range is one whole mapping, and that nothing in it is used any
/// more.
pub unsafe fn unmap_at(address: u64, size: u64) -> bool {
    let mut reserved = RESERVED.lock().unpoisoned();
    let view = MEMORY_MAPPED_VIEW_ADDRESS {
        Value: ptr::with_exposed_provenance_mut(address as usize),
    };
    // SAFETY: by the contract of this function.
    if unsafe { UnmapViewOfFile(view) } == 0 {
        return reserved.get(&address) == Some(&size);
    }
    // Work that still runs reads zeros, unless there is no memory for them.
    let empty = allocate(address, size, MEM_RESERVE | MEM_COMMIT);
    if empty
        .or_else(|| allocate(address, size, MEM_RESERVE))
        .is_some()
    {
        reserved.insert(address, size);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::MemoryFile;
    use super::*;

    #[test]
    fn mapping_replaces_a_part_of_a_reservation() {
        const UNIT: u64 = 2 << 20;
        let base = reserve(8 * UNIT, UNIT).unwrap();
        assert!(base.is_multiple_of(UNIT));
        let file = MemoryFile::create(c"test", 2 * UNIT).unwrap();
        let word = |address: u64| address as *mut u32;
        // SAFETY: reserved addresses, as long as the file. They are accessed only while mapped.
        unsafe {
            assert!(file.map_at(base + UNIT, 0, 2 * UNIT));
            assert!(file.map_at(base + 4 * UNIT, 0, 2 * UNIT));
            assert!(!file.map_at(base + 2 * UNIT, 0, 2 * UNIT));
            word(base + UNIT).write_volatile(7);
            assert_eq!(word(base + 4 * UNIT).read_volatile(), 7);
            assert!(unmap_at(base + UNIT, 2 * UNIT));
            assert_eq!(word(base + UNIT).read_volatile(), 0);
            assert!(
                unmap_at(base + UNIT, 2 * UNIT),
                "nothing is mapped there any more"
            );
            // Now over two reservations.
            assert!(file.map_at(base, 0, 2 * UNIT));
            assert_eq!(word(base).read_volatile(), 7);
            assert!(unmap_at(base, 2 * UNIT) && unmap_at(base + 4 * UNIT, 2 * UNIT));
        }
        release(base, 8 * UNIT);
        let within = |start: &u64| (base..base + 8 * UNIT).contains(start);
        assert!(!RESERVED.lock().unpoisoned().keys().any(within));
    }
}
