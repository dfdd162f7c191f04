//! Checkpoint and restore: what a process has on its GPUs moves to the host's memory, and back.
//!
//! While it is there, the process holds no GPU: another one can use it, or a tool such as CRIU can write the process to
//! disk. The steps are for one process, often another one: it is [locked](Process::lock), its CUDA calls wait from then
//! on, [checkpointed](Process::checkpoint), later [restored](Process::restore), perhaps on another GPU of the same
//! type, and [unlocked](Process::unlock).
//!
//! Linux only, for drivers of CUDA 12.8 and newer. Moving the memory to a storage of one's own (CUDA 13.4) is left to
//! raw calls.
//!
//! ```
//! use std::time::Duration;
//! use cuda_safe::checkpoint::{Process, ProcessState};
//!
//! /// Frees the GPU while `work` is done.
//! fn suspended(process: u32, work: impl FnOnce()) -> cuda_safe::Result<()> {
//!     let process = Process::new(process);
//!     process.lock(Some(Duration::from_secs(10)))?;
//!     process.checkpoint()?;
//!     assert_eq!(process.state()?, ProcessState::CHECKPOINTED);
//!     work();
//!     process.restore(&[])?;
//!     process.unlock()
//! }
//! ```

use std::{
    ffi::{c_int, c_uint},
    ptr,
    time::Duration,
};

use cuda_sys::CUresult;

pub use crate::raw::diagnostics::ProcessState;
use crate::{
    device::Uuid,
    driver::{callback, check, newer},
    error::{Error, Result, report::report},
    raw::structures::{RawLock, RawPair, RawRestore},
};

/// A process that uses CUDA, by its number. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process(u32);

impl Process {
    /// The process of this number. That there is one shows when a method is called.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The state that the process is in.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.8, also of all other
    /// methods, and where the system does not allow checkpoints. `CUDA_ERROR_OPERATING_SYSTEM` where there is no such
    /// process, `CUDA_ERROR_NOT_INITIALIZED` where it does not use CUDA.
    #[doc(alias = "cuCheckpointProcessGetState")]
    pub fn state(self) -> Result<ProcessState> {
        callback::refuse_within("cuCheckpointProcessGetState")?;
        let get = newer::cuCheckpointProcessGetState()?;
        let pid = self.pid()?;
        let mut state = 0;
        // SAFETY: `state` is valid for the write.
        self.check("cuCheckpointProcessGetState", unsafe {
            get(pid, &mut state)
        })?;
        Ok(ProcessState(state))
    }

    /// The number of the thread that restores the process: tools that write a process to disk let it run first.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessGetRestoreThreadId")]
    pub fn restore_thread(self) -> Result<u32> {
        callback::refuse_within("cuCheckpointProcessGetRestoreThreadId")?;
        let get = newer::cuCheckpointProcessGetRestoreThreadId()?;
        let pid = self.pid()?;
        let mut thread: c_int = 0;
        // SAFETY: `thread` is valid for the write.
        self.check("cuCheckpointProcessGetRestoreThreadId", unsafe {
            get(pid, &mut thread)
        })?;
        Ok(thread.unsigned_abs())
    }

    /// Has the process's CUDA calls wait from now on, when those under way have ended. Without a timeout this waits as
    /// long as that takes. A process that locks itself can make no CUDA calls but those of this module.
    ///
    /// # Errors
    /// `CUDA_ERROR_ILLEGAL_STATE` where it is not running, `CUDA_ERROR_NOT_READY` after the timeout; otherwise as
    /// [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessLock")]
    pub fn lock(self, timeout: Option<Duration>) -> Result<()> {
        callback::refuse_within("cuCheckpointProcessLock")?;
        let lock = newer::cuCheckpointProcessLock()?;
        let pid = self.pid()?;
        // 0 is none.
        let timeout_ms = timeout.map_or(0, |time| {
            c_uint::try_from(time.as_millis().max(1)).unwrap_or(c_uint::MAX)
        });
        let mut arguments = RawLock {
            timeout_ms,
            reserved: [0; 15],
        };
        // SAFETY: the arguments are valid, and what is reserved is 0.
        self.check("cuCheckpointProcessLock", unsafe {
            lock(pid, &mut arguments)
        })
    }

