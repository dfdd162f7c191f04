//! Runs a test's body in its own process on the emulator with held streams: enqueued work begins
//! only when the host waits for it, so a missing wait shows. The driver calls that the test names
//! fail there.

use std::{
    env, fs,
    panic::Location,
    process::{self, Command, Output},
};

#[path = "test_name.rs"]
mod test_name;

use test_name::test_name;

const CHILD: &str = "CUDA_TEST_CHILD";
const TRACE: &str = "CUDA_EMULATOR_TRACE";
/// Suffix of the trace's file name that also logs queries of the current context.
const EVERY: &str = ",every";

/// Runs the test that contains the closure `body` again, in a child that executes only `body`, and
/// lets the driver calls in `fail` fail.
#[track_caller]
fn run(fail: &str, with: &[(&str, &str)], body: impl FnOnce()) -> Option<Output> {
    let place = format!("{}/{fail}", Location::caller());
    match env::var(CHILD) {
        Ok(wanted) => {
            if wanted == place {
                body();
                println!("child done");
            }
            None
        }
        Err(_) => Some(
            Command::new(env::current_exe().unwrap())
                .args([
                    test_name(&body),
                    "--exact",
                    "--nocapture",
                    "--test-threads=1",
                ])
                .env(CHILD, place)
                .env("CUDA_EMULATOR_HOLD", "60000")
                .env("CUDA_EMULATOR_FAIL", fail)
                // A rule may name calls that a body never makes, for instance all ways to wait.
                .env("CUDA_EMULATOR_QUIET", "1")
                // Also the faults that `body` expects.
                .env("CUDA_EMULATOR_REPORT", "/dev/stderr")
                .envs(with.iter().copied())
                .output()
                .unwrap(),
        ),
    }
}

fn text(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Checks that `body` passes with these failures.
#[track_caller]
pub fn passes(fail: &str, body: impl FnOnce()) {
    if let Some(output) = run(fail, &[], body) {
        let text = text(&output);
        let done = output.status.success() && text.contains("child done");
        assert!(done, "{fail}: {text}");
        assert!(!text.contains("[cuda-emulator]"), "{fail}: {text}");
    }
}

/// Checks that `body` passes with these environment variables.
#[allow(dead_code, reason = "some programs have no such test")]
#[track_caller]
pub fn passes_with(with: &[(&str, &str)], body: impl FnOnce()) {
    if let Some(output) = run("", with, body) {
        let text = text(&output);
        let done = output.status.success() && text.contains("child done");
        assert!(done, "{with:?}: {text}");
    }
}

/// Checks that `body` aborts its process and prints the reason.
#[allow(dead_code, reason = "some programs have no such test")]
#[track_caller]
pub fn aborts(fail: &str, body: impl FnOnce()) {
    if let Some(output) = run(fail, &[], body) {
        let text = text(&output);
        assert!(
            !output.status.success() && !text.contains("child done"),
            "{text}"
        );
        assert!(text.contains("cannot tell whether a copy"), "{text}");
    }
}

/// Checks that `body` passes and leaks nothing on two devices, and logs its driver calls for
/// [`calls`].
#[allow(dead_code, reason = "some programs have no such test")]
#[track_caller]
pub fn traced(fail: &str, body: impl FnOnce()) {
    let test = test_name(&body).replace("::", "-");
    let name = format!("cuda-safe-calls-{test}-{}", process::id());
    let trace = env::temp_dir().join(name);
    let every = format!("{}{EVERY}", trace.display());
    let with = [
        (TRACE, every.as_str()),
        ("CUDA_EMULATOR_CHECK", "leak,host"),
        ("CUDA_EMULATOR_DEVICES", "2"),
    ];
    if let Some(output) = run(fail, &with, body) {
        let calls = fs::read_to_string(&trace).unwrap_or_default();
        let _ = fs::remove_file(&trace);
        let text = text(&output);
        let done = output.status.success() && text.contains("child done");
        assert!(done, "{fail}: {text}\n{calls}");
    }
}

/// Returns the calls so far of driver functions whose names begin with `function`, in a [`traced`]
/// body.
#[allow(dead_code, reason = "some programs have no such test")]
pub fn calls(function: &str) -> Vec<String> {
    let trace = env::var(TRACE).unwrap();
    let trace = fs::read_to_string(trace.strip_suffix(EVERY).unwrap()).unwrap();
    trace
        .lines()
        .filter_map(|line| Some(line.split_once(": ")?.1))
        .filter(|call| call.starts_with(function) && call.contains(") = "))
        .map(str::to_owned)
        .collect()
}
