//! The error type of this crate.

use std::fmt;

pub use status::{CublasStatus, CufftResult};
mod status;

/// The result type of this crate's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate.
///
/// `Debug` prints the same text as `Display`, because `unwrap` and a `main` that returns a
/// [`Result`] show errors with `Debug`. `{:#?}` prints the fields.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// A call of the driver or of the run-time compiler failed, or work enqueued earlier has
    /// faulted.
    Cuda(cuda_safe::Error),
    /// Shapes, lengths, layouts or contexts don't match, or a size exceeds a limit.
    ///
    /// No result was written, with one exception: methods such as [`put`](crate::Array::put) check
    /// indices on the device and set the elements of the valid ones. Kernels for intermediate results
    /// of a large expression may have been enqueued.
    Shape(String),
    /// A number is out of range. Nothing was enqueued.
    Value(String),
    /// An array of another library can't be imported, or an array can't be exported as requested:
    /// see [`interop`](crate::interop). Nothing was enqueued, and any tensor passed in was
    /// released.
    Foreign(String),
    /// A library that is loaded at its first use is not installed. The message names the files that
    /// were tried and how to install it. Nothing was enqueued.
    Missing(String),
    /// A file can't be read or written, or it does not contain the requested array. The message names
    /// the file.
    File(String),
    /// A call of cuBLAS failed.
    Cublas {
        /// The name of the function.
        call: &'static str,
        /// The status it returned.
        status: CublasStatus,
    },
    /// A call of cuFFT failed.
    Cufft {
        /// The name of the function.
        call: &'static str,
        /// The result it returned.
        result: CufftResult,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cuda(error) => error.fmt(f),
            Self::Shape(what)
            | Self::Value(what)
            | Self::Foreign(what)
            | Self::Missing(what)
            | Self::File(what) => f.write_str(what),
            Self::Cublas { call, status } => write!(f, "{call} failed: {status}"),
            Self::Cufft { call, result } => write!(f, "{call} failed: {result}"),
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
            Self::File(what) => f.debug_tuple("File").field(what).finish(),
            Self::Cublas { call, status } => f
                .debug_struct("Cublas")
                .field("call", call)
                .field("status", status)
                .finish(),
            Self::Cufft { call, result } => f
                .debug_struct("Cufft")
                .field("call", call)
                .field("result", result)
                .finish(),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // `Display` already prints the text of the inner error.
            Self::Cuda(error) => error.source(),
            Self::Shape(_)
            | Self::Value(_)
            | Self::Foreign(_)
            | Self::Missing(_)
            | Self::File(_)
            | Self::Cublas { .. }
            | Self::Cufft { .. } => None,
        }
    }
}

impl From<cuda_safe::Error> for Error {
    fn from(error: cuda_safe::Error) -> Self {
        Self::Cuda(error)
    }
}

impl From<cuda_safe::graph::GraphError> for Error {
    fn from(failed: cuda_safe::graph::GraphError) -> Self {
        Self::Cuda(failed.error)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use cuda_safe::{Context, Module};

    use super::*;

    #[test]
    fn errors_of_graphs_are_errors_of_this_crate() {
        fn run() -> Result<()> {
            let mut graph = cuda_safe::Graph::new(&Context::primary(0)?)?;
            graph.add_empty(&[])?;
            graph.instantiate()?;
            Ok(())
        }
        run().unwrap();
    }

    #[test]
    fn source_is_the_inner_error_and_debug_prints_display() {
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
