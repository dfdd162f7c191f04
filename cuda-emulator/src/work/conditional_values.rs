//! The values that kernels set for conditional nodes of graphs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::process::context::Context;
use crate::process::registry;
use cuda_emulator_engine::Unpoisoned;

/// What a `CUgraphConditionalHandle` stands for.
pub struct Condition {
    pub handle: u64,
    pub context: Arc<Context>,
    /// What each launch begins with; `None` for what the last one has left.
    default: Option<u32>,
    value: AtomicU32,
    /// Whether a node has it.
    used: AtomicBool,
}

/// Those that a graph, an executable one or a launch still has.
static CONDITIONS: Mutex<Option<HashMap<u64, Weak<Condition>>>> = Mutex::new(None);

/// The condition behind a handle.
pub fn get(handle: u64) -> Option<Arc<Condition>> {
    let all = CONDITIONS.lock().unpoisoned();
    all.as_ref()?.get(&handle)?.upgrade()
}

/// `cudaGraphSetConditional`; whether there is such a handle.
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
        // Like no other handle, and like no address.
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

    /// A node takes it; whether none had it.
    pub fn take(&self) -> bool {
        !self.used.swap(true, Ordering::AcqRel)
    }

    /// The node that has it is gone.
    pub fn leave(&self) {
        self.used.store(false, Ordering::Release);
    }

    /// Whether a node has it.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Acquire)
    }

    /// A launch begins.
    pub fn begin(&self) {
        if let Some(value) = self.default {
            self.value.store(value, Ordering::Release);
        }
    }

    pub fn value(&self) -> u32 {
        self.value.load(Ordering::Acquire)
    }
}
