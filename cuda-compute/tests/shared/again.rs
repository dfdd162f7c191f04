//! Checks that data is consistent after a failed call.

use std::{env, fmt::Debug, panic::Location, process};

use cuda_compute::{Array, Element, Error, Result};
use cuda_safe::Stream;

/// Fails the test. If calls are made to fail, a test may panic. Therefore this aborts the process,
/// which no test may do: see `cuda-safe/tests/injection_suite/judge.rs`.
#[track_caller]
fn wrong(what: &str) -> ! {
    if env::var("CUDA_EMULATOR_FAIL").is_ok_and(|rules| !rules.is_empty()) {
        eprintln!("{}: {what}", Location::caller());
        process::abort();
    }
    panic!("{what}");
}

/// Runs a program. If it fails with a driver error, runs it again, and it has to succeed.
#[track_caller]
pub fn runs(stream: &Stream, program: fn(&Stream) -> Result<()>) {
    let Err(first) = program(stream) else {
        return;
    };
    if !matches!(first, Error::Cuda(_)) {
        wrong(&format!("no error of the driver's: {first}"));
    }
    // With a `+` rule, all later calls may fail.
    let for_ever = env::var("CUDA_EMULATOR_FAIL").is_ok_and(|rule| rule.contains('+'));
    if let Err(second) = program(stream)
        && !for_ever
    {
        wrong(&format!("{first}; and then {second}"));
    }
}

/// Checks that a result is right.
#[track_caller]
pub fn same<T: PartialEq + Debug>(got: T, wanted: T) {
    if got != wanted {
        wrong(&format!("{got:?}, not {wanted:?}"));
    }
}

/// Checks that an array that was written to has its new elements. After an error, it must have all
/// of them if the failure came after the work, or all its old elements, unless it cannot be read
/// either.
#[track_caller]
pub fn whole<T: Element + PartialEq>(
    result: Result<()>,
    array: &Array<T>,
    before: &[T],
    after: &[T],
) -> Result<()> {
    let now = array.to_vec();
    let Err(error) = result else {
        same(&now?[..], after);
        return Ok(());
    };
    if let Ok(now) = now
        && now != before
        && now != after
    {
        wrong(&format!("half done after {error}: {now:?}"));
    }
    Err(error)
}
