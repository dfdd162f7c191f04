//! The results of compilations that are kept on disk, and when they may be used again.
//!
//! - `key`: what the result depends on, as a hash, from `identity` (which compiler), `options`
//!   (which files they name) and `includes` (which files the texts name: `lexer` and `scan` read
//!   one text, `expand` follows macros);
//! - `store`: a folder that only this user can write to;
//! - `entry`: a result as a file.

mod entry;
mod expand;
mod folder;
mod identity;
mod includes;
mod key;
mod lexer;
mod options;
mod scan;
mod store;

use std::path::PathBuf;

use entry::{decode, encode};
use key::Key;
use store::Store;

use super::{CompiledProgram, Program};

/// Where the result of a program is kept.
pub(in crate::code::program) struct Place {
    folder: PathBuf,
    key: Key,
}

impl Place {
    /// `None` if it is not kept.
    pub(in crate::code::program) fn of(program: &Program, options: &[String]) -> Option<Self> {
        let folder = program.cache.folder()?;
        let key = Key::of(program, options)?;
        Some(Self { folder, key })
    }

    pub(in crate::code::program) fn read(&self) -> Option<CompiledProgram> {
        decode(&Store::open(&self.folder)?.read(&self.key.name)?)
    }

    /// A result that can't be written is not kept.
    pub(in crate::code::program) fn write(
        &self,
        program: &Program,
        options: &[String],
        result: &CompiledProgram,
    ) {
        // A file may have been changed while the compiler read it.
        if Key::of(program, options).as_ref() == Some(&self.key)
            && let Some(store) = Store::make(&self.folder)
        {
            let _ = store.write(&self.key.name, &encode(result));
        }
    }
}
