//! Which context is the thread's current one.

use std::{
    cell::{Cell, RefCell},
    num::NonZero,
    ptr,
};

use cuda_sys::{self as sys, CUcontext};

use crate::{driver, error::Result};

/// Pushes a raw context.
///
/// # Safety
/// `raw` is a live context.
pub(super) unsafe fn push(raw: CUcontext) -> Result<Current> {
    // SAFETY: as this function's contract says.
    driver::call("cuCtxPushCurrent_v2", || unsafe {
        sys::cuCtxPushCurrent_v2(raw)
    })?;
    Ok(Current::pushed())
}

thread_local! {
    /// The numbers of this thread's guards that have pushed a context, in the order of the driver's stack.
    static PUSHED: RefCell<Vec<NonZero<usize>>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<NonZero<usize>> = const { Cell::new(NonZero::<usize>::MIN) };
}

/// The context is current until this is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Current {
    /// The guard's number if it has pushed the context.
    pub(super) pushed: Option<NonZero<usize>>,
}

impl Current {
    pub(super) fn pushed() -> Self {
        let number = NEXT.get();
        NEXT.set(number.saturating_add(1));
        // If the thread is ending, guards are dropped in order.
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

/// Takes a guard's context from the driver's stack. The contexts of later guards go back onto it.
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
        // SAFETY: pops what a guard has pushed; `popped` is valid for the write.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        popped
    };
    let later = later.ok().flatten().unwrap_or(0);
    let kept: Vec<_> = (0..later).map(|_| pop()).collect();
    pop();
    for raw in kept.into_iter().rev() {
        // SAFETY: the driver had this context on its stack. It rejects one that was destroyed meanwhile.
        let _ = unsafe { sys::cuCtxPushCurrent_v2(raw) };
    }
}
