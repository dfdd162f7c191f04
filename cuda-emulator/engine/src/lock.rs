//! Locks that ignore poisoning.

use std::sync::{LockResult, PoisonError};

/// Returns a lock's guard even if it is poisoned. The data is consistent between any two statements
/// that change it, so a panic in one driver call need not make all later calls fail.
pub trait Unpoisoned<Guard> {
    /// Returns the guard, also if a thread panicked while it held the lock.
    fn unpoisoned(self) -> Guard;
}

impl<Guard> Unpoisoned<Guard> for LockResult<Guard> {
    fn unpoisoned(self) -> Guard {
        self.unwrap_or_else(PoisonError::into_inner)
    }
}
