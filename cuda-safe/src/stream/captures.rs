//! Checks for streams that are being captured.

use std::ptr;

use cuda_sys::{self as sys, CUresult, CUstreamCaptureStatus};

use super::Stream;
use crate::{
    capture::{
        self, Beginning, Entered, Length, Needs, Place, Queue, REMEDY, Start, captured,
        captures_exist, relaxed,
    },
    context::Current,
    driver::{callback, newer},
    error::{Error, Result, ends_context, fault::discarding_errors},
};

/// A guard: the stream is not captured, no capture of it begins, and its context is current.
#[must_use]
pub(crate) struct Uncaptured {
    _entered: Entered,
    _current: Current,
}

impl Stream {
    fn place(&self) -> Place {
        // This thread cannot query the default stream of another thread.
        let queue = match self.is_of_other_thread() {
            true => Queue::All,
            false => self.queue(),
        };
        Place::new(self.context().as_raw(), queue)
    }

    /// Prevents captures from beginning on this stream, for a call that returns soon. Does not
    /// check whether the stream is captured now.
    ///
    /// # Errors
    /// Returns an error inside a host function or a log listener.
    pub(crate) fn block_captures(&self, call: &'static str) -> Result<Entered> {
        callback::reject_in_callback(call)?;
        Ok(capture::enter(self.place(), Length::Short))
    }

    /// Prevents this stream from joining a capture that could outlast the returned guard. The
    /// caller must wait for the stream before it drops the guard.
    ///
    /// # Errors
    /// Returns an error if the stream is being captured, or if this thread must not wait for it.
    pub(crate) fn enter_scope(&self, call: &'static str) -> Result<Entered> {
        drop(self.enter_to_wait(call)?);
        Ok(capture::enter(self.place(), Length::Scope))
    }

    /// Prevents captures from beginning on this stream until the result is dropped, for a call that
    /// must not be recorded.
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
        let entered = capture::enter(self.place(), length);
        self.expect_uncaptured_for(call, remedy)?;
        Ok(Uncaptured {
            _entered: entered,
            _current: current,
        })
    }

    /// Enters the stream like [`uncaptured`](Self::uncaptured), for a call that may wait for the
    /// stream. Also returns an error if a capture of another stream by this thread forbids the
    /// wait.
    pub(crate) fn enter_to_wait(&self, call: &'static str) -> Result<Uncaptured> {
        let uncaptured = self.uncaptured_for(call, REMEDY, Length::Long)?;
        capture::expect_allowed(call, REMEDY)?;
        Ok(uncaptured)
    }

    /// Enters the stream like [`enter_to_wait`](Self::enter_to_wait), for a call that the driver
    /// forbids in the same cases as a wait, but that returns at once.
    pub(crate) fn enter_to_query(&self, call: &'static str, remedy: &str) -> Result<Uncaptured> {
        let uncaptured = self.uncaptured(call, remedy)?;
        capture::expect_allowed(call, remedy)?;
        Ok(uncaptured)
    }

    /// Waits until no thread relies on this stream being uncaptured, and then blocks such threads
    /// until the capture has begun.
    ///
    /// # Errors
    /// Returns an error if this thread relies on it itself (or a thread that waits for this one),
    /// and inside a host function or a log listener.
    pub(crate) fn begin_capture(&self, call: &'static str, start: Start) -> Result<Beginning> {
        callback::reject_in_callback(call)?;
        let blocking = match self.queue() {
            Queue::Stream(_) => self.blocks_legacy_default(),
            _ => true,
        };
        capture::begin(self.place(), blocking, start).ok_or_else(|| {
            let reason = match start {
                Start::Begin { .. } => {
                    "the stream cannot be captured here: Stream::ordered_with uses it, on this thread or on one that waits \
                     for this thread. Fix: begin the capture outside of Stream::ordered_with"
                }
                Start::Join => {
                    "the stream cannot join a capture here: Stream::ordered_with, Stream::scope or Stream::mapped uses it. \
                     Fix: let it join before or after that call"
                }
            };
            Error::invalid(call, reason)
        })
    }

    /// Returns an error for a call that would invalidate a capture, or that the capture would
    /// record instead of executing it. Only [`uncaptured`](Self::uncaptured) also prevents a
    /// capture from beginning afterwards.
    pub(crate) fn expect_uncaptured_for(&self, call: &'static str, remedy: &str) -> Result<()> {
        if self.captures(call)? {
            Err(captured(call, remedy))
        } else {
            Ok(())
        }
    }

    /// Returns whether the stream is being captured, by [`capture`](Self::capture) or by raw calls.
    ///
    /// See [`cuStreamIsCapturing`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault.
    #[doc(alias = "cuStreamIsCapturing")]
    pub fn is_capturing(&self) -> Result<bool> {
        self.captures("cuStreamIsCapturing")
    }

    /// Returns the same as [`is_capturing`](Self::is_capturing). The error names `call`.
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

    /// Returns the number of the capture that the stream is part of, or `None` if it is not being
    /// captured. All streams of a capture have the same number.
    ///
    /// See [`cuStreamGetCaptureInfo`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context is unusable after a fault. Returns
    /// `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the legacy default stream while a blocking stream
    /// is being captured.
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
        // SAFETY: the handle is live, and both are valid for the write. The driver skips null
        // pointers.
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

    /// Returns whether streams that will be ordered with each other are captured. Returns an error
    /// if only some are captured, or if they are part of different captures.
    pub(crate) fn expect_captured_together(
        &self,
        others: &[&Stream],
        call: &'static str,
    ) -> Result<bool> {
        // The legacy default stream is never part of a capture, and nothing can be enqueued on it
        // during one.
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
                    "let the other stream join the capture first (wait_stream), or use memory of the captured stream",
                ));
            }
        }
        Ok(own.is_some())
    }
}

