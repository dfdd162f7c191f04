//! `examples/dlpack` with Python's standard library: the structures that PyTorch and CuPy receive, read by ctypes.

use std::{env, path::Path, process::Command};

#[test]
fn python_sees_dlpacks_structures() {
    // Test programs are in `deps`, and examples in a folder beside it. `cargo test` builds both.
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let library = profile.join("examples/libdlpack.so");
    assert!(
        library.exists(),
        "{} does not exist. Fix: cargo build --example dlpack",
        library.display()
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/dlpack/structures.py");
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(&python)
        .arg("-B") // no compiled files among the sources
        .args([script, library])
        .env("CUDA_EMULATOR_QUIET", "1") // `err` must be empty
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    // `err` contains exceptions that Python ignores, for example those in destructors.
    let passed = output.status.success() && out.contains("checks passed") && err.is_empty();
    assert!(passed, "{}\n{out}{err}", output.status);
}
