//! The printing of fault reports to standard error.
//!
//! A client that looks up `cuEmulatorGetReport` adds the reports to its own errors. Printing them
//! here too would show each fault twice. So they are printed only if the client has not fetched them
//! after a while, or at exit.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

use crate::system;
use cuda_emulator_engine::Unpoisoned;

/// How long a client may take to fetch a report.
const PATIENCE: Duration = Duration::from_secs(2);

static CLIENT_FETCHES: AtomicBool = AtomicBool::new(false);

/// Reports that the client has not fetched.
static PENDING: Mutex<Vec<Pending>> = Mutex::new(Vec::new());

struct Pending {
    since: Instant,
    report: String,
    /// The report with its first and last line.
    text: String,
}

/// Notes that the client has looked up the function that returns reports.
pub fn expect_fetches() {
    CLIENT_FETCHES.store(true, Ordering::Relaxed);
}

/// Prints a report, now or when the client has not fetched it in time. `text` contains `report`.
pub fn print(report: &str, text: &str) {
    if !CLIENT_FETCHES.load(Ordering::Relaxed) || !print_later() {
        write(text);
        return;
    }
    PENDING.lock().unpoisoned().push(Pending {
        since: Instant::now(),
        report: report.to_owned(),
        text: text.to_owned(),
    });
}

/// Notes that the client has fetched a text that may contain pending reports.
pub fn fetched(text: &str) {
    let mut pending = PENDING.lock().unpoisoned();
    pending.retain(|one| !text.contains(&one.report));
}

/// Ensures that pending reports will be printed. Returns whether it could.
fn print_later() -> bool {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| _ = system::at_exit(at_exit));
    let later = || {
        std::thread::sleep(PATIENCE);
        print_pending(PATIENCE);
    };
    std::thread::Builder::new().spawn(later).is_ok()
}

extern "C" fn at_exit() {
    // A panic must not unwind into C.
    let _ = std::panic::catch_unwind(|| print_pending(Duration::ZERO));
}

/// Prints the reports that have been pending for this long. The lock is held meanwhile, so that the
/// process does not end before a report is written.
fn print_pending(patience: Duration) {
    let mut pending = PENDING.lock().unpoisoned();
    pending
        .extract_if(.., |one| one.since.elapsed() >= patience)
        .for_each(|one| write(&one.text));
}

fn write(text: &str) {
    // A failure to write the report cannot be reported either.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
