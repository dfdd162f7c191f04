//! Memory pools of stream-ordered allocations.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::abi::*;
use super::config;
use super::handle::{Object, Table};
use super::registry::Owner;
use super::status::{Code, Result};
use crate::lock::Unpoisoned;

/// Reuse switches and release threshold have this number and the next ones.
const FIRST_SETTING: u32 = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;

/// A pool.
pub struct Pool {
    pub handle: u64,
    pub ordinal: i32,
    /// The device's own, which can't be destroyed.
    pub is_default: bool,
    /// Most bytes it may hold; 0 for no limit.
    maximum: u64,
    /// Reuse switches and release threshold. They have no effect here: memory goes back to the
    /// arena in stream order in any case.
    settings: Mutex<[u64; 4]>,
    used: AtomicU64,
    used_high: AtomicU64,
}

static POOLS: Table<Pool> = Table::new();

impl Object for Pool {
    const NAME: &'static str = "memory pool";
    const TAG: u8 = 0x18;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        (!self.is_default).then(|| format!("memory pool {:#x}", self.handle))
    }
}

struct Choice {
    default: Arc<Pool>,
    current: Mutex<Arc<Pool>>,
}

fn choices() -> &'static [Choice] {
    static CHOICES: OnceLock<Vec<Choice>> = OnceLock::new();
    CHOICES.get_or_init(|| {
        (0..config::get().devices as i32)
            .map(|ordinal| {
                let default = Pool::new(ordinal, true, 0);
                Choice {
                    current: Mutex::new(default.clone()),
                    default,
                }
            })
            .collect()
    })
}

/// A device's own pool.
pub fn default_of(ordinal: i32) -> Arc<Pool> {
    choices()[ordinal as usize].default.clone()
}

/// The pool that `cuMemAllocAsync` uses on a device.
pub fn current_of(ordinal: i32) -> Arc<Pool> {
    choices()[ordinal as usize]
        .current
        .lock()
        .unpoisoned()
        .clone()
}

/// Chooses the pool that `cuMemAllocAsync` uses on a device.
pub fn set_current(ordinal: i32, pool: Arc<Pool>) -> Result {
    if pool.ordinal != ordinal {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    *choices()[ordinal as usize].current.lock().unpoisoned() = pool;
    Ok(())
}

/// The pool behind a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn get(handle: u64) -> Result<Arc<Pool>> {
    POOLS.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Creates a pool.
pub fn create(ordinal: i32, maximum: u64) -> Arc<Pool> {
    Pool::new(ordinal, false, maximum)
}

/// Destroys a pool; what is allocated from it lives on.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a stale handle or a device's own pool.
pub fn destroy(handle: u64) -> Result {
    let pool = get(handle)?;
    if pool.is_default {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let choice = &choices()[pool.ordinal as usize];
    let mut current = choice.current.lock().unpoisoned();
    if current.handle == handle {
        *current = choice.default.clone();
    }
    POOLS
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_VALUE)
}

impl Pool {
    fn new(ordinal: i32, is_default: bool, maximum: u64) -> Arc<Pool> {
        POOLS.insert(|handle| Pool {
            handle,
            ordinal,
            is_default,
            maximum,
            settings: Mutex::new([1, 1, 1, 0]),
            used: AtomicU64::new(0),
            used_high: AtomicU64::new(0),
        })
    }

    /// Memory of an allocation has come back.
    pub fn returned(&self, size: u64) {
        self.used.fetch_sub(size, Ordering::AcqRel);
    }

    /// The value of a `CUmemPool_attribute`, and whether it is 64 bits wide.
    pub fn attribute(&self, attribute: u32) -> Result<(u64, bool)> {
        let settings = self.settings.lock().unpoisoned();
        Ok(match attribute {
            FIRST_SETTING..=CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => {
                (settings[(attribute - FIRST_SETTING) as usize], false)
            }
            CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => (settings[3], true),
            // Reserved is what is used: nothing is kept in store.
            CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT | CU_MEMPOOL_ATTR_USED_MEM_CURRENT => {
                (self.used.load(Ordering::Acquire), true)
            }
            CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | CU_MEMPOOL_ATTR_USED_MEM_HIGH => {
                (self.used_high.load(Ordering::Acquire), true)
            }
            _ => return Err(Code::ERROR_INVALID_VALUE),
        })
    }

    /// Whether a `CUmemPool_attribute` is 64 bits wide.
    pub fn is_wide(attribute: u32) -> bool {
        attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    }

    pub fn set_attribute(&self, attribute: u32, value: u64) -> Result {
        let mut settings = self.settings.lock().unpoisoned();
        match attribute {
            FIRST_SETTING..=CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => {
                settings[(attribute - FIRST_SETTING) as usize] = value;
            }
            // The high-water marks may only be reset.
            CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | CU_MEMPOOL_ATTR_USED_MEM_HIGH if value == 0 => {
                self.used_high
                    .store(self.used.load(Ordering::Acquire), Ordering::Release);
            }
            _ => return Err(Code::ERROR_INVALID_VALUE),
        }
        Ok(())
    }

    /// Takes memory for an allocation.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY` when the pool may not hold as much.
    pub fn take(&self, size: u64) -> Result {
        let used = self.used.fetch_add(size, Ordering::AcqRel) + size;
        if self.maximum != 0 && used > self.maximum {
            self.returned(size);
            return Err(Code::ERROR_OUT_OF_MEMORY);
        }
        self.used_high.fetch_max(used, Ordering::AcqRel);
        Ok(())
    }
}
