//! Which files a compilation may read.
//!
//! NVRTC doesn't report them, so this does what its preprocessor would do, and more: conditions are not evaluated,
//! and if a name may stand for several files, all of them are taken, not the first. If it isn't certain that every
//! file was found, the result is `None`.
//!
//! What NVRTC 12.0, 12.4, 12.9, 13.0 and 13.5 were observed to do (by tracing which files they open):
//!
//! - A header from memory is found by exactly the name after `#include`, quoted or not, before
//!   anything on disk.
//! - `"name"` is then looked for in the folder of the file that includes, and only in that one: for
//!   the program that is the folder in its name, for a header from memory the one in its name, both
//!   seen from the current folder. Last come the include paths, in their order. `#line` changes
//!   none of it.
//! - `<name>` is looked for in the include paths only.
//! - `--pre-include` looks in the current folder, then in the include paths.
//! - Where a name has no extension, `name.stdh` is tried after it in each folder.
//! - `__has_include` asks in the same way, also outside of directives and when it was pasted
//!   together. `#include_next` goes on from the include path where its file was found.
//! - `#import`, `#embed` and modules are errors.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
};

use super::{expand::Macros, key::Hash, scan::Text};

/// Follows texts through all that they may include.
pub(super) struct Includes<'a> {
    directories: &'a [String],
    /// What is found goes into this,
    found: &'a mut Hash,
    /// and when it was changed last into this.
    state: &'a mut Hash,
    texts: Vec<Followed>,
    macros: Macros,
    /// Macros that stand for `__has_include`.
    aliases: Vec<String>,
    /// What macros that stand after `#include` may ask for, from which folder.
    headers: Vec<(String, String)>,
    /// Names in which macros may be replaced.
    names: Vec<String>,
    /// Files that were looked for.
    tried: HashSet<String>,
    /// Names that were looked for in the include paths.
    searched: HashSet<String>,
    /// Files by number: `#pragma once` needs to know which are one and the same.
    files: HashMap<Identity, usize>,
    folders: HashMap<String, Identity>,
    /// Files in folders that were followed. The same file by another path, such as `a/../b`, refers to the same files
    /// again.
    placed: HashSet<(Identity, Identity)>,
}

/// A file or folder, whatever its path.
type Identity = (u64, u64);

struct Followed {
    text: Text,
    /// Empty, or with a slash at its end.
    folder: String,
    /// How many of the aliases were looked for.
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

    /// Adds a text that a file of this name would contain; `None` if it can't be analysed.
    pub(super) fn add(&mut self, source: &[u8], name: &str) -> Option<()> {
        self.texts.push(Followed {
            text: Text::scan(source)?,
            folder: folder_of(name).to_owned(),
            asked: 0,
        });
        Some(())
    }

    /// Adds a header that is read before the program.
    pub(super) fn add_first(&mut self, name: &str) -> Option<()> {
        self.find(name, Some(""))
    }

    /// Follows everything; `None` if it isn't certain what may be read.
    pub(super) fn follow(mut self) -> Option<()> {
        loop {
            let before = (self.texts.len(), self.aliases.len());
            // There are more of them meanwhile.
            let mut next = 0;
            while next < self.texts.len() {
                self.requests(next)?;
                next += 1;
            }
            // Definitions may have been found since these were looked at last.
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

    /// Follows what a text refers to.
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

    /// Takes all files that a name may stand for.
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
            // If it is created later, it will be found.
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

/// Empty, or with a slash at its end.
fn folder_of(path: &str) -> &str {
    &path[..path.rfind('/').map_or(0, |slash| slash + 1)]
}

fn is_absent(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

mod tests;
