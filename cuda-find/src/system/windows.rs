//! The functions of Windows.

use std::{
    ffi::{CStr, OsString, c_char, c_void},
    io,
    os::windows::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    ptr,
};

/// Searches the program's folder, the system's folder and folders that the program added, but never
/// the current folder.
const LOAD_LIBRARY_SEARCH_DEFAULT_DIRS: u32 = 0x1000;
/// Also searches the folder of the file, whose path must be absolute.
const LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR: u32 = 0x100;
const GET_MODULE_HANDLE_EX_FLAG_PIN: u32 = 1;
const GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS: u32 = 4;
const ERROR_MOD_NOT_FOUND: i32 = 126;

// The standard library links all of them.
unsafe extern "system" {
    fn LoadLibraryExW(name: *const u16, file: *mut c_void, flags: u32) -> *mut c_void;
    fn GetModuleHandleExW(flags: u32, name: *const u16, library: *mut *mut c_void) -> i32;
    fn GetModuleFileNameW(library: *mut c_void, name: *mut u16, size: u32) -> u32;
    fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Returns a path that ends in NUL, or `None` if it contains one. `LoadLibraryEx` requires
/// backslashes.
fn wide(file: &Path) -> Option<Vec<u16>> {
    let [slash, backslash] = [b'/', b'\\'].map(u16::from);
    let units = file.as_os_str().encode_wide();
    let name: Vec<u16> = units
        .map(|unit| if unit == slash { backslash } else { unit })
        .collect();
    (!name.contains(&0)).then(|| [name, vec![0]].concat())
}

/// A process has one list of libraries, so every library is open globally.
pub(super) fn open(file: &Path, _: bool) -> Result<*mut c_void, String> {
    let name = wide(file).ok_or_else(|| format!("{}: the path contains NUL", file.display()))?;
    let mut flags = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    if file.is_absolute() {
        flags |= LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR;
    }
    // SAFETY: the name ends in NUL. The second argument is reserved and null. The code that the
    // library runs when it is loaded is as trusted as that of a linked library.
    let library = unsafe { LoadLibraryExW(name.as_ptr(), ptr::null_mut(), flags) };
    if library.is_null() {
        let reason = io::Error::last_os_error();
        return Err(format!("{}: {reason}", file.display()));
    }
    Ok(library)
}

/// Returns whether a message of [`open`] reports that there is no file of this name. A file that
/// exists has an absolute path, and then the message is about a library that it needs.
pub(super) fn is_absence(reason: &str, file: &Path) -> bool {
    !file.is_absolute() && reason.ends_with(&format!("(os error {ERROR_MOD_NOT_FOUND})"))
}

pub(super) fn loaded(file: &Path) -> Option<*mut c_void> {
    let name = wide(file)?;
    // SAFETY: the name ends in NUL.
    unsafe { module(GET_MODULE_HANDLE_EX_FLAG_PIN, name.as_ptr()) }
}

/// # Safety
/// `name` must end in NUL, unless `flags` say that it is an address.
unsafe fn module(flags: u32, name: *const u16) -> Option<*mut c_void> {
    let mut library = ptr::null_mut();
    // SAFETY: the caller ensures that the name is valid, and `library` is valid for the write.
    let found = unsafe { GetModuleHandleExW(flags, name, &mut library) };
    (found != 0).then_some(library)
}

pub(super) fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
    if library.is_null() {
        // Windows can't search all libraries of a process.
        return ptr::null_mut();
    }
    // SAFETY: the library is open, and the name ends in NUL.
    unsafe { GetProcAddress(library, name.as_ptr()) }
}

/// Returns the library that contains an address, which is also the address where it begins.
fn library_of(address: *const c_void) -> Option<*mut c_void> {
    // Null would be the program itself.
    if address.is_null() {
        return None;
    }
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    // SAFETY: with this flag, the function accepts any address.
    unsafe { module(flags, address.cast()) }
}

