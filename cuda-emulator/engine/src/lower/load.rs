//! Loading of programs.

use super::link::link;
use crate::program::Program;
use crate::ptx::LoadError;

impl Program {
    /// Loads one PTX module.
    ///
    /// # Errors
    /// [`LoadError`] for text that isn't PTX, for an instruction that can't be run, for an unresolved name.
    pub fn load(ptx: &str) -> Result<Program, LoadError> {
        Self::link(&[("", ptx)])
    }

    /// Loads several modules, as pairs of name and PTX, into one program: `.extern` names of one are resolved by the
    /// others.
    ///
    /// # Errors
    /// As [`load`](Program::load), and for a name that is defined twice. The message names the input.
    pub fn link(inputs: &[(&str, &str)]) -> Result<Program, LoadError> {
        Self::link_for(inputs, u32::MAX)
    }

    /// As [`link`](Program::link), for a device of a compute capability; 90 for 9.0. It isn't looked at yet.
    ///
    /// # Errors
    /// As [`link`](Program::link).
    pub fn link_for(inputs: &[(&str, &str)], device: u32) -> Result<Program, LoadError> {
        link(inputs, device)
    }
}
