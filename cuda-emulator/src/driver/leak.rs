//! What is still allocated at exit: `CUDA_EMULATOR_CHECK=leak`.

use std::io::Write as _;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{capture, context, event, link, memory, module, pool, stream};

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

/// Whether `cuMemFreeAsync` was called for memory whose turn hasn't come.
fn frees_are_under_way() -> bool {
    memory::all()
        .iter()
        .any(|one| one.freeing.load(Ordering::Acquire) && one.context.is_alive())
}

/// Lets streams get to what was freed on them.
fn settle() {
    let end = Instant::now() + PATIENCE;
    while frees_are_under_way() && Instant::now() < end {
        for stream in context::all().iter().flat_map(|one| one.streams()) {
            stream.pending().iter().for_each(stream::Mark::want);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The report; `None` when nothing is left.
fn report() -> Option<String> {
    settle();
    let mut lines = Vec::new();
    for one in memory::all()
        .iter()
        .filter(|one| one.is_clients() && one.context.is_alive())
    {
        let late = if one.freeing.load(Ordering::Acquire) {
            "; cuMemFreeAsync was called, but its stream has not got there"
        } else {
            ""
        };
        lines.push(format!(
            "{}, context {}{late}",
            one.summary(),
            one.context.id
        ));
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
        pool::created()
            .iter()
            .map(|one| format!("memory pool {:#x}", one.handle)),
    );
    lines.extend(
        link::all()
            .iter()
            .map(|one| format!("linker {:#x} (cuLinkCreate)", one.handle)),
    );
    lines.extend(
        capture::all_graphs()
            .iter()
            .map(|one| format!("graph {:#x}", one.handle)),
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
