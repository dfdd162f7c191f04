//! Loaded code: images, fat binaries, ELF files, modules, libraries and the linker.

mod archive;
mod coff;
mod elf;
mod fat_binary;
mod host_objects;
pub mod image;
pub mod jit_options;
pub mod library;
pub mod linker;
mod linker_output;
pub mod module;
pub mod register_counts;
