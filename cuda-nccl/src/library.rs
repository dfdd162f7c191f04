//! NCCL's shared library: the search for it, its version and its functions.

use std::{
    env,
    ffi::{CStr, OsStr, OsString, c_int, c_void},
    fmt, fs,
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};

use crate::{
    error::{Error, Result},
    result::NcclResult,
    sys,
};

/// The environment variable that names the file to use.
const VARIABLE: &str = "CUDA_NCCL_LIBNCCL";
/// The library's name for the loader. It is the same for CUDA 12 and 13.
const NAME: &str = "libnccl.so.2";
/// The oldest version that has all functions this crate requires.
const OLDEST: Version = Version(2, 18, 0);

/// A version of NCCL: major, minor and patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Converts the number that `ncclGetVersion` returns.
    fn from_code(code: u32) -> Self {
        // The encoding of NCCL_VERSION since 2.9.
        Self(code / 10_000, code / 100 % 100, code % 100)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The NCCL library, opened once per process at the first call that needs it.
///
/// ```
/// match cuda_nccl::Library::get() {
///     Ok(nccl) => println!("NCCL {} in {}", nccl.version(), nccl.file().display()),
///     Err(missing) => println!("{missing}"), // the places searched, and the fix
/// }
/// ```
#[derive(Debug)]
pub struct Library {
    functions: sys::Functions,
    version: Version,
    file: PathBuf,
    // Never closed, because its threads and communicators need it.
    _library: libloading::Library,
}

impl Library {
    /// Returns the library, and opens it at the first call.
    ///
    /// It is searched in this order:
    /// 1. The file named by `CUDA_NCCL_LIBNCCL`. If the variable is set, nothing else is searched.
    /// 2. A library that the process has already loaded, such as PyTorch's own.
    /// 3. `libnccl.so.2` on the loader's path (`LD_LIBRARY_PATH`, `/etc/ld.so.conf`, the system's
    ///    folders).
    /// 4. The folders of the Python packages `nvidia-nccl-cu13` and `-cu12`, below `VIRTUAL_ENV`
    ///    and `CONDA_PREFIX`, in `~/.local`, `/usr/local` and `/usr`.
    ///
    /// # Errors
    /// Returns [`Error::Missing`] if no library is found, and [`Error::Unsupported`] if it is older
    /// than 2.18.
    #[doc(alias = "dlopen")]
    pub fn get() -> Result<&'static Self> {
        static FOUND: OnceLock<Result<Library>> = OnceLock::new();
        FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// Returns the version of the library.
    #[doc(alias = "ncclGetVersion")]
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the path of the opened file, as reported by the loader.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the function table, for raw calls.
    #[must_use]
    #[inline]
    pub fn functions(&self) -> &sys::Functions {
        &self.functions
    }

    /// Returns a function of the table, or an error if the library lacks it.
    #[inline]
    pub(crate) fn need<F>(&self, name: &'static str, function: Option<F>) -> Result<F> {
        match function {
            Some(function) => Ok(function),
            None => Err(self.lacks(name)),
        }
    }

    #[cold]
    fn lacks(&self, name: &str) -> Error {
        Error::Unsupported(format!(
            "NCCL {} ({}) has no {name}. Fix: install a newer version (pip install -U nvidia-nccl-cu13), or set {VARIABLE} \
             to its file",
            self.version,
            self.file.display()
        ))
    }

    /// Loads the functions and the version.
    ///
    /// # Safety
    /// The caller must ensure that the library is NCCL if it has functions of these names.
    unsafe fn of(library: libloading::Library, file: &OsStr) -> Result<Self, String> {
        let mut find = |name: &CStr| -> *mut c_void {
            // SAFETY: only the address is read. `Functions` has the function's type.
            unsafe { library.get::<*mut c_void>(name.to_bytes_with_nul()) }
                .map_or(ptr::null_mut(), |symbol| *symbol)
        };
        // SAFETY: guaranteed by this function's caller.
        let functions = unsafe { sys::Functions::load(&mut find) };
        let version = functions
            .ncclGetVersion
            .ok_or_else(|| format!("{} has no ncclGetVersion", file.to_string_lossy()))?;
        let mut code: c_int = 0;
        // SAFETY: valid for the write.
        let result = NcclResult(unsafe { version(&mut code) }.0);
        if result != NcclResult::SUCCESS {
            return Err(format!(
                "{}: ncclGetVersion failed: {result}",
                file.to_string_lossy()
            ));
        }
        Ok(Self {
            version: Version::from_code(code.unsigned_abs()),
            file: place(
                functions
                    .ncclGetVersion
                    .map_or(ptr::null(), |f| f as *const c_void),
            )
            .unwrap_or_else(|| file.into()),
            functions,
            _library: library,
        })
    }

    /// Returns an error if the version is too old.
    fn expect_new(self) -> Result<Self> {
        if self.version >= OLDEST {
            return Ok(self);
        }
        Err(Error::Unsupported(format!(
            "NCCL {} ({}) is too old: the oldest supported version is {OLDEST}. Fix: install a newer version (pip install \
             -U nvidia-nccl-cu13), or set {VARIABLE} to its file",
            self.version,
            self.file.display()
        )))
    }
}

/// Returns the file that contains an address.
fn place(address: *const c_void) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: `dladdr` accepts any address, and `info` is valid for the write.
    let found = unsafe { libc::dladdr(address, &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: the loader owns the string, which is valid while the library is open.
    found.then(|| OsStr::from_bytes(unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes()).into())
}

fn find() -> Result<Library> {
    if let Some(file) = trusted(VARIABLE) {
        return open(&[file], true)?.expect_new();
    }
    if let Some(library) = present(NAME.as_ref()) {
        return library.expect_new();
    }
    let pip = folders(trusted).map(|folder| folder.join(NAME).into_os_string());
    let files: Vec<OsString> = std::iter::once(NAME.into()).chain(pip).collect();
    open(&files, false)?.expect_new()
}

/// Returns the folders where Python packages keep the library, for all Pythons that are found.
fn folders(variable: impl Fn(&str) -> Option<OsString>) -> impl Iterator<Item = PathBuf> {
    let set = ["VIRTUAL_ENV", "CONDA_PREFIX"].map(&variable);
    let home = variable("HOME").map(|home| PathBuf::from(home).join(".local"));
    let prefixes = set.into_iter().flatten().map(PathBuf::from).chain(home);
    let prefixes = prefixes.chain(["/usr/local", "/usr"].map(PathBuf::from));
    prefixes.flat_map(|prefix| {
        let pythons = fs::read_dir(prefix.join("lib"))
            .into_iter()
            .flatten()
            .flatten();
        let mut pythons: Vec<PathBuf> = pythons
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with("python3")
            })
            .collect();
        pythons.sort();
        pythons.reverse();
        pythons.into_iter().flat_map(|python| {
            ["site-packages", "dist-packages"]
                .map(|packages| python.join(packages).join("nvidia/nccl/lib"))
        })
    })
}

