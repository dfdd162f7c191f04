//! State of libraries that programs are linked to.

use core::error::Error;
use core::fmt;

/// The error for a missing library. It has no values if programs are linked to the libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl Error for Missing {}

pub(super) fn driver() -> Result<(), &'static Missing> {
    Ok(())
}

#[cfg(feature = "nvrtc")]
pub(super) fn nvrtc() -> Result<(), &'static Missing> {
    Ok(())
}

#[cfg(feature = "nvrtc")]
pub(super) fn nvrtc_address() -> *const core::ffi::c_void {
    crate::nvrtcVersion as *const core::ffi::c_void
}
