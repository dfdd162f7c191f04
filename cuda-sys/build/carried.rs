//! The bindings that this crate carries, for builds without headers, libclang or bindgen.
//!
//! `scripts/carry-bindings.sh` generates them from the newest headers with the same bindgen passes.
//! They contain signatures, types and values, but not the header's text.

use crate::Bindings;
use crate::layout::Target;

const CUDA: &str = include_str!("../bindings/cuda.rs");
pub const NVRTC: &str = include_str!("../bindings/nvrtc.rs");
/// The names that the headers declare only on Windows.
const WINDOWS: &str = include_str!("../bindings/windows.rs");
const VERSIONED: &str = include_str!("../bindings/versioned.rs");

/// Returns the `CUDA_VERSION` of the headers that the bindings were generated from.
pub fn version() -> Result<u32, String> {
    let declaration = "pub const CUDA_VERSION: u32 = ";
    CUDA.lines()
        .find_map(|line| line.strip_prefix(declaration)?.strip_suffix(';'))
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| "the bindings that cuda-sys carries contain no CUDA_VERSION".to_owned())
}

/// Returns the carried bindings for a target, with those of NVRTC if `nvrtc` is set.
///
/// The header has the same layouts on all 64-bit systems: no type contains a C `long`.
pub fn bindings(target: Target, nvrtc: bool) -> Bindings {
    let mut root = CUDA.to_owned();
    if target.os == "windows" {
        root += WINDOWS;
    }
    if nvrtc {
        root += NVRTC;
    }
    Bindings {
        root,
        versioned: VERSIONED.to_owned(),
    }
}
