//! What a run must not have come to.

use super::child::Run;
use super::watch;

/// What was made to fail in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Failing {
    Nothing,
    OneCall,
    /// A call and every later one.
    AllFrom,
}

/// Exit code of a leak on the emulator.
const LEAKED: i32 = 99;
/// Exit code of a test program one of whose tests failed.
const TEST_FAILED: i32 = 101;

/// Calls after whose failure a leak is right: they release, or tell whether it is safe to.
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

/// What the library says where memory that it has borrowed can't be given back: the process ends, as documented.
const NO_WAY_TO_WAIT: &str = "cuda-safe: the driver cannot tell whether a copy";

/// Where a panic happened, by each.
fn panics(text: &str) -> impl Iterator<Item = &str> {
    text.split("panicked at ")
        .skip(1)
        .map(|rest| rest.lines().next().unwrap_or(""))
}

/// All that is wrong with a run. `leak_is_the_tests`: it holds raw handles, which nobody else can release when it stops.
pub fn wrongs(failing: Failing, leak_is_the_tests: bool, run: &Run) -> Vec<String> {
    let mut wrongs = Vec::new();
    let injected = run.injected();
    if let Some(place) = panics(&run.text).find(|place| !place.contains("/integration/")) {
        wrongs.push(format!("a panic at {place}"));
    }
    if let Some(line) = run
        .text
        .lines()
        .find(|line| line.starts_with("[cuda-emulator] CUDA_ERROR"))
    {
        wrongs.push(format!("a fault: {line}"));
    }
    if let Some((_, report)) = run.text.split_once(watch::REPORT) {
        wrongs.push(report.lines().next().unwrap_or("").into());
    }
    let excused = failing == Failing::AllFrom && run.text.contains(NO_WAY_TO_WAIT);
    match (run.code, failing) {
        (Some(0), _) => {}
        (Some(TEST_FAILED), Failing::OneCall | Failing::AllFrom) => {}
        (Some(LEAKED), Failing::AllFrom) => {}
        (Some(LEAKED), Failing::OneCall)
            if leak_is_the_tests
                || injected.is_some_and(|call| {
                    RELEASING.iter().any(|name| call.function.contains(name))
                }) => {}
        (Some(LEAKED), _) => wrongs.push("a leak".into()),
        (None, _) if excused => {}
        (code, _) => wrongs.push(match run.signal {
            Some(libc::SIGALRM) => "it hangs".into(),
            Some(signal) => format!("ended by signal {signal}"),
            None => format!("exit code {code:?}"),
        }),
    }
    for call in &run.calls {
        let releases = ["Free", "Destroy", "Unload", "Release"]
            .iter()
            .any(|name| call.function.contains(name));
        let refused =
            call.line.contains("= CUDA_ERROR_INVALID") && !call.line.contains("(injected)");
        if releases && refused {
            wrongs.push(format!("released twice? {}", call.line));
            break;
        }
    }
    wrongs
}
