//! The cuFFT library: the functions that are called, and their results.

use std::ffi::{c_int, c_longlong, c_void};

use crate::{
    error::{CufftResult, Error, Result},
    library::functions,
};

/// `CUFFT_FORWARD`
pub(super) const FORWARD: c_int = -1;
/// `CUFFT_INVERSE`
pub(super) const INVERSE: c_int = 1;

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

// 12 belongs to CUDA 13, and 11 to CUDA 12.
functions! {
    CUFFT, [12, 11], "";
    create: Create = c"cufftCreate",
    destroy: Destroy = c"cufftDestroy",
    set_auto_allocation: SetAutoAllocation = c"cufftSetAutoAllocation",
    make_plan_many: MakePlanMany = c"cufftXtMakePlanMany",
    set_stream: SetStream = c"cufftSetStream",
    set_work_area: SetWorkArea = c"cufftSetWorkArea",
    execute: Execute = c"cufftXtExec",
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
