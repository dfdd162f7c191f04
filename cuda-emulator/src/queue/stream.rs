//! Streams: queues of work, each with a thread that executes it.
//!
//! Work on one stream runs in order. Work on different streams waits only if the client or the
//! rules of the legacy default stream require it. Such a wait is a [`Mark`]: a stream and a number
//! of pieces of work on it. A mark always refers to work that was submitted earlier, so waits
//! cannot form a cycle.
//!
//! With `CUDA_EMULATOR_HOLD`, work is delayed until something waits for it or its time has come:
//! see [`worker`].

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

mod worker;

use worker::Until;

use super::fault::Fault;
use super::happens_before::{self, InGraph, Position};
use super::stream_attributes::Preferences;
use crate::abi::CU_STREAM_NON_BLOCKING;
use crate::abi::status::Result;
use crate::process::configuration;
use crate::process::context::Context;
use crate::process::green_context::Green;
use crate::process::registry;
use cuda_emulator_engine::Unpoisoned;

/// The role of a stream in its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The default stream that waits for all blocking streams, and for which they wait.
    Legacy,
    /// A thread's own default stream.
    PerThread,
    /// Created by `cuStreamCreate`.
    Created,
}

/// A stream.
pub struct Stream {
    pub handle: u64,
    pub id: u64,
    pub context: Arc<Context>,
    /// The green context on whose multiprocessors its kernels run.
    pub green: Option<Arc<Green>>,
    pub flags: u32,
    /// The attributes set by `cuStreamSetAttribute`.
    preferences: Mutex<Preferences>,
    pub role: Role,
    /// How long work is delayed.
    hold: Option<Duration>,
    queue: Mutex<Queue>,
    /// Wakes the worker.
    work: Condvar,
    submitted: AtomicU64,
    completed: AtomicU64,
    /// Wakes threads that wait for completion.
    finished: Condvar,
    finished_lock: Mutex<()>,
    waiters: AtomicU32,
    /// Whether the last piece of work was a host function that was called.
    has_called: AtomicBool,
}

struct Queue {
    items: VecDeque<Item>,
    /// Whether a thread is executing an item.
    running: bool,
    has_worker: bool,
    worker_sleeps: bool,
    closed: bool,
    /// The number of pieces of work that something waits for or has queried. Only maintained while
    /// work is delayed.
    wanted: u64,
    /// The position of the last piece of work, with `CUDA_EMULATOR_CHECK=stream`.
    last: Option<Arc<Position>>,
}

/// A point in a stream's order.
#[derive(Clone)]
pub struct Mark {
    pub stream: Arc<Stream>,
    pub number: u64,
    /// The position in the order of all work, with `CUDA_EMULATOR_CHECK=stream`.
    pub position: Option<Arc<Position>>,
}

impl Mark {
    pub fn is_reached(&self) -> bool {
        self.stream.completed() >= self.number
    }

    pub fn wait(&self) {
        self.stream.wait(self.number);
    }

    /// Like [`wait`](Self::wait), for a driver call: see [`Stream::wait_for_client`].
    pub fn wait_for_client(&self) {
        self.stream.wait_for_client(self.number);
    }

    /// Orders all work that is enqueued from now on after this point, because the host has learnt
    /// that it was reached. Only has an effect if the order of work is checked.
    pub fn show_host(&self) {
        if self.is_reached()
            && let Some(position) = &self.position
        {
            happens_before::host_waited([position.clone()]);
        }
    }

    /// Starts delayed work up to this point without waiting for it.
    pub fn want(&self) {
        self.stream.want(self.number);
    }
}

/// A piece of work.
pub type Work = Box<dyn FnOnce() -> std::result::Result<(), Fault> + Send>;

/// A piece of work that has not yet been enqueued.
pub struct Piece {
    pub how: How,
    /// Additional work that it waits for.
    pub after: Vec<Mark>,
    pub work: Work,
    /// Its place among the work of a graph, with `CUDA_EMULATOR_CHECK=stream`.
    pub in_graph: Option<InGraph>,
    /// Called with its position before it can begin. The queue's lock is held, so it must not take
    /// a lock under which work is submitted.
    pub placed: Option<Placed>,
}

/// See [`Piece::placed`].
pub type Placed = Box<dyn FnOnce(Mark) + Send>;

impl Piece {
    pub fn new(how: How, work: Work) -> Piece {
        Piece {
            how,
            after: Vec::new(),
            work,
            in_graph: None,
            placed: None,
        }
    }
}

struct Item {
    after: Vec<Mark>,
    work: Work,
    how: How,
    position: Option<Arc<Position>>,
    /// When it begins even if nothing waits for it. `None` means at once.
    due: Option<Instant>,
}

