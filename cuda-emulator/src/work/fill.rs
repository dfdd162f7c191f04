//! Fills, which are checked during the call and run in stream order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::copy::{self, Claim, Extent, Place, Side, Work};
use crate::abi::status::{Code, Result};
use crate::memory::access_set::{Access, AccessSet};
use crate::memory::origin::Origin;
use crate::memory::pool::Pool;
use crate::memory::recorded_work::WorkKind;
use crate::memory::stream_races;
use crate::memory::write_tracking;
use crate::process::context::Context;
use crate::queue::pending_host_memory::{HostAccess, Pending};
use crate::queue::stream::{How, Piece, Stream};

/// A fill of `extent` (elements per row, rows) with an element of 1, 2 or 4 bytes.
#[derive(Clone, Copy)]
pub struct Fill {
    pub address: u64,
    pub pitch: u64,
    pub value: u32,
    pub width: u64,
    pub extent: [u64; 2],
}

/// A checked fill, from a stream call or a memset node.
#[derive(Clone, Copy)]
pub struct CheckedFill {
    pub fill: Fill,
    side: Side,
    bytes: Extent,
    place: Place,
    /// Id of the context that owns the memory.
    owner: u64,
    /// Whether it is memory of another device without write access.
    is_closed: bool,
}

impl Fill {
    /// Checks the fill for work of a context. Returns `None` if there is nothing to fill.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory does not exist, is not aligned to the
    /// element, or is a variable of another context's module.
    pub fn check(self, context: &Context) -> Result<Option<CheckedFill>> {
        let Fill {
            address,
            pitch,
            width,
            extent,
            ..
        } = self;
        if address % width != 0 || extent[1] > 1 && pitch % width != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if extent.contains(&0) {
            return Ok(None);
        }
        let row = extent[0]
            .checked_mul(width)
            .ok_or(Code::ERROR_INVALID_VALUE)?;
        if extent[1] > 1 && pitch < row {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let side = Side {
            address,
            pitch,
            slice: 0,
            claim: Claim::Unified,
            context: None,
        };
        let bytes = [row, extent[1], 1];
        let (place, allocation) = copy::locate(&side, bytes)?;
        let one = allocation.ok_or(Code::ERROR_INVALID_VALUE)?;
        let in_reach = |pool: &Pool| !pool.is_on_host() || pool.allows(context.ordinal);
        if !one.writable || !one.pool.as_deref().is_none_or(in_reach) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        copy::expect_allowed(&side, bytes, Some(&one), true)?;
        // As on an H200. Other memory of another context can be filled.
        if matches!(one.origin, Origin::Variable(_))
            && one.is_foreign_to(context)
            && one.foreign_access(context, address).is_none()
        {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(Some(CheckedFill {
            fill: self,
            side,
            bytes,
            place,
            owner: one.context.id,
            is_closed: one.is_closed_to_fills(context),
        }))
    }
}

impl CheckedFill {
    /// Checks the access of a stream call. Nodes are not checked.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` for memory of another device that the context may not
    /// write, as an H200 does (driver 580).
    pub fn expect_open(&self) -> Result {
        match self.is_closed {
            true => Err(Code::ERROR_INVALID_VALUE),
            false => Ok(()),
        }
    }

    /// Enqueues the fill on a stream. A fill of page-locked host memory is done when the call
    /// returns. Other fills are asynchronous.
    ///
    /// # Errors
    /// Returns the sticky error after a fault.
    pub fn submit(self, stream: &Arc<Stream>) -> Result {
        let piece = Piece {
            how: How::AtOnce,
            ..self.piece(&stream.context, stream)
        };
        let mark = stream.submit(piece);
        if self.place == Place::PageLocked {
            mark.wait_for_client();
            mark.show_host();
        }
        stream.context.usable()
    }

    /// Returns whether both fill the same kind of memory of the same context.
    pub fn is_like(&self, other: &CheckedFill) -> bool {
        (self.place, self.owner) == (other.place, other.owner)
    }

    /// Returns the stream work of one run.
    pub fn piece(self, context: &Arc<Context>, stream: &Stream) -> Piece {
        let CheckedFill {
            fill,
            side,
            bytes,
            place,
            ..
        } = self;
        let pending = (place != Place::Device).then(|| {
            let length = copy::span(&side, bytes).expect("checked at the call");
            Pending::new(stream, HostAccess::Fill, fill.address, length)
        });
        let work = Work {
            context: context.clone(),
            stream: stream.handle,
        };
        let run = move || {
            let _pending = pending;
            work.present(&side, bytes, true)?;
            for y in 0..fill.extent[1] {
                let start = fill.address + y * fill.pitch;
                // SAFETY: the range was just found in the table of allocations, and the arena stays
                // mapped. It is aligned to the element.
                unsafe {
                    let count = fill.extent[0] as usize;
                    match fill.width {
                        1 => std::ptr::write_bytes(start as *mut u8, fill.value as u8, count),
                        2 => std::slice::from_raw_parts_mut(start as *mut u16, count)
                            .fill(fill.value as u16),
                        _ => fill_words(start as *mut u32, count, fill.value),
                    }
                }
                write_tracking::note_write(start, bytes[0]);
            }
            stream_races::record(WorkKind::Fill(bytes[0] * bytes[1]), || {
                let mut accesses = AccessSet::default();
                copy::add_rows(&mut accesses, &side, bytes, Access::Write);
                accesses
            })
        };
        Piece::new(How::Soon, Box::new(run))
    }
}

/// Fills `count` words. A small number of words is stored one by one, so that a host that polls a
/// word of page-locked memory sees it whole, after everything that the stream wrote before.
///
/// # Safety
/// The caller must ensure that the words are writable and aligned.
unsafe fn fill_words(start: *mut u32, count: usize, value: u32) {
    const FEW: usize = 64;
    if count > FEW {
        // SAFETY: by the contract of this function.
        return unsafe { std::slice::from_raw_parts_mut(start, count).fill(value) };
    }
    for i in 0..count {
        // SAFETY: by the contract of this function.
        unsafe { AtomicU32::from_ptr(start.add(i)).store(value, Ordering::Release) };
    }
}
