//! Recently freed allocations, for reports.

use std::collections::VecDeque;
use std::sync::Mutex;

use cuda_emulator_engine::Unpoisoned;

/// The record of a freed allocation.
struct Freed {
    base: u64,
    size: u64,
    /// Its description, and how it was freed.
    what: String,
}

static FREED: Mutex<VecDeque<Freed>> = Mutex::new(VecDeque::new());
/// Number of freed allocations that are kept.
const REMEMBERED: usize = 1024;

/// Records a freed allocation.
pub fn note(base: u64, size: u64, what: String) {
    let mut freed = FREED.lock().unpoisoned();
    if freed.len() == REMEMBERED {
        freed.pop_front();
    }
    freed.push_back(Freed { base, size, what });
}

/// Returns the base and description of the most recently freed allocation that contained an
/// address.
pub fn at(address: u64) -> Option<(u64, String)> {
    let freed = FREED.lock().unpoisoned();
    let last = freed.iter().rev();
    let mut there = last.filter(|one| address >= one.base && address - one.base < one.size);
    there.next().map(|one| (one.base, one.what.clone()))
}
