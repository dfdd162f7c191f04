//! Status codes of nvJitLink. The bindings are not generated from `nvJitLink.h`.

use std::fmt;

/// The status of a failed nvJitLink call.
///
/// It is a number with names, because newer libraries may return other numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct JitLinkStatus(pub u32);

macro_rules! statuses {
    ($($(#[$about:meta])* $name:ident = $number:literal;)*) => {
        impl JitLinkStatus {
            $($(#[$about])* pub const $name: Self = Self($number);)*

            /// Returns the name in `nvJitLink.h`, or `None` if it is unknown.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    0 => Some("NVJITLINK_SUCCESS"),
                    $($number => Some(concat!("NVJITLINK_ERROR_", stringify!($name))),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    /// This version does not know an option.
    UNRECOGNIZED_OPTION = 1;
    /// No architecture was given.
    MISSING_ARCH = 2;
    /// An argument is invalid.
    INVALID_INPUT = 3;
    /// PTX does not compile: an input, or the result of the optimization.
    PTX_COMPILE = 4;
    /// LTO IR does not compile.
    NVVM_COMPILE = 5;
    /// The library or the link failed internally.
    INTERNAL = 6;
    /// Threads could not be started.
    THREADPOOL = 7;
    /// An input has an unknown kind.
    UNRECOGNIZED_INPUT = 8;
    /// The machine code could not be completed.
    FINALIZE = 9;
    /// Nothing was added.
    NULL_INPUT = 10;
    /// Options cannot be combined.
    INCOMPATIBLE_OPTIONS = 11;
    /// An input has another kind than stated, or than the options need.
    INCORRECT_INPUT_TYPE = 12;
    /// An input is for another architecture.
    ARCH_MISMATCH = 13;
    /// An input comes from a newer compiler.
    OUTDATED_LIBRARY = 14;
    /// An object has no device code.
    MISSING_FATBIN = 15;
    /// This version does not know the architecture.
    UNRECOGNIZED_ARCH = 16;
    /// The architecture is no longer supported.
    UNSUPPORTED_ARCH = 17;
    /// LTO IR was added without the option for it.
    LTO_NOT_ENABLED = 18;
}

impl fmt::Debug for JitLinkStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "unknown nvJitLinkResult {}", self.0),
        }
    }
}

impl fmt::Display for JitLinkStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
