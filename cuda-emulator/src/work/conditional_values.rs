//! The values that kernels set for conditional nodes of graphs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::process::context::Context;
use crate::process::registry;
use cuda_emulator_engine::Unpoisoned;

/// The value of a `CUgraphConditionalHandle`.
pub struct Condition {
    pub handle: u64,
    pub context: Arc<Context>,
    /// The value at the start of each launch. `None` keeps the last value.
    default: Option<u32>,
    value: AtomicU32,
    /// Whether a node uses it.
    used: AtomicBool,
}

/// Conditions that a graph, an executable graph or a launch still uses.
static CONDITIONS: Mutex<Option<HashMap<u64, Weak<Condition>>>> = Mutex::new(None);

/// Returns the condition of a handle.
pub fn get(handle: u64) -> Option<Arc<Condition>> {
    let all = CONDITIONS.lock().unpoisoned();
    all.as_ref()?.get(&handle)?.upgrade()
}

/// Sets the value, for `cudaGraphSetConditional`. Returns whether the handle exists.
pub fn set(handle: u64, value: u32) -> bool {
    match get(handle) {
        Some(condition) => {
            condition.value.store(value, Ordering::Release);
            true
        }
        None => false,
    }
}

impl Drop for Condition {
    fn drop(&mut self) {
        if let Some(all) = CONDITIONS.lock().unpoisoned().as_mut() {
            all.remove(&self.handle);
        }
    }
}

impl Condition {
    pub fn new(context: Arc<Context>, default: Option<u32>) -> Arc<Condition> {
        // Differs from all other handles and from all addresses.
        let handle = 0x1e << 56 | registry::next_number() << 4 | 8;
        let condition = Arc::new(Condition {
            handle,
            context,
            default,
            value: AtomicU32::new(0),
            used: AtomicBool::new(false),
        });
        let mut all = CONDITIONS.lock().unpoisoned();
        let all = all.get_or_insert_default();
        all.insert(handle, Arc::downgrade(&condition));
        condition
    }

    /// Marks it as used by a node. Returns whether it was free.
    pub fn take(&self) -> bool {
        !self.used.swap(true, Ordering::AcqRel)
    }

    /// Marks it as free after its node has been destroyed.
    pub fn leave(&self) {
        self.used.store(false, Ordering::Release);
    }

    /// Returns whether a node uses it.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }

    /// Sets the default value at the start of a launch.
    pub fn begin(&self) {
        if let Some(value) = self.default {
            self.value.store(value, Ordering::Release);
        }
    }

    pub fn value(&self) -> u32 {
        self.value.load(Ordering::Acquire)
    }
}
