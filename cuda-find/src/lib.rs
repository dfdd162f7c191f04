//! Finds and opens NVIDIA's libraries at run time.
//!
//! [`Library::open`] searches for one of [`DRIVER`], [`NVRTC`], [`NVJITLINK`], [`CUBLAS`], [`CUFFT`] and
//! [`NCCL`]. All crates of this project open libraries through it, so that they search in one order
//! and report a missing library with one text. The package is called `cuda-direct-find`, and its
//! library `cuda_find`.
//!
//! # Search order
//!
//! A library is the first of:
//!
//! 1. The file named by the library's variable:
//!
//!    | library | variable |
//!    | --- | --- |
//!    | the driver | `CUDA_SYS_LIBCUDA` |
//!    | NVRTC | `CUDA_SYS_LIBNVRTC` |
//!    | nvJitLink | `CUDA_SAFE_LIBNVJITLINK` |
//!    | cuBLAS | `CUDA_COMPUTE_LIBCUBLAS` |
//!    | cuFFT | `CUDA_COMPUTE_LIBCUFFT` |
//!    | NCCL | `CUDA_NCCL_LIBNCCL` |
//!
//!    If it is set, nothing else is searched.
//! 2. A folder that the caller requires: NVRTC's own folder for nvJitLink, because their versions
//!    must match, and the folder that `cuda-direct-sys` has found for `cuda-direct-build`.
//! 3. A library that the process has already loaded, such as PyTorch's copy. The driver and NVRTC
//!    may have any file name if `LD_PRELOAD` loads them.
//! 4. `lib64` and `lib` below `CUDA_PATH`, `CUDA_HOME` and `CUDA_ROOT`.
//! 5. The loader's search path: `LD_LIBRARY_PATH`, the program's run path, the system's folders.
//! 6. `lib64` and `lib` below `/usr/local/cuda` and `/opt/cuda`, and the folder where NVRTC was when
//!    the program was built.
//! 7. The conda environment `CONDA_PREFIX`: its libraries, and its pip packages.
//! 8. The pip packages of the active virtual environment, `VIRTUAL_ENV`.
//! 9. The pip packages of the first `python3` on `PATH`. Python itself is not started.
//! 10. The user's pip packages, in `~/.local`.
//! 11. The pip packages of the system's Python, in `/usr/local` and `/usr`.
//! 12. The folder of the running program.
//!
//! The driver is not part of a toolkit or a package. After steps 1, 3 and 5, it is searched for in
//! the folders of WSL, Jetson and NixOS.
//!
//! # Windows
//!
//! The order is the same, with the folders of Windows:
//!
//! | step | folders |
//! | --- | --- |
//! | 4 | `bin\x64` and `bin` below `CUDA_PATH`, `CUDA_HOME` and `CUDA_ROOT` |
//! | 5 | the program's folder and `System32`, then the absolute folders of `PATH`. The current folder is never searched |
//! | 6 | all toolkits in `%ProgramFiles%\NVIDIA GPU Computing Toolkit\CUDA`, starting with the newest, and the folder where NVRTC was when the program was built |
//! | 7 | `Library\bin\x64` and `Library\bin` of the conda environment, and its pip packages |
//! | 8, 9 | `Lib\site-packages` of the virtual environment, and of the first `python.exe` on `PATH` |
//! | 10 | `%APPDATA%\Python` |
//! | 11 | the Pythons that python.org's installer has installed |
//!
//! The driver is the file of its variable, a loaded one, or the first one of step 5.
//!
//! On other systems, no library is found, because NVIDIA has none for them.
//!
//! # Files
//!
//! In each folder, the library's file names are tried in the order of the caller's versions, such
//! as `libnvrtc.so.13` before `libnvrtc.so.12`. A file that is not the library is skipped, and the
//! error reports it.
//!
//! A program that runs with more privileges than its user (`setuid`) ignores all variables and its
//! own folder.
// The link target for other crates' pages if these pages have not been built.
#![doc(html_root_url = "https://docs.rs/cuda-direct-find/0.1.0")]

mod builtins;
mod library;
mod open;
mod places;
mod system;

pub use builtins::{builtins, open_builtins};
pub use library::{CUBLAS, CUFFT, DRIVER, Library, NCCL, NVJITLINK, NVRTC};
pub use open::{Missing, variable};
pub use places::{VARIABLES, driver_folders};
pub use system::{Handle, base_of, file_of, library_of};

/// The code in README.md, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
