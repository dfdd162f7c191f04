//! Arithmetic without the engine: pure functions on numbers.

pub(super) mod tensor;
