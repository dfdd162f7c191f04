//! Executable graphs: what the client launches.

use std::sync::{Arc, Mutex, MutexGuard};

use super::capture;
use super::conditional_nodes;
use super::definition::{Graph, Standing};
use super::device_launch::{self, Launchable, Run};
use super::plan::Plan;
use super::refusal::Refusal;
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
    /// Never used twice in a process, nor as a graph's.
    pub id: u64,
    /// `CUgraphInstantiate_flags`
    pub flags: u64,
    state: Mutex<State>,
    /// What kernels may launch, where they may.
    pub launchable: Option<Arc<Launchable>>,
    /// Of the graph that it was made of.
    _instance: Arc<()>,
}

pub struct State {
    pub plan: Plan,
    /// The end of the last launch: the next one waits for it, on whatever stream.
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

/// Makes an executable graph of a graph.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for unknown flags, for a node's graph, during a capture into the graph and for a cycle, and
/// where the graph allocates or frees memory, or has conditional nodes, and there is an executable one already; for a
/// conditional handle without a node, and for what a conditional node can't do; for what kernels can't launch, where the
/// flags ask for that.
pub fn instantiate(graph: &Graph, flags: u64) -> std::result::Result<Arc<Exec>, Refusal> {
    let whole = graph.standing() == Standing::Own && !graph.is_busy();
    if flags & !u64::from(FLAGS) != 0 || !whole {
        return Err(Refusal::plain(Code::ERROR_INVALID_VALUE));
    }
    let by_kernels = flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
    if by_kernels && flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0 {
        return Err(Refusal::plain(Code::ERROR_INVALID_VALUE));
    }
    if graph.conditions().iter().any(|one| !one.is_used()) {
        return Err(Refusal {
            result: CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
            ..Refusal::plain(Code::ERROR_INVALID_VALUE)
        });
    }
    let instance = graph.instance().map_err(Refusal::plain)?;
    let plan = Plan::of(graph).map_err(|node| Refusal {
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

/// The executable graph behind a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a handle that isn't a live one's.
pub fn get(handle: u64) -> Result<Arc<Exec>> {
    EXECS.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

/// What kernels launch of the executable graph behind a handle; or why it is a fault to launch it.
fn launchable(handle: u64) -> std::result::Result<Arc<Launchable>, String> {
    let Ok(exec) = get(handle) else {
        return Err(graph_runs::unknown(handle));
    };
    exec.launchable.clone().ok_or_else(|| {
        format!("{handle:#x} was instantiated without CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH")
    })
}

/// Destroys an executable graph: launches that are under way are still done.
///
/// # Errors
/// As [`get`].
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

    /// Has kernels launch it as it is now, once a stream has come so far.
    ///
    /// # Errors
    /// What a capture forbids.
    pub fn upload(&self, stream: &Arc<Stream>) -> Result {
        capture::refuse_work(stream)?;
        let state = self.state();
        if let Some(launchable) = &self.launchable {
            stream.submit(launchable.uploading(&state.plan));
        }
        Ok(())
    }

    /// Launches it on a stream, after its last launch.
    ///
    /// # Errors
    /// The state of a context that work of it belongs to; `CUDA_ERROR_INVALID_VALUE` where memory that it allocates
    /// wasn't freed since its last launch, or memory that it frees isn't allocated; what a capture forbids.
    pub fn launch(&self, stream: &Arc<Stream>) -> Result {
        capture::refuse_graph(stream)?;
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

    /// Whose memory is when a launch is over. Gives the work that frees what the last launch has left, where that is the
    /// launch's to do.
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
            one.take_back();
        }
        let mut pieces = Vec::new();
        for memory in left {
            if memory.take_back() {
                pieces.push(memory.clone().going());
            }
            memory.leave();
        }
        Ok(pieces)
    }
}
