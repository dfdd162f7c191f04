//! The race check's records of global memory, which all blocks of a launch share.
//!
//! Two accesses of different blocks are ordered if the earlier one was released by its block and
//! the later block may have seen that release. A block releases its accesses by a fence, followed
//! by a strong write to global memory. To see it, the later block must read global memory by a
//! strong access after the earlier access. A strong write needs no fence to be ordered before the
//! accesses after such a read, so that the last block can reset a counter by a plain write. As within a
//! block, the address of the strong accesses does not matter, because the order may be passed on by
//! other blocks. In a cluster, shared memory, the cluster's barrier and mbarriers count as well.
//!
//! An atomic does not race with a read, not even with a weak one, because loops around `atomicCAS`
//! begin with a plain read, and algorithms such as searches test a value before they update it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::clock::{Clock, Mark};
use super::touch::Touch;
use crate::lock::Unpoisoned;

/// Bytes of memory per page of records.
const PAGE: u64 = 1024;
/// Number of locks for the pages.
const SHARDS: usize = 64;
/// log2 of the bytes per cell, unless some access to the page has begun or ended in a word.
const WORD: u32 = 2;

/// An access by a thread of the grid.
#[derive(Clone, Copy, Default)]
pub(crate) struct Access {
    /// The block's linear index.
    pub block: u32,
    /// The number of releases in the grid before the access.
    pub releases: u32,
    pub mark: Mark,
}

/// The race check's state of a launch.
pub(crate) struct GridRaces {
    /// The number of strong writes so far. Each may release accesses.
    releases: AtomicU32,
    /// For each block that has released accesses: those accesses.
    released: Mutex<HashMap<u32, Clock>>,
    shards: [Mutex<BTreeMap<u64, Page>>; SHARDS],
}

/// The accesses to [`PAGE`] bytes.
struct Page {
    shift: u32,
    cells: Vec<Cell>,
    /// Further accesses of cells.
    more: Vec<Vec<Access>>,
}

/// The accesses to a word or byte that later ones may race with.
#[derive(Clone, Copy, Default)]
struct Cell {
    last: Access,
    /// Further accesses: an index into [`Page::more`], plus 1.
    more: u32,
}

/// Returns whether two unordered accesses race.
fn conflict(a: Touch, b: Touch) -> bool {
    let idiom = |a: Touch, b: Touch| a.atomic() && !b.writes();
    (a.writes() || b.writes()) && !(a.strong() && b.strong()) && !idiom(a, b) && !idiom(b, a)
}

/// Returns whether every access that races with `b` would also race with `a`.
fn covers(a: Touch, b: Touch) -> bool {
    match a {
        Touch::Write | Touch::Pending => true,
        Touch::StrongWrite => b.strong(),
        Touch::Read => !b.writes() || b.atomic(),
        Touch::StrongRead | Touch::Atomic | Touch::Exchange => {
            b.strong() && b != Touch::StrongWrite
        }
    }
}