/// Opens the first of `files` that is NCCL.
fn open(files: &[OsString], named: bool) -> Result<Library> {
    let mut reasons = Vec::new();
    for (number, file) in files.iter().enumerate() {
        // SAFETY: loading runs the library's initializers. They are as trusted as those of a linked
        // library: the loader searches the same places, and the other folders belong to the user's
        // Python.
        let opened = unsafe { libloading::Library::new(file) }.map_err(|reason| reason.to_string());
        // SAFETY: the file is named as NCCL.
        match opened.and_then(|library| unsafe { Library::of(library, file) }) {
            Ok(found) => return Ok(found),
            // A missing file is reported only for the first name. A file that cannot be used is
            // always reported.
            Err(reason) if number == 0 || Path::new(file).is_file() => reasons.push(reason),
            Err(_) => {}
        }
    }
    Err(Error::Missing(missing(files, &reasons, named)))
}

#[cold]
fn missing(files: &[OsString], reasons: &[String], named: bool) -> String {
    let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    let (by, remedy) = match named {
        true => (
            format!(" ({VARIABLE})"),
            format!(". Fix: correct {VARIABLE}, or unset it to search the usual places"),
        ),
        false => (
            String::new(),
            format!(
                ". Fix: install it (`pip install nvidia-nccl-cu13`, for a CUDA 12 driver `nvidia-nccl-cu12`, or the system \
                 package libnccl2), add its folder to LD_LIBRARY_PATH, or set {VARIABLE} to its file. Within one process, \
                 PeerGroup works without NCCL"
            ),
        ),
    };
    format!(
        "NCCL is not installed: searched {}{by}. Result: {}{remedy}",
        files.join(", "),
        reasons.join("; ")
    )
}

/// Returns the library if the process has already loaded it.
fn present(name: &OsStr) -> Option<Library> {
    use libloading::os::unix;
    // SAFETY: `RTLD_NOLOAD` loads nothing, so no initializer runs.
    let library = unsafe { unix::Library::open(Some(name), libc::RTLD_NOLOAD | libc::RTLD_NOW) };
    // SAFETY: the library has NCCL's name.
    unsafe { Library::of(library.ok()?.into(), name) }.ok()
}

