//! The parts of the bench `scaling`.

pub mod measure;
pub mod model;
pub mod report;
