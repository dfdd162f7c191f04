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

/// Runs a host function on the driver's thread. Unwinding into the driver would be undefined behaviour: a panic ends
/// here, and so does one in the drop of its payload. The panic hook has reported both.
pub(crate) fn run(function: impl FnOnce()) {
    let before = RUNNING.replace(true);
    if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
        discard(payload);
    }
    RUNNING.set(before);
}

/// Whether this thread runs a host function.
#[inline]
pub(crate) fn is_running() -> bool {
    RUNNING.get()
}

fn discard(payload: Box<dyn Any + Send>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        // Dropping this payload might panic again, without end.
        mem::forget(payload);
    }
}

/// Returns an error that names `call` in a function that the driver calls. The driver forbids its calls there, and some
/// of them would wait for the function that makes them.
#[inline]
pub(crate) fn refuse_within(call: &'static str) -> Result<()> {
    if RUNNING.get() {
        Err(refusal(call))
    } else {
        Ok(())
    }
}

#[cold]
fn refusal(call: &'static str) -> Error {
    Error::invalid(
        call,
        "a function that the driver calls (a host function or a log listener) must not call CUDA: make the call on another \
         thread, for example by sending it the data over a channel",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_refused_within_and_allowed_again_afterwards() {
        assert!(refuse_within("cuInit").is_ok());
        run(|| {
            assert!(refuse_within("cuInit").is_err());
            run(|| {});
            assert!(refuse_within("cuInit").is_err());
        });
        assert!(refuse_within("cuInit").is_ok());
    }

    #[test]
    fn a_payload_that_panics_when_dropped_goes_no_further() {
        struct Bomb(u32);
        impl Drop for Bomb {
            fn drop(&mut self) {
                if self.0 > 0 {
                    std::panic::panic_any(Self(self.0 - 1));
                }
            }
        }
        run(|| std::panic::panic_any(Bomb(3)));
        assert!(refuse_within("cuInit").is_ok());
    }
}
