//! The functions of systems for which NVIDIA has no libraries. They find none.

use std::{
    env::consts::OS,
    ffi::{CStr, c_void},
    path::{Path, PathBuf},
    ptr,
};

pub(super) fn open(file: &Path, _: bool) -> Result<*mut c_void, String> {
    Err(format!(
        "{}: NVIDIA has no libraries for {OS}",
        file.display()
    ))
}

pub(super) fn is_absence(_: &str, _: &Path) -> bool {
    false
}

pub(super) fn loaded(_: &Path) -> Option<*mut c_void> {
    None
}

pub(super) fn symbol(_: *mut c_void, _: &CStr) -> *mut c_void {
    ptr::null_mut()
}

pub(super) fn base_of(_: *const c_void) -> Option<*const c_void> {
    None
}

pub(super) fn file_of(_: *const c_void) -> Option<PathBuf> {
    None
}

pub(super) fn trusts_environment() -> bool {
    false
}
