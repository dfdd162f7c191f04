//! The cuBLAS library: its search paths, the functions that are called, and their statuses.

use std::{
    env,
    ffi::{OsStr, OsString, c_int, c_uint, c_void},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use cuda_safe::driver;
use libloading::Library;

use crate::error::{CublasStatus, Error, Result};

/// The environment variable with the path of the library to use.
const VARIABLE: &str = "CUDA_COMPUTE_LIBCUBLAS";

/// `cublasHandle_t`
pub(super) type RawHandle = *mut c_void;

/// `cublasOperation_t`
pub(super) const OP_N: c_int = 0;
/// `cublasOperation_t`
pub(super) const OP_T: c_int = 1;
/// `cublasGemmAlgo_t`
pub(super) const GEMM_DEFAULT: c_int = -1;
/// `cublasMath_t`: partial sums of several blocks are not rounded to the result's type before they
/// are added.
pub(super) const DISALLOW_REDUCED_PRECISION_REDUCTION: c_int = 16;

// Enumerations are integers here, because a newer library may return values without a name.
type Create = unsafe extern "C" fn(*mut RawHandle) -> c_uint;
type Destroy = unsafe extern "C" fn(RawHandle) -> c_uint;
type SetStream = unsafe extern "C" fn(RawHandle, *mut c_void) -> c_uint;
type SetWorkspace = unsafe extern "C" fn(RawHandle, *mut c_void, usize) -> c_uint;
type SetMathMode = unsafe extern "C" fn(RawHandle, c_int) -> c_uint;
type Gemm = unsafe extern "C" fn(
    handle: RawHandle,
    op_a: c_int,
    op_b: c_int,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const c_void,
    type_a: c_int,
    leading_a: i64,
    step_a: i64,
    b: *const c_void,
    type_b: c_int,
    leading_b: i64,
    step_b: i64,
    beta: *const c_void,
    c: *mut c_void,
    type_c: c_int,
    leading_c: i64,
    step_c: i64,
    count: i64,
    compute: c_int,
    algorithm: c_int,
) -> c_uint;

/// The cuBLAS functions that are called. All of them have existed with these signatures since CUDA
/// 12.0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    pub(super) create: Create,
    pub(super) destroy: Destroy,
    pub(super) set_stream: SetStream,
    pub(super) set_workspace: SetWorkspace,
    pub(super) set_math_mode: SetMathMode,
    pub(super) gemm_strided_batched: Gemm,
}

impl Functions {
    /// Loads the functions.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the library is cuBLAS if it has functions of these names;
    /// - it is never closed.
    unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: the functions of these names have these signatures.
        unsafe {
            Ok(Self {
                create: *library.get(b"cublasCreate_v2\0")?,
                destroy: *library.get(b"cublasDestroy_v2\0")?,
                set_stream: *library.get(b"cublasSetStream_v2\0")?,
                set_workspace: *library.get(b"cublasSetWorkspace_v2\0")?,
                set_math_mode: *library.get(b"cublasSetMathMode\0")?,
                gemm_strided_batched: *library.get(b"cublasGemmStridedBatchedEx_64\0")?,
            })
        }
    }
}

/// Returns the functions of the library, which is opened once per process.
pub(super) fn functions() -> Result<&'static Functions> {
    static FOUND: OnceLock<Result<(Library, Functions), String>> = OnceLock::new();
    // A static is never dropped, so the library stays open as long as its handles need it.
    match FOUND.get_or_init(find) {
        Ok((_, functions)) => Ok(functions),
        Err(missing) => Err(Error::Missing(missing.clone())),
    }
}

fn find() -> Result<(Library, Functions), String> {
    if let Some(file) = trusted(VARIABLE) {
        return open(&[file], true);
    }
    // A library for a newer driver loads, but can't compute anything.
    let newest = driver::version().map_or(u32::MAX, |version| version.major);
    let names = names(newest);
    if let Some(found) = names.iter().find_map(|name| present(name.as_ref())) {
        return Ok(found);
    }
    let folders = folders(trusted).flat_map(|folder| {
        let files = names.iter().map(|name| folder.join(name).into_os_string());
        files.collect::<Vec<_>>()
    });
    let files: Vec<OsString> = names.iter().map(OsString::from).chain(folders).collect();
    open(&files, false)
}

