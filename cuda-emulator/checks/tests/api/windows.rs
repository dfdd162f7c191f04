//! Features that the emulator lacks on Windows: the codes and the reasons.

use cuda_emulator_checks::abi::*;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

unsafe extern "C" {
    fn cuEmulatorGetReport(context: CUcontext, report: *mut *const c_char) -> CUresult;
}

/// Returns the reason of the last error.
fn reason() -> String {
    let mut report = null();
    ok!(cuEmulatorGetReport(null_mut(), &mut report));
    // SAFETY: The text is NUL-terminated, and valid until the next call that fails.
    unsafe { CStr::from_ptr(report) }.to_str().unwrap().into()
}

#[test]
fn missing_features_are_named() {
    const INTERPROCESS: u32 = 4 | 2; // with CU_EVENT_DISABLE_TIMING
    let _own = Own::new();
    fails!(NOT_SUPPORTED, cuEventCreate(&mut null_mut(), INTERPROCESS));
    let event = "an event of several processes on Windows is not emulated";
    assert_eq!(reason(), event);

    let mut handle: CUipcMemHandle = filled(0);
    fails!(NOT_SUPPORTED, cuIpcGetMemHandle(&mut handle, alloc(64)));
    assert_eq!(reason(), "IPC memory on Windows is not emulated");

    let properties = CUmemPoolProps {
        allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32,
        location: CUmemLocation::new(CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, 0),
        ..filled(0)
    };
    fails!(NOT_SUPPORTED, cuMemPoolCreate(&mut null_mut(), &properties));
    assert_eq!(reason(), "a shared pool on Windows is not emulated");
}
