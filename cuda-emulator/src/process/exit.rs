//! What is done when the process exits.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{configuration, leak_report, warnings};

/// Whether a client has asked for more than NVRTC does.
static USED: AtomicBool = AtomicBool::new(false);

/// Notes a call. NVRTC opens a `libcuda.so.1` of its own and asks whether there is a driver, by these two calls. Beside a
/// program that has the emulator linked in, that is a second emulator, which can't know what the first was asked.
pub fn note(call: &str) {
    if !matches!(call, "cuInit" | "cuGetExportTable") {
        USED.store(true, Ordering::Relaxed);
    }
}

/// Has it done, if there is something to do.
pub fn watch() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    let config = configuration::get();
    if config.fail.is_empty() && !config.check_leak {
        return;
    }
    ONCE.call_once(|| {
        // SAFETY: at_exit is a plain function that stays loaded (the library is linked with -z nodelete).
        unsafe { libc::atexit(at_exit) };
    });
}

extern "C" fn at_exit() {
    let _ = std::panic::catch_unwind(|| {
        // A test that asked for a failure which never happened has tested nothing.
        if USED.load(Ordering::Relaxed) {
            for told in configuration::get()
                .fail
                .iter()
                .filter_map(|rule| rule.unfired())
            {
                warnings::say(&told);
            }
        }
        if configuration::get().check_leak {
            leak_report::tell();
        }
    });
}
