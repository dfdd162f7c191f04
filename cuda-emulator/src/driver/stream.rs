//! Streams: queues, each with a thread of its own that executes the work.
//!
//! Work on one stream is done in order. Work on different streams waits only where the client, or the rules of the
//! legacy default stream, say so. Such a wait is a [`Mark`]: "that stream, up to that piece of work". A mark always
//! points to work that was submitted earlier, so waits can't form a cycle.
//!
//! With `CUDA_EMULATOR_HOLD` work is held back until somebody wants it done, or its time has come: see [`Gate`].

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use super::abi::CU_STREAM_NON_BLOCKING;
use super::config;
use super::context::Context;
use super::fault::Fault;
use super::preferences::Preferences;
use super::registry;
use super::status::Result;
use crate::lock::Unpoisoned;

/// What a stream is to its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The default stream that waits for, and is waited for by, all blocking streams.
    Legacy,
    /// A thread's own default stream.
    PerThread,
    /// Made by `cuStreamCreate`.
    Created,
}

/// A stream.
pub struct Stream {
    pub handle: u64,
    pub id: u64,
    pub context: Arc<Context>,
    pub flags: u32,
    /// What `cuStreamSetAttribute` has set.
    preferences: Mutex<Preferences>,
    pub role: Role,
    /// How long work is held back.
    hold: Option<Duration>,
    queue: Mutex<Queue>,
    /// Wakes the worker.
    work: Condvar,
    submitted: AtomicU64,
    completed: AtomicU64,
    /// Wakes those who wait for completion.
    finished: Condvar,
    finished_lock: Mutex<()>,
    waiters: AtomicU32,
}

struct Queue {
    items: VecDeque<Item>,
    /// Somebody is executing an item.
    running: bool,
    has_worker: bool,
    worker_sleeps: bool,
    closed: bool,
    /// How many pieces of work somebody waits for, or has queried. Only maintained while work is held back.
    wanted: u64,
}

/// Whether the piece of work at the front of a queue may begin.
enum Gate {
    Open,
    /// Nobody wants it, and it isn't its time.
    Shut(Duration),
}

/// A point in a stream's order.
#[derive(Clone)]
pub struct Mark {
    pub stream: Arc<Stream>,
    pub number: u64,
}

impl Mark {
    pub fn is_reached(&self) -> bool {
        self.stream.completed() >= self.number
    }

    pub fn wait(&self) {
        self.stream.wait(self.number);
    }

    /// Has the work up to here begin, where it is held back, without waiting for it.
    pub fn want(&self) {
        self.stream.want(self.number);
    }
}

/// A piece of work.
pub type Work = Box<dyn FnOnce() -> std::result::Result<(), Fault> + Send>;

struct Item {
    after: Vec<Mark>,
    work: Work,
    how: How,
    /// When it begins even if nobody wants it; `None` for at once.
    due: Option<Instant>,
}

/// How a piece of work is to be run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By the worker, or by a thread that waits for it.
    Soon,
    /// At once in the calling thread if nothing is before it, else as [`How::Soon`]. For work that takes no time.
    AtOnce,
    /// Calls back into the client: only ever by the worker.
    ByWorker,
    /// As [`How::ByWorker`], and even after a fault.
    EvenAfterFault,
}

/// The streams of a context.
#[derive(Default)]
pub struct Siblings {
    /// Those that may have work; also the lock that orders work among them.
    all: Mutex<Vec<Weak<Stream>>>,
    /// The default stream, once anything was put on it.
    pub legacy: Mutex<Option<Arc<Stream>>>,
    /// The threads' own default streams.
    pub per_thread: Mutex<HashMap<u64, Arc<Stream>>>,
}

impl Siblings {
    pub fn of(context: &Context) -> &Siblings {
        context.owner.streams.get()
    }

    /// All of them, locked: while the guard lives, no work can be put on a blocking stream.
    fn order(&self) -> MutexGuard<'_, Vec<Weak<Stream>>> {
        let mut streams = self.all.lock().unpoisoned();
        // Streams that are gone have nothing left to wait for.
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

    /// The streams that may have work.
    pub fn all(&self) -> Vec<Arc<Stream>> {
        self.order().iter().filter_map(Weak::upgrade).collect()
    }
}

/// How long to look for work, or for its end, before going to sleep: longer than a hand-over between threads takes,
/// short enough not to matter.
const PATIENCE: Duration = Duration::from_micros(30);

