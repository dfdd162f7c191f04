//! Passes on the location of the bindings, which some tests read.

use std::env;

fn main() {
    for fact in ["DEP_CUDA_BINDINGS", "DEP_CUDA_VERSIONED_BINDINGS"] {
        let bindings = env::var(fact).expect("cuda-sys sets the path of its bindings");
        println!("cargo::rerun-if-changed={bindings}");
        println!("cargo::rustc-env=EMULATOR_{fact}={bindings}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
