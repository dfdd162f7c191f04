//! Finds the library that NVRTC loads by its bare name for its first compilation.

use std::{
    ffi::{CStr, CString, OsStr, c_int},
    mem::MaybeUninit,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::Once,
};

const FOR_ALL: c_int = libc::RTLD_NOW | libc::RTLD_GLOBAL;

/// Loads `libnvrtc-builtins` from the folder of `libnvrtc`.
///
/// NVRTC loads it by its bare name, and packages that are not installed system-wide have no run
/// path from one to the other. If it is already loaded, NVRTC finds it.
pub(super) fn preload() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let path = library().and_then(|library| neighbour(&library));
        if let Some(path) = path.and_then(|path| CString::new(path.as_os_str().as_bytes()).ok()) {
            // SAFETY: the path is NUL-terminated. If this fails, NVRTC searches by itself.
            // The library is never closed, because NVRTC uses it until the process ends.
            unsafe { libc::dlopen(path.as_ptr(), FOR_ALL) };
        }
    });
}

/// Returns the file that NVRTC was loaded from.
pub(crate) fn library() -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    let address = cuda_sys::loading::nvrtc_address();
    // SAFETY: `info` is valid for writing, and the function accepts any address.
    if unsafe { libc::dladdr(address, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the call above succeeded, so it initialized `info`.
    let info = unsafe { info.assume_init() };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a NUL-terminated path that lives as long as the library is loaded.
    let library = unsafe { CStr::from_ptr(info.dli_fname) };
    let library = Path::new(OsStr::from_bytes(library.to_bytes()));
    // If the file is a symbolic link, the other library is next to its target.
    Some(
        library
            .canonicalize()
            .unwrap_or_else(|_| library.to_path_buf()),
    )
}

/// Returns the `libnvrtc-builtins` next to a `libnvrtc`, if it exists.
pub(super) fn neighbour(library: &Path) -> Option<PathBuf> {
    let version = super::nvrtc_version().ok()?;
    // NVIDIA's alternative build of both libraries has the suffix `.alt`, as in `libnvrtc.alt.so`.
    let name = library.file_name()?.to_str()?;
    let kind = if name.starts_with("libnvrtc.alt.") {
        ".alt"
    } else {
        ""
    };
    let path = library.with_file_name(format!("libnvrtc-builtins{kind}.so.{version}"));
    path.is_file().then_some(path)
}
