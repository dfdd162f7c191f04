//! What every algorithm here is built on.
//!
//! A kernel is named by a [`Specialisation`]: a small value that says what is computed, on which types, and in which
//! variant. The value makes the kernel's [`Source`] when it is asked for the first time; [`Kernels`] compiles that and
//! keeps the result under the value. [`Table`] holds the variants that were measured, and [`Workspaces`] and
//! [`Results`] the memory that launches need beside the user's.

mod cache;
mod lock;
mod source;
mod variant;
mod workspace;

pub use cache::Kernels;
pub(crate) use cache::{Hardware, Specialisation};
pub use source::Source;
#[cfg(test)]
pub(crate) use variant::check;
pub(crate) use variant::{ANY, Policy, Row, Table};
pub(crate) use workspace::{Results, Workspaces};
