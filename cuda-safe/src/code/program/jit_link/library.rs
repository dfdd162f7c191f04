//! Finds and opens nvJitLink's library.

use std::{
    env,
    ffi::{CString, OsString, c_char, c_int, c_uint, c_void},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::{
    error::{Code, Error, ErrorKind, Result},
    raw::nvjitlink::JitLinkStatus,
};

/// The environment variable with the path of the library.
const VARIABLE: &str = "CUDA_SAFE_LIBNVJITLINK";

/// `nvJitLinkHandle`
pub(super) type RawLink = *mut c_void;

type Create = unsafe extern "C" fn(*mut RawLink, u32, *const *const c_char) -> c_uint;
type OnHandle = unsafe extern "C" fn(RawLink) -> c_uint;
type Destroy = unsafe extern "C" fn(*mut RawLink) -> c_uint;
type AddData = unsafe extern "C" fn(RawLink, c_uint, *const c_void, usize, *const c_char) -> c_uint;
pub(super) type Size = unsafe extern "C" fn(RawLink, *mut usize) -> c_uint;
pub(super) type Contents = unsafe extern "C" fn(RawLink, *mut c_char) -> c_uint;

/// Declares the functions that are called, each with its name.
macro_rules! functions {
    ($($field:ident: $type:ty = $name:literal;)*) => {
        /// The functions that are called. All of them have existed since CUDA 12.0 with these
        /// signatures.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Functions {
            $(pub(super) $field: $type,)*
        }

        impl Functions {
            /// Looks up all functions. Returns the name of the first one that is missing as an
            /// error.
            ///
            /// # Safety
            /// The caller must ensure that `find` returns the nvJitLink function of the given name,
            /// and that it stays loaded until the process ends.
            unsafe fn of(find: impl Fn(&CString) -> *mut c_void) -> Result<Self, &'static str> {
                Ok(Self {
                    $($field: {
                        let address = find(&CString::new($name).unwrap_or_default());
                        if address.is_null() {
                            return Err($name);
                        }
                        // SAFETY: the function of this name has this signature.
                        unsafe { std::mem::transmute::<*mut c_void, $type>(address) }
                    },)*
                })
            }
        }
    };
}

functions! {
    create: Create = "nvJitLinkCreate";
    destroy: Destroy = "nvJitLinkDestroy";
    add_data: AddData = "nvJitLinkAddData";
    complete: OnHandle = "nvJitLinkComplete";
    cubin_size: Size = "nvJitLinkGetLinkedCubinSize";
    cubin: Contents = "nvJitLinkGetLinkedCubin";
    ptx_size: Size = "nvJitLinkGetLinkedPtxSize";
    ptx: Contents = "nvJitLinkGetLinkedPtx";
    error_log_size: Size = "nvJitLinkGetErrorLogSize";
    error_log: Contents = "nvJitLinkGetErrorLog";
    info_log_size: Size = "nvJitLinkGetInfoLogSize";
    info_log: Contents = "nvJitLinkGetInfoLog";
}

/// Returns the functions of the library, which is opened once per process and never closed.
pub(super) fn functions() -> Result<&'static Functions> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(find).as_ref().map_err(|missing| {
        Error::checked(ErrorKind::NoCompiler, "nvJitLinkCreate", missing.clone())
    })
}

fn find() -> Result<Functions, String> {
    if let Some(file) = trusted(VARIABLE) {
        return open(&[file], true);
    }
    open(&files(&names(), &folders(trusted, nvrtc_folder())), false)
}

/// Returns the library's names. The name of NVRTC's version comes first, because an older library
/// cannot read NVRTC's output.
fn names() -> Vec<String> {
    let own = crate::program::nvrtc_version().map_or(13, |version| version.major);
    let others = [13, 12].into_iter().filter(|version| *version > own);
    [own]
        .into_iter()
        .chain(others)
        .map(|version| format!("libnvJitLink.so.{version}"))
        .collect()
}

