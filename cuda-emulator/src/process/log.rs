//! The log of failed calls: the last messages, and the callbacks registered for new ones.
//!
//! For a failed call, an H200's driver (580) writes messages that explain the reason, and then the
//! line that is emulated here. The explanations are not emulated.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::abi::status::{Code, Result};
use cuda_emulator_engine::Unpoisoned;

/// Bytes of messages that are kept, as documented by NVIDIA.
const MOST: usize = 25_600;
/// First line of a text that does not hold all messages.
const MISSING: &str =
    "The provided buffer is not large enough to hold all messages. Some messages will be missing\n";

/// `CUlogsCallback`
pub type Callback = unsafe extern "C" fn(u64, u32, *mut u8, usize);

/// A registered callback.
#[derive(Clone, Copy)]
pub struct Listener {
    pub handle: u64,
    pub function: Callback,
    pub data: u64,
}

struct Log {
    /// The messages, one line each, with time and thread.
    lines: VecDeque<String>,
    /// The number of the first message kept.
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

/// Returns the message for a failed call.
pub fn message(name: &str, code: Code) -> String {
    format!("Returning {} ({code}) from {name}", code.0)
}

/// Stores a message. Returns the callbacks to call for it, so that the caller calls them without
/// the lock.
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

/// Returns the position of the next message.
pub fn end() -> u32 {
    let log = log();
    log.first + log.lines.len() as u32
}

/// Returns the messages from a position on (or all that are kept) in at most `room` bytes. If they
/// do not fit, it returns the newest ones after a line that states that messages are missing.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the position is behind the end, or if not even one message
/// fits.
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

/// Registers a callback for new messages. Returns its handle.
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

/// Unregisters a callback.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if no callback has this handle.
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
