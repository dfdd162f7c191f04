//! The page of a semaphore, as a file in memory.

use std::{
    ffi::c_void,
    os::fd::{FromRawFd, OwnedFd},
    ptr,
};

pub type File = OwnedFd;

/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD`
#[allow(dead_code, reason = "some programs need only one kind")]
pub const BINARY: u32 = 1;
/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`
#[allow(dead_code, reason = "some programs need only one kind")]
pub const TIMELINE: u32 = 9;

/// Creates a file of this size, and maps it.
pub fn create(size: usize) -> (File, *mut c_void) {
    // SAFETY: the name ends in NUL.
    let number = unsafe {
        libc::memfd_create(
            c"semaphore".as_ptr(),
            libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING,
        )
    };
    assert!(number >= 0);
    // SAFETY: the new descriptor has no other owner, and the mapping is new and within the file.
    unsafe {
        assert_eq!(libc::ftruncate(number, size as i64), 0);
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW;
        assert_eq!(libc::fcntl(number, libc::F_ADD_SEALS, seals), 0);
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let address = libc::mmap(ptr::null_mut(), size, both, libc::MAP_SHARED, number, 0);
        assert_ne!(address, libc::MAP_FAILED);
        (OwnedFd::from_raw_fd(number), address)
    }
}

/// Removes a mapping.
///
/// # Safety
/// `create` must have returned the mapping, and nothing may use it any more.
pub unsafe fn unmap(address: *mut c_void, size: usize) {
    // SAFETY: by the contract of this function.
    unsafe { libc::munmap(address, size) };
}
