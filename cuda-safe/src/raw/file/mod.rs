//! Files and paths in the form that the driver takes on each operating system.
//!
//! On Unix, a file is a descriptor. On Windows, it is a handle.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod own;

pub(crate) use own::{
    AsFile, HANDLE_TYPE, NamedFile, OwnedFile, ReceivedFile, number, object_attributes, path_bytes,
    path_from_bytes, release_imported, security_attributes,
};
