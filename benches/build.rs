//! Gives benches run paths.

use std::path::Path;

#[path = "../build/run_paths.rs"]
mod run_paths;

fn main() {
    println!("cargo::rerun-if-changed=../build");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    run_paths::print(
        package.parent().expect("the repository"),
        cfg!(feature = "emulator"),
    );
}
