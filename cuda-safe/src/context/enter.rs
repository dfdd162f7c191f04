//! Methods that make a context current.

use std::{marker::PhantomData, ptr};

use cuda_sys::{self as sys, CUcontext, CUresult};

use super::{Context, current::Current};
use crate::{driver::callback, error::Result};

impl Context {
    /// Makes this context the calling thread's current one, for raw calls, until another one is
    /// made current.
    ///
    /// Methods of this crate do not need it. To restore the previous context afterwards, use
    /// [`push_current`](Self::push_current).
    ///
    /// See [`cuCtxSetCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context has been destroyed.
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
        callback::reject_in_callback("cuCtxSetCurrent")?;
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuCtxSetCurrent(self.as_raw()) };
        self.check("cuCtxSetCurrent", code)
    }

    /// Makes this context the calling thread's current one, for raw calls, until the returned guard
    /// is dropped.
    ///
    /// You can drop guards in any order. The most recent remaining guard determines the current
    /// context. If you [`mem::forget`](std::mem::forget) a guard, its context stays on the thread's
    /// stack.
    ///
    /// See [`cuCtxPushCurrent`, `cuCtxPopCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the context has been destroyed. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) inside a stream's host
    /// function.
    ///
    /// ```
    /// # use cuda_safe::{Context, sys};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut version = 0;
    /// {
    ///     let _current = context.push_current()?;
    ///     // SAFETY: null means the current context, and `version` is valid for the write.
    ///     let code = unsafe { sys::cuCtxGetApiVersion(std::ptr::null_mut(), &mut version) };
    ///     context.check("cuCtxGetApiVersion", code)?;
    /// } // the previous context is current again
    /// assert!(version > 0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuCtxPushCurrent")]
    #[doc(alias = "cuCtxPopCurrent")]
    pub fn push_current(&self) -> Result<PushedContext<'_>> {
        callback::reject_in_callback("cuCtxPushCurrent")?;
        Ok(PushedContext::new(self.push()?))
    }

    /// Makes the context current for `call` as long as the guard lives.
    #[inline]
    pub(crate) fn enter(&self, call: &'static str) -> Result<Current> {
        callback::reject_in_callback(call)?;
        let mut current = ptr::null_mut();
        // SAFETY: `current` is valid for the write.
        let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
        if current == self.as_raw() && code == CUresult::CUDA_SUCCESS {
            return Ok(Current { pushed: None });
        }
        self.enter_slow(current, code)
    }

    /// Returns whether the context is this thread's current one.
    #[cold]
    pub(crate) fn is_current(&self) -> bool {
        let mut current = ptr::null_mut();
        // SAFETY: `current` is valid for the write.
        let code = unsafe { sys::cuCtxGetCurrent(&mut current) };
        code == CUresult::CUDA_SUCCESS && current == self.as_raw()
    }

    #[cold]
    fn enter_slow(&self, current: CUcontext, code: CUresult) -> Result<Current> {
        if code == CUresult::CUDA_SUCCESS && current.is_null() {
            self.set_current()?;
            return Ok(Current { pushed: None });
        }
        self.push()
    }

    fn push(&self) -> Result<Current> {
        // SAFETY: the handle is live.
        let code = unsafe { sys::cuCtxPushCurrent_v2(self.as_raw()) };
        self.check("cuCtxPushCurrent_v2", code)?;
        Ok(Current::pushed())
    }
}

/// A guard that keeps a context current: see [`Context::push_current`]. It cannot be sent to
/// another thread.
#[must_use = "the context is current only as long as this lives"]
#[derive(Debug)]
pub struct PushedContext<'a> {
    _current: Current,
    /// Borrows the context and prevents `Send`.
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
