//! The error type.

use std::fmt;

use cuda_safe::ErrorKind;

use crate::{
    emulated::{NOT_EMULATED, is_emulated},
    result::NcclResult,
};

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate.
///
/// `Debug` prints the same text as `Display`, so that `unwrap` and a `main` that returns a
/// [`Result`] show readable errors.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// A CUDA driver call failed.
    Cuda(cuda_safe::Error),
    /// [`cuda_compute`] returned an error.
    #[cfg(feature = "compute")]
    Compute(cuda_compute::Error),
    /// An argument is invalid, or the ranks' calls do not match. This rank has enqueued nothing.
    Value(String),
    /// A library that is opened at its first use is not installed. The text lists the places that
    /// were searched and the remedy.
    Missing(String),
    /// An NCCL call failed.
    Nccl {
        /// The name of the function.
        call: &'static str,
        /// The code that it returned.
        result: NcclResult,
        /// NCCL's own message, and the remedy.
        detail: String,
    },
    /// The installed library is too old. The text contains its version, and the missing function if
    /// there is one.
    Unsupported(String),
    /// This rank could not start. The text names the launcher's variable, the address or the step
    /// of the exchange that failed.
    Start(String),
    /// A file cannot be read, or its length is not the expected one. The text contains its name and
    /// the offset, if known.
    File(String),
    /// Another rank has ended, failed, or not arrived within the time limit. The group cannot be
    /// used any more.
    Lost(String),
    /// One rank of [`PeerGroup::run`](crate::PeerGroup::run) failed with this error.
    Rank {
        /// The rank that failed.
        rank: usize,
        /// Its error.
        error: Box<Self>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cuda(error) => error.fmt(f),
            #[cfg(feature = "compute")]
            Self::Compute(error) => error.fmt(f),
            Self::Rank { rank, error } => write!(f, "rank {rank}: {error}"),
            Self::Nccl {
                call,
                result,
                detail,
            } => {
                write!(f, "{call} failed: {result}")?;
                match detail.as_str() {
                    "" => Ok(()),
                    remedy if remedy.starts_with("Fix: ") => write!(f, ". {remedy}"),
                    detail => write!(f, ": {detail}"),
                }
            }
            Self::Value(what)
            | Self::Missing(what)
            | Self::Unsupported(what)
            | Self::Start(what)
            | Self::File(what)
            | Self::Lost(what) => f.write_str(what),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // `Display` already prints the text of these errors.
            Self::Cuda(error) => error.source(),
            #[cfg(feature = "compute")]
            Self::Compute(error) => error.source(),
            Self::Rank { error, .. } => error.source(),
            _ => None,
        }
    }
}

impl Error {
    /// Creates the error of a failed NCCL call from NCCL's message and the code's remedy.
    #[cold]
    pub(crate) fn nccl(call: &'static str, result: NcclResult, message: &str) -> Self {
        let is_emulated = result == NcclResult::UNHANDLED_CUDA_ERROR && is_emulated();
        Self::Nccl {
            call,
            result,
            detail: detail(result, message, is_emulated),
        }
    }
}

/// Returns NCCL's message and the code's remedy, or that of the emulator.
fn detail(result: NcclResult, message: &str, is_emulated: bool) -> String {
    match (message.trim().trim_end_matches('.'), result.remedy()) {
        ("", _) if is_emulated => NOT_EMULATED.to_owned(),
        (message, _) if is_emulated => format!("{message}. {NOT_EMULATED}"),
        (message, "") => message.to_owned(),
        ("", remedy) => format!("Fix: {remedy}"),
        (message, remedy) => format!("{message}. Fix: {remedy}"),
    }
}

impl Error {
    /// Returns whether the device's context is unusable.
    pub(crate) fn is_fault(&self) -> bool {
        match self {
            Self::Cuda(error) => matches!(error.kind(), ErrorKind::Fault | ErrorKind::Poisoned),
            Self::Rank { error, .. } => error.is_fault(),
            _ => false,
        }
    }
}

