//! The process: its end, its memory, other processes.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::Descriptor;

/// Keeps the library loaded until the process ends. The library is linked with `-z nodelete`.
pub fn stay_loaded() {}

/// Calls a function when the process exits. Returns false if the system has no room for it.
pub fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: the function stays loaded (see `stay_loaded`).
    unsafe { libc::atexit(function) == 0 }
}

/// Ends the process within a function of [`at_exit`], where `exit` cannot be called again. Flushes
/// the C library's buffers.
pub fn leave(code: i32) -> ! {
    // SAFETY: fflush(NULL) flushes every stream; _exit does not return.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code)
    }
}

/// Calls a function in every child process that the program forks.
pub fn after_fork(function: unsafe extern "C" fn()) {
    // SAFETY: the handler is a plain function that stays loaded.
    unsafe { libc::pthread_atfork(None, None, Some(function)) };
}

/// Returns whether a process exists.
pub fn is_running(process: u32) -> bool {
    let Ok(process @ 1..) = i32::try_from(process) else {
        return false;
    };
    // SAFETY: the call accesses no memory. Signal 0 only checks for existence.
    unsafe { libc::kill(process, 0) == 0 }
}

/// Returns when a process started, in clock ticks, or `None` if it has ended (a zombie counts as
/// ended).
pub fn start_time(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X" | "x")).then(|| fields.nth(18)?.parse().ok())?
}

/// Returns the size of the host's memory in bytes, or the cgroup's limit if it is smaller.
pub fn host_memory() -> u64 {
    // SAFETY: sysconf only reads.
    let (pages, page) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    let physical = if pages > 0 && page > 0 {
        pages as u64 * page as u64
    } else {
        4 << 30
    };
    let limit = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .iter()
    .find_map(|path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok());
    physical.min(limit.unwrap_or(u64::MAX))
}

/// Writes to standard output, past the buffers of the client (C's, or another Rust runtime's),
/// which are not accessible.
pub fn write_output(bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: the slice is readable.
        let written = unsafe { libc::write(1, rest.as_ptr().cast(), rest.len()) };
        if written <= 0 {
            return;
        }
        rest = &rest[written as usize..];
    }
}

/// Fills an array with the return addresses of the innermost calls on the stack, and returns those
/// found.
#[cfg(target_env = "gnu")]
#[inline(always)]
pub fn return_addresses(room: &mut [*mut std::ffi::c_void]) -> &[*mut std::ffi::c_void] {
    // SAFETY: the array has this many places.
    let count = unsafe { libc::backtrace(room.as_mut_ptr(), room.len() as libc::c_int) };
    &room[..count as usize]
}

/// Returns nothing, because the C library has no function for it.
#[cfg(not(target_env = "gnu"))]
#[inline(always)]
pub fn return_addresses(_room: &mut [*mut std::ffi::c_void]) -> &[*mut std::ffi::c_void] {
    &[]
}

/// Returns a path of the client.
pub fn path(text: &CStr) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(text.to_bytes()))
}

/// Closes a descriptor that the client has passed on.
///
/// # Safety
/// The caller must own the descriptor.
pub unsafe fn close(descriptor: Descriptor) {
    // SAFETY: by the contract of this function.
    drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
}

/// Returns the name that a file in memory was created with, for a descriptor of it.
pub fn memory_file_name(descriptor: Descriptor) -> Option<String> {
    let link = fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?;
    // The system appends " (deleted)", because the file has no name in the file system.
    let name = link.to_str()?.strip_prefix("/memfd:")?;
    name.split(' ').next().map(String::from)
}

/// Returns the processor time of this thread.
#[cfg(test)]
pub fn thread_time() -> std::time::Duration {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a place for the result.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    assert_eq!(done, 0);
    std::time::Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn ended_processes_have_no_start_time_before_they_are_waited_for() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(10);
        while start_time(child.id()).is_some() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(start_time(child.id()).is_none());
        child.wait().unwrap();
    }
}
