//! nvJitLink's codes. `nvJitLink.h` is not among the headers that the bindings are made of.

use std::fmt;

/// What a call of nvJitLink returned, where it failed.
///
/// A number with names, as a newer library may return others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct JitLinkStatus(pub u32);

macro_rules! statuses {
    ($($(#[$about:meta])* $name:ident = $number:literal;)*) => {
        impl JitLinkStatus {
            $($(#[$about])* pub const $name: Self = Self($number);)*

            /// The name in `nvJitLink.h`; `None` if it has none that is known.
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
    /// An option that this version does not know.
    UNRECOGNIZED_OPTION = 1;
    /// No architecture was given.
    MISSING_ARCH = 2;
    /// An argument that the function doesn't take.
    INVALID_INPUT = 3;
    /// PTX does not compile: its own, or what came of the optimisation.
    PTX_COMPILE = 4;
    /// LTO IR does not compile.
    NVVM_COMPILE = 5;
    /// A failure within the library, or of the link.
    INTERNAL = 6;
    /// Threads could not be started.
    THREADPOOL = 7;
    /// What was added is of no known kind.
    UNRECOGNIZED_INPUT = 8;
    /// The machine code could not be finished.
    FINALIZE = 9;
    /// Nothing was added.
    NULL_INPUT = 10;
    /// Options that don't go together.
    INCOMPATIBLE_OPTIONS = 11;
    /// What was added is of another kind than was said, or than the options need.
    INCORRECT_INPUT_TYPE = 12;
    /// What was added is for another architecture.
    ARCH_MISMATCH = 13;
    /// What was added comes from a newer compiler.
    OUTDATED_LIBRARY = 14;
    /// An object without device code.
    MISSING_FATBIN = 15;
    /// An architecture that this version does not know.
    UNRECOGNIZED_ARCH = 16;
    /// An architecture that is no longer compiled for.
    UNSUPPORTED_ARCH = 17;
    /// LTO IR without the option for it.
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
