//! The part of a communicator that any thread may use: its status, and its abort.

use std::{
    sync::{Mutex, OnceLock, PoisonError, atomic::AtomicU64},
    time::Duration,
};

use cuda_safe::Context;

use super::{
    board::{Membership, Step},
    current::enter,
    options::CommunicatorOptions,
};
use crate::{
    error::{Error, Result},
    library::Library,
    notice::{self, rounded},
    result::NcclResult,
    sys,
};

/// The part of a communicator that the watch thread uses.
pub(super) struct Shared {
    pub(super) library: &'static Library,
    pub(super) context: Context,
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) options: CommunicatorOptions,
    pub(super) control: Mutex<Control>,
    /// Odd while a call of `work` is in progress. The watch thread reads it.
    pub(super) calls: AtomicU64,
    /// The reason why the communicator is unusable.
    pub(super) lost: OnceLock<String>,
    pub(super) membership: Membership,
}

/// The communicator that only watches and aborts. Null after its end.
pub(super) struct Control {
    pub(super) comm: sys::ncclComm_t,
}

// SAFETY: see [`Work`](super::inner::Work).
unsafe impl Send for Control {}

impl Shared {
    /// Returns the rank's name for messages.
    pub(super) fn who(&self) -> String {
        format!("rank {} of {}", self.rank, self.size)
    }

    /// Prints a notice about a long wait. No rank knows which other rank it waits for.
    #[cold]
    pub(super) fn notify(&self, what: &str, waited: Duration) {
        notice::print(&waiting(&self.who(), what, waited, self.options.timeout));
    }

    pub(super) fn lost_error(&self) -> Error {
        Error::Lost(
            self.lost
                .get()
                .cloned()
                .unwrap_or_else(|| format!("{}: the communicator has been finalized", self.who())),
        )
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Ends the communicator from any thread. Its work on the device and on the host ends, also in
    /// other threads.
    ///
    /// The other ranks of this process end too, because they cannot continue: NCCL would let them
    /// compute wrong results. The first reason is kept.
    #[cold]
    pub(super) fn lose(&self, why: String) -> Error {
        if self.lost.set(why.clone()).is_ok() {
            for other in self.membership.others() {
                if other.lost.set(why.clone()).is_ok() {
                    other.end_control(true);
                }
            }
        }
        self.end_control(true);
        self.membership.step(Step::Ended);
        self.lost_error()
    }

    pub(super) fn end_control(&self, abort: bool) {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let comm = std::mem::replace(&mut control.comm, std::ptr::null_mut());
        self.end(comm, abort);
    }

    pub(super) fn end(&self, comm: sys::ncclComm_t, abort: bool) {
        if comm.is_null() {
            return;
        }
        let _current = enter(&self.context);
        let functions = self.library.functions();
        let end = match abort {
            true => functions.ncclCommAbort,
            false => functions.ncclCommDestroy,
        };
        if let Some(end) = end {
            // SAFETY: the communicator was taken from its place, so nothing else uses it, and it is
            // ended once.
            let _ = unsafe { end(comm) };
        }
    }

    /// Returns the state of the call of `control` that is in progress.
    pub(super) fn control_state(&self) -> Result<NcclResult> {
        let ask = self.library.functions().ncclCommGetAsyncError;
        let ask = self.library.need("ncclCommGetAsyncError", ask)?;
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if control.comm.is_null() {
            return Err(self.lost_error());
        }
        let mut state = sys::ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is live, and `state` is valid for the write.
        let asked = NcclResult(unsafe { ask(control.comm, &mut state) }.0);
        match asked {
            NcclResult::SUCCESS => Ok(NcclResult(state.0)),
            failed => Ok(failed),
        }
    }

    /// Passes the watching communicator, from which others can be created, to `call`. It is null
    /// after its end.
    pub(super) fn with_control<R>(&self, call: impl FnOnce(sys::ncclComm_t) -> R) -> R {
        call(
            self.control
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .comm,
        )
    }
}

/// Returns the notice of a rank that waits long.
pub(super) fn waiting(who: &str, what: &str, waited: Duration, limit: Duration) -> String {
    format!(
        "{who} has waited {:?} for {what}. It fails after {:?} (CommunicatorOptions::timeout). Another rank may be late, have \
         ended, or make different calls",
        rounded(waited),
        rounded(limit)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notice_names_rank_and_limit() {
        let (waited, limit) = (Duration::from_secs(20) / 3, Duration::from_secs(40));
        assert_eq!(
            waiting("rank 0 of 2", "a call", waited, limit),
            "rank 0 of 2 has waited 6.7s for a call. It fails after 40s (CommunicatorOptions::timeout). Another rank may be late, \
             have ended, or make different calls"
        );
    }
}
