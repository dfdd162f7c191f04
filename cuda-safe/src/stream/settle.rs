//! Waiting until work no longer touches memory, also where the first way of waiting fails.

use std::{ffi::c_uint, fmt, process};

use cuda_sys::{self as sys, CUdeviceptr, CUpointer_attribute, CUresult};

use crate::{
    capture::relaxed,
    context::{Context, unheard},
    error::{Code, Error, Result, ends_context},
    stream::{Stream, event::Event},
};

/// The state of enqueued work after a wait. See [`Stream::settle`].
///
/// A wait answers three questions: is the device done, are host functions done, and are other contexts done with the
/// memory. [`Done`](Self::Done) and [`Failed`](Self::Failed) answer all three with yes.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Settled, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
/// match stream.settle() {
///     Settled::Done => {}
///     Settled::Failed(error) => println!("it is over, but failed: {error}"),
///     Settled::Faulted(error) => println!("only host functions may still run: {error}"),
///     Settled::Unknown(error) => println!("it may still be running: {error}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "memory may be reused only when the work is known to be over"]
pub enum Settled {
    /// The work is over.
    Done,
    /// The work is over. It, or a wait for it, failed.
    Failed(Error),
    /// The context has faulted, and the process has no other one. Its kernels and copies are over. A host function that had
    /// begun may still be running: leak everything that raw host functions use.
    Faulted(Error),
    /// It is not known whether the work is over. The memory that it uses must not be reused: leak it if you own it.
    /// Borrowed memory cannot be returned.
    ///
    /// This is also the result after a fault in a process that has had several contexts. The fault ends all of them, on all
    /// devices, but the device goes on with the work of those that did not fault. The driver does not report which one did.
    Unknown(Error),
}

impl Settled {
    /// For work that uses memory about to be freed, but no raw host functions. Returns an error if it is not known
    /// whether the work is over. The caller then leaks the memory.
    pub(crate) fn or_leak(self) -> Result<()> {
        self.or_unknown().map(drop)
    }

    /// Returns the result of work that is over, and an error if it is not known whether it is.
    pub(crate) fn or_unknown(self) -> Result<Result<()>> {
        match self {
            Self::Done => Ok(Ok(())),
            Self::Failed(error) | Self::Faulted(error) => Ok(Err(error)),
            Self::Unknown(error) => Err(error),
        }
    }

    /// The result for work of `context`, which a fault of another context may not have ended.
    fn of(self, context: &Context) -> Self {
        match self {
            Self::Faulted(error) if !context.is_alone() => Self::Unknown(error),
            settled => settled,
        }
    }

    /// For work that uses borrowed memory, which cannot be leaked. Host functions must not use the memory.
    ///
    /// # Errors
    /// Returns the error of [`Settled::Failed`] or [`Settled::Faulted`].
    ///
    /// # Aborts
    /// Ends the process with a message if it is not known whether the work is over. Otherwise the device could write to
    /// memory that is in use for something else by then.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// stream.settle().or_abort()?; // from here on nothing enqueued before touches host memory
    /// # Ok(())
    /// # }
    /// ```
    pub fn or_abort(self) -> Result<()> {
        match self {
            Self::Done => Ok(()),
            Self::Failed(error) | Self::Faulted(error) => Err(error),
            Self::Unknown(error) => abort(&error),
        }
    }

    /// For work that uses borrowed device memory, and no host memory. As [`or_abort`](Self::or_abort), but any fault ends
    /// the borrow. The device may go on with the work, but no call can free or use the memory after a fault. Memory that the
    /// host can reach too, such as [`MappedBuffer`](crate::MappedBuffer), checks that itself before it gives access.
    ///
    /// # Errors
    /// Returns the error of [`Settled::Failed`] or [`Settled::Faulted`], and that of [`Settled::Unknown`] if it is a fault.
    ///
    /// # Aborts
    /// Ends the process with a message if it is not known whether the work is over, and nothing has faulted.
    pub fn or_abort_without_fault(self) -> Result<()> {
        match self {
            Self::Unknown(error) if error.driver_code().is_some_and(ends_context) => Err(error),
            settled => settled.or_abort(),
        }
    }
}

#[cold]
fn abort(why: &dyn fmt::Display) -> ! {
    eprintln!(
        "cuda-safe: the driver can't tell whether a copy to or from borrowed memory is over ({why}). Going on would \
         let the device use memory that is the program's again, so the process ends here. Fix: find the error above. After \
         a fault, this happens only in processes with several contexts."
    );
    process::abort()
}

