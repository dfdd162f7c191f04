//! Libraries that programs are linked to.

use core::error::Error;
use core::fmt;

/// A library that was looked for and not found. If programs are linked to the libraries, there is no such thing.
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
