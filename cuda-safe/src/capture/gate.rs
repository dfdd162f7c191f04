//! The lock between captures and everything that must not meet one.
//!
//! Many calls are right only on a stream that is not being captured: waits, copies of host memory, allocations and
//! frees. "Is it captured? Then call the driver" is not enough, because another thread may begin a capture between the
//! two steps. So both sides take this lock:
//!
//! - [`enter`] reads: the holder has checked a stream, or a whole context, and calls the driver. Any number of threads
//!   may hold it.
//! - [`begin`] writes: the holder makes a stream part of a capture. It holds the lock for one driver call, not for the
//!   whole capture.
//!
//! The lock is split by [`Place`], so a wait on one stream delays only captures that affect this stream. A thread that
//! holds a place enters others without queueing behind waiting writers. That excludes deadlocks between places.

use std::{
    marker::PhantomData,
    ptr,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use cuda_sys::CUcontext;

use crate::context::Context;

/// What a call relies on being uncaptured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    context: usize,
    queue: Queue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// A stream with a handle of its own.
    Stream(usize),
    /// The legacy default stream. It cannot be captured, and fails while a blocking stream of its context is.
    Legacy,
    /// The per-thread default stream of this thread.
    PerThread,
    /// All streams of the context.
    All,
}

impl Place {
    pub(crate) fn new(context: &Context, queue: Queue) -> Self {
        Self {
            context: context.as_raw().addr(),
            queue,
        }
    }
}

/// A stream that is about to be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target {
    place: Place,
    thread: usize,
    /// Whether the legacy default stream waits for it.
    blocking: bool,
}

impl Target {
    fn affects(&self, user: &User) -> bool {
        if self.place.context != user.place.context {
            return false;
        }
        match user.place.queue {
            Queue::All => true,
            Queue::Legacy => self.blocking,
            Queue::PerThread => self.place.queue == Queue::PerThread && self.thread == user.thread,
            queue => self.place.queue == queue,
        }
    }
}

#[derive(Clone, Copy)]
struct User {
    place: Place,
    thread: usize,
}

/// A capture that this crate began.
struct Capture {
    number: u64,
    thread: usize,
    /// Whether it forbids calls to all threads.
    global: bool,
    /// The contexts of its streams.
    contexts: Vec<usize>,
}

struct State {
    users: Vec<User>,
    waiting: Vec<Target>,
    beginning: Vec<Target>,
    captures: Vec<Capture>,
    next: u64,
    /// How often captures have begun or ended, by context.
    changes: Vec<(usize, u64)>,
}

impl State {
    fn count_change(&mut self, contexts: &[usize]) {
        for &context in contexts {
            match self.changes.iter_mut().find(|one| one.0 == context) {
                Some((_, changes)) => *changes += 1,
                None => self.changes.push((context, 1)),
            }
        }
    }

    /// Updates what is read without the lock.
    fn publish(&self) {
        let global = self.captures.iter().filter(|one| one.global).count();
        GLOBAL.store(global, Ordering::Relaxed);
        CAPTURES.store(self.captures.len(), Ordering::Relaxed);
    }
}

static STATE: Mutex<State> = Mutex::new(State {
    users: Vec::new(),
    waiting: Vec::new(),
    beginning: Vec::new(),
    captures: Vec::new(),
    next: 0,
    changes: Vec::new(),
});
/// Notified when a user leaves while somebody waits, and when a capture begins or ends.
static CHANGED: Condvar = Condvar::new();
/// The length of `captures`, for questions without the lock.
static CAPTURES: AtomicUsize = AtomicUsize::new(0);
/// How many of them are global.
static GLOBAL: AtomicUsize = AtomicUsize::new(0);

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait(state: MutexGuard<'static, State>) -> MutexGuard<'static, State> {
    CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner)
}

/// A number that no other running thread has.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}

/// Whether this crate captures any stream. Exact for a stream or context that the caller has [entered](enter).
#[inline]
pub(crate) fn captures_exist() -> bool {
    CAPTURES.load(Ordering::Relaxed) > 0
}