/// Tries one way of waiting after another until one of them gives certainty.
///
/// A way that is refused before its driver call, because of a capture or a host function, says nothing about the work. Its
/// error is returned only if no way gives certainty.
///
/// A wait or a query reports a fault of its own context when all work of the context has ended, on all streams and in its
/// green contexts. Recorded on an H100 (driver 580) with kernels and copies that took seconds: nothing moved afterwards. But
/// a host function that has begun may run on. For faults of other contexts see `context/others.rs`.
pub(crate) fn settle<const N: usize>(ways: [&dyn Fn() -> Result<()>; N]) -> Settled {
    let (mut failed, mut refused) = (None, None);
    for way in ways {
        match way() {
            Ok(()) => return failed.map_or(Settled::Done, Settled::Failed),
            Err(error) if error.code() == Code::Checked => {
                refused.get_or_insert(error);
            }
            Err(error) => {
                let faulted = error.driver_code().is_some_and(ends_context);
                let first = failed.get_or_insert(error);
                if faulted {
                    return Settled::Faulted(first.clone());
                }
            }
        }
    }
    match failed.or(refused) {
        Some(error) => Settled::Unknown(error),
        None => Settled::Done,
    }
}

/// As [`settle`], for work of `context`. While another thread's capture forbids to wait, waits for the end of that capture
/// and tries again.
fn settle_in<const N: usize>(context: &Context, ways: [&dyn Fn() -> Result<()>; N]) -> Settled {
    loop {
        let before = context.capture_changes();
        match settle(ways) {
            Settled::Unknown(_) if context.wait_for_captures(before) => {}
            settled => return settled,
        }
    }
}

impl Stream {
    /// Waits until nothing that was enqueued here so far touches memory any more. For callers who enqueue raw work on
    /// memory that they own or have borrowed.
    ///
    /// [`synchronize`](Self::synchronize) may fail while the work goes on: for want of memory, or because a stream is being
    /// captured. This method then tries other ways of waiting until one gives certainty: it waits again, for an event, and
    /// for the whole context. If another thread captures the stream, it waits for the end of the capture.
    ///
    /// After a fault nothing can wait any more. The result is [`Settled::Faulted`] if the process has had no other context,
    /// and [`Settled::Unknown`] otherwise. Contexts of other libraries count if this crate uses them, or if they are primary
    /// contexts.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, PinnedBuffer, Settled, Stream, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let buffer = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    /// let mut host = PinnedBuffer::<u32>::zeroed(&context, 3)?;
    /// # context.set_current()?;
    /// // SAFETY: both have 12 bytes; `host` is left alone until the stream has settled.
    /// let code = unsafe {
    ///     sys::cuMemcpyDtoHAsync_v2(
    ///         host.as_mut_ptr().cast(), buffer.as_device_ptr(), 12, stream.as_raw())
    /// };
    /// assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    /// match stream.settle() {
    ///     Settled::Done => assert_eq!(*host, [1, 2, 3]),
    ///     Settled::Failed(error) | Settled::Faulted(error) => return Err(error),
    ///     Settled::Unknown(error) => {
    ///         std::mem::forget(host); // the device may still write to it
    ///         return Err(error);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuStreamSynchronize")]
    pub fn settle(&self) -> Settled {
        self.settle_or_fault().of(self.context())
    }

    /// As [`settle`](Self::settle), but [`Settled::Faulted`] may be the fault of another context: then the work may go on.
    fn settle_or_fault(&self) -> Settled {
        settle_in(
            self.context(),
            [
                &|| self.synchronize(),
                &|| relaxed(|| self.synchronize()),
                &|| relaxed(|| self.record_uncaptured()?.synchronize()),
                &|| relaxed(|| self.context().synchronize()),
            ],
        )
    }

    /// Waits for the end of copies to or from borrowed host memory, as [`Settled::or_abort`] does. After a fault of another
    /// context the borrow also ends if the memory is pageable: the host copies that, and stops at the fault.
    ///
    /// # Errors
    /// Returns the error of the copies, or of the wait.
    pub(crate) fn end_borrow(&self, host: impl IntoIterator<Item = HostRange>) -> Result<()> {
        match self.settle_or_fault() {
            Settled::Faulted(error) if host.into_iter().all(HostRange::is_pageable) => Err(error),
            settled => settled.of(self.context()).or_abort(),
        }
    }

    /// Records an event that no capture takes for its own.
    pub(crate) fn record_uncaptured(&self) -> Result<Event> {
        let _uncaptured = self.enter_to_wait("Stream::record_event")?;
        self.record_event()
    }

    /// For work that touches memory about to be given back. A fault is no error here, and is left for others to report.
    pub(crate) fn settle_or_leak(&self) -> Result<()> {
        unheard(|| self.settle()).or_leak()
    }
}

impl Event {
    /// Waits until nothing enqueued before the event touches memory any more.
    pub(crate) fn settle(&self) -> Settled {
        let settled = settle_in(
            self.context(),
            [
                &|| self.synchronize(),
                &|| relaxed(|| self.synchronize()),
                &|| relaxed(|| self.context().synchronize()),
            ],
        );
        settled.of(self.context())
    }
}