/// Returns the files to try. NVRTC's folder comes first, because its version matches, then the
/// loader's search path, then the other folders.
fn files(names: &[String], folders: &[PathBuf]) -> Vec<OsString> {
    let in_folder = |folder: &PathBuf| {
        let files = names.iter().map(|name| folder.join(name).into_os_string());
        files.collect::<Vec<_>>()
    };
    let (first, rest) = folders.split_at(folders.len().min(1));
    let by_name = names.iter().map(OsString::from);
    let first = first.iter().flat_map(in_folder);
    first
        .chain(by_name)
        .chain(rest.iter().flat_map(in_folder))
        .collect()
}

/// Returns the folders to search: NVRTC's folder, as in toolkits and in pip's packages for CUDA 13,
/// then the neighboring folder, as in pip's packages for CUDA 12, then toolkits.
fn folders(variable: impl Fn(&str) -> Option<OsString>, nvrtc: Option<PathBuf>) -> Vec<PathBuf> {
    let nvrtc = nvrtc.or_else(|| cuda_sys::NVRTC_LIB_DIR.map(PathBuf::from));
    let neighbour = nvrtc
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::parent);
    let neighbour = neighbour.map(|packages| packages.join("nvjitlink/lib"));
    let set = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].into_iter();
    let homes = set
        .filter_map(variable)
        .map(PathBuf::from)
        .chain(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from));
    let in_homes = homes.flat_map(|home| ["lib64", "lib"].map(|folder| home.join(folder)));
    nvrtc.into_iter().chain(neighbour).chain(in_homes).collect()
}

/// Returns the folder of the NVRTC library that this process uses.
fn nvrtc_folder() -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    return Some(crate::code::program::nvrtc_library()?.parent()?.to_owned());
    #[cfg(not(target_os = "linux"))]
    None
}

/// Opens the first of `files` that is nvJitLink.
fn open(files: &[OsString], named: bool) -> Result<Functions, String> {
    let mut reasons = Vec::new();
    for file in files {
        match own::open(file) {
            Ok(found) => return Ok(found),
            // Missing files are already in the list of searched files.
            Err(reason) if named || Path::new(file).is_file() => reasons.push(reason),
            Err(_) => {}
        }
    }
    Err(missing(files, &reasons, named))
}

#[cold]
fn missing(files: &[OsString], reasons: &[String], named: bool) -> String {
    let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    let by = if named {
        format!(" ({VARIABLE})")
    } else {
        String::new()
    };
    let loader = match reasons {
        [] => String::new(),
        reasons => format!(". The loader says: {}", reasons.join("; ")),
    };
    let remedy = if named {
        String::new()
    } else {
        format!(
            ". Fix: install the CUDA toolkit, or run `pip install nvidia-nvjitlink` (nvidia-nvjitlink-cu12 for CUDA 12), of \
             NVRTC's version or newer, or set {VARIABLE} to the library's path"
        )
    };
    format!(
        "nvJitLink is not installed: looked for {}{by}{loader}{remedy}",
        files.join(", ")
    )
}

/// Returns an environment variable, unless the program runs with more privileges than its user.
fn trusted(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty() && own::trusts_environment())
}

#[cfg(unix)]
mod own {
    use std::{
        ffi::{CStr, CString, OsStr},
        os::unix::ffi::OsStrExt,
    };

    use super::Functions;

    /// Opens a file, which is never closed if it is nvJitLink.
    pub(super) fn open(file: &OsStr) -> Result<Functions, String> {
        let name = CString::new(file.as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the name is NUL-terminated. The library's initialization code is as trusted as
        // NVRTC, which is found in the same places.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err(reason());
        }
        // SAFETY: the library is open, and the name is NUL-terminated.
        let find = |name: &CString| unsafe { libc::dlsym(library, name.as_ptr()) };
        // SAFETY: the file has the name of nvJitLink and is never closed once it is used.
        unsafe { Functions::of(find) }.map_err(|name| {
            // SAFETY: opened above, and none of its functions is used.
            unsafe { libc::dlclose(library) };
            format!("{}: it has no {name}", file.to_string_lossy())
        })
    }

