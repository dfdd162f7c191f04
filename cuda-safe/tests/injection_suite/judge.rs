//! Checks of the result of a run.

use super::child::Run;
use super::watch;

/// The calls that fail in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Failing {
    Nothing,
    OneCall,
    /// One call and all later calls.
    AllFrom,
}

/// The exit code with which the emulator reports a leak.
const LEAKED: i32 = 99;
/// The exit code of a test program if a test failed.
const TEST_FAILED: i32 = 101;

/// Calls whose failure may cause a leak: they release something, or they determine whether
/// releasing is safe.
const RELEASING: [&str; 15] = [
    "Free",
    "Destroy",
    "Unload",
    "Release",
    "Unregister",
    "MemUnmap",
    "IpcCloseMemHandle",
    "CtxSynchronize",
    "StreamSynchronize",
    "EventSynchronize",
    "CtxGetCurrent",
    "CtxSetCurrent",
    "CtxPushCurrent",
    "CtxPopCurrent",
    "CtxGetDevice",
];

/// The library's message if borrowed memory cannot be returned. The process then ends, as
/// documented.
const NO_WAY_TO_WAIT: &str = "cuda-safe: the driver cannot tell whether a copy";

/// Returns the location of each panic.
fn panics(text: &str) -> impl Iterator<Item = &str> {
    text.split("panicked at ")
        .skip(1)
        .map(|rest| rest.lines().next().unwrap_or(""))
}

/// Returns everything that is wrong with a run. `may_leak` means that the test holds raw
/// handles, which are leaked if it stops early.
pub fn defects(failing: Failing, may_leak: bool, run: &Run) -> Vec<String> {
    let mut defects = Vec::new();
    let injected = run.injected();
    if let Some(place) = panics(&run.text).find(|place| !place.contains("/integration/")) {
        defects.push(format!("a panic at {place}"));
    }
    if let Some(line) = run
        .text
        .lines()
        .find(|line| line.starts_with("[cuda-emulator] CUDA_ERROR"))
    {
        defects.push(format!("a fault: {line}"));
    }
    if let Some((_, report)) = run.text.split_once(watch::REPORT) {
        defects.push(report.lines().next().unwrap_or("").into());
    }
    let excused = failing == Failing::AllFrom && run.text.contains(NO_WAY_TO_WAIT);
    match (run.code, failing) {
        (Some(0), _) => {}
        (Some(TEST_FAILED), Failing::OneCall | Failing::AllFrom) => {}
        (Some(LEAKED), Failing::AllFrom) => {}
        (Some(LEAKED), Failing::OneCall)
            if may_leak
                || injected.is_some_and(|call| {
                    RELEASING.iter().any(|name| call.function.contains(name))
                }) => {}
        (Some(LEAKED), _) => defects.push("a leak".into()),
        (None, _) if excused => {}
        (code, _) => defects.push(match run.signal {
            Some(libc::SIGALRM) => "it hangs".into(),
            Some(signal) => format!("ended by signal {signal}"),
            None => format!("exit code {code:?}"),
        }),
    }
    for call in &run.calls {
        let releases = ["Free", "Destroy", "Unload", "Release"]
            .iter()
            .any(|name| call.function.contains(name));
        let rejected =
            call.line.contains("= CUDA_ERROR_INVALID") && !call.line.contains("(injected)");
        if releases && rejected {
            defects.push(format!("released twice? {}", call.line));
            break;
        }
    }
    defects
}
