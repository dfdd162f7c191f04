//! Handles that consist of bytes and can be sent to other processes.

/// Defines a handle of 64 bytes, with conversions to the driver's type if one is named.
macro_rules! bytes {
    ($(#[$doc:meta])* pub struct $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name([u8; 64]);

        impl $name {
            /// Creates the handle from bytes that another process has sent. They are checked when
            /// the handle is opened.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 64]) -> Self {
                Self(bytes)
            }

            /// Returns the bytes, to send to another process.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 64] {
                self.0
            }

        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    };
    ($(#[$doc:meta])* pub struct $name:ident of $raw:ident) => {
        $crate::raw::bytes::bytes! {
            $(#[$doc])*
            pub struct $name
        }

        impl $name {
            pub(crate) fn from_raw(raw: cuda_sys::$raw) -> Self {
                Self(raw.reserved.map(|byte| byte as u8))
            }

            pub(crate) fn raw(self) -> cuda_sys::$raw {
                cuda_sys::$raw {
                    reserved: self.0.map(|byte| byte as std::ffi::c_char),
                }
            }
        }
    };
}
pub(crate) use bytes;
