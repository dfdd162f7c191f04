//! A thread that watches all communicators of a process, and ends calls that wait for other ranks
//! longer than the time limit.
//!
//! An NCCL call that enqueues work may wait on the host: the first call of each kind connects to
//! the other ranks.

use std::{
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::shared::Shared;
use crate::notice::{self, rounded};

/// The interval between checks.
const STEP: Duration = Duration::from_millis(20);

struct Watched {
    shared: Weak<Shared>,
    /// The value of [`Shared::calls`] when it last changed, and the time of that change.
    calls: u64,
    since: Instant,
    /// Whether there was a notice about the call.
    noticed: bool,
}

struct Watch {
    all: Vec<Watched>,
    running: bool,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch {
    all: Vec::new(),
    running: false,
});

/// Watches a communicator until it is dropped.
pub(super) fn watch(shared: &Arc<Shared>) {
    let mut watch = WATCH.lock().unwrap_or_else(PoisonError::into_inner);
    watch.all.push(Watched {
        shared: Arc::downgrade(shared),
        calls: 0,
        since: Instant::now(),
        noticed: false,
    });
    if !watch.running {
        // Without the thread, waits on the host have no time limit. Everything else works.
        watch.running = thread::Builder::new()
            .name("cuda-nccl watch".into())
            .spawn(look)
            .is_ok();
    }
}

fn look() {
    loop {
        thread::sleep(STEP);
        // These references are dropped after the lock is released, because one of them may be the
        // last.
        let (mut late, mut seen, mut notices) = (Vec::new(), Vec::new(), Vec::new());
        {
            let mut watch = WATCH.lock().unwrap_or_else(PoisonError::into_inner);
            watch
                .all
                .retain(|watched| watched.shared.strong_count() > 0);
            if watch.all.is_empty() {
                watch.running = false;
                return;
            }
            for watched in &mut watch.all {
                let Some(shared) = watched.shared.upgrade() else {
                    continue;
                };
                let calls = shared.calls.load(Ordering::Relaxed);
                if calls != watched.calls {
                    watched.calls = calls;
                    watched.since = Instant::now();
                    watched.noticed = false;
                }
                let waited = watched.since.elapsed();
                let is_waiting = calls % 2 == 1 && !shared.is_lost();
                let due = notice::due(shared.options.timeout).filter(|due| waited > *due);
                if let (Some(due), true, false) = (due, is_waiting, watched.noticed) {
                    watched.noticed = true;
                    notices.push((shared.clone(), due));
                }
                let too_long = calls % 2 == 1 && waited > shared.options.timeout;
                match too_long && !shared.is_lost() {
                    true => late.push(shared),
                    false => seen.push(shared),
                }
            }
        }
        // Printing may block, so it comes after the lock.
        for (shared, due) in notices {
            shared.notify("a call", due);
        }
        for shared in late {
            shared.lose(format!(
                "{}: a call has waited on the host for longer than the time limit of {:?} \
                 (CommunicatorOptions::timeout): another rank has ended, hangs, or makes different calls. The communicator was \
                 aborted",
                shared.who(),
                rounded(shared.options.timeout)
            ));
        }
    }
}

/// Marks a call as in progress until it is dropped.
pub(super) struct Busy<'a>(&'a AtomicU64);

impl<'a> Busy<'a> {
    /// Called with the lock of `work` held, so that no other call begins.
    #[inline]
    pub(super) fn begin(calls: &'a AtomicU64) -> Self {
        calls.store(calls.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        Self(calls)
    }
}

impl Drop for Busy<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0
            .store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}
