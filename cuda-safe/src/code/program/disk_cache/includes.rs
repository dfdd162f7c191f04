//! Finds the files that a compilation can read.
//!
//! NVRTC does not report the files that it reads. This module therefore repeats the search of its
//! preprocessor, and finds a superset: it does not evaluate conditions, and if a name can refer to
//! several files, it takes all of them and not only the first. The result is `None` if it is not
//! certain that every file was found.
//!
//! We traced the files that NVRTC 12.0, 12.4, 12.9, 13.0 and 13.5 open. These versions search as
//! follows:
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
//! - `__has_include` searches in the same way, even outside directives, and even if `##` produced
//!   the word. `#include_next` continues after the include path in which the current file was
//!   found.
//! - `#import`, `#embed` and modules are errors.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
};

use super::{expand::Macros, key::Hash, scan::Text};

/// Analyses texts and all files that they can include.
pub(super) struct Includes<'a> {
    directories: &'a [String],
    /// The hash of the files' paths and contents.
    found: &'a mut Hash,
    /// The hash of the files' metadata.
    state: &'a mut Hash,
    texts: Vec<Followed>,
    macros: Macros,
    /// Macros that expand to `__has_include`.
    aliases: Vec<String>,
    /// Macros that are the operand of an `#include`, and the folder of the including file.
    headers: Vec<(String, String)>,
    /// Header names in which the compiler may expand macros.
    names: Vec<String>,
    /// Paths that were already tried.
    tried: HashSet<String>,
    /// Names that were already searched for in the include paths.
    searched: HashSet<String>,
    /// A number for each distinct file. `#pragma once` makes a difference between one file with two
    /// paths and two files.
    files: HashMap<Identity, usize>,
    folders: HashMap<String, Identity>,
    /// Files that were analysed, with their folders. Under another path to the same folder, such as
    /// `a/../b`, a file includes the same files again.
    placed: HashSet<(Identity, Identity)>,
}

/// The device and inode of a file or folder, which do not depend on its path.
type Identity = (u64, u64);

struct Followed {
    text: Text,
    /// Empty, or ends with a slash.
    folder: String,
    /// The number of aliases that the text was searched for.
    asked: usize,
}

impl<'a> Includes<'a> {
    pub(super) fn new(directories: &'a [String], found: &'a mut Hash, state: &'a mut Hash) -> Self {
        Self {
            directories,
            found,
            state,
            texts: Vec::new(),
            macros: Macros::default(),
            aliases: Vec::new(),
            headers: Vec::new(),
            names: Vec::new(),
            tried: HashSet::new(),
            searched: HashSet::new(),
            files: HashMap::new(),
            folders: HashMap::new(),
            placed: HashSet::new(),
        }
    }

    /// Adds a text as if it were the content of a file with this name. Returns `None` if it cannot
    /// be analysed.
    pub(super) fn add(&mut self, source: &[u8], name: &str) -> Option<()> {
        self.texts.push(Followed {
            text: Text::scan(source)?,
            folder: folder_of(name).to_owned(),
            asked: 0,
        });
        Some(())
    }

    /// Adds a header that is included before the program.
    pub(super) fn add_first(&mut self, name: &str) -> Option<()> {
        self.find(name, Some(""))
    }

    /// Finds all files. Returns `None` if it is not certain that every file was found.
    pub(super) fn follow(mut self) -> Option<()> {
        loop {
            let before = (self.texts.len(), self.aliases.len());
            // `requests` adds texts.
            let mut next = 0;
            while next < self.texts.len() {
                self.requests(next)?;
                next += 1;
            }
            // More definitions of these macros may have been found since the last iteration.
            for (name, folder) in self.headers.clone() {
                for header in self.macros.headers(&name)? {
                    self.find(&header.name, header.quoted.then_some(&folder))?;
                }
            }
            for name in self.names.clone() {
                for name in self.macros.names(&name)? {
                    self.find(&name, None)?;
                }
            }
            if before == (self.texts.len(), self.aliases.len()) {
                break;
            }
        }
        let pastes = self.texts.iter().any(|followed| followed.text.pastes());
        let pieces = self.texts.iter().any(|followed| followed.text.has_pieces());
        let mut headers = self.headers.iter();
        let defined = headers.all(|(name, _)| self.macros.defines(name));
        (defined && !(pastes && pieces)).then_some(())
    }