/// Spins until `done` or out of patience; true if done.
fn spin(done: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    loop {
        for _ in 0..64 {
            if done() {
                return true;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() > PATIENCE {
            return false;
        }
    }
}

/// How long a worker stays.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    Idle,
    Closed,
}

impl Stream {
    pub fn new(
        handle: u64,
        context: Arc<Context>,
        flags: u32,
        priority: i32,
        role: Role,
    ) -> Stream {
        Stream {
            handle,
            id: registry::next_number(),
            context,
            flags,
            preferences: Mutex::new(Preferences::new(priority)),
            role,
            hold: config::get().hold,
            queue: Mutex::new(Queue {
                items: VecDeque::new(),
                running: false,
                has_worker: false,
                worker_sleeps: false,
                closed: false,
                wanted: 0,
            }),
            work: Condvar::new(),
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            finished: Condvar::new(),
            finished_lock: Mutex::new(()),
            waiters: AtomicU32::new(0),
        }
    }

    pub fn preferences(&self) -> MutexGuard<'_, Preferences> {
        self.preferences.lock().unpoisoned()
    }

    /// Work isn't begun before somebody waits for it.
    pub fn holds_back(&self) -> bool {
        self.hold.is_some()
    }

    /// Takes part in the legacy default stream's order.
    fn is_blocking(&self) -> bool {
        self.flags & CU_STREAM_NON_BLOCKING == 0
    }

    pub fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    fn completed(&self) -> u64 {
        self.completed.load(Ordering::SeqCst)
    }

    /// The end of everything submitted so far, if it hasn't been reached.
    pub fn pending(self: &Arc<Self>) -> Option<Mark> {
        let number = self.submitted();
        (self.completed() < number).then(|| Mark {
            stream: self.clone(),
            number,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unpoisoned()
    }

    /// Puts work on the stream, to be done after `after`. Gives its place in the order.
    pub fn submit(self: &Arc<Self>, how: How, mut after: Vec<Mark>, work: Work) -> Mark {
        after.retain(|mark| !mark.is_reached());
        // Held until the work is in the queue: the order among blocking streams is the order of submission.
        let siblings = Siblings::of(&self.context);
        let order = self.is_blocking().then(|| match self.role {
            Role::Legacy => {
                let order = siblings.order();
                let others = order.iter().filter_map(|stream| stream.upgrade());
                after.extend(
                    others
                        .filter(|other| other.is_blocking() && other.role != Role::Legacy)
                        .filter_map(|other| other.pending()),
                );
                order
            }
            _ => {
                let legacy = siblings.legacy.lock().unpoisoned().clone();
                let order = siblings.order();
                after.extend(legacy.and_then(|legacy| legacy.pending()));
                order
            }
        });
        let mut queue = self.lock();
        let number = self.submitted() + 1;
        self.submitted.store(number, Ordering::Release);
        let mark = Mark {
            stream: self.clone(),
            number,
        };
        let item = Item {
            after,
            work,
            how,
            due: self.hold.map(|hold| Instant::now() + hold),
        };
        if how == How::AtOnce
            && queue.items.is_empty()
            && !queue.running
            && item.after.is_empty()
            && item.due.is_none()
        {
            queue.running = true;
            drop(queue);
            drop(order);
            self.execute(item);
            return mark;
        }
        queue.items.push_back(item);
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
            // No room for one more thread: this one does it, and whatever is added meanwhile.
            self.work_off(Until::Idle);
        }
        mark
    }

    fn spawn_worker(self: &Arc<Self>) -> std::io::Result<()> {
        let stream = self.clone();
        let worker = std::thread::Builder::new().name("cuda-stream".into());
        let worker = worker.stack_size(8 << 20);
        worker.spawn(move || stream.work_off(Until::Closed))?;
        Ok(())
    }

    /// The worker's life, until there is nothing to do or there will be nothing any more.
    fn work_off(&self, until: Until) {
        loop {
            if until == Until::Closed {
                spin(|| self.submitted() > self.completed());
            }
            let mut queue = self.lock();
            let item = loop {
                let gate = match queue.items.front() {
                    Some(item) if !queue.running => Some(self.gate(&queue, item, until)),
                    _ => None,
                };
                if let Some(Gate::Open) = gate {
                    queue.running = true;
                    break queue.items.pop_front().expect("just seen");
                }
                if queue.items.is_empty() && (queue.closed || until == Until::Idle) {
                    queue.has_worker = until == Until::Closed;
                    return;
                }
                queue.worker_sleeps = true;
                queue = match gate {
                    Some(Gate::Shut(left)) => {
                        let woken = self.work.wait_timeout(queue, left);
                        woken.unpoisoned().0
                    }
                    _ => self.work.wait(queue).unpoisoned(),
                };
                queue.worker_sleeps = false;
            };
            drop(queue);
            self.execute(item);
        }
    }

    /// Whether the item at the front of the queue may begin.
    fn gate(&self, queue: &Queue, front: &Item, until: Until) -> Gate {
        let Some(due) = front.due else {
            return Gate::Open;
        };
        // Nothing is running, so all before it is done. Without a worker nobody could open the gate later.
        if queue.wanted > self.completed() || until == Until::Idle {
            return Gate::Open;
        }
        match due.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Gate::Open,
            left => Gate::Shut(left),
        }
    }

    /// Has the first `number` pieces of work begin, where they are held back.
    fn want(&self, number: u64) {
        if self.hold.is_none() {
            return;
        }
        let mut queue = self.lock();
        if queue.wanted < number {
            queue.wanted = number;
            if queue.worker_sleeps {
                queue.worker_sleeps = false;
                self.work.notify_one();
            }
        }
    }

    /// Does a piece of work. `running` has been set on the caller's behalf.
    fn execute(&self, item: Item) {
        for mark in &item.after {
            mark.wait();
        }
        if self.context.fault().is_none() || item.how == How::EvenAfterFault {
            match catch_unwind(AssertUnwindSafe(item.work)) {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => fault.strike(&self.context),
                Err(_) => Fault::internal().strike(&self.context),
            }
        } else {
            drop(item.work);
        }
        drop(item.after);
        let mut queue = self.lock();
        queue.running = false;
        self.completed.fetch_add(1, Ordering::SeqCst);
        if queue.worker_sleeps && (!queue.items.is_empty() || queue.closed) {
            queue.worker_sleeps = false;
            self.work.notify_one();
        }
        drop(queue);
        if self.waiters.load(Ordering::SeqCst) > 0 {
            drop(self.finished_lock.lock().unpoisoned());
            self.finished.notify_all();
        }
    }

    /// Waits until the first `number` pieces of work are done, doing some of it if nobody else does.
    pub fn wait(&self, number: u64) {
        self.want(number);
        while self.completed() < number {
            let mut queue = self.lock();
            let ready = !queue.running
                && queue.items.front().is_some_and(|item| {
                    matches!(item.how, How::Soon | How::AtOnce)
                        && item.after.iter().all(Mark::is_reached)
                });
            if !ready {
                break;
            }
            let item = queue.items.pop_front().expect("just seen");
            queue.running = true;
            drop(queue);
            self.execute(item);
        }
        if spin(|| self.completed() >= number) {
            return;
        }
        self.waiters.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.finished_lock.lock().unpoisoned();
        while self.completed() < number {
            guard = self.finished.wait(guard).unpoisoned();
        }
        drop(guard);
        self.waiters.fetch_sub(1, Ordering::SeqCst);
    }

    /// What has to be reached for the stream to count as idle: its own work, for the legacy default stream also that
    /// of all blocking streams.
    fn frontier(self: &Arc<Self>) -> Vec<Mark> {
        if self.role != Role::Legacy {
            return self.pending().into_iter().collect();
        }
        Siblings::of(&self.context)
            .all()
            .iter()
            .filter(|stream| stream.is_blocking())
            .filter_map(|stream| stream.pending())
            .collect()
    }

    /// Waits for the stream and reports a fault.
    ///
    /// # Errors
    /// The sticky error.
    pub fn synchronize(self: &Arc<Self>) -> Result {
        for mark in self.frontier() {
            mark.wait();
        }
        self.context.usable()
    }

    /// Whether there is nothing to wait for. A query counts as interest: work that is held back begins.
    pub fn is_idle(self: &Arc<Self>) -> bool {
        let frontier = self.frontier();
        frontier.iter().for_each(Mark::want);
        frontier.is_empty()
    }

    /// Lets the worker go once all is done.
    pub fn close(&self) {
        let mut queue = self.lock();
        queue.closed = true;
        queue.worker_sleeps = false;
        self.work.notify_one();
    }
}

/// What a handle's stream is called in reports.
pub fn name_of(handle: u64) -> String {
    match handle {
        1 => "the default stream".into(),
        2 => "a thread's default stream".into(),
        handle => format!("stream {handle:#x}"),
    }
}
