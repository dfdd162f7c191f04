//! The process: its end, its memory, other processes.

use std::ffi::{CStr, c_int, c_void};
use std::mem;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::PathBuf;
use std::ptr;
use std::sync::{Mutex, Once};

use cuda_emulator_engine::Unpoisoned;
use windows_sys::Win32::Foundation::{FILETIME, STILL_ACTIVE};
use windows_sys::Win32::Storage::FileSystem::WriteFile;
use windows_sys::Win32::System::Console::{GetStdHandle, STD_OUTPUT_HANDLE};
use windows_sys::Win32::System::Diagnostics::Debug::RtlCaptureStackBackTrace;
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleHandleA,
    GetModuleHandleExW, GetProcAddress,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetExitCodeProcess, GetProcessTimes, OpenProcess,
    PROCESS_QUERY_LIMITED_INFORMATION, TerminateProcess,
};

use super::Descriptor;

/// Keeps the library loaded until the process ends, because its threads run that long.
pub fn stay_loaded() {
    let flags = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
    let mut module = ptr::null_mut();
    // SAFETY: the flags say that the second argument is an address within the library.
    unsafe { GetModuleHandleExW(flags, stay_loaded as fn() as *const u16, &mut module) };
}

/// The C libraries of which a program uses one, and their functions that call another function at
/// `exit`.
const C_LIBRARIES: [(&CStr, &CStr); 2] = [
    (c"ucrtbase.dll", c"_crt_atexit"),
    (c"msvcrt.dll", c"_onexit"),
];

/// Finds a function of a library that the process has loaded.
fn loaded(library: &CStr, function: &CStr) -> Option<unsafe extern "system" fn() -> isize> {
    // SAFETY: both names end in NUL. A null module has no functions.
    unsafe {
        let module = GetModuleHandleA(library.as_ptr().cast());
        (!module.is_null()).then(|| GetProcAddress(module, function.as_ptr().cast()))?
    }
}

static AT_EXIT: Mutex<Vec<extern "C" fn()>> = Mutex::new(Vec::new());

extern "C" fn run_at_exit() -> c_int {
    let functions = mem::take(&mut *AT_EXIT.lock().unpoisoned());
    functions.iter().rev().for_each(|function| function());
    0
}

/// Calls a function when the program calls `exit` or returns from `main`. Returns false if no C
/// library was found.
///
/// A library's own `atexit` would call it too late, when the system has ended all other threads. A
/// program that ends by `ExitProcess` does not call it.
pub fn at_exit(function: extern "C" fn()) -> bool {
    static REGISTERED: Once = Once::new();
    static FOUND: Mutex<bool> = Mutex::new(false);
    REGISTERED.call_once(|| {
        for (library, register) in C_LIBRARIES {
            let Some(register) = loaded(library, register) else {
                continue;
            };
            // SAFETY: both functions take a function without parameters, which stays loaded (see
            // `stay_loaded`).
            unsafe {
                type Register = unsafe extern "C" fn(extern "C" fn() -> c_int) -> *mut c_void;
                mem::transmute::<_, Register>(register)(run_at_exit);
            }
            *FOUND.lock().unpoisoned() = true;
        }
    });
    AT_EXIT.lock().unpoisoned().push(function);
    *FOUND.lock().unpoisoned()
}

/// Ends the process within a function of [`at_exit`], where `exit` cannot be called again. Flushes
/// the C library's buffers.
pub fn leave(code: i32) -> ! {
    for (library, _) in C_LIBRARIES {
        if let Some(flush) = loaded(library, c"fflush") {
            // SAFETY: fflush(NULL) flushes every stream.
            unsafe {
                type Flush = unsafe extern "C" fn(*mut c_void) -> c_int;
                mem::transmute::<_, Flush>(flush)(ptr::null_mut());
            }
        }
    }
    // SAFETY: ends this process.
    unsafe { TerminateProcess(GetCurrentProcess(), code as u32) };
    unreachable!("the process has ended")
}

