//! The end of what kernels may still use by a handle: arrays, textures and surfaces.

use cuda_sys::CUresult;

use crate::{
    capture::{self, released},
    context::{Context, unheard},
    error::Result,
};

/// A handle that is taken to where it is released.
pub(crate) struct Sendable<T>(pub(crate) T);

// SAFETY: the driver's handles may be used from any thread.
unsafe impl<T> Send for Sendable<T> {}

impl<T: Copy> Sendable<T> {
    /// A method, so that a closure takes the whole and not its field.
    pub(crate) fn get(&self) -> T {
        self.0
    }
}

/// Something to be destroyed, and what has to stay until then.
struct Late<H, F: Fn() -> CUresult> {
    context: Context,
    call: &'static str,
    destroy: F,
    held: Option<H>,
}

/// Destroys something after all work of its context: kernels may use it on any stream. While a stream is being captured,
/// which forbids to wait, that is put off. `held` stays until then; for ever where it is not known whether the work is over.
///
/// # Safety
/// `destroy` destroys something live that is owned, and used no more from now on but by work that has been enqueued.
pub(crate) unsafe fn after_work<H: Send + 'static>(
    context: &Context,
    call: &'static str,
    held: H,
    destroy: impl Fn() -> CUresult + Send + 'static,
) -> Result<()> {
    let late = Late {
        context: context.clone(),
        call,
        destroy,
        held: Some(held),
    };
    if capture::is_under_way() {
        capture::drop_afterwards(late);
        return Ok(());
    }
    late.now()
}

impl<H, F: Fn() -> CUresult> Late<H, F> {
    fn now(mut self) -> Result<()> {
        self.destroy()
    }

    fn destroy(&mut self) -> Result<()> {
        let Some(held) = self.held.take() else {
            return Ok(());
        };
        if let Err(error) = self.context.settle_or_leak() {
            std::mem::forget(held);
            return Err(error);
        }
        let _current = self.context.enter()?;
        self.context.check(self.call, released(&self.destroy))
    }
}

impl<H, F: Fn() -> CUresult> Drop for Late<H, F> {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = unheard(|| self.destroy());
    }
}
