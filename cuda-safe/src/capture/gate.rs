//! The lock between captures and calls that must not run during one.
//!
//! Waits, copies of host memory, allocations and frees are allowed only on a stream that is not
//! being captured. It is not enough to check the stream and then call the driver, because another
//! thread may begin a capture between the two steps. Both sides therefore take this lock:
//!
//! - [`enter`] takes it for reading. The holder has checked a stream or a whole context, and calls
//!   the driver. Any number of threads can hold it.
//! - [`begin`] takes it for writing. The holder makes a stream part of a capture. It holds the lock
//!   for one driver call, not for the whole capture.
//!
//! The lock is split by [`Place`], so a wait on one stream delays only captures that affect this
//! stream. A capture in the global mode affects every call of other threads.
//!
//! No thread waits forever:
//!
//! - A user waits for a capture that is beginning, which takes one driver call. Behind a capture
//!   that still waits, a user queues for at most [`PATIENCE`]. It does not queue if it already
//!   holds a place, or if it returns soon and the capture waits for a long call.
//! - A capture fails if it would wait for a thread that waits, directly or through others, for the
//!   capture's own thread.

use std::{
    marker::PhantomData,
    ptr,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use cuda_sys::CUcontext;

/// The streams that must not be captured during a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    context: usize,
    queue: Queue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// A stream other than the default streams.
    Stream(usize),
    /// The legacy default stream. It cannot be captured. Calls on it fail while a blocking stream
    /// of its context is captured.
    Legacy,
    /// The per-thread default stream of this thread.
    PerThread,
    /// All streams of the context.
    All,
    /// No stream: only captures in the global mode affect the call.
    None,
}

impl Place {
    /// The place of calls that only captures in the global mode affect.
    pub(crate) const NONE: Self = Self {
        context: 0,
        queue: Queue::None,
    };

    pub(crate) fn new(context: CUcontext, queue: Queue) -> Self {
        Self {
            context: context.addr(),
            queue,
        }
    }
}

/// The way in which a stream becomes part of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// A capture begins on it.
    Begin {
        /// Whether the capture forbids calls on all threads.
        global: bool,
    },
    /// The stream joins a capture of another stream.
    Join,
}

/// A stream that is about to be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target {
    place: Place,
    thread: usize,
    /// Whether the legacy default stream waits for it.
    blocking: bool,
    start: Start,
}

impl Target {
    /// Returns whether the user's call must not run during the capture.
    fn affects(&self, user: &User) -> bool {
        let is_global = self.start == Start::Begin { global: true };
        match user.length {
            Length::Scope => false, // see `splits`
            Length::Short | Length::Long => {
                self.covers(user) || is_global && user.thread != self.thread
            }
        }
    }

    /// Returns whether the stream of a scope would still be captured when the scope ends with a
    /// wait for it.
    fn splits(&self, user: &User, captures: &[Capture]) -> bool {
        user.length == Length::Scope
            && self.start == Start::Join
            && self.covers(user)
            && (user.thread == self.thread || captures.iter().any(|one| one.thread == user.thread))
    }

    fn covers(&self, user: &User) -> bool {
        if self.place.context != user.place.context {
            return false;
        }
        match user.place.queue {
            Queue::None => false,
            Queue::All => true,
            Queue::Legacy => self.blocking,
            Queue::PerThread => self.place.queue == Queue::PerThread && self.thread == user.thread,
            queue => self.place.queue == queue,
        }
    }
}

/// The time for which a user holds its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// A call that returns soon.
    Short,
    /// A call that may wait for the device.
    Long,
    /// User code that ends with a wait. Captures may begin meanwhile, unless they could outlast it.
    Scope,
}

/// The time for which a user queues behind a capture that waits.
const PATIENCE: Duration = Duration::from_millis(50);

#[derive(Clone, Copy)]
struct User {
    place: Place,
    thread: usize,
    length: Length,
}

/// A capture that this crate began.
struct Capture {
    number: u64,
    thread: usize,
    /// Whether it forbids calls on all threads.
    global: bool,
    /// The contexts of its streams.
    contexts: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Patient {
    thread: usize,
    context: usize,
}

struct State {
    users: Vec<User>,
    /// Threads that wait for a change of a context's captures.
    patient: Vec<Patient>,
    waiting: Vec<Target>,
    beginning: Vec<Target>,
    captures: Vec<Capture>,
    next: u64,
    /// The number of begins and ends of captures, by context.
    changes: Vec<(usize, u64)>,
}

impl State {
    /// Returns the users that a capture waits for.
    fn blockers<'a>(&'a self, target: &'a Target) -> impl Iterator<Item = &'a User> {
        let of_others = move |user: &&User| user.thread != target.thread;
        self.users
            .iter()
            .filter(of_others)
            .filter(|user| target.affects(user))
    }

