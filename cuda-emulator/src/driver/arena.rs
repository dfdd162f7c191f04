//! The address space that device memory comes from.
//!
//! One large range is reserved at first use; the system gives it pages as they are touched. Nothing of it is ever
//! unmapped, so a copy or a kernel that is late by a moment reads stale bytes at worst, never an unmapped page.

use crate::lock::Unpoisoned;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, OnceLock};

/// Every allocation starts at a multiple of this, as on a GPU.
pub const ALIGNMENT: u64 = 512;
/// Freed blocks rest this long (in bytes and in number) before their addresses are given out again, so that a use
/// after free hits nothing instead of somebody else's data.
const REST_BYTES: u64 = 64 << 20;
const REST_BLOCKS: usize = 1024;
/// Freed blocks from this size on give their pages back to the system.
const RELEASE_FROM: u64 = 256 << 10;

struct Arena {
    /// Free blocks by address.
    by_address: BTreeMap<u64, u64>,
    /// The same as (size, address).
    by_size: BTreeSet<(u64, u64)>,
    /// Freed a short while ago.
    resting: VecDeque<(u64, u64)>,
    resting_bytes: u64,
}

static ARENA: OnceLock<Option<Mutex<Arena>>> = OnceLock::new();

/// Reserves address space: as much as there is to have, up to 1 TiB.
fn reserve() -> Option<(u64, u64)> {
    let mut size = 1u64 << 40;
    while size >= 1 << 26 {
        // SAFETY: a new private mapping at an address of the system's choice touches nothing that exists.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if address != libc::MAP_FAILED {
            // SAFETY: the range is the mapping just made. A failure only makes core files larger.
            unsafe { libc::madvise(address, size as usize, libc::MADV_DONTDUMP) };
            return Some((address as u64, size));
        }
        size /= 2;
    }
    None
}

fn arena() -> Option<&'static Mutex<Arena>> {
    ARENA
        .get_or_init(|| {
            let (base, size) = reserve()?;
            let start = base.next_multiple_of(2 << 20);
            let mut arena = Arena {
                by_address: BTreeMap::new(),
                by_size: BTreeSet::new(),
                resting: VecDeque::new(),
                resting_bytes: 0,
            };
            arena.add(start, size - (start - base));
            Some(Mutex::new(arena))
        })
        .as_ref()
}

impl Arena {
    fn add(&mut self, mut address: u64, mut size: u64) {
        if let Some((&before, &length)) = self.by_address.range(..address).next_back()
            && before + length == address
        {
            self.take(before, length);
            address = before;
            size += length;
        }
        if let Some(&length) = self.by_address.get(&(address + size)) {
            self.take(address + size, length);
            size += length;
        }
        self.by_address.insert(address, size);
        self.by_size.insert((size, address));
    }

    fn take(&mut self, address: u64, size: u64) {
        self.by_address.remove(&address);
        self.by_size.remove(&(size, address));
    }

    fn wake_one(&mut self) -> bool {
        let Some((address, size)) = self.resting.pop_front() else {
            return false;
        };
        self.resting_bytes -= size;
        self.add(address, size);
        true
    }

    fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        loop {
            // The smallest block that fits even when its start has to be moved up.
            let found = self
                .by_size
                .range((size, 0)..)
                .find_map(|&(length, address)| {
                    let start = address.next_multiple_of(align);
                    (start + size <= address + length).then_some((address, length, start))
                });
            let Some((address, length, start)) = found else {
                if self.wake_one() {
                    continue;
                }
                return None;
            };
            self.take(address, length);
            if start > address {
                self.add(address, start - address);
            }
            if start + size < address + length {
                self.add(start + size, address + length - start - size);
            }
            return Some(start);
        }
    }
}

/// Bytes that an allocation of `size` takes up.
pub fn rounded(size: u64) -> Option<u64> {
    size.max(1).checked_next_multiple_of(ALIGNMENT)
}

/// Takes a block of `size` (a result of [`rounded`]); `None` when the address space is used up.
pub fn allocate(size: u64, align: u64) -> Option<u64> {
    let mut arena = arena()?.lock().unpoisoned();
    let address = arena.allocate(size, align.max(ALIGNMENT))?;
    drop(arena);
    if size >= 4 << 20 {
        // SAFETY: whole pages inside a block of the arena; a hint only.
        unsafe {
            libc::madvise(
                page_up(address) as *mut _,
                whole_pages(address, size),
                libc::MADV_HUGEPAGE,
            )
        };
    }
    Some(address)
}

/// Gives a block back.
pub fn release(address: u64, size: u64) {
    if size >= RELEASE_FROM {
        // SAFETY: whole pages inside a block that nothing uses any longer; they read as zero from now on.
        unsafe {
            libc::madvise(
                page_up(address) as *mut _,
                whole_pages(address, size),
                libc::MADV_DONTNEED,
            )
        };
    }
    let Some(arena) = arena() else { return };
    let mut arena = arena.lock().unpoisoned();
    arena.resting.push_back((address, size));
    arena.resting_bytes += size;
    while arena.resting.len() > REST_BLOCKS
        || arena.resting_bytes > REST_BYTES && arena.resting.len() > 1
    {
        arena.wake_one();
    }
}

const PAGE: u64 = 4096;

fn page_up(address: u64) -> u64 {
    address.next_multiple_of(PAGE)
}

fn whole_pages(address: u64, size: u64) -> usize {
    ((address + size) / PAGE * PAGE).saturating_sub(page_up(address)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena_of(size: u64) -> Arena {
        let mut arena = Arena {
            by_address: BTreeMap::new(),
            by_size: BTreeSet::new(),
            resting: VecDeque::new(),
            resting_bytes: 0,
        };
        arena.add(1 << 20, size);
        arena
    }

    #[test]
    fn neighbours_merge() {
        let mut arena = arena_of(1 << 20);
        let blocks: Vec<u64> = (0..8).map(|_| arena.allocate(4096, 512).unwrap()).collect();
        for index in [1, 3, 2, 0, 7, 5, 6, 4] {
            arena.add(blocks[index], 4096);
        }
        assert_eq!(arena.by_address.len(), 1);
        assert_eq!(arena.by_size.iter().next(), Some(&(1 << 20, 1 << 20)));
    }

    #[test]
    fn alignment_and_exhaustion() {
        let mut arena = arena_of(1 << 16);
        arena.allocate(512, 512).unwrap();
        let aligned = arena.allocate(512, 8192).unwrap();
        assert_eq!(aligned % 8192, 0);
        assert!(arena.allocate(1 << 16, 512).is_none());
    }

    #[test]
    fn rested_blocks_come_back_when_needed() {
        let mut arena = arena_of(1 << 16);
        let block = arena.allocate(1 << 16, 512).unwrap();
        arena.resting.push_back((block, 1 << 16));
        arena.resting_bytes = 1 << 16;
        assert_eq!(arena.allocate(1 << 16, 512), Some(block));
    }

    #[test]
    fn memory_is_usable_and_distinct() {
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
