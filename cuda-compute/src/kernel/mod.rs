//! The basis of all algorithms: kernel specialisation, compilation and caching.
//!
//! A [`Specialisation`] identifies a kernel. It is a small value that holds the computation, the
//! types and the variant. At the first use, the value creates the kernel's [`Source`]. [`Kernels`]
//! compiles it and keeps the result under the value. A [`Table`] contains the measured variants.
//! [`Workspaces`] and [`Results`] hold the memory that launches need apart from the user's.

mod cache;
mod lock;
mod source;
mod spare;
mod variant;
mod workspace;

pub use cache::Kernels;
pub(crate) use cache::{Hardware, Specialisation, ZEROED_WORDS};
pub(crate) use lock::{lock, read, write};
pub use source::Source;
pub(crate) use source::{ARRAYS, TYPES};
pub(crate) use spare::SpareBuffer;
#[cfg(test)]
pub(crate) use variant::check;
pub(crate) use variant::{ANY, Policy, Row, Table};
pub(crate) use workspace::{Results, Workspaces};
