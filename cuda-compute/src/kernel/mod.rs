//! What all algorithms are built on.
//!
//! A kernel is identified by a [`Specialisation`]: a small value that says what is computed, on which types, and in
//! which variant. At the first use the value creates the kernel's [`Source`]; [`Kernels`] compiles that, and keeps
//! the result under the value. [`Table`] contains the variants that were measured. [`Workspaces`] and [`Results`]
//! contain the memory that launches need beside the user's.

mod cache;
mod lock;
mod source;
mod variant;
mod workspace;

pub use cache::Kernels;
pub(crate) use cache::{Hardware, Specialisation};
pub use source::Source;
pub(crate) use source::TYPES;
#[cfg(test)]
pub(crate) use variant::check;
pub(crate) use variant::{ANY, Policy, Row, Table};
pub(crate) use workspace::{Results, Workspaces};
