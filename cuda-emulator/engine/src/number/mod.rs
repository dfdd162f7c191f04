//! Arithmetic without the engine: pure functions on numbers.

pub(super) mod convert;
pub(super) mod math;
pub(super) mod soft;
pub(super) mod tensor;
pub(crate) mod texture;
