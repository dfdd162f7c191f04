//! A folder whose files only this user and the system's administrators can have written.

use std::{
    io::{self, Read, Write},
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use super::system::Folder;

/// An open folder.
///
/// All files are accessed in the folder that was checked when it was opened. A user who can write to
/// a parent folder cannot make this program read or write another one.
pub(super) struct Store(Folder);

impl Store {
    /// Opens a folder. Returns `None` if it does not exist or if other users can write to it.
    pub(super) fn open(folder: &Path) -> Option<Self> {
        Folder::open(folder).map(Self)
    }

    /// Like [`open`](Self::open), but creates the folder if it does not exist.
    pub(super) fn make(folder: &Path) -> Option<Self> {
        // If this fails, `open` fails too.
        let _ = Folder::create(folder);
        Self::open(folder)
    }

    /// Returns the contents of a file. Returns `None` if it does not exist or if other users can
    /// write to it.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.open_trusted(name)?.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Writes a file atomically.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = format!(".{name}.{}.{number}", process::id());
        let mut file = self.0.create_file(&temporary)?;
        let written = file.write_all(bytes);
        // Some systems do not rename open files.
        drop(file);
        let written = written.and_then(|()| self.0.rename(&temporary, name));
        if written.is_err() {
            self.0.remove(&temporary);
        }
        written
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        ffi::CString,
        fs::{self, Permissions},
        os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    };

    use super::{super::folder::Folder, *};

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
