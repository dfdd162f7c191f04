//! Waiting until the work of a context no longer touches memory.

use super::{Context, Settled, settle::settle};
use crate::{
    capture::relaxed,
    error::{Result, fault::unheard},
};

impl Settled {
    /// The result for work of `context`, which a fault of another context may not have ended.
    pub(crate) fn of(self, context: &Context) -> Self {
        match self {
            Self::Faulted(error) if !context.is_alone() => Self::Unknown(error),
            settled => settled,
        }
    }
}

/// As [`settle`], for work of `context`. While another thread's capture forbids to wait, waits for the end of that capture
/// and tries again.
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
    /// Waits until nothing that was enqueued in the context, on whatever stream, touches memory any more: for memory that
    /// others have used on streams that one doesn't know. As [`Stream::settle`](crate::Stream::settle) otherwise.
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

    /// Whether the process has had no other context since this one was created. Then a fault is this context's own, and its
    /// work is over when the driver reports it.
    #[cold]
    pub(crate) fn is_alone(&self) -> bool {
        self.0.kind().presence.is_alone()
    }
}
