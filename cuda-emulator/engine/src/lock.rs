//! Locks that go on after a panic.

use std::sync::{LockResult, PoisonError};

/// What a lock guards is whole between any two statements that change it, so a panic in one call of the driver need not
/// make all later ones fail.
pub trait Unpoisoned<Guard> {
    /// The guard, also where a thread panicked while it held the lock.
    fn unpoisoned(self) -> Guard;
}

impl<Guard> Unpoisoned<Guard> for LockResult<Guard> {
    fn unpoisoned(self) -> Guard {
        self.unwrap_or_else(PoisonError::into_inner)
    }
}
