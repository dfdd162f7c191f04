//! Helps bindgen to find libclang, which it loads at run time.

use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use crate::locate::{Machine, remedy};

/// Loads libclang. If the system has none, uses the one in this repository's own folder or in
/// Python's packages.
///
/// # Errors
/// Returns a message with the reason, the places that were searched, and the command that fixes it.
pub fn load(machine: &Machine) -> Result<(), String> {
    if env::var_os("LIBCLANG_PATH").is_none() {
        let ours = [machine.repository.join(".cuda/clang/native")];
        let python = || {
            (machine.site_packages)()
                .into_iter()
                .map(|dir| dir.join("clang/native"))
        };
        let holds = |dir: &PathBuf| {
            ["libclang.so", "libclang.dll", "libclang.dylib"]
                .iter()
                .any(|name| dir.join(name).is_file())
        };
        if let Some(dir) = ours.into_iter().find(holds) {
            set_libclang_path(&dir);
        } else if clang_version().is_err()
            && let Some(dir) = python().find(holds)
        {
            set_libclang_path(&dir);
        }
    }
    clang_version().map_err(|reason| {
        format!(
            "cuda-sys cannot load libclang, with which bindgen reads the CUDA headers:\n  {reason}\n\
             Looked at: LIBCLANG_PATH, {}, llvm-config and the system's directories, Python's packages.\n\
             Fix: {}",
            machine.repository.join(".cuda/clang/native").display(),
            remedy(machine.repository)
        )
    })
}

fn set_libclang_path(dir: &Path) {
    // SAFETY: the build script has one thread, so no other code reads the environment at the same
    // time.
    unsafe { env::set_var("LIBCLANG_PATH", dir) };
}

/// Loads libclang, and converts the panic with which bindgen reports a failure to an error.
fn clang_version() -> Result<(), String> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(bindgen::clang_version));
    panic::set_hook(hook);
    result.map(drop).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given")
            .to_owned()
    })
}
