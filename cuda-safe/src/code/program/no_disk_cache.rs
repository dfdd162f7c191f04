//! The disk cache on systems where the owner of a file cannot be determined. It stores nothing.

#![cfg(not(target_os = "linux"))]

use super::{Program, compile::CompiledProgram};

pub(super) enum Place {}

impl Place {
    pub(super) fn of(_: &Program, _: &[String]) -> Option<Self> {
        None
    }

    pub(super) fn read(&self) -> Option<CompiledProgram> {
        match *self {}
    }

    pub(super) fn write(&self, _: &Program, _: &[String], _: &CompiledProgram) {
        match *self {}
    }
}
