//! The system functions that open a library and find a symbol.

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

/// Returns the library if the process has already loaded it.
pub(crate) fn loaded(file: &Path) -> Option<Handle> {
    own::loaded(file).map(Handle)
}

/// Returns the file of the library that contains an address.
pub fn file_of(address: *const c_void) -> Option<PathBuf> {
    own::file_of(address)
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

#[cfg(target_os = "linux")]
mod own {
    use super::*;
    use std::{
        ffi::{CString, OsStr, c_char, c_int, c_ulong},
        os::unix::ffi::OsStrExt,
    };

    const RTLD_LOCAL: c_int = 0;
    const RTLD_NOW: c_int = 2;
    const RTLD_NOLOAD: c_int = 4;
    const RTLD_GLOBAL: c_int = 0x100;
    const AT_SECURE: c_ulong = 23;

    /// `Dl_info`
    #[repr(C)]
    struct Info {
        file: *const c_char,
        base: *mut c_void,
        symbol: *const c_char,
        address: *mut c_void,
    }

    // The standard library links all of them.
    unsafe extern "C" {
        fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
        fn dlerror() -> *const c_char;
        fn dladdr(address: *const c_void, info: *mut Info) -> c_int;
        fn getauxval(kind: c_ulong) -> c_ulong;
    }

    pub(super) fn open(file: &Path, globally: bool) -> Result<*mut c_void, String> {
        let name = CString::new(file.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let visible = if globally { RTLD_GLOBAL } else { RTLD_LOCAL };
        // SAFETY: the name ends in NUL. The code that the library runs when it is loaded is as
        // trusted as that of a linked library.
        let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW | visible) };
        if !library.is_null() {
            return Ok(library);
        }
        // SAFETY: it takes no arguments, and the result belongs to this thread.
        let reason = unsafe { dlerror() };
        if reason.is_null() {
            return Err("no reason given".to_owned());
        }
        // SAFETY: the text ends in NUL, and is valid until this thread's next call of these
        // functions.
        let reason = unsafe { CStr::from_ptr(reason) };
        Err(reason.to_string_lossy().into_owned())
    }

    pub(super) fn loaded(file: &Path) -> Option<*mut c_void> {
        let name = CString::new(file.as_os_str().as_bytes()).ok()?;
        // SAFETY: the name ends in NUL. Nothing is loaded, so no code runs.
        let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW | RTLD_NOLOAD) };
        (!library.is_null()).then_some(library)
    }

    pub(super) fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the library is open or null, which means all libraries of the process. The name
        // ends in NUL.
        unsafe { dlsym(library, name.as_ptr()) }
    }

    pub(super) fn file_of(address: *const c_void) -> Option<PathBuf> {
        let mut info = Info {
            file: ptr::null(),
            base: ptr::null_mut(),
            symbol: ptr::null(),
            address: ptr::null_mut(),
        };
        // SAFETY: the function accepts any address, and `info` is valid for the write.
        let found = unsafe { dladdr(address, &mut info) } != 0 && !info.file.is_null();
        // SAFETY: the loader owns the text, which ends in NUL and is valid while the library is
        // open.
        found.then(|| OsStr::from_bytes(unsafe { CStr::from_ptr(info.file) }.to_bytes()).into())
    }

    pub(super) fn trusts_environment() -> bool {
        // SAFETY: the function accepts any number.
        unsafe { getauxval(AT_SECURE) == 0 }
    }
}

#[cfg(windows)]
mod own {
    use super::*;
    use std::{ffi::c_char, io, os::windows::ffi::OsStrExt};

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryExW(name: *const u16, file: *mut c_void, flags: u32) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    /// Searches the program's folder, the system's folder and folders that the program added, but
    /// never the current folder.
    const SEARCH_DEFAULT_DIRS: u32 = 0x1000;
    /// For a full path, also searches the file's folder, so that NVRTC finds its builtins.
    const SEARCH_DLL_LOAD_DIR: u32 = 0x100;

    pub(super) fn open(file: &Path, _: bool) -> Result<*mut c_void, String> {
        let wide: Vec<u16> = file.as_os_str().encode_wide().chain([0]).collect();
        let own = if file.is_absolute() {
            SEARCH_DLL_LOAD_DIR
        } else {
            0
        };
        // SAFETY: the name ends in NUL. The second argument is reserved and null. The code that the
        // library runs when it is loaded is as trusted as that of a linked library.
        let library =
            unsafe { LoadLibraryExW(wide.as_ptr(), ptr::null_mut(), SEARCH_DEFAULT_DIRS | own) };
        if library.is_null() {
            let reason = io::Error::last_os_error();
            return Err(format!("{}: {reason}", file.display()));
        }
        Ok(library)
    }

    /// Opening a library finds the loaded copy.
    pub(super) fn loaded(_: &Path) -> Option<*mut c_void> {
        None
    }

    pub(super) fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
        if library.is_null() {
            // Windows can't search all libraries of a process.
            return ptr::null_mut();
        }
        // SAFETY: the library is open, and the name ends in NUL.
        unsafe { GetProcAddress(library, name.as_ptr()) }
    }

    pub(super) fn file_of(_: *const c_void) -> Option<PathBuf> {
        None
    }

    pub(super) fn trusts_environment() -> bool {
        true
    }
}

/// NVIDIA has no libraries for other systems.
#[cfg(not(any(target_os = "linux", windows)))]
mod own {
    use super::*;

    pub(super) fn open(file: &Path, _: bool) -> Result<*mut c_void, String> {
        let os = std::env::consts::OS;
        Err(format!(
            "{}: libraries are not opened on {os}",
            file.display()
        ))
    }

    pub(super) fn loaded(_: &Path) -> Option<*mut c_void> {
        None
    }

    pub(super) fn symbol(_: *mut c_void, _: &CStr) -> *mut c_void {
        ptr::null_mut()
    }

    pub(super) fn file_of(_: *const c_void) -> Option<PathBuf> {
        None
    }

    pub(super) fn trusts_environment() -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    unsafe extern "C" {
        fn getpid() -> std::ffi::c_int;
    }

    #[test]
    fn functions_are_found_in_their_file() {
        let file = file_of(getpid as *const c_void).unwrap();
        assert!(file.is_file(), "{}", file.display());
        assert!(
            file.to_string_lossy().contains("libc"),
            "{}",
            file.display()
        );
        assert_eq!(file_of(ptr::null()), None);
        let on_the_heap = Box::new(1);
        assert_eq!(file_of((&raw const *on_the_heap).cast()), None);
    }

    #[test]
    fn functions_can_be_called() {
        // SAFETY: the type of `getpid`.
        let function: unsafe extern "C" fn() -> std::ffi::c_int =
            unsafe { Handle::PROCESS.function(c"getpid") }.unwrap();
        // SAFETY: it has no arguments and does not fail.
        assert_eq!(unsafe { function() }.unsigned_abs(), std::process::id());
        let error = Handle::PROCESS.find(c"no_such_symbol").unwrap_err();
        assert_eq!(error, "it has no no_such_symbol");
        let is_loaded = |name: &str| loaded(Path::new(name)).is_some();
        assert!(is_loaded("libc.so.6") && !is_loaded("libno.so.6"));
        let library = library_of(getpid as *const c_void).unwrap();
        assert_eq!(library.symbol(c"getpid"), Handle::PROCESS.symbol(c"getpid"));
        assert!(trusts_environment());
    }
}
