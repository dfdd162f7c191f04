//! Streams that are being captured, by [`Stream::capture`] or by raw calls, and what that forbids.
//!
//! While a stream is captured, calls that wait are forbidden: on that stream, and, unless the mode is relaxed, in the
//! whole thread or process. Such a call fails and invalidates the capture, so methods of this crate look first.

use std::{
    any::Any,
    cell::Cell,
    marker::PhantomData,
    mem, ptr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use cuda_sys::{self as sys, CUresult, CUstreamCaptureMode, CUstreamCaptureStatus};

use crate::{
    error::{Error, Result},
    newer,
    stream::Stream,
};

/// How many captures this crate has under way: what is not captured by raw calls needs no question to the driver.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
/// What is dropped when none is under way any more.
static AFTERWARDS: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());

/// Whether a capture of this crate is under way, in whatever thread.
#[inline]
pub(crate) fn is_under_way() -> bool {
    UNDER_WAY.load(Ordering::Relaxed) > 0
}

/// Drops `value` when no capture is under way any more.
pub(crate) fn drop_afterwards(value: impl Send + 'static) {
    let mut afterwards = AFTERWARDS.lock().unwrap_or_else(PoisonError::into_inner);
    if is_under_way() {
        afterwards.push(Box::new(value));
    } else {
        drop(afterwards); // the last has ended just now
        drop(value);
    }
}

thread_local! {
    /// How many captures this thread has under way that forbid it to wait and to allocate.
    static STRICT: Cell<usize> = const { Cell::new(0) };
}

/// An error for a call that the driver forbids this thread while it captures a stream, whatever stream the call is for. The
/// driver would end the capture.
#[inline]
pub(crate) fn refuse_here(call: &'static str, remedy: &str) -> Result<()> {
    if is_under_way() && STRICT.get() > 0 {
        return Err(captured(call, remedy));
    }
    Ok(())
}

/// A capture of this crate, on the thread that began it.
pub(crate) struct UnderWay {
    strict: bool,
    here: PhantomData<*const ()>,
}

impl UnderWay {
    /// `strict` unless the mode is relaxed.
    pub(crate) fn begin(strict: bool) -> Self {
        UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        STRICT.set(STRICT.get() + usize::from(strict));
        Self {
            strict,
            here: PhantomData,
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        STRICT.set(STRICT.get() - usize::from(self.strict));
        let afterwards = {
            // One lock around both, so that what is added meanwhile is not left behind.
            let mut afterwards = AFTERWARDS.lock().unwrap_or_else(PoisonError::into_inner);
            match UNDER_WAY.fetch_sub(1, Ordering::Relaxed) {
                1 => mem::take(&mut *afterwards),
                _ => Vec::new(),
            }
        };
        drop(afterwards);
    }
}

impl Stream {
    /// An error for a call that would invalidate a capture, or that the capture would record instead of executing.
    pub(crate) fn expect_uncaptured(&self, call: &'static str) -> Result<()> {
        self.expect_uncaptured_for(call, "make it before the capture, or after it")
    }

    /// As [`expect_uncaptured`](Self::expect_uncaptured), with what to do instead.
    pub(crate) fn expect_uncaptured_for(&self, call: &'static str, remedy: &str) -> Result<()> {
        if self.captures(call)? {
            Err(captured(call, remedy))
        } else {
            Ok(())
        }
    }

    /// Whether what this stream is given is recorded, by [`capture`](Self::capture) or by raw calls.
    ///
    /// # Errors
    /// The context is unusable after a fault.
    #[doc(alias = "cuStreamIsCapturing")]
    pub fn is_capturing(&self) -> Result<bool> {
        self.captures("cuStreamIsCapturing")
    }

    /// As [`is_capturing`](Self::is_capturing), for a caller whose name the error bears.
    fn captures(&self, call: &'static str) -> Result<bool> {
        let _current = self.enter()?;
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

    /// The number of the capture that the stream is part of: streams of one capture have the same. `None` where what the
    /// stream is given is executed.
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
        let _current = self.enter()?;
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
        let number = self.capture_number()?;
        for other in others {
            if other.capture_number()? != number {
                return Err(captured(
                    call,
                    "have the other stream join it first (wait_stream), or use memory of the stream itself",
                ));
            }
        }
        Ok(number.is_some())
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
    let mut mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: `mode` is valid for the exchange.
    let changed = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    let strict = STRICT.replace(0);
    let result = call();
    STRICT.set(strict);
    if changed == CUresult::CUDA_SUCCESS {
        // SAFETY: as above; `mode` is what it was before.
        let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    }
    result
}

/// Calls `release`, and once more if a capture under way forbids it, so that nothing is leaked because of the
/// capture.
pub(crate) fn released(release: impl Fn() -> CUresult) -> CUresult {
    match release() {
        CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => relaxed(release),
        code => code,
    }
}
