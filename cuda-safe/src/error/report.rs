//! The emulator's reports about failures.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    mem,
    ptr::{self, NonNull},
    sync::OnceLock,
};

use cuda_sys::{self as sys, CUcontext, CUresult};

type GetReport = unsafe extern "C" fn(CUcontext, *mut *const c_char) -> CUresult;

/// Returns the driver function that returns reports. Only the emulator has it. After a lookup,
/// the emulator prints only reports that are not fetched within two seconds, because this crate's
/// errors contain the others.
pub(crate) fn look_up() -> Option<GetReport> {
    static FUNCTION: OnceLock<Option<GetReport>> = OnceLock::new();
    *FUNCTION.get_or_init(|| {
        const SINCE: c_int = 2000;
        let mut address = ptr::null_mut();
        let name = c"cuEmulatorGetReport";
        // SAFETY: `name` is NUL-terminated, `address` is valid for the write, and the status may be
        // null.
        let code = unsafe {
            sys::cuGetProcAddress_v2(name.as_ptr(), &mut address, SINCE, 0, ptr::null_mut())
        };
        let address = NonNull::new(address).filter(|_| code == CUresult::CUDA_SUCCESS)?;
        // SAFETY: only the emulator has a function of that name, and it has this type.
        Some(unsafe { mem::transmute::<NonNull<c_void>, GetReport>(address) })
    })
}

/// Returns the driver's report about the fault of a context. If the context is null, returns why
/// the driver does not start, or why the last failed call of this thread failed.
///
/// Only the emulator has the driver function for this. With other drivers, returns `None`.
#[cold]
pub(crate) fn report(context: CUcontext) -> Option<String> {
    let get = look_up()?;
    let mut report = ptr::null();
    // SAFETY: `report` is valid for the write, and the emulator looks the handle up in a table.
    let code = unsafe { get(context, &mut report) };
    if code != CUresult::CUDA_SUCCESS || report.is_null() {
        return None;
    }
    // SAFETY: the text is NUL-terminated. The report of a fault or of the environment is never
    // freed. The report of a failed call is valid until the next call of this thread fails, and no
    // call fails before the text is copied.
    Some(
        unsafe { CStr::from_ptr(report) }
            .to_string_lossy()
            .into_owned(),
    )
}
