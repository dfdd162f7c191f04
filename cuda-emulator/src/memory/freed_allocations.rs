//! Allocations that were freed a short while ago, for reports.

use std::collections::VecDeque;
use std::sync::Mutex;

use cuda_emulator_engine::Unpoisoned;

/// What a freed allocation leaves behind.
struct Freed {
    base: u64,
    size: u64,
    /// What it was, and how it was freed.
    what: String,
}

static FREED: Mutex<VecDeque<Freed>> = Mutex::new(VecDeque::new());
/// How many reports can still name.
const REMEMBERED: usize = 1024;

/// An allocation has gone.
pub fn note(base: u64, size: u64, what: String) {
    let mut freed = FREED.lock().unpoisoned();
    if freed.len() == REMEMBERED {
        freed.pop_front();
    }
    freed.push_back(Freed { base, size, what });
}

/// The last one freed that an address lay in: where it began, and what it was.
pub fn at(address: u64) -> Option<(u64, String)> {
    let freed = FREED.lock().unpoisoned();
    let last = freed.iter().rev();
    let mut there = last.filter(|one| address >= one.base && address - one.base < one.size);
    there.next().map(|one| (one.base, one.what.clone()))
}
