//! The thread's current context.

use std::{
    cell::{Cell, RefCell},
    num::NonZero,
    ptr,
};

use cuda_sys::{self as sys, CUcontext};

use crate::{driver, error::Result};

/// Pushes a raw context onto the thread's stack.
///
/// # Safety
/// The caller must ensure that `raw` is a live context.
pub(super) unsafe fn push(raw: CUcontext) -> Result<Current> {
    // SAFETY: as this function's contract says.
    driver::call("cuCtxPushCurrent_v2", || unsafe {
        sys::cuCtxPushCurrent_v2(raw)
    })?;
    Ok(Current::pushed())
}

thread_local! {
    /// The numbers of this thread's guards that have pushed a context, in the order of the driver's
    /// stack.
    static PUSHED: RefCell<Vec<NonZero<usize>>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<NonZero<usize>> = const { Cell::new(NonZero::<usize>::MIN) };
}

/// A guard that keeps a context current until it is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Current {
    /// The guard's number, if it has pushed the context.
    pub(super) pushed: Option<NonZero<usize>>,
}

impl Current {
    pub(super) fn pushed() -> Self {
        let number = NEXT.get();
        NEXT.set(number.saturating_add(1));
        // If this fails, the thread is ending, and its guards are dropped in order.
        let _ = PUSHED.try_with(|pushed| pushed.borrow_mut().push(number));
        Self {
            pushed: Some(number),
        }
    }
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        if let Some(number) = self.pushed {
            remove(number);
        }
    }
}

/// Removes a guard's context from the driver's stack, and keeps the contexts of later guards.
#[cold]
fn remove(number: NonZero<usize>) {
    let later = PUSHED.try_with(|pushed| {
        let mut pushed = pushed.borrow_mut();
        let place = pushed.iter().rposition(|other| *other == number)?;
        pushed.remove(place);
        Some(pushed.len() - place)
    });
    let pop = || {
        let mut popped = ptr::null_mut();
        // SAFETY: pops a context that a guard has pushed, and `popped` is valid for the write.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        popped
    };
    let later = later.ok().flatten().unwrap_or(0);
    let kept: Vec<_> = (0..later).map(|_| pop()).collect();
    pop();
    for raw in kept.into_iter().rev() {
        // SAFETY: the context was on the driver's stack. The driver rejects it if it was destroyed
        // meanwhile.
        let _ = unsafe { sys::cuCtxPushCurrent_v2(raw) };
    }
}
