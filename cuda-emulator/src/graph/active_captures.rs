//! Active captures: the streams in them, and the position of each stream.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::ThreadId;

use super::definition::{Graph, Ownership};
use super::node::Dependency;
use crate::abi::*;
use crate::queue::stream::Stream;
use cuda_emulator_engine::Unpoisoned;

/// The status of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    None = CU_STREAM_CAPTURE_STATUS_NONE,
    Active = CU_STREAM_CAPTURE_STATUS_ACTIVE,
    Invalidated = CU_STREAM_CAPTURE_STATUS_INVALIDATED,
}

/// A capture, from its beginning to its end.
pub struct Capture {
    /// Unique in the process.
    pub id: u64,
    /// `CUstreamCaptureMode`
    pub mode: u32,
    /// The thread that began it.
    pub thread: ThreadId,
    pub status: Status,
    pub graph: Arc<Graph>,
    /// The streams in it. The first is the one on which it was begun.
    pub members: Vec<Member>,
    /// The last nodes of streams that have been destroyed.
    pub left: Vec<Dependency>,
}

/// A stream in a capture.
pub struct Member {
    pub stream: Arc<Stream>,
    /// The dependencies of the stream's next node.
    pub front: Vec<Dependency>,
    /// The same dependencies in the form returned to the client.
    listed: (Box<[u64]>, Box<[EdgeData]>),
}

impl Member {
    pub fn new(stream: Arc<Stream>, front: Vec<Dependency>) -> Member {
        Member {
            stream,
            front,
            listed: (Box::default(), Box::default()),
        }
    }

    /// Adds dependencies to the next node.
    pub fn join(&mut self, others: &[Dependency]) {
        for other in others {
            if !self.front.iter().any(|one| one.node == other.node) {
                self.front.push(*other);
            }
        }
    }

    /// Returns the addresses of the dependencies' nodes and edge data. They stay valid until the
    /// next call for the stream.
    pub fn list(&mut self) -> (u64, u64) {
        self.listed = (
            self.front.iter().map(|one| one.node).collect(),
            self.front.iter().map(|one| one.data).collect(),
        );
        (self.listed.0.as_ptr() as u64, self.listed.1.as_ptr() as u64)
    }
}

impl Capture {
    pub fn has(&self, stream: &Arc<Stream>) -> bool {
        self.members
            .iter()
            .any(|member| Arc::ptr_eq(&member.stream, stream))
    }

    /// Returns whether it was begun on this stream.
    pub fn is_of(&self, stream: &Arc<Stream>) -> bool {
        Arc::ptr_eq(&self.members[0].stream, stream)
    }

    pub fn member(&mut self, stream: &Arc<Stream>) -> Option<&mut Member> {
        let mut members = self.members.iter_mut();
        members.find(|member| Arc::ptr_eq(&member.stream, stream))
    }

    /// Returns whether everything that other streams have captured precedes the first stream's next
    /// node.
    pub fn is_joined(&self) -> bool {
        let body = self.graph.body();
        let number = |one: &Dependency| self.graph.number(one.node).ok();
        let joined = body.ancestors(self.members[0].front.iter().filter_map(number));
        let others = self.members[1..].iter().flat_map(|member| &member.front);
        let mut numbers = others.chain(&self.left).filter_map(number);
        numbers.all(|number| joined.contains(&number))
    }

    /// Returns the graph to the client that owned it before, or ends the graph.
    pub fn drop_graph(self) {
        match self.graph.ownership() {
            Ownership::Capture => self.graph.end(),
            _ => self.graph.end_target(),
        }
    }
}

static CAPTURES: Mutex<Vec<Capture>> = Mutex::new(Vec::new());
/// Whether there may be captures. Every call checks this flag, which is cheaper than the lock.
static ANY: AtomicBool = AtomicBool::new(false);

/// Returns the captures, if there are any.
pub fn captures() -> Option<MutexGuard<'static, Vec<Capture>>> {
    ANY.load(Ordering::Acquire)
        .then(|| CAPTURES.lock().unpoisoned())
}

/// Adds a capture, unless `rejected` returns true for the existing ones. In that case, returns the
/// capture.
pub fn add(capture: Capture, rejected: impl Fn(&[Capture]) -> bool) -> Option<Capture> {
    let mut captures = CAPTURES.lock().unpoisoned();
    if rejected(&captures) {
        return Some(capture);
    }
    captures.push(capture);
    ANY.store(true, Ordering::Release);
    None
}

/// Removes a capture.
pub fn take(captures: &mut Vec<Capture>, at: usize) -> Capture {
    let capture = captures.swap_remove(at);
    ANY.store(!captures.is_empty(), Ordering::Release);
    capture
}
