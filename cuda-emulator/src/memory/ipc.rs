//! Memory shared between processes by IPC handles.
//!
//! Memory from `cuMemAlloc` is in a file in memory ([`arena::file_at`]). A handle identifies a slot
//! that contains the memory's position in the file and whether it is still allocated. Another
//! process maps that part of the file.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::allocations::{self, Allocation};
use super::arena;
use super::backing::Backing;
use super::origin::Origin;
use crate::abi::status::{Code, Result};
use crate::process::context::{self, Context};
use crate::process::device;
use crate::process::shared_slots::{Handle, HandleKind, Key, OpenError, Slot};
use crate::process::warnings;
use crate::system::{Descriptor, Identity, MemoryFile, PAGE};
use cuda_emulator_engine::Unpoisoned;

/// The words of a memory slot after the one that states whether the memory can be opened.
const FILE: usize = 2;
const OFFSET: usize = 3;
const SIZE: usize = 4;
const DEVICE: usize = 5;
const INODE: usize = 6;
const ORDINAL: usize = 7;

/// Memory of another process that is open in this one.
struct Opened {
    allocation: Arc<Allocation>,
    count: usize,
    base: u64,
}

static OPENED: Mutex<BTreeMap<Key, Opened>> = Mutex::new(BTreeMap::new());

/// Returns the IPC handle of an allocation.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the memory is not from `cuMemAlloc`, and
/// `CUDA_ERROR_NOT_SUPPORTED` if the system could not provide a file for it. Returns
/// `CUDA_ERROR_OUT_OF_MEMORY` if no slot is left.
pub fn export(address: u64) -> Result<Handle> {
    warnings::expect_sharing("IPC memory on Windows")?;
    let found = allocations::find(address).filter(|one| one.origin == Origin::Device);
    let allocation = found.ok_or(Code::ERROR_INVALID_VALUE)?;
    let why = || warnings::missing_feature("shared memory larger than the file size limit");
    let (file, offset) = arena::file_at(allocation.base).ok_or_else(why)?;
    let identity = file.identity().ok_or(Code::ERROR_OPERATING_SYSTEM)?;
    let slot = allocation.shared.get_or_init(|| {
        let slot = Slot::new()?;
        let store = |index, value| slot.word(index).store(value, Ordering::Release);
        store(FILE, file.number() as u64);
        store(OFFSET, offset);
        store(SIZE, allocation.size);
        store(DEVICE, identity.device);
        store(INODE, identity.inode);
        store(ORDINAL, allocation.context.ordinal as u64);
        slot.publish();
        Some(slot)
    });
    let slot = slot.as_ref().ok_or(Code::ERROR_OUT_OF_MEMORY)?;
    Ok(slot.handle(HandleKind::Memory))
}

/// Opens memory of another process. Opening it again returns the same address.
///
/// # Errors
/// As recorded on an H200 (driver 580), returns:
/// - `CUDA_ERROR_INVALID_CONTEXT` if the memory is from this process;
/// - `CUDA_ERROR_INVALID_HANDLE` if the other process has ended;
/// - `CUDA_ERROR_INVALID_VALUE` if the memory was freed or the handle is invalid.
///
/// Returns `CUDA_ERROR_MAP_FAILED` if the current device has no link to the memory's device.
pub fn open(handle: &Handle) -> Result<u64> {
    warnings::expect_sharing("IPC memory on Windows")?;
    let context = context::current()?;
    let slot = Slot::open(HandleKind::Memory, handle).map_err(|error| match error {
        OpenError::Invalid => Code::ERROR_INVALID_VALUE,
        OpenError::SameProcess => Code::ERROR_INVALID_CONTEXT,
        OpenError::Unreachable => Code::ERROR_INVALID_HANDLE,
    })?;
    let word = |index| slot.word(index).load(Ordering::Acquire);
    let ordinal = i32::try_from(word(ORDINAL)).map_err(|_| Code::ERROR_INVALID_VALUE)?;
    let mut all = OPENED.lock().unpoisoned();
    if let Some(known) = all.get_mut(&slot.key())
        && known.is_open()
    {
        reach(&context, &known.allocation.context)?;
        known.count += 1;
        return Ok(known.base);
    }
    if !slot.is_live() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    device::check(ordinal).map_err(|_| Code::ERROR_MAP_FAILED)?;
    // The memory belongs to the device on which it was allocated.
    let owner = match context.ordinal == ordinal {
        true => context.clone(),
        false => context::primary(ordinal),
    };
    reach(&context, &owner)?;
    let (offset, size) = (word(OFFSET), word(SIZE));
    let fd = Descriptor::try_from(word(FILE)).map_err(|_| Code::ERROR_INVALID_VALUE)?;
    let file = MemoryFile::of_process(slot.process(), fd).ok_or(Code::ERROR_INVALID_HANDLE)?;
    let identity = Identity {
        device: word(DEVICE),
        inode: word(INODE),
    };
    let end = offset.checked_add(size).filter(|_| size > 0);
    let fits = end.is_some_and(|end| file.size().is_some_and(|whole| end <= whole));
    if file.identity() != Some(identity) || !fits {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let skipped = offset % PAGE;
    let backing = Backing::pages(skipped + size)?;
    let length = (skipped + size).next_multiple_of(PAGE);
    // SAFETY: whole pages that the arena has just allocated, and the file has that many.
    if !unsafe { file.map_at(backing.start(), offset - skipped, length) } {
        backing.release();
        return Err(Code::ERROR_MAP_FAILED);
    }
    let allocation = allocations::place_in(&owner, backing, skipped, size, Origin::Opened, None);
    let base = allocation.base;
    // Memory whose context has ended needs no entry any more.
    all.retain(|_, one| one.is_open());
    let opened = Opened {
        allocation,
        count: 1,
        base,
    };
    all.insert(slot.key(), opened);
    Ok(base)
}

/// Enables peer access of a context to memory that it has opened, as the call's only flag requests.
fn reach(context: &Context, owner: &Context) -> Result {
    if context.ordinal == owner.ordinal {
        return Ok(());
    }
    if !device::are_linked(context.ordinal, owner.ordinal) {
        return Err(Code::ERROR_MAP_FAILED);
    }
    if context.set_peer(owner, true) {
        allocations::invalidate_lookups();
    }
    Ok(())
}

/// Closes memory once. The last close unmaps it, after all work of its context and of the current
/// one.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if it is not open.
pub fn close(address: u64) -> Result {
    let context = context::current()?;
    let mut all = OPENED.lock().unpoisoned();
    let found = all
        .iter_mut()
        .find(|(_, one)| one.base == address && one.is_open());
    let (key, one) = found.ok_or(Code::ERROR_INVALID_VALUE)?;
    one.count -= 1;
    if one.count > 0 {
        return Ok(());
    }
    let key = *key;
    let Some(one) = all.remove(&key) else {
        return Ok(());
    };
    drop(all);
    context.drain();
    one.allocation.context.drain();
    allocations::free(&one.allocation, "cuIpcCloseMemHandle");
    Ok(())
}

impl Opened {
    /// Returns false if its context has ended.
    fn is_open(&self) -> bool {
        allocations::starting_at(self.base).is_some_and(|one| one.id == self.allocation.id)
    }
}