pub(super) fn base_of(address: *const c_void) -> Option<*const c_void> {
    library_of(address).map(<*mut c_void>::cast_const)
}

pub(super) fn file_of(address: *const c_void) -> Option<PathBuf> {
    let library = library_of(address)?;
    // The longest path of Windows.
    let mut name = vec![0; 1 << 15];
    // SAFETY: the library is open, and `name` is valid for that many characters.
    let length = unsafe { GetModuleFileNameW(library, name.as_mut_ptr(), name.len() as u32) };
    (length > 0).then(|| OsString::from_wide(&name[..length as usize]).into())
}

/// Windows has no programs that run with more privileges than the user who started them and take
/// the environment from that user.
pub(super) fn trusts_environment() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::super::*;

    unsafe extern "system" {
        fn GetCurrentProcessId() -> u32;
    }

    #[test]
    fn functions_are_found_in_their_file() {
        let function = GetCurrentProcessId as *const c_void;
        let library = open(Path::new("kernel32.dll")).unwrap();
        let found = library.find(c"GetCurrentProcessId").unwrap();
        let file = file_of(found.as_ptr()).unwrap();
        let name = file.to_string_lossy().to_lowercase();
        assert!(
            name.ends_with("kernel32.dll") || name.ends_with("kernelbase.dll"),
            "{name}"
        );
        assert_eq!(file_of(ptr::null()), None);
        assert!(base_of(found.as_ptr()).is_some_and(|base| base < found.as_ptr().cast_const()));
        assert_eq!(base_of(ptr::null()), None);
        let on_the_heap = Box::new(1);
        assert_eq!(file_of((&raw const *on_the_heap).cast()), None);
        assert!(file_of(function).is_some());
        assert!(library_of(found.as_ptr()).is_some());
    }

    #[test]
    fn functions_can_be_called() {
        let library = loaded(Path::new("kernel32.dll")).unwrap();
        // SAFETY: the type of `GetCurrentProcessId`.
        let function: unsafe extern "system" fn() -> u32 =
            unsafe { library.function(c"GetCurrentProcessId") }.unwrap();
        // SAFETY: it has no arguments and does not fail.
        assert_eq!(unsafe { function() }, std::process::id());
        let error = library.find(c"no_such_symbol").unwrap_err();
        assert_eq!(error, "it has no no_such_symbol");
        assert!(loaded(Path::new("libno.dll")).is_none());
        assert!(Handle::PROCESS.symbol(c"GetCurrentProcessId").is_null());
    }

    #[test]
    fn absent_files_differ_from_files_that_are_no_library() {
        let file = Path::new("cuda-find-none.dll");
        let reason = open(file).unwrap_err();
        assert!(is_absence(&reason, file), "{reason}");
        let file = std::env::temp_dir().join(format!("cuda-find-{}.dll", std::process::id()));
        std::fs::write(&file, "no library").unwrap();
        let reason = open(&file).unwrap_err();
        assert!(!is_absence(&reason, &file), "{reason}");
        std::fs::remove_file(file).unwrap();
    }

    /// The current folder must not contribute code to a program.
    #[test]
    fn current_folder_is_not_searched() {
        let here = std::env::temp_dir().join(format!("cuda-find-here-{}", std::process::id()));
        std::fs::create_dir_all(&here).unwrap();
        let system = Path::new(&std::env::var_os("SystemRoot").unwrap()).join("System32");
        let file = here.join("cuda-find-here.dll");
        std::fs::copy(system.join("version.dll"), &file).unwrap();
        std::env::set_current_dir(&here).unwrap();
        for name in ["cuda-find-here.dll", r".\cuda-find-here.dll"] {
            assert!(open(Path::new(name)).is_err(), "{name}");
        }
        assert!(open(&file).is_ok());
        std::env::set_current_dir("..").unwrap();
        // Windows keeps the file, because it is open.
        let _ = std::fs::remove_dir_all(here);
    }
}
