//! One thread of a program: locks, errors and comparisons that all operations share.

use std::{
    cell::Cell,
    fmt::Display,
    process,
    sync::{
        MutexGuard, RwLockReadGuard, RwLockWriteGuard, TryLockError,
        atomic::{AtomicUsize, Ordering},
    },
};

use cuda_safe::{Error, Result, sys::CUresult};

use super::{
    model::{Effect, Model},
    operation::Operation,
    program::{Program, Step},
    world::{Slot, World, captured_with},
};

/// The beginning of every failure's message.
pub const FAILED: &str = "fuzz: FAILED: ";

/// The largest number of threads, and one more for the end of the program.
const THREADS: usize = 5;
/// The current step of each thread plus one, for the message of a failure.
static STEPS: [AtomicUsize; THREADS] = [const { AtomicUsize::new(0) }; THREADS];

/// Ends the process with a message.
pub fn fail(text: impl Display) -> ! {
    let steps: Vec<String> = STEPS
        .iter()
        .enumerate()
        .filter_map(|(thread, step)| {
            let step = step.load(Ordering::Relaxed).checked_sub(1)?;
            Some(format!("thread {thread} at {step}"))
        })
        .collect();
    eprintln!("{FAILED}{text}\n  ({})", steps.join(", "));
    // Other threads are still running, so no destructor may run.
    // SAFETY: the call ends the process.
    unsafe { libc::_exit(3) };
}

pub struct Thread<'w> {
    pub world: &'w World,
    pub program: &'w Program,
    number: usize,
    /// Whether the thread is within a capture. It then waits for no lock, since the lock's owner may wait for the capture.
    capturing: Cell<bool>,
    step: Cell<Option<Step>>,
}

/// Read locks of streams: no capture begins on them.
pub type Readers<'w> = Vec<RwLockReadGuard<'w, ()>>;
/// Write locks of streams: no other thread enqueues on them.
pub type Writers<'w> = Vec<RwLockWriteGuard<'w, ()>>;

impl<'w> Thread<'w> {
    pub fn new(world: &'w World, program: &'w Program, number: usize) -> Self {
        Self {
            world,
            program,
            number,
            capturing: Cell::new(false),
            step: Cell::new(None),
        }
    }

    /// Runs all steps of the thread.
    pub fn run(&self) {
        for step in self.program.of_thread(self.number) {
            self.step(step);
        }
    }

    fn step(&self, step: &Step) {
        self.step.set(Some(*step));
        STEPS[self.number.min(THREADS - 1)].store(step.number + 1, Ordering::Relaxed);
        self.operate(step);
        self.step.set(None);
    }

    fn operate(&self, step: &Step) {
        let operation = step.operation;
        if let Operation::Capture { .. } = operation {
            if !self.capturing.get() {
                self.capture(step.number, operation);
            }
            return;
        }
        let _ = self.on_buffers(operation)
            || self.on_host_memory(operation)
            || self.on_streams(operation)
            || self.on_graphs(operation)
            || self.on_others(operation);
    }

    /// Runs the steps within a capture.
    pub fn run_inside(&self, number: usize) {
        let before = self.step.get();
        self.capturing.set(true);
        for step in self.program.inside(number) {
            self.step(step);
        }
        self.capturing.set(false);
        self.step.set(before);
    }

    pub fn is_capturing(&self) -> bool {
        self.capturing.get()
    }

    pub fn fail(&self, text: impl Display) -> ! {
        match self.step.get() {
            Some(step) => fail(format!(
                "thread {}, step {}, {:?}: {text}",
                self.number, step.number, step.operation
            )),
            None => fail(format!("at the end: {text}")),
        }
    }

    /// Returns the value of a call, or `None` if it failed with a documented error.
    pub fn done<T>(&self, result: Result<T, impl Into<Error>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.expect_documented(&error.into());
                None
            }
        }
    }

    pub fn expect_documented(&self, error: &Error) {
        if !self.world.has_faulted() && !is_documented(error) && !self.is_of_global(error) {
            self.fail(format!("unexpected error: {error}"));
        }
    }

    /// Whether a global capture explains the error. If another thread begins one between the check of the safe layer and
    /// the driver call, both the call and the capture fail.
    pub fn is_of_global(&self, error: &Error) -> bool {
        let code = error.driver_code();
        self.world.has_global
            && (code == Some(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
                || code == Some(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED))
    }

    /// Returns the effect of a call on memory.
    pub fn effect<T>(&self, result: Result<T, impl Into<Error>>) -> Effect {
        match self.done(result) {
            Some(_) => Effect::Done,
            None => self.failed(),
        }
    }

    /// Returns the effect of a failed call on memory. With global captures, a wait may fail after the work is done.
    pub fn failed(&self) -> Effect {
        match self.world.has_global {
            true => Effect::Unknown,
            false => Effect::Nothing,
        }
    }

    /// Compares memory with the model.
    pub fn expect_fits(&self, name: &str, found: &[u32], model: &mut Model) {
        // Checked last, since the flag is set before a fault is enqueued.
        if !model.fits(0, found) && !self.world.has_faulted() {
            self.fail(format!(
                "wrong contents of {name}: {}",
                model.difference(found)
            ));
        }
    }

    /// As [`expect_fits`](Self::expect_fits), for known contents.
    pub fn expect_equal(&self, name: &str, found: &[u32], contents: &[u32]) {
        self.expect_fits(name, found, &mut Model::new(contents.to_vec()));
    }

    /// Keeps other threads from capturing the streams while a call enqueues work that a capture would record. Returns
    /// `None` if the thread would have to wait and must not.
    pub fn enqueue_on(&self, streams: &[usize]) -> Option<Readers<'w>> {
        let mut all: Vec<usize> = streams.iter().copied().flat_map(captured_with).collect();
        all.sort_unstable();
        all.dedup();
        let locks = all.into_iter().map(|stream| &self.world.locks[stream]);
        locks
            .map(|lock| match self.is_capturing() {
                true => lock.try_read().ok(),
                false => lock.read().ok(),
            })
            .collect()
    }

    /// Keeps other threads from enqueueing work on the streams.
    pub fn own(&self, streams: &[usize]) -> Writers<'w> {
        let mut all = streams.to_vec();
        all.sort_unstable();
        all.dedup();
        let locks = all.into_iter().map(|stream| &self.world.locks[stream]);
        locks.map(|lock| lock.write().unwrap()).collect()
    }

    /// Locks the slot of an object. Returns `None` if the thread would have to wait and must not.
    pub fn lock<'s, T>(&self, slot: &'s Slot<T>) -> Option<MutexGuard<'s, Option<T>>> {
        if !self.is_capturing() {
            return Some(slot.lock().unwrap());
        }
        match slot.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(_)) => process::abort(),
        }
    }
}

/// Whether safe methods document the error for programs without faults: a stream is being captured, a per-thread default
/// stream belongs to another thread, or a device or a kind of stream cannot reach the memory.
fn is_documented(error: &Error) -> bool {
    let text = error.to_string();
    [
        "is being captured",
        "was created on another thread",
        "use a stream of the memory's device",
        "the legacy default stream does not accept batches",
        "the memory is from a pool that was dropped",
    ]
    .iter()
    .any(|documented| text.contains(documented))
}
