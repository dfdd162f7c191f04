//! Tables of functions of NVIDIA's libraries, which are opened at the first use.

use std::path::Path;

use cuda_find::{Handle, Library, Missing};
use cuda_safe::driver;

/// Opens a library that the driver supports, and returns what `accept` returns. `versions` are the
/// library's versions for CUDA 13 and 12: one for a newer driver loads, but can't compute anything.
pub(crate) fn open<T>(
    library: &Library,
    versions: [u32; 2],
    accept: impl Fn(Handle, &Path) -> Result<T, String>,
) -> Result<T, Missing> {
    let driver = driver::version().map_or(u32::MAX, |version| version.major);
    library.open(supported(&versions, driver), &[], None, accept)
}

fn supported(versions: &[u32; 2], driver: u32) -> &[u32] {
    if driver >= 13 {
        versions
    } else {
        &versions[1..]
    }
}

/// Defines the struct `Functions` with the functions of a library, and `functions()`, which opens the
/// library once per process. `$advice` is appended to the error if it is missing.
///
/// Enumerations must be integers in the types, because a newer library may return values without a
/// name.
macro_rules! functions {
    ($library:ident, $versions:expr, $advice:literal; $($field:ident: $type:ty = $name:literal,)*) => {
        /// The functions that are called. All of them have existed with these signatures since CUDA
        /// 12.0.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Functions {
            $(pub(super) $field: $type,)*
        }

        /// Returns the functions of the library, which is opened once per process.
        pub(super) fn functions() -> $crate::error::Result<&'static Functions> {
            type Found = Result<Functions, cuda_find::Missing>;
            static FOUND: std::sync::OnceLock<Found> = std::sync::OnceLock::new();
            let found = FOUND.get_or_init(|| {
                $crate::library::open(&cuda_find::$library, $versions, |library, _| {
                    // SAFETY: the file has the name of the library, whose functions of these names have these
                    // types.
                    unsafe { Ok(Functions { $($field: library.function($name)?),* }) }
                })
            });
            let missing = |missing: &cuda_find::Missing| missing.to_string() + $advice;
            found
                .as_ref()
                .map_err(|error| $crate::error::Error::Missing(missing(error)))
        }
    };
}

pub(crate) use functions;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_match_the_driver() {
        let versions = |driver| supported(&[12, 11], driver);
        assert_eq!(versions(12), [11]);
        assert_eq!(versions(13), [12, 11]);
        assert_eq!(versions(99), versions(13));
    }
}
