//! Runs of graphs, as seen by the kernels in them.
//!
//! Kernels may launch executable graphs, but graphs build on the work they consist of. So this
//! module only sees a run of a graph as a trait object, and the first executable graph installs the
//! function that looks up executable graphs.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

/// `cudaErrorInvalidValue`
pub const INVALID_VALUE: u32 = 1;

/// The run of a graph to which a kernel belongs.
pub trait GraphRun: Send + Sync {
    /// Returns the executable graph, for `cudaGetCurrentGraphExec`.
    fn current(&self) -> u64;

    /// Launches a graph, for `cudaGraphLaunch`. Returns the `cudaError_t`, or the reason for a
    /// fault.
    fn launch(self: Arc<Self>, exec: u64, stream: u64) -> Result<u32, String>;
}

/// Returns why a kernel cannot launch the executable graph of a handle.
type Check = fn(u64) -> Result<(), String>;

static CHECK: OnceLock<Check> = OnceLock::new();

thread_local! {
    /// The run to which the current work of this thread belongs.
    static CURRENT: RefCell<Option<Arc<dyn GraphRun>>> = const { RefCell::new(None) };
}

/// Installs the check of executable graphs. Must be called before the first one exists.
pub fn install(check: Check) {
    CHECK.get_or_init(|| check);
}

/// Returns the run for which the calling thread works.
pub fn current() -> Option<Arc<dyn GraphRun>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Sets the run for which the calling thread works, until the guard is dropped.
pub fn enter(run: Arc<dyn GraphRun>) -> Entered {
    Entered(CURRENT.replace(Some(run)))
}

/// Restores the previous run when dropped, also after a panic.
pub struct Entered(Option<Arc<dyn GraphRun>>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Returns the reason for the fault of a launch by an invalid handle.
pub fn unknown(handle: u64) -> String {
    format!("{handle:#x} is not an executable graph, or it was destroyed")
}

/// Handles `cudaGraphLaunch` by a kernel that may belong to a run. Returns the `cudaError_t`.
///
/// # Errors
/// Returns the reason for a fault.
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
