//! NCCL's library: where it is looked for, which version it is, and the functions that it has.

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
/// The oldest version that has all that this crate can't do without.
const OLDEST: Version = Version(2, 18, 0);

/// A version of NCCL: major, minor and patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// From the number of `ncclGetVersion`.
    fn from_code(code: u32) -> Self {
        // As NCCL_VERSION counts since 2.9.
        Self(code / 10_000, code / 100 % 100, code % 100)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// NCCL, opened once for the whole process, at the first call that needs it.
///
/// ```
/// match cuda_nccl::Library::get() {
///     Ok(nccl) => println!("NCCL {} in {}", nccl.version(), nccl.file().display()),
///     Err(missing) => println!("{missing}"), // what was looked for, and what helps
/// }
/// ```
#[derive(Debug)]
pub struct Library {
    functions: sys::Functions,
    version: Version,
    file: PathBuf,
    // Never closed: its threads and its communicators need it.
    _library: libloading::Library,
}

impl Library {
    /// The library. It is looked for in this order:
    /// 1. the file that `CUDA_NCCL_LIBNCCL` names, and no other if it is set;
    /// 2. the one that is in the process already: PyTorch has its own;
    /// 3. `libnccl.so.2` where the loader looks (`LD_LIBRARY_PATH`, `/etc/ld.so.conf`, the system's folders);
    /// 4. the folders of the Python packages `nvidia-nccl-cu13` and `-cu12`: below `VIRTUAL_ENV` and `CONDA_PREFIX`,
    ///    in `~/.local`, `/usr/local` and `/usr`.
    ///
    /// # Errors
    /// [`Error::Missing`] where there is none, [`Error::Unsupported`] where it is older than 2.18.
    #[doc(alias = "dlopen")]
    pub fn get() -> Result<&'static Self> {
        static FOUND: OnceLock<Result<Library>> = OnceLock::new();
        FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// The version.
    #[doc(alias = "ncclGetVersion")]
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The file that was opened, as far as the loader tells.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The functions, for raw calls.
    #[must_use]
    #[inline]
    pub fn functions(&self) -> &sys::Functions {
        &self.functions
    }

    /// A function of the table.
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
            "NCCL {} ({}) has no {name}: install a newer one (pip install -U nvidia-nccl-cu13), or name its file in \
             {VARIABLE}",
            self.version,
            self.file.display()
        ))
    }

    /// # Safety
    /// The library is NCCL, if it has functions of these names.
    unsafe fn of(library: libloading::Library, file: &OsStr) -> Result<Self, String> {
        let mut find = |name: &CStr| -> *mut c_void {
            // SAFETY: an address alone; `Functions` knows its type.
            unsafe { library.get::<*mut c_void>(name.to_bytes_with_nul()) }
                .map_or(ptr::null_mut(), |symbol| *symbol)
        };
        // SAFETY: as this function's contract says.
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

    /// An error where the version is too old.
    fn expect_new(self) -> Result<Self> {
        if self.version >= OLDEST {
            return Ok(self);
        }
        Err(Error::Unsupported(format!(
            "NCCL {} ({}) is too old: {OLDEST} is the oldest that can be used. Install a newer one (pip install -U \
             nvidia-nccl-cu13), or name its file in {VARIABLE}",
            self.version,
            self.file.display()
        )))
    }
}

/// The file that an address belongs to.
fn place(address: *const c_void) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let mut info = libc::Dl_info {
        dli_fname: ptr::null(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: any address may be asked about, and `info` is valid for the write.
    let found = unsafe { libc::dladdr(address, &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: a string of the loader's, which lives as long as the library is open.
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

/// Where Python's packages have the library, of all Pythons that are found.
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
        // SAFETY: what a library runs when it is loaded is as trusted as one that a program is linked to: the loader finds
        // both in the same places, and the others are those of the user's Python.
        let opened = unsafe { libloading::Library::new(file) }.map_err(|reason| reason.to_string());
        // SAFETY: the file is named as NCCL.
        match opened.and_then(|library| unsafe { Library::of(library, file) }) {
            Ok(found) => return Ok(found),
            // A missing file is worth one line. A file that can't be used is always reported.
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
            format!(". Correct {VARIABLE}, or unset it to look where NCCL usually is"),
        ),
        false => (
            String::new(),
            format!(
                ". Install it (`pip install nvidia-nccl-cu13`, for a driver of CUDA 12 `nvidia-nccl-cu12`, or the system's \
                 package libnccl2), put its folder on LD_LIBRARY_PATH, or name its file in {VARIABLE}. The devices of one process \
                 need no NCCL: PeerGroup"
            ),
        ),
    };
    format!(
        "NCCL is not installed: looked for {}{by}. What came of it: {}{remedy}",
        files.join(", "),
        reasons.join("; ")
    )
}

/// A library that is in the process already, by whoever opened it. `None` where there is none.
fn present(name: &OsStr) -> Option<Library> {
    use libloading::os::unix;
    // SAFETY: nothing is loaded, so nothing runs.
    let library = unsafe { unix::Library::open(Some(name), libc::RTLD_NOLOAD | libc::RTLD_NOW) };
    // SAFETY: its name is that of NCCL.
    unsafe { Library::of(library.ok()?.into(), name) }.ok()
}

/// An environment variable, unless the program runs with more rights than its user.
fn trusted(name: &str) -> Option<OsString> {
    // SAFETY: any number may be asked about.
    let trusts = unsafe { libc::getauxval(libc::AT_SECURE) } == 0;
    env::var_os(name).filter(|value| !value.is_empty() && trusts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_with_where_it_was_looked_for() {
        let files = ["libnccl.so.no", "/no/such/folder/libnccl.so.2"].map(OsString::from);
        let error = open(&files, false).unwrap_err().to_string();
        let start = "NCCL is not installed: looked for libnccl.so.no, /no/such/folder/libnccl.so.2. What came of it: ";
        assert!(error.starts_with(start), "{error}");
        assert!(error.contains("pip install nvidia-nccl-cu13"), "{error}");
        assert!(
            error.contains("name its file in CUDA_NCCL_LIBNCCL"),
            "{error}"
        );
        let named = open(&files[..1], true).unwrap_err().to_string();
        assert!(
            named.contains("libnccl.so.no (CUDA_NCCL_LIBNCCL). What came"),
            "{named}"
        );
        assert!(!named.contains("nstall it"), "{named}");
    }

    #[test]
    fn another_library_is_refused() {
        let error = open(&["libc.so.6".into()], true).unwrap_err();
        assert!(
            matches!(&error, Error::Missing(text) if text.contains("no ncclGetVersion")),
            "{error}"
        );
        assert!(present("libc.so.6".as_ref()).is_none());
    }

    #[test]
    fn pythons_packages_are_looked_into() {
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
        let (looked_for, reasons) = text.split_once("What came of it: ").unwrap();
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
        // No test may change the environment here, so this takes variables as they are.
        for (name, value) in env::vars_os() {
            let name = name.to_string_lossy();
            assert_eq!(trusted(&name), is_set(&name).then_some(value), "{name}");
        }
        assert_eq!(trusted("CUDA_NCCL_NO_SUCH_VARIABLE"), None);
    }
}
