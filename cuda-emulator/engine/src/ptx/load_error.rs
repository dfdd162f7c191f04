//! Errors from loading a module.

use std::fmt;

/// The reason why a module could not be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The text is not PTX.
    Syntax,
    /// The text is valid PTX that the emulator cannot run.
    Unsupported,
    /// A name is not declared where it is used.
    Unresolved,
    /// Inputs are inconsistent: no input defines a declared name, or a definition differs from a
    /// declaration.
    Link,
    /// The PTX version is newer than the engine supports.
    Version,
}

/// An error from loading a module. `Display` gives the whole text, including the remedy.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The kind of failure.
    pub kind: LoadErrorKind,
    /// The line of the PTX text, starting at 1. 0 if no single line causes the error.
    pub line: u32,
    /// The instruction or directive that causes the error, as written. May be empty.
    pub instruction: String,
    /// The error and its remedy.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line != 0 {
            write!(f, "PTX line {}: ", self.line)?;
        }
        if !self.instruction.is_empty() {
            write!(f, "`{}`: ", self.instruction)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for LoadError {}
