//! Compilations that can be given up.

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
    /// Whether this thread is in a function that decides whether a compilation goes on.
    static DECIDING: Cell<bool> = const { Cell::new(false) };
}

/// Returns an error if this thread is in the function that [`Program::compile_unless`] was given.
///
/// NVRTC 13.0 compiles one program at a time: a compilation that began there would wait for the one that called the
/// function.
pub(super) fn refuse_within(call: &'static str) -> Result<()> {
    if !DECIDING.get() {
        return Ok(());
    }
    Err(Error::invalid(
        call,
        "the function that Program::compile_unless calls must not compile, nor change the compiler's heap: it would wait \
         for the compilation that called it. Return first, and make the call afterwards or on another thread",
    ))
}

/// What the compiler asks whether it is to go on.
pub(super) struct Flow<'a> {
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Once it is cancelled it stays so, as the compiler wants it.
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
    /// Has the compiler ask during the compilation of a program.
    ///
    /// # Safety
    /// A live program, which is compiled for no longer than this lives.
    pub(super) unsafe fn follow(&self, program: nvrtcProgram) -> Result<()> {
        let set = newer::nvrtcSetFlowCallback()?;
        // SAFETY: the caller's promise; the callback gets this, which is shared among threads as it has to be.
        let code = unsafe { set(program, answer, ptr::from_ref(self).cast_mut().cast()) };
        check("nvrtcSetFlowCallback", code)
    }

    fn answer(&self) -> bool {
        if self.decided.load(Ordering::Relaxed) {
            return true;
        }
        let before = DECIDING.replace(true);
        // A panic must not unwind through the compiler: it cancels.
        let is_cancelled = catch_unwind(AssertUnwindSafe(self.is_cancelled)).unwrap_or(true);
        DECIDING.set(before);
        if is_cancelled {
            self.decided.store(true, Ordering::Relaxed);
        }
        is_cancelled
    }
}

unsafe extern "C" fn answer(flow: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: `follow` gave this address, of something that lives for as long as the program is compiled.
    let flow = unsafe { &*flow.cast::<Flow<'_>>() };
    c_int::from(flow.answer())
}
