//! nvJitLink's library: where it is looked for, the functions that are called, and what they return.

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

/// The environment variable that names the file to use.
const VARIABLE: &str = "CUDA_SAFE_LIBNVJITLINK";

/// `nvJitLinkHandle`
pub(super) type RawLink = *mut c_void;

type Create = unsafe extern "C" fn(*mut RawLink, u32, *const *const c_char) -> c_uint;
type OnHandle = unsafe extern "C" fn(RawLink) -> c_uint;
type Destroy = unsafe extern "C" fn(*mut RawLink) -> c_uint;
type AddData = unsafe extern "C" fn(RawLink, c_uint, *const c_void, usize, *const c_char) -> c_uint;
pub(super) type Size = unsafe extern "C" fn(RawLink, *mut usize) -> c_uint;
pub(super) type Contents = unsafe extern "C" fn(RawLink, *mut c_char) -> c_uint;

/// The functions that are called, each with its name.
macro_rules! functions {
    ($($field:ident: $type:ty = $name:literal;)*) => {
        /// The functions that are called. All of them exist since CUDA 12.0, with these signatures.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Functions {
            $(pub(super) $field: $type,)*
        }

        impl Functions {
            /// # Safety
            /// What is found by a name of nvJitLink is that function, and is there until the process ends.
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

/// The functions of the library, which is opened once for the whole process and never closed.
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

/// The library's names: of NVRTC's version first, since what is older than NVRTC does not read what that writes.
fn names() -> Vec<String> {
    let own = crate::program::nvrtc_version().map_or(13, |version| version.major);
    let others = [13, 12].into_iter().filter(|version| *version > own);
    [own]
        .into_iter()
        .chain(others)
        .map(|version| format!("libnvJitLink.so.{version}"))
        .collect()
}

/// The first folder is NVRTC's, whose version fits; then what the loader finds, then the other folders.
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

/// Beside NVRTC, which is where toolkits have it, and pip's packages of CUDA 13; then in the neighbouring package of CUDA
/// 12, and in toolkits.
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

/// The folder of the compiler that is in this process.
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
            // Of files that aren't there, the list tells.
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
    let says = match reasons {
        [] => String::new(),
        reasons => format!(". The loader says: {}", reasons.join("; ")),
    };
    let remedy = if named {
        String::new()
    } else {
        format!(
            ". It belongs to the CUDA toolkit; without one: `pip install nvidia-nvjitlink` (nvidia-nvjitlink-cu12 for CUDA 12), \
             of NVRTC's version or newer. {VARIABLE} can name its file"
        )
    };
    format!(
        "nvJitLink is not installed: looked for {}{by}{says}{remedy}",
        files.join(", ")
    )
}

/// An environment variable, unless the program runs with more rights than its user.
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

    /// Opens a file, which stays open.
    pub(super) fn open(file: &OsStr) -> Result<Functions, String> {
        let name = CString::new(file.as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: a NUL-terminated name. What the library runs when it is loaded is as trusted as NVRTC, which is found in
        // the same places.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err(reason());
        }
        // SAFETY: an open library and a NUL-terminated name.
        let find = |name: &CString| unsafe { libc::dlsym(library, name.as_ptr()) };
        // SAFETY: the file is named as nvJitLink, and is never closed once it is used.
        unsafe { Functions::of(find) }.map_err(|name| {
            // SAFETY: opened above, and nothing of it is used.
            unsafe { libc::dlclose(library) };
            format!("{}: it has no {name}", file.to_string_lossy())
        })
    }

    fn reason() -> String {
        // SAFETY: takes no arguments; the answer is this thread's own.
        let reason = unsafe { libc::dlerror() };
        if reason.is_null() {
            return "no reason given".into();
        }
        // SAFETY: NUL-terminated, and there until this thread's next call of that family.
        unsafe { CStr::from_ptr(reason) }
            .to_string_lossy()
            .into_owned()
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn trusts_environment() -> bool {
        // SAFETY: any number may be asked about.
        unsafe { libc::getauxval(libc::AT_SECURE) == 0 }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn trusts_environment() -> bool {
        // SAFETY: none of them takes an argument or fails.
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
    fn what_was_looked_for_is_told() {
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

        let told = open(&files, false).unwrap_err();
        assert!(
            told.starts_with("nvJitLink is not installed: looked for "),
            "{told}"
        );
        assert!(
            told.contains("cuda_nvrtc/lib/libnvJitLink.so.77, libnvJitLink.so.77, "),
            "{told}"
        );
        assert!(told.contains("pip install nvidia-nvjitlink"), "{told}");
        assert!(!told.contains("The loader says"), "{told}");

        // What is there and isn't nvJitLink.
        std::fs::create_dir_all(&nvrtc).unwrap();
        let file = nvrtc.join("text.so");
        std::fs::write(&file, "no library").unwrap();
        let told = open(&[file.into_os_string()], true).unwrap_err();
        assert!(
            told.contains(VARIABLE) && told.contains("The loader says: "),
            "{told}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_library_is_no_nvjitlink() {
        let told = open(&["libc.so.6".into()], true).unwrap_err();
        assert!(told.contains("it has no nvJitLinkCreate"), "{told}");
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
        let told = error.to_string();
        assert!(
            told.contains("f failed: NVJITLINK_ERROR_INCORRECT_INPUT_TYPE (12)"),
            "{told}"
        );
        assert_eq!(
            error.code(),
            Code::JitLink(JitLinkStatus::INCORRECT_INPUT_TYPE)
        );
    }
}
