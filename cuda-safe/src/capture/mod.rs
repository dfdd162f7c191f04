//! Streams that are being captured, by [`Stream::capture`] or by raw calls, and the calls that this forbids.
//!
//! A capture forbids calls that wait: on its streams, on their whole context, and, unless its mode is relaxed, in the
//! whole thread or process. Such a call fails and invalidates the capture, so methods of this crate check first. The
//! rules, as recorded on an H200 (driver 580):
//!
//! - Waiting for a captured stream, or for a context with one, fails and invalidates the capture in every mode. So does
//!   waiting for the legacy default stream while a blocking stream of its context is captured.
//! - All other waits, allocations and frees are forbidden only by the capture's mode. A thread in the relaxed mode
//!   ([`relaxed`]) may call them at any time.
//! - `cuStreamIsCapturing` never invalidates.
//!
//! `gate.rs` keeps a check and the call behind it together, and `later.rs` puts off what cannot be released now.

mod gate;
mod later;

use std::{cell::Cell, marker::PhantomData, ptr};

use cuda_sys::{self as sys, CUresult, CUstreamCaptureMode, CUstreamCaptureStatus};

pub(crate) use gate::{Beginning, Entered, Length, Queue, Start, captures_exist};
pub(crate) use later::{Needs, drop_outside, put_off, release, release_later};

use crate::{
    context::{Context, Current},
    driver::{callback, newer},
    error::{Error, Result},
    graph::CaptureMode,
    stream::Stream,
};
use gate::{Counted, Place};

thread_local! {
    /// How many captures this thread has under way that forbid it to wait and to allocate.
    static STRICT: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread is in the relaxed mode.
    static RELAXED: Cell<bool> = const { Cell::new(false) };
}

/// Returns an error for a call that the driver forbids this thread while a stream is captured, whatever stream the call is
/// for: by this thread, or by any thread with [`CaptureMode::GLOBAL`](crate::graph::CaptureMode::GLOBAL). The driver would
/// invalidate the capture. While the result lives, no other thread begins a global capture.
#[inline]
pub(crate) fn refuse_here(call: &'static str, remedy: &str) -> Result<Entered> {
    callback::refuse_within(call)?;
    let entered = gate::enter(Place::NONE, Length::Long);
    expect_allowed(call, remedy)?;
    Ok(entered)
}

/// As [`refuse_here`], for a caller that holds a place.
fn expect_allowed(call: &'static str, remedy: &str) -> Result<()> {
    if captures_exist() && !RELAXED.get() && (STRICT.get() > 0 || gate::global_captures_exist()) {
        return Err(captured(call, remedy));
    }
    Ok(())
}

/// A capture of this crate, on the thread that began it.
pub(crate) struct UnderWay {
    strict: bool,
    /// `None` once it has ended.
    counted: Option<Counted>,
    here: PhantomData<*const ()>,
}

impl UnderWay {
    /// Counts a capture that is about to begin.
    pub(crate) fn begin(beginning: &Beginning, mode: CaptureMode) -> Self {
        let strict = mode != CaptureMode::RELAXED;
        STRICT.set(STRICT.get() + usize::from(strict));
        Self {
            strict,
            counted: Some(beginning.count()),
            here: PhantomData,
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        STRICT.set(STRICT.get() - usize::from(self.strict));
        self.counted = None;
        later::capture_ended();
    }
}

/// A stream of which nothing is captured, and no capture begins, while this lives. The stream's context is current.
#[must_use]
pub(crate) struct Uncaptured {
    _entered: Entered,
    _current: Current,
}

/// A context none of whose streams is captured by this crate, and no capture begins, while this lives. The context is
/// current.
#[must_use]
pub(crate) struct UncapturedContext {
    _entered: Entered,
    _current: Current,
}

impl Context {
    /// Keeps captures from beginning on all streams of this context. Does not look whether one is captured now.
    fn hold_captures_off(&self) -> Entered {
        gate::enter(Place::new(self, Queue::All), Length::Long)
    }

    /// Keeps captures from beginning on all streams of this context.
    ///
    /// # Errors
    /// Returns an error if one of them is being captured.
    pub(crate) fn uncaptured(&self, call: &'static str) -> Result<UncapturedContext> {
        let current = self.enter(call)?;
        let entered = self.hold_captures_off();
        if self.is_captured() {
            return Err(captured(call, REMEDY));
        }
        Ok(UncapturedContext {
            _entered: entered,
            _current: current,
        })
    }

    /// Whether this crate captures one of its streams.
    pub(crate) fn is_captured(&self) -> bool {
        captures_exist() && gate::capturers(self.as_raw()) != gate::Capturers::default()
    }

