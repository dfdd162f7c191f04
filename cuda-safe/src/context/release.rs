//! The release of objects that kernels use by handle: arrays, textures and surfaces.

use cuda_sys::CUresult;

use crate::{
    capture::{release, released},
    context::Context,
    error::Result,
};

/// Destroys an object after all work of its context has finished, because kernels on any stream may
/// use it.
///
/// While a stream of the context is capturing, waiting is impossible, so the release is deferred.
/// `held` is dropped after the release, and leaked if it is unknown whether the work is over.
///
/// # Safety
/// The caller must ensure that `destroy` destroys a live object that the caller owns, and that only
/// work enqueued before still uses the object.
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
