//! The checks at process exit.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{configuration, leak_report, warnings};
use crate::system;

/// Whether a client has made calls other than the two that NVRTC makes.
static USED: AtomicBool = AtomicBool::new(false);

/// Records a call.
///
/// Ignores `cuInit` and `cuGetExportTable`. NVRTC opens its own `libcuda.so.1` and makes these two
/// calls to detect a driver. If the program links the emulator, NVRTC opens a second copy of it,
/// which does not see the calls made to the first.
pub fn note(call: &str) {
    if !matches!(call, "cuInit" | "cuGetExportTable") {
        USED.store(true, Ordering::Relaxed);
    }
}

/// Registers the checks at exit, if any are configured.
pub fn watch() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    let config = configuration::get();
    if config.fail.is_empty() && !config.check_leak {
        return;
    }
    ONCE.call_once(|| _ = system::at_exit(at_exit));
}

extern "C" fn at_exit() {
    let _ = std::panic::catch_unwind(|| {
        // A test that requested a failure that never happened has tested nothing.
        if USED.load(Ordering::Relaxed) {
            for message in configuration::get()
                .fail
                .iter()
                .filter_map(|rule| rule.unfired())
            {
                warnings::notice(&message);
            }
        }
        if configuration::get().check_leak {
            leak_report::report_and_exit();
        }
    });
}
