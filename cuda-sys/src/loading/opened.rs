//! Libraries that the program opens at the first call.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::ffi::CString;
use std::path::Path;
use std::string::ToString;
use std::sync::OnceLock;
use std::vec::Vec;

use cuda_find::Handle;
pub use cuda_find::Missing;

use crate::CUresult;
#[cfg(feature = "nvrtc")]
use crate::nvrtcResult;

/// A function that returns the address of a driver function, given its exported name such as
/// `cuMemAlloc_v2`, or null if there is no such function.
pub type Lookup = fn(&CStr) -> *mut c_void;

pub(crate) static DRIVER: Library = Library {
    library: &cuda_find::DRIVER,
    mark: c"cuInit",
    built: None,
    source: OnceLock::new(),
};

#[cfg(feature = "nvrtc")]
pub(crate) static NVRTC: Library = Library {
    library: &cuda_find::NVRTC,
    mark: c"nvrtcVersion",
    built: crate::NVRTC_LIB_DIR,
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
    cuda_find::variable(DRIVER.library.variable).is_none()
        && DRIVER.source.set(Ok(Source::Provided(lookup))).is_ok()
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

/// A library, and the result of the search for it.
pub(crate) struct Library {
    library: &'static cuda_find::Library,
    /// A function that every version of the library has.
    mark: &'static CStr,
    /// The library's folder at build time.
    built: Option<&'static str>,
    source: OnceLock<Result<Source, Missing>>,
}

/// The source of functions.
enum Source {
    Provided(Lookup),
    Opened(Handle),
}

impl Source {
    fn symbol(&self, name: &CStr) -> *mut c_void {
        match self {
            Self::Provided(lookup) => lookup(name),
            Self::Opened(handle) => handle.symbol(name),
        }
    }
}

impl Library {
    fn source(&self) -> Result<&Source, &Missing> {
        self.source.get_or_init(|| self.find()).as_ref()
    }

    fn find(&self) -> Result<Source, Missing> {
        // Start with the header's own version. A library of another version may lack functions.
        let own = crate::CUDA_VERSION / 1000;
        let others = [13, 12].into_iter().filter(|version| *version != own);
        let versions: Vec<u32> = [own].into_iter().chain(others).collect();
        let check = |handle: Handle, _: &Path| handle.find(self.mark).map(|_| handle);
        let found = self
            .library
            .open(&versions, &[], self.built.map(Path::new), check);
        found.map(Source::Opened)
    }

    /// Returns the error of the search, if there was one and it failed.
    pub(crate) fn missing(&self) -> Option<&Missing> {
        self.source.get()?.as_ref().err()
    }
}

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
        #[cfg(feature = "nvrtc")]
        if self.name == c"nvrtcCompileProgram" {
            open_builtins();
        }
        self.address.store(address, Ordering::Release);
        NonNull::new(address)
    }
}

/// Opens the second library of NVRTC, which NVRTC itself does not search for in its own folder.
#[cfg(feature = "nvrtc")]
fn open_builtins() {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both are valid for the write.
    let code = unsafe { crate::nvrtcVersion(&mut major, &mut minor) };
    if code == nvrtcResult::NVRTC_SUCCESS
        && let Some(file) = cuda_find::file_of(nvrtc_address())
    {
        // If this fails, NVRTC searches the loader's path.
        cuda_find::open_builtins(&file, format_args!("{major}.{minor}"));
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
        static REASON: OnceLock<CString> = OnceLock::new();
        match library.source() {
            Ok(_) => c"the loaded libnvrtc lacks a function".as_ptr(),
            Err(missing) => REASON
                .get_or_init(|| CString::new(missing.to_string()).unwrap_or_default())
                .as_ptr(),
        }
    }
}
