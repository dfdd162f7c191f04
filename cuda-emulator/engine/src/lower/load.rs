//! Loading of programs.

use super::link::link;
use crate::program::Program;
use crate::ptx::LoadError;

impl Program {
    /// Loads one PTX module.
    ///
    /// # Errors
    ///
    /// Returns [`LoadError`] if the text is not PTX, an instruction is not supported, or a name is
    /// unresolved.
    pub fn load(ptx: &str) -> Result<Program, LoadError> {
        Self::link(&[("", ptx)])
    }

    /// Loads several modules, as pairs of name and PTX, into one program. `.extern` names of a module
    /// are resolved by the others.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`load`](Program::load), and if a name is defined twice. The
    /// message names the input.
    pub fn link(inputs: &[(&str, &str)]) -> Result<Program, LoadError> {
        Self::link_for(inputs, u32::MAX)
    }

    /// Loads several modules as [`link`](Program::link) does, for a device of this compute
    /// capability: 90 for 9.0. The value is only stored for [`device`](Program::device).
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`link`](Program::link).
    pub fn link_for(inputs: &[(&str, &str)], device: u32) -> Result<Program, LoadError> {
        link(inputs, device)
    }
}
