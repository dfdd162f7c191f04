//! Physical memory, which `cuMemCreate` creates and addresses are mapped to.
//!
//! It is in a file in memory, so that it can be mapped at several addresses. Memory that another
//! process may open has its own file, with a descriptive page after the memory. All other memory
//! shares one file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::arena;
use super::budget;
use super::private_memory_file::Part;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device;
use crate::process::handle::{Object, Table};
use crate::process::registry::Owner;
use crate::system::{self, Descriptor, MemoryFile, PAGE};

/// The granularity of physical memory and of mappings, which on an H200 is the same for all
/// locations.
pub const GRANULARITY: u64 = 2 << 20;
/// The first word of the descriptive page.
const MAGIC: u64 = u64::from_le_bytes(*b"emu-phys");
/// Bits of `CUmemAllocationHandleType` that an H200 without a fabric rejects.
const FABRIC: u32 = CU_MEM_HANDLE_TYPE_FABRIC;
/// The kinds of handles of other systems.
const FOREIGN: u32 = (CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    | CU_MEM_HANDLE_TYPE_WIN32
    | CU_MEM_HANDLE_TYPE_WIN32_KMT)
    & !MEM_HANDLE_TYPE_FILE;

/// Physical memory. It exists as long as a handle, mapping or descriptor refers to it.
pub struct Physical {
    storage: Place,
    pub size: u64,
    pub properties: AllocationProperties,
    /// The device whose budget it counts against. `None` for host memory and memory of another
    /// process.
    taken_from: Option<i32>,
}

/// The file that contains physical memory.
enum Place {
    /// A separate file, which another process may open.
    Own(MemoryFile),
    Shared(Part),
}

/// A handle of physical memory, with the number of releases that the client still has to make.
pub struct Handle {
    pub handle: u64,
    pub physical: Arc<Physical>,
    references: AtomicU32,
}

static HANDLES: Table<Handle> = Table::new();

impl Object for Handle {
    const NAME: &'static str = "physical memory";
    const TAG: u8 = 0x20;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        Some(format!(
            "physical memory {:#x} ({} bytes, cuMemCreate or cuMemImportFromShareableHandle), {} references",
            self.handle,
            self.physical.size,
            self.references.load(Ordering::Relaxed)
        ))
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        if let Some(ordinal) = self.taken_from {
            budget::release(ordinal, self.size);
        }
    }
}

impl Physical {
    /// Returns its `CUmemLocationType`.
    pub fn place(&self) -> u32 {
        self.properties.location.kind
    }

    /// Returns the device of the memory, or 0 for host memory.
    pub fn ordinal(&self) -> i32 {
        match self.place() {
            CU_MEM_LOCATION_TYPE_DEVICE => self.properties.location.id,
            _ => 0,
        }
    }

    /// Maps a part of it at an address.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the range is reserved and nothing is mapped there;
    /// - `offset` and `size` are whole pages within the memory.
    pub unsafe fn show_part_at(&self, address: u64, offset: u64, size: u64) -> bool {
        let (file, start) = match &self.storage {
            Place::Own(file) => (file, 0),
            Place::Shared(part) => part.place(),
        };
        // SAFETY: by the contract of this function.
        unsafe { file.map_at(address, start + offset, size) }
    }

    /// Maps all of it at an address.
    ///
    /// # Safety
    /// The caller must ensure that the range is reserved and nothing is mapped there.
    pub unsafe fn show_at(&self, address: u64) -> bool {
        // SAFETY: by the contract of this function. The part is the whole memory.
        unsafe { self.show_part_at(address, 0, self.size) }
    }
}

/// Pages of physical memory that are mapped in a range of the arena without an allocation, until
/// this is dropped.
pub struct Window {
    pub base: u64,
    size: u64,
    _physical: Arc<Physical>,
}

