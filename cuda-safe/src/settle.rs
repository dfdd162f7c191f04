//! Waiting until work no longer touches memory, also where the first way of waiting fails.

use std::{fmt, process};

use crate::{
    capture::relaxed,
    context::{Context, unheard},
    error::{Error, Result, ends_context},
    event::Event,
    stream::Stream,
};

/// What is known of enqueued work after a wait: see [`Stream::settle`].
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
    /// It is not known whether the work is over. The memory that it touches must not be reused: leak it if it is
    /// owned. Borrowed memory can't be returned.
    Unknown(Error),
}

impl Settled {
    /// For work that touches memory about to be freed. If it is not known whether the work is over, that is an error
    /// too, and the caller leaks the memory.
    pub(crate) fn or_leak(self) -> Result<()> {
        match self {
            Self::Done | Self::Failed(_) => Ok(()),
            Self::Unknown(error) => Err(error),
        }
    }

    /// For work that touches borrowed memory, which can't be leaked.
    ///
    /// # Errors
    /// That of [`Settled::Failed`].
    ///
    /// # Aborts
    /// If it is not known whether the work is over, the process ends with a message: going on would let the device
    /// write to memory that is in use for something else by then.
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
            Self::Failed(error) => Err(error),
            Self::Unknown(error) => abort(&error),
        }
    }
}

#[cold]
fn abort(why: &dyn fmt::Display) -> ! {
    eprintln!(
        "cuda-safe: the driver can't tell whether a copy to or from borrowed memory is over ({why}). Going on would \
         let the device use memory that is the program's again, so the process ends here."
    );
    process::abort()
}

/// Tries one way of waiting after another until one of them gives certainty.
///
/// A fault does, for work on the other streams of its context too. Observed on an H200 (driver 580): when a wait
/// reports the fault of one stream, a copy to page-locked memory on another has finished, a copy to pageable memory
/// and a kernel that writes to mapped memory have stopped, and nothing moves afterwards.
pub(crate) fn settle<const N: usize>(ways: [&dyn Fn() -> Result<()>; N]) -> Settled {
    let mut first = None;
    for way in ways {
        match way() {
            Ok(()) => return first.map_or(Settled::Done, Settled::Failed),
            Err(error) => {
                let over = error.driver_code().is_some_and(ends_context);
                let told = first.get_or_insert(error);
                if over {
                    return Settled::Failed(told.clone());
                }
            }
        }
    }
    match first {
        Some(error) => Settled::Unknown(error),
        None => Settled::Done,
    }
}

impl Stream {
    /// Waits until nothing that was enqueued here so far touches memory any more. For callers who enqueue raw work on
    /// memory that they own or have borrowed.
    ///
    /// [`synchronize`](Self::synchronize) may fail while the work goes on: for want of memory, for instance, or
    /// because a stream is being captured somewhere. This method then tries other ways of waiting (again, by an
    /// event, for the whole context) until one gives certainty. Work whose context is unusable after a fault is over.
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
    ///     Settled::Failed(error) => return Err(error),
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
        settle([
            &|| self.synchronize(),
            &|| relaxed(|| self.synchronize()),
            &|| relaxed(|| self.record_event()?.synchronize()),
            &|| relaxed(|| self.context().synchronize()),
        ])
    }

    /// For work that touches memory about to be given back. A fault is no error here, and is left for others to report.
    pub(crate) fn settle_or_leak(&self) -> Result<()> {
        unheard(|| self.settle()).or_leak()
    }
}

impl Event {
    /// Waits until nothing enqueued before the event touches memory any more.
    pub(crate) fn settle(&self) -> Settled {
        settle([
            &|| self.synchronize(),
            &|| relaxed(|| self.synchronize()),
            &|| relaxed(|| self.context().synchronize()),
        ])
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
        settle([&|| self.synchronize(), &|| relaxed(|| self.synchronize())])
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
            matches!(&faulted, Settled::Failed(e) if e.driver_code() == Some(FAULT)),
            "{faulted:?}"
        );
    }

    #[test]
    fn a_later_fault_is_sure_and_the_first_error_is_told() {
        let over = settle([&|| failed(UNKNOWN), &|| failed(FAULT)]);
        assert!(
            matches!(&over, Settled::Failed(e) if e.driver_code() == Some(UNKNOWN)),
            "{over:?}"
        );
        assert!(over.or_abort().is_err());
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
