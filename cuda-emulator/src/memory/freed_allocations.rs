//! Recently freed allocations, for reports.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::description::Description;
use crate::process::caller::Caller;
use cuda_emulator_engine::Unpoisoned;

/// The record of a freed allocation.
struct Freed {
    what: Description,
    /// Completes the sentence "freed by ...".
    how: String,
    caller: Option<Arc<Caller>>,
}

static FREED: Mutex<VecDeque<Freed>> = Mutex::new(VecDeque::new());
/// Number of freed allocations that are kept.
const REMEMBERED: usize = 1024;

/// Records a freed allocation. `how` completes the sentence "freed by ...".
pub fn note(what: Description, how: String) {
    let caller = Caller::capture();
    let mut freed = FREED.lock().unpoisoned();
    if freed.len() == REMEMBERED {
        freed.pop_front();
    }
    freed.push_back(Freed { what, how, caller });
}

/// Returns the base and description of the most recently freed allocation that contained an
/// address.
pub fn at(address: u64) -> Option<(u64, String)> {
    let freed = FREED.lock().unpoisoned();
    let last = freed.iter().rev();
    let mut there =
        last.filter(|one| address >= one.what.base && address - one.what.base < one.what.size);
    there.next().map(|one| {
        let place = Caller::place(one.caller.as_ref());
        let text = format!("{}, which was freed by {}{place}", one.what, one.how);
        (one.what.base, text)
    })
}
