//! Memory that graphs allocate and free.
//!
//! An allocation node receives its address and memory when it is created, so the address is the
//! same at every launch. A launch makes the memory accessible, and a free makes it inaccessible.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use super::allocations::{self, Allocation, Request};
use super::origin::Origin;
use super::recorded_work::WorkKind;
use super::stream_races;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::Context;
use crate::queue::stream::{How, Piece, Stream};
use cuda_emulator_engine::Unpoisoned;

/// The memory of an allocation node.
pub struct GraphMemory {
    allocation: Arc<Allocation>,
    /// The properties that the client requested.
    properties: PoolProperties,
    access: Box<[Access]>,
    /// The handle of the graph that contains the node.
    owner: u64,
    /// The handle of a graph that frees it, or 0.
    freed_by: AtomicU64,
    /// Whether a launch call has allocated it and no later call has freed it.
    outstanding: AtomicBool,
}

/// Memory that launches have left to the client, by address.
static OUTSTANDING: Mutex<Option<HashMap<u64, Arc<GraphMemory>>>> = Mutex::new(None);
/// All memory of allocation nodes, by address.
static KNOWN: Mutex<Option<HashMap<u64, Weak<GraphMemory>>>> = Mutex::new(None);

/// Bytes in use by the graphs of a device, with the high-water mark. A second one counts the bytes
/// that allocation nodes hold.
#[derive(Clone, Copy)]
struct Use {
    now: u64,
    most: u64,
}

impl Use {
    const NONE: Use = Use { now: 0, most: 0 };

    fn add(&mut self, bytes: u64) {
        self.now += bytes;
        self.most = self.most.max(self.now);
    }
}

static USED: Mutex<[[Use; 2]; 64]> = Mutex::new([[Use::NONE; 2]; 64]);

fn with_use(ordinal: i32, reserved: bool, change: impl FnOnce(&mut Use)) {
    change(&mut USED.lock().unpoisoned()[ordinal as usize][usize::from(reserved)]);
}

