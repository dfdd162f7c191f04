//! What is still there at exit: `CUDA_EMULATOR_CHECK=leak`.

use std::io::Write as _;

use super::{context, event, memory, module, stream};

/// Exit code of a process that leaks.
const EXIT_CODE: i32 = 99;

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

/// The report; `None` when nothing is left.
fn report() -> Option<String> {
    let mut lines = Vec::new();
    for one in memory::all()
        .iter()
        .filter(|one| one.is_clients() && one.context.is_alive())
    {
        lines.push(format!("{}, context {}", one.summary(), one.context.id));
    }
    lines.extend(
        module::all()
            .iter()
            .map(|one| format!("module {:#x}, {}", one.handle, one.describe())),
    );
    lines.extend(
        module::all_libraries()
            .iter()
            .map(|one| format!("library {:#x}", one.handle)),
    );
    lines.extend(
        stream::all()
            .iter()
            .map(|one| format!("stream {:#x}", one.handle)),
    );
    lines.extend(
        event::all()
            .iter()
            .map(|one| format!("event {:#x}", one.handle)),
    );
    lines.extend(
        context::created()
            .iter()
            .map(|one| format!("context {} (cuCtxCreate)", one.id)),
    );
    for (ordinal, retained) in context::primary_retains().iter().enumerate() {
        if *retained > 0 {
            lines.push(format!(
                "primary context of device {ordinal}, retained {retained} times more than released"
            ));
        }
    }
    if lines.is_empty() {
        return None;
    }
    let mut text = format!("[cuda-emulator] {} leaked at exit:\n", lines.len());
    for line in &lines {
        text.push_str(&format!("  {line}\n"));
    }
    Some(text)
}
