//! The first fault of the process.
//!
//! It ends all contexts on every device: their calls return its code, and no context can be created
//! any more. Work that was already enqueued in other contexts still runs. Recorded on two H100s
//! (driver 580.159.04, November 2026).

use std::ffi::{CStr, CString};
use std::sync::{OnceLock, RwLock, RwLockReadGuard};

use crate::abi::status::{Code, Result};
use cuda_emulator_engine::Unpoisoned;

/// A fault as other contexts of the process return it.
pub struct FirstFault {
    pub code: Code,
    pub report: Option<&'static CStr>,
}

static FIRST: OnceLock<FirstFault> = OnceLock::new();

/// Returns the first fault, if one has happened.
pub fn get() -> Option<&'static FirstFault> {
    FIRST.get()
}

/// Write-locked while a fault ends the contexts.
static TURN: RwLock<()> = RwLock::new(());

/// Stores a fault if it is the first. Waits for work that [postpones](postpone) faults.
pub fn note(fault: impl FnOnce() -> FirstFault) {
    let _turn = TURN.write().unpoisoned();
    FIRST.get_or_init(fault);
}

/// Keeps faults from ending other contexts while the guard exists, for work that must be finished
/// when their calls start to return the fault's code.
pub fn postpone() -> RwLockReadGuard<'static, ()> {
    TURN.read().unpoisoned()
}

/// Checks that a context can still be created.
///
/// # Errors
/// Returns the code of the first fault, if there was one.
pub fn check() -> Result {
    get().map_or(Ok(()), |first| Err(first.code))
}

/// Copies a report into memory that is never freed, because a client may keep the pointer. A
/// process has few reports.
pub fn into_static(report: &str) -> Option<&'static CStr> {
    let report = CString::new(report).ok()?;
    Some(Box::leak(report.into_boxed_c_str()))
}