/// Returns the value of a `CUgraphMem_attribute` of a device.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for an unknown attribute.
pub fn attribute(ordinal: i32, attribute: u32) -> Result<u64> {
    let used = USED.lock().unpoisoned()[ordinal as usize];
    match attribute {
        CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT => Ok(used[0].now),
        CU_GRAPH_MEM_ATTR_USED_MEM_HIGH => Ok(used[0].most),
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT => Ok(used[1].now),
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH => Ok(used[1].most),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Resets a high-water mark.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the attribute is not a high-water mark or the value is not
/// 0.
pub fn reset(ordinal: i32, attribute: u32, value: u64) -> Result {
    let reserved = match attribute {
        CU_GRAPH_MEM_ATTR_USED_MEM_HIGH => false,
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH => true,
        _ => return Err(Code::ERROR_INVALID_VALUE),
    };
    if value != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    with_use(ordinal, reserved, |one| one.most = one.now);
    Ok(())
}

impl GraphMemory {
    /// Allocates the memory of an allocation node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the size is 0, and `CUDA_ERROR_OUT_OF_MEMORY` if there
    /// is no memory left.
    pub fn new(
        context: &Arc<Context>,
        size: u64,
        properties: PoolProperties,
        access: Vec<Access>,
        owner: u64,
    ) -> Result<Arc<GraphMemory>> {
        if size == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let request = Request {
            ready: false,
            ..Request::new(size, Origin::Graph)
        };
        let allocation = allocations::allocate(context, request)?;
        with_use(context.ordinal, true, |one| one.add(size));
        let memory = Arc::new(GraphMemory {
            allocation,
            properties,
            access: access.into(),
            owner,
            freed_by: AtomicU64::new(0),
            outstanding: AtomicBool::new(false),
        });
        let mut known = KNOWN.lock().unpoisoned();
        let known = known.get_or_insert_default();
        known.insert(memory.address(), Arc::downgrade(&memory));
        Ok(memory)
    }

    pub fn address(&self) -> u64 {
        self.allocation.base
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.allocation.context
    }

    /// Returns the node's parameters.
    pub fn params(&self) -> AllocNodeParams {
        AllocNodeParams {
            pool: self.properties,
            access: match self.access.is_empty() {
                true => 0,
                false => self.access.as_ptr() as u64,
            },
            access_count: self.access.len(),
            size: self.allocation.size as usize,
            address: self.address(),
        }
    }

    /// Returns the stream work that makes it accessible.
    pub fn allocation_work(self: Arc<Self>) -> Piece {
        let work = move || {
            let allocation = &self.allocation;
            allocations::set_ready(allocation, true);
            with_use(allocation.context.ordinal, false, |one| {
                one.add(allocation.size);
            });
            stream_races::record_write(WorkKind::Allocate, allocation.base, allocation.size)
        };
        Piece::new(How::Soon, Box::new(work))
    }

    /// Returns the stream work that makes it inaccessible.
    pub fn free_work(self: Arc<Self>) -> Piece {
        let work = move || {
            self.make_inaccessible();
            let allocation = &self.allocation;
            stream_races::record_write(WorkKind::Free, allocation.base, allocation.size)
        };
        Piece::new(How::Soon, Box::new(work))
    }

    fn make_inaccessible(&self) {
        let allocation = &self.allocation;
        if allocation.ready.load(Ordering::Acquire) {
            allocations::set_ready(allocation, false);
            with_use(allocation.context.ordinal, false, |one| {
                one.now -= allocation.size;
            });
        }
    }

    /// Returns whether a launch has left it to the client.
    pub fn is_outstanding(&self) -> bool {
        self.outstanding.load(Ordering::Acquire)
    }

    /// Leaves it to the client after a launch.
    pub fn leave_to_client(self: &Arc<Self>) {
        self.outstanding.store(true, Ordering::Release);
        let mut all = OUTSTANDING.lock().unpoisoned();
        all.get_or_insert_default()
            .insert(self.address(), self.clone());
    }

    /// Marks it as freed by a call that takes effect later, in the order of a stream. Returns
    /// whether it was allocated.
    pub fn mark_freed(&self) -> bool {
        let was = self.outstanding.swap(false, Ordering::AcqRel);
        let kept = match OUTSTANDING.lock().unpoisoned().as_mut() {
            Some(all) if was => all.remove(&self.address()),
            _ => None,
        };
        // Dropped outside of the lock, because it may be the last reference.
        drop(kept);
        was
    }

    /// Undoes [`free_by`](Self::free_by) after the free node could not be added to the graph.
    pub fn undo_free_by(&self, graph: u64) {
        let (this, none) = (graph, 0);
        let _ = self
            .freed_by
            .compare_exchange(this, none, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Records that a graph gets a node that frees it.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if this graph already frees it, or if another graph frees
    /// it and one of the two graphs contains the allocation node.
    pub fn free_by(&self, graph: u64) -> Result {
        let before = self.freed_by.load(Ordering::Acquire);
        let owners = before == self.owner || graph == self.owner;
        if before == graph || before != 0 && owners {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        self.freed_by.store(graph, Ordering::Release);
        Ok(())
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        self.make_inaccessible();
        let this: *const GraphMemory = self;
        if let Some(known) = KNOWN.lock().unpoisoned().as_mut() {
            // After its context has ended, the address may belong to other memory.
            known.retain(|_, one| one.as_ptr() != this);
        }
        with_use(self.allocation.context.ordinal, true, |one| {
            one.now -= self.allocation.size;
        });
        allocations::free(&self.allocation, "the end of its graph");
    }
}

/// Returns the memory of a graph that starts at an address.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if there is none.
pub fn at(address: u64) -> Result<Arc<GraphMemory>> {
    let known = KNOWN.lock().unpoisoned();
    let found = known.as_ref().and_then(|all| all.get(&address));
    let found = found.and_then(Weak::upgrade);
    found.ok_or(Code::ERROR_INVALID_VALUE)
}

/// Returns the memory of an allocation and marks it as freed.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if no launch has left it to the client.
fn outstanding(allocation: &Allocation) -> Result<Arc<GraphMemory>> {
    let memory = at(allocation.base)?;
    if memory.mark_freed() {
        Ok(memory)
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// Frees memory that a launch has left, for `cuMemFree`.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if no launch has left it or it has already been freed, or the
/// sticky error.
pub fn free(allocation: &Arc<Allocation>) -> Result {
    let memory = outstanding(allocation)?;
    allocation.context.drain();
    allocation.context.usable()?;
    memory.make_inaccessible();
    Ok(())
}

/// Frees memory that a launch has left, for `cuMemFreeAsync`.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if no launch has left it or it has already been freed.
pub fn free_async(allocation: &Arc<Allocation>, stream: &Arc<Stream>) -> Result {
    let memory = outstanding(allocation)?;
    stream.submit(memory.free_work());
    Ok(())
}
