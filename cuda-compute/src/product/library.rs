//! The cuBLAS library: the functions that are called, and their statuses.

use std::ffi::{c_int, c_uint, c_void};

use crate::{
    error::{CublasStatus, Error, Result},
    library::functions,
};

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

functions! {
    CUBLAS, [13, 12], ". Without cuBLAS: `a.inner(&b.t())` multiplies two matrices";
    create: Create = c"cublasCreate_v2",
    destroy: Destroy = c"cublasDestroy_v2",
    set_stream: SetStream = c"cublasSetStream_v2",
    set_workspace: SetWorkspace = c"cublasSetWorkspace_v2",
    set_math_mode: SetMathMode = c"cublasSetMathMode",
    gemm_strided_batched: Gemm = c"cublasGemmStridedBatchedEx_64",
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
