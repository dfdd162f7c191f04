//! Finding the library that NVRTC loads by bare name at its first compilation.

use std::sync::Once;

/// Loads `libnvrtc-builtins` from the folder that `libnvrtc` came from.
///
/// Packages that are not installed system-wide have no run path between the two, and NVRTC asks
/// for the second by its bare name. One that is already loaded satisfies that.
#[cfg(target_os = "linux")]
pub(super) fn preload() {
    use std::{
        ffi::{CStr, CString, OsStr, c_void},
        mem::MaybeUninit,
        os::unix::ffi::OsStrExt,
        path::Path,
    };

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Ok(version) = super::nvrtc_version() else {
            return;
        };
        let mut info = MaybeUninit::<libc::Dl_info>::uninit();
        let address = cuda_sys::nvrtcVersion as *const c_void;
        // SAFETY: `info` is valid for the write; any address may be asked about.
        if unsafe { libc::dladdr(address, info.as_mut_ptr()) } == 0 {
            return;
        }
        // SAFETY: the call above succeeded, and so filled it in.
        let info = unsafe { info.assume_init() };
        if info.dli_fname.is_null() {
            return;
        }
        // SAFETY: a NUL-terminated path that lives as long as the library is loaded.
        let library = unsafe { CStr::from_ptr(info.dli_fname) };
        let library = Path::new(OsStr::from_bytes(library.to_bytes()));
        // A link in another folder leads to where the neighbour is.
        let library = library
            .canonicalize()
            .unwrap_or_else(|_| library.to_path_buf());
        let name = format!("libnvrtc-builtins.so.{version}");
        let Some(neighbour) = library.parent().map(|folder| folder.join(name)) else {
            return;
        };
        if let Ok(path) = CString::new(neighbour.as_os_str().as_bytes()) {
            // SAFETY: a NUL-terminated path. Where there is no such file this loads nothing, and
            // NVRTC searches by itself. Never closed: NVRTC uses it until the process ends.
            unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        }
    });
}

#[cfg(not(target_os = "linux"))]
pub(super) fn preload() {}
