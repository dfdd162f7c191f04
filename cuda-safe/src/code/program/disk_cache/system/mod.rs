//! The parts of the cache that depend on the operating system.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod own;

pub(super) use own::{
    FileNumber, Folder, backslashes_are_plain, changed, find, folder_of, is_plain, is_plain_path,
    number, open, size_and_time, times,
};
