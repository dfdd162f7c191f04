//! The accesses of finished work that later work may race with, for `CUDA_EMULATOR_CHECK=stream`.
//!
//! Work is kept until everything that may still run is ordered after it, or until later work has
//! replaced its accesses, or until its memory is freed. If the sets take too much memory, the
//! oldest work is forgotten, and races with it are missed.

use std::sync::{Arc, Mutex};

use super::access_set::{AccessSet, Conflict};
use crate::queue::happens_before::{self, Position};
use cuda_emulator_engine::{Program, Unpoisoned};

/// Maximum memory for the sets of kept work, in bytes.
const MAX_COST: usize = 256 << 20;

/// What a piece of work does.
#[derive(Clone)]
pub enum Doing {
    /// Runs a kernel: its name, and the program for its source lines.
    Kernel(String, Arc<Program>),
    /// Copies this many bytes.
    Copy(u64),
    /// Fills this many bytes.
    Fill(u64),
    /// Allocates memory in stream order.
    Allocate,
    /// Frees memory in stream order.
    Free,
}

/// Work with its accesses.
pub struct Recorded {
    pub position: Arc<Position>,
    pub doing: Doing,
    pub accesses: AccessSet,
    cost: usize,
    /// The last sequence number at which it was found that the host has waited for it.
    known_at: Option<u64>,
}

impl Recorded {
    pub fn new(position: Arc<Position>, doing: Doing, accesses: AccessSet) -> Recorded {
        let cost = accesses.cost();
        Recorded {
            position,
            doing,
            accesses,
            cost,
            known_at: None,
        }
    }

    /// Returns whether all work that may still run, except `running`, is ordered after it.
    fn is_over(&mut self, running: &Position) -> bool {
        if self.known_at.is_none() && self.position.is_known_to_host() {
            self.known_at = Some(happens_before::last_sequence());
        }
        self.known_at
            .is_some_and(|sequence| happens_before::is_past(sequence, running))
    }
}

static KEPT: Mutex<Vec<Recorded>> = Mutex::new(Vec::new());

/// Adds work that is about to finish. For each piece of kept work that nothing orders before it,
/// calls `unordered` with that work, the new work and their conflicts.
pub fn add(
    new: Recorded,
    mut unordered: impl FnMut(&Recorded, &Recorded, &mut dyn Iterator<Item = Conflict>),
) {
    let mut kept = KEPT.lock().unpoisoned();
    for one in kept.iter_mut() {
        if new.position.follows(&one.position) {
            one.accesses.remove_replaced(&new.accesses);
            one.cost = one.accesses.cost();
        } else {
            unordered(one, &new, &mut one.accesses.conflicts(&new.accesses));
        }
    }
    kept.retain_mut(|one| !one.accesses.is_empty() && !one.is_over(&new.position));
    kept.push(new);
    let mut cost: usize = kept.iter().map(|one| one.cost).sum();
    let mut surplus = 0;
    while cost > MAX_COST && surplus + 1 < kept.len() {
        cost -= kept[surplus].cost;
        surplus += 1;
    }
    kept.drain(..surplus);
    happens_before::set_kept(kept.iter().map(|one| &*one.position));
}

/// Forgets the accesses to memory that is freed.
pub fn forget(start: u64, size: u64) {
    if happens_before::is_tracked() {
        let mut kept = KEPT.lock().unpoisoned();
        for one in kept.iter_mut() {
            one.accesses.remove(start, size);
        }
        kept.retain(|one| !one.accesses.is_empty());
    }
}
