//! Physical memory: what `cuMemCreate` makes, and what addresses are mapped to.
//!
//! It lies in a file in memory, so that it can be mapped in several places. What another process may have is a file of its
//! own, whose descriptor leads there; behind its bytes lies a page that says what it is. All else shares one file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::arena;
use super::budget;
use super::private_memory_file::Part;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device;
use crate::process::handle::{Object, Table};
use crate::process::memory_file::{self, Memfd, PAGE};
use crate::process::registry::Owner;

/// The unit of physical memory and of mappings, on an H200 of any location.
pub const GRANULARITY: u64 = 2 << 20;
/// What the page behind the memory begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"emu-phys");
/// Bits of `CUmemAllocationHandleType` that an H200 without a fabric refuses, with its codes.
const FABRIC: u32 = CU_MEM_HANDLE_TYPE_FABRIC;
const WIN32: u32 = CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT;

/// Physical memory. It is there until its handles, mappings and descriptors are gone.
pub struct Physical {
    lies_in: Place,
    pub size: u64,
    pub properties: AllocationProperties,
    /// The device whose memory it takes; `None` for the host's, and for another process's.
    taken_from: Option<i32>,
}

/// The file that physical memory lies in.
enum Place {
    /// One of its own, which another process may have.
    Own(Memfd),
    Shared(Part),
}

/// A handle of physical memory, with the number of times that the client has to release it.
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
            budget::give_back(ordinal, self.size);
        }
    }
}

impl Physical {
    /// Where it is: a `CUmemLocationType`.
    pub fn place(&self) -> u32 {
        self.properties.location.kind
    }

    /// The device whose memory it is, or which stands for the host's.
    pub fn ordinal(&self) -> i32 {
        match self.place() {
            CU_MEM_LOCATION_TYPE_DEVICE => self.properties.location.id,
            _ => 0,
        }
    }

    /// Has a part of it appear at an address.
    ///
    /// # Safety
    /// As [`show_at`](Self::show_at); the part is whole pages of it.
    pub unsafe fn show_part_at(&self, address: u64, offset: u64, size: u64) -> bool {
        let (file, start) = match &self.lies_in {
            Place::Own(file) => (file, 0),
            Place::Shared(part) => part.place(),
        };
        // SAFETY: as this function's contract says.
        unsafe { file.map_at(address, start + offset, size) }
    }

    /// Has it appear at an address.
    ///
    /// # Safety
    /// The range is reserved, and nothing is mapped there.
    pub unsafe fn show_at(&self, address: u64) -> bool {
        // SAFETY: as this function's contract says; that is all of it.
        unsafe { self.show_part_at(address, 0, self.size) }
    }
}

/// Pages of physical memory that appear in a range of the arena's where no allocation is, for as long as this lives.
pub struct Window {
    pub base: u64,
    size: u64,
    _physical: Arc<Physical>,
}

