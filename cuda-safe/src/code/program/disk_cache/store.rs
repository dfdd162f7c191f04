//! A folder whose files only this user and root can have written.

use std::{
    ffi::{CString, c_int},
    fs::{DirBuilder, File, Metadata, OpenOptions},
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd},
        unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    },
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// `O_NOFOLLOW`, here and below, rejects symbolic links.
const FOLDER: c_int = libc::O_DIRECTORY | libc::O_NOFOLLOW;
/// Without `O_NONBLOCK`, opening a pipe for reading would wait for a writer.
const READ: c_int = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_CLOEXEC;
/// `O_EXCL` rejects an existing file, which another process is writing.
const WRITE: c_int =
    libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC;

const WRITABLE_BY_OTHERS: u32 = libc::S_IWGRP | libc::S_IWOTH;

/// An open folder.
///
/// All files are accessed relative to its descriptor. A user who can write to a parent folder can
/// replace this folder, but cannot change the one that the descriptor refers to.
pub(super) struct Store(File);

impl Store {
    /// Opens a folder. Returns `None` if it does not exist or if other users can write to it.
    pub(super) fn open(folder: &Path) -> Option<Self> {
        let folder = OpenOptions::new()
            .read(true)
            .custom_flags(FOLDER)
            .open(folder)
            .ok()?;
        is_trusted(&folder.metadata().ok()?).then_some(Self(folder))
    }

    /// Like [`open`](Self::open), but creates the folder if it does not exist.
    pub(super) fn make(folder: &Path) -> Option<Self> {
        // If this fails, `open` fails too.
        let _ = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        Self::open(folder)
    }

    /// Returns the contents of a file. Returns `None` if it does not exist or if other users can
    /// write to it.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut file = self.file(name, READ).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !is_trusted(&metadata) {
            return None;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Writes a file atomically.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = format!(".{name}.{}.{number}", process::id());
        let mut file = self.file(&temporary, WRITE)?;
        let written = file
            .write_all(bytes)
            .and_then(|()| self.rename(&temporary, name));
        if written.is_err() {
            self.remove(&temporary);
        }
        written
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

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (CString::new(from)?, CString::new(to)?);
        let folder = self.0.as_raw_fd();
        // SAFETY: the folder is open, and the names are NUL-terminated.
        match unsafe { libc::renameat(folder, from.as_ptr(), folder, to.as_ptr()) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn remove(&self, name: &str) {
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

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::*;
    use crate::code::program::disk_cache::folder::Folder;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn written_files_are_private_and_can_be_read_back() {
        let folder = Folder::new();
        let path = folder.0.join("a/b");
        assert!(Store::open(&path).is_none());
        assert!(!path.exists());
        let store = Store::make(&path).unwrap();
        assert_eq!((mode(&path), mode(&folder.0.join("a"))), (0o700, 0o700));
        assert_eq!(store.read("x"), None);
        store.write("x", b"one").unwrap();
        assert_eq!(store.read("x").unwrap(), b"one");
        store.write("x", b"two").unwrap();
        assert_eq!(Store::open(&path).unwrap().read("x").unwrap(), b"two");
        assert_eq!(mode(&path.join("x")), 0o600);
        assert_eq!(names(&path), ["x"]);
        assert_eq!(Store::make(&path).unwrap().read("x").unwrap(), b"two");
    }

    #[test]
    fn files_writable_by_others_are_rejected() {
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
        let folder = Folder::new();
        let store = Store::make(&folder.0).unwrap();
        store.write("x", b"one").unwrap();
        for writable in [0o720, 0o702, 0o777, 0o1777] {
            set_mode(&folder.0, writable);
            assert!(Store::open(&folder.0).is_none(), "{writable:o}");
            assert!(Store::make(&folder.0).is_none(), "{writable:o}");
        }
        set_mode(&folder.0, 0o755);
        let store = Store::open(&folder.0).unwrap();
        for writable in [0o620, 0o602, 0o666] {
            set_mode(&folder.0.join("x"), writable);
            assert_eq!(store.read("x"), None, "{writable:o}");
        }
        set_mode(&folder.0.join("x"), 0o644);
        assert_eq!(store.read("x").unwrap(), b"one");
    }

    #[test]
    fn only_folders_and_files_are_opened() {
        let folder = Folder::new();
        let store = Store::make(&folder.0.join("store")).unwrap();
        store.write("x", b"one").unwrap();
        symlink("store", folder.0.join("link")).unwrap();
        folder.write("file", "");
        for other in ["link", "file", "missing"] {
            assert!(Store::open(&folder.0.join(other)).is_none(), "{other}");
        }
        let inside = folder.0.join("store");
        symlink("x", inside.join("link")).unwrap();
        fs::create_dir(inside.join("folder")).unwrap();
        let pipe = CString::new(inside.join("pipe").to_str().unwrap()).unwrap();
        // SAFETY: the path is NUL-terminated.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        for other in ["link", "folder", "pipe", "missing", "a\0b"] {
            assert_eq!(store.read(other), None, "{other:?}");
        }
        // Replacing the folder does not affect a store that is already open.
        fs::rename(&inside, folder.0.join("moved")).unwrap();
        fs::create_dir(&inside).unwrap();
        store.write("y", b"two").unwrap();
        assert_eq!(names(&inside), Vec::<String>::new());
        assert_eq!(store.read("x").unwrap(), b"one");
    }

    #[test]
    fn failed_writes_leave_no_files() {
        let folder = Folder::new();
        let store = Store::make(&folder.0).unwrap();
        fs::create_dir(folder.0.join("x")).unwrap();
        assert!(store.write("x", b"one").is_err());
        assert_eq!(names(&folder.0), ["x"]);
        assert!(store.write("a\0b", b"one").is_err());
        assert!(store.write("a/b", b"one").is_err());
        assert_eq!(names(&folder.0), ["x"]);
        // Temporary files of another process are not overwritten.
        let next = (0..1_000).map(|number| format!(".y.{}.{number}", process::id()));
        let taken: Vec<_> = next.map(|name| folder.write(&name, "other")).collect();
        assert!(store.write("y", b"one").is_err());
        assert!(taken.iter().all(|path| path.exists()));
        assert_eq!(store.read("y"), None);
    }
}
