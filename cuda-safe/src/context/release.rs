//! The end of what kernels may still use by a handle: arrays, textures and surfaces.

use cuda_sys::CUresult;

use crate::{
    capture::{release, released},
    context::Context,
    error::Result,
};

/// Destroys something after all work of its context: kernels may use it on any stream. While a stream of the context is
/// captured, which forbids that wait, the call is put off. `held` stays until then, and for ever if it is not known whether
/// the work is over.
///
/// # Safety
/// `destroy` destroys something live that is owned, and used no more from now on but by work that has been enqueued.
pub(crate) unsafe fn after_work<H: Send + 'static>(
    context: &Context,
    call: &'static str,
    held: H,
    destroy: impl Fn() -> CUresult + Send + 'static,
) -> Result<()> {
    let own = context.clone();
    release(context, move || {
        if let Err(error) = own.settle_or_leak() {
            std::mem::forget(held);
            return Err(error);
        }
        let _current = own.enter(call)?;
        let code = released(&destroy);
        drop(held);
        own.check(call, code)
    })
}
