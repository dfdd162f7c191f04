//! Runs of graphs, as the kernels in them see them.
//!
//! Kernels may launch executable graphs. Graphs are above the work that they consist of, so a run of a graph is a trait
//! object here, and the first executable graph installs the function that finds executable graphs.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

/// `cudaErrorInvalidValue`
pub const INVALID_VALUE: u32 = 1;

/// The run of a graph that a kernel belongs to.
pub trait GraphRun: Send + Sync {
    /// `cudaGetCurrentGraphExec`
    fn current(&self) -> u64;

    /// `cudaGraphLaunch`: the `cudaError_t`, or why it is a fault.
    fn launch(self: Arc<Self>, exec: u64, stream: u64) -> Result<u32, String>;
}

/// Says why a kernel can't launch the executable graph behind a handle.
type Check = fn(u64) -> Result<(), String>;

static CHECK: OnceLock<Check> = OnceLock::new();

thread_local! {
    /// Of the work that this thread does.
    static CURRENT: RefCell<Option<Arc<dyn GraphRun>>> = const { RefCell::new(None) };
}

/// Installs the check of executable graphs. Call this before the first one exists.
pub fn install(check: Check) {
    CHECK.get_or_init(|| check);
}

/// The run that the calling thread works for.
pub fn current() -> Option<Arc<dyn GraphRun>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Has the calling thread work for a run, until the guard is dropped.
pub fn enter(run: Arc<dyn GraphRun>) -> Entered {
    Entered(CURRENT.replace(Some(run)))
}

/// Restores what [`current`] was, also after a panic.
pub struct Entered(Option<Arc<dyn GraphRun>>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// The fault of a launch by a handle that isn't an executable graph's.
pub fn unknown(handle: u64) -> String {
    format!("{handle:#x} isn't an executable graph, or it was destroyed")
}

/// `cudaGraphLaunch` by a kernel that belongs to a run, or to none: the `cudaError_t`, or why it is a fault.
pub fn launch(run: Option<&Arc<dyn GraphRun>>, exec: u64, stream: u64) -> Result<u32, String> {
    if exec == 0 {
        return Ok(INVALID_VALUE);
    }
    match (run, CHECK.get()) {
        (Some(run), _) => run.clone().launch(exec, stream),
        (None, Some(check)) => check(exec).map(|()| INVALID_VALUE),
        (None, None) => Err(unknown(exec)),
    }
}