    /// Finds the files that one text refers to.
    fn requests(&mut self, index: usize) -> Option<()> {
        let Followed {
            text,
            folder,
            asked,
        } = &mut self.texts[index];
        for alias in &self.aliases[*asked..] {
            text.scan_for(alias)?;
        }
        *asked = self.aliases.len();
        self.macros.add(text.macros.drain(..));
        for alias in text.aliases.drain(..) {
            if !self.aliases.contains(&alias) {
                self.aliases.push(alias);
            }
        }
        let folder = folder.clone();
        let by_macro = text.by_macro.drain(..);
        self.headers
            .extend(by_macro.map(|name| (name, folder.clone())));
        for request in std::mem::take(&mut text.requests) {
            self.find(&request.name, request.quoted.then_some(&folder))?;
            if request.expands && !request.quoted {
                self.names.push(request.name);
            }
        }
        Some(())
    }

    /// Adds all files that a header name can refer to.
    fn find(&mut self, name: &str, beside: Option<&str>) -> Option<()> {
        if name.starts_with('/') {
            return self.try_with_suffix(name.to_owned());
        }
        if let Some(folder) = beside {
            self.try_with_suffix(format!("{folder}{name}"))?;
        }
        if self.searched.insert(name.to_owned()) {
            for directory in self.directories {
                let slash = if directory.is_empty() || directory.ends_with('/') {
                    ""
                } else {
                    "/"
                };
                self.try_with_suffix(format!("{directory}{slash}{name}"))?;
            }
        }
        Some(())
    }

    fn try_with_suffix(&mut self, path: String) -> Option<()> {
        let file = path.rsplit('/').next().unwrap_or_default();
        if !file.contains('.') {
            self.try_file(format!("{path}.stdh"))?;
        }
        self.try_file(path)
    }

    fn try_file(&mut self, path: String) -> Option<()> {
        if self.tried.contains(&path) {
            return Some(());
        }
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(metadata) if metadata.is_file() => self.take(&path, &metadata)?,
            // If the file is created later, the key changes.
            Err(error) if is_absent(error.kind()) => {}
            _ => return None,
        }
        self.tried.insert(path);
        Some(())
    }

    /// Adds a file that exists.
    fn take(&mut self, path: &str, metadata: &Metadata) -> Option<()> {
        let file = identity(metadata);
        let next = self.files.len();
        let number = *self.files.entry(file).or_insert(next);
        let folder = self.folder(folder_of(path))?;
        let is_new = self.placed.insert((file, folder));
        self.found
            .part(path)
            .part(number.to_le_bytes())
            .part([u8::from(is_new)]);
        if !is_new {
            return Some(());
        }
        for number in [
            metadata.ino(),
            metadata.size(),
            metadata.mtime().unsigned_abs(),
            metadata.mtime_nsec().unsigned_abs(),
            metadata.ctime().unsigned_abs(),
            metadata.ctime_nsec().unsigned_abs(),
        ] {
            self.state.part(number.to_le_bytes());
        }
        let content = fs::read(path).ok()?;
        self.found.part(&content);
        self.add(&content, path)
    }

    fn folder(&mut self, folder: &str) -> Option<Identity> {
        if let Some(&known) = self.folders.get(folder) {
            return Some(known);
        }
        let path = if folder.is_empty() { "." } else { folder };
        let found = identity(&fs::metadata(path).ok()?);
        self.folders.insert(folder.to_owned(), found);
        Some(found)
    }
}

fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// Returns the folder of a path: empty, or ending with a slash.
fn folder_of(path: &str) -> &str {
    &path[..path.rfind('/').map_or(0, |slash| slash + 1)]
}

fn is_absent(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

mod tests;