/// The requirements of a release that waits for a stream, or is enqueued on it.
impl Needs for Stream {
    fn is_captured(&self) -> bool {
        captures_exist()
            && match self.is_of_other_thread() {
                // Only its own thread can query it.
                true => self.context().is_captured(),
                // After a fault the release itself reports it. A stream that cannot be queried may
                // be captured.
                false => self
                    .is_capturing()
                    .unwrap_or_else(|error| !error.driver_code().is_some_and(ends_context)),
            }
    }

    fn places(&self) -> (Place, Vec<Place>) {
        (self.place(), Vec::new())
    }

    fn kept(&self) -> Box<dyn Needs + Send> {
        std::slice::from_ref(self).kept()
    }

    fn is_done(&self) -> bool {
        // A stream that cannot be queried has faulted. The release reports that.
        relaxed(|| discarding_errors(|| self.query()).unwrap_or(true))
    }
}

/// The requirements of a release that waits for several streams.
impl Needs for [Stream] {
    fn is_captured(&self) -> bool {
        self.iter().any(Needs::is_captured)
    }

    fn places(&self) -> (Place, Vec<Place>) {
        match self {
            // Allocates only for several streams.
            [first, others @ ..] => (first.place(), others.iter().map(Stream::place).collect()),
            [] => (Place::NONE, Vec::new()),
        }
    }

    fn kept(&self) -> Box<dyn Needs + Send> {
        // Only its own thread can query a per-thread default stream, and that thread may end.
        match self.iter().any(Stream::is_per_thread) {
            true => self[0].context().kept(),
            false => Box::new(self.to_vec()),
        }
    }

    fn is_done(&self) -> bool {
        self.iter().all(Needs::is_done)
    }
}

impl Needs for Vec<Stream> {
    fn is_captured(&self) -> bool {
        self.as_slice().is_captured()
    }

    fn places(&self) -> (Place, Vec<Place>) {
        self.as_slice().places()
    }

    fn kept(&self) -> Box<dyn Needs + Send> {
        self.as_slice().kept()
    }

    fn is_done(&self) -> bool {
        self.as_slice().is_done()
    }
}