    /// How often captures of this crate have begun or ended in this context.
    pub(crate) fn capture_changes(&self) -> u64 {
        gate::changes(self.as_raw())
    }

    /// After a wait that failed: waits until a capture of another thread, which may be the reason, has ended. Returns
    /// whether to try again, also where one has ended since `before`. If this thread captures a stream of the context too,
    /// waiting would be in vain.
    pub(crate) fn wait_for_captures(&self, before: u64) -> bool {
        let capturers = gate::capturers(self.as_raw());
        if capturers.others {
            gate::wait_for_change(self.as_raw());
        }
        capturers.others || !capturers.this_thread && self.capture_changes() != before
    }
}

/// The remedy for most calls that a capture forbids.
pub(crate) const REMEDY: &str = "make it before the capture, or after it";

impl Stream {
    fn place(&self) -> Place {
        // This thread cannot ask about another thread's default stream.
        let queue = match self.is_of_other_thread() {
            true => Queue::All,
            false => self.queue(),
        };
        Place::new(self.context(), queue)
    }

    /// Keeps captures from beginning on this stream, for a call that returns soon. Does not look whether the stream is
    /// captured now.
    ///
    /// # Errors
    /// Returns an error in a function that the driver calls.
    pub(crate) fn hold_captures_off(&self, call: &'static str) -> Result<Entered> {
        callback::refuse_within(call)?;
        Ok(gate::enter(self.place(), Length::Short))
    }

    /// Keeps this stream from joining a capture that could outlast the result. Its holder waits for the stream at the end.
    ///
    /// # Errors
    /// Returns an error if the stream is being captured, or where this thread must not wait for it.
    pub(crate) fn enter_scope(&self, call: &'static str) -> Result<Entered> {
        drop(self.enter_to_wait(call)?);
        Ok(gate::enter(self.place(), Length::Scope))
    }

    /// For a call that must not be recorded: keeps captures from beginning on this stream until the result is dropped.
    ///
    /// # Errors
    /// Returns an error if the stream is being captured.
    pub(crate) fn uncaptured(&self, call: &'static str, remedy: &str) -> Result<Uncaptured> {
        self.uncaptured_for(call, remedy, Length::Short)
    }

    fn uncaptured_for(
        &self,
        call: &'static str,
        remedy: &str,
        length: Length,
    ) -> Result<Uncaptured> {
        let current = self.enter(call)?;
        let entered = gate::enter(self.place(), length);
        self.expect_uncaptured_for(call, remedy)?;
        Ok(Uncaptured {
            _entered: entered,
            _current: current,
        })
    }

    /// As [`uncaptured`](Self::uncaptured), for a call that may wait for the stream: an error too where this thread's
    /// capture of another stream forbids that.
    pub(crate) fn enter_to_wait(&self, call: &'static str) -> Result<Uncaptured> {
        let uncaptured = self.uncaptured_for(call, REMEDY, Length::Long)?;
        expect_allowed(call, REMEDY)?;
        Ok(uncaptured)
    }

    /// As [`enter_to_wait`](Self::enter_to_wait), for a call that the driver forbids like a wait, but that returns soon.
    pub(crate) fn enter_to_query(&self, call: &'static str, remedy: &str) -> Result<Uncaptured> {
        let uncaptured = self.uncaptured(call, remedy)?;
        expect_allowed(call, remedy)?;
        Ok(uncaptured)
    }

    /// Waits until no thread relies on this stream being uncaptured, and keeps others away while it becomes captured.
    ///
    /// # Errors
    /// Returns an error if a caller of this function relies on it, if the stream cannot be asked for its flags, and in a
    /// function that the driver calls.
    pub(crate) fn begin_capture(&self, call: &'static str, start: Start) -> Result<Beginning> {
        callback::refuse_within(call)?;
        let blocking = match self.queue() {
            Queue::Stream(_) => self.blocks_legacy_default(),
            _ => true,
        };
        gate::begin(self.place(), blocking, start).ok_or_else(|| {
            let reason = match start {
                Start::Begin { .. } => {
                    "the stream cannot be captured here: Stream::ordered_with uses it, on this thread or on one that waits \
                     for this thread. Fix: begin the capture outside of Stream::ordered_with"
                }
                Start::Join => {
                    "the stream cannot join a capture here: Stream::ordered_with, Stream::scope or Stream::mapped uses it. \
                     Fix: let it join before, or after"
                }
            };
            Error::invalid(call, reason)
        })
    }

