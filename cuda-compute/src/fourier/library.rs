//! The cuFFT library: the functions that are called, and their results.

use std::{
    ffi::{c_int, c_longlong, c_void},
    path::Path,
    sync::OnceLock,
};

use cuda_find::{CUFFT, Handle, Missing};
use cuda_safe::driver;

use crate::error::{CufftResult, Error, Result};

/// `CUFFT_FORWARD`
pub(super) const FORWARD: c_int = -1;
/// `CUFFT_INVERSE`
pub(super) const INVERSE: c_int = 1;

// Enumerations are integers here, because a newer library may return values without a name.
type Create = unsafe extern "C" fn(*mut c_int) -> c_int;
type Destroy = unsafe extern "C" fn(c_int) -> c_int;
type SetAutoAllocation = unsafe extern "C" fn(c_int, c_int) -> c_int;
type MakePlanMany = unsafe extern "C" fn(
    plan: c_int,
    rank: c_int,
    lengths: *mut c_longlong,
    input_embedding: *mut c_longlong,
    input_stride: c_longlong,
    input_distance: c_longlong,
    input_type: c_int,
    output_embedding: *mut c_longlong,
    output_stride: c_longlong,
    output_distance: c_longlong,
    output_type: c_int,
    batch: c_longlong,
    work_bytes: *mut usize,
    compute_type: c_int,
) -> c_int;
type SetStream = unsafe extern "C" fn(c_int, *mut c_void) -> c_int;
type SetWorkArea = unsafe extern "C" fn(c_int, *mut c_void) -> c_int;
type Execute = unsafe extern "C" fn(c_int, *mut c_void, *mut c_void, c_int) -> c_int;

/// The cuFFT functions that are called. All of them have existed with these signatures since CUDA
/// 12.0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    pub(super) create: Create,
    pub(super) destroy: Destroy,
    pub(super) set_auto_allocation: SetAutoAllocation,
    pub(super) make_plan_many: MakePlanMany,
    pub(super) set_stream: SetStream,
    pub(super) set_work_area: SetWorkArea,
    pub(super) execute: Execute,
}

impl Functions {
    /// Loads the functions.
    ///
    /// # Safety
    /// The caller must ensure that the library is cuFFT if it has functions of these names.
    unsafe fn of(library: Handle) -> Result<Self, String> {
        // SAFETY: the functions of these names have these signatures.
        unsafe {
            Ok(Self {
                create: library.function(c"cufftCreate")?,
                destroy: library.function(c"cufftDestroy")?,
                set_auto_allocation: library.function(c"cufftSetAutoAllocation")?,
                make_plan_many: library.function(c"cufftXtMakePlanMany")?,
                set_stream: library.function(c"cufftSetStream")?,
                set_work_area: library.function(c"cufftSetWorkArea")?,
                execute: library.function(c"cufftXtExec")?,
            })
        }
    }
}

/// Returns the functions of the library, which is opened once per process.
pub(super) fn functions() -> Result<&'static Functions> {
    static FOUND: OnceLock<Result<Functions, Missing>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let driver = driver::version().map_or(u32::MAX, |version| version.major);
        // SAFETY: the file has the name of cuFFT.
        let accept = |library, _: &Path| unsafe { Functions::of(library) };
        CUFFT.open(versions(driver), &[], None, accept)
    });
    let missing = |missing: &Missing| Error::Missing(missing.to_string());
    found.as_ref().map_err(missing)
}

/// Returns the versions to use, starting with the newest: 12 belongs to CUDA 13, and 11 to CUDA 12.
/// A library for a newer driver loads, but can't compute anything.
fn versions(driver: u32) -> &'static [u32] {
    if driver >= 13 { &[12, 11] } else { &[11] }
}

/// Returns an error unless the call succeeded.
pub(super) fn check(call: &'static str, result: c_int) -> Result<()> {
    match CufftResult(result.cast_unsigned()) {
        CufftResult::SUCCESS => Ok(()),
        result => Err(Error::Cufft { call, result }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_match_the_driver() {
        assert_eq!(versions(12), [11]);
        assert_eq!(versions(13), [12, 11]);
        assert_eq!(versions(99), versions(13));
    }

    #[test]
    fn results_have_names() {
        assert!(check("cufftCreate", 0).is_ok());
        let error = check("cufftXtExec", 6).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cufftXtExec failed: CUFFT_EXEC_FAILED (6)"
        );
        let unknown = check("cufftCreate", -1).unwrap_err();
        assert!(
            unknown
                .to_string()
                .ends_with("unknown cufftResult 4294967295")
        );
    }
}
