//! The thread's context, and its last error of NCCL's.

use cuda_safe::{Context, context::PushedContext, sys as cuda};

use crate::{error::Result, library::Library};

/// The context is current until this is dropped.
pub(super) struct Current<'a>(
    #[expect(dead_code, reason = "for its drop")] Option<PushedContext<'a>>,
);

/// Makes the context current, in one call of the driver where it is already.
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

/// What NCCL has said last; empty where it says nothing.
pub(super) fn said(library: &Library) -> String {
    let Some(last) = library.functions().ncclGetLastError else {
        return String::new();
    };
    // SAFETY: a null communicator is allowed.
    let text = unsafe { last(std::ptr::null_mut()) };
    if text.is_null() {
        return String::new();
    }
    // SAFETY: a C string of the library's.
    unsafe { std::ffi::CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
