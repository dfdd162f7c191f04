//! Copies and fills: checked when called, done in stream order.
//!
//! What is asynchronous follows the driver: copies that touch pageable host memory are finished with that memory when
//! the call returns, copies among device and page-locked memory are not. Where work is held back, neither are: CUDA only
//! says that the former may be synchronous.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use super::fault::Fault;
use super::memory::{self, Allocation, Origin};
use super::pending::{HostAccess, Pending};
use super::status::{Code, Result};
use super::stream::{self, How, Stream};

/// Larger pageable sources are not set aside: the call waits for the copy instead.
const SET_ASIDE: u64 = 64 << 10;

/// What a call says of one side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Must be device memory (also managed and page-locked host memory, which the device can address).
    Device,
    /// Host memory of any sort.
    Host,
    /// To be found out from the address.
    Unified,
}

/// One side of a copy: rows of bytes at regular distances.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub address: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
    pub claim: Claim,
    /// Id of the context whose memory the call says it is.
    pub context: Option<u64>,
}

impl Side {
    /// Consecutive bytes.
    pub fn linear(address: u64, claim: Claim) -> Side {
        Side {
            address,
            pitch: 0,
            slice: 0,
            claim,
            context: None,
        }
    }
}

/// Bytes of a row, rows of a slice, slices.
pub type Extent = [u64; 3];

/// What a side turned out to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the table of allocations, on the device or shared with it: copied to and from in stream order.
    Device,
    PageLocked,
    Pageable,
}

/// From the first byte to behind the last.
fn span(side: &Side, extent: Extent) -> Result<u64> {
    let rows = side.pitch.checked_mul(extent[1] - 1);
    let slices = side.slice.checked_mul(extent[2] - 1);
    rows.zip(slices)
        .and_then(|(rows, slices)| rows.checked_add(slices)?.checked_add(extent[0]))
        .filter(|length| side.address.checked_add(*length).is_some())
        .ok_or(Code::ERROR_INVALID_VALUE)
}

/// What a side is, and the allocation that it lies in, if any.
fn locate(side: &Side, extent: Extent) -> Result<(Place, Option<Arc<Allocation>>)> {
    if side.address == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let length = span(side, extent)?;
    match memory::find(side.address) {
        Some(_) => {
            let allocation = memory::check(side.address, length)?;
            // Page-locked memory of the client stays within reach of a plain host copy.
            let place = match allocation.origin {
                Origin::Host | Origin::Registered => Place::PageLocked,
                _ => Place::Device,
            };
            Ok((place, Some(allocation)))
        }
        None if side.claim == Claim::Device => Err(Code::ERROR_INVALID_VALUE),
        None => Ok((Place::Pageable, None)),
    }
}

/// A fault where a side lies in memory of another context than the stream's that the call doesn't name, and that is
/// looked for.
fn trespass(stream: &Stream, side: &Side, allocation: Option<&Arc<Allocation>>) -> Option<Fault> {
    let allocation = allocation?;
    if side.context == Some(allocation.context.id) {
        return None;
    }
    let why = allocation.trespass(&stream.context, side.address)?;
    Some(Fault::new(
        Code::ERROR_ILLEGAL_ADDRESS,
        format!(
            "in a copy or fill at {:#x}\n{why}\n  on {}",
            side.address,
            stream::name_of(stream.handle)
        ),
    ))
}

/// Has the fault happen in the order of the stream, instead of the work.
fn refuse(stream: &Arc<Stream>, timing: Timing, fault: Fault) -> Result {
    let mark = stream.submit(How::Soon, Vec::new(), Box::new(move || Err(fault)));
    match timing {
        Timing::Asynchronous => Ok(()),
        Timing::Synchronous => {
            mark.wait();
            stream.context.usable()
        }
    }
}

/// A copy that has been checked. Owns set-aside source bytes, if any.
struct Copy {
    to: Side,
    from: Side,
    extent: Extent,
    places: [Place; 2],
    aside: Option<Box<[u8]>>,
    /// What it uses of the host's memory.
    pending: [Option<Pending>; 2],
}

