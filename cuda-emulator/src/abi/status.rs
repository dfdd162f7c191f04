//! The result codes of driver functions.

use std::fmt;

/// A `CUresult`. It is a number and not an enum, because `CUDA_EMULATOR_FAIL` can inject any value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Code(pub u32);

/// The result of a driver function's body.
pub type Result<T = ()> = std::result::Result<T, Code>;

macro_rules! codes {
    ($($name:ident = $value:literal, $meaning:literal, $text:literal;)*) => {
        impl Code {
            $(#[allow(dead_code, reason = "all codes have names, whether or not they are given here")]
            pub const $name: Code = Code($value);)*
        }
        /// (code, name, description) in the header's order. Both texts end in NUL for C.
        static TABLE: &[(u32, &str, &str)] = &[
            $(($value, concat!("CUDA_", stringify!($name), "\0"), concat!($text, "\0")),)*
        ];
    };
}

cuda_sys::driver_result_codes!(codes);

impl Code {
    /// Returns name and description, each with a final NUL, or `None` for a code that the header
    /// does not have.
    pub fn texts(self) -> Option<(&'static str, &'static str)> {
        TABLE
            .iter()
            .find(|row| row.0 == self.0)
            .map(|row| (row.1, row.2))
    }

    /// Returns the code with this name (`CUDA_ERROR_OUT_OF_MEMORY`) or number (`2`).
    pub fn parse(text: &str) -> Option<Code> {
        if let Ok(number) = text.parse() {
            return Some(Code(number));
        }
        TABLE
            .iter()
            .find(|row| row.1.trim_end_matches('\0') == text)
            .map(|row| Code(row.0))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.texts() {
            Some((name, _)) => f.write_str(name.trim_end_matches('\0')),
            None => write!(f, "CUresult({})", self.0),
        }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