/// Returns the library's file names, starting with the newest version that works with this driver.
fn names(driver: u32) -> Vec<String> {
    let versions: &[u32] = if driver >= 13 { &[13, 12] } else { &[12] };
    let name = |version| match cfg!(windows) {
        true => format!("cublas64_{version}.dll"),
        false => format!("libcublas.so.{version}"),
    };
    versions.iter().map(name).collect()
}

/// Returns the library folders of toolkits.
fn folders(variable: impl Fn(&str) -> Option<OsString>) -> impl Iterator<Item = PathBuf> {
    let set = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].map(variable);
    let usual: &[&str] = match cfg!(windows) {
        true => &[],
        false => &["/usr/local/cuda", "/opt/cuda"],
    };
    let below: &[&str] = match cfg!(windows) {
        true => &["bin/x64", "bin"],
        false => &["lib64", "lib"],
    };
    let homes = set.into_iter().flatten().map(PathBuf::from);
    homes
        .chain(usual.iter().map(PathBuf::from))
        .flat_map(move |home| below.iter().map(move |folder| home.join(folder)))
}

/// Opens the first of `files` that is cuBLAS.
fn open(files: &[OsString], named: bool) -> Result<(Library, Functions), String> {
    let mut reasons = Vec::new();
    for (number, file) in files.iter().enumerate() {
        // SAFETY: the code that a library runs when it is loaded is as trusted as that of a linked
        // library. The loader searches the same places for both, and the other places are the
        // toolkit's.
        let opened = unsafe { Library::new(file) };
        // SAFETY: the file has the name of cuBLAS, and `functions` never closes it.
        let found =
            opened.and_then(|library| unsafe { Functions::of(&library) }.map(|f| (library, f)));
        match found {
            Ok(found) => return Ok(found),
            // Report one missing file, and every file that exists but can't be used.
            Err(reason) if number == 0 || Path::new(file).is_file() => {
                reasons.push(reason.to_string());
            }
            Err(_) => {}
        }
    }
    Err(missing(files, &reasons, named))
}

#[cold]
fn missing(files: &[OsString], reasons: &[String], named: bool) -> String {
    let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    let (by, remedy) = match named {
        true => (format!(" ({VARIABLE})"), String::new()),
        false => (
            String::new(),
            format!(
                ". Install it (it is part of the CUDA toolkit, and of the Python package nvidia-cublas), put its folder on \
                 the loader's path, or name its file in {VARIABLE}"
            ),
        ),
    };
    format!(
        "cuBLAS is not installed: looked for {}{by}. The loader says: {}{remedy}",
        files.join(", "),
        reasons.join("; ")
    )
}

/// Returns the library if it is already loaded in the process, such as PyTorch's own copy.
#[cfg(unix)]
fn present(name: &OsStr) -> Option<(Library, Functions)> {
    use libloading::os::unix;
    // SAFETY: nothing is loaded, so no code runs.
    let library = unsafe { unix::Library::open(Some(name), libc::RTLD_NOLOAD | libc::RTLD_NOW) };
    let library = Library::from(library.ok()?);
    // SAFETY: the library has the name of cuBLAS, and `functions` never closes it.
    let functions = unsafe { Functions::of(&library) }.ok()?;
    Some((library, functions))
}

/// On Windows, opening a library finds the loaded copy.
#[cfg(not(unix))]
fn present(_: &OsStr) -> Option<(Library, Functions)> {
    None
}