impl Copy {
    /// Checks again that the device memory is still there, then copies.
    fn run(self) -> std::result::Result<(), Fault> {
        let Copy {
            to,
            from,
            extent,
            places,
            aside,
            pending: _pending,
        } = self;
        for (side, place) in [(&to, places[0]), (&from, places[1])] {
            if place != Place::Pageable {
                present(side, extent)?;
            }
        }
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                let target = to.address + z * to.slice + y * to.pitch;
                let source = match &aside {
                    Some(bytes) => bytes.as_ptr() as u64 + (z * extent[1] + y) * extent[0],
                    None => from.address + z * from.slice + y * from.pitch,
                };
                // SAFETY: device and page-locked ranges were just found in the table of allocations, and the arena
                // stays mapped; pageable ranges are the client's promise until the copy is done: for the duration of
                // the call, which waits, or, where work is held back, until the client has waited.
                // The ranges of a wrong client may overlap, hence copy and not copy_nonoverlapping.
                unsafe {
                    std::ptr::copy(source as *const u8, target as *mut u8, extent[0] as usize)
                };
                if aside.is_some() {
                    memory::note_write(target, extent[0]);
                } else {
                    memory::note_copy(target, source, extent[0]);
                }
            }
        }
        Ok(())
    }
}

/// A fault if a range that was there at the call has gone, or isn't there yet, in stream order.
fn present(side: &Side, extent: Extent) -> std::result::Result<(), Fault> {
    let length = span(side, extent).expect("checked at the call");
    match memory::check(side.address, length) {
        Ok(allocation) if allocation.ready.load(std::sync::atomic::Ordering::Acquire) => Ok(()),
        _ => Err(Fault::new(
            Code::ERROR_ILLEGAL_ADDRESS,
            format!(
                "  in a copy or fill of {length} bytes at {:#x}: {}",
                side.address,
                memory::explain(side.address, length.min(u64::from(u32::MAX)) as u32)
            ),
        )),
    }
}

/// Whether a call may return before its work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Done when the call returns.
    Synchronous,
    /// As the driver documents for the kinds of memory involved.
    Asynchronous,
}

/// Copies in the order of a stream.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for memory that isn't there; the sticky error of a fault met while waiting.
pub fn copy(stream: &Arc<Stream>, timing: Timing, to: Side, from: Side, extent: Extent) -> Result {
    if extent.contains(&0) {
        return Ok(());
    }
    let located = [locate(&to, extent)?, locate(&from, extent)?];
    let sides = [&to, &from].into_iter().zip(&located);
    for (side, (_, allocation)) in sides {
        if let Some(fault) = trespass(stream, side, allocation.as_ref()) {
            return refuse(stream, timing, fault);
        }
    }
    let places = located.map(|(place, _)| place);
    let aside_bytes = extent
        .iter()
        .try_fold(1u64, |all, &one| all.checked_mul(one))
        .unwrap_or(u64::MAX);
    let mut aside = None;
    let pageable = places.contains(&Place::Pageable);
    let mut wait = match timing {
        Timing::Synchronous => true,
        // From host to host is always synchronous.
        Timing::Asynchronous if stream.holds_back() => pageable && !places.contains(&Place::Device),
        Timing::Asynchronous => places[0] == Place::Pageable,
    };
    if !wait && pageable && !stream.holds_back() {
        if aside_bytes <= SET_ASIDE {
            aside = Some(set_aside(&from, extent));
        } else {
            wait = true;
        }
    }
    let uses = |side: &Side, place: Place, access: HostAccess| -> Result<Option<Pending>> {
        let length = span(side, extent)?;
        Ok((place != Place::Device).then(|| Pending::new(stream, access, side.address, length)))
    };
    let from_host = match aside {
        Some(_) => None,
        None => uses(&from, places[1], HostAccess::CopyFrom)?,
    };
    let copy = Copy {
        to,
        from,
        extent,
        places,
        aside,
        pending: [uses(&to, places[0], HostAccess::CopyTo)?, from_host],
    };
    let how = if wait { How::AtOnce } else { How::Soon };
    let mark = stream.submit(how, Vec::new(), Box::new(move || copy.run()));
    if wait {
        mark.wait();
        stream.context.usable()?;
    }
    Ok(())
}

