//! Copies, which are checked during the call and run in stream order.
//!
//! Synchronization follows the driver: a copy of pageable host memory has finished with that memory
//! when the call returns, and copies between device and page-locked memory have not. While work is
//! delayed (`CUDA_EMULATOR_HOLD`), copies of pageable memory are asynchronous as well, because CUDA
//! permits them to be synchronous but does not require it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::access_checks;
use crate::memory::access_set::{Access, AccessSet};
use crate::memory::address_report;
use crate::memory::allocations::{self, Allocation};
use crate::memory::array::{self, Array};
use crate::memory::origin::Origin;
use crate::memory::recorded_work::WorkKind;
use crate::memory::stream_races;
use crate::memory::virtual_memory;
use crate::memory::write_tracking;
use crate::process::context::{self, Context};
use crate::process::first_fault;
use crate::queue::fault::Fault;
use crate::queue::pending_host_memory::{HostAccess, Pending};
use crate::queue::stream::{self, How, Piece, Stream};

/// Pageable sources up to this size are buffered. For larger ones the call waits for the copy.
const MAX_BUFFERED: u64 = 64 << 10;

/// The memory type that a call states for one side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Device memory (or managed or page-locked host memory, which the device can address).
    Device,
    /// Host memory of any kind.
    Host,
    /// Determined from the address.
    Unified,
    /// Texels of the array with this handle.
    Array(u64),
}

/// One side of a copy: rows of bytes at regular distances.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub address: u64,
    /// Bytes between the starts of two rows.
    pub pitch: u64,
    /// Bytes between the starts of two slices.
    pub slice: u64,
    pub claim: Claim,
    /// Id of the context that the call names as the memory's owner.
    pub context: Option<u64>,
}

impl Side {
    /// Creates a side of consecutive bytes.
    pub fn linear(address: u64, claim: Claim) -> Side {
        Side {
            address,
            pitch: 0,
            slice: 0,
            claim,
            context: None,
        }
    }

    /// Creates a side within an array. The `x` of the position is in bytes, and need not be a whole
    /// number of texels.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the range is not within the array.
    pub fn of_array(array: &Array, at: [u64; 3], extent: Extent) -> Result<Side> {
        let lengths = [array.row(), array.rows(), array.planes()];
        let inside = (0..3).all(|axis| {
            at[axis]
                .checked_add(extent[axis])
                .is_some_and(|end| end <= lengths[axis])
        });
        if !inside && !extent.contains(&0) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(Side {
            address: if inside {
                array.base + at[2] * array.slice() + at[1] * array.pitch() + at[0]
            } else {
                // The copy is empty.
                array.base
            },
            pitch: array.pitch(),
            slice: array.slice(),
            claim: Claim::Array(array.handle),
            context: Some(array.context.id),
        })
    }

    /// Returns the array that contains it, and the position there.
    fn in_array(&self) -> Option<(Arc<Array>, [u64; 3])> {
        let Claim::Array(handle) = self.claim else {
            return None;
        };
        let array = array::find(handle, self.address)?;
        let offset = self.address - array.base;
        let (in_plane, in_row) = (offset % array.slice(), offset % array.pitch());
        let at = [in_row, in_plane / array.pitch(), offset / array.slice()];
        Some((array, at))
    }
}

impl Side {
    /// Checks that work of a context may copy it.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory is closed to the context.
    pub fn expect_open(&self, context: &Context) -> Result {
        if self.context.is_some() {
            return Ok(());
        }
        match allocations::find(self.address) {
            Some(one) if one.is_closed_to_copies(context) => Err(Code::ERROR_INVALID_VALUE),
            _ => Ok(()),
        }
    }
}

/// Bytes per row, rows per slice, slices.
pub type Extent = [u64; 3];

/// The actual kind of memory of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An array, or memory in the table of allocations that is on the device or shared with it. It
    /// is copied in stream order.
    Device,
    PageLocked,
    Pageable,
}

