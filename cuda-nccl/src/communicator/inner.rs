//! The two NCCL communicators behind a [`Communicator`](super::Communicator): one that works, and
//! one that can abort it.
//!
//! NCCL has two kinds of communicators. Calls of a *non-blocking* communicator, including its
//! abort, return immediately in any state, so a time limit can be enforced. But NCCL starts a
//! thread for each of its collectives, which takes 50 µs (measured with 2.28). Calls of a
//! *blocking* communicator are five times faster, but may wait for other ranks on the host, and the
//! same communicator offers no safe way to end such a wait.
//!
//! So there are two. `control` is non-blocking. It is created first, and afterwards only watches.
//! `work` is blocking, and is created by splitting `control` without blocking. They share their
//! abort flag (`splitShare`), so aborting `control` from any thread ends the calls of `work` and
//! its kernels.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, atomic::AtomicU64},
};

use cuda_safe::{Context, Stream};

use super::{
    board::{Calls, Membership},
    call::Call,
    current::{enter, last_error},
    marks::Marks,
    options::CommunicatorOptions,
    shared::{Control, Shared},
    watch::Busy,
};
use crate::{
    error::{Error, Result},
    library::Library,
    result::NcclResult,
    sys,
};

pub(super) struct Inner {
    shared: Arc<Shared>,
    pub(super) work: Mutex<Work>,
    /// Number of calls that the ranks have compared.
    pub(super) compared: AtomicU64,
    /// Number of communicators created from this one by `shrink`.
    pub(super) shrunk: AtomicU64,
    /// The key of the communicator within the process.
    pub(super) name: Vec<u8>,
}

impl Deref for Inner {
    type Target = Shared;

    #[inline]
    fn deref(&self) -> &Shared {
        &self.shared
    }
}

/// The NCCL communicator that makes the calls. Its handle is null after its end.
pub(super) struct Work {
    pub(super) comm: sys::ncclComm_t,
    /// The ends of its calls.
    pub(super) marks: Marks,
    calls: Calls,
}

impl Work {
    pub(super) fn none() -> Self {
        Self {
            comm: std::ptr::null_mut(),
            marks: Marks::default(),
            calls: Calls::new(),
        }
    }
}

// SAFETY: NCCL's communicators are not bound to a thread. The lock serializes the calls of one.
unsafe impl Send for Work {}

