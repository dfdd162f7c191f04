//! The system functions that open a library and find a symbol.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "other.rs")]
mod own;

use std::{
    ffi::{CStr, c_void},
    mem,
    path::{Path, PathBuf},
    ptr::{self, NonNull},
};

/// An open library. It is never closed, because libraries such as the driver run their own threads
/// until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Handle(*mut c_void);

// SAFETY: any thread may call the functions that take it.
unsafe impl Send for Handle {}
// SAFETY: any thread may call the functions that take it.
unsafe impl Sync for Handle {}

impl Handle {
    /// All libraries of the process with global symbols.
    pub(crate) const PROCESS: Self = Self(ptr::null_mut());

    /// Returns the address of a symbol, or null if the library lacks it.
    pub fn symbol(self, name: &CStr) -> *mut c_void {
        own::symbol(self.0, name)
    }

    /// Returns the address of a symbol.
    ///
    /// # Errors
    /// Returns a text that names the symbol if the library lacks it.
    pub fn find(self, name: &CStr) -> Result<NonNull<c_void>, String> {
        NonNull::new(self.symbol(name))
            .ok_or_else(|| format!("it has no {}", name.to_string_lossy()))
    }

    /// Returns a function, where `F` is the type of a function pointer.
    ///
    /// # Errors
    /// Returns a text that names the function if the library lacks it.
    ///
    /// # Safety
    /// The caller must ensure that `F` is the type of a pointer to the function of this name.
    pub unsafe fn function<F: Copy>(self, name: &CStr) -> Result<F, String> {
        const { assert!(size_of::<F>() == size_of::<NonNull<c_void>>()) };
        let address = self.find(name)?;
        // SAFETY: both are pointers, and the address is that of a function of this type.
        Ok(unsafe { mem::transmute_copy(&address) })
    }
}

/// Opens a library. A path without folders is searched for by the loader.
pub(crate) fn open(file: &Path) -> Result<Handle, String> {
    own::open(file, false).map(Handle)
}

/// Opens a library so that libraries which are opened later find its symbols. Returns whether it
/// was opened.
pub(crate) fn open_globally(file: &Path) -> bool {
    own::open(file, true).is_ok()
}

/// Returns whether a message of [`open`] only reports that no file has this name.
pub(crate) fn is_absence(reason: &str, file: &Path) -> bool {
    own::is_absence(reason, file)
}

/// Returns the library if the process has already loaded it.
pub(crate) fn loaded(file: &Path) -> Option<Handle> {
    own::loaded(file).map(Handle)
}

/// Returns the file of the library that contains an address.
pub fn file_of(address: *const c_void) -> Option<PathBuf> {
    own::file_of(address)
}

/// Returns the address where the library that contains an address begins in memory.
pub fn base_of(address: *const c_void) -> Option<*const c_void> {
    own::base_of(address)
}

/// Returns the library that contains an address.
pub fn library_of(address: *const c_void) -> Option<Handle> {
    loaded(&file_of(address)?)
}

/// Returns whether the environment can be trusted. It can't in a program that runs with more
/// privileges than its user.
pub(crate) fn trusts_environment() -> bool {
    own::trusts_environment()
}
