//! The memory pools of this process, found by their raw handles.
//!
//! The driver identifies the current pool of a device, or the pool of an address, by a raw handle
//! that owns nothing. The registry finds the [`MemoryPool`](super::pool::MemoryPool) that keeps
//! this pool alive.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_sys::CUmemoryPool;

use super::PoolKind;
use crate::{
    driver::callback,
    error::Result,
    handle::{Handle, Weak},
};

static POOLS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

struct Known {
    /// The address of the raw handle.
    raw: usize,
    pool: Pool,
}

enum Pool {
    /// A default pool, which the driver never destroys.
    Default,
    /// A pool that this crate destroys. Its entry stays until it has been destroyed or handed over.
    Owned(Weak<PoolKind>),
    /// A pool of other code, which keeps it alive as long as this crate has a handle.
    Borrowed(Weak<PoolKind>),
}

/// The result of looking up a raw handle.
pub(in crate::memory) enum Found {
    Default,
    Alive(Handle<PoolKind>),
    /// The last handle has been dropped. The thread that dropped it waits for the registry and then
    /// destroys the pool.
    Ending,
    /// The pool has been destroyed, or it belongs to other code, which may destroy it at any time.
    Unknown,
}

/// The locked registry. While it is locked, no pool of this crate is destroyed.
pub(in crate::memory) struct Registry(MutexGuard<'static, Vec<Known>>);

impl Registry {
    /// Locks the registry.
    ///
    /// # Errors
    /// Returns an error inside a host function or a log listener, because the driver may call it
    /// during a call made under this lock.
    pub(in crate::memory) fn lock(call: &'static str) -> Result<Self> {
        callback::reject_in_callback(call)?;
        Ok(Self(POOLS.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    pub(in crate::memory) fn find(&self, raw: CUmemoryPool) -> Found {
        let mut found = Found::Unknown;
        for known in self.0.iter().filter(|known| known.raw == raw.addr()) {
            match &known.pool {
                Pool::Default => return Found::Default,
                Pool::Owned(pool) | Pool::Borrowed(pool) => {
                    if let Some(pool) = pool.upgrade() {
                        return Found::Alive(pool);
                    }
                }
            }
            if let Pool::Owned(_) = known.pool {
                found = Found::Ending;
            }
        }
        found
    }

    /// Registers a default pool.
    pub(in crate::memory) fn add_default(&mut self, raw: CUmemoryPool) {
        let is_same =
            |known: &Known| known.raw == raw.addr() && matches!(known.pool, Pool::Default);
        if !self.0.iter().any(is_same) {
            self.push(raw, Pool::Default);
        }
    }

    pub(in crate::memory) fn add(&mut self, pool: &Handle<PoolKind>) {
        let weak = pool.downgrade();
        let known = match pool.is_owned() {
            true => Pool::Owned(weak),
            false => Pool::Borrowed(weak),
        };
        self.push(pool.raw(), known);
    }

    fn push(&mut self, raw: CUmemoryPool, pool: Pool) {
        // Borrowed pools end without a call, so remove the ended ones here.
        self.0
            .retain(|known| !matches!(&known.pool, Pool::Borrowed(pool) if pool.is_released()));
        let raw = raw.addr();
        self.0.push(Known { raw, pool });
    }

    /// Removes an owned pool that has no handles, because it is ending or now belongs to other
    /// code.
    pub(in crate::memory) fn remove(&mut self, raw: CUmemoryPool) {
        self.0.retain(|known| {
            let is_released = matches!(&known.pool, Pool::Owned(pool) if pool.is_released());
            known.raw != raw.addr() || !is_released
        });
    }
}
