//! Names and descriptions of result codes, from tables that don't require a loaded driver.
//!
//! The tables also contain codes that this crate's header lacks, because a newer driver may return
//! them.

mod driver;
#[cfg(feature = "nvrtc")]
mod nvrtc;

use core::fmt;

use crate::CUresult;
#[cfg(feature = "nvrtc")]
use crate::nvrtcResult;

/// Finds a code in a table that is sorted by code.
const fn find(
    table: &'static [(u32, &'static str, &'static str)],
    code: u32,
) -> Option<&'static (u32, &'static str, &'static str)> {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = (low + high) / 2;
        if table[middle].0 < code {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low < table.len() && table[low].0 == code {
        Some(&table[low])
    } else {
        None
    }
}

macro_rules! result_code {
    ($ty:ident, $table:path, $success:ident, $call:literal, without $library:ident: $missing:ident) => {
        impl $ty {
            /// Returns the code's name in the documentation, or `None` if this version does not
            /// know the code.
            pub const fn name(self) -> Option<&'static str> {
                match find($table, self.0 as u32) {
                    Some(&(_, name, _)) => Some(name),
                    None => None,
                }
            }

            /// Returns a short description of the code, or `None` if this version does not know the
            /// code.
            pub const fn description(self) -> Option<&'static str> {
                match find($table, self.0 as u32) {
                    Some(&(_, _, description)) => Some(description),
                    None => None,
                }
            }

            #[doc = concat!("Returns `Ok` for `", stringify!($success), "`, so that `?` works on ", $call, ".")]
            ///
            /// # Errors
            /// Returns every other code unchanged.
            pub const fn result(self) -> Result<(), Self> {
                if self.0 == Self::$success.0 { Ok(()) } else { Err(self) }
            }
        }

        /// Prints the same as `Display`, because `main` and `unwrap` show errors with `Debug`.
        /// `{:#?}` prints only the name.
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) if f.alternate() => f.write_str(name),
                    None if f.alternate() => write!(f, concat!(stringify!($ty), "({})"), self.0),
                    _ => fmt::Display::fmt(self, f),
                }
            }
        }

        /// `CUDA_ERROR_OUT_OF_MEMORY (2): not enough free memory`
        ///
        /// If the code means that the library is missing, and the search for the library has failed
        /// in this process, the text lists the searched places and the remedy instead.
        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                #[cfg(dynamic_loading)]
                if *self == Self::$missing
                    && let Some(missing) = crate::loading::$library.missing()
                {
                    return write!(f, "{self:#?} ({}): {missing}", self.0);
                }
                match find($table, self.0 as u32) {
                    Some((code, name, description)) => write!(f, "{name} ({code}): {description}"),
                    None => write!(f, concat!("unknown ", stringify!($ty), " code {}"), self.0),
                }
            }
        }

        impl core::error::Error for $ty {}
    };
}

result_code!(CUresult, driver::TABLE, CUDA_SUCCESS, "a driver call", without DRIVER: CUDA_ERROR_NO_DEVICE);
#[cfg(feature = "nvrtc")]
result_code!(nvrtcResult, nvrtc::TABLE, NVRTC_SUCCESS, "an NVRTC call", without NVRTC: NVRTC_ERROR_INTERNAL_ERROR);
