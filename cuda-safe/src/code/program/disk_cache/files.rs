//! The files that a compilation can read.
//!
//! NVRTC does not report the files that it reads. Instead, every file of the folders that it
//! searches is hashed. We traced the files that NVRTC 12.0, 12.4, 12.9, 13.0 and 13.5 open:
//!
//! - A header from memory is found if its name is exactly the name after `#include`, in quotes or
//!   angle brackets. Headers from memory come before files.
//! - `"name"` is then searched for in the folder of the including file, but not in the folders of
//!   the files that include that one. The folder of the program, and of a header from memory, is
//!   the folder in its name, relative to the current folder. The include paths come last, in their
//!   order. `#line` does not change any of this.
//! - `<name>` is searched for only in the include paths.
//! - `--pre-include` is searched for in the current folder, then in the include paths.
//! - If a name has no extension, `name.stdh` is tried after it in each folder.
//!
//! So a file is read from a folder that is not hashed only if a name leads out of its folder. Such
//! names are rejected in all texts but CUDA's headers, whose names are known to stay inside.

use std::{
    collections::{BTreeSet, HashMap},
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{
    hash::Hash,
    scan::{has_pieces, headers, pastes},
};

/// The texts of a program, and the folders next to them.
pub(super) struct Files<'a> {
    /// The names and texts of headers from memory.
    memory: &'a [(String, String)],
    texts: Vec<&'a [u8]>,
    /// The folders of texts that include a file from there. Each is empty or ends with a slash.
    folders: BTreeSet<String>,
    /// Whether the program includes anything but headers from memory.
    reads: bool,
}

impl<'a> Files<'a> {
    pub(super) fn new(memory: &'a [(String, String)]) -> Self {
        Self {
            memory,
            texts: Vec::new(),
            folders: BTreeSet::new(),
            reads: false,
        }
    }

    /// Adds a text as if it were the content of a file with this name. Returns `None` if it is not
    /// certain which files it refers to.
    pub(super) fn add(&mut self, text: &'a str, name: &str) -> Option<()> {
        self.texts.push(text.as_bytes());
        let folder = &name[..name.rfind('/').map_or(0, |slash| slash + 1)];
        for header in headers(text.as_bytes())? {
            if self.memory.iter().any(|(name, _)| *name == header.name) {
                continue;
            }
            stays_inside(&header.name).then_some(())?;
            self.reads = true;
            for end in ["", ".stdh"].into_iter().filter(|_| header.quoted) {
                match fs::metadata(format!("{folder}{}{end}", header.name)) {
                    Ok(_) => {
                        self.folders.insert(folder.to_owned());
                    }
                    // If the file is created later, the key changes.
                    Err(error) if is_absent(error.kind()) => {}
                    Err(_) => return None,
                }
            }
        }
        Some(())
    }

    /// Hashes all files that the program can include. Returns `None` if it is not certain that
    /// every file was found.
    pub(super) fn hash(
        self,
        directories: &[String],
        toolkit: &[PathBuf],
        key: &mut Hash,
        state: &mut Hash,
    ) -> Option<()> {
        let any = |is: fn(&[u8]) -> bool| self.texts.iter().any(|text| is(text));
        // CUDA's headers have macros that paste words.
        if (self.reads || any(pastes)) && any(has_pieces) {
            return None;
        }
        let mut tree = Tree::new(key, state);
        let folders = directories.iter().chain(&self.folders);
        for folder in folders.filter(|_| self.reads) {
            let path = Path::new(if folder.is_empty() { "." } else { folder });
            tree.key.part(folder);
            match path.canonicalize() {
                Ok(found) if found.is_dir() => tree.root(path, &found, toolkit)?,
                // A file contains no headers.
                Ok(_) => {}
                Err(error) if is_absent(error.kind()) => {}
                Err(_) => return None,
            }
        }
        Some(())
    }
}

/// The largest number of files and folders below the user's folders, and in CUDA's.
const MOST: usize = 2_000;
const MOST_OF_TOOLKIT: usize = 20_000;

/// The largest total size of the files in the user's folders.
const MOST_BYTES: u64 = 64 << 20;