    /// Returns an error for a call that would invalidate a capture, or that the capture would record instead of executing
    /// it. Only [`uncaptured`](Self::uncaptured) also keeps a capture from beginning right after.
    pub(crate) fn expect_uncaptured_for(&self, call: &'static str, remedy: &str) -> Result<()> {
        if self.captures(call)? {
            Err(captured(call, remedy))
        } else {
            Ok(())
        }
    }

    /// Whether the stream is being captured, by [`capture`](Self::capture) or by raw calls.
    ///
    /// # Errors
    /// The context is unusable after a fault.
    #[doc(alias = "cuStreamIsCapturing")]
    pub fn is_capturing(&self) -> Result<bool> {
        self.captures("cuStreamIsCapturing")
    }

    /// As [`is_capturing`](Self::is_capturing), for a caller whose name the error bears.
    fn captures(&self, call: &'static str) -> Result<bool> {
        let _current = self.enter("cuStreamIsCapturing")?;
        let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: the handle is live, `status` is valid for the write.
        match unsafe { sys::cuStreamIsCapturing(self.as_raw(), &mut status) } {
            CUresult::CUDA_SUCCESS
                if status == CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE =>
            {
                Ok(false)
            }
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT => Ok(true),
            code => self.check(call, code).map(|()| false),
        }
    }

    /// Returns the number of the capture that the stream is part of, or `None` if it is not being captured. All streams of a
    /// capture have the same number.
    ///
    /// # Errors
    /// The context is unusable after a fault. `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the legacy default stream while a
    /// blocking stream is being captured.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// assert_eq!(stream.capture_number()?, None);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamGetCaptureInfo")]
    pub fn capture_number(&self) -> Result<Option<u64>> {
        if !self.is_capturing()? {
            return Ok(None);
        }
        let _current = self.enter("cuStreamGetCaptureInfo")?;
        let (mut status, mut number) = (CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE, 0);
        let get = newer::cuStreamGetCaptureInfo()?;
        // SAFETY: the handle is live; both are valid for the write, and the driver leaves out what is null.
        let code = unsafe {
            get(
                self.as_raw(),
                &mut status,
                &mut number,
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        self.check("cuStreamGetCaptureInfo", code)?;
        Ok(Some(number))
    }

    /// For streams that are to be ordered with each other: whether they are captured. An error where some are and others
    /// are not, or they are parts of different captures.
    pub(crate) fn expect_captured_together(
        &self,
        others: &[&Stream],
        call: &'static str,
    ) -> Result<bool> {
        // The legacy default stream is part of no capture, and nothing can be enqueued there during one.
        let number = |stream: &Stream| match stream.capture_number() {
            Err(error)
                if error.driver_code() == Some(CUresult::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) =>
            {
                Err(captured(call, REMEDY))
            }
            number => number,
        };
        let own = number(self)?;
        for other in others {
            if number(other)? != own {
                return Err(captured(
                    call,
                    "have the other stream join it first (wait_stream), or use memory of the stream itself",
                ));
            }
        }
        Ok(own.is_some())
    }
}

#[cold]
fn captured(call: &'static str, remedy: &str) -> Error {
    Error::invalid(
        call,
        format!("a stream is being captured, and this call can't be a part of that: {remedy}"),
    )
}

/// Calls `call` with this thread's capture mode relaxed: for work that belongs to no capture, but that the driver
/// forbids while one is under way.
pub(crate) fn relaxed<R>(call: impl FnOnce() -> R) -> R {
    /// Restores the mode, after a panic too.
    struct Restore {
        mode: Option<CUstreamCaptureMode>,
        relaxed: bool,
    }
    impl Drop for Restore {
        fn drop(&mut self) {
            RELAXED.set(self.relaxed);
            if let Some(mode) = &mut self.mode {
                // SAFETY: `mode` is valid for the exchange.
                let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(mode) };
            }
        }
    }
    let mut mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: `mode` is valid for the exchange.
    let changed = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    let _restore = Restore {
        mode: (changed == CUresult::CUDA_SUCCESS).then_some(mode),
        relaxed: RELAXED.replace(true),
    };
    call()
}

/// Calls `release`, which a capture's mode may forbid but which touches no captured stream. So nothing is leaked because
/// of a capture, and no capture is invalidated.
pub(crate) fn released(release: impl FnOnce() -> CUresult) -> CUresult {
    relaxed(release)
}

/// As [`released`], for a call that is made often: it costs nothing extra where no capture forbids it. Otherwise the call
/// invalidates a capture of raw calls.
pub(crate) fn or_relaxed(release: impl Fn() -> CUresult) -> CUresult {
    match release() {
        CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => relaxed(release),
        code => code,
    }
}
