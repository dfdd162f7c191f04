//! What is still allocated at exit: `CUDA_EMULATOR_CHECK=leak`.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::registry;

/// Exit code of a process that leaks.
const EXIT_CODE: i32 = 99;
/// How long streams get for the frees that are still on them.
const PATIENCE: Duration = Duration::from_secs(1);

/// Has the check run when the process exits.
pub fn watch() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: at_exit is a plain function that stays loaded (the library is linked with -z nodelete).
        unsafe { libc::atexit(at_exit) };
    });
}

extern "C" fn at_exit() {
    let Ok(Some(report)) = std::panic::catch_unwind(report) else {
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