/// The thread and the time at which a piece of work may run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// On the worker, or on a thread that waits for it.
    Soon,
    /// At once on the calling thread if nothing is before it, else as [`How::Soon`]. For work that
    /// takes no time.
    AtOnce,
    /// Only on the worker, so that it does not block other waiting threads.
    ByWorker,
    /// A host function, called by the worker. After a fault in another context it is not called,
    /// unless the work before it was a host function that was called (as on an H100, driver 580).
    /// The work after it still runs.
    HostFunction,
    /// As [`How::ByWorker`], and even after a fault.
    EvenAfterFault,
}

/// The streams of a context.
#[derive(Default)]
pub struct ContextStreams {
    /// Streams that may have work. Its lock also orders work among them.
    all: Mutex<Vec<Weak<Stream>>>,
    /// The default stream, once it has been used.
    pub legacy: Mutex<Option<Arc<Stream>>>,
    /// The default streams of green contexts, by the green context's handle.
    pub of_greens: Mutex<HashMap<u64, Arc<Stream>>>,
    /// The threads' own default streams.
    pub per_thread: Mutex<HashMap<u64, Arc<Stream>>>,
}

impl ContextStreams {
    pub fn of(context: &Context) -> &ContextStreams {
        context.owner.streams.get()
    }

    /// Locks the list. While the guard exists, no work can be enqueued on a blocking stream.
    fn order(&self) -> MutexGuard<'_, Vec<Weak<Stream>>> {
        let mut streams = self.all.lock().unpoisoned();
        // Streams that no longer exist have no work to wait for.
        if streams.len() > 8 {
            streams.retain(|stream| stream.strong_count() > 0);
        }
        streams
    }

    pub fn add(&self, stream: &Arc<Stream>) {
        self.all.lock().unpoisoned().push(Arc::downgrade(stream));
    }

    pub fn forget(&self) {
        self.all.lock().unpoisoned().clear();
    }

    /// Returns the streams that may have work.
    pub fn all(&self) -> Vec<Arc<Stream>> {
        self.order().iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns the streams of a green context that may have work.
    pub fn of_green(&self, green: &Arc<Green>) -> Vec<Arc<Stream>> {
        let mut streams = self.all();
        streams.retain(|stream| stream.is_of(green));
        streams
    }
}

impl Stream {
    pub fn new(
        handle: u64,
        context: Arc<Context>,
        green: Option<Arc<Green>>,
        flags: u32,
        priority: i32,
        role: Role,
    ) -> Stream {
        Stream {
            handle,
            id: registry::next_number(),
            context,
            green,
            flags,
            preferences: Mutex::new(Preferences::new(priority)),
            role,
            hold: configuration::get().hold,
            queue: Mutex::new(Queue {
                items: VecDeque::new(),
                running: false,
                has_worker: false,
                worker_sleeps: false,
                closed: false,
                wanted: 0,
                last: None,
            }),
            work: Condvar::new(),
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            finished: Condvar::new(),
            finished_lock: Mutex::new(()),
            waiters: AtomicU32::new(0),
            has_called: AtomicBool::new(false),
        }
    }

