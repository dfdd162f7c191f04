//! NCCL's shared library: the search for it, its version and its functions.

use std::{
    ffi::{c_int, c_void},
    fmt,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use cuda_find::{Handle, NCCL};

use crate::{
    emulated::{NOT_EMULATED, is_emulated},
    error::{Error, Result},
    result::NcclResult,
    sys,
};

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
}

impl Library {
    /// Returns the library, and opens it at the first call.
    ///
    /// [`cuda_find`] lists the searched places. `CUDA_NCCL_LIBNCCL` names the file to use instead.
    ///
    /// # Errors
    /// Returns [`Error::Missing`] if no library is found, and [`Error::Unsupported`] if it is older
    /// than 2.18. NCCL does not run on `cuda-emulator`, where [`Error::Missing`] says so.
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
            "NCCL {} ({}) has no {name}. Fix: install a newer version (pip install -U nvidia-nccl-cu13), or set {} to its file",
            self.version,
            self.file.display(),
            NCCL.variable
        ))
    }

    /// Loads the functions and the version.
    ///
    /// # Safety
    /// The caller must ensure that the library is NCCL if it has functions of these names.
    unsafe fn of(library: Handle, file: &Path) -> Result<Self, String> {
        // SAFETY: guaranteed by this function's caller.
        let functions = unsafe { sys::Functions::load(&mut |name| library.symbol(name)) };
        let version = functions.ncclGetVersion;
        let version = version.ok_or("it has no ncclGetVersion")?;
        let mut code: c_int = 0;
        // SAFETY: valid for the write.
        let result = NcclResult(unsafe { version(&mut code) }.0);
        if result != NcclResult::SUCCESS {
            return Err(format!("ncclGetVersion failed: {result}"));
        }
        Ok(Self {
            version: Version::from_code(code.unsigned_abs()),
            file: cuda_find::file_of(version as *const c_void).unwrap_or_else(|| file.into()),
            functions,
        })
    }

    /// Returns an error if the version is too old.
    fn expect_new(self) -> Result<Self> {
        if self.version >= OLDEST {
            return Ok(self);
        }
        Err(Error::Unsupported(format!(
            "NCCL {} ({}) is too old: the oldest supported version is {OLDEST}. Fix: install a newer version (pip install \
             -U nvidia-nccl-cu13), or set {} to its file",
            self.version,
            self.file.display(),
            NCCL.variable
        )))
    }
}

fn find() -> Result<Library> {
    // SAFETY: the file has the name of NCCL.
    let accept = |library, file: &Path| unsafe { Library::of(library, file) };
    let found = NCCL.open(&[], &[], None, accept);
    let found = found.map_err(|missing| Error::Missing(not_found(&missing, is_emulated())));
    found?.expect_new()
}

/// Returns the message about a missing library. Installing NCCL does not help on the emulator.
fn not_found(missing: &impl fmt::Display, is_emulated: bool) -> String {
    match is_emulated {
        true => NOT_EMULATED.to_owned(),
        false => format!("{missing}. Within one process, PeerGroup works without NCCL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_not_to_be_installed_on_the_emulator() {
        let missing = "NCCL was not found. Fix: install it";
        assert_eq!(
            not_found(&missing, false),
            "NCCL was not found. Fix: install it. Within one process, PeerGroup works without NCCL"
        );
        assert_eq!(
            not_found(&missing, true),
            "NCCL does not run on cuda-emulator. Fix: use PeerGroup, which needs no NCCL"
        );
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(Version::from_code(23203), Version(2, 32, 3));
        assert_eq!(Version(2, 32, 3).to_string(), "2.32.3");
        assert!(Version::from_code(21805) > OLDEST && Version::from_code(21703) < OLDEST);
    }
}
