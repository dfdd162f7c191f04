//! What a driver knows about failures.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    mem,
    ptr::{self, NonNull},
};

use cuda_sys::{self as sys, CUcontext, CUresult};

/// What the driver knows about the fault of a context or, for null, about why it doesn't start, or why the last failed call
/// of this thread failed. Only the emulator knows anything: it has a function for this, which other
/// drivers lack.
#[cold]
pub(crate) fn report(context: CUcontext) -> Option<String> {
    type GetReport = unsafe extern "C" fn(CUcontext, *mut *const c_char) -> CUresult;
    const SINCE: c_int = 2000;
    let mut address = ptr::null_mut();
    let name = c"cuEmulatorGetReport";
    // SAFETY: `name` is NUL-terminated, `address` is valid for the write, and the status may be null.
    let code =
        unsafe { sys::cuGetProcAddress_v2(name.as_ptr(), &mut address, SINCE, 0, ptr::null_mut()) };
    let address = NonNull::new(address).filter(|_| code == CUresult::CUDA_SUCCESS)?;
    // SAFETY: nobody but the emulator has a function of that name, and there it has this type.
    let get = unsafe { mem::transmute::<NonNull<c_void>, GetReport>(address) };
    let mut report = ptr::null();
    // SAFETY: `report` is valid for the write; the emulator looks the handle up in a table.
    let code = unsafe { get(context, &mut report) };
    if code != CUresult::CUDA_SUCCESS || report.is_null() {
        return None;
    }
    // SAFETY: a NUL-terminated text. That of a fault or of the environment is never freed, and that of a failed call is valid
    // until the next call of this thread that fails; there is none before it is copied.
    Some(
        unsafe { CStr::from_ptr(report) }
            .to_string_lossy()
            .into_owned(),
    )
}