impl GridRaces {
    pub(crate) fn new() -> GridRaces {
        GridRaces {
            releases: AtomicU32::new(0),
            released: Mutex::default(),
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// Returns the number of releases so far.
    pub(crate) fn releases(&self) -> u32 {
        self.releases.load(Ordering::SeqCst)
    }

    /// Records that a block releases accesses, or none, by a strong write. Call this before the
    /// write.
    pub(crate) fn release(&self, block: u32, clock: &Clock) {
        if clock.warps.iter().any(|&time| time != 0) {
            let mut released = self.released.lock().unpoisoned();
            released.entry(block).or_default().join(clock);
        }
        self.releases.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns whether a block has released an access.
    pub(crate) fn has_released(&self, access: &Access) -> bool {
        let released = self.released.lock().unpoisoned();
        let clock = released.get(&access.block);
        clock.is_some_and(|clock| clock.contains(&access.mark))
    }

    /// Records an access. Returns an earlier access that it races with, if any. `ordered` returns
    /// whether an earlier access is ordered before this one.
    pub(crate) fn touch(
        &self,
        address: u64,
        size: u64,
        access: &Access,
        ordered: &dyn Fn(&Access) -> bool,
    ) -> Option<Access> {
        let mut found = None;
        self.pages(address, size, |page, bytes| {
            let race = page.or_insert_with(Page::new).touch(bytes, access, ordered);
            found = found.or(race);
        });
        found
    }

    /// Discards the accesses to memory that has just been allocated.
    pub(crate) fn forget(&self, address: u64, size: u64) {
        self.pages(address, size, |page, bytes| {
            page.and_modify(|page| {
                let last = bytes.end.next_multiple_of(1 << page.shift);
                page.cells[bytes.start >> page.shift..last >> page.shift].fill(Cell::default());
            });
        });
    }

    /// Calls `f` with each page of a range, locked, and with the range's bytes in it.
    fn pages(
        &self,
        address: u64,
        size: u64,
        mut f: impl FnMut(Entry<'_, u64, Page>, Range<usize>),
    ) {
        let end = address.saturating_add(size);
        let mut at = address;
        while at < end {
            let number = at / PAGE;
            let base = number * PAGE;
            let stop = end.min(base.saturating_add(PAGE));
            let shard = &self.shards[number as usize % SHARDS];
            let mut pages = shard.lock().unpoisoned();
            f(
                pages.entry(number),
                (at - base) as usize..(stop - base) as usize,
            );
            at = stop;
        }
    }
}

impl Page {
    fn new() -> Page {
        Page {
            shift: WORD,
            cells: vec![Cell::default(); (PAGE >> WORD) as usize],
            more: Vec::new(),
        }
    }

    /// Replaces each cell of a word by cells of its bytes.
    fn split(&mut self) {
        self.shift = 0;
        for cell in std::mem::take(&mut self.cells) {
            for _ in 0..1 << WORD {
                let mut cell = cell;
                if let Some(at) = cell.more.checked_sub(1) {
                    self.more.push(self.more[at as usize].clone());
                    cell.more = self.more.len() as u32;
                }
                self.cells.push(cell);
            }
        }
    }

    fn touch(
        &mut self,
        bytes: Range<usize>,
        access: &Access,
        ordered: &dyn Fn(&Access) -> bool,
    ) -> Option<Access> {
        if (bytes.start | bytes.end) & ((1 << self.shift) - 1) != 0 {
            self.split();
        }
        let cells = &mut self.cells[bytes.start >> self.shift..bytes.end >> self.shift];
        let mut found = None;
        for cell in cells {
            found = found.or(cell.touch(&mut self.more, access, ordered));
        }
        found
    }
}

impl Cell {
    fn touch(
        &mut self,
        more: &mut Vec<Vec<Access>>,
        access: &Access,
        ordered: &dyn Fn(&Access) -> bool,
    ) -> Option<Access> {
        if self.last.mark.time == 0 {
            self.last = *access;
            return None;
        }
        let touch = access.mark.touch;
        let mut found = None;
        // Two accesses of different blocks are enough to find a race with any later one, and so are
        // two of the same block for one within that block.
        let (mut first, mut different, mut own) = (None, false, 0);
        let mut keep = |earlier: &Access| {
            let before = ordered(earlier);
            if !before {
                if conflict(earlier.mark.touch, touch) {
                    found = found.or(Some(*earlier));
                }
                if covers(earlier.mark.touch, touch) {
                    different |= *first.get_or_insert(earlier.block) != earlier.block;
                    own += u32::from(earlier.block == access.block);
                }
            }
            !(before && covers(touch, earlier.mark.touch))
        };
        let keeps_last = keep(&self.last);
        let at = self.more.checked_sub(1);
        let mut list = at.map(|at| &mut more[at as usize]);
        if let Some(list) = &mut list {
            list.retain(&mut keep);
        }
        let needed = !different && own < 2;
        if !keeps_last {
            self.last = match &mut list {
                Some(list) if !needed => list.pop().unwrap_or(*access),
                _ => *access,
            };
        } else if needed {
            match list {
                Some(list) => list.push(*access),
                None => {
                    more.push(vec![*access]);
                    self.more = more.len() as u32;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, GridRaces, Mark, PAGE, Touch, conflict, covers};

    const ALL: [Touch; 7] = [
        Touch::Read,
        Touch::Write,
        Touch::StrongRead,
        Touch::StrongWrite,
        Touch::Atomic,
        Touch::Exchange,
        Touch::Pending,
    ];

    fn access(block: u32, thread: u16, time: u32, touch: Touch) -> Access {
        let mark = Mark {
            time,
            pc: 0,
            thread,
            touch,
        };
        Access {
            block,
            releases: 0,
            mark,
        }
    }

    #[test]
    fn an_access_covers_another_if_it_has_all_its_conflicts() {
        for a in ALL {
            for b in ALL {
                let all = ALL.iter().all(|&c| !conflict(b, c) || conflict(a, c));
                assert_eq!(covers(a, b), all, "{a:?} {b:?}");
                assert_eq!(conflict(a, b), conflict(b, a), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn plain_writes_race_with_everything() {
        for touch in ALL {
            assert!(conflict(Touch::Write, touch), "{touch:?}");
        }
        assert!(!conflict(Touch::Read, Touch::Read));
        assert!(!conflict(Touch::Read, Touch::Atomic));
        assert!(conflict(Touch::Read, Touch::StrongWrite));
        assert!(!conflict(Touch::StrongRead, Touch::StrongWrite));
    }

    /// Every pair of accesses by two blocks is found, whatever a third block does before, between
    /// and after them, as long as nothing orders the blocks.
    #[test]
    fn unordered_pairs_are_found_in_any_company() {
        let own = |access: &Access| {
            let access = *access;
            move |earlier: &Access| {
                earlier.block == access.block && earlier.mark.thread == access.mark.thread
            }
        };
        let reads = [Touch::Read, Touch::StrongRead, Touch::Atomic];
        for company in reads {
            for order in 0..6u32 {
                for second in [1, 0] {
                    let races = GridRaces::new();
                    let mut blocks = [0, 1, 2, 3, 1, 0];
                    blocks.rotate_left(order as usize);
                    for block in blocks {
                        let read = access(block, 32 * second, 1, company);
                        assert!(races.touch(64, 4, &read, &own(&read)).is_none());
                    }
                    let write = access(second.into(), 0, 2, Touch::Write);
                    let found = races.touch(66, 1, &write, &own(&write));
                    assert!(found.is_some(), "{company:?} {order}");
                }
            }
        }
    }

    #[test]
    fn bytes_of_a_word_are_separate() {
        let races = GridRaces::new();
        for block in 0..8 {
            let write = access(block, 0, 1, Touch::Write);
            let found = races.touch(PAGE - 4 + u64::from(block), 1, &write, &|_| false);
            assert!(found.is_none());
        }
        let read = access(9, 0, 1, Touch::Read);
        let found = races.touch(PAGE, 8, &read, &|_| false);
        assert_eq!(found.map(|found| found.block), Some(4));
        races.forget(PAGE, 8);
        let write = access(9, 0, 1, Touch::Write);
        assert!(races.touch(PAGE, 8, &write, &|_| false).is_none());
    }

    #[test]
    fn a_release_contains_what_came_before_it() {
        let races = GridRaces::new();
        let mut clock = super::Clock::default();
        clock.warps[1] = 3;
        races.release(7, &clock);
        races.release(6, &super::Clock::default());
        assert_eq!(races.releases(), 2);
        assert!(races.has_released(&access(7, 40, 3, Touch::Write)));
        assert!(!races.has_released(&access(7, 40, 4, Touch::Write)));
        assert!(!races.has_released(&access(7, 0, 1, Touch::Write)));
        assert!(!races.has_released(&access(6, 40, 3, Touch::Write)));
    }
}
