//! The first fault of a context, and whether the program has seen it.

use std::{
    cell::Cell,
    io::{self, Write},
    sync::{Arc, Mutex, Once, OnceLock, PoisonError},
};

use cuda_sys::CUresult;

use crate::error::{Error, ErrorKind};

thread_local! {
    /// The nesting depth of [`discarding_errors`] on this thread.
    static DISCARDING: Cell<u32> = const { Cell::new(0) };
}

/// Runs code that discards its errors, as drops do. If it is the first to see a fault, the next
/// call reports the fault. If no call follows, the emulator's report is printed at exit.
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
    /// Whether it contains the emulator's report, which the emulator then does not print.
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
    unreported: Unreported,
}

type Unreported = Arc<Mutex<Option<String>>>;

/// The faults that only drops have seen, and their errors.
static AT_EXIT: Mutex<Vec<(Unreported, Error)>> = Mutex::new(Vec::new());

/// Prints the error when the process exits, if no other error has reported the fault by then.
fn print_at_exit(unreported: &Unreported, error: &Error) {
    static ONCE: Once = Once::new();
    // SAFETY: the handler is a plain function of the program.
    ONCE.call_once(|| _ = unsafe { libc::atexit(print_unreported) });
    let mut all = AT_EXIT.lock().unwrap_or_else(PoisonError::into_inner);
    all.push((Arc::clone(unreported), error.clone()));
}

extern "C" fn print_unreported() {
    let all = AT_EXIT.lock().unwrap_or_else(PoisonError::into_inner);
    for (unreported, error) in all.iter() {
        let unreported = unreported.lock().unwrap_or_else(PoisonError::into_inner);
        if unreported.is_some() {
            // `eprintln!` would panic if it failed.
            let _ = writeln!(io::stderr(), "{error}");
        }
    }
}

impl Fault {
    pub(crate) fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    /// Takes the details if no error has reported them.
    fn take_unreported(&self) -> Option<String> {
        let unreported = &self.0.get()?.unreported;
        unreported
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
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
            let unreported = Arc::new(Mutex::new((!is_reported).then_some(text)));
            let first = FirstFault {
                code,
                call,
                unreported: Arc::clone(&unreported),
            };
            match self.0.set(first) {
                Ok(()) if !is_reported && has_report => print_at_exit(&unreported, &error),
                Ok(()) => {}
                // Another thread was first, and this error reports the same fault.
                Err(_) if is_reported => drop(self.take_unreported()),
                Err(_) => {}
            }
            return error;
        };
        if is_reported && let Some(detail) = self.take_unreported() {
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
