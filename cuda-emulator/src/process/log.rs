//! What the driver says about calls that fail: kept for a while, and told to those who listen.
//!
//! An H200's driver (580) ends each failed call with such a line as this one has; the reasons that it has before are its own.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::abi::status::{Code, Result};
use cuda_emulator_engine::Unpoisoned;

/// Bytes of messages that are kept, as documented.
const MOST: usize = 25_600;
/// What comes first where there is no room for all.
const MISSING: &str =
    "The provided buffer is not large enough to hold all messages. Some messages will be missing\n";

/// `CUlogsCallback`
pub type Callback = unsafe extern "C" fn(u64, u32, *mut u8, usize);

/// Somebody who listens.
#[derive(Clone, Copy)]
pub struct Listener {
    pub handle: u64,
    pub function: Callback,
    pub data: u64,
}

struct Log {
    /// With the time and so on, one line each.
    lines: VecDeque<String>,
    /// The number of the first that is kept.
    first: u32,
    bytes: usize,
    listeners: Vec<Listener>,
    handles: u64,
}

static LOG: Mutex<Log> = Mutex::new(Log {
    lines: VecDeque::new(),
    first: 0,
    bytes: 0,
    listeners: Vec::new(),
    handles: 0,
});

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unpoisoned()
}

/// The message about a call that failed.
pub fn message(name: &str, code: Code) -> String {
    format!("Returning {} ({code}) from {name}", code.0)
}

/// Keeps a message. Gives those who are to be told, which nothing here waits for.
pub fn add(message: &str, thread: u64) -> Vec<Listener> {
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    let mut line = String::with_capacity(message.len() + 48);
    let _ = writeln!(
        line,
        "[{:02}:{:02}:{:02}.{millis:03}][{thread}][CUDA][E] {message}",
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    );
    let mut log = log();
    log.bytes += line.len();
    log.lines.push_back(line);
    while log.bytes > MOST
        && let Some(old) = log.lines.pop_front()
    {
        log.bytes -= old.len();
        log.first += 1;
    }
    log.listeners.clone()
}

/// Where the next message will be.
pub fn end() -> u32 {
    let log = log();
    log.first + log.lines.len() as u32
}

/// The messages from a position on, or all, in at most so many bytes. Fewer, and a line that says so, where there is no room.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a position behind the end, and where there is no room for a single message.
pub fn text(from: Option<u32>, room: usize) -> Result<String> {
    let log = log();
    let end = log.first + log.lines.len() as u32;
    let from = from.unwrap_or(0);
    if from > end {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let skipped = from.saturating_sub(log.first) as usize;
    let lines: Vec<&str> = log.lines.iter().skip(skipped).map(String::as_str).collect();
    if lines.iter().map(|line| line.len()).sum::<usize>() <= room {
        return Ok(lines.concat());
    }
    let mut left = room.saturating_sub(MISSING.len());
    let mut begin = lines.len();
    while begin > 0 && lines[begin - 1].len() <= left {
        begin -= 1;
        left -= lines[begin].len();
    }
    if begin == lines.len() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    Ok(MISSING.to_string() + &lines[begin..].concat())
}

/// Has a function told of messages. Gives its handle.
pub fn listen(function: Callback, data: u64) -> u64 {
    let mut log = log();
    log.handles += 1;
    let handle = 0x21 << 56 | log.handles << 4;
    log.listeners.push(Listener {
        handle,
        function,
        data,
    });
    handle
}

/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a handle that isn't one.
pub fn unlisten(handle: u64) -> Result {
    let mut log = log();
    let before = log.listeners.len();
    log.listeners.retain(|one| one.handle != handle);
    if log.listeners.len() < before {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}