/// Whether this crate captures a stream in the mode that forbids calls to all threads.
pub(crate) fn global_captures_exist() -> bool {
    GLOBAL.load(Ordering::Relaxed) > 0
}

/// No capture that affects the place begins while this lives.
#[must_use]
#[derive(Debug)]
pub(crate) struct Entered {
    place: Place,
    here: PhantomData<*const ()>,
}

/// Keeps captures that affect `place` from beginning. Waits for one that is just beginning.
pub(crate) fn enter(place: Place) -> Entered {
    let user = User {
        place,
        thread: this_thread(),
    };
    let mut state = state();
    loop {
        // A thread that holds a place never queues behind a writer, which may be waiting for this thread.
        let queues = !state.users.iter().any(|one| one.thread == user.thread);
        let waiting = state.waiting.iter().filter(|_| queues);
        let mut writers = state.beginning.iter().chain(waiting);
        if !writers.any(|target| target.affects(&user)) {
            break;
        }
        state = wait(state);
    }
    state.users.push(user);
    Entered {
        place,
        here: PhantomData,
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let thread = this_thread();
        let mut state = state();
        let found = state
            .users
            .iter()
            .rposition(|user| user.thread == thread && user.place == self.place);
        if let Some(found) = found {
            state.users.swap_remove(found);
        }
        if !state.waiting.is_empty() {
            CHANGED.notify_all();
        }
    }
}

/// A stream is becoming part of a capture: nobody uses it while this lives.
#[must_use]
pub(crate) struct Beginning {
    target: Target,
    here: PhantomData<*const ()>,
}

