//! What is done when the process exits.

use super::{config, leak, notice};

/// Has it done, if there is something to do.
pub fn watch() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    let config = config::get();
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
        for told in config::get().fail.iter().filter_map(|rule| rule.unfired()) {
            notice::say(&told);
        }
        if config::get().check_leak {
            leak::tell();
        }
    });
}