/// Returns an environment variable, unless the program runs with more privileges than its user.
fn trusted(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty() && trusts_environment())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn trusts_environment() -> bool {
    // SAFETY: `getauxval` accepts any number.
    unsafe { libc::getauxval(libc::AT_SECURE) == 0 }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn trusts_environment() -> bool {
    // SAFETY: these functions take no arguments and can't fail.
    unsafe { libc::getuid() == libc::geteuid() && libc::getgid() == libc::getegid() }
}

#[cfg(not(unix))]
fn trusts_environment() -> bool {
    true
}

/// Returns an error unless the call succeeded.
pub(super) fn check(call: &'static str, status: c_uint) -> Result<()> {
    match CublasStatus(status) {
        CublasStatus::SUCCESS => Ok(()),
        status => Err(Error::Cublas { call, status }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_errors_list_searched_files() {
        let files = ["libcublas.so.no", "/no/such/folder/libcublas.so.13"].map(OsString::from);
        let error = open(&files, false).unwrap_err();
        let start = "cuBLAS is not installed: looked for libcublas.so.no, /no/such/folder/libcublas.so.13. The loader";
        assert!(error.starts_with(start), "{error}");
        assert!(
            error.ends_with("name its file in CUDA_COMPUTE_LIBCUBLAS"),
            "{error}"
        );
        let named = open(&files[..1], true).unwrap_err();
        assert!(
            named.contains("libcublas.so.no (CUDA_COMPUTE_LIBCUBLAS). The"),
            "{named}"
        );
        assert!(!named.contains("Install"), "{named}");
    }

    /// An existing library that is not cuBLAS.
    #[cfg(target_os = "linux")]
    #[test]
    fn open_rejects_other_libraries() {
        let error = open(&["libc.so.6".into()], true).unwrap_err();
        assert!(error.contains("cublasCreate_v2"), "{error}");
        assert!(present("libc.so.6".as_ref()).is_none());
    }

    #[test]
    fn names_match_the_driver_version() {
        assert_eq!(names(12).len(), 1);
        assert_eq!(names(13)[1..], names(12));
        assert_eq!(names(99), names(13));
        #[cfg(target_os = "linux")]
        assert_eq!(names(13), ["libcublas.so.13", "libcublas.so.12"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn folders_include_toolkits() {
        let variable = |name: &str| (name == "CUDA_HOME").then(|| OsString::from("/my/cuda"));
        let folders: Vec<_> = folders(variable).collect();
        let first = ["/my/cuda/lib64", "/my/cuda/lib", "/usr/local/cuda/lib64"];
        assert_eq!(folders[..3], first.map(PathBuf::from));
    }

    #[test]
    fn statuses_have_names() {
        assert!(check("cublasCreate_v2", 0).is_ok());
        let error = check("cublasCreate_v2", 13).unwrap_err();
        let text = "cublasCreate_v2 failed: CUBLAS_STATUS_EXECUTION_FAILED (13)";
        assert_eq!(error.to_string(), text);
        let unknown = check("cublasCreate_v2", 99).unwrap_err();
        assert!(unknown.to_string().ends_with("unknown cublasStatus_t 99"));
        assert_eq!(
            format!("{:?}", CublasStatus(7)),
            "CUBLAS_STATUS_INVALID_VALUE (7)"
        );
    }

    /// A library that is open in the process, with functions of cuBLAS's names.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_that_is_open_already_is_found() {
        let folder = env::temp_dir().join(format!("cuda-compute-present-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (text, file) = (folder.join("double.c"), folder.join("libdouble.so"));
        let names = [
            "cublasCreate_v2",
            "cublasDestroy_v2",
            "cublasSetStream_v2",
            "cublasSetWorkspace_v2",
            "cublasSetMathMode",
            "cublasGemmStridedBatchedEx_64",
        ];
        let functions = names.map(|name| format!("int {name}(void) {{ return 0; }}\n"));
        std::fs::write(&text, functions.concat()).unwrap();
        let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
        let mut compile = std::process::Command::new(compiler);
        compile
            .args(["-shared", "-fPIC", "-o"])
            .arg(&file)
            .arg(&text);
        assert!(compile.status().unwrap().success());
        // It is not opened here.
        assert!(present(file.as_os_str()).is_none());
        // SAFETY: its functions do nothing.
        let library = unsafe { Library::new(&file) }.unwrap();
        assert!(present(file.as_os_str()).is_some());
        drop(library);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// A missing file is reported if it is the first, another file that is no library always.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_loader_is_quoted_for_files_that_matter() {
        let text = env::temp_dir().join(format!("cuda-compute-text-{}", std::process::id()));
        std::fs::write(&text, "no library").unwrap();
        let files = [
            "/no/such/first".into(),
            text.clone().into_os_string(),
            "/no/such/last".into(),
        ];
        let error = open(&files, false).unwrap_err();
        std::fs::remove_file(&text).unwrap();
        let (_, said) = error.split_once("The loader says: ").unwrap();
        assert!(
            said.contains("/no/such/first") && !said.contains("/no/such/last"),
            "{error}"
        );
        assert!(said.contains(text.to_str().unwrap()), "{error}");
    }

    #[test]
    fn variables_are_trusted_if_they_are_set() {
        assert!(trusted("PATH").is_some() && trusts_environment());
        assert!(trusted("CUDA_COMPUTE_NO_SUCH_VARIABLE").is_none());
    }
}
