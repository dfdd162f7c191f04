//! Errors of loading a module.

use std::fmt;

/// Why a module was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The text isn't PTX.
    Syntax,
    /// Valid PTX that the emulator can't run.
    Unsupported,
    /// A name that isn't declared where it is used.
    Unresolved,
    /// Inputs that don't fit together: none defines what one declares, or a definition isn't like a declaration.
    Link,
    /// A PTX version newer than the engine knows.
    Version,
}

/// A module that could not be loaded. `Display` gives the whole text, with what to do.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The kind of failure.
    pub kind: LoadErrorKind,
    /// Line of the PTX text, from 1; 0 when no single line is at fault.
    pub line: u32,
    /// The instruction or directive at fault, as written; may be empty.
    pub instruction: String,
    /// What is wrong and what to do about it.
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
