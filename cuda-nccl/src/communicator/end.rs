//! Waiting for a communicator's work, and the end of a communicator.

use std::time::{Duration, Instant};

use cuda_safe::{Event, Stream};

use super::{
    board::Step,
    current::enter,
    inner::{Inner, Work},
    watch::Busy,
};
use crate::{
    error::{Error, Result},
    notice::{self, rounded},
    pause,
};

/// Limits for the wait after an abort: it lasts for the time limit, clamped to these two. The
/// kernels of NCCL 2.28 end within 3 ms. Other work on the stream may take longer.
const GRACE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// How long a dropped rank waits until the ranks of other threads are dropped as well: see
/// [`Membership::wait_for`].
const LINGER: Duration = Duration::from_secs(1);

impl Inner {
    /// Waits for this rank's calls on the stream, with the time limit.
    pub(super) fn wait(&self, stream: &Stream) -> Result<()> {
        let end = self.lock().marks.end_of(stream);
        let end = end.map_err(|error| self.failed(error))?;
        self.wait_until(|| end.as_ref().map_or(Ok(true), Event::query))
    }

    /// Waits with the time limit until `is_over` returns true, which means that the calls in
    /// question have finished.
    pub(super) fn wait_until(&self, is_over: impl Fn() -> cuda_safe::Result<bool>) -> Result<()> {
        let since = Instant::now();
        let mut looked = since;
        let mut notice = notice::due(self.options.timeout);
        while !is_over().map_err(|error| self.failed(error.into()))? {
            let now = Instant::now();
            if self.is_lost() {
                break;
            }
            let waited = now - since;
            if waited > self.options.timeout {
                self.lose(format!(
                    "{}: the enqueued work has not ended within the time limit of {:?} (CommunicatorOptions::timeout): \
                     another rank has ended, hangs, or makes different calls. The communicator was aborted",
                    self.who(),
                    rounded(self.options.timeout)
                ));
                break;
            }
            if let Some(due) = notice.take_if(|due| waited > *due) {
                self.notify("its enqueued work", due);
            }
            if now - looked > Duration::from_millis(1) {
                self.asynchronous().or_else(|error| match self.is_lost() {
                    true => Ok(()), // reported below
                    false => Err(error),
                })?;
                looked = now;
            }
            // Short work ends soon. During long work the processor is left to other threads.
            match waited.as_micros() {
                0..200 => std::hint::spin_loop(),
                200..5000 => std::thread::yield_now(),
                _ => std::thread::sleep(pause::after(waited)),
            }
        }
        if !self.is_lost() {
            self.asynchronous()?;
            return Ok(());
        }
        // The abort flag is set, so the kernels end by themselves.
        let since = Instant::now();
        let grace = self.options.timeout.clamp(GRACE[0], GRACE[1]);
        while since.elapsed() < grace && matches!(is_over(), Ok(false)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.abort_work(&mut self.lock());
        Err(self.lost_error())
    }

    /// Returns the error of a call or a wait. After a fault the context is unusable, so the
    /// communicator ends.
    #[cold]
    pub(super) fn failed(&self, error: Error) -> Error {
        match error.is_fault() {
            true => self.failed_within(error, &mut self.lock()),
            false => error,
        }
    }

    /// Does the same as [`failed`](Self::failed), for callers that hold the lock.
    #[cold]
    pub(super) fn failed_within(&self, error: Error, work: &mut Work) -> Error {
        if error.is_fault() {
            self.lose(format!(
                "{}: {error}. The communicator was aborted",
                self.who()
            ));
            self.abort_work(work);
        }
        error
    }

    /// Waits for all of this rank's calls, with the time limit.
    pub(super) fn wait_for_all(&self) -> Result<()> {
        let ends = self.lock().marks.ends();
        let ends = ends.map_err(|error| self.failed(error))?;
        ends.iter()
            .try_for_each(|end| self.wait_until(|| end.query()))
    }

    /// Waits for all work on the stream. The time limit covers this rank's calls only: the
    /// remaining work belongs to the user, and may take any time.
    pub(super) fn wait_for_stream(&self, stream: &Stream) -> Result<()> {
        self.wait_for_all()?;
        stream
            .synchronize()
            .map_err(|error| self.failed(error.into()))
    }

    /// Ends the communicator together with the other ranks, or aborts it if that fails.
    pub(super) fn finalize(&self) -> Result<()> {
        self.end_together().inspect_err(|error| {
            self.lose(format!(
                "{}: {error}. The communicator was aborted",
                self.who()
            ));
            self.abort_work(&mut self.lock());
        })
    }

    fn end_together(&self) -> Result<()> {
        self.wait_for_all()?;
        let _current = enter(&self.context)?;
        let mut work = self.lock();
        let comm = self.usable(&mut work)?;
        let finalize = self.library.functions().ncclCommFinalize;
        let result = {
            let _busy = Busy::begin(&self.calls);
            // SAFETY: the communicator is live. It is destroyed next.
            finalize.map(|finalize| unsafe { finalize(comm) })
        };
        let result = self.library.need("ncclCommFinalize", result)?;
        self.after("ncclCommFinalize", result, &mut work)?;
        self.destroy(&mut work);
        drop(work);
        self.membership.wait_for(Step::Ended, self.options.timeout);
        Ok(())
    }

    /// Ends the communicator at once.
    pub(super) fn abort(&self) {
        self.lose(format!(
            "{}: this rank has aborted the communicator",
            self.who()
        ));
        self.abort_work(&mut self.lock());
    }

    fn destroy(&self, work: &mut Work) {
        {
            let _busy = Busy::begin(&self.calls);
            let comm = std::mem::replace(&mut work.comm, std::ptr::null_mut());
            self.end(comm, false);
        }
        self.end_control(self.is_lost());
        self.membership.step(Step::Ended);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.is_lost() {
            let mut work = std::mem::replace(&mut *self.lock(), Work::none());
            self.abort_work(&mut work);
            return;
        }
        // Enqueued work ends first, or the time limit is over. An abort would leave it half done.
        let over = self.wait_for_all().is_ok();
        let mut work = std::mem::replace(&mut *self.lock(), Work::none());
        if over {
            let ended = work.comm.is_null();
            self.destroy(&mut work);
            if !ended {
                self.membership
                    .wait_for(Step::Ended, self.options.timeout.min(LINGER));
            }
        } else {
            self.end_control(true);
            self.abort_work(&mut work);
        }
    }
}
