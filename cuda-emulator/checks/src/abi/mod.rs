//! Helpers for the ABI tests, which call the driver as a C program would, through the bindings of
//! `cuda-sys`.

mod attributes;
mod gate;
mod samples;

use std::ffi::{CString, c_void};
use std::panic::Location;
use std::path::Path;
use std::ptr::{null, null_mut};

pub use attributes::*;
use cuda_emulator as _;
pub use cuda_sys::*;
pub use gate::{Gate, block};
pub use samples::*;

// Functions that the newest headers no longer declare, and per-thread variants, which no header
// declares.
unsafe extern "C" {
    pub fn cuCtxCreate_v2(context: *mut CUcontext, flags: u32, device: CUdevice) -> CUresult;
    pub fn cuStreamSynchronize_ptsz(stream: CUstream) -> CUresult;
    pub fn cuStreamGetId_ptsz(stream: CUstream, id: *mut u64) -> CUresult;
    pub fn cuMemsetD32_v2_ptds(address: CUdeviceptr, value: u32, count: usize) -> CUresult;
}

/// Calls a driver function and expects success.
#[macro_export]
macro_rules! ok {
    ($function:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: The tests pass arguments that the function's documentation allows, or that it
        // must reject.
        let code = unsafe { $function($($arg),*) };
        assert_eq!(code, CUresult::CUDA_SUCCESS, "{}", stringify!($function));
    }};
}

/// Calls a driver function and expects an error code.
#[macro_export]
macro_rules! fails {
    ($code:ident, $function:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: as for `ok!`.
        let code = unsafe { $function($($arg),*) };
        assert_eq!(code, CUresult::$code, "{}", stringify!($function));
    }};
}

/// Calls a driver function that must reject an argument.
#[macro_export]
macro_rules! invalid {
    ($($call:tt)*) => {
        $crate::fails!(CUDA_ERROR_INVALID_VALUE, $($call)*)
    };
}

/// Calls a driver function with an invalid handle.
#[macro_export]
macro_rules! stale {
    ($($call:tt)*) => {
        $crate::fails!(CUDA_ERROR_INVALID_HANDLE, $($call)*)
    };
}

pub use crate::{fails, invalid, ok, stale};

pub const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
pub const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

/// The primary context of device 0, current on this thread. It is released when dropped.
pub struct Primary(pub CUcontext);

impl Primary {
    pub fn new() -> Primary {
        let mut context = null_mut();
        ok!(cuInit(0));
        ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
        ok!(cuCtxSetCurrent(context));
        Primary(context)
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        ok!(cuDevicePrimaryCtxRelease_v2(0));
    }
}

/// A new context, destroyed when dropped. A fault in it ends all contexts of the process: see
/// [`in_own_process`].
pub struct Own(pub CUcontext);

impl Own {
    pub fn new() -> Own {
        let mut context = null_mut();
        ok!(cuInit(0));
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        Own(context)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        ok!(cuCtxDestroy_v2(self.0));
    }
}

pub fn alloc(bytes: usize) -> CUdeviceptr {
    let mut address = 0;
    ok!(cuMemAlloc_v2(&mut address, bytes));
    address
}

pub fn upload<T: Copy>(data: &[T]) -> CUdeviceptr {
    let address = alloc(size_of_val(data));
    ok!(cuMemcpyHtoD_v2(
        address,
        data.as_ptr().cast(),
        size_of_val(data)
    ));
    address
}

pub fn download<T: Copy + Default>(address: CUdeviceptr, count: usize) -> Vec<T> {
    let mut data = vec![T::default(); count];
    ok!(cuMemcpyDtoH_v2(
        data.as_mut_ptr().cast(),
        address,
        size_of_val(&data[..])
    ));
    data
}

/// Returns a C struct or union with all bytes set to `byte`.
pub fn filled<T: Copy>(byte: u8) -> T {
    let mut value = std::mem::MaybeUninit::<T>::uninit();
    // SAFETY: Writes exactly the value's bytes. The types below have no invalid values.
    unsafe {
        value
            .as_mut_ptr()
            .cast::<u8>()
            .write_bytes(byte, size_of::<T>());
        value.assume_init()
    }
}

pub fn stream(flags: u32) -> CUstream {
    let mut stream = null_mut();
    ok!(cuStreamCreate(&mut stream, flags));
    stream
}

pub fn event(flags: u32) -> CUevent {
    let mut event = null_mut();
    ok!(cuEventCreate(&mut event, flags));
    event
}

pub fn load(ptx: &str) -> CUmodule {
    let text = CString::new(ptx).unwrap();
    let mut module = null_mut();
    ok!(cuModuleLoadData(&mut module, text.as_ptr().cast()));
    module
}

