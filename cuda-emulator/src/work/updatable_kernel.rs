//! Launches that kernels can change: their arguments, their grid, and whether they run.
//!
//! A change applies to each later run of the node, until the host changes the node itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use crate::abi::AttributeValue;
use crate::process::device;
use crate::process::registry;
use cuda_emulator_engine::{NodeChange, Shape, Unpoisoned};

/// The node of a `CUgraphDeviceNode`.
pub struct Updatable {
    pub handle: u64,
    /// Bytes of the kernel's parameters.
    param_bytes: usize,
    changes: Mutex<Changes>,
}

/// The changes made by kernels.
#[derive(Default)]
struct Changes {
    /// Offsets in the parameters and the new bytes.
    params: Vec<(usize, Box<[u8]>)>,
    grid: Option<[u32; 3]>,
    enabled: Option<bool>,
}

/// Nodes that a graph, an executable graph or a launch still uses.
static NODES: Mutex<Option<HashMap<u64, Weak<Updatable>>>> = Mutex::new(None);

impl Drop for Updatable {
    fn drop(&mut self) {
        if let Some(all) = NODES.lock().unpoisoned().as_mut() {
            all.remove(&self.handle);
        }
    }
}

impl Updatable {
    pub fn new(param_bytes: usize) -> Arc<Updatable> {
        // Differs from all other handles and from all addresses.
        let handle = 0x1f << 56 | registry::next_number() << 4 | 8;
        let node = Arc::new(Updatable {
            handle,
            param_bytes,
            changes: Mutex::default(),
        });
        let mut all = NODES.lock().unpoisoned();
        let all = all.get_or_insert_default();
        all.insert(handle, Arc::downgrade(&node));
        node
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unpoisoned()
    }

    /// Discards the changes, because the host has changed the node.
    pub fn forget_changes(&self) {
        *self.changes() = Changes::default();
    }

    /// Applies the changes to a launch. Returns whether it runs, which is `enabled` unless a kernel
    /// has changed that.
    pub fn apply(&self, shape: &mut Shape, params: &mut Arc<[u8]>, enabled: bool) -> bool {
        let changes = self.changes();
        if !changes.enabled.unwrap_or(enabled) {
            return false;
        }
        if let Some(grid) = changes.grid {
            shape.grid = grid;
        }
        if !changes.params.is_empty() {
            let mut changed = params.to_vec();
            for (offset, bytes) in &changes.params {
                changed[*offset..][..bytes.len()].copy_from_slice(bytes);
            }
            *params = changed.into();
        }
        true
    }

    /// Returns the value of the launch attribute.
    pub fn value(&self) -> AttributeValue {
        let mut value = [0; 16];
        value[0] = 1;
        value[2] = self.handle as u32;
        value[3] = (self.handle >> 32) as u32;
        AttributeValue(value)
    }
}

/// Applies a change by a kernel. Returns whether the change is allowed.
///
/// # Errors
/// Returns the reason for a fault if the handle is invalid.
pub fn change(handle: u64, change: NodeChange<'_>) -> std::result::Result<bool, String> {
    if handle == 0 {
        return Ok(false);
    }
    let node = {
        let all = NODES.lock().unpoisoned();
        let found = all.as_ref().and_then(|all| all.get(&handle));
        found.and_then(Weak::upgrade)
    };
    let Some(node) = node else {
        return Err(format!(
            "{handle:#x} is not a device-updatable node, or its graph was destroyed"
        ));
    };
    let mut changes = node.changes();
    match change {
        NodeChange::Param(offset, bytes) => {
            let end = offset.checked_add(bytes.len() as u64);
            if end.is_none_or(|end| end > node.param_bytes as u64) {
                return Ok(false);
            }
            let place = offset as usize;
            // Repeated changes of the same bytes need only one entry.
            let same = |one: &(usize, Box<[u8]>)| one.0 == place && one.1.len() == bytes.len();
            changes.params.retain(|one| !same(one));
            changes.params.push((place, bytes.into()));
        }
        NodeChange::Grid(grid) => {
            if (0..3).any(|axis| grid[axis] == 0 || grid[axis] > device::MAX_GRID[axis]) {
                return Ok(false);
            }
            changes.grid = Some(grid);
        }
        NodeChange::Enabled(enabled) => changes.enabled = Some(enabled),
    }
    Ok(true)
}
