//! Streams under capture: their beginning and end, and what is recorded.
//!
//! Forks and joins follow the documentation of the result codes `CUDA_ERROR_STREAM_CAPTURE_*`.

use std::sync::Arc;
use std::thread;

use super::active_captures::{self, Capture, Member, captures};
use super::capture_rules::{RELAXED, implies, refuse};
use super::definition::{self, Graph, Standing};
use super::enqueue::enqueue;
use super::node::{Dependency, Task};
use crate::abi::EdgeData;
use crate::abi::status::{Code, Result};
use crate::process::registry;
use crate::queue::event::{Captured, Event};
use crate::queue::stream::{Role, Stream};
use crate::work::launch_attributes::{overlaps, programmatic};
use crate::work::operation::Operation;

pub use super::active_captures::Status;
pub use super::capture_rules::{
    check, exchange_mode, refuse_captured, refuse_graph, refuse_unsafe, refuse_untimed,
    refuse_wait, refuse_wait_for_all, refuse_wait_for_green, refuse_work,
};

/// Begins to capture a stream, into a new graph or one of the client's.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for no mode, for a graph that is a capture's or is captured into already, and for
/// dependencies that aren't its nodes; `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for the legacy default stream,
/// `CUDA_ERROR_ILLEGAL_STATE` for a stream that is being captured.
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
        None => (definition::create(Standing::Captured), Vec::new()),
        Some((graph, front)) => {
            check_front(&graph, &front)?;
            if graph.standing() == Standing::Captured || !graph.begin_target() {
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
    let taken = |captures: &[Capture]| captures.iter().any(|one| one.has(stream));
    match active_captures::add(capture, taken) {
        None => Ok(()),
        // Another thread was quicker.
        Some(capture) => {
            capture.drop_graph();
            Err(Code::ERROR_ILLEGAL_STATE)
        }
    }
}

/// Ends a capture; gives its graph.
///
/// # Errors
/// `CUDA_ERROR_ILLEGAL_STATE` where there is none, `CUDA_ERROR_STREAM_CAPTURE_UNMATCHED` where it was begun on another
/// stream, and becomes invalid; `CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`; `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` and
/// `CUDA_ERROR_STREAM_CAPTURE_UNJOINED`, where the capture is over all the same.
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
    let refused = if capture.status == Status::Invalidated {
        Code::ERROR_STREAM_CAPTURE_INVALIDATED
    } else if !capture.is_joined() {
        Code::ERROR_STREAM_CAPTURE_UNJOINED
    } else {
        match capture.graph.standing() {
            Standing::Captured => capture.graph.stand(Standing::Own),
            _ => capture.graph.end_target(),
        }
        return Ok(capture.graph);
    };
    capture.drop_graph();
    Err(refused)
}

