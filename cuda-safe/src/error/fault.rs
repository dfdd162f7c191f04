//! The first fault of a context, and whether the program has seen it.

use std::{
    cell::Cell,
    io::{self, Write},
    sync::{Mutex, OnceLock, PoisonError},
};

use cuda_sys::CUresult;

use crate::error::{Error, ErrorKind};

thread_local! {
    /// The nesting depth of [`discarding_errors`] on this thread.
    static DISCARDING: Cell<u32> = const { Cell::new(0) };
}

/// Runs code that discards its errors, as drops do. If it is the first to see a fault, it prints the
/// report that the emulator would have printed otherwise, and the next call reports the fault.
pub(crate) fn discarding_errors<R>(body: impl FnOnce() -> R) -> R {
    /// Restores the depth, also after a panic.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            DISCARDING.set(DISCARDING.get() - 1);
        }
    }
    DISCARDING.set(DISCARDING.get() + 1);
    let _end = End;
    body()
}

/// The details of a fault.
pub(crate) struct Detail {
    pub(crate) text: String,
    /// Whether the emulator's report is part of it. The emulator then does not print it.
    pub(crate) has_report: bool,
}

/// The first fault that was seen in a context.
#[derive(Default)]
pub(crate) struct Fault(OnceLock<FirstFault>);

struct FirstFault {
    code: CUresult,
    /// The call that reported the fault.
    call: &'static str,
    /// The details, until an error has reported them to the program.
    unreported: Mutex<Option<String>>,
}

impl Fault {
    pub(crate) fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    /// Returns the error of a call that returned a fault code: the fault itself, or a consequence
    /// of an earlier one.
    #[cold]
    pub(crate) fn error(
        &self,
        call: &'static str,
        code: CUresult,
        detail: impl FnOnce(&Error) -> Detail,
    ) -> Error {
        let error = Error::driver(call, code);
        let is_reported = DISCARDING.get() == 0;
        let Some(first) = self.0.get() else {
            let Detail { text, has_report } = detail(&error);
            let error = error.with_detail(text.clone());
            if !is_reported && has_report {
                // Perhaps no call follows. A drop must not panic, as `eprintln!` does if it fails.
                let _ = writeln!(io::stderr(), "{error}");
            }
            let unreported = (!is_reported).then_some(text);
            let _ = self.0.set(FirstFault {
                code,
                call,
                unreported: Mutex::new(unreported),
            });
            return error;
        };
        let take_unreported = || {
            first
                .unreported
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
        };
        if is_reported && let Some(detail) = take_unreported() {
            return error.with_detail(format!(
                "seen earlier, while an object was dropped: {detail}"
            ));
        }
        error.with_kind(ErrorKind::Poisoned).with_detail(format!(
            "a consequence of the {} that {} reported. The process cannot use CUDA any more. Fix: correct that fault, and \
             continue in a new process",
            first.code.name().unwrap_or("fault"),
            first.call
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;

    fn report(fault: &Fault) -> (ErrorKind, String) {
        let error = fault.error("cuCall", CODE, |_| Detail {
            text: "x[9]".into(),
            has_report: false,
        });
        (error.kind().clone(), error.detail().to_owned())
    }

    #[test]
    fn fault_is_reported_once() {
        let fault = Fault::default();
        assert!(!fault.is_known());
        assert_eq!(report(&fault), (ErrorKind::Fault, "x[9]".to_owned()));
        assert!(fault.is_known());
        assert_eq!(report(&fault).0, ErrorKind::Poisoned);
    }

    #[test]
    fn fault_seen_by_a_drop_is_reported_later() {
        let fault = Fault::default();
        discarding_errors(|| {
            report(&fault);
            assert_eq!(discarding_errors(|| report(&fault)).0, ErrorKind::Poisoned);
        });
        assert!(fault.is_known());
        let (kind, detail) = report(&fault);
        assert_eq!(kind, ErrorKind::Fault);
        assert!(detail.ends_with(": x[9]"), "{detail}");
        assert_eq!(report(&fault).0, ErrorKind::Poisoned);
    }

    #[test]
    fn panic_restores_the_depth() {
        let panicked = std::panic::catch_unwind(|| discarding_errors(|| panic!("on purpose")));
        assert!(panicked.is_err());
        assert_eq!(report(&Fault::default()).0, ErrorKind::Fault);
        assert_eq!(DISCARDING.get(), 0);
    }
}