    /// Moves what a locked process has on its GPUs to the host's memory, and frees the GPUs.
    ///
    /// # Errors
    /// `CUDA_ERROR_ILLEGAL_STATE` where it is not locked; otherwise as [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessCheckpoint")]
    pub fn checkpoint(self) -> Result<()> {
        callback::refuse_within("cuCheckpointProcessCheckpoint")?;
        let checkpoint = newer::cuCheckpointProcessCheckpoint()?;
        let pid = self.pid()?;
        // SAFETY: there are no arguments.
        self.check("cuCheckpointProcessCheckpoint", unsafe {
            checkpoint(pid, ptr::null_mut())
        })
    }

    /// Moves what a checkpointed process had on GPUs back. It is locked then. `onto` says, by pairs of old and new, which
    /// GPU of the same type takes the place of which; if it is not empty, it names all that the process used.
    ///
    /// # Errors
    /// `CUDA_ERROR_ILLEGAL_STATE` where it is not checkpointed; otherwise as [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessRestore")]
    pub fn restore(self, onto: &[(Uuid, Uuid)]) -> Result<()> {
        callback::refuse_within("cuCheckpointProcessRestore")?;
        let restore = newer::cuCheckpointProcessRestore()?;
        let pid = self.pid()?;
        let pairs = onto.iter().map(|(old, new)| RawPair {
            old: old.0,
            new: new.0,
        });
        let mut pairs: Vec<_> = pairs.collect();
        let mut arguments = RawRestore {
            pairs: if pairs.is_empty() {
                ptr::null_mut()
            } else {
                pairs.as_mut_ptr()
            },
            count: pairs.len() as c_uint,
            reserved: [0; 44],
            reserved1: 0,
        };
        // SAFETY: as many pairs as are said; what is reserved is 0.
        self.check("cuCheckpointProcessRestore", unsafe {
            restore(pid, &mut arguments)
        })
    }

    /// Has a locked process go on.
    ///
    /// # Errors
    /// `CUDA_ERROR_ILLEGAL_STATE` where it is not locked; otherwise as [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessUnlock")]
    pub fn unlock(self) -> Result<()> {
        callback::refuse_within("cuCheckpointProcessUnlock")?;
        let unlock = newer::cuCheckpointProcessUnlock()?;
        let pid = self.pid()?;
        // SAFETY: there are no arguments.
        self.check("cuCheckpointProcessUnlock", unsafe {
            unlock(pid, ptr::null_mut())
        })
    }

    fn pid(self) -> Result<c_int> {
        c_int::try_from(self.0).map_err(|_| {
            Error::invalid(
                "checkpoint::Process",
                format!("{} is no number of a process", self.0),
            )
        })
    }

    fn check(self, call: &'static str, code: CUresult) -> Result<()> {
        check(call, code).map_err(|error| match code {
            CUresult::CUDA_ERROR_ILLEGAL_STATE => {
                error.with_detail(format!("process {} is in another state", self.0))
            }
            CUresult::CUDA_ERROR_OPERATING_SYSTEM => error.with_detail(format!(
                "there is no process {}, or it is not this user's",
                self.0
            )),
            CUresult::CUDA_ERROR_NOT_INITIALIZED => {
                error.with_detail(format!("process {} does not use CUDA", self.0))
            }
            // The emulator's reason is part of the error already.
            CUresult::CUDA_ERROR_NOT_SUPPORTED if report(ptr::null_mut()).is_none() => error
                .with_detail("this system does not allow checkpoints of processes that use CUDA"),
            _ => error,
        })
    }
}
