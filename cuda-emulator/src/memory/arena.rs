//! The address space of device memory.
//!
//! One large range is reserved at first use, and the system provides pages when they are touched.
//! No part of it is ever unmapped. A copy or kernel that still runs when memory is freed reads
//! stale bytes at worst, and never an unmapped page.
//!
//! Memory that other processes may open (`cuIpcGetMemHandle`) comes from a second range, whose
//! pages belong to a file. Their first access costs more. The pages cannot be exchanged later,
//! because a handle may be requested while kernels are writing.

use cuda_emulator_engine::Unpoisoned;
use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock};

use super::free_blocks::Blocks;
use crate::system::{self, MemoryFile, Reservation};

/// Alignment of every allocation, as on a GPU.
pub const ALIGNMENT: u64 = 512;
/// Limits, in bytes and in number, of the freed blocks whose addresses are not yet reused. Because
/// of this delay, a use after free accesses an unallocated address and not another allocation.
const QUARANTINE_BYTES: u64 = 64 << 20;
const QUARANTINE_BLOCKS: usize = 1024;
/// Freed blocks of at least this size return their pages to the system.
const RELEASE_FROM: u64 = 256 << 10;

struct Arena {
    free: Blocks,
    /// Blocks freed recently.
    quarantine: VecDeque<(u64, u64)>,
    quarantine_bytes: u64,
}

/// A range of the address space.
struct Range {
    reservation: Reservation,
    arena: Mutex<Arena>,
}

/// The range that only this process uses.
static OWN: OnceLock<Option<Range>> = OnceLock::new();
/// The range that other processes may open.
static EXPORTABLE: OnceLock<Option<Range>> = OnceLock::new();

/// Reserves up to 1 TiB of address space, or as much as the system allows.
fn reserve(shared: bool) -> Option<Reservation> {
    let sizes = std::iter::successors(Some(1u64 << 40), |size| Some(size / 2));
    let mut sizes = sizes.take_while(|&size| size >= 1 << 26);
    sizes.find_map(match shared {
        true => Reservation::shared,
        false => Reservation::private,
    })
}

fn range(exportable: bool) -> Option<&'static Range> {
    let place = if exportable { &EXPORTABLE } else { &OWN };
    place
        .get_or_init(|| {
            let reservation = reserve(exportable)?;
            let start = reservation.base.next_multiple_of(2 << 20);
            let arena = Arena {
                free: Blocks::new(start, reservation.size - (start - reservation.base)),
                quarantine: VecDeque::new(),
                quarantine_bytes: 0,
            };
            Some(Range {
                reservation,
                arena: Mutex::new(arena),
            })
        })
        .as_ref()
}

impl Range {
    fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.reservation.base) < self.reservation.size
    }
}

/// Returns the exportable range if it contains an address.
fn exportable_at(address: u64) -> Option<&'static Range> {
    let range = EXPORTABLE.get()?.as_ref();
    range.filter(|range| range.contains(address))
}

/// Returns the file mapped at an address and the offset in it, or `None` for memory of this process
/// alone.
pub fn file_at(address: u64) -> Option<(&'static MemoryFile, u64)> {
    let range = exportable_at(address)?;
    let file = range.reservation.file()?;
    Some((file, address - range.reservation.base))
}

impl Arena {
    fn reuse_oldest(&mut self) -> bool {
        let Some((address, size)) = self.quarantine.pop_front() else {
            return false;
        };
        self.quarantine_bytes -= size;
        self.free.add(address, size);
        true
    }

    fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        loop {
            if let Some(found) = self.free.allocate(size, align) {
                return Some(found);
            }
            if !self.reuse_oldest() {
                return None;
            }
        }
    }
}

/// Returns the bytes that an allocation of `size` occupies.
pub fn rounded(size: u64) -> Option<u64> {
    size.max(1).checked_next_multiple_of(ALIGNMENT)
}

