//! File descriptors.

use std::{
    ffi::{OsStr, OsString, c_int, c_uint, c_void},
    io,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    ptr,
};

pub(crate) use std::os::fd::{AsFd as AsFile, OwnedFd as OwnedFile};

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
pub(crate) const HANDLE_TYPE: c_uint = 1;

/// A variable to which the driver writes a file that it has opened for the caller.
pub(crate) struct ReceivedFile(c_int);

impl ReceivedFile {
    pub(crate) fn new() -> Self {
        Self(-1)
    }

    pub(crate) fn place(&mut self) -> *mut c_void {
        (&raw mut self.0).cast()
    }

    /// Returns the file, or `None` if the driver has written none.
    ///
    /// # Safety
    /// The caller must ensure that a file that the driver has written has no other owner.
    pub(crate) unsafe fn take(self) -> Option<OwnedFd> {
        // SAFETY: the caller guarantees that it is open and has no other owner.
        (self.0 >= 0).then(|| unsafe { OwnedFd::from_raw_fd(self.0) })
    }
}

/// Returns the number of a file, as in the driver's structures.
pub(crate) fn number(file: &OwnedFd) -> u64 {
    u64::from(file.as_raw_fd().cast_unsigned())
}

/// Ends the ownership of an imported file: the driver owns it now.
pub(crate) fn release_imported(file: OwnedFd) {
    let _ = file.into_raw_fd();
}

/// An open file whose descriptor number the driver accepts in place of an address.
pub(crate) struct NamedFile<'a> {
    given: BorrowedFd<'a>,
    copy: Option<OwnedFd>,
}

impl<'a> NamedFile<'a> {
    /// Duplicates descriptor 0, which a child process may have received, because its number looks
    /// like a null pointer to the driver.
    pub(crate) fn new(file: &'a impl AsFd) -> io::Result<Self> {
        let given = file.as_fd();
        let copy = (given.as_raw_fd() == 0).then(|| given.try_clone_to_owned());
        let copy = copy.transpose()?;
        Ok(Self { given, copy })
    }

    /// Returns the descriptor's number as a pointer, valid as long as `self`.
    pub(crate) fn place(&self) -> *mut c_void {
        let own = self.copy.as_ref().map(AsRawFd::as_raw_fd);
        let number = own.unwrap_or_else(|| self.given.as_raw_fd());
        ptr::without_provenance_mut(number as usize)
    }
}

/// Returns the security attributes of physical memory, which only Windows has.
pub(crate) fn object_attributes(_: c_uint) -> *mut c_void {
    ptr::null_mut()
}

/// Returns the security attributes of a pool, which only Windows has.
pub(crate) fn security_attributes(_: c_uint) -> *mut c_void {
    ptr::null_mut()
}

/// Returns the bytes of a path for the driver.
///
/// # Errors
/// Does not fail on Unix.
pub(crate) fn path_bytes(path: &OsStr) -> Result<&[u8], &'static str> {
    Ok(path.as_bytes())
}

/// Returns the path that the driver has written.
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}