/// Waits until nobody uses a stream that is to become part of a capture. `None` if this thread itself uses it.
pub(crate) fn begin(place: Place, blocking: bool) -> Option<Beginning> {
    let target = Target {
        place,
        thread: this_thread(),
        blocking,
    };
    let mut state = state();
    let own = |user: &User| user.thread == target.thread && target.affects(user);
    if state.users.iter().any(own) {
        return None;
    }
    state.waiting.push(target);
    while state.users.iter().any(|user| target.affects(user))
        || state.beginning.iter().any(|one| one.place == place)
    {
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
    /// Counts a capture from here on, until the result is dropped.
    pub(crate) fn count(&self, global: bool) -> Counted {
        let mut state = state();
        let number = state.next;
        state.next += 1;
        state.captures.push(Capture {
            number,
            thread: self.target.thread,
            global,
            contexts: vec![self.target.place.context],
        });
        state.count_change(&[self.target.place.context]);
        state.publish();
        Counted { number }
    }

    /// The stream has joined a capture. Which one is not known, so all of them count for its context.
    pub(crate) fn joined(&self) {
        let context = self.target.place.context;
        for capture in &mut state().captures {
            if !capture.contexts.contains(&context) {
                capture.contexts.push(context);
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

/// A capture of this crate, until this is dropped.
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

/// Who captures streams of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capturer {
    Nobody,
    /// This thread, and perhaps others.
    ThisThread,
    OtherThreads,
}

/// Who captures streams of a context by this crate.
pub(crate) fn capturer(context: CUcontext) -> Capturer {
    let thread = this_thread();
    let mut found = Capturer::Nobody;
    for capture in &state().captures {
        if !capture.contexts.contains(&context.addr()) {
            continue;
        }
        if capture.thread == thread {
            return Capturer::ThisThread;
        }
        found = Capturer::OtherThreads;
    }
    found
}

/// How often captures have begun or ended in a context.
pub(crate) fn changes(context: CUcontext) -> u64 {
    let state = state();
    let found = state.changes.iter().find(|one| one.0 == context.addr());
    found.map_or(0, |one| one.1)
}

/// Waits until one of the captures of a context has ended, or another has begun. Returns at once if there is none.
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
    while !before.is_empty() && captures(&state) == before {
        state = wait(state);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::mpsc,
        thread::{sleep, spawn},
        time::Duration,
    };

    use super::*;

    /// A place in a context of this test's own.
    fn place(context: usize, queue: Queue) -> Place {
        Place { context, queue }
    }

    /// Whether `begin` on another thread gets through while `entered` is held.
    fn begins(held: Place, target: Place, blocking: bool) -> bool {
        let entered = enter(held);
        let (sender, receiver) = mpsc::channel();
        let beginner = spawn(move || {
            let beginning = begin(target, blocking).expect("another thread holds it");
            sender.send(()).unwrap();
            drop(beginning);
        });
        let through = receiver.recv_timeout(Duration::from_millis(100)).is_ok();
        drop(entered);
        beginner.join().unwrap();
        through
    }

    #[test]
    fn a_capture_waits_for_users_of_its_stream() {
        let stream = place(1, Queue::Stream(7));
        assert!(!begins(stream, stream, false));
        assert!(!begins(place(1, Queue::All), stream, false));
        assert!(!begins(place(1, Queue::Legacy), stream, true));
    }

    #[test]
    fn a_capture_does_not_wait_for_users_of_other_streams() {
        let stream = place(2, Queue::Stream(7));
        assert!(begins(place(2, Queue::Stream(8)), stream, true));
        assert!(begins(place(3, Queue::Stream(7)), stream, true));
        assert!(begins(place(3, Queue::All), stream, true));
        assert!(begins(place(2, Queue::Legacy), stream, false));
        // The per-thread default stream is another stream on every thread.
        let own = place(2, Queue::PerThread);
        assert!(begins(own, own, true));
    }

    #[test]
    fn a_thread_cannot_capture_what_it_uses_itself() {
        let stream = place(4, Queue::Stream(7));
        let entered = enter(stream);
        assert!(begin(stream, false).is_none());
        assert!(begin(place(4, Queue::Stream(8)), false).is_some());
        drop(entered);
        assert!(begin(stream, false).is_some());
    }

    #[test]
    fn users_wait_while_a_capture_begins_and_then_see_it() {
        let stream = place(5, Queue::Stream(7));
        let beginning = begin(stream, false).unwrap();
        let user = spawn(move || {
            let _entered = enter(stream);
            let context = ptr::without_provenance_mut(5);
            (captures_exist(), capturer(context))
        });
        sleep(Duration::from_millis(50));
        let counted = beginning.count(false);
        drop(beginning);
        assert_eq!(user.join().unwrap(), (true, Capturer::OtherThreads));
        let context = ptr::without_provenance_mut(5);
        assert_eq!(capturer(context), Capturer::ThisThread);
        drop(counted);
        assert_eq!(capturer(context), Capturer::Nobody);
    }

    #[test]
    fn a_thread_that_holds_a_place_does_not_queue_behind_a_waiting_capture() {
        let (one, other) = (place(6, Queue::Stream(1)), place(6, Queue::Stream(2)));
        let held = enter(one);
        let beginner = spawn(move || drop(begin(one, false).unwrap()));
        while state().waiting.iter().all(|target| target.place != one) {
            sleep(Duration::from_millis(1));
        }
        // Both would wait forever if they queued: the capture waits for `held`.
        drop(enter(other));
        drop(enter(one));
        drop(held);
        beginner.join().unwrap();
    }

    #[test]
    fn a_wait_for_a_change_ends_with_the_capture() {
        let context = ptr::without_provenance_mut(9);
        wait_for_change(context); // there is none
        let (sender, receiver) = mpsc::channel();
        let capturing = spawn(move || {
            let counted = begin(place(9, Queue::Stream(7)), false)
                .unwrap()
                .count(false);
            sender.send(()).unwrap();
            sleep(Duration::from_millis(30));
            drop(counted);
        });
        receiver.recv().unwrap();
        while capturer(context) != Capturer::Nobody {
            wait_for_change(context);
        }
        capturing.join().unwrap();
    }
}
