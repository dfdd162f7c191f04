//! Runs single tests in their own processes.

#[path = "../common/fork_server.rs"]
mod fork_server;

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use fork_server::Server;

/// How long work is held back, in milliseconds. This is longer than a busy machine needs between
/// two calls.
const HOLD: &str = "1000";
/// The number of seconds after which a run counts as hung.
const PATIENCE: u32 = 300;

/// Environment variable that is set in the processes started here.
pub const CHILD: &str = "CUDA_INJECTION_CHILD";

/// The result of a run.
pub struct Run {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The printed output.
    pub text: String,
    pub calls: Vec<Call>,
    pub time: Duration,
}

/// A driver call.
pub struct Call {
    /// The exported name.
    pub function: String,
    /// The program's calls that led to it, as a hash.
    pub site: String,
    /// The whole line of the trace.
    pub line: String,
}

impl Run {
    /// Returns the first call that was made to fail.
    pub fn injected(&self) -> Option<&Call> {
        let mut calls = self.calls.iter();
        calls.find(|call| call.line.contains("(injected)"))
    }
}

impl Call {
    fn parse(line: &str) -> Option<Call> {
        // Other lines report the work of kernels and the reasons of rejected launches.
        let start = line.find(": cu")? + 2;
        let length = line[start..].find('(')?;
        line.contains(") = ").then(|| Call {
            function: line[start..start + length].into(),
            site: line
                .rsplit_once(" from ")
                .map_or("", |(_, site)| site)
                .into(),
            line: line.into(),
        })
    }
}

/// A folder for the traces of all runs, and the processes that run tests. Dropping the last reference
/// removes them.
pub struct Folder {
    path: PathBuf,
    idle: Mutex<Vec<Server>>,
}

impl Folder {
    pub fn shared() -> Arc<Folder> {
        static FOLDER: Mutex<Weak<Folder>> = Mutex::new(Weak::new());
        let mut folder = FOLDER.lock().unwrap();
        folder.upgrade().unwrap_or_else(|| {
            let new = Arc::new(Folder::new());
            *folder = Arc::downgrade(&new);
            new
        })
    }

    fn new() -> Folder {
        let name = format!(
            "{}-injection-{}",
            env!("CARGO_PKG_NAME"),
            std::process::id()
        );
        let path = env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder {
            path,
            idle: Mutex::default(),
        }
    }

    /// Runs a test with the emulator's checks. Calls fail by `rules`, in the syntax of
    /// `CUDA_EMULATOR_FAIL`.
    pub fn run(&self, test: &str, checks: &str, rules: &str) -> Run {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let trace = self.path.join(format!("trace-{number}"));
        let output = self.path.join(format!("output-{number}"));
        let variables = [
            ("CUDA_EMULATOR_CHECK", checks),
            ("CUDA_EMULATOR_FAIL", rules),
            (
                "CUDA_EMULATOR_TRACE",
                &format!("{},every,callers", trace.display()),
            ),
        ];
        let _turn = Turn::wait_for();
        let idle = self.idle.lock().unwrap().pop();
        let mut server = idle.unwrap_or_else(|| {
            let variables = [
                (CHILD, "1"),
                ("CUDA_EMULATOR_HOLD", HOLD),
                // Also the faults that a test expects.
                ("CUDA_EMULATOR_REPORT", "/dev/stderr"),
                // With backtraces, each panic of a test would look up symbols, which is slow.
                ("RUST_BACKTRACE", "0"),
            ];
            Server::start(&variables, PATIENCE)
        });
        let start = Instant::now();
        let (status, text) = server.run(test, &variables, &output);
        let time = start.elapsed();
        self.idle.lock().unwrap().push(server);
        let calls = fs::read_to_string(&trace).unwrap_or_default();
        let _ = fs::remove_file(&trace);
        Run {
            code: status.code(),
            signal: status.signal(),
            text: String::from_utf8_lossy(&text).into_owned(),
            calls: calls.lines().filter_map(Call::parse).collect(),
            time,
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get())
}

/// A permit to run one process. There is one for each processor, and all tests share them.
struct Turn;

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

impl Turn {
    fn wait_for() -> Turn {
        let running = RUNNING.lock().unwrap();
        let mut running = ENDED
            .wait_while(running, |running| *running >= processors())
            .unwrap();
        *running += 1;
        Turn
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap() -= 1;
        ENDED.notify_one();
    }
}

/// Calls `work` for each item, several at once. Returns the results in order.
pub fn for_each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..processors())
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = Vec::new();
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        match items.get(at) {
                            Some(item) => mine.push((at, work(item))),
                            None => return mine,
                        }
                    }
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Returns the value of `INJECT_INTO`: parts of test names separated by commas, of which a test's
/// name must contain one. Without the variable, every test is selected.
pub fn wanted() -> String {
    env::var("INJECT_INTO").unwrap_or_default()
}

/// Returns the names of the selected integration tests.
pub fn tests() -> Vec<String> {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--list", "--format=terse", "integration::"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let wanted = wanted();
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    let names = names.filter(|name| wanted.split(',').any(|part| name.contains(part)));
    names.map(str::to_owned).collect()
}
