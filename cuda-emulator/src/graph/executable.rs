//! Executable graphs, which the client launches.

use std::sync::{Arc, Mutex, MutexGuard};

use super::capture;
use super::conditional_nodes;
use super::definition::{Graph, Ownership};
use super::device_launch::{self, Launchable, Run};
use super::instantiate_error::InstantiateError;
use super::plan::Plan;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::graph_allocations::GraphMemory;
use crate::process::handle::{Object, Table};
use crate::process::registry::{self, Owner};
use crate::queue::stream::{How, Mark, Piece, Stream};
use crate::work::graph_runs;
use cuda_emulator_engine::Unpoisoned;

/// An executable graph.
pub struct Exec {
    pub handle: u64,
    /// Unique in the process among graphs and executable graphs.
    pub id: u64,
    /// `CUgraphInstantiate_flags`
    pub flags: u64,
    state: Mutex<State>,
    /// The part that kernels need to launch it. `None` if they may not launch it.
    pub launchable: Option<Arc<Launchable>>,
    /// The token of the graph from which it was made.
    _instance: Arc<()>,
}

pub struct State {
    pub plan: Plan,
    /// The end of the last launch. The next one waits for it, even on another stream.
    last: Option<Mark>,
}

static EXECS: Table<Exec> = Table::new();

impl Object for Exec {
    const NAME: &'static str = "executable graph";
    const TAG: u8 = 0x1b;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        Some(format!("executable graph {:#x}", self.handle))
    }
}

const FLAGS: u32 = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
    | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
    | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
    | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

/// Creates an executable graph from a graph.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE`:
/// - for unknown flags, and for auto-free together with device launch;
/// - for a graph that a node owns, and during a capture into the graph;
/// - if the graph has a cycle, a conditional handle without a node, or a node that is not allowed
///   in a conditional body;
/// - if kernels cannot launch the graph and the flags request that.
///
/// Returns `CUDA_ERROR_NOT_SUPPORTED` if the graph can be instantiated only once at a time and an
/// executable graph exists.
pub fn instantiate(graph: &Graph, flags: u64) -> std::result::Result<Arc<Exec>, InstantiateError> {
    let whole = graph.ownership() == Ownership::Client && !graph.is_busy();
    if flags & !u64::from(FLAGS) != 0 || !whole {
        return Err(InstantiateError::plain(Code::ERROR_INVALID_VALUE));
    }
    let by_kernels = flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
    if by_kernels && flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0 {
        return Err(InstantiateError::plain(Code::ERROR_INVALID_VALUE));
    }
    if graph.conditions().iter().any(|one| !one.is_used()) {
        return Err(InstantiateError {
            result: CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
            ..InstantiateError::plain(Code::ERROR_INVALID_VALUE)
        });
    }
    let instance = graph.instance().map_err(InstantiateError::plain)?;
    let plan = Plan::of(graph).map_err(|node| InstantiateError {
        code: Code::ERROR_INVALID_VALUE,
        result: CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
        node,
    })?;
    if by_kernels {
        device_launch::check(&plan)?;
    }
    graph_runs::install(|handle| launchable(handle).map(drop));
    Ok(EXECS.insert(|handle| Exec {
        handle,
        launchable: by_kernels.then(|| Launchable::new(handle)),
        id: registry::next_number(),
        flags,
        state: Mutex::new(State { plan, last: None }),
        _instance: instance,
    }))
}

/// Returns the executable graph of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not that of a live executable graph.
pub fn get(handle: u64) -> Result<Arc<Exec>> {
    EXECS.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Returns the launchable part of the executable graph of a handle, or the reason for a fault.
fn launchable(handle: u64) -> std::result::Result<Arc<Launchable>, String> {
    let Ok(exec) = get(handle) else {
        return Err(graph_runs::unknown(handle));
    };
    exec.launchable.clone().ok_or_else(|| {
        format!("{handle:#x} was instantiated without CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH")
    })
}

/// Destroys an executable graph. Launches in progress still run.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not that of a live executable graph.
pub fn destroy(handle: u64) -> Result {
    EXECS
        .remove(handle)
        .map(drop)
        .ok_or(Code::ERROR_INVALID_VALUE)
}

impl Exec {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unpoisoned()
    }

    /// Uploads the current state for launches by kernels, in stream order.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if the stream is being captured.
    pub fn upload(&self, stream: &Arc<Stream>) -> Result {
        capture::reject_work(stream)?;
        let state = self.state();
        if let Some(launchable) = &self.launchable {
            stream.submit(launchable.uploading(&state.plan));
        }
        Ok(())
    }

    /// Launches it on a stream, after its last launch.
    ///
    /// # Errors
    /// Returns:
    /// - `CUDA_ERROR_INVALID_VALUE` if memory that it allocates was not freed since its last
    ///   launch, or if memory that it frees is not allocated;
    /// - `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if the stream is being captured;
    /// - another error if a context of its work is destroyed or has faulted.
    pub fn launch(&self, stream: &Arc<Stream>) -> Result {
        capture::reject_graph(stream)?;
        let mut state = self.state();
        state.plan.usable()?;
        let mut pieces = self.take_memory(&state.plan)?;
        let mut conditions = Vec::new();
        state.plan.conditions(&mut conditions);
        if !conditions.is_empty() {
            pieces.push(conditional_nodes::begin(conditions));
        }
        let run = Run::by_host(stream, self.launchable.as_ref(), &state.plan, launchable);
        run.pieces(self.handle, &mut pieces);
        let mut references = Vec::new();
        state.plan.references(&mut references);
        if !references.is_empty() {
            let end = move || {
                drop(references);
                Ok(())
            };
            pieces.push(Piece::new(How::Soon, Box::new(end)));
        }
        let mut first = Piece::new(How::Soon, Box::new(|| Ok(())));
        first.after.extend(state.last.take());
        state.last = Some(stream.submit_all(first, pieces));
        Ok(())
    }

    /// Updates the ownership of graph memory for a launch. If automatic freeing is enabled, returns
    /// the stream work that frees memory left by the previous launch.
    fn take_memory(&self, plan: &Plan) -> Result<Vec<Piece>> {
        let (mut allocated, mut freed) = (Vec::new(), Vec::new());
        plan.memory(&mut allocated, &mut freed);
        let among = |all: &[Arc<GraphMemory>], one: &Arc<GraphMemory>| {
            all.iter().any(|other| Arc::ptr_eq(one, other))
        };
        let automatic =
            self.flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
        let (inner, left): (Vec<_>, Vec<_>) = allocated.iter().partition(|one| among(&freed, one));
        let others = freed.iter().filter(|one| !among(&allocated, one));
        if others.clone().any(|one| !one.is_outstanding())
            || inner.iter().any(|one| one.is_outstanding())
            || !automatic && left.iter().any(|one| one.is_outstanding())
        {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        for one in others {
            one.mark_freed();
        }
        let mut pieces = Vec::new();
        for memory in left {
            if memory.mark_freed() {
                pieces.push(memory.clone().free_work());
            }
            memory.leave_to_client();
        }
        Ok(pieces)
    }
}
