//! Waiting until the work of a context no longer uses memory.

use super::{Context, Settled, settle::settle};
use crate::{
    capture::relaxed,
    error::{Result, fault::discarding_errors},
};

impl Settled {
    /// Adjusts the result for work of `context`, which may still run after a fault of another
    /// context.
    pub(crate) fn of(self, context: &Context) -> Self {
        match self {
            Self::Faulted(error) if !context.is_alone() => Self::Unknown(error),
            settled => settled,
        }
    }
}

/// Settles the work of `context` like [`settle`]. While a capture of another thread makes waiting
/// impossible, waits for the end of that capture and tries again.
pub(crate) fn settle_in<const N: usize>(
    context: &Context,
    ways: [&dyn Fn() -> Result<()>; N],
) -> Settled {
    loop {
        let before = context.capture_changes();
        match settle(ways) {
            Settled::Unknown(_) if context.wait_for_captures(before) => {}
            settled => return settled,
        }
    }
}

impl Context {
    /// Waits until no work enqueued in the context, on any stream, uses memory any more.
    ///
    /// Use it for memory that other code has used on unknown streams. Otherwise it works like
    /// [`Stream::settle`](crate::Stream::settle).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Settled, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let _zeros = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
    /// assert!(matches!(context.settle(), Settled::Done));
    /// assert!(stream.query()?); // all work is done
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// See [`cuCtxSynchronize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
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

    /// Waits like [`Stream::settle_or_leak`], for all streams of the context.
    pub(crate) fn settle_or_leak(&self) -> Result<()> {
        discarding_errors(|| self.settle()).or_leak()
    }

    /// Returns whether the process has had no other context since this one was created. A fault is
    /// then this context's own, and its work is over when the driver reports the fault.
    #[cold]
    pub(crate) fn is_alone(&self) -> bool {
        self.0.kind().presence.is_alone()
    }
}
