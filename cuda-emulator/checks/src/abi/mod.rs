//! Helpers for the ABI tests, which call the driver as a C program would, through the bindings of
//! `cuda-sys`.

mod attributes;
mod code;
mod codes;
mod gate;
mod samples;

use std::ffi::{CStr, CString, c_void};
use std::io;
use std::process::{Command, Output};
use std::ptr::{null, null_mut};

pub use attributes::*;
pub use code::*;
pub use codes::*;
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

/// Calls a driver function and returns its code.
#[macro_export]
macro_rules! call {
    ($function:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: The tests pass arguments that the function's documentation allows, or that it
        // must reject.
        unsafe { $function($($arg),*) }
    }};
}

/// Calls a driver function and expects an error code.
#[macro_export]
macro_rules! fails {
    ($code:expr, $function:ident $arguments:tt) => {
        assert_eq!($crate::call!($function $arguments), $code, "{}", stringify!($function))
    };
}

/// Calls a driver function and expects success.
#[macro_export]
macro_rules! ok {
    ($($call:tt)*) => {
        $crate::fails!($crate::abi::SUCCESS, $($call)*)
    };
}

/// Calls a driver function that must reject an argument.
#[macro_export]
macro_rules! invalid {
    ($($call:tt)*) => {
        $crate::fails!($crate::abi::INVALID, $($call)*)
    };
}

/// Calls a driver function with an invalid handle.
#[macro_export]
macro_rules! stale {
    ($($call:tt)*) => {
        $crate::fails!($crate::abi::INVALID_HANDLE, $($call)*)
    };
}

/// Calls a driver function without a valid context.
#[macro_export]
macro_rules! no_context {
    ($($call:tt)*) => {
        $crate::fails!($crate::abi::INVALID_CONTEXT, $($call)*)
    };
}

/// Calls a driver function. Returns the result that the function writes to the argument `_`, or the
/// error code.
#[macro_export]
macro_rules! result {
    ($function:ident(_ $($after:tt)*)) => {
        $crate::abi::written(|result| $crate::call!($function(result $($after)*)))
    };
    ($function:ident($a:expr, _ $($after:tt)*)) => {
        $crate::abi::written(|result| $crate::call!($function($a, result $($after)*)))
    };
    ($function:ident($a:expr, $b:expr, _ $($after:tt)*)) => {
        $crate::abi::written(|result| $crate::call!($function($a, $b, result $($after)*)))
    };
    ($function:ident($a:expr, $b:expr, $c:expr, _ $($after:tt)*)) => {
        $crate::abi::written(|result| $crate::call!($function($a, $b, $c, result $($after)*)))
    };
    ($function:ident($a:expr, $b:expr, $c:expr, $d:expr, _ $($after:tt)*)) => {
        $crate::abi::written(|result| $crate::call!($function($a, $b, $c, $d, result $($after)*)))
    };
}

/// Calls a driver function, expects success, and returns the result that the function writes to the
/// argument `_`.
#[macro_export]
macro_rules! out {
    ($function:ident $arguments:tt) => {
        match $crate::result!($function $arguments) {
            Ok(result) => result,
            Err(code) => panic!("{}: {code:?}", stringify!($function)),
        }
    };
}

/// Returns the value that a call writes, or its error code.
pub fn written<T: Copy>(call: impl FnOnce(*mut T) -> CUresult) -> Result<T, CUresult> {
    // Not zero, so that a function that writes nothing does not seem to return zero.
    let mut value = filled(0xa5);
    match call(&mut value) {
        SUCCESS => Ok(value),
        code => Err(code),
    }
}

/// Returns the code of a call of `result!`.
pub fn code_of<T>(result: Result<T, CUresult>) -> CUresult {
    result.err().unwrap_or(SUCCESS)
}

pub use crate::{call, fails, invalid, no_context, ok, out, result, stale};

/// The primary context of device 0, current on this thread. It is released when dropped.
pub struct Primary(pub CUcontext);

impl Primary {
    pub fn new() -> Primary {
        ok!(cuInit(0));
        let context = out!(cuDevicePrimaryCtxRetain(_, 0));
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
        ok!(cuInit(0));
        let context = out!(cuCtxCreate_v2(_, 0, 0));
        Own(context)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        ok!(cuCtxDestroy_v2(self.0));
    }
}

