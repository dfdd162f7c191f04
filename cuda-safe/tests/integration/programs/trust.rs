//! Folders and files of the cache that other users could have written to.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use cuda_safe::{Program, program::Cache};

use super::{Folder, VIRTUAL, names};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Whether a small program comes from the cache in a folder.
fn is_kept(folder: &Path) -> bool {
    let program = Program::new("__global__ void k() {}").cache(Cache::Folder(folder.into()));
    program.compile(VIRTUAL).unwrap().is_from_cache()
}

#[test]
fn cache_files_are_accessible_only_by_their_owner() {
    let folder = Folder::new("made");
    let path = folder.0.join("a/b");
    assert!(!is_kept(&path));
    assert!(is_kept(&path));
    assert_eq!((mode(&path), mode(&folder.0.join("a"))), (0o700, 0o700));
    for name in names(&path) {
        assert_eq!(mode(&path.join(name)), 0o600);
    }
}

#[test]
fn folder_writable_by_others_is_not_used() {
    for writable in [0o770, 0o707, 0o777, 0o1777] {
        let folder = Folder::new("shared");
        set_mode(&folder.0, writable);
        assert!(!is_kept(&folder.0));
        assert!(!is_kept(&folder.0), "{writable:o}: not written to");
        assert_eq!(names(&folder.0), Vec::<String>::new(), "{writable:o}");
        set_mode(&folder.0, 0o755);
        assert!(!is_kept(&folder.0));
        assert!(is_kept(&folder.0));
        set_mode(&folder.0, writable);
        assert!(!is_kept(&folder.0), "{writable:o}: not read");
    }
}

#[test]
fn entry_writable_by_others_is_compiled_again() {
    let folder = Folder::new("entry");
    assert!(!is_kept(&folder.0));
    let entry = folder.0.join(&names(&folder.0)[0]);
    for writable in [0o666, 0o620, 0o602] {
        set_mode(&entry, writable);
        assert!(!is_kept(&folder.0), "{writable:o}");
        // The entry was written again.
        assert_eq!(mode(&entry), 0o600);
        assert!(is_kept(&folder.0));
    }
    // A symbolic link to a file that someone else may change.
    let elsewhere = folder.0.join("elsewhere");
    fs::rename(&entry, &elsewhere).unwrap();
    symlink(&elsewhere, &entry).unwrap();
    assert!(!is_kept(&folder.0));
    assert!(!fs::symlink_metadata(&entry).unwrap().is_symlink());
}

#[test]
fn symbolic_link_as_cache_folder_is_not_followed() {
    let folder = Folder::new("link");
    let (real, link) = (folder.0.join("real"), folder.0.join("link"));
    assert!(!is_kept(&real));
    symlink(&real, &link).unwrap();
    assert!(!is_kept(&link));
    assert!(!is_kept(&link));
    assert!(is_kept(&real));
    // A symbolic link in a parent folder is allowed.
    let above = folder.0.join("above");
    symlink(&folder.0, &above).unwrap();
    assert!(is_kept(&above.join("real")));
}
