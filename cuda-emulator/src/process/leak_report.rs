//! What is still allocated at exit: `CUDA_EMULATOR_CHECK=leak`.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::registry;

/// Exit code of a process that leaks.
const EXIT_CODE: i32 = 99;
/// How long streams get for the frees that are still on them.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ends the process with a report, if something has leaked.
pub fn tell() {
    let Some(report) = report() else {
        return;
    };
    let _ = std::io::stderr().write_all(report.as_bytes());
    // exit() can't be called again; leave at once, with what the C library has buffered written out.
    // SAFETY: fflush(NULL) flushes every stream; _exit doesn't return.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(EXIT_CODE);
    }
}

/// Lets streams get to what was freed on them.
fn settle() {
    let end = Instant::now() + PATIENCE;
    while registry::is_settling() && Instant::now() < end {
        registry::hurry();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The report; `None` when nothing is left.
fn report() -> Option<String> {
    settle();
    let lines = registry::leaks();
    if lines.is_empty() {
        return None;
    }
    let mut text = format!("[cuda-emulator] {} leaked at exit:\n", lines.len());
    for line in &lines {
        text.push_str(&format!("  {line}\n"));
    }
    Some(text)
}