fn set_aside(from: &Side, extent: Extent) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity((extent[0] * extent[1] * extent[2]) as usize);
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            let row = from.address + z * from.slice + y * from.pitch;
            // SAFETY: pageable memory that the client promises to be readable during the call.
            bytes.extend_from_slice(unsafe {
                std::slice::from_raw_parts(row as *const u8, extent[0] as usize)
            });
        }
    }
    bytes.into_boxed_slice()
}

/// A fill of `extent` (elements of a row, rows) with an element of 1, 2 or 4 bytes.
#[derive(Clone, Copy)]
pub struct Fill {
    pub address: u64,
    pub pitch: u64,
    pub value: u32,
    pub width: u64,
    pub extent: [u64; 2],
}

/// Fills in the order of a stream.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for memory that isn't there or isn't aligned to the element, and for a variable of another
/// context's module.
pub fn fill(stream: &Arc<Stream>, timing: Timing, fill: Fill) -> Result {
    let Fill {
        address,
        pitch,
        width,
        extent,
        ..
    } = fill;
    if address % width != 0 || extent[1] > 1 && pitch % width != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if extent.contains(&0) {
        return Ok(());
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
        claim: Claim::Device,
        context: None,
    };
    let bytes = [row, extent[1], 1];
    let (place, allocation) = locate(&side, bytes)?;
    if let Some(fault) = trespass(stream, &side, allocation.as_ref()) {
        return refuse(stream, timing, fault);
    }
    // As an H200 does it; other memory of another context is filled.
    if allocation.is_some_and(|one| {
        matches!(one.origin, Origin::Variable(_)) && one.is_foreign_to(&stream.context)
    }) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let pending = match place {
        Place::Device => None,
        _ => Some(Pending::new(
            stream,
            HostAccess::Fill,
            address,
            span(&side, bytes)?,
        )),
    };
    let work = move || {
        let _pending = pending;
        present(&side, bytes)?;
        for y in 0..extent[1] {
            let start = address + y * pitch;
            // SAFETY: the range was just found in the table of allocations, and the arena stays mapped; it is aligned
            // to the element.
            unsafe {
                let count = extent[0] as usize;
                match width {
                    1 => std::ptr::write_bytes(start as *mut u8, fill.value as u8, count),
                    2 => std::slice::from_raw_parts_mut(start as *mut u16, count)
                        .fill(fill.value as u16),
                    _ => fill_words(start as *mut u32, count, fill.value),
                }
            }
            memory::note_write(start, row);
        }
        Ok(())
    };
    // A fill of page-locked host memory is finished when the call returns, others are asynchronous to the host.
    let wait = timing == Timing::Synchronous && place == Place::PageLocked;
    let how = if timing == Timing::Synchronous {
        How::AtOnce
    } else {
        How::Soon
    };
    let mark = stream.submit(how, Vec::new(), Box::new(work));
    if wait {
        mark.wait();
    }
    stream.context.usable()
}

/// Fills `count` words. Few of them are stored one by one: a host that polls a word of page-locked memory sees it whole,
/// and with it what the stream wrote before.
///
/// # Safety
/// The words may be written to, and are aligned.
unsafe fn fill_words(start: *mut u32, count: usize, value: u32) {
    const FEW: usize = 64;
    if count > FEW {
        // SAFETY: as this function's contract says.
        return unsafe { std::slice::from_raw_parts_mut(start, count).fill(value) };
    }
    for i in 0..count {
        // SAFETY: as this function's contract says.
        unsafe { AtomicU32::from_ptr(start.add(i)).store(value, Ordering::Release) };
    }
}
