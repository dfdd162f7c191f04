//! The page of a semaphore, as a section of the page file.

use std::{
    ffi::c_void,
    os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle},
    ptr,
};

pub type File = OwnedHandle;

/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32`
#[allow(dead_code, reason = "some programs need only one kind")]
pub const BINARY: u32 = 2;
/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32`
#[allow(dead_code, reason = "some programs need only one kind")]
pub const TIMELINE: u32 = 10;

const PAGE_READWRITE: u32 = 4;
/// `FILE_MAP_READ | FILE_MAP_WRITE`
const BOTH: u32 = 6;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn CreateFileMappingW(
        file: RawHandle,
        security: *const c_void,
        protection: u32,
        size_high: u32,
        size_low: u32,
        name: *const u16,
    ) -> RawHandle;
    fn MapViewOfFile(
        section: RawHandle,
        access: u32,
        offset_high: u32,
        offset_low: u32,
        size: usize,
    ) -> *mut c_void;
    fn UnmapViewOfFile(address: *const c_void) -> i32;
}

/// Creates a section of this size, and maps it.
pub fn create(size: usize) -> (File, *mut c_void) {
    // SAFETY: a new section without a name, of the page file (the handle -1). It has no other owner,
    // and the mapping is new and within the section.
    unsafe {
        let page_file = ptr::without_provenance_mut(usize::MAX);
        let low = u32::try_from(size).unwrap();
        let section =
            CreateFileMappingW(page_file, ptr::null(), PAGE_READWRITE, 0, low, ptr::null());
        assert!(!section.is_null());
        let section = OwnedHandle::from_raw_handle(section);
        let address = MapViewOfFile(section.as_raw_handle(), BOTH, 0, 0, size);
        assert!(!address.is_null());
        (section, address)
    }
}

/// Removes a mapping.
///
/// # Safety
/// `create` must have returned the mapping, and nothing may use it any more.
pub unsafe fn unmap(address: *mut c_void, _size: usize) {
    // SAFETY: by the contract of this function.
    unsafe { UnmapViewOfFile(address) };
}
