//! The disk cache of compiled programs.
//!
//! - `key` computes an entry's key: a hash of everything that the result depends on. It combines
//!   `identity` (the build of NVRTC), `options` (the files that the options name) and `files` (the
//!   folders that are searched for headers). `scan` finds the header names in one text.
//! - `store` reads and writes files in a folder that only this user and root can write to.
//! - `system` has the functions of the operating system.
//! - `entry` defines the file format.

mod entry;
mod files;
mod folder;
mod hash;
mod identity;
mod key;
mod options;
mod scan;
mod store;
mod system;

use std::path::PathBuf;

use entry::{decode, encode};
use key::Key;
use store::Store;

use super::{CompiledProgram, Program};

/// The cache entry of a program.
pub(in crate::code::program) struct Place {
    folder: PathBuf,
    key: Key,
}

impl Place {
    /// Returns `None` if the program cannot be cached.
    pub(in crate::code::program) fn of(
        program: &Program,
        options: &[String],
        toolkit: &[PathBuf],
    ) -> Option<Self> {
        let folder = program.cache.folder()?;
        let key = Key::of(program, options, toolkit)?;
        Some(Self { folder, key })
    }

    pub(in crate::code::program) fn read(&self) -> Option<CompiledProgram> {
        decode(&Store::open(&self.folder)?.read(&self.key.name)?)
    }

    /// Ignores write errors: the result is then not cached.
    pub(in crate::code::program) fn write(
        &self,
        program: &Program,
        options: &[String],
        toolkit: &[PathBuf],
        result: &CompiledProgram,
    ) {
        // An included file may have changed while the compiler was reading it.
        if Key::of(program, options, toolkit).as_ref() == Some(&self.key)
            && let Some(store) = Store::make(&self.folder)
        {
            let _ = store.write(&self.key.name, &encode(result));
        }
    }
}
