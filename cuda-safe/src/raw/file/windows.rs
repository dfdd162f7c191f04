//! Handles of Windows.

use std::{
    ffi::{OsStr, OsString, c_uint, c_void},
    io,
    os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle},
    ptr,
};

pub(crate) use std::os::windows::io::{AsHandle as AsFile, OwnedHandle as OwnedFile};

/// `CU_MEM_HANDLE_TYPE_WIN32`
pub(crate) const HANDLE_TYPE: c_uint = 2;

/// A variable to which the driver writes a handle that it has opened for the caller.
pub(crate) struct ReceivedFile(*mut c_void);

impl ReceivedFile {
    pub(crate) fn new() -> Self {
        Self(ptr::null_mut())
    }

    pub(crate) fn place(&mut self) -> *mut c_void {
        (&raw mut self.0).cast()
    }

    /// Returns the handle, or `None` if the driver has written none.
    ///
    /// # Safety
    /// The caller must ensure that a handle that the driver has written has no other owner.
    pub(crate) unsafe fn take(self) -> Option<OwnedHandle> {
        // SAFETY: the caller guarantees that it is open and has no other owner.
        (!self.0.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(self.0) })
    }
}

/// Returns the number of a handle, as in the driver's structures.
pub(crate) fn number(file: &OwnedHandle) -> u64 {
    file.as_raw_handle().addr() as u64
}

/// Closes an imported handle: on Windows, the driver does not take it.
pub(crate) fn release_imported(file: OwnedHandle) {
    drop(file);
}

/// An open handle that the driver accepts in place of an address.
pub(crate) struct NamedFile<'a>(BorrowedHandle<'a>);

impl<'a> NamedFile<'a> {
    /// Does not fail on Windows.
    pub(crate) fn new(file: &'a impl AsHandle) -> io::Result<Self> {
        Ok(Self(file.as_handle()))
    }

    /// Returns the handle as a pointer, valid as long as `self`.
    pub(crate) fn place(&self) -> *mut c_void {
        self.0.as_raw_handle()
    }
}

/// `OBJECT_ATTRIBUTES`
#[repr(C)]
struct ObjectAttributes {
    length: u32,
    root: usize,
    name: usize,
    attributes: u32,
    security: usize,
    quality: usize,
}

/// `SECURITY_ATTRIBUTES`
#[repr(C)]
struct SecurityAttributes {
    length: u32,
    descriptor: usize,
    inherits: i32,
}

/// Attributes with the default security: the user who runs the process has access.
static OBJECT: ObjectAttributes = ObjectAttributes {
    length: size_of::<ObjectAttributes>() as u32,
    root: 0,
    name: 0,
    attributes: 0,
    security: 0,
    quality: 0,
};
static SECURITY: SecurityAttributes = SecurityAttributes {
    length: size_of::<SecurityAttributes>() as u32,
    descriptor: 0,
    inherits: 0,
};

/// Returns the security attributes of physical memory with these kinds of handles. The driver
/// requires them for Windows handles, only reads them, and rejects them otherwise.
pub(crate) fn object_attributes(handles: c_uint) -> *mut c_void {
    match handles & HANDLE_TYPE {
        0 => ptr::null_mut(),
        _ => (&raw const OBJECT).cast_mut().cast(),
    }
}

/// Returns the security attributes of a pool with these kinds of handles, as
/// [`object_attributes`] does.
pub(crate) fn security_attributes(handles: c_uint) -> *mut c_void {
    match handles & HANDLE_TYPE {
        0 => ptr::null_mut(),
        _ => (&raw const SECURITY).cast_mut().cast(),
    }
}

/// Returns the bytes of a path for the driver.
///
/// # Errors
/// Returns the reason if the path is not ASCII.
pub(crate) fn path_bytes(path: &OsStr) -> Result<&[u8], &'static str> {
    let ascii = path.to_str().filter(|path| path.is_ascii());
    let reason =
        "is not ASCII, and the driver's encoding of other characters is unknown on Windows";
    ascii.map(str::as_bytes).ok_or(reason)
}

/// Returns the path that the driver has written.
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