pub fn alloc(bytes: usize) -> CUdeviceptr {
    out!(cuMemAlloc_v2(_, bytes))
}

/// Returns the number of free bytes of the device.
pub fn free_memory() -> usize {
    out!(cuMemGetInfo_v2(_, null_mut()))
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
    out!(cuStreamCreate(_, flags))
}

pub fn event(flags: u32) -> CUevent {
    out!(cuEventCreate(_, flags))
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

/// Returns the name of the running test, as the test program knows it.
pub fn test_name() -> String {
    let name = std::thread::current().name().map(String::from);
    name.expect("a thread of the test program, which names it after the test")
}

/// Returns a command that runs only the running test, in a new process.
pub fn rerun_command() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let alone = ["--exact", "--nocapture", "--test-threads=1"];
    command.arg(test_name()).args(alone).env("RERUN", "1");
    command
}

/// Runs the test again in a new process, with environment variables. Returns the exit code, stdout
/// and stderr.
#[track_caller]
pub fn rerun(variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = rerun_command();
    command.envs(variables.iter().copied());
    let output = output_of(&mut command).unwrap();
    let [out, error] = [&output.stdout, &output.stderr];
    let [out, error] = [out, error].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(out.contains("running 1 test\n"), "{out}{error}");
    (output.status.code(), out, error)
}

/// Runs a command and returns its output. Wine 8.0 can fail to start a process, with
/// `ERROR_INTERNAL_ERROR`. The process has then executed nothing, so it is started again, up to three
/// times.
fn output_of(command: &mut Command) -> io::Result<Output> {
    const ERROR_INTERNAL_ERROR: i32 = 1359;
    let mut tries = 0;
    loop {
        match command.output() {
            Err(error)
                if cfg!(windows)
                    && error.raw_os_error() == Some(ERROR_INTERNAL_ERROR)
                    && tries < 3 =>
            {
                tries += 1;
            }
            result => return result,
        }
    }
}

/// Runs the test in a separate process, because a fault ends all contexts of its process.
#[track_caller]
pub fn in_own_process(inside: impl FnOnce()) {
    with_variables(&[], inside);
}

/// Runs the test in a separate process with the variables, whatever is reported.
#[track_caller]
pub fn with_variables(variables: &[(&str, &str)], inside: impl FnOnce()) {
    if inner() {
        return inside();
    }
    let (code, _, text) = rerun(variables);
    assert_eq!(code, Some(0), "{text}");
}

/// The number of the case that [`each`] runs in this process.
const CASE: &str = "RERUN_CASE";

/// Runs each case of a test in a separate process, because a process does not recover from a fault.
/// Within [`reports`], the report contains the faults of all cases.
#[track_caller]
pub fn each<T>(cases: impl IntoIterator<Item = T>, inside: impl Fn(T)) {
    let mut cases = cases.into_iter();
    if let Ok(number) = std::env::var(CASE) {
        let number = number.parse().unwrap();
        return inside(cases.nth(number).unwrap());
    }
    for number in 0..cases.count() {
        let (code, _, text) = rerun(&[(CASE, &number.to_string())]);
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

/// Ends the process after some seconds, where the system can.
pub fn end_after(seconds: u32) {
    // SAFETY: The call has no requirements.
    #[cfg(unix)]
    unsafe {
        libc::alarm(seconds)
    };
    let _ = seconds;
}

/// Limits the address space so that no further thread's stack fits.
#[cfg(unix)]
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
pub fn reports(variables: &[(&str, &str)], parts: &[&str], inside: impl FnOnce()) {
    if inner() {
        return inside();
    }
    let file = format!("cuda-emulator-{}-{}", test_name(), std::process::id());
    let path = std::env::temp_dir().join(file);
    let mut all = vec![("CUDA_EMULATOR_REPORT", path.to_str().unwrap())];
    all.extend(variables);
    let (code, _, text) = rerun(&all);
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
pub fn passes(variables: &[(&str, &str)], inside: impl FnOnce()) -> String {
    if inner() {
        inside();
        return String::new();
    }
    let (code, output, text) = rerun(variables);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("[cuda-emulator]"), "{text}");
    output
}
