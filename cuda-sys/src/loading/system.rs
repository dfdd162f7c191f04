//! The system functions that open a library and find a symbol.

use core::ffi::{CStr, c_void};
use std::ffi::{CString, OsStr};
use std::string::String;

/// An open library. It is never closed, because the driver runs its own threads until the process
/// ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle(*mut c_void);

// SAFETY: any thread may call the functions that take it.
unsafe impl Send for Handle {}
// SAFETY: any thread may call the functions that take it.
unsafe impl Sync for Handle {}

#[cfg(unix)]
mod own {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::string::ToString;

    pub(in super::super) fn open(name: &OsStr) -> Result<Handle, String> {
        let name = CString::new(name.as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the name ends in NUL. The code that the library runs when it is loaded is as
        // trusted as that of a linked library, which the loader searches in the same places.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(Handle(handle));
        }
        // SAFETY: it takes no arguments, and the result belongs to this thread.
        let reason = unsafe { libc::dlerror() };
        if reason.is_null() {
            return Err("no reason given".to_string());
        }
        // SAFETY: the text ends in NUL, and is valid until this thread's next call of these
        // functions.
        let reason = unsafe { CStr::from_ptr(reason) };
        Err(reason.to_string_lossy().into_owned())
    }

    pub(in super::super) fn symbol(handle: Handle, name: &CStr) -> *mut c_void {
        // SAFETY: the library is open, and the name ends in NUL.
        unsafe { libc::dlsym(handle.0, name.as_ptr()) }
    }

    /// Finds a symbol in any library of the process with global symbols.
    pub(in super::super) fn anywhere(name: &CStr) -> *mut c_void {
        symbol(Handle(libc::RTLD_DEFAULT), name)
    }

    /// Returns whether the environment can be trusted. It can't in a program that runs with more
    /// privileges than its user.
    pub(in super::super) fn trusts_environment() -> bool {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        // SAFETY: `getauxval` accepts any number.
        return unsafe { libc::getauxval(libc::AT_SECURE) } == 0;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        // SAFETY: these functions take no arguments and can't fail.
        return unsafe { libc::getuid() == libc::geteuid() && libc::getgid() == libc::getegid() };
    }
}

#[cfg(windows)]
mod own {
    use super::*;
    use std::format;
    use std::os::windows::ffi::OsStrExt;
    use std::path::Path;
    use std::vec::Vec;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryExW(name: *const u16, file: *mut c_void, flags: u32) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const core::ffi::c_char) -> *mut c_void;
    }

    /// Searches the program's folder, the system's folder and folders that the program added, but
    /// never the current folder.
    const SEARCH_DEFAULT_DIRS: u32 = 0x1000;
    /// For a full path, also searches the file's folder, so that NVRTC finds its builtins.
    const SEARCH_DLL_LOAD_DIR: u32 = 0x100;

    pub(in super::super) fn open(name: &OsStr) -> Result<Handle, String> {
        let wide: Vec<u16> = name.encode_wide().chain([0]).collect();
        let own = if Path::new(name).is_absolute() {
            SEARCH_DLL_LOAD_DIR
        } else {
            0
        };
        // SAFETY: the name ends in NUL. The second argument is reserved and null. The code that the
        // library runs when it is loaded is as trusted as that of a linked library.
        let handle = unsafe {
            LoadLibraryExW(
                wide.as_ptr(),
                core::ptr::null_mut(),
                SEARCH_DEFAULT_DIRS | own,
            )
        };
        if handle.is_null() {
            let reason = std::io::Error::last_os_error();
            return Err(format!("{}: {reason}", name.to_string_lossy()));
        }
        Ok(Handle(handle))
    }

    pub(in super::super) fn symbol(handle: Handle, name: &CStr) -> *mut c_void {
        // SAFETY: the library is open, and the name ends in NUL.
        unsafe { GetProcAddress(handle.0, name.as_ptr()) }
    }

    /// Windows can't search all libraries of a process.
    pub(in super::super) fn anywhere(_: &CStr) -> *mut c_void {
        core::ptr::null_mut()
    }

    pub(in super::super) fn trusts_environment() -> bool {
        true
    }
}

pub(super) use own::{anywhere, open, symbol, trusts_environment};
