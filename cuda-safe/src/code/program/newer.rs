//! NVRTC functions that are newer than CUDA 12.0.
//!
//! They are looked up in the loaded library. A program that links to a function that its NVRTC
//! lacks would not start.

use std::ffi::{CStr, c_int, c_void};

use cuda_sys::{nvrtcProgram, nvrtcResult};

use super::nvrtc_version;
use crate::{
    driver::Version,
    error::{Error, ErrorKind, Result},
};

pub(super) type FlowCallback = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

/// Each row has a name, the first version with the function, and its signature. It becomes a Rust
/// function that returns NVRTC's function, or `ErrorKind::Unsupported` if NVRTC lacks it.
macro_rules! table {
    ($($name:ident: $major:literal . $minor:literal, fn($($argument:ty),*);)*) => {$(
        #[allow(non_snake_case, reason = "NVRTC's name")]
        pub(super) fn $name() -> Result<unsafe extern "C" fn($($argument),*) -> nvrtcResult> {
            const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name without NUL"),
            };
            let address = find(NAME, stringify!($name), Version { major: $major, minor: $minor })?;
            // SAFETY: the table has the signature that NVRTC documents for this name.
            Ok(unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> nvrtcResult>(address)
            })
        }
    )*};
}

table! {
    nvrtcGetPCHHeapSize: 12 . 8, fn(*mut usize);
    nvrtcSetPCHHeapSize: 12 . 8, fn(usize);
    nvrtcGetPCHCreateStatus: 12 . 8, fn(nvrtcProgram);
    nvrtcGetPCHHeapSizeRequired: 12 . 8, fn(nvrtcProgram, *mut usize);
    nvrtcSetFlowCallback: 12 . 8, fn(nvrtcProgram, FlowCallback, *mut c_void);
}

/// Returns the function's address, which is not null.
fn find(name: &CStr, call: &'static str, since: Version) -> Result<*mut c_void> {
    let version = nvrtc_version()?; // also fails if NVRTC is missing
    let address = symbol(name);
    if address.is_null() {
        return Err(Error::checked(
            ErrorKind::Unsupported,
            call,
            format!("this NVRTC ({version}) lacks the function, which NVRTC {since} added"),
        ));
    }
    Ok(address)
}

fn symbol(name: &CStr) -> *mut c_void {
    let library = cuda_find::library_of(cuda_sys::loading::nvrtc_address());
    library.map_or(std::ptr::null_mut(), |library| library.symbol(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_functions_are_unsupported() {
        let version = nvrtc_version().unwrap();
        let since = Version {
            major: 12,
            minor: 8,
        };
        assert_eq!(nvrtcGetPCHHeapSize().is_ok(), version >= since);
        let error = find(c"nvrtcFromTheFuture", "nvrtcFromTheFuture", since).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unsupported);
        assert!(error.detail().contains("which NVRTC 12.8 added"), "{error}");
    }
}
