//! Functions of NVRTC that are newer than CUDA 12.0. They are looked up in the library that is loaded: a program that is
//! linked to one that its NVRTC lacks would not start.

use std::ffi::{CStr, c_int, c_void};

use cuda_sys::{nvrtcProgram, nvrtcResult};

use super::nvrtc_version;
use crate::{
    driver::Version,
    error::{Error, ErrorKind, Result},
};

pub(super) type FlowCallback = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

/// A row is a name, the version that has it first, and its signature. It becomes a Rust function that returns NVRTC's, and
/// fails with `ErrorKind::Unsupported` where there is none.
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

/// Not null.
fn find(name: &CStr, call: &'static str, since: Version) -> Result<*mut c_void> {
    let version = nvrtc_version()?; // also: there is an NVRTC
    let address = symbol(name);
    if address.is_null() {
        return Err(Error::checked(
            ErrorKind::Unsupported,
            call,
            format!("this NVRTC ({version}) has no such function: it comes with NVRTC {since}"),
        ));
    }
    Ok(address)
}

#[cfg(unix)]
fn symbol(name: &CStr) -> *mut c_void {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `info` is valid for the write; any address may be asked about.
    if unsafe { libc::dladdr(cuda_sys::loading::nvrtc_address(), info.as_mut_ptr()) } == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: the call above succeeded, and so filled it in, with a NUL-terminated path or null.
    let file = unsafe { info.assume_init() }.dli_fname;
    // SAFETY: the path that the loader gave, which names what is loaded, so nothing runs. Never closed, as NVRTC isn't.
    let library = unsafe { libc::dlopen(file, libc::RTLD_NOW | libc::RTLD_NOLOAD) };
    if library.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: an open library and a NUL-terminated name.
    unsafe { libc::dlsym(library, name.as_ptr()) }
}

#[cfg(not(unix))]
fn symbol(_: &CStr) -> *mut c_void {
    std::ptr::null_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_looked_up_and_missed() {
        let version = nvrtc_version().unwrap();
        let since = Version {
            major: 12,
            minor: 8,
        };
        assert_eq!(nvrtcGetPCHHeapSize().is_ok(), version >= since);
        let error = find(c"nvrtcFromTheFuture", "nvrtcFromTheFuture", since).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unsupported);
        assert!(
            error.detail().contains("it comes with NVRTC 12.8"),
            "{error}"
        );
    }
}
