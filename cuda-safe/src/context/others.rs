//! Contexts whose work another context waits for.
//!
//! A stream may wait for an event of another context, and memory that belongs to the stream may be used there. As long as
//! the context works, waiting for the stream waits for that work too. After a fault the driver no longer waits: the other
//! context's work goes on, and [`Context::settle_others`] waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Context, ContextKind, unheard};
use crate::{error::Result, handle::Weak};

/// A context, by its address, and one whose work its streams waited for.
static WAITED: Mutex<Vec<(usize, Weak<ContextKind>)>> = Mutex::new(Vec::new());

fn waited() -> MutexGuard<'static, Vec<(usize, Weak<ContextKind>)>> {
    WAITED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    /// Notes that a stream of this context is about to wait for work of another one.
    #[inline]
    pub(crate) fn waits_for(&self, other: &Self) {
        if self != other {
            self.note(other);
        }
    }

    #[cold]
    fn note(&self, other: &Self) {
        let mut waited = waited();
        // What is gone has waited for its work.
        waited.retain(|(_, one)| !one.is_gone());
        let own = self.as_raw().addr();
        let mut known = waited.iter().filter(|(context, _)| *context == own);
        if !known.any(|(_, one)| one.upgrade().is_some_and(|one| one == other.0)) {
            waited.push((own, other.0.downgrade()));
        }
    }

    /// Waits until no work of other contexts is left that a stream of this context waited for.
    ///
    /// # Errors
    /// Returns an error if that is not known of one of them.
    pub(crate) fn settle_others(&self) -> Result<()> {
        let mut known = vec![self.clone()];
        let mut next = 0;
        while let Some(context) = known.get(next).cloned() {
            next += 1;
            let own = context.as_raw().addr();
            let others: Vec<Self> = waited()
                .iter()
                .filter(|(one, _)| *one == own)
                .filter_map(|(_, other)| other.upgrade().map(Self))
                .collect();
            // Without the lock: a wait takes its time, and a context may be released here.
            for other in others
                .into_iter()
                .filter(|one| !known.contains(one))
                .collect::<Vec<_>>()
            {
                let settled = unheard(|| other.settle_alone());
                let faulted = matches!(settled, crate::Settled::Faulted(_));
                settled.or_leak()?;
                if faulted {
                    known.push(other); // it no longer waits for others either
                }
            }
        }
        Ok(())
    }
}
