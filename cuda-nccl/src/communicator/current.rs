//! The thread's current context, and NCCL's last error message.

use cuda_safe::{Context, context::PushedContext, sys as cuda};

use crate::{error::Result, library::Library};

/// Keeps a context current until it is dropped.
pub(super) struct Current<'a>(
    #[expect(dead_code, reason = "for its drop")] Option<PushedContext<'a>>,
);

/// Makes the context current. Costs a single driver call if it already is.
#[inline]
pub(super) fn enter(context: &Context) -> Result<Current<'_>> {
    let mut current = std::ptr::null_mut();
    // SAFETY: `current` is valid for the write.
    let code = unsafe { cuda::cuCtxGetCurrent(&mut current) };
    if code == cuda::CUresult::CUDA_SUCCESS && current == context.as_raw() {
        return Ok(Current(None));
    }
    Ok(Current(Some(context.push_current()?)))
}

/// Returns NCCL's last error message, or an empty string.
pub(super) fn last_error(library: &Library) -> String {
    let Some(last) = library.functions().ncclGetLastError else {
        return String::new();
    };
    // SAFETY: a null communicator is allowed.
    let text = unsafe { last(std::ptr::null_mut()) };
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the library returns a C string that it owns.
    unsafe { std::ffi::CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