/// A stream is destroyed: it leaves its capture, which ends if it was begun on it.
pub fn forget(stream: &Arc<Stream>) {
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

/// What is known of the capture that a stream is in.
pub struct Info {
    pub status: Status,
    pub id: u64,
    pub graph: u64,
    pub front: Vec<Dependency>,
    /// Where the front's nodes and edge data can be read until the next call for the stream.
    pub listed: (u64, u64),
}

/// The capture that a stream is in.
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

/// For a query of a stream's capture.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the legacy default stream while a stream that it waits for is captured.
pub fn query(stream: &Arc<Stream>) -> Result<Option<Info>> {
    if stream.role == Role::Legacy
        && captures().is_some_and(|all| all.iter().any(|one| implies(one, stream)))
    {
        return Err(Code::ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    Ok(of(stream))
}

/// Records a task as the next node of a stream that is being captured; gives it back where the stream isn't.
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

/// Records an operation as the next node of a stream that is being captured; gives it back where the stream isn't.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`.
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

/// Records a task as the next node of a stream that is known to be captured; `graph` says which graph it goes into.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`; as `task`.
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

/// Records an event on a stream. In a capture it then stands for the stream's front, unless it is recorded for streams
/// outside: then the record is a node.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE` for an event of another context, `CUDA_ERROR_ILLEGAL_STATE` for an external record
/// outside a capture, `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`.
pub fn record_event(stream: &Arc<Stream>, event: &Arc<Event>, external: bool) -> Result {
    let capture = of(stream);
    if external && capture.is_none() {
        return Err(Code::ERROR_ILLEGAL_STATE);
    }
    if external || capture.is_none() {
        return enqueue(stream, Operation::Record(event.clone()));
    }
    if !Arc::ptr_eq(&event.context, &stream.context) {
        return Err(Code::ERROR_INVALID_HANDLE);
    }
    if let Some(Info { id, front, .. }) = capture {
        let front = front.iter().map(|one| (one.node, one.data)).collect();
        event.capture(Captured { capture: id, front });
    }
    Ok(())
}

/// Records an event for the launch that a stream was given last. In a capture it stands for an edge with this data from
/// the kernel's node; else the kernel's end is when it has happened.
///
/// # Errors
/// As [`record_event`].
pub fn record_launch(stream: &Arc<Stream>, event: &Arc<Event>, data: EdgeData) -> Result {
    match of(stream) {
        None => enqueue(stream, Operation::Record(event.clone())),
        Some(Info { id, front, .. }) => {
            let front = front.iter().map(|one| (one.node, data)).collect();
            event.capture(Captured { capture: id, front });
            Ok(())
        }
    }
}

/// Has a stream wait for an event. An event of a capture takes the stream into it.
///
/// # Errors
/// `CUDA_ERROR_ILLEGAL_STATE` for an external wait outside a capture; `CUDA_ERROR_STREAM_CAPTURE_ISOLATION` in a capture
/// for an event from outside, `CUDA_ERROR_STREAM_CAPTURE_MERGE` for one of another capture, both of which become
/// invalid; `CUDA_ERROR_INVALID_VALUE` for one of a capture that is over; `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for
/// the legacy default stream; `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`.
pub fn wait_event(stream: &Arc<Stream>, event: &Arc<Event>, external: bool) -> Result {
    let capture = of(stream).map(|info| info.id);
    if external {
        return match capture {
            Some(_) => enqueue(stream, Operation::Await(event.clone())),
            None => Err(Code::ERROR_ILLEGAL_STATE),
        };
    }
    let Some(Captured { capture: id, front }) = event.captured() else {
        return match capture {
            Some(capture) if event.is_recorded() => refuse(
                |one| one.id == capture,
                Code::ERROR_STREAM_CAPTURE_ISOLATION,
            ),
            Some(_) => Ok(()),
            None => enqueue(stream, Operation::Await(event.clone())),
        };
    };
    let Some(mut all) = captures() else {
        return Err(Code::ERROR_INVALID_VALUE);
    };
    let Some(at) = all.iter().position(|one| one.id == id) else {
        return Err(Code::ERROR_INVALID_VALUE);
    };
    let dependency = |(node, data)| Dependency { node, data };
    let front: Vec<Dependency> = front.into_iter().map(dependency).collect();
    if let Some(capture) = capture.filter(|capture| *capture != id) {
        drop(all);
        let both = |one: &Capture| one.id == id || one.id == capture;
        return refuse(both, Code::ERROR_STREAM_CAPTURE_MERGE);
    }
    let theirs = &mut all[at];
    if stream.role == Role::Legacy {
        theirs.status = Status::Invalidated;
        return Err(Code::ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if theirs.status == Status::Invalidated {
        return Err(Code::ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    match theirs.member(stream) {
        Some(member) => member.join(&front),
        None => theirs.members.push(Member::new(stream.clone(), front)),
    }
    Ok(())
}

/// Whether a stream's next node may come after these.
fn check_front(graph: &Graph, front: &[Dependency]) -> Result {
    for (index, one) in front.iter().enumerate() {
        graph.check_from(one)?;
        if front[..index].iter().any(|other| other.node == one.node) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
    }
    Ok(())
}

/// Adds to what a stream's next node comes after, or replaces it.
///
/// # Errors
/// `CUDA_ERROR_ILLEGAL_STATE` where the stream isn't being captured, `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`,
/// `CUDA_ERROR_INVALID_VALUE` for what isn't a node of the graph.
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
