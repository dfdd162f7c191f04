//! What NCCL's calls return.

use std::fmt;

/// What a call of NCCL returned, where it failed: `ncclResult_t`.
///
/// A number with names, as a newer library may return others.
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

            /// The name in `nccl.h`; `None` if it has none that is known.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($c),)*
                    _ => None,
                }
            }

            /// What helps; empty where nothing general does.
            pub(crate) fn remedy(self) -> &'static str {
                match self.0 {
                    $($number => $remedy,)*
                    _ => "",
                }
            }
        }
    };
}

const TELL_ME: &str =
    "start all ranks with NCCL_DEBUG=INFO: NCCL then prints what it does and what fails";
const LOOK_AROUND: &str = "look for the first rank that failed, and why; start all ranks with NCCL_DEBUG=INFO to see what \
     NCCL does";

results! {
    /// No error.
    SUCCESS = 0, "ncclSuccess", "";
    /// A call of CUDA within NCCL failed.
    UNHANDLED_CUDA_ERROR = 1, "ncclUnhandledCudaError",
        "a call of CUDA within NCCL failed: check the device's free memory, and that NCCL's version fits the driver; \
         NCCL_DEBUG=WARN prints the call";
    /// A call of the operating system failed: of the network, for instance.
    SYSTEM_ERROR = 2, "ncclSystemError", TELL_ME;
    /// A failure within NCCL, or memory that was overwritten.
    INTERNAL_ERROR = 3, "ncclInternalError", TELL_ME;
    /// An argument that the function doesn't take.
    INVALID_ARGUMENT = 4, "ncclInvalidArgument", "NCCL_DEBUG=WARN prints which argument";
    /// Calls that don't fit together.
    INVALID_USAGE = 5, "ncclInvalidUsage",
        "a device may serve only one rank of a communicator, and all ranks make the same calls in the same order; \
         NCCL_DEBUG=WARN prints more";
    /// Another rank has ended, or the network to it has failed.
    REMOTE_ERROR = 6, "ncclRemoteError", LOOK_AROUND;
    /// Not an error: the call goes on.
    IN_PROGRESS = 7, "ncclInProgress", "";
    /// NCCL has waited for too long.
    TIMEOUT = 8, "ncclTimeout", LOOK_AROUND;
}

impl NcclResult {
    /// Whether the communicator can't be used after it.
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
    fn codes_are_those_of_the_header() {
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
        // A header with more of them fails here.
        assert_eq!(named.len() as u32, Raw::ncclNumResults.0);
        assert_eq!(NcclResult(77).to_string(), "unknown ncclResult_t 77");
    }

    #[test]
    fn mistakes_in_a_call_leave_the_communicator_usable() {
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