/// Host memory that a copy uses: its address, and its length in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostRange {
    start: usize,
    bytes: usize,
}

impl HostRange {
    pub(crate) fn of<T>(host: *const [T]) -> Self {
        Self {
            start: host.cast::<T>().addr(),
            bytes: host.len() * size_of::<T>(),
        }
    }

    /// Whether the device cannot reach the memory, neither its first byte nor its last. Works after a fault too.
    fn is_pageable(self) -> bool {
        let Some(last) = self.bytes.checked_sub(1) else {
            return true;
        };
        [self.start, self.start + last].iter().all(|address| {
            let mut kind: c_uint = 0;
            // SAFETY: this attribute is an integer; the driver looks the address up, and does not follow it.
            let code = unsafe {
                sys::cuPointerGetAttribute(
                    (&raw mut kind).cast(),
                    CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                    *address as CUdeviceptr,
                )
            };
            code == CUresult::CUDA_ERROR_INVALID_VALUE
        })
    }
}

impl Context {
    /// Waits until nothing that was enqueued in the context, on whatever stream, touches memory any more: for memory that
    /// others have used on streams that one doesn't know. As [`Stream::settle`] otherwise.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Settled, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// assert!(matches!(context.settle(), Settled::Done));
    /// assert!(stream.query()?); // nothing is left to do
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxSynchronize")]
    pub fn settle(&self) -> Settled {
        settle_in(self, self.ways().each_ref().map(|way| way as _)).of(self)
    }

    fn ways(&self) -> [impl Fn() -> Result<()>; 2] {
        [false, true].map(|again| {
            move || match again {
                false => self.synchronize(),
                true => relaxed(|| self.synchronize()),
            }
        })
    }

    /// As [`Stream::settle_or_leak`], on whatever stream.
    pub(crate) fn settle_or_leak(&self) -> Result<()> {
        unheard(|| self.settle()).or_leak()
    }
}

#[cfg(test)]
mod tests {
    use cuda_sys::CUresult;

    use super::*;

    fn failed(code: CUresult) -> Result<()> {
        Err(Error::driver("wait", code))
    }

    const UNKNOWN: CUresult = CUresult::CUDA_ERROR_UNKNOWN;
    const FAULT: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;

    #[test]
    fn the_first_way_that_is_sure_ends_the_wait() {
        let untouched = || -> Result<()> { panic!("asked for nothing") };
        assert!(matches!(settle([&|| Ok(()), &untouched]), Settled::Done));
        let over = settle([&|| failed(UNKNOWN), &|| Ok(()), &untouched]);
        assert!(
            matches!(&over, Settled::Failed(e) if e.driver_code() == Some(UNKNOWN)),
            "{over:?}"
        );
        let faulted = settle([&|| failed(FAULT), &untouched]);
        assert!(
            matches!(&faulted, Settled::Faulted(e) if e.driver_code() == Some(FAULT)),
            "{faulted:?}"
        );
    }

    #[test]
    fn a_later_fault_is_sure_and_the_first_error_is_told() {
        let over = settle([&|| failed(UNKNOWN), &|| failed(FAULT)]);
        assert!(
            matches!(&over, Settled::Faulted(e) if e.driver_code() == Some(UNKNOWN)),
            "{over:?}"
        );
        assert!(over.or_abort().is_err());
    }

    #[test]
    fn a_refused_wait_is_no_failure_of_the_work() {
        let refused = || Err(Error::invalid("wait", "a stream is being captured"));
        assert!(matches!(settle([&refused, &|| Ok(())]), Settled::Done));
        for ways in [
            [&refused as &dyn Fn() -> _, &|| failed(FAULT)],
            [&|| failed(FAULT), &refused],
        ] {
            let faulted = settle(ways);
            assert!(
                matches!(&faulted, Settled::Faulted(e) if e.driver_code() == Some(FAULT)),
                "{faulted:?}"
            );
        }
        let unknown = settle([&refused, &|| failed(UNKNOWN)]);
        assert!(
            matches!(&unknown, Settled::Unknown(e) if e.driver_code() == Some(UNKNOWN)),
            "{unknown:?}"
        );
        let unknown = settle([&refused, &refused]);
        assert!(
            matches!(&unknown, Settled::Unknown(e) if e.code() == Code::Checked),
            "{unknown:?}"
        );
    }

    #[test]
    fn what_nothing_can_tell_stays_unknown() {
        let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
        let unknown = settle([&|| failed(UNKNOWN), &|| failed(invalid)]);
        assert!(
            matches!(&unknown, Settled::Unknown(e) if e.driver_code() == Some(UNKNOWN)),
            "{unknown:?}"
        );
    }
}
