//! Finds and opens nvJitLink's library.

use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use cuda_find::{Handle, Missing, NVJITLINK};

use crate::{
    error::{Code, Error, ErrorKind, Result},
    raw::nvjitlink::JitLinkStatus,
};

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
            /// Looks up all functions.
            ///
            /// # Safety
            /// The caller must ensure that the library is nvJitLink if it has functions of these
            /// names.
            unsafe fn of(library: Handle) -> Result<Self, String> {
                // SAFETY: the functions of these names have these signatures.
                Ok(unsafe { Self { $($field: library.function($name)?,)* } })
            }
        }
    };
}

functions! {
    create: Create = c"nvJitLinkCreate";
    destroy: Destroy = c"nvJitLinkDestroy";
    add_data: AddData = c"nvJitLinkAddData";
    complete: OnHandle = c"nvJitLinkComplete";
    cubin_size: Size = c"nvJitLinkGetLinkedCubinSize";
    cubin: Contents = c"nvJitLinkGetLinkedCubin";
    ptx_size: Size = c"nvJitLinkGetLinkedPtxSize";
    ptx: Contents = c"nvJitLinkGetLinkedPtx";
    error_log_size: Size = c"nvJitLinkGetErrorLogSize";
    error_log: Contents = c"nvJitLinkGetErrorLog";
    info_log_size: Size = c"nvJitLinkGetInfoLogSize";
    info_log: Contents = c"nvJitLinkGetInfoLog";
}

/// Returns the functions of the library, which is opened once per process and never closed.
pub(super) fn functions() -> Result<&'static Functions> {
    static FOUND: OnceLock<Result<Functions, Missing>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        // SAFETY: the file has the name of nvJitLink.
        let accept = |library, _: &Path| unsafe { Functions::of(library) };
        NVJITLINK.open(&versions(), &folders(nvrtc_folder()), None, accept)
    });
    found.as_ref().map_err(|missing| {
        let missing = missing.to_string();
        Error::checked(ErrorKind::NoCompiler, "nvJitLinkCreate", missing)
    })
}

/// Returns the versions to use. NVRTC's version comes first, because an older library cannot read
/// NVRTC's output.
fn versions() -> Vec<u32> {
    let own = crate::program::nvrtc_version().map_or(13, |version| version.major);
    let newer = [13, 12].into_iter().filter(|version| *version > own);
    [own].into_iter().chain(newer).collect()
}

/// Returns the folders to search first, because the versions match: NVRTC's folder, as in toolkits
/// and in pip's packages for CUDA 13, then the neighboring folder, as in pip's packages for CUDA
/// 12.
fn folders(nvrtc: Option<PathBuf>) -> Vec<PathBuf> {
    let nvrtc = nvrtc.or_else(|| cuda_sys::NVRTC_LIB_DIR.map(PathBuf::from));
    let packages = nvrtc
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::parent);
    let own = if cfg!(windows) {
        "nvjitlink/bin"
    } else {
        "nvjitlink/lib"
    };
    let neighbour = packages.map(|packages| packages.join(own));
    nvrtc.into_iter().chain(neighbour).collect()
}

/// Returns the folder of the NVRTC library that this process uses.
fn nvrtc_folder() -> Option<PathBuf> {
    Some(crate::code::program::nvrtc_library()?.parent()?.to_owned())
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
    #[cfg_attr(windows, ignore = "the layout of the folders is Linux's")]
    fn folders_of_nvrtc_are_searched_first() {
        let nvrtc = PathBuf::from("/site-packages/nvidia/cuda_nvrtc/lib");
        let neighbour = PathBuf::from("/site-packages/nvidia/nvjitlink/lib");
        assert_eq!(folders(Some(nvrtc.clone())), [nvrtc, neighbour]);
        let own = crate::program::nvrtc_version().unwrap().major;
        assert_eq!(versions()[0], own);
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
