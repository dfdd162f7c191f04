//! The first fault of a context, and whether the program has been told of it.

use std::{
    cell::Cell,
    sync::{Mutex, OnceLock, PoisonError},
};

use cuda_sys::CUresult;

use crate::error::{Error, ErrorKind};

thread_local! {
    /// How many calls of [`unheard`] this thread is in.
    static UNHEARD: Cell<u32> = const { Cell::new(0) };
}

/// For what discards its errors, as drops do: a fault that it is the first to find is left for the next call to report.
pub(crate) fn unheard<R>(body: impl FnOnce() -> R) -> R {
    /// Also after a panic.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            UNHEARD.set(UNHEARD.get() - 1);
        }
    }
    UNHEARD.set(UNHEARD.get() + 1);
    let _end = End;
    body()
}

/// The first fault that was seen in a context.
#[derive(Default)]
pub(crate) struct Fault(OnceLock<Seen>);

struct Seen {
    code: CUresult,
    /// The call that reported it.
    call: &'static str,
    /// What is known of it, until the program has been told.
    untold: Mutex<Option<String>>,
}

impl Fault {
    pub(crate) fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    /// The error of a call that returned the code of a fault: its report, or that it is the consequence of another.
    #[cold]
    pub(crate) fn error(
        &self,
        call: &'static str,
        code: CUresult,
        detail: impl FnOnce(&Error) -> String,
    ) -> Error {
        let error = Error::driver(call, code);
        let is_heard = UNHEARD.get() == 0;
        let Some(first) = self.0.get() else {
            let detail = detail(&error);
            let untold = (!is_heard).then(|| detail.clone());
            let _ = self.0.set(Seen {
                code,
                call,
                untold: Mutex::new(untold),
            });
            return error.with_detail(detail);
        };
        let untold = || {
            first
                .untold
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
        };
        if is_heard && let Some(detail) = untold() {
            return error.with_detail(format!(
                "found before, when something was given back: {detail}"
            ));
        }
        error.with_kind(ErrorKind::Poisoned).with_detail(format!(
            "a consequence of the {} that {} reported: the process can't use CUDA any more. Fix that fault; to go on, start \
             a new process",
            first.code.name().unwrap_or("fault"),
            first.call
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;

    fn told(fault: &Fault) -> (ErrorKind, String) {
        let error = fault.error("cuCall", CODE, |_| "x[9]".into());
        (error.kind().clone(), error.detail().to_owned())
    }

    #[test]
    fn a_fault_is_told_once() {
        let fault = Fault::default();
        assert!(!fault.is_known());
        assert_eq!(told(&fault), (ErrorKind::Fault, "x[9]".to_owned()));
        assert!(fault.is_known());
        assert_eq!(told(&fault).0, ErrorKind::Poisoned);
    }

    #[test]
    fn a_fault_that_nobody_heard_of_is_told_later() {
        let fault = Fault::default();
        unheard(|| {
            told(&fault);
            assert_eq!(unheard(|| told(&fault)).0, ErrorKind::Poisoned);
        });
        assert!(fault.is_known());
        let (kind, detail) = told(&fault);
        assert_eq!(kind, ErrorKind::Fault);
        assert!(detail.ends_with(": x[9]"), "{detail}");
        assert_eq!(told(&fault).0, ErrorKind::Poisoned);
    }

    #[test]
    fn a_panic_does_not_make_a_thread_unheard() {
        let panicked = std::panic::catch_unwind(|| unheard(|| panic!("on purpose")));
        assert!(panicked.is_err());
        assert_eq!(told(&Fault::default()).0, ErrorKind::Fault);
        assert_eq!(UNHEARD.get(), 0);
    }
}