/// Returns the number of bytes from the first to the last.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the range exceeds the address space.
pub fn span(side: &Side, extent: Extent) -> Result<u64> {
    let rows = side.pitch.checked_mul(extent[1] - 1);
    let slices = side.slice.checked_mul(extent[2] - 1);
    rows.zip(slices)
        .and_then(|(rows, slices)| rows.checked_add(slices)?.checked_add(extent[0]))
        .filter(|length| side.address.checked_add(*length).is_some())
        .ok_or(Code::ERROR_INVALID_VALUE)
}

/// Returns the kind of memory of a side, and its allocation if there is one.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the address is null, if the range is not within one
/// allocation or array, or if the memory is not of the claimed type.
pub fn locate(side: &Side, extent: Extent) -> Result<(Place, Option<Arc<Allocation>>)> {
    if side.address == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let length = span(side, extent)?;
    if let Claim::Array(handle) = side.claim {
        return array::find(handle, side.address)
            .map(|_| (Place::Device, None))
            .ok_or(Code::ERROR_INVALID_VALUE);
    }
    match allocations::find(side.address) {
        Some(_) => {
            let allocation = allocations::check(side.address, length)?;
            // As on an H200 (driver 580): copies that state the memory type do not accept memory of
            // host pools.
            if side.claim == Claim::Device
                && allocation
                    .pool
                    .as_ref()
                    .is_some_and(|pool| pool.is_on_host())
            {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            // Page-locked memory stays accessible to a plain host copy.
            let place = match allocation.origin {
                Origin::Host(_) | Origin::Registered => Place::PageLocked,
                _ => Place::Device,
            };
            Ok((place, Some(allocation)))
        }
        None if side.claim == Claim::Device => Err(Code::ERROR_INVALID_VALUE),
        None => Ok((Place::Pageable, None)),
    }
}

/// Checks that the current context's device may access mapped memory. As on an H200, the call is
/// rejected otherwise.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if it may not.
pub fn expect_allowed(
    side: &Side,
    extent: Extent,
    found: Option<&Allocation>,
    write: bool,
) -> Result {
    let Some(allocation) = found.filter(|one| one.rights.is_some()) else {
        return Ok(());
    };
    let accessor = context::peek().map_or(allocation.context.ordinal, |context| context.ordinal);
    let length = span(side, extent)?;
    match access_checks::allows(allocation, side.address, length, accessor as usize, write) {
        true => Ok(()),
        false => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Whether a call may return before its work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The work is done when the call returns.
    Synchronous,
    /// As the driver documents for the memory types involved.
    Asynchronous,
}

/// A checked copy, from a stream call or a memcpy node.
#[derive(Clone)]
pub struct Transfer {
    pub to: Side,
    pub from: Side,
    pub extent: Extent,
    places: [Place; 2],
    /// Ids of the contexts that own the sides' memory, if known.
    owners: [Option<u64>; 2],
    /// The client's parameters, if it passed a `CUDA_MEMCPY3D`.
    description: Option<Arc<Copy3d>>,
}

impl Transfer {
    /// Checks a copy. Returns `None` if there is nothing to copy.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the memory does not exist or may not be accessed.
    pub fn new(to: Side, from: Side, extent: Extent) -> Result<Option<Transfer>> {
        if extent.contains(&0) {
            return Ok(None);
        }
        let [to_place, from_place] = [locate(&to, extent)?, locate(&from, extent)?];
        if to_place.1.as_ref().is_some_and(|one| !one.writable) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        for (side, place, write) in [(&to, &to_place, true), (&from, &from_place, false)] {
            expect_allowed(side, extent, place.1.as_deref(), write)?;
        }
        let owner = |one: Option<Arc<Allocation>>, side: Side| match side.claim {
            Claim::Array(_) => side.context,
            _ => one.map(|one| one.context.id),
        };
        Ok(Some(Transfer {
            to,
            from,
            extent,
            places: [to_place.0, from_place.0],
            owners: [owner(to_place.1, to), owner(from_place.1, from)],
            description: None,
        }))
    }

    /// Checks the copy of a node.
    ///
    /// # Errors
    /// Returns the errors of [`Transfer::new`], and `CUDA_ERROR_INVALID_VALUE` if there is nothing
    /// to copy.
    pub fn described(copy: &Copy3d) -> Result<Transfer> {
        let (to, from, extent) = copy.sides()?;
        let transfer = Transfer::new(to, from, extent)?;
        Ok(Transfer {
            description: Some(Arc::new(*copy)),
            ..transfer.ok_or(Code::ERROR_INVALID_VALUE)?
        })
    }

    /// Returns the copy as a `CUDA_MEMCPY3D`.
    pub fn describe(&self) -> Copy3d {
        if let Some(copy) = &self.description {
            return **copy;
        }
        let place = |side: &Side| {
            if let Some((array, at)) = side.in_array() {
                return Place3d {
                    x: at[0] as usize,
                    y: at[1] as usize,
                    z: at[2] as usize,
                    lod: 0,
                    memory_type: CU_MEMORYTYPE_ARRAY,
                    host: 0,
                    device: 0,
                    array: array.handle,
                    context: 0,
                    pitch: 0,
                    height: 0,
                };
            }
            let (memory_type, host, device) = match side.claim {
                Claim::Device => (CU_MEMORYTYPE_DEVICE, 0, side.address),
                Claim::Host => (CU_MEMORYTYPE_HOST, side.address, 0),
                Claim::Unified => (CU_MEMORYTYPE_UNIFIED, 0, side.address),
                // The array has been destroyed.
                Claim::Array(_) => (CU_MEMORYTYPE_ARRAY, 0, 0),
            };
            Place3d {
                x: 0,
                y: 0,
                z: 0,
                lod: 0,
                memory_type,
                host,
                device,
                array: 0,
                context: 0,
                pitch: side.pitch as usize,
                height: side.slice.checked_div(side.pitch).unwrap_or(0) as usize,
            }
        };
        Copy3d {
            src: place(&self.from),
            dst: place(&self.to),
            width: self.extent[0] as usize,
            height: self.extent[1] as usize,
            depth: self.extent[2] as usize,
        }
    }

    /// Returns whether both copies have the same kinds of memory on each side, and device memory of
    /// the same contexts. An H200 (driver 580) does not distinguish pageable and page-locked memory
    /// here.
    pub fn is_like(&self, other: &Transfer) -> bool {
        let is_array = |side: Side| matches!(side.claim, Claim::Array(_));
        let arrays = |one: &Transfer| [one.to, one.from].map(is_array);
        if arrays(self) != arrays(other) {
            return false;
        }
        (0..2).all(|side| match (self.places[side], other.places[side]) {
            (Place::Device, Place::Device) => self.owners[side] == other.owners[side],
            (one, two) => one != Place::Device && two != Place::Device,
        })
    }

    /// Returns whether the device can run the copy without the host. An H200 (driver 580) accepts
    /// managed memory only if the call does not state that it is host memory.
    pub fn is_all_on_device(&self) -> bool {
        let sides = [(self.to, self.places[0]), (self.from, self.places[1])];
        sides.iter().all(|(side, place)| match place {
            Place::Device => side.claim != Claim::Host,
            Place::PageLocked => true,
            Place::Pageable => false,
        })
    }

    /// Returns whether the bytes are consecutive.
    pub fn is_linear(&self) -> bool {
        self.extent[1..] == [1, 1]
    }

    /// Returns the number of bytes copied.
    fn bytes(&self) -> u64 {
        self.extent
            .iter()
            .try_fold(1u64, |all, &one| all.checked_mul(one))
            .unwrap_or(u64::MAX)
    }

    /// Enqueues the copy on a stream.
    ///
    /// # Errors
    /// Returns the sticky error if a fault happens while the call waits.
    pub fn submit(self, stream: &Arc<Stream>, timing: Timing) -> Result {
        let (places, held) = (self.places, stream.holds_back());
        let pageable = places.contains(&Place::Pageable);
        let mut wait = match timing {
            Timing::Synchronous => true,
            // Copies from host to host are always synchronous.
            Timing::Asynchronous if held => pageable && !places.contains(&Place::Device),
            Timing::Asynchronous => places[0] == Place::Pageable,
        };
        let is_awaited = self.is_awaited(timing);
        let mut buffered = None;
        if !wait && pageable && !held {
            if self.bytes() <= MAX_BUFFERED {
                buffered = Some(buffer_source(&self.from, self.extent));
            } else {
                wait = true;
            }
        }
        let mut piece = self.piece_with(&stream.context, stream, buffered);
        if wait {
            piece.how = How::AtOnce;
        }
        let mark = stream.submit(piece);
        if wait {
            mark.wait_for_client();
            if is_awaited {
                mark.show_host();
            }
            stream.context.usable()?;
        }
        Ok(())
    }

    /// Returns the stream work of one run, which accesses all memory when it runs.
    pub fn piece(self, context: &Arc<Context>, stream: &Stream) -> Piece {
        self.piece_with(context, stream, None)
    }

    fn piece_with(
        self,
        context: &Arc<Context>,
        stream: &Stream,
        buffered: Option<Box<[u8]>>,
    ) -> Piece {
        let uses = |side: &Side, place: Place, access: HostAccess| {
            let length = span(side, self.extent).expect("checked at the call");
            (place != Place::Device).then(|| Pending::new(stream, access, side.address, length))
        };
        let pending = [
            uses(&self.to, self.places[0], HostAccess::CopyTo),
            match buffered {
                Some(_) => None,
                None => uses(&self.from, self.places[1], HostAccess::CopyFrom),
            },
        ];
        let work = Work {
            context: context.clone(),
            stream: stream.handle,
        };
        // The driver copies pageable memory on the host, within the call, which ends at a fault in
        // any context. A buffered source no longer needs that memory.
        let is_pageable = |side: usize| self.places[side] == Place::Pageable;
        let by_host = is_pageable(0) || is_pageable(1) && buffered.is_none();
        let run = move || {
            let _pending = pending;
            let _turn = by_host.then(first_fault::postpone);
            if by_host && work.context.fault().is_some() {
                return Ok(());
            }
            self.run(&work, buffered.as_deref())
        };
        Piece::new(How::Soon, Box::new(run))
    }

    /// Checks again that the device memory exists, then copies.
    fn run(&self, work: &Work, buffered: Option<&[u8]>) -> std::result::Result<(), Fault> {
        let Transfer {
            to,
            from,
            extent,
            places,
            ..
        } = self;
        for (side, place, write) in [(to, places[0], true), (from, places[1], false)] {
            if place != Place::Pageable {
                work.present(side, *extent, write)?;
            }
        }
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                let target = to.address + z * to.slice + y * to.pitch;
                let source = match buffered {
                    Some(bytes) => bytes.as_ptr() as u64 + (z * extent[1] + y) * extent[0],
                    None => from.address + z * from.slice + y * from.pitch,
                };
                // SAFETY: device and page-locked ranges were just found in the table of
                // allocations, and the arena stays mapped. The client guarantees pageable ranges
                // until the copy is done: during the call, which waits, or, for delayed work and
                // graphs, until the client has waited. The ranges of an incorrect client may
                // overlap, hence `copy` and not `copy_nonoverlapping`.
                unsafe {
                    std::ptr::copy(source as *const u8, target as *mut u8, extent[0] as usize)
                };
                if buffered.is_some() {
                    write_tracking::note_write(target, extent[0]);
                } else {
                    write_tracking::note_copy(target, source, extent[0]);
                }
            }
        }
        stream_races::record(WorkKind::Copy(self.bytes()), || {
            let mut accesses = AccessSet::default();
            let sides = [
                (to, places[0], Access::Write),
                (from, places[1], Access::Read),
            ];
            for (side, place, access) in sides {
                if place != Place::Pageable {
                    add_rows(&mut accesses, side, *extent, access);
                }
            }
            accesses
        })
    }

    /// Returns whether the call waits for the copy, as the driver documents. A synchronous copy
    /// within the device does not.
    fn is_awaited(&self, timing: Timing) -> bool {
        let on_device =
            |side: &Side, place: Place| place == Place::Device && side.claim != Claim::Host;
        let within = on_device(&self.to, self.places[0]) && on_device(&self.from, self.places[1]);
        self.places[0] == Place::Pageable || timing == Timing::Synchronous && !within
    }
}

