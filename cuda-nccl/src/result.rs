//! NCCL's result codes.

use std::fmt;

/// A result code of an NCCL call, `ncclResult_t`.
///
/// It is a number with named constants, because a newer library may return further codes.
///
/// ```
/// use cuda_nccl::NcclResult;
///
/// assert_eq!(NcclResult::REMOTE_ERROR.to_string(), "ncclRemoteError (6)");
/// assert_eq!(NcclResult(99).name(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NcclResult(pub u32);

macro_rules! results {
    ($($(#[$about:meta])* $name:ident = $number:literal, $c:literal, $remedy:expr;)*) => {
        impl NcclResult {
            $($(#[$about])* pub const $name: Self = Self($number);)*

            /// Returns the name in `nccl.h`, or `None` for an unknown code.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($c),)*
                    _ => None,
                }
            }

            /// Returns the remedy for the code, or an empty string if there is none.
            pub(crate) fn remedy(self) -> &'static str {
                match self.0 {
                    $($number => $remedy,)*
                    _ => "",
                }
            }
        }
    };
}

const USE_DEBUG_INFO: &str =
    "start all ranks with NCCL_DEBUG=INFO, which prints NCCL's steps and the one that fails";
const FIND_FIRST_FAILURE: &str = "find the first rank that failed, and its reason. NCCL_DEBUG=INFO on all ranks prints \
     NCCL's steps";

results! {
    /// No error.
    SUCCESS = 0, "ncclSuccess", "";
    /// A CUDA call inside NCCL failed.
    UNHANDLED_CUDA_ERROR = 1, "ncclUnhandledCudaError",
        "check the device's free memory, and that the driver supports this version of NCCL. NCCL_DEBUG=WARN prints \
         the CUDA call that failed";
    /// A system call failed, for instance one of the network.
    SYSTEM_ERROR = 2, "ncclSystemError", USE_DEBUG_INFO;
    /// An internal failure of NCCL, or corrupted memory.
    INTERNAL_ERROR = 3, "ncclInternalError", USE_DEBUG_INFO;
    /// An argument is invalid.
    INVALID_ARGUMENT = 4, "ncclInvalidArgument", "start with NCCL_DEBUG=WARN, which prints the argument";
    /// NCCL was called incorrectly, for instance with different calls on different ranks.
    INVALID_USAGE = 5, "ncclInvalidUsage",
        "use each device for only one rank of a communicator, and make the same calls in the same order on all ranks. \
         NCCL_DEBUG=WARN prints the reason";
    /// Another rank has ended, or the network to it has failed.
    REMOTE_ERROR = 6, "ncclRemoteError", FIND_FIRST_FAILURE;
    /// The call is still running. This is not an error.
    IN_PROGRESS = 7, "ncclInProgress", "";
    /// NCCL's own time limit was exceeded.
    TIMEOUT = 8, "ncclTimeout", FIND_FIRST_FAILURE;
}

impl NcclResult {
    /// Returns whether the communicator is unusable after this result.
    pub(crate) fn ends_communicator(self) -> bool {
        !matches!(
            self,
            Self::SUCCESS | Self::INVALID_ARGUMENT | Self::INVALID_USAGE | Self::IN_PROGRESS
        )
    }
}

impl fmt::Display for NcclResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "unknown ncclResult_t {}", self.0),
        }
    }
}

impl fmt::Debug for NcclResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::ncclResult_t as Raw;

    #[test]
    fn codes_match_the_header() {
        let named = [
            (NcclResult::SUCCESS, Raw::ncclSuccess),
            (
                NcclResult::UNHANDLED_CUDA_ERROR,
                Raw::ncclUnhandledCudaError,
            ),
            (NcclResult::SYSTEM_ERROR, Raw::ncclSystemError),
            (NcclResult::INTERNAL_ERROR, Raw::ncclInternalError),
            (NcclResult::INVALID_ARGUMENT, Raw::ncclInvalidArgument),
            (NcclResult::INVALID_USAGE, Raw::ncclInvalidUsage),
            (NcclResult::REMOTE_ERROR, Raw::ncclRemoteError),
            (NcclResult::IN_PROGRESS, Raw::ncclInProgress),
            (NcclResult::TIMEOUT, Raw::ncclTimeout),
        ];
        for (code, raw) in named {
            assert_eq!(code.0, raw.0, "{code}");
            assert!(code.name().is_some_and(|name| name.starts_with("nccl")));
        }
        // Fails when a newer header adds codes.
        assert_eq!(named.len() as u32, Raw::ncclNumResults.0);
        assert_eq!(NcclResult(77).to_string(), "unknown ncclResult_t 77");
    }

    #[test]
    fn invalid_calls_leave_the_communicator_usable() {
        assert!(!NcclResult::INVALID_ARGUMENT.ends_communicator());
        assert!(!NcclResult::INVALID_USAGE.ends_communicator());
        assert!(NcclResult::REMOTE_ERROR.ends_communicator());
        assert!(NcclResult(99).ends_communicator());
        assert!(
            NcclResult::SYSTEM_ERROR
                .remedy()
                .contains("NCCL_DEBUG=INFO")
        );
    }
    #[test]
    fn debug_output_is_the_name() {
        assert_eq!(
            format!("{:?}", NcclResult::REMOTE_ERROR),
            "ncclRemoteError (6)"
        );
        assert_eq!(format!("{:?}", NcclResult(77)), "unknown ncclResult_t 77");
    }

    #[test]
    fn only_mistakes_in_a_call_are_survived() {
        let survived = (0..12).filter(|code| !NcclResult(*code).ends_communicator());
        assert_eq!(survived.collect::<Vec<_>>(), [0, 4, 5, 7]);
        let remedies = (0..12).filter(|code| !NcclResult(*code).remedy().is_empty());
        assert_eq!(remedies.collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 8]);
    }
}
