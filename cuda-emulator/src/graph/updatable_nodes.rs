//! Nodes of kernels that kernels change: their arguments, their grid, and whether they run.
//!
//! A change counts for each later run of the node, until the host changes the node itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::node::{Node, Task};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device;
use crate::process::registry;
use crate::queue::stream::{How, Piece};
use crate::work::launch::Launch;
use crate::work::operation::Operation;
use cuda_emulator_engine::NodeChange;
use cuda_emulator_engine::Unpoisoned;

/// What a `CUgraphDeviceNode` stands for.
pub struct Updatable {
    pub handle: u64,
    /// Bytes of the kernel's parameters.
    param_bytes: usize,
    changes: Mutex<Changes>,
}

/// What kernels have changed.
#[derive(Default)]
struct Changes {
    /// Places in the parameters, and what is there now.
    params: Vec<(usize, Box<[u8]>)>,
    grid: Option<[u32; 3]>,
    enabled: Option<bool>,
}

/// Those that a graph, an executable one or a launch still has.
static NODES: Mutex<Option<HashMap<u64, Weak<Updatable>>>> = Mutex::new(None);

impl Drop for Updatable {
    fn drop(&mut self) {
        if let Some(all) = NODES.lock().unpoisoned().as_mut() {
            all.remove(&self.handle);
        }
    }
}

impl Updatable {
    fn new(param_bytes: usize) -> Arc<Updatable> {
        // Like no other handle, and like no address.
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

    /// The host has changed the node.
    pub fn forget_changes(&self) {
        *self.changes() = Changes::default();
    }

    /// One run of the node, as it is when its turn has come.
    pub fn piece(self: Arc<Self>, launch: Launch, enabled: bool) -> Piece {
        let work = move || {
            let mut launch = launch;
            {
                let changes = self.changes();
                if !changes.enabled.unwrap_or(enabled) {
                    return Ok(());
                }
                if let Some(grid) = changes.grid {
                    launch.shape.grid = grid;
                }
                if !changes.params.is_empty() {
                    let mut params = launch.params.to_vec();
                    for (offset, bytes) in &changes.params {
                        params[*offset..][..bytes.len()].copy_from_slice(bytes);
                    }
                    launch.params = params.into();
                }
            }
            (launch.piece().work)()
        };
        Piece::new(How::Soon, Box::new(work))
    }
}

/// A change by a kernel; whether it is allowed. The reason of a fault for a handle that isn't one.
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
            "{handle:#x} isn't a device-updatable node, or its graph is gone"
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
            // The same place again and again: one entry.
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

impl Node {
    /// Whether kernels change it.
    pub fn is_updatable(&self) -> bool {
        is_updatable(&self.task)
    }

    /// Sets the attribute by which kernels may change the node; the value with the node's handle.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a node that isn't a kernel's, and for a value but 0 and 1;
    /// `CUDA_ERROR_NOT_SUPPORTED` for taking it back.
    pub fn set_updatable(&mut self, value: AttributeValue) -> Result<AttributeValue> {
        let Task::Operation(Operation::Launch(launch), _) = &mut self.task else {
            return Err(Code::ERROR_INVALID_VALUE);
        };
        match (value.0[0], &launch.updatable) {
            (0, None) => Ok(value),
            (0, Some(_)) => Err(Code::ERROR_NOT_SUPPORTED),
            (1, None) => {
                let node = Updatable::new(launch.params.len());
                let value = node.value();
                launch.updatable = Some(node);
                Ok(value)
            }
            // As an H200 has it: the value names no node yet.
            (1, Some(node)) if value.0[2..4] == [0, 0] => Ok(node.value()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }
}

impl Updatable {
    /// The value of the attribute.
    pub fn value(&self) -> AttributeValue {
        let mut value = [0; 16];
        value[0] = 1;
        value[2] = self.handle as u32;
        value[3] = (self.handle >> 32) as u32;
        AttributeValue(value)
    }
}

/// Whether kernels change what a task launches.
pub fn is_updatable(task: &Task) -> bool {
    matches!(task, Task::Operation(Operation::Launch(launch), _) if launch.updatable.is_some())
}