impl Inner {
    /// Creates the state of a rank.
    ///
    /// # Safety
    /// The caller must ensure that both handles are ready communicators with these numbers on the
    /// context's device, and that nothing else uses them.
    pub(super) unsafe fn new(
        library: &'static Library,
        context: Context,
        [rank, size]: [usize; 2],
        options: CommunicatorOptions,
        [control, work]: [sys::ncclComm_t; 2],
        (name, membership): (Vec<u8>, Membership),
    ) -> Arc<Self> {
        let shared = Arc::new(Shared {
            library,
            context,
            rank,
            size,
            options,
            control: Mutex::new(Control { comm: control }),
            calls: AtomicU64::new(0),
            lost: OnceLock::new(),
            membership,
        });
        super::watch::watch(&shared);
        shared.membership.set_shared(&shared);
        Arc::new(Self {
            shared,
            work: Mutex::new(Work {
                comm: work,
                marks: Marks::default(),
                calls: Calls::new(),
            }),
            compared: AtomicU64::new(0),
            shrunk: AtomicU64::new(0),
            name,
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the handle, or an error if the communicator has ended.
    #[inline]
    pub(super) fn usable(&self, work: &mut Work) -> Result<sys::ncclComm_t> {
        if self.lost.get().is_none() && !work.comm.is_null() {
            return Ok(work.comm);
        }
        Err(self.ended(work))
    }

    #[cold]
    fn ended(&self, work: &mut Work) -> Error {
        self.abort_work(work);
        self.lost_error()
    }

    /// Prepares to [mark](Self::mark) the ends of calls on these streams.
    #[inline]
    pub(super) fn prepare<'s, I>(&self, work: &mut Work, streams: I) -> Result<()>
    where
        I: IntoIterator<Item = &'s Stream, IntoIter: Clone>,
    {
        let prepared = work.marks.prepare(streams);
        prepared.map_err(|error| self.failed_within(error, work))
    }

    /// Marks the end of a call that was just enqueued on a stream.
    #[inline]
    pub(super) fn mark(&self, work: &mut Work, stream: &Stream) -> Result<()> {
        let marked = self.try_mark(work, stream);
        marked.map_err(|error| self.failed_within(error, work))
    }

    #[inline]
    fn try_mark(&self, work: &Work, stream: &Stream) -> Result<()> {
        // Ranks that compare their calls reject capturing streams.
        if !self.options.verify && stream.is_capturing()? {
            work.marks.set_captured(stream);
            return Ok(());
        }
        work.marks.record(stream)
    }

    /// Compares a call with those of the ranks in this process, before the call is made.
    #[inline]
    pub(super) fn compare(&self, work: &mut Work, call: &Call) -> Result<()> {
        match self.membership.compare(&mut work.calls, call) {
            None => Ok(()),
            Some(why) => {
                self.lose(why.clone());
                self.abort_work(work);
                Err(Error::Value(why))
            }
        }
    }

    /// Makes a call that enqueues on the stream.
    ///
    /// # Safety
    /// The requirements of [`Call::make`] apply.
    #[inline]
    pub(super) unsafe fn enqueue(&self, call: &Call, stream: &Stream) -> Result<()> {
        let _current = enter(&self.context).map_err(|error| self.failed(error))?;
        let mut work = self.lock();
        let comm = self.usable(&mut work)?;
        // Done before the other ranks see the call, since it may fail.
        self.prepare(&mut work, [stream])?;
        self.compare(&mut work, call)?;
        let result = {
            let _busy = Busy::begin(&self.calls);
            // SAFETY: the communicator is live. The rest is guaranteed by this function's caller.
            unsafe { call.make(self.library.functions(), comm, stream) }
        };
        if result == Some(sys::ncclResult_t::ncclSuccess) && self.lost.get().is_none() {
            return self.mark(&mut work, stream);
        }
        let result = self.library.need(call.kind.name(), result)?;
        self.after(call.kind.name(), result, &mut work)
    }

    /// Handles the result of a call that may have failed.
    #[cold]
    pub(super) fn after(
        &self,
        call: &'static str,
        result: sys::ncclResult_t,
        work: &mut Work,
    ) -> Result<()> {
        if self.is_lost() {
            return Err(self.ended(work));
        }
        let result = NcclResult(result.0);
        if result == NcclResult::SUCCESS {
            return Ok(());
        }
        let error = Error::nccl(call, result, &last_error(self.library));
        if !result.ends_communicator() {
            return Err(error);
        }
        let lost = self.lose(format!(
            "{}: {error}. The communicator was aborted",
            self.who()
        ));
        self.abort_work(work);
        Err(match result {
            NcclResult::REMOTE_ERROR | NcclResult::TIMEOUT => lost,
            _ => error,
        })
    }

    /// Frees `work` after an abort.
    pub(super) fn abort_work(&self, work: &mut Work) {
        let comm = std::mem::replace(&mut work.comm, std::ptr::null_mut());
        self.end(comm, true);
    }

    /// Returns the error that NCCL's own threads have found, if any.
    pub(super) fn asynchronous(&self) -> Result<()> {
        let Some(ask) = self.library.functions().ncclCommGetAsyncError else {
            return Ok(());
        };
        let mut work = self.lock();
        let comm = self.usable(&mut work)?;
        let mut state = sys::ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is live, and `state` is valid for the write.
        let result = unsafe { ask(comm, &mut state) };
        match (result, state) {
            (sys::ncclResult_t::ncclSuccess, sys::ncclResult_t::ncclSuccess) => Ok(()),
            (sys::ncclResult_t::ncclSuccess, state) => {
                let error = Error::nccl(
                    "a collective",
                    NcclResult(state.0),
                    &last_error(self.library),
                );
                let lost = self.lose(format!(
                    "{}: {error}. The communicator was aborted",
                    self.who()
                ));
                self.abort_work(&mut work);
                Err(lost)
            }
            (failed, _) => self.after("ncclCommGetAsyncError", failed, &mut work),
        }
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Communicator")
            .field("rank", &self.rank)
            .field("size", &self.size)
            .field("device", &self.context.device().ordinal())
            .field("lost", &self.lost.get())
            .finish_non_exhaustive()
    }
}
