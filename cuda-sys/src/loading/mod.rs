//! How the libraries are loaded into the process, and whether that succeeded.
//!
//! By default programs are linked to `libcuda.so.1` and `libnvrtc`. A running program then has both
//! libraries, and the functions of this module always succeed. With the feature `dynamic-loading`,
//! the libraries are opened at the first call and may be missing. Code that uses this module works
//! in both cases and needs no `cfg`.
//!
//! # With the feature `dynamic-loading`
//!
//! A program starts without the libraries. Every function has the same path and signature as
//! without the feature. Its first call opens the library, once per process, and looks up the
//! function. Later calls read an address and jump to it.
//!
//! The driver's library is the first of:
//!
//! 1. The file that the environment variable `CUDA_SYS_LIBCUDA` names. If it is set, nothing else
//!    is tried. It is ignored in a program that runs with more privileges than its user (`setuid`).
#![cfg_attr(
    feature = "dynamic-loading",
    doc = "2. The functions passed to [`provide_driver`], such as `cuda-emulator` if it is linked into a test."
)]
#![cfg_attr(
    not(feature = "dynamic-loading"),
    doc = "2. The functions passed to `provide_driver`, such as `cuda-emulator` if it is linked into a test."
)]
//! 3. A library that is already in the process and has the symbol `cuInit`, loaded by `LD_PRELOAD`
//!    for example.
//! 4. `libcuda.so.1` on the loader's search path: `LD_LIBRARY_PATH`, the program's run path, the
//!    system's folders.
//! 5. `libcuda.so.1` in the folders of WSL, Jetson and NixOS. On Windows it is the system's
//!    `nvcuda.dll`.
//!
//! NVRTC's library, which belongs to the toolkit, is the first of:
//!
//! 1. The file that `CUDA_SYS_LIBNVRTC` names, under the same conditions.
//! 2. A library that is already in the process.
//! 3. `libnvrtc.so.13`, `libnvrtc.so.12` or `libnvrtc.so` (starting with the header's version) on
//!    the loader's search path.
//! 4. The same names in `lib64` and `lib` below `CUDA_PATH`, `CUDA_HOME`, `CUDA_ROOT`,
//!    `/usr/local/cuda` and `/opt/cuda`, and in [`NVRTC_LIB_DIR`](crate::NVRTC_LIB_DIR), the
//!    library's place when this crate was built.
//! 5. The same names where `pip install nvidia-cuda-nvrtc` installs it:
//!    `<site-packages>/nvidia/cu13/lib` (CUDA 12: `nvidia/cuda_nvrtc/lib`) in the active virtual
//!    environment (`VIRTUAL_ENV`), next to the first `python3` on `PATH`, and below `~/.local`.
//!    Python itself is not started. If pip installs packages elsewhere, set `LD_LIBRARY_PATH` to
//!    that folder.
//!
//! NVRTC loads its second library, `libnvrtc-builtins`, from its own folder.
//!
//! If a call can't be made, it returns an error:
//!
//! | missing | result of a driver call | result of an NVRTC call |
//! | --- | --- | --- |
//! | the library | `CUDA_ERROR_NO_DEVICE` | `NVRTC_ERROR_INTERNAL_ERROR` |
//! | the function, because the library is too old | `CUDA_ERROR_NOT_SUPPORTED` | `NVRTC_ERROR_INTERNAL_ERROR` |
//!
//! `nvrtcGetErrorString` then returns a text that names the missing part. Such calls never panic,
//! and never write to their arguments.

#[cfg(not(feature = "dynamic-loading"))]
mod linked;
#[cfg(feature = "dynamic-loading")]
mod opened;
#[cfg(feature = "dynamic-loading")]
mod places;
#[cfg(feature = "dynamic-loading")]
mod system;

#[cfg(not(feature = "dynamic-loading"))]
use linked as way;
#[cfg(feature = "dynamic-loading")]
use opened as way;

pub use way::Missing;
#[cfg(all(feature = "dynamic-loading", feature = "nvrtc"))]
pub(crate) use way::NVRTC;
#[cfg(feature = "dynamic-loading")]
pub(crate) use way::{Answer, DRIVER, Symbol};
#[cfg(feature = "dynamic-loading")]
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
