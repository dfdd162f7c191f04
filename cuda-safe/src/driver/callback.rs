//! Functions that the driver calls, and the rejection of driver calls in them.

use std::{
    any::Any,
    cell::Cell,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::error::{Error, Result};

thread_local! {
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a host function on the driver's thread.
///
/// Unwinding into the driver would be undefined behavior, so this function catches panics,
/// including those in the drop of a panic's payload. The panic hook has already reported them.
pub(crate) fn run(function: impl FnOnce()) {
    let before = RUNNING.replace(true);
    if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
        discard(payload);
    }
    RUNNING.set(before);
}

/// Returns whether this thread runs a host function.
#[inline]
pub(crate) fn is_running() -> bool {
    RUNNING.get()
}

fn discard(payload: Box<dyn Any + Send>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Dropping this payload might panic again, and so on forever.
        mem::forget(payload);
    }
}

/// Returns an error that names `call` if this thread runs a function that the driver calls. The
/// driver forbids driver calls there, and some of them would deadlock.
#[inline]
pub(crate) fn reject_in_callback(call: &'static str) -> Result<()> {
    if RUNNING.get() {
        Err(rejection(call))
    } else {
        Ok(())
    }
}

#[cold]
fn rejection(call: &'static str) -> Error {
    Error::invalid(
        call,
        "a function that the driver calls (a host function or a log listener) must not call CUDA. Fix: make the call on \
         another thread, for example by sending it the data over a channel",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_rejected_only_inside_callbacks() {
        assert!(reject_in_callback("cuInit").is_ok());
        run(|| {
            assert!(reject_in_callback("cuInit").is_err());
            run(|| {});
            assert!(reject_in_callback("cuInit").is_err());
        });
        assert!(reject_in_callback("cuInit").is_ok());
    }

    #[test]
    fn panic_in_drop_of_payload_is_caught() {
        struct Bomb(u32);
        impl Drop for Bomb {
            fn drop(&mut self) {
                if self.0 > 0 {
                    std::panic::panic_any(Self(self.0 - 1));
                }
            }
        }
        run(|| std::panic::panic_any(Bomb(3)));
        assert!(reject_in_callback("cuInit").is_ok());
    }
}
