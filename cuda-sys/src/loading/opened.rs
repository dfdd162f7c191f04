//! Libraries that the program opens at the first call.

use core::error::Error;
use core::ffi::{CStr, c_char, c_void};
use core::fmt;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::string::String;
use std::sync::OnceLock;
use std::vec::Vec;

use super::{places, system};
use crate::CUresult;
#[cfg(feature = "nvrtc")]
use crate::nvrtcResult;

/// A function that returns the address of a driver function, given its exported name such as
/// `cuMemAlloc_v2`, or null if there is no such function.
pub type Lookup = fn(&CStr) -> *mut c_void;

pub(crate) static DRIVER: Library = Library {
    name: "libcuda",
    mark: c"cuInit",
    variable: "CUDA_SYS_LIBCUDA",
    places: places::of_driver,
    source: OnceLock::new(),
};

#[cfg(feature = "nvrtc")]
pub(crate) static NVRTC: Library = Library {
    name: "libnvrtc",
    mark: c"nvrtcVersion",
    variable: "CUDA_SYS_LIBNVRTC",
    places: || places::of_nvrtc(trusted),
    source: OnceLock::new(),
};

/// Makes `lookup` the driver of this process instead of a library, for test doubles and emulators.
///
/// Returns `false` and has no effect if the driver was used before, or if `CUDA_SYS_LIBCUDA` names
/// one.
///
/// # Safety
/// The caller must ensure that every function that `lookup` returns for a driver function's name:
/// - has the signature of that function and fulfils its contract;
/// - stays valid until the process ends.
pub unsafe fn provide_driver(lookup: Lookup) -> bool {
    trusted(DRIVER.variable).is_none() && DRIVER.source.set(Ok(Source::Provided(lookup))).is_ok()
}

pub(super) fn driver() -> Result<(), &'static Missing> {
    DRIVER.source().map(drop)
}

#[cfg(feature = "nvrtc")]
pub(super) fn nvrtc() -> Result<(), &'static Missing> {
    NVRTC.source().map(drop)
}

#[cfg(feature = "nvrtc")]
pub(super) fn nvrtc_address() -> *const c_void {
    NVRTC
        .source()
        .map_or(ptr::null(), |source| source.symbol(NVRTC.mark).cast_const())
}

/// A library: where to search for it, and the result of the search.
pub(crate) struct Library {
    name: &'static str,
    /// A function that every version of the library has.
    mark: &'static CStr,
    /// The environment variable with the path of the library to use.
    variable: &'static str,
    places: fn() -> places::Places,
    source: OnceLock<Result<Source, Missing>>,
}

/// The source of functions.
enum Source {
    Provided(Lookup),
    /// A library that was already in the process.
    Process,
    Opened(system::Handle),
}

impl Source {
    fn symbol(&self, name: &CStr) -> *mut c_void {
        match self {
            Self::Provided(lookup) => lookup(name),
            Self::Process => system::anywhere(name),
            Self::Opened(handle) => system::symbol(*handle, name),
        }
    }
}

/// Returns an environment variable, unless the program has more privileges than its user.
fn trusted(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty() && system::trusts_environment())
}

impl Library {
    fn source(&self) -> Result<&Source, &Missing> {
        self.source.get_or_init(|| self.find()).as_ref()
    }

    fn find(&self) -> Result<Source, Missing> {
        if let Some(file) = trusted(self.variable) {
            let files = Vec::from([file.clone()]);
            return self.open(&files, true).map_err(|reasons| Missing {
                library: self.name,
                names: Vec::from([file.to_string_lossy().into_owned()]),
                folders: Vec::new(),
                reasons,
                variable: self.variable,
                named_by_it: true,
            });
        }
        if !system::anywhere(self.mark).is_null() {
            return Ok(Source::Process);
        }
        let places = (self.places)();
        self.open(&places.files(), false)
            .map_err(|reasons| Missing {
                library: self.name,
                names: places.names,
                folders: places.folders.into_iter().map(|group| group.text).collect(),
                reasons,
                variable: self.variable,
                named_by_it: false,
            })
    }