/// Does nothing, because Windows cannot fork.
pub fn after_fork(_function: unsafe extern "C" fn()) {}

fn open(process: u32) -> Option<OwnedHandle> {
    // SAFETY: the call only opens a handle.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
    // SAFETY: the handle was just opened and has no other owner.
    (!handle.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Returns whether a process is running.
pub fn is_running(process: u32) -> bool {
    open(process).is_some_and(|process| {
        let mut code = 0;
        // SAFETY: an open process, and a place for the result.
        let found = unsafe { GetExitCodeProcess(process.as_raw_handle(), &mut code) } != 0;
        found && code == STILL_ACTIVE as u32
    })
}

/// Returns when a process started, in units of 100 ns, or `None` if it has ended.
pub fn start_time(process: u32) -> Option<u64> {
    let handle = open(process).filter(|_| is_running(process))?;
    let [mut start, mut end, mut kernel, mut user] = [FILETIME::default(); 4];
    let handle = handle.as_raw_handle();
    // SAFETY: an open process, and places for the results.
    let found = unsafe { GetProcessTimes(handle, &mut start, &mut end, &mut kernel, &mut user) };
    (found != 0).then(|| number(start))
}

fn number(time: FILETIME) -> u64 {
    u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)
}

/// Returns the size of the host's memory in bytes.
pub fn host_memory() -> u64 {
    let mut status = MEMORYSTATUSEX {
        dwLength: mem::size_of::<MEMORYSTATUSEX>() as u32,
        ..Default::default()
    };
    // SAFETY: `status` states its size.
    match unsafe { GlobalMemoryStatusEx(&mut status) } {
        0 => 4 << 30,
        _ => status.ullTotalPhys,
    }
}

/// Writes to standard output, past the buffers of the client (C's, or another Rust runtime's),
/// which are not accessible.
pub fn write_output(bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut written = 0;
        let length = u32::try_from(rest.len()).unwrap_or(u32::MAX);
        // SAFETY: the slice is readable and has at least that length.
        let done = unsafe {
            let output = GetStdHandle(STD_OUTPUT_HANDLE);
            WriteFile(output, rest.as_ptr(), length, &mut written, ptr::null_mut())
        };
        if done == 0 || written == 0 {
            return;
        }
        rest = &rest[written as usize..];
    }
}

/// Fills an array with the return addresses of the innermost calls on the stack, and returns those
/// found.
pub fn return_addresses(room: &mut [*mut c_void]) -> &[*mut c_void] {
    let length = room.len() as u32;
    // SAFETY: the array has this many places.
    let count = unsafe { RtlCaptureStackBackTrace(0, length, room.as_mut_ptr(), ptr::null_mut()) };
    &room[..usize::from(count)]
}

/// Returns a path of the client, in UTF-8.
pub fn path(text: &CStr) -> PathBuf {
    PathBuf::from(text.to_string_lossy().into_owned())
}

/// Does nothing, because a driver on Windows does not take over the client's handles.
///
/// # Safety
/// None. On other systems, the caller must own the descriptor.
pub unsafe fn close(_descriptor: Descriptor) {}

/// Returns `None`, because sections have no names here.
pub fn memory_file_name(_descriptor: Descriptor) -> Option<String> {
    None
}

/// Returns the processor time of this thread.
#[cfg(test)]
pub fn thread_time() -> std::time::Duration {
    use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};
    let [mut start, mut end, mut kernel, mut user] = [FILETIME::default(); 4];
    let found = unsafe {
        // SAFETY: this thread, and places for the results.
        GetThreadTimes(
            GetCurrentThread(),
            &mut start,
            &mut end,
            &mut kernel,
            &mut user,
        )
    };
    assert_ne!(found, 0);
    std::time::Duration::from_nanos(100 * (number(kernel) + number(user)))
}
