//! One thread for all communicators of a process, which ends calls that wait for other ranks for longer than the time
//! limit.
//!
//! A call of NCCL that enqueues may wait on the host: the first of each kind connects to the other ranks.

use std::{
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::shared::Shared;

/// How often it looks.
const STEP: Duration = Duration::from_millis(20);

struct Watched {
    shared: Weak<Shared>,
    /// The number of calls when it was last different, and since when it has been this.
    calls: u64,
    since: Instant,
}

struct Watch {
    all: Vec<Watched>,
    running: bool,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch {
    all: Vec::new(),
    running: false,
});

/// Watches it until it is dropped.
pub(super) fn watch(shared: &Arc<Shared>) {
    let mut watch = WATCH.lock().unwrap_or_else(PoisonError::into_inner);
    watch.all.push(Watched {
        shared: Arc::downgrade(shared),
        calls: 0,
        since: Instant::now(),
    });
    if !watch.running {
        // Without the thread, waits on the host have no limit; everything else works.
        watch.running = thread::Builder::new()
            .name("cuda-nccl watch".into())
            .spawn(look)
            .is_ok();
    }
}

fn look() {
    loop {
        thread::sleep(STEP);
        // Those that were looked at go behind the lock, as one of them may be the last.
        let (mut late, mut seen) = (Vec::new(), Vec::new());
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
                }
                let too_long = calls % 2 == 1 && watched.since.elapsed() > shared.options.timeout;
                match too_long && !shared.is_lost() {
                    true => late.push(shared),
                    false => seen.push(shared),
                }
            }
        }
        for shared in late {
            shared.lose(format!(
                "{}: a call has waited on the host for longer than the time limit of {:?}: another rank has ended, hangs, \
                 or makes other calls. The communicator was aborted",
                shared.who(),
                shared.options.timeout
            ));
        }
    }
}

/// A call is under way until this is dropped.
pub(super) struct Busy<'a>(&'a AtomicU64);

impl<'a> Busy<'a> {
    /// Under the lock of `work`, so that nobody else begins.
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