    /// Returns whether the capture would wait for a thread that waits for the capture's own thread,
    /// directly or through others.
    fn is_deadlocked(&self, target: &Target) -> bool {
        let mut seen: Vec<usize> = Vec::new();
        let mut next: Vec<usize> = self.blockers(target).map(|user| user.thread).collect();
        while let Some(thread) = next.pop() {
            if thread == target.thread {
                return true;
            }
            if seen.contains(&thread) {
                continue;
            }
            seen.push(thread);
            for waiting in self.waiting.iter().filter(|one| one.thread == thread) {
                next.extend(self.blockers(waiting).map(|user| user.thread));
            }
            for patient in self.patient.iter().filter(|one| one.thread == thread) {
                let captures = self.captures.iter();
                let awaited = captures.filter(|one| one.contexts.contains(&patient.context));
                next.extend(awaited.map(|one| one.thread));
            }
        }
        false
    }

    fn count_change(&mut self, contexts: &[usize]) {
        for &context in contexts {
            match self.changes.iter_mut().find(|one| one.0 == context) {
                Some((_, changes)) => *changes += 1,
                None => self.changes.push((context, 1)),
            }
        }
    }

    /// Updates the counters that are read without the lock.
    fn publish(&self) {
        let global = self.captures.iter().filter(|one| one.global).count();
        GLOBAL.store(global, Ordering::Relaxed);
        CAPTURES.store(self.captures.len(), Ordering::Relaxed);
    }
}

static STATE: Mutex<State> = Mutex::new(State {
    users: Vec::new(),
    patient: Vec::new(),
    waiting: Vec::new(),
    beginning: Vec::new(),
    captures: Vec::new(),
    next: 0,
    changes: Vec::new(),
});
/// Notified when a user leaves while a capture waits, and when a capture begins or ends.
static CHANGED: Condvar = Condvar::new();
/// The length of `captures`, for reading without the lock.
static CAPTURES: AtomicUsize = AtomicUsize::new(0);
/// The number of global captures.
static GLOBAL: AtomicUsize = AtomicUsize::new(0);

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait(state: MutexGuard<'static, State>) -> MutexGuard<'static, State> {
    CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner)
}

/// Returns a number that no other running thread has.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}

/// Returns whether this crate captures any stream. Exact for a stream or context that the caller
/// has [entered](enter).
#[inline]
pub(crate) fn captures_exist() -> bool {
    CAPTURES.load(Ordering::Relaxed) > 0
}

/// Returns whether this crate captures a stream in the mode that forbids calls on all threads.
pub(crate) fn global_captures_exist() -> bool {
    GLOBAL.load(Ordering::Relaxed) > 0
}

/// A guard: while it lives, no capture that affects the place begins.
#[must_use]
#[derive(Debug)]
pub(crate) struct Entered {
    place: Place,
    length: Length,
    here: PhantomData<*const ()>,
}

/// Prevents captures that affect `place` from beginning. Waits for a capture that is beginning.
pub(crate) fn enter(place: Place, length: Length) -> Entered {
    let user = User {
        place,
        thread: this_thread(),
        length,
    };
    let mut state = state();
    let mut until = None;
    loop {
        // A log listener may run inside the call that begins a capture of this thread.
        let mut beginning = state.beginning.iter();
        if beginning.any(|target| target.thread != user.thread && target.affects(&user)) {
            state = wait(state);
            continue;
        }
        if !queues(&state, &user) {
            break;
        }
        let until = *until.get_or_insert_with(|| Instant::now() + PATIENCE);
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let waited = CHANGED.wait_timeout(state, left);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    state.users.push(user);
    Entered {
        place,
        length,
        here: PhantomData,
    }
}

/// Returns whether a user lets a waiting capture go first.
fn queues(state: &State, user: &User) -> bool {
    // A capture may wait for the places that this thread holds.
    if state.waiting.is_empty() || state.users.iter().any(|one| one.thread == user.thread) {
        return false;
    }
    state.waiting.iter().any(|target| {
        let is_held_up = || state.blockers(target).any(|one| one.length == Length::Long);
        target.affects(user) && (user.length == Length::Long || !is_held_up())
    })
}

impl Drop for Entered {
    fn drop(&mut self) {
        let thread = this_thread();
        let mut state = state();
        let found = state.users.iter().rposition(|user| {
            user.thread == thread && user.place == self.place && user.length == self.length
        });
        if let Some(found) = found {
            state.users.swap_remove(found);
        }
        if !state.waiting.is_empty() {
            CHANGED.notify_all();
        }
    }
}

/// A guard for a stream that is becoming part of a capture. No other thread uses the stream while
/// the guard lives.
#[must_use]
pub(crate) struct Beginning {
    target: Target,
    here: PhantomData<*const ()>,
}

/// Waits until a stream is unused, so that it can become part of a capture.
///
/// Returns `None` if this thread uses the stream, if a scope would end while the stream is
/// captured, or if the wait would never end.
pub(crate) fn begin(place: Place, blocking: bool, start: Start) -> Option<Beginning> {
    let target = Target {
        place,
        thread: this_thread(),
        blocking,
        start,
    };
    let mut state = state();
    state.waiting.push(target);
    loop {
        let own = |user: &User| user.thread == target.thread && target.affects(user);
        let mut users = state.users.iter();
        let fails = users.any(|user| own(user) || target.splits(user, &state.captures))
            || state.is_deadlocked(&target);
        if fails {
            remove(&mut state.waiting, &target);
            CHANGED.notify_all();
            return None;
        }
        let mut beginning = state.beginning.iter();
        if !beginning.any(|one| one.place == place) && state.blockers(&target).next().is_none() {
            break;
        }
        state = wait(state);
    }
    remove(&mut state.waiting, &target);
    state.beginning.push(target);
    Some(Beginning {
        target,
        here: PhantomData,
    })
}

fn remove(targets: &mut Vec<Target>, target: &Target) {
    if let Some(found) = targets.iter().position(|one| one == target) {
        targets.swap_remove(found);
    }
}

impl Beginning {
    /// Counts a capture until the result is dropped.
    pub(crate) fn count(&self) -> Counted {
        let mut state = state();
        let number = state.next;
        state.next += 1;
        state.captures.push(Capture {
            number,
            thread: self.target.thread,
            global: self.target.start == Start::Begin { global: true },
            contexts: vec![self.target.place.context],
        });
        state.count_change(&[self.target.place.context]);
        state.publish();
        Counted { number }
    }

    /// Records that the stream joined a capture of a stream of `from`. The capture is unknown, so
    /// this adds the context to all captures of `from`.
    pub(crate) fn joined(&self, from: CUcontext) {
        let (own, from) = (self.target.place.context, from.addr());
        for capture in &mut state().captures {
            if capture.contexts.contains(&from) && !capture.contexts.contains(&own) {
                capture.contexts.push(own);
            }
        }
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        remove(&mut state().beginning, &self.target);
        CHANGED.notify_all();
    }
}

/// A guard that counts a capture of this crate until it is dropped.
pub(crate) struct Counted {
    number: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut state = state();
        let ended = state
            .captures
            .extract_if(.., |one| one.number == self.number);
        let contexts: Vec<usize> = ended.flat_map(|one| one.contexts).collect();
        state.count_change(&contexts);
        state.publish();
        CHANGED.notify_all();
    }
}

/// Whether this thread or other threads capture streams of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capturers {
    pub(crate) this_thread: bool,
    pub(crate) others: bool,
}

