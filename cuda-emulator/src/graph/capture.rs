//! Stream capture: beginning, end, and recording of operations.
//!
//! Forks and joins follow NVIDIA's documentation of the result codes `CUDA_ERROR_STREAM_CAPTURE_*`.

use std::sync::Arc;
use std::thread;

use super::active_captures::{self, Capture, Member, captures};
use super::capture_rules::{RELAXED, implies};
use super::definition::{self, Graph, Ownership};
use super::node::{Dependency, Task};
use crate::abi::status::{Code, Result};
use crate::process::registry;
use crate::queue::capture_hook::{self, Captures};
use crate::queue::stream::{Role, Stream};
use crate::work::launch_attributes::{overlaps, programmatic};
use crate::work::operation::Operation;

pub use super::active_captures::Status;
pub use super::capture_rules::{
    check, exchange_mode, reject_captured, reject_graph, reject_unsafe, reject_untimed,
    reject_wait, reject_wait_for_all, reject_wait_for_green, reject_work,
};

/// Begins to capture a stream, into a new graph or into an existing one.
///
/// # Errors
/// Returns:
/// - `CUDA_ERROR_INVALID_VALUE` if the mode does not exist, if the graph belongs to a capture or is
///   already a capture's target, or if a dependency is not one of its nodes;
/// - `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for the legacy default stream;
/// - `CUDA_ERROR_ILLEGAL_STATE` if the stream is already being captured.
pub fn begin(
    stream: &Arc<Stream>,
    mode: u32,
    into: Option<(Arc<Graph>, Vec<Dependency>)>,
) -> Result {
    if mode > RELAXED {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if stream.role == Role::Legacy {
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if of(stream).is_some() {
        return Err(Code::ERROR_ILLEGAL_STATE);
    }
    let (graph, front) = match into {
        None => (definition::create(Ownership::Capture), Vec::new()),
        Some((graph, front)) => {
            check_front(&graph, &front)?;
            if graph.ownership() == Ownership::Capture || !graph.begin_target() {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            (graph, front)
        }
    };
    let capture = Capture {
        id: registry::next_number(),
        mode,
        thread: thread::current().id(),
        status: Status::Active,
        graph,
        members: vec![Member::new(stream.clone(), front)],
        left: Vec::new(),
    };
    capture_hook::install(&Installed);
    let taken = |captures: &[Capture]| captures.iter().any(|one| one.has(stream));
    match active_captures::add(capture, taken) {
        None => Ok(()),
        // Another thread has begun a capture of the stream first.
        Some(capture) => {
            capture.drop_graph();
            Err(Code::ERROR_ILLEGAL_STATE)
        }
    }
}

/// Ends a capture and returns its graph.
///
/// # Errors
/// Returns:
/// - `CUDA_ERROR_ILLEGAL_STATE` if the stream is not being captured;
/// - `CUDA_ERROR_STREAM_CAPTURE_UNMATCHED` if the capture was begun on another stream (it becomes
///   invalid);
/// - `CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD` if it was begun by another thread and is not relaxed;
/// - `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if it is invalid, or
///   `CUDA_ERROR_STREAM_CAPTURE_UNJOINED` if it has unjoined streams. In both cases it ends.
pub fn end(stream: &Arc<Stream>) -> Result<Arc<Graph>> {
    let mut captures = captures().ok_or(Code::ERROR_ILLEGAL_STATE)?;
    let at = captures.iter().position(|one| one.has(stream));
    let at = at.ok_or(Code::ERROR_ILLEGAL_STATE)?;
    let one = &mut captures[at];
    if !one.is_of(stream) {
        one.status = Status::Invalidated;
        return Err(Code::ERROR_STREAM_CAPTURE_UNMATCHED);
    }
    if one.mode != RELAXED && one.thread != thread::current().id() {
        return Err(Code::ERROR_STREAM_CAPTURE_WRONG_THREAD);
    }
    let capture = active_captures::take(&mut captures, at);
    drop(captures);
    let rejected = if capture.status == Status::Invalidated {
        Code::ERROR_STREAM_CAPTURE_INVALIDATED
    } else if !capture.is_joined() {
        Code::ERROR_STREAM_CAPTURE_UNJOINED
    } else {
        match capture.graph.ownership() {
            Ownership::Capture => capture.graph.set_ownership(Ownership::Client),
            _ => capture.graph.end_target(),
        }
        return Ok(capture.graph);
    };
    capture.drop_graph();
    Err(rejected)
}

/// The interface installed for streams.
struct Installed;

impl Captures for Installed {
    fn check(&self, stream: &Arc<Stream>) -> Result {
        check(stream)
    }

    fn forget(&self, stream: &Arc<Stream>) {
        forget(stream);
    }
}

/// Removes a destroyed stream from its capture. The capture ends if it was begun on this stream.
fn forget(stream: &Arc<Stream>) {
    let Some(mut captures) = captures() else {
        return;
    };
    let Some(at) = captures.iter().position(|one| one.has(stream)) else {
        return;
    };
    if captures[at].is_of(stream) {
        let capture = active_captures::take(&mut captures, at);
        drop(captures);
        return capture.drop_graph();
    }
    let Capture { members, left, .. } = &mut captures[at];
    members.retain(|member| {
        let goes = Arc::ptr_eq(&member.stream, stream);
        if goes {
            left.extend(&member.front);
        }
        !goes
    });
}

/// The state of a stream's capture.
pub struct Info {
    pub status: Status,
    pub id: u64,
    pub graph: u64,
    pub front: Vec<Dependency>,
    /// Addresses of the dependencies' nodes and edge data, valid until the next call for the
    /// stream.
    pub listed: (u64, u64),
}

/// Returns the state of a stream's capture.
pub fn of(stream: &Arc<Stream>) -> Option<Info> {
    let mut captures = captures()?;
    let capture = captures.iter_mut().find(|one| one.has(stream))?;
    let (status, id, graph) = (capture.status, capture.id, capture.graph.handle);
    let member = capture.member(stream)?;
    Some(Info {
        status,
        id,
        graph,
        listed: member.list(),
        front: member.front.clone(),
    })
}

/// Returns the state of a stream's capture, for a query.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the legacy default stream while a stream for
/// which it waits is being captured.
pub fn query(stream: &Arc<Stream>) -> Result<Option<Info>> {
    if stream.role == Role::Legacy
        && captures().is_some_and(|all| all.iter().any(|one| implies(one, stream)))
    {
        return Err(Code::ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    Ok(of(stream))
}

/// Records a task as the next node of a captured stream. Returns the task if the stream is not
/// being captured.
fn record_task(stream: &Arc<Stream>, task: Task) -> Result<Option<Task>> {
    let Some(mut captures) = captures() else {
        return Ok(Some(task));
    };
    let Some(capture) = captures.iter_mut().find(|one| one.has(stream)) else {
        return Ok(Some(task));
    };
    if capture.status == Status::Invalidated {
        return Err(Code::ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    let graph = capture.graph.clone();
    let member = capture.member(stream).expect("just found");
    if let Task::Operation(Operation::Launch(launch), _) = &task
        && overlaps(&launch.attributes)
    {
        for one in &mut member.front {
            if graph.is_kernel(one.node) {
                one.data = programmatic();
            }
        }
    }
    let node = graph.add_captured(task, &member.front)?;
    member.front = vec![Dependency::on(node)];
    Ok(None)
}

/// Records an operation as the next node of a captured stream. Returns the operation if the stream
/// is not being captured.
///
/// # Errors
/// Returns `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture is invalid.
pub fn record(stream: &Arc<Stream>, mut operation: Operation) -> Result<Option<Operation>> {
    if captures().is_none() {
        return Ok(Some(operation));
    }
    if let Operation::Launch(launch) = &mut operation {
        launch.take_priority(stream.preferences().priority);
        launch.take_policy();
    }
    match record_task(stream, Task::Operation(operation, stream.context.clone()))? {
        Some(Task::Operation(operation, _)) => Ok(Some(operation)),
        _ => Ok(None),
    }
}

/// Records a new task as the next node of a captured stream. `task` gets the capture's graph.
///
/// # Errors
/// Returns `CUDA_ERROR_ILLEGAL_STATE` if the stream is not being captured,
/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture is invalid, or the error of `task`.
pub fn record_new(stream: &Arc<Stream>, task: impl FnOnce(&Graph) -> Result<Task>) -> Result {
    let Some(mut captures) = captures() else {
        return Err(Code::ERROR_ILLEGAL_STATE);
    };
    let capture = captures.iter_mut().find(|one| one.has(stream));
    let capture = capture.ok_or(Code::ERROR_ILLEGAL_STATE)?;
    if capture.status == Status::Invalidated {
        return Err(Code::ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    let graph = capture.graph.clone();
    let member = capture.member(stream).expect("just found");
    let node = graph.add_captured(task(&graph)?, &member.front)?;
    member.front = vec![Dependency::on(node)];
    Ok(())
}

/// Checks that a stream's next node can depend on these nodes.
fn check_front(graph: &Graph, front: &[Dependency]) -> Result {
    for (index, one) in front.iter().enumerate() {
        graph.check_from(one)?;
        if front[..index].iter().any(|other| other.node == one.node) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
    }
    Ok(())
}

/// Adds to the dependencies of a stream's next node, or replaces them.
///
/// # Errors
/// Returns `CUDA_ERROR_ILLEGAL_STATE` if the stream is not being captured,
/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture is invalid, and
/// `CUDA_ERROR_INVALID_VALUE` if a dependency is not a node of the graph.
pub fn update_front(stream: &Arc<Stream>, front: Vec<Dependency>, replace: bool) -> Result {
    let mut captures = captures().ok_or(Code::ERROR_ILLEGAL_STATE)?;
    let capture = captures.iter_mut().find(|one| one.has(stream));
    let capture = capture.ok_or(Code::ERROR_ILLEGAL_STATE)?;
    if capture.status == Status::Invalidated {
        return Err(Code::ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    check_front(&capture.graph, &front)?;
    let member = capture.member(stream).expect("just found");
    if replace {
        member.front = front;
    } else {
        member.join(&front);
    }
    Ok(())
}
