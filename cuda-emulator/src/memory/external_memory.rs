//! Memory that came as a file: what `cuImportExternalMemory` makes. The files are those of physical memory (`physical_memory.rs`).

use std::sync::Arc;

use super::allocations;
use super::arena;
use super::array;
use super::backing::Ground;
use super::origin::Origin;
use super::physical_memory::{self, Physical, Window};
use crate::abi::ExternalMemoryArray;
use crate::abi::status::{Code, Result};
use crate::process::context::{self, Context};
use crate::process::handle::{Object, Table};
use crate::process::memory_file::PAGE;
use crate::process::registry::Owner;

/// Imported memory.
pub struct External {
    pub handle: u64,
    context: Arc<Context>,
    physical: Arc<Physical>,
    /// What the client says of its size. As on an H200 (driver 580), it is believed until something is mapped.
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

/// Imports memory by a descriptor, which is the driver's from then on.
///
/// # Errors
/// `CUDA_ERROR_UNKNOWN` for what is no memory.
pub fn import(fd: i32, size: u64, dedicated: bool) -> Result<u64> {
    let context = context::current()?;
    let physical = physical_memory::adopt(fd)?;
    // SAFETY: the client has handed the descriptor over, by this call's documentation.
    unsafe { libc::close(fd) };
    let made = IMPORTED.insert(|handle| External {
        handle,
        context,
        physical,
        size,
        dedicated,
    });
    Ok(made.handle)
}

/// Ends it. What is mapped onto it stays.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn destroy(handle: u64) -> Result {
    let removed = IMPORTED.remove(handle);
    removed.map(drop).ok_or(Code::ERROR_INVALID_VALUE)
}

/// An address of a part of it.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for no live handle, for what isn't within the memory, and for a part of dedicated memory;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
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
    let skipped = offset % PAGE;
    let ground = Ground::pages(skipped + size)?;
    let pages = (skipped + size).next_multiple_of(PAGE);
    let physical = &external.physical;
    // SAFETY: addresses just taken, in whole pages; the file has as many from there.
    if !unsafe { physical.show_part_at(ground.start(), offset - skipped, pages) } {
        ground.release();
        return Err(Code::ERROR_OUT_OF_MEMORY);
    }
    Ok(allocations::place_in(&context, ground, skipped, size, Origin::External, None).base)
}

/// A mipmapped array in a part of it. Its texels lie as those of the emulator's own arrays do, level after level.
///
/// # Errors
/// As of an H200 (driver 580): `CUDA_ERROR_INVALID_VALUE` for no live handle, for what isn't within the memory, and for a part
/// of dedicated memory; as for other mipmapped arrays. Where no image can begin, which that driver doesn't look at, it is
/// `CUDA_ERROR_INVALID_VALUE`, too. `CUDA_ERROR_OUT_OF_MEMORY`.
pub fn map_array(handle: u64, wanted: &ExternalMemoryArray) -> Result<u64> {
    let external = IMPORTED.get(handle).ok_or(Code::ERROR_INVALID_VALUE)?;
    let most = external.size.min(external.physical.size);
    let offset = wanted.offset;
    let room = most.checked_sub(offset).ok_or(Code::ERROR_INVALID_VALUE)?;
    if external.dedicated && offset != 0 || !offset.is_multiple_of(arena::ALIGNMENT) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let made = array::create_within(wanted.array, wanted.levels, room, |size| {
        let skipped = offset % PAGE;
        let window = Window::open(&external.physical, offset - skipped, skipped + size);
        let window = window.ok_or(Code::ERROR_OUT_OF_MEMORY)?;
        let base = window.base + skipped;
        Ok((Arc::new(window), base))
    })?;
    Ok(made.handle)
}
