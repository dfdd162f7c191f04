//! Sets a configuration flag if the engine is compiled without optimization.

use std::env;

fn main() {
    // The driver warns about an unoptimized engine, because kernels then take dozens of times longer.
    println!("cargo::rustc-check-cfg=cfg(cuda_emulator_unoptimized)");
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=cuda_emulator_unoptimized");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
