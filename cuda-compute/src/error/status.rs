//! The status codes of NVIDIA's libraries.

use std::fmt;

/// Defines the type of a library's status codes: numbers with named constants, because a newer
/// library may return other values.
macro_rules! statuses {
    ($(#[$of:meta])* $type:ident, $c_type:literal, $prefix:literal: $($(#[$about:meta])* $name:ident = $number:literal;)*) => {
        $(#[$of])*
        ///
        /// It is a number with named constants, because a newer library may return other values.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $type(pub u32);

        impl $type {
            $($(#[$about])* pub const $name: Self = Self($number);)*

            /// Returns the name in NVIDIA's header, or `None` if the number is unknown.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(concat!($prefix, stringify!($name))),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) => write!(f, "{name} ({})", self.0),
                    None => write!(f, "unknown {} {}", $c_type, self.0),
                }
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

statuses! {
    /// The status of a failed cuBLAS call.
    CublasStatus, "cublasStatus_t", "CUBLAS_STATUS_":
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

statuses! {
    /// The result of a failed cuFFT call.
    CufftResult, "cufftResult", "CUFFT_":
    /// Success.
    SUCCESS = 0;
    /// The plan is invalid.
    INVALID_PLAN = 1;
    /// Memory ran out.
    ALLOC_FAILED = 2;
    /// The type of the transform is unknown.
    INVALID_TYPE = 3;
    /// An argument is invalid.
    INVALID_VALUE = 4;
    /// An internal failure of the library or the driver.
    INTERNAL_ERROR = 5;
    /// A kernel could not be launched, or failed.
    EXEC_FAILED = 6;
    /// The library could not be initialised, for example because the driver is too old for it.
    SETUP_FAILED = 7;
    /// A length is not supported.
    INVALID_SIZE = 8;
    /// Memory is not aligned.
    UNALIGNED_DATA = 9;
    /// The arguments are incomplete.
    INCOMPLETE_PARAMETER_LIST = 10;
    /// The plan belongs to another device.
    INVALID_DEVICE = 11;
    /// An internal failure while reading a description of a plan.
    PARSE_ERROR = 12;
    /// No memory was given for intermediate results.
    NO_WORKSPACE = 13;
    /// The function is not implemented.
    NOT_IMPLEMENTED = 14;
    /// A license is missing.
    LICENSE_ERROR = 15;
    /// The function does not support these arguments.
    NOT_SUPPORTED = 16;
    /// A library that cuFFT needs is missing.
    MISSING_DEPENDENCY = 17;
    /// NVRTC failed.
    NVRTC_FAILURE = 18;
    /// nvJitLink failed.
    NVJITLINK_FAILURE = 19;
    /// NVSHMEM failed.
    NVSHMEM_FAILURE = 20;
}