pub fn function(module: CUmodule, name: &str) -> CUfunction {
    let name = CString::new(name).unwrap();
    let mut function = null_mut();
    ok!(cuModuleGetFunction(&mut function, module, name.as_ptr()));
    function
}

/// Launches a kernel with arguments given as addresses of values.
pub fn launch(
    function: CUfunction,
    grid: u32,
    block: u32,
    stream: CUstream,
    arguments: &mut [*mut c_void],
) -> CUresult {
    // SAFETY: The tests pass arguments of the kernel's types, or arguments that must be rejected.
    unsafe {
        cuLaunchKernel(
            function,
            grid,
            1,
            1,
            block,
            1,
            1,
            0,
            stream,
            arguments.as_mut_ptr(),
            null_mut(),
        )
    }
}

/// Returns a pointer to a value, for use as a kernel argument.
pub fn arg<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}

/// Values that are not live handles of any kind.
pub const WILD: [usize; 6] = [
    3,
    0x1000,
    0x7fff_dead_b000,
    usize::MAX,
    0x120f_ffff_0000_0008,
    0x1500_0fff_ffff_ff08,
];

/// Returns the full name of a test in the calling file, as the test program knows it. A file of a
/// test program is a module of that name or its root.
#[track_caller]
pub fn full_name(test: &str) -> String {
    let module = Path::new(Location::caller().file()).file_stem().unwrap();
    match module.to_str().unwrap() {
        "main" => test.to_string(),
        module => format!("{module}::{test}"),
    }
}

/// Runs this test binary again for one test, with environment variables. Returns the exit code,
/// stdout and stderr.
#[track_caller]
pub fn rerun(test: &str, variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args([
            &full_name(test),
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("RERUN", "1");
    for (name, value) in variables {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// Runs a test in a separate process, because a fault ends all contexts of its process.
#[track_caller]
pub fn in_own_process(test: &str, inside: impl FnOnce()) {
    if inner() {
        return inside();
    }
    let (code, _, text) = rerun(test, &[]);
    assert_eq!(code, Some(0), "{text}");
}

/// The number of the case that [`each`] runs in this process.
const CASE: &str = "RERUN_CASE";

/// Runs each case of a test in a separate process, because a process does not recover from a fault.
/// Within [`reports`], the report contains the faults of all cases.
#[track_caller]
pub fn each<T>(test: &str, cases: impl IntoIterator<Item = T>, inside: impl Fn(T)) {
    let mut cases = cases.into_iter();
    if let Ok(number) = std::env::var(CASE) {
        let number = number.parse().unwrap();
        return inside(cases.nth(number).unwrap());
    }
    for number in 0..cases.count() {
        let (code, _, text) = rerun(test, &[(CASE, &number.to_string())]);
        eprint!("{text}");
        assert_eq!(code, Some(0), "case {number}");
    }
}

/// Returns whether this is the inner run of [`rerun`].
pub fn inner() -> bool {
    std::env::var_os("RERUN").is_some()
}

pub fn nothing() -> *const c_void {
    null()
}

/// Limits the address space so that no further thread's stack fits.
pub fn no_more_threads() {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = status.split(' ').next().unwrap().parse().unwrap();
    let most = libc::rlimit {
        rlim_cur: pages * 4096 + (6 << 20),
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: The limit is valid.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &most) }, 0);
    assert!(
        std::thread::Builder::new()
            .stack_size(8 << 20)
            .spawn(|| ())
            .is_err()
    );
}

/// Runs the test again with the variables, and `inside` in that run. The report must contain all
/// the parts, both on standard error and in the file.
#[track_caller]
pub fn reports(test: &str, variables: &[(&str, &str)], parts: &[&str], inside: impl FnOnce()) {
    if inner() {
        return inside();
    }
    let file = format!("cuda-emulator-{test}-{}", std::process::id());
    let path = std::env::temp_dir().join(file);
    let mut all = vec![("CUDA_EMULATOR_REPORT", path.to_str().unwrap())];
    all.extend(variables);
    let (code, _, text) = rerun(test, &all);
    let file = std::fs::read_to_string(&path);
    let _ = std::fs::remove_file(&path);
    assert_eq!(code, Some(0), "{text}");
    let file = file.expect("a report in the file");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
        assert!(file.contains(part), "no `{part}` in the file:\n{file}");
    }
}

/// Runs the test again with the variables. Nothing may be reported. Returns its standard output.
#[track_caller]
pub fn passes(test: &str, variables: &[(&str, &str)], inside: impl FnOnce()) -> String {
    if inner() {
        inside();
        return String::new();
    }
    let (code, output, text) = rerun(test, variables);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("[cuda-emulator]"), "{text}");
    output
}
