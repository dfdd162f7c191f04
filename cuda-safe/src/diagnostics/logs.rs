//! What the driver says about calls that fail: messages for people, beside the codes.
//!
//! Drivers of CUDA 12.9 and newer explain many failures in a sentence. The messages can be listened to, or read
//! afterwards; the driver keeps some tens of kilobytes of them.
//!
//! ```
//! use cuda_safe::{ErrorKind, logs};
//!
//! # fn main() -> cuda_safe::Result<()> {
//! let mut position = match logs::position() {
//!     Ok(position) => position,
//!     Err(error) if *error.kind() == ErrorKind::Unsupported => return Ok(()), // an older driver
//!     Err(error) => return Err(error),
//! };
//! // ... calls, of which some fail ...
//! print!("{}", logs::since(&mut position)?);
//! # Ok(())
//! # }
//! ```

use std::{
    collections::HashMap,
    ffi::{CStr, CString, c_char, c_uint, c_void},
    fmt,
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr, slice,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
};

pub use crate::raw::diagnostics::LogLevel;
use crate::{
    driver::{callback, check, newer},
    error::{Error, Result},
};

type Function = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// The functions that are called, by number: the driver gets a number, so that a message that comes late, when a listener
/// is gone, finds nothing.
static LISTENERS: RwLock<Option<HashMap<usize, Function>>> = RwLock::new(None);

/// A function that the driver's messages go to, until this is dropped: see [`listen`].
#[must_use = "the function is called only as long as this lives"]
pub struct Listener {
    number: usize,
    raw: *mut c_void,
}

// SAFETY: the driver locks, and handles of it may be used from any thread.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

/// Has `function` called with each message, on the thread that makes the call, or on one of the driver's: perhaps on
/// several threads at the same time.
///
/// The function must not call CUDA, since the driver is in the middle of a call. Methods of this crate return an error
/// there. A panic in it goes no further. When the listener is dropped, a call that is under way on another thread may
/// still be finished afterwards.
///
/// # Errors
/// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.9.
///
/// ```
/// use std::sync::mpsc;
/// use cuda_safe::{Context, logs};
///
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let (sender, receiver) = mpsc::channel();
/// let listener = logs::listen(move |level, message| {
///     let _ = sender.send((level, message.to_owned()));
/// });
/// # let Ok(listener) = listener else { return Ok(()) };
/// // ... calls, of which some fail ...
/// listener.close()?;
/// for (level, message) in receiver {
///     println!("{level:?}: {message}");
/// }
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuLogsRegisterCallback")]
pub fn listen(function: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Result<Listener> {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    callback::refuse_within("cuLogsRegisterCallback")?;
    let register = newer::cuLogsRegisterCallback()?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Before the driver knows of it: a message may come at once.
    LISTENERS
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert_default()
        .insert(number, Arc::new(function));
    let mut listener = Listener {
        number,
        raw: ptr::null_mut(),
    };
    // SAFETY: `told` takes the number for what it is, at any time and on any thread; the handle is valid for the write.
    let code = unsafe { register(told, ptr::without_provenance_mut(number), &mut listener.raw) };
    check("cuLogsRegisterCallback", code)?; // dropping the listener forgets the function
    Ok(listener)
}

/// What the driver calls.
///
/// # Safety
/// `message` is null, or has `length` bytes.
unsafe extern "C" fn told(number: *mut c_void, level: c_uint, message: *mut c_char, length: usize) {
    let function = LISTENERS
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|listeners| listeners.get(&number.addr()).cloned());
    let Some(function) = function else {
        return;
    };
    let bytes = if message.is_null() {
        &[][..]
    } else {
        // SAFETY: as this function's contract says.
        unsafe { slice::from_raw_parts(message.cast::<u8>(), length) }
    };
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\0', '\n']);
    // The last hold may be this one.
    callback::run(move || function(LogLevel(level), text));
}