/// Hashes folders with everything below them.
struct Tree<'a> {
    /// The hash of the files' paths and contents.
    key: &'a mut Hash,
    /// The hash of the files' metadata.
    state: &'a mut Hash,
    /// A number for each distinct file. `#pragma once` makes a difference between one file with two
    /// paths and two files.
    numbers: HashMap<(u64, u64), u64>,
    /// The folders of the toolkit that were hashed.
    toolkit: Vec<PathBuf>,
    files: usize,
    files_of_toolkit: usize,
    bytes: u64,
}

impl<'a> Tree<'a> {
    fn new(key: &'a mut Hash, state: &'a mut Hash) -> Self {
        Self {
            key,
            state,
            numbers: HashMap::new(),
            toolkit: Vec::new(),
            files: 0,
            files_of_toolkit: 0,
            bytes: 0,
        }
    }

    fn root(&mut self, path: &Path, found: &Path, toolkit: &[PathBuf]) -> Option<()> {
        self.key.part(found.as_os_str().as_encoded_bytes());
        let is_toolkit = |folder: &PathBuf| folder.canonicalize().is_ok_and(|one| one == found);
        if !toolkit.iter().any(is_toolkit) {
            return self.folder(path, false);
        }
        // CCCL may be in a folder below the others.
        if self.toolkit.iter().any(|done| found.starts_with(done)) {
            return Some(());
        }
        self.toolkit.push(found.to_owned());
        self.folder(path, true)
    }

    fn folder(&mut self, folder: &Path, of_toolkit: bool) -> Option<()> {
        let names = fs::read_dir(folder).ok()?;
        let names = names.map(|entry| Some(entry.ok()?.file_name()));
        let mut names = names.collect::<Option<Vec<_>>>()?;
        names.sort_unstable();
        // Names of headers never begin with a dot: see `stays_inside`.
        names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
        let (files, most) = match of_toolkit {
            true => (&mut self.files_of_toolkit, MOST_OF_TOOLKIT),
            false => (&mut self.files, MOST),
        };
        *files += names.len();
        (*files <= most).then_some(())?;
        for name in names {
            let path = folder.join(name);
            self.key.part(path.as_os_str().as_encoded_bytes());
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    self.key.number(0);
                    self.folder(&path, of_toolkit)?;
                }
                Ok(metadata) if metadata.is_file() => {
                    self.key.number(1);
                    self.file(&path, &metadata, of_toolkit)?;
                }
                // A symbolic link to a file that does not exist.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.key.number(2);
                }
                // Reading a pipe would block, and it is not known how the compiler treats a
                // symbolic link to itself.
                _ => return None,
            }
        }
        Some(())
    }

    fn file(&mut self, path: &Path, metadata: &Metadata, of_toolkit: bool) -> Option<()> {
        let next = self.numbers.len() as u64;
        let number = self.numbers.entry((metadata.dev(), metadata.ino()));
        self.key.number(*number.or_insert(next));
        let times = if of_toolkit {
            // A file that has just changed may change again without a new time.
            let now = SystemTime::UNIX_EPOCH.elapsed().ok()?.as_secs();
            (metadata.ctime().unsigned_abs() + 1 < now).then_some(())?;
            &mut *self.key
        } else {
            self.bytes += metadata.size();
            (self.bytes <= MOST_BYTES).then_some(())?;
            &mut *self.state
        };
        for number in [
            metadata.ino(),
            metadata.size(),
            metadata.mtime().unsigned_abs(),
            metadata.mtime_nsec().unsigned_abs(),
            metadata.ctime().unsigned_abs(),
            metadata.ctime_nsec().unsigned_abs(),
        ] {
            times.number(number);
        }
        if !of_toolkit {
            let content = fs::read(path).ok()?;
            self.key.part(&content);
            let mut headers = headers(&content)?.into_iter();
            let whole = headers.all(|header| stays_inside(&header.name)) && !has_pieces(&content);
            whole.then_some(())?;
        }
        Some(())
    }
}

/// Returns whether a name leads only to files below the folder in which it is searched for. Hidden
/// files do not count.
fn stays_inside(name: &str) -> bool {
    let visible = |part: &str| part == "." || !part.starts_with('.');
    !name.starts_with('/') && name.split('/').all(visible)
}

fn is_absent(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

mod tests;
