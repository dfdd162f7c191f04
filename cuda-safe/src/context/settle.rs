//! Waiting until work no longer touches memory, also where the first way of waiting fails.

use std::{fmt, process};

use crate::error::{Code, Error, Result, ends_context};

/// The state of enqueued work after a wait. See [`Stream::settle`](crate::Stream::settle).
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
        "cuda-safe: the driver cannot tell whether a copy to or from borrowed memory has finished ({why}). The device \
         could still write to memory that belongs to the program again, so the process ends here. Fix: find the error above. \
         After a fault, this happens only in processes with several contexts."
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
