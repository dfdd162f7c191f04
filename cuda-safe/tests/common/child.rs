//! A test's body in a process of its own, on the emulator, with streams held: nothing that is enqueued begins before
//! somebody waits for it, so what was not waited for shows. Driver calls that the test names fail there.

use std::{
    env, fs,
    panic::Location,
    path::Path,
    process::{self, Command, Output},
};

const CHILD: &str = "CUDA_TEST_CHILD";
const TRACE: &str = "CUDA_EMULATOR_TRACE";
/// Behind the trace's file: queries of the current context are written down, too.
const EVERY: &str = ",every";

/// Runs this program's test of that name again, with `body` as all that it does and `fail` as the calls that fail there.
#[track_caller]
fn run(test: &str, fail: &str, with: &[(&str, &str)], body: fn()) -> Option<Output> {
    let place = format!("{}/{fail}", Location::caller());
    let test = full_name(test, Path::new(Location::caller().file()));
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
                .args([&test, "--exact", "--nocapture", "--test-threads=1"])
                .env(CHILD, place)
                .env("CUDA_EMULATOR_HOLD", "60000")
                .env("CUDA_EMULATOR_FAIL", fail)
                // A rule may be wider than what a body does: all ways of waiting, for instance.
                .env("CUDA_EMULATOR_QUIET", "1")
                .envs(with.iter().copied())
                .output()
                .unwrap(),
        ),
    }
}

/// A test's name as its program knows it: with the module, where the file is one of several of its program.
fn full_name(test: &str, file: &Path) -> String {
    let (Some(folder), Some(module)) = (file.parent(), file.file_stem()) else {
        return test.to_owned();
    };
    if folder.ends_with("tests") || module == "main" {
        return test.to_owned();
    }
    format!("{}::{test}", module.to_string_lossy())
}

fn text(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// `body` passes with these failures.
#[track_caller]
pub fn passes(test: &str, fail: &str, body: fn()) {
    if let Some(output) = run(test, fail, &[], body) {
        let text = text(&output);
        let done = output.status.success() && text.contains("child done");
        assert!(done, "{fail}: {text}");
        assert!(!text.contains("[cuda-emulator]"), "{fail}: {text}");
    }
}

/// `body` passes with these environment variables.
#[allow(dead_code, reason = "some programs have no such test")]
#[track_caller]
pub fn passes_with(test: &str, with: &[(&str, &str)], body: fn()) {
    if let Some(output) = run(test, "", with, body) {
        let text = text(&output);
        let done = output.status.success() && text.contains("child done");
        assert!(done, "{with:?}: {text}");
    }
}

/// `body` ends its process, and says why.
#[allow(dead_code, reason = "some programs have no such test")]
#[track_caller]
pub fn aborts(test: &str, fail: &str, body: fn()) {
    if let Some(output) = run(test, fail, &[], body) {
        let text = text(&output);
        assert!(
            !output.status.success() && !text.contains("child done"),
            "{text}"
        );
        assert!(text.contains("cannot tell whether a copy"), "{text}");
    }
}

/// `body` passes and leaks nothing, on two devices, with its driver calls written down for [`calls`].
#[allow(dead_code, reason = "some programs have no such test")]
#[track_caller]
pub fn traced(test: &str, fail: &str, body: fn()) {
    let name = format!("cuda-safe-calls-{test}-{}", process::id());
    let trace = env::temp_dir().join(name);
    let every = format!("{}{EVERY}", trace.display());
    let with = [
        (TRACE, every.as_str()),
        ("CUDA_EMULATOR_CHECK", "leak,host"),
        ("CUDA_EMULATOR_DEVICES", "2"),
    ];
    if let Some(output) = run(test, fail, &with, body) {
        let calls = fs::read_to_string(&trace).unwrap_or_default();
        let _ = fs::remove_file(&trace);
        let text = text(&output);
        let done = output.status.success() && text.contains("child done");
        assert!(done, "{fail}: {text}\n{calls}");
    }
}

/// The calls so far of a driver function, by the beginning of its name, in a body that is [`traced`].
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