impl From<cuda_safe::Error> for Error {
    fn from(error: cuda_safe::Error) -> Self {
        Self::Cuda(error)
    }
}

#[cfg(feature = "compute")]
impl From<cuda_compute::Error> for Error {
    fn from(error: cuda_compute::Error) -> Self {
        match error {
            cuda_compute::Error::Cuda(error) => Self::Cuda(error),
            error => Self::Compute(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use cuda_safe::{Context, Module};

    use super::*;

    /// An error with a source, since the file is missing.
    fn missing_file() -> cuda_safe::Error {
        let context = Context::primary(0).unwrap();
        Module::from_ptx_file(&context, "no/such/file.ptx").unwrap_err()
    }

    #[test]
    fn sources_are_those_of_the_inner_error() {
        let error = Error::from(missing_file());
        assert!(matches!(error, Error::Cuda(_)));
        let source = error.source().unwrap().downcast_ref::<std::io::Error>();
        assert_eq!(source.unwrap().kind(), std::io::ErrorKind::NotFound);
        assert!(Error::Value("a value".into()).source().is_none());
    }

    #[cfg(feature = "compute")]
    #[test]
    fn errors_of_arrays_keep_their_kind() {
        let cuda = Error::from(cuda_compute::Error::Cuda(missing_file()));
        assert!(matches!(cuda, Error::Cuda(_)), "{cuda}");
        let compute = Error::from(cuda_compute::Error::Value("a value".into()));
        assert!(matches!(compute, Error::Compute(_)), "{compute}");
        assert!(compute.source().is_none());
        // `From` makes none like this, but users can.
        let nested = Error::Compute(cuda_compute::Error::Cuda(missing_file()));
        assert!(nested.source().is_some());
        assert!(nested.to_string().contains("no/such/file.ptx"));
    }

    #[test]
    fn emulator_is_named_as_the_cause() {
        let text = |message| detail(NcclResult::UNHANDLED_CUDA_ERROR, message, true);
        assert_eq!(
            text("Cuda failure 'named symbol not found'"),
            "Cuda failure 'named symbol not found'. NCCL does not run on cuda-emulator. Fix: use PeerGroup, which needs no NCCL"
        );
        assert_eq!(text(""), NOT_EMULATED);
        let error = Error::nccl("ncclCommSplit", NcclResult::UNHANDLED_CUDA_ERROR, "");
        let name = Context::primary(0).unwrap().device().name().unwrap();
        let emulated = name.starts_with("CUDA emulator");
        assert_eq!(
            error.to_string().ends_with(NOT_EMULATED),
            emulated,
            "{error}"
        );
        let other = Error::nccl("ncclCommSplit", NcclResult::SYSTEM_ERROR, "");
        assert!(!other.to_string().contains("emulator"), "{other}");
    }

    #[test]
    fn messages_contain_what_is_known() {
        let plain = Error::Nccl {
            call: "ncclSend",
            result: NcclResult(99),
            detail: String::new(),
        };
        assert_eq!(
            plain.to_string(),
            "ncclSend failed: unknown ncclResult_t 99"
        );
        let said = Error::nccl("ncclSend", NcclResult::INVALID_ARGUMENT, " no peer \n");
        let text = "ncclSend failed: ncclInvalidArgument (4): no peer. Fix: start with NCCL_DEBUG=WARN, which prints the argument";
        assert_eq!(said.to_string(), text);
        assert_eq!(format!("{said:?}"), text);
        for error in [
            Error::Value("text".into()),
            Error::Missing("text".into()),
            Error::Unsupported("text".into()),
            Error::Start("text".into()),
            Error::File("text".into()),
            Error::Lost("text".into()),
        ] {
            assert_eq!(error.to_string(), "text");
            assert!(!error.is_fault());
        }
        assert!(!Error::from(missing_file()).is_fault());
        let of_rank = Error::Rank {
            rank: 3,
            error: Box::new(missing_file().into()),
        };
        assert!(of_rank.to_string().starts_with("rank 3: "), "{of_rank}");
        assert!(of_rank.source().is_some() && !of_rank.is_fault());
    }
}
