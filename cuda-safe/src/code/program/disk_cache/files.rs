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
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{
    hash::Hash,
    scan::{has_pieces, headers, pastes},
    system::{self, FileNumber},
};

/// The texts of a program, and the folders next to them.
pub(super) struct Files<'a> {
    /// The names and texts of headers from memory.
    memory: &'a [(String, String)],
    texts: Vec<&'a [u8]>,
    /// The folders of texts that include a file from there. Each is empty or ends with a separator.
    folders: BTreeSet<String>,
    /// The folders in which quoted names are searched for first.
    searched: BTreeSet<PathBuf>,
    /// Whether the program includes anything but headers from memory.
    reads: bool,
}

impl<'a> Files<'a> {
    pub(super) fn new(memory: &'a [(String, String)]) -> Self {
        Self {
            memory,
            texts: Vec::new(),
            folders: BTreeSet::new(),
            searched: BTreeSet::new(),
            reads: false,
        }
    }

    /// Adds a text as if it were the content of a file with this name. Returns `None` if it is not
    /// certain which files it refers to.
    pub(super) fn add(&mut self, text: &'a str, name: &str) -> Option<()> {
        self.texts.push(text.as_bytes());
        let folder = system::folder_of(name);
        for header in headers(text.as_bytes())? {
            if self.memory.iter().any(|(name, _)| *name == header.name) {
                continue;
            }
            stays_inside(&header.name).then_some(())?;
            self.reads = true;
            if header.quoted {
                system::is_plain_path(name).then_some(())?;
                let place = Path::new(".").join(folder).join(&header.name);
                self.searched.extend(place.parent().map(Path::to_owned));
            }
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
        // A header that is created there and removed again changes the folder's times.
        for place in &self.searched {
            match fs::metadata(place) {
                Ok(metadata) => times(state, &metadata),
                Err(error) if is_absent(error.kind()) => _ = state.number(0),
                Err(_) => return None,
            }
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

/// The largest number of entries that are read, including hidden ones.
const MOST_ENTRIES: usize = 40_000;

/// The largest number of folders in a path below an include path.
const MOST_LEVELS: usize = 64;

/// The largest total size of the files in the user's folders.
const MOST_BYTES: u64 = 64 << 20;

/// Adds metadata that differs after a change.
fn times(hash: &mut Hash, metadata: &Metadata) {
    for number in system::times(metadata) {
        hash.number(number);
    }
}

/// Reads a file of at most this many bytes. Never blocks: the file may have been replaced by a pipe.
fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let file = system::open(path).ok()?;
    file.metadata().ok()?.is_file().then_some(())?;
    let mut content = Vec::new();
    file.take(most + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= most).then_some(content)
}

/// Hashes folders with everything below them.
struct Tree<'a> {
    /// The hash of the files' paths and contents.
    key: &'a mut Hash,
    /// The hash of the files' metadata.
    state: &'a mut Hash,
    /// A number for each distinct file. `#pragma once` makes a difference between one file with two
    /// paths and two files.
    numbers: HashMap<FileNumber, u64>,
    /// The folders of the toolkit that were hashed.
    toolkit: Vec<PathBuf>,
    entries: usize,
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
            entries: 0,
            files: 0,
            files_of_toolkit: 0,
            bytes: 0,
        }
    }

    fn root(&mut self, path: &Path, found: &Path, toolkit: &[PathBuf]) -> Option<()> {
        self.key.part(found.as_os_str().as_encoded_bytes());
        if let Ok(metadata) = fs::symlink_metadata(path) {
            times(self.state, &metadata);
        }
        let is_toolkit = |folder: &PathBuf| folder.canonicalize().is_ok_and(|one| one == found);
        // A system folder, such as `/usr/include`, also has headers of other libraries.
        if !toolkit.iter().any(is_toolkit) || found.join("stdio.h").exists() {
            return self.folder(path, false, 0);
        }
        // CCCL may be in a folder below the others.
        if self.toolkit.iter().any(|done| found.starts_with(done)) {
            return Some(());
        }
        self.toolkit.push(found.to_owned());
        self.folder(path, true, 0)
    }

    fn folder(&mut self, folder: &Path, of_toolkit: bool, level: usize) -> Option<()> {
        (level < MOST_LEVELS).then_some(())?;
        // If a file is created and removed again, the folder's times change.
        let own = fs::metadata(folder).ok()?;
        times(if of_toolkit { self.key } else { self.state }, &own);
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).ok()? {
            self.entries += 1;
            (self.entries <= MOST_ENTRIES).then_some(())?;
            let entry = entry.ok()?;
            let name = entry.file_name();
            // Names of headers never begin with a dot: see `stays_inside`.
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let (files, most) = match of_toolkit {
                true => (&mut self.files_of_toolkit, MOST_OF_TOOLKIT),
                false => (&mut self.files, MOST),
            };
            *files += 1;
            (*files <= most).then_some(())?;
            names.push(name);
        }
        names.sort_unstable();
        for name in names {
            let path = folder.join(name);
            self.key.part(path.as_os_str().as_encoded_bytes());
            // A link may lead to another file for a moment.
            match fs::symlink_metadata(&path) {
                Ok(link) if link.is_symlink() => times(self.state, &link),
                _ => {}
            }
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    self.key.number(0);
                    self.folder(&path, of_toolkit, level + 1)?;
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
        let number = self.numbers.entry(system::number(path, metadata)?);
        self.key.number(*number.or_insert(next));
        if of_toolkit {
            // A file that has just changed may change again without a new time.
            let now = SystemTime::UNIX_EPOCH.elapsed().ok()?.as_secs();
            (system::changed(metadata) + 1 < now).then_some(())?;
            times(self.key, metadata);
        } else {
            times(self.state, metadata);
            let content = read(path, MOST_BYTES - self.bytes)?;
            self.bytes += content.len() as u64;
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
    !name.starts_with('/') && name.split('/').all(visible) && system::is_plain(name)
}

fn is_absent(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

mod tests;
