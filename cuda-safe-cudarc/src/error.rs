//! The error type.

use std::fmt;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an exchange with cudarc.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A driver call of `cuda-safe` failed.
    Cuda(cuda_safe::Error),
    /// A driver call of cudarc failed, perhaps an earlier one that could not report its error.
    Cudarc(cudarc::driver::DriverError),
    /// The two objects are not of the same context, or the context is of a kind that can't be
    /// exchanged.
    Context(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cuda(error) => error.fmt(f),
            Self::Cudarc(error) => write!(f, "cudarc: {error}"),
            Self::Context(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cuda(error) => Some(error),
            Self::Cudarc(error) => Some(error),
            Self::Context(_) => None,
        }
    }
}

impl From<cuda_safe::Error> for Error {
    fn from(error: cuda_safe::Error) -> Self {
        Self::Cuda(error)
    }
}

impl From<cudarc::driver::DriverError> for Error {
    fn from(error: cudarc::driver::DriverError) -> Self {
        Self::Cudarc(error)
    }
}
