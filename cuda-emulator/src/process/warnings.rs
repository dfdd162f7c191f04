//! Notices that the emulator prints to standard error. `CUDA_EMULATOR_QUIET=1` hides them.
//!
//! Reports of faults, findings of checks, and complaints about invalid settings are not notices.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, Once};
use std::time::Duration;

use super::configuration;
use crate::abi::failure_reason;
use crate::abi::failure_reason::FailedCall;
use crate::abi::status::{Code, Result};
use crate::system;
use cuda_emulator_engine::Unpoisoned;

/// Prints a notice.
pub fn notice(text: &str) {
    if !configuration::get().quiet {
        print(text);
    }
}

/// Writes one line with a single write.
fn print(text: &str) {
    let line = format!("[cuda-emulator] {text}\n");
    // A failure to write a notice cannot be reported.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Prints the notices about the start of a program.
pub fn print_start_notices() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let program = std::env::current_exe().unwrap_or_default();
        if !is_test(&program, std::env::args_os(), |name| {
            std::env::var_os(name).is_some()
        }) {
            notice(
                "this program runs on the CUDA emulator, not on a GPU: times measured here say nothing about a GPU \
                 (CUDA_EMULATOR_QUIET=1 hides this notice)",
            );
        }
        if !cuda_emulator_engine::OPTIMIZED {
            notice(
                "the emulator's engine was built without optimization and is slow. Fix: put `opt-level = 3` under \
                 `[profile.dev.package.cuda-emulator-engine]` in the workspace's Cargo.toml",
            );
        }
    });
}

/// Returns whether a program is a test: a test built by cargo, a doc test, or a run of nextest or
/// pytest.
///
/// Cargo puts a hash of 16 digits into the names of tests and benches. It sets no variable that
/// distinguishes `cargo test` from `cargo run`.
fn is_test(
    program: &Path,
    arguments: impl IntoIterator<Item = OsString>,
    has: impl Fn(&str) -> bool,
) -> bool {
    if ["NEXTEST", "PYTEST_VERSION", "PYTEST_CURRENT_TEST"]
        .into_iter()
        .any(has)
    {
        return true;
    }
    let of_rustdoc = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b"rustdoctest");
    if program.iter().any(of_rustdoc) {
        return true;
    }
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let name = name
        .strip_suffix(std::env::consts::EXE_SUFFIX)
        .unwrap_or(&name);
    let hash = name.rsplit_once('-').map_or("", |(_, hash)| hash);
    let of_cargo = hash.len() == 16 && hash.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    // `cargo bench` passes this argument, and `cargo test --benches` does not.
    of_cargo && !arguments.into_iter().any(|argument| argument == "--bench")
}

/// Returns the code for a feature that a GPU's driver has and the emulator lacks. If a GPU's driver
/// rejects the call too, use the plain code.
#[cold]
pub fn missing_feature(what: &'static str) -> Code {
    failure_reason::missing_feature(what)
}

/// Checks that pools, IPC memory and events can be shared with other processes on this system.
///
/// # Errors
/// Returns `CUDA_ERROR_NOT_SUPPORTED` with `what` as the missing feature, on Windows.
pub fn expect_sharing(what: &'static str) -> Result {
    match system::OPENS_FILES_OF_PROCESSES {
        true => Ok(()),
        false => Err(missing_feature(what)),
    }
}

/// Stores the reason for a failed call, and prints once per function the feature that the emulator
/// lacks.
#[cold]
pub fn failed(name: &'static str, code: Code, call: impl Fn() -> FailedCall) {
    if let Some(what) = failure_reason::failed(code, call) {
        once(name, || {
            format!("{name} returns {code}: {what} is not emulated")
        });
    }
}

/// Prints once that a function is exported but not implemented.
#[cold]
pub fn not_emulated(function: &'static str) {
    failure_reason::set(Some(format!("{function} is not emulated")));
    once(function, || {
        format!(
            "{function} is not emulated: it does nothing and returns {}",
            Code::ERROR_NOT_SUPPORTED
        )
    });
}

/// Prints once per kernel name that a launch takes long, and where one of its threads is.
#[cold]
pub fn note_long_run(kernel: &str, elapsed: Duration, place: &str) {
    once(kernel, || {
        long_run(kernel, elapsed, place, configuration::get().timeout)
    });
}

fn long_run(kernel: &str, elapsed: Duration, place: &str, limit: Option<Duration>) -> String {
    let advice = match limit {
        Some(limit) => format!("CUDA_EMULATOR_TIMEOUT stops it after {limit:?}"),
        None => "Fix: if it never ends, set CUDA_EMULATOR_TIMEOUT=20, which stops a launch after 20 seconds and \
                 reports where it was"
            .into(),
    };
    let seconds = elapsed.as_secs();
    format!("kernel {kernel} has been running for {seconds} s: {place}. {advice}")
}

/// Prints a finding of the check of unwritten memory, once per kernel name.
#[cold]
pub fn found_unwritten(kernel: &str, text: impl FnOnce() -> String) {
    if is_first(&format!("unwritten {kernel}")) {
        print(&text());
    }
}

/// Prints a notice once per key, which is the name of a function or of a kernel.
fn once(key: &str, text: impl FnOnce() -> String) {
    if is_first(key) {
        notice(&text());
    }
}

fn is_first(key: &str) -> bool {
    static SAID: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut said = SAID.lock().unpoisoned();
    said.get_or_insert_default().insert(key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notice_about_a_long_launch_names_place_and_limit() {
        let text = |limit| {
            long_run(
                "spin",
                Duration::from_millis(10_007),
                "thread 3 is at a.cu:7",
                limit,
            )
        };
        assert_eq!(
            text(None),
            "kernel spin has been running for 10 s: thread 3 is at a.cu:7. Fix: if it never ends, set \
             CUDA_EMULATOR_TIMEOUT=20, which stops a launch after 20 seconds and reports where it was"
        );
        assert_eq!(
            text(Some(Duration::from_secs(60))),
            "kernel spin has been running for 10 s: thread 3 is at a.cu:7. CUDA_EMULATOR_TIMEOUT stops it after 60s"
        );
    }

    #[test]
    fn is_test_distinguishes_tests_from_programs() {
        let plain = |path: &str| is_test(Path::new(path), [], |_| false);
        assert!(plain("/p/target/debug/deps/integration-c47d6f16f9b5af1e"));
        assert!(plain("/tmp/rustdoctestXkPq1z/rust_out"));
        assert!(!plain("/p/target/debug/program"));
        assert!(!plain("/p/target/debug/examples/a-picture"));
        assert!(!plain("/p/target/release/examples/a-picture-of-0123456789"));
        assert!(!plain("/usr/bin/python3.12"));
        assert!(!plain(""));
        let bench = Path::new("/p/target/release/deps/launch-c47d6f16f9b5af1e");
        assert!(!is_test(bench, ["launch".into(), "--bench".into()], |_| {
            false
        }));
        assert!(is_test(bench, ["launch".into()], |_| false));
        for runner in ["NEXTEST", "PYTEST_CURRENT_TEST"] {
            assert!(is_test(Path::new("/usr/bin/python3"), [], |name| name == runner));
        }
        // This test is itself a test.
        let here = std::env::current_exe().unwrap();
        assert!(is_test(&here, std::env::args_os(), |_| false));
    }
}