/// Like [`allocate`], but allocates memory that other processes may open. Falls back to memory of
/// this process if the exportable range is missing or full.
pub fn allocate_exportable(size: u64, align: u64) -> Option<u64> {
    let taken = range(true).and_then(|range| take(range, size, align));
    taken.or_else(|| allocate(size, align))
}

/// Allocates a block of `size` bytes (a result of [`rounded`]). Returns `None` if the address space
/// is exhausted.
pub fn allocate(size: u64, align: u64) -> Option<u64> {
    take(range(false)?, size, align)
}

fn take(range: &Range, size: u64, align: u64) -> Option<u64> {
    let mut arena = range.arena.lock().unpoisoned();
    let address = arena.allocate(size, align.max(ALIGNMENT))?;
    drop(arena);
    if !range.reservation.provide(address, size) {
        range.arena.lock().unpoisoned().free.add(address, size);
        return None;
    }
    Some(address)
}

/// Allocates addresses at which files can be mapped.
pub fn allocate_for_maps(size: u64, align: u64) -> Option<u64> {
    match system::MAP_ADDRESSES {
        Some(own) => (own.reserve)(size, align),
        None => allocate(size, align),
    }
}

/// Frees addresses at which files could be mapped.
pub fn release_for_maps(address: u64, size: u64) {
    match system::MAP_ADDRESSES {
        Some(own) => (own.release)(address, size),
        None => release(address, size),
    }
}

/// Frees a block.
pub fn release(address: u64, size: u64) {
    let Some(range) = exportable_at(address).or_else(|| range(false)) else {
        return;
    };
    if size >= RELEASE_FROM {
        // SAFETY: a block that nothing uses any longer.
        unsafe { range.reservation.discard(address, size) };
    }
    let mut arena = range.arena.lock().unpoisoned();
    arena.quarantine.push_back((address, size));
    arena.quarantine_bytes += size;
    while arena.quarantine.len() > QUARANTINE_BLOCKS
        || arena.quarantine_bytes > QUARANTINE_BYTES && arena.quarantine.len() > 1
    {
        arena.reuse_oldest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena_of(size: u64) -> Arena {
        Arena {
            free: Blocks::new(1 << 20, size),
            quarantine: VecDeque::new(),
            quarantine_bytes: 0,
        }
    }

    #[test]
    fn blocks_are_aligned_until_the_arena_is_exhausted() {
        let mut arena = arena_of(1 << 16);
        arena.allocate(512, 512).unwrap();
        let aligned = arena.allocate(512, 8192).unwrap();
        assert_eq!(aligned % 8192, 0);
        assert!(arena.allocate(1 << 16, 512).is_none());
    }

    #[test]
    fn freed_blocks_are_reused_early_if_needed() {
        let mut arena = arena_of(1 << 16);
        let block = arena.allocate(1 << 16, 512).unwrap();
        arena.quarantine.push_back((block, 1 << 16));
        arena.quarantine_bytes = 1 << 16;
        assert_eq!(arena.allocate(1 << 16, 512), Some(block));
    }

    #[test]
    #[cfg_attr(windows, ignore = "memory is not shared with other processes")]
    fn exportable_memory_is_backed_by_a_file() {
        let block = allocate_exportable(4096, 4096).unwrap();
        let (file, offset) = file_at(block + 8).unwrap();
        file.write(&7u64.to_le_bytes(), offset).unwrap();
        // SAFETY: the block was just allocated with this size.
        assert_eq!(unsafe { *((block + 8) as *const u64) }, 7);
        release(block, 4096);
        let own = allocate(4096, 512).unwrap();
        assert!(file_at(own).is_none());
        release(own, 4096);
    }

    #[test]
    fn blocks_are_writable_and_distinct() {
        let (first, second) = (
            allocate(1 << 20, 512).unwrap(),
            allocate(1 << 20, 512).unwrap(),
        );
        assert!(first.abs_diff(second) >= 1 << 20);
        // SAFETY: the block was just allocated with this size.
        unsafe { std::ptr::write_bytes(first as *mut u8, 7, 1 << 20) };
        release(first, 1 << 20);
        release(second, 1 << 20);
    }
}
