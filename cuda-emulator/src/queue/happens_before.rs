//! The order of queued work, for `CUDA_EMULATOR_CHECK=stream`.
//!
//! Each piece of work has a vector clock: for each stream, the number of pieces that are ordered
//! before it. A piece is ordered after the piece before it on its stream, after the work that it
//! waits for (events, the legacy default stream's rules, the last launch of its graph), and after
//! all work that the host had waited for when it was enqueued. Actual timing has no influence,
//! except where the order comes from values in memory: see [`acquire_all`].
//!
//! The host counts as one thread, because the emulator does not see how host threads order
//! themselves. So a wait by one thread orders work that another thread enqueues afterwards.
//!
//! Clocks are computed when work begins. Everything before it is finished then.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::process::caller::Caller;
use crate::process::{call, configuration};
use cuda_emulator_engine::Unpoisoned;

/// For each stream, by its id, the number of pieces that are ordered before something.
type Clock = BTreeMap<u64, u64>;

/// Clocks with more entries than this are pruned.
const MANY: usize = 256;

/// Returns whether the check is enabled.
pub fn is_tracked() -> bool {
    configuration::get().check_stream
}

/// The place of a piece of work among the other work of one launch of a graph. The emulator runs
/// nodes one after the other, and only the graph's edges order them.
pub struct InGraph {
    /// Unique in the process among launches.
    pub launch: u64,
    pub index: usize,
    /// The pieces before it: bit `i % 64` of word `i / 64` for the piece with index `i`.
    pub before: Vec<u64>,
    /// Handles of the executable graph and of the node.
    pub exec: u64,
    pub node: u64,
}

/// The position of a piece of work in the order of all work.
pub struct Position {
    /// The stream's id, and the position on it.
    stream: u64,
    number: u64,
    /// Increases with each piece of work of the process.
    pub sequence: u64,
    /// The stream's handle.
    pub stream_handle: u64,
    /// The driver call that enqueued it, and the place in the client's code.
    pub call: &'static str,
    pub caller: Option<Arc<Caller>>,
    pub in_graph: Option<InGraph>,
    state: Mutex<State>,
}

struct State {
    clock: Arc<Clock>,
    /// The work before it, until it begins.
    after: Vec<Arc<Position>>,
}

/// Work that has not finished, and work whose accesses are kept.
#[derive(Default)]
struct Progress {
    /// The last sequence number.
    last: u64,
    /// By sequence number: the stream and the position on it, and whether it has begun.
    unfinished: BTreeMap<u64, (u64, u64, bool)>,
    /// For each stream with kept work, the highest position.
    kept: Clock,
}

static PROGRESS: Mutex<Option<Progress>> = Mutex::new(None);
/// The work that the host has waited for.
static HOST: Mutex<Option<Arc<Clock>>> = Mutex::new(None);

thread_local! {
    static CURRENT: RefCell<Option<Arc<Position>>> = const { RefCell::new(None) };
}

fn with_progress<T>(use_it: impl FnOnce(&mut Progress) -> T) -> T {
    use_it(PROGRESS.lock().unpoisoned().get_or_insert_default())
}

fn host() -> MutexGuard<'static, Option<Arc<Clock>>> {
    HOST.lock().unpoisoned()
}

fn covers(clock: &Clock, other: &Clock) -> bool {
    let reached = |stream: &u64| clock.get(stream).copied().unwrap_or(0);
    other
        .iter()
        .all(|(stream, number)| reached(stream) >= *number)
}

fn add(clock: &mut Arc<Clock>, stream: u64, number: u64) {
    if clock.get(&stream).is_none_or(|&reached| reached < number) {
        Arc::make_mut(clock).insert(stream, number);
    }
}

fn join(clock: &mut Arc<Clock>, other: &Arc<Clock>) {
    if Arc::ptr_eq(clock, other) || covers(clock, other) {
        return;
    }
    if covers(other, clock) {
        *clock = other.clone();
        return;
    }
    for (&stream, &number) in &**other {
        add(clock, stream, number);
    }
    if clock.len() > MANY {
        // An entry is only compared with work whose accesses are kept now or later.
        with_progress(|progress| {
            let unfinished: BTreeSet<u64> = progress.unfinished.values().map(|one| one.0).collect();
            Arc::make_mut(clock).retain(|stream, _| {
                progress.kept.contains_key(stream) || unfinished.contains(stream)
            });
        });
    }
}

