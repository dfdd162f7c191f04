//! What a communicator is made of: two of NCCL's, one that works and one that ends.
//!
//! NCCL has two kinds of communicators. Calls of a *non-blocking* one return at once, and so does its abort, whatever it
//! does: a time limit can be held. But NCCL starts a thread for each of its collectives, which takes 50 µs (measured with
//! 2.28). Calls of a *blocking* one are five times faster, but may wait for other ranks on the host, and NCCL has no safe
//! way to end such a wait by the same communicator. So there are two: `control`, non-blocking, which is made first and then
//! only watches, and `work`, blocking, which `control` is split into without blocking. They share their abort flag
//! (`splitShare`), so the abort of `control`, from whatever thread, ends what `work` does, its kernels included.

use std::{
    fmt,
    ops::Deref,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use cuda_safe::{Context, PushedContext, Stream, sys as cuda};

use super::{
    board::{Seat, Step},
    call::Call,
    options::CommunicatorOptions,
};
use crate::{
    error::{Error, Result},
    library::Library,
    result::NcclResult,
    sys,
};

/// How long the end of an aborted communicator's work is waited for: the time limit, within these two. The kernels of NCCL 2.28
/// end within 3 ms; what else the stream has been given may take longer.
const GRACE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// How long a rank that is dropped waits for the ranks of other threads to be dropped as well: see [`Seat::wait_for`].
const LINGER: Duration = Duration::from_secs(1);

pub(super) struct Inner {
    shared: Arc<Shared>,
    work: Mutex<Work>,
    /// How many calls the ranks have compared.
    pub(super) compared: AtomicU64,
    /// How many communicators were made of this one without some ranks.
    pub(super) shrunk: AtomicU64,
    /// What names it within the process.
    pub(super) name: Vec<u8>,
}

/// What the watch sees of a communicator.
pub(super) struct Shared {
    pub(super) library: &'static Library,
    pub(super) context: Context,
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) options: CommunicatorOptions,
    control: Mutex<Control>,
    /// Odd while a call of `work` is under way. The watch looks at it.
    pub(super) calls: AtomicU64,
    /// Why the communicator can't be used any more.
    lost: OnceLock<String>,
    pub(super) seat: Seat,
}

impl Deref for Inner {
    type Target = Shared;

    #[inline]
    fn deref(&self) -> &Shared {
        &self.shared
    }
}

/// The communicator that works, null when it is gone.
pub(super) struct Work {
    pub(super) comm: sys::ncclComm_t,
    /// The streams that it has enqueued on.
    streams: Vec<Stream>,
    /// How many collectives it has made.
    number: u64,
}

impl Work {
    fn none() -> Self {
        Self {
            comm: std::ptr::null_mut(),
            streams: Vec::new(),
            number: 0,
        }
    }
}

struct Control {
    comm: sys::ncclComm_t,
}

// SAFETY: NCCL's communicators belong to no thread. Calls of one are made one after the other, under its lock.
unsafe impl Send for Work {}
// SAFETY: as above.
unsafe impl Send for Control {}

/// The context is current until this is dropped.
pub(super) struct Current<'a>(
    #[expect(dead_code, reason = "for its drop")] Option<PushedContext<'a>>,
);

/// Makes the context current, in one call of the driver where it is already.
#[inline]
pub(super) fn enter(context: &Context) -> Result<Current<'_>> {
    let mut current = std::ptr::null_mut();
    // SAFETY: `current` is valid for the write.
    let code = unsafe { cuda::cuCtxGetCurrent(&mut current) };
    if code == cuda::CUresult::CUDA_SUCCESS && current == context.as_raw() {
        return Ok(Current(None));
    }
    Ok(Current(Some(context.push_current()?)))
}

