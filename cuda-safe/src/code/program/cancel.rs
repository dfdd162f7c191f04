//! Cancellation of compilations.

use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::atomic::{AtomicBool, Ordering},
};

use cuda_sys::nvrtcProgram;

use super::{newer, version::check};
use crate::error::{Error, Result};

thread_local! {
    /// Whether this thread is in a function that decides whether a compilation continues.
    static DECIDING: Cell<bool> = const { Cell::new(false) };
}

/// Returns an error if this thread is in the function that [`Program::compile_unless`] calls.
///
/// NVRTC 13.0 compiles one program at a time, so a compilation that starts there would wait for the
/// compilation that called the function.
pub(super) fn reject_in_callback(call: &'static str) -> Result<()> {
    if !DECIDING.get() {
        return Ok(());
    }
    Err(Error::invalid(
        call,
        "the function that Program::compile_unless calls must not compile or change the compiler's heap, because it would \
         wait for the compilation that called it. Fix: return first, then make the call, or make it on another thread",
    ))
}

/// The state of the callback with which the compiler asks whether to continue.
pub(super) struct Flow<'a> {
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Once cancelled, a compilation stays cancelled, as the compiler requires.
    decided: AtomicBool,
}

impl<'a> Flow<'a> {
    pub(super) fn new(is_cancelled: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self {
            is_cancelled,
            decided: AtomicBool::new(false),
        }
    }
}

impl Flow<'_> {
    /// Sets the callback that the compiler calls while it compiles a program.
    ///
    /// # Safety
    /// The caller must ensure that the program is live and is compiled only while `self` lives.
    pub(super) unsafe fn follow(&self, program: nvrtcProgram) -> Result<()> {
        let set = newer::nvrtcSetFlowCallback()?;
        // SAFETY: guaranteed by the caller. The callback gets `self`, which can be shared between
        // threads.
        let code = unsafe { set(program, answer, ptr::from_ref(self).cast_mut().cast()) };
        check("nvrtcSetFlowCallback", code)
    }

    fn answer(&self) -> bool {
        if self.decided.load(Ordering::Relaxed) {
            return true;
        }
        let before = DECIDING.replace(true);
        // A panic must not unwind through the compiler, so it cancels the compilation.
        let is_cancelled = catch_unwind(AssertUnwindSafe(self.is_cancelled)).unwrap_or(true);
        DECIDING.set(before);
        if is_cancelled {
            self.decided.store(true, Ordering::Relaxed);
        }
        is_cancelled
    }
}

unsafe extern "C" fn answer(flow: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: `follow` passed this address. The value lives for as long as the program is compiled.
    let flow = unsafe { &*flow.cast::<Flow<'_>>() };
    c_int::from(flow.answer())
}
