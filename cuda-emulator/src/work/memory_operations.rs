//! Stream memory operations: values in memory that streams wait for or write.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::address_report;
use crate::memory::allocations::{self, Allocation};
use crate::memory::origin::Origin;
use crate::process::context::Context;
use crate::queue::fault::Fault;
use crate::queue::happens_before;
use crate::queue::pending_host_memory::{HostAccess, Pending};
use crate::queue::stream::{How, Piece, Stream};

/// Maximum operations per batch, as documented by NVIDIA.
pub const MOST: u32 = 255;

/// Checks that a stream may wait for or write a word.
fn check_word(address: u64, width: u64) -> Result<Arc<Allocation>> {
    if !address.is_multiple_of(width) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let allocation = allocations::check(address, width)?;
    match allocation.origin {
        // As recorded on an H200 (driver 580).
        Origin::Stream | Origin::Managed => Err(Code::ERROR_INVALID_VALUE),
        _ => Ok(allocation),
    }
}

/// A wait for or a write of a word of memory.
#[derive(Clone, Copy)]
enum Action {
    Wait(u32),
    Write,
}

/// Compares values as `CU_STREAM_WAIT_VALUE_*` specifies.
fn satisfied(kind: u32, current: u64, value: u64, wide: bool) -> bool {
    match kind {
        CU_STREAM_WAIT_VALUE_GEQ if wide => current.wrapping_sub(value) as i64 >= 0,
        CU_STREAM_WAIT_VALUE_GEQ => (current as u32).wrapping_sub(value as u32) as i32 >= 0,
        CU_STREAM_WAIT_VALUE_EQ => current == value,
        CU_STREAM_WAIT_VALUE_AND => current & value != 0,
        // NOR: `~(current | value)` has a bit set.
        _ => !(current | value) & if wide { u64::MAX } else { u32::MAX.into() } != 0,
    }
}

/// A checked operation.
#[derive(Clone)]
struct Word {
    action: Action,
    wide: bool,
    address: u64,
    value: u64,
    allocation: Arc<Allocation>,
}

/// Checks an operation. Returns `None` if it has no effect here.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for an unknown operation, for unknown flags, and for an
/// address that is misaligned or not in an allocation. Returns `CUDA_ERROR_NOT_SUPPORTED` for the
/// flush of remote writes, as an H200 does.
fn check(operation: &MemoryOperation) -> Result<Option<Word>> {
    let flags = operation.flags;
    let (wide, action) = match operation.operation {
        CU_STREAM_MEM_OP_WAIT_VALUE_32 => (false, Action::Wait(flags)),
        CU_STREAM_MEM_OP_WAIT_VALUE_64 => (true, Action::Wait(flags)),
        CU_STREAM_MEM_OP_WRITE_VALUE_32 => (false, Action::Write),
        CU_STREAM_MEM_OP_WRITE_VALUE_64 => (true, Action::Write),
        // Matches the attribute CAN_FLUSH_REMOTE_WRITES.
        CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES => return Err(Code::ERROR_NOT_SUPPORTED),
        // Streams execute in order anyway.
        CU_STREAM_MEM_OP_BARRIER => {
            return match operation.scope <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU {
                true => Ok(None),
                false => Err(Code::ERROR_INVALID_VALUE),
            };
        }
        _ => return Err(Code::ERROR_INVALID_VALUE),
    };
    match action {
        Action::Wait(kind)
            if kind & !(CU_STREAM_WAIT_VALUE_NOR | CU_STREAM_WAIT_VALUE_FLUSH) != 0 =>
        {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Action::Wait(kind) if kind & CU_STREAM_WAIT_VALUE_FLUSH != 0 => {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        // An H200 (driver 580) rejects CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER, too.
        Action::Write if flags != CU_STREAM_WRITE_VALUE_DEFAULT => {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        _ => {}
    }
    let width = if wide { 8 } else { 4 };
    let (address, value) = match wide {
        true => (operation.address, operation.value),
        false => (operation.address, operation.value & u64::from(u32::MAX)),
    };
    let allocation = check_word(address, width)?;
    Ok(Some(Word {
        action,
        wide,
        address,
        value,
        allocation,
    }))
}

impl Word {
    /// Returns the stream work of one run.
    fn piece(self, context: &Arc<Context>, stream: &Stream) -> Piece {
        let Word {
            action,
            wide,
            address,
            value,
            allocation,
        } = self;
        let width = if wide { 8 } else { 4 };
        let pending = matches!(allocation.origin, Origin::Host(_) | Origin::Registered)
            .then(|| Pending::new(stream, HostAccess::Word, address, width));
        let context = context.clone();
        let work = move || {
            let _pending = pending;
            if let Some(why) = allocation.foreign_access(&context, address) {
                let report = format!("in a stream memory operation at {address:#x}\n{why}");
                return Err(Fault::new(Code::ERROR_ILLEGAL_ADDRESS, report));
            }
            if allocations::check(address, width).is_err() {
                return Err(Fault::new(
                    Code::ERROR_ILLEGAL_ADDRESS,
                    format!(
                        "  in a stream memory operation at {address:#x}: {}",
                        address_report::explain(address, 4)
                    ),
                ));
            }
            // SAFETY: the word was just found in the table of allocations and is aligned. Only
            // atomics access it here.
            let (small, large) =
                unsafe { (&*(address as *const AtomicU32), address as *const AtomicU64) };
            match action {
                Action::Write if wide => {
                    // SAFETY: as above, eight bytes because of `wide`.
                    unsafe { &*large }.store(value, Ordering::SeqCst);
                }
                Action::Write => small.store(value as u32, Ordering::SeqCst),
                Action::Wait(kind) => loop {
                    let current = if wide {
                        // SAFETY: as above, eight bytes because of `wide`.
                        unsafe { &*large }.load(Ordering::SeqCst)
                    } else {
                        small.load(Ordering::SeqCst).into()
                    };
                    if satisfied(kind, current, value, wide)
                        || context.own_fault().is_some()
                        || !context.is_alive()
                    {
                        happens_before::acquire_all();
                        break;
                    }
                    std::thread::sleep(Duration::from_micros(20));
                },
            }
            Ok(())
        };
        // A wait on a helping thread would keep that thread from doing the work it waits for.
        Piece::new(How::ByWorker, Box::new(work))
    }
}

/// Checked operations together with the client's parameters, from a stream call or a node.
#[derive(Clone)]
pub struct Words {
    pub given: Arc<[MemoryOperation]>,
    checked: Vec<Word>,
}

impl Words {
    /// Checks operations.
    ///
    /// # Errors
    /// Returns the error of the first invalid operation.
    pub fn new(operations: &[MemoryOperation]) -> Result<Words> {
        let checked = operations.iter().map(check).filter_map(Result::transpose);
        Ok(Words {
            checked: checked.collect::<Result<_>>()?,
            given: operations.into(),
        })
    }

    /// Returns the stream work of one run.
    pub fn pieces(self, context: &Arc<Context>, stream: &Stream) -> Vec<Piece> {
        let checked = self.checked.into_iter();
        checked.map(|word| word.piece(context, stream)).collect()
    }
}