    /// Returns whether it belongs to a green context.
    pub fn is_of(&self, green: &Arc<Green>) -> bool {
        self.green
            .as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, green))
    }

    pub fn preferences(&self) -> MutexGuard<'_, Preferences> {
        self.preferences.lock().unpoisoned()
    }

    /// Returns whether work is delayed until something waits for it.
    pub fn holds_back(&self) -> bool {
        self.hold.is_some()
    }

    /// Returns whether it takes part in the legacy default stream's order.
    fn is_blocking(&self) -> bool {
        self.flags & CU_STREAM_NON_BLOCKING == 0
    }

    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    fn completed(&self) -> u64 {
        self.completed.load(Ordering::SeqCst)
    }

    /// Returns the end of everything submitted so far, unless it has been reached.
    pub fn pending(self: &Arc<Self>) -> Option<Mark> {
        let number = self.submitted();
        (self.completed() < number).then(|| Mark {
            stream: self.clone(),
            number,
            position: None,
        })
    }

    /// Returns the end of everything submitted so far, for work that waits for it. Unless the order
    /// of work is checked, returns `None` if it has been reached.
    pub fn end_to_await(self: &Arc<Self>) -> Option<Mark> {
        if !happens_before::is_tracked() {
            return self.pending();
        }
        let queue = self.lock();
        let position = Some(queue.last.clone()?);
        Some(Mark {
            stream: self.clone(),
            number: self.submitted(),
            position,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unpoisoned()
    }

    /// Enqueues a piece of work. Returns its position.
    pub fn submit(self: &Arc<Self>, piece: Piece) -> Mark {
        self.submit_all(piece, Vec::new())
    }

    /// Enqueues pieces of work with nothing between them. Returns the position of the last.
    pub fn submit_all(self: &Arc<Self>, mut first: Piece, rest: Vec<Piece>) -> Mark {
        // Held until the work is in the queue, so that the order among blocking streams is the
        // order of submission.
        let siblings = ContextStreams::of(&self.context);
        let order = self.is_blocking().then(|| match self.role {
            Role::Legacy => {
                let order = siblings.order();
                let others = order.iter().filter_map(|stream| stream.upgrade());
                first.after.extend(
                    others
                        .filter(|other| other.is_blocking() && other.role != Role::Legacy)
                        .filter_map(|other| other.end_to_await()),
                );
                order
            }
            _ => {
                let legacy = siblings.legacy.lock().unpoisoned().clone();
                let order = siblings.order();
                first
                    .after
                    .extend(legacy.and_then(|legacy| legacy.end_to_await()));
                order
            }
        });
        let mut queue = self.lock();
        let alone = rest.is_empty();
        let (first, mut mark) = self.place(&mut queue, first);
        if alone
            && first.how == How::AtOnce
            && queue.items.is_empty()
            && !queue.running
            && first.after.is_empty()
            && first.due.is_none()
        {
            queue.running = true;
            drop(queue);
            drop(order);
            self.execute(first);
            return mark;
        }
        queue.items.push_back(first);
        for piece in rest {
            let (item, place) = self.place(&mut queue, piece);
            queue.items.push_back(item);
            mark = place;
        }
        if queue.has_worker {
            if queue.worker_sleeps {
                queue.worker_sleeps = false;
                self.work.notify_one();
            }
            return mark;
        }
        queue.has_worker = true;
        drop(queue);
        drop(order);
        if self.spawn_worker().is_err() {
            // The system has no room for another thread. This thread executes the work, and
            // everything added meanwhile.
            self.work_off(Until::Idle);
        }
        mark
    }

    /// Assigns the next position in the order.
    fn place(self: &Arc<Self>, queue: &mut Queue, piece: Piece) -> (Item, Mark) {
        let Piece {
            how,
            mut after,
            work,
            in_graph,
            placed,
        } = piece;
        let number = self.submitted() + 1;
        if happens_before::is_tracked() {
            let positions = after.iter().filter_map(|mark| mark.position.clone());
            let before = queue.last.take().into_iter().chain(positions).collect();
            let stream = (self.id, self.handle);
            queue.last = Some(Position::new(stream, number, before, in_graph));
        }
        let position = queue.last.clone();
        after.retain(|mark| !mark.is_reached());
        self.submitted.store(number, Ordering::Release);
        let mark = Mark {
            stream: self.clone(),
            number,
            position: position.clone(),
        };
        if let Some(placed) = placed {
            placed(mark.clone());
        }
        let due = self.hold.map(|hold| Instant::now() + hold);
        let item = Item {
            after,
            work,
            how,
            position,
            due,
        };
        (item, mark)
    }

    /// Returns the marks that must be reached for the stream to be idle. For the legacy default
    /// stream these include the work of all blocking streams. If the order of work is checked, they
    /// include marks that have been reached.
    fn frontier(self: &Arc<Self>) -> Vec<Mark> {
        if self.role != Role::Legacy {
            return self.end_to_await().into_iter().collect();
        }
        ContextStreams::of(&self.context)
            .all()
            .iter()
            .filter(|stream| stream.is_blocking())
            .filter_map(|stream| stream.end_to_await())
            .collect()
    }

    /// Waits for the stream.
    ///
    /// # Errors
    /// Returns the sticky error after a fault.
    pub fn synchronize(self: &Arc<Self>) -> Result {
        for mark in self.frontier() {
            mark.wait_for_client();
            mark.show_host();
        }
        self.context.usable()
    }

    /// Returns whether all work that [`frontier`](Self::frontier) covers is done. Like a wait, this
    /// query starts delayed work.
    pub fn is_idle(self: &Arc<Self>) -> bool {
        let frontier = self.frontier();
        // Delayed work that starts now counts as not done, however fast it ends.
        let idle = frontier.iter().all(Mark::is_reached);
        let tell = if idle { Mark::show_host } else { Mark::want };
        frontier.iter().for_each(tell);
        idle
    }

    /// Ends the worker once all work is done.
    pub fn close(&self) {
        let mut queue = self.lock();
        queue.closed = true;
        queue.worker_sleeps = false;
        self.work.notify_one();
    }
}

/// Returns the name of a stream for reports.
pub fn name_of(handle: u64) -> String {
    match handle {
        1 => "the default stream".into(),
        2 => "a thread's default stream".into(),
        handle => format!("stream {handle:#x}"),
    }
}