/// Returns which threads capture streams of a context with this crate.
pub(crate) fn capturers(context: CUcontext) -> Capturers {
    let thread = this_thread();
    let mut found = Capturers::default();
    for capture in &state().captures {
        if capture.contexts.contains(&context.addr()) {
            match capture.thread == thread {
                true => found.this_thread = true,
                false => found.others = true,
            }
        }
    }
    found
}

/// Returns how often captures have begun or ended in a context.
pub(crate) fn changes(context: CUcontext) -> u64 {
    let state = state();
    let found = state.changes.iter().find(|one| one.0 == context.addr());
    found.map_or(0, |one| one.1)
}

/// Waits until a capture of a context has ended or another has begun. Returns at once if no stream
/// of the context is captured.
pub(crate) fn wait_for_change(context: CUcontext) {
    let captures = |state: &State| -> Vec<u64> {
        let of_context = state
            .captures
            .iter()
            .filter(|one| one.contexts.contains(&context.addr()));
        of_context.map(|one| one.number).collect()
    };
    let mut state = state();
    let before = captures(&state);
    if before.is_empty() {
        return;
    }
    let patient = Patient {
        thread: this_thread(),
        context: context.addr(),
    };
    state.patient.push(patient);
    CHANGED.notify_all(); // a capture may wait for a place of this thread
    while captures(&state) == before {
        state = wait(state);
    }
    if let Some(own) = state.patient.iter().position(|one| *one == patient) {
        state.patient.swap_remove(own);
    }
}

#[cfg(test)]
mod tests;