impl Window {
    /// Maps a part of the memory in whole pages.
    pub fn open(physical: &Arc<Physical>, offset: u64, size: u64) -> Option<Window> {
        let size = arena::rounded(size.checked_next_multiple_of(PAGE)?)?;
        let base = arena::allocate_for_maps(size, PAGE)?;
        let window = Window {
            base,
            size,
            _physical: physical.clone(),
        };
        // SAFETY: just allocated, in whole pages. The caller has checked that the part is within
        // the memory.
        unsafe { physical.show_part_at(base, offset, size) }.then_some(window)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: the range belongs to this window, and its contents are no longer used.
        if unsafe { system::unmap_at(self.base, self.size) } {
            arena::release_for_maps(self.base, self.size);
        }
    }
}

fn add(physical: Arc<Physical>) -> Arc<Handle> {
    HANDLES.insert(|handle| Handle {
        handle,
        physical,
        references: AtomicU32::new(1),
    })
}

/// Returns the physical memory of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live. (An H200's driver dereferences
/// handles, and a wrong one ends the process.)
pub fn get(handle: u64) -> Result<Arc<Handle>> {
    HANDLES.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Checks the properties of physical memory, with the codes of an H200 (driver 580), and normalizes
/// them.
fn checked(size: u64, mut wanted: AllocationProperties) -> Result<AllocationProperties> {
    let location = &mut wanted.location;
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => device::check(location.id)?,
        CU_MEM_LOCATION_TYPE_HOST => {
            location.kind = CU_MEM_LOCATION_TYPE_HOST_NUMA;
            location.id = 0;
        }
        // The host has one NUMA node.
        CU_MEM_LOCATION_TYPE_HOST_NUMA if location.id == 0 => {}
        _ => return Err(Code::ERROR_INVALID_VALUE),
    }
    if wanted.kind != CU_MEM_ALLOCATION_TYPE_PINNED
        || size == 0
        || !size.is_multiple_of(GRANULARITY)
        || wanted.handle_types & FOREIGN != 0
        || wanted.metadata != 0 && wanted.handle_types & CU_MEM_HANDLE_TYPE_WIN32 == 0
        || wanted.compression > 1
        || wanted.reserved != [0; 4]
    {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if wanted.handle_types & FABRIC != 0 {
        return Err(Code::ERROR_NOT_PERMITTED);
    }
    // Handles have the default security.
    wanted.metadata = 0;
    // Memory is never compressed here, which the documentation allows.
    wanted.compression = 0;
    Ok(wanted)
}

/// Creates physical memory.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` or `CUDA_ERROR_INVALID_DEVICE` for invalid properties,
/// `CUDA_ERROR_NOT_PERMITTED` for fabric handles (which need privileges that no process has here),
/// and `CUDA_ERROR_OUT_OF_MEMORY` if there is no memory left.
pub fn create(size: u64, wanted: AllocationProperties) -> Result<Arc<Handle>> {
    let properties = checked(size, wanted)?;
    let taken_from = match properties.location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => {
            budget::take(properties.location.id, size)?;
            Some(properties.location.id)
        }
        _ if size > device::host_memory() => return Err(Code::ERROR_OUT_OF_MEMORY),
        _ => None,
    };
    let own = || {
        let file = MemoryFile::create(c"cuda-emulator-physical", size + PAGE)?;
        describe(&file, size, &properties).map(|()| Place::Own(file))
    };
    let place = match properties.handle_types {
        0 if MemoryFile::SPARSE => Part::take(size).map(Place::Shared),
        _ => own(),
    };
    let Some(storage) = place else {
        if let Some(ordinal) = taken_from {
            budget::release(ordinal, size);
        }
        return Err(Code::ERROR_OUT_OF_MEMORY);
    };
    Ok(add(Arc::new(Physical {
        storage,
        size,
        properties,
        taken_from,
    })))
}

