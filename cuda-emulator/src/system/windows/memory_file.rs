//! Memory that can be mapped several times: sections of the page file.
//!
//! The system reserves all of a section's memory when the section is created.

use std::ffi::CStr;
use std::mem;
use std::os::windows::io::{AsRawHandle, FromRawHandle, IntoRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::{
    DUPLICATE_SAME_ACCESS, DuplicateHandle, HANDLE, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, MEMORY_BASIC_INFORMATION,
    MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFileEx, PAGE_READWRITE, UnmapViewOfFile, VirtualQuery,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

use super::map_addresses::{self, MAP_UNIT};
use crate::system::Identity;

/// A handle of a section, as the driver's calls pass it.
pub type Descriptor = usize;

/// A section.
pub struct MemoryFile {
    section: OwnedHandle,
    size: u64,
}

/// Pages of a section mapped at an address chosen by the system, until this is dropped.
pub struct Mapped {
    pub address: u64,
}

impl MemoryFile {
    /// A section takes memory before it is used.
    pub const SPARSE: bool = false;

    /// Creates a section of zeros.
    pub fn create(_name: &CStr, size: u64) -> Option<MemoryFile> {
        let (high, low) = ((size >> 32) as u32, size as u32);
        // SAFETY: a new section without a name and with default security.
        let section = unsafe {
            CreateFileMappingW(
                INVALID_HANDLE_VALUE,
                ptr::null(),
                PAGE_READWRITE,
                high,
                low,
                ptr::null(),
            )
        };
        (!section.is_null()).then(|| MemoryFile {
            // SAFETY: the handle was just opened and has no other owner.
            section: unsafe { OwnedHandle::from_raw_handle(section) },
            size,
        })
    }

    /// Duplicates a handle that the client keeps. Returns `None` if it is not a section.
    pub fn adopt_fd(descriptor: Descriptor) -> Option<MemoryFile> {
        let section = duplicate(descriptor as HANDLE)?;
        let mut file = MemoryFile { section, size: 0 };
        // Size 0 maps the whole section.
        let whole = file.map(0, 0)?;
        let mut pages = MEMORY_BASIC_INFORMATION::default();
        let length = mem::size_of_val(&pages);
        // SAFETY: `pages` has room for the result. The address is not accessed.
        if unsafe { VirtualQuery(whole.address as *const _, &mut pages, length) } == 0 {
            return None;
        }
        file.size = pages.RegionSize as u64;
        Some(file)
    }

    /// Returns `None`, because only the client passes handles to other processes.
    pub fn of_process(_process: u32, _descriptor: Descriptor) -> Option<MemoryFile> {
        None
    }

    /// Returns a new handle of the section, which the client owns.
    pub fn duplicate(&self) -> Option<Descriptor> {
        let handle = duplicate(self.section.as_raw_handle())?;
        Some(handle.into_raw_handle() as Descriptor)
    }

    /// Returns the handle.
    pub fn number(&self) -> Descriptor {
        self.section.as_raw_handle() as Descriptor
    }

    pub fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    /// Returns `None`, because the system does not identify sections.
    pub fn identity(&self) -> Option<Identity> {
        None
    }

    /// Writes bytes to the section.
    pub fn write(&self, bytes: &[u8], offset: u64) -> Option<()> {
        let (_mapped, place) = self.place(offset, bytes.len())?;
        // SAFETY: the pages are mapped, and `place` returns room for that many bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        Some(())
    }

    /// Reads bytes from the section.
    pub fn read(&self, bytes: &mut [u8], offset: u64) -> Option<()> {
        let (_mapped, place) = self.place(offset, bytes.len())?;
        // SAFETY: the pages are mapped, and `place` returns room for that many bytes.
        unsafe { ptr::copy_nonoverlapping(place, bytes.as_mut_ptr(), bytes.len()) };
        Some(())
    }

    /// Maps the pages around some bytes, and returns the address of the bytes.
    fn place(&self, offset: u64, length: usize) -> Option<(Mapped, *mut u8)> {
        let end = offset.checked_add(length as u64)?;
        if end > self.size {
            return None;
        }
        let start = offset / MAP_UNIT * MAP_UNIT;
        let mapped = self.map(start, end - start)?;
        let place = (mapped.address + offset - start) as *mut u8;
        Some((mapped, place))
    }

    /// Keeps the pages, because a part of a section cannot be returned to the system.
    pub fn punch(&self, _offset: u64, _size: u64) {}

    /// Maps pages of the section at an address, in place of the previous mapping.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the range consists of whole pages that [`map_addresses::reserve`] has returned to the
    ///   caller;
    /// - the section has that many pages from `offset` on.
    pub unsafe fn map_at(&self, address: u64, offset: u64, size: u64) -> bool {
        let map = || self.view(address, offset, size).is_some();
        map_addresses::replace(address, size, map)
    }

    /// Maps pages of the section at an address chosen by the system.
    pub fn map(&self, offset: u64, size: u64) -> Option<Mapped> {
        let address = self.view(0, offset, size)?;
        Some(Mapped { address })
    }

    /// Maps pages at a free address, or at one chosen by the system for 0.
    fn view(&self, address: u64, offset: u64, size: u64) -> Option<u64> {
        // SAFETY: the system maps nothing over existing pages.
        let view = unsafe {
            MapViewOfFileEx(
                self.section.as_raw_handle(),
                FILE_MAP_READ | FILE_MAP_WRITE,
                (offset >> 32) as u32,
                offset as u32,
                size as usize,
                address as *const _,
            )
        };
        (!view.Value.is_null()).then_some(view.Value as u64)
    }
}

/// Duplicates a handle. Returns `None` if it is not open.
fn duplicate(handle: HANDLE) -> Option<OwnedHandle> {
    let mut own = ptr::null_mut();
    // SAFETY: the call fails if `handle` is not open, and `own` is a place for the result.
    let done = unsafe {
        let process = GetCurrentProcess();
        DuplicateHandle(
            process,
            handle,
            process,
            &mut own,
            0,
            0,
            DUPLICATE_SAME_ACCESS,
        )
    };
    // SAFETY: the handle was just opened and has no other owner.
    (done != 0).then(|| unsafe { OwnedHandle::from_raw_handle(own) })
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let view = MEMORY_MAPPED_VIEW_ADDRESS {
            Value: self.address as *mut _,
        };
        // SAFETY: mapped by `map`, and no longer used.
        unsafe { UnmapViewOfFile(view) };
    }
}
