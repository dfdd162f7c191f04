//! The captures that are under way: which streams are in them, and where each stream has got to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::ThreadId;

use super::definition::{Graph, Standing};
use super::node::Dependency;
use crate::abi::*;
use crate::queue::stream::Stream;
use cuda_emulator_engine::Unpoisoned;

/// How far a capture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    None = CU_STREAM_CAPTURE_STATUS_NONE,
    Active = CU_STREAM_CAPTURE_STATUS_ACTIVE,
    Invalidated = CU_STREAM_CAPTURE_STATUS_INVALIDATED,
}

/// A capture, from its beginning to its end.
pub struct Capture {
    /// Never used twice in a process.
    pub id: u64,
    /// `CUstreamCaptureMode`
    pub mode: u32,
    /// Who began it.
    pub thread: ThreadId,
    pub status: Status,
    pub graph: Arc<Graph>,
    /// The streams in it; the one on which it was begun is the first.
    pub members: Vec<Member>,
    /// Where streams had got to that were destroyed.
    pub left: Vec<Dependency>,
}

/// A stream in a capture.
pub struct Member {
    pub stream: Arc<Stream>,
    /// What the stream's next node comes after.
    pub front: Vec<Dependency>,
    /// The front as the client was given it.
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

    /// Has the next node come after these, too.
    pub fn join(&mut self, others: &[Dependency]) {
        for other in others {
            if !self.front.iter().any(|one| one.node == other.node) {
                self.front.push(*other);
            }
        }
    }

    /// The addresses of the front's nodes and of its edge data, which stay until the next call for the stream.
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

    /// Whether it was begun on this stream.
    pub fn is_of(&self, stream: &Arc<Stream>) -> bool {
        Arc::ptr_eq(&self.members[0].stream, stream)
    }

    pub fn member(&mut self, stream: &Arc<Stream>) -> Option<&mut Member> {
        let mut members = self.members.iter_mut();
        members.find(|member| Arc::ptr_eq(&member.stream, stream))
    }

    /// Whether all that other streams have captured comes before the first stream's front.
    pub fn is_joined(&self) -> bool {
        let body = self.graph.body();
        let number = |one: &Dependency| self.graph.number(one.node).ok();
        let joined = body.ancestors(self.members[0].front.iter().filter_map(number));
        let others = self.members[1..].iter().flat_map(|member| &member.front);
        let mut numbers = others.chain(&self.left).filter_map(number);
        numbers.all(|number| joined.contains(&number))
    }

    /// Gives the graph back to the client to whom it belonged before, or ends it.
    pub fn drop_graph(self) {
        match self.graph.standing() {
            Standing::Captured => self.graph.end(),
            _ => self.graph.end_target(),
        }
    }
}

static CAPTURES: Mutex<Vec<Capture>> = Mutex::new(Vec::new());
/// Whether there may be any: what every call looks at.
static ANY: AtomicBool = AtomicBool::new(false);

/// The captures, where there are any.
pub fn captures() -> Option<MutexGuard<'static, Vec<Capture>>> {
    ANY.load(Ordering::Acquire)
        .then(|| CAPTURES.lock().unpoisoned())
}

/// Adds a capture; gives it back where `refused` says so of those there are.
pub fn add(capture: Capture, refused: impl Fn(&[Capture]) -> bool) -> Option<Capture> {
    let mut captures = CAPTURES.lock().unpoisoned();
    if refused(&captures) {
        return Some(capture);
    }
    captures.push(capture);
    ANY.store(true, Ordering::Release);
    None
}

/// Takes out a capture.
pub fn take(captures: &mut Vec<Capture>, at: usize) -> Capture {
    let capture = captures.swap_remove(at);
    ANY.store(!captures.is_empty(), Ordering::Release);
    capture
}
