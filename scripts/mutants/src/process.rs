//! Runs programs that may hang or exhaust memory.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With an exit code, or `None` for a signal.
    Exit(Option<i32>),
    /// Killed because it took too long.
    Time,
    /// Killed because it used too much memory.
    Memory,
}

impl End {
    /// Returns whether the program succeeded.
    pub fn is_good(self) -> bool {
        self == Self::Exit(Some(0))
    }
}

/// The memory limit in bytes of a program and its children together.
const MOST_MEMORY: u64 = 4 << 30;

/// Runs a program without input, in a process group with its children, for at most `limit`.
///
/// # Errors
/// Returns an error if the program can't be started.
pub fn run(command: &mut Command, limit: Duration) -> Result<(End, Duration), String> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let mut pause = Duration::from_millis(1);
    let mut memory_at = start + Duration::from_millis(200);
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            let took = start.elapsed();
            if !status.success() {
                kill(&mut child);
            }
            return Ok((End::Exit(status.code()), took));
        }
        let now = Instant::now();
        let end = if now - start > limit {
            Some(End::Time)
        } else if now > memory_at {
            memory_at = now + Duration::from_millis(200);
            (group_memory(child.id()) > MOST_MEMORY).then_some(End::Memory)
        } else {
            None
        };
        if let Some(end) = end {
            kill(&mut child);
            return Ok((end, start.elapsed()));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Kills a program and its remaining children.
fn kill(child: &mut Child) {
    let _ = Command::new("sh")
        .args(["-c", &format!("kill -s KILL -- -{}", child.id())])
        .stderr(Stdio::null())
        .status();
    let _ = child.kill();
    let _ = child.wait();
}

/// Returns the resident memory of a process group in bytes.
fn group_memory(group: u32) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0;
    };
    let pages: u64 = processes
        .flatten()
        .filter_map(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name, which may contain anything, is in parentheses. It is followed by state,
            // parent and group.
            let (_, rest) = stat.rsplit_once(") ")?;
            let fields: Vec<&str> = rest.split(' ').collect();
            let of_group = fields.get(2)?.parse() == Ok(group);
            of_group.then(|| fields.get(21)?.parse::<u64>().ok())?
        })
        .sum();
    pages * 4096
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> End {
        let mut command = Command::new("sh");
        run(command.args(["-c", script]), limit).unwrap().0
    }

    #[test]
    fn exit_codes_and_signals() {
        let long = Duration::from_secs(60);
        assert_eq!(shell("exit 0", long), End::Exit(Some(0)));
        assert_eq!(shell("exit 99", long), End::Exit(Some(99)));
        assert_eq!(shell("kill -SEGV $$", long), End::Exit(None));
    }

    #[test]
    fn hanging_programs_are_killed_with_their_children() {
        let name = format!("mutants-process-{}", std::process::id());
        let file = std::env::temp_dir().join(name);
        let script = format!("sleep 600 & echo $! > {}; wait", file.display());
        assert_eq!(shell(&script, Duration::from_millis(300)), End::Time);
        let child = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        // The parent may not have reaped it yet.
        let gone = || {
            let state = fs::read_to_string(format!("/proc/{}/stat", child.trim()));
            state.map_or(true, |state| state.contains(") Z "))
        };
        let start = Instant::now();
        while !gone() {
            assert!(start.elapsed() < Duration::from_secs(60), "still running");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn group_memory_is_measured() {
        let script = "a=$(head -c 50000000 /dev/zero | tr '\\0' a); sleep 60";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .process_group(0)
            .spawn()
            .unwrap();
        let start = Instant::now();
        while group_memory(child.id()) < 50_000_000 {
            assert!(start.elapsed() < Duration::from_secs(30), "not seen");
            thread::sleep(Duration::from_millis(1));
        }
        assert!(group_memory(child.id()) < 1 << 30);
        kill(&mut child);
        // Its children may take a moment longer to exit.
        let start = Instant::now();
        while group_memory(child.id()) > 0 {
            assert!(start.elapsed() < Duration::from_secs(60), "still there");
            thread::sleep(Duration::from_millis(1));
        }
    }
}