impl Window {
    /// Shows a part of the memory, whole pages.
    pub fn open(physical: &Arc<Physical>, offset: u64, size: u64) -> Option<Window> {
        let size = arena::rounded(size.checked_next_multiple_of(PAGE)?)?;
        let base = arena::allocate(size, PAGE)?;
        let window = Window {
            base,
            size,
            _physical: physical.clone(),
        };
        // SAFETY: just allocated, in whole pages; the part lies within the memory, by the caller's check.
        unsafe { physical.show_part_at(base, offset, size) }.then_some(window)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: the range is this one's, and what was shown there is used no more.
        if unsafe { memory_file::unmap_at(self.base, self.size) } {
            arena::release(self.base, self.size);
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

/// The physical memory behind a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`. (An H200's driver takes handles for addresses, and ends the process.)
pub fn get(handle: u64) -> Result<Arc<Handle>> {
    HANDLES.get(handle).ok_or(Code::ERROR_INVALID_VALUE)
}

/// Checks what physical memory is to be, with the codes of an H200 (driver 580), and completes it.
fn checked(size: u64, mut wanted: AllocationProperties) -> Result<AllocationProperties> {
    let location = &mut wanted.location;
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => device::check(location.id)?,
        CU_MEM_LOCATION_TYPE_HOST => {
            location.kind = CU_MEM_LOCATION_TYPE_HOST_NUMA;
            location.id = 0;
        }
        // There is one node here.
        CU_MEM_LOCATION_TYPE_HOST_NUMA if location.id == 0 => {}
        _ => return Err(Code::ERROR_INVALID_VALUE),
    }
    if wanted.kind != CU_MEM_ALLOCATION_TYPE_PINNED
        || size == 0
        || !size.is_multiple_of(GRANULARITY)
        || wanted.handle_types & WIN32 != 0
        || wanted.metadata != 0
        || wanted.compression > 1
        || wanted.reserved != [0; 4]
    {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if wanted.handle_types & FABRIC != 0 {
        return Err(Code::ERROR_NOT_PERMITTED);
    }
    // No memory is compressed here, as the documentation allows.
    wanted.compression = 0;
    Ok(wanted)
}

/// Makes physical memory.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`, `CUDA_ERROR_INVALID_DEVICE`, `CUDA_ERROR_NOT_PERMITTED` for fabric handles, which take
/// rights that nobody has here; `CUDA_ERROR_OUT_OF_MEMORY`.
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
        let file = Memfd::create(c"cuda-emulator-physical", size + PAGE)?;
        describe(&file, size, &properties).map(|()| Place::Own(file))
    };
    let place = match properties.handle_types {
        0 => Part::take(size).map(Place::Shared),
        _ => own(),
    };
    let Some(lies_in) = place else {
        if let Some(ordinal) = taken_from {
            budget::give_back(ordinal, size);
        }
        return Err(Code::ERROR_OUT_OF_MEMORY);
    };
    Ok(add(Arc::new(Physical {
        lies_in,
        size,
        properties,
        taken_from,
    })))
}

/// Writes what the memory is behind its bytes.
fn describe(file: &Memfd, size: u64, properties: &AllocationProperties) -> Option<()> {
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

/// The same without a handle: for what is imported by other names.
///
/// # Errors
/// As [`import`].
pub fn adopt(fd: i32) -> Result<Arc<Physical>> {
    let (file, size, properties) = understood(fd).ok_or(Code::ERROR_UNKNOWN)?;
    Ok(Arc::new(Physical {
        lies_in: Place::Own(file),
        size,
        properties,
        taken_from: None,
    }))
}

/// Physical memory of another process, by a descriptor.
///
/// # Errors
/// `CUDA_ERROR_UNKNOWN`, as of an H200, for what is no physical memory of an emulator, or of a device that isn't here.
pub fn import(fd: i32) -> Result<Arc<Handle>> {
    Ok(add(adopt(fd)?))
}

/// What a descriptor's file says of itself, none of which is believed before it was checked.
fn understood(fd: i32) -> Option<(Memfd, u64, AllocationProperties)> {
    let file = Memfd::adopt_fd(fd)?;
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
        // As recorded on an H200: what came from elsewhere goes nowhere else.
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

/// A descriptor of the memory, which is the client's.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` unless the memory was made to be exported in this way.
pub fn export(handle: &Handle, kind: u32) -> Result<i32> {
    let physical = &handle.physical;
    if kind != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        || physical.properties.handle_types & kind == 0
    {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    match &physical.lies_in {
        Place::Own(file) => file.duplicate().ok_or(Code::ERROR_OPERATING_SYSTEM),
        Place::Shared(_) => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// A handle of physical memory that is mapped: the one there is, or another.
pub fn retain(physical: &Arc<Physical>) -> u64 {
    let all = HANDLES.all();
    let known = all
        .iter()
        .find(|one| Arc::ptr_eq(&one.physical, physical) && retain_known(one));
    known.map_or_else(|| add(physical.clone()).handle, |known| known.handle)
}

/// Counts one more reference, unless the last was given back meanwhile.
fn retain_known(handle: &Handle) -> bool {
    let more = |count: u32| (count > 0).then_some(count + 1);
    let order = Ordering::AcqRel;
    let before = handle
        .references
        .fetch_update(order, Ordering::Acquire, more);
    before.is_ok()
}

/// Gives back a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
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