    /// Opens the first of `files` that exists. Otherwise returns the loader's messages for files
    /// that could not be loaded, and with `all` also those for missing files.
    fn open(&self, files: &[OsString], all: bool) -> Result<Source, Vec<String>> {
        let mut reasons = Vec::new();
        for file in files {
            match system::open(file) {
                Ok(handle) if !system::symbol(handle, self.mark).is_null() => {
                    return Ok(Source::Opened(handle));
                }
                Ok(_) => reasons.push(std::format!(
                    "{} is not {}: it has no {}",
                    file.to_string_lossy(),
                    self.name,
                    self.mark.to_string_lossy()
                )),
                Err(reason) if all || !is_absence(&reason, file) => reasons.push(reason),
                Err(_) => {}
            }
        }
        Err(reasons)
    }
}

/// Returns whether a message of the loader only reports a missing file.
fn is_absence(reason: &str, file: &OsStr) -> bool {
    let path = Path::new(file);
    if path.is_absolute() {
        return !path.is_file();
    }
    let rest = reason.strip_prefix(&*file.to_string_lossy());
    rest.is_some_and(|rest| rest.starts_with(": cannot open shared object file: No such file"))
}

/// The error for a library that was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    library: &'static str,
    /// The names that were passed to the loader, or the one path that was set.
    names: Vec<String>,
    /// Other folders that were searched.
    folders: Vec<String>,
    /// The loader's messages.
    reasons: Vec<String>,
    /// The environment variable that can contain the path of a file to use instead.
    variable: &'static str,
    named_by_it: bool,
}

/// `libcuda can't be loaded. Looked for libcuda.so.1 on the loader's path, in …`
///
/// `cuda-safe` appends a remedy to this text.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (library, variable) = (self.library, self.variable);
        write!(
            f,
            "{library} can't be loaded. Looked for {}",
            self.names.join(", ")
        )?;
        if self.named_by_it {
            write!(f, " ({variable})")?;
        } else {
            f.write_str(" on the loader's path")?;
            for folder in &self.folders {
                write!(f, ", in {folder}")?;
            }
            write!(f, ". Set {variable} to use another file")?;
        }
        for (number, reason) in self.reasons.iter().enumerate() {
            let before = if number > 0 {
                ";"
            } else {
                ". The loader says:"
            };
            write!(f, "{before} {reason}")?;
        }
        Ok(())
    }
}

impl Error for Missing {}

/// The address of a function, which is looked up once.
pub(crate) struct Symbol {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Symbol {
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Returns the address, or `None` if `library` is missing or lacks the function.
    #[inline]
    pub(crate) fn address(&self, library: &'static Library) -> Option<NonNull<c_void>> {
        // Acquire makes the effects of opening the library visible to the thread that jumps into
        // it.
        match NonNull::new(self.address.load(Ordering::Acquire)) {
            None => self.look_up(library),
            known => known,
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self, library: &'static Library) -> Option<NonNull<c_void>> {
        let address = library.source().ok()?.symbol(self.name);
        self.address.store(address, Ordering::Release);
        NonNull::new(address)
    }
}

/// The result of a function that can't be called.
pub(crate) trait Answer {
    fn without(library: &'static Library) -> Self;
}

impl Answer for CUresult {
    #[cold]
    fn without(library: &'static Library) -> Self {
        match library.source() {
            Ok(_) => Self::CUDA_ERROR_NOT_SUPPORTED,
            Err(_) => Self::CUDA_ERROR_NO_DEVICE,
        }
    }
}

#[cfg(feature = "nvrtc")]
impl Answer for nvrtcResult {
    #[cold]
    fn without(_: &'static Library) -> Self {
        Self::NVRTC_ERROR_INTERNAL_ERROR
    }
}

/// The text of an error.
impl Answer for *const c_char {
    #[cold]
    fn without(library: &'static Library) -> Self {
        match library.source() {
            Ok(_) => c"the loaded libnvrtc lacks a function",
            Err(_) => c"libnvrtc can't be loaded",
        }
        .as_ptr()
    }
}
