//! The first fault of the process. It ends all contexts, on every device: their calls return its code, and no context can
//! be created any more. Work that was enqueued in other contexts before still runs. Recorded on two H100s (driver
//! 580.159.04, November 2026).

use std::ffi::{CStr, CString};
use std::sync::{OnceLock, RwLock, RwLockReadGuard};

use crate::abi::status::{Code, Result};
use cuda_emulator_engine::Unpoisoned;

/// A fault as the other contexts of the process return it.
pub struct FirstFault {
    pub code: Code,
    pub report: Option<&'static CStr>,
}

static FIRST: OnceLock<FirstFault> = OnceLock::new();

/// The first fault, if one has happened.
pub fn get() -> Option<&'static FirstFault> {
    FIRST.get()
}

/// Written while a fault ends the contexts.
static TURN: RwLock<()> = RwLock::new(());

/// Keeps a fault, if it is the first. Waits for the work that [postpones](postpone) it.
pub fn note(fault: impl FnOnce() -> FirstFault) {
    let _turn = TURN.write().unpoisoned();
    FIRST.get_or_init(fault);
}

/// Keeps a fault from ending other contexts, for work that must be over when their calls return its code.
pub fn postpone() -> RwLockReadGuard<'static, ()> {
    TURN.read().unpoisoned()
}

/// Whether a context can still be created.
///
/// # Errors
/// The code of the first fault.
pub fn check() -> Result {
    get().map_or(Ok(()), |first| Err(first.code))
}

/// A report that is never freed: a client may hold it for as long as it likes. A process has few of them.
pub fn kept(report: &str) -> Option<&'static CStr> {
    let report = CString::new(report).ok()?;
    Some(Box::leak(report.into_boxed_c_str()))
}
