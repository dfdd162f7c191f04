//! Compiles the kernels of `examples/embedded_kernels.rs`, and gives examples and tests run paths.

use std::path::Path;

#[path = "build/run_paths.rs"]
mod run_paths;

fn main() {
    println!("cargo::rerun-if-changed=build");
    cuda_build::Build::new("examples/kernels")
        .architectures(["sm_80", "sm_90"])
        .or_source()
        .run();
    run_paths::print(Path::new(env!("CARGO_MANIFEST_DIR")), true);
}
