//! The cuBLAS library: its search paths, the functions that are called, and their statuses.

use std::{
    ffi::{c_int, c_uint, c_void},
    path::Path,
    sync::OnceLock,
};

use cuda_find::{CUBLAS, Handle, Missing};
use cuda_safe::driver;

use crate::error::{CublasStatus, Error, Result};

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
    /// The caller must ensure that the library is cuBLAS if it has functions of these names.
    unsafe fn of(library: Handle) -> Result<Self, String> {
        // SAFETY: the functions of these names have these signatures.
        unsafe {
            Ok(Self {
                create: library.function(c"cublasCreate_v2")?,
                destroy: library.function(c"cublasDestroy_v2")?,
                set_stream: library.function(c"cublasSetStream_v2")?,
                set_workspace: library.function(c"cublasSetWorkspace_v2")?,
                set_math_mode: library.function(c"cublasSetMathMode")?,
                gemm_strided_batched: library.function(c"cublasGemmStridedBatchedEx_64")?,
            })
        }
    }
}

/// Returns the functions of the library, which is opened once per process.
pub(super) fn functions() -> Result<&'static Functions> {
    static FOUND: OnceLock<Result<Functions, Missing>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let driver = driver::version().map_or(u32::MAX, |version| version.major);
        // SAFETY: the file has the name of cuBLAS.
        let accept = |library, _: &Path| unsafe { Functions::of(library) };
        CUBLAS.open(versions(driver), &[], None, accept)
    });
    let missing = |missing: &Missing| {
        Error::Missing(format!(
            "{missing}. Without cuBLAS: `a.inner(&b.t())` multiplies two matrices"
        ))
    };
    found.as_ref().map_err(missing)
}

/// Returns the versions to use, starting with the newest. A library for a newer driver loads, but
/// can't compute anything.
fn versions(driver: u32) -> &'static [u32] {
    if driver >= 13 { &[13, 12] } else { &[12] }
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
    fn versions_match_the_driver() {
        assert_eq!(versions(12), [12]);
        assert_eq!(versions(13), [13, 12]);
        assert_eq!(versions(99), versions(13));
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
}
