//! Memory imported by `cuImportExternalMemory`. It has the form of an exported file of physical
//! memory (`physical_memory.rs`).

use std::sync::Arc;

use super::allocations;
use super::arena;
use super::array;
use super::backing::Backing;
use super::origin::Origin;
use super::physical_memory::{self, Physical, Window};
use crate::abi::ExternalMemoryArray;
use crate::abi::status::{Code, Result};
use crate::process::context::{self, Context};
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use crate::system::{self, Descriptor, PAGE};

/// Imported memory.
pub struct External {
    pub handle: u64,
    context: Arc<Context>,
    physical: Arc<Physical>,
    /// The size given by the client. As on an H200 (driver 580), it is checked only when a part is
    /// mapped.
    size: u64,
    dedicated: bool,
}

static IMPORTED: Table<External> = Table::new();

impl Object for External {
    const NAME: &'static str = "external memory";
    const TAG: u8 = 0x34;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn leak(&self) -> Option<String> {
        Some(format!(
            "external memory {:#x} ({} bytes)",
            self.handle, self.size
        ))
    }
}

/// Imports memory from a file descriptor. On success, the driver owns the descriptor and closes it.
///
/// # Errors
/// Returns `CUDA_ERROR_UNKNOWN` if the descriptor is not exported physical memory.
pub fn import(fd: Descriptor, size: u64, dedicated: bool) -> Result<u64> {
    let context = context::current()?;
    let physical = physical_memory::adopt(fd)?;
    // SAFETY: by the call's documentation, the driver now owns the descriptor.
    unsafe { system::close(fd) };
    let made = IMPORTED.insert(|handle| External {
        handle,
        context,
        physical,
        size,
        dedicated,
    });
    Ok(made.handle)
}

/// Destroys imported memory. Existing mappings of it stay valid.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live.
pub fn destroy(handle: u64) -> Result {
    let removed = IMPORTED.remove(handle);
    removed.map(drop).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Maps a part of it and returns the address.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live, if the range is not within the
/// memory, or if it is only a part of dedicated memory. Returns `CUDA_ERROR_OUT_OF_MEMORY` if there
/// is no room for the mapping.
pub fn map(handle: u64, offset: u64, size: u64) -> Result<u64> {
    let external = IMPORTED.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    let most = external.size.min(external.physical.size);
    let end = offset.checked_add(size).filter(|_| size > 0);
    let inside = end.is_some_and(|end| end <= most);
    let part = external.dedicated && (offset, size) != (0, external.size);
    if !inside || part {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let context = context::current()?;
    let skipped = offset % system::MAP_UNIT;
    let backing = Backing::pages(skipped + size)?;
    let pages = (skipped + size).next_multiple_of(PAGE);
    let physical = &external.physical;
    // SAFETY: addresses just allocated, in whole pages. The file has that many pages from `offset`
    // on.
    if !unsafe { physical.show_part_at(backing.start(), offset - skipped, pages) } {
        backing.release();
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    Ok(allocations::place_in(&context, backing, skipped, size, Origin::External, None).base)
}

/// Maps a mipmapped array in a part of it. Its texels have the layout of the emulator's other
/// arrays, level after level.
///
/// # Errors
/// As on an H200 (driver 580), returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live, if the
/// array is not within the memory, or if it starts inside dedicated memory. It also returns the
/// errors of other mipmapped arrays, `CUDA_ERROR_INVALID_VALUE` for a misaligned offset (which that
/// driver does not check), and `CUDA_ERROR_OUT_OF_MEMORY` if there is no room for the mapping.
pub fn map_array(handle: u64, wanted: &ExternalMemoryArray) -> Result<u64> {
    let external = IMPORTED.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    let most = external.size.min(external.physical.size);
    let offset = wanted.offset;
    let room = most.checked_sub(offset).ok_or(Code::ERROR_INVALID_VALUE)?;
    if external.dedicated && offset != 0 || !offset.is_multiple_of(arena::ALIGNMENT) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let made = array::create_within(wanted.array, wanted.levels, room, |size| {
        let skipped = offset % system::MAP_UNIT;
        let window = Window::open(&external.physical, offset - skipped, skipped + size);
        let window = window.ok_or(Code::ERROR_OUT_OF_MEMORY)?;
        let base = window.base + skipped;
        Ok((Arc::new(window), base))
    })?;
    Ok(made.handle)
}
