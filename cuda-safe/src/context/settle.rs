//! Waiting until work no longer uses memory, even if the first way of waiting fails.

use std::{fmt, process};

use crate::error::{Code, Error, Result, ends_context};

/// The state of enqueued work after a wait: see [`Stream::settle`](crate::Stream::settle).
///
/// A wait answers three questions: whether the device has finished, whether host functions have
/// finished, and whether other contexts have finished with the memory. [`Done`](Self::Done) and
/// [`Failed`](Self::Failed) answer all of them with yes.
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
    /// The work is over, but it or a wait for it failed.
    Failed(Error),
    /// The context has faulted, and the process has had no other context. Its kernels and copies
    /// are over. A host function that had begun may still be running: leak everything that raw host
    /// functions use.
    Faulted(Error),
    /// It is unknown whether the work is over. The memory that it uses must not be reused. If you
    /// own it, leak it. If you borrowed it, do not let its owner reuse it.
    ///
    /// This is also the result after a fault in a process that has had several contexts. The fault
    /// makes all of them unusable, on all devices. However, work that was enqueued in the other
    /// contexts continues to run. The driver does not report which context faulted.
    Unknown(Error),
}

impl Settled {
    /// Returns an error if it is unknown whether the work is over, so that the caller leaks the
    /// memory.
    ///
    /// For work that uses memory about to be freed, and no raw host functions.
    pub(crate) fn or_leak(self) -> Result<()> {
        self.or_unknown().map(drop)
    }

    /// Returns the result of work that is over, or an error if it is unknown whether the work is
    /// over.
    pub(crate) fn or_unknown(self) -> Result<Result<()>> {
        match self {
            Self::Done => Ok(Ok(())),
            Self::Failed(error) | Self::Faulted(error) => Ok(Err(error)),
            Self::Unknown(error) => Err(error),
        }
    }

    /// Returns the result of work on borrowed memory, which cannot be leaked. Host functions must
    /// not use the memory.
    ///
    /// # Errors
    /// Returns the error of [`Settled::Failed`] or [`Settled::Faulted`].
    ///
    /// # Aborts
    /// Ends the process with a message if it is unknown whether the work is over. Otherwise the
    /// device could later write to memory with a different use.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// stream.settle().or_abort()?; // no work enqueued before uses host memory any more
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

    /// Like [`or_abort`](Self::or_abort), but any fault ends the borrow. For work that uses
    /// borrowed device memory and no host memory.
    ///
    /// After a fault, the device may continue with the work, but no call can free or use the
    /// memory. Memory that the host can access, such as [`MappedBuffer`](crate::MappedBuffer),
    /// checks this itself before it gives access.
    ///
    /// # Errors
    /// Returns the error of [`Settled::Failed`] or [`Settled::Faulted`], or of [`Settled::Unknown`]
    /// if it is a fault.
    ///
    /// # Aborts
    /// Ends the process with a message if it is unknown whether the work is over, and nothing has
    /// faulted.
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
        "cuda-safe: the driver cannot tell whether a copy to or from borrowed memory has finished ({why}). The \
         device could still write to memory that belongs to the program again, so the process ends here. Fix: find \
         the error above. After a fault, this happens only in processes with several contexts."
    );
    process::abort()
}

/// Tries several ways of waiting until one gives certainty.
///
/// A way may be rejected before its driver call, because of a capture or a host function. This says
/// nothing about the work, so its error is returned only if no way gives certainty.
///
/// A wait or query reports a fault of its own context when all work of the context has ended, on
/// all streams and in its green contexts. Recorded on an H100 (driver 580) with kernels and copies
/// that took seconds: no memory changed afterwards. However, a host function that has begun may
/// continue. For faults of other contexts, see `context/others.rs`.
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
    fn settle_stops_at_the_first_way_that_gives_certainty() {
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
    fn a_later_fault_is_certain_and_returns_the_first_error() {
        let over = settle([&|| failed(UNKNOWN), &|| failed(FAULT)]);
        assert!(
            matches!(&over, Settled::Faulted(e) if e.driver_code() == Some(UNKNOWN)),
            "{over:?}"
        );
        assert!(over.or_abort().is_err());
    }

    #[test]
    fn a_rejected_wait_is_not_a_failure_of_the_work() {
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
    fn work_stays_unknown_if_all_waits_fail() {
        let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
        let unknown = settle([&|| failed(UNKNOWN), &|| failed(invalid)]);
        assert!(
            matches!(&unknown, Settled::Unknown(e) if e.driver_code() == Some(UNKNOWN)),
            "{unknown:?}"
        );
    }
}
