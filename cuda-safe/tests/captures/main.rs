//! Captures, and calls that they forbid. A program of its own, and one test at a time: a global capture forbids calls to
//! every thread of the process.

mod raw;
mod threads;

use std::sync::{Mutex, MutexGuard, PoisonError};

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}
