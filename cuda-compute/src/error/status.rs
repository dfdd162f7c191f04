//! The status codes of cuBLAS.

use std::fmt;

/// The status of a failed cuBLAS call.
///
/// It is a number with named constants, because a newer library may return other values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CublasStatus(pub u32);

macro_rules! statuses {
    ($($(#[$about:meta])* $name:ident = $number:literal;)*) => {
        impl CublasStatus {
            $($(#[$about])* pub const $name: Self = Self($number);)*

            /// Returns the name in `cublas_api.h`, or `None` if the number is unknown.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(concat!("CUBLAS_STATUS_", stringify!($name))),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    /// Success.
    SUCCESS = 0;
    /// The library could not be initialised, for example because the driver is too old for it.
    NOT_INITIALIZED = 1;
    /// Memory ran out.
    ALLOC_FAILED = 3;
    /// An argument is invalid.
    INVALID_VALUE = 7;
    /// The device lacks a required feature.
    ARCH_MISMATCH = 8;
    /// Memory could not be mapped.
    MAPPING_ERROR = 11;
    /// A kernel could not be launched, or failed.
    EXECUTION_FAILED = 13;
    /// An internal failure of the library.
    INTERNAL_ERROR = 14;
    /// The function does not support this combination of types and sizes.
    NOT_SUPPORTED = 15;
    /// A license is missing.
    LICENSE_ERROR = 16;
}

impl fmt::Display for CublasStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "unknown cublasStatus_t {}", self.0),
        }
    }
}

impl fmt::Debug for CublasStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
