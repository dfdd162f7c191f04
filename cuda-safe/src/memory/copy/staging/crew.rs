//! The threads that copy between pageable memory and the page-locked pieces. They never call the
//! driver.

use std::{
    hint, io, mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{lines::CopyMethod, plan};

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Upload,
    Download,
}

/// A transfer as the threads see it: pieces in copy order, each divided into parts. A thread takes
/// one part at a time.
pub(super) struct Job {
    direction: Direction,
    method: CopyMethod,
    host: *mut u8,
    /// The page-locked pieces, which the transfer's pieces use in turn.
    slots: Vec<*mut u8>,
    cuts: Vec<usize>,
    parts: usize,
    /// The next part that no thread has taken.
    next: AtomicUsize,
    /// The number of parts that may be copied now.
    open: AtomicUsize,
    /// The number of parts of each piece that are not copied yet.
    left: Vec<AtomicUsize>,
    /// The number of threads that use the job. With the bit [`CLOSED`], no more threads may enter.
    inside: AtomicUsize,
}

const CLOSED: usize = 1 << (usize::BITS - 1);

// SAFETY: only `copy` uses the pointers, for parts that one thread has taken, under the contract of
// `Crew::start`.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    pub(super) fn new(
        direction: Direction,
        host: *mut u8,
        slots: Vec<*mut u8>,
        cuts: Vec<usize>,
        parts: usize,
    ) -> Self {
        let left = (1..cuts.len()).map(|_| AtomicUsize::new(parts)).collect();
        let method = match direction {
            Direction::Upload => CopyMethod::for_upload(parts),
            Direction::Download => CopyMethod::for_download(),
        };
        Self {
            direction,
            method,
            host,
            slots,
            cuts,
            parts,
            next: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            left,
            inside: AtomicUsize::new(0),
        }
    }

    /// Returns the number of pieces.
    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    /// Returns the offset and the length of a piece in the transfer.
    pub(super) fn piece(&self, piece: usize) -> (usize, usize) {
        (self.cuts[piece], self.cuts[piece + 1] - self.cuts[piece])
    }

    /// Allows the threads to copy the first `pieces` pieces.
    pub(super) fn open(&self, pieces: usize) {
        self.open.store(pieces * self.parts, Ordering::Release);
    }

    /// Returns whether a whole piece has been copied.
    pub(super) fn is_copied(&self, piece: usize) -> bool {
        self.left[piece].load(Ordering::Acquire) == 0
    }

    fn is_closed(&self) -> bool {
        self.inside.load(Ordering::Relaxed) & CLOSED != 0
    }

    /// Copies parts until none are left, unless the job is closed.
    fn run(&self) {
        let entered = self.inside.fetch_add(1, Ordering::Acquire);
        if entered & CLOSED == 0 {
            self.copy_parts();
        }
        self.inside.fetch_sub(1, Ordering::Release);
    }

    fn copy_parts(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.len() * self.parts {
                return;
            }
            let mut backoff = Backoff::new();
            while self.open.load(Ordering::Acquire) <= number {
                if self.is_closed() {
                    return;
                }
                backoff.wait();
            }
            if self.is_closed() {
                return;
            }
            self.copy(number);
            self.left[number / self.parts].fetch_sub(1, Ordering::Release);
        }
    }

    fn copy(&self, number: usize) {
        let piece = number / self.parts;
        let (begin, len) = self.piece(piece);
        let (offset, len) = plan::part(len, number % self.parts, self.parts);
        // SAFETY: `Crew::start` requires that both ranges are within the host memory and the piece.
        // `open` ensures that nothing else uses this part of them, and `next` gave it only to this
        // thread.
        unsafe {
            let host = self.host.add(begin + offset);
            let slot = self.slots[piece % self.slots.len()].add(offset);
            match self.direction {
                Direction::Upload => self.method.copy(slot, host, len, slot),
                Direction::Download => self.method.copy(host, slot, len, slot),
            }
        }
    }

    /// Keeps further threads from entering, and waits until all have left.
    fn close(&self) {
        self.inside.fetch_or(CLOSED, Ordering::Relaxed);
        let mut backoff = Backoff::new();
        while self.inside.load(Ordering::Acquire) != CLOSED {
            backoff.wait();
        }
    }
}

/// Threads that wait for jobs. Dropping the crew ends them.
pub(super) struct Crew {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    job: Option<Arc<Job>>,
    /// The number of jobs so far.
    number: u64,
    ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut last = 0;
        loop {
            let job = {
                let mut state = self.state();
                loop {
                    if state.ended {
                        return;
                    }
                    if state.number != last
                        && let Some(job) = &state.job
                    {
                        last = state.number;
                        break Arc::clone(job);
                    }
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            };
            job.run();
        }
    }
}

impl Crew {
    pub(super) fn new(threads: usize) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                job: None,
                number: 0,
                ended: false,
            }),
            changed: Condvar::new(),
        });
        // If a thread cannot be started, dropping the crew ends the others.
        let mut crew = Self {
            shared,
            threads: Vec::with_capacity(threads),
        };
        for _ in 0..threads {
            let shared = Arc::clone(&crew.shared);
            let thread = thread::Builder::new().name("cuda staging".to_owned());
            crew.threads.push(thread.spawn(move || shared.work())?);
        }
        Ok(crew)
    }

    /// Starts a job. The threads copy until it is complete or the guard is dropped, which waits for
    /// them.
    ///
    /// # Safety
    /// The caller must ensure that the host memory and the slots are as long as the job's cuts
    /// require, and that until the guard is dropped, nothing else uses parts of them that are open
    /// and not copied.
    pub(super) unsafe fn start(&self, job: Job) -> RunningJob<'_> {
        let job = Arc::new(job);
        {
            let mut state = self.shared.state();
            state.job = Some(Arc::clone(&job));
            state.number += 1;
        }
        self.shared.changed.notify_all();
        RunningJob { crew: self, job }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.state().ended = true;
        self.shared.changed.notify_all();
        for thread in mem::take(&mut self.threads) {
            let _ = thread.join(); // the threads do not panic
        }
    }
}

/// A running job. Dropping it ends the job, after which no thread uses its memory.
pub(super) struct RunningJob<'a> {
    crew: &'a Crew,
    pub(super) job: Arc<Job>,
}

impl Drop for RunningJob<'_> {
    fn drop(&mut self) {
        self.crew.shared.state().job = None; // threads that wake up late find no job
        self.job.close();
    }
}

/// Waits for events within microseconds: it first spins, and then yields to other threads.
pub(super) struct Backoff {
    tries: u32,
    began: Option<Instant>,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Self {
            tries: 0,
            began: None,
        }
    }

    pub(super) fn wait(&mut self) {
        self.tries += 1;
        if self.tries < 200 {
            hint::spin_loop();
        } else {
            self.began.get_or_insert_with(Instant::now);
            thread::yield_now();
        }
    }

    /// Returns whether the wait is so long that the caller should block instead.
    pub(super) fn is_over(&self) -> bool {
        self.began
            .is_some_and(|began| began.elapsed() > Duration::from_millis(1))
    }
}
