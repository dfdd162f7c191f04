//! How the libraries get into the process, and whether they did.
//!
//! By default programs are linked to `libcuda.so.1` and `libnvrtc`: a program that runs has them, and the functions
//! here always succeed. With the feature `dynamic-loading` the libraries are opened at the first call, and may be
//! missing. Code that uses this module works either way, and needs no `cfg`.
//!
//! # With the feature `dynamic-loading`
//!
//! A program starts without the libraries. Every function has the same path and signature as without the feature. Its
//! first call opens the library, once for the whole process, and looks up the function; later calls read an address
//! and jump there.
//!
//! The driver's library is the first of these:
//!
//! 1. the file that the environment variable `CUDA_SYS_LIBCUDA` names. If it is set, nothing else is tried. It is
//!    ignored in a program that runs with more rights than its user (`setuid`);
#![cfg_attr(
    feature = "dynamic-loading",
    doc = "2. what was passed to [`provide_driver`], such as `cuda-emulator` where it is linked into a test;"
)]
#![cfg_attr(
    not(feature = "dynamic-loading"),
    doc = "2. what was passed to `provide_driver`, such as `cuda-emulator` where it is linked into a test;"
)]
//! 3. a library that is in the process already and has the symbol `cuInit`, by `LD_PRELOAD` for instance;
//! 4. `libcuda.so.1` as the loader finds it: `LD_LIBRARY_PATH`, the program's run path, the system's folders;
//! 5. `libcuda.so.1` in the folders where WSL, Jetson and NixOS keep it. On Windows `nvcuda.dll` of the system.
//!
//! NVRTC's library, which belongs to the toolkit, is the first of these:
//!
//! 1. the file that `CUDA_SYS_LIBNVRTC` names, likewise;
//! 2. a library that is in the process already;
//! 3. `libnvrtc.so.13`, `libnvrtc.so.12`, `libnvrtc.so` (the header's own version first) as the loader finds it;
//! 4. the same in `lib64` and `lib` below `CUDA_PATH`, `CUDA_HOME`, `CUDA_ROOT`, `/usr/local/cuda` and `/opt/cuda`, and
//!    in [`NVRTC_LIB_DIR`](crate::NVRTC_LIB_DIR), where NVRTC was when this crate was built;
//! 5. the same where `pip install nvidia-cuda-nvrtc` puts it, `<site-packages>/nvidia/cu13/lib` (CUDA 12:
//!    `nvidia/cuda_nvrtc/lib`), in the active virtual environment (`VIRTUAL_ENV`), with the first `python3` on `PATH`, and
//!    below `~/.local`. Python itself is not started. Where pip puts packages elsewhere, set `LD_LIBRARY_PATH` to that
//!    folder.
//!
//! NVRTC finds its own second library, `libnvrtc-builtins`, beside itself.
//!
//! If a call can't be made, it returns:
//!
//! | what is missing | a driver call returns | a call of NVRTC returns |
//! | --- | --- | --- |
//! | the library | `CUDA_ERROR_NO_DEVICE` | `NVRTC_ERROR_INTERNAL_ERROR` |
//! | the function, in a library that is too old for it | `CUDA_ERROR_NOT_SUPPORTED` | `NVRTC_ERROR_INTERNAL_ERROR` |
//!
//! `nvrtcGetErrorString` returns a text that says so. Nothing panics, and nothing is written to the arguments.

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

/// Whether the driver's library is in the process. With `dynamic-loading`, this opens it.
///
/// This says nothing about devices: `cuInit` does.
///
/// # Errors
/// What was looked for. Never if programs are linked to the library.
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

/// Whether NVRTC's library is in the process. With `dynamic-loading`, this opens it.
///
/// # Errors
/// What was looked for. Never if programs are linked to the library.
#[cfg(feature = "nvrtc")]
pub fn nvrtc() -> Result<(), &'static Missing> {
    way::nvrtc()
}

/// The address of `nvrtcVersion` in NVRTC's own library, from which `dladdr` finds out which library that is. The
/// address of [`nvrtcVersion`](crate::nvrtcVersion) may be that of a function of this crate.
///
/// Null if the library is missing.
#[cfg(feature = "nvrtc")]
pub fn nvrtc_address() -> *const core::ffi::c_void {
    way::nvrtc_address()
}
