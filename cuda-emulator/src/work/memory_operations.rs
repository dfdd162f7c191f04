//! Values in memory that streams wait for, or write.

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
use crate::queue::pending_host_memory::{HostAccess, Pending};
use crate::queue::stream::{How, Piece, Stream};

/// The most operations of a batch, as documented.
pub const MOST: u32 = 255;

/// Whether an address can be waited for or written to in stream order.
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

/// A wait or a write on a word of memory.
#[derive(Clone, Copy)]
enum Action {
    Wait(u32),
    Write,
}

/// Values are compared as `CU_STREAM_WAIT_VALUE_*` asks.
fn satisfied(kind: u32, current: u64, value: u64, wide: bool) -> bool {
    match kind {
        CU_STREAM_WAIT_VALUE_GEQ if wide => current.wrapping_sub(value) as i64 >= 0,
        CU_STREAM_WAIT_VALUE_GEQ => (current as u32).wrapping_sub(value as u32) as i32 >= 0,
        CU_STREAM_WAIT_VALUE_EQ => current == value,
        CU_STREAM_WAIT_VALUE_AND => current & value != 0,
        // NOR: ~(current | value) has a bit
        _ => !(current | value) & if wide { u64::MAX } else { u32::MAX.into() } != 0,
    }
}

/// An operation that has been checked.
#[derive(Clone)]
struct Word {
    action: Action,
    wide: bool,
    address: u64,
    value: u64,
    allocation: Arc<Allocation>,
}

/// Checks an operation; `None` for one that has nothing to do here.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an unknown operation, unknown flags, and for an address that isn't in an allocation
/// or not aligned; `CUDA_ERROR_NOT_SUPPORTED` for the flush of remote writes, as on an H200.
fn check(operation: &MemoryOperation) -> Result<Option<Word>> {
    let flags = operation.flags;
    let (wide, action) = match operation.operation {
        CU_STREAM_MEM_OP_WAIT_VALUE_32 => (false, Action::Wait(flags)),
        CU_STREAM_MEM_OP_WAIT_VALUE_64 => (true, Action::Wait(flags)),
        CU_STREAM_MEM_OP_WRITE_VALUE_32 => (false, Action::Write),
        CU_STREAM_MEM_OP_WRITE_VALUE_64 => (true, Action::Write),
        // The attribute CAN_FLUSH_REMOTE_WRITES says so.
        CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES => return Err(Code::ERROR_NOT_SUPPORTED),
        // Streams are in order as it is.
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
        // An H200 (driver 580) refuses CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER, too.
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
    /// One run of it.
    fn piece(self, context: &Arc<Context>, stream: &Stream) -> Piece {
        let Word {
            action,
            wide,
            address,
            value,
            allocation,
        } = self;
        let width = if wide { 8 } else { 4 };
        let pending = matches!(allocation.origin, Origin::Host | Origin::Registered)
            .then(|| Pending::new(stream, HostAccess::Word, address, width));
        let context = context.clone();
        let work = move || {
            let _pending = pending;
            if let Some(why) = allocation.trespass(&context, address) {
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
            // SAFETY: the word was just found in the table of allocations and is aligned; only atomics touch it here.
            let (small, large) =
                unsafe { (&*(address as *const AtomicU32), address as *const AtomicU64) };
            match action {
                Action::Write if wide => {
                    // SAFETY: as above, eight bytes long since `wide`.
                    unsafe { &*large }.store(value, Ordering::SeqCst);
                }
                Action::Write => small.store(value as u32, Ordering::SeqCst),
                Action::Wait(kind) => loop {
                    let current = if wide {
                        // SAFETY: as above, eight bytes long since `wide`.
                        unsafe { &*large }.load(Ordering::SeqCst)
                    } else {
                        small.load(Ordering::SeqCst).into()
                    };
                    if satisfied(kind, current, value, wide)
                        || context.own_fault().is_some()
                        || !context.is_alive()
                    {
                        break;
                    }
                    std::thread::sleep(Duration::from_micros(20));
                },
            }
            Ok(())
        };
        // A wait would keep a helping thread from doing what it waits for.
        Piece::new(How::ByWorker, Box::new(work))
    }
}

/// Operations that have been checked, as they were given too: what a stream is given, or a node.
#[derive(Clone)]
pub struct Words {
    pub given: Arc<[MemoryOperation]>,
    checked: Vec<Word>,
}

impl Words {
    /// # Errors
    /// What is wrong with the first operation that is refused.
    pub fn new(operations: &[MemoryOperation]) -> Result<Words> {
        let checked = operations.iter().map(check).filter_map(Result::transpose);
        Ok(Words {
            checked: checked.collect::<Result<_>>()?,
            given: operations.into(),
        })
    }

    /// One run of them.
    pub fn pieces(self, context: &Arc<Context>, stream: &Stream) -> Vec<Piece> {
        let checked = self.checked.into_iter();
        checked.map(|word| word.piece(context, stream)).collect()
    }
}