    fn reason() -> String {
        // SAFETY: takes no arguments. The result belongs to this thread.
        let reason = unsafe { libc::dlerror() };
        if reason.is_null() {
            return "no reason given".into();
        }
        // SAFETY: NUL-terminated, and valid until this thread's next call of that family.
        unsafe { CStr::from_ptr(reason) }
            .to_string_lossy()
            .into_owned()
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn trusts_environment() -> bool {
        // SAFETY: the function accepts any number.
        unsafe { libc::getauxval(libc::AT_SECURE) == 0 }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn trusts_environment() -> bool {
        // SAFETY: these functions take no arguments and do not fail.
        unsafe { libc::getuid() == libc::geteuid() && libc::getgid() == libc::getegid() }
    }
}

#[cfg(not(unix))]
mod own {
    use std::ffi::OsStr;

    use super::Functions;

    pub(super) fn open(file: &OsStr) -> Result<Functions, String> {
        Err(format!(
            "{}: this crate opens libraries on Unix only",
            file.to_string_lossy()
        ))
    }

    pub(super) fn trusts_environment() -> bool {
        true
    }
}

impl JitLinkStatus {
    pub(super) fn check(call: &'static str, status: c_uint) -> Result<()> {
        match status {
            0 => Ok(()),
            status => Err(Error::new(
                Code::JitLink(Self(status)),
                call,
                ErrorKind::Driver,
                "",
            )),
        }
    }
}

/// `nvJitLinkInputType`
pub(super) mod input {
    use super::c_int;

    pub(crate) const CUBIN: c_int = 1;
    pub(crate) const PTX: c_int = 2;
    pub(crate) const LTO_IR: c_int = 3;
    pub(crate) const FATBIN: c_int = 4;
    pub(crate) const OBJECT: c_int = 5;
    pub(crate) const LIBRARY: c_int = 6;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searched_files_are_reported() {
        let folder = env::temp_dir().join(format!("cuda-safe-jit-link-{}", std::process::id()));
        let home = folder.join("home");
        let set = |name: &str| (name == "CUDA_HOME").then(|| home.clone().into_os_string());
        let nvrtc = folder.join("nvidia/cuda_nvrtc/lib");
        let all = folders(set, Some(nvrtc.clone()));
        let neighbour = folder.join("nvidia/nvjitlink/lib");
        let expected = [
            nvrtc.clone(),
            neighbour,
            home.join("lib64"),
            home.join("lib"),
        ];
        assert_eq!(all[..4], expected);
        let name = "libnvJitLink.so.77".to_owned();
        let files = files(std::slice::from_ref(&name), &all[..2]);
        assert_eq!(
            files[..2],
            [nvrtc.join(&name).into_os_string(), name.into()]
        );

        let message = open(&files, false).unwrap_err();
        assert!(
            message.starts_with("nvJitLink is not installed: looked for "),
            "{message}"
        );
        assert!(
            message.contains("cuda_nvrtc/lib/libnvJitLink.so.77, libnvJitLink.so.77, "),
            "{message}"
        );
        assert!(
            message.contains("pip install nvidia-nvjitlink"),
            "{message}"
        );
        assert!(!message.contains("The loader says"), "{message}");

        // A file that is not nvJitLink.
        std::fs::create_dir_all(&nvrtc).unwrap();
        let file = nvrtc.join("text.so");
        std::fs::write(&file, "no library").unwrap();
        let message = open(&[file.into_os_string()], true).unwrap_err();
        assert!(
            message.contains(VARIABLE) && message.contains("The loader says: "),
            "{message}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn other_libraries_are_rejected() {
        let message = open(&["libc.so.6".into()], true).unwrap_err();
        assert!(message.contains("it has no nvJitLinkCreate"), "{message}");
    }

    #[test]
    fn statuses_have_names() {
        assert_eq!(
            JitLinkStatus::PTX_COMPILE.to_string(),
            "NVJITLINK_ERROR_PTX_COMPILE (4)"
        );
        assert_eq!(
            format!("{:?}", JitLinkStatus(99)),
            "unknown nvJitLinkResult 99"
        );
        assert!(JitLinkStatus::check("f", 0).is_ok());
        let error = JitLinkStatus::check("f", 12).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("f failed: NVJITLINK_ERROR_INCORRECT_INPUT_TYPE (12)"),
            "{message}"
        );
        assert_eq!(
            error.code(),
            Code::JitLink(JitLinkStatus::INCORRECT_INPUT_TYPE)
        );
    }
}
