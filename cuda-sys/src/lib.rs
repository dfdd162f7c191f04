//! Raw FFI bindings of the CUDA driver API and NVRTC, made from the CUDA headers at hand.
//!
//! Every function, type, constant and cast macro of `cuda.h`, and of `cudaProfiler.h` and `cudaGL.h` where
//! they are, stands at the root of this crate under its name in NVIDIA's documentation, with the header's
//! own text. What a header has is what you get: there are no features for versions. Headers of CUDA 12.0
//! and newer are bound.
//!
//! # Names
//!
//! - [`cuMemAlloc`] is the name of the documentation and [`cuMemAlloc_v2`] the symbol it stands for; both are
//!   there. Which version a plain name stands for is the header's choice and differs between CUDA 12 and 13;
//!   code that must not care names the version.
//! - The constants of an enum belong to its type: [`CUresult::CUDA_SUCCESS`],
//!   [`CUdevice_attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE`]. A type is an integer in a newtype and not a Rust
//!   enum, since a newer driver may return what this header does not know. `name()` gives the constant's name,
//!   `ALL` lists every constant of the header.
//! - Bit flags that a call takes as `unsigned int` are the inner value: `CUctx_flags::CU_CTX_MAP_HOST.0`.
//! - What programs do not see of the header, older versions of calls and those for per-thread default streams,
//!   is in [`versioned`], by symbol.
//! - NVRTC's names (`nvrtcCompileProgram`) are there with the feature `nvrtc`.
//!
//! # Errors
//!
//! [`CUresult`] and `nvrtcResult` print their name and meaning with no driver loaded,
//! and turn into a `Result`:
//!
//! ```
//! use cuda_sys::CUresult;
//!
//! let code = CUresult::CUDA_ERROR_OUT_OF_MEMORY;
//! assert_eq!(code.to_string(), "CUDA_ERROR_OUT_OF_MEMORY (2): not enough free memory");
//! assert_eq!(CUresult(12345).to_string(), "unknown CUresult code 12345");
//! assert_eq!(code.result(), Err(code));
//! ```
//!
//! # Linking
//!
//! Programs link `libcuda.so.1` directly. To build needs neither a driver nor a toolkit's stub, to start needs
//! a driver. Programs are bound when they start: one that names a function which the installed driver lacks
//! does not start at all. Ask for a function newer than the oldest driver you support by [`cuGetProcAddress`].
//!
//! # Features
//!
//! - `nvrtc` (on by default): binds `nvrtc.h` and links `libnvrtc`, a part of the toolkit.
//!
//! # For build scripts
//!
//! A crate that depends on this one directly gets these variables in its build script:
//!
//! | variable | value |
//! | --- | --- |
//! | `DEP_CUDA_VERSION` | version of the header: 13000 for 13.0 |
//! | `DEP_CUDA_ORIGIN` | where the toolkit was found |
//! | `DEP_CUDA_INCLUDE` | its header directories, as a list in the form of `PATH` |
//! | `DEP_CUDA_DRIVER` | file of the installed driver's library; empty where there is none |
//! | `DEP_CUDA_NVRTC_DIR` | directory of `libnvrtc`; empty where the loader finds it by itself |
//! | `DEP_CUDA_BINDINGS` | file of the bindings of this crate's root |
//! | `DEP_CUDA_VERSIONED_BINDINGS` | file of the bindings of [`versioned`] |
#![no_std]

mod casts;
mod compat;
mod error;

pub use bindings::*;
pub use casts::*;

#[allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unnecessary_transmutes,
    unpredictable_function_pointer_comparisons,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]
mod bindings {
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

/// Symbols that the header hides from programs: older versions of calls, such as `cuCtxCreate_v2`, and the
/// variants whose default stream is the calling thread's (`_ptds`, `_ptsz`).
///
/// A name here is the exported symbol itself. So [`versioned::cuMemAlloc`] is the first version of that call,
/// of 32-bit addresses, and not [`cuMemAlloc`].
#[allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]
pub mod versioned {
    use crate::*;

    include!(concat!(env!("OUT_DIR"), "/versioned.rs"));
}

mod toolkit {
    include!(concat!(env!("OUT_DIR"), "/toolkit.rs"));
}

/// Directories of the toolkit's headers where this crate was built, for NVRTC's `--include-path`.
pub const TOOLKIT_INCLUDE_DIRS: &[&str] = toolkit::TOOLKIT_INCLUDE_DIRS;

/// Directory of `libnvrtc` where this crate was built; none without the feature `nvrtc`, or where the
/// loader finds it by itself.
pub const NVRTC_LIB_DIR: Option<&str> = toolkit::NVRTC_LIB_DIR;