impl Listener {
    /// Ends it now, and reports whether that worked. Dropping does the same, and discards the error.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) in a function that the driver calls: the
    /// listener then goes on for ever. None otherwise that a working driver returns.
    #[doc(alias = "cuLogsUnregisterCallback")]
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if !self.raw.is_null() {
            callback::refuse_within("cuLogsUnregisterCallback")?;
            let raw = std::mem::replace(&mut self.raw, ptr::null_mut());
            // SAFETY: registered, and not given back before.
            check("cuLogsUnregisterCallback", unsafe {
                newer::cuLogsUnregisterCallback()?(raw)
            })?;
        }
        let function = LISTENERS
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
            .and_then(|listeners| listeners.remove(&self.number));
        // Outside of the lock: it is the user's.
        drop(function);
        Ok(())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listener({})", self.number)
    }
}

/// A place among the messages: what comes after it has not been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition(c_uint);

/// Returns the position behind the last message so far.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.9, and
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) in a function that the driver calls.
#[doc(alias = "cuLogsCurrent")]
pub fn position() -> Result<LogPosition> {
    callback::refuse_within("cuLogsCurrent")?;
    let mut position = 0;
    // SAFETY: `position` is valid for the write; there are no flags.
    check("cuLogsCurrent", unsafe {
        newer::cuLogsCurrent()?(&mut position, 0)
    })?;
    Ok(LogPosition(position))
}

/// The messages since a position, one a line. The position moves behind them.
///
/// # Errors
/// As [`position`].
#[doc(alias = "cuLogsDumpToMemory")]
pub fn since(position: &mut LogPosition) -> Result<String> {
    text(&raw mut position.0)
}

/// All messages that the driver has kept, one a line.
///
/// # Errors
/// As [`position`].
///
/// ```
/// # use cuda_safe::logs;
/// # fn main() -> cuda_safe::Result<()> {
/// # if logs::position().is_err() { return Ok(()); }
/// let all = logs::all()?;
/// println!("{} messages", all.lines().count());
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuLogsDumpToMemory")]
pub fn all() -> Result<String> {
    text(ptr::null_mut())
}

/// `position` is null or valid for reads and writes.
fn text(position: *mut c_uint) -> Result<String> {
    /// The most that the driver gives, as documented.
    const MOST: usize = 25_600;
    callback::refuse_within("cuLogsDumpToMemory")?;
    let dump = newer::cuLogsDumpToMemory()?;
    // More room than is told: where there are more messages than fit, driver 580 was seen to write some lines too many.
    let mut bytes = vec![0u8; 2 * MOST];
    let mut size = MOST;
    // SAFETY: there is room for as many bytes as are said; `position` as documented here. There are no flags.
    check("cuLogsDumpToMemory", unsafe {
        dump(position, bytes.as_mut_ptr().cast(), &mut size, 0)
    })?;
    bytes.truncate(size);
    if let Ok(text) = CStr::from_bytes_until_nul(&bytes) {
        let end = text.to_bytes().len();
        bytes.truncate(end);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes the messages since a position, or all of them, to a file. The position moves behind them.
///
/// # Errors
/// As [`position`]. `CUDA_ERROR_INVALID_VALUE` where the file can't be written.
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a path with a NUL.
#[doc(alias = "cuLogsDumpToFile")]
pub fn write_to(path: impl AsRef<Path>, since: Option<&mut LogPosition>) -> Result<()> {
    const CALL: &str = "cuLogsDumpToFile";
    callback::refuse_within(CALL)?;
    let path = path.as_ref();
    let name = CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Error::invalid(CALL, format!("{} contains a NUL", path.display())))?;
    let since = since.map_or(ptr::null_mut(), |position| &raw mut position.0);
    let dump = newer::cuLogsDumpToFile()?;
    // SAFETY: the name ends with NUL; the position is null or valid for reads and writes. There are no flags.
    let code = unsafe { dump(since, name.as_ptr(), 0) };
    check(CALL, code).map_err(|error| error.with_detail(format!("to {}", path.display())))
}
