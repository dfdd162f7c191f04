//! The file system of Unix.

use std::{
    ffi::{CString, c_int},
    fs::{DirBuilder, File, Metadata, OpenOptions},
    io,
    os::{
        fd::{AsRawFd, FromRawFd},
        unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    },
    path::Path,
};

/// `O_NOFOLLOW`, here and below, rejects symbolic links.
const FOLDER: c_int = libc::O_DIRECTORY | libc::O_NOFOLLOW;
/// Without `O_NONBLOCK`, opening a pipe for reading would wait for a writer.
const READ: c_int = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_CLOEXEC;
/// `O_EXCL` rejects an existing file, which another process is writing.
const WRITE: c_int =
    libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;

/// `S_IWGRP | S_IWOTH`, whose type differs between systems.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// An open folder that only this user and root can write to.
///
/// All files are accessed relative to its descriptor. A user who can write to a parent folder can
/// replace this folder, but cannot change the one that the descriptor refers to.
pub(in super::super) struct Folder(File);

impl Folder {
    pub(in super::super) fn create(folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    pub(in super::super) fn open(folder: &Path) -> Option<Self> {
        let folder = OpenOptions::new()
            .read(true)
            .custom_flags(FOLDER)
            .open(folder)
            .ok()?;
        is_trusted(&folder.metadata().ok()?).then_some(Self(folder))
    }

    /// Opens a regular file that only this user and root can write to.
    pub(in super::super) fn open_trusted(&self, name: &str) -> Option<File> {
        let file = self.file(name, READ).ok()?;
        let metadata = file.metadata().ok()?;
        (metadata.is_file() && is_trusted(&metadata)).then_some(file)
    }

    /// Creates a file that does not exist yet.
    pub(in super::super) fn create_file(&self, name: &str) -> io::Result<File> {
        self.file(name, WRITE)
    }

    fn file(&self, name: &str, flags: c_int) -> io::Result<File> {
        let name = CString::new(name)?;
        let mode: libc::c_uint = 0o600;
        // SAFETY: the folder is open, and the name is NUL-terminated.
        let file = unsafe { libc::openat(self.0.as_raw_fd(), name.as_ptr(), flags, mode) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just opened and has no other owner.
        Ok(unsafe { File::from_raw_fd(file) })
    }

    pub(in super::super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (CString::new(from)?, CString::new(to)?);
        let folder = self.0.as_raw_fd();
        // SAFETY: the folder is open, and the names are NUL-terminated.
        match unsafe { libc::renameat(folder, from.as_ptr(), folder, to.as_ptr()) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    pub(in super::super) fn remove(&self, name: &str) {
        if let Ok(name) = CString::new(name) {
            // SAFETY: the folder is open, and the name is NUL-terminated.
            unsafe { libc::unlinkat(self.0.as_raw_fd(), name.as_ptr(), 0) };
        }
    }
}

/// Returns whether only this user and root can write to a file or folder.
fn is_trusted(metadata: &Metadata) -> bool {
    // SAFETY: `geteuid` has no preconditions.
    let user = unsafe { libc::geteuid() };
    is_safe(metadata.uid(), metadata.mode(), user)
}

fn is_safe(owner: u32, mode: u32, user: u32) -> bool {
    (owner == user || owner == 0) && mode & WRITABLE_BY_OTHERS == 0
}

/// Identifies a file, also under another path.
pub(in super::super) type FileNumber = (u64, u64);

pub(in super::super) fn number(_: &Path, metadata: &Metadata) -> Option<FileNumber> {
    Some((metadata.dev(), metadata.ino()))
}

/// Returns metadata that differs after a change.
pub(in super::super) fn times(metadata: &Metadata) -> [u64; 7] {
    [
        metadata.dev(),
        metadata.ino(),
        metadata.size(),
        metadata.mtime().unsigned_abs(),
        metadata.mtime_nsec().unsigned_abs(),
        metadata.ctime().unsigned_abs(),
        metadata.ctime_nsec().unsigned_abs(),
    ]
}

/// Returns the size and time that a copy of the file would also have.
pub(in super::super) fn size_and_time(metadata: &Metadata) -> [[u8; 8]; 3] {
    [
        metadata.size().to_le_bytes(),
        metadata.mtime().to_le_bytes(),
        metadata.mtime_nsec().to_le_bytes(),
    ]
}

/// Returns the time of the last change, in seconds since 1970.
pub(in super::super) fn changed(metadata: &Metadata) -> u64 {
    metadata.ctime().unsigned_abs()
}

/// Opens a file for reading. Never blocks: the file may have been replaced by a pipe.
pub(in super::super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

/// Returns whether the name of a header can only lead to one file below the folder in which it is
/// searched for, with `/` between folders. The caller checks the folders.
pub(in super::super) fn is_plain(_: &str) -> bool {
    true
}

/// Returns whether the path of a text can only lead to one file.
pub(in super::super) fn is_plain_path(_: &str) -> bool {
    true
}

/// Returns whether NVRTC searches an include path with backslashes as it is written.
pub(in super::super) fn backslashes_are_plain(path: &str) -> bool {
    !path.contains('\\')
}

/// Returns the folder of a path, with the separator at its end.
pub(in super::super) fn folder_of(path: &str) -> &str {
    &path[..path.rfind('/').map_or(0, |slash| slash + 1)]
}

/// Returns the position of `wanted`. The C library's function is many times as fast as a loop in
/// Rust.
pub(in super::super) fn find(text: &[u8], wanted: &str) -> Option<usize> {
    let (part, length) = (wanted.as_ptr(), wanted.len());
    // SAFETY: the pointers and the lengths are those of slices.
    let found = unsafe { libc::memmem(text.as_ptr().cast(), text.len(), part.cast(), length) };
    (!found.is_null()).then(|| found as usize - text.as_ptr() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_users_with_write_access_are_not_trusted() {
        for (owner, mode, user, safe) in [
            (1000, 0o700, 1000, true),
            (1000, 0o755, 1000, true),
            (1000, 0o600, 1000, true),
            (0, 0o755, 1000, true),
            (0, 0o700, 0, true),
            (1000, 0o770, 1000, false),
            (1000, 0o720, 1000, false),
            (1000, 0o702, 1000, false),
            (1000, 0o777, 1000, false),
            (0, 0o777, 1000, false),
            (0, 0o1777, 0, false),
            (1001, 0o700, 1000, false),
            (1000, 0o700, 0, false),
        ] {
            assert_eq!(is_safe(owner, mode, user), safe, "{owner} {mode:o} {user}");
        }
    }
}
