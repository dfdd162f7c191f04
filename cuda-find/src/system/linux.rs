//! The functions of Linux.

use std::{
    ffi::{CStr, CString, OsStr, c_char, c_int, c_ulong, c_void},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    ptr,
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

/// Returns whether a message of [`open`] only reports that no file has this name.
pub(super) fn is_absence(reason: &str, file: &Path) -> bool {
    let rest = reason.strip_prefix(&*file.to_string_lossy());
    rest.is_some_and(|rest| rest.starts_with(": cannot open shared object file: No such file"))
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

/// Returns the loader's description of an address.
fn info_of(address: *const c_void) -> Option<Info> {
    let mut info = Info {
        file: ptr::null(),
        base: ptr::null_mut(),
        symbol: ptr::null(),
        address: ptr::null_mut(),
    };
    // SAFETY: the function accepts any address, and `info` is valid for the write.
    let found = unsafe { dladdr(address, &mut info) } != 0;
    found.then_some(info)
}

pub(super) fn base_of(address: *const c_void) -> Option<*const c_void> {
    let base = info_of(address)?.base.cast_const();
    (!base.is_null()).then_some(base)
}

pub(super) fn file_of(address: *const c_void) -> Option<PathBuf> {
    let file = info_of(address)?.file;
    // SAFETY: the loader owns the text, which ends in NUL and is valid while the library is
    // open.
    (!file.is_null()).then(|| OsStr::from_bytes(unsafe { CStr::from_ptr(file) }.to_bytes()).into())
}

pub(super) fn trusts_environment() -> bool {
    // SAFETY: the function accepts any number.
    unsafe { getauxval(AT_SECURE) == 0 }
}

#[cfg(test)]
mod tests {
    use super::super::*;

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
        assert!(
            base_of(getpid as *const c_void).is_some_and(|base| base < getpid as *const c_void)
        );
        assert_eq!(base_of(ptr::null()), None);
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