/// Adds the rows of a side to the accesses of a piece of work.
pub fn add_rows(accesses: &mut AccessSet, side: &Side, extent: Extent, access: Access) {
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            let row = side.address + z * side.slice + y * side.pitch;
            accesses.add(row, extent[0], access);
        }
    }
}

/// The context and stream for which memory is copied or filled.
pub struct Work {
    pub context: Arc<Context>,
    /// The stream's handle.
    pub stream: u64,
}

impl Work {
    /// Checks a range when the work runs.
    ///
    /// # Errors
    /// Returns a fault if the range has been freed since the call, is not yet allocated in stream
    /// order, or may not be accessed. With `CUDA_EMULATOR_CHECK=context`, also returns a fault if
    /// the range belongs to a context that the call does not name.
    pub fn present(
        &self,
        side: &Side,
        extent: Extent,
        write: bool,
    ) -> std::result::Result<(), Fault> {
        let length = span(side, extent).expect("checked at the call");
        if let Claim::Array(handle) = side.claim {
            return match array::find(handle, side.address) {
                Some(_) => Ok(()),
                None => Err(Fault::new(
                    Code::ERROR_ILLEGAL_ADDRESS,
                    "  in a copy from or to an array that has been destroyed since the call",
                )),
            };
        }
        let ordinal = self.context.ordinal;
        let allocation = match allocations::check(side.address, length) {
            Ok(allocation) if allocation.ready.load(Ordering::Acquire) => allocation,
            _ => {
                let why = virtual_memory::explain(side.address, ordinal).unwrap_or_else(|| {
                    address_report::explain(side.address, length.min(u64::from(u32::MAX)) as u32)
                });
                return Err(Fault::new(
                    Code::ERROR_ILLEGAL_ADDRESS,
                    format!(
                        "  in a copy or fill of {length} bytes at {:#x}: {why}",
                        side.address
                    ),
                ));
            }
        };
        if !access_checks::allows(&allocation, side.address, length, ordinal as usize, write) {
            let why = virtual_memory::explain(side.address, ordinal).unwrap_or_default();
            return Err(Fault::new(
                Code::ERROR_ILLEGAL_ADDRESS,
                format!(
                    "  in a copy or fill of {length} bytes at {:#x}: {why}",
                    side.address
                ),
            ));
        }
        if side.context == Some(allocation.context.id) {
            return Ok(());
        }
        match allocation.foreign_access(&self.context, side.address) {
            None => Ok(()),
            Some(why) => Err(Fault::new(
                Code::ERROR_ILLEGAL_ADDRESS,
                format!(
                    "in a copy or fill at {:#x}\n{why}\n  on {}",
                    side.address,
                    stream::name_of(self.stream)
                ),
            )),
        }
    }
}

fn buffer_source(from: &Side, extent: Extent) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity((extent[0] * extent[1] * extent[2]) as usize);
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            let row = from.address + z * from.slice + y * from.pitch;
            // SAFETY: pageable memory that the client guarantees to be readable during the call.
            bytes.extend_from_slice(unsafe {
                std::slice::from_raw_parts(row as *const u8, extent[0] as usize)
            });
        }
    }
    bytes.into_boxed_slice()
}