/// Returns an environment variable, unless the program runs with more privileges than its user.
fn trusted(name: &str) -> Option<OsString> {
    // SAFETY: `getauxval` accepts any number.
    let trusts = unsafe { libc::getauxval(libc::AT_SECURE) } == 0;
    env::var_os(name).filter(|value| !value.is_empty() && trusts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_error_lists_searched_places() {
        let files = ["libnccl.so.no", "/no/such/folder/libnccl.so.2"].map(OsString::from);
        let error = open(&files, false).unwrap_err().to_string();
        let start =
            "NCCL is not installed: searched libnccl.so.no, /no/such/folder/libnccl.so.2. Result: ";
        assert!(error.starts_with(start), "{error}");
        assert!(error.contains("pip install nvidia-nccl-cu13"), "{error}");
        assert!(
            error.contains("set CUDA_NCCL_LIBNCCL to its file"),
            "{error}"
        );
        let named = open(&files[..1], true).unwrap_err().to_string();
        assert!(
            named.contains("libnccl.so.no (CUDA_NCCL_LIBNCCL). Result"),
            "{named}"
        );
        assert!(!named.contains("nstall it"), "{named}");
    }

    #[test]
    fn other_libraries_are_rejected() {
        let error = open(&["libc.so.6".into()], true).unwrap_err();
        assert!(
            matches!(&error, Error::Missing(text) if text.contains("no ncclGetVersion")),
            "{error}"
        );
        assert!(present("libc.so.6".as_ref()).is_none());
    }

    #[test]
    fn python_package_folders_are_searched() {
        let home = env::temp_dir().join(format!("cuda-nccl-folders-{}", std::process::id()));
        for python in ["lib/python3.9", "lib/python3.12", "lib/other"] {
            fs::create_dir_all(home.join(python)).unwrap();
        }
        let variable = |name: &str| (name == "VIRTUAL_ENV").then(|| home.clone().into_os_string());
        let found: Vec<PathBuf> = folders(variable)
            .take_while(|f| f.starts_with(&home))
            .collect();
        fs::remove_dir_all(&home).unwrap();
        let expected = ["python3.9", "python3.12"].into_iter().flat_map(|python| {
            let lib = home.join("lib").join(python);
            ["site-packages", "dist-packages"]
                .map(|packages| lib.join(packages).join("nvidia/nccl/lib"))
        });
        let expected: Vec<PathBuf> = expected.collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(Version::from_code(23203), Version(2, 32, 3));
        assert_eq!(Version(2, 32, 3).to_string(), "2.32.3");
        assert!(Version::from_code(21805) > OLDEST && Version::from_code(21703) < OLDEST);
    }
    #[test]
    fn functions_are_found_in_their_file() {
        let file = place(libc::getpid as *const c_void).unwrap();
        assert!(file.is_file(), "{}", file.display());
        assert!(
            file.to_string_lossy().contains("libc"),
            "{}",
            file.display()
        );
        assert_eq!(place(ptr::null()), None);
        let on_the_heap = Box::new(1);
        assert_eq!(place((&raw const *on_the_heap).cast()), None);
    }

    #[test]
    fn the_first_file_and_those_that_exist_have_a_reason() {
        let broken = env::temp_dir().join(format!("cuda-nccl-broken-{}", std::process::id()));
        fs::write(&broken, "no library").unwrap();
        let absent = |name: &str| OsString::from(format!("/no/such/folder/{name}"));
        let files = [absent("first"), absent("second"), broken.clone().into()];
        let text = open(&files, false).unwrap_err().to_string();
        fs::remove_file(&broken).unwrap();
        let (looked_for, reasons) = text.split_once("Result: ").unwrap();
        for file in &files {
            assert!(looked_for.contains(&*file.to_string_lossy()), "{text}");
        }
        assert!(reasons.contains("/no/such/folder/first"), "{reasons}");
        assert!(!reasons.contains("second"), "{reasons}");
        assert!(reasons.contains(&*broken.to_string_lossy()), "{reasons}");
        assert!(reasons.contains("; "), "{reasons}");
    }

    #[test]
    fn empty_variables_count_as_unset() {
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        // Tests in this process must not change the environment, so this one sets no variables.
        for (name, value) in env::vars_os() {
            let name = name.to_string_lossy();
            assert_eq!(trusted(&name), is_set(&name).then_some(value), "{name}");
        }
        assert_eq!(trusted("CUDA_NCCL_NO_SUCH_VARIABLE"), None);
    }
}
