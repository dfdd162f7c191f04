//! Checks of errors that a test expects.
#![allow(dead_code, reason = "some programs need only a part")]

use std::{
    fmt::{self, Display},
    ops::Deref,
};

use cuda_safe::{Error, ErrorKind, sys::CUresult};

/// The error of a call that had to fail.
pub struct Failure<E = Error>(E);

/// Returns the error of a call that must fail.
#[track_caller]
pub fn failure<T, E>(result: Result<T, E>) -> Failure<E> {
    match result {
        Ok(_) => panic!("the call has not failed"),
        Err(error) => Failure(error),
    }
}

/// Returns the error of a call that must fail with [`ErrorKind::InvalidArgument`].
#[track_caller]
pub fn rejection<T>(result: Result<T, impl Into<Error>>) -> Failure {
    failure(result.map_err(Into::into)).of_kind(ErrorKind::InvalidArgument)
}

impl<E: Display> Failure<E> {
    /// Checks that the message contains `text`.
    #[track_caller]
    pub fn mentions(self, text: &str) -> Self {
        let message = self.0.to_string();
        assert!(message.contains(text), "no {text:?} in {message}");
        self
    }

    /// Checks that the message begins with `text`.
    #[track_caller]
    pub fn begins_with(self, text: &str) -> Self {
        let message = self.0.to_string();
        assert!(message.starts_with(text), "no {text:?} before {message}");
        self
    }
}

impl Failure {
    #[track_caller]
    pub fn of_kind(self, kind: ErrorKind) -> Self {
        assert_eq!(*self.0.kind(), kind, "{}", self.0);
        self
    }

    #[track_caller]
    pub fn detail_contains(self, text: &str) -> Self {
        let detail = self.0.detail();
        assert!(detail.contains(text), "no {text:?} in the detail {detail}");
        self
    }

    /// Checks that the driver returned `code`.
    #[track_caller]
    pub fn with_code(self, code: CUresult) -> Self {
        assert_eq!(self.0.driver_code(), Some(code), "{}", self.0);
        self
    }
}

impl<E> Deref for Failure<E> {
    type Target = E;

    fn deref(&self) -> &E {
        &self.0
    }
}

impl<E: Display> Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
