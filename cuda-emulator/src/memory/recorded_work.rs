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

/// The kind of a piece of work.
pub enum WorkKind {
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
    pub kind: WorkKind,
    pub accesses: AccessSet,
    cost: usize,
    /// The last sequence number at which it was found that the host has waited for it.
    known_at: Option<u64>,
}

impl Recorded {
    pub fn new(position: Arc<Position>, kind: WorkKind, accesses: AccessSet) -> Recorded {
        let cost = accesses.cost();
        Recorded {
            position,
            kind,
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
        remove(start, size);
    }
}

fn remove(start: u64, size: u64) {
    let mut kept = KEPT.lock().unpoisoned();
    for one in kept.iter_mut() {
        one.accesses.remove(start, size);
        one.cost = one.accesses.cost();
    }
    kept.retain(|one| !one.accesses.is_empty());
}

#[cfg(test)]
mod tests {
    use super::super::access_set::Access;
    use super::*;

    /// Runs a fill on a stream after other work. Returns its position, and the number of pieces of
    /// kept work that nothing orders before it.
    fn fill(
        stream: u64,
        number: u64,
        after: &[&Arc<Position>],
        range: (u64, u64),
    ) -> (Arc<Position>, usize) {
        let after = after.iter().map(|&one| one.clone()).collect();
        let position = Position::new((stream, stream), number, after, None);
        let mut accesses = AccessSet::default();
        accesses.add(range.0, range.1, Access::Write);
        let mut unordered = 0;
        happens_before::run(&position, false, || {
            let new = Recorded::new(position.clone(), WorkKind::Fill(range.1), accesses);
            add(new, |_, _, conflicts| unordered += conflicts.count());
        });
        (position, unordered)
    }

    /// One test, because all work of the process is kept in one place.
    #[test]
    fn work_is_forgotten_when_no_later_work_can_race_with_it() {
        let kept = || KEPT.lock().unpoisoned().len();
        // Two streams write the same bytes by turns, and the host never waits.
        let (mut last, _) = fill(1, 1, &[], (0, 10_000));
        for number in 1..100 {
            for stream in [2, 1] {
                let (next, unordered) = fill(stream, number + 1, &[&last], (0, 10_000));
                assert_eq!((kept(), unordered), (1, 0));
                last = next;
            }
        }
        // Work that nothing orders stays.
        let (other, unordered) = fill(3, 1, &[], (9_000, 2_000));
        assert_eq!((kept(), unordered), (2, 1));
        let (_, unordered) = fill(4, 1, &[&other], (0, 100));
        assert_eq!((kept(), unordered), (3, 1));
        // The host waits for two of the three.
        happens_before::host_waited([last, other]);
        let (_, unordered) = fill(5, 1, &[], (50, 100));
        assert_eq!((kept(), unordered), (2, 1), "the last two");
        // Freed memory.
        remove(0, 100);
        assert_eq!(kept(), 1);
        remove(100, 50);
        assert_eq!(kept(), 0);
    }
}
