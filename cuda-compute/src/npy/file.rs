//! Errors of files, and the size of their parts.

use std::fmt::Display;

use crate::error::Error;

/// The size of a page-locked buffer. It is a multiple of all element sizes.
pub(super) const CHUNK: usize = 8 << 20;

/// Returns a conversion of a cause to an error that names the file.
pub(super) fn failed<E: Display>(name: &impl Display, what: &str) -> impl FnOnce(E) -> Error {
    move |cause| Error::File(format!("{name}: {what}: {cause}"))
}
