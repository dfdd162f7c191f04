//! How the libraries are loaded into the process, and whether that succeeded.
//!
//! By default programs are linked to `libcuda.so.1` and `libnvrtc` (on Windows, `nvcuda.dll` and
//! NVRTC's DLL). A running program then has both
//! libraries, and the functions of this module always succeed. With the feature `dynamic-loading`,
//! the libraries are opened at the first call and may be missing. Code that uses this module works
//! in both cases and needs no `cfg`.
//!
//! # With the feature `dynamic-loading`
//!
//! On macOS, the feature is always enabled in effect, because there are no libraries to link to.
//!
//! A program starts without the libraries. Every function has the same path and signature as
//! without the feature. Its first call opens the library, once per process, and looks up the
//! function. Later calls read an address and jump to it.
//!
//! [`cuda_find`](https://docs.rs/cuda-direct-find) lists the searched places in their order. They
//! include `LD_LIBRARY_PATH`, toolkits, conda and pip's packages. The variables `CUDA_SYS_LIBCUDA`
//! and `CUDA_SYS_LIBNVRTC` name the files to use instead. They are ignored in a program that runs
//! with more privileges than its user (`setuid`).
//!
#![cfg_attr(
    dynamic_loading,
    doc = "Functions passed to [`provide_driver`] replace the driver's library, unless `CUDA_SYS_LIBCUDA` names one."
)]
#![cfg_attr(
    not(dynamic_loading),
    doc = "Functions passed to `provide_driver` replace the driver's library, unless `CUDA_SYS_LIBCUDA` names one."
)]
//! `cuda-emulator` calls it if it is linked into a program.
//!
//! NVRTC opens a second library for its first compilation, `libnvrtc-builtins`. It searches for it on
//! the loader's path only. The first call of `nvrtcCompileProgram` therefore opens the file in
//! NVRTC's folder, so the two files only need to be in the same folder. In a program that is linked
//! to NVRTC, that folder must be on the loader's path (`LD_LIBRARY_PATH`), or the program must open
//! the file itself, as `cuda-safe` does.
//!
//! If a call can't be made, it returns an error:
//!
//! | missing | result of a driver call | result of an NVRTC call |
//! | --- | --- | --- |
//! | the library | `CUDA_ERROR_NO_DEVICE` | `NVRTC_ERROR_INTERNAL_ERROR` |
//! | the function, because the library is too old | `CUDA_ERROR_NOT_SUPPORTED` | `NVRTC_ERROR_INTERNAL_ERROR` |
//!
//! If the library is missing, these codes print the searched places and the remedy, and
//! `nvrtcGetErrorString` returns the same text. If a function of NVRTC is missing,
//! `nvrtcGetErrorString` returns a text that says so, unless it is that function. Such calls never
//! panic, and never write to their arguments.

#[cfg(not(dynamic_loading))]
mod linked;
#[cfg(dynamic_loading)]
mod opened;

#[cfg(not(dynamic_loading))]
use linked as way;
#[cfg(dynamic_loading)]
use opened as way;

pub use way::Missing;
#[cfg(all(dynamic_loading, feature = "nvrtc"))]
pub(crate) use way::NVRTC;
#[cfg(dynamic_loading)]
pub(crate) use way::{Answer, DRIVER, Symbol};
#[cfg(dynamic_loading)]
pub use way::{Lookup, provide_driver};

/// Checks that the driver's library is loaded. With `dynamic-loading`, this opens it if necessary.
///
/// It does not check for devices. Use `cuInit` for that.
///
/// # Errors
/// Returns a [`Missing`] that lists the searched places. Never fails if programs are linked to the
/// library.
///
/// ```
/// match cuda_sys::loading::driver() {
///     Ok(()) => println!("there is a driver"),
///     Err(missing) => println!("{missing}"),
/// }
/// ```
pub fn driver() -> Result<(), &'static Missing> {
    way::driver()
}

/// Checks that NVRTC's library is loaded. With `dynamic-loading`, this opens it if necessary.
///
/// # Errors
/// Returns a [`Missing`] that lists the searched places. Never fails if programs are linked to the
/// library.
#[cfg(feature = "nvrtc")]
pub fn nvrtc() -> Result<(), &'static Missing> {
    way::nvrtc()
}

/// Returns the address of `nvrtcVersion` in NVRTC's own library, which `dladdr` can use to identify
/// the library. The address of [`nvrtcVersion`](crate::nvrtcVersion) may be that of a function of
/// this crate.
///
/// Returns null if the library is missing.
#[cfg(feature = "nvrtc")]
pub fn nvrtc_address() -> *const core::ffi::c_void {
    way::nvrtc_address()
}
