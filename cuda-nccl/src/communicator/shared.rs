//! What any thread may do with a communicator: see how it is, and end it.

use std::sync::{Mutex, OnceLock, PoisonError, atomic::AtomicU64};

use cuda_safe::Context;

use super::{
    board::{Seat, Step},
    current::enter,
    options::CommunicatorOptions,
};
use crate::{
    error::{Error, Result},
    library::Library,
    result::NcclResult,
    sys,
};

/// What the watch sees of a communicator.
pub(super) struct Shared {
    pub(super) library: &'static Library,
    pub(super) context: Context,
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) options: CommunicatorOptions,
    pub(super) control: Mutex<Control>,
    /// Odd while a call of `work` is under way. The watch looks at it.
    pub(super) calls: AtomicU64,
    /// Why the communicator can't be used any more.
    pub(super) lost: OnceLock<String>,
    pub(super) seat: Seat,
}

/// The communicator that watches, null when it is gone.
pub(super) struct Control {
    pub(super) comm: sys::ncclComm_t,
}

// SAFETY: as [`Work`](super::inner::Work).
unsafe impl Send for Control {}

impl Shared {
    /// Who this is, for messages.
    pub(super) fn who(&self) -> String {
        format!("rank {} of {}", self.rank, self.size)
    }

    pub(super) fn lost_error(&self) -> Error {
        Error::Lost(
            self.lost
                .get()
                .cloned()
                .unwrap_or_else(|| format!("{}: the communicator has been finalised", self.who())),
        )
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Ends the communicator, from whatever thread: what it does on the device and on the host ends, in other threads too.
    /// The other ranks of this process end with it, as they can't go on: NCCL would let them compute nonsense. The first reason
    /// stays.
    #[cold]
    pub(super) fn lose(&self, why: String) -> Error {
        if self.lost.set(why.clone()).is_ok() {
            for other in self.seat.others() {
                if other.lost.set(why.clone()).is_ok() {
                    other.end_control(true);
                }
            }
        }
        self.end_control(true);
        self.seat.step(Step::Gone);
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
            // SAFETY: the communicator was taken from its place, so nobody else uses it, and it ends once.
            let _ = unsafe { end(comm) };
        }
    }

    /// What the call of `control` that is under way has come to.
    pub(super) fn control_state(&self) -> Result<NcclResult> {
        let ask = self.library.functions().ncclCommGetAsyncError;
        let ask = self.library.need("ncclCommGetAsyncError", ask)?;
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if control.comm.is_null() {
            return Err(self.lost_error());
        }
        let mut state = sys::ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is live, `state` is valid for the write.
        let asked = NcclResult(unsafe { ask(control.comm, &mut state) }.0);
        match asked {
            NcclResult::SUCCESS => Ok(NcclResult(state.0)),
            failed => Ok(failed),
        }
    }

    /// The communicator that only watches: for calls that make others of it. Null when it is gone.
    pub(super) fn with_control<R>(&self, call: impl FnOnce(sys::ncclComm_t) -> R) -> R {
        call(
            self.control
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .comm,
        )
    }
}
