//! Captures and the calls that they forbid. This is a separate program whose tests run one at a
//! time, because a global capture forbids calls on every thread of the process.

mod raw;
mod threads;

use std::sync::{Mutex, MutexGuard, PoisonError};

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}
