//! Raw FFI bindings of the CUDA driver API and NVRTC, made from the CUDA headers at hand.
//!
//! Every function, type, constant and cast macro of `cuda.h`, and of `cudaProfiler.h` and `cudaGL.h` where
//! they are, stands at the root of this crate under its name in NVIDIA's documentation, with the header's
//! own text. What a header has is what you get: there are no features for versions. Headers of CUDA 12.0
//! and newer are bound.
//!
//! The package is `cuda-direct-sys`, its library `cuda_sys`:
//!
//! ```toml
//! [dependencies]
//! cuda-direct-sys = { path = "../cuda-direct/cuda-sys" }
//! ```
//!
//! # What is used where
//!
//! The build script looks for the headers, and uses the first that it finds:
//!
//! 1. where the variables `CUDA_PATH`, `CUDA_HOME`, `CUDA_ROOT` (a toolkit) or `CUDA_INC_DIR` (a folder of headers) lead;
//! 2. what `make setup` has brought into this repository;
//! 3. the toolkit of the first `nvcc` on `PATH`, then `/usr/local/cuda`, `/opt/cuda`, Debian's packages;
//! 4. the packages of the active Python (`pip install nvidia-cuda-runtime`).
//!
//! bindgen reads them by libclang, which it loads while it runs: this crate compiles without it.
//!
//! Where there are no headers, or no libclang, the bindings that this crate carries are used, and cargo shows one line
//! that says so. They are made by the same code from the headers of a CUDA 13 release: signatures, types, values and
//! layout tests, without the header's text. So a crate that depends on this one builds with Rust and a linker alone.
//! `CUDA_SYS_BINDINGS=carried` asks for them whatever there is, for builds that must not depend on what is installed.
//! [`CUDA_VERSION`] is the version of the headers in any case.
//!
//! What is carried is for 64-bit Linux, where x86-64 and aarch64 give the same. On Windows C's enums are signed, and a
//! few types differ: there headers and libclang have to be found.
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
//! By default programs are linked to `libcuda.so.1` directly. To build needs neither a driver nor a toolkit's stub: a
//! stub is made from the bindings, by the C compiler that also links. To start needs a driver. Programs are bound when
//! they start: one that names a function which the installed driver lacks does not start at all. Ask for a function
//! newer than the oldest driver you support by [`cuGetProcAddress`], as shown below.
//!
//! `libnvrtc` is linked from the toolkit. Where no toolkit has one, a stub of it is linked too, with a line from cargo:
//! then programs that call NVRTC need a `libnvrtc.so.13` on the loader's path (`LD_LIBRARY_PATH`, a run path, the
//! system's folders) when they start, and the loader stops them without it. `pip install nvidia-cuda-nvrtc` brings one.
//! A program that calls none of its functions does not need it.
//!
//! With the feature `dynamic-loading` programs are linked to neither, and open both at the first call. They start
//! without a driver, and every call returns a code. [`loading`] says what is looked for, and what is returned where it
//! is missing. It costs one load and one comparison a call. Nothing else differs: paths, signatures, the types of
//! pointers. What the linker did before, such as refusing a function that NVRTC lacks, is then told by the call.
//!
//! # Looking functions up
//!
//! Each function has the type of a pointer to it, `PFN_` before its name, as in NVIDIA's `cudaTypedefs.h` but never
//! null. Where that header is there, and in what is carried, the types by version are too: [`PFN_cuGetProcAddress`]
//! is what the plain name means in this header, `PFN_cuGetProcAddress_v11030` the function as of CUDA 11.3. Older ones
//! are in [`versioned`].
//!
//! ```
//! use core::ffi::{c_int, c_void};
//! use core::{mem, ptr};
//! use cuda_sys::{CUresult, PFN_cuDeviceGetCount, cuGetProcAddress_v2, cuInit};
//!
//! fn device_count() -> Result<c_int, CUresult> {
//!     let mut address: *mut c_void = ptr::null_mut();
//!     // SAFETY: a text that ends with NUL, a place for the address, and nothing wanted of the search.
//!     unsafe {
//!         cuInit(0).result()?;
//!         let name = c"cuDeviceGetCount".as_ptr();
//!         // The function as of CUDA 12.0.
//!         cuGetProcAddress_v2(name, &mut address, 12_000, 0, ptr::null_mut()).result()?;
//!     }
//!     if address.is_null() {
//!         return Err(CUresult::CUDA_ERROR_NOT_FOUND);
//!     }
//!     // SAFETY: the driver gave it under the name and version of this type.
//!     let get_count: PFN_cuDeviceGetCount = unsafe { mem::transmute(address) };
//!     let mut count = 0;
//!     // SAFETY: `count` is valid for the write.
//!     unsafe { get_count(&mut count).result()? };
//!     Ok(count)
//! }
//!
//! # #[cfg(any())] // Needs a driver, which the tests of this crate do without.
//! println!("{} devices", device_count().expect("a driver"));
//! ```
//!
//! # Features
//!
//! - `nvrtc` (on by default): binds `nvrtc.h` and links `libnvrtc`, a part of the toolkit.
//! - `dynamic-loading`: opens `libcuda` and `libnvrtc` at the first call instead of linking them. For programs that use
//!   a GPU where there is one. It holds for the whole program, whichever crate asks for it.
//!
//! # For build scripts
//!
//! A crate that depends on this one directly gets these variables in its build script:
//!
//! | variable | value |
//! | --- | --- |
//! | `DEP_CUDA_VERSION` | version of the header that is bound: 13000 for 13.0 |
//! | `DEP_CUDA_ORIGIN` | where the toolkit was found, or that what is carried is used |
//! | `DEP_CUDA_INCLUDE` | its header directories, as a list in the form of `PATH` |
//! | `DEP_CUDA_DRIVER` | file of the installed driver's library; empty where there is none |
//! | `DEP_CUDA_NVRTC_DIR` | directory of `libnvrtc`; empty where the loader finds it by itself |
//! | `DEP_CUDA_DYNAMIC_LOADING` | `1` with the feature `dynamic-loading`, else empty |
//! | `DEP_CUDA_BINDINGS` | file of the declarations of this crate's root |
//! | `DEP_CUDA_VERSIONED_BINDINGS` | file of the declarations of [`versioned`] |
#![no_std]

// Paths, locks and the environment, for what is looked for while a program runs.
#[cfg(feature = "dynamic-loading")]
extern crate std;

mod casts;
mod compat;
mod error;
pub mod loading;

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
    #[cfg(not(feature = "dynamic-loading"))]
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
    #[cfg(feature = "dynamic-loading")]
    include!(concat!(env!("OUT_DIR"), "/loading.rs"));
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

    #[cfg(not(feature = "dynamic-loading"))]
    include!(concat!(env!("OUT_DIR"), "/versioned.rs"));
    #[cfg(feature = "dynamic-loading")]
    include!(concat!(env!("OUT_DIR"), "/loading_versioned.rs"));
}

mod toolkit {
    include!(concat!(env!("OUT_DIR"), "/toolkit.rs"));
}

/// Directories of the toolkit's headers where this crate was built, for NVRTC's `--include-path`. None where there were
/// none, and the bindings that this crate carries are used.
pub const TOOLKIT_INCLUDE_DIRS: &[&str] = toolkit::TOOLKIT_INCLUDE_DIRS;

/// Directory of `libnvrtc` where this crate was built; none without the feature `nvrtc`, or where the
/// loader finds it by itself.
pub const NVRTC_LIB_DIR: Option<&str> = toolkit::NVRTC_LIB_DIR;
