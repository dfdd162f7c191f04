//! Makes the bindings from the CUDA headers at hand and tells cargo what to link.

mod bindings;
mod link;
mod locate;

use std::path::PathBuf;
use std::process::exit;
use std::{env, fs};

fn main() {
    if let Err(message) = build() {
        eprintln!("{message}");
        exit(1);
    }
}

fn build() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run me by cargo")?);
    let nvrtc = env::var_os("CARGO_FEATURE_NVRTC").is_some();
    let toolkit = locate::toolkit()?;
    let generated = bindings::generate(&toolkit, nvrtc, &out)?;
    let path = out.join("bindings.rs");
    fs::write(&path, &generated).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    link::emit(&toolkit, &generated, nvrtc, &out)?;
    println!("cargo::metadata=BINDINGS={}", path.display());
    println!("cargo::rerun-if-changed=build");
    Ok(())
}
