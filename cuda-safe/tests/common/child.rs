//! A test's body in a process of its own, on the emulator, with streams held: nothing that is enqueued begins before
//! somebody waits for it, so what was not waited for shows. Driver calls that the test names fail there.

use std::{
    panic::Location,
    process::{Command, Output},
};

const CHILD: &str = "CUDA_TEST_CHILD";

/// Runs this program's test of that name again, with `body` as all that it does and `fail` as the calls that fail there.
#[track_caller]
fn run(test: &str, fail: &str, body: fn()) -> Option<Output> {
    let place = format!("{}/{fail}", Location::caller());
    match std::env::var(CHILD) {
        Ok(wanted) => {
            if wanted == place {
                body();
                println!("child done");
            }
            None
        }
        Err(_) => Some(
            Command::new(std::env::current_exe().unwrap())
                .args([test, "--exact", "--nocapture", "--test-threads=1"])
                .env(CHILD, place)
                .env("CUDA_EMULATOR_HOLD", "60000")
                .env("CUDA_EMULATOR_FAIL", fail)
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

/// `body` passes with these failures.
#[track_caller]
pub fn passes(test: &str, fail: &str, body: fn()) {
    if let Some(output) = run(test, fail, body) {
        let text = text(&output);
        let done = output.status.success() && text.contains("child done");
        assert!(done, "{fail}: {text}");
        assert!(!text.contains("[cuda-emulator]"), "{fail}: {text}");
    }
}

/// `body` ends its process, and says why.
#[allow(dead_code, reason = "some programs have no such test")]
#[track_caller]
pub fn aborts(test: &str, fail: &str, body: fn()) {
    if let Some(output) = run(test, fail, body) {
        let text = text(&output);
        assert!(
            !output.status.success() && !text.contains("child done"),
            "{text}"
        );
        assert!(text.contains("can't tell whether a copy"), "{text}");
    }
}
