//! Checkpoint and restore: moving the GPU state of a process to host memory, and back.
//!
//! While the state is in host memory, the process holds no GPU. Another process can use the GPU, or
//! a tool such as CRIU can write the process to disk. Usually another process makes the steps: it
//! [locks](Process::lock) the process, whose CUDA calls wait from then on,
//! [checkpoints](Process::checkpoint) it, later [restores](Process::restore) it, perhaps on another
//! GPU of the same type, and [unlocks](Process::unlock) it.
//!
//! This works only on Linux, with drivers for CUDA 12.8 and newer. To move the memory to your own
//! storage (CUDA 13.4), use raw calls.
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

/// A process that uses CUDA, identified by its process ID. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process(u32);

impl Process {
    /// Creates the object for a process ID. Only later calls check whether the process exists.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the state of the process.
    ///
    /// See [`cuCheckpointProcessGetState`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.8, or if the system does not allow checkpoints. This applies to all methods.
    /// Returns `CUDA_ERROR_OPERATING_SYSTEM` if the process does not exist, and
    /// `CUDA_ERROR_NOT_INITIALIZED` if it does not use CUDA.
    #[doc(alias = "cuCheckpointProcessGetState")]
    pub fn state(self) -> Result<ProcessState> {
        callback::reject_in_callback("cuCheckpointProcessGetState")?;
        let get = newer::cuCheckpointProcessGetState()?;
        let pid = self.pid()?;
        let mut state = 0;
        // SAFETY: `state` is valid for the write.
        self.check("cuCheckpointProcessGetState", unsafe {
            get(pid, &mut state)
        })?;
        Ok(ProcessState(state))
    }

    /// Returns the ID of the thread that restores the process. Tools that write a process to disk
    /// run this thread first.
    ///
    /// See [`cuCheckpointProcessGetRestoreThreadId`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessGetRestoreThreadId")]
    pub fn restore_thread(self) -> Result<u32> {
        callback::reject_in_callback("cuCheckpointProcessGetRestoreThreadId")?;
        let get = newer::cuCheckpointProcessGetRestoreThreadId()?;
        let pid = self.pid()?;
        let mut thread: c_int = 0;
        // SAFETY: `thread` is valid for the write.
        self.check("cuCheckpointProcessGetRestoreThreadId", unsafe {
            get(pid, &mut thread)
        })?;
        Ok(thread.unsigned_abs())
    }

    /// Locks the process: waits until its running CUDA calls have ended, and makes later calls
    /// wait. Without a timeout this waits as long as necessary. A process that locks itself can
    /// only make the CUDA calls of this module.
    ///
    /// See [`cuCheckpointProcessLock`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_ILLEGAL_STATE` if the process is not running, and `CUDA_ERROR_NOT_READY`
    /// after the timeout. Also returns the errors of [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessLock")]
    pub fn lock(self, timeout: Option<Duration>) -> Result<()> {
        callback::reject_in_callback("cuCheckpointProcessLock")?;
        let lock = newer::cuCheckpointProcessLock()?;
        let pid = self.pid()?;
        // 0 means no timeout.
        let timeout_ms = timeout.map_or(0, |time| {
            c_uint::try_from(time.as_millis().max(1)).unwrap_or(c_uint::MAX)
        });
        let mut arguments = RawLock {
            timeout_ms,
            reserved: [0; 15],
        };
        // SAFETY: the arguments are valid, and reserved fields are 0.
        self.check("cuCheckpointProcessLock", unsafe {
            lock(pid, &mut arguments)
        })
    }

    /// Moves the GPU state of a locked process to host memory, and frees the GPUs.
    ///
    /// See [`cuCheckpointProcessCheckpoint`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_ILLEGAL_STATE` if the process is not locked. Also returns the errors of
    /// [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessCheckpoint")]
    pub fn checkpoint(self) -> Result<()> {
        callback::reject_in_callback("cuCheckpointProcessCheckpoint")?;
        let checkpoint = newer::cuCheckpointProcessCheckpoint()?;
        let pid = self.pid()?;
        // SAFETY: there are no arguments.
        self.check("cuCheckpointProcessCheckpoint", unsafe {
            checkpoint(pid, ptr::null_mut())
        })
    }

    /// Moves the GPU state of a checkpointed process back. The process is locked afterwards.
    ///
    /// `onto` lists pairs of an old GPU and the new GPU of the same type that replaces it. If the
    /// list is not empty, it must name all GPUs that the process used.
    ///
    /// See [`cuCheckpointProcessRestore`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_ILLEGAL_STATE` if the process is not checkpointed. Also returns the
    /// errors of [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessRestore")]
    pub fn restore(self, onto: &[(Uuid, Uuid)]) -> Result<()> {
        callback::reject_in_callback("cuCheckpointProcessRestore")?;
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
        // SAFETY: the list has `count` pairs, and reserved fields are 0.
        self.check("cuCheckpointProcessRestore", unsafe {
            restore(pid, &mut arguments)
        })
    }

    /// Unlocks a locked process, which then continues.
    ///
    /// See [`cuCheckpointProcessUnlock`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CHECKPOINT.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_ILLEGAL_STATE` if the process is not locked. Also returns the errors of
    /// [`state`](Self::state).
    #[doc(alias = "cuCheckpointProcessUnlock")]
    pub fn unlock(self) -> Result<()> {
        callback::reject_in_callback("cuCheckpointProcessUnlock")?;
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
                format!("{} is not a valid process ID", self.0),
            )
        })
    }

    fn check(self, call: &'static str, code: CUresult) -> Result<()> {
        check(call, code).map_err(|error| match code {
            CUresult::CUDA_ERROR_ILLEGAL_STATE => {
                error.with_detail(format!("process {} is not in the required state", self.0))
            }
            CUresult::CUDA_ERROR_OPERATING_SYSTEM => error.with_detail(format!(
                "process {} does not exist, or belongs to another user",
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
