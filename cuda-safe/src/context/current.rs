//! Which context is the thread's current one.

use std::{marker::PhantomData, ptr};

use cuda_sys::{self as sys, CUcontext, CUresult};

use super::Context;
use crate::{callback, driver::check, error::Result};

impl Context {
    /// Makes this context the calling thread's current one, for raw calls, until another one is made current. Nothing
    /// in this crate needs it. To restore the previous context afterwards, use [`push_current`](Self::push_current).
    ///
    /// # Errors
    /// The context has been destroyed.
    ///
    /// ```
    /// # use cuda_safe::{Context, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// context.set_current()?;
    /// let mut current = std::ptr::null_mut();
    /// // SAFETY: `current` is valid for the write.
    /// let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
    /// assert_eq!((code, current), (sys::CUresult::CUDA_SUCCESS, context.as_raw()));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxSetCurrent")]
    pub fn set_current(&self) -> Result<()> {
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuCtxSetCurrent(self.as_raw()) };
        self.check("cuCtxSetCurrent", code)
    }

    /// Makes this context the calling thread's current one, for raw calls, until the returned guard is dropped. Drop
    /// guards in the reverse order of their creation, as scopes do.
    ///
    /// # Errors
    /// The context has been destroyed. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) in a
    /// stream's host function.
    ///
    /// ```
    /// # use cuda_safe::{Context, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut version = 0;
    /// {
    ///     let _current = context.push_current()?;
    ///     // SAFETY: null means the current context; `version` is valid for the write.
    ///     let code = unsafe { sys::cuCtxGetApiVersion(std::ptr::null_mut(), &mut version) };
    ///     context.check("cuCtxGetApiVersion", code)?;
    /// } // what was current before is current again
    /// assert!(version > 0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxPushCurrent")]
    #[doc(alias = "cuCtxPopCurrent")]
    pub fn push_current(&self) -> Result<PushedContext<'_>> {
        callback::refuse_within()?;
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuCtxPushCurrent_v2(self.as_raw()) };
        self.check("cuCtxPushCurrent_v2", code)?;
        Ok(PushedContext::new(Current { pushed: true }))
    }

    /// Makes the context current for as long as the guard lives.
    #[inline]
    pub(crate) fn enter(&self) -> Result<Current> {
        callback::refuse_within()?;
        let mut current = ptr::null_mut();
        // SAFETY: `current` is valid for the write.
        let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
        if current == self.as_raw() && code == CUresult::CUDA_SUCCESS {
            return Ok(Current { pushed: false });
        }
        self.enter_slow(current, code)
    }

    #[cold]
    fn enter_slow(&self, current: CUcontext, code: CUresult) -> Result<Current> {
        if code == CUresult::CUDA_SUCCESS && current.is_null() {
            self.set_current()?;
            return Ok(Current { pushed: false });
        }
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuCtxPushCurrent_v2(self.as_raw()) };
        self.check("cuCtxPushCurrent_v2", code)?;
        Ok(Current { pushed: true })
    }
}

/// Pushes a raw context.
///
/// # Safety
/// `raw` is a live context.
pub(super) unsafe fn push(raw: CUcontext) -> Result<Current> {
    // SAFETY: as this function's contract says.
    check("cuCtxPushCurrent_v2", unsafe {
        sys::cuCtxPushCurrent_v2(raw)
    })?;
    Ok(Current { pushed: true })
}

/// Keeps a context current; see [`Context::push_current`]. It can't leave its thread.
#[must_use = "the context is current only as long as this lives"]
#[derive(Debug)]
pub struct PushedContext<'a> {
    _current: Current,
    /// Borrows the context, and is not `Send`.
    context: PhantomData<(&'a Context, *const ())>,
}

impl PushedContext<'_> {
    pub(super) fn new(current: Current) -> Self {
        Self {
            _current: current,
            context: PhantomData,
        }
    }
}

/// The context is current until this is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Current {
    pushed: bool,
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = ptr::null_mut();
            // SAFETY: pops what `enter_slow` pushed; `popped` is valid for the write.
            let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        }
    }
}
