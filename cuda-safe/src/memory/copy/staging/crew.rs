//! The threads that copy between pageable memory and the page-locked pieces. They call no driver.

use std::{
    hint, io, mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{lines::Way, plan};

/// Which way the threads copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Upload,
    Download,
}

/// One transfer, as the threads see it: pieces in the order in which they are copied, each in parts, of which a thread
/// takes one at a time.
pub(super) struct Job {
    direction: Direction,
    way: Way,
    host: *mut u8,
    /// The page-locked pieces, which the transfer's pieces take in turn.
    slots: Vec<*mut u8>,
    cuts: Vec<usize>,
    parts: usize,
    /// The next part that nobody has taken.
    next: AtomicUsize,
    /// How many parts may be copied now.
    open: AtomicUsize,
    /// How many parts of each piece are still to be copied.
    left: Vec<AtomicUsize>,
    /// How many threads are inside; with [`CLOSED`] nobody comes in any more.
    inside: AtomicUsize,
}

const CLOSED: usize = 1 << (usize::BITS - 1);

// SAFETY: the pointers are used by `copy` alone, for parts that one thread takes, under the contract of `Crew::start`.
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
        let way = match direction {
            Direction::Upload => Way::into_pieces(parts),
            Direction::Download => Way::out_of_pieces(),
        };
        Self {
            direction,
            way,
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

    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    /// Where a piece lies in the transfer: its first byte, and its length.
    pub(super) fn piece(&self, piece: usize) -> (usize, usize) {
        (self.cuts[piece], self.cuts[piece + 1] - self.cuts[piece])
    }

    /// From now on the first `pieces` may be copied.
    pub(super) fn open(&self, pieces: usize) {
        self.open.store(pieces * self.parts, Ordering::Release);
    }

    /// Whether all of a piece has been copied.
    pub(super) fn is_copied(&self, piece: usize) -> bool {
        self.left[piece].load(Ordering::Acquire) == 0
    }

    fn is_closed(&self) -> bool {
        self.inside.load(Ordering::Relaxed) & CLOSED != 0
    }

    /// Copies parts until none is left.
    fn take_part(&self) {
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
            let mut patience = Patience::new();
            while self.open.load(Ordering::Acquire) <= number {
                if self.is_closed() {
                    return;
                }
                patience.wait();
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
        // SAFETY: both lie within the host memory and the piece, as `Crew::start` was promised; `open` says that nothing
        // else uses this part of them, and `next` gave it to this thread alone.
        unsafe {
            let host = self.host.add(begin + offset);
            let slot = self.slots[piece % self.slots.len()].add(offset);
            match self.direction {
                Direction::Upload => self.way.copy(slot, host, len, slot),
                Direction::Download => self.way.copy(host, slot, len, slot),
            }
        }
    }

    /// Lets nobody in any more, and waits until all have left.
    fn close(&self) {
        self.inside.fetch_or(CLOSED, Ordering::Relaxed);
        let mut patience = Patience::new();
        while self.inside.load(Ordering::Acquire) != CLOSED {
            patience.wait();
        }
    }
}

/// Threads that wait for jobs. Dropping it ends them.
pub(super) struct Crew {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    board: Mutex<Board>,
    changed: Condvar,
}

struct Board {
    job: Option<Arc<Job>>,
    /// Counts the jobs.
    number: u64,
    ended: bool,
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut last = 0;
        loop {
            let job = {
                let mut board = self.board();
                loop {
                    if board.ended {
                        return;
                    }
                    if board.number != last
                        && let Some(job) = &board.job
                    {
                        last = board.number;
                        break Arc::clone(job);
                    }
                    board = self
                        .changed
                        .wait(board)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            };
            job.take_part();
        }
    }
}

impl Crew {
    pub(super) fn new(threads: usize) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            board: Mutex::new(Board {
                job: None,
                number: 0,
                ended: false,
            }),
            changed: Condvar::new(),
        });
        // Those that were started end with it, also if one can't be started.
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

    /// Gives the threads a job. They copy until it is over, or the guard is dropped, which waits for them.
    ///
    /// # Safety
    /// The host memory and the slots are as long as the job's cuts say. Until the guard is dropped, nobody else uses
    /// parts of them that are open and not copied.
    pub(super) unsafe fn start(&self, job: Job) -> Started<'_> {
        let job = Arc::new(job);
        {
            let mut board = self.shared.board();
            board.job = Some(Arc::clone(&job));
            board.number += 1;
        }
        self.shared.changed.notify_all();
        Started { crew: self, job }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.board().ended = true;
        self.shared.changed.notify_all();
        for thread in mem::take(&mut self.threads) {
            let _ = thread.join(); // none of them panics
        }
    }
}

/// A job under way. Dropping it ends it: no thread touches its memory afterwards.
pub(super) struct Started<'a> {
    crew: &'a Crew,
    pub(super) job: Arc<Job>,
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        self.crew.shared.board().job = None; // who wakes up late finds nothing
        self.job.close();
    }
}

/// Waiting for what takes microseconds: first by trying again and again, then by letting others run.
pub(super) struct Patience {
    tries: u32,
    began: Option<Instant>,
}

impl Patience {
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

    /// Whether it takes so long that one should wait in another way.
    pub(super) fn is_over(&self) -> bool {
        self.began
            .is_some_and(|began| began.elapsed() > Duration::from_millis(1))
    }
}
