//! Errors.

use std::fmt;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure.
///
/// `Debug`, with which `unwrap` and a `main` that returns a [`Result`] show errors, gives what `Display` gives, and with
/// `{:#?}` the fields.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// A call of the driver or of the run-time compiler failed.
    Cuda(cuda_safe::Error),
    /// Lengths, layouts or sizes that don't fit together. Nothing was enqueued.
    Shape(String),
    /// A number that is outside its range. Nothing was enqueued.
    Value(String),
    /// What another library has handed over, or asks for, that arrays can't be: see [`interop`](crate::interop). Nothing
    /// was enqueued, and what was handed over has been given back.
    Foreign(String),
    /// A library that is opened at its first use is not installed: what was looked for, and what helps. Nothing was
    /// enqueued.
    Missing(String),
    /// A call of cuBLAS failed.
    #[cfg(feature = "cublas")]
    Cublas {
        /// The function's name.
        call: &'static str,
        /// What it returned.
        status: crate::CublasStatus,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cuda(error) => error.fmt(f),
            Self::Shape(what) | Self::Value(what) | Self::Foreign(what) | Self::Missing(what) => {
                f.write_str(what)
            }
            #[cfg(feature = "cublas")]
            Self::Cublas { call, status } => write!(f, "{call} failed: {status}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        match self {
            Self::Cuda(error) => f.debug_tuple("Cuda").field(error).finish(),
            Self::Shape(what) => f.debug_tuple("Shape").field(what).finish(),
            Self::Value(what) => f.debug_tuple("Value").field(what).finish(),
            Self::Foreign(what) => f.debug_tuple("Foreign").field(what).finish(),
            Self::Missing(what) => f.debug_tuple("Missing").field(what).finish(),
            #[cfg(feature = "cublas")]
            Self::Cublas { call, status } => f
                .debug_struct("Cublas")
                .field("call", call)
                .field("status", status)
                .finish(),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // `Display` has already told all that it would.
            Self::Cuda(error) => error.source(),
            Self::Shape(_) | Self::Value(_) | Self::Foreign(_) | Self::Missing(_) => None,
            #[cfg(feature = "cublas")]
            Self::Cublas { .. } => None,
        }
    }
}

impl From<cuda_safe::Error> for Error {
    fn from(error: cuda_safe::Error) -> Self {
        Self::Cuda(error)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use cuda_safe::{Context, Module};

    use super::*;

    #[test]
    fn what_lies_beneath_is_told() {
        let context = Context::primary(0).unwrap();
        let missing = Module::from_ptx_file(&context, "no/such/file.ptx").unwrap_err();
        let error = Error::from(missing.clone());
        assert!(
            error
                .source()
                .is_some_and(|source| source.is::<std::io::Error>())
        );
        assert_eq!(error.to_string(), missing.to_string());
        let shape = Error::Shape("3 is not 4".into());
        assert!(shape.source().is_none());
        assert_eq!(shape.to_string(), "3 is not 4");
        for error in [&error, &shape] {
            assert_eq!(
                format!("{error:?}"),
                error.to_string(),
                "what unwrap prints"
            );
        }
        assert_eq!(format!("{shape:#?}"), "Shape(\n    \"3 is not 4\",\n)");
        let fields = format!("{error:#?}");
        assert!(
            fields.starts_with("Cuda(\n    Error {\n") && fields.contains("kind: NotFound"),
            "{fields}"
        );
    }
}
