//! Pure functions on numbers, independent of the engine.

pub(super) mod convert;
pub(super) mod math;
pub(super) mod soft;
pub(super) mod tensor;
pub(crate) mod texture;
