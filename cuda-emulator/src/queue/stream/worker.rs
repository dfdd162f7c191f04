//! Execution of a stream's work, by its worker or by a thread that waits for it.
//!
//! Delayed work (`CUDA_EMULATOR_HOLD`) stays behind a [`Gate`] until something waits for it or its
//! time has come.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::queue::happens_before;
use crate::queue::stream::{Fault, How, Item, Mark, Queue, Stream};
use cuda_emulator_engine::Unpoisoned;

/// Whether the piece of work at the front of a queue may begin.
enum Gate {
    Open,
    /// Nothing waits for it, and its time has not come. Holds the remaining delay.
    Shut(Duration),
}

/// How long to spin for work, or for its end, before sleeping. This is longer than a hand-over
/// between threads, and short enough not to matter.
const PATIENCE: Duration = Duration::from_micros(30);

/// Spins until `done` returns true or the time is over. Returns whether it is done.
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

/// When a worker ends.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Until {
    Idle,
    Closed,
}

impl Stream {
    pub(super) fn spawn_worker(self: &Arc<Self>) -> std::io::Result<()> {
        let stream = self.clone();
        let worker = std::thread::Builder::new().name("cuda-stream".into());
        let worker = worker.stack_size(8 << 20);
        worker.spawn(move || stream.work_off(Until::Closed))?;
        Ok(())
    }

    /// Executes work until the queue is empty (`Idle`), or is also closed (`Closed`).
    pub(super) fn work_off(&self, until: Until) {
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

    /// Returns whether the item at the front of the queue may begin.
    fn gate(&self, queue: &Queue, front: &Item, until: Until) -> Gate {
        let Some(due) = front.due else {
            return Gate::Open;
        };
        // Nothing is running, so all earlier work is done. Without a worker, no other thread could
        // open the gate later.
        if queue.wanted > self.completed() || until == Until::Idle {
            return Gate::Open;
        }
        match due.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Gate::Open,
            left => Gate::Shut(left),
        }
    }

    /// Starts the first `number` pieces of work if they are delayed.
    pub(super) fn want(&self, number: u64) {
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

    /// Executes a piece of work. The caller has set `running`.
    pub(super) fn execute(&self, item: Item) {
        for mark in &item.after {
            mark.wait();
        }
        if self.is_still_done(item.how) {
            let calls_host = matches!(item.how, How::HostFunction | How::EvenAfterFault);
            let work = || catch_unwind(AssertUnwindSafe(item.work));
            let result = match &item.position {
                None => work(),
                Some(position) => happens_before::run(position, calls_host, work),
            };
            match result {
                Ok(Ok(())) => {}
                // A call that raced with the destruction of its context may have enqueued work
                // after the context's memory was freed. Such work is dropped.
                Ok(Err(_)) if !self.context.is_alive() => {}
                Ok(Err(fault)) => fault.strike(&self.context),
                Err(_) => Fault::internal().strike(&self.context),
            }
        } else {
            drop(item.work);
            if let Some(position) = &item.position {
                happens_before::run(position, false, || ());
            }
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

    /// Returns whether a piece of work runs, or is discarded because of a fault.
    fn is_still_done(&self, how: How) -> bool {
        let of_context = self.context.own_fault().is_none();
        let called = how == How::HostFunction
            && of_context
            && (self.context.fault().is_none() || self.has_called.load(Ordering::Relaxed));
        self.has_called.store(called, Ordering::Relaxed);
        match how {
            How::HostFunction => called,
            How::EvenAfterFault => true,
            _ => of_context,
        }
    }

    /// Waits until the first `number` pieces of work are done, and executes some of them if no
    /// other thread does.
    pub fn wait(&self, number: u64) {
        self.wait_unless(number, || false);
    }

    /// Like [`wait`](Self::wait), for a driver call. A fault in another context ends the wait, but
    /// not the work.
    pub fn wait_for_client(&self, number: u64) {
        self.wait_unless(number, || self.context.is_ended_by_others());
    }

    /// Like [`wait`](Self::wait), but returns early once `ended` returns true.
    pub fn wait_unless(&self, number: u64, ended: impl Fn() -> bool) {
        self.want(number);
        while self.completed() < number && !ended() {
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
        while self.completed() < number && !ended() {
            // A fault in another context sends no notification, hence the timeout.
            let waited = self.finished.wait_timeout(guard, Duration::from_millis(5));
            guard = waited.unpoisoned().0;
        }
        drop(guard);
        self.waiters.fetch_sub(1, Ordering::SeqCst);
    }
}
