//! The version of NVRTC, and errors from its codes.

use cuda_sys::{self as sys, nvrtcResult};

use crate::{
    driver::Version,
    error::{Error, Result},
};

/// Returns the version of NVRTC, the run-time compiler that this program is linked to.
///
/// See [`nvrtcVersion`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
///
/// # Errors
/// Does not fail with a working NVRTC.
///
/// ```
/// # use cuda_safe::{driver::Version, program::nvrtc_version};
/// # fn main() -> cuda_safe::Result<()> {
/// assert!(nvrtc_version()? >= Version { major: 12, minor: 0 });
/// # Ok(())
/// # }
/// ```
#[doc(alias = "nvrtcVersion")]
pub fn nvrtc_version() -> Result<Version> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both are valid for writing.
    check("nvrtcVersion", unsafe {
        sys::nvrtcVersion(&mut major, &mut minor)
    })?;
    Ok(Version {
        major: major.unsigned_abs(),
        minor: minor.unsigned_abs(),
    })
}

pub(super) fn check(call: &'static str, code: nvrtcResult) -> Result<()> {
    if code == nvrtcResult::NVRTC_SUCCESS {
        Ok(())
    } else {
        Err(Error::nvrtc(call, code))
    }
}