impl Position {
    /// Creates the position of a piece of work that the current call enqueues. Its stream's lock
    /// must be held.
    pub fn new(
        (stream, stream_handle): (u64, u64),
        number: u64,
        after: Vec<Arc<Position>>,
        in_graph: Option<InGraph>,
    ) -> Arc<Position> {
        let sequence = with_progress(|progress| {
            progress.last += 1;
            let entry = (stream, number, false);
            progress.unfinished.insert(progress.last, entry);
            progress.last
        });
        // Read after the sequence number was taken: see `is_past`.
        let clock = host().get_or_insert_default().clone();
        Arc::new(Position {
            stream,
            number,
            sequence,
            stream_handle,
            call: call::current_name(),
            caller: Caller::capture(),
            in_graph,
            state: Mutex::new(State { clock, after }),
        })
    }

    /// Returns the clock of work that has begun.
    fn clock(&self) -> Arc<Clock> {
        self.state.lock().unpoisoned().clock.clone()
    }

    /// Computes the clock, since everything before the work is finished.
    fn begin(&self) {
        let mut state = self.state.lock().unpoisoned();
        for one in std::mem::take(&mut state.after) {
            join(&mut state.clock, &one.clock());
            if one.stream != self.stream {
                add(&mut state.clock, one.stream, one.number);
            }
        }
        drop(state);
        with_progress(|progress| {
            if let Some(entry) = progress.unfinished.get_mut(&self.sequence) {
                entry.2 = true;
            }
        });
    }

    /// Returns whether it is ordered after other work that has finished.
    pub fn follows(&self, other: &Position) -> bool {
        if let (Some(own), Some(theirs)) = (&self.in_graph, &other.in_graph)
            && own.launch == theirs.launch
        {
            let word = own.before.get(theirs.index / 64).copied().unwrap_or(0);
            return own.index == theirs.index || word >> (theirs.index % 64) & 1 == 1;
        }
        if self.stream == other.stream {
            return other.number <= self.number;
        }
        let clock = self.clock();
        clock
            .get(&other.stream)
            .is_some_and(|&number| other.number <= number)
    }

    /// Returns whether the host has waited for it.
    pub fn is_known_to_host(&self) -> bool {
        let host = host();
        let reached = host.as_ref().and_then(|clock| clock.get(&self.stream));
        reached.is_some_and(|&number| self.number <= number)
    }
}

/// Runs the work at a position, and marks the position as finished.
pub fn run<T>(position: &Arc<Position>, calls_host: bool, work: impl FnOnce() -> T) -> T {
    position.begin();
    if calls_host {
        // Host functions run after the work before them.
        host_waited([position.clone()]);
    }
    let outer = CURRENT.replace(Some(position.clone()));
    let result = work();
    CURRENT.set(outer);
    with_progress(|progress| progress.unfinished.remove(&position.sequence));
    result
}

/// Returns the position of the work that this thread is running. `None` if the check is off.
pub fn current() -> Option<Arc<Position>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Orders all work that is enqueued from now on after finished work, because the host has waited
/// for it.
pub fn host_waited(finished: impl IntoIterator<Item = Arc<Position>>) {
    let mut host = host();
    let clock = host.get_or_insert_default();
    for one in finished {
        join(clock, &one.clock());
        add(clock, one.stream, one.number);
    }
}

/// Orders the work that this thread is running after all work that has begun, because a value in
/// memory ended its wait, and any of that work may have caused the value.
pub fn acquire_all() {
    let Some(position) = current() else { return };
    let mut state = position.state.lock().unpoisoned();
    with_progress(|progress| {
        let begun = progress.unfinished.values().filter(|one| one.2);
        let begun = begun.map(|&(stream, number, _)| (stream, number));
        let kept = progress
            .kept
            .iter()
            .map(|(&stream, &number)| (stream, number));
        for (stream, number) in begun.chain(kept) {
            if stream != position.stream {
                add(&mut state.clock, stream, number);
            }
        }
    });
}

/// Returns the sequence number of the last piece of work.
pub fn last_sequence() -> u64 {
    with_progress(|progress| progress.last)
}

/// Returns whether all work that was enqueued up to a sequence number has finished, except
/// `position`.
pub fn is_past(sequence: u64, position: &Position) -> bool {
    with_progress(|progress| {
        let mut unfinished = progress.unfinished.range(..=sequence);
        unfinished.all(|(&one, _)| one == position.sequence)
    })
}

/// Records the positions of all work whose accesses are kept.
pub fn set_kept<'a>(kept: impl Iterator<Item = &'a Position>) {
    with_progress(|progress| {
        progress.kept.clear();
        for one in kept {
            let highest = progress.kept.entry(one.stream).or_default();
            *highest = (*highest).max(one.number);
        }
    });
}