/// Writes the descriptive page after the memory.
fn describe(file: &MemoryFile, size: u64, properties: &AllocationProperties) -> Option<()> {
    let words = [
        MAGIC,
        size,
        u64::from(properties.location.kind),
        properties.location.id as u64,
        u64::from(properties.usage),
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    file.write(&bytes, size)
}

/// Takes over a descriptor without creating a handle, for imports through other calls.
///
/// # Errors
/// Returns `CUDA_ERROR_UNKNOWN` if the descriptor is not physical memory of an emulator, or if its
/// device does not exist here.
pub fn adopt(fd: Descriptor) -> Result<Arc<Physical>> {
    let (file, size, properties) = understood(fd).ok_or(Code::ERROR_UNKNOWN)?;
    Ok(Arc::new(Physical {
        storage: Place::Own(file),
        size,
        properties,
        taken_from: None,
    }))
}

/// Imports physical memory of another process from a descriptor.
///
/// # Errors
/// Returns `CUDA_ERROR_UNKNOWN`, as an H200 does, if the descriptor is not physical memory of an
/// emulator, or if its device does not exist here.
pub fn import(fd: Descriptor) -> Result<Arc<Handle>> {
    Ok(add(adopt(fd)?))
}

/// Reads and validates the descriptive page of a file. Its contents are untrusted.
fn understood(fd: Descriptor) -> Option<(MemoryFile, u64, AllocationProperties)> {
    let file = MemoryFile::adopt_fd(fd)?;
    let size = file.size()?.checked_sub(PAGE)?;
    if size == 0 || !size.is_multiple_of(GRANULARITY) {
        return None;
    }
    let mut bytes = [0; 40];
    file.read(&mut bytes, size)?;
    let mut words = bytes
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
    let mut next = || words.next().expect("five words");
    if next() != MAGIC || next() != size {
        return None;
    }
    let location = Location {
        kind: u32::try_from(next()).ok()?,
        id: i32::try_from(next()).ok()?,
    };
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => device::check(location.id).ok()?,
        CU_MEM_LOCATION_TYPE_HOST_NUMA if location.id == 0 => {}
        _ => return None,
    }
    let properties = AllocationProperties {
        kind: CU_MEM_ALLOCATION_TYPE_PINNED,
        // As recorded on an H200, imported memory cannot be exported again.
        handle_types: 0,
        location,
        metadata: 0,
        compression: 0,
        rdma: 0,
        usage: u16::try_from(next()).ok()?,
        reserved: [0; 4],
    };
    Some((file, size, properties))
}

/// Returns a new descriptor of the memory, which the client owns.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` unless the memory was created for export as this type.
pub fn export(handle: &Handle, kind: u32) -> Result<Descriptor> {
    let physical = &handle.physical;
    if kind != MEM_HANDLE_TYPE_FILE || physical.properties.handle_types & kind == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    match &physical.storage {
        Place::Own(file) => file.duplicate().ok_or(Code::ERROR_OPERATING_SYSTEM),
        Place::Shared(_) => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Returns a handle of physical memory that is mapped: an existing one with one more reference, or
/// a new one.
pub fn retain(physical: &Arc<Physical>) -> u64 {
    let all = HANDLES.all();
    let known = all
        .iter()
        .find(|one| Arc::ptr_eq(&one.physical, physical) && retain_known(one));
    known.map_or_else(|| add(physical.clone()).handle, |known| known.handle)
}

/// Adds a reference. Returns false if the last one has just been released.
fn retain_known(handle: &Handle) -> bool {
    let more = |count: u32| (count > 0).then_some(count + 1);
    let order = Ordering::AcqRel;
    let before = handle
        .references
        .fetch_update(order, Ordering::Acquire, more);
    before.is_ok()
}

/// Releases a handle once.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is not live.
pub fn release(handle: u64) -> Result {
    let one = get(handle)?;
    let less = |count: u32| count.checked_sub(1);
    let order = Ordering::AcqRel;
    match one.references.fetch_update(order, Ordering::Acquire, less) {
        Ok(1) => HANDLES
            .remove(handle)
            .map(drop)
            .ok_or(Code::ERROR_INVALID_VALUE),
        Ok(_) => Ok(()),
        Err(_) => Err(Code::ERROR_INVALID_VALUE),
    }
}
