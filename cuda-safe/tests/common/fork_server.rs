//! Runs each test of this program in a separate process, without loading the program each time.
//!
//! Loading takes longer than most tests, mainly because of NVRTC's relocations. A server is loaded
//! once and waits for requests before `main`. For each request it forks. The new process goes on
//! into `main`, with the name of a test as its argument.
//!
//! A request is its size as a `u32`, and strings that end with a zero byte: the files for the two
//! output streams, the name of the test, and environment variables as `NAME=VALUE`. The reply is the wait status as
//! an `i32`.

use std::env;
use std::ffi::{CStr, c_char, c_int};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// Environment variable that is set in servers. Its value is the number of seconds after which a run
/// is ended by `SIGALRM`.
const SERVER: &str = "CUDA_TEST_FORK_SERVER";

/// A process that runs one test at a time.
pub struct Server {
    process: Child,
    requests: ChildStdin,
    replies: ChildStdout,
}

impl Server {
    /// Starts a server whose tests have these environment variables. A run of more than `seconds`
    /// is ended.
    pub fn start(variables: &[(&str, &str)], seconds: u32) -> Server {
        let mut process = Command::new(env::current_exe().unwrap())
            .args(["", "--exact", "--nocapture", "--test-threads=1"])
            .envs(variables.iter().copied())
            .env(SERVER, seconds.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Server {
            requests: process.stdin.take().unwrap(),
            replies: process.stdout.take().unwrap(),
            process,
        }
    }

    /// Runs a test with additional environment variables. Returns its exit status, and the text of its
    /// standard output followed by that of standard error. Two files whose names begin with `file` are
    /// used and removed.
    pub fn run(
        &mut self,
        test: &str,
        variables: &[(&str, &str)],
        file: &Path,
    ) -> (ExitStatus, Vec<u8>) {
        let files = ["out", "err"].map(|extension| file.with_extension(extension));
        let mut strings = format!("{}\0{}\0{test}\0", files[0].display(), files[1].display());
        for (name, value) in variables {
            strings += &format!("{name}={value}\0");
        }
        let size = strings.len() as u32;
        let request = [&size.to_ne_bytes()[..], strings.as_bytes()].concat();
        self.requests.write_all(&request).unwrap();
        let mut status = [0; size_of::<i32>()];
        let replied = self.replies.read_exact(&mut status);
        replied.unwrap_or_else(|error| panic!("the server ended in {test}: {error}"));
        let texts = files.map(|file| {
            let text = fs::read(&file).unwrap();
            let _ = fs::remove_file(file);
            text
        });
        (
            ExitStatus::from_raw(i32::from_ne_bytes(status)),
            texts.concat(),
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The loader calls the functions of `.init_array` with the arguments of `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn(c_int, *mut *const c_char) = {
    extern "C" fn before_main(count: c_int, arguments: *mut *const c_char) {
        let Some(seconds) = env::var(SERVER).ok().and_then(|text| text.parse().ok()) else {
            return;
        };
        assert!(count > 1);
        // SAFETY: there are at least two arguments, and the process has one thread.
        unsafe { serve(seconds, &mut *arguments.add(1)) };
    }
    before_main
};

/// Answers requests. Returns only in the processes of tests.
///
/// # Safety
/// The process has only this thread.
unsafe fn serve(seconds: u32, argument: &mut *const c_char) {
    // SAFETY: the descriptors stay open, because the files are not dropped.
    let (mut requests, mut replies) = unsafe {
        (
            ManuallyDrop::new(File::from_raw_fd(0)),
            ManuallyDrop::new(File::from_raw_fd(1)),
        )
    };
    let none = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the limit is passed by a valid pointer.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &none) };
    loop {
        let mut size = [0; size_of::<u32>()];
        if requests.read_exact(&mut size).is_err() {
            // SAFETY: it ends this process, which has nothing to clean up.
            unsafe { libc::_exit(0) };
        }
        let mut strings = vec![0; u32::from_ne_bytes(size) as usize];
        requests.read_exact(&mut strings).unwrap();
        // SAFETY: the process has one thread, so its copy is in no unfinished state.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "cannot fork");
        if child == 0 {
            // SAFETY: as above.
            *argument = unsafe { prepare(strings, seconds) };
            return;
        }
        let mut status = 0;
        // SAFETY: the status is passed by a valid pointer.
        let waited = unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(waited, child);
        replies.write_all(&status.to_ne_bytes()).unwrap();
    }
}

/// Applies a request to this process. Returns the test's name, which lives as long as the process.
///
/// # Safety
/// The process has only this thread.
unsafe fn prepare(strings: Vec<u8>, seconds: u32) -> *const c_char {
    let mut strings = strings
        .leak()
        .split_inclusive(|&byte| byte == 0)
        .map(|one| CStr::from_bytes_with_nul(one).unwrap());
    let mut open = || {
        let path = strings.next().unwrap().to_str().unwrap();
        // Appending, because the test may open /dev/stderr again.
        File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap()
    };
    let (output, errors) = (open(), open());
    let test = strings.next().unwrap();
    let input = File::open("/dev/null").unwrap();
    // SAFETY: the process has one thread, and all descriptors are open.
    unsafe {
        env::remove_var(SERVER);
        for variable in strings {
            let (name, value) = variable.to_str().unwrap().split_once('=').unwrap();
            env::set_var(name, value);
        }
        for (from, to) in [(&input, 0), (&output, 1), (&errors, 2)] {
            assert_eq!(libc::dup2(from.as_raw_fd(), to), to);
        }
        libc::alarm(seconds);
    }
    test.as_ptr()
}
