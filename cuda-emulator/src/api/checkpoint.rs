//! Checkpoint and restore of processes, which are not emulated. This process always reports that it
//! is running.

use crate::abi::CU_PROCESS_STATE_RUNNING;
use crate::abi::pointers::{Out, Word};
use crate::abi::status::{Code, Result};
use crate::process::call::export;
use crate::process::warnings;
use crate::system;

/// Checks that a process id is this process's.
///
/// # Errors
/// Returns `CUDA_ERROR_OPERATING_SYSTEM` if there is no such process, as an H200's driver (580)
/// does, and `CUDA_ERROR_NOT_SUPPORTED` for another process, whose state is unknown here.
fn expect_own(pid: i32) -> Result {
    match u32::try_from(pid) {
        Ok(pid) if pid == std::process::id() => Ok(()),
        Ok(pid) if system::is_running(pid) => {
            Err(warnings::missing_feature("a checkpoint of another process"))
        }
        _ => Err(Code::ERROR_OPERATING_SYSTEM),
    }
}

/// Rejects a call that needs another state than running.
fn reject_running(pid: i32) -> Result {
    expect_own(pid)?;
    Err(Code::ERROR_ILLEGAL_STATE)
}

export! {
    fn cuCheckpointProcessGetRestoreThreadId(pid: i32, tid: Out<i32>) {
        tid.check()?;
        expect_own(pid)?;
        Err(warnings::missing_feature("a checkpoint of a process"))
    }

    fn cuCheckpointProcessGetState(pid: i32, state: Out<u32>) {
        state.check()?;
        expect_own(pid)?;
        state.set(CU_PROCESS_STATE_RUNNING)
    }

    fn cuCheckpointProcessLock(pid: i32, args: Word) {
        expect_own(pid)?;
        Err(warnings::missing_feature("a checkpoint of a process"))
    }

    fn cuCheckpointProcessCheckpoint(pid: i32, args: Word) {
        reject_running(pid)
    }

    fn cuCheckpointProcessRestore(pid: i32, args: Word) {
        reject_running(pid)
    }

    fn cuCheckpointProcessUnlock(pid: i32, args: Word) {
        reject_running(pid)
    }
}
