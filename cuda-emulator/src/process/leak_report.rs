//! The report of objects still allocated at exit: `CUDA_EMULATOR_CHECK=leak`.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::registry;

/// Exit code of a process that leaks.
const EXIT_CODE: i32 = 99;
/// How long to wait for frees that are still queued on streams.
const PATIENCE: Duration = Duration::from_secs(1);

/// Prints a report and ends the process, if something has leaked.
pub fn report_and_exit() {
    let Some(report) = report() else {
        return;
    };
    let _ = std::io::stderr().write_all(report.as_bytes());
    // exit() cannot be called again, so this flushes the C library's buffers and leaves at once.
    // SAFETY: fflush(NULL) flushes every stream; _exit does not return.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(EXIT_CODE);
    }
}

/// Waits until streams have executed their queued frees.
fn settle() {
    let end = Instant::now() + PATIENCE;
    while registry::has_queued_frees() && Instant::now() < end {
        registry::start_delayed();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the report, or `None` if nothing has leaked.
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
