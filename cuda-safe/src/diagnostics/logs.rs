//! The driver's messages about failed calls.
//!
//! Drivers for CUDA 12.9 and newer explain many failures in a sentence. You can listen to the
//! messages or read them later. The driver keeps some tens of kilobytes of them.
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
    raw::file::path_bytes,
};

type Function = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// The functions that are called, by number. The driver gets only a number, so a message that
/// arrives after a listener was dropped finds no function.
static LISTENERS: RwLock<Option<HashMap<usize, Function>>> = RwLock::new(None);

/// A guard for a function that receives the driver's messages, until it is dropped. See [`listen`].
#[must_use = "the function is called only as long as this lives"]
pub struct Listener {
    number: usize,
    raw: *mut c_void,
}

// SAFETY: the driver locks, and its handles can be used from any thread.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

/// Calls `function` with each message of the driver. The call happens on the thread that makes the
/// driver call, or on a driver thread, and possibly on several threads at the same time.
///
/// The function must not call CUDA, because the driver is in the middle of a call. Methods of this
/// crate return an error there. A panic in the function is caught. When you drop the listener, a
/// running call on another thread may still finish afterwards.
///
/// See [`cuLogsRegisterCallback`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in NVIDIA's manual.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older than
/// CUDA 12.9.
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
    callback::reject_in_callback("cuLogsRegisterCallback")?;
    let register = newer::cuLogsRegisterCallback()?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Before registering, because a message may arrive at once.
    LISTENERS
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert_default()
        .insert(number, Arc::new(function));
    let mut listener = Listener {
        number,
        raw: ptr::null_mut(),
    };
    // SAFETY: `forward` looks up the number, at any time and on any thread. The handle is valid for
    // the write.
    let code = unsafe {
        register(
            forward,
            ptr::without_provenance_mut(number),
            &mut listener.raw,
        )
    };
    check("cuLogsRegisterCallback", code)?; // on an error, dropping the listener removes the function
    Ok(listener)
}

/// Passes a message to the function of a number. The driver calls this.
///
/// # Safety
/// The caller must ensure that `message` is null or has `length` bytes.
unsafe extern "C" fn forward(
    number: *mut c_void,
    level: c_uint,
    message: *mut c_char,
    length: usize,
) {
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
        // SAFETY: guaranteed by this function's contract.
        unsafe { slice::from_raw_parts(message.cast::<u8>(), length) }
    };
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\0', '\n']);
    // Dropping the function here may run its destructor.
    callback::run(move || function(LogLevel(level), text));
}

impl Listener {
    /// Removes the listener now and returns the error that dropping would discard.
    ///
    /// See [`cuLogsUnregisterCallback`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) in a function that
    /// the driver calls. The listener then stays forever. Otherwise does not fail on a working
    /// driver.
    #[doc(alias = "cuLogsUnregisterCallback")]
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if !self.raw.is_null() {
            callback::reject_in_callback("cuLogsUnregisterCallback")?;
            let raw = std::mem::replace(&mut self.raw, ptr::null_mut());
            // SAFETY: the handle was registered, and not unregistered before.
            check("cuLogsUnregisterCallback", unsafe {
                newer::cuLogsUnregisterCallback()?(raw)
            })?;
        }
        let function = LISTENERS
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
            .and_then(|listeners| listeners.remove(&self.number));
        // Outside of the lock, because dropping it runs user code.
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

/// A position in the driver's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition(c_uint);

/// Returns the position after the last message so far.
///
/// See [`cuLogsCurrent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in NVIDIA's manual.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older than
/// CUDA 12.9. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) in a
/// function that the driver calls.
#[doc(alias = "cuLogsCurrent")]
pub fn position() -> Result<LogPosition> {
    callback::reject_in_callback("cuLogsCurrent")?;
    let mut position = 0;
    // SAFETY: `position` is valid for the write. There are no flags.
    check("cuLogsCurrent", unsafe {
        newer::cuLogsCurrent()?(&mut position, 0)
    })?;
    Ok(LogPosition(position))
}

/// Returns the messages since a position, one per line, and moves the position after them.
///
/// See [`cuLogsDumpToMemory`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in NVIDIA's manual.
///
/// # Errors
/// Returns the errors of [`position`].
#[doc(alias = "cuLogsDumpToMemory")]
pub fn since(position: &mut LogPosition) -> Result<String> {
    text(&raw mut position.0)
}

/// Returns all messages that the driver has kept, one per line.
///
/// See [`cuLogsDumpToMemory`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in NVIDIA's manual.
///
/// # Errors
/// Returns the errors of [`position`].
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

/// Returns messages as text. `position` must be null or valid for reads and writes.
fn text(position: *mut c_uint) -> Result<String> {
    /// The documented maximum size.
    const MOST: usize = 25_600;
    callback::reject_in_callback("cuLogsDumpToMemory")?;
    let dump = newer::cuLogsDumpToMemory()?;
    // Twice the announced size: with more messages than fit, driver 580 was seen to write some
    // lines too many.
    let mut bytes = vec![0u8; 2 * MOST];
    let mut size = MOST;
    // SAFETY: there is room for `size` bytes. `position` is valid as documented. There are no
    // flags.
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

/// Writes the messages since a position, or all messages, to a file, and moves the position after
/// them.
///
/// See [`cuLogsDumpToFile`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__LOGS.html) in NVIDIA's manual.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the file cannot be written. Returns
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the path contains a NUL,
/// and on Windows if it is not ASCII. Also returns the errors of [`position`].
#[doc(alias = "cuLogsDumpToFile")]
pub fn write_to(path: impl AsRef<Path>, since: Option<&mut LogPosition>) -> Result<()> {
    const CALL: &str = "cuLogsDumpToFile";
    callback::reject_in_callback(CALL)?;
    let path = path.as_ref();
    let invalid = |reason| Error::invalid(CALL, format!("{} {reason}", path.display()));
    let bytes = path_bytes(path.as_os_str()).map_err(invalid)?;
    let name = CString::new(bytes).map_err(|_| invalid("contains a NUL"))?;
    let since = since.map_or(ptr::null_mut(), |position| &raw mut position.0);
    let dump = newer::cuLogsDumpToFile()?;
    // SAFETY: the name ends with NUL. The position is null or valid for reads and writes. There are
    // no flags.
    let code = unsafe { dump(since, name.as_ptr(), 0) };
    check(CALL, code)
        .map_err(|error| error.with_detail(format!("while writing to {}", path.display())))
}