/// What NCCL has said last; empty where it says nothing.
pub(super) fn said(library: &Library) -> String {
    let Some(last) = library.functions().ncclGetLastError else {
        return String::new();
    };
    // SAFETY: a null communicator is allowed.
    let text = unsafe { last(std::ptr::null_mut()) };
    if text.is_null() {
        return String::new();
    }
    // SAFETY: a C string of the library's.
    unsafe { std::ffi::CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

impl Shared {
    /// Who this is, for messages.
    pub(super) fn who(&self) -> String {
        format!("rank {} of {}", self.rank, self.size)
    }

    pub(super) fn lost_error(&self) -> Error {
        Error::Lost(
            self.lost
                .get()
                .cloned()
                .unwrap_or_else(|| format!("{}: the communicator has been finalised", self.who())),
        )
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Ends the communicator, from whatever thread: what it does on the device and on the host ends, in other threads too.
    /// The other ranks of this process end with it, as they can't go on: NCCL would let them compute nonsense. The first reason
    /// stays.
    #[cold]
    pub(super) fn lose(&self, why: String) -> Error {
        if self.lost.set(why.clone()).is_ok() {
            for other in self.seat.others() {
                if other.lost.set(why.clone()).is_ok() {
                    other.end_control(true);
                }
            }
        }
        self.end_control(true);
        self.seat.step(Step::Gone);
        self.lost_error()
    }

    fn end_control(&self, abort: bool) {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let comm = std::mem::replace(&mut control.comm, std::ptr::null_mut());
        self.end(comm, abort);
    }

    fn end(&self, comm: sys::ncclComm_t, abort: bool) {
        if comm.is_null() {
            return;
        }
        let _current = enter(&self.context);
        let functions = self.library.functions();
        let end = match abort {
            true => functions.ncclCommAbort,
            false => functions.ncclCommDestroy,
        };
        if let Some(end) = end {
            // SAFETY: the communicator was taken from its place, so nobody else uses it, and it ends once.
            let _ = unsafe { end(comm) };
        }
    }

    /// What the call of `control` that is under way has come to.
    pub(super) fn control_state(&self) -> Result<NcclResult> {
        let ask = self.library.functions().ncclCommGetAsyncError;
        let ask = self.library.need("ncclCommGetAsyncError", ask)?;
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if control.comm.is_null() {
            return Err(self.lost_error());
        }
        let mut state = sys::ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is live, `state` is valid for the write.
        let asked = NcclResult(unsafe { ask(control.comm, &mut state) }.0);
        match asked {
            NcclResult::SUCCESS => Ok(NcclResult(state.0)),
            failed => Ok(failed),
        }
    }

    /// The communicator that only watches: for calls that make others of it. Null when it is gone.
    pub(super) fn with_control<R>(&self, call: impl FnOnce(sys::ncclComm_t) -> R) -> R {
        call(
            self.control
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .comm,
        )
    }
}

impl Inner {
    /// # Safety
    /// The two are ready communicators of these numbers on the context's device, and nobody else has them.
    pub(super) unsafe fn new(
        library: &'static Library,
        context: Context,
        [rank, size]: [usize; 2],
        options: CommunicatorOptions,
        [control, work]: [sys::ncclComm_t; 2],
        (name, seat): (Vec<u8>, Seat),
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
            seat,
        });
        super::watch::watch(&shared);
        shared.seat.is(&shared);
        Arc::new(Self {
            shared,
            work: Mutex::new(Work {
                comm: work,
                streams: Vec::new(),
                number: 0,
            }),
            compared: AtomicU64::new(0),
            shrunk: AtomicU64::new(0),
            name,
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error if the communicator has ended.
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

    /// Remembers a stream that is about to be enqueued on.
    #[inline]
    pub(super) fn note(&self, work: &mut Work, stream: &Stream) {
        if work.streams.last() != Some(stream) {
            note_new(&mut work.streams, stream);
        }
    }

    /// Compares a call with those of the ranks of this process, before it is made.
    #[inline]
    pub(super) fn compare(&self, work: &mut Work, call: &Call) -> Result<()> {
        match self.seat.compare(&mut work.number, call) {
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
    /// As [`Call::make`].
    #[inline]
    pub(super) unsafe fn enqueue(&self, call: &Call, stream: &Stream) -> Result<()> {
        let _current = enter(&self.context)?;
        let mut work = self.lock();
        let comm = self.usable(&mut work)?;
        self.compare(&mut work, call)?;
        self.note(&mut work, stream);
        let result = {
            let _busy = Busy::begin(&self.calls);
            // SAFETY: a live communicator; the rest as this function's contract says.
            unsafe { call.make(self.library.functions(), comm, stream) }
        };
        if result == Some(sys::ncclResult_t::ncclSuccess) && self.lost.get().is_none() {
            return Ok(());
        }
        let result = self.library.need(call.kind.name(), result)?;
        self.after(call.kind.name(), result, &mut work)
    }

    /// What a call that may have failed means.
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
        let error = Error::nccl(call, result, &said(self.library));
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

    /// Frees what an abort leaves of `work`.
    pub(super) fn abort_work(&self, work: &mut Work) {
        let comm = std::mem::replace(&mut work.comm, std::ptr::null_mut());
        self.end(comm, true);
    }

    /// An error that NCCL's own threads have found.
    fn asynchronous(&self) -> Result<()> {
        let Some(ask) = self.library.functions().ncclCommGetAsyncError else {
            return Ok(());
        };
        let mut work = self.lock();
        let comm = self.usable(&mut work)?;
        let mut state = sys::ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is live, `state` is valid for the write.
        let result = unsafe { ask(comm, &mut state) };
        match (result, state) {
            (sys::ncclResult_t::ncclSuccess, sys::ncclResult_t::ncclSuccess) => Ok(()),
            (sys::ncclResult_t::ncclSuccess, state) => {
                let error = Error::nccl("a collective", NcclResult(state.0), &said(self.library));
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

    /// Waits for the stream, with the time limit.
    pub(super) fn wait(&self, stream: &Stream) -> Result<()> {
        let since = Instant::now();
        let mut looked = since;
        while !stream.query()? {
            let now = Instant::now();
            if self.is_lost() {
                break;
            }
            let waited = now - since;
            if waited > self.options.timeout {
                self.lose(format!(
                    "{}: what was enqueued has not ended within the time limit of {:?}: another rank has ended, hangs, or \
                     makes other calls. The communicator was aborted",
                    self.who(),
                    self.options.timeout
                ));
                break;
            }
            if now - looked > Duration::from_millis(1) {
                self.asynchronous().or_else(|error| match self.is_lost() {
                    true => Ok(()), // told below
                    false => Err(error),
                })?;
                looked = now;
            }
            // Short work is over soon; for long work the processor is left to others.
            match waited.as_micros() {
                0..200 => std::hint::spin_loop(),
                200..5000 => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(50)),
            }
        }
        if !self.is_lost() {
            self.asynchronous()?;
            return Ok(());
        }
        // The flag is set, so the kernels end by themselves; then nothing is left of the work.
        let since = Instant::now();
        let grace = self.options.timeout.clamp(GRACE[0], GRACE[1]);
        while since.elapsed() < grace && matches!(stream.query(), Ok(false)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.abort_work(&mut self.lock());
        Err(self.lost_error())
    }

    /// Waits for all that was enqueued.
    pub(super) fn wait_for_all(&self) -> Result<()> {
        let streams = self.lock().streams.clone();
        streams.iter().try_for_each(|stream| self.wait(stream))
    }

    /// Ends the communicator together with the other ranks, or else by itself.
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
            // SAFETY: the communicator is live; it is destroyed next.
            finalize.map(|finalize| unsafe { finalize(comm) })
        };
        let result = self.library.need("ncclCommFinalize", result)?;
        self.after("ncclCommFinalize", result, &mut work)?;
        self.destroy(&mut work);
        drop(work);
        self.seat.wait_for(Step::Gone, self.options.timeout);
        Ok(())
    }

    /// Ends it at once.
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
        self.seat.step(Step::Gone);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.is_lost() {
            let mut work = std::mem::replace(&mut *self.lock(), Work::none());
            self.abort_work(&mut work);
            return;
        }
        // What was enqueued ends first, or the time limit does: an abort would leave half of it.
        let over = self.wait_for_all().is_ok();
        let mut work = std::mem::replace(&mut *self.lock(), Work::none());
        if over {
            let ended = work.comm.is_null();
            self.destroy(&mut work);
            if !ended {
                self.seat
                    .wait_for(Step::Gone, self.options.timeout.min(LINGER));
            }
        } else {
            self.end_control(true);
            self.abort_work(&mut work);
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

#[cold]
fn note_new(streams: &mut Vec<Stream>, stream: &Stream) {
    streams.retain(|other| other != stream);
    if streams.len() >= 16 {
        // Those that are over are forgotten, so that the list doesn't grow with short-lived streams.
        streams.retain(|stream| !matches!(stream.query(), Ok(true)));
    }
    streams.push(stream.clone());
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
