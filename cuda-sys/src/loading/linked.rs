//! State of libraries that programs are linked to.

use core::error::Error;
use core::fmt;

/// The error for a missing library. It has no values if programs are linked to the libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl Error for Missing {}

pub(super) fn driver() -> Result<(), &'static Missing> {
    Ok(())
}

#[cfg(feature = "nvrtc")]
pub(super) fn nvrtc() -> Result<(), &'static Missing> {
    Ok(())
}

#[cfg(all(feature = "nvrtc", not(windows)))]
pub(super) fn nvrtc_address() -> *const core::ffi::c_void {
    crate::nvrtcVersion as *const core::ffi::c_void
}

/// On Windows, the address of an imported function is that of a jump in the program.
#[cfg(all(feature = "nvrtc", windows))]
pub(super) fn nvrtc_address() -> *const core::ffi::c_void {
    use core::ffi::{c_char, c_void};

    #[link(name = "kernel32", kind = "raw-dylib")]
    unsafe extern "system" {
        fn GetModuleHandleA(name: *const c_char) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *const c_void;
    }

    // SAFETY: the name ends in NUL.
    let library = unsafe { GetModuleHandleA(crate::toolkit::NVRTC_DLL.as_ptr()) };
    if library.is_null() {
        return core::ptr::null(); // the program calls no function of NVRTC
    }
    // SAFETY: the name ends in NUL, and the library is loaded as long as the program runs.
    unsafe { GetProcAddress(library, c"nvrtcVersion".as_ptr()) }
}
