//! Registers the emulator as the driver of a program that contains it and opens its driver at run
//! time.
//!
//! Only with the feature `dynamic-loading` of `cuda-sys`. Without it the linker finds the symbols.

use std::ffi::{CStr, c_void};
use std::ptr;

use super::symbols;

// Runs before `main`, and before any test that a harness starts.
#[used]
// SAFETY: the loader calls the functions in that section with arguments that may be ignored.
#[cfg_attr(unix, unsafe(link_section = ".init_array"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static PROVIDE: extern "C" fn() = provide;

extern "C" fn provide() {
    // SAFETY: the exported functions have the driver's signatures and stay loaded.
    unsafe { cuda_sys::loading::provide_driver(look_up) };
}

fn look_up(name: &CStr) -> *mut c_void {
    name.to_str()
        .ok()
        .and_then(symbols::exported)
        .map_or(ptr::null_mut(), |address| address.cast_mut().cast())
}
