//! The report of objects still allocated at exit: `CUDA_EMULATOR_CHECK=leak`.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::registry;
use crate::system;

/// Exit code of a process that leaks.
const EXIT_CODE: i32 = 99;
/// How long to wait for frees that are still queued on streams.
const PATIENCE: Duration = Duration::from_secs(1);

/// Prints a report and ends the process, if something has leaked.
pub fn report_and_exit() {
    let Some(report) = report() else {
        return;
    };
    let _ = std::io::stderr().write_all(report.as_bytes());
    system::leave(EXIT_CODE);
}

/// Waits until streams have executed their queued frees.
fn settle() {
    let end = Instant::now() + PATIENCE;
    while registry::has_queued_frees() && Instant::now() < end {
        registry::start_delayed();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the report, or `None` if nothing has leaked.
fn report() -> Option<String> {
    settle();
    let (plain, used) = registry::leaks();
    text(&plain, &used)
}

/// Formats the report. Objects that others use come last, because a library often keeps them alive
/// as long as those.
fn text(plain: &[String], used: &[String]) -> Option<String> {
    let count = plain.len() + used.len();
    if count == 0 {
        return None;
    }
    let mut text = format!("[cuda-emulator] {count} leaked at exit:\n");
    for line in plain {
        text.push_str(&format!("  {line}\n"));
    }
    if !plain.is_empty() && !used.is_empty() {
        text.push_str("  possibly in use by the objects above. Fix: free those first, and see whether these are left:\n");
    }
    for line in used {
        text.push_str(&format!("  {line}\n"));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn objects_that_others_use_come_last() {
        let lines = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (memory, used) = (
            lines(&["allocation 3"]),
            lines(&["stream 0x12", "context 1"]),
        );
        assert_eq!(
            text(&memory, &used).unwrap(),
            "[cuda-emulator] 3 leaked at exit:\n  allocation 3\n  possibly in use by the objects above. Fix: free those first, \
             and see whether these are left:\n  stream 0x12\n  context 1\n"
        );
        let alone = text(&[], &used).unwrap();
        assert_eq!(
            alone,
            "[cuda-emulator] 2 leaked at exit:\n  stream 0x12\n  context 1\n"
        );
        assert_eq!(text(&[], &[]), None);
    }
}
